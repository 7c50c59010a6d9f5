/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one has to know about the library, see agentx_session.c for the rest:
 *
 * - A registration the master refuses is a line in the log and nothing else, one
 *   that times out not even that; the library believes it registered and serves
 *   nobody. on_before_register(), agentx_register_heard() and on_after_register()
 *   find out which it was; retry() repeats it.
 * - Callbacks of one kind do not nest, each of them would wait for the other: what
 *   is to be registered because something was registered, has an event of its own.
 * - What is registered below another registration cuts that in pieces, and each
 *   is sent again when a session begins. So only roots are the library's; claims
 *   go to the master alone.
 */
#include "agent/agentx_register.h"

#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>
#include <net-snmp/agent/agent_callbacks.h>

#include <event2/event.h>

#define AGENTX_DUPLICATE 263 /* duplicateRegistration, RFC 2741, 6.2.16 */
#define RETRY_FIRST_S    1
#define RETRY_LONGEST_S  60

/* An OID of at most MO_OID_MAX sub-identifiers. */
#define NAME_OCTETS 256

struct root {
	struct mib_root mib;
	netsnmp_handler_registration *registration;
	bool refused;
	bool to_claim; /* registered: now for the claims */
	bool told;     /* of an optional one: that it is refused is in the log */
};

static struct {
	struct agentx_stock *stock;
	struct event *retry, *claim;
	void (*settle)(void);
	struct root roots[MIB_ROOTS_MAX];
	unsigned n_roots;
	unsigned retry_s;
	netsnmp_session *session; /* NULL while there is none */
	long refusal;             /* the master's error to the registration under way */
} r;

static const char *name_of(const struct mib_oid *oid, char buf[NAME_OCTETS])
{
	char *p = buf;

	for (unsigned i = 0; i < oid->n; i++)
		p += sprintf(p, "%s%u", i ? "." : "", oid->sub[i]);
	return buf;
}

/* --- refusals ---------------------------------------------------------------------- */

bool agentx_register_heard(const char *line)
{
	long error;

	if (sscanf(line, "registering pdu failed: %ld", &r.refusal) == 1)
		return true;
	/* Given back, or the session's end: of what was refused there is nothing to give back. */
	return sscanf(line, "unregistering pdu failed: %ld", &error) == 1;
}

static bool was_accepted(void)
{
	return r.refusal == 0 && r.session->s_snmp_errno == SNMPERR_SUCCESS;
}

static void schedule_retry(void)
{
	struct timeval tv = {.tv_sec = r.retry_s};

	if (!event_pending(r.retry, EV_TIMEOUT, NULL))
		event_add(r.retry, &tv);
}

/* That somebody else has an optional module may well be for ever: it is said once. */
static void log_optional_refusal(struct root *root, const struct mib_oid *oid)
{
	char name[NAME_OCTETS];

	if (root->told)
		return;
	root->told = true;
	if (r.refusal == AGENTX_DUPLICATE)
		log_error("agentx",
			  "%s: another subagent has registered %s; not served until that is gone",
			  root->mib.module, name_of(oid, name));
	else
		log_error("agentx", "%s: %s not registered (%s %ld); not served until it is",
			  root->mib.module, name_of(oid, name), r.refusal ? "error" : "no answer",
			  r.refusal);
}

static void log_refusal(const struct root *root)
{
	char name[NAME_OCTETS];

	name_of(&root->mib.oid, name);
	if (r.refusal == AGENTX_DUPLICATE)
		log_error("agentx", "%s: another subagent has registered it; trying again in %u s",
			  name, r.retry_s);
	else
		log_error("agentx", "%s: not registered (%s %ld); trying again in %u s", name,
			  r.refusal ? "error" : "no answer", r.refusal, r.retry_s);
}

/*
 * The master passes requests on while claims are still being made; those for an
 * optional module are not to be answered before all of it is ours.
 */
static void withhold(const struct root *root)
{
	if (root->mib.optional)
		mib_withhold_module(r.stock->mib, root->mib.module, true);
}

/* oid is what was refused: the root or one of its claims. */
static void refused(struct root *root, const struct mib_oid *oid)
{
	root->refused = true;
	withhold(root);
	if (root->mib.optional)
		log_optional_refusal(root, oid);
	else
		log_refusal(root);
	schedule_retry();
}

static void accepted(struct root *root)
{
	char name[NAME_OCTETS];

	mib_withhold_module(r.stock->mib, root->mib.module, false);
	if (root->mib.optional)
		log_info("agentx", "%s: registered", root->mib.module);
	else if (root->refused)
		log_info("agentx", "%s: registered now", name_of(&root->mib.oid, name));
	root->refused = root->told = false;
}

/* --- claims ------------------------------------------------------------------------ */

/* To the master alone: what is SNMPD_CALLBACK_REGISTER_OID or ..._UNREGISTER_OID. */
static void tell_master(int what, const struct root *root, const struct mib_oid *node)
{
	const netsnmp_handler_registration *of = root->registration;
	oid name[MIB_OID_MAX];
	struct register_parameters p = {
	    .name = name,
	    .namelen = node->n,
	    .priority = of->priority,
	    .timeout = of->timeout,
	    .contextName = of->contextName,
	};

	for (unsigned i = 0; i < node->n; i++)
		name[i] = node->sub[i];
	snmp_call_callbacks(SNMP_CALLBACK_APPLICATION, what, &p);
}

