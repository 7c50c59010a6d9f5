/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MAC Security Entity of a link, IEEE Std 802.1AE clause 10: protects the frames of the
 * Controlled Port and validates received ones. An engine: it has no clock, allocates no memory
 * and owns no keys. One thread uses it; other threads read its counters with counters_copy().
 *
 *   Controlled Port --- secy_protect() ---> frame with SecTAG and ICV ---> link
 *   Controlled Port <-- secy_validate() <------------------------------- link
 *
 * One Secure Channel (SC) for each direction and peer, up to four Secure Associations (SA) in
 * each, each with a key. Two transmit SCs are possible: PFC frames in one of their own are not
 * delayed by preemptable frames (P802.1Qdt 36.5).
 *
 * Key rollover: secy_install_rx() of the next AN at both ends, then secy_install_tx() and
 * secy_transmit(). Frames of the former SA that are still in flight are accepted until
 * secy_remove_rx().
 */
#ifndef DCB_MACSEC_SECY_H
#define DCB_MACSEC_SECY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/macsec/sak.h"
#include "dataplane/macsec/sectag.h"
#include "lib/dcbtime.h"

/* Octets that a frame grows by: SecTAG with SCI before the user data, ICV behind it. */
#define SECY_HEADROOM SECTAG_MAX_OCTETS
#define SECY_TAILROOM SECTAG_ICV_OCTETS

#define SECY_TX_SCS 2 /* of one SecY, at most: the channels */
#define SECY_RX_SCS 8 /* peers, and channels of a peer, at most */

#define SECY_PN_ALL UINT64_MAX /* limit: all packet numbers of the suite */

/* validateFrames, 10.7.8, without Null: a port without SecY does the same. */
enum secy_validate_frames {
	SECY_VALIDATE_DISABLED, /* the ICV is not checked; unprotected frames are delivered */
	SECY_VALIDATE_CHECK,    /* checked and counted; frames that are readable are delivered */
	SECY_VALIDATE_STRICT,   /* only valid frames are delivered */
};

/* Controls of 10.7.8 and 10.7.17. */
struct secy_config {
	uint64_t sci;  /* of transmit SC 0; that of SC n has n in the high 4 bits of the port */
	uint8_t suite; /* enum macsec_suite */
	uint8_t confidentiality_offset; /* 0, 30 or 50; 0 with XPN */
	uint8_t tx_scs;                 /* 1..SECY_TX_SCS */
	uint8_t validate_frames;        /* enum secy_validate_frames */
	bool protect_frames;            /* false: frames are sent as they are */
	bool confidentiality;           /* encrypt; false: integrity only */
	bool replay_protect;
	bool always_include_sci;
	bool use_es;
	bool use_scb;
	uint32_t replay_window; /* packets; XPN uses 2^30 - 1 at most */
	uint32_t max_octets;    /* of a frame on the link, without FCS; 0: no limit */
};

/* Named as in IEEE8021-SECY-MIB, without secyStats. */
struct secy_stats {
	uint64_t tx_untagged_pkts;    /* sent without protection: protect_frames is false */
	uint64_t tx_too_long_pkts;    /* discarded: longer than max_octets when protected */
	uint64_t tx_octets_protected; /* user data: integrity only */
	uint64_t tx_octets_encrypted; /* user data: also encrypted */
	uint64_t rx_untagged_pkts;    /* no SecTAG, delivered */
	uint64_t rx_no_tag_pkts;      /* no SecTAG, discarded */
	uint64_t rx_bad_tag_pkts;     /* discarded: see enum sectag_error; or PN 0 */
	uint64_t rx_no_sa_pkts;       /* no SC or SA, delivered */
	uint64_t rx_no_sa_error_pkts; /* no SC or SA, discarded */
	uint64_t rx_octets_validated; /* user data: integrity only */
	uint64_t rx_octets_decrypted; /* user data: also encrypted */
	/* Not in the module: */
	uint64_t tx_no_sa_pkts;        /* discarded: no SA that can transmit */
	uint64_t rx_uncontrolled_pkts; /* E without C: for the key agreement entity, 9.5 */
};

/* secyTxSCStats of a channel, and secyTxSAStats of each of its SAs. */
struct secy_tx_sc_stats {
	uint64_t protected_pkts;
	uint64_t encrypted_pkts;
};

