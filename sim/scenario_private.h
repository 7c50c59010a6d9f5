/* SPDX-License-Identifier: BSD-3-Clause */
/* Between the files that read a scenario. */
#ifndef DCB_SIM_SCENARIO_PRIVATE_H
#define DCB_SIM_SCENARIO_PRIVATE_H

#include "control/conf/conf_private.h"
#include "sim/scenario.h"

/* What a reader of a scenario reads into. */
static inline struct scenario *scn_of(const struct reader *r)
{
	return r->whole;
}

/* --- scenario_units.c: numbers with a unit, and arrays of things ------------- */

/* "1.5ms" and the like: a number with one of these suffixes. false: it is none. */
enum scn_unit { SCN_TIME, SCN_OCTETS, SCN_NUMBER };
bool scn_quantity(const config_setting_t *s, enum scn_unit unit, double *v);

/* An int64_t in ns; a uint32_t or uint64_t of octets; the rows' bounds are theirs. */
bool scn_take_time(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
bool scn_take_octets(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
/* The same, and rates, for both directions of a cable: one, or an array of two. */
bool scn_take_both(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
/* Any number, a double. */
bool scn_take_real(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);

/*
 * Names with "%d" in them, for entries with a count: the i-th of them has the
 * number (i / divide + offset) % modulo there (modulo 0: none).
 */
struct scn_name {
	char *pattern;
	uint32_t divide, offset, modulo;
};
/* false: err says that it is not a name. */
bool scn_expand(struct reader *r, const config_setting_t *s, const struct scn_name *name,
		uint32_t i, char to[SIM_NAME_OCTETS]);

/* The node's number, after a complaint -1. */
int64_t scn_node(struct reader *r, const config_setting_t *s, const char *name);
/* "sw->sink" is the link's number; -1 likewise. */
int64_t scn_link(struct reader *r, const config_setting_t *s, const char *name);

/* Room for one more element. */
void *scn_grow(void *array, size_t n, size_t more, size_t size);

/* --- scenario_net.c: nodes, links, flows --------------------------------------- */

bool scn_take_nodes(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
bool scn_take_links(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
bool scn_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);

/* --- scenario_set.c: objects and events ------------------------------------------ */

bool scn_take_initial(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
bool scn_take_events(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);

/* --- scenario_assert.c --------------------------------------------------------------- */

bool scn_take_asserts(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base);
bool scn_take_watch(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);

#endif
