/* SPDX-License-Identifier: BSD-3-Clause */
/* The value of each object: settings, and counters of the fake provider, all different. */
#include "tests/unit/mo_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/clock.h"
#include "control/objects/mo_caps.h"

#define PORT   5 /* ifIndex */
#define SECOND DCB_NS_PER_S
#define BIG    UINT64_C(0x100000000)

struct expected {
	const char *object, *index, *value;
};

static void assert_values(struct mo_world *w, const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_value(w, e[i].object, e[i].index, e[i].value);
}

#define ASSERT_VALUES(w, e) assert_values(w, e, sizeof(e) / sizeof((e)[0]))

/* Creates a station with CNPV 3. Returns its second port, whose counters the test sets. */
static struct fake_port *make(struct mo_world **w)
{
	*w = mo_world_new(ROLE_STATION);
	assert_int_equal(SET(*w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	return fake_port((*w)->m->config->ports[managed_find((*w)->m, PORT)].port);
}

static void test_port_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"dcbPortOperational", "5", "true"},
	    {"dcbPortOperational", "9", "false"},
	    {"dcbPortRate", "5", "10000000000"},
	    {"dcbPortRate", "9", "100000000"},
	    {"dcbPortBuffer", "5", "7777"},
	    {"dcbPortRxFrames", "5", "1"},
	    {"dcbPortRxOctets", "5", "2"},
	    {"dcbPortTxFrames", "5", "3"},
	    {"dcbPortTxOctets", "5", "4"},
	    {"dcbPortDiscardMalformed", "5", "7"},
	    {"dcbPortDiscardReserved", "5", "8"},
	    {"dcbPortDiscardVlan", "5", "9"},
	    {"dcbPortDiscardOversize", "5", "10"},
	    {"dcbPortDiscardNoBuffer", "5", "11"},
	    {"dcbPortDiscardQueue", "5", "12"},
	    {"dcbPortDiscardKernel", "5", "13"},
	    {"dcbPortDiscardHost", "5", "14"},
	    {"dcbPortDiscardCnm", "5", "17"},
	    {"dcbPortFlowsAssigned", "5", "18"},
	    {"dcbPortFlowsSharing", "5", "19"},
	    {"dcbPortFlowsAged", "5", "20"},
	    {"dcbPortFlowsUnlisted", "5", "21"},
	    {"dcbPfcPortDiscardTransit", "5", "15"},
	    {"dcbPortTxErrors", "5", "16"},
	    {"ieee8021PfcRequests", "5", "5"},
	    {"ieee8021PfcIndications", "5", "4294967295"},
	    {"dcbPortCpVariant", "5", "ieee8021qau"},
	    {"dcbPortCpVariant", "9", "early2007"},
	    {"dcbPortRpThreshold", "3", "figure"},
	    {"dcbPortRpThreshold", "5", "pseudoCode"},
	    {"dcbPortRpThreshold", "9", "pseudoCode"},
	    {"dcbPortAggregate", "5", "lag"},
	    {"dcbPortAggregate", "9", ""},
	    {"dcbPortOpenFailures", "5", "17"},
	    {"dcbPortOpenFailures", "9", "0"},
	    {"dcbPortOpenError", "5", "no room"},
	    {"dcbPortOpenError", "9", ""},
	};
	static const struct port_fault fault = {"no room", 17};
	struct mo_world *w;
	struct fake_port *port = make(&w);
	struct port *other = w->m->config->ports[managed_find(w->m, 9)].port;

	(void)state;
	port->stats = (struct port_stats){.rx_frames = 1,
					  .rx_octets = 2,
					  .tx_frames = 3,
					  .tx_octets = 4,
					  .pfc_frames_sent = 5,
					  .pfc_frames_received = BIG - 1,
					  .discard_malformed = 7,
					  .discard_reserved = 8,
					  .discard_vlan = 9,
					  .discard_oversize = 10,
					  .discard_no_buffer = 11,
					  .discard_queue = 12,
					  .discard_kernel = 13,
					  .discard_host = 14,
					  .discard_transit = 15,
					  .tx_errors = 16,
					  .discard_cnm = 17,
					  .flows_assigned = 18,
					  .flows_sharing = 19,
					  .flows_aged = 20,
					  .flows_unlisted = 21,
					  .up = 1};
	port->fault = &fault;
	port->port.settings.buffer_octets = 7777;
	strcpy(port->port.settings.aggregate, "lag");
	port->port.settings.rp_variant.reading = RP_READING_PSEUDO;
	other->link.up = false;
	other->settings.early = true;
	other->settings.rp_variant.early = true;
	other->settings.rate = dcb_rate_from_mbps(100);
	ASSERT_VALUES(w, e);
	mo_world_free(w);
}

