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

#define WRITE_SLICES 8    /* time limit of dcbd's reply to a SET: 40 ms */
#define ALIVE_SLICES 4    /* the same when it is asked whether it is alive */
#define COMMIT_MS    5000 /* a COMMIT waits for the disk */
#define TRIES        400  /* of a COMMIT while another client's SET ends, one each millisecond */

static struct {
	struct mo_client *reader, *writer;
	struct mo_client *probe; /* asks on the control socket whether dcbd is alive */
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

/* --- SETs ------------------------------------------------------------------------------ */

/*
 * While dcbd writes to the disk it answers other requests. A dcbd that is stopped
 * does not.
 */
static bool is_alive(void)
{
	const struct mo_index first = {.n = 1};
	struct mo_page page = {0};
	enum mo_client_status status = mo_client_read(s.probe, MO_agent_id, 0, &first, 1, &page);

	mo_page_free(&page);
	return status == MO_CLIENT_OK;
}

/* A dcbd that has been silent for long is not waited for once more. */
static int handle(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
		  netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	mo_client_share(s.writer, dlmod_wait_is_silent() ? 1 : WRITE_SLICES, is_alive);
	return dlmod_wait_handler(handler, registration, info, requests);
}

/* --- start and stop -------------------------------------------------------------------- */

static bool open_clients(const struct dlmod_config *config)
{
	s.reader = mo_client_new(config->control, TRIES);
	s.writer = mo_client_new(config->control, TRIES);
	s.probe = mo_client_new(config->control, TRIES);
	if (!s.reader || !s.writer || !s.probe || !mo_client_use_view(s.reader, config->view))
		return false;
	mo_client_commit_within(s.writer, COMMIT_MS);
	mo_client_share(s.probe, ALIVE_SLICES, NULL);
	return true;
}

static bool open_engine(const struct dlmod_config *config)
{
	if (!open_clients(config))
		return false;
	s.stock.now_ms = now_ms;
	s.cache = mib_cache_new(s.reader);
	if (s.cache)
		s.stock.mib = mib_new(s.cache);
	for (unsigned i = 0; i < config->n_modules && s.stock.mib; i++)
		mib_add_module(s.stock.mib, config->modules[i]);
	if (s.stock.mib)
		s.stock.txn = mib_txn_new(s.stock.mib, s.cache, s.writer);
	return s.stock.txn && dlmod_notify_start(config->control);
}

static void register_objects(void)
{
	struct mib_root roots[MIB_ROOTS_MAX];
	unsigned n = mib_roots(s.stock.mib, roots);

	for (unsigned i = 0; i < n; i++) {
		s.registrations[i] = agentx_stock_register(&s.stock, &roots[i].oid, handle);
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
	dlmod_wait_start(&s.stock, s.cache, s.reader, s.writer);
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
	mo_client_free(s.reader);
	mo_client_free(s.writer);
	mo_client_free(s.probe);
	memset(&s, 0, sizeof(s));
}
