/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/objects/mo_settings.h"

#include <string.h>

#include "control/objects/mo_rows.h"

/* --- hooks ------------------------------------------------------------------------------- */

static void load_pfc_pri(const struct port_config *pc, enum mo_table_id table, unsigned priority,
			 void *to)
{
	const struct pfc_config *pfc = &pc->pfc;
	struct pfc_pri_row *row = to;

	(void)table;
	row->enable = pfc->enable >> priority & 1;
	row->direction = pfc->receive_only >> priority & 1    ? MO_pfc_direction_receive
			 : pfc->transmit_only >> priority & 1 ? MO_pfc_direction_transmit
							      : MO_pfc_direction_both;
}

static void store_pfc_pri(struct port_config *pc, enum mo_table_id table, unsigned priority,
			  const void *from)
{
	const struct pfc_pri_row *row = from;
	struct pfc_config *pfc = &pc->pfc;

	(void)table;
	pfc->enable = mo_settings_with_bit(pfc->enable, priority, row->enable);
	pfc->receive_only = mo_settings_with_bit(pfc->receive_only, priority,
						 row->direction == MO_pfc_direction_receive);
	pfc->transmit_only = mo_settings_with_bit(pfc->transmit_only, priority,
						  row->direction == MO_pfc_direction_transmit);
}

const struct mo_settings_hook mo_settings_pfc_pri = {
    MO_SETTINGS_MEMBER(pfc),
    .load = load_pfc_pri,
    .store = store_pfc_pri,
};

static void load_rewrite(const struct port_config *pc, enum mo_table_id table, unsigned priority,
			 void *to)
{
	const struct rewrite_config *config = &pc->rewrite[priority];

	(void)table;
	*(struct rewrite_row *)to = (struct rewrite_row){
	    .pcp = (int8_t)(config->pcp - 1),
	    .dscp = (int8_t)(config->dscp - 1),
	};
}

static void store_rewrite(struct port_config *pc, enum mo_table_id table, unsigned priority,
			  const void *from)
{
	const struct rewrite_row *row = from;

	(void)table;
	pc->rewrite[priority] = (struct rewrite_config){
	    .pcp = (uint8_t)(row->pcp + 1),
	    .dscp = (uint8_t)(row->dscp + 1),
	};
}

const struct mo_settings_hook mo_settings_rewrite = {
    MO_SETTINGS_MEMBER(rewrite),
    .load = load_rewrite,
    .store = store_rewrite,
};

/* Copies the complement of VLAN_SET_OCTETS: members from those excluded, or back. */
static void complement(void *to, const void *from)
{
	const uint8_t *in = from;
	uint8_t *set = to;

	for (unsigned i = 0; i < VLAN_SET_OCTETS; i++)
		set[i] = (uint8_t)~in[i];
	set[0] &= 0x7f;                   /* VID 0 */
	set[VLAN_SET_OCTETS - 1] &= 0xfe; /* VID 4095 */
}

static void load_vlan_port(const struct port_config *pc, enum mo_table_id table, unsigned priority,
			   void *to)
{
	const struct vlan_port_config *vlan = &pc->vlan;
	struct vlan_port_row *row = to;

	(void)table;
	(void)priority;
	row->frame_types = vlan->frame_types ? vlan->frame_types : VLAN_ADMIT_ALL;
	row->ingress_filtering = vlan->ingress_filtering;
	memcpy(row->flood_limit, vlan->flood_limit, sizeof(row->flood_limit));
	row->learn_limit = vlan->learn_limit;
	row->learn_limit_is_set = vlan->learn_limit_is_set;
	complement(row->egress, vlan->excluded);
}

static void store_vlan_port(struct port_config *pc, enum mo_table_id table, unsigned priority,
			    const void *from)
{
	const struct vlan_port_row *row = from;
	struct vlan_port_config *vlan = &pc->vlan;

	(void)table;
	(void)priority;
	vlan->frame_types = row->frame_types;
	vlan->ingress_filtering = row->ingress_filtering;
	memcpy(vlan->flood_limit, row->flood_limit, sizeof(vlan->flood_limit));
	vlan->learn_limit = row->learn_limit;
	vlan->learn_limit_is_set = row->learn_limit_is_set;
	complement(vlan->excluded, row->egress);
}

