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
