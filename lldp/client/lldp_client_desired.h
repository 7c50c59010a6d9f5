/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Desired TLVs of an interface, and the steps from the agent's TLVs to them. Times are
 * milliseconds of any monotonic clock.
 *
 * lldpd makes the port of a new interface as a copy of its default port, and sends an LLDPDU
 * before anyone can set TLVs on it. So that no LLDPDU goes without them, the status of the default
 * port is "RX only" while dcbd runs, and it has a mark: a custom TLV with the status that the
 * operator has set. Each new port has both. When it has its TLVs, or is known to need none, the
 * status of the mark is set on it and the mark is removed, whereupon lldpd sends the first LLDPDU.
 * The mark is in lldpd itself: a process that is killed leaves enough for the next one.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_DESIRED_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_DESIRED_H

#include <uthash.h>

#include "lldp/client/lldp_client_conn.h"

/*
 * Rate limit for changes, each of which makes the agent send an LLDPDU: TX_CREDIT_MAX at
 * once, then one each interval, as txCreditMax of 802.1AB 9.2.5.17.
 */
#define TX_CREDIT_MAX      5
#define TX_CREDIT_EVERY_MS 1000

/* The name of the default port in the table. Its entry: forgotten if new ports are not held. */
#define DEFAULT_PORT ""

struct tlv_list {
	size_t n;
	struct lldp_tlv *of;
};

struct desired_tlvs {
	char ifname[IF_NAMESIZE];
	struct tlv_list requested; /* by lldp_client_ops.set */
	struct tlv_list fitting;   /* the last requested list that fitted into the MTU */
	uint32_t mtu;              /* octets; 0: unknown, no limit */
	uint8_t owned[256 / 8];    /* bit n: subtype n of OUI 00-80-C2 has been requested before */
	bool forgotten;            /* by lldp_client_ops.forget: remove all TLVs */
	bool changed;              /* requested or forgotten, since the last comparison */
	bool synced;               /* the agent has had the fitting TLVs since it is connected */
	bool deferred;             /* waits for credit; counted in lldp_stats */
	bool too_long;             /* requested does not fit into the MTU; logged and counted */
	unsigned credit;
	bool marked;       /* its port has a mark */
	bool waits;        /* and it stays until opens_ms */
	uint8_t kept;      /* default port: the enum port_status of the operator; 0: not held */
	int64_t opens_ms;  /* a mark stays until then: the interface may become a port */
	int64_t credit_ms; /* when the last unit was earned */
	int64_t due_ms;    /* when to compare with the agent's TLVs */
	int64_t fast_poll_until_ms; /* compare every FAST_POLL_MS until then */
	int64_t unknown_ms; /* since when the agent does not know the interface; 0: it does */
	bool unknown_logged;
	UT_hash_handle hh;
};

struct desired_step {
	enum conn_op op;
	bool alone; /* after the answer to the step before, and before the next one */
	struct lldp_tlv tlv;
};

struct desired_plan {
	size_t n;
	struct desired_step *steps;
};

enum desired_fit {
	DESIRED_FITS,
	DESIRED_TOO_LONG, /* requested does not fit, or out of memory: fitting is unchanged */
	DESIRED_NONE_FIT, /* neither requested nor fitting fits: fitting is now empty */
};

/* Finds the entry of an interface. An empty table is NULL. NULL: there is none. */
struct desired_tlvs *desired_find(struct desired_tlvs *table, const char *ifname);
/*
 * Finds or creates the entry of an interface. It is forgotten, and other programs' TLVs on it stay,
 * until desired_request(). NULL: out of memory.
 */
struct desired_tlvs *desired_at(struct desired_tlvs **table, const char *ifname, int64_t now_ms);
/* Removes an entry from the table and frees it. */
void desired_free(struct desired_tlvs **table, struct desired_tlvs *d);

/*
 * Replaces requested by a copy of n TLVs; of several with the same OUI and subtype the
 * last counts. false: out of memory, nothing is changed.
 */
bool desired_request(struct desired_tlvs *d, const struct lldp_tlv *tlvs, size_t n, uint32_t mtu);
/* Updates fitting. *octets: length of a frame with requested and the port's other TLVs. */
enum desired_fit desired_fit(struct desired_tlvs *d, const struct conn_port *port, size_t *octets);
/*
 * Plans the steps from the port's TLVs to fitting, and those that remove a mark or, on the default
 * port, set it. false: out of memory. Free out->steps.
 */
bool desired_plan(struct desired_tlvs *d, const struct conn_port *port, int64_t now_ms,
		  struct desired_plan *out);
/* Does the port have a mark? */
bool desired_has_mark(const struct conn_port *port);
/* Takes one unit of credit and returns 0, or returns the milliseconds until there is one. */
int64_t desired_tx_credit(struct desired_tlvs *d, int64_t now_ms);

#endif
