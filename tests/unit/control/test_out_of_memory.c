/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An operation that runs out of memory has no partial effect. Each operation is repeated:
 * its first allocation fails, then its second, and so on, until none fails.
 */
#include "tests/unit/lldp_remote.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "dataplane/bridge/bridge.h"
#include "control/managed/lldp_ports.h"
#include "control/managed_conf.h"
#include "control/persist.h"
#include "dataplane/station/station.h"

/* libconfig 1.5 leaks the string it was scanning when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

static unsigned countdown; /* the allocation that fails; 0: none */
static bool failed;

/* The linker replaces the allocation functions by these (option --wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool fails(void)
{
	if (countdown == 0 || --countdown != 0)
		return false;
	failed = true;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static void fail_at(unsigned n)
{
	countdown = n;
	failed = false;
}

/* Disarms fail_at(). Returns whether an allocation has failed. */
static bool has_failed(void)
{
	countdown = 0;
	return failed;
}

/*
 * fail_at() for operations that publish. If memory runs out, a configuration that the
 * dataplane thread may still read is not freed. This keeps a pointer to it, so that the
 * leak checker does not report it.
 */
static void fail_later(const struct mo_world *w, unsigned n)
{
	static const struct dcb_config *lost[1024];
	static unsigned n_lost;

	assert_true(n_lost < sizeof(lost) / sizeof(lost[0]));
	lost[n_lost++] = w->m->config;
	fail_at(n);
}

/* --- managed objects ---------------------------------------------------------- */

#define UNICAST  "dcbStaticUnicastPort"
#define HOP      "dcbTrillNextHopTree"
#define EGRESS   "dcbTrillEgressNickname"
#define APP      "lldpXdot1dcbxAdminApplicationPriorityAEPriority"
#define APP_VLAN "lldpXdot1dcbxAdminApplicationVlanAEVlanId"

#define BEFORE_QSP "1.3.3=26000 1.5.3=31000 1.9.3=26000"
#define AFTER_QSP  "1.3.3=26000 1.3.4=26000 1.5.3=32000 1.5.4=26000 1.9.3=33000 1.9.4=26000"

static struct mo_world *make_world(void)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
			 MO_NO_ERROR);
	return w;
}

/* The first allocation is for the varbinds; if it fails, ctl_server closes the connection. */
static void test_request_without_memory_is_refused(void **state)
{
	struct mo_world *w = make_world();
	uint8_t buf[64], answer[64];
	struct octets_out out = mo_world_request(buf, sizeof(buf), MO_OP_TEST, 0);
	struct octets_out reply = octets_out(answer, sizeof(answer));

	(void)state;
	octets_out_be32(&out, 1);
	octets_out_be16(&out, 0);
	fail_at(1);
	assert_false(mo_service_handle(w->session, buf, out.len, &reply));
	assert_true(has_failed());
	reply = octets_out(answer, sizeof(answer));
	assert_true(mo_service_handle(w->session, buf, out.len, &reply));
	mo_world_free(w);
}

static void test_set_without_memory_is_all_or_nothing(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (unsigned n = 2;; n++) {
		struct mo_world *w = make_world();
		enum mo_error error;

		fail_later(w, n);
		error = SET(w, {STATUS, "1.4", "createAndGo"}, {QSP, "1.5.3", "32000"},
			    {QSP, "1.9.3", "33000"});
		if (!has_failed()) {
			assert_int_equal(error, MO_NO_ERROR);
			assert_column(w, QSP, AFTER_QSP);
			mo_world_free(w);
			break;
		}
		if (error != MO_NO_ERROR) {
			assert_int_equal(error, MO_RESOURCE_UNAVAILABLE);
			refused++;
		}
		assert_column(w, QSP, error ? BEFORE_QSP : AFTER_QSP);
		assert_column(w, STATUS, error ? "1.3=active" : "1.3=active 1.4=active");
		/* A later SET succeeds. */
		assert_int_equal(SET(w, {QSP, "1.9.3", "34000"}), MO_NO_ERROR);
		mo_world_restart(w);
		mo_world_add_port(w, 9, "sw9", "");
		mo_world_load(w);
		assert_column(w, QSP, error ? "1.9.3=34000" : "1.9.3=34000 1.9.4=26000");
		mo_world_free(w);
	}
	assert_true(refused >= 7); /* the allocations of TEST and COMMIT */
}

