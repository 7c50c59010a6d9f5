/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/dlmod_serve.h"

#include "agent/dlmod_notify.h"
#include "agent/dlmod_wait.h"
#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>
#include <net-snmp/agent/agent_callbacks.h>

#include <string.h>

#define COMMIT_MS 5000 /* a COMMIT waits for the disk */
#define OTHER_MS  400  /* a COMMIT waits for the end of another client's SET */

/* The registrations of a module: the root and, of an optional module, its claims. */
struct served {
	struct mib_root root;
	unsigned n; /* 0: refused, another subagent has registered one of them */
	netsnmp_handler_registration *registrations[1 + MIB_CLAIMS_MAX];
};

static struct {
	struct dlmod_clients clients;
	struct mib_cache *cache;
	struct dlmod_objects objects;
	struct served served[MIB_ROOTS_MAX];
	unsigned n_served;
	bool registering; /* the changes of registrations are ours */
	unsigned alarm;   /* 0: none */
} s;

/* --- connections ----------------------------------------------------------------------- */

static bool open_clients(const struct dlmod_config *config)
{
	struct dlmod_clients *c = &s.clients;

	c->reader = mo_client_new(config->control, OTHER_MS);
	c->writer = mo_client_new(config->control, OTHER_MS);
	c->probe = mo_client_new(config->control, OTHER_MS);
	if (!c->reader || !c->writer || !c->probe || !mo_client_use_view(c->reader, config->view))
		return false;
	mo_client_commit_within(c->writer, COMMIT_MS);
	return true;
}

static bool open_engine(const struct dlmod_config *config)
{
	if (!open_clients(config))
		return false;
	s.cache = mib_cache_new(s.clients.reader);
	if (s.cache)
		s.objects.mib = mib_new(s.cache);
	for (unsigned i = 0; i < config->n_modules && s.objects.mib; i++)
		mib_add_module(s.objects.mib, config->modules[i]);
	if (s.objects.mib)
		s.objects.txn = mib_txn_new(s.objects.mib, s.cache, s.clients.writer);
	return s.objects.txn && dlmod_notify_start(config->control, config->view, s.objects.mib);
}

/* --- registrations -------------------------------------------------------------------- */

static void unregister_root(struct served *m)
{
	while (m->n > 0)
		netsnmp_unregister_handler(m->registrations[--m->n]);
}

/* Registers all of the module, or nothing. */
static bool register_root(struct served *m)
{
	struct mib_oid nodes[1 + MIB_CLAIMS_MAX] = {m->root.oid};
	unsigned n = 1;

	if (m->root.optional)
		n += mib_claims(s.objects.mib, &m->root, &nodes[1]);
	while (m->n < n) {
		m->registrations[m->n] =
		    dlmod_register(&s.objects, &nodes[m->n], dlmod_wait_handler);
		if (!m->registrations[m->n]) {
			unregister_root(m);
			return false;
		}
		m->n++;
	}
	return true;
}

static void register_objects(void)
{
	s.registering = true;
	for (unsigned i = 0; i < s.n_served; i++)
		if (s.served[i].n == 0 && !register_root(&s.served[i]))
			/*
			 * Message: The module is served when the subagent has unregistered it. If
			 * the subagent is dcb-agentx(8), end one of the two.
			 */
			log_error_limited("agent", "%s is not served: a subagent has registered it",
					  s.served[i].root.module);
	s.registering = false;
}

static void on_retry(unsigned alarm, void *arg)
{
	(void)alarm, (void)arg;
	s.alarm = 0;
	register_objects();
}

/* A subagent serves something no longer: perhaps a module that was refused. */
static int on_unregistered(int major, int minor, void *server_arg, void *client_arg)
{
	bool refused = false;

	(void)major, (void)minor, (void)server_arg, (void)client_arg;
	for (unsigned i = 0; i < s.n_served; i++)
		refused |= s.served[i].n == 0;
	if (refused && !s.registering && !s.alarm)
		s.alarm = snmp_alarm_register(1, 0, on_retry, NULL);
	return 0;
}

static void begin_registrations(void)
{
	struct mib_root roots[MIB_ROOTS_MAX];

	s.n_served = mib_roots(s.objects.mib, roots);
	for (unsigned i = 0; i < s.n_served; i++)
		s.served[i].root = roots[i];
	snmp_register_callback(SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_UNREGISTER_OID,
			       on_unregistered, NULL);
	register_objects();
}

static void end_registrations(void)
{
	snmp_unregister_callback(SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_UNREGISTER_OID,
				 on_unregistered, NULL, 0);
	for (unsigned i = 0; i < s.n_served; i++)
		unregister_root(&s.served[i]);
	if (s.alarm)
		snmp_alarm_unregister(s.alarm);
}

/* --- start and stop -------------------------------------------------------------------- */

bool dlmod_serve_start(const struct dlmod_config *config)
{
	if (!open_engine(config)) {
		/* Message: as "%s: path too long for a socket, or out of memory" */
		log_error("agent", "%s: path too long for a socket, or out of memory",
			  config->view);
		dlmod_serve_stop();
		return false;
	}
	dlmod_wait_start(&s.objects, s.cache, &s.clients, config->timeout_ms);
	begin_registrations();
	return true;
}

void dlmod_serve_stop(void)
{
	dlmod_notify_stop();
	dlmod_wait_stop();
	end_registrations();
	mib_txn_free(s.objects.txn);
	mib_free(s.objects.mib);
	mib_cache_free(s.cache);
	mo_client_free(s.clients.reader);
	mo_client_free(s.clients.writer);
	mo_client_free(s.clients.probe);
	memset(&s, 0, sizeof(s));
}
