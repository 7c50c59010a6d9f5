/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/port/keywords.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mo/mo_expect.h"

#define LLDP "lldpXdot1dcbx"
#define CN   "ieee8021Cn"
#define END                                               \
	{                                                 \
		NULL, PORT_VALUE, NULL, NULL, NULL, false \
	}
#define STATS true

/* clang-format off */

/* man dcb-pfc; requests, indications: frames sent and received, here of each priority. */
static const struct port_keyword pfc[] = {
    {"pfc-cap",       PORT_VALUE, LLDP "AdminPFCCap", NULL, NULL, false},
    {"macsec-bypass", PORT_VALUE, LLDP "AdminPFCMBC", NULL, NULL, false},
    {"delay",         PORT_VALUE, MO_NAME(ieee8021PfcLinkDelayAllowance), "bits", NULL, false},
    {"willing",       PORT_VALUE, LLDP "AdminPFCWilling", NULL, NULL, false},
    {"tx-enable",     PORT_VALUE, LLDP "ConfigPFCTxEnable", NULL, NULL, false},
    {"prio-pfc",      PORT_MAP,   MO_NAME(dcbPfcPriorityEnable), NULL, NULL, false},
    {"in-force",      PORT_BITS,  MO_NAME(dcbDcbxPortPfcInForce), NULL, NULL, false},
    {"requests",      PORT_MAP,   MO_NAME(dcbPfcPriorityRequests), NULL, NULL, STATS},
    {"indications",   PORT_MAP,   MO_NAME(dcbPfcPriorityIndications), NULL, NULL, STATS},
    {"paused",        PORT_MAP,   MO_NAME(dcbPfcPriorityPaused), NULL, NULL, STATS},
    {"pause-time",    PORT_MAP,   MO_NAME(dcbPfcPriorityPauseTime), NULL, NULL, STATS},
    {"pause-sent",    PORT_MAP,   MO_NAME(dcbPfcPriorityPauseSent), NULL, NULL, STATS},
    {"held",          PORT_MAP,   MO_NAME(dcbPfcPriorityHeld), NULL, NULL, STATS},
    {"discards",      PORT_MAP,   MO_NAME(dcbPfcPriorityDiscards), NULL, NULL, STATS},
    END,
};

/* man dcb-ets. dcbd has no pg-bw, and no TLV has a recommended prio-tc. */
static const struct port_keyword ets[] = {
    {"willing",        PORT_VALUE, LLDP "AdminETSConWilling", NULL, NULL, false},
    {"ets-cap",        PORT_VALUE, LLDP "AdminETSConTrafficClassesSupported", NULL, NULL, false},
    {"cbs",            PORT_VALUE, LLDP "AdminETSConCreditBasedShaperSupport", NULL, NULL, false},
    {"in-force",       PORT_VALUE, MO_NAME(dcbDcbxPortEtsInForce), NULL, NULL, false},
    {"tx-enable",      PORT_VALUE, LLDP "ConfigETSConfigurationTxEnable", NULL, NULL, false},
    {"reco-tx-enable", PORT_VALUE, LLDP "ConfigETSRecommendationTxEnable", NULL, NULL, false},
    {"tc-tsa",         PORT_MAP,   LLDP "AdminETSConTrafficSelectionAlgorithm", NULL, "tsa", false},
    {"reco-tc-tsa",    PORT_MAP,   LLDP "AdminETSRecoTrafficSelectionAlgorithm", NULL, "tsa", false},
    {"tc-bw",          PORT_MAP,   LLDP "AdminETSConTrafficClassBandwidth", "percent", NULL, false},
    {"reco-tc-bw",     PORT_MAP,   LLDP "AdminETSRecoTrafficClassBandwidth", "percent", NULL, false},
    {"prio-tc",        PORT_MAP,   LLDP "AdminETSConPriTrafficClass", NULL, NULL, false},
    END,
};

/* man dcb-app has the application priorities, app.c. */
static const struct port_keyword app[] = {
    {"trust",     PORT_VALUE, MO_NAME(dcbPortTrust), NULL, NULL, false},
    {"tx-enable", PORT_VALUE, LLDP "ConfigApplicationPriorityTxEnable", NULL, NULL, false},
    END,
};

