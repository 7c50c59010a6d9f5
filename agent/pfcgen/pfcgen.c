/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/pfcgen/pfcgen.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUANTA_MAX        UINT16_MAX
#define QUANTUM_OCTETS    (PFC_QUANTUM_BITS / 8)
#define DURATION_MAX_NS   (INT64_C(365) * 86400 * DCB_NS_PER_S)
#define INTERVAL_LEAST_NS (10 * DCB_NS_PER_US) /* shortest default interval */
#define INTERVAL_XON_NS   DCB_NS_PER_MS        /* default interval if all times are 0 */

const struct option pfcgen_long_options[] = {
    {"count", required_argument, NULL, 'c'},
    {"duration", required_argument, NULL, 't'},
    {"interval", required_argument, NULL, 'i'},
    {"no-xon", no_argument, NULL, 'X'},
    {"priority", required_argument, NULL, 'p'},
    {"quanta", required_argument, NULL, 'q'},
    {"source", required_argument, NULL, 'a'},
    {"wait", required_argument, NULL, 'w'},
    {NULL, 0, NULL, 0},
};

/* --- parsing ---------------------------------------------------------------------- */

/* Parses decimal digits at *p and moves *p behind them. false: no digit, or more than max. */
static bool take_number(const char **p, uint64_t max, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*v = strtoull(*p, &end, 10);
	*p = end;
	return errno == 0 && *v <= max;
}

static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *v)
{
	return take_number(&text, max, v) && *text == '\0' && *v >= min;
}

bool pfcgen_parse_time(const char *text, int64_t min_ns, int64_t max_ns, int64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	const size_t n = strspn(text, "0123456789.");
	char *end;
	double v;

	if (!isdigit((unsigned char)text[0]))
		return false;
	v = strtod(text, &end);
	if (end != text + n)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		v *= units[i].ns;
		if (!(v >= (double)min_ns && v <= (double)max_ns))
			return false;
		*ns = llround(v);
		return true;
	}
	return false;
}

/* Parses "3", "0-7" or "all" at *p, as take_number() does. */
static bool take_priorities(const char **p, uint64_t *from, uint64_t *to)
{
	*from = 0;
	*to = DCB_PRIORITIES - 1;
	if (strncmp(*p, "all", 3) == 0) {
		*p += 3;
		return true;
	}
	if (!take_number(p, DCB_PRIORITIES - 1, from))
		return false;
	*to = *from;
	if (**p != '-')
		return true;
	++*p;
	return take_number(p, DCB_PRIORITIES - 1, to) && *from <= *to;
}

/*
 * Parses a list as "3,5-6:1000", where 5 and 6 have a time of 1000 quanta. No
 * priority may occur twice.
 */
static bool parse_priorities(const char *p, struct pfcgen_options *o)
{
	for (;;) {
		uint64_t from, to, quanta = 0;
		bool has_time;

		if (!take_priorities(&p, &from, &to))
			return false;
		has_time = *p == ':';
		if (has_time) {
			p++;
			if (!take_number(&p, QUANTA_MAX, &quanta))
				return false;
		}
		for (uint64_t n = from; n <= to; n++) {
			uint8_t bit = (uint8_t)(1u << n);

			if (o->enable & bit)
				return false;
			o->enable |= bit;
			o->has_time |= has_time ? bit : 0;
			o->time[n] = (uint16_t)quanta;
		}
		if (*p == '\0')
			return true;
		if (*p++ != ',')
			return false;
	}
}

static bool parse_address(const char *text, uint8_t address[ETH_ADDR_OCTETS])
{
	for (unsigned i = 0; i < ETH_ADDR_OCTETS; i++) {
		char *end;

		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
			return false;
		address[i] = (uint8_t)strtoul((char[]){text[0], text[1], '\0'}, &end, 16);
		text += 2;
		if (i < ETH_ADDR_OCTETS - 1 && *text != ':' && *text != '-')
			return false;
		text += i < ETH_ADDR_OCTETS - 1;
	}
	return *text == '\0' && !eth_is_group(address);
}

static bool parse_wait(const char *text, enum pace_wait *wait)
{
	static const char *const names[] = {
	    [PACE_ADAPT] = "auto", [PACE_AWAKE] = "busy", [PACE_ASLEEP] = "sleep"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], text) == 0) {
			*wait = (enum pace_wait)i;
			return true;
		}
	}
	return false;
}

/* --- options ------------------------------------------------------------------------ */

static const char *const expected[] = {
    ['a'] = "an individual MAC address such as 02:00:00:00:00:01",
    ['c'] = "a number of frames, at least 1",
    ['i'] = "1us..60s with a unit, such as 84us or 1.5ms",
    ['p'] =
	"priorities 0..7, each once, such as 3 or 3,5-6 or all, with 0..65535 quanta such as "
	"3:1000",
    ['q'] = "0..65535 quanta",
    ['t'] = "1us..31536000s with a unit, such as 500ms or 10s",
    ['w'] = "auto, busy or sleep",
};

