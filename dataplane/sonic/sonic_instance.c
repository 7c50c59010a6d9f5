/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/sonic/sonic_counters.h"
#include "dataplane/sonic/sonic_poll.h"
#include "dataplane/sonic/sonic_text.h"

#define RARELY_NS     (5 * DCB_NS_PER_S)
#define SCAN_NS       (60 * DCB_NS_PER_S)
#define SETTLE_NS     (200 * DCB_NS_PER_MS) /* a load of a configuration is many changes */
#define BACKOFF_NS    (500 * DCB_NS_PER_MS)
#define BACKOFF_MAX   (5 * DCB_NS_PER_S)
#define ATTEMPTS      3                  /* to read names and counters of the same time */
#define STORM_SETTLE  (3 * DCB_NS_PER_S) /* from a message until PFC_WD_STATUS follows it */
#define STALE_AFTER   3                  /* intervals */
#define PORTS_MAX     4096
#define STORM_CHANNEL "PFC_WD_ACTION"

struct tracked {
	struct sonic_polled read; /* of the turn in progress */
	struct sonic_port last;   /* as it was reported */
	struct sonic_oids oids;   /* of last */
	bool is_reported, is_present;
	bool is_gone;                         /* not in the map of names */
	struct dcb_time gone;                 /* since when */
	uint8_t stormed;                      /* priorities, as they were reported */
	struct dcb_time told[DCB_PRIORITIES]; /* of the last message about it; 0: none */
};

struct sonic_instance {
	unsigned number;
	const struct sonic_worker_params *params;
	int stop_fd;
	void (*post)(void *arg, struct sonic_report *report);
	void *arg;
	struct sonic_instance_conf conf; /* that it is connected with */
	struct sonic_db *dbs[SONIC_DBS], *messages;
	bool is_connected, is_told_connected;
	bool scans, fails; /* reads the keys of APPL_DB too; the turn in progress has failed */
	char no_messages[SONIC_DB_ERROR], lost[SONIC_DB_ERROR];
	struct dcb_time next, config_at, config_read, rarely_at, scan_at;
	int64_t backoff_ns, read_ns;
	struct sonic_snapshot *snapshot;
	struct sonic_poll *poll;
	struct tracked **ports;
	unsigned n;
	struct sonic_switch sw; /* as it was reported */
	bool has_sw;
	/* The last change of each stamp. */
	struct sonic_stamps stamps;
	struct dcb_time stamped[SONIC_GROUPS];
};

/* --- reports ------------------------------------------------------------------------------- */

static struct sonic_report *new_report(const struct sonic_instance *i, enum sonic_report_type type)
{
	struct sonic_report *report = calloc(1, sizeof(*report));

	if (report) {
		report->type = type;
		report->instance = i->number;
		memcpy(report->space, i->conf.space, sizeof(report->space));
	}
	return report;
}

/* Returns false if out of memory. */
static bool report_port(struct sonic_instance *i, enum sonic_report_type type,
			const struct sonic_port *port, bool discontinuity)
{
	struct sonic_report *report = new_report(i, type);

	if (!report)
		return false;
	report->port = *port;
	report->discontinuity = discontinuity;
	i->post(i->arg, report);
	return true;
}

static bool report_switch(struct sonic_instance *i, enum sonic_report_type type,
			  const struct sonic_switch *sw)
{
	struct sonic_report *report = new_report(i, type);

	if (!report)
		return false;
	report->sw = *sw;
	if (type == SONIC_CONNECTED)
		snprintf(report->text, sizeof(report->text), "%s", i->no_messages);
	i->post(i->arg, report);
	return true;
}

static void report_storm(struct sonic_instance *i, const struct tracked *t, uint8_t stormed,
			 uint8_t ended)
{
	struct sonic_report *report = stormed | ended ? new_report(i, SONIC_STORM) : NULL;

	if (!report)
		return;
	report->stormed = stormed;
	report->ended = ended;
	report->port = t->last;
	i->post(i->arg, report);
}

/* --- connecting ---------------------------------------------------------------------------- */

static void disconnect(struct sonic_instance *i)
{
	for (unsigned d = 0; d < SONIC_DBS; d++) {
		sonic_db_close(i->dbs[d]);
		i->dbs[d] = NULL;
	}
	sonic_db_close(i->messages);
	i->messages = NULL;
	i->is_connected = false;
}

