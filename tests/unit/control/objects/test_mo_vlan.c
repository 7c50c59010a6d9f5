/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbVlanPortTable and dcbStaticUnicastTable. */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <string.h>

#include "control/objects/mo_field.h"
#include "lib/log.h"
#include "lib/ranges.h"

#define EGRESS   "dcbVlanPortEgress"
#define TYPES    "dcbVlanPortAcceptableFrameTypes"
#define FILTER   "dcbVlanPortIngressFiltering"
#define LIMIT    "dcbVlanPortLearnLimit"
#define U_PORT   "dcbStaticUnicastPort"
#define U_STATUS "dcbStaticUnicastRowStatus"
#define X        "10.2.0.0.0.0.1" /* VLAN 10, address 02-00-00-00-00-01 */
#define Y        "10.2.0.0.0.0.255"
#define Z        "4094.0.0.0.0.0.0"

static const struct vlan_port_config *vlan_of(const struct mo_world *w, uint32_t ifindex)
{
	return &w->m->config->ports[managed_find(w->m, ifindex)].config->vlan;
}

static void test_new_port_is_member_of_all_vlans(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint8_t none[VLAN_SET_OCTETS] = {0};

	(void)state;
	w->provider.stats.fdb_learn_limit = 4096;
	assert_column(w, EGRESS, "3=1-1023 5=1-1023 9=1-1023");
	assert_value(w, EGRESS "2k", "5", "1024-2047");
	assert_value(w, EGRESS "3k", "5", "2048-3071");
	assert_value(w, EGRESS "4k", "5", "3072-4094");
	assert_value(w, TYPES, "5", "admitAll");
	assert_value(w, FILTER, "5", "false");
	assert_value(w, LIMIT, "5", "4096"); /* of the bridge */
	assert_memory_equal(vlan_of(w, 5)->excluded, none, sizeof(none));
	mo_world_free(w);
}

static void test_vlan_objects_have_provider_values(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct fake_port *port = fake_port(w->m->config->ports[1].port);

	(void)state;
	port->port.settings.pvid = 17;
	port->port.settings.pvid_tagged = true;
	port->learning = (struct learning_stats){.learned = 5, .refused = UINT64_C(0x100000006)};
	port->stats.discard_frame_type = 7;
	port->stats.discard_ingress = 8;
	port->stats.discard_egress = 9;
	port->stats.discard_flood[FLOOD_BROADCAST] = 10;
	port->stats.discard_flood[FLOOD_MULTICAST] = 11;
	port->stats.discard_flood[FLOOD_UNKNOWN] = 12;
	assert_value(w, "dcbVlanPortPvid", "5", "17");
	assert_value(w, "dcbVlanPortPvidUntagged", "5", "false");
	assert_value(w, "dcbVlanPortPvidUntagged", "9", "true");
	assert_value(w, "dcbVlanPortLearned", "5", "5");
	assert_value(w, "dcbVlanPortLearnRefused", "5", "4294967302");
	assert_value(w, "dcbPortDiscardFrameType", "5", "7");
	assert_value(w, "dcbPortDiscardIngress", "5", "8");
	assert_value(w, "dcbPortDiscardEgress", "5", "9");
	assert_value(w, "dcbPortDiscardBroadcast", "5", "10");
	assert_value(w, "dcbPortDiscardMulticast", "5", "11");
	assert_value(w, "dcbPortDiscardUnknown", "5", "12");
	mo_world_free(w);
}

