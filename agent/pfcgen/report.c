/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of dcb-pfcgen. */
#include "agent/pfcgen/pfcgen.h"

#include "agent/cli/base/out.h"
#include "agent/cli/base/out_json.h"

#include <inttypes.h>
#include <stdio.h>

/* --- text ------------------------------------------------------------------------- */

static void print_us(FILE *f, const char *name, int64_t ns)
{
	fprintf(f, "%-11s %" PRId64 ".%03" PRId64 " us\n", name, ns / 1000, ns % 1000);
}

static void print_priorities(FILE *f, const struct pfc_pdu *pdu)
{
	fprintf(f, "%-11s", "priorities");
	for (unsigned n = 0; n < DCB_PRIORITIES; n++)
		if (pdu->enable & 1u << n)
			fprintf(f, " %u:%u", n, pdu->time[n]);
	fputc('\n', f);
}

static void print_intervals(FILE *f, const struct histogram *s)
{
	if (s->n == 0)
		return;
	print_us(f, "min", s->min_ns);
	print_us(f, "median", histogram_quantile(s, 500));
	print_us(f, "p99", histogram_quantile(s, 990));
	print_us(f, "max", s->max_ns);
}

void pfcgen_report_text(FILE *f, const struct pfc_port *port, const struct pfc_plan *plan,
			const struct pfc_outcome *outcome)
{
	const struct pace_report *r = &outcome->pace;

	fprintf(f, "%-11s %s\n", "interface", port->ifname);
	print_priorities(f, &plan->pdu);
	print_us(f, "pause", plan->pause_ns);
	print_us(f, "interval", plan->pace.interval_ns);
	print_intervals(f, &r->intervals);
	fprintf(f, "%-11s %" PRIu64 "\n", "frames", r->frames);
	fprintf(f, "%-11s %" PRIu64 "\n", "late", r->late);
	fprintf(f, "%-11s %" PRIu64 "\n", "missed", r->missed);
	fprintf(f, "%-11s %" PRIu64 "\n", "lapsed", r->lapses);
	fprintf(f, "%-11s %" PRIu64 "\n", "refused", r->refused);
	print_us(f, "elapsed", r->elapsed_ns);
	fprintf(f, "%-11s %s\n", "xon", outcome->xon_sent ? "sent" : "not sent");
}

/* --- JSON ------------------------------------------------------------------------- */

static json_t *json_number(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *json_address(const uint8_t a[ETH_ADDR_OCTETS])
{
	return json_sprintf("%02x-%02x-%02x-%02x-%02x-%02x", a[0], a[1], a[2], a[3], a[4], a[5]);
}

static json_t *json_priorities(const struct pfc_pdu *pdu)
{
	json_t *array = out_alloc_check(json_array());

	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		json_t *o;

		if (!(pdu->enable & 1u << n))
			continue;
		o = out_alloc_check(json_object());
		out_json_put(o, "priority", json_number(n));
		out_json_put(o, "quanta", json_number(pdu->time[n]));
		out_json_append(array, o);
	}
	return array;
}

static json_t *json_intervals(const struct histogram *s)
{
	json_t *o;

	if (s->n == 0)
		return json_null();
	o = out_alloc_check(json_object());
	out_json_put(o, "min_ns", json_integer(s->min_ns));
	out_json_put(o, "median_ns", json_integer(histogram_quantile(s, 500)));
	out_json_put(o, "p99_ns", json_integer(histogram_quantile(s, 990)));
	out_json_put(o, "max_ns", json_integer(s->max_ns));
	return o;
}

void pfcgen_report_json(FILE *f, const struct pfc_port *port, const struct pfc_plan *plan,
			const struct pfc_outcome *outcome)
{
	const struct pace_report *r = &outcome->pace;
	json_t *all = out_alloc_check(json_array()), *o = out_alloc_check(json_object());

	out_json_put(o, "interface", json_string(port->ifname));
	out_json_put(o, "source", json_address(plan->pdu.source));
	out_json_put(o, "speed_bps", json_number(plan->speed.bps));
	out_json_put(o, "priorities", json_priorities(&plan->pdu));
	out_json_put(o, "pause_ns", json_integer(plan->pause_ns));
	out_json_put(o, "interval_ns", json_integer(plan->pace.interval_ns));
	out_json_put(o, "intervals", json_intervals(&r->intervals));
	out_json_put(o, "frames", json_number(r->frames));
	out_json_put(o, "late", json_number(r->late));
	out_json_put(o, "missed", json_number(r->missed));
	out_json_put(o, "lapsed", json_number(r->lapses));
	out_json_put(o, "refused", json_number(r->refused));
	out_json_put(o, "sleeps", json_number(r->sleeps));
	out_json_put(o, "elapsed_ns", json_integer(r->elapsed_ns));
	out_json_put(o, "xon", json_boolean(outcome->xon_sent));
	out_json_append(all, o);
	out_json_write(all, f);
}
