/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RoCEv2 of the simulator: the headers of a reliable connection (IBA volume 1, 9.2 and 9.3), and
 * its go-back-N: the receiver takes packets in order only, and asks for the first one that is
 * missing. Each packet is a message of its own; there is no limit of packets in flight. The
 * invariant CRC is zero.
 */
#ifndef DCB_SIM_ROCE_H
#define DCB_SIM_ROCE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/dcbtime.h"

#define ROCE_UDP_PORT    4791
#define ROCE_BTH_OCTETS  12
#define ROCE_AETH_OCTETS 4
#define ROCE_CNP_OCTETS  16 /* reserved octets after the BTH */
#define ROCE_ICRC_OCTETS 4
#define ROCE_QP_MAX      0xffffff

/* Opcodes of the BTH. */
enum roce_opcode {
	ROCE_RC_SEND_ONLY = 0x04,
	ROCE_RC_ACKNOWLEDGE = 0x11,
	ROCE_CNP = 0x81,
};

struct roce_bth {
	uint8_t opcode;    /* enum roce_opcode */
	bool acknowledge;  /* the answer is wanted now */
	uint32_t qp;       /* 24 bits */
	uint32_t sequence; /* PSN, 24 bits */
};

void roce_put_bth(uint8_t p[ROCE_BTH_OCTETS], const struct roce_bth *bth);
struct roce_bth roce_get_bth(const uint8_t p[ROCE_BTH_OCTETS]);

/* Writes an AETH: of an acknowledgment, or of a negative one for a gap in the sequence. */
void roce_put_aeth(uint8_t p[ROCE_AETH_OCTETS], bool negative);
bool roce_is_negative(const uint8_t p[ROCE_AETH_OCTETS]);

/*
 * Time without progress after which a sender goes back: Local ACK Timeout 12, of 4.096 us * 2^12
 * (choice: lossless networks use long ones, because a pause is no loss).
 */
#define ROCE_TIMEOUT_NS (INT64_C(4096) << 12)
/* A sender asks for an acknowledgment once in this time (choice). */
#define ROCE_ACK_NS (50 * DCB_NS_PER_US)

/* Packets are counted from 0; a PSN is the number modulo 2^24. */
struct roce_sender {
	uint64_t next;          /* number of the next packet */
	uint64_t acked;         /* packets before this one have arrived */
	uint64_t top;           /* packets before this one were sent at least once */
	uint64_t resent;        /* packets sent again */
	struct dcb_time ask;    /* when to ask for the next acknowledgment */
	struct dcb_time expiry; /* when to go back; DCB_TIME_NEVER while all is acknowledged */
};

void roce_sender_init(struct roce_sender *s);
/* Returns whether the next packet asks for an acknowledgment. last: no packet follows it. */
bool roce_asks(const struct roce_sender *s, bool last, struct dcb_time now);
/* The next packet was sent, asking or not. */
void roce_sent(struct roce_sender *s, bool asked, struct dcb_time now);
/*
 * Takes an answer. A negative one, for the packet that is missing, makes that the next one; the
 * others before it have arrived. false: an old or impossible answer, without effect.
 */
bool roce_answered(struct roce_sender *s, uint32_t sequence, bool negative, struct dcb_time now);
/* Goes back to the first packet without acknowledgment if the time has come. */
void roce_advance(struct roce_sender *s, struct dcb_time now);

struct roce_receiver {
	uint64_t expected; /* number of the next packet */
	bool refused;      /* a negative answer was sent for it */
};

enum roce_answer { ROCE_SILENT, ROCE_ACK, ROCE_NAK };

/*
 * Takes a packet. *in_order: it is delivered. The answer has, for ROCE_ACK, the PSN of the last
 * packet that arrived in order, and for ROCE_NAK that of the one that is missing: *sequence.
 */
enum roce_answer roce_received(struct roce_receiver *r, const struct roce_bth *bth, bool *in_order,
			       uint32_t *sequence);

#endif