/* Another configuration was published since TEST: COMMIT edits it, asks and writes. */
static void test_commit_without_memory_after_a_new_port(void **state)
{
	static const char *const set[][3] = {{QSP, "1.5.3", "32000"}, {QSP, "1.9.3", "33000"}};
	static const char before[] = "1.3.3=26000 1.5.3=31000 1.9.3=26000 1.11.3=26000";
	static const char after[] = "1.3.3=26000 1.5.3=32000 1.9.3=33000 1.11.3=26000";
	unsigned refused = 0;
	bool out_of_memory = true;

	(void)state;
	for (unsigned n = 1; out_of_memory; n++) {
		struct mo_world *w = make_world();
		enum mo_error error;

		assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
		mo_world_add_port(w, 11, "sw11", "");
		fail_later(w, n);
		error = mo_world_phase(w, MO_OP_COMMIT);
		out_of_memory = has_failed();
		assert_true(out_of_memory || error == MO_NO_ERROR);
		assert_int_equal(mo_world_phase(w, error ? MO_OP_UNDO : MO_OP_CLEANUP),
				 MO_NO_ERROR);
		assert_column(w, QSP, error ? before : after);
		assert_int_equal(SET(w, {QSP, "1.9.3", "34000"}), MO_NO_ERROR);
		refused += error != MO_NO_ERROR;
		mo_world_free(w);
	}
	assert_true(refused >= 5);
}

/* One SET of each kind of row is refused without effect, or in force. */
static void test_each_set_without_memory_is_all_or_nothing(void **state)
{
	static const struct {
		const char *set[3], *object, *before, *after;
	} kinds[] = {
	    {{STATUS, "1.3", "destroy"}, STATUS, "1.3=active", ""},
	    {{STATUS, "1.5", "createAndWait"}, STATUS, "1.3=active", "1.3=active 1.5=notInService"},
	    {{"dcbDcbxAppRowStatus", "3.1.2048", "destroy"}, APP, "3.1.2048=5", ""},
	    {{APP, "9.1.2049", "2"}, APP, "3.1.2048=5", "3.1.2048=5 9.1.2049=2"},
	    {{APP_VLAN, "9.1.2049", "2"}, APP_VLAN, "", "9.1.2049=2"},
	    {{UNICAST, "7.2.0.0.0.0.1", "9"}, UNICAST, "7.2.0.0.0.0.1=3", "7.2.0.0.0.0.1=9"},
	    {{HOP, "3.512.2.0.0.0.1.3", "true"},
	     HOP,
	     "3.512.2.0.0.0.1.3=false",
	     "3.512.2.0.0.0.1.3=true"},
	    {{EGRESS, "7.2.0.0.0.0.1", "300"}, EGRESS, "7.2.0.0.0.0.1=512", "7.2.0.0.0.0.1=300"},
	    {{"ieee8021PfcLinkDelayAllowance", "9", "7"},
	     "ieee8021PfcLinkDelayAllowance",
	     "3=0 5=0 9=0",
	     "3=0 5=0 9=7"},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(kinds); i++) {
		unsigned refused = 0;
		bool enough = false;

		for (unsigned n = 2; !enough; n++) {
			struct mo_world *w = make_world();
			enum mo_error error;

			assert_int_equal(
			    SET(w, {APP, "3.1.2048", "5"}, {UNICAST, "7.2.0.0.0.0.1", "3"},
				{"dcbStaticUnicastRowStatus", "7.2.0.0.0.0.1", "createAndGo"}),
			    MO_NO_ERROR);
			assert_int_equal(
			    SET(w, {"dcbTrillPortMode", "3", "trunk"},
				{"dcbTrillNextHopRowStatus", "3.512.2.0.0.0.1.3", "createAndGo"},
				{EGRESS, "7.2.0.0.0.0.1", "512"},
				{"dcbTrillEgressRowStatus", "7.2.0.0.0.0.1", "createAndGo"}),
			    MO_NO_ERROR);
			fail_later(w, n);
			error = mo_world_set(w, &kinds[i].set, 1);
			enough = !has_failed();
			if (error != MO_NO_ERROR) {
				assert_int_equal(error, MO_RESOURCE_UNAVAILABLE);
				refused++;
			}
			assert_true(!enough || error == MO_NO_ERROR);
			assert_column(w, kinds[i].object, error ? kinds[i].before : kinds[i].after);
			mo_world_free(w);
		}
		assert_true(refused >= 4);
	}
}

