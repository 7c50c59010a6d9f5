/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/observe/provider_observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

struct observed {
	struct port base;
	LIST_ENTRY(observed) entry;
};

struct observe {
	struct provider base;
	LIST_HEAD(observed_list, observed) ports;
};

static struct port *observe_port_open(struct provider *p, uint16_t slot,
				      const struct link_info *link,
				      const struct port_settings *settings, char *err,
				      size_t errlen)
{
	struct observed *port = calloc(1, sizeof(*port));

	if (!port) {
		snprintf(err, errlen, "%s: out of memory", link->name);
		return NULL;
	}
	port->base = (struct port){
	    .provider = p,
	    .slot = slot,
	    .has = PROVIDER_PFC | PROVIDER_DCBX,
	    .sets = PROVIDER_PFC,
	    .link = *link,
	    .settings = *settings,
	};
	LIST_INSERT_HEAD(&((struct observe *)p)->ports, port, entry);
	return &port->base;
}

static void observe_port_update(struct port *port, const struct link_info *link)
{
	port->link = *link;
}

static void observe_port_close(struct port *port)
{
	struct observed *o = (struct observed *)port;

	LIST_REMOVE(o, entry);
	free(o);
}

/* DCBX, 38.4: a willing port applies its neighbor's PFC settings, which "observe" cannot do. */
static bool observe_prepare(struct provider *p, const struct dcb_config *config,
			    struct provider_refusal *why)
{
	(void)p;
	for (size_t i = 0; i < config->n_ports; i++)
		if (config->ports[i].config->dcbx.pfc_willing)
			return provider_refuse(
			    why, PROVIDER_CANNOT, config->ports[i].port, PROVIDER_PFC,
			    "provider \"observe\" cannot apply the neighbor's PFC "
			    "configuration: expected not willing");
	return true;
}

static bool observe_commit(struct provider *p, const struct dcb_config *config,
			   struct provider_refusal *why)
{
	(void)p;
	(void)config;
	(void)why;
	return true;
}

static void observe_read_port(const struct port *port, struct port_stats *out)
{
	*out = (struct port_stats){.up = port->link.up};
}

static void observe_destroy(struct provider *p)
{
	struct observe *o = (struct observe *)p;

	while (!LIST_EMPTY(&o->ports))
		observe_port_close(&LIST_FIRST(&o->ports)->base);
	free(o);
}

struct provider *provider_observe_new(void)
{
	static const struct provider_ops ops = {
	    .name = "observe",
	    .port_open = observe_port_open,
	    .port_update = observe_port_update,
	    .port_close = observe_port_close,
	    .prepare = observe_prepare,
	    .commit = observe_commit,
	    .read_port = observe_read_port,
	    .destroy = observe_destroy,
	};
	struct observe *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->base.ops = &ops;
	LIST_INIT(&o->ports);
	return &o->base;
}
