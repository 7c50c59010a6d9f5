/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/exporter/collect.h"

#include <string.h>

#define NAME_MAX_OCTETS 64

/*
 * The groups of a scrape without parameters have what alerts and dashboards use: counters and
 * states, no settings but the set point. A port with two CNPVs has at most 160 series of them
 * (our choice); test_default_groups_have_few_series counts. "full" has all objects.
 */
static const struct {
	const char *name;
	const char *objects; /* separated by blanks */
} groups[] = {
    {"health",
     "dcbAgentVersion dcbAgentRole dcbAgentUpTime dcbAgentPorts dcbAgentStateStatus "
     "dcbAgentStateSaves dcbAgentStateFailures dcbEngineConfigPublished dcbEngineConfigAdopted "
     "dcbEngineFrameBuffers dcbEngineFrameBuffersFree dcbEngineFrameBuffersLow dcbEngineLoops "
     "dcbEngineEventsLost dcbEngineFdbEntries dcbEngineFdbFailures dcbEngineRealTime "
     "dcbEngineRealTimePriority dcbEngineRealTimeSuspensions dcbEngineProcessor dcbLldpState "
     "dcbLldpConnects "
     "dcbLldpDisconnects dcbLldpFailures dcbLldpNeighbors dcbLldpNeighborsRefused dcbNotifySent "
     "dcbNotifySuppressed dcbBufferStatus dcbBufferMemoryOctets dcbBufferMissingOctets "
     "dcbBufferMissingFrames dcbBufferPoolSizeOctets dcbBufferPoolUsedOctets "
     "dcbBufferPoolPeakOctets dcbPortOperational dcbPortRate dcbPortRxFrames dcbPortRxOctets "
     "dcbPortTxFrames dcbPortTxOctets dcbPortDiscardMalformed dcbPortDiscardOversize "
     "dcbPortDiscardNoBuffer dcbPortDiscardQueue dcbPortDiscardKernel dcbPortDiscardDown "
     "dcbPortTxErrors dcbPortOpenFailures dcbPortLinkChanges "
     "dcbPortCounterDiscontinuityTime dcbDcbxPortNeighbors dcbDcbxPortMismatch"},
    {"cp",
     "ieee8021CnGlobalDiscardedFrames ieee8021CnEpIfIndex dcbCpQueueLength dcbCpQueuePeak "
     "dcbCpFeedback dcbCpSamples ieee8021CnCpQueueSizeSetPoint ieee8021CnCpDiscardedFrames "
     "ieee8021CnCpTransmittedFrames ieee8021CnCpTransmittedCnms dcbCnPortState"},
    {"pfc",
     "ieee8021PfcRequests ieee8021PfcIndications dcbPfcPriorityRequests "
     "dcbPfcPriorityIndications dcbPfcPriorityPauseTime dcbPfcPriorityPaused "
     "dcbPfcPriorityPauseSent dcbPfcPriorityDiscards "
     "dcbPfcPortPauseReceived dcbPfcPortPaused dcbPfcHeadroomInForce "
     "dcbPfcHeadroomMaxFrame dcbBufferHeadroomSize dcbBufferHeadroomPeak"},
    {"watchdog", "dcbPfcWatchdogState dcbPfcWatchdogStorms dcbPfcWatchdogDroppedTotal"},
};

static void add_object(struct collect *c, const char *name)
{
	const struct mo_table *table = NULL;
	const struct mo_column *col = mo_column_by_name(name, &table);

	if (col)
		c->columns[table->id] |= UINT64_C(1) << (col - table->columns);
}

void collect_add_table(struct collect *c, const struct mo_table *table)
{
	c->columns[table->id] = UINT64_MAX >> (64 - table->n_columns);
}

void collect_add_all(struct collect *c)
{
	for (unsigned id = 0; id < MO_TABLES; id++) {
		const struct mo_table *table = mo_table((enum mo_table_id)id);

		if (!table->optional)
			collect_add_table(c, table);
	}
}

/*
 * All but dcbFdbTable, dot1qTpFdbTable and dcbTrillFdbTable, which have a row for each learned
 * address: the time series of a metric must not depend on frames. Nor dot1dBasePortTable, which is
 * for readers of the second one.
 */
static void add_full(struct collect *c)
{
	static const enum mo_table_id without[] = {MO_fdb, MO_base_port, MO_tp_fdb, MO_trill_fdb};
	uint64_t before[sizeof(without) / sizeof(without[0])];

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		before[i] = c->columns[without[i]];
	collect_add_all(c);
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		c->columns[without[i]] = before[i];
}

static void add_objects(struct collect *c, const char *objects)
{
	char name[NAME_MAX_OCTETS];

	while (*objects) {
		size_t n = strcspn(objects, " ");

		if (n < sizeof(name)) {
			memcpy(name, objects, n);
			name[n] = '\0';
			add_object(c, name);
		}
		objects += n + (objects[n] == ' ');
	}
}

bool collect_add(struct collect *c, const char *group)
{
	if (strcmp(group, "full") == 0) {
		add_full(c);
		return true;
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (strcmp(groups[i].name, group) == 0) {
			add_objects(c, groups[i].objects);
			return true;
		}
	}
	return false;
}

void collect_add_default(struct collect *c)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		add_objects(c, groups[i].objects);
}
