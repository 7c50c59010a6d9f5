/* SPDX-License-Identifier: BSD-3-Clause */
/* Role and providers, and settings of dcbd.conf that have no effect in the role. */
#include "control/conf/conf_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- roles and providers ------------------------------------------------------------ */

const char *conf_role_name(const struct conf *conf)
{
	switch (conf->role) {
	case ROLE_STATION:
		return "station";
	case ROLE_RBRIDGE:
		return "rbridge";
	case ROLE_BRIDGE:
		break;
	}
	return "bridge";
}

bool conf_is_provider(const struct port_settings *settings, const char *name)
{
	return strcmp(settings->provider ? settings->provider : CONF_PROVIDER_SOFT, name) == 0;
}

bool conf_forwards(const struct port_settings *settings)
{
	return !conf_is_provider(settings, CONF_PROVIDER_KERNEL) &&
	       !conf_is_provider(settings, CONF_PROVIDER_SONIC) &&
	       !conf_is_provider(settings, CONF_PROVIDER_OBSERVE);
}

bool conf_is_station(const struct conf *conf, const struct port_settings *settings)
{
	return conf->role == ROLE_STATION ? conf_is_provider(settings, CONF_PROVIDER_SOFT)
					  : conf_is_provider(settings, CONF_PROVIDER_STATION);
}

bool conf_uses_provider(const struct conf *conf, const char *provider)
{
	for (size_t i = 0; i < conf->n_ports; i++)
		if (conf_is_provider(&conf->ports[i].settings, provider))
			return true;
	return conf_is_provider(&conf->port_default, provider);
}

/* Returns whether each name that the pattern matches is also one that the entry's does. */
static bool covers(const struct conf_port *entry, const char *pattern)
{
	size_t n = strlen(entry->name) - 1;
	bool is_prefix = entry->name[n] == '*' && strcspn(entry->name, "*?[\\") == n;

	return strcmp(entry->name, pattern) == 0 ||
	       (is_prefix && strncmp(entry->name, pattern, n) == 0);
}

/* Returns whether the pattern can select an interface that has no entry of ports. */
static bool may_be_default(const struct conf *conf, const char *pattern)
{
	for (size_t i = 0; i < conf->n_ports; i++)
		if (covers(&conf->ports[i], pattern))
			return false;
	return true;
}

bool conf_moves_frames(const struct conf *conf)
{
	if (conf->memory_ports || conf->macsec_key_file)
		return true;
	for (size_t i = 0; i < conf->n_ports; i++)
		if (conf_forwards(&conf->ports[i].settings))
			return true;
	if (!conf_forwards(&conf->port_default))
		return false;
	for (size_t i = 0; i < conf->n_include; i++)
		if (may_be_default(conf, conf->include[i]))
			return true;
	return conf->n_include == 0;
}

/* --- settings without effect -------------------------------------------------------- */

/* "group.name" or "name". Those of ports: below defaults and in each entry of ports. */
/* A bridge or RBridge has these. */
static const char *const only_bridge[] = {"bridge.ageing", "bridge.transit_delay",
					  "bridge.fdb_entries", NULL};
static const char *const only_bridge_port[] = {"regeneration", "pfc.buffer", "pfc.headroom",
					       "pfc.xon", NULL};
static const char *const only_station[] = {"flows", NULL};
/* Reaction points, and the host behind the tap. */
static const char *const only_station_port[] = {
    "flow_buffer",          "tap", "cn.threshold", "cn.jitter", "cn.extra_fast_recovery",
    "cn.first_hyper_cycle", NULL};

/* Returns the setting, or NULL. */
static const config_setting_t *find(const config_setting_t *group, const char *path)
{
	const char *dot = strchr(path, '.');
	char name[32];

	if (!dot)
		return config_setting_get_member(group, path);
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	group = config_setting_get_member(group, name);
	return group ? config_setting_get_member(group, dot + 1) : NULL;
}

static void list(struct reader *r, FILE *out, const config_setting_t *group,
		 const char *const *paths, const char *role)
{
	const char *article = role[0] == 'r' ? "an" : "a";

	for (; group && *paths; paths++) {
		const config_setting_t *s = find(group, *paths);

		if (!s)
			continue;
		/*
		 * Message: The setting belongs to the other role, and has no effect. Remove it, or
		 * correct `role`.
		 */
		(void)conf_fail(r, s, "no effect in %s %s", article, role);
		fprintf(out, "%s\n", r->err);
	}
}

/* Those of an entry of ports. */
static void list_port(struct reader *r, FILE *out, const config_setting_t *group,
		      const struct port_settings *settings)
{
	if (conf_is_station(conf_of(r), settings))
		list(r, out, group, only_bridge_port, "station");
	else
		list(r, out, group, only_station_port, conf_role_name(conf_of(r)));
}

/* Those of the defaults that no port can have: entries of ports with another provider have them. */
static void list_defaults(struct reader *r, FILE *out)
{
	const config_setting_t *group = config_setting_get_member(conf_root(r), "defaults");
	const struct conf *conf = conf_of(r);

	if (conf->role == ROLE_STATION || !conf_uses_provider(conf, CONF_PROVIDER_SOFT))
		list(r, out, group, only_bridge_port, "station");
	if (conf->role != ROLE_STATION && !conf_uses_provider(conf, CONF_PROVIDER_STATION))
		list(r, out, group, only_station_port, conf_role_name(conf));
}

void conf_list_ignored(struct reader *r)
{
	const char *role = conf_role_name(conf_of(r));
	const config_setting_t *root = conf_root(r);
	const config_setting_t *ports = config_setting_get_member(root, "ports");
	struct conf *conf = conf_of(r);
	char *err = r->err, text[512];
	size_t errlen = r->errlen, len;
	FILE *out = open_memstream(&conf->ignored, &len);

	conf_alloc_check(out);
	r->err = text; /* list() writes no error */
	r->errlen = sizeof(text);
	if (conf->role == ROLE_STATION)
		list(r, out, root, only_bridge, role);
	else if (!conf_uses_provider(conf, CONF_PROVIDER_STATION))
		list(r, out, root, only_station, role);
	list_defaults(r, out);
	for (int i = 0; ports && i < config_setting_length(ports); i++)
		list_port(r, out, config_setting_get_elem(ports, (unsigned)i),
			  &conf->ports[i].settings);
	r->err = err;
	r->errlen = errlen;
	fclose(out);
	conf_alloc_check(conf->ignored);
}