static const struct port_keyword cn[] = {
    {"tx-enable",              PORT_VALUE,   MO_NAME(lldpXdot1CnConfigCnTxEnable), NULL, NULL, false},
    {"def-mode-choice",        PORT_BY_PRIO, CN "PortPriDefModeChoice", NULL, "cpc", false},
    {"admin-defense-mode",     PORT_BY_PRIO, CN "PortPriAdminDefenseMode", NULL, "cpt", false},
    {"auto-defense-mode",      PORT_BY_PRIO, CN "PortPriAutoDefenseMode", NULL, "cpt", false},
    {"defense-mode",           PORT_BY_PRIO, MO_NAME(dcbCnPortDefenseMode), NULL, "cpt", false},
    {"alternate-priority",     PORT_BY_PRIO, CN "PortPriAlternatePriority", NULL, NULL, false},
    {"lldp-instance-choice",   PORT_BY_PRIO, CN "PortPriLldpInstanceChoice", NULL, "cnl", false},
    {"lldp-instance-selector", PORT_BY_PRIO, CN "PortPriLldpInstanceSelector", NULL, NULL, false},
    {"mode-changes",           PORT_BY_PRIO, MO_NAME(dcbCnPortModeChanges), NULL, NULL, STATS},
    END,
};

static const struct port_keyword cp[] = {
    {"cpid",               PORT_BY_PRIO, CN "CpIdentifier", NULL, NULL, false},
    {"set-point",          PORT_BY_PRIO, CN "CpQueueSizeSetPoint", NULL, NULL, false},
    {"weight",             PORT_BY_PRIO, CN "CpFeedbackWeight", NULL, NULL, false},
    {"sample-base",        PORT_BY_PRIO, CN "CpMinSampleBase", NULL, NULL, false},
    {"min-header",         PORT_BY_PRIO, CN "CpMinHeaderOctets", NULL, NULL, false},
    {"queue-length",       PORT_BY_PRIO, MO_NAME(dcbCpQueueLength), NULL, NULL, false},
    {"queue-peak",         PORT_BY_PRIO, MO_NAME(dcbCpQueuePeak), NULL, NULL, STATS},
    {"feedback",           PORT_BY_PRIO, MO_NAME(dcbCpFeedback), NULL, NULL, STATS},
    {"transmitted-frames", PORT_BY_PRIO, CN "CpTransmittedFrames", NULL, NULL, STATS},
    {"discarded-frames",   PORT_BY_PRIO, CN "CpDiscardedFrames", NULL, NULL, STATS},
    {"transmitted-cnms",   PORT_BY_PRIO, CN "CpTransmittedCnms", NULL, NULL, STATS},
    END,
};

static const struct port_keyword rp[] = {
    {"enable",       PORT_BY_PRIO, CN "RpgEnable", NULL, NULL, false},
    {"max-rps",      PORT_BY_PRIO, CN "RpPortPriMaxRps", NULL, NULL, false},
    {"time-reset",   PORT_BY_PRIO, CN "RpgTimeReset", NULL, NULL, false},
    {"byte-reset",   PORT_BY_PRIO, CN "RpgByteReset", NULL, NULL, false},
    {"threshold",    PORT_BY_PRIO, CN "RpgThreshold", NULL, NULL, false},
    {"max-rate",     PORT_BY_PRIO, CN "RpgMaxRate", NULL, NULL, false},
    {"ai-rate",      PORT_BY_PRIO, CN "RpgAiRate", NULL, NULL, false},
    {"hai-rate",     PORT_BY_PRIO, CN "RpgHaiRate", NULL, NULL, false},
    {"gd",           PORT_BY_PRIO, CN "RpgGd", NULL, NULL, false},
    {"min-dec-fac",  PORT_BY_PRIO, CN "RpgMinDecFac", NULL, NULL, false},
    {"min-rate",     PORT_BY_PRIO, CN "RpgMinRate", NULL, NULL, false},
    {"created-rps",  PORT_BY_PRIO, CN "RpPortPriCreatedRps", NULL, NULL, STATS},
    {"centiseconds", PORT_BY_PRIO, CN "RpPortPriCentiseconds", "", NULL, STATS},
    END,
};