/* secyRxSCStats of a channel; of each of its SAs too, of which the module has some. */
struct secy_rx_sc_stats {
	uint64_t late_pkts;      /* discarded: replayed, or older than the window */
	uint64_t not_valid_pkts; /* discarded: wrong ICV, or not checked and not readable */
	uint64_t invalid_pkts;   /* wrong ICV, delivered */
	uint64_t delayed_pkts;   /* older than the window, delivered */
	uint64_t unchecked_pkts; /* ICV not checked, delivered */
	uint64_t ok_pkts;
};

/* An SA, and the times of 10.7.14 and 10.7.23. */
struct secy_sa {
	struct sak *sak;            /* NULL: not in use */
	uint8_t iv[SAK_IV_OCTETS];  /* of packet number 0: sak_iv() */
	uint32_t ssci;              /* XPN only */
	bool exhausted;             /* received the last packet number */
	bool pending;               /* SECY_EVENT_PN_PENDING has been set */
	uint64_t next_pn;           /* nextPN; 0 after the last one of 64 bits */
	uint64_t lowest_pn;         /* lowestPN: lowest acceptable one; received SAs only */
	uint64_t pending_pn, limit; /* transmitted SAs only */
	struct dcb_time started, stopped;
	struct secy_tx_sc_stats tx; /* transmitted SAs only */
	struct secy_rx_sc_stats rx; /* received SAs only */
};

struct secy_tx_sc {
	uint64_t sci;
	bool transmitting;   /* the encoding SA is enabled */
	uint8_t encoding_sa; /* AN */
	struct secy_sa sa[SECTAG_ANS];
	struct secy_tx_sc_stats stats;
};

struct secy_rx_sc {
	uint64_t sci;
	struct secy_sa sa[SECTAG_ANS];
	struct secy_rx_sc_stats stats;
};

/* Events: bits of struct secy. */
#define SECY_EVENT_PN_PENDING   1 /* a quarter of the packet numbers of an SA is left */
#define SECY_EVENT_PN_EXHAUSTED 2 /* an SA has none left: it transmits no more */

struct secy {
	struct secy_config config;
	struct secy_stats stats;
	unsigned int events; /* SECY_EVENT_ bits that secy_take_events() has not returned */
	unsigned int rx_scs;
	struct secy_tx_sc tx[SECY_TX_SCS];
	struct secy_rx_sc rx[SECY_RX_SCS];
};

enum secy_error {
	SECY_OK,
	SECY_BAD_SUITE,   /* of the configuration; of a key that is for another suite */
	SECY_BAD_OFFSET,  /* not 0, 30 or 50; not 0 with XPN */
	SECY_BAD_CHANNEL, /* number of transmit SCs, or of the SC */
	SECY_BAD_SCI,     /* ff-ff-ff-ff-ff-ff-ff-ff; or high bits of the port with two SCs */
	SECY_BAD_AN,      /* not 0..3, or no SA with a key has it */
	SECY_BAD_PN,      /* packet number 0, or beyond those of the suite or the limit */
	SECY_NO_SC,       /* no receive SC with this SCI */
	SECY_SC_EXISTS,   /* a transmit or receive SC has this SCI */
	SECY_TOO_MANY,    /* receive SCs */
	SECY_SAK_USED,    /* the transmit SC uses the key already: an IV could repeat */
	SECY_SSCI_USED,   /* another SCI uses the key with this SSCI: an IV could repeat */
	SECY_ERRORS
};

/* --- configuration ------------------------------------------------------------------------- */

/* Sets the defaults of 10.7.8 and 10.7.17: GCM-AES-128, encryption, strict, window 0. */
void secy_config_init(struct secy_config *config, uint64_t sci);

/* Starts without SAs and with counters of 0. On an error *secy does not change. */
enum secy_error secy_init(struct secy *secy, const struct secy_config *config);

/*
 * Makes an SA of a transmit SC, 0..tx_scs-1, in the place of the one with the same AN. It does not
 * transmit before secy_transmit(). ssci: XPN only. next_pn: its first packet number, not 0, which
 * must be beyond any that was used with the same key. limit: the last one it uses, or
 * SECY_PN_ALL; secy_extend_tx() can increase it. The SecY keeps the pointer to the key.
 */
