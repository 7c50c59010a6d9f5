/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread of the view socket. This thread is the control thread, and never runs an event loop:
 * it is busy with other work for the whole test, and clients are served all the same.
 */
#include "tests/unit/unit.h"
#include "tests/unit/mo_world.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "control/event_watch.h"
#include "control/view.h"
#include "lib/clock.h"
#include "lib/log.h"
#include "lib/mo/mo_client.h"
#include "lib/mo/mo_event.h"

#define ALLOWANCE  "ieee8021PfcLinkDelayAllowance"
#define PATIENT_MS 60000
#define HASTY_MS   50
#define SETS       300
#define VALUES     60000

struct viewed {
	struct mo_world *w;
	struct view *view;
	char path[96];
};

static struct viewed view_begin(void)
{
	struct viewed v = {.w = mo_world_new(ROLE_BRIDGE)};
	const struct ctl_server_config config = {.control = "/nonexistent/control", .view = v.path};
	char err[256];

	snprintf(v.path, sizeof(v.path), "%s/view", v.w->dir);
	v.view = view_new(v.w->m, v.w->service, &config, err, sizeof(err));
	if (!v.view)
		fail_msg("%s", err);
	assert_true(view_start(v.view));
	return v;
}

static void view_end(const struct viewed *v)
{
	view_free(v->view);
	assert_int_not_equal(access(v->path, F_OK), 0);
	mo_world_free(v->w);
}

/* Returns a client of the view socket; the control socket does not exist. */
static struct mo_client *client_of(const struct viewed *v, unsigned timeout_ms)
{
	struct mo_client *c = mo_client_new("/nonexistent/control", timeout_ms);

	assert_non_null(c);
	assert_true(mo_client_use_view(c, v->path));
	return c;
}

static enum mo_client_status read_all(struct mo_client *c, enum mo_table_id table,
				      struct mo_page *page)
{
	return mo_client_read(c, table, 0, &(struct mo_index){0}, 1000, page);
}

static void test_rows_are_read_while_the_control_thread_is_busy(void **state)
{
	struct viewed v = view_begin();
	struct mo_client *c = client_of(&v, PATIENT_MS);
	struct mo_page page = {0};

	(void)state;
	for (unsigned t = 0; t < MO_TABLES; t++)
		assert_int_equal(read_all(c, (enum mo_table_id)t, &page), MO_CLIENT_OK);
	assert_int_equal(read_all(c, MO_port, &page), MO_CLIENT_OK);
	assert_int_equal(page.n_rows, 3);
	mo_page_free(&page);
	mo_client_free(c);
	view_end(&v);
}

/* A reader waits for the end of a change, and sees nothing of it before. */
static void test_reader_waits_while_the_state_changes(void **state)
{
	struct viewed v = view_begin();
	struct mo_client *hasty = client_of(&v, HASTY_MS), *patient = client_of(&v, PATIENT_MS);
	struct mo_page page = {0};

	(void)state;
	assert_int_equal(read_all(patient, MO_port, &page), MO_CLIENT_OK);
	state_change_begin(v.w->m->lock);
	assert_int_equal(read_all(hasty, MO_port, &page), MO_CLIENT_TIMEOUT);
	mo_world_add_port(v.w, 11, "sw11", "");
	state_change_end(v.w->m->lock);
	assert_int_equal(read_all(patient, MO_port, &page), MO_CLIENT_OK);
	assert_int_equal(page.n_rows, 4);
	mo_page_free(&page);
	mo_client_free(hasty);
	mo_client_free(patient);
	view_end(&v);
}

static bool is_copying, has_changed, was_late; /* atomic: what slow_read() and the test have seen */

static bool slow_read(const struct provider *p, struct fdb_addresses *out)
{
	struct dcb_time end = dcb_time_add_ns(clock_now(), PATIENT_MS / 6 * DCB_NS_PER_MS);

	(void)p;
	*out = (struct fdb_addresses){.n = 0};
	__atomic_store_n(&is_copying, true, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&has_changed, __ATOMIC_SEQ_CST)) {
		if (dcb_time_before(end, clock_now())) {
			__atomic_store_n(&was_late, true, __ATOMIC_SEQ_CST);
			break;
		}
		(void)usleep(1000);
	}
	return true;
}

/* The provider ends the copy of its addresses only after the control thread has changed the state.
 */
static void test_copy_of_addresses_does_not_delay_a_change(void **state)
{
	struct viewed v = view_begin();
	struct mo_client *hasty = client_of(&v, HASTY_MS), *patient = client_of(&v, PATIENT_MS);
	struct mo_page page = {0};

	(void)state;
	v.w->provider.ops.read_addresses = slow_read;
	while (!__atomic_load_n(&is_copying, __ATOMIC_SEQ_CST))
		assert_int_not_equal(read_all(hasty, MO_trill_fdb, &page), MO_CLIENT_OK);
	state_change_begin(v.w->m->lock);
	__atomic_store_n(&has_changed, true, __ATOMIC_SEQ_CST);
	state_change_end(v.w->m->lock);
	assert_int_equal(read_all(patient, MO_trill_fdb, &page), MO_CLIENT_OK);
	assert_int_equal(page.n_rows, 0);
	assert_false(__atomic_load_n(&was_late, __ATOMIC_SEQ_CST));
	mo_page_free(&page);
	mo_client_free(hasty);
	mo_client_free(patient);
	view_end(&v);
}

