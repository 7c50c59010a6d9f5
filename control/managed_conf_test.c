/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd -t: the sum of the frame memory. It runs the provider that the daemon runs, without
 * its thread and with ports that are connected to nothing, so both refuse the same.
 */
#include "control/managed_conf.h"

#include <stdio.h>
#include <string.h>

#include <event2/event.h>

#include "control/host/ifmon.h"
#include "control/managed/memory.h"
#include "control/persist.h"

struct dry_run {
	const struct conf *conf;
	struct managed *m;
	char *err; /* empty: no error yet */
	size_t errlen;
};

/* Adds a port for an interface. Only ports of the first provider need frame memory. */
static void add_interface(void *ctx, const struct link_info *is)
{
	struct dry_run *d = ctx;
	struct port_settings settings = *conf_port_settings(d->conf, is->name);
	struct link_info link = *is;

	if (d->err[0] || !conf_manages(d->conf, link.name) ||
	    (settings.provider && strcmp(settings.provider, CONF_PROVIDER_SOFT) != 0))
		return;
	link.up = true;
	settings.memory = true;
	settings.provider = NULL;
	(void)managed_port_add(d->m, &link, &settings, d->err, d->errlen);
}

static void ignore_gone(void *ctx, uint32_t ifindex)
{
	(void)ctx;
	(void)ifindex;
}

static bool add_interfaces(struct dry_run *d)
{
	static const struct ifmon_ops ops = {.link = add_interface, .gone = ignore_gone};
	struct event_base *base = event_base_new();
	struct ifmon *ifmon = NULL;

	if (base)
		ifmon = ifmon_new(base, &ops, d, d->err, d->errlen);
	else
		snprintf(d->err, d->errlen, "out of memory");
	if (ifmon)
		ifmon_free(ifmon);
	if (base)
		event_base_free(base);
	return d->err[0] == '\0';
}

static bool release(struct dry_run *d)
{
	struct provider_refusal why;

	if (managed_release(d->m, &why))
		return true;
	managed_refusal_text(&why, d->err, d->errlen);
	return false;
}

static bool check_memory(struct dry_run *d)
{
	const struct dcb_config *config = d->m->config;
	struct buffer_memory_stats memory;

	memory_read(d->m, &memory);
	for (size_t i = 0; i < config->n_ports; i++) {
		const struct dcb_config_port *at = &config->ports[i];

		if (!at->oper.pfc_enable || memory_holds(d->m, at, &memory) != MEMORY_OF_PORT)
			continue;
		memory_port_text(at, &memory, d->err, d->errlen);
		return false;
	}
	if (memory_fits(&memory))
		return true;
	memory_sum_text(&memory, config->buffer_memory.rules.headroom_ratio, d->err, d->errlen);
	return false;
}

bool managed_conf_test(const struct conf *conf, char *err, size_t errlen)
{
	struct provider_soft_params params =
	    managed_conf_soft(conf, conf->role == ROLE_STATION, true, 1);
	struct provider *provider = provider_soft_new(&params, err, errlen);
	struct dry_run d = {.conf = conf, .err = err, .errlen = errlen};
	bool ok;

	if (!provider)
		return false;
	err[0] = '\0';
	d.m = managed_conf_new(conf, &provider, 1);
	if (!d.m) {
		provider->ops->destroy(provider);
		snprintf(err, errlen, "out of memory");
		return false;
	}
	ok = managed_conf_memory_ports(d.m, conf, err, errlen) && add_interfaces(&d) &&
	     persist_initial(d.m, conf, err, errlen) && release(&d) && check_memory(&d);
	managed_free(d.m);
	return ok;
}