static void test_undo_without_memory_fails_or_undoes(void **state)
{
	static const char *const set[][3] = {{QSP, "1.5.3", "32000"}};
	unsigned undone = 0, left = 0;

	(void)state;
	for (unsigned n = 1;; n++) {
		struct mo_world *w = make_world();
		enum mo_error error;
		bool enough;

		assert_int_equal(mo_world_test(w, set, 1), MO_NO_ERROR);
		assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
		fail_later(w, n);
		error = mo_world_phase(w, MO_OP_UNDO);
		enough = !has_failed();
		assert_true(error == MO_NO_ERROR || error == MO_UNDO_FAILED);
		assert_value(w, QSP, "1.5.3", error ? "32000" : "31000");
		left += error != MO_NO_ERROR;
		undone += error == MO_NO_ERROR;
		mo_world_free(w);
		if (enough)
			break;
	}
	assert_true(left >= 2);
	assert_true(undone >= 1);
}

static void test_port_without_memory_is_not_added(void **state)
{
	static const struct port_settings settings = {0};
	unsigned refused = 0;

	(void)state;
	for (unsigned n = 2;; n++) { /* the fake provider makes the first allocation */
		struct mo_world *w = make_world();
		struct link_info link = mo_world_link(12, "sw12", "");
		char err[128] = "";
		bool added, enough;

		fail_later(w, n);
		added = managed_port_add(w->m, &link, &settings, err, sizeof(err));
		enough = !has_failed();
		if (!added) {
			assert_string_equal(err, "sw12: out of memory");
			refused++;
		}
		assert_int_equal(w->provider.n_open, added ? 4 : 3);
		assert_int_equal(w->m->config->n_ports, added ? 4 : 3);
		assert_column(w, QSP, added ? BEFORE_QSP " 1.12.3=26000" : BEFORE_QSP);
		mo_world_adopt(w);
		mo_world_free(w);
		if (enough)
			break;
	}
	assert_true(refused >= 1);
}

/* The port is removed and its settings are kept, or the port stays. */
static void test_port_without_memory_is_not_removed(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (unsigned n = 1;; n++) {
		struct mo_world *w = make_world();
		bool removed, enough;

		fail_later(w, n);
		removed = managed_interface_gone(w->m, 5);
		enough = !has_failed();
		refused += !removed;
		assert_int_equal(w->m->config->n_ports, removed ? 2 : 3);
		assert_column(w, QSP, removed ? "1.3.3=26000 1.9.3=26000" : BEFORE_QSP);
		if (removed && enough) {
			mo_world_adopt(w);
			mo_world_add_port(w, 5, "sw5", "uplink");
			assert_column(w, QSP, BEFORE_QSP);
		}
		mo_world_free(w);
		if (enough)
			break;
	}
	assert_true(refused >= 2);
}

/* If memory runs out when an interface gets its alias, the port keeps default settings. */
static void test_settings_without_memory_are_not_restored(void **state)
{
	unsigned fresh = 0;

	(void)state;
	for (unsigned n = 1;; n++) {
		struct mo_world *w = make_world();
		struct link_info link = mo_world_link(12, "sw12", "uplink");
		bool enough;

		assert_true(managed_interface_gone(w->m, 5));
		mo_world_adopt(w);
		mo_world_add_port(w, 12, "sw12", "");
		fail_later(w, n);
		managed_port_update(w->m, managed_find(w->m, 12), &link);
		enough = !has_failed();
		if (w->m->config->ports[2].config == w->m->config->fresh)
			fresh++;
		else
			assert_value(w, QSP, "1.12.3", "31000");
		mo_world_adopt(w);
		mo_world_free(w);
		if (enough)
			break;
	}
	assert_true(fresh >= 2);
}

