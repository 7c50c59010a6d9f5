/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the client of lldpd, for lldp_client_lldpd.c and its test. */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_LLDPD_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_LLDPD_H

#include "lldp/client/lldp_client_cache.h"
#include "lldp/client/lldp_client_desired.h"

/* Connections besides the main one: each can change one TLV in the same LLDPDU. */
#define EXTRA_CONNS 6

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
	bool holds; /* new ports: see lldp_client_desired.h */

	struct conn *watch, *main;
	struct extra extra[EXTRA_CONNS];
	struct sendv *sendv;          /* NULL: not available */
	client_answer_fn on_answer;   /* NULL: the main connection is free */
	struct lldp_system system;    /* as described by dcbd */
	struct lldp_system described; /* the last one that lldpd was told */
	bool describe;                /* lldpd does not have it yet */
	int64_t describe_ms;          /* not before */
	int64_t listed_ms;            /* when the main connection got lldpd's list of interfaces */

	bool looks_for_new; /* the list is to be requested, for interfaces that it did not have */
	char (*names)[IF_NAMESIZE]; /* lldpd's interfaces */
	/* The first report of all neighbors is at this one: see snapshot(). */
	size_t n_names, at_name;
	bool port_changed; /* a notification about the port came while its request was pending */
	unsigned tries;
	bool all_reported;
	struct replay *replays;

	struct neighbor_cache *cache;
	bool transmit_pending;
	int64_t transmitted_ms;

	/* The port whose TLVs are compared and changed: see serve_next(). */
	struct desired_tlvs *desired;
	struct desired_tlvs *serving;
	struct desired_plan plan;
	size_t plan_at;
	struct lldp_tlv absent; /* a TLV that the port does not have */
	unsigned pending;       /* answers that are awaited */
	bool stepping;          /* they are to steps of the plan, not to conn_get() */
	bool refused;           /* lldpd has refused a step */
};

#endif
