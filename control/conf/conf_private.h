/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between conf.c, conf_take.c and conf_initial.c, and for the simulator's
 * scenarios: reading one setting, and complaining about it.
 */
#ifndef DCB_CONTROL_CONF_CONF_PRIVATE_H
#define DCB_CONTROL_CONF_CONF_PRIVATE_H

#include <libconfig.h>

#include "control/conf/conf.h"

struct reader {
	const char *path;
	char *err;
	size_t errlen;
	struct conf *conf;
};

/*
 * One row is one setting: its name, how it is taken, where it goes and what it
 * may be. min and max are of the value, or of the length of a string.
 */
struct conf_row {
	const char *name;
	bool (*take)(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
	size_t offset, size; /* of the field in base */
	int64_t min, max;
	const struct conf_row *members; /* of a group; a NULL name ends them */
};

/* The file's syntax alone, into an initialised cfg. */
bool conf_parse_file(struct reader *r, config_t *cfg);

/* Returns false, with "file:line: setting: ..." in the reader's err. */
bool conf_fail(struct reader *r, const config_setting_t *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, not VALUE" */
bool conf_expected(struct reader *r, const config_setting_t *s, const char *what);

/* A group of known settings, each at most once (libconfig sees to that). */
bool conf_take_group(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
/* An integer field of 1, 2 or 4 octets. */
bool conf_take_number(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
bool conf_take_bool(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A struct dcb_rate, from bit/s or "2.5G"; 0 even where min is more. */
bool conf_take_rate(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
/* A char * that conf_free() frees. */
bool conf_take_string(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
/* conf_port.c: settings of a port, whose struct port_settings is at the row's offset. */
bool conf_take_regeneration(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			    void *base);
bool conf_take_traffic_classes(struct reader *r, const config_setting_t *s,
			       const struct conf_row *row, void *base);
bool conf_take_cn(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		  void *base);
bool conf_take_pfc(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
void conf_port_init(struct port_settings *settings);

/* Text: for setting's value where another setting says what it may be. NULL: neither text nor
 * number. */
char *conf_text(const config_setting_t *s);
/* p, or no return where it is NULL. */
void *conf_alloc_check(void *p);

/* conf_flow.c */
bool conf_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);

/* conf_initial.c */
bool conf_take_initial(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base);

#endif
