/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/reload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/managed/memory.h"
#include "control/managed_conf.h"
#include "lib/log.h"

/* The dry run logs what applies to its own ports: only errors. */
static bool passes_test(const struct conf *conf, const struct macsec_modes *modes, char *err,
			size_t errlen)
{
	bool ok;

	log_level_here = LOG_LEVEL_ERROR;
	ok = managed_conf_test(conf, modes, err, errlen);
	log_level_here = LOG_LEVEL_DEBUG;
	return ok;
}

struct conf *reload_read(const char *file, const struct macsec_modes *modes, char *err,
			 size_t errlen)
{
	struct conf *next = malloc(sizeof(*next));
	char why[MEMORY_TEXT_OCTETS];

	if (!next) {
		snprintf(err, errlen, "%s: out of memory", file);
		return NULL;
	}
	conf_init(next);
	if (!conf_read(next, file, err, errlen)) {
		reload_free(next);
		return NULL;
	}
	if (!passes_test(next, modes, why, sizeof(why))) {
		snprintf(err, errlen, "%s: %s", file, why);
		reload_free(next);
		return NULL;
	}
	return next;
}

void reload_free(struct conf *next)
{
	conf_free(next);
	free(next);
}

bool reload_has_provider(const struct managed *m, const struct port_settings *settings)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		if (conf_is_provider(settings, m->providers[i]->ops->name))
			return true;
	return false;
}

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	log_warn("conf", "%s", text);
}

static void warn_of_provider(const struct managed *m, const struct conf *next, const char *name)
{
	const struct port_settings port = {.provider = name};

	if (conf_uses_provider(next, name) && !reload_has_provider(m, &port))
		log_warn("conf",
			 "provider \"%s\" needs a restart of dcbd: it was not used at the start",
			 name);
}

void reload_warn(const struct managed *m, const struct conf *now, const struct conf *next)
{
	conf_each_restart(now, next, warn, NULL);
	warn_of_provider(m, next, CONF_PROVIDER_OBSERVE);
	warn_of_provider(m, next, CONF_PROVIDER_STATION);
}

/* Returns the reason why the port is removed; NULL: it stays. */
static const char *reason_to_remove(const struct managed *m, const struct port *port,
				    const struct conf *now, const struct conf *next)
{
	const char *name = port->link.name;

	if (port->settings.memory)
		return NULL;
	if (!conf_manages(next, name))
		return "port removed, dcbd.conf does not select it";
	if (!conf_port_differs(now, next, name) ||
	    !reload_has_provider(m, conf_port_settings(next, name)))
		return NULL;
	return "port removed, dcbd.conf has other settings for it";
}

void reload_remove_ports(struct managed *m, const struct conf *now, const struct conf *next)
{
	struct dcb_positions gone = {{0}};
	bool any = false;

	for (size_t pos = 0; pos < m->config->n_ports; pos++) {
		const struct port *port = m->config->ports[pos].port;
		const char *why = reason_to_remove(m, port, now, next);

		if (!why)
			continue;
		log_info("port", "%s: %s", port->link.name, why);
		dcb_positions_add(&gone, pos);
		any = true;
	}
	if (any)
		managed_ports_remove(m, &gone);
}
