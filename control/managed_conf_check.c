/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dcbd -t: the sum of the frame memory. It runs the provider that the daemon runs, without
 * its thread and with ports that are connected to nothing, so both refuse the same.
 */
#include "control/managed_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>

#include "control/host/ifmon.h"
#include "control/managed/memory.h"
#include "control/persist.h"
#include "dataplane/observe/provider_observe.h"

/* --- interfaces --------------------------------------------------------------------------- */

static void add_link(void *ctx, const struct link_info *link, const struct link_host *host)
{
	struct link_list *list = ctx;
	struct listed_link *links = realloc(list->links, (list->n + 1) * sizeof(*links));

	if (!links)
		return; /* the list is incomplete; out of memory in dcbd -t */
	links[list->n++] = (struct listed_link){*link, *host};
	list->links = links;
}

static void ignore_gone(void *ctx, uint32_t ifindex)
{
	(void)ctx;
	(void)ifindex;
}

bool link_list_read(struct link_list *list, char *err, size_t errlen)
{
	static const struct ifmon_ops ops = {.link = add_link, .gone = ignore_gone};
	struct event_base *base = event_base_new();
	struct ifmon *ifmon = NULL;

	*list = (struct link_list){0};
	if (base)
		ifmon = ifmon_new(base, &ops, list, err, errlen);
	else
		snprintf(err, errlen, "out of memory");
	if (ifmon)
		ifmon_free(ifmon);
	if (base)
		event_base_free(base);
	return ifmon;
}

void link_list_free(struct link_list *list)
{
	free(list->links);
	*list = (struct link_list){0};
}

/* An interface that cannot be listed cannot become a port either, and the log says so then. */
void managed_conf_take_mtus(struct conf *conf)
{
	struct link_list list;
	char err[256];

	conf->frame_octets_found = 0;
	if (link_list_read(&list, err, sizeof(err))) {
		for (size_t i = 0; i < list.n; i++) {
			const struct link_info *link = &list.links[i].link;
			uint32_t octets = port_mtu_octets(link->mtu);

			if (conf_manages(conf, link->name) && octets > conf->frame_octets_found)
				conf->frame_octets_found = octets;
		}
	}
	link_list_free(&list);
	if (conf->frame_octets_found > CONF_FRAME_OCTETS_MOST)
		conf->frame_octets_found = CONF_FRAME_OCTETS_MOST;
}

/* --- frame memory ----------------------------------------------------------------------- */

struct dry_run {
	const struct conf *conf;
	const struct macsec_modes *modes;
	struct managed *m;
	char *err;
	size_t errlen;
};

/* Adds a port for an interface, unless another system moves its frames. */
static bool add_interface(struct dry_run *d, struct link_info *link)
{
	struct port_settings settings = *conf_port_settings(d->conf, link->name);

	if (!conf_manages(d->conf, link->name) || !conf_forwards(&settings))
		return true;
	link->up = true;
	settings.memory = true;
	settings.macsec = macsec_modes_find(d->modes, link->name);
	return managed_port_add(d->m, link, &settings, d->err, d->errlen);
}

static bool add_interfaces(struct dry_run *d)
{
	struct link_list list;
	bool ok = link_list_read(&list, d->err, d->errlen);

	for (size_t i = 0; ok && i < list.n; i++)
		ok = add_interface(d, &list.links[i].link);
	link_list_free(&list);
	return ok;
}

static bool refused(const struct dry_run *d, const struct provider_refusal *why)
{
	managed_refusal_text(why, d->err, d->errlen);
	return false;
}

/* Asks the provider for all ports at once, before the initial settings. */
static bool try_ports(struct dry_run *d)
{
	struct dcb_config *config = dcb_config_copy(d->m->config);
	struct provider_refusal why = {.text = "out of memory"};
	bool ok = config && managed_try(d->m, config, &why);

	dcb_config_free(config);
	return ok || refused(d, &why);
}

static bool release(struct dry_run *d)
{
	struct provider_refusal why;

	return managed_release(d->m, &why) || refused(d, &why);
}

static bool check_memory(struct dry_run *d)
{
	const struct dcb_config *config = d->m->config;
	struct buffer_memory_stats memory;

	memory_read(d->m->engine, &memory);
	for (size_t i = 0; i < config->n_ports; i++) {
		const struct dcb_config_port *at = &config->ports[i];

		if (!port_pfc_sent(at->config, &at->oper) ||
		    memory_holds(d->m->role, d->m->engine, at, &memory) != MEMORY_OF_PORT)
			continue;
		memory_port_text(at, &memory, d->err, d->errlen);
		return false;
	}
	if (memory_fits(&memory))
		return true;
	memory_sum_text(&memory, config->buffer_memory.rules.headroom_ratio, d->err, d->errlen);
	return false;
}

/* The system has one of "observe" if no port of dcbd.conf needs a software provider. */
static struct provider *new_provider(const struct conf *conf, unsigned i, char *err, size_t errlen)
{
	const struct provider_soft_params params[] = {
	    managed_conf_soft(conf, conf->role, true, 1),
	    managed_conf_station(conf, true, 1),
	};

	if (conf_moves_frames(conf))
		return provider_soft_new(&params[i], err, errlen);
	snprintf(err, errlen, "out of memory");
	return provider_observe_new();
}

/* Creates the providers, which move no frames, and the system. NULL: err has the reason. */
static struct managed *new_system(const struct conf *conf, char *err, size_t errlen)
{
	unsigned wanted = conf_uses_provider(conf, CONF_PROVIDER_STATION) ? 2 : 1, n = 0;
	struct provider *providers[2];
	struct managed *m = NULL;

	while (n < wanted && (providers[n] = new_provider(conf, n, err, errlen)))
		n++;
	if (n == wanted) {
		m = managed_conf_new(conf, providers, n);
		if (!m)
			snprintf(err, errlen, "out of memory");
	}
	while (!m && n-- > 0)
		providers[n]->ops->destroy(providers[n]);
	return m;
}

bool managed_conf_check(const struct conf *conf, const struct macsec_modes *modes, char *err,
			size_t errlen)
{
	struct dry_run d = {.conf = conf, .modes = modes, .err = err, .errlen = errlen};
	bool ok;

	d.m = new_system(conf, err, errlen);
	if (!d.m)
		return false;
	managed_collect(d.m);
	ok = managed_conf_memory_ports(d.m, conf, err, errlen) && add_interfaces(&d) &&
	     try_ports(&d) && persist_initial(d.m, conf, err, errlen) && release(&d) &&
	     check_memory(&d);
	managed_free(d.m);
	return ok;
}
