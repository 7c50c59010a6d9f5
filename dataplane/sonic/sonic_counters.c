/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_counters.h"

#include <stdio.h>
#include <string.h>

#include "dataplane/sonic/sonic_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a port has for each priority, and its totals behind these. */
enum { RX_FRAMES, TX_FRAMES, RX_PAUSE, RX_TRANSITIONS, OF_PRIORITY };
enum { PAUSE_RX = OF_PRIORITY * DCB_PRIORITIES, PAUSE_TX };
_Static_assert(SONIC_PORT_FIELDS == PAUSE_TX + 1, "the totals are the last two");

#define PFC(p)                                                                  \
	"SAI_PORT_STAT_PFC_" #p "_RX_PKTS", "SAI_PORT_STAT_PFC_" #p "_TX_PKTS", \
	    "SAI_PORT_STAT_PFC_" #p "_RX_PAUSE_DURATION_US",                    \
	    "SAI_PORT_STAT_PFC_" #p "_ON2OFF_RX_PKTS"

const char *const sonic_port_fields[SONIC_PORT_FIELDS] = {
    PFC(0),
    PFC(1),
    PFC(2),
    PFC(3),
    PFC(4),
    PFC(5),
    PFC(6),
    PFC(7),
    "SAI_PORT_STAT_PAUSE_RX_PKTS",
    "SAI_PORT_STAT_PAUSE_TX_PKTS",
};

enum { WD_STATE, WD_STORMS, WD_ENDED, WD_TX_DROPS, WD_RX_DROPS };
const char *const sonic_queue_fields[SONIC_QUEUE_FIELDS] = {
    [WD_STATE] = "PFC_WD_STATUS",
    [WD_STORMS] = "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED",
    [WD_ENDED] = "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED",
    [WD_TX_DROPS] = "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS",
    [WD_RX_DROPS] = "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS",
};

const char *const sonic_pg_fields[SONIC_PG_FIELDS] = {
    "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
};
const char *const sonic_pg_peaks[SONIC_PG_PEAKS] = {
    "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES",
    "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
};
const char *const sonic_queue_peaks[SONIC_QUEUE_PEAKS] = {
    "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
};
const char *const sonic_asic_fields[SONIC_ASIC_FIELDS] = {
    "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL",
};

static void report(struct sonic_port *port, const char *field, const char *text,
		   const char *expected)
{
	if (!port->error[0])
		snprintf(port->error, sizeof(port->error), "%.64s: \"%.32s\", expected %s", field,
			 text, expected);
}

/* Reads a counter. Returns whether it has a valid value. */
static bool read_counter(struct sonic_port *port, const char *field, const char *text,
			 uint64_t *out)
{
	*out = 0;
	if (!text || text[0] == '\0' || strcmp(text, "N/A") == 0)
		return false;
	if (sonic_number(text, UINT64_MAX, out))
		return true;
	report(port, field, text, "a number below 2^64");
	return false;
}

/* Sets a member of a struct sonic_priority. */
static void take(struct sonic_port *port, struct sonic_priority *p, const char *field,
		 const char *text, uint64_t *to, uint32_t member)
{
	p->known &= ~member;
	if (read_counter(port, field, text, to))
		p->known |= member;
}