void sonic_instance_lose(struct sonic_instance *i, const char *why, struct dcb_time now)
{
	struct sonic_report *report;
	bool same = !i->is_told_connected && strcmp(i->lost, why) == 0;

	snprintf(i->lost, sizeof(i->lost), "%s", why); /* before it is freed with its connection */
	disconnect(i);
	i->fails = true;
	i->next = dcb_time_add_ns(now, i->backoff_ns);
	i->backoff_ns = i->backoff_ns * 2 < BACKOFF_MAX ? i->backoff_ns * 2 : BACKOFF_MAX;
	report = same ? NULL : new_report(i, SONIC_LOST);
	if (!report)
		return;
	memcpy(report->text, i->lost, sizeof(i->lost));
	i->is_told_connected = false;
	i->post(i->arg, report);
}

static struct sonic_db_params params_of(const struct sonic_instance *i, enum sonic_db_name name)
{
	return (struct sonic_db_params){
	    .socket = i->conf.db[name].socket,
	    .number = i->conf.db[name].number,
	    .password = i->params->password,
	    .timeout_ms = i->params->timeout_ms,
	    .stop_fd = i->stop_fd,
	};
}

/* Subscribes. Without the permission the instance can be read all the same. */
static void subscribe(struct sonic_instance *i)
{
	const struct sonic_db_params params = params_of(i, SONIC_DB_COUNTERS);
	char config[32], ports[48], buffers[48], names[3][64];
	const char *const patterns[] = {config, ports, buffers};
	const char *const channels[] = {STORM_CHANNEL, names[0], names[1], names[2]};

	snprintf(config, sizeof(config), "__keyspace@%u__:*", i->conf.db[SONIC_DB_CONFIG].number);
	snprintf(ports, sizeof(ports), "__keyspace@%u__:PORT_TABLE*",
		 i->conf.db[SONIC_DB_APPL].number);
	snprintf(buffers, sizeof(buffers), "__keyspace@%u__:BUFFER_P*",
		 i->conf.db[SONIC_DB_APPL].number);
	for (unsigned m = 0; m < 3; m++)
		snprintf(names[m], sizeof(names[m]), "__keyspace@%u__:%s",
			 i->conf.db[SONIC_DB_COUNTERS].number,
			 sonic_tables[SONIC_PORT_NAMES + m].name);
	i->no_messages[0] = '\0';
	i->messages = sonic_db_open(&params, i->no_messages, sizeof(i->no_messages));
	if (!i->messages || sonic_db_subscribe(i->messages, 4, channels, 3, patterns))
		return;
	snprintf(i->no_messages, sizeof(i->no_messages), "%s", sonic_db_error(i->messages));
	sonic_db_close(i->messages);
	i->messages = NULL;
}

static bool connect_to(struct sonic_instance *i, const struct sonic_instance_conf *conf,
		       struct dcb_time now)
{
	char err[SONIC_DB_ERROR] = "";

	i->conf = *conf;
	if (conf->error[0]) {
		sonic_instance_lose(i, conf->error, now);
		return false;
	}
	for (unsigned d = 0; d < SONIC_DBS; d++) {
		const struct sonic_db_params params = params_of(i, (enum sonic_db_name)d);

		if (d == SONIC_DB_ASIC && !i->params->writes)
			continue;
		i->dbs[d] = sonic_db_open(&params, err, sizeof(err));
		if (!i->dbs[d]) {
			sonic_instance_lose(i, err, now);
			return false;
		}
	}
	/* Before all is read: no change is between the two. */
	subscribe(i);
	i->is_connected = true;
	i->config_at = i->rarely_at = i->scan_at = now;
	return true;
}

/* --- the configuration --------------------------------------------------------------------- */

static struct tracked *find(const struct sonic_instance *i, const char *name)
{
	for (unsigned k = 0; k < i->n; k++)
		if (strcmp(i->ports[k]->read.port.name, name) == 0)
			return i->ports[k];
	return NULL;
}

/* Returns a port, a new one if there is none with this name; NULL: out of memory. */
static struct tracked *track(struct sonic_instance *i, const char *name)
{
	struct tracked *t = find(i, name), **ports;

	if (t || i->n == PORTS_MAX)
		return t;
	ports = realloc(i->ports, (i->n + 1) * sizeof(struct tracked *));
	if (!ports)
		return NULL;
	i->ports = ports;
	t = calloc(1, sizeof(*t));
	if (t)
		i->ports[i->n++] = t;
	return t;
}

