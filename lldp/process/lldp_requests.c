/* SPDX-License-Identifier: BSD-3-Clause */
#include "lldp/process/lldp_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <uthash.h>

/* Messages to be sent for a port, as bits; sent in this order. */
enum { SEND_SET = 1, SEND_FORGET = 2, SEND_REFRESH = 4, SEND_REPLAY = 8 };

struct port {
	UT_hash_handle hh;
	TAILQ_ENTRY(port) next; /* while to_send != 0 */
	char ifname[IF_NAMESIZE];
	unsigned to_send;
	bool recent; /* of SEND_REPLAY */
	bool is_set; /* a set or forget was requested */
	bool forgotten;
	int64_t forgotten_ms;
};

struct lldp_requests {
	struct port *by_name;
	TAILQ_HEAD(unsent, port) unsent;
	struct lldp_system system;
	bool has_system, describe; /* system was requested; it is to be sent */
	struct lldp_msg msg;       /* to encode one */
	uint8_t octets[LLDP_MSG_MAX];
};

struct lldp_requests *lldp_requests_new(void)
{
	struct lldp_requests *requests = calloc(1, sizeof(*requests));

	if (requests)
		TAILQ_INIT(&requests->unsent);
	return requests;
}

static void drop(struct lldp_requests *requests, struct port *p)
{
	if (p->to_send)
		TAILQ_REMOVE(&requests->unsent, p, next);
	HASH_DEL(requests->by_name, p);
	free(p);
}

void lldp_requests_free(struct lldp_requests *requests)
{
	if (!requests)
		return;
	while (requests->by_name)
		drop(requests, requests->by_name);
	free(requests);
}

/* Finds or creates the entry of an interface. NULL: out of memory. */
static struct port *at(struct lldp_requests *requests, const char *ifname)
{
	struct port *p;

	HASH_FIND_STR(requests->by_name, ifname, p);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	snprintf(p->ifname, sizeof(p->ifname), "%s", ifname);
	HASH_ADD_STR(requests->by_name, ifname, p);
	return p;
}

static void add_unsent(struct lldp_requests *requests, struct port *p, unsigned what)
{
	if (!p->to_send && what)
		TAILQ_INSERT_TAIL(&requests->unsent, p, next);
	p->to_send |= what;
}

static void remove_unsent(struct lldp_requests *requests, struct port *p, unsigned what)
{
	if (p->to_send && !(p->to_send & ~what))
		TAILQ_REMOVE(&requests->unsent, p, next);
	p->to_send &= ~what;
}

bool lldp_requests_set(struct lldp_requests *requests, const char *ifname)
{
	struct port *p = at(requests, ifname);

	if (!p)
		return false;
	p->is_set = true;
	p->forgotten = false;
	remove_unsent(requests, p, SEND_FORGET);
	add_unsent(requests, p, SEND_SET);
	return true;
}

bool lldp_requests_refresh(struct lldp_requests *requests, const char *ifname)
{
	struct port *p = at(requests, ifname);

	if (p)
		add_unsent(requests, p, SEND_REFRESH);
	return p;
}

bool lldp_requests_replay(struct lldp_requests *requests, const char *ifname, bool recent)
{
	struct port *p = at(requests, ifname);

	if (!p)
		return false;
	/* If one of two requests is for all neighbors, so is the message. */
	p->recent = recent && (!(p->to_send & SEND_REPLAY) || p->recent);
	add_unsent(requests, p, SEND_REPLAY);
	return true;
}

bool lldp_requests_forget(struct lldp_requests *requests, const char *ifname, int64_t now_ms)
{
	struct port *p = at(requests, ifname);

	if (!p)
		return false;
	p->is_set = p->forgotten = true;
	p->forgotten_ms = now_ms;
	add_unsent(requests, p, SEND_SET | SEND_FORGET);
	return true;
}

void lldp_requests_describe(struct lldp_requests *requests, const struct lldp_system *system)
{
	requests->system = *system;
	requests->has_system = requests->describe = true;
}

void lldp_requests_resend(struct lldp_requests *requests)
{
	struct port *p, *next;

	requests->describe = requests->has_system;
	for (p = requests->by_name; p; p = next) {
		next = p->hh.next;
		/* A new process reports all neighbors and checks all interfaces anyway. */
		remove_unsent(requests, p, SEND_REFRESH | SEND_REPLAY);
		if (p->is_set)
			add_unsent(requests, p, SEND_SET | (p->forgotten ? SEND_FORGET : 0));
		else
			drop(requests, p);
	}
}

/* Encodes the first message to be sent for the port. */
static size_t encode_next(struct lldp_requests *requests, const struct port *p, unsigned *what,
			  lldp_requests_tlvs_fn tlvs, void *ctx)
{
	struct lldp_msg *m = &requests->msg;

	*what = p->to_send & -p->to_send;
	m->type = *what == SEND_SET       ? LLDP_MSG_SET
		  : *what == SEND_FORGET  ? LLDP_MSG_FORGET
		  : *what == SEND_REFRESH ? LLDP_MSG_REFRESH
					  : LLDP_MSG_REPLAY;
	m->recent = p->recent;
	snprintf(m->remote.ifname, sizeof(m->remote.ifname), "%s", p->ifname);
	m->remote.n_tlvs = m->mtu = 0;
	if (*what == SEND_SET && !p->forgotten)
		m->remote.n_tlvs = tlvs(ctx, p->ifname, m->remote.tlvs, &m->mtu);
	return lldp_msg_encode(m, requests->octets, sizeof(requests->octets));
}

static size_t encode_describe(struct lldp_requests *requests)
{
	requests->msg.type = LLDP_MSG_DESCRIBE;
	requests->msg.system = requests->system;
	return lldp_msg_encode(&requests->msg, requests->octets, sizeof(requests->octets));
}

bool lldp_requests_flush(struct lldp_requests *requests, lldp_requests_tlvs_fn tlvs,
			 bool (*send)(void *ctx, const uint8_t *msg, size_t len), void *ctx)
{
	struct port *p;
	unsigned what;
	size_t len;

	if (requests->describe) {
		if (!send(ctx, requests->octets, encode_describe(requests)))
			return false;
		requests->describe = false;
	}
	while ((p = TAILQ_FIRST(&requests->unsent))) {
		while (p->to_send) {
			len = encode_next(requests, p, &what, tlvs, ctx);
			if (!send(ctx, requests->octets, len))
				return false;
			remove_unsent(requests, p, what);
		}
		if (!p->is_set)
			drop(requests, p);
	}
	return true;
}

void lldp_requests_expire(struct lldp_requests *requests, int64_t since_ms)
{
	struct port *p, *next;

	for (p = requests->by_name; p; p = next) {
		next = p->hh.next;
		if (p->forgotten && !p->to_send && p->forgotten_ms < since_ms)
			drop(requests, p);
	}
}
