/* SPDX-License-Identifier: BSD-3-Clause */
/* flows = ( { protocol = "tcp"; port = 5201; priority = 3; }, ... ): a station's flow select. */
#include "control/conf/conf_private.h"

#include <stdio.h>
#include <string.h>

#define FIELD(field) offsetof(struct flow_rule, field), sizeof(((struct flow_rule *)0)->field)

static bool take_protocol(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	static const struct {
		const char *name;
		uint8_t number;
	} known[] = {{"icmp", 1}, {"tcp", 6}, {"udp", 17}, {"icmpv6", 58}, {"sctp", 132}};
	const char *text = config_setting_get_string(s);
	struct flow_rule *rule = base;

	if (!text && config_setting_type(s) == CONFIG_TYPE_INT)
		return conf_take_number(r, s, row, base);
	for (size_t i = 0; text && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(text, known[i].name) == 0) {
			rule->protocol = known[i].number;
			return true;
		}
	}
	return conf_expected(r, s,
			     "\"tcp\", \"udp\", \"sctp\", \"icmp\", \"icmpv6\" or a number 0..255");
}

static bool take_mac(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	const char *text = config_setting_get_string(s);
	uint8_t *mac = (uint8_t *)base + row->offset;
	int end = 0;

	if (text &&
	    sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
		   &mac[3], &mac[4], &mac[5], &end) == ETH_ADDR_OCTETS &&
	    end == 17 && text[end] == '\0')
		return true;
	return conf_expected(r, s, "an address such as \"02:00:00:00:00:01\"");
}

static bool take_priority(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	((struct flow_rule *)base)->sets_priority = true;
	return conf_take_number(r, s, row, base);
}

/* clang-format off */
static const struct conf_row rows[] = {
	{"protocol",       take_protocol,    FIELD(protocol), 0, 255, NULL},
	{"port",           conf_take_number, FIELD(port), 0, 65535, NULL},
	{"source_port",    conf_take_number, FIELD(source_port), 0, 65535, NULL},
	{"dscp",           conf_take_number, FIELD(dscp), 0, 63, NULL},
	{"ethertype",      conf_take_number, FIELD(ethertype), 0x600, 0xffff, NULL},
	{"vlan",           conf_take_number, FIELD(vlan), 1, 4094, NULL},
	{"destination",    take_mac,         FIELD(destination), 0, 0, NULL},
	{"priority",       take_priority,    FIELD(priority), 0, 7, NULL},
	{"reaction_point", conf_take_number, FIELD(reaction_point), 1, 100, NULL},
	{NULL, NULL, 0, 0, 0, 0, NULL},
};
static const struct conf_row rule_group = {"", conf_take_group, 0, 0, 0, 0, rows};
/* clang-format on */

/* What a rule says must match is what it says at all. */
static uint8_t match_of(const config_setting_t *s)
{
	static const struct {
		const char *name;
		uint8_t match;
	} conditions[] = {
	    {"protocol", FLOW_PROTOCOL},       {"port", FLOW_PORT},
	    {"source_port", FLOW_SOURCE_PORT}, {"dscp", FLOW_DSCP},
	    {"ethertype", FLOW_ETHERTYPE},     {"vlan", FLOW_VLAN},
	    {"destination", FLOW_DESTINATION},
	};
	unsigned match = 0;

	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		if (config_setting_get_member(s, conditions[i].name))
			match |= conditions[i].match;
	}
	return (uint8_t)match;
}

bool conf_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	struct flow_rules *flows = &r->conf->flows;

	(void)row;
	(void)base;
	if (!config_setting_is_list(s))
		return conf_expected(r, s, "a list ( { port = ...; priority = ...; }, ... )");
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		struct flow_rule *rule = &flows->rule[flows->n];

		if (flows->n == FLOW_RULES_MAX)
			return conf_fail(r, e, "expected at most %d entries", FLOW_RULES_MAX);
		if (!conf_take_group(r, e, &rule_group, rule))
			return false;
		if (!rule->sets_priority && !rule->reaction_point)
			return conf_fail(r, e, "expected a priority, a reaction_point or both");
		rule->match = match_of(e);
		flows->n++;
	}
	return true;
}
