/* SPDX-License-Identifier: BSD-3-Clause */
/* Discards that event_poll() finds: headroom that does not suffice, and the transit delay. */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/log.h"
#include "lib/mo/mo_event.h"
#include "control/event_watch.h"
#include "dataplane/config/port_headroom.h"

static struct dcb_time at_ms(int64_t ms)
{
	return (struct dcb_time){ms * DCB_NS_PER_MS};
}

static struct mo_event event_at(struct events *e, uint64_t number)
{
	uint64_t at = number;
	struct mo_msg_header h;
	struct mo_event ev;
	size_t len;
	const uint8_t *octets = events_at(e, &at, &len);
	struct octets_in in = octets_in(octets, octets ? len : 0);

	assert_non_null(octets);
	assert_int_equal(at, number);
	assert_true(mo_msg_get_header(&in, &h));
	mo_msg_get_event(&in, &ev);
	assert_false(in.overrun);
	return ev;
}

/* Each priority with PFC in force is polled, on the first and the last port too; no other is. */
static void test_headroom_of_each_priority(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	uint64_t number = 1;

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.0", "true"},
			     {"dcbPfcPriorityEnable", "9.7", "true"}),
			 MO_NO_ERROR);
	for (size_t i = 0; i < 3; i++)
		for (unsigned p = 0; p < DCB_PRIORITIES; p++)
			fake_port(w->m->config->ports[i].port)->pfc[p].pfc_discards = 1;
	event_poll(poll, w->m, at_ms(1000));
	assert_int_equal(events_next(w->m->events), 3);
	for (uint32_t ifindex = 3; number < 3; number++, ifindex = 9) {
		struct mo_event ev = event_at(w->m->events, number);

		assert_int_equal(ev.vbs[0].index.sub[0], ifindex);
		assert_int_equal(ev.vbs[0].index.sub[1], ifindex == 3 ? 0 : 7);
	}
	/* A port without the capability PROVIDER_PFC_BUFFER is not polled. */
	fake_port(w->m->config->ports[0].port)->port.has &= ~(uint32_t)PROVIDER_PFC_BUFFER;
	fake_port(w->m->config->ports[0].port)->pfc[0].pfc_discards = 0;
	event_poll(poll, w->m, at_ms(2000));
	fake_port(w->m->config->ports[0].port)->pfc[0].pfc_discards = 1;
	event_poll(poll, w->m, at_ms(3000));
	assert_int_equal(events_next(w->m->events), 3);
	event_poll_free(poll);
	mo_world_free(w);
}

static void test_headroom_event_once_a_minute(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);
	struct event_poll *poll = event_poll_new(1000);
	struct mo_event ev;

	(void)state;
	assert_non_null(poll);
	port->pfc[3].pfc_discards = 5;
	event_poll(poll, w->m, at_ms(1000));
	assert_int_equal(events_next(w->m->events), 1); /* the priority has no PFC */
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}), MO_NO_ERROR);
	event_poll(poll, w->m, at_ms(2000));
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_pfc_headroom_insufficient);
	assert_int_equal(ev.n, 4);
	assert_int_equal(ev.vbs[0].index.sub[1], 3);
	assert_int_equal(ev.vbs[3].index.n, 1);
	/* While discards continue no event is raised, until a minute without any. */
	for (int64_t s = 3; s < 100; s++) {
		port->pfc[3].pfc_discards++;
		event_poll(poll, w->m, at_ms(s * 1000));
	}
	event_poll(poll, w->m, at_ms(150000));
	port->pfc[3].pfc_discards++;
	event_poll(poll, w->m, at_ms(158000)); /* 59 s after the last */
	assert_int_equal(events_next(w->m->events), 2);
	port->pfc[3].pfc_discards++;
	event_poll(poll, w->m, at_ms(218000));
	assert_int_equal(events_next(w->m->events), 3);
	/* A smaller count: another port has taken the slot. */
	port->pfc[3].pfc_discards = 0;
	event_poll(poll, w->m, at_ms(219000));
	port->pfc[3].pfc_discards = 1;
	event_poll(poll, w->m, at_ms(220000));
	assert_int_equal(events_next(w->m->events), 4);
	event_poll_free(poll);
	mo_world_free(w);
}

