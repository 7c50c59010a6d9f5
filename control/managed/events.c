/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/managed/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/mo/mo_event.h"

#define MINUTE_NS      (60 * DCB_NS_PER_S)
#define LINES_A_MINUTE 600 /* of the log, whatever dcbNotifyRateLimit is */

struct kept {
	uint16_t len;
	uint8_t octets[EVENT_OCTETS];
};

/* Token bucket of the events whose notification is switched on, and one of the others. */
struct bucket {
	struct dcb_time full; /* when it will be full */
	bool announced;       /* its limit was logged since it was full */
};

struct events {
	uint64_t next;
	uint64_t acked;
	struct events_stats stats;
	struct bucket bucket[2]; /* index: whether notified */
	struct bucket lines;     /* of the log */
	struct events_listener *listeners;
	struct kept kept[EVENTS_KEPT];
};

struct events *events_new(void)
{
	struct events *e = calloc(1, sizeof(*e));

	if (e)
		e->next = 1;
	return e;
}

void events_free(struct events *e)
{
	free(e);
}

void events_listen(struct events *e, struct events_listener *listener)
{
	listener->next = e->listeners;
	e->listeners = listener;
}

void events_ignore(struct events *e, const struct events_listener *listener)
{
	struct events_listener **at = &e->listeners;

	while (*at && *at != listener)
		at = &(*at)->next;
	if (*at)
		*at = listener->next;
}

/*
 * per_minute tokens at most, refilled at per_minute a minute. This limits both a burst and
 * the average rate. 0: no limit.
 */
static bool permitted(struct bucket *b, uint32_t per_minute, struct dcb_time now)
{
	int64_t cost;

	if (per_minute == 0)
		return true;
	cost = MINUTE_NS / per_minute;
	if (!dcb_time_before(now, b->full)) {
		b->full = now;
		b->announced = false;
	}
	if (dcb_time_diff_ns(b->full, now) + cost > MINUTE_NS)
		return false;
	b->full = dcb_time_add_ns(b->full, cost);
	return true;
}

/* Once until the bucket was full again: a steady flow just above the limit is one line. */
static void announce_limit(struct bucket *b, bool notify, uint32_t per_minute)
{
	if (!b->announced && notify)
		/*
		 * Message: More notifications occurred than dcbNotifyRateLimit allows.
		 * dcbNotifySuppressed counts those that were neither sent nor logged. Raise the
		 * limit, or correct what causes the notifications.
		 */
		log_warn("event",
			 "rate limit of %u notifications a minute reached: some are not sent",
			 per_minute);
	else if (!b->announced)
		/*
		 * Message: More events occurred whose notifications are disabled than
		 * dcbNotifyRateLimit allows. Those beyond the limit are neither logged nor given to
		 * `dcbctl monitor`. Raise the limit, or correct what causes the events.
		 */
		log_warn("event",
			 "rate limit of %u events a minute without notification reached: some are "
			 "not logged",
			 per_minute);
	b->announced = true;
}

/* dcbNotifyRateLimit can be 0 or high; a neighbor decides how many storms there are. */
static bool may_log(struct bucket *lines, struct dcb_time now)
{
	if (permitted(lines, LINES_A_MINUTE, now))
		return true;
	if (!lines->announced)
		/*
		 * Message: dcbNotifyRateLimit is 0 or higher than what the log takes. Events that
		 * are not logged are nevertheless sent as notifications and given to `dcbctl
		 * monitor`.
		 */
		log_warn("event", "more than %u events a minute: some are not logged",
			 LINES_A_MINUTE);
	lines->announced = true;
	return false;
}

