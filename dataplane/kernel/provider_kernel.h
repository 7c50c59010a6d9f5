/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port provider "kernel": ports whose NIC or switch ASIC does PFC, ETS and application priorities,
 * and has reaction points, managed through the kernel's DCB. dcbd moves no frames of such a port.
 *
 * The control thread hands over changes and gets copies of what the devices have; only the worker
 * waits for the kernel (kernel_worker.h). Exceptions are port_open(), which reads the device once,
 * and takes DCBX over where dcbd.conf says so.
 *
 * The policy of a port says which parts are written:
 *   adopt    parts that a SET or a neighbor changes; when the port is created also those of which
 *            its device has nothing set, as after a reboot
 *   enforce  what differs, when the port is created, changed, or changed by others
 *   watch    nothing
 * A device whose DCBX is not the host's is not written to, nor is any without CAP_NET_ADMIN in the
 * first user namespace.
 */
#ifndef DCB_KERNEL_PROVIDER_KERNEL_H
#define DCB_KERNEL_PROVIDER_KERNEL_H

#include "dataplane/config/provider.h"

struct kernel_io;

struct provider_kernel_params {
	/* Requests of the control thread, and those of the worker; the provider owns both. */
	struct kernel_io *io, *worker_io;
	bool may_write; /* the kernel permits this process to change settings */
};

/* Returns the provider; NULL: out of memory or descriptors, and the params' io are destroyed. */
struct provider *provider_kernel_new(const struct provider_kernel_params *params);
/* Opens the sockets for it. may_write: whether the calling thread may. NULL: err says why. */
struct provider *provider_kernel_start(char *err, size_t errlen);

#endif
