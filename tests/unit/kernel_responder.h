/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the kernel beneath a kernel_io: interfaces in memory, which answer requests as
 * net/dcb/dcbnl.c and drivers do. It reads requests and writes answers as octets, with no code of
 * dataplane/kernel/dcbnl.c. Any thread.
 */
#ifndef DCB_TESTS_KERNEL_RESPONDER_H
#define DCB_TESTS_KERNEL_RESPONDER_H

#include "dataplane/kernel/kernel_io.h"

/* What the driver of an interface does. */
enum kernel_kind {
	KERNEL_WORKS,
	KERNEL_NO_SETTER, /* a change has result 0 and no effect; the kernel keeps applications */
	KERNEL_BUSY,      /* refuses PFC with EBUSY, after it has taken ETS */
	KERNEL_FIRMWARE,  /* owns DCBX: refuses each change with EINVAL */
	KERNEL_NO_DCB,    /* has no DCB operations */
};

struct kernel_responder;

struct kernel_responder *kernel_responder_new(void);
/* After the last kernel_io over it. */
void kernel_responder_free(struct kernel_responder *r);

/* Opens requests to it; several can be open. */
struct kernel_io *kernel_responder_open(struct kernel_responder *r);

/*
 * Adds an interface and returns its ifIndex. Its driver has the counters that the kernel's driver
 * of this name has: of mlx5_core (only those of priorities with PFC), ice, bnxt_en; of others none.
 */
uint32_t kernel_responder_add(struct kernel_responder *r, const char *name, enum kernel_kind kind,
			      const char *driver);
void kernel_responder_remove(struct kernel_responder *r, const char *name);
void kernel_responder_rename(struct kernel_responder *r, const char *from, const char *to);

/* Reads what an interface has in force. */
void kernel_responder_read(struct kernel_responder *r, const char *name, struct dcbnl_port *out);
/*
 * Replaces it, as firmware does, and what the driver can: only members in has are answered to
 * requests. notify: whether the driver sends a notification.
 */
void kernel_responder_write(struct kernel_responder *r, const char *name,
			    const struct dcbnl_port *now, bool notify);
/* Sets a counter that its driver has. */
void kernel_responder_count(struct kernel_responder *r, const char *name, const char *counter,
			    uint64_t value);
/* Sets ETHTOOL_PFC_PREVENTION_TOUT of mlx5_core, ms; other drivers have none. */
void kernel_responder_prevent(struct kernel_responder *r, const char *name, uint16_t ms);
/* Returns how many requests for a change have reached the interface. */
unsigned kernel_responder_changes(struct kernel_responder *r, const char *name);

/* Returns how many requests of all kinds there were. */
unsigned kernel_responder_requests(struct kernel_responder *r);

/* Whether requests have CAP_NET_ADMIN; at first they have. */
void kernel_responder_permit(struct kernel_responder *r, bool permitted);
/*
 * Calls a function before each netlink request is worked on, in the thread of the request and
 * without a lock: it can wait, as for rtnl, or change interfaces. NULL: none.
 */
void kernel_responder_hook(struct kernel_responder *r,
			   void (*hook)(void *ctx, const char *name, uint8_t cmd), void *ctx);
/* Loses the notifications that have not been received, as the kernel does when a queue is full. */
void kernel_responder_lose(struct kernel_responder *r);

#endif
