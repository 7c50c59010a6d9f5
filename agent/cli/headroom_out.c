/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writers of dcbctl headroom.
 *
 *   JSON  [{"inputs": {...}, "terms": [...], "groups": [...], "headroom": {...}}]
 */
#include "agent/cli/headroom.h"

#include <inttypes.h>

#include "agent/cli/grid.h"
#include "agent/cli/out.h"
#include "agent/cli/out_json.h"

static const char *const group_texts[PFC_DELAY_GROUPS] = {
    "worst-case delay", "internal processing delay", "link delay"};

/* --- text ------------------------------------------------------------------------------ */

static void add_number(struct grid *g, uint64_t n)
{
	char cell[24];

	snprintf(cell, sizeof(cell), "%" PRIu64, n);
	grid_cell(g, cell);
}

static void add_row(struct grid *g, const char *item, const char *group, const char *text,
		    uint64_t bits)
{
	grid_cell(g, item);
	grid_cell(g, group);
	grid_cell(g, text);
	add_number(g, bits);
	add_number(g, pfc_bits_to_octets(bits));
	add_number(g, pfc_bits_to_quanta(bits));
}

/* Text output leaves out the delays of SecYs (MACsec) that are 0. */
static bool is_shown(const struct pfc_headroom *sum, enum pfc_term term)
{
	switch (term) {
	case PFC_TERM_LOCAL_PFC_SECY:
	case PFC_TERM_LOCAL_FRAME_SECY:
	case PFC_TERM_PEER_PFC_SECY:
	case PFC_TERM_PEER_FRAME_SECY:
		return sum->term[term] > 0;
	default:
		return true;
	}
}

void headroom_write_text(FILE *f, const struct pfc_headroom_input *in,
			 const struct pfc_headroom *sum)
{
	struct grid g = {0};

	(void)in;
	grid_column(&g, "item", false);
	grid_column(&g, "group", false);
	grid_column(&g, "delay", false);
	grid_column(&g, "bits", true);
	grid_column(&g, "octets", true);
	grid_column(&g, "quanta", true);
	for (unsigned i = 0; i < PFC_TERMS; i++) {
		const struct pfc_term_info *info = pfc_term_info((enum pfc_term)i);
		const char item[] = {info->item, '\0'};

		if (is_shown(sum, (enum pfc_term)i))
			add_row(&g, item, pfc_delay_group_token((enum pfc_delay_group)info->group),
				info->text, sum->term[i]);
	}
	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++)
		add_row(&g, "", pfc_delay_group_token((enum pfc_delay_group)i), group_texts[i],
			sum->group[i]);
	add_row(&g, "", "", "headroom", sum->total);
	grid_print(&g, f);
	grid_clear(&g);
}

/* --- JSON ------------------------------------------------------------------------------- */

static json_t *put_amount(json_t *o, uint64_t bits)
{
	out_json_put(o, "bits", json_integer((json_int_t)bits));
	out_json_put(o, "octets", json_integer((json_int_t)pfc_bits_to_octets(bits)));
	out_json_put(o, "quanta", json_integer((json_int_t)pfc_bits_to_quanta(bits)));
	return o;
}

static json_t *input_value(const struct headroom_option *option,
			   const struct pfc_headroom_input *in)
{
	uint64_t n;
	const char *name;

	if (option->kind == HEADROOM_NAME) {
		name = headroom_name_of(option, in);
		return name ? json_string(name) : json_null();
	}
	n = headroom_number_of(option, in);
	if (option->kind == HEADROOM_FLAG)
		return json_boolean(n);
	/* 0 outside of the range: not given, the standard's value is used */
	return n < option->min ? json_null() : json_integer((json_int_t)n);
}

static json_t *inputs(const struct pfc_headroom_input *in)
{
	json_t *o = out_alloc_check(json_object());

	for (size_t i = 0; i < headroom_n_options; i++) {
		if (headroom_options[i].kind != HEADROOM_MTU)
			out_json_put(o, headroom_options[i].name,
				     input_value(&headroom_options[i], in));
	}
	return o;
}

static json_t *terms(const struct pfc_headroom *sum)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < PFC_TERMS; i++) {
		const struct pfc_term_info *info = pfc_term_info((enum pfc_term)i);
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "item", json_stringn(&info->item, 1));
		out_json_put(o, "group",
			     json_string(pfc_delay_group_token((enum pfc_delay_group)info->group)));
		out_json_put(o, "delay", json_string(info->token));
		out_json_append(a, put_amount(o, sum->term[i]));
	}
	return a;
}

static json_t *groups(const struct pfc_headroom *sum)
{
	json_t *a = out_alloc_check(json_array());

	for (unsigned i = 0; i < PFC_DELAY_GROUPS; i++) {
		json_t *o = out_alloc_check(json_object());

		out_json_put(o, "group",
			     json_string(pfc_delay_group_token((enum pfc_delay_group)i)));
		out_json_append(a, put_amount(o, sum->group[i]));
	}
	return a;
}

void headroom_write_json(FILE *f, const struct pfc_headroom_input *in,
			 const struct pfc_headroom *sum)
{
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());

	out_json_put(o, "inputs", inputs(in));
	out_json_put(o, "terms", terms(sum));
	out_json_put(o, "groups", groups(sum));
	out_json_put(o, "headroom", put_amount(out_alloc_check(json_object()), sum->total));
	out_json_append(all, o);
	json_dumpf(all, f, JSON_INDENT(2));
	fputc('\n', f);
	json_decref(all);
}
