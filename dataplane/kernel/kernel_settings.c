/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/kernel/kernel_settings.h"

#include <string.h>

#include "dataplane/config/dcbx_config.h"
#include "lldp/dcbx.h"

/* struct ieee_pfc has 16 bits for bit times; the cable of mlx5 has at most 999 m. */
#define DELAY_BITS_MAX   UINT16_MAX
#define DELAY_METRES_MAX 999

static void take_apps(const struct dcb_config_port *at, struct kernel_wanted *out)
{
	const struct app_priority *from =
	    at->peer_apps ? at->peer_apps->tlv.of : at->config->dcbx.apps;

	out->n_apps = (uint16_t)(at->peer_apps ? at->peer_apps->tlv.n : at->config->dcbx.n_apps);
	memcpy(out->apps, from, out->n_apps * sizeof(*from));
}

void kernel_wanted_of(const struct dcb_config_port *at, uint8_t cnpvs,
		      const struct kernel_driver *driver, struct kernel_wanted *out)
{
	*out = (struct kernel_wanted){
	    .pfc_enable = at->oper.pfc_enable,
	    .pfc_mask = UINT8_MAX,
	    .delay = driver->delay == KERNEL_DELAY_METRES ? at->config->pfc_headroom.cable_m
							  : at->config->pfc_link_delay_allowance,
	};
	if (at->oper.ets)
		out->ets_tables = at->oper.ets_tables;
	else /* strict priority, by the traffic classes of the settings */
		memcpy(out->ets_tables.priority_tc, at->config->dcbx.ets.priority_tc,
		       sizeof(out->ets_tables.priority_tc));
	take_apps(at, out);
	kernel_rp_wanted(at->config, cnpvs, &out->rp);
}

void kernel_wanted_change(struct kernel_wanted *wanted, const struct kernel_wanted *was, bool only)
{
	wanted->rp.mask |= was->rp.cnpvs;
	if (!only)
		return;
	wanted->pfc_mask = wanted->pfc_enable ^ was->pfc_enable;
	wanted->rp.mask = kernel_rp_changed(&wanted->rp, &was->rp);
}

bool kernel_ets_tables(const struct ieee_ets *ets, struct ets_tables *out)
{
	memcpy(out->priority_tc, ets->prio_tc, sizeof(out->priority_tc));
	memcpy(out->bandwidth, ets->tc_tx_bw, sizeof(out->bandwidth));
	memcpy(out->tsa, ets->tc_tsa, sizeof(out->tsa));
	return memchr(ets->tc_tsa, TSA_ETS, sizeof(ets->tc_tsa));
}

static bool has_delay(const struct dcbnl_port *now, const struct kernel_driver *driver)
{
	if (!(now->has & DCBNL_PFC))
		return false;
	/* Without manual buffers mlx5 has no length, and ignores one. */
	return driver->delay == KERNEL_DELAY_BITS ||
	       (driver->delay == KERNEL_DELAY_METRES && now->pfc.delay != 0);
}

unsigned kernel_parts(const struct dcbnl_port *now, const struct kernel_driver *driver)
{
	return (now->has & DCBNL_PFC ? KERNEL_PFC : 0) | (now->has & DCBNL_ETS ? KERNEL_ETS : 0) |
	       (now->has & DCBNL_APPS ? KERNEL_APPS : 0) | (now->has & DCBNL_QCN ? KERNEL_RP : 0) |
	       (has_delay(now, driver) ? KERNEL_DELAY : 0);
}

static bool same_tables(const struct ets_tables *a, const struct ets_tables *b)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++)
		if (a->priority_tc[i] != b->priority_tc[i] || a->tsa[i] != b->tsa[i] ||
		    (a->tsa[i] == TSA_ETS && a->bandwidth[i] != b->bandwidth[i]))
			return false;
	return true;
}