static const struct port_keyword headroom[] = {
    {"choice",           PORT_VALUE, MO_NAME(dcbPfcHeadroomChoice), NULL, NULL, false},
    {"allowance",        PORT_VALUE, MO_NAME(dcbPfcHeadroomAllowance), NULL, NULL, false},
    {"cable-length",     PORT_VALUE, MO_NAME(dcbPfcHeadroomCableLength), "meters", NULL, false},
    {"cable-medium",     PORT_VALUE, MO_NAME(dcbPfcHeadroomCableMedium), NULL, NULL, false},
    {"link-delay",       PORT_VALUE, MO_NAME(dcbPfcHeadroomLinkDelay), NULL, NULL, false},
    {"ptp-delay",        PORT_VALUE, MO_NAME(dcbPfcHeadroomPtpDelay), NULL, NULL, false},
    {"phy",              PORT_VALUE, MO_NAME(dcbPfcHeadroomPhy), NULL, NULL, false},
    {"interface-delay",  PORT_VALUE, MO_NAME(dcbPfcHeadroomInterfaceDelay), NULL, NULL, false},
    {"initiation",       PORT_VALUE, MO_NAME(dcbPfcHeadroomInitiation), NULL, NULL, false},
    {"response",         PORT_VALUE, MO_NAME(dcbPfcHeadroomResponse), NULL, NULL, false},
    {"macsec",           PORT_VALUE, MO_NAME(dcbPfcHeadroomMacsec), NULL, NULL, false},
    {"peer-mbc",         PORT_VALUE, MO_NAME(dcbPfcHeadroomPeerMbc), NULL, NULL, false},
    {"secy-delay",       PORT_VALUE, MO_NAME(dcbPfcHeadroomSecyDelay), NULL, NULL, false},
    {"minimum",          PORT_VALUE, MO_NAME(dcbPfcHeadroomMinimum), NULL, NULL, false},
    {"maximum",          PORT_VALUE, MO_NAME(dcbPfcHeadroomMaximum), NULL, NULL, false},
    {"measure",          PORT_VALUE, MO_NAME(dcbPfcMeasureEnable), NULL, NULL, false},
    {"measure-interval", PORT_VALUE, MO_NAME(dcbPfcMeasureInterval), NULL, NULL, false},
    {"in-force",         PORT_VALUE, MO_NAME(dcbPfcHeadroomInForce), NULL, NULL, false},
    {"status",           PORT_VALUE, MO_NAME(dcbPfcHeadroomStatus), NULL, NULL, false},
    {"way",              PORT_VALUE, MO_NAME(dcbPfcHeadroomWay), NULL, NULL, false},
    END,
};

static const struct port_keyword watchdog[] = {
    {"action",           PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogAction), NULL, NULL, false},
    {"detection-time",   PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogDetectionTime), NULL, NULL, false},
    {"restoration-time", PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogRestorationTime), NULL, NULL, false},
    {"duty-cycle",       PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogDutyCycle), NULL, NULL, false},
    {"window",           PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogWindow), NULL, NULL, false},
    {"hold-down",        PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogHoldDown), NULL, NULL, false},
    {"state",            PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogState), NULL, NULL, false},
    {"storms",           PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogStorms), NULL, NULL, STATS},
    {"restores",         PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogRestores), NULL, NULL, STATS},
    {"dropped-total",    PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogDroppedTotal), NULL, NULL, STATS},
    {"dropped-storm",    PORT_BY_PRIO, MO_NAME(dcbPfcWatchdogDroppedStorm), NULL, NULL, STATS},
    END,
};

