/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While an interface exists its settings are its own, whatever names it has, selected by dcbd.conf
 * or not; when it is gone, they are those of the next one with its alias or name. Random sequences,
 * of which dcbd sees all steps or only the last one, against a model of this rule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/rng.h"
#include "tests/unit/mo_world.h"

#define INTERFACES 6
#define NAMES      8 /* of which the first SELECTED are ports */
#define SELECTED   5
#define ALIASES    4
#define STEPS      10000
#define RECORDS    (4 * STEPS)
#define ALLOWANCE  "ieee8021PfcLinkDelayAllowance"

/* An interface, or the next one in its place with another ifIndex. */
struct interface {
	uint32_t ifindex;     /* 0: does not exist */
	unsigned name, alias; /* alias 0: none */
	uint32_t mtu;
	uint8_t mac; /* its last octet */
	bool is_seen, is_port;
	bool is_set;                  /* by a manager: else its settings are initial ones */
	uint32_t value;               /* of the object, now or when it was a port last */
	uint32_t number;              /* ascending: of the time when it was a port last */
	unsigned key_name, key_alias; /* then */
};

/* Settings of interfaces that are gone. */
struct record {
	bool is_used;
	unsigned name, alias; /* one of them is 0 */
	uint32_t value, number;
};

struct lab {
	struct mo_world *w;
	struct dcb_rng rng;
	struct interface of[INTERFACES];
	struct interface gone[INTERFACES]; /* not reported yet */
	unsigned n_gone;
	struct record *records; /* of one port for each step, and more */
	uint32_t next_ifindex, next_value, next_number;
};

static uint32_t below(struct lab *l, uint32_t n)
{
	return dcb_rng_next(&l->rng) % n;
}

static bool is_selected(const struct interface *i)
{
	return i->ifindex && i->name <= SELECTED;
}

static bool name_is_used(const struct lab *l, unsigned name)
{
	for (unsigned i = 0; i < INTERFACES; i++)
		if (l->of[i].ifindex && l->of[i].name == name)
			return true;
	return false;
}

static bool alias_is_used(const struct lab *l, unsigned alias)
{
	for (unsigned i = 0; alias && i < INTERFACES; i++)
		if (l->of[i].ifindex && l->of[i].alias == alias)
			return true;
	return false;
}

static unsigned free_name(struct lab *l)
{
	unsigned name;

	do
		name = 1 + below(l, NAMES);
	while (name_is_used(l, name));
	return name;
}

/* --- the model ------------------------------------------------------------------------ */

static void keep(struct lab *l, const struct interface *i)
{
	struct record *r = l->records;

	if (!i->is_set)
		return;
	while (r->is_used)
		r++;
	*r = (struct record){.is_used = true,
			     .name = i->key_alias ? 0 : i->key_name,
			     .alias = i->key_alias,
			     .value = i->value,
			     .number = i->number};
}

/* Takes the last settings with this alias or name, if there are any. */
static void take(struct lab *l, struct interface *i, unsigned name, unsigned alias)
{
	struct record *found = NULL;

	for (struct record *r = l->records; r < l->records + RECORDS; r++)
		if (r->is_used && r->name == name && r->alias == alias &&
		    (!found || r->number > found->number))
			found = r;
	if (!found)
		return;
	i->is_set = true;
	i->value = found->value;
	found->is_used = false;
}

/* An interface with initial settings takes those of its alias or name. */
static void take_known(struct lab *l, struct interface *i)
{
	if (!i->is_set && i->alias)
		take(l, i, 0, i->alias);
	if (!i->is_set)
		take(l, i, i->name, 0);
}

/*
 * The port is removed now. As in the state file, an alias that two ports have for a moment is no
 * key: then it is the name.
 */
static void note_removal(struct lab *l, struct interface *i)
{
	i->number = ++l->next_number;
	for (unsigned k = 0; k < INTERFACES; k++)
		if (l->of[k].is_port && l->of[k].ifindex != i->ifindex &&
		    l->of[k].key_alias == i->key_alias)
			i->key_alias = 0;
	for (unsigned k = 0; k < l->n_gone; k++)
		if (l->gone[k].is_port && l->gone[k].ifindex != i->ifindex &&
		    l->gone[k].key_alias == i->key_alias)
			i->key_alias = 0;
}

/* --- the system, as control/dcbd.c reports interfaces to it ---------------------------------- */

static struct link_info link_of(const struct interface *i)
{
	struct link_info link = mo_world_link(i->ifindex, "", "");

	link.mtu = i->mtu;
	link.mac[DCB_MAC_OCTETS - 1] = i->mac;
	snprintf(link.name, sizeof(link.name), "if%u", i->name);
	if (i->alias)
		snprintf(link.alias, sizeof(link.alias), "alias %u", i->alias);
	return link;
}