static void test_event_of_the_control_thread_is_sent(void **state)
{
	struct viewed v = view_begin();
	struct mo_client *c = client_of(&v, PATIENT_MS);
	struct mo_event ev;

	(void)state;
	log_level = LOG_LEVEL_ERROR;
	assert_int_equal(mo_client_subscribe(c, 0), MO_CLIENT_OK);
	for (unsigned i = 0; i < 100; i++) {
		event_watch_storm(v.w->m, v.w->m->config->ports[0].port->slot, 1 << 3, 0,
				  clock_now());
		assert_int_equal(mo_client_event(c, &ev), MO_CLIENT_OK);
		assert_int_equal(ev.id, MO_NOTIFY_pfc_storm);
		assert_int_equal(ev.number, i + 1);
	}
	mo_client_free(c);
	view_end(&v);
}

static void test_view_sets_nothing(void **state)
{
	struct viewed v = view_begin();
	struct mo_client *c = client_of(&v, PATIENT_MS);
	const struct mo_column *col;
	const struct mo_table *table;
	struct mo_varbind vb = {.index = {1, {3}}};
	enum mo_error error;
	unsigned at;

	(void)state;
	col = mo_column_by_name(ALLOWANCE, &table);
	vb.table = table->id;
	vb.subid = col->subid;
	assert_true(mo_parse(col, "777", &vb.value));
	assert_int_equal(mo_client_test(c, 1, &vb, 1, &error, &at), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_NO_ACCESS);
	assert_int_equal(mo_client_commit(c, 1, &error, &at), MO_CLIENT_REFUSED);
	assert_int_equal(error, MO_COMMIT_FAILED);
	assert_int_equal(mo_client_cleanup(c, 1), MO_CLIENT_OK);
	mo_client_free(c);
	view_end(&v);
}

/* --- SETs, ports that come and go, and a client that reads all the time ------------------- */

struct walker {
	const struct viewed *v;
	bool end;       /* atomic */
	unsigned pages; /* atomic: read with ALLOWANCE */
	unsigned torn;  /* of them with different values */
	unsigned failed;
};

/* Returns whether the ports of the page have the same value, which is the last SET's. */
static bool is_whole(const struct mo_page *page)
{
	const struct mo_table *table;
	const struct mo_column *col = mo_column_by_name(ALLOWANCE, &table);
	struct mo_value first, other;

	for (unsigned i = 0; i < page->n_rows; i++)
		if (!mo_page_value(page, i, col, i ? &other : &first) ||
		    (i && other.num != first.num))
			return false;
	return true;
}

static void *walker_run(void *arg)
{
	struct walker *w = arg;
	struct mo_client *c = client_of(w->v, PATIENT_MS);
	struct mo_page page = {0};
	const struct mo_table *table;

	(void)mo_column_by_name(ALLOWANCE, &table);
	while (!__atomic_load_n(&w->end, __ATOMIC_RELAXED)) {
		for (unsigned t = 0; t < MO_TABLES; t++) {
			w->failed += read_all(c, (enum mo_table_id)t, &page) != MO_CLIENT_OK;
			w->torn += t == (unsigned)table->id && !is_whole(&page);
		}
		__atomic_add_fetch(&w->pages, 1, __ATOMIC_RELAXED);
	}
	mo_page_free(&page);
	mo_client_free(c);
	return NULL;
}

static void set_all(struct viewed *v, unsigned value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	assert_int_equal(
	    SET(v->w, {ALLOWANCE, "3", text}, {ALLOWANCE, "5", text}, {ALLOWANCE, "9", text}),
	    MO_NO_ERROR);
}

/* A port that is new has the initial value: it comes and goes between two equal values. */
static void add_and_remove_port(struct viewed *v)
{
	state_change_begin(v->w->m->lock);
	mo_world_add_port(v->w, 4, "sw4", "");
	assert_int_equal(SET(v->w, {"dcbPfcHeadroomResponse", "4", "81000"}), MO_NO_ERROR);
	assert_true(managed_port_remove(v->w->m, 1));
	state_change_end(v->w->m->lock);
	mo_world_adopt(v->w);
}

static void flap(struct viewed *v, bool up)
{
	struct link_info link = v->w->m->config->ports[2].port->link;

	link.up = up;
	managed_port_update(v->w->m, 2, &link);
	managed_run(v->w->m, clock_now());
	mo_world_adopt(v->w);
}

static void test_no_reader_sees_half_of_a_set(void **state)
{
	uint64_t seed = unit_seed();
	struct viewed v = view_begin();
	struct walker w = {.v = &v};
	pthread_t thread;

	(void)state;
	srandom((unsigned)seed);
	log_level = LOG_LEVEL_ERROR;
	set_all(&v, 1);
	assert_int_equal(pthread_create(&thread, NULL, walker_run, &w), 0);
	for (unsigned i = 0; i < SETS || __atomic_load_n(&w.pages, __ATOMIC_RELAXED) < 10; i++) {
		set_all(&v, (unsigned)random() % VALUES);
		if (i % 8 == 0)
			add_and_remove_port(&v);
		flap(&v, i % 2);
		event_watch_storm(v.w->m, v.w->m->config->ports[0].port->slot, 1 << i % 8, 0,
				  clock_now());
	}
	__atomic_store_n(&w.end, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	print_message("%u times all tables\n", w.pages);
	assert_int_equal(w.failed, 0);
	assert_int_equal(w.torn, 0);
	view_end(&v);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_read_while_the_control_thread_is_busy),
	    cmocka_unit_test(test_reader_waits_while_the_state_changes),
	    cmocka_unit_test(test_copy_of_addresses_does_not_delay_a_change),
	    cmocka_unit_test(test_event_of_the_control_thread_is_sent),
	    cmocka_unit_test(test_view_sets_nothing),
	    cmocka_unit_test(test_no_reader_sees_half_of_a_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