const struct mo_settings_hook mo_settings_vlan_port = {
    MO_SETTINGS_MEMBER(vlan),
    .load = load_vlan_port,
    .store = store_vlan_port,
};
_Static_assert(sizeof(((struct vlan_port_row *)0)->egress) == VLAN_SET_OCTETS,
	       "the columns have all VLANs");

static void load_trill_port(const struct port_config *pc, enum mo_table_id table, unsigned priority,
			    void *to)
{
	const struct trill_port_config *trill = &pc->trill;
	struct trill_port_row *row = to;

	(void)table;
	(void)priority;
	row->mode = (uint8_t)trill_port_mode(trill);
	row->designated_vlan = trill_designated_vlan(trill);
	complement(row->appointed, trill->not_appointed);
	complement(row->tree, trill->pruned);
}

static void store_trill_port(struct port_config *pc, enum mo_table_id table, unsigned priority,
			     const void *from)
{
	const struct trill_port_row *row = from;
	struct trill_port_config *trill = &pc->trill;

	(void)table;
	(void)priority;
	trill->mode = row->mode;
	trill->designated_vlan = row->designated_vlan;
	complement(trill->not_appointed, row->appointed);
	complement(trill->pruned, row->tree);
}

const struct mo_settings_hook mo_settings_trill_port = {
    MO_SETTINGS_MEMBER(trill),
    .load = load_trill_port,
    .store = store_trill_port,
};

/* --- the settings column of the rows ------------------------------------------------------- */

/* How to copy the settings of a table: row.config from or to a member, or by a hook. */
struct settings {
	uint8_t scope;       /* enum mo_scope */
	uint16_t offset;     /* of the member, in struct port_config or struct dcb_config */
	uint16_t stride;     /* octets from one priority to the next; 0: not by priority */
	uint16_t size;       /* octets to copy */
	uint16_t row_offset; /* of config in the row */
	const struct mo_settings_hook *hook;
};

/* clang-format off */
#define SETTINGS_NONE                NONE,
#define SETTINGS_SYSTEM(member)      SYSTEM, member
#define SETTINGS_SYSTEM_EACH(member) SYSTEM_EACH, member
#define SETTINGS_PORT(member)        PORT, member
#define SETTINGS_PORT_EACH(member)   PORT_EACH, member
#define SETTINGS_HOOK(name)          HOOK, name
#define SETTINGS_ALIAS(name)         ALIAS, name

/* PREFIX_NONE(id, load,), PREFIX_PORT(id, load, member) ... of a row. */
#define EACH_KIND(prefix, tab, load, ...)        EACH_KIND_(prefix, tab, load, __VA_ARGS__)
#define EACH_KIND_(prefix, tab, load, kind, arg) prefix##_##kind(tab, load, arg)

#define ROW_CONFIG(tab)    (((struct tab##_row *)0)->config)
#define MEMBER(in, member) (((struct in *)0)->member)
#define SAME_TYPE(a, b)    __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define ROW_IS_LOAD        false
#define ROW_IS_LOAD_LLDP   false
#define ROW_IS_CONFIG_ONLY true

/* Whether a table has the rows for each kind of settings. */
#define FITS_SYSTEM(tab)      (MO_HAS_ROWS(tab, SCALAR) || MO_HAS_ROWS(tab, SYSTEM))
#define FITS_SYSTEM_EACH(tab) MO_HAS_ROWS(tab, SYSTEM_EACH)
#define FITS_PORT(tab)        MO_HAS_ROWS(tab, PORT)
#define FITS_PORT_EACH(tab)   MO_HAS_ROWS(tab, PORT_EACH)
#define FITS_HOOK(tab)        (FITS_PORT(tab) || FITS_PORT_EACH(tab))
#define FITS_ALIAS(tab)       FITS_HOOK(tab)

/* The compiler checks each TABLE row of the .def files. */
#define CHECK_NONE(tab, load, arg)
#define CHECK_HOOK(tab, load, arg)           CHECK_ROWS(tab, HOOK)
#define CHECK_ALIAS(tab, load, arg)          CHECK_ROWS(tab, ALIAS)
#define CHECK_SYSTEM(tab, load, member)                                                            \
	CHECK_ROWS(tab, SYSTEM) CHECK_ONE(tab, load, dcb_config, member)
