/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that read a scenario. */
#ifndef DCB_SIM_SCENARIO_PRIVATE_H
#define DCB_SIM_SCENARIO_PRIVATE_H

#include "control/conf/conf_private.h"
#include "sim/scenario.h"

#include <string.h>
#include <uthash.h>

/* Returns the scenario that the reader fills in. */
static inline struct scenario *scn_of(const struct reader *r)
{
	return r->whole;
}

/* --- scenario_units.c: numbers with a unit, names, arrays ---------------------- */

enum scn_unit { SCN_TIME, SCN_OCTETS, SCN_NUMBER };
/*
 * Reads a number with a suffix of this unit, such as "1.5ms", into v: seconds, octets
 * or a plain number. Returns false if s is something else.
 */
bool scn_quantity(const config_setting_t *s, enum scn_unit unit, double *v);

/*
 * Functions for conf_row.take. Each writes to row->offset from base, checks the
 * row's bounds, and returns false after it has reported an error.
 */

/* An int64_t in ns. */
bool scn_take_time(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
/* Octets: a uint64_t, or a uint32_t where "unlimited" is UINT32_MAX. */
bool scn_take_octets(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base);
/* Both directions of a cable: one value for both, or an array of two. row->members reads each. */
bool scn_take_both(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);
/* A double without bounds. */
bool scn_take_real(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base);

/*
 * The name of an entry with a count. In the name of the i-th item "%d" is replaced by
 * (i / divide + offset) % modulo. divide 0: 1. modulo 0: no modulo.
 */
struct scn_name {
	char *pattern;
	uint32_t divide, offset, modulo;
};
/* Makes the name of the i-th item. Returns false after it has reported an invalid name. */
bool scn_expand(struct reader *r, const config_setting_t *s, const struct scn_name *name,
		uint32_t i, char to[SIM_NAME_OCTETS]);

/* Returns the index of the node, or -1 after it has reported an unknown name. */
int64_t scn_node(struct reader *r, const config_setting_t *s, const char *name);
/* Returns the index in sim.links of a link such as "sw->sink", or -1 after reporting an error. */
int64_t scn_link(struct reader *r, const config_setting_t *s, const char *name);

/* An entry of a hash table: the index of a node by its name, of a link by its two nodes. */
struct scn_entry {
	char key[SIM_NAME_OCTETS];
	uint32_t index;
	UT_hash_handle hh;
};
/* Returns the index for a key of len octets, or -1. */
int64_t scn_find(const struct scn_entry *table, const void *key, size_t len);
void scn_add(struct scn_entry **table, const void *key, size_t len, uint32_t index);
void scn_clear(struct scn_entry **table);
/* Returns the index of the link between two nodes in either direction, or -1. */
int64_t scn_link_between(const struct scenario *scn, uint32_t a, uint32_t b);
void scn_add_link(struct scenario *scn, const uint32_t ends[2], uint32_t index);

/* Reallocates an array of n elements to n + more, the new ones zeroed. size: octets of one. */
void *scn_grow(void *array, size_t n, size_t more, size_t size);

/* Returns whether a name has characters of a pattern: it stands for several nodes. */
static inline bool scn_is_pattern(const char *name)
{
	return strpbrk(name, "*?[");
}

/* --- scenario_net.c: nodes, links, flows --------------------------------------- */

bool scn_take_nodes(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
bool scn_take_links(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);
bool scn_take_flows(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		    void *base);

/* --- scenario_trill.c: what RBridges know -------------------------------------- */

/* Gives the RBridges without a nickname the lowest free ones. */
void scn_number_rbridges(struct scenario *scn);
bool scn_take_tree_root(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base);
bool scn_take_next_hops(struct reader *r, const config_setting_t *s, const struct conf_row *row,
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