static void test_vlan_settings_are_set_and_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {EGRESS, "5", "1,10-20"}, {EGRESS "2k", "5", "none"},
			     {EGRESS "3k", "5", "2048"}, {EGRESS "4k", "5", "4094"},
			     {TYPES, "5", "admitOnlyVlanTagged"}, {FILTER, "5", "true"},
			     {LIMIT, "5", "0"}, {LIMIT, "9", "12"},
			     {"dcbVlanPortBroadcastLimit", "5", "1000"},
			     {"dcbVlanPortMulticastLimit", "5", "1000000000"},
			     {"dcbVlanPortUnknownLimit", "9", "1"}),
			 MO_NO_ERROR);
	for (unsigned i = 0; i < 2; i++) {
		assert_column(w, EGRESS, "3=1-1023 5=1,10-20 9=1-1023");
		assert_column(w, EGRESS "2k", "3=1024-2047 5=none 9=1024-2047");
		assert_value(w, EGRESS "3k", "5", "2048");
		assert_value(w, EGRESS "4k", "5", "4094");
		assert_column(w, TYPES, "3=admitAll 5=admitOnlyVlanTagged 9=admitAll");
		assert_column(w, FILTER, "3=false 5=true 9=false");
		assert_column(w, LIMIT, "3=0 5=0 9=12");
		assert_column(w, "dcbVlanPortBroadcastLimit", "3=0 5=1000 9=0");
		assert_column(w, "dcbVlanPortMulticastLimit", "3=0 5=1000000000 9=0");
		assert_column(w, "dcbVlanPortUnknownLimit", "3=0 5=0 9=1");
		assert_true(vlan_of(w, 5)->learn_limit_is_set);
		assert_false(vlan_of(w, 3)->learn_limit_is_set);
		for (uint32_t vid = 1; vid < 4095; vid++)
			assert_int_equal(
			    ranges_has(vlan_of(w, 5)->excluded, vid),
			    !(vid == 1 || (vid >= 10 && vid <= 20) || vid == 2048 || vid == 4094));
		mo_world_reload(w);
	}
	/* Ports with default settings share them. */
	assert_ptr_equal(w->m->config->ports[0].config, w->m->config->fresh);
	mo_world_free(w);
}

/* The longest text, and its restoration from the state file. */
static void test_every_other_vlan_survives_a_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char text[MO_VALUE_TEXT] = "";

	(void)state;
	for (unsigned vid = 3073; vid <= 4093; vid += 2)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", *text ? "," : "",
			 vid);
	assert_int_equal(SET(w, {EGRESS "4k", "9", text}), MO_NO_ERROR);
	mo_world_reload(w);
	assert_value(w, EGRESS "4k", "9", text);
	mo_world_free(w);
}

static void test_bits_outside_the_vlans_are_refused(void **state)
{
	const struct mo_table *table = mo_table(MO_vlan_port);
	const struct mo_column *first = mo_column(table, 5), *last = mo_column(table, 8);
	struct mo_value value = {.syntax = MO_OCTETS};

	(void)state;
	assert_int_equal(mo_validate(first, &value), MO_NO_ERROR); /* octets may be missing */
	value.len = 1;
	value.octets[0] = 0x80; /* VLAN 0 */
	assert_int_equal(mo_validate(first, &value), MO_WRONG_VALUE);
	assert_int_equal(mo_validate(last, &value), MO_NO_ERROR); /* VLAN 3072 */
	value.len = 128;
	value.octets[127] = 0x01;
	assert_int_equal(mo_validate(last, &value), MO_WRONG_VALUE); /* VLAN 4095 */
	value.octets[127] = 0x02;
	assert_int_equal(mo_validate(last, &value), MO_NO_ERROR);
	value.len = 129;
	assert_int_equal(mo_validate(last, &value), MO_WRONG_LENGTH);
	value.syntax = MO_INTEGER32;
	assert_int_equal(mo_validate(last, &value), MO_WRONG_TYPE);
	assert_false(mo_parse(first, "0", &value));
	assert_false(mo_parse(first, "1024", &value));
	assert_false(mo_parse(last, "4095", &value));
	assert_false(mo_parse(last, "10-20", &value));
}

static void test_short_value_has_no_further_vlans(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct mo_table *table = mo_table(MO_vlan_port);
	_Alignas(8) uint8_t row[MO_ROW_OCTETS];
	struct mo_value value = {.syntax = MO_OCTETS, .len = 1, .octets = {0x60}};
	char text[100];

	(void)state;
	memset(row, 0xff, sizeof(row));
	mo_field_set(table, mo_column(table, 5), row, &value);
	mo_field_get(table, mo_column(table, 5), row, &value);
	assert_int_equal(value.len, MO_VLANS_OCTETS);
	mo_format(mo_column(table, 5), &value, text, sizeof(text));
	assert_string_equal(text, "1-2");
	mo_world_free(w);
}

/* --- static entries ------------------------------------------------------------------- */

