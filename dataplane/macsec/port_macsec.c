/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/port_macsec.h"

#include <stdio.h>
#include <string.h>

#include "lib/counter.h"

static const struct dcb_time at_start = {0};

static uint64_t channel_sci(uint64_t sci, unsigned channel)
{
	return sci | (uint64_t)channel << 12;
}

uint64_t port_macsec_last_pn(const struct port_macsec *m)
{
	return macsec_suite_info(m->secy.config.suite)->xpn ? UINT64_MAX : UINT32_MAX;
}

/* A key that is used up only receives. */
static enum secy_error install_tx(struct port_macsec *m, const struct port_macsec_params *p,
				  unsigned channel, unsigned an)
{
	const struct port_macsec_numbers *n = &p->numbers[an];

	if (n->next == 0 || n->next > n->last)
		return SECY_OK;
	return secy_install_tx(&m->secy, channel, an, p->sak[an], p->ssci[0][channel], n->next,
			       n->last);
}

static enum secy_error install(struct port_macsec *m, const struct port_macsec_params *p,
			       unsigned channel, unsigned an)
{
	enum secy_error error = install_tx(m, p, channel, an);

	if (error)
		return error;
	return secy_install_rx(&m->secy, channel_sci(p->peer_sci, channel), an, p->sak[an],
			       p->ssci[1][channel], p->numbers[an].lowest[channel], at_start);
}

static enum secy_error make_sas(struct port_macsec *m, const struct port_macsec_params *p)
{
	enum secy_error error = secy_init(&m->secy, &p->secy);

	for (unsigned channel = 0; channel < p->secy.tx_scs && !error; channel++) {
		error = secy_add_rx_sc(&m->secy, channel_sci(p->peer_sci, channel));
		for (unsigned an = 0; an < SECTAG_ANS && !error; an++)
			if (p->sak[an])
				error = install(m, p, channel, an);
	}
	return error;
}

/* All channels transmit with the same AN at the start. */
static void begin(struct port_macsec *m, unsigned transmit_an)
{
	for (unsigned i = 0; i < SECTAG_ANS; i++) {
		unsigned an = (transmit_an + i) % SECTAG_ANS;

		if (!m->secy.tx[0].sa[an].sak)
			continue;
		for (unsigned channel = 0; channel < m->secy.config.tx_scs; channel++)
			(void)secy_transmit(&m->secy, channel, an, at_start);
		return;
	}
}

enum secy_error port_macsec_init(struct port_macsec *m, const struct port_macsec_params *p)
{
	enum secy_error error;

	*m = (struct port_macsec){.mode = p->mode, .peer_sci = p->peer_sci};
	snprintf(m->name, sizeof(m->name), "%s", p->name);
	memcpy(m->sak, p->sak, sizeof(m->sak));
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		m->reserved[an] = p->numbers[an].last;
	error = make_sas(m, p);
	if (!error)
		begin(m, p->transmit_an);
	return error;
}

void port_macsec_free(struct port_macsec *m)
{
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		sak_free(m->sak[an]);
	memset(m, 0, sizeof(*m));
}

/* After the last number of 64 bits, next_pn is 0. */
static uint64_t later(uint64_t a, uint64_t b)
{
	return a == 0 || b == 0 ? 0 : a > b ? a : b;
}

void port_macsec_numbers(const struct port_macsec *m, unsigned an, struct port_macsec_numbers *out)
{
	*out = (struct port_macsec_numbers){.last = gauge_get(&m->reserved[an])};
	out->next = 1;
	for (unsigned channel = 0; channel < m->secy.config.tx_scs; channel++) {
		const struct secy_sa *tx = &m->secy.tx[channel].sa[an];
		const struct secy_sa *rx = &m->secy.rx[channel].sa[an];

		if (tx->sak)
			out->next = later(out->next, gauge_get(&tx->next_pn));
		out->lowest[channel] = gauge_get(&rx->lowest_pn);
	}
	if (!m->secy.tx[0].sa[an].sak) /* used up at the start */
		out->next = later(out->last, out->last + 1);
}

bool port_macsec_transmits(const struct port_macsec *m)
{
	for (unsigned channel = 0; channel < m->secy.config.tx_scs; channel++) {
		const struct secy_tx_sc *tx = &m->secy.tx[channel];
		unsigned an = gauge_get(&tx->encoding_sa);
		uint64_t next = gauge_get(&tx->sa[an].next_pn);

		if (!gauge_get(&tx->transmitting) || next == 0 ||
		    next > gauge_get(&m->reserved[an]))
			return false;
	}
	return true;
}

void port_macsec_reserve(struct port_macsec *m, unsigned an, uint64_t last)
{
	gauge_set(&m->reserved[an], last);
}

void port_macsec_extend(struct port_macsec *m)
{
	for (unsigned channel = 0; channel < m->secy.config.tx_scs; channel++) {
		for (unsigned an = 0; an < SECTAG_ANS; an++) {
			uint64_t last = gauge_get(&m->reserved[an]);

			if (m->secy.tx[channel].sa[an].sak &&
			    last > m->secy.tx[channel].sa[an].limit)
				(void)secy_extend_tx(&m->secy, channel, an, last);
		}
	}
}

/* Limits a delay to values that the headroom can have. */
static uint32_t limited(int64_t ns)
{
	if (ns < 1)
		return 1;
	return ns > PFC_HEADROOM_DELAY_MAX_NS ? PFC_HEADROOM_DELAY_MAX_NS : (uint32_t)ns;
}

void port_macsec_measured(struct port_macsec *m, enum port_macsec_direction direction,
			  uint32_t octets, struct dcb_time began)
{
	struct port_macsec_meter *meter = &m->meter[direction];
	unsigned is_long = octets >= PORT_MACSEC_LONG_OCTETS;
	uint32_t *last_ns = meter->last_ns[is_long];
	uint32_t shortest = UINT32_MAX;

	last_ns[meter->taken[is_long]++ % PORT_MACSEC_IN_A_ROW] =
	    limited(dcb_time_diff_ns(m->clock(), began));
	for (unsigned i = 0; i < PORT_MACSEC_IN_A_ROW; i++)
		shortest = last_ns[i] < shortest ? last_ns[i] : shortest;
	if (shortest > m->stats.delay_ns)
		gauge_set(&m->stats.delay_ns, limited((int64_t)shortest + shortest / 8));
}

void port_macsec_forget_delays(struct port_macsec *m)
{
	memset(m->meter, 0, sizeof(m->meter));
	gauge_set(&m->stats.delay_ns, 0);
}