/* Counters of hardware begin with any value, also after a reset: only an increase is an event. */
static void test_discards_before_a_discontinuity_are_no_event(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);
	struct event_poll *poll = event_poll_new(1000);

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}), MO_NO_ERROR);
	port->pfc[3].pfc_discards = 5000;
	event_poll_discontinuity(poll, w->m, port->port.slot);
	event_poll(poll, w->m, at_ms(1000));
	port->pfc[3].pfc_discards = 70;
	event_poll_discontinuity(poll, w->m, port->port.slot);
	event_poll(poll, w->m, at_ms(2000));
	assert_int_equal(events_next(w->m->events), 1);
	port->pfc[3].pfc_discards = 71;
	event_poll(poll, w->m, at_ms(3000));
	assert_int_equal(events_next(w->m->events), 2);
	assert_int_equal(event_at(w->m->events, 1).vbs[0].index.sub[0], 5);
	event_poll_discontinuity(poll, w->m, 77); /* no port has it any more */
	event_poll_free(poll);
	mo_world_free(w);
}

/* A port that does not learn an address: once, and again after a minute without. */
static void test_learn_limit_is_reported(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);
	struct event_poll *poll = event_poll_new(1000);
	struct mo_event ev;

	(void)state;
	event_poll(poll, w->m, at_ms(1000));
	assert_int_equal(events_next(w->m->events), 1);
	assert_int_equal(SET(w, {"dcbVlanPortLearnLimit", "5", "4096"}), MO_NO_ERROR);
	port->learning.learned = 4096;
	for (int64_t s = 2; s < 10; s++) {
		port->learning.refused += 1000;
		event_poll(poll, w->m, at_ms(s * 1000));
	}
	assert_int_equal(events_next(w->m->events), 2);
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_learn_limit_reached);
	assert_int_equal(ev.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t values[] = {4096, 4096, 1000};

		assert_int_equal(ev.vbs[i].index.n, 1);
		assert_int_equal(ev.vbs[i].index.sub[0], 5);
		assert_int_equal(ev.vbs[i].value.num, values[i]);
	}
	event_poll(poll, w->m, at_ms(70000));
	port->learning.refused++;
	event_poll(poll, w->m, at_ms(71000));
	assert_int_equal(events_next(w->m->events), 3);
	event_poll_free(poll);
	mo_world_free(w);
}

/* An address that moves between two ports: the event and a line with the names of both. */
static void test_moves_are_reported(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct port *other = w->m->config->ports[2].port;
	struct fake_port *port = fake_port(w->m->config->ports[1].port);
	struct event_poll *poll = event_poll_new(1000);
	struct log_capture c;
	struct mo_event ev;
	char text[4096], want[128];

	(void)state;
	event_poll(poll, w->m, at_ms(1000));
	port->learning.moves = 11;
	port->learning.flaps = 1;
	port->learning.flap_key = UINT64_C(10) << 48 | UINT64_C(0x0200000000fe);
	port->learning.flap_slot = other->slot;
	c = log_capture();
	for (int64_t s = 2; s < 10; s++, port->learning.flaps++)
		event_poll(poll, w->m, at_ms(s * 1000));
	log_captured(&c, text, sizeof(text));
	snprintf(want, sizeof(want), "02-00-00-00-00-fe of VLAN 10 moves between %s and %s, more",
		 w->m->config->ports[1].port->link.name, other->link.name);
	assert_non_null(strstr(text, want));
	assert_int_equal(events_next(w->m->events), 2);
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_address_moves);
	assert_int_equal(ev.n, 4);
	assert_int_equal(ev.vbs[0].value.num, 10);
	assert_int_equal(ev.vbs[1].value.octets[5], 0xfe);
	assert_int_equal(ev.vbs[2].value.num, other->link.ifindex);
	assert_int_equal(ev.vbs[3].value.num, 11);
	event_poll_free(poll);
	mo_world_free(w);
}

/* Polls and returns the number of lines about discards by the transit delay. */
static unsigned late_lines(struct event_poll *poll, struct mo_world *w, char *text, size_t size)
{
	struct log_capture c;
	unsigned lines = 0;

	log_init("prog", LOG_LEVEL_WARN, true);
	c = log_capture();
	event_poll(poll, w->m, at_ms(0));
	log_captured(&c, text, size);
	log_level = LOG_LEVEL_ERROR;
	for (const char *p = text; (p = strstr(p, "older than transit_delay")); p++)
		lines++;
	return lines;
}

/*
 * Frames that the port's rate is too slow for are explained once for each configuration,
 * with the configured values; not while the reason is another one.
 */