unsigned kernel_set_parts(const struct dcbnl_port *now, const struct kernel_driver *driver)
{
	static const uint8_t disabled[DCB_PRIORITIES];
	struct ets_tables tables, none;
	unsigned set = 0;

	if (now->pfc.pfc_en)
		set |= KERNEL_PFC;
	memset(&none, 0, sizeof(none));
	(void)kernel_ets_tables(&now->ets, &tables);
	if (!same_tables(&tables, &none))
		set |= KERNEL_ETS;
	if (now->apps.n)
		set |= KERNEL_APPS;
	if (now->pfc.delay)
		set |= KERNEL_DELAY;
	if (memcmp(now->qcn.rpg_enable, disabled, sizeof(disabled)) != 0)
		set |= KERNEL_RP;
	return set & kernel_parts(now, driver);
}

unsigned kernel_changed_parts(const struct kernel_wanted *a, const struct kernel_wanted *b)
{
	unsigned changed = 0;

	if (a->pfc_enable != b->pfc_enable)
		changed |= KERNEL_PFC;
	if (!same_tables(&a->ets_tables, &b->ets_tables))
		changed |= KERNEL_ETS;
	if (a->n_apps != b->n_apps || memcmp(a->apps, b->apps, a->n_apps * sizeof(a->apps[0])) != 0)
		changed |= KERNEL_APPS;
	if (a->delay != b->delay)
		changed |= KERNEL_DELAY;
	if (kernel_rp_changed(&a->rp, &b->rp))
		changed |= KERNEL_RP;
	return changed;
}

static bool has_app(const struct dcbnl_apps *apps, const struct app_priority *app)
{
	for (unsigned i = 0; i < apps->n; i++)
		if (apps->of[i].selector == app->selector &&
		    apps->of[i].protocol == app->protocol && apps->of[i].priority == app->priority)
			return true;
	return false;
}

static bool has_apps(const struct dcbnl_apps *apps, const struct kernel_wanted *wanted)
{
	for (unsigned i = 0; i < wanted->n_apps; i++)
		if (!has_app(apps, &wanted->apps[i]))
			return false;
	return true;
}

unsigned kernel_differing_parts(const struct kernel_wanted *wanted, const struct dcbnl_port *now,
				const struct kernel_driver *driver)
{
	struct ets_tables tables;
	unsigned differ = 0;

	(void)kernel_ets_tables(&now->ets, &tables);
	if ((now->pfc.pfc_en ^ wanted->pfc_enable) & wanted->pfc_mask)
		differ |= KERNEL_PFC;
	if (!same_tables(&tables, &wanted->ets_tables))
		differ |= KERNEL_ETS;
	if (!has_apps(&now->apps, wanted))
		differ |= KERNEL_APPS;
	if (now->pfc.delay != wanted->delay)
		differ |= KERNEL_DELAY;
	if (kernel_rp_differing(&wanted->rp, &now->qcn))
		differ |= KERNEL_RP;
	return differ & kernel_parts(now, driver);
}

/* --- what a device can have ---------------------------------------------------------------- */

static bool can_pfc(const struct kernel_wanted *wanted, const struct dcbnl_port *now,
		    const struct port *port, struct provider_refusal *why)
{
	unsigned n = (unsigned)__builtin_popcount(wanted->pfc_enable);

	if (now->pfc.pfc_cap == 0 || n <= now->pfc.pfc_cap)
		return true;
	return provider_refuse(why, PROVIDER_CANNOT, port, PROVIDER_PFC,
			       "PFC for %u priorities: expected at most %u, which the device can",
			       n, now->pfc.pfc_cap);
}

static bool can_ets(const struct kernel_wanted *wanted, const struct dcbnl_port *now,
		    const struct port *port, struct provider_refusal *why)
{
	/* ets_cap 0: the driver does not say; the standard's coding of eight. */
	unsigned classes = now->ets.ets_cap ? now->ets.ets_cap : DCB_PRIORITIES;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (wanted->ets_tables.priority_tc[p] >= classes)
			return provider_refuse(
			    why, PROVIDER_CANNOT, port, PROVIDER_ETS,
			    "priority %u has traffic class %u: expected 0..%u, which the "
			    "device has",
			    p, wanted->ets_tables.priority_tc[p], classes - 1);
	return true;
}

