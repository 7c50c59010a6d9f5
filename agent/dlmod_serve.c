/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/dlmod_serve.h"

#include "agent/dlmod_notify.h"
#include "agent/dlmod_wait.h"
#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <string.h>
#include <time.h>

#define COMMIT_MS 5000 /* a COMMIT waits for the disk */
#define TRIES     400  /* of a COMMIT while another client's SET ends, one each millisecond */

static struct {
	struct dlmod_clients clients;
	struct mib_cache *cache;
	struct agentx_stock stock;
	netsnmp_handler_registration *registrations[MIB_ROOTS_MAX];
} s;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* --- start and stop -------------------------------------------------------------------- */

static bool open_clients(const struct dlmod_config *config)
{
	struct dlmod_clients *c = &s.clients;

	c->reader = mo_client_new(config->control, TRIES);
	c->writer = mo_client_new(config->control, TRIES);
	c->probe = mo_client_new(config->control, TRIES);
	if (!c->reader || !c->writer || !c->probe || !mo_client_use_view(c->reader, config->view))
		return false;
	mo_client_commit_within(c->writer, COMMIT_MS);
	return true;
}

static bool open_engine(const struct dlmod_config *config)
{
	if (!open_clients(config))
		return false;
	s.stock.now_ms = now_ms;
	s.cache = mib_cache_new(s.clients.reader);
	if (s.cache)
		s.stock.mib = mib_new(s.cache);
	for (unsigned i = 0; i < config->n_modules && s.stock.mib; i++)
		mib_add_module(s.stock.mib, config->modules[i]);
	if (s.stock.mib)
		s.stock.txn = mib_txn_new(s.stock.mib, s.cache, s.clients.writer);
	return s.stock.txn && dlmod_notify_start(config->control);
}

static void register_objects(void)
{
	struct mib_root roots[MIB_ROOTS_MAX];
	unsigned n = mib_roots(s.stock.mib, roots);

	for (unsigned i = 0; i < n; i++) {
		s.registrations[i] =
		    agentx_stock_register(&s.stock, &roots[i].oid, dlmod_wait_handler);
		if (!s.registrations[i])
			log_error("agent", "cannot register %s", roots[i].module);
	}
}

bool dlmod_serve_start(const struct dlmod_config *config)
{
	if (!open_engine(config)) {
		log_error("agent", "%s: path too long for a socket, or out of memory",
			  config->view);
		dlmod_serve_stop();
		return false;
	}
	dlmod_wait_start(&s.stock, s.cache, &s.clients);
	register_objects();
	return true;
}

void dlmod_serve_stop(void)
{
	dlmod_notify_stop();
	dlmod_wait_stop();
	for (unsigned i = 0; i < MIB_ROOTS_MAX; i++)
		if (s.registrations[i])
			netsnmp_unregister_handler(s.registrations[i]);
	mib_txn_free(s.stock.txn);
	mib_free(s.stock.mib);
	mib_cache_free(s.cache);
	mo_client_free(s.clients.reader);
	mo_client_free(s.clients.writer);
	mo_client_free(s.clients.probe);
	memset(&s, 0, sizeof(s));
}
