/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings initial and events of a scenario; objects are checked by their descriptors. */
#include "sim/scenario_private.h"

#include "control/objects/mo_settings.h"
#include "lib/mo/mo_expect.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(type, field) offsetof(type, field), sizeof(((type *)0)->field)
#define END                                  \
	{                                    \
		NULL, NULL, 0, 0, 0, 0, NULL \
	}

struct raw_set {
	int64_t at_ns; /* events only */
	char *link;    /* events only */
	struct dcb_rate rate;
	bool up;
	char *object, *value, *node, *port;
	uint8_t priority, traffic_class;
};

static void free_raw(struct raw_set *raw)
{
	free(raw->link);
	free(raw->object);
	free(raw->value);
	free(raw->node);
	free(raw->port);
}

/* clang-format off */
#define TEXT(name, field, max) {name, conf_take_string, FIELD(struct raw_set, field), 1, max, NULL}
#define SET_ROWS \
	TEXT("object", object, 64), \
	{"value", conf_take_text, FIELD(struct raw_set, value), 0, 0, NULL}, \
	TEXT("node", node, 64), \
	TEXT("port", port, 64), \
	{"priority", conf_take_number, FIELD(struct raw_set, priority), 0, 7, NULL}, \
	{"class", conf_take_number, FIELD(struct raw_set, traffic_class), 0, 7, NULL}
static const struct conf_row initial_rows[] = {SET_ROWS, END};
static const struct conf_row event_rows[] = {
	SET_ROWS,
	{"at", scn_take_time, FIELD(struct raw_set, at_ns), 0, 1000000 * DCB_NS_PER_S, NULL},
	TEXT("link", link, 2 * SIM_NAME_OCTETS),
	{"rate", conf_take_rate, FIELD(struct raw_set, rate), 1000, INT64_C(10000000000000), NULL},
	{"up", conf_take_bool, FIELD(struct raw_set, up), 0, 1, NULL},
	END
};
static const struct conf_row initial_row = {"", conf_take_group, 0, 0, 0, 0, initial_rows};
static const struct conf_row event_row = {"", conf_take_group, 0, 0, 0, 0, event_rows};
/* clang-format on */

/* Whether the last index of the table is a traffic class. */
static bool is_class_table(const struct mo_table *table)
{
	static const char class[] = "TrafficClass";
	const char *last = table->n_index ? table->index[table->n_index - 1].name : "";
	size_t n = strlen(last), n_class = sizeof(class) - 1;

	return n >= n_class && strcmp(last + n - n_class, class) == 0;
}

static bool is_priority_table(const struct mo_table *table)
{
	return (table->rows == MO_ROWS_SYSTEM_EACH || table->rows == MO_ROWS_PORT_EACH) &&
	       !is_class_table(table);
}

/* Whether the table is of a port. TLV transmission is excluded: the setting lldp decides that. */
static bool is_port_table(const struct mo_table *table)
{
	return mo_settings_scope(table->id) == MO_SCOPE_PORT &&
	       mo_index_part(table, MO_PART_DESTINATION) < 0;
}

static bool check_object(struct reader *r, const config_setting_t *s, const struct raw_set *raw,
			 struct scn_set *set)
{
	char what[256];

	set->column = mo_column_by_name(raw->object, &set->table);
	if (!set->column || !mo_is_writable(set->column) ||
	    !(set->table->id == MO_cn_global || set->table->id == MO_cn_com_pri ||
	      is_port_table(set->table)))
		/*
		 * Message "expected the name of a writable object of a port or of congestion
		 * notification, not %s": as "expected object and value"
		 */
		return conf_expected(r, config_setting_get_member(s, "object"),
				     "the name of a writable object of a port or of "
				     "congestion notification");
	if (mo_parse(set->column, raw->value, &set->value) &&
	    mo_validate(set->column, &set->value) == MO_NO_ERROR)
		return true;
	mo_expected(set->column, what, sizeof(what));
	return conf_expected(r, config_setting_get_member(s, "value"), what);
}

