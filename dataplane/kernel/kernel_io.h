/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the kernel about the DCB and the counters of interfaces, for one thread. Each waits
 * for the kernel's answer, which can take seconds while a driver resets a link under rtnl.
 */
#ifndef DCB_KERNEL_KERNEL_IO_H
#define DCB_KERNEL_KERNEL_IO_H

#include "dataplane/kernel/dcbnl.h"

#define KERNEL_DRIVER_OCTETS  32 /* and of its version, and of the firmware's */
#define KERNEL_COUNTER_OCTETS 32 /* ETH_GSTRING_LEN */

/* ETHTOOL_GDRVINFO; terminated, "" if the driver does not say. */
struct kernel_driver_info {
	char driver[KERNEL_DRIVER_OCTETS];
	char version[KERNEL_DRIVER_OCTETS];
	char firmware[KERNEL_DRIVER_OCTETS];
};

/* Names of the counters of an interface: ETHTOOL_GSTRINGS, ETH_SS_STATS. */
struct kernel_names {
	unsigned n;
	char (*of)[KERNEL_COUNTER_OCTETS]; /* terminated */
};

struct kernel_io;

/*
 * Opens the sockets, in the network namespace of the calling thread. NULL: err says why. Any
 * thread; the result is of one thread at a time.
 */
struct kernel_io *kernel_io_open(char *err, size_t errlen);

/* Reads all that the driver has. Returns 0 or an errno: EOPNOTSUPP if it has no DCB. */
int kernel_io_get(struct kernel_io *io, const char *name, struct dcbnl_port *out);
/* The same of an interface by its ifIndex: ENODEV if another one has the name, as after a rename.
 */
int kernel_io_get_of(struct kernel_io *io, const char *name, uint32_t ifindex,
		     struct dcbnl_port *out);
/* Changes settings. The result says what went wrong; success says nothing: read back. */
struct dcbnl_result kernel_io_set(struct kernel_io *io, const char *name,
				  const struct dcbnl_change *change);
/* Deletes application entries. */
struct dcbnl_result kernel_io_drop_apps(struct kernel_io *io, const char *name,
					const struct dcb_app *apps, unsigned n);
struct dcbnl_result kernel_io_set_dcbx(struct kernel_io *io, const char *name, uint8_t dcbx);
/* Returns the ifIndex of the interface; 0: there is none. */
uint32_t kernel_io_ifindex(struct kernel_io *io, const char *name);
/* Reads the driver's name and versions. Returns 0, or an errno, and *out is then empty. */
int kernel_io_driver(struct kernel_io *io, const char *name, struct kernel_driver_info *out);
/*
 * Reads ETHTOOL_PFC_PREVENTION_TOUT, ms: 0: switched off; UINT16_MAX: the device decides. Returns 0
 * or an errno: EOPNOTSUPP if the driver has none.
 */
int kernel_io_prevention(struct kernel_io *io, const char *name, uint64_t *ms);
/* Returns the number of counters, or a negative errno. */
int kernel_io_count(struct kernel_io *io, const char *name);
/*
 * Reads the names of the counters; the caller frees out->of. Returns 0 or an errno: EAGAIN
 * if their number changed meanwhile.
 */
int kernel_io_names(struct kernel_io *io, const char *name, struct kernel_names *out);
/*
 * Reads n counters. Returns their present number, or a negative errno, EAGAIN if it changes
 * at the moment. If it is not n, the names are others, and values undefined; n values can
 * have other names, too, after a change of PFC (mlx5).
 */
int kernel_io_values(struct kernel_io *io, const char *name, uint64_t *values, unsigned n);
/* Returns a file descriptor that is readable when kernel_io_changed() has something; -1: none. */
int kernel_io_fd(const struct kernel_io *io);
/*
 * Removes the next notification of group RTNLGRP_DCB: writes the name of its interface, or
 * "" if notifications were lost, so that any may have changed. Returns false if there is
 * none. Does not wait.
 */
bool kernel_io_changed(struct kernel_io *io, char name[IF_NAMESIZE]);
void kernel_io_destroy(struct kernel_io *io);

/*
 * Returns whether the driver of an interface does PFC by the kernel's DCB. Opens sockets of its own
 * for it. Control thread.
 */
bool kernel_has_pfc(const char *name);

struct kernel_wire;
/*
 * The same over another carrier of the octets, which kernel_io_destroy() destroys too. NULL: out of
 * memory; the carrier is then destroyed.
 */
struct kernel_io *kernel_io_over(struct kernel_wire *wire);

#endif