/* The last storm of each priority. */
static const struct port_keyword storms[] = {
    {"detected",           PORT_BY_PRIO, MO_NAME(dcbPfcStormDetected), "centiseconds", NULL, false},
    {"ended",              PORT_BY_PRIO, MO_NAME(dcbPfcStormEnded), "centiseconds", NULL, false},
    {"end",                PORT_BY_PRIO, MO_NAME(dcbPfcStormEnd), NULL, NULL, false},
    {"cause",              PORT_BY_PRIO, MO_NAME(dcbPfcStormCause), NULL, NULL, false},
    {"action",             PORT_BY_PRIO, MO_NAME(dcbPfcStormAction), NULL, NULL, false},
    {"lasted",             PORT_BY_PRIO, MO_NAME(dcbPfcStormLasted), NULL, NULL, false},
    {"blocked-time",       PORT_BY_PRIO, MO_NAME(dcbPfcStormBlockedTime), NULL, NULL, false},
    {"pause-time",         PORT_BY_PRIO, MO_NAME(dcbPfcStormPauseTime), NULL, NULL, false},
    {"indications",        PORT_BY_PRIO, MO_NAME(dcbPfcStormIndications), NULL, NULL, false},
    {"indications-before", PORT_BY_PRIO, MO_NAME(dcbPfcStormIndicationsBefore), NULL, NULL, false},
    {"queue",              PORT_BY_PRIO, MO_NAME(dcbPfcStormQueueOctets), NULL, NULL, false},
    {"queue-frames",       PORT_BY_PRIO, MO_NAME(dcbPfcStormQueueFrames), "", NULL, false},
    END,
};

static const struct port_keyword counters[] = {
    {"rx-frames",             PORT_VALUE, MO_NAME(dcbPortRxFrames), "", NULL, false},
    {"rx-octets",             PORT_VALUE, MO_NAME(dcbPortRxOctets), "", NULL, false},
    {"tx-frames",             PORT_VALUE, MO_NAME(dcbPortTxFrames), "", NULL, false},
    {"tx-octets",             PORT_VALUE, MO_NAME(dcbPortTxOctets), "", NULL, false},
    {"tx-errors",             PORT_VALUE, MO_NAME(dcbPortTxErrors), NULL, NULL, false},
    {"discard-queue",         PORT_VALUE, MO_NAME(dcbPortDiscardQueue), NULL, NULL, false},
    {"discard-no-buffer",     PORT_VALUE, MO_NAME(dcbPortDiscardNoBuffer), NULL, NULL, false},
    {"discard-kernel",        PORT_VALUE, MO_NAME(dcbPortDiscardKernel), NULL, NULL, false},
    {"discard-down",          PORT_VALUE, MO_NAME(dcbPortDiscardDown), NULL, NULL, false},
    {"discard-transit",       PORT_VALUE, MO_NAME(dcbPfcPortDiscardTransit), NULL, NULL, false},
    {"discard-oversize",      PORT_VALUE, MO_NAME(dcbPortDiscardOversize), NULL, NULL, false},
    {"discard-malformed",     PORT_VALUE, MO_NAME(dcbPortDiscardMalformed), NULL, NULL, false},
    {"discard-reserved",      PORT_VALUE, MO_NAME(dcbPortDiscardReserved), NULL, NULL, false},
    {"discard-vlan",          PORT_VALUE, MO_NAME(dcbPortDiscardVlan), NULL, NULL, false},
    {"discard-frame-type",    PORT_VALUE, MO_NAME(dcbPortDiscardFrameType), NULL, NULL, false},
    {"discard-ingress",       PORT_VALUE, MO_NAME(dcbPortDiscardIngress), NULL, NULL, false},
    {"discard-egress",        PORT_VALUE, MO_NAME(dcbPortDiscardEgress), NULL, NULL, false},
    {"discard-host",          PORT_VALUE, MO_NAME(dcbPortDiscardHost), NULL, NULL, false},
    {"discard-cnm",           PORT_VALUE, MO_NAME(dcbPortDiscardCnm), NULL, NULL, false},
    {"control-sent",          PORT_VALUE, MO_NAME(dcbPfcPortControlSent), NULL, NULL, false},
    {"control-received",      PORT_VALUE, MO_NAME(dcbPfcPortControlReceived), NULL, NULL, false},
    {"pause-sent",            PORT_VALUE, MO_NAME(dcbPfcPortPauseSent), NULL, NULL, false},
    {"pause-received",        PORT_VALUE, MO_NAME(dcbPfcPortPauseReceived), NULL, NULL, false},
    {"pfc-requests",          PORT_MAP,   MO_NAME(dcbPfcPriorityRequests), NULL, NULL, false},
    {"pfc-indications",       PORT_MAP,   MO_NAME(dcbPfcPriorityIndications), NULL, NULL, false},
    {"pfc-discards",          PORT_MAP,   MO_NAME(dcbPfcPriorityDiscards), NULL, NULL, false},
    {"watchdog-discards",     PORT_MAP,   MO_NAME(dcbPfcWatchdogDroppedTotal), NULL, NULL, false},
    {"discontinuity-time",    PORT_VALUE, MO_NAME(dcbPortCounterDiscontinuityTime), NULL, NULL, false},
    END,
};

