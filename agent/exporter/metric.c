/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/metric.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- names --------------------------------------------------------------------------------- */

/* Prefixes of the modules' names, the longer of two before the shorter, and what replaces them. */
static const struct {
	const char *prefix, *name;
} prefixes[] = {
    {"ieee8021Cn", "cn_"},
    {"ieee8021Pfc", "pfc_"},
    {"lldpXdot1dcbx", "dcbx_"},
    {"lldpXdot1Cn", "cn_lldp_"},
    {"lldpV2Xdot1", "cn_lldp_"},
    {"lldpV2", ""},
    {"dcb", ""},
};

/* Words that Prometheus keeps for types and histograms are not in names. */
static const struct {
	const char *object, *name;
} renamed[] = {
    {MO_NAME(dcbPfcMeasureCount), "pfc_measure_round_trips"},
    {MO_NAME(dcbPortCounterDiscontinuityTime), "port_discontinuity_time"},
    {MO_NAME(dcbTrillHopCount), "trill_hop_limit"},
};

/* "SAs" is one word: the plural of an abbreviation. */
static bool is_plural(const char *p)
{
	return p[1] == 's' && !islower((unsigned char)p[2]);
}

/* Whether a word begins here: RxFrames rx_frames, CNPVIndicators cnpv_indicators. */
static bool begins_word(const char *p, const char *begin)
{
	if (p == begin || !isupper((unsigned char)*p))
		return false;
	if (!isupper((unsigned char)p[-1]))
		return true;
	return islower((unsigned char)p[1]) && !is_plural(p);
}

static size_t snake(const char *name, char *text, size_t size)
{
	size_t n = 0;

	for (const char *p = name; *p && n + 2 < size; p++) {
		if (begins_word(p, name))
			text[n++] = '_';
		text[n++] = (char)tolower((unsigned char)*p);
	}
	text[n] = '\0';
	return n;
}

/* Writes the name in snake case, with the short form of its module's prefix. */
static void short_name(const char *name, char *text, size_t size)
{
	int n = 0;

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		if (strcmp(renamed[i].object, name) == 0) {
			snprintf(text, size, "%s", renamed[i].name);
			return;
		}
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (strncmp(name, prefixes[i].prefix, len) == 0) {
			n = snprintf(text, size, "%s", prefixes[i].name);
			name += len;
			break;
		}
	}
	snake(name, text + n, size - (size_t)n);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* Adds "_" and the word, unless the name ends with it already. */
static void add_word(char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	if (n > m && name[n - m - 1] == '_' && strcmp(name + n - m, word) == 0)
		return;
	snprintf(name + n, METRIC_NAME_OCTETS - n, "_%s", word);
}

/* --- units --------------------------------------------------------------------------------- */

/*
 * Base units of Prometheus. Rates and the lengths that clause 36.8 has in bits stay in bits, as
 * the standard has them, although Prometheus prefers bytes: our choice. Units that only say what
 * is counted, such as frames, are in the names of the objects.
 */
static const struct unit {
	const char *unit, *name;
	uint32_t factor;
	unsigned decimals;
} units[] = {
    {"octets", "bytes", 1, 0},
    {"bits", "bits", 1, 0},
    {"bits per second", "bits_per_second", 1, 0},
    {"Mb/s", "bits_per_second", 1000000, 0},
    {"seconds", "seconds", 1, 0},
    {"centiseconds", "seconds", 1, 2},
    {"milliseconds", "seconds", 1, 3},
    {"microseconds", "seconds", 1, 6},
    {"nanoseconds", "seconds", 1, 9},
    {"percent", "ratio", 1, 2},
    {"metres", "meters", 1, 0},
};
static const struct unit ticks = {"", "seconds", 1, 2}; /* TimeTicks */

static const struct unit *unit_of(const struct mo_column *col)
{
	if (col->syntax == MO_TIMETICKS)
		return &ticks;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].unit, col->unit) == 0)
			return &units[i];
	}
	return NULL;
}

/* --- forms --------------------------------------------------------------------------------- */

/*
 * Enumerations with a name in a label, as in the modules for snmp_exporter: alerts select states by
 * their names. The other enumerations are numbers, as in SNMP: a series for each name of each would
 * double the size of a scrape.
 */
static const char *const states[] = {
    MO_NAME(dcbAgentStateStatus),  MO_NAME(dcbPfcWatchdogState),  MO_NAME(dcbBufferStatus),
    MO_NAME(dcbLldpState),         MO_NAME(dcbEngineRealTime),    MO_NAME(dcbCnPortState),
    MO_NAME(dcbDcbxPortPfcReason), MO_NAME(dcbDcbxPortEtsReason), MO_NAME(dcbDcbxAuditResult),
    MO_NAME(dcbSecySATxState),     MO_NAME(dcbSecySARxState),
};
static const char *const named[] = {
    MO_NAME(dcbAgentRole),
    MO_NAME(dcbPfcHeadroomTermSource),
    MO_NAME(dcbSecyMode),
    MO_NAME(dcbSecyCurrentCipherSuite),
};