static void test_transit_discards_by_configuration_are_logged_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port); /* ifIndex 5 */
	struct event_poll *poll = event_poll_new(1000);
	char text[4096];

	(void)state;
	port->port.settings.buffer_octets = 500000;
	port->port.settings.rate = (struct dcb_rate){4000000};
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 0);
	port->stats.discard_transit = 9; /* of a paused priority */
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 0);
	port->stats.discard_late[3] = 2;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 1);
	/* 500000 octets in frames of 60 + 24: 700000 octets, 1.4 s */
	assert_string_equal(text,
			    "<4>prog: port: sw5: frames of priority 3 were discarded, older than "
			    "transit_delay (1000 ms): a full queue of 500000 octets lasts up to "
			    "1400 ms at 4000000 bit/s\n");
	port->stats.discard_late[3] = 200;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 0);
	port->stats.discard_late[4] = 1; /* another priority */
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 1);
	port->port.settings.rate.bps = 3000000;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 0);
	port->stats.discard_late[3] = 201;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 1);
	/* The configuration is not the reason: a full queue lasts 700 ms. */
	port->port.settings.rate.bps = 8000000;
	port->stats.discard_late[3] = 300;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 0);
	/* With PFC, the receive buffers of the other ports queue here. */
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "true"}), MO_NO_ERROR);
	fake_port(w->m->config->ports[0].port)->port.settings.pfc_buffer_octets = 1000000;
	port->stats.discard_late[3] = 301;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 1);
	assert_non_null(strstr(text, "1000000 octets lasts up to 1400 ms at 8000000 bit/s"));
	/* Without pfc.buffer their shared octets, and the headroom in addition. */
	fake_port(w->m->config->ports[0].port)->port.settings.pfc_buffer_octets = 0;
	fake_port(w->m->config->ports[0].port)->port.settings.buffer_octets = 800000;
	fake_port(w->m->config->ports[0].port)->port.settings.pfc_headroom_octets = 100000;
	port->stats.discard_late[3] = 302;
	assert_int_equal(late_lines(poll, w, text, sizeof(text)), 1);
	assert_non_null(strstr(text, "900000 octets lasts up to 1260 ms at 8000000 bit/s"));
	event_poll_free(poll);
	mo_world_free(w);
}

/* Polls once; text gets the log. Returns the number of events so far. */
static uint64_t poll_logged(struct event_poll *poll, struct mo_world *w, char *text, size_t size)
{
	struct log_capture c;

	log_init("prog", LOG_LEVEL_INFO, true);
	c = log_capture();
	event_poll(poll, w->m, at_ms(0));
	log_captured(&c, text, size);
	log_level = LOG_LEVEL_ERROR;
	return events_next(w->m->events) - 1;
}

static const char sum_text[] =
    "<4>prog: memory: frame memory of 204800 octets, 100 buffers: reserves 4096, 2 and headroom "
    "300000, 150 (divided by dcbBufferHeadroomRatio 1) need 99296 octets, 52 buffers more: raise "
    "bridge.frame_buffers or the ratio, or reduce reserves, cable lengths or priorities with "
    "PFC\n";

/*
 * A link, or another port, makes the promises exceed the memory: one line with the sum, and
 * one event for each port with PFC; nothing more until they have fit again.
 */
static void test_exceeded_memory_is_reported_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	struct buffer_memory_stats *memory = &w->provider.stats.memory;
	char text[8192];
	struct mo_event ev;

	(void)state;
	*memory = (struct buffer_memory_stats){
	    .memory_octets = 204800,
	    .memory_frames = 100,
	    .reserved_octets = 4096,
	    .reserved_frames = 2,
	    .headroom_octets = 100000,
	    .headroom_frames = 50,
	    .headroom = {.size_octets = 100000, .size_frames = 50},
	};
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"},
			     {"dcbPfcPriorityEnable", "5.6", "true"},
			     {"dcbPfcPriorityEnable", "9.4", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	memory->headroom_octets = 300000;
	memory->headroom_frames = 150;
	memory->missing_octets = 99296;
	memory->missing_frames = 52;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	assert_memory_equal(text, sum_text, sizeof(sum_text) - 1);
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_pfc_headroom_insufficient);
	assert_int_equal(ev.vbs[0].index.sub[0], 5);
	assert_int_equal(ev.vbs[0].index.sub[1], 3);
	ev = event_at(w->m->events, 2);
	assert_int_equal(ev.vbs[0].index.sub[0], 9);
	assert_int_equal(ev.vbs[0].index.sub[1], 4);
	memory->missing_frames = 90; /* worse, but reported */
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	assert_string_equal(text, "");
	/* PFC of another port comes into force meanwhile. */
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.7", "true"}), MO_NO_ERROR);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 3);
	memory->headroom_octets = 100000;
	memory->headroom_frames = 50;
	memory->missing_octets = 0;
	memory->missing_frames = 0;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 3);
	assert_string_equal(text,
			    "<6>prog: memory: the reserves and the headroom fit into the "
			    "frame memory again\n");
	memory->missing_frames = 1;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 6);
	event_poll_free(poll);
	mo_world_free(w);
}

