/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of errored ports, of the PFC watchdog and of DCBX. */
#include "lib/log.h"
#include "lib/mo/mo_event.h"
#include "control/event_watch.h"
#include "tests/unit/control/managed/stored_event.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* --- errored ports --------------------------------------------------------------------- */

/* The event of this number is of this kind and about this row. */
static void expect(struct mo_world *w, uint64_t number, enum mo_notification_id id,
		   const char *instance)
{
	struct mo_event ev = event_at(w->m->events, number);
	char index[64];

	assert_int_equal(ev.id, id);
	assert_int_equal(ev.n, 1);
	mo_index_format(&ev.vbs[0].index, index, sizeof(index));
	assert_string_equal(index, instance);
	assert_int_equal(ev.vbs[0].value.num, ev.vbs[0].index.sub[2]);
}

#define ALTERNATE "ieee8021CnPortPriAlternatePriority"

static void test_errored_port_rows_raise_events(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.4", "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(events_next(w->m->events), 1);
	assert_int_equal(SET(w, {ALTERNATE, "1.3.5", "4"}, {ALTERNATE, "1.4.9", "3"}), MO_NO_ERROR);
	assert_column(w, "ieee8021CnEpIfIndex", "1.3.5=5 1.4.9=9");
	expect(w, 1, CREATED, "1.3.5");
	expect(w, 2, CREATED, "1.4.9");
	/* Other changes, even of the same port, raise no event. */
	assert_int_equal(SET(w, {QSP, "1.5.3", "30000"}), MO_NO_ERROR);
	assert_int_equal(events_next(w->m->events), 3);
	assert_int_equal(SET(w, {ALTERNATE, "1.3.5", "2"}), MO_NO_ERROR);
	expect(w, 3, DELETED, "1.3.5");
	assert_int_equal(SET(w, {STATUS, "1.3", "destroy"}), MO_NO_ERROR);
	expect(w, 4, DELETED, "1.4.9");
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	expect(w, 5, CREATED, "1.4.9");
	/* The row is deleted with its port. */
	assert_true(managed_interface_gone(w->m, 9));
	expect(w, 6, DELETED, "1.4.9");
	mo_world_add_port(w, 9, "sw9", "");
	expect(w, 7, CREATED, "1.4.9");
	/* After a start events are raised for existing rows. */
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, "ieee8021CnEpIfIndex", "1.4.9=9");
	expect(w, 1, CREATED, "1.4.9");
	assert_int_equal(events_next(w->m->events), 2);
	mo_world_free(w);
}

/* --- PFC watchdog, DCBX mismatch ------------------------------------------------------- */

static void expect_objects(struct mo_world *w, uint64_t number, enum mo_notification_id id,
			   const char *objects)
{
	struct mo_event ev = event_at(w->m->events, number);
	char text[MO_EVENT_TEXT];

	assert_int_equal(ev.id, id);
	mo_event_objects(&ev, text, sizeof(text));
	assert_string_equal(text, objects);
}

static void test_storm_event_has_objects(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port); /* ifIndex 5 */
	struct pfc_watchdog_stats *stats = &port->watchdog[3];

	(void)state;
	*stats = (struct pfc_watchdog_stats){
	    .state = PFC_WATCHDOG_STORM,
	    .storms = 7,
	    .ended = 6,
	    .dropped_storm = UINT64_C(1) << 33,
	    .action = PFC_WATCHDOG_DROP,
	    .cause = PFC_STORM_DUTY_CYCLE,
	    .end = PFC_STORM_LASTS,
	    .detected_ns = (uint64_t)w->m->started.ns + 5000000000,
	    .blocked_ns = 412 * DCB_NS_PER_MS,
	    .queue_octets = 90000,
	    .queue_frames = 60,
	    .indications_before = 21,
	};
	event_watch_storm(w->m, port->port.slot, 1 << 3, 0, at_ms(0));
	expect_objects(w, 1, MO_NOTIFY_pfc_storm,
		       "dcbPfcStormAction.5.3 = drop, dcbPfcStormCause.5.3 = dutyCycle, "
		       "dcbPfcStormBlockedTime.5.3 = 412, "
		       "dcbPfcStormQueueOctets.5.3 = 90000, dcbPfcStormQueueFrames.5.3 = 60, "
		       "dcbPfcStormIndicationsBefore.5.3 = 21, dcbPfcWatchdogStorms.5.3 = 7");
	stats->end = PFC_STORM_PAUSE_OVER;
	stats->ended_ns = stats->detected_ns + 3210 * (uint64_t)DCB_NS_PER_MS;
	stats->paused_ns = 1210 * DCB_NS_PER_MS;
	stats->indications = 99;
	event_watch_storm(w->m, port->port.slot, 0, 1 << 3, at_ms(0));
	expect_objects(w, 2, MO_NOTIFY_pfc_storm_restored,
		       "dcbPfcStormEnd.5.3 = pauseOver, dcbPfcStormLasted.5.3 = 3210, "
		       "dcbPfcStormPauseTime.5.3 = 1210, dcbPfcStormIndications.5.3 = 99, "
		       "dcbPfcWatchdogDroppedStorm.5.3 = 4294967295");
	event_watch_storm(w->m, port->port.slot, 0xf0, 0x0f, at_ms(0));
	assert_int_equal(events_next(w->m->events), 11);
	event_watch_storm(w->m, 4000, 0xff, 0, at_ms(0)); /* no port has this slot */
	assert_int_equal(events_next(w->m->events), 11);
	mo_world_free(w);
}