enum secy_error secy_install_tx(struct secy *secy, unsigned int channel, unsigned int an,
				struct sak *sak, uint32_t ssci, uint64_t next_pn, uint64_t limit);
/* Sets a higher limit; SECY_EVENT_PN_PENDING is for the last quarter up to the new one. */
enum secy_error secy_extend_tx(struct secy *secy, unsigned int channel, unsigned int an,
			       uint64_t limit);
/* Begins to transmit with an SA: it becomes the encoding SA, and the former one stops. */
enum secy_error secy_transmit(struct secy *secy, unsigned int channel, unsigned int an,
			      struct dcb_time now);
/* Removes an SA. If it is the encoding SA, the SC stops transmitting. */
void secy_remove_tx(struct secy *secy, unsigned int channel, unsigned int an, struct dcb_time now);
/*
 * Returns the AN of the next SA after the encoding SA that has packet numbers left, for
 * the rollover of a key that is used up; -1: none.
 */
int secy_next_an(const struct secy *secy, unsigned int channel);

/* Makes a receive SC, with the SCI of a peer. */
enum secy_error secy_add_rx_sc(struct secy *secy, uint64_t sci);
/*
 * Makes an SA of the receive SC with this SCI, in the place of the one with the same AN. It
 * receives at once. lowest_pn: the lowest acceptable packet number, not 0. Beyond the last one:
 * the peer has used up the key, and all its frames are late.
 */
enum secy_error secy_install_rx(struct secy *secy, uint64_t sci, unsigned int an, struct sak *sak,
				uint32_t ssci, uint64_t lowest_pn, struct dcb_time now);
void secy_remove_rx(struct secy *secy, uint64_t sci, unsigned int an, struct dcb_time now);

/* Returns the SC with this SCI; NULL: none. */
const struct secy_rx_sc *secy_rx_sc(const struct secy *secy, uint64_t sci);

/*
 * Returns whether the Controlled Port can be used, 10.5.1: frames are sent as they are, or
 * transmit SC 0 has an encoding SA with packet numbers left.
 */
bool secy_operational(const struct secy *secy);

/* Returns whether the encoding SA of a transmit SC has used the last packet number of its key. */
bool secy_is_used_up(const struct secy *secy, unsigned int channel);
/* Returns whether it has used those up to its limit, and secy_extend_tx() would give it more. */
bool secy_awaits_limit(const struct secy *secy, unsigned int channel);

/* Returns the octets by which a frame grows at most. */
uint32_t secy_overhead(const struct secy *secy);

/* Returns the SECY_EVENT_ bits since the last call. */
unsigned int secy_take_events(struct secy *secy);

const char *secy_strerror(enum secy_error error);

/* --- frames ---------------------------------------------------------------------------------- */

enum secy_tx {
	SECY_TX_SEND,     /* the frame at out is to be sent */
	SECY_TX_TOO_LONG, /* discarded, as the others are */
	SECY_TX_NO_SA,
	SECY_TX_FAILED, /* libcrypto failed; or shorter than an Ethernet header and one octet */
};

struct secy_frame {
	uint8_t *octets;
	uint32_t len;
};

/*
 * Protects a frame of the Controlled Port, of len octets. room: memory of SECY_HEADROOM + len +
 * SECY_TAILROOM octets, in which SECTAG_ADDRESSES octets of addresses and the user data have the
 * place SECY_HEADROOM; either frame is room + SECY_HEADROOM, and is protected in place, or the two
 * do not overlap. out: the frame to send, in room; with protect_frames off, the frame itself.
 */
enum secy_tx secy_protect(struct secy *secy, unsigned int channel, uint8_t *frame, uint32_t len,
			  uint8_t *room, struct secy_frame *out);

enum secy_rx {
	SECY_RX_DELIVER,      /* the frame at out is for the Controlled Port */
	SECY_RX_DISCARD,      /* the SecY has counted it */
	SECY_RX_UNCONTROLLED, /* for the key agreement entity only */
};

/*
 * Validates a received frame in place, and removes SecTAG and ICV. out: the frame to deliver.
 * *valid: whether its ICV is; only then it is known who sent the frame. The content of a
 * frame that is discarded is undefined.
 */
enum secy_rx secy_validate(struct secy *secy, uint8_t *frame, uint32_t len, struct secy_frame *out,
			   bool *valid);

#endif
