/* SPDX-License-Identifier: BSD-3-Clause */
/* flows = ( { protocol = "tcp"; port = 5201; priority = 3; }, ... ): flows of a station. */
#include "control/conf/conf_private.h"

#include <stdio.h>
#include <string.h>

#define FIELD(field) offsetof(struct flow_rule, field), sizeof(((struct flow_rule *)0)->field)

static bool take_protocol(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	static const char *const names[] = {"icmp", "tcp", "udp", "icmpv6", "sctp", NULL};
	static const uint8_t numbers[] = {1, 6, 17, 58, 132};
	struct flow_rule *rule = base;
	int i = conf_is_one_of(s, names);

	if (config_setting_is_number(s) == CONFIG_TRUE &&
	    config_setting_type(s) != CONFIG_TYPE_FLOAT)
		return conf_take_number(r, s, row, base);
	if (i >= 0)
		rule->protocol = numbers[i];
	return i >= 0 || conf_expected(r, s,
				       "\"tcp\", \"udp\", \"sctp\", \"icmp\", \"icmpv6\" or a "
				       "number 0..255");
}

static bool take_priority(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	((struct flow_rule *)base)->sets_priority = true;
	return conf_take_number(r, s, row, base);
}

/* clang-format off */
const struct conf_row conf_flow_rows[] = {
	{"protocol",       take_protocol,    FIELD(protocol), 0, 255, NULL},
	{"port",           conf_take_number, FIELD(port), 0, 65535, NULL},
	{"source_port",    conf_take_number, FIELD(source_port), 0, 65535, NULL},
	{"dscp",           conf_take_number, FIELD(dscp), 0, 63, NULL},
	{"ethertype",      conf_take_number, FIELD(ethertype), 0x600, 0xffff, NULL},
	{"vlan",           conf_take_number, FIELD(vlan), 1, 4094, NULL},
	{"destination",    conf_take_address,    FIELD(destination), 0, 0, NULL},
	{"priority",       take_priority,    FIELD(priority), 0, 7, NULL},
	{"reaction_point", conf_take_number, FIELD(reaction_point), 1, 100, NULL},
	{NULL, NULL, 0, 0, 0, 0, NULL},
};
static const struct conf_row rule_group = {"", conf_take_group, 0, 0, 0, 0, conf_flow_rows};
/* clang-format on */

/* Returns the conditions of a rule: its settings that are in the file. */
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

static bool add_rule(struct reader *r, const config_setting_t *e, void *base)
{
	struct flow_rules *flows = base;
	struct flow_rule *rule = &flows->rule[flows->n];

	if (flows->n == FLOW_RULES_MAX)
		/* Message: as "expected at most %d patterns" */
		return conf_fail(r, e, "expected at most %d entries", FLOW_RULES_MAX);
	if (!conf_take_group(r, e, &rule_group, rule))
		return false;
	if (!rule->sets_priority && !rule->reaction_point)
		/* Message: The rule has conditions only. Add a `priority` or a `reaction_point`. */
		return conf_fail(r, e, "expected a priority, a reaction_point or both");
	rule->match = match_of(e);
	flows->n++;
	return true;
}

bool conf_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	(void)row;
	(void)base;
	return conf_each(r, s, "a list ( { port = ...; priority = ...; }, ... )", add_rule,
			 &conf_of(r)->flows);
}
