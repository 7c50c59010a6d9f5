/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MACsec of the ports of provider "soft". The keys are static, so a port has the same struct
 * port_macsec as long as it is open; what changes is the interface that its SecY stands in front
 * of.
 */
#include "dataplane/soft/provider_soft_private.h"

#include "dataplane/macsec/netio_secy.h"
#include "lib/clock.h"
#include "lib/counter.h"

#include <stdio.h>
#include <string.h>

/* --- control thread -------------------------------------------------------------------------- */

static struct port_macsec *named(const struct soft *s, const char *name)
{
	for (size_t i = 0; i < s->params.n_macsec; i++)
		if (strcmp(s->params.macsec[i].name, name) == 0)
			return &s->params.macsec[i];
	return NULL;
}

bool soft_macsec_find(struct soft *s, struct soft_iface *iface, char *err, size_t errlen)
{
	const struct port *port = &iface->port.base;
	struct port_macsec *m = port->settings.memory ? NULL : named(s, port->link.name);

	if (!m)
		return true;
	if (m->in_use) {
		/*
		 * Message: An interface got the name of one that is a port with MACsec under
		 * another name now. It does not become a port: it would have no keys of its own.
		 */
		snprintf(err, errlen, "%s: another port, which had this name, has its MACsec keys",
			 port->link.name);
		return false;
	}
	m->in_use = true;
	/* Offline, the time of the frames goes on only between them. */
	m->clock = s->params.no_thread ? NULL : clock_now;
	iface->macsec = m;
	iface->port.base.settings.macsec = (uint8_t)m->mode;
	iface->port.base.has |= PROVIDER_SECY;
	iface->port.link_octets = (uint8_t)secy_overhead(&m->secy);
	return true;
}

void soft_macsec_release(struct soft_iface *iface)
{
	if (iface->macsec)
		iface->macsec->in_use = false;
}

struct netio *soft_macsec_open(const struct soft_iface *iface, struct netio *io)
{
	const struct soft *s = (const struct soft *)iface->port.base.provider;

	return iface->macsec ? netio_secy_open(io, iface->macsec, s->params.frame_octets) : io;
}

/* --- dataplane thread ------------------------------------------------------------------------ */

/* The kernel accepts frames of the MTU and an Ethernet header: VLAN tags are behind the SecTAG. */
void soft_macsec_take_mtu(struct soft_iface *iface)
{
	uint32_t mtu = port_mtu(&iface->port);

	if (iface->macsec)
		iface->macsec->secy.config.max_octets = mtu ? mtu + ETH_HEADER_OCTETS : 0;
}

void soft_macsec_link_up(struct soft_iface *iface)
{
	if (iface->macsec)
		port_macsec_forget_delays(iface->macsec);
}

void soft_macsec_attach(struct soft *s, struct soft_iface *iface)
{
	if (!iface->macsec)
		return;
	soft_macsec_take_mtu(iface);
	soft_macsec_link_up(iface);
	iface->was_secure = port_macsec_transmits(iface->macsec);
	iface->secure_next = s->secure;
	s->secure = iface;
}

void soft_macsec_detach(struct soft *s, struct soft_iface *iface)
{
	struct soft_iface **at = &s->secure;

	while (*at && *at != iface)
		at = &(*at)->secure_next;
	if (*at)
		*at = iface->secure_next;
}

/* Hands over a SECY_EVENT_ or a key that is used up; tried again if there is no room. */
static void report(struct soft *s, struct soft_iface *iface)
{
	struct port_macsec *m = iface->macsec;

	if (!m->secy.events && iface->used_up == m->stats.used_up)
		return;
	if (!soft_post_macsec(s, &iface->port))
		return;
	(void)secy_take_events(&m->secy);
	iface->used_up = m->stats.used_up;
}

/* The same for a longer delay of the SecY. */
static void report_delay(struct soft *s, struct soft_iface *iface)
{
	uint64_t delay = iface->macsec->stats.delay_ns;

	if (delay != iface->secy_ns_told && soft_post_measured(s, &iface->port))
		iface->secy_ns_told = delay;
}

void soft_macsec_run(struct soft *s, struct dcb_time now)
{
	for (struct soft_iface *i = s->secure; i; i = i->secure_next) {
		bool is_secure;

		port_macsec_extend(i->macsec);
		is_secure = port_macsec_transmits(i->macsec);
		if (is_secure != i->was_secure)
			port_hm_update(&s->ports->hm, &i->port, now);
		i->was_secure = is_secure;
		report(s, i);
		report_delay(s, i);
	}
}
