/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recent destinations of the flow queues of one priority, and for how many
 * congestion notification messages (CNMs) the frames to each of them account. A CNM
 * is accepted only if it names one of them: a forger who does not know where the station
 * sends has to guess 48 bits of address, and the VLAN.
 *
 * Memory is bounded: DESTINATION_SETS sets of DESTINATION_WAYS entries. A further
 * destination of a full set takes the place of the one to which nothing was sent for
 * the longest time. A CNM for that one is then discarded, and never accepted without a
 * check. This limits no station: the CNM for a frame arrives within milliseconds, so its
 * destination is among the last ones, and all destinations of a flow queue share a
 * reaction point, which the CNMs for the other ones reach. 10000 destinations leave
 * more than nine of ten in the table.
 *
 * Entries are exact; only their place is a hash. It depends on a secret key: a forger
 * cannot choose addresses that displace others. All functions: dataplane thread, no
 * allocation, but for destinations_new().
 */
#ifndef DCB_DATAPLANE_STATION_DESTINATIONS_H
#define DCB_DATAPLANE_STATION_DESTINATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/dcbtime.h"

#define DESTINATION_SET_BITS 12 /* at most */
#define DESTINATION_SETS     (1u << DESTINATION_SET_BITS)
#define DESTINATION_WAYS     4

/* Number of destinations whose last sender destinations_sender() knows. */
#define DESTINATION_SENDERS 1024

/* A destination is forgotten this long after the last frame to it. */
#define DESTINATION_SEEN_NS (8 * DCB_NS_PER_S)

/*
 * Octets sent for one CNM. A congestion point samples a frame at most once, and no
 * earlier than after 1062 octets: the minimum of cpSampleBase, 10000, by 8 (table 32-5)
 * less 15 %. It may count a C-TAG that the station does not send, hence less.
 */
#define DESTINATION_CNM_OCTETS 1000

struct destination {
	uint64_t to;          /* fq_destination(); 0: free */
	uint64_t seen : 40;   /* time of the last frame, in units of 2^16 ns */
	uint64_t credit : 16; /* octets sent, DESTINATION_CNM_OCTETS a frame at most, less CNMs' */
	uint64_t queue : 8;   /* index of the flow queue */
};

struct destinations {
	uint64_t key;      /* of the hash */
	uint32_t set_bits; /* there are 2 to the power of it sets */
	struct destination entry[][DESTINATION_WAYS];
};

/* The last sender to each destination: for a priority with several flow queues. */
struct destination_senders {
	uint64_t to[DESTINATION_SENDERS];
	uint8_t queue[DESTINATION_SENDERS]; /* index of the flow queue that last sent there */
};

enum destination_verdict {
	DESTINATION_ACCEPTED,
	DESTINATION_UNKNOWN, /* the flow queue has not recently sent there */
	DESTINATION_EXCESS   /* more CNMs than samples of the frames sent there */
};

/*
 * Allocates the memory for n destinations, or more; 0, or above DESTINATION_SETS: the maximum,
 * of which pages never used occupy none. The caller sets key. Returns NULL if there is no
 * memory. free() frees it. Any thread.
 */
struct destinations *destinations_new(uint32_t n);

/* Returns the size of the memory of destinations_new(). */
static inline size_t destinations_octets(const struct destinations *d)
{
	return sizeof(*d) + (sizeof(d->entry[0]) << d->set_bits);
}

/* Returns a destination: the address (flow_address()) and the VLAN, 1 to 4094. */
static inline uint64_t destination_of(uint64_t address, uint16_t vid)
{
	return address << 12 | vid;
}

/* Returns what a frame of octets adds to struct destination.credit. */
static inline uint32_t destination_credit(uint32_t octets)
{
	return octets < DESTINATION_CNM_OCTETS ? octets : DESTINATION_CNM_OCTETS;
}

/*
 * Records a frame of octets that the flow queue sent, and frames after it that together add
 * more, 0 if there are none. to: fq_destination().
 */
void destinations_sent(struct destinations *d, uint64_t to, unsigned queue, uint32_t octets,
		       uint32_t more, struct dcb_time now);

/* Records the flow queue as the last sender to the destination. key: as in struct destinations. */
void destinations_note_sender(struct destination_senders *s, uint64_t key, uint64_t to,
			      unsigned queue);
/* Returns the flow queue that last sent there, or -1: unknown. */
int destinations_sender(const struct destination_senders *s, uint64_t key, uint64_t to);

/*
 * Returns whether a CNM for a frame of the flow queue to the destination is acceptable.
 * charge: it changes a rate, and uses up octets sent. The first frame to an individual
 * address is enough for a CNM even if it is shorter than DESTINATION_CNM_OCTETS; one to
 * a group address is not: anybody can guess ff-ff-ff-ff-ff-ff.
 */
enum destination_verdict destinations_accept(struct destinations *d, uint64_t to, unsigned queue,
					     bool charge, struct dcb_time now);

#endif
