/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MACsec of a port with static keys: its SecY, the keys, and the packet numbers that are reserved
 * for them. The control thread makes it and keeps it while a port has it:
 *
 *   control thread                              dataplane thread
 *   port_macsec_init()                          netio_secy: frames
 *   reserved[] --- packet numbers to use -----> port_macsec_extend()
 *              <-- secy_take_events(), gauges - packet numbers used
 *
 * The SecY outlives the interface; the provider gives the struct to one port (provider_macsec()).
 *
 * Static keys outlive the process, and a packet number must not be used twice with a key: the
 * caller has each number in a file before it calls port_macsec_reserve().
 */
#ifndef DCB_MACSEC_PORT_MACSEC_H
#define DCB_MACSEC_PORT_MACSEC_H

#include <net/if.h>

#include "dataplane/core/pfc_headroom.h"
#include "dataplane/macsec/pfc_mux.h"
#include "dataplane/macsec/secy.h"

/* Packet numbers of a key: of the SAs of all channels that transmit with it, and of its peer's. */
struct port_macsec_numbers {
	uint64_t next; /* first one to transmit with, not 0; 2^32 without XPN: none */
	uint64_t last; /* last one that is reserved */
	/* Lowest acceptable one of each channel of the peer; not 0, but 2^32 without XPN: none. */
	uint64_t lowest[SECY_TX_SCS];
};

struct port_macsec_params {
	const char *name; /* of the interface */
	enum pfc_macsec mode;
	struct secy_config secy;
	uint64_t peer_sci;             /* of channel 0 */
	uint8_t transmit_an;           /* AN to begin with, if it has packet numbers left */
	uint32_t ssci[2][SECY_TX_SCS]; /* of each own channel, and of each of the peer's: XPN */
	struct sak *sak[SECTAG_ANS];   /* by AN; NULL: none */
	struct port_macsec_numbers numbers[SECTAG_ANS];
};

enum port_macsec_direction { PORT_MACSEC_TX, PORT_MACSEC_RX, PORT_MACSEC_DIRECTIONS };

/*
 * Measures the delay of each 256th frame of a direction. Choice: a delay counts when four
 * measurements in a row have it, of frames of like length, because the kernel can suspend the
 * thread during one: that delays all it does, and is no property of the SecY.
 */
#define PORT_MACSEC_SAMPLE      256
#define PORT_MACSEC_LONG_OCTETS 512
#define PORT_MACSEC_IN_A_ROW    4
struct port_macsec_meter {
	unsigned frames;                           /* since the last one that was measured */
	unsigned taken[2];                         /* measurements of short and of long frames */
	uint32_t last_ns[2][PORT_MACSEC_IN_A_ROW]; /* the last ones of each; 0: none */
};

/* Counters and gauges of the dataplane thread. Any thread can read them. */
struct port_macsec_stats {
	/*
	 * SAs that have used up the packet numbers of their key; by counter_get_acquire() it is
	 * never ahead of next_pn and encoding_sa.
	 */
	uint64_t used_up;
	uint64_t not_reserved; /* frames refused because no packet number was reserved in time */
	/*
	 * Gauge: the longest delay of either direction that counts since the link is up, and an
	 * eighth of it, so that the headroom does not change with each new maximum; 0: none.
	 */
	uint64_t delay_ns;
	struct pfc_mux_stats mux;
};

struct port_macsec {
	/* Constant. */
	char name[IF_NAMESIZE];
	enum pfc_macsec mode; /* data or all */
	uint64_t peer_sci;
	struct dcb_time (*clock)(void); /* the provider's; NULL: delays are not measured */

	/*
	 * Dataplane thread while a port has it, control thread otherwise. Other threads read
	 * counters by counters_copy(), and next_pn, lowest_pn, exhausted, encoding_sa,
	 * transmitting, started and stopped by gauge_get(). sak and iv stay with these two.
	 */
	struct secy secy;
	struct port_macsec_stats stats;
	struct port_macsec_meter meter[PORT_MACSEC_DIRECTIONS]; /* dataplane thread only */

	/* Control thread writes, dataplane thread reads: last packet number reserved, by AN. */
	uint64_t reserved[SECTAG_ANS];

	/* Control thread. */
	struct sak *sak[SECTAG_ANS];
	bool in_use; /* a port has it */
};

/*
 * Makes the SAs of all keys, in both directions, and begins to transmit with transmit_an or, if
 * its key is used up, with the next AN that has packet numbers left; with none, the SecY is not
 * operational. Takes the keys over: port_macsec_free() frees them. Control thread.
 */
enum secy_error port_macsec_init(struct port_macsec *m, const struct port_macsec_params *params);
void port_macsec_free(struct port_macsec *m);

/*
 * Reads the packet numbers of a key: the next ones of all channels, and the lowest acceptable ones.
 * Any thread; exact while no port has it.
 */
void port_macsec_numbers(const struct port_macsec *m, unsigned an, struct port_macsec_numbers *out);

/*
 * Returns whether every channel has a reserved packet number to transmit with: MAC_Operational of
 * the Controlled Port, 802.1AE 10.5.1. Any thread.
 */
bool port_macsec_transmits(const struct port_macsec *m);

/* Permits the packet numbers of a key up to last, which are in its file now. Control thread. */
void port_macsec_reserve(struct port_macsec *m, unsigned an, uint64_t last);

/* Puts new reservations into force. Dataplane thread, each turn. */
void port_macsec_extend(struct port_macsec *m);

/* Returns whether the delay of the next frame is to be measured. Dataplane thread. */
static inline bool port_macsec_samples(struct port_macsec *m, enum port_macsec_direction direction)
{
	return m->clock && ++m->meter[direction].frames % PORT_MACSEC_SAMPLE == 0;
}

/* Takes the delay of such a frame of this length, which began at this time. Dataplane thread. */
void port_macsec_measured(struct port_macsec *m, enum port_macsec_direction direction,
			  uint32_t octets, struct dcb_time began);

/*
 * Forgets all delays: one of a machine that was busy for long is not used for ever. When the link
 * comes up, or a port gets the SecY. Dataplane thread.
 */
void port_macsec_forget_delays(struct port_macsec *m);

/* Returns the last packet number of the cipher suite. */
uint64_t port_macsec_last_pn(const struct port_macsec *m);

#endif
