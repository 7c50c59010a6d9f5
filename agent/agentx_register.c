/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/agentx_register.h"

#include "lib/log.h"

#include <stdio.h>

#define RETRY_FIRST_S   1
#define RETRY_LONGEST_S 60
#define OFFERS_MAX      (AGENTX_OFFERS + 1) /* one more may follow a removal */

/* Octets of an OID of at most MO_OID_MAX sub-identifiers in dotted notation. */
#define NAME_OCTETS 256

enum state { STATE_NONE, STATE_OFFERED, STATE_ACCEPTED, STATE_REFUSED };

struct offer {
	uint32_t packet;
	bool answered;
};

struct module {
	struct mib_root mib;
	enum state state;
	unsigned node;  /* the node on offer: 0 the root, then the claims */
	int64_t due_ms; /* offered: end of the wait for a Response; refused: next offer */
	unsigned n_offers;
	struct offer offers[OFFERS_MAX]; /* of this node */
	uint32_t removal;                /* packet of the removal that is to be answered; 0: none */
	unsigned retry_s;
	bool was_refused;    /* in this session, and not accepted since */
	bool refusal_logged; /* the refusal of this optional module, in this session */
};

static struct {
	struct mib *mib;
	unsigned offer_ms;
	agentx_register_send_fn send;
	bool session_lost; /* the master does not know the session, or does not respond */
	struct module modules[MIB_ROOTS_MAX];
	unsigned n_modules;
} r;

static const char *name_of(const struct mib_oid *oid, char buf[NAME_OCTETS])
{
	char *p = buf;

	for (unsigned i = 0; i < oid->n; i++)
		p += sprintf(p, "%s%u", i ? "." : "", oid->sub[i]);
	return buf;
}

/* --- nodes ------------------------------------------------------------------------- */

/* Gets the node with this number. false: the module has no such node. */
static bool node_of(const struct module *m, unsigned number, struct mib_oid *node)
{
	struct mib_oid claims[MIB_CLAIMS_MAX];

	if (number == 0) {
		*node = m->mib.oid;
		return true;
	}
	if (!m->mib.optional || number > mib_claims(r.mib, &m->mib, claims))
		return false;
	*node = claims[number - 1];
	return true;
}

static void offer(struct module *m, int64_t now_ms)
{
	struct mib_oid node;

	node_of(m, m->node, &node);
	m->offers[m->n_offers++] = (struct offer){.packet = r.send(AGENTX_REGISTER, &node)};
	m->state = STATE_OFFERED;
	m->due_ms = now_ms + r.offer_ms;
}

static void offer_node(struct module *m, int64_t now_ms, unsigned node)
{
	m->node = node;
	m->n_offers = 0;
	m->removal = 0;
	offer(m, now_ms);
}

/*
 * Hides an optional module until all its claims are accepted: the master sends
 * requests as soon as the root is registered.
 */
static void withhold(const struct module *m)
{
	if (m->mib.optional)
		mib_withhold_module(r.mib, m->mib.module, true);
}

/* --- results ----------------------------------------------------------------------- */

/* Logs the refusal of an optional module once per session: it may be permanent. */
static void log_optional_refusal(struct module *m, const struct mib_oid *node, unsigned error)
{
	char name[NAME_OCTETS];

	if (m->refusal_logged)
		return;
	m->refusal_logged = true;
	if (error == AGENTX_DUPLICATE_REGISTRATION)
		/*
		 * Message: Another subagent serves a part of this optional module. Configure the
		 * other subagent not to serve it, or omit `-m`.
		 */
		log_error("agentx",
			  "%s: another subagent has registered %s; not served until it unregisters",
			  m->mib.module, name_of(node, name));
	else
		/*
		 * Message: The master did not accept the registration of this optional module.
		 * Check the log of the master.
		 */
		log_error("agentx",
			  "%s: registration of %s failed (error %u); not served until it succeeds",
			  m->mib.module, name_of(node, name), error);
}

static void log_refusal(const struct module *m, unsigned error)
{
	char name[NAME_OCTETS];

	name_of(&m->mib.oid, name);
	if (error == AGENTX_DUPLICATE_REGISTRATION)
		/*
		 * Message: The text is an object identifier. Another subagent serves this subtree.
		 * Configure the other subagent not to serve it, or end it.
		 */
		log_error("agentx", "%s: another subagent has registered it; retry in %u s", name,
			  m->retry_s);
	else
		/*
		 * Message: The master refused the registration with this error of RFC 2741, 6.2.16.
		 * Check the log of the master.
		 */
		log_error("agentx", "%s: registration failed (error %u); retry in %u s", name,
			  error, m->retry_s);
}

/* The node on offer is refused: unregisters the nodes before it and tries again later. */
static void refused(struct module *m, int64_t now_ms, unsigned error)
{
	struct mib_oid node;

	node_of(m, m->node, &node);
	if (m->mib.optional)
		log_optional_refusal(m, &node, error);
	else
		log_refusal(m, error);
	withhold(m);
	while (m->node > 0) {
		node_of(m, --m->node, &node);
		r.send(AGENTX_UNREGISTER, &node);
	}
	m->state = STATE_REFUSED;
	m->was_refused = true;
	m->due_ms = now_ms + INT64_C(1000) * m->retry_s;
	m->retry_s = m->retry_s < RETRY_LONGEST_S / 2 ? 2 * m->retry_s : RETRY_LONGEST_S;
}

