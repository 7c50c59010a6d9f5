/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread of provider "kernel": reads the devices of all ports once a second and after each
 * notification of the kernel, and writes settings. It alone waits for the kernel, which can take
 * seconds while a driver resets a link. It shares nothing with the control thread but the two
 * lists of commands and reports.
 *
 * A change of several ports takes effect at all of them or at none: each is read, changed as far as
 * it differs, and read back; if one does not have it then, those before it get their former values.
 */
#ifndef DCB_KERNEL_KERNEL_WORKER_H
#define DCB_KERNEL_KERNEL_WORKER_H

#include <sys/queue.h>

#include "dataplane/config/stats.h"
#include "dataplane/kernel/kernel_io.h"
#include "dataplane/kernel/kernel_settings.h"

#define KERNEL_POLL_NS    DCB_NS_PER_S
#define KERNEL_ENFORCE_NS (30 * DCB_NS_PER_S) /* PROVIDER_ENFORCE: between two writes of a port */

/* Counters of a port, from the driver's names or from IEEE_GET. */
struct kernel_counts {
	struct pfc_stats pfc[DCB_PRIORITIES];
	uint64_t unknown[DCB_PRIORITIES]; /* members of pfc, as of provider_ops.unknown() */
	uint64_t sent, received;          /* PFC frames of the port */
	uint64_t port_unknown;            /* members of struct port_stats */
	struct hardware_stats hardware;
	uint64_t hardware_unknown; /* members of hardware */
};

/* A port of the worker. */
struct kernel_id {
	uint64_t number; /* never used again */
	uint16_t slot;
};

struct kernel_job {
	struct kernel_id id;
	unsigned parts; /* to be written: KERNEL_PFC ...; 0: PROVIDER_ENFORCE has to know wanted */
	/*
	 * If this command has changed the device: back to the values before it, with
	 * PROVIDER_ENFORCE to wanted. 0: none.
	 */
	uint64_t undo;
	bool alone; /* of a new port, or tried again: others do not depend on its success */
	struct kernel_wanted wanted;
	struct kernel_wanted was; /* the settings before: their applications that go are deleted */
};

enum kernel_command_type { KERNEL_ADD, KERNEL_NAME, KERNEL_REMOVE, KERNEL_WRITE, KERNEL_STOP };
struct kernel_command {
	STAILQ_ENTRY(kernel_command) next;
	enum kernel_command_type type;
	struct kernel_id id;               /* ADD, NAME, REMOVE */
	uint32_t ifindex;                  /* ADD */
	char name[IF_NAMESIZE];            /* ADD, NAME */
	char driver[KERNEL_DRIVER_OCTETS]; /* ADD */
	bool enforce;                      /* ADD */
	uint64_t number;                   /* WRITE */
	bool restores;                     /* WRITE: each port for itself, as far as possible */
	unsigned n_jobs;
	struct kernel_job jobs[];
};

enum kernel_report_type {
	KERNEL_READ,    /* what a port has */
	KERNEL_WROTE,   /* a job has ended */
	KERNEL_WRITTEN, /* all jobs of a command have ended */
};
struct kernel_report {
	STAILQ_ENTRY(kernel_report) next;
	enum kernel_report_type type;
	struct kernel_id id; /* WRITTEN: of the port that has refused */
	uint64_t number;     /* of the command; 0: written again by PROVIDER_ENFORCE */
	bool ok;             /* the values are in force, and nothing is left half done */
	bool undone;         /* not ok: all ports of the command have their former values */
	bool wrote;          /* WROTE: a request to change was made */
	bool own;            /* READ: in a job, whose changes are dcbd's */
	int error;           /* READ: errno; 0: now and counts are set */
	char text[160];      /* not ok: why */
	struct dcbnl_port now;
	struct kernel_counts counts;
};

struct kernel_worker;

/*
 * Creates the worker, which owns io from then on, also on failure. fd: eventfd written after each
 * report. NULL: out of memory or descriptors.
 */
struct kernel_worker *kernel_worker_new(struct kernel_io *io, int fd);
/* Starts the thread, once. Until then commands wait. Returns 0 or an errno. */
int kernel_worker_start(struct kernel_worker *w);
/* Hands over a command, made by malloc(). */
void kernel_worker_send(struct kernel_worker *w, struct kernel_command *command);
/* Returns the next report, for free(); NULL: there is none. Does not wait. */
struct kernel_report *kernel_worker_report(struct kernel_worker *w);
/* Returns the time since all ports were read last, ms. */
uint32_t kernel_worker_age_ms(const struct kernel_worker *w);
/* Ends the thread, when the kernel has answered its last request, and frees the worker. */
void kernel_worker_free(struct kernel_worker *w);

/* Reads the counters of a port. map: of its names, made anew if their number is another. */
void kernel_read_counts(struct kernel_io *io, const char *name, const struct kernel_driver *driver,
			const struct dcbnl_port *now, struct kernel_map *map,
			struct kernel_counts *out);

#endif