void sonic_take_port(struct sonic_port *port, const char *const values[SONIC_PORT_FIELDS])
{
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		struct sonic_priority *p = &port->priority[i];
		const char *const *fields = &sonic_port_fields[i * OF_PRIORITY];
		const char *const *of = &values[i * OF_PRIORITY];

		take(port, p, fields[RX_FRAMES], of[RX_FRAMES], &p->rx_frames, SONIC_RX_FRAMES);
		take(port, p, fields[TX_FRAMES], of[TX_FRAMES], &p->tx_frames, SONIC_TX_FRAMES);
		take(port, p, fields[RX_PAUSE], of[RX_PAUSE], &p->rx_pause_us, SONIC_RX_PAUSE);
		take(port, p, fields[RX_TRANSITIONS], of[RX_TRANSITIONS], &p->rx_transitions,
		     SONIC_RX_TRANSITIONS);
	}
	port->known &= ~(uint32_t)(SONIC_PAUSE_RX | SONIC_PAUSE_TX);
	if (read_counter(port, sonic_port_fields[PAUSE_RX], values[PAUSE_RX], &port->pause_rx))
		port->known |= SONIC_PAUSE_RX;
	if (read_counter(port, sonic_port_fields[PAUSE_TX], values[PAUSE_TX], &port->pause_tx))
		port->known |= SONIC_PAUSE_TX;
}

void sonic_take_asic(struct sonic_port *port, const char *const values[SONIC_ASIC_FIELDS])
{
	uint64_t mask = 0;
	bool ok = !values[0] || sonic_number(values[0], UINT8_MAX, &mask);

	if (!ok)
		report(port, sonic_asic_fields[0], values[0], "a number of 0 to 255");
	port->known &= ~(uint32_t)SONIC_ASIC_PFC;
	port->known |= ok ? SONIC_ASIC_PFC : 0;
	port->asic_pfc = (uint8_t)(ok ? mask : 0);
}

static void take_state(struct sonic_port *port, struct sonic_priority *p, const char *text)
{
	p->known &= ~(uint32_t)SONIC_WD_STATE;
	p->wd_state = 0;
	if (!text || text[0] == '\0')
		return;
	if (strcmp(text, "operational") == 0)
		p->wd_state = SONIC_WD_OPERATIONAL;
	else if (strcmp(text, "stormed") == 0)
		p->wd_state = SONIC_WD_STORMED;
	else
		report(port, sonic_queue_fields[WD_STATE], text, "operational or stormed");
	p->known |= p->wd_state ? SONIC_WD_STATE : 0;
}

static void take_watchdog(struct sonic_port *port, struct sonic_priority *p,
			  const char *const values[SONIC_QUEUE_FIELDS])
{
	bool both;

	take_state(port, p, values[WD_STATE]);
	p->known &= ~(uint32_t)SONIC_WD_COUNTS;
	both = read_counter(port, sonic_queue_fields[WD_STORMS], values[WD_STORMS], &p->wd_storms);
	both &= read_counter(port, sonic_queue_fields[WD_ENDED], values[WD_ENDED], &p->wd_ended);
	if (both)
		p->known |= SONIC_WD_COUNTS;
	else
		p->wd_storms = p->wd_ended = 0;
	take(port, p, sonic_queue_fields[WD_TX_DROPS], values[WD_TX_DROPS], &p->wd_tx_drops,
	     SONIC_WD_TX_DROPS);
	take(port, p, sonic_queue_fields[WD_RX_DROPS], values[WD_RX_DROPS], &p->wd_rx_drops,
	     SONIC_WD_RX_DROPS);
}

/* Returns the next priority from *i on that has the queue or the PG; NULL: no more. */
static struct sonic_priority *next_with(struct sonic_port *port, uint32_t member, unsigned number,
					unsigned *i)
{
	while (*i < DCB_PRIORITIES) {
		struct sonic_priority *p = &port->priority[(*i)++];

		if ((p->known & member) && (member == SONIC_PG ? p->pg : p->queue) == number)
			return p;
	}
	return NULL;
}

void sonic_take_queue(struct sonic_port *port, unsigned number,
		      const char *const values[SONIC_QUEUE_FIELDS])
{
	struct sonic_priority *p;
	unsigned i = 0;

	while ((p = next_with(port, SONIC_QUEUE_OF, number, &i)))
		take_watchdog(port, p, values);
}

