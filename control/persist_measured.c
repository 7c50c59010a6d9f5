/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/persist_measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/persist_text.h"
#include "lib/log.h"

/* A record, of a present interface or an absent one. */
struct persist_measured {
	struct persist_measured *next;
	struct pfc_measured is;
	bool is_alias;
	char key[DCB_ALIAS_OCTETS];
};

/* --- writing ------------------------------------------------------------------------------ */

static bool add_number(config_setting_t *group, const char *name, uint64_t number)
{
	config_setting_t *s = config_setting_add(group, name, CONFIG_TYPE_INT64);

	return s && config_setting_set_int64(s, (long long)number);
}

bool persist_measured_add(config_setting_t *root, const struct pfc_measured *is, const char *key,
			  bool is_alias)
{
	config_setting_t *list = config_setting_get_member(root, "measured"), *group, *text;

	if (is->count == 0)
		return true;
	if (!list)
		list = config_setting_add(root, "measured", CONFIG_TYPE_LIST);
	group = list ? config_setting_add(list, NULL, CONFIG_TYPE_GROUP) : NULL;
	if (!group)
		return false;
	text = config_setting_add(group, is_alias ? "alias" : "name", CONFIG_TYPE_STRING);
	return text && config_setting_set_string(text, key) &&
	       add_number(group, "rate", is->rate.bps) && add_number(group, "path", is->path) &&
	       add_number(group, "average", is->average) && add_number(group, "count", is->count);
}

/* --- reading ------------------------------------------------------------------------------ */

static const config_setting_t *take_member(struct reader *r, const config_setting_t *group,
					   const char *name)
{
	const config_setting_t *s = config_setting_get_member(group, name);

	if (!s)
		(void)conf_fail(r, group, "expected %s", name);
	return s;
}

static bool take_integer(struct reader *r, const config_setting_t *group, const char *name,
			 int64_t min, int64_t max, int64_t *v)
{
	const config_setting_t *s = take_member(r, group, name);

	return s && conf_integer(r, s, min, max, v);
}

static bool take_key(struct reader *r, const config_setting_t *group, struct persist_measured *to)
{
	const config_setting_t *s = config_setting_get_member(group, "alias");
	const char *key;

	to->is_alias = s;
	if (!s)
		s = take_member(r, group, "name");
	key = s ? conf_string(r, s, 0, DCB_ALIAS_OCTETS - 1) : NULL;
	if (key)
		snprintf(to->key, sizeof(to->key), "%s", key);
	return key;
}

static bool take_record(struct reader *r, const config_setting_t *group,
			struct persist_measured *to)
{
	int64_t rate, path, average, count;

	if (!take_key(r, group, to) || !take_integer(r, group, "rate", 1, INT64_MAX, &rate) ||
	    !take_integer(r, group, "path", HMPDU_PATH_PLAIN, HMPDU_PATH_PRIVACY, &path) ||
	    !take_integer(r, group, "average", 1, UINT32_MAX, &average) ||
	    !take_integer(r, group, "count", 1, UINT32_MAX, &count))
		return false;
	to->is = (struct pfc_measured){.rate = {(uint64_t)rate},
				       .average = (uint32_t)average,
				       .count = (uint32_t)count,
				       .path = (uint8_t)path};
	return true;
}

/* Returns true, also for a wrong record: the next one is read. */
static bool read_record(struct reader *r, const config_setting_t *group, void *base)
{
	struct persist_measured *is = conf_alloc_check(calloc(1, sizeof(*is))), **list = base;
	struct reader warns = *r;
	char text[512];

	warns.err = text;
	warns.errlen = sizeof(text);
	if (take_record(&warns, group, is)) {
		is->next = *list;
		*list = is;
		return true;
	}
	/*
	 * Message: The record at this line of the state file is wrong, or the provider of a port
	 * refuses it. All settings are restored. The port has no result until it has measured
	 * again.
	 */
	log_warn("persist", "%s: this measured delay is not restored", text);
	free(is);
	return true;
}

/* The list is missing in files of earlier versions, and while no port has measured. */
void persist_measured_read(struct persist_measured **list, struct reader *r)
{
	const config_setting_t *s = config_setting_get_member(conf_root(r), "measured");

	if (s && config_setting_is_list(s))
		(void)conf_each(r, s, "a list", read_record, list);
	else if (s)
		/* Message: as "%s: this measured delay is not restored" */
		log_warn("persist", "%s:%u: measured: expected a list: no delay is restored",
			 r->path, conf_line(r, s));
}

struct pfc_measured persist_measured_of(const struct persist_measured *list, const char *key,
					bool is_alias)
{
	for (; list; list = list->next)
		if (list->is_alias == is_alias && strcmp(list->key, key) == 0)
			return list->is;
	return (struct pfc_measured){0};
}

/* --- giving them to the ports ------------------------------------------------------------- */

/* A port without settings of a manager stays one. false: out of memory. */
static bool give(const struct persist_ports *ports, struct dcb_config *config,
		 const struct persist_measured *was)
{
	const struct port *port = persist_port(ports, was->key, was->is_alias);
	struct dcb_config_port *at;
	struct port_config *pc;

	if (!port)
		return true;
	at = &config->ports[dcb_config_lower_bound(config, port->link.ifindex)];
	pc = port_config_dup(at->config);
	if (!pc)
		return false;
	pc->pfc_measured = was->is;
	port_config_unref(at->config);
	at->config = pc;
	return true;
}

void persist_measured_publish(struct managed *m, const struct persist_ports *ports,
			      const struct persist_measured *list)
{
	struct dcb_config *config = list ? dcb_config_copy(m->config) : NULL;
	struct provider_refusal why;
	char text[256] = "out of memory";
	bool ok = config;

	if (!list)
		return;
	for (; ok && list; list = list->next)
		ok = give(ports, config, list);
	if (!ok)
		dcb_config_free(config);
	else if (managed_publish(m, config, &why))
		return;
	else
		managed_refusal_text(&why, text, sizeof(text));
	/* Message: as "%s: this measured delay is not restored" */
	log_warn("persist", "measured delays are not restored: %s", text);
}

void persist_measured_free(struct persist_measured *list)
{
	while (list) {
		struct persist_measured *next = list->next;

		free(list);
		list = next;
	}
}
