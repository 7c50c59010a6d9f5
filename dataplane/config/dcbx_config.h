/* SPDX-License-Identifier: BSD-3-Clause */
/* Edits the application priorities and application VLANs in a port's DCBX settings. */
#ifndef DCB_DATAPLANE_CONFIG_DCBX_CONFIG_H
#define DCB_DATAPLANE_CONFIG_DCBX_CONFIG_H

#include "lldp/dcbx.h"

/* Returns the position of an application priority, or the position at which to insert it. */
unsigned dcbx_config_app(const struct dcbx_config *config, uint8_t selector, uint16_t protocol);
bool dcbx_config_has_app(const struct dcbx_config *config, uint8_t selector, uint16_t protocol);
/* Adds or replaces an application priority. Returns false if there are DCBX_APPS_MAX already. */
bool dcbx_config_put_app(struct dcbx_config *config, const struct app_priority *app);
/* Returns false if it does not exist. */
bool dcbx_config_drop_app(struct dcbx_config *config, uint8_t selector, uint16_t protocol);

/* Adds or replaces an application VLAN. Returns false if there are DCBX_APPS_MAX already. */
bool dcbx_config_put_app_vlan(struct dcbx_config *config, const struct app_vlan *app);
/* Returns false if it does not exist. */
bool dcbx_config_drop_app_vlan(struct dcbx_config *config, uint16_t selector, uint16_t protocol);

#endif