/* Returns dcbPortCounterDiscontinuityTime of a port. */
static uint64_t counters_since(struct mo_world *w, uint32_t ifindex)
{
	char text[256], key[16], *at;

	text[0] = ' ';
	mo_world_column(w, "dcbPortCounterDiscontinuityTime", text + 1, sizeof(text) - 1);
	snprintf(key, sizeof(key), " %u=", ifindex);
	at = strstr(text, key);
	if (!at)
		fail_msg("no %u in%s", ifindex, text);
	return strtoull(at + strlen(key), NULL, 10);
}

/* Returns the date when it is later than t. */
static uint64_t date_after(uint64_t t)
{
	uint64_t now;

	do
		now = clock_real_ms();
	while (now <= t);
	return now;
}

static void add_all_ports(struct mo_world *w)
{
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
}

/* The date at which the port was added; a restart and a new interface change it. */
static void test_discontinuity_time_changes_when_counters_restart(void **state)
{
	uint64_t start = clock_real_ms(), first, later;
	struct link_info link = mo_world_link(5, "sw5", "uplink");
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	first = counters_since(w, 5);
	assert_in_range(first, start, clock_real_ms());
	/* Neither a SET nor a change of link or name. */
	(void)date_after(first);
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "5", "77"}), MO_NO_ERROR);
	link.up = false;
	snprintf(link.name, sizeof(link.name), "renamed");
	managed_port_update(w->m, managed_find(w->m, 5), &link);
	assert_true(counters_since(w, 5) == first);
	assert_column(w, "dcbPortName", "3=sw3 5=renamed 9=sw9");
	/* The provider reports one: each time it is another value. */
	for (unsigned i = 0; i < 3; i++) {
		managed_discontinuity(w->m, w->m->config->ports[managed_find(w->m, 5)].port->slot);
		later = counters_since(w, 5);
		assert_true(later > first);
		first = later;
	}
	/* The interface is created again. Other ports go on. */
	start = counters_since(w, 3);
	assert_true(managed_interface_gone(w->m, 5));
	mo_world_adopt(w);
	later = date_after(first);
	mo_world_add_port(w, 5, "sw5", "uplink");
	assert_in_range(counters_since(w, 5), later, clock_real_ms());
	assert_true(counters_since(w, 3) == start);
	/* dcbd restarts. */
	later = date_after(clock_real_ms());
	mo_world_restart(w);
	add_all_ports(w);
	assert_in_range(counters_since(w, 3), later, clock_real_ms());
	assert_in_range(counters_since(w, 9), later, clock_real_ms());
	mo_world_free(w);
}

