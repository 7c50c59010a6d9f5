/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an interface is to send, and what it takes to get there from what the agent
 * has. Times are milliseconds of any clock that does not go back.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_WANT_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_WANT_H

#include <uthash.h>

#include "lldp/client/lldp_client_conn.h"

/*
 * LLDPDUs because of changes, as txCreditMax of 802.1AB 9.2.5.17: so many at once,
 * then one each interval.
 */
#define WANT_CREDIT_MAX      5
#define WANT_CREDIT_EVERY_MS 1000

struct tlv_list {
	size_t n;
	struct lldp_tlv *of;
};

struct want {
	char ifname[IF_NAMESIZE];
	struct tlv_list asked; /* by lldp_client_ops.set */
	struct tlv_list held;  /* the last of those that fitted */
	uint32_t mtu;          /* octets; 0: not known, no limit */
	uint8_t ever[256 / 8]; /* subtypes of OUI 00-80-C2 that were ever asked for, a bit each */
	bool gone;             /* ours no more: nothing of ours is to stay */
	bool fresh;            /* asked has not been looked at */
	bool synced;           /* the agent had what it is to have, since connected */
	bool deferred;         /* waits for credit, which has been counted */
	bool refused;          /* asked does not fit, which has been said */
	unsigned credit;
	int64_t credit_ms;  /* when the last was earned */
	int64_t due_ms;     /* to be looked at */
	int64_t hurry_ms;   /* until then is looked at often: its interface came or went */
	int64_t unknown_ms; /* since when the agent does not know it; 0: it does */
	bool unknown_told;  /* which has been said */
	UT_hash_handle hh;
};

struct want_step {
	enum conn_op op;
	struct lldp_tlv tlv;
};

struct want_plan {
	size_t n;
	struct want_step *steps;
};

enum want_fit {
	WANT_FITS,
	WANT_TOO_LONG, /* what was held before stays */
	WANT_NOT_EVEN, /* that does not fit any more: nothing of ours */
};

struct want *want_find(struct want *table, const char *ifname);
/* Makes one. NULL: out of memory. */
struct want *want_at(struct want **table, const char *ifname, int64_t now_ms);
void want_free(struct want **table, struct want *w);

/* A copy of these. false: out of memory, nothing has changed. Of several of one kind the last
 * counts. */
bool want_ask(struct want *w, const struct lldp_tlv *tlvs, size_t n, uint32_t mtu);
/* Decides what is held, with what else is in the port's frames. octets: of the frame with asked. */
enum want_fit want_settle(struct want *w, const struct conn_port *port, size_t *octets);
/* Steps from what the port has to what is held. false: out of memory. Free steps. */
bool want_plan(const struct want *w, const struct conn_port *port, struct want_plan *out);
/* Takes one unit of credit: 0, or milliseconds until there is one. */
int64_t want_credit(struct want *w, int64_t now_ms);

#endif