/* Sets what the rows say of a port. */
static void read_port(struct sonic_instance *i, const char *name)
{
	const struct sonic_rows *rows = sonic_snapshot_rows(i->snapshot);
	struct tracked *t;

	if (sonic_ifindex(name) == 0)
		return;
	t = track(i, name);
	if (!t || !sonic_port_of(rows, name, &t->read.port))
		return;
	sonic_oids_of(rows, &t->read.port, &t->read.oids);
	t->is_present = true;
	t->is_gone = false;
}

/* A port that is in the configuration still: orchagent restarts. */
static void hold_port(struct sonic_instance *i, struct tracked *t, struct dcb_time now)
{
	const struct sonic_rows *rows = sonic_snapshot_rows(i->snapshot);
	char name[SONIC_NAME_OCTETS];

	memcpy(name, t->read.port.name, sizeof(name));
	if (!t->is_gone)
		t->gone = now;
	t->is_gone = true;
	if (!t->is_reported || !sonic_row_find(rows, SONIC_PORT, name) ||
	    dcb_time_diff_ns(now, t->gone) >= SONIC_HOLD_NS)
		return;
	t->is_present = sonic_port_of(rows, name, &t->read.port);
	memset(&t->read.oids, 0, sizeof(t->read.oids));
}

static void read_ports(struct sonic_instance *i, struct dcb_time now)
{
	const struct sonic_rows *rows = sonic_snapshot_rows(i->snapshot);
	const struct sonic_row *names = sonic_row_find(rows, SONIC_PORT_NAMES, "");

	for (unsigned k = 0; k < i->n; k++)
		i->ports[k]->is_present = false;
	for (unsigned f = 0; names && f < names->n; f++)
		read_port(i, names->fields[f].name);
	for (unsigned k = 0; k < i->n; k++)
		if (!i->ports[k]->is_present)
			hold_port(i, i->ports[k], now);
}

/* Makes the commands for the ports that are present. */
static bool make_poll(struct sonic_instance *i)
{
	struct sonic_polled **ports = calloc(i->n + 1, sizeof(struct sonic_polled *));
	unsigned n = 0;

	sonic_poll_free(i->poll);
	i->poll = NULL;
	for (unsigned k = 0; k < i->n && ports; k++)
		if (i->ports[k]->is_present)
			ports[n++] = &i->ports[k]->read;
	if (ports)
		i->poll = sonic_poll_new(&i->conf, i->snapshot, ports, n);
	free(ports);
	return i->poll != NULL;
}

/* Reads all tables. */
static bool read_config(struct sonic_instance *i, struct dcb_time now)
{
	bool scans = i->scans || !i->snapshot || !dcb_time_before(now, i->scan_at);
	struct sonic_snapshot *s;
	char err[SONIC_DB_ERROR];

	s = sonic_snapshot_read(i->dbs, &i->conf, scans ? NULL : i->snapshot, err, sizeof(err));
	if (!s) {
		sonic_instance_lose(i, err, now);
		return false;
	}
	sonic_poll_free(i->poll);
	i->poll = NULL;
	sonic_snapshot_free(i->snapshot);
	i->snapshot = s;
	i->scans = false;
	i->config_read = now;
	i->config_at = dcb_time_add_ns(now, SONIC_CONFIG_NS);
	if (scans)
		i->scan_at = dcb_time_add_ns(now, SCAN_NS);
	read_ports(i, now);
	if (make_poll(i))
		return true;
	sonic_instance_lose(i, "out of memory", now);
	return false;
}

/* --- counters ------------------------------------------------------------------------------ */

/* Counters that were not read in this turn are those of the last one. */
static bool poll_counters(struct sonic_instance *i, bool all, struct sonic_stamps *stamps,
			  bool *changed, struct dcb_time now)
{
	bool links = false, names = false;

	if (sonic_poll_links(i->poll, i->dbs[SONIC_DB_APPL], &links) &&
	    (!i->params->writes || sonic_poll_asic(i->poll, i->dbs[SONIC_DB_ASIC])) &&
	    sonic_poll_often(i->poll, i->dbs[SONIC_DB_COUNTERS], stamps, &names) &&
	    (!all || sonic_poll_rarely(i->poll, i->dbs[SONIC_DB_COUNTERS]))) {
		*changed = links || names;
		return true;
	}
	sonic_instance_lose(i, sonic_poll_error(i->poll), now);
	return false;
}

/*
 * Reads the configuration if it is due, and counters of the same names. Returns false if that
 * failed, or if names change all the time: the next turn tries again.
 */