static bool can_delay(const struct kernel_wanted *wanted, const struct kernel_driver *driver,
		      const struct port *port, struct provider_refusal *why)
{
	if (driver->delay == KERNEL_DELAY_BITS && wanted->delay > DELAY_BITS_MAX)
		return provider_refuse(why, PROVIDER_CANNOT, port, PROVIDER_LINK_DELAY,
				       "link delay %u bits: expected at most %u, which the kernel "
				       "takes",
				       wanted->delay, DELAY_BITS_MAX);
	if (driver->delay == KERNEL_DELAY_METRES &&
	    (wanted->delay < 1 || wanted->delay > DELAY_METRES_MAX))
		return provider_refuse(why, PROVIDER_CANNOT, port, PROVIDER_CABLE_LENGTH,
				       "cable of %u m: expected 1..%u, which the driver takes",
				       wanted->delay, DELAY_METRES_MAX);
	return true;
}

bool kernel_can(const struct kernel_wanted *wanted, unsigned parts, const struct dcbnl_port *now,
		const struct kernel_driver *driver, const struct port *port,
		struct provider_refusal *why)
{
	return (!(parts & KERNEL_PFC) || can_pfc(wanted, now, port, why)) &&
	       (!(parts & KERNEL_ETS) || can_ets(wanted, now, port, why)) &&
	       (!(parts & KERNEL_DELAY) || can_delay(wanted, driver, port, why)) &&
	       (!(parts & KERNEL_RP) || kernel_rp_can(&wanted->rp, port, why));
}

/* --- writing ------------------------------------------------------------------------------- */

void kernel_set_pfc(const struct kernel_wanted *wanted, unsigned parts, struct ieee_pfc *pfc)
{
	if (parts & KERNEL_PFC)
		pfc->pfc_en = (uint8_t)((pfc->pfc_en & ~wanted->pfc_mask) |
					(wanted->pfc_enable & wanted->pfc_mask));
	if (parts & KERNEL_DELAY)
		pfc->delay = (uint16_t)wanted->delay;
}

void kernel_set_ets(const struct kernel_wanted *wanted, struct ieee_ets *ets)
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		bool shares = wanted->ets_tables.tsa[i] == TSA_ETS;
		uint8_t share = shares ? wanted->ets_tables.bandwidth[i] : 0;

		ets->prio_tc[i] = wanted->ets_tables.priority_tc[i];
		ets->tc_tsa[i] = wanted->ets_tables.tsa[i];
		ets->tc_tx_bw[i] = share;
		ets->tc_rx_bw[i] = share;
	}
}

static struct dcb_app kernel_app(const struct app_priority *app)
{
	return (struct dcb_app){app->selector, app->priority, app->protocol};
}

static bool wants_app(const struct kernel_wanted *wanted, const struct app_priority *app)
{
	for (unsigned i = 0; i < wanted->n_apps; i++)
		if (memcmp(&wanted->apps[i], app, sizeof(*app)) == 0)
			return true;
	return false;
}

void kernel_app_changes(const struct kernel_wanted *wanted, const struct kernel_wanted *was,
			const struct dcbnl_apps *now, struct dcb_app *add, unsigned *n_add,
			struct dcb_app *drop, unsigned *n_drop)
{
	*n_add = *n_drop = 0;
	for (unsigned i = 0; i < wanted->n_apps; i++)
		if (!has_app(now, &wanted->apps[i]))
			add[(*n_add)++] = kernel_app(&wanted->apps[i]);
	for (unsigned i = 0; i < was->n_apps; i++)
		if (!wants_app(wanted, &was->apps[i]) && has_app(now, &was->apps[i]))
			drop[(*n_drop)++] = kernel_app(&was->apps[i]);
}

/* --- adopting ------------------------------------------------------------------------------ */