static void test_static_entry_is_created_moved_and_deleted(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_column(w, U_PORT, "");
	/* The order of varbinds does not matter. */
	assert_int_equal(SET(w, {U_STATUS, Y, "createAndGo"}, {U_PORT, X, "9"}, {U_PORT, Y, "5"},
			     {U_STATUS, X, "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {U_PORT, Z, "3"}, {U_STATUS, Z, "createAndGo"}), MO_NO_ERROR);
	assert_column(w, U_PORT, X "=9 " Y "=5 " Z "=3");
	assert_column(w, U_STATUS, X "=active " Y "=active " Z "=active");
	assert_int_equal(
	    SET(w, {U_PORT, X, "3"}, {U_STATUS, Y, "destroy"}, {U_STATUS, Z, "active"}),
	    MO_NO_ERROR);
	assert_column(w, U_PORT, X "=3 " Z "=3");
	assert_int_equal(w->m->config->ports[2].config->static_unicast.n, 0);
	assert_int_equal(w->m->config->ports[0].config->static_unicast.n, 2);
	assert_int_equal(SET(w, {U_STATUS, Y, "destroy"}), MO_NO_ERROR); /* there is none */
	assert_int_equal(SET(w, {U_STATUS, X, "destroy"}, {U_STATUS, Z, "destroy"}), MO_NO_ERROR);
	assert_column(w, U_PORT, "");
	mo_world_free(w);
}

static void test_invalid_static_entries_are_refused(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {U_PORT, X, "9"}, {U_STATUS, X, "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {U_PORT, Y, "9"}), MO_INCONSISTENT_NAME);
	assert_int_equal(SET(w, {U_STATUS, Y, "createAndGo"}), MO_INCONSISTENT_VALUE);
	assert_non_null(strstr(w->reason,
			       " does not exist: expected createAndGo and "
			       "dcbStaticUnicastPort in one SET, not createAndGo"));
	assert_int_equal(SET(w, {U_PORT, Y, "9"}, {U_STATUS, Y, "createAndWait"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {U_PORT, Y, "9"}, {U_STATUS, Y, "active"}), MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {U_STATUS, X, "createAndGo"}, {U_PORT, X, "9"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(SET(w, {U_STATUS, X, "notInService"}), MO_INCONSISTENT_VALUE);
	/* Not a port. */
	assert_int_equal(SET(w, {U_STATUS, Y, "createAndGo"}, {U_PORT, Y, "4"}),
			 MO_INCONSISTENT_VALUE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {U_PORT, X, "10"}), MO_INCONSISTENT_VALUE);
	assert_string_equal(w->reason,
			    "expected the ifIndex of a port of dcbd that can have "
			    "static entries, not 10");
	assert_int_equal(SET(w, {U_PORT, X, "0"}), MO_WRONG_VALUE);
	/* A group address, VLANs that do not exist, an index of another length. */
	assert_int_equal(
	    SET(w, {U_PORT, "1.1.0.94.0.0.1", "9"}, {U_STATUS, "1.1.0.94.0.0.1", "createAndGo"}),
	    MO_NO_CREATION);
	assert_int_equal(SET(w, {U_STATUS, "0.2.0.0.0.0.1", "destroy"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {U_STATUS, "4095.2.0.0.0.0.1", "destroy"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {U_STATUS, "1.2.0.0.0.0.256", "destroy"}), MO_NO_CREATION);
	assert_int_equal(SET(w, {U_STATUS, "1.2.0.0.0.0", "destroy"}), MO_NO_CREATION);
	/* All or nothing. */
	assert_int_equal(SET(w, {U_STATUS, X, "destroy"}, {U_STATUS, Y, "active"}),
			 MO_INCONSISTENT_VALUE);
	assert_column(w, U_PORT, X "=9");
	mo_world_free(w);
}

static void index_of(unsigned n, char index[32])
{
	snprintf(index, 32, "1.2.0.0.0.%u.%u", n / 256, n % 256);
}

static void test_full_table_refuses_an_entry(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char index[32];

	(void)state;
	for (unsigned n = 0; n < STATIC_UNICAST_MAX; n++) {
		index_of(n * 7, index);
		assert_int_equal(SET(w, {U_PORT, index, "5"}, {U_STATUS, index, "createAndGo"}),
				 MO_NO_ERROR);
	}
	index_of(5, index);
	assert_int_equal(SET(w, {U_STATUS, index, "createAndGo"}, {U_PORT, index, "5"}),
			 MO_RESOURCE_UNAVAILABLE);
	assert_int_equal(w->bad, 2);
	assert_int_equal(SET(w, {U_PORT, index, "3"}, {U_STATUS, index, "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(SET(w, {U_PORT, index, "5"}), MO_RESOURCE_UNAVAILABLE);
	assert_non_null(strstr(w->reason, "sw5: expected at most "));
	/* One is replaced by another in one SET, whichever has the lower index. */
	assert_int_equal(SET(w, {U_PORT, index, "5"}, {U_STATUS, "1.2.0.0.0.0.7", "destroy"}),
			 MO_NO_ERROR);
	assert_value(w, U_PORT, index, "5");
	assert_int_equal(SET(w, {U_STATUS, "1.2.0.0.0.0.0", "destroy"},
			     {U_PORT, "1.2.0.0.0.0.8", "5"},
			     {U_STATUS, "1.2.0.0.0.0.8", "createAndGo"}),
			 MO_NO_ERROR);
	/* An entry of a full port is exchanged for one of another. */
	assert_int_equal(
	    SET(w, {U_PORT, "1.2.0.0.0.0.1", "3"}, {U_STATUS, "1.2.0.0.0.0.1", "createAndGo"}),
	    MO_NO_ERROR);
	assert_int_equal(SET(w, {U_PORT, "1.2.0.0.0.0.1", "5"}, {U_PORT, "1.2.0.0.0.0.8", "3"}),
			 MO_NO_ERROR);
	assert_value(w, U_PORT, "1.2.0.0.0.0.1", "5");
	assert_value(w, U_PORT, "1.2.0.0.0.0.8", "3");
	mo_world_reload(w);
	assert_value(w, U_PORT, index, "5");
	assert_int_equal(w->m->config->ports[1].config->static_unicast.n, STATIC_UNICAST_MAX);
	mo_world_free(w);
}

/* Entries are kept under the ifAlias or the ifName of their port. */
static void test_static_entry_follows_its_interface(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link;

	(void)state;
	assert_int_equal(SET(w, {U_PORT, X, "9"}, {U_STATUS, X, "createAndGo"}, {U_PORT, Y, "5"},
			     {U_STATUS, Y, "createAndGo"}),
			 MO_NO_ERROR);
	/* Other names and ifIndexes after a restart: the alias stays. */
	mo_world_restart(w);
	mo_world_add_port(w, 20, "lan5", "uplink");
	mo_world_add_port(w, 21, "sw9", "");
	mo_world_load(w);
	assert_column(w, U_PORT, X "=21 " Y "=20");
	/* Renamed while dcbd runs. */
	link = mo_world_link(21, "lan9", "");
	managed_port_update(w->m, managed_find(w->m, 21), &link);
	assert_column(w, U_PORT, X "=21 " Y "=20");
	/* Gone, and back. */
	assert_true(managed_interface_gone(w->m, 21));
	mo_world_adopt(w);
	assert_column(w, U_PORT, Y "=20");
	mo_world_add_port(w, 30, "lan9", "");
	assert_column(w, U_PORT, X "=30 " Y "=20");
	mo_world_free(w);
}

/* An interface that was absent at start, with keep_absent. */
static void test_static_entry_of_absent_interface_is_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {U_PORT, X, "9"}, {U_STATUS, X, "createAndGo"}, {EGRESS, "9", "7"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	w->conf.keep_absent = true;
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_load(w);
	assert_column(w, U_PORT, "");
	mo_world_add_port(w, 9, "sw9", "");
	assert_column(w, U_PORT, X "=9");
	assert_value(w, EGRESS, "9", "7");
	mo_world_free(w);
}

/* The address got another port while its interface was away: that port keeps it. */
static void test_returning_interface_does_not_take_an_entry(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {U_PORT, X, "9"}, {U_STATUS, X, "createAndGo"}, {U_PORT, Y, "9"},
			     {U_STATUS, Y, "createAndGo"}),
			 MO_NO_ERROR);
	assert_true(managed_interface_gone(w->m, 9));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {U_PORT, X, "3"}, {U_STATUS, X, "createAndGo"}), MO_NO_ERROR);
	mo_world_add_port(w, 9, "sw9", "");
	assert_column(w, U_PORT, X "=3 " Y "=9");
	mo_world_reload(w);
	assert_column(w, U_PORT, X "=3 " Y "=9");
	mo_world_free(w);
}

static void test_undo_restores_static_entries(void **state)
{
	static const char *const set[][3] = {{U_PORT, X, "5"}, {U_STATUS, Y, "destroy"}};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {U_PORT, X, "9"}, {U_STATUS, X, "createAndGo"}, {U_PORT, Y, "9"},
			     {U_STATUS, Y, "createAndGo"}),
			 MO_NO_ERROR);
	assert_int_equal(mo_world_test(w, set, 2), MO_NO_ERROR);
	assert_int_equal(mo_world_phase(w, MO_OP_COMMIT), MO_NO_ERROR);
	assert_column(w, U_PORT, X "=5");
	assert_int_equal(mo_world_phase(w, MO_OP_UNDO), MO_NO_ERROR);
	assert_column(w, U_PORT, X "=9 " Y "=9");
	mo_world_free(w);
}

/* A walk finds each row from any index before it; sub-identifiers may be of any size. */
static void test_rows_are_found_from_any_index(void **state)
{
	static const struct {
		struct mo_index from;
		const char *found;
	} cases[] = {
	    {{0, {0}}, X},
	    {{1, {10}}, X},
	    {{7, {10, 2, 0, 0, 0, 0, 1}}, Y},
	    {{7, {10, 2, 0, 0, 0, 0, 0}}, X},
	    {{7, {10, 2, 0, 0, 0, 0, 254}}, Y},
	    {{7, {10, 2, 0, 0, 0, 0, 255}}, Z},
	    {{7, {10, 2, 0, 0, 0, 0, UINT32_MAX}}, Z},
	    {{7, {10, 1, 256, 0, 0, 0, 0}}, X},
	    {{7, {10, 1, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}}, X},
	    {{7, {9, 256, 0, 0, 0, 0, 0}}, X},
	    {{7, {9, UINT32_MAX, 9, 9, 9, 9, 9}}, X},
	    {{7, {10, 2, 0, 0, 0, 256, 0}}, Z},
	    {{7, {4093, 300, 0, 0, 0, 0, 0}}, Z},
	    {{7, {4094, 0, 0, 0, 0, 0, 0}}, NULL},
	    {{7, {4095, 0, 0, 0, 0, 0, 0}}, NULL},
	    {{7, {UINT32_MAX, 0, 0, 0, 0, 0, 0}}, NULL},
	};
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {U_PORT, X, "9"}, {U_STATUS, X, "createAndGo"}, {U_PORT, Y, "5"},
			     {U_STATUS, Y, "createAndGo"}, {U_PORT, Z, "3"},
			     {U_STATUS, Z, "createAndGo"}),
			 MO_NO_ERROR);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mo_index at = cases[i].from;
		bool found = mo_world_next(w, MO_static_unicast, &at);
		char text[64] = "";

		if (found)
			mo_index_format(&at, text, sizeof(text));
		if (found != !!cases[i].found || (found && strcmp(text, cases[i].found) != 0))
			fail_msg("case %zu: %s instead of %s", i, text, cases[i].found);
	}
	mo_world_free(w);
}

/* --- trust ----------------------------------------------------------------------------------- */

static void test_trust_is_set_and_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct mo_world *station;

	(void)state;
	assert_column(w, "dcbPortTrust", "3=pcp 5=pcp 9=pcp");
	assert_int_equal(SET(w, {"dcbPortTrust", "5", "dscp"}, {"dcbPortTrust", "9", "6"}),
			 MO_WRONG_VALUE);
	assert_column(w, "dcbPortTrust", "3=pcp 5=pcp 9=pcp");
	assert_int_equal(SET(w, {"dcbPortTrust", "5", "dscp"}, {"dcbPortTrust", "9", "pcp"}),
			 MO_NO_ERROR);
	assert_column(w, "dcbPortTrust", "3=pcp 5=dscp 9=pcp");
	assert_int_equal(SET(w, {"dcbPortTrust", "4", "dscp"}), MO_INCONSISTENT_NAME);
	mo_world_restart(w);
	mo_world_add_port(w, 7, "sw7", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, "dcbPortTrust", "7=dscp 9=pcp");
	assert_int_equal(SET(w, {"dcbPortTrust", "7", "pcp"}), MO_NO_ERROR);
	mo_world_free(w);
	/* A port that is no bridge's has no instance. */
	station = mo_world_new(ROLE_STATION);
	((struct port *)(uintptr_t)station->m->config->ports[1].port)->has &=
	    ~(uint32_t)PROVIDER_VLAN;
	assert_column(station, "dcbPortTrust", "3=pcp 9=pcp");
	assert_int_equal(SET(station, {"dcbPortTrust", "5", "dscp"}), MO_NO_CREATION);
	mo_world_free(station);
}

/* Addresses at ports in the order of the index, with ifIndex and with the number of the port. */
static void test_addresses_have_their_ports(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint16_t slot = w->m->config->ports[1].port->slot;
	struct fdb_address of[] = {
	    {.key = UINT64_C(1) << 48 | UINT64_C(0x0200000000ff), .slot = slot, .age_s = 3},
	    {.key = UINT64_C(1) << 48 | UINT64_C(0x020000000100), .slot = slot, .moves = 7},
	    {.key = UINT64_C(10) << 48 | UINT64_C(0x020000000021), .slot = slot, .fixed = true},
	    {.key = UINT64_C(10) << 48 | UINT64_C(0x020000000022), .slot = DCB_SLOTS - 1},
	    {.key = UINT64_C(1) << 48 | UINT64_C(0x020000000001), .nickname = 512},
	};
	char expected[256];

	(void)state;
	w->provider.addresses = (struct fdb_addresses){of, 5, 4};
	assert_column(w, "dcbFdbPort",
		      "1.2.0.0.0.0.255=5 1.2.0.0.0.1.0=5 10.2.0.0.0.0.33=5 10.2.0.0.0.0.34=0");
	assert_column(w, "dcbFdbOrigin",
		      "1.2.0.0.0.0.255=learned 1.2.0.0.0.1.0=learned 10.2.0.0.0.0.33=static "
		      "10.2.0.0.0.0.34=learned");
	assert_column(w, "dcbFdbAge",
		      "1.2.0.0.0.0.255=3 1.2.0.0.0.1.0=0 10.2.0.0.0.0.33=0 10.2.0.0.0.0.34=0");
	assert_column(w, "dcbFdbMoves",
		      "1.2.0.0.0.0.255=0 1.2.0.0.0.1.0=7 10.2.0.0.0.0.33=0 10.2.0.0.0.0.34=0");
	assert_column(w, "dot1qTpFdbStatus",
		      "1.2.0.0.0.0.255=learned 1.2.0.0.0.1.0=learned 10.2.0.0.0.0.33=mgmt "
		      "10.2.0.0.0.0.34=learned");
	snprintf(expected, sizeof(expected),
		 "1.2.0.0.0.0.255=%u 1.2.0.0.0.1.0=%u 10.2.0.0.0.0.33=%u 10.2.0.0.0.0.34=0",
		 slot + 1u, slot + 1u, slot + 1u);
	assert_column(w, "dot1qTpFdbPort", expected);
	assert_column(w, "dot1dBasePortIfIndex", "1=3 2=5 3=9");
	assert_column(w, "dot1dBasePort", "1=1 2=2 3=3");
	assert_column(w, "dcbTrillFdbNickname", "1.2.0.0.0.0.1=512");
	mo_world_free(w);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_port_is_member_of_all_vlans),
	    cmocka_unit_test(test_vlan_objects_have_provider_values),
	    cmocka_unit_test(test_addresses_have_their_ports),
	    cmocka_unit_test(test_vlan_settings_are_set_and_kept),
	    cmocka_unit_test(test_every_other_vlan_survives_a_restart),
	    cmocka_unit_test(test_bits_outside_the_vlans_are_refused),
	    cmocka_unit_test(test_short_value_has_no_further_vlans),
	    cmocka_unit_test(test_static_entry_is_created_moved_and_deleted),
	    cmocka_unit_test(test_invalid_static_entries_are_refused),
	    cmocka_unit_test(test_full_table_refuses_an_entry),
	    cmocka_unit_test(test_static_entry_follows_its_interface),
	    cmocka_unit_test(test_static_entry_of_absent_interface_is_kept),
	    cmocka_unit_test(test_returning_interface_does_not_take_an_entry),
	    cmocka_unit_test(test_undo_restores_static_entries),
	    cmocka_unit_test(test_rows_are_found_from_any_index),
	    cmocka_unit_test(test_trust_is_set_and_kept),
	};

	log_init("test_mo_vlan", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