static void test_pfc_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"dcbPfcPriorityRequests", "5.3", "11"},
	    {"dcbPfcPriorityIndications", "5.3", "12"},
	    {"dcbPfcPriorityTransitions", "5.3", "13"},
	    {"dcbPfcPriorityPauseTime", "5.3", "14"},
	    {"dcbPfcPriorityPaused", "5.3", "true"},
	    {"dcbPfcPriorityPaused", "5.4", "false"},
	    {"dcbPfcPriorityHeld", "5.3", "16"},
	    {"dcbPfcPriorityHeldPeak", "5.3", "17"},
	    {"dcbPfcPriorityXoff", "5.3", "18"},
	    {"dcbPfcPriorityXon", "5.3", "19"},
	    {"dcbPfcPriorityPauseSent", "5.3", "20"},
	    {"dcbPfcPriorityDiscards", "5.3", "21"},
	    {"dcbPfcPriorityRequests", "5.4", "0"},
	    {"dcbPfcPriorityTrafficClass", "5.3", "3"},
	    {"dcbPfcPriorityTrafficClass", "5.0", "1"},
	    {"dcbPfcPriorityTrafficClass", "9.3", "6"},
	    {"cpfcIfPriorityRequests", "5.3", "11"},
	    {"cpfcIfPriorityIndications", "5.3", "12"},
	    {"cpfcIfRequests", "5", "111"},
	    {"cpfcIfIndications", "5", "212"},
	    {"dcbPfcPortControlFunctions", "5", "pauseAndPfc"},
	    {"dcbPfcPortPauseIgnored", "5", "31"},
	    {"dcbPfcPortPauseHonoured", "5", "32"},
	    {"dcbPfcPortPauseTime", "5", "33"},
	    {"dcbPfcPortPaused", "5", "true"},
	    {"dcbPfcPortPaused", "9", "false"},
	    {"dcbPfcPortBadShort", "5", "35"},
	    {"dcbPfcPortBadTagged", "5", "36"},
	    {"dcbPfcPortBadDestination", "5", "37"},
	    {"dcbPfcPortBadSource", "5", "38"},
	    {"dcbPfcPortUnsupportedOpcodes", "5", "39"},
	    {"dcbPfcPortControlSent", "5", "40"},
	    {"dcbPfcPortControlReceived", "5", "41"},
	    {"dcbPfcPortPauseSent", "5", "42"},
	    {"dcbPfcPortPauseReceived", "5", "43"},
	};
	struct mo_world *w;
	struct fake_port *port = make(&w);
	struct port *other = w->m->config->ports[managed_find(w->m, 9)].port;

	(void)state;
	port->pfc[3] = (struct pfc_stats){
	    .pfc_requests = 11,
	    .pfc_indications = 12,
	    .pfc_transitions = 13,
	    .pfc_paused_ns = 14999,
	    .pfc_paused = 1,
	    .pfc_pause_sent_us = 20,
	    .pfc_discards = 21,
	};
	port->buffer[3].lossless =
	    (struct buffer_account_stats){.octets = 16, .peak_octets = 17, .threshold_octets = 18};
	port->buffer[3].xon_octets = 19;
	port->pfc[7].pfc_requests = 100;
	port->pfc[0].pfc_indications = 200;
	port->pfc_port =
	    (struct pfc_port_stats){31, 32, 33999, 1, 35, 36, 37, 38, 39, 40, 41, 42, 43};
	other->settings.classified = true;
	other->settings.traffic_class[3] = 6;
	ASSERT_VALUES(w, e);
	mo_world_free(w);
}

/* Also of a counter that is new: the values are those of the provider, and all different. */
static void test_each_pfc_counter_is_one_of_the_provider(void **state)
{
	const struct mo_table *table = mo_table(MO_pfc_pri);
	char values[64][32], text[2048];
	const char *at;
	unsigned n = 0;
	struct mo_world *w;
	struct fake_port *port = make(&w);
	uint64_t *stats = (uint64_t *)&port->pfc[3];

	(void)state;
	for (size_t i = 0; i < sizeof(port->pfc[3]) / sizeof(*stats); i++)
		stats[i] = (i + 1) * DCB_NS_PER_S;
	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct mo_column *col = &table->columns[i];

		if (col->syntax != MO_COUNTER64)
			continue;
		mo_world_column(w, col->name, text, sizeof(text));
		at = strstr(text, "5.3=");
		assert_non_null(at);
		snprintf(values[n], sizeof(values[n]), "%.*s", (int)strcspn(at + 4, " "), at + 4);
		for (unsigned k = 0; k <= n; k++)
			if (strcmp(values[n], k < n ? values[k] : "0") == 0)
				fail_msg("%s is %s", col->name, values[n]);
		n++;
	}
	assert_true(n >= 6);
	mo_world_free(w);
}

