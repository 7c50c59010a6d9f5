/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsers of parts of dcbd.conf. Scenarios of dcbsim use those of a port, too. */
#ifndef DCB_CONTROL_CONF_CONF_PRIVATE_H
#define DCB_CONTROL_CONF_CONF_PRIVATE_H

#include "control/conf/conf.h"
#include "control/conf/conf_read.h"

/* Returns the struct conf that a reader of dcbd.conf fills in. */
static inline struct conf *conf_of(const struct reader *r)
{
	return r->whole;
}

/*
 * The rows of all settings: a group of the settings at the top of dcbd.conf. Rows of a list
 * have the settings of an entry as members, those of cn and pfc the settings of that group.
 * The offset is in struct conf; in an entry of ports, flows and initial in struct conf_port,
 * flow_rule and conf_initial; in cn and pfc in struct port_settings.
 */
extern const struct conf_row conf_top;
extern const struct conf_row conf_cn_rows[], conf_pfc_rows[], conf_flow_rows[], conf_initial_rows[];

/*
 * conf_port.c. For all but conf_take_provider() and conf_take_vlans() the offset of the row is that
 * of a struct port_settings in base.
 */

/* Sets a const char * to a string literal, the name of the provider. */
bool conf_take_provider(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base);
bool conf_take_regeneration(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			    void *base);
bool conf_take_traffic_classes(struct reader *r, const config_setting_t *s,
			       const struct conf_row *row, void *base);
bool conf_take_sonic_write(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			   void *base);
bool conf_take_policy(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
bool conf_take_profile(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base);
bool conf_take_cn(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		  void *base);
bool conf_take_pfc(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
/*
 * Checks that pfc.buffer, if it is set, holds pfc.headroom and a frame of frame_octets with
 * a tag. s: the group that has the settings of the port.
 */
bool conf_check_pfc(struct reader *r, const config_setting_t *s,
		    const struct port_settings *settings, uint32_t frame_octets);
/* Sets a struct conf_vlans. */
bool conf_take_vlans(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
/* Sets the defaults of dcbd.conf(5). */
void conf_port_init(struct port_settings *settings);

/* conf_flow.c */
bool conf_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);

/* conf_role.c: sets ignored of the struct conf, whose role has been read. */
void conf_list_ignored(struct reader *r);

/* conf_initial.c */
bool conf_take_initial(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base);

#endif