static void module_accepted(struct module *m)
{
	char name[NAME_OCTETS];

	mib_withhold_module(r.mib, m->mib.module, false);
	if (m->mib.optional)
		log_info("agentx", "%s: registered", m->mib.module);
	else if (m->was_refused)
		log_info("agentx", "%s: registered now", name_of(&m->mib.oid, name));
	m->state = STATE_ACCEPTED;
	m->was_refused = m->refusal_logged = false;
	m->retry_s = RETRY_FIRST_S;
}

static void node_accepted(struct module *m, int64_t now_ms)
{
	struct mib_oid next;

	if (node_of(m, m->node + 1, &next))
		offer_node(m, now_ms, m->node + 1);
	else
		module_accepted(m);
}

/* --- Responses --------------------------------------------------------------------- */

/* Whether the master has skipped the Response to an offer before this one. */
static bool response_is_missing(const struct module *m, unsigned number)
{
	for (unsigned i = 0; i < number; i++)
		if (!m->offers[i].answered)
			return true;
	return false;
}

/*
 * The last offer is a duplicate: of an offer whose Response is missing, of
 * another subagent, or of our last session.
 */
static void duplicate(struct module *m, int64_t now_ms)
{
	struct mib_oid node;

	if (response_is_missing(m, m->n_offers - 1)) {
		node_of(m, m->node, &node);
		m->removal = r.send(AGENTX_UNREGISTER, &node);
		m->due_ms = now_ms + r.offer_ms;
	} else if (m->n_offers >= AGENTX_OFFERS || m->was_refused) {
		refused(m, now_ms, AGENTX_DUPLICATE_REGISTRATION);
	}
	/* else: offered again at due_ms */
}

static void offer_answered(struct module *m, int64_t now_ms, unsigned number, unsigned error)
{
	m->offers[number].answered = true;
	if (m->removal)
		return; /* the removal decides */
	if (error == MO_NO_ERROR)
		node_accepted(m, now_ms);
	else if (number + 1 < m->n_offers)
		return; /* the last offer decides */
	else if (error == AGENTX_DUPLICATE_REGISTRATION)
		duplicate(m, now_ms);
	else
		refused(m, now_ms, error);
}

static void removal_answered(struct module *m, int64_t now_ms, unsigned error)
{
	m->removal = 0;
	for (unsigned i = 0; i < m->n_offers; i++)
		m->offers[i].answered = true;
	if (error == MO_NO_ERROR && m->n_offers < OFFERS_MAX)
		offer(m, now_ms);
	else if (error == AGENTX_UNKNOWN_REGISTRATION)
		refused(m, now_ms, AGENTX_DUPLICATE_REGISTRATION);
	else
		refused(m, now_ms, error ? error : AGENTX_DUPLICATE_REGISTRATION);
}

void agentx_register_response(int64_t now_ms, uint32_t packet, unsigned error)
{
	if (error == AGENTX_NOT_OPEN) {
		r.session_lost = true;
		return;
	}
	for (unsigned i = 0; i < r.n_modules; i++) {
		struct module *m = &r.modules[i];

		if (m->state != STATE_OFFERED)
			continue;
		if (m->removal && m->removal == packet) {
			removal_answered(m, now_ms, error);
			return;
		}
		for (unsigned o = 0; o < m->n_offers; o++) {
			if (m->offers[o].packet == packet && !m->offers[o].answered) {
				offer_answered(m, now_ms, o, error);
				return;
			}
		}
	}
}

/* --- time -------------------------------------------------------------------------- */

static void run_module(struct module *m, int64_t now_ms)
{
	if (now_ms < m->due_ms)
		return;
	if (m->state == STATE_REFUSED)
		offer_node(m, now_ms, 0);
	else if (m->state == STATE_OFFERED && !m->removal && m->n_offers < AGENTX_OFFERS)
		offer(m, now_ms);
	else if (m->state == STATE_OFFERED)
		r.session_lost = true;
}

int64_t agentx_register_run(int64_t now_ms)
{
	int64_t next_ms = INT64_MAX;

	for (unsigned i = 0; i < r.n_modules && !r.session_lost; i++) {
		struct module *m = &r.modules[i];

		run_module(m, now_ms);
		if ((m->state == STATE_OFFERED || m->state == STATE_REFUSED) && m->due_ms < next_ms)
			next_ms = m->due_ms;
	}
	return r.session_lost ? -1 : next_ms;
}

bool agentx_register_is_settled(void)
{
	for (unsigned i = 0; i < r.n_modules; i++)
		if (r.modules[i].state != STATE_ACCEPTED && r.modules[i].state != STATE_REFUSED)
			return false;
	return true;
}

/* --- start and end ------------------------------------------------------------------- */

static void reset(struct module *m)
{
	const struct mib_root mib = m->mib;

	*m = (struct module){.mib = mib, .retry_s = RETRY_FIRST_S};
	withhold(m);
}

void agentx_register_init(struct mib *mib, unsigned offer_ms, agentx_register_send_fn send)
{
	struct mib_root roots[MIB_ROOTS_MAX];

	r.mib = mib;
	r.offer_ms = offer_ms;
	r.send = send;
	r.n_modules = mib_roots(mib, roots);
	for (unsigned i = 0; i < r.n_modules; i++)
		r.modules[i].mib = roots[i];
	agentx_register_end();
}

void agentx_register_begin(int64_t now_ms)
{
	agentx_register_end();
	for (unsigned i = 0; i < r.n_modules; i++)
		offer_node(&r.modules[i], now_ms, 0);
}

void agentx_register_end(void)
{
	r.session_lost = false;
	for (unsigned i = 0; i < r.n_modules; i++)
		reset(&r.modules[i]);
}