static void test_cn_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"ieee8021CnCpDiscardedFrames", "1.5.3", "41"},
	    {"ieee8021CnCpTransmittedFrames", "1.5.3", "42"},
	    {"ieee8021CnCpTransmittedCnms", "1.5.3", "43"},
	    {"ieee8021CnCpPriority", "1.5.3", "3"},
	    {"ieee8021CnCpMacAddress", "1.5.3", "02-00-00-00-00-05"},
	    {"dcbCpQueueLength", "1.5.3", "44"},
	    {"dcbCpQueuePeak", "1.5.3", "45"},
	    {"dcbCpFeedback", "1.5.3", "-46"},
	    {"dcbCpSamples", "1.5.3", "47"},
	    {"ieee8021CnGlobalDiscardedFrames", "1", "41"},
	    {"ieee8021CnRpPortPriCreatedRps", "1.3.5", "48"},
	    {"ieee8021CnRpPortPriCentiseconds", "1.3.5", "49"},
	    {"dcbRpEnabled", "1.5.3.1", "true"},
	    {"dcbRpState", "1.5.3.1", "rprActiveIncrease"},
	    {"dcbRpFeedback", "1.5.3.1", "51"},
	    {"dcbRpTargetRate", "1.5.3.1", "52"},
	    {"dcbRpCurrentRate", "1.5.3.1", "53"},
	    {"dcbRpByteStage", "1.5.3.1", "54"},
	    {"dcbRpTimeStage", "1.5.3.1", "55"},
	    {"dcbRpCnms", "1.5.3.1", "56"},
	    {"dcbRpFrames", "1.5.3.1", "57"},
	    {"dcbRpOctets", "1.5.3.1", "58"},
	    {"dcbRpDiscards", "1.5.3.1", "59"},
	    {"dcbRpQueueLength", "1.5.3.1", "60"},
	    {"dcbRpFrames", "1.9.3.1", "0"},
	    {"dcbCnmReceived", "5", "61"},
	    {"dcbCnmNoEffect", "5", "62"},
	    {"dcbCnmShort", "5", "63"},
	    {"dcbCnmBadLength", "5", "64"},
	    {"dcbCnmNoTag", "5", "65"},
	    {"dcbCnmWrongAddress", "5", "66"},
	    {"dcbCnmWrongPriority", "5", "67"},
	    {"dcbCnmUnknownFlow", "5", "68"},
	    {"dcbCnmFromHost", "5", "69"},
	    {"dcbCnmExcess", "5", "70"},
	};
	struct mo_world *w;
	struct fake_port *port = make(&w);

	(void)state;
	port->cp[3] = (struct cp_stats){41, 42, 43, 44, 45, -46, 47};
	port->rp_port_pri[3] = (struct rp_port_pri_stats){48, 49};
	port->rp[3][0] = (struct rp_stats){true, 3, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60};
	port->cnm = (struct cnm_stats){61, 62, 63, 64, 65, 66, 67, 68, 69, 70};
	ASSERT_VALUES(w, e);
	mo_world_free(w);
}

/* 32.8.2, 17.2.13: ieee8021CnCpidToInterfaceTable maps a CPID to component, port and index. */
static void test_cpid_maps_to_congestion_point(void **state)
{
	static const struct expected e[] = {
	    {"ieee8021CnCpIdentifier", "1.5.3", "02-00-00-00-00-03-00-0b"},
	    {"ieee8021CnCpIdentifier", "1.3.3", "02-00-00-00-00-03-00-03"},
	    {"ieee8021CnCpMacAddress", "1.3.3", "02-00-00-00-00-03"},
	    {"ieee8021CnCpidToIfComponentId", "2.0.0.0.0.3.0.11", "1"},
	    {"ieee8021CnCpidToIfIfIndex", "2.0.0.0.0.3.0.11", "5"},
	    {"ieee8021CnCpidToIfCpIndex", "2.0.0.0.0.3.0.11", "3"},
	    {"ieee8021CnPortPriAutoDefenseMode", "1.3.5", "cptEdge"},
	    {"ieee8021CnComPriAutoAltPri", "1.3", "2"},
	};
	struct mo_world *w;

	(void)state;
	make(&w);
	ASSERT_VALUES(w, e);
	mo_world_free(w);
}