static bool take_option(struct pfcgen_options *o, int c, const char *arg)
{
	uint64_t v = 0;
	bool good;

	switch (c) {
	case 'a':
		return o->has_source = parse_address(arg, o->source);
	case 'c':
		return parse_number(arg, 1, UINT64_MAX - 1, &o->count);
	case 'i':
		return pfcgen_parse_time(arg, PACE_INTERVAL_MIN_NS, PACE_INTERVAL_MAX_NS,
					 &o->interval_ns);
	case 'p':
		return parse_priorities(arg, o);
	case 'q':
		good = o->has_quanta = parse_number(arg, 0, QUANTA_MAX, &v);
		o->quanta = (uint16_t)v;
		return good;
	case 't':
		return pfcgen_parse_time(arg, DCB_NS_PER_US, DURATION_MAX_NS, &o->duration_ns);
	case 'w':
		return parse_wait(arg, &o->wait);
	default:
		return o->no_xon = true;
	}
}

bool pfcgen_option(struct pfcgen_options *o, int c, const char *arg, char *err, size_t errlen)
{
	if (take_option(o, c, arg))
		return true;
	/*
	 * Message: The argument of the option is not valid, or `-p` is missing. Use a value as
	 * expected.
	 */
	snprintf(err, errlen, "-%c: expected %s, not \"%s\"", c, expected[c], arg);
	return false;
}

const char *pfcgen_expects(int c)
{
	return expected[c];
}

/* --- plan ------------------------------------------------------------------------- */

static void fill_pdu(const struct pfcgen_options *o, const struct pfc_port *port,
		     struct pfc_pdu *pdu)
{
	*pdu = (struct pfc_pdu){.enable = o->enable};
	memcpy(pdu->source, o->has_source ? o->source : port->address, ETH_ADDR_OCTETS);
	for (unsigned n = 0; n < DCB_PRIORITIES; n++) {
		if (!(o->enable & 1u << n))
			continue;
		pdu->time[n] = o->has_quanta ? o->quanta : QUANTA_MAX;
		if (o->has_time & 1u << n)
			pdu->time[n] = o->time[n];
	}
}

static int64_t shortest_pause_ns(const struct pfc_pdu *pdu, struct dcb_rate speed)
{
	uint16_t shortest = 0;

	for (unsigned n = 0; n < DCB_PRIORITIES; n++)
		if (pdu->time[n] && (shortest == 0 || pdu->time[n] < shortest))
			shortest = pdu->time[n];
	return dcb_rate_octets_to_ns(speed, (uint64_t)shortest * QUANTUM_OCTETS);
}

/* Half of the pause: the pause goes on if one refresh is lost. */
static int64_t choose_interval(int64_t pause_ns)
{
	int64_t half_ns = pause_ns / 2;

	if (pause_ns == 0)
		return INTERVAL_XON_NS;
	return half_ns < INTERVAL_LEAST_NS ? INTERVAL_LEAST_NS : half_ns;
}

void pfcgen_plan(const struct pfcgen_options *o, const struct pfc_port *port, struct pfc_plan *plan)
{
	struct pfc_pdu xon;

	memset(plan, 0, sizeof(*plan));
	fill_pdu(o, port, &plan->pdu);
	pfc_pdu_encode(&plan->pdu, plan->xoff);
	xon = plan->pdu;
	memset(xon.time, 0, sizeof(xon.time));
	pfc_pdu_encode(&xon, plan->xon);
	plan->end_with_xon = !o->no_xon;
	plan->speed = dcb_rate_is_unlimited(port->speed) ? dcb_rate_from_mbps(PFCGEN_SPEED_MBPS)
							 : port->speed;
	plan->pause_ns = shortest_pause_ns(&plan->pdu, plan->speed);
	plan->pace = (struct pace_params){
	    .interval_ns = o->interval_ns ? o->interval_ns : choose_interval(plan->pause_ns),
	    .duration_ns = o->duration_ns,
	    .count = o->count,
	    .lapse_ns = plan->pause_ns,
	    .wait = o->wait,
	    .frame = plan->xoff,
	    .octets = sizeof(plan->xoff),
	};
}

void pfcgen_run(const struct pfc_plan *plan, const struct pace_host *host,
		struct pfc_outcome *outcome)
{
	outcome->xon_sent = false;
	outcome->xon_error = 0;
	pace_run(&plan->pace, host, &outcome->pace);
	if (!plan->end_with_xon || outcome->pace.frames == 0)
		return;
	outcome->xon_error = host->send(host->ctx, plan->xon, sizeof(plan->xon));
	outcome->xon_sent = outcome->xon_error == 0;
}