/* One event for each priority of the mask, of a storm and of its end. */
static void test_storm_of_each_priority(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[0].port); /* ifIndex 3 */

	(void)state;
	event_watch_storm(w->m, port->port.slot, 0xff, 0, at_ms(0));
	assert_int_equal(events_next(w->m->events), 9);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct mo_event ev = event_at(w->m->events, p + 1);

		assert_int_equal(ev.id, MO_NOTIFY_pfc_storm);
		assert_int_equal(ev.n, 7);
		assert_int_equal(ev.vbs[0].index.n, 2);
		assert_int_equal(ev.vbs[0].index.sub[0], 3);
		assert_int_equal(ev.vbs[0].index.sub[1], p);
	}
	event_watch_storm(w->m, port->port.slot, 0, 0xff, at_ms(0));
	assert_int_equal(events_next(w->m->events), 17);
	assert_int_equal(event_at(w->m->events, 16).id, MO_NOTIFY_pfc_storm_restored);
	mo_world_free(w);
}

/* A provider without a watchdog, as "observe", has no statistics of storms. */
static void test_port_without_watchdog_has_no_storm_event(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port *port = w->m->config->ports[0].port;

	(void)state;
	port->has &= ~(uint32_t)PROVIDER_WATCHDOG;
	w->provider.ops.read_pfc_watchdog = NULL;
	event_watch_storm(w->m, port->slot, 0, 0xff, at_ms(0));
	assert_int_equal(events_next(w->m->events), 1);
	mo_world_free(w);
}

/* A mismatch is logged and raises an event; not for a port that is gone. */
static void test_mismatch_is_logged_and_raised(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct port *port = w->m->config->ports[1].port;
	struct port gone = {.slot = 4000};
	struct log_capture c;
	struct mo_event ev;
	char text[512];

	(void)state;
	c = log_watch(LOG_LEVEL_WARN);
	event_watch_ops.mismatch(w->m, port, true, at_ms(0));
	event_watch_ops.mismatch(w->m, port, false, at_ms(0));
	event_watch_ops.mismatch(w->m, &gone, true, at_ms(0));
	log_watched(&c, text, sizeof(text));
	assert_string_equal(text,
			    "<4>prog: lldp: sw5: DCBX settings do not match the neighbor's\n");
	assert_int_equal(events_next(w->m->events), 3);
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_dcbx_mismatch);
	assert_true(ev.n > 0);
	assert_int_equal(ev.vbs[0].index.sub[0], 5);
	assert_int_equal(event_at(w->m->events, 2).id, MO_NOTIFY_dcbx_mismatch_cleared);
	mo_world_free(w);
}

/* A neighbor that changes its mind with each LLDPDU fills no log. */
static void test_mismatch_log_has_the_limit_of_its_event(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct port *port = w->m->config->ports[1].port;
	struct log_capture c;
	char text[65536];

	(void)state;
	assert_int_equal(
	    SET(w, {"dcbNotifyDcbxMismatch", "0", "false"}, {"dcbNotifyRateLimit", "0", "10"}),
	    MO_NO_ERROR);
	c = log_watch(LOG_LEVEL_INFO);
	for (unsigned i = 0; i < 200; i++)
		event_watch_ops.mismatch(w->m, port, i % 2 == 0, at_ms(i));
	log_watched(&c, text, sizeof(text));
	assert_int_equal(count_of(text, "DCBX settings"), 2 * 10);
	mo_world_free(w);
}

static void test_notify_objects(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, "dcbNotifyErroredPortCreated", "0=true");
	assert_column(w, "dcbNotifyRateLimit", "0=120");
	assert_int_equal(SET(w, {"dcbNotifyErroredPortDeleted", "0", "false"},
			     {"dcbNotifyRateLimit", "0", "7"}, {STATUS, "1.3", "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {"dcbNotifyRateLimit", "0", "60001"}), MO_WRONG_VALUE);
	assert_int_equal(SET(w, {"dcbNotifySent", "0", "0"}), MO_NOT_WRITABLE);
	raise_some(w, 9);
	assert_column(w, "dcbNotifySent", "0=9");
	mo_world_restart(w);
	mo_world_load(w);
	assert_column(w, "dcbNotifyErroredPortCreated", "0=true");
	assert_column(w, "dcbNotifyErroredPortDeleted", "0=false");
	assert_column(w, "dcbNotifyRateLimit", "0=7");
	assert_column(w, "dcbNotifySent", "0=0");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_errored_port_rows_raise_events),
	    cmocka_unit_test(test_storm_event_has_objects),
	    cmocka_unit_test(test_storm_of_each_priority),
	    cmocka_unit_test(test_port_without_watchdog_has_no_storm_event),
	    cmocka_unit_test(test_mismatch_is_logged_and_raised),
	    cmocka_unit_test(test_mismatch_log_has_the_limit_of_its_event),
	    cmocka_unit_test(test_notify_objects),
	};

	log_level = LOG_LEVEL_ERROR;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
