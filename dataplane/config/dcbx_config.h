/* SPDX-License-Identifier: BSD-3-Clause */
/* Editing what is administered of DCBX on a port. */
#ifndef DCB_DATAPLANE_CONFIG_DCBX_CONFIG_H
#define DCB_DATAPLANE_CONFIG_DCBX_CONFIG_H

#include "lldp/dcbx.h"

/* Position of an application priority, or that of the first behind it. */
unsigned dcbx_config_app(const struct dcbx_config *config, uint8_t selector, uint16_t protocol);
bool dcbx_config_has_app(const struct dcbx_config *config, uint8_t selector, uint16_t protocol);
/* A new one, or another priority for one that is there. false: there are DCBX_APPS_MAX already. */
bool dcbx_config_put_app(struct dcbx_config *config, const struct app_priority *app);
/* false: there was none. */
bool dcbx_config_drop_app(struct dcbx_config *config, uint8_t selector, uint16_t protocol);

#endif
