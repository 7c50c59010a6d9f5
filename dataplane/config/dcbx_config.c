/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/config/dcbx_config.h"

#include <string.h>

#include "control/objects/mo_field.h"
#include "control/objects/mo_rows.h"

void dcbx_config_reset(struct dcbx_config *config)
{
	struct lldp_config_cn_row tx = {0};
	struct lldp_admin_ets_row ets = {0};
	struct lldp_admin_ets_pri_row pri = {0};
	struct lldp_admin_ets_bw_row bw = {0};
	struct lldp_admin_ets_tsa_row tsa = {0};
	struct lldp_admin_pfc_row pfc = {0};

	mo_field_defaults(mo_table(MO_lldp_config_cn), &tx);
	mo_field_defaults(mo_table(MO_lldp_admin_ets), &ets);
	mo_field_defaults(mo_table(MO_lldp_admin_ets_pri), &pri);
	mo_field_defaults(mo_table(MO_lldp_admin_ets_bw), &bw);
	mo_field_defaults(mo_table(MO_lldp_admin_ets_tsa), &tsa);
	mo_field_defaults(mo_table(MO_lldp_admin_pfc), &pfc);
	*config = (struct dcbx_config){
	    .tx_enable = tx.of.enable ? (1u << DCB_TLVS) - 1 : 0,
	    .ets_willing = ets.of.willing,
	    .pfc_willing = pfc.of.willing,
	};
	memset(config->ets.priority_tc, pri.of.traffic_class, DCBX_TCS);
	memset(config->ets.bandwidth, bw.of.bandwidth, DCBX_TCS);
	memset(config->ets.tsa, tsa.of.tsa, DCBX_TCS);
	config->reco = config->ets;
}

/* <0, 0, >0: SNMP's order. */
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