#define CHECK_SYSTEM_EACH(tab, load, member)                                                       \
	CHECK_ROWS(tab, SYSTEM_EACH) CHECK_EACH(tab, load, dcb_config, member)
#define CHECK_PORT(tab, load, member)                                                              \
	CHECK_ROWS(tab, PORT) CHECK_ONE(tab, load, port_config, member)
#define CHECK_PORT_EACH(tab, load, member)                                                         \
	CHECK_ROWS(tab, PORT_EACH) CHECK_EACH(tab, load, port_config, member)
#define CHECK_ROWS(tab, kind)                                                                     \
	_Static_assert(FITS_##kind(tab), #tab ": " #kind "() does not fit its INDEX");
#define CHECK_ONE(tab, load, in, member)                                                           \
	_Static_assert(SAME_TYPE(ROW_CONFIG(tab), MEMBER(in, member)),                             \
		       #tab "_row.config is not of the type of " #in "." #member);                 \
	CHECK_LOAD(tab, load)
#define CHECK_EACH(tab, load, in, member)                                                          \
	_Static_assert(SAME_TYPE(ROW_CONFIG(tab), MEMBER(in, member)[0]),                          \
		       #tab "_row.config is not of the type of " #in "." #member "[]");            \
	_Static_assert(sizeof(MEMBER(in, member)) / sizeof(MEMBER(in, member)[0]) ==               \
		       DCB_PRIORITIES, #in "." #member " must have DCB_PRIORITIES elements");      \
	CHECK_LOAD(tab, load)
#define CHECK_LOAD(tab, load)                                                                      \
	_Static_assert(!ROW_IS_##load || sizeof(struct tab##_row) == sizeof(ROW_CONFIG(tab)),      \
		       #tab "_row has members besides config: use LOAD");
#define TABLE(tab, mod, name, settings, load, ...)                                                 \
	EACH_KIND(CHECK, tab, load, SETTINGS_##settings)
#include "mibs/all.def"

#define HAS_NONE(tab, load, arg)        false
#define HAS_SYSTEM(tab, load, arg)      true
#define HAS_SYSTEM_EACH(tab, load, arg) true
#define HAS_PORT(tab, load, arg)        true
#define HAS_PORT_EACH(tab, load, arg)   true
#define HAS_HOOK(tab, load, arg)        true
#define HAS_ALIAS(tab, load, arg)       true
enum {
#define TABLE(tab, mod, name, settings, load, ...)                                                 \
	HAS_SETTINGS_##tab = EACH_KIND(HAS, tab, load, SETTINGS_##settings),
#include "mibs/all.def"
};
#define COL(tab, sub, name, syn, names, acc, ...)                                                  \
	_Static_assert(MO_##acc != MO_RW || HAS_SETTINGS_##tab,                                    \
		       #name ": read-write in a table without settings");
#include "mibs/all.def"

#define BIND_NONE(tab, load, arg)            {.scope = MO_SCOPE_NONE}
#define BIND_HOOK(tab, load, name)           {.scope = MO_SCOPE_PORT, .hook = &mo_settings_##name}
#define BIND_ALIAS(tab, load, name)          {.scope = MO_SCOPE_ALIAS, .hook = &mo_settings_##name}
#define BIND_SYSTEM(tab, load, member)       BIND_COPY(tab, SYSTEM, dcb_config, member, 0)
#define BIND_PORT(tab, load, member)         BIND_COPY(tab, PORT, port_config, member, 0)
#define BIND_SYSTEM_EACH(tab, load, member)                                                        \
	BIND_COPY(tab, SYSTEM_EACH, dcb_config, member, sizeof(ROW_CONFIG(tab)))
#define BIND_PORT_EACH(tab, load, member)                                                          \
	BIND_COPY(tab, PORT, port_config, member, sizeof(ROW_CONFIG(tab)))
#define BIND_COPY(tab, about, in, member, octets)                                                  \
	{.scope = MO_SCOPE_##about,                                                                \
	 .offset = offsetof(struct in, member),                                                    \
	 .stride = octets,                                                                         \
	 .size = sizeof(ROW_CONFIG(tab)),                                                          \
	 .row_offset = offsetof(struct tab##_row, config)}

static const struct settings settings_of[MO_TABLES] = {
#define TABLE(tab, mod, name, settings, load, ...)                                                 \
	[MO_##tab] = EACH_KIND(BIND, tab, load, SETTINGS_##settings),
#include "mibs/all.def"
};
/* clang-format on */

enum mo_scope mo_settings_scope(enum mo_table_id table)
{
	return (enum mo_scope)settings_of[table].scope;
}

static bool is_of_system(const struct settings *s)
{
	return s->scope == MO_SCOPE_SYSTEM || s->scope == MO_SCOPE_SYSTEM_EACH;
}

static size_t offset_of(const struct settings *s, unsigned priority)
{
	return s->offset + (size_t)priority * s->stride;
}

void mo_settings_load(const struct dcb_config *config, const struct port_config *pc,
		      enum mo_table_id table, unsigned priority, void *row)
{
	const struct settings *s = &settings_of[table];
	const uint8_t *in = is_of_system(s) ? (const uint8_t *)config : (const uint8_t *)pc;

	if (s->hook)
		s->hook->load(pc, table, priority, row);
	else if (s->size)
		memcpy((uint8_t *)row + s->row_offset, in + offset_of(s, priority), s->size);
}

void mo_settings_load_at(const struct dcb_config *config, const struct mo_row_at *place,
			 enum mo_table_id table, void *row)
{
	const struct settings *s = &settings_of[table];

	if (is_of_system(s))
		mo_settings_load(config, NULL, table, place->priority, row);
	else if (s->scope != MO_SCOPE_NONE)
		mo_settings_load(NULL, config->ports[place->pos].config, table, place->priority,
				 row);
}

bool mo_settings_are_equal(const struct port_config *a, const struct port_config *b,
			   enum mo_table_id table, unsigned priority)
{
	const struct settings *s = &settings_of[table];
	size_t offset = s->hook ? s->hook->offset : offset_of(s, priority);
	size_t size = s->hook ? s->hook->size : s->size;

	return memcmp((const uint8_t *)a + offset, (const uint8_t *)b + offset, size) == 0;
}

void mo_settings_store(struct dcb_config *config, struct port_config *pc, enum mo_table_id table,
		       unsigned priority, const void *row)
{
	const struct settings *s = &settings_of[table];
	uint8_t *in = is_of_system(s) ? (uint8_t *)config : (uint8_t *)pc;

	if (s->hook)
		s->hook->store(pc, table, priority, row);
	else if (s->size)
		memcpy(in + offset_of(s, priority), (const uint8_t *)row + s->row_offset, s->size);
}

/* --- objects with a value of the profile --------------------------------------------------- */

static const struct {
	enum mo_table_id table;
	uint32_t subid;
} profile_objects[CN_PROFILE_OBJECTS] = {
    [CN_PROFILE_QUEUE_SIZE_SET_POINT] = {MO_cn_cp, 7}, [CN_PROFILE_MIN_SAMPLE_BASE] = {MO_cn_cp, 9},
    [CN_PROFILE_TIME_RESET] = {MO_cn_rpg, 6},          [CN_PROFILE_AI_RATE] = {MO_cn_rpg, 10},
    [CN_PROFILE_HAI_RATE] = {MO_cn_rpg, 11},           [CN_PROFILE_MIN_RATE] = {MO_cn_rpg, 14},
};

/* Returns the bit of an object in port_config.profile_set; 0: it does not depend on the profile. */
static uint8_t profile_bit(enum mo_table_id table, uint32_t subid)
{
	for (unsigned i = 0; i < CN_PROFILE_OBJECTS; i++)
		if (profile_objects[i].table == table && profile_objects[i].subid == subid)
			return (uint8_t)(1u << i);
	return 0;
}

bool mo_settings_was_set(const struct port_config *pc, enum mo_table_id table, uint32_t subid,
			 unsigned priority)
{
	return pc->profile_set[priority] & profile_bit(table, subid);
}

void mo_settings_mark_set(struct port_config *pc, enum mo_table_id table, uint32_t subid,
			  unsigned priority)
{
	pc->profile_set[priority] |= profile_bit(table, subid);
}
