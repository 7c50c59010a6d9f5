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
	uint8_t *set; /* the encoded SET; NULL: no set or forget was requested */
	size_t set_len;
	unsigned to_send;
	bool recent; /* of SEND_REPLAY */
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
	free(p->set);
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

static size_t encode_set(struct lldp_requests *requests, const char *ifname,
			 const struct lldp_tlv *tlvs, size_t n, uint32_t mtu)
{
	struct lldp_msg *m = &requests->msg;

	if (n > LLDP_TLVS_MAX)
		return 0;
	m->type = LLDP_MSG_SET;
	m->mtu = mtu;
	m->remote.n_tlvs = (unsigned)n;
	snprintf(m->remote.ifname, sizeof(m->remote.ifname), "%s", ifname);
	for (size_t i = 0; i < n; i++)
		m->remote.tlvs[i] = tlvs[i];
	return lldp_msg_encode(m, requests->octets, sizeof(requests->octets));
}

static bool same_set(const struct port *p, const uint8_t *octets, size_t len)
{
	return p->set && !p->forgotten && p->set_len == len && memcmp(p->set, octets, len) == 0;
}

/* false: out of memory. */
static bool keep_set(struct port *p, const uint8_t *octets, size_t len)
{
	uint8_t *copy = malloc(len);

	if (!copy)
		return false;
	memcpy(copy, octets, len);
	free(p->set);
	p->set = copy;
	p->set_len = len;
	return true;
}

bool lldp_requests_set(struct lldp_requests *requests, const char *ifname,
		       const struct lldp_tlv *tlvs, size_t n, uint32_t mtu)
{
	size_t len = encode_set(requests, ifname, tlvs, n, mtu);
	struct port *p = len ? at(requests, ifname) : NULL;

	if (!p)
		return false;
	if (same_set(p, requests->octets, len))
		return true;
	if (!keep_set(p, requests->octets, len))
		return false;
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
	size_t len = encode_set(requests, ifname, NULL, 0, 0);
	struct port *p = at(requests, ifname);

	if (!p || !keep_set(p, requests->octets, len))
		return false;
	p->forgotten = true;
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
		if (p->set)
			add_unsent(requests, p, SEND_SET | (p->forgotten ? SEND_FORGET : 0));
		else
			drop(requests, p);
	}
}

static size_t encode_ifname(struct lldp_requests *requests, const struct port *p,
			    enum lldp_msg_type type)
{
	struct lldp_msg *m = &requests->msg;

	m->type = type;
	m->recent = p->recent;
	snprintf(m->remote.ifname, sizeof(m->remote.ifname), "%s", p->ifname);
	return lldp_msg_encode(m, requests->octets, sizeof(requests->octets));
}

static size_t encode_describe(struct lldp_requests *requests)
{
	requests->msg.type = LLDP_MSG_DESCRIBE;
	requests->msg.system = requests->system;
	return lldp_msg_encode(&requests->msg, requests->octets, sizeof(requests->octets));
}

/* Encodes the first message to be sent for the port. */
static size_t next_message(struct lldp_requests *requests, const struct port *p, unsigned *what)
{
	if (p->to_send & SEND_SET) {
		*what = SEND_SET;
		memcpy(requests->octets, p->set, p->set_len);
		return p->set_len;
	}
	if (p->to_send & SEND_FORGET) {
		*what = SEND_FORGET;
		return encode_ifname(requests, p, LLDP_MSG_FORGET);
	}
	if (p->to_send & SEND_REFRESH) {
		*what = SEND_REFRESH;
		return encode_ifname(requests, p, LLDP_MSG_REFRESH);
	}
	*what = SEND_REPLAY;
	return encode_ifname(requests, p, LLDP_MSG_REPLAY);
}

bool lldp_requests_flush(struct lldp_requests *requests,
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
			len = next_message(requests, p, &what);
			if (!send(ctx, requests->octets, len))
				return false;
			remove_unsent(requests, p, what);
		}
		if (!p->set)
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