static void test_state_without_memory_is_loaded_completely_or_not(void **state)
{
	unsigned refused = 0;

	(void)state;
	for (unsigned n = 1;; n++) {
		struct mo_world *w = make_world();
		enum persist_result result;
		char err[256] = "";
		bool enough;

		mo_world_restart(w);
		mo_world_add_port(w, 3, "sw3", ""); /* "uplink" is absent */
		fail_later(w, n);
		result = persist_load(w->m, w->state, true, err, sizeof(err));
		enough = !has_failed();
		if (result != PERSIST_LOADED) {
			assert_int_equal(result, PERSIST_DAMAGED);
			assert_non_null(strstr(err, "/state:"));
			refused++;
		}
		assert_column(w, QSP, result == PERSIST_LOADED ? "1.3.3=26000" : "");
		mo_world_adopt(w);
		if (enough) {
			mo_world_add_port(w, 5, "sw5", "uplink");
			assert_column(w, QSP, "1.3.3=26000 1.5.3=31000");
		}
		mo_world_free(w);
		if (enough)
			break;
	}
	assert_true(refused >= 4);
}

/* After those for the text and the keys of the ports, one is for the record of an absent interface.
 */
static void test_record_without_memory_fails_the_load(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[256];

	(void)state;
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "5", "55"}), MO_NO_ERROR);
	mo_world_restart(w);
	fail_later(w, 6);
	assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)), PERSIST_DAMAGED);
	assert_true(has_failed());
	assert_non_null(strstr(err, ": out of memory"));
	mo_world_load(w);
	mo_world_free(w);
}

static void test_managed_without_memory_is_not_created(void **state)
{
	static const struct conf conf = {.role = ROLE_BRIDGE, .component_id = 1};
	struct fake_provider provider;
	struct provider *const providers[] = {&provider.provider};
	struct mo_session *session;
	struct mo_service *service;
	struct managed *m = NULL;
	unsigned n;

	(void)state;
	fake_provider_init(&provider);
	for (n = 1; !m; n++) {
		fail_at(n);
		m = managed_conf_new(&conf, providers, 1);
		assert_int_equal(m == NULL, has_failed());
	}
	assert_true(n > 4);
	fail_at(1);
	assert_null(mo_service_new(m, NULL, 1));
	assert_true(has_failed());
	service = mo_service_new(m, NULL, 1);
	fail_at(1);
	assert_null(session = mo_session_new(service, MO_MAY_ALL));
	assert_true(has_failed());
	mo_session_free(session);
	mo_service_free(service);
	managed_free(m);
}

/* --- neighbors ----------------------------------------------------------------- */

/* Returns the priorities with PFC in force on sw5, one bit each. */
static uint8_t pfc_in_force(const struct mo_world *w)
{
	return w->m->config->ports[managed_find(w->m, 5)].oper.pfc_enable;
}

/* Returns the application priorities of the neighbor, if they are in force on sw5. */
static const struct peer_apps *apps_in_force(const struct mo_world *w)
{
	return w->m->config->ports[managed_find(w->m, 5)].peer_apps;
}

static void make_willing(struct mo_world *w)
{
	struct dcb_config *config = dcb_config_copy(w->m->config);
	struct provider_refusal why;

	dcb_config_edit_port(config, managed_find(w->m, 5))->dcbx =
	    (struct dcbx_config){.tx_enable = 1u << DCB_TLV_PFC, .pfc_willing = true};
	assert_true(managed_publish(w->m, config, &why));
	managed_run(w->m, clock_now());
	mo_world_adopt(w);
}