static const struct port_family families[] = {
    {"pfc", pfc, NULL}, {"ets", ets, NULL}, {"app", app, NULL}, {"cn", cn, NULL},
    {"cp", cp, NULL}, {"rp", rp, NULL}, {"headroom", headroom, NULL},
    {"watchdog", watchdog, NULL}, {"storms", storms, MO_NAME(dcbPfcStormEnd)},
    {"counters", counters, NULL},
};
/* clang-format on */
#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

const struct port_family *port_family(const char *command)
{
	for (size_t i = 0; i < N_FAMILIES; i++)
		if (strcmp(families[i].name, command) == 0)
			return &families[i];
	return NULL;
}

const struct port_family *port_family_at(size_t n)
{
	return n < N_FAMILIES ? &families[n] : NULL;
}

const struct port_keyword *port_keyword(const struct port_family *family, const char *name)
{
	for (const struct port_keyword *kw = family->keywords; kw->name; kw++)
		if (strcmp(kw->name, name) == 0)
			return kw;
	return NULL;
}

const struct mo_column *port_keyword_column(const struct port_keyword *kw,
					    const struct mo_table **table)
{
	return mo_column_by_name(kw->object, table);
}

const char *port_keyword_unit(const struct port_keyword *kw)
{
	const struct mo_table *table;

	return kw->unit ? kw->unit : port_keyword_column(kw, &table)->unit;
}

void port_keyword_json_name(const struct port_keyword *kw, char *buf, size_t size)
{
	const char *unit = port_keyword_unit(kw);

	/* The only unit that is no word. */
	if (strcmp(unit, "Mb/s") == 0)
		unit = "megabits_per_second";
	snprintf(buf, size, "%s%s%s", kw->name, *unit ? "_" : "", unit);
	for (char *p = buf; *p; p++)
		if (*p == '-' || *p == ' ')
			*p = '_';
}

/* --- values ---------------------------------------------------------------------------------- */

/* man dcb-ets has other words for the transmission selection algorithms. */
static const char *dcb_word(const struct port_keyword *kw, int64_t value)
{
	if (!kw->prefix || strcmp(kw->prefix, "tsa") != 0)
		return NULL;
	switch (value) {
	case MO_tsa_tsaStrictPriority:
		return "strict";
	case MO_tsa_tsaCreditBasedShaper:
		return "cbs";
	case MO_tsa_tsaEnhancedTransmission:
		return "ets";
	case MO_tsa_tsaVendorSpecific:
		return "vendor";
	default:
		return NULL;
	}
}

/* Writes cptInteriorReady as interior-ready; a name without prefix stays as it is. */
static void word_of(const struct port_keyword *kw, const struct mo_enum *e, char *buf, size_t size)
{
	const char *dcb = dcb_word(kw, e->value), *name = e->name;
	size_t n = 0;

	if (dcb || !kw->prefix) {
		snprintf(buf, size, "%s", dcb ? dcb : name);
		return;
	}
	if (strncmp(name, kw->prefix, strlen(kw->prefix)) == 0)
		name += strlen(kw->prefix);
	for (const char *p = name; *p && n + 2 < size; p++) {
		if (isupper((unsigned char)*p) && p > name)
			buf[n++] = '-';
		buf[n++] = (char)tolower((unsigned char)*p);
	}
	buf[n] = '\0';
}

bool port_keyword_word(const struct port_keyword *kw, size_t n, char *buf, size_t size)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);
	const struct mo_enum *e = col->names;

	if (col->syntax == MO_TRUTH || col->syntax == MO_BITS)
		snprintf(buf, size, "%s", n == 0 ? "on" : "off");
	else if (!e)
		return false;
	while (e->name && n-- > 0)
		e++;
	if (e->name && col->syntax != MO_TRUTH && col->syntax != MO_BITS)
		word_of(kw, e, buf, size);
	return e->name != NULL;
}