/* The same for pfc.buffer of dcbd.conf, which the headroom of a faster link exceeds. */
static void test_exceeded_buffer_is_reported_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	struct link_info link = mo_world_link(5, "sw5", "uplink");
	struct port_settings *settings = &w->m->config->ports[1].port->settings;
	char text[8192];

	(void)state;
	w->provider.stats.memory.memory_octets = 204800;
	w->provider.stats.memory.memory_frames = 100;
	settings->pfc_buffer_octets = 100000;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}), MO_NO_ERROR);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
	link.speed = dcb_rate_from_mbps(400000);
	managed_port_update(w->m, 1, &link);
	/* Two events: the headroom is not sufficient, and it changed. */
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	assert_memory_equal(text, "<4>prog: memory: sw5: pfc.buffer 100000 of dcbd.conf is less",
			    59);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	assert_string_equal(text, "");
	link.speed = dcb_rate_from_mbps(10000);
	managed_port_update(w->m, 1, &link);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 3);
	assert_non_null(strstr(text,
			       "<6>prog: memory: sw5: pfc.buffer of dcbd.conf is sufficient for "
			       "the headroom again\n"));
	event_poll_free(poll);
	mo_world_free(w);
}

/* A link, neighbor or setting that changes the headroom is an event and a line, once. */
static void test_changed_headroom_is_reported_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	struct port_oper *oper;
	struct mo_event ev;
	char text[8192];

	(void)state;
	poll_logged(poll, w, text, sizeof(text));
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}), MO_NO_ERROR);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0); /* the first value */
	oper = &w->m->config->ports[1].oper;
	oper->pfc_way = PFC_WAY_MEASURED;
	oper->pfc_measured_quanta = 100;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 1);
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_pfc_headroom_changed);
	assert_int_equal(ev.vbs[0].index.sub[0], 5);
	assert_non_null(strstr(text, "<6>prog: pfc: sw5: the headroom changed from "));
	oper->pfc_measured_quanta = 107; /* within the accuracy */
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 1);
	assert_string_equal(text, "");
	oper->pfc_measured_quanta = 108; /* 8 more than reported */
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	oper->pfc_way = PFC_WAY_CONFIGURED;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 3);
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "5", "200000"}), MO_NO_ERROR);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 4);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 4);
	assert_string_equal(text, "");
	event_poll_free(poll);
	mo_world_free(w);
}

/* Another cable: the headroom changes while the link is down, and a manager has to know. */
static void test_headroom_that_changed_while_the_link_was_down_is_reported(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	struct link_info link = w->m->config->ports[1].port->link;
	struct port_oper *oper;
	char text[8192], wanted[100];
	uint32_t before;

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}), MO_NO_ERROR);
	oper = &w->m->config->ports[1].oper;
	oper->pfc_way = PFC_WAY_MEASURED;
	oper->pfc_measured_quanta = 2000;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
	before = 8 * pfc_headroom_octets_of(&w->m->config->ports[1]);
	for (unsigned changed = 0; changed < 2; changed++) {
		link.up = false;
		managed_port_update(w->m, 1, &link);
		assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
		link.up = true;
		managed_port_update(w->m, 1, &link);
		oper = &w->m->config->ports[1].oper;
		oper->pfc_way = PFC_WAY_MEASURED;
		oper->pfc_measured_quanta = 2000 - 1800 * changed;
		assert_int_equal(poll_logged(poll, w, text, sizeof(text)), changed);
	}
	snprintf(wanted, sizeof(wanted), "sw5: the headroom changed from %u to %u bits", before,
		 before - 1800 * PFC_QUANTUM_BITS);
	assert_non_null(strstr(text, wanted));
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 1);
	event_poll_free(poll);
	mo_world_free(w);
}

/* The neighbor's delay asks for more than the memory has left: see headroom_cap_set(). */
static void test_capped_headroom_is_reported_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	char text[8192];
	struct mo_event ev;

	(void)state;
	assert_int_equal(SET(w, {"dcbPfcPriorityEnable", "3.3", "true"},
			     {"dcbPfcPriorityEnable", "5.3", "true"}),
			 MO_NO_ERROR);
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
	w->m->config->ports[1].oper.headroom_cap_octets = 1000;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	assert_int_equal(event_at(w->m->events, 2).id, MO_NOTIFY_pfc_headroom_changed);
	ev = event_at(w->m->events, 1);
	assert_int_equal(ev.id, MO_NOTIFY_pfc_headroom_insufficient);
	assert_int_equal(ev.vbs[0].index.sub[0], 5);
	assert_non_null(strstr(text,
			       "<4>prog: memory: sw5: the delay of its neighbor needs a "
			       "headroom of "));
	assert_non_null(strstr(text,
			       "octets, the frame memory has 1000 left for it: raise "
			       "bridge.frame_buffers, or limit"));
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=insufficient 9=calculated");
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 2);
	assert_string_equal(text, "");
	w->m->config->ports[1].oper.headroom_cap_octets = 0;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 3);
	assert_non_null(strstr(text,
			       "<6>prog: memory: sw5: the frame memory holds the headroom "
			       "for its neighbor again\n"));
	event_poll_free(poll);
	mo_world_free(w);
}