/* An end is no warning. A DCBX mismatch has a warning of its own: see event_watch.c. */
static enum log_level level_of(const struct mo_event *ev)
{
	switch ((enum mo_notification_id)ev->id) {
	/*
	 * Message "dcbErroredPortCreated: %s": The alternate priority of a CNPV on a port is a CNPV
	 * too. Set ieee8021CnComPriAlternatePriority or ieee8021CnPortPriAlternatePriority to a
	 * priority that is not a CNPV.
	 */
	case MO_NOTIFY_errored_port_created:
	/*
	 * Message "dcbPfcStorm: %s": The PFC watchdog detected a storm, see dcb(7). Find out why
	 * the neighbor pauses the priority, starting with the neighbor at this port.
	 */
	case MO_NOTIFY_pfc_storm:
	/*
	 * Message "dcbPfcHeadroomInsufficient: %s": Frames of a PFC priority were discarded because
	 * the receive buffer was full, or dcbPfcHeadroomStatus of the port has become insufficient.
	 * In the first case, set dcbPfcHeadroomResponse and the other inputs of dcbPfcHeadroomTable
	 * to the properties of the link and the neighbor. Check that the neighbor has PFC enabled
	 * for the priority.
	 */
	case MO_NOTIFY_pfc_headroom_insufficient:
	/*
	 * Message "dcbMacsecPnExhausted: %s": The packet numbers of a key are used up: see
	 * dcbMacsecPnExhausted in DCB-AGENT-MIB. Set new keys at both ends.
	 */
	case MO_NOTIFY_macsec_pn_exhausted:
	case MO_NOTIFY_learn_limit_reached:
	case MO_NOTIFY_address_moves:
		return LOG_LEVEL_WARN;
	default:
		return LOG_LEVEL_INFO;
	}
}

static void log_event(struct events *e, const struct mo_event *ev, struct dcb_time now)
{
	enum log_level level = level_of(ev);
	char name[64], text[MO_EVENT_TEXT];

	if (log_level < level || log_level_here < level || !may_log(&e->lines, now))
		return;
	mo_event_name(ev, name, sizeof(name));
	mo_event_objects(ev, text, sizeof(text));
	log_line(level, "event", "%s: %s", name, text);
}

static void keep(struct events *e, const struct mo_event *ev)
{
	struct kept *k = &e->kept[e->next % EVENTS_KEPT];
	struct octets_out out = octets_out(k->octets, sizeof(k->octets));

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = MO_OP_EVENT | MO_MSG_REPLY,
							.seq = (uint32_t)ev->number});
	mo_msg_put_event(&out, ev);
	assert(!out.overrun); /* objects of notifications are numbers and short octet strings */
	k->len = (uint16_t)out.len;
	e->next++;
	for (const struct events_listener *l = e->listeners; l; l = l->next)
		l->fn(l->ctx);
}

bool events_raise(struct events *e, const struct notify_config *config, enum mo_notification_id id,
		  const struct mo_varbind *vbs, unsigned n, struct dcb_time now)
{
	bool notify = config->enabled[id];
	struct bucket *bucket = &e->bucket[notify];
	struct mo_event ev = {
	    .number = e->next,
	    .real_ms = clock_real_ms(),
	    .mono_ms = (uint64_t)(now.ns / DCB_NS_PER_MS),
	    .flags = notify ? MO_EVENT_NOTIFY : 0,
	    .id = (uint8_t)id,
	    .n = (uint8_t)(n < MO_EVENT_VARBINDS ? n : MO_EVENT_VARBINDS),
	};

	if (!permitted(bucket, config->rate_limit, now)) {
		e->stats.suppressed += notify;
		announce_limit(bucket, notify, config->rate_limit);
		return false;
	}
	e->stats.sent += notify;
	memcpy(ev.vbs, vbs, ev.n * sizeof(*vbs));
	log_event(e, &ev, now);
	keep(e, &ev);
	return true;
}

uint64_t events_next(const struct events *e)
{
	return e->next;
}

const uint8_t *events_at(const struct events *e, uint64_t *number, size_t *len)
{
	const struct kept *k;

	if (*number + EVENTS_KEPT < e->next)
		*number = e->next - EVENTS_KEPT;
	if (*number == 0)
		*number = 1;
	if (*number >= e->next)
		return NULL;
	k = &e->kept[*number % EVENTS_KEPT];
	*len = k->len;
	return k->octets;
}

uint64_t events_acked(const struct events *e)
{
	return e->acked;
}

void events_ack(struct events *e, uint64_t number)
{
	if (number > e->acked && number < e->next)
		e->acked = number;
}

void events_read(const struct events *e, struct events_stats *out)
{
	*out = e->stats;
}
