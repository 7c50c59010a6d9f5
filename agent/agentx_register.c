/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registrations with Net-SNMP's library; agentx_session.c has the rest of it:
 *
 * - The library logs a registration that the master refuses, and does nothing
 *   about one that times out. In both cases it considers the subtree registered,
 *   and the subagent gets no requests. on_before_register(),
 *   agentx_register_take_log() and on_after_register() find out the result;
 *   on_retry() repeats the registration.
 * - A callback of one kind is not called while another of that kind runs.
 *   Registrations that follow from a registration are therefore sent from an
 *   event of their own.
 * - A registration below another one makes the library split that into ranges,
 *   and it sends each range separately when a session begins. Therefore only
 *   roots are registered with the library; claims are sent to the master alone.
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

/* Octets of an OID of at most MO_OID_MAX sub-identifiers in dotted notation. */
#define NAME_OCTETS 256

struct root {
	struct mib_root mib;
	netsnmp_handler_registration *registration;
	bool refused;
	bool to_claim;       /* registered, its claims are to be sent */
	bool refusal_logged; /* the refusal of this optional module has been logged */
};

static struct {
	struct agentx_stock *stock;
	struct event *retry, *claim;
	void (*settle)(void);
	struct root roots[MIB_ROOTS_MAX];
	unsigned n_roots;
	unsigned retry_s;
	netsnmp_session *session; /* NULL: no session */
	long refusal;             /* the master's error for the current registration; 0: none */
} r;

static const char *name_of(const struct mib_oid *oid, char buf[NAME_OCTETS])
{
	char *p = buf;

	for (unsigned i = 0; i < oid->n; i++)
		p += sprintf(p, "%s%u", i ? "." : "", oid->sub[i]);
	return buf;
}

/* --- refusals ---------------------------------------------------------------------- */

bool agentx_register_take_log(const char *line)
{
	long error;

	if (sscanf(line, "registering pdu failed: %ld", &r.refusal) == 1)
		return true;
	/* Not an error: the subtree was refused before, or the session has ended. */
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

/* Logs the refusal of an optional module once per session: it may be permanent. */
static void log_optional_refusal(struct root *root, const struct mib_oid *oid)
{
	char name[NAME_OCTETS];

	if (root->refusal_logged)
		return;
	root->refusal_logged = true;
	if (r.refusal == AGENTX_DUPLICATE)
		log_error("agentx",
			  "%s: another subagent has registered %s; not served until it unregisters",
			  root->mib.module, name_of(oid, name));
	else
		log_error("agentx",
			  "%s: registration of %s failed (%s %ld); not served until it succeeds",
			  root->mib.module, name_of(oid, name),
			  r.refusal ? "error" : "no response,", r.refusal);
}

static void log_refusal(const struct root *root)
{
	char name[NAME_OCTETS];

	name_of(&root->mib.oid, name);
	if (r.refusal == AGENTX_DUPLICATE)
		log_error("agentx", "%s: another subagent has registered it; retry in %u s", name,
			  r.retry_s);
	else
		log_error("agentx", "%s: registration failed (%s %ld); retry in %u s", name,
			  r.refusal ? "error" : "no response,", r.refusal, r.retry_s);
}

/*
 * Hides an optional module until all its claims are accepted: the master sends
 * requests as soon as the root is registered.
 */
static void withhold(const struct root *root)
{
	if (root->mib.optional)
		mib_withhold_module(r.stock->mib, root->mib.module, true);
}

/* oid is the node that was refused: the root or one of its claims. */
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
	root->refused = root->refusal_logged = false;
}

/* --- claims ------------------------------------------------------------------------ */

/*
 * Sends a registration or unregistration of node (what:
 * SNMPD_CALLBACK_REGISTER_OID or SNMPD_CALLBACK_UNREGISTER_OID) to the master,
 * without the library's own registry.
 */
static void send_to_master(int what, const struct root *root, const struct mib_oid *node)
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

/*
 * Registers all claims of root. If the master refuses one, unregisters those
 * before and the root.
 */
static void claim(struct root *root)
{
	struct mib_oid claims[MIB_CLAIMS_MAX];
	unsigned n = mib_claims(r.stock->mib, &root->mib, claims);
	struct mib_oid refused_node;
	unsigned i = 0;
	long refusal;

	for (; i < n && r.session; i++) {
		send_to_master(SNMPD_CALLBACK_REGISTER_OID, root, &claims[i]);
		if (!r.session || !was_accepted())
			break;
	}
	if (!r.session)
		return;
	if (i == n) {
		accepted(root);
		return;
	}
	refused_node = claims[i];
	refusal = r.refusal;
	while (i-- > 0)
		send_to_master(SNMPD_CALLBACK_UNREGISTER_OID, root, &claims[i]);
	send_to_master(SNMPD_CALLBACK_UNREGISTER_OID, root, &root->mib.oid);
	r.refusal = refusal;
	refused(root, &refused_node);
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

/* Registers one root again, as the library does when a session begins. */
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
		r.roots[i].refused = r.roots[i].to_claim = r.roots[i].refusal_logged = false;
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