static bool read_all(struct sonic_instance *i, struct sonic_stamps *stamps, struct dcb_time now)
{
	bool config = !i->snapshot || !i->poll || !dcb_time_before(now, i->config_at);
	bool changed = true;

	for (unsigned n = 0; n < ATTEMPTS && changed; n++) {
		bool all = config || !dcb_time_before(now, i->rarely_at);

		if ((config && !read_config(i, now)) ||
		    !poll_counters(i, all, stamps, &changed, now))
			return false;
		if (all && !changed)
			i->rarely_at = dcb_time_add_ns(now, RARELY_NS);
		config = true;
	}
	if (changed)
		i->config_at = now;
	return !changed;
}

/* Notes the stamps. Returns the groups that are not polled, one bit each. */
static uint8_t find_stale(struct sonic_instance *i, const struct sonic_switch *sw,
			  const struct sonic_stamps *stamps, struct dcb_time now)
{
	uint8_t stale = 0;

	for (unsigned g = 0; g < SONIC_GROUPS; g++) {
		int64_t limit = (int64_t)sw->poll_ms[g] * DCB_NS_PER_MS;

		if (limit < SONIC_POLL_NS)
			limit = SONIC_POLL_NS;
		if (strcmp(stamps->of[g], i->stamps.of[g]) != 0)
			i->stamped[g] = now;
		if (sw->poll_ms[g] == 0 ||
		    (stamps->of[g][0] &&
		     dcb_time_diff_ns(now, i->stamped[g]) > STALE_AFTER * limit))
			stale |= (uint8_t)(1u << g);
	}
	i->stamps = *stamps;
	return stale;
}

/* --- what has changed ---------------------------------------------------------------------- */

/* Reports storms that PFC_WD_STATUS shows, unless a message about the priority is newer. */
static void follow_states(struct sonic_instance *i, struct tracked *t, struct dcb_time now)
{
	uint8_t was = t->stormed;

	if (!(t->last.known & SONIC_OID))
		return; /* orchagent restarts: not known */
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct sonic_priority *priority = &t->last.priority[p];
		bool stormed =
		    (priority->known & SONIC_WD_STATE) && priority->wd_state == SONIC_WD_STORMED;

		if (t->told[p].ns && dcb_time_diff_ns(now, t->told[p]) < STORM_SETTLE)
			continue;
		t->told[p] = (struct dcb_time){0};
		t->stormed &= (uint8_t) ~(1u << p);
		t->stormed |= (uint8_t)(stormed << p);
	}
	report_storm(i, t, (uint8_t)(t->stormed & ~was), (uint8_t)(was & ~t->stormed));
}

static bool is_continued(const struct tracked *t)
{
	return memcmp(&t->oids, &t->read.oids, sizeof(t->oids)) == 0 &&
	       sonic_continues(&t->last, &t->read.port);
}

/* Reports a port as it is after the turn. */
static void commit_port(struct sonic_instance *i, struct tracked *t, uint8_t stale,
			struct dcb_time now)
{
	bool same, ok;

	t->read.port.stale = t->read.port.known & SONIC_OID ? stale : 0;
	same = t->is_reported && memcmp(&t->last, &t->read.port, sizeof(t->last)) == 0 &&
	       memcmp(&t->oids, &t->read.oids, sizeof(t->oids)) == 0;
	ok = same || report_port(i, t->is_reported ? SONIC_PORT_CHANGED : SONIC_PORT_ADDED,
				 &t->read.port, t->is_reported && !is_continued(t));
	if (!ok)
		return; /* out of memory: the next turn tries again */
	t->is_reported = true;
	if (!same) {
		memcpy(&t->last, &t->read.port, sizeof(t->last));
		t->oids = t->read.oids;
	}
	follow_states(i, t, now);
}

/* Removes a port that is not present. Out of memory: the next turn tries again. */
static void remove_port(struct sonic_instance *i, unsigned at)
{
	struct tracked *t = i->ports[at];

	report_storm(i, t, 0, t->stormed);
	t->stormed = 0;
	if (t->is_reported && !report_port(i, SONIC_PORT_REMOVED, &t->last, false))
		return;
	free(t);
	i->ports[at] = i->ports[--i->n];
}