static void test_engine_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"dcbEngineConfigAdopted", "0", "91"},
	    {"dcbEngineFrameBuffers", "0", "92"},
	    {"dcbEngineFrameBuffersFree", "0", "93"},
	    {"dcbEngineFrameBuffersLow", "0", "94"},
	    {"dcbEngineLoops", "0", "95"},
	    {"dcbEngineEventsLost", "0", "96"},
	    {"dcbEngineFdbEntries", "0", "97"},
	    {"dcbEngineFdbFailures", "0", "98"},
	    {"dcbEngineRealTime", "0", "suspended"},
	    {"dcbEngineRealTimePriority", "0", "49"},
	    {"dcbEngineRealTimeSuspensions", "0", "100"},
	    {"dcbEngineProcessor", "0", "-1"},
	    {"dcbVlanPortLearnLimit", "5", "99"},
	};
	struct mo_world *w;

	(void)state;
	make(&w);
	w->provider.stats = (struct provider_stats){
	    .generation_adopted = 91,
	    .frame_buffers = 92,
	    .frame_buffers_free = 93,
	    .frame_buffers_low = 94,
	    .loops = 95,
	    .events_lost = 96,
	    .fdb_entries = 97,
	    .fdb_learn_failures = 98,
	    .fdb_learn_limit = 99,
	    .rt_state = PROVIDER_RT_SUSPENDED,
	    .rt_priority = 49,
	    .rt_suspensions = 100,
	    .cpu = -1,
	};
	ASSERT_VALUES(w, e);
	mo_world_free(w);
}

/* Octets of the whole memory have 64 bits. */
static void test_buffer_memory_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"dcbBufferStatus", "0", "doesNotFit"},
	    {"dcbBufferMemoryOctets", "0", "4294967401"},
	    {"dcbBufferMemoryFrames", "0", "106"},
	    {"dcbBufferReservedOctets", "0", "4294967403"},
	    {"dcbBufferReservedFrames", "0", "108"},
	    {"dcbBufferPromisedOctets", "0", "4294967405"},
	    {"dcbBufferPromisedFrames", "0", "4294967295"}, /* maximum of a Gauge32 */
	    {"dcbBufferMissingOctets", "0", "111"},
	    {"dcbBufferMissingFrames", "0", "112"},
	    {"dcbBufferWatermarksSince", "0", "300"},
	    {"dcbBufferPoolSizeOctets", "1", "113"},
	    {"dcbBufferPoolSizeFrames", "1", "114"},
	    {"dcbBufferPoolUsedOctets", "1", "4294967411"},
	    {"dcbBufferPoolUsedFrames", "1", "116"},
	    {"dcbBufferPoolPeakOctets", "1", "117"},
	    {"dcbBufferPoolPeakFrames", "1", "118"},
	    {"dcbBufferPoolSizeOctets", "2", "119"},
	    {"dcbBufferPoolPeakFrames", "2", "124"},
	    {"dcbBufferPoolSizeOctets", "3", "125"},
	    {"dcbBufferPoolUsedFrames", "3", "128"},
	};
	struct mo_world *w;

	(void)state;
	make(&w);
	w->provider.stats.memory = (struct buffer_memory_stats){
	    .memory_octets = BIG + 105,
	    .memory_frames = 106,
	    .reserved_octets = BIG + 107,
	    .reserved_frames = 108,
	    .headroom_octets = BIG + 109,
	    .headroom_frames = BIG,
	    .missing_octets = 111,
	    .missing_frames = 112,
	    .lossless = {113, 114, BIG + 115, 116, 117, 118},
	    .lossy = {119, 120, 121, 122, 123, 124},
	    .headroom = {125, 126, 127, 128, 129, 130},
	    .watermarks_since_ns = (uint64_t)(w->m->started.ns + 3 * SECOND),
	};
	ASSERT_VALUES(w, e);
	w->provider.stats.memory.missing_octets = 0;
	assert_value(w, "dcbBufferStatus", "0", "doesNotFit");
	w->provider.stats.memory.missing_frames = 0;
	assert_value(w, "dcbBufferStatus", "0", "nothingShared");
	w->provider.stats.memory.reserved_octets = w->provider.stats.memory.headroom_octets = 0;
	w->provider.stats.memory.reserved_frames = w->provider.stats.memory.headroom_frames = 0;
	assert_value(w, "dcbBufferStatus", "0", "fits");
	w->provider.stats.memory.watermarks_since_ns = 0;
	assert_value(w, "dcbBufferWatermarksSince", "0", "0");
	mo_world_free(w);
}

