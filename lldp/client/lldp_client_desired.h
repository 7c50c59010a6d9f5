/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an interface is to send, and what it takes to get there from what the agent
 * has. Times are milliseconds of any clock that does not go back.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_DESIRED_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_DESIRED_H

#include <uthash.h>

#include "lldp/client/lldp_client_conn.h"

/*
 * LLDPDUs because of changes, as txCreditMax of 802.1AB 9.2.5.17: so many at once,
 * then one each interval.
 */
#define TX_CREDIT_MAX      5
#define TX_CREDIT_EVERY_MS 1000

struct tlv_list {
	size_t n;
	struct lldp_tlv *of;
};

struct desired_tlvs {
	char ifname[IF_NAMESIZE];
	struct tlv_list requested; /* by lldp_client_ops.set */
	struct tlv_list fitting;   /* the last requested list that fitted into the MTU */
	uint32_t mtu;              /* octets; 0: not known, no limit */
	uint8_t owned[256 / 8]; /* subtypes of OUI 00-80-C2 that were ever asked for, a bit each */
	bool forgotten;         /* ours no more: nothing of ours is to stay */
	bool changed;           /* asked has not been looked at */
	bool synced;            /* the agent had what it is to have, since connected */
	bool deferred;          /* waits for credit, which has been counted */
	bool too_long;          /* asked does not fit, which has been said */
	unsigned credit;
	int64_t credit_ms;          /* when the last was earned */
	int64_t due_ms;             /* to be looked at */
	int64_t fast_poll_until_ms; /* until then is looked at often: its interface came or went */
	int64_t unknown_ms;         /* since when the agent does not know it; 0: it does */
	bool unknown_logged;        /* which has been said */
	UT_hash_handle hh;
};

struct desired_step {
	enum conn_op op;
	struct lldp_tlv tlv;
};

struct desired_plan {
	size_t n;
	struct desired_step *steps;
};

enum desired_fit {
	DESIRED_FITS,
	DESIRED_TOO_LONG, /* what was held before stays */
	DESIRED_NONE_FIT, /* that does not fit any more: nothing of ours */
};

struct desired_tlvs *desired_find(struct desired_tlvs *table, const char *ifname);
/* Makes one. NULL: out of memory. */
struct desired_tlvs *desired_at(struct desired_tlvs **table, const char *ifname, int64_t now_ms);
void desired_free(struct desired_tlvs **table, struct desired_tlvs *d);

/* A copy of these. false: out of memory, nothing has changed. Of several of one kind the last
 * counts. */
bool desired_request(struct desired_tlvs *d, const struct lldp_tlv *tlvs, size_t n, uint32_t mtu);
/* Decides what is held, with what else is in the port's frames. octets: of the frame with asked. */
enum desired_fit desired_fit(struct desired_tlvs *d, const struct conn_port *port, size_t *octets);
/* Steps from what the port has to what is held. false: out of memory. Free steps. */
bool desired_plan(const struct desired_tlvs *d, const struct conn_port *port,
		  struct desired_plan *out);
/* Takes one unit of credit: 0, or milliseconds until there is one. */
int64_t desired_tx_credit(struct desired_tlvs *d, int64_t now_ms);

#endif