/* The neighbor's change is in force, or it is logged and repeated after a second. */
static void test_neighbor_without_memory_is_retried(void **state)
{
	const struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x18},
				      .app = {.n = 1, .of = {{2, 4, 3260}}}};
	unsigned late = 0;
	bool enough = false;

	(void)state;
	for (unsigned n = 1; !enough; n++) {
		struct mo_world *w = make_world();
		struct lldp_remote r = neighbor("sw5", 9);
		struct dcb_time now, next;
		struct log_capture c;
		char text[512];

		make_willing(w);
		says(&r, DCB_TLV_PFC, &tlvs);
		says(&r, DCB_TLV_APP, &tlvs);
		lldp_ports_events.remote(w->m->lldp, &r);
		now = clock_now();
		c = log_watch(LOG_LEVEL_ERROR);
		fail_later(w, n);
		next = managed_run(w->m, now);
		enough = !has_failed();
		log_watched(&c, text, sizeof(text));
		if (pfc_in_force(w) != 0x18) {
			assert_int_equal(pfc_in_force(w), 0);
			assert_null(apps_in_force(w));
			assert_string_equal(text,
					    "<3>prog: lldp: neighbor change not applied: "
					    "out of memory; retry in 1 s\n");
			assert_int_equal(next.ns, now.ns + DCB_NS_PER_S);
			late++;
		}
		managed_run(w->m, next);
		assert_int_equal(pfc_in_force(w), 0x18);
		assert_non_null(apps_in_force(w));
		assert_int_equal(apps_in_force(w)->tlv.of[0].protocol, 3260);
		mo_world_adopt(w);
		mo_world_free(w);
	}
	assert_true(late >= 1);
}

/* managed_run() without a change allocates no memory. */
static void test_run_without_change_allocates_nothing(void **state)
{
	const struct dcb_tlvs tlvs = {.pfc = {.cap = 8, .enable = 0x18}};
	struct mo_world *w = make_world();
	struct lldp_remote r = neighbor("sw5", 9);

	(void)state;
	make_willing(w);
	says(&r, DCB_TLV_PFC, &tlvs);
	lldp_ports_events.remote(w->m->lldp, &r);
	managed_run(w->m, clock_now());
	assert_int_equal(pfc_in_force(w), 0x18);
	fail_at(1);
	managed_run(w->m, clock_now());
	assert_false(has_failed());
	mo_world_adopt(w);
	mo_world_free(w);
}

/* A neighbor without memory is not added; it is when it is received again. */
static void test_neighbor_without_memory_is_not_added(void **state)
{
	unsigned refused = 0;
	bool enough = false;

	(void)state;
	for (unsigned n = 1; !enough; n++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		struct lldp_remote r = neighbor("sw5", 9);
		struct log_capture c;
		char text[512];
		size_t known;

		c = log_watch(LOG_LEVEL_ERROR);
		fail_at(n);
		lldp_ports_events.remote(w->m->lldp, &r);
		enough = !has_failed();
		log_watched(&c, text, sizeof(text));
		lldp_ports_neighbors(w->m->lldp, &known);
		assert_int_equal(known, enough);
		assert_string_equal(
		    text, enough ? "" : "<3>prog: lldp: sw5: out of memory: neighbor ignored\n");
		refused += !enough;
		lldp_ports_events.remote(w->m->lldp, &r);
		lldp_ports_neighbors(w->m->lldp, &known);
		assert_int_equal(known, 1);
		mo_world_free(w);
	}
	assert_int_equal(refused, 3); /* the neighbor, and its place in two arrays */
}

/* Without memory an LLDPDU is as one that the port did not receive; the next one is kept. */
static void test_lldpdu_without_memory_is_not_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct port *port = w->m->config->ports[managed_find(w->m, 5)].port;
	struct lldp_remote r = neighbor("sw5", 9);
	const struct lldp_neighbor *const *all;
	struct lldpdu pdu = {.nearest = true, .ttl = 120};
	size_t n;

	(void)state;
	lldp_ports_events.remote(w->m->lldp, &r);
	all = lldp_ports_neighbors(w->m->lldp, &n);
	assert_int_equal(n, 1);
	pdu.msap = all[0]->msap;
	for (unsigned kept = 0; kept < 2; kept++) {
		fail_at(kept ? 0 : 1);
		lldp_ports_heard(w->m->lldp, port->slot, &pdu, clock_now());
		assert_int_equal(has_failed(), !kept);
		assert_int_equal(all[0]->address_origin == LLDP_ADDRESS_SOURCE, kept);
	}
	mo_world_free(w);
}

/* --- dataplane ----------------------------------------------------------------- */