static void test_buffer_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"dcbBufferReserve", "5.3", "0"},
	    {"dcbBufferReserveInForce", "5.3", "201"},
	    {"dcbBufferReserveFrames", "5.3", "202"},
	    {"dcbBufferLosslessOctets", "5.3", "203"},
	    {"dcbBufferLosslessFrames", "5.3", "204"},
	    {"dcbBufferLosslessPeakOctets", "5.3", "205"},
	    {"dcbBufferLosslessPeakFrames", "5.3", "206"},
	    {"dcbBufferLosslessLimitOctets", "5.3", "4294967295"}, /* maximum of a Gauge32 */
	    {"dcbBufferLosslessLimitFrames", "5.3", "208"},
	    {"dcbBufferLosslessNoOctets", "5.3", "4294967505"},
	    {"dcbBufferLosslessNoFrames", "5.3", "210"},
	    {"dcbBufferHeadroomSize", "5.3", "211"},
	    {"dcbBufferHeadroomOctets", "5.3", "212"},
	    {"dcbBufferHeadroomPeak", "5.3", "213"},
	    {"dcbBufferLossyOctets", "5.3", "214"},
	    {"dcbBufferLossyFrames", "5.3", "215"},
	    {"dcbBufferLossyPeakOctets", "5.3", "216"},
	    {"dcbBufferLossyPeakFrames", "5.3", "217"},
	    {"dcbBufferLossyLimitOctets", "5.3", "218"},
	    {"dcbBufferLossyLimitFrames", "5.3", "219"},
	    {"dcbBufferLossyNoOctets", "5.3", "220"},
	    {"dcbBufferLossyNoFrames", "5.3", "221"},
	    {"dcbBufferReserveInForce", "5.4", "0"},
	};
	struct mo_world *w;
	struct fake_port *port = make(&w);

	(void)state;
	port->buffer[3] = (struct buffer_stats){
	    .reserve_octets = 201,
	    .reserve_frames = 202,
	    .lossless = {203, 204, 205, 206, BIG + 207, 208, BIG + 209, 210},
	    .headroom_size = 211,
	    .headroom_octets = 212,
	    .headroom_peak = 213,
	    .lossy = {214, 215, 216, 217, 218, 219, 220, 221},
	};
	ASSERT_VALUES(w, e);
	w->provider.ops.read_buffer = NULL;
	assert_value(w, "dcbBufferReserveInForce", "5.3", "0");
	mo_world_free(w);
}

static void test_pools_have_three_rows(void **state)
{
	struct mo_world *w;

	(void)state;
	make(&w);
	assert_column(w, "dcbBufferPoolSizeFrames", "1=0 2=0 3=0");
	mo_world_free(w);
}

