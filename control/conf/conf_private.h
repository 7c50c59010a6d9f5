/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of dcbd.conf that have a file each; scenarios take those about a port as well. */
#ifndef DCB_CONTROL_CONF_CONF_PRIVATE_H
#define DCB_CONTROL_CONF_CONF_PRIVATE_H

#include "control/conf/conf.h"
#include "control/conf/conf_read.h"

/* What a reader of dcbd.conf reads into. */
static inline struct conf *conf_of(const struct reader *r)
{
	return r->whole;
}

/*
 * conf_port.c: the name of a provider, a literal; and settings of a port, whose struct
 * port_settings is at the row's offset.
 */
bool conf_take_provider(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base);
bool conf_take_regeneration(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			    void *base);
bool conf_take_traffic_classes(struct reader *r, const config_setting_t *s,
			       const struct conf_row *row, void *base);
bool conf_take_cn(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		  void *base);
bool conf_take_pfc(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
void conf_port_init(struct port_settings *settings);

/* conf_flow.c */
bool conf_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);

/* conf_initial.c */
bool conf_take_initial(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base);

#endif