void sonic_take_pg(struct sonic_port *port, unsigned number,
		   const char *const values[SONIC_PG_FIELDS])
{
	struct sonic_priority *p;
	unsigned i = 0;

	while ((p = next_with(port, SONIC_PG, number, &i)))
		take(port, p, sonic_pg_fields[0], values[0], &p->pg_drops, SONIC_PG_DROPS);
}

void sonic_take_pg_peaks(struct sonic_port *port, unsigned number,
			 const char *const values[SONIC_PG_PEAKS])
{
	struct sonic_priority *p;
	unsigned i = 0;

	while ((p = next_with(port, SONIC_PG, number, &i))) {
		take(port, p, sonic_pg_peaks[0], values[0], &p->pg_shared_peak,
		     SONIC_PG_SHARED_PEAK);
		take(port, p, sonic_pg_peaks[1], values[1], &p->pg_xoff_peak, SONIC_PG_XOFF_PEAK);
	}
}

void sonic_take_queue_peaks(struct sonic_port *port, unsigned number,
			    const char *const values[SONIC_QUEUE_PEAKS])
{
	struct sonic_priority *p;
	unsigned i = 0;

	while ((p = next_with(port, SONIC_QUEUE_OF, number, &i)))
		take(port, p, sonic_queue_peaks[0], values[0], &p->queue_peak, SONIC_QUEUE_PEAK);
}

static bool priority_continues(const struct sonic_priority *a, const struct sonic_priority *b)
{
	const struct {
		uint32_t member;
		uint64_t before, now;
	} of[] = {
	    {SONIC_RX_FRAMES, a->rx_frames, b->rx_frames},
	    {SONIC_TX_FRAMES, a->tx_frames, b->tx_frames},
	    {SONIC_RX_PAUSE, a->rx_pause_us, b->rx_pause_us},
	    {SONIC_RX_TRANSITIONS, a->rx_transitions, b->rx_transitions},
	    {SONIC_PG_DROPS, a->pg_drops, b->pg_drops},
	    {SONIC_WD_COUNTS, a->wd_storms, b->wd_storms},
	    {SONIC_WD_COUNTS, a->wd_ended, b->wd_ended},
	    {SONIC_WD_TX_DROPS, a->wd_tx_drops, b->wd_tx_drops},
	    {SONIC_WD_RX_DROPS, a->wd_rx_drops, b->wd_rx_drops},
	};

	for (size_t i = 0; i < COUNT(of); i++)
		if ((b->known & of[i].member) &&
		    (!(a->known & of[i].member) || of[i].now < of[i].before))
			return false;
	return true;
}

bool sonic_continues(const struct sonic_port *before, const struct sonic_port *now)
{
	const uint32_t totals = SONIC_PAUSE_RX | SONIC_PAUSE_TX;

	if (now->known & ~before->known & totals)
		return false;
	if (((now->known & SONIC_PAUSE_RX) && now->pause_rx < before->pause_rx) ||
	    ((now->known & SONIC_PAUSE_TX) && now->pause_tx < before->pause_tx))
		return false;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (!priority_continues(&before->priority[p], &now->priority[p]))
			return false;
	return true;
}

bool sonic_read_storm(const char *message, uint64_t *queue_oid, bool *begins)
{
	static const char storm[] = "storm\"", restore[] = "restore\"";
	const char *end;
	char oid[32];
	size_t len;

	if (strncmp(message, "[\"", 2) != 0)
		return false;
	message += 2;
	len = strcspn(message, "\"");
	if (len >= sizeof(oid) || strncmp(message + len, "\",\"", 3) != 0)
		return false;
	memcpy(oid, message, len);
	oid[len] = '\0';
	message += len + 3;
	*begins = strncmp(message, storm, sizeof(storm) - 1) == 0;
	if (!*begins && strncmp(message, restore, sizeof(restore) - 1) != 0)
		return false;
	end = message + (*begins ? sizeof(storm) : sizeof(restore)) - 1;
	return (*end == ']' || *end == ',') && sonic_read_oid(oid, queue_oid);
}
