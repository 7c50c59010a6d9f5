/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads events as they are stored. */
#ifndef DCB_TESTS_STORED_EVENT_H
#define DCB_TESTS_STORED_EVENT_H

#include <string.h>

#include "tests/unit/mo_world.h"

#define CREATED MO_NOTIFY_errored_port_created
#define DELETED MO_NOTIFY_errored_port_deleted

static const struct notify_config all = {.enabled = {true, true}, .rate_limit = 0};
static const struct mo_varbind port2 = {
    .table = MO_cn_errored_port,
    .subid = 3,
    .index = {3, {1, 4, 2}},
    .value = {.syntax = MO_INTEGER32, .num = 2},
};

static inline struct dcb_time at_ms(int64_t ms)
{
	return (struct dcb_time){ms * DCB_NS_PER_MS};
}

static inline struct mo_event decode(const uint8_t *octets, size_t len)
{
	struct octets_in in = octets_in(octets, len);
	struct mo_msg_header h;
	struct mo_event ev;

	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.op, MO_OP_EVENT | MO_MSG_REPLY);
	mo_msg_get_event(&in, &ev);
	assert_false(in.overrun);
	assert_int_equal(in.left, 0);
	assert_int_equal(h.seq, (uint32_t)ev.number);
	return ev;
}

static inline struct mo_event event_at(struct events *e, uint64_t number)
{
	uint64_t at = number;
	size_t len;
	const uint8_t *octets = events_at(e, &at, &len);

	assert_non_null(octets);
	assert_int_equal(at, number);
	return decode(octets, len);
}

/* Returns how often text has this word. */
static inline unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, word)); p++)
		n++;
	return n;
}

/* Raises n events. */
static inline void raise_some(struct mo_world *w, unsigned n)
{
	while (n-- > 0)
		events_raise(w->m->events, &all, CREATED, &port2, 1, at_ms(0));
}

#endif
