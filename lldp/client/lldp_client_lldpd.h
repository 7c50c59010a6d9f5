/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The client of lldpd. lldp_client_lldpd.c keeps the connection and the neighbors,
 * lldp_client_service.c the TLVs of the interfaces; both use lldp_client_conn.h.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_LLDPD_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_LLDPD_H

#include "lldp/client/lldp_client_cache.h"
#include "lldp/client/lldp_client_desired.h"

/* Connections besides the main one: each can change one TLV in the same LLDPDU. */
#define EXTRA_CONNS 6

/* Interval at which a port is polled: one with its desired TLVs; one that came or went. */
#define POLL_MS      5000
#define POLL_EACH_MS 20 /* POLL_MS is at least this for each port, which limits the load */
#define FAST_POLL_MS 200
/*
 * lldpd transmits on a renamed interface as soon as it knows the new name, some 30 ms after the
 * kernel: the first polls for an interface that it does not know yet are closer, so that this
 * LLDPDU without TLVs is followed by one with them.
 */
#define UNKNOWN_POLL_MS 20
/* How long it is polled fast: lldpd handles a netlink message up to a second later. */
#define FAST_POLL_FOR_MS 3000
/* Minimum interval of requests to transmit, which make lldpd send on all its ports. */
#define TRANSMIT_EVERY_MS 1000

/*
 * Age limit of neighbors in a replay of recent ones. lldpd handles a netlink message about
 * an interface up to a second later, so that older ones are of an earlier interface.
 */
#define REPLAY_RECENT_MS 2000

struct client;

/* A request to report the neighbors of an interface again. */
struct replay {
	struct replay *next;
	int64_t since_ms; /* those that were new or changed since then */
	char ifname[IF_NAMESIZE];
};

struct extra {
	struct client *c;
	struct conn *conn;
	bool listed; /* has lldpd's list of interfaces */
	bool ready;  /* has the port of c->serving */
};

/* Handles the answer to a request of the main connection. */
typedef void (*client_answer_fn)(struct client *c, enum conn_answer answer);

struct client {
	struct lldp_client base;
	struct event_base *loop;
	char *socket;
	const struct lldp_events *events;
	void *ctx;
	enum lldp_state state;
	struct lldp_stats stats;
	struct event *retry, *tick;
	int watch_fd; /* inotify; -1: without */
	int watch_wd; /* of the socket's directory; -1: it is not watched */
	struct event *appears;
	int connect_error; /* errno of the attempt that failed; 0: it failed later */
	unsigned backoff_ms;
	int64_t up_ms;
	char why[160]; /* the last failure that was logged */
	bool closing;

	struct conn *watch, *main;
	struct extra extra[EXTRA_CONNS];
	struct sendv *sendv;          /* NULL: not available */
	client_answer_fn on_answer;   /* NULL: the main connection is free */
	struct lldp_system system;    /* as described by dcbd */
	struct lldp_system described; /* the last one that lldpd was told */
	bool describe;                /* lldpd does not have it yet */
	int64_t describe_ms;          /* not before */
	int64_t listed_ms;            /* when the main connection got lldpd's list of interfaces */

	/* The first report of all neighbors: see snapshot() in lldp_client_lldpd.c. */
	char (*names)[IF_NAMESIZE];
	size_t n_names, at_name;
	bool port_changed; /* a notification about the port came while its request was pending */
	unsigned tries;
	bool all_reported;
	struct replay *replays;

	struct neighbor_cache *cache;
	bool transmit_pending;
	int64_t transmitted_ms;

	/* The port whose TLVs are compared and changed: see lldp_client_service.c. */
	struct desired_tlvs *desired;
	struct desired_tlvs *serving;
	struct desired_plan plan;
	size_t plan_at;
	struct lldp_tlv absent; /* a TLV that the port does not have */
	unsigned pending;       /* answers that are awaited */
	bool stepping;          /* they are to steps of the plan, not to conn_get() */
	bool refused;           /* lldpd has refused a step */
};

int64_t client_now_ms(void);
/* Makes client_run() run in the next iteration of the loop. */
void client_schedule(struct client *c);
/* Closes all connections, schedules a reconnection and reports the state. */
void client_lost(struct client *c, const char *why);
/* Starts the next due request on the main connection, unless one is pending. */
void client_run(struct client *c);

/* Forgets lldpd's TLVs after a lost connection: all ports are due. */
void service_reset(struct client *c);
/* Starts serving a due port and returns now_ms, or returns when one is due; INT64_MAX: never. */
int64_t service_run(struct client *c, int64_t now_ms);
void service_extra_answer(void *ctx, enum conn_answer answer);
/* A neighbor is new. true: dcbd sets TLVs on the interface, so lldpd should transmit now. */
bool service_neighbor(struct client *c, const char *ifname);
void service_free(struct client *c);

void service_set(struct lldp_client *base, const char *ifname, const struct lldp_tlv *tlvs,
		 size_t n, uint32_t mtu);
void service_refresh(struct lldp_client *base, const char *ifname);
void service_forget(struct lldp_client *base, const char *ifname);

extern const struct conn_ops client_extra_ops;

#endif