static void report(struct lab *l, struct interface *i)
{
	struct managed *m = l->w->m;
	struct link_info link = link_of(i);
	size_t pos = managed_find(m, i->ifindex);
	bool rekeyed = i->key_name != i->name || i->key_alias != i->alias;
	char err[256];

	i->is_seen = true;
	assert_int_equal(pos < m->config->n_ports, i->is_port);
	if (is_selected(i) && i->is_port) {
		managed_port_update(m, pos, &link);
		if (rekeyed)
			take_known(l, i);
	} else if (is_selected(i)) {
		assert_true(managed_port_add(m, &link, &l->w->conf.port_default, err, sizeof(err)));
		take_known(l, i);
	} else if (i->is_port) {
		assert_true(managed_port_remove(m, pos));
		note_removal(l, i);
	}
	i->is_port = is_selected(i);
	if (i->is_port) {
		i->key_name = i->name;
		i->key_alias = i->alias;
	}
}

static void report_gone(struct lab *l, struct interface *i)
{
	assert_true(managed_interface_gone(l->w->m, i->ifindex));
	if (i->is_port)
		note_removal(l, i);
	i->is_port = false;
	keep(l, i);
}

/* Those that are gone, then the others in the order of their ifIndex. */
static void report_all(struct lab *l)
{
	for (unsigned i = 0; i < l->n_gone; i++)
		report_gone(l, &l->gone[i]);
	l->n_gone = 0;
	for (uint32_t ifindex = 1000; ifindex < l->next_ifindex; ifindex++)
		for (unsigned i = 0; i < INTERFACES; i++)
			if (l->of[i].ifindex == ifindex)
				report(l, &l->of[i]);
}

static void check(struct lab *l)
{
	char text[1024], expected[1024] = "";

	mo_world_column(l->w, ALLOWANCE, text, sizeof(text));
	for (uint32_t ifindex = 1; ifindex < l->next_ifindex; ifindex++)
		for (unsigned k = 0; k < INTERFACES; k++) {
			const struct interface *i = &l->of[k];
			size_t n = strlen(expected);

			if (i->ifindex == ifindex && i->is_port)
				snprintf(expected + n, sizeof(expected) - n, "%s%u=%u",
					 n ? " " : "", ifindex, i->value);
		}
	assert_string_equal(text, expected);
}

/* --- steps ------------------------------------------------------------------------------ */

static void set_value(struct lab *l, struct interface *i)
{
	uint32_t value = below(l, 4) ? ++l->next_value : 0;
	char index[16], text[16];

	if (!i->is_port)
		return;
	snprintf(index, sizeof(index), "%u", i->ifindex);
	snprintf(text, sizeof(text), "%u", value);
	assert_int_equal(mo_world_set(l->w, (const char *const[][3]){{ALLOWANCE, index, text}}, 1),
			 MO_NO_ERROR);
	i->is_set = true;
	i->value = value;
}

static void change_name(struct lab *l, struct interface *i)
{
	i->name = free_name(l);
}

static void change_alias(struct lab *l, struct interface *i)
{
	unsigned alias = below(l, ALIASES + 1);

	if (!alias_is_used(l, alias))
		i->alias = alias;
}

static void change(struct lab *l, struct interface *i)
{
	if (!i->ifindex) {
		*i = (struct interface){.ifindex = l->next_ifindex++, .name = free_name(l)};
		if (below(l, 2))
			change_alias(l, i);
		return;
	}
	switch (below(l, 8)) {
	case 0: /* deleted, or moved to another network namespace */
		if (i->is_seen)
			l->gone[l->n_gone++] = *i;
		*i = (struct interface){.ifindex = 0};
		break;
	case 1:
	case 2:
		change_alias(l, i);
		break;
	case 3:
		i->mtu = 1500 + below(l, 3);
		i->mac = (uint8_t)below(l, 3);
		break;
	default:
		change_name(l, i);
	}
}

static void step(struct lab *l)
{
	unsigned changes = 1 + below(l, 4); /* before dcbd sees the result */

	if (below(l, 4) == 0) {
		set_value(l, &l->of[below(l, INTERFACES)]);
		return;
	}
	while (changes-- && l->n_gone < INTERFACES)
		change(l, &l->of[below(l, INTERFACES)]);
	report_all(l);
}

static void test_settings_follow_the_interface(void **state)
{
	struct lab l = {.w = mo_world_new(ROLE_BRIDGE), .next_ifindex = 1000};

	(void)state;
	l.records = calloc(RECORDS, sizeof(*l.records));
	assert_non_null(l.records);
	log_init("test", LOG_LEVEL_ERROR, false);
	for (unsigned i = 0; i < 3; i++)
		assert_true(managed_port_remove(l.w->m, 0));
	/* Without a state file: thousands of SETs need no disk. */
	mo_session_free(l.w->session);
	mo_service_free(l.w->service);
	l.w->service = mo_service_new(l.w->m, NULL, 7);
	l.w->session = mo_session_new(l.w->service, MO_MAY_ALL);
	dcb_rng_seed(&l.rng, unit_seed(), 1);
	for (unsigned n = 0; n < STEPS; n++) {
		step(&l);
		check(&l);
	}
	mo_world_free(l.w);
	free(l.records);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_settings_follow_the_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