static void test_watchdog_objects_have_provider_values(void **state)
{
	static const struct expected e[] = {
	    {"dcbPfcWatchdogState", "5.3", "storm"},
	    {"dcbPfcWatchdogState", "5.4", "off"}, /* the provider returns zeros */
	    {"dcbPfcWatchdogState", "5.5", "watching"},
	    {"dcbPfcWatchdogStorms", "5.3", "72"},
	    {"dcbPfcWatchdogRestores", "5.3", "73"},
	    {"dcbPfcWatchdogDroppedTotal", "5.3", "4294967370"},
	    {"dcbPfcWatchdogDroppedStorm", "5.3", "4294967295"}, /* maximum of a Gauge32 */
	    {"dcbPfcWatchdogDroppedStorm", "5.5", "75"},
	    {"cpfcWatchdogIfQueueState", "5.3", "shutdown"},
	    {"cpfcWatchdogIfQueueState", "5.4", "notApplicable"},
	    {"cpfcWatchdogIfQueueState", "5.5", "active"},
	    {"cpfcWatchdogIfQueueShutdowns", "5.3", "72"},
	    {"cpfcWatchdogIfQueueRestores", "5.3", "73"},
	    {"cpfcWatchdogIfQueueTotalDropPkts", "5.3", "4294967370"},
	    {"cpfcWatchdogIfQueueDropPkts", "5.3", "4294967296"},
	};
	struct mo_world *w;
	struct fake_port *port = make(&w);

	(void)state;
	port->watchdog[3] = (struct pfc_watchdog_stats){.state = PFC_WATCHDOG_STORM,
							.storms = 72,
							.ended = 73,
							.dropped_total = BIG + 74,
							.dropped_storm = BIG};
	port->watchdog[5].state = PFC_WATCHDOG_WATCHING;
	port->watchdog[5].dropped_storm = 75;
	ASSERT_VALUES(w, e);
	mo_world_free(w);
}

static unsigned long lasted_ms(struct mo_world *w)
{
	static char text[4096];
	const char *at;

	mo_world_column(w, "dcbPfcStormLasted", text, sizeof(text));
	at = strstr(text, "5.3=");
	assert_non_null(at);
	return strtoul(at + strlen("5.3="), NULL, 10);
}

static void test_storm_objects_describe_last_storm(void **state)
{
	static const struct expected over[] = {
	    {"dcbPfcStormDetected", "5.3", "300"},
	    {"dcbPfcStormEnded", "5.3", "450"},
	    {"dcbPfcStormEnd", "5.3", "linkDown"},
	    {"dcbPfcStormAction", "5.3", "drop"},
	    {"dcbPfcStormBlockedTime", "5.3", "400"},
	    {"dcbPfcStormQueueOctets", "5.3", "81"},
	    {"dcbPfcStormQueueFrames", "5.3", "82"},
	    {"dcbPfcStormIndicationsBefore", "5.3", "83"},
	    {"dcbPfcStormIndications", "5.3", "4294967295"},
	    {"dcbPfcStormPauseTime", "5.3", "1400"},
	    {"dcbPfcStormLasted", "5.3", "1500"},
	};
	static const struct expected none[] = {
	    {"dcbPfcStormDetected", "5.3", "0"}, {"dcbPfcStormEnded", "5.3", "0"},
	    {"dcbPfcStormEnd", "5.3", "none"},   {"dcbPfcStormAction", "5.3", "none"},
	    {"dcbPfcStormLasted", "5.3", "0"},
	};
	static const struct expected lasting[] = {
	    {"dcbPfcStormEnded", "5.3", "0"},
	    {"dcbPfcStormEnd", "5.3", "lasting"},
	    {"dcbPfcStormLasted", "5.3", "0"},
	};
	struct mo_world *w;
	struct fake_port *port = make(&w);
	uint64_t start = (uint64_t)w->m->started.ns;
	struct pfc_watchdog_stats *s = &port->watchdog[3];

	(void)state;
	*s = (struct pfc_watchdog_stats){
	    .state = PFC_WATCHDOG_WATCHING,
	    .storms = 1,
	    .ended = 1,
	    .action = PFC_WATCHDOG_DROP,
	    .end = PFC_STORM_LINK_DOWN,
	    .detected_ns = start + 3 * SECOND,
	    .ended_ns = start + 4500 * DCB_NS_PER_MS,
	    .blocked_ns = 400 * DCB_NS_PER_MS,
	    .queue_octets = 81,
	    .queue_frames = 82,
	    .indications_before = 83,
	    .indications = BIG,
	    .paused_ns = 1400 * DCB_NS_PER_MS,
	};
	ASSERT_VALUES(w, over);
	s->end = PFC_STORM_LASTS; /* detected in the future */
	s->detected_ns = (uint64_t)clock_now().ns + 1000 * SECOND;
	ASSERT_VALUES(w, lasting);
	s->detected_ns = (uint64_t)clock_now().ns - 5 * SECOND;
	assert_in_range(lasted_ms(w), 5000, 4000000);
	/* The duration of a storm that ended does not depend on the current time. */
	s->end = PFC_STORM_PAUSE_OVER;
	s->ended_ns = s->detected_ns + 7 * DCB_NS_PER_MS;
	assert_int_equal(lasted_ms(w), 7);
	s->storms = 0;
	ASSERT_VALUES(w, none);
	s->storms = 1;
	s->end = PFC_STORM_NONE;
	ASSERT_VALUES(w, none);
	s->end = 0;
	ASSERT_VALUES(w, none);
	mo_world_free(w);
}