/* The size of the pool exceeds the address space. */
static void test_frame_pool_beyond_memory_is_refused(void **state)
{
	struct frame_pool pool;

	(void)state;
	assert_false(frame_pool_init(&pool, UINT32_MAX, UINT32_C(1) << 28));
	assert_null(pool.memory);
	frame_pool_destroy(&pool);
	assert_true(frame_pool_init(&pool, 1, 100));
	assert_non_null(frame_pool_get(&pool));
	assert_null(frame_pool_get(&pool));
	frame_pool_destroy(&pool);
}

/* Each call keeps its allocations: the next call makes the others. */
static void check_flow_queues_without_memory(struct soft_port *port)
{
	struct port_config config = {.rp_port_pri[3].rppp_max_rps = 1,
				     .rp_port_pri[4].rppp_max_rps = 2};

	for (unsigned i = 1; i <= 4; i++) {
		fail_at(1);
		assert_false(station_port_prepare(port, 1 << 3 | 1 << 4, &config, 0));
		assert_true(has_failed());
		fail_at(2);
		assert_int_equal(station_port_prepare(port, 1 << 3 | 1 << 4, &config, 0), i == 4);
	}
	fail_at(1);
	assert_true(station_port_prepare(port, 1 << 3 | 1 << 4, &config, 0));
	assert_false(has_failed());
}

static void test_station_without_memory_is_not_created(void **state)
{
	struct station_params params = {.frame_buffers = 16, .frame_octets = 2048, .seed = 1};
	struct soft_port port = {.up = false};
	struct station st;

	(void)state;
	fail_at(1);
	assert_false(station_init(&st, &params, NULL, NULL));
	assert_true(has_failed());
	assert_true(station_init(&st, &params, NULL, NULL));
	fail_at(1);
	assert_false(station_port_new(&port, NULL));
	assert_true(has_failed());
	assert_null(port.station);
	assert_null(station_port_host(&port));
	assert_true(station_port_new(&port, NULL));
	check_flow_queues_without_memory(&port);
	station_port_free(&port);
	station_destroy(&st);
	params.frame_buffers = UINT32_MAX;
	params.frame_octets = UINT32_C(1) << 20; /* memory for the scratch buffer, not the pool */
	assert_false(station_init(&st, &params, NULL, NULL));
}

static void test_bridge_without_memory_is_not_created(void **state)
{
	const struct bridge_params params = {
	    .frame_buffers = 16, .frame_octets = 2048, .fdb_entries = 10, .seed = 1};
	struct bridge b;
	bool made = false;

	(void)state;
	for (unsigned n = 1; !made; n++) {
		fail_at(n);
		made = bridge_init(&b, &params, NULL, NULL);
		assert_int_equal(made, !has_failed());
	}
	bridge_destroy(&b);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_request_without_memory_is_refused),
	    cmocka_unit_test(test_set_without_memory_is_all_or_nothing),
	    cmocka_unit_test(test_commit_without_memory_after_a_new_port),
	    cmocka_unit_test(test_each_set_without_memory_is_all_or_nothing),
	    cmocka_unit_test(test_undo_without_memory_fails_or_undoes),
	    cmocka_unit_test(test_port_without_memory_is_not_added),
	    cmocka_unit_test(test_port_without_memory_is_not_removed),
	    cmocka_unit_test(test_settings_without_memory_are_not_restored),
	    cmocka_unit_test(test_state_without_memory_is_loaded_completely_or_not),
	    cmocka_unit_test(test_record_without_memory_fails_the_load),
	    cmocka_unit_test(test_managed_without_memory_is_not_created),
	    cmocka_unit_test(test_neighbor_without_memory_is_retried),
	    cmocka_unit_test(test_run_without_change_allocates_nothing),
	    cmocka_unit_test(test_neighbor_without_memory_is_not_added),
	    cmocka_unit_test(test_lldpdu_without_memory_is_not_kept),
	    cmocka_unit_test(test_frame_pool_beyond_memory_is_refused),
	    cmocka_unit_test(test_station_without_memory_is_not_created),
	    cmocka_unit_test(test_bridge_without_memory_is_not_created),
	};

	log_init("test_out_of_memory", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
