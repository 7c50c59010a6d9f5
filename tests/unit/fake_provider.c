/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/fake_provider.h"

#include <stdlib.h>

static struct fake_provider *fake(struct provider *p)
{
	return (struct fake_provider *)p;
}

static struct port *fake_open(struct provider *p, const struct link_info *link,
			      const struct port_settings *settings, char *err, size_t errlen)
{
	struct fake_port *port = calloc(1, sizeof(*port));
	uint16_t slot = 0;

	(void)err;
	(void)errlen;
	while (fake(p)->by_slot[slot])
		slot++;
	fake(p)->by_slot[slot] = port;
	fake(p)->n_open++;
	port->port = (struct port){p, slot, *link, *settings};
	return &port->port;
}

static void fake_update(struct port *port, const struct link_info *link)
{
	port->link = *link;
}

static void fake_close(struct port *port)
{
	fake(port->provider)->by_slot[port->slot] = NULL;
	fake(port->provider)->n_open--;
	free(port);
}

static void fake_publish(struct provider *p, const struct dcb_config *config)
{
	fake(p)->published = config;
	fake(p)->n_published++;
}

static int fake_event_fd(const struct provider *p)
{
	(void)p;
	return -1;
}

static bool fake_next_event(struct provider *p, struct provider_event *ev)
{
	(void)p;
	(void)ev;
	return false;
}

static void fake_read_cp(const struct port *port, unsigned priority, struct cp_stats *out)
{
	*out = fake_port(port)->cp[priority];
}

static void fake_read_pfc(const struct port *port, unsigned priority, struct pfc_stats *out)
{
	*out = fake_port(port)->pfc[priority];
}

static void fake_read_pfc_port(const struct port *port, struct pfc_port_stats *out)
{
	*out = fake_port(port)->pfc_port;
}

static void fake_read_pfc_watchdog(const struct port *port, unsigned priority,
				   struct pfc_watchdog_stats *out)
{
	*out = fake_port(port)->watchdog[priority];
}

static void fake_read_port(const struct port *port, struct port_stats *out)
{
	*out = fake_port(port)->stats;
}

static void fake_read_rp_port_pri(const struct port *port, unsigned priority,
				  struct rp_port_pri_stats *out)
{
	*out = fake_port(port)->rp_port_pri[priority];
}

static void fake_read_rp(const struct port *port, unsigned priority, unsigned index,
			 struct rp_stats *out)
{
	*out = fake_port(port)->rp[priority][index - 1];
}

static void fake_read_cnm(const struct port *port, struct cnm_stats *out)
{
	*out = fake_port(port)->cnm;
}

static void fake_read_provider(const struct provider *p, struct provider_stats *out)
{
	(void)p;
	*out = (struct provider_stats){0};
}

static void fake_destroy(struct provider *p)
{
	for (size_t slot = 0; slot < DCB_SLOTS; slot++)
		if (fake(p)->by_slot[slot])
			fake_close(&fake(p)->by_slot[slot]->port);
}

static const struct provider_ops fake_ops = {
    .name = "fake",
    .port_open = fake_open,
    .port_update = fake_update,
    .port_close = fake_close,
    .publish = fake_publish,
    .event_fd = fake_event_fd,
    .next_event = fake_next_event,
    .read_cp = fake_read_cp,
    .read_pfc = fake_read_pfc,
    .read_pfc_watchdog = fake_read_pfc_watchdog,
    .read_pfc_port = fake_read_pfc_port,
    .read_port = fake_read_port,
    .read_rp_port_pri = fake_read_rp_port_pri,
    .read_rp = fake_read_rp,
    .read_cnm = fake_read_cnm,
    .read_provider = fake_read_provider,
    .destroy = fake_destroy,
};

void fake_provider_init(struct fake_provider *f)
{
	*f = (struct fake_provider){.provider.ops = &fake_ops};
}