static void test_agent_objects_describe_dcbd(void **state)
{
	static const struct expected e[] = {
	    {"dcbAgentVersion", "0", PACKAGE_VERSION}, {"dcbAgentRole", "0", "station"},
	    {"dcbAgentProvider", "0", "fake"},         {"dcbAgentPorts", "0", "3"},
	    {"dcbAgentComponentId", "0", "1"},         {"dcbAgentStateStatus", "0", "ok"},
	    {"dcbAgentStateSaves", "0", "1"},          {"dcbAgentStateFailures", "0", "0"},
	};
	struct mo_world *w;
	char text[64];
	unsigned long ticks;

	(void)state;
	make(&w);
	ASSERT_VALUES(w, e);
	w->m->started.ns -= 100 * SECOND;
	mo_world_column(w, "dcbAgentUpTime", text, sizeof(text));
	assert_memory_equal(text, "0=", 2);
	ticks = strtoul(text + 2, NULL, 10);
	assert_in_range(ticks, 10000, 20000); /* hundredths of a second */
	snprintf(text, sizeof(text), "0=%llu", (unsigned long long)w->m->config->generation);
	assert_column(w, "dcbEngineConfigPublished", text);
	mo_world_free(w);
}

/*
 * A row is read without a test of each column only if all columns exist, for each port. Both are
 * tests whether the port has all bits of a mask: so one bit less, in all ways, is sufficient.
 */
static void test_rows_with_all_columns(void **state)
{
	const uint32_t all = PROVIDER_CAPS_ALL | PROVIDER_SECY | PROVIDER_HARDWARE;

	(void)state;
	for (unsigned bit = 0; bit <= 32; bit++) {
		const uint32_t lacks = bit < 32 ? UINT32_C(1) << bit : 0;
		const struct port port = {.has = all & ~lacks};

		for (enum mo_table_id id = 0; id < MO_TABLES; id++) {
			const struct mo_table *table = mo_table(id);
			bool complete = mo_caps_has_columns(&port, table);

			for (unsigned i = 0; complete && i < table->n_columns; i++)
				assert_true(mo_caps_has(&port, table, &table->columns[i]));
			assert_true(complete || port.has != all);
		}
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_with_all_columns),
	    cmocka_unit_test(test_port_objects_have_provider_values),
	    cmocka_unit_test(test_discontinuity_time_changes_when_counters_restart),
	    cmocka_unit_test(test_pfc_objects_have_provider_values),
	    cmocka_unit_test(test_each_pfc_counter_is_one_of_the_provider),
	    cmocka_unit_test(test_cn_objects_have_provider_values),
	    cmocka_unit_test(test_buffer_memory_objects_have_provider_values),
	    cmocka_unit_test(test_buffer_objects_have_provider_values),
	    cmocka_unit_test(test_pools_have_three_rows),
	    cmocka_unit_test(test_watchdog_objects_have_provider_values),
	    cmocka_unit_test(test_storm_objects_describe_last_storm),
	    cmocka_unit_test(test_engine_objects_have_provider_values),
	    cmocka_unit_test(test_cpid_maps_to_congestion_point),
	    cmocka_unit_test(test_agent_objects_describe_dcbd),
	};

	log_init("test_mo_read", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests_name("mo_read", tests, NULL, NULL);
}
