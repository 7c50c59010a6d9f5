/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which timestamps a round trip of the headroom measurement is from, and how long this port's NIC
 * had the frames: from the kernel's timestamp of the request to the NIC's, and from the NIC's
 * timestamp of the response to the kernel's.
 *
 *   kernel |--------------------------------| kernel
 *     NIC      |-----------------------| NIC
 *           own        link, peer       own
 *
 * The difference of the round trips by kernel and by NIC is what the port's own NIC added: PFC
 * frames have it, too. A neighbor is answered by times of the kernel in any case, as item h is
 * measured from them: what the NIC adds before belongs to the neighbor's round trip.
 *
 * Dataplane thread.
 */
#ifndef DCB_DATAPLANE_PORT_PORT_NIC_H
#define DCB_DATAPLANE_PORT_PORT_NIC_H

#include "dataplane/netio/netio.h"
#include "lib/dcbtime.h"

/* Choice: of so many round trips the longest delay of the NIC counts. */
#define PORT_NIC_SAMPLES 8

/*
 * Choice: a longer delay is none, but the NIC's clock was set between the two frames. Interrupt
 * moderation delays a frame by less.
 */
#define PORT_NIC_MAX_NS DCB_NS_PER_MS

/* All zero: nothing was measured. */
struct port_nic {
	uint32_t delay_ns[PORT_NIC_SAMPLES]; /* in a ring */
	uint8_t next;
};

/* The times of a request and its response that are known. */
struct port_nic_times {
	bool has_sent, has_nic_sent, has_nic_received;
	struct dcb_time sent, received;       /* of the kernel */
	int64_t nic_sent_ns, nic_received_ns; /* of the NIC */
};

/*
 * Chooses the timestamps of a round trip: of the NIC if it has taken both, else of the kernel, also
 * both. Times of two clocks are never subtracted from each other. *delay_ns: how long the NIC had
 * the frames; 0 if the times are not its own.
 */
enum netio_clock port_nic_choose(const struct port_nic_times *t, uint32_t *delay_ns);

/*
 * Returns the time in ns to deduct from that between the kernel's timestamps. Choice (36.8 b 1):
 * the longest delay of the NIC takes the place of the one that these frames happened to have,
 * because PFC frames, and frames that arrive after them, have the longest. The result is 0 or less.
 */
int64_t port_nic_deduct(const struct port_nic *n, uint32_t delay_ns);

void port_nic_add(struct port_nic *n, uint32_t delay_ns);

/* Returns the longest one of the last PORT_NIC_SAMPLES, 0: none. */
uint32_t port_nic_longest(const struct port_nic *n);

#endif