static bool check_set(struct reader *r, const config_setting_t *s, struct raw_set *raw,
		      struct scn_set *set)
{
	bool priority = config_setting_get_member(s, "priority");
	bool class = config_setting_get_member(s, "class");

	if (!raw->object || !raw->value)
		/*
		 * Messages: An entry of `initial` or `events` does not fit the object. The command
		 * `dcbctl objects` lists the objects.
		 */
		return conf_fail(r, s, "expected object and value");
	if (!check_object(r, s, raw, set))
		return false;
	if (priority && !is_priority_table(set->table))
		return conf_fail(r, s, "expected no priority: %s is not an object of a priority",
				 raw->object);
	if (class && !is_class_table(set->table))
		return conf_fail(r, s, "expected no class: %s is not an object of a traffic class",
				 raw->object);
	if (raw->port && !is_port_table(set->table))
		return conf_fail(r, s, "expected no port: %s is not an object of a port",
				 raw->object);
	set->priority = priority ? raw->priority : class ? raw->traffic_class : SCN_ALL_PRIORITIES;
	set->node = raw->node;
	set->port = raw->port;
	raw->node = raw->port = NULL;
	return true;
}

static bool take_initial(struct reader *r, const config_setting_t *s, void *base)
{
	struct scenario *scn = base;
	struct raw_set raw = {0};
	bool ok;

	scn->sets = scn_grow(scn->sets, scn->n_sets, 1, sizeof(*scn->sets));
	ok = conf_take_group(r, s, &initial_row, &raw) &&
	     check_set(r, s, &raw, &scn->sets[scn->n_sets]);
	scn->n_sets += ok;
	free_raw(&raw);
	return ok;
}

static bool check_event(struct reader *r, const config_setting_t *s, struct raw_set *raw,
			struct scn_event *event)
{
	bool has_rate = config_setting_get_member(s, "rate");
	bool has_up = config_setting_get_member(s, "up");
	int64_t link;

	if (!config_setting_get_member(s, "at"))
		/*
		 * Messages: An event needs a time and one change. Write one event for each change.
		 */
		return conf_fail(r, s, "expected the setting at, the time of the event");
	event->at_ns = raw->at_ns;
	if (raw->object) {
		if (raw->link || has_rate || has_up)
			return conf_fail(r, s, "expected an object or a link, not both");
		event->kind = SCN_SET;
		return check_set(r, s, raw, &event->set);
	}
	if (!raw->link || has_rate == has_up || raw->value || raw->node || raw->port)
		return conf_fail(r, s, "expected object and value, or link with rate or up");
	link = scn_link(r, config_setting_get_member(s, "link"), raw->link);
	if (link < 0)
		return false;
	if (has_rate && raw->rate.bps == 0)
		return conf_expected(r, config_setting_get_member(s, "rate"), "a rate above 0");
	event->link = (uint32_t)link;
	event->rate = raw->rate;
	event->kind = has_rate ? SCN_RATE : raw->up ? SCN_UP : SCN_DOWN;
	return true;
}

/* Inserts the event by its time; events of equal time keep the order of the file. */
static void insert_event(struct scenario *scn, const struct scn_event *event)
{
	size_t at = scn->n_events;

	scn->events = scn_grow(scn->events, scn->n_events, 1, sizeof(*scn->events));
	for (; at > 0 && scn->events[at - 1].at_ns > event->at_ns; at--)
		scn->events[at] = scn->events[at - 1];
	scn->events[at] = *event;
	scn->n_events++;
}

static bool take_event(struct reader *r, const config_setting_t *s, void *base)
{
	struct raw_set raw = {0};
	struct scn_event event = {0};
	bool ok = conf_take_group(r, s, &event_row, &raw) && check_event(r, s, &raw, &event);

	if (ok)
		insert_event(base, &event);
	free_raw(&raw);
	return ok;
}

bool scn_take_initial(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	(void)row;
	return conf_each(r, s, "a list ( { ... }, ... )", take_initial, base);
}

bool scn_take_events(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	(void)row;
	return conf_each(r, s, "a list ( { ... }, ... )", take_event, base);
}