/* Tables that no SET could make are not settings: the device differs from them. */
static bool adopt_ets(const struct ieee_ets *ets, struct dcbx_config *dcbx)
{
	struct ets_tables tables, was = dcbx->ets;
	bool shares = kernel_ets_tables(ets, &tables);

	memcpy(dcbx->ets.priority_tc, tables.priority_tc, sizeof(tables.priority_tc));
	if (shares && dcbx_ets_is_supported(&tables)) {
		dcbx->ets = tables;
	} else if (ets_tables_share(&dcbx->ets)) {
		memset(dcbx->ets.tsa, TSA_STRICT, sizeof(dcbx->ets.tsa));
		memset(dcbx->ets.bandwidth, 0, sizeof(dcbx->ets.bandwidth));
	}
	/* The recommended classes are always those of the settings. */
	memcpy(dcbx->reco.priority_tc, dcbx->ets.priority_tc, sizeof(dcbx->ets.priority_tc));
	return memcmp(&dcbx->ets, &was, sizeof(was)) != 0;
}

/* Of several entries of one application, that of the highest priority applies in the kernel. */
static bool adopt_apps(const struct dcbnl_apps *apps, struct dcbx_config *dcbx)
{
	struct dcbx_config was = *dcbx;

	dcbx->n_apps = 0;
	for (unsigned i = 0; i < apps->n; i++) {
		const struct dcb_app *of = &apps->of[i];
		const struct app_priority app = {of->selector, of->priority, of->protocol};
		unsigned at = dcbx_config_app(dcbx, app.selector, app.protocol);

		if (app.selector < APP_ETHERTYPE || app.selector > APP_DSCP ||
		    app.priority >= DCB_PRIORITIES)
			continue;
		if (dcbx_config_has_app(dcbx, app.selector, app.protocol) &&
		    dcbx->apps[at].priority >= app.priority)
			continue;
		(void)dcbx_config_put_app(dcbx, &app); /* no room: it is left as it is */
	}
	return was.n_apps != dcbx->n_apps ||
	       memcmp(was.apps, dcbx->apps, was.n_apps * sizeof(was.apps[0])) != 0;
}

static bool adopt_delay(uint16_t delay, const struct kernel_driver *driver,
			struct port_config *config)
{
	uint32_t *to = driver->delay == KERNEL_DELAY_METRES ? &config->pfc_headroom.cable_m
							    : &config->pfc_link_delay_allowance;
	bool changes = *to != delay;

	*to = delay;
	return changes;
}

bool kernel_adopt(const struct dcbnl_port *now, const struct kernel_driver *driver, uint8_t cnpvs,
		  struct port_config *config)
{
	unsigned parts = kernel_parts(now, driver);
	bool changed = false;

	if (parts & KERNEL_PFC) {
		changed = config->pfc.enable != now->pfc.pfc_en;
		config->pfc.enable = now->pfc.pfc_en;
	}
	if (parts & KERNEL_ETS)
		changed |= adopt_ets(&now->ets, &config->dcbx);
	if (parts & KERNEL_APPS)
		changed |= adopt_apps(&now->apps, &config->dcbx);
	if (parts & KERNEL_DELAY)
		changed |= adopt_delay(now->pfc.delay, driver, config);
	if (parts & KERNEL_RP)
		changed |= kernel_rp_adopt(&now->qcn, cnpvs, config);
	return changed;
}

struct hardware_pri_stats kernel_pri(const struct dcbnl_port *now, unsigned priority)
{
	/* The numbers are the driver's. */
	unsigned tc = now->ets.prio_tc[priority] % DCB_PRIORITIES;
	unsigned buffer = now->buffer.prio2buffer[priority] % DCBX_MAX_BUFFERS;

	return (struct hardware_pri_stats){
	    .max_rate_kbps = now->maxrate.tc_maxrate[tc],
	    .buffer = buffer,
	    .buffer_octets = now->buffer.buffer_size[buffer],
	};
}

uint64_t kernel_pri_unknown(const struct dcbnl_port *now)
{
	const uint32_t rates = DCBNL_MAXRATE | DCBNL_ETS;
	uint64_t unknown = 0;

	if ((now->has & rates) != rates)
		unknown |= STATS_MEMBER(hardware_pri_stats, max_rate_kbps);
	if (!(now->has & DCBNL_BUFFER))
		unknown |= STATS_MEMBER(hardware_pri_stats, buffer) |
			   STATS_MEMBER(hardware_pri_stats, buffer_octets);
	return unknown;
}