void port_keyword_format(const struct port_keyword *kw, const struct mo_value *value, bool numeric,
			 char *buf, size_t size)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);

	if (col->syntax == MO_TRUTH) {
		snprintf(buf, size, "%s", value->num == MO_truth_true ? "on" : "off");
		return;
	}
	for (const struct mo_enum *e = col->names; e && e->name; e++) {
		if (e->value != value->num)
			continue;
		if (numeric)
			snprintf(buf, size, "%" PRId64, value->num);
		else
			word_of(kw, e, buf, size);
		return;
	}
	mo_format(col, value, buf, size);
}

static bool parse_truth(const char *text, struct mo_value *value)
{
	bool on = strcmp(text, "on") == 0;

	*value = (struct mo_value){.syntax = MO_TRUTH, .num = on ? MO_truth_true : MO_truth_false};
	return on || strcmp(text, "off") == 0;
}

static bool parse_word(const struct port_keyword *kw, const struct mo_column *col, const char *text,
		       struct mo_value *value)
{
	char word[64];

	for (const struct mo_enum *e = col->names; e && e->name; e++) {
		word_of(kw, e, word, sizeof(word));
		*value = (struct mo_value){.syntax = col->syntax, .num = e->value};
		if (strcmp(word, text) == 0)
			return true;
	}
	return false;
}

static void expect(const struct port_keyword *kw, const struct mo_column *col, char *buf,
		   size_t size)
{
	char word[64];
	size_t n;

	if (!mo_is_writable(col))
		snprintf(buf, size, "no value: it is read-only");
	else if (col->syntax == MO_TRUTH)
		snprintf(buf, size, "on or off");
	else if (!col->names)
		snprintf(buf, size, "%" PRId64 "..%" PRId64 "%s%s", col->min, col->max,
			 *port_keyword_unit(kw) ? " " : "", port_keyword_unit(kw));
	else {
		n = (size_t)snprintf(buf, size, "one of");
		for (const struct mo_enum *e = col->names; e->name && n < size; e++) {
			word_of(kw, e, word, sizeof(word));
			if (mo_enum_settable(col, e))
				n += (size_t)snprintf(buf + n, size - n, " %s", word);
		}
	}
}

bool port_keyword_parse(const struct port_keyword *kw, const char *text, struct mo_value *value,
			char *expected, size_t size)
{
	const struct mo_table *table;
	const struct mo_column *col = port_keyword_column(kw, &table);
	bool parsed = (col->syntax == MO_TRUTH && parse_truth(text, value)) ||
		      parse_word(kw, col, text, value) || mo_parse(col, text, value);

	expect(kw, col, expected, size);
	return parsed && mo_validate(col, value) == MO_NO_ERROR;
}

/* --- rows ------------------------------------------------------------------------------------ */

bool port_row_of(const struct mo_table *table, const struct mo_index *index, uint32_t *ifindex,
		 unsigned *priority)
{
	*priority = PORT_PRIORITIES;
	if (table->rows != MO_ROWS_PORT && table->rows != MO_ROWS_PORT_EACH)
		return false;
	*ifindex = index->sub[mo_index_part(table, MO_PART_PORT)];
	if (table->rows == MO_ROWS_PORT_EACH)
		*priority = mo_index_priority(table, index);
	return true;
}

/* --- application priorities ------------------------------------------------------------------ */

const struct port_app_keyword port_app_keywords[] = {
    {"default-prio", PORT_APP_ETHERTYPE, 0, 0},
    {"ethtype-prio", PORT_APP_ETHERTYPE, 0x600, 0xffff},
    {"stream-port-prio", PORT_APP_STREAM, 1, 0xffff},
    {"dgram-port-prio", PORT_APP_DATAGRAM, 1, 0xffff},
    {"port-prio", PORT_APP_PORT, 1, 0xffff},
    {"dscp-prio", PORT_APP_DSCP, 0, 63},
    {NULL, 0, 0, 0},
};

const struct port_app_keyword *port_app_keyword(const char *name)
{
	for (const struct port_app_keyword *kw = port_app_keywords; kw->name; kw++)
		if (strcmp(kw->name, name) == 0)
			return kw;
	return NULL;
}
