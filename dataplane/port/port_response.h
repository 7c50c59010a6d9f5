/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Response time of a PFC receiver in software: item h of 36.1.1, from the arrival of a PFC frame
 * until no more frames of the priority leave. Keeps measured times and a bound for the next ones,
 * which the neighbor gets as part of this system's delay. The limit of 36.3.3 is one of hardware.
 *
 * The bound is part of each response of the measurement and, by the control thread, of the Local
 * Delay TLV.
 *
 * Dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_RESPONSE_H
#define DCB_DATAPLANE_PORT_PORT_RESPONSE_H

#include <stdint.h>

/*
 * Choices: the times that count at a link-up, of which the longest of each group is kept, and the
 * longest bound. A neighbor refuses a local delay that is longer
 * than PFC_PEER_DELAY_MAX_NS, and the longest frame is part of it.
 */
#define PORT_RESPONSE_SAMPLES      64
#define PORT_RESPONSE_GROUPS       8
#define PORT_RESPONSE_BOUND_MAX_NS (1u << 26)

/* All zero: nothing was measured. */
struct port_response {
	uint32_t last_ns;                        /* the last time */
	uint32_t group_ns[PORT_RESPONSE_GROUPS]; /* the longest of each, in a ring */
	uint8_t next;                            /* number of the next time, in the ring */
	uint8_t n;                               /* times, at most PORT_RESPONSE_SAMPLES */
	uint32_t longest_ns; /* since port_response_restart(), and of group_ns[] then */
	uint32_t bound_ns;   /* 0: not known yet */
};

/*
 * Adds a response time in ns. Choice: it counts as the shorter one of itself and the one before, so
 * that a single outlier has no effect, as that of a date that is set, a stopped process, or a
 * virtual machine that is resumed. The bound is twice the longest time, rounded up to a power of
 * two, so that it is raised a few times only. It is not lowered before port_response_restart(). It
 * is not known while there are fewer than PORT_RESPONSE_SAMPLES times, unless it exceeds
 * PFC_MEASURE_HALT_HOST_NS, which is in force until then.
 */
void port_response_add(struct port_response *r, int64_t ns);

/* The link has come up: only the last times count any more. */
void port_response_restart(struct port_response *r);

#endif