/* Reports what a turn has found. */
static void commit(struct sonic_instance *i, const struct sonic_stamps *stamps, struct dcb_time now)
{
	struct sonic_switch sw;
	uint8_t stale;

	sonic_switch_of(sonic_snapshot_rows(i->snapshot), &sw);
	stale = find_stale(i, &sw, stamps, now);
	if (!i->is_told_connected)
		i->is_told_connected = i->has_sw = report_switch(i, SONIC_CONNECTED, &sw);
	else if (!i->has_sw || memcmp(&sw, &i->sw, sizeof(sw)) != 0)
		i->has_sw = report_switch(i, SONIC_SWITCH, &sw);
	i->sw = sw;
	for (unsigned k = i->n; k-- > 0;) {
		if (i->ports[k]->is_present)
			commit_port(i, i->ports[k], stale, now);
		else
			remove_port(i, k);
	}
	i->read_ns = now.ns;
}

void sonic_instance_turn(struct sonic_instance *i, const struct sonic_instance_conf *conf,
			 struct dcb_time now)
{
	struct sonic_stamps stamps;

	i->fails = false;
	if (!i->is_connected && !connect_to(i, conf, now))
		return;
	memset(&stamps, 0, sizeof(stamps));
	if (read_all(i, &stamps, now)) {
		commit(i, &stamps, now);
		i->backoff_ns = BACKOFF_NS;
	}
	if (i->fails)
		return;
	i->next = dcb_time_add_ns(now, SONIC_POLL_NS);
}

void sonic_instance_read_config(struct sonic_instance *i, struct dcb_time now)
{
	i->config_at = now;
	i->next = dcb_time_min(i->next, now);
}

/* --- messages ------------------------------------------------------------------------------ */

static void take_storm(struct sonic_instance *i, const char *text, struct dcb_time now)
{
	uint64_t oid;
	bool begins;

	if (!sonic_read_storm(text, &oid, &begins))
		return;
	for (unsigned k = 0; k < i->n; k++) {
		struct tracked *t = i->ports[k];
		uint8_t mask = 0, was = t->stormed;

		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			const struct sonic_priority *priority = &t->last.priority[p];

			if (!(priority->known & SONIC_QUEUE_OF) ||
			    t->oids.queue[priority->queue] != oid)
				continue;
			mask |= (uint8_t)(1u << p);
			t->told[p] = now;
		}
		t->stormed = (uint8_t)(begins ? was | mask : was & ~mask);
		report_storm(i, t, (uint8_t)(t->stormed & ~was), (uint8_t)(was & ~t->stormed));
	}
}

/* A key has changed: the configuration is read soon. */
static void take_change(struct sonic_instance *i, const char *channel, struct dcb_time now)
{
	struct dcb_time at = dcb_time_add_ns(now, SETTLE_NS);
	struct dcb_time soonest = dcb_time_add_ns(i->config_read, SONIC_POLL_NS);

	i->scans |= strstr(channel, ":BUFFER_P") != NULL;
	if (dcb_time_before(at, soonest))
		at = soonest;
	if (dcb_time_before(at, i->config_at))
		i->config_at = at;
	if (dcb_time_before(at, i->next))
		i->next = at;
}

void sonic_instance_messages(struct sonic_instance *i, struct dcb_time now)
{
	const char *channel, *text;
	int got;

	if (!i->messages)
		return;
	while ((got = sonic_db_message(i->messages, &channel, &text)) > 0) {
		if (strcmp(channel, STORM_CHANNEL) == 0)
			take_storm(i, text, now);
		else
			take_change(i, channel, now);
	}
	if (got < 0)
		sonic_instance_lose(i, sonic_db_error(i->messages), now);
}

/* --- the instance -------------------------------------------------------------------------- */

struct sonic_instance *sonic_instance_new(unsigned number, const struct sonic_worker_params *params,
					  int stop_fd,
					  void (*post)(void *arg, struct sonic_report *report),
					  void *arg)
{
	struct sonic_instance *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->number = number;
	i->params = params;
	i->stop_fd = stop_fd;
	i->post = post;
	i->arg = arg;
	i->backoff_ns = BACKOFF_NS;
	return i;
}

void sonic_instance_free(struct sonic_instance *i)
{
	if (!i)
		return;
	disconnect(i);
	sonic_poll_free(i->poll);
	sonic_snapshot_free(i->snapshot);
	for (unsigned k = 0; k < i->n; k++)
		free(i->ports[k]);
	free(i->ports);
	free(i);
}

bool sonic_instance_is_connected(const struct sonic_instance *i)
{
	return i->is_connected;
}

struct dcb_time sonic_instance_next(const struct sonic_instance *i)
{
	return i->next;
}

int sonic_instance_fd(const struct sonic_instance *i)
{
	return i->messages ? sonic_db_fd(i->messages) : -1;
}

int64_t sonic_instance_read_ns(const struct sonic_instance *i)
{
	return i->read_ns;
}