static bool is_in(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

static enum metric_form form_of(const struct mo_column *col)
{
	if (col->syntax == MO_BITS)
		return METRIC_BITS;
	if (mo_is_octets(col->syntax))
		return METRIC_TEXT;
	if (is_in(states, sizeof(states) / sizeof(states[0]), col->name))
		return METRIC_STATES;
	if (is_in(named, sizeof(named) / sizeof(named[0]), col->name))
		return METRIC_NAMED;
	return METRIC_NUMBER;
}

void metric_of(const struct mo_column *col, struct metric *m)
{
	const struct unit *unit = unit_of(col);

	*m = (struct metric){.form = form_of(col), .factor = 1};
	snprintf(m->name, sizeof(m->name), "dcb_");
	short_name(col->name, m->name + 4, sizeof(m->name) - 4);
	m->counter = col->syntax == MO_COUNTER32 || col->syntax == MO_COUNTER64;
	if (unit && m->form == METRIC_NUMBER) {
		m->factor = unit->factor;
		m->decimals = unit->decimals;
		/* rpppRpCentiseconds */
		if (ends_with(m->name, "_centiseconds"))
			m->name[strlen(m->name) - strlen("_centiseconds")] = '\0';
		add_word(m->name, unit->name);
	}
	if (m->counter)
		add_word(m->name, "total");
	if (m->form == METRIC_TEXT || m->form == METRIC_NAMED)
		add_word(m->name, "info");
}

/* --- labels -------------------------------------------------------------------------------- */

/*
 * No labels: the component, of which there is one, and lldpV2RemTimeMark, the time of the last
 * change of a neighbor's TLVs, with which each change would begin a new time series.
 */
void metric_label(const struct mo_index_part *part, char label[METRIC_LABEL_OCTETS])
{
	label[0] = '\0';
	if (ends_with(part->name, "ComponentId") || strcmp(part->name, "lldpV2RemTimeMark") == 0)
		return;
	if (strcmp(part->name, "ifIndex") == 0 || ends_with(part->name, "IfIndex"))
		snprintf(label, METRIC_LABEL_OCTETS, "port");
	else
		short_name(part->name, label, METRIC_LABEL_OCTETS);
}

/* --- values -------------------------------------------------------------------------------- */

static bool is_unsigned64(const struct mo_value *value)
{
	return value->syntax == MO_COUNTER64 || value->syntax == MO_GAUGE64;
}

/* Inserts the point and removes zeros at the end of the fraction. */
static void put_point(const char *digits, unsigned decimals, char *text, size_t size)
{
	size_t n = strlen(digits), whole = n - decimals;

	while (n > whole && digits[n - 1] == '0')
		n--;
	if (n == whole)
		snprintf(text, size, "%.*s", (int)whole, digits);
	else
		snprintf(text, size, "%.*s.%.*s", (int)whole, digits, (int)(n - whole),
			 digits + whole);
}

void metric_number(const struct metric *m, const struct mo_value *value,
		   char text[METRIC_VALUE_OCTETS])
{
	bool negative = !is_unsigned64(value) && value->num < 0;
	uint64_t v = negative ? -(uint64_t)value->num : (uint64_t)value->num;
	char digits[METRIC_VALUE_OCTETS / 2];

	if (value->syntax == MO_TRUTH)
		v = value->num == MO_truth_true;
	/* A factor is for Mb/s only, with 32 bits. */
	snprintf(digits, sizeof(digits), "%0*" PRIu64, (int)m->decimals + 1, v * m->factor);
	text[0] = '-';
	put_point(digits, m->decimals, text + negative, METRIC_VALUE_OCTETS - 1);
}

/* Returns the length of the UTF-8 character at p, 0 if there is none. */
static size_t utf8_length(const uint8_t *p, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t c = n > 1 ? p[0] & (0x7fu >> n) : p[0];

	if (n == 0 || n > len || p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

/* Writes one character. Returns the octets of the input that it was, *n those written. */
static size_t escape_one(const uint8_t *p, size_t len, char text[4], size_t *n)
{
	size_t octets = utf8_length(p, len);

	*n = 1;
	if (p[0] == '"' || p[0] == '\\' || p[0] == '\n') {
		text[0] = '\\';
		text[1] = p[0] == '\n' ? 'n' : (char)p[0];
		*n = 2;
	} else if (octets == 0 || p[0] < ' ' || p[0] == 0x7f) {
		text[0] = '?';
	} else {
		memcpy(text, p, octets);
		*n = octets;
	}
	return octets ? octets : 1;
}

size_t metric_escape(const void *octets, size_t len, char *text, size_t size)
{
	const uint8_t *p = octets;
	size_t n = 0, written;

	while (len > 0) {
		char one[4];
		size_t used = escape_one(p, len, one, &written);

		if (n + written >= size)
			break;
		memcpy(text + n, one, written);
		p += used;
		len -= used;
		n += written;
	}
	text[n] = '\0';
	return n;
}