/* A ratio above the number of priorities with PFC: the pool is less than one's headroom. */
static void test_small_headroom_pool_is_reported_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	struct buffer_memory_stats *memory = &w->provider.stats.memory;
	char text[8192];
	uint32_t needed;

	(void)state;
	assert_int_equal(
	    SET(w, {"dcbPfcPriorityEnable", "5.3", "true"}, {"dcbBufferHeadroomRatio", "0", "4"}),
	    MO_NO_ERROR);
	needed = pfc_headroom_octets_of(&w->m->config->ports[1]) + 2048;
	*memory = (struct buffer_memory_stats){.memory_octets = 2048000,
					       .memory_frames = 1000,
					       .headroom_octets = needed,
					       .headroom_frames = 100,
					       .headroom = {.size_octets = needed}};
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=calculated 9=calculated");
	memory->headroom.size_octets = needed / 4;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 1);
	assert_memory_equal(text, "<4>prog: memory: sw5: the headroom pool of ", 43);
	assert_column(w, "dcbPfcHeadroomStatus", "3=calculated 5=insufficient 9=calculated");
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 1);
	assert_string_equal(text, "");
	/* The promises of the provider do not have the port's yet. */
	memory->headroom_octets = needed - 1;
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 1);
	assert_string_equal(text,
			    "<6>prog: memory: sw5: the headroom pool holds its headroom again\n");
	event_poll_free(poll);
	mo_world_free(w);
}

/* Promises that fit exactly leave frames without PFC nothing to share: a status and a line. */
static void test_nothing_shared_is_reported_once(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct event_poll *poll = event_poll_new(1000);
	struct buffer_memory_stats *memory = &w->provider.stats.memory;
	char text[8192];

	(void)state;
	/* The lossy pool has half of the rest. */
	*memory = (struct buffer_memory_stats){.memory_octets = 204800,
					       .memory_frames = 100,
					       .reserved_octets = 2048,
					       .reserved_frames = 1,
					       .headroom_octets = 204800 - 3 * 2048,
					       .headroom_frames = 97};
	assert_int_equal(poll_logged(poll, w, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_column(w, "dcbBufferStatus", "0=fits");
	memory->headroom_octets++;
	poll_logged(poll, w, text, sizeof(text));
	assert_memory_equal(text, "<4>prog: memory: reserves and headroom fit, and leave", 53);
	assert_column(w, "dcbBufferStatus", "0=nothingShared");
	poll_logged(poll, w, text, sizeof(text));
	assert_string_equal(text, "");
	memory->headroom_octets--;
	memory->headroom_frames++;
	assert_column(w, "dcbBufferStatus", "0=nothingShared");
	memory->headroom_frames--;
	poll_logged(poll, w, text, sizeof(text));
	assert_string_equal(text, "<6>prog: memory: the shared lossy pool has room again\n");
	memory->headroom_octets++;
	memory->missing_frames = 1;
	assert_column(w, "dcbBufferStatus", "0=doesNotFit");
	event_poll_free(poll);
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_headroom_of_each_priority),
	    cmocka_unit_test(test_discards_before_a_discontinuity_are_no_event),
	    cmocka_unit_test(test_headroom_event_once_a_minute),
	    cmocka_unit_test(test_learn_limit_is_reported),
	    cmocka_unit_test(test_moves_are_reported),
	    cmocka_unit_test(test_transit_discards_by_configuration_are_logged_once),
	    cmocka_unit_test(test_exceeded_memory_is_reported_once),
	    cmocka_unit_test(test_exceeded_buffer_is_reported_once),
	    cmocka_unit_test(test_changed_headroom_is_reported_once),
	    cmocka_unit_test(test_headroom_that_changed_while_the_link_was_down_is_reported),
	    cmocka_unit_test(test_capped_headroom_is_reported_once),
	    cmocka_unit_test(test_small_headroom_pool_is_reported_once),
	    cmocka_unit_test(test_nothing_shared_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
