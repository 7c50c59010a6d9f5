/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/dcbx_config.h"

#include <string.h>

/* Returns <0, 0 or >0: the order of SNMP indexes. */
static int app_compare(const struct app_priority *app, uint8_t selector, uint16_t protocol)
{
	return app->selector != selector ? app->selector - selector : app->protocol - protocol;
}

unsigned dcbx_config_app(const struct dcbx_config *config, uint8_t selector, uint16_t protocol)
{
	unsigned at = 0;

	while (at < config->n_apps && app_compare(&config->apps[at], selector, protocol) < 0)
		at++;
	return at;
}

bool dcbx_config_has_app(const struct dcbx_config *config, uint8_t selector, uint16_t protocol)
{
	unsigned at = dcbx_config_app(config, selector, protocol);

	return at < config->n_apps && app_compare(&config->apps[at], selector, protocol) == 0;
}

bool dcbx_config_put_app(struct dcbx_config *config, const struct app_priority *app)
{
	unsigned at = dcbx_config_app(config, app->selector, app->protocol);

	if (!dcbx_config_has_app(config, app->selector, app->protocol)) {
		if (config->n_apps == DCBX_APPS_MAX)
			return false;
		memmove(&config->apps[at + 1], &config->apps[at],
			(config->n_apps - at) * sizeof(*app));
		config->n_apps++;
	}
	config->apps[at] = *app;
	return true;
}

bool dcbx_config_drop_app(struct dcbx_config *config, uint8_t selector, uint16_t protocol)
{
	unsigned at = dcbx_config_app(config, selector, protocol);

	if (!dcbx_config_has_app(config, selector, protocol))
		return false;
	config->n_apps--;
	memmove(&config->apps[at], &config->apps[at + 1],
		(config->n_apps - at) * sizeof(config->apps[0]));
	config->apps[config->n_apps] = (struct app_priority){0};
	return true;
}

static uint32_t app_vlan_key(uint16_t selector, uint16_t protocol)
{
	return (uint32_t)selector << 16 | protocol;
}

/*
 * Returns the position of the VLAN of an application, or the position at which to insert it.
 * *exists: there is one.
 */
static unsigned find_app_vlan(const struct dcbx_config *config, uint16_t selector,
			      uint16_t protocol, bool *exists)
{
	const struct app_vlan *vlans = config->app_vlans;
	uint32_t key = app_vlan_key(selector, protocol), found = 0;
	unsigned at;

	for (at = 0; at < config->n_app_vlans; at++) {
		found = app_vlan_key(vlans[at].selector, vlans[at].protocol);
		if (found >= key)
			break;
	}
	*exists = at < config->n_app_vlans && found == key;
	return at;
}

bool dcbx_config_put_app_vlan(struct dcbx_config *config, const struct app_vlan *app)
{
	bool exists;
	unsigned at = find_app_vlan(config, app->selector, app->protocol, &exists);

	if (!exists) {
		if (config->n_app_vlans == DCBX_APPS_MAX)
			return false;
		memmove(&config->app_vlans[at + 1], &config->app_vlans[at],
			(config->n_app_vlans - at) * sizeof(*app));
		config->n_app_vlans++;
	}
	config->app_vlans[at] = *app;
	return true;
}

bool dcbx_config_drop_app_vlan(struct dcbx_config *config, uint16_t selector, uint16_t protocol)
{
	bool exists;
	unsigned at = find_app_vlan(config, selector, protocol, &exists);

	if (!exists)
		return false;
	config->n_app_vlans--;
	memmove(&config->app_vlans[at], &config->app_vlans[at + 1],
		(config->n_app_vlans - at) * sizeof(config->app_vlans[0]));
	config->app_vlans[config->n_app_vlans] = (struct app_vlan){0};
	return true;
}
