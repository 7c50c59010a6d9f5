/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The client of lldpd in three: connection and neighbors (lldp_client_lldpd.c),
 * what interfaces are to send (lldp_client_service.c), and the connections to lldpd.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_LLDPD_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_LLDPD_H

#include "lldp/client/lldp_client_cache.h"
#include "lldp/client/lldp_client_desired.h"

/* TLVs that can change in one LLDPDU: one connection each, besides the main one. */
#define EXTRA_CONNS 6

/* Between looks at a port that is as it should be; at one whose interface came or went. */
#define POLL_MS      5000
#define POLL_EACH_MS 20 /* between looks at two ports, where there are very many */
#define FAST_POLL_MS 200
/* lldpd looks at interfaces a second after the kernel has spoken of them. */
#define FAST_POLL_FOR_MS 3000
/* Between requests to transmit now, which go to all ports of lldpd. */
#define TRANSMIT_EVERY_MS 1000

/* lldpd looks at interfaces a second after the kernel has spoken of them: not later than this. */
#define LOOKED_MS 2000

struct client;

/* An interface whose neighbors are to be told of once more. */
struct replay {
	struct replay *next;
	int64_t since_ms; /* those that have said something since then */
	char ifname[IF_NAMESIZE];
};

struct extra {
	struct client *c;
	struct conn *conn;
	bool listed;
	bool ready; /* has the port of the batch */
};

/* One after the other on the main connection. */
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
	int watch_fd; /* inotify: the socket's directory; -1: without */
	struct event *appears;
	unsigned backoff_ms;
	int64_t up_ms;
	char why[160]; /* the last failure that was told of */
	bool closing;

	struct conn *watch, *main;
	struct extra extra[EXTRA_CONNS];
	struct sendv *sendv;        /* NULL: does without */
	client_answer_fn on_answer; /* NULL: the main connection is free */
	int64_t listed_ms;

	/* The first look at all neighbors. */
	char (*names)[IF_NAMESIZE];
	size_t n_names, at_name;
	bool touched; /* there was a notification while the answer was under way */
	unsigned tries;
	bool all_reported;
	struct replay *replays;

	struct neighbor_cache *cache;
	bool transmit_pending;
	int64_t transmitted_ms;

	/* The port that is being served. */
	struct desired_tlvs *desired;
	struct desired_tlvs *serving;
	struct desired_plan plan;
	size_t plan_at;
	struct lldp_tlv absent; /* from it */
	unsigned pending;       /* answers */
	bool stepping;          /* ... to steps, or getting ready for them */
	bool refused;
};

int64_t client_now_ms(void);
/* Something may be due. */
void client_schedule(struct client *c);
void client_lost(struct client *c, const char *why);
/* Does the next thing on the main connection that is due, of all of it. */
void client_run(struct client *c);

/* The agent has just been connected to: nothing is known of what it has. */
void service_reset(struct client *c);
/* Starts what is due. Otherwise: when something will be, INT64_MAX for never. */
int64_t service_run(struct client *c, int64_t now_ms);
void service_extra_answer(void *ctx, enum conn_answer answer);
/* A neighbor was new there. true: the port is ours, so it is to hear of it. */
bool service_neighbor(struct client *c, const char *ifname);
void service_free(struct client *c);

void service_set(struct lldp_client *base, const char *ifname, const struct lldp_tlv *tlvs,
		 size_t n, uint32_t mtu);
void service_refresh(struct lldp_client *base, const char *ifname);
void service_forget(struct lldp_client *base, const char *ifname);

extern const struct conn_ops client_extra_ops;

#endif
