/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of SONiC, as commands of tests/sonic/commands.h. Each line is a value of a counter and a
 * message of the watchdog, too. Unknown values are 0, and known ones in their range.
 */
#include <string.h>

#include "dataplane/sonic/sonic_counters.h"
#include "dataplane/sonic/sonic_rows.h"
#include "dataplane/sonic/sonic_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sonic/commands.h"

#define VALUES 64

static const char *values[VALUES];
static struct sonic_port port;

/* A name is terminated, and all octets behind it are 0. */
static void check_name(const char *name, size_t size)
{
	size_t len = strnlen(name, size);

	FUZZ_ASSERT(len < size);
	for (size_t i = len; i < size; i++)
		FUZZ_ASSERT(name[i] == '\0');
}

static void check_priority(const struct sonic_priority *p)
{
	const struct {
		uint32_t member;
		uint64_t value;
	} of[] = {
	    {SONIC_TC, p->tc},
	    {SONIC_PG, p->pg},
	    {SONIC_QUEUE_OF, p->queue},
	    {SONIC_LOSSLESS, p->lossless},
	    {SONIC_PROFILE_SIZE, p->size},
	    {SONIC_PROFILE_XON, p->xon},
	    {SONIC_PROFILE_XON_OFFSET, p->xon_offset},
	    {SONIC_PROFILE_XOFF, p->xoff},
	    {SONIC_PROFILE_DYNAMIC, (uint64_t)p->dynamic_th},
	    {SONIC_PROFILE_STATIC, p->static_th},
	    {SONIC_RX_FRAMES, p->rx_frames},
	    {SONIC_TX_FRAMES, p->tx_frames},
	    {SONIC_RX_PAUSE, p->rx_pause_us},
	    {SONIC_RX_TRANSITIONS, p->rx_transitions},
	    {SONIC_PG_DROPS, p->pg_drops},
	    {SONIC_PG_SHARED_PEAK, p->pg_shared_peak},
	    {SONIC_PG_XOFF_PEAK, p->pg_xoff_peak},
	    {SONIC_QUEUE_PEAK, p->queue_peak},
	    {SONIC_WD_STATE, p->wd_state},
	    {SONIC_WD_COUNTS, p->wd_storms | p->wd_ended},
	    {SONIC_WD_TX_DROPS, p->wd_tx_drops},
	    {SONIC_WD_RX_DROPS, p->wd_rx_drops},
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		FUZZ_ASSERT((p->known & of[i].member) || of[i].value == 0);
	FUZZ_ASSERT(p->known < SONIC_WD_RX_DROPS << 1);
	FUZZ_ASSERT(p->tc < DCB_PRIORITIES && p->pg < DCB_PRIORITIES && p->queue < DCB_PRIORITIES);
	FUZZ_ASSERT(p->dynamic_th >= -8 && p->dynamic_th <= 8);
	FUZZ_ASSERT(!p->lossless || p->xoff > 0);
	check_name(p->profile, sizeof(p->profile));
	check_name(p->pool, sizeof(p->pool));
}

static void check_ets(void)
{
	unsigned sum = 0, shares = 0;

	for (unsigned q = 0; q < DCB_PRIORITIES; q++) {
		FUZZ_ASSERT(port.ets.priority_tc[q] < DCB_PRIORITIES);
		FUZZ_ASSERT(port.ets.tsa[q] == TSA_STRICT || port.ets.tsa[q] == TSA_ETS);
		FUZZ_ASSERT(port.ets.tsa[q] == TSA_ETS || port.ets.bandwidth[q] == 0);
		shares += port.ets.tsa[q] == TSA_ETS;
		sum += port.ets.bandwidth[q];
	}
	FUZZ_ASSERT(sum == (shares ? 100 : 0));
	FUZZ_ASSERT(shares == 0 || (port.known & SONIC_ETS));
}

static void check_port(void)
{
	FUZZ_ASSERT(port.ifindex && port.ifindex == sonic_ifindex(port.name));
	FUZZ_ASSERT((port.known & SONIC_PFC_ENABLE) || port.pfc_enable == 0);
	FUZZ_ASSERT((port.known & SONIC_PFCWD_ENABLE) || port.pfcwd_enable == 0);
	FUZZ_ASSERT((port.known & SONIC_SPEED) || port.speed_mbps == 0);
	FUZZ_ASSERT((port.known & SONIC_MTU) || port.mtu == 0);
	FUZZ_ASSERT((port.known & SONIC_CABLE) || port.cable_m == 0);
	FUZZ_ASSERT(((port.known & SONIC_WD_ACTION) != 0) == (port.wd_action != 0));
	FUZZ_ASSERT(((port.known & SONIC_OID) != 0) == (port.oid != 0));
	FUZZ_ASSERT((port.known & SONIC_PAUSE_RX) || port.pause_rx == 0);
	check_name(port.name, sizeof(port.name));
	check_name(port.alias, sizeof(port.alias));
	check_name(port.lag, sizeof(port.lag));
	check_name(port.dscp_map, sizeof(port.dscp_map));
	check_name(port.error, sizeof(port.error));
	for (unsigned i = 0; i < SONIC_DSCPS; i++)
		FUZZ_ASSERT(port.dscp_priority[i] < DCB_PRIORITIES ||
			    port.dscp_priority[i] == SONIC_NO_PRIORITY);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		check_priority(&port.priority[p]);
	check_ets();
}

static void check_switch(const struct sonic_rows *rows)
{
	struct sonic_switch sw;

	memset(&sw, 0x5a, sizeof(sw));
	sonic_switch_of(rows, &sw);
	FUZZ_ASSERT(sw.n_pools <= SONIC_POOLS);
	for (unsigned i = 0; i < SONIC_POOLS; i++)
		check_name(sw.pools[i].name, sizeof(sw.pools[i].name));
	check_name(sw.hwsku, sizeof(sw.hwsku));
	check_name(sw.platform, sizeof(sw.platform));
	check_name(sw.error, sizeof(sw.error));
}

/* Takes a port with all lines as its counters. */
static void check_named(const struct sonic_rows *rows, const char *name)
{
	struct sonic_port before;
	struct sonic_oids oids;

	memset(&port, 0x5a, sizeof(port));
	if (!sonic_port_of(rows, name, &port))
		return;
	check_port();
	sonic_oids_of(rows, &port, &oids);
	before = port;
	sonic_take_port(&port, values);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		sonic_take_queue(&port, i, values + i);
		sonic_take_pg(&port, i, values + 8 + i);
		sonic_take_pg_peaks(&port, i, values + 16 + i);
		sonic_take_queue_peaks(&port, i, values + 24 + i);
	}
	check_port();
	FUZZ_ASSERT(sonic_continues(&port, &port));
	(void)sonic_continues(&before, &port);
}

/* The lines as values. Returns the text, for free(). */
static char *take_lines(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *lines = text, *line;
	unsigned n = 0;
	uint64_t oid;
	bool begins;

	memcpy(text, data, size);
	text[size] = '\0';
	memset(values, 0, sizeof(values));
	while (n < VALUES && (line = strsep(&lines, "\n"))) {
		values[n++] = line;
		if (sonic_read_storm(line, &oid, &begins))
			FUZZ_ASSERT(oid != 0);
	}
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct commands c = {.db = 0};
	char *text = take_lines(data, size);

	commands_run(&c, (const char *)data, size);
	check_switch(&c.of);
	for (unsigned t = 0; t < SONIC_TABLES; t++)
		for (unsigned i = 0; i < c.of.of[t].n && (t == SONIC_PORT || t == SONIC_APP_PORT);
		     i++)
			check_named(&c.of, c.of.of[t].rows[i].key);
	check_named(&c.of, "Ethernet0");
	commands_free(&c);
	free(text);
	return 0;
}