/* All of them, or none of them and not the root either. */
static void claim(struct root *root)
{
	struct mib_oid claims[MIB_CLAIMS_MAX];
	unsigned n = mib_claims(r.stock->mib, &root->mib, claims);
	struct mib_oid culprit;
	unsigned i = 0;
	long refusal;

	for (; i < n && r.session; i++) {
		tell_master(SNMPD_CALLBACK_REGISTER_OID, root, &claims[i]);
		if (!r.session || !was_accepted())
			break;
	}
	if (!r.session)
		return;
	if (i == n) {
		accepted(root);
		return;
	}
	culprit = claims[i];
	refusal = r.refusal;
	while (i-- > 0)
		tell_master(SNMPD_CALLBACK_UNREGISTER_OID, root, &claims[i]);
	tell_master(SNMPD_CALLBACK_UNREGISTER_OID, root, &root->mib.oid);
	r.refusal = refusal;
	refused(root, &culprit);
}

static void claim_all(void)
{
	for (unsigned i = 0; i < r.n_roots && r.session; i++) {
		if (!r.roots[i].to_claim)
			continue;
		r.roots[i].to_claim = false;
		claim(&r.roots[i]);
	}
}

static void on_claim(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what, (void)arg;
	claim_all();
	r.settle();
}

/* --- registrations ------------------------------------------------------------------- */

static int on_before_register(int major, int minor, void *server_arg, void *client_arg)
{
	(void)major, (void)minor, (void)server_arg, (void)client_arg;
	r.refusal = 0;
	return 0;
}

static int on_after_register(int major, int minor, void *server_arg, void *client_arg)
{
	const struct register_parameters *p = server_arg;
	struct root *root = NULL;

	(void)major, (void)minor, (void)client_arg;
	for (unsigned i = 0; i < r.n_roots; i++)
		if (p->reginfo == r.roots[i].registration)
			root = &r.roots[i];
	if (!root || !r.session)
		return 0;
	if (!was_accepted()) {
		refused(root, &root->mib.oid);
	} else if (root->mib.optional) {
		root->to_claim = true;
		event_active(r.claim, EV_TIMEOUT, 0);
	} else {
		accepted(root);
	}
	return 0;
}

/* As the library does it when a session begins, for one root. */
static void register_again(const struct root *root)
{
	netsnmp_handler_registration *of = root->registration;
	struct register_parameters p = {
	    .name = of->rootoid,
	    .namelen = of->rootoid_len,
	    .priority = of->priority,
	    .timeout = of->timeout,
	    .contextName = of->contextName,
	    .reginfo = of,
	};

	snmp_call_callbacks(SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_REGISTER_OID, &p);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	bool all = true;

	(void)fd, (void)what, (void)arg;
	r.retry_s = r.retry_s < RETRY_LONGEST_S / 2 ? 2 * r.retry_s : RETRY_LONGEST_S;
	for (unsigned i = 0; i < r.n_roots && r.session; i++)
		if (r.roots[i].refused)
			register_again(&r.roots[i]);
	claim_all();
	for (unsigned i = 0; i < r.n_roots; i++)
		all = all && !r.roots[i].refused;
	if (all)
		r.retry_s = RETRY_FIRST_S;
	r.settle();
}

void agentx_register_session(netsnmp_session *session)
{
	r.session = session;
	event_del(r.retry);
	event_del(r.claim);
	r.retry_s = RETRY_FIRST_S;
	for (unsigned i = 0; i < r.n_roots; i++) {
		r.roots[i].refused = r.roots[i].to_claim = r.roots[i].told = false;
		withhold(&r.roots[i]);
	}
}

/* --- start and stop ------------------------------------------------------------------ */

static bool register_roots(void)
{
	struct mib_root roots[MIB_ROOTS_MAX];
	char name[NAME_OCTETS];
	unsigned n = mib_roots(r.stock->mib, roots);

	for (unsigned i = 0; i < n; i++) {
		struct root *root = &r.roots[i];

		root->mib = roots[i];
		withhold(root);
		root->registration = agentx_stock_register(r.stock, &roots[i].oid);
		if (!root->registration) {
			log_error("agentx", "cannot register %s", name_of(&roots[i].oid, name));
			return false;
		}
	}
	r.n_roots = n;
	return true;
}

bool agentx_register_start(struct agentx_stock *stock, struct event_base *base,
			   void (*settle)(void))
{
	const int app = SNMP_CALLBACK_APPLICATION;

	r.stock = stock;
	r.settle = settle;
	r.retry_s = RETRY_FIRST_S;
	r.retry = evtimer_new(base, on_retry, NULL);
	r.claim = evtimer_new(base, on_claim, NULL);
	if (!r.retry || !r.claim) {
		log_error("agentx", "out of memory");
		return false;
	}
	netsnmp_register_callback(app, SNMPD_CALLBACK_REGISTER_OID, on_before_register, NULL,
				  NETSNMP_CALLBACK_HIGHEST_PRIORITY);
	netsnmp_register_callback(app, SNMPD_CALLBACK_REGISTER_OID, on_after_register, NULL,
				  NETSNMP_CALLBACK_LOWEST_PRIORITY);
	return register_roots();
}

void agentx_register_stop(void)
{
	event_free(r.retry);
	event_free(r.claim);
}
