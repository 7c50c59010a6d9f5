/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/kernel/kernel_worker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/thread.h"

/* What the thread knows of a port. */
struct worked {
	LIST_ENTRY(worked) next;
	struct kernel_id id;
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	const struct kernel_driver *driver;
	bool enforce;
	bool has_wanted;
	struct kernel_wanted wanted; /* of the last job */
	struct dcb_time enforced;
	int error;             /* of the last read */
	struct dcbnl_port now; /* as read last */
	struct kernel_counts counts;
	struct kernel_map map;
	/* The command of the last change, and for its undo what the device had and was given. */
	uint64_t changed_by;
	struct dcbnl_port before;
	unsigned undo_parts;
	struct dcb_app added[APP_MAX], dropped[APP_MAX];
	unsigned n_added, n_dropped;
};

LIST_HEAD(worked_list, worked);
STAILQ_HEAD(commands, kernel_command);
STAILQ_HEAD(reports, kernel_report);

struct kernel_worker {
	struct kernel_io *io;
	int wake_fd, report_fd;
	bool started;
	pthread_t thread;
	pthread_mutex_t mutex;
	struct commands commands; /* with the mutex */
	struct reports reports;   /* with the mutex */
	int64_t round_ns;         /* when all ports had been read last; atomic */
	/* The thread's. */
	struct worked_list ports;
	struct worked *by_slot[DCB_SLOTS];
	struct dcb_time next_round;
	bool in_job;
};

/* --- reports ------------------------------------------------------------------------------- */

static void post(struct kernel_worker *w, struct kernel_report *report)
{
	pthread_mutex_lock(&w->mutex);
	STAILQ_INSERT_TAIL(&w->reports, report, next);
	pthread_mutex_unlock(&w->mutex);
	(void)eventfd_write(w->report_fd, 1);
}

/* Without memory the control thread learns it with the next report of the port. */
static struct kernel_report *new_report(enum kernel_report_type type, struct kernel_id id)
{
	struct kernel_report *report = calloc(1, sizeof(*report));

	if (report) {
		report->type = type;
		report->id = id;
	}
	return report;
}

struct kernel_report *kernel_worker_report(struct kernel_worker *w)
{
	struct kernel_report *report;

	pthread_mutex_lock(&w->mutex);
	report = STAILQ_FIRST(&w->reports);
	if (report)
		STAILQ_REMOVE_HEAD(&w->reports, next);
	pthread_mutex_unlock(&w->mutex);
	return report;
}

uint32_t kernel_worker_age_ms(const struct kernel_worker *w)
{
	int64_t at = __atomic_load_n(&w->round_ns, __ATOMIC_RELAXED);

	return (uint32_t)((clock_now().ns - at) / DCB_NS_PER_MS);
}

/* --- counters ------------------------------------------------------------------------------ */

/*
 * Makes the map of the names again if their number has changed, or PFC, with which mlx5 has others.
 * n: the present number.
 */
static bool follow_names(struct kernel_io *io, const char *name, const struct kernel_driver *driver,
			 unsigned n, uint8_t pfc_enable, struct kernel_map *map)
{
	struct kernel_names names = {0};

	if (map->n == n && map->pfc_enable == pfc_enable)
		return true;
	if (kernel_io_names(io, name, &names) != 0)
		return false;
	kernel_map_make(driver->name, &names, map);
	map->pfc_enable = pfc_enable;
	free(names.of);
	return map->n == n;
}

/* Reads n values, for free(). NULL: their names are others, or out of memory. */
static uint64_t *read_n_values(struct kernel_io *io, const char *name, unsigned n)
{
	uint64_t *values = calloc(n, sizeof(*values));

	if (values && kernel_io_values(io, name, values, n) == (int)n)
		return values;
	free(values);
	return NULL;
}

/*
 * Reads all values, for free(). NULL: the interface has none, or they change just now. The kernel
 * is asked for their number, with the rtnl lock, only if the map is not of this PFC: the values
 * come with it.
 */
static uint64_t *read_values(struct kernel_io *io, const char *name,
			     const struct kernel_driver *driver, uint8_t pfc_enable,
			     struct kernel_map *map)
{
	uint64_t *values = NULL;

	/* The names can change between two requests. */
	for (unsigned i = 0; i < 2 && !values; i++) {
		bool is_known = map->n > 0 && map->pfc_enable == pfc_enable;
		int n = is_known ? (int)map->n : kernel_io_count(io, name);

		if (n == 0)
			*map = (struct kernel_map){.n = 0};
		if (n <= 0)
			return NULL;
		if (follow_names(io, name, driver, (unsigned)n, pfc_enable, map))
			values = read_n_values(io, name, (unsigned)n);
		if (!values)
			map->n = 0;
	}
	return values;
}

/* Sets *to to a counter, with the frames of pause time 0 where they are apart. */
static void take(uint32_t has, const uint16_t *at, const uint64_t *values, unsigned meaning,
		 unsigned with, uint64_t factor, uint64_t *to, uint64_t member, uint64_t *unknown)
{
	if (!(has >> meaning & 1))
		return;
	*to = values[at[meaning]] * factor;
	if (has >> with & 1 && with != meaning)
		*to += values[at[with]] * factor;
	*unknown &= ~member;
}

#define PFC_MEMBER(member) STATS_MEMBER(pfc_stats, member)

static void take_priority(const struct kernel_map *map, unsigned p, const uint64_t *values,
			  struct kernel_counts *out)
{
	struct pfc_stats *to = &out->pfc[p];
	const struct {
		unsigned meaning, with;
		uint64_t factor, *to, member;
	} of[] = {
	    {KERNEL_TX_FRAMES, KERNEL_TX_XON, 1, &to->pfc_requests, PFC_MEMBER(pfc_requests)},
	    {KERNEL_RX_FRAMES, KERNEL_RX_XON, 1, &to->pfc_indications, PFC_MEMBER(pfc_indications)},
	    {KERNEL_RX_PAUSE_US, KERNEL_RX_PAUSE_US, DCB_NS_PER_US, &to->pfc_paused_ns,
	     PFC_MEMBER(pfc_paused_ns)},
	    {KERNEL_TX_PAUSE_US, KERNEL_TX_PAUSE_US, 1, &to->pfc_pause_sent_us,
	     PFC_MEMBER(pfc_pause_sent_us)},
	    {KERNEL_RX_TRANSITIONS, KERNEL_RX_TRANSITIONS, 1, &to->pfc_transitions,
	     PFC_MEMBER(pfc_transitions)},
	    {KERNEL_DISCARDS, KERNEL_DISCARDS, 1, &to->pfc_discards, PFC_MEMBER(pfc_discards)},
	};

	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		take(map->has[p], map->at[p], values, of[i].meaning, of[i].with, of[i].factor,
		     of[i].to, of[i].member, &out->unknown[p]);
}

/* The counters of IEEE_GET, where the driver has no names for them. */
static void take_ieee(const struct dcbnl_port *now, bool swapped, unsigned p,
		      struct kernel_counts *out)
{
	const uint64_t members = PFC_MEMBER(pfc_requests) | PFC_MEMBER(pfc_indications);
	uint64_t requests = now->pfc.requests[p], indications = now->pfc.indications[p];

	if (!(now->has & DCBNL_PFC) || (out->unknown[p] & members) != members)
		return;
	out->pfc[p].pfc_requests = swapped ? indications : requests;
	out->pfc[p].pfc_indications = swapped ? requests : indications;
	out->unknown[p] &= ~members;
}

#define HARDWARE_MEMBER(member) STATS_MEMBER(hardware_stats, member)

/* values: NULL: none. */
static void take_hardware(struct kernel_io *io, const char *name,
			  const struct kernel_driver *driver, const struct kernel_map *map,
			  const uint64_t *values, struct kernel_counts *out)
{
	struct hardware_stats *to = &out->hardware;
	const struct {
		unsigned meaning;
		uint64_t *to, member;
	} of[] = {
	    {KERNEL_STORM_WARNINGS, &to->storm_warnings, HARDWARE_MEMBER(storm_warnings)},
	    {KERNEL_STORM_ERRORS, &to->storm_errors, HARDWARE_MEMBER(storm_errors)},
	};

	for (unsigned i = 0; values && i < sizeof(of) / sizeof(of[0]); i++)
		take(map->port_has, map->port_at, values, of[i].meaning, of[i].meaning, 1, of[i].to,
		     of[i].member, &out->hardware_unknown);
	if (driver->prevents_storms && kernel_io_prevention(io, name, &to->prevention_ms) == 0)
		out->hardware_unknown &= ~HARDWARE_MEMBER(prevention_ms);
}

void kernel_read_counts(struct kernel_io *io, const char *name, const struct kernel_driver *driver,
			const struct dcbnl_port *now, struct kernel_map *map,
			struct kernel_counts *out)
{
	/* Of a driver without a name no counter is known. */
	uint64_t *values =
	    driver->name[0] ? read_values(io, name, driver, now->pfc.pfc_en, map) : NULL;

	*out = (struct kernel_counts){.port_unknown = UINT64_MAX, .hardware_unknown = UINT64_MAX};
	memset(out->unknown, 0xff, sizeof(out->unknown));
	if (values)
		take(map->port_has, map->port_at, values, KERNEL_TX_FRAMES, KERNEL_TX_XON, 1,
		     &out->sent, STATS_MEMBER(port_stats, pfc_frames_sent), &out->port_unknown);
	if (values)
		take(map->port_has, map->port_at, values, KERNEL_RX_FRAMES, KERNEL_RX_XON, 1,
		     &out->received, STATS_MEMBER(port_stats, pfc_frames_received),
		     &out->port_unknown);
	take_hardware(io, name, driver, map, values, out);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (values)
			take_priority(map, p, values, out);
		if (!map->is_named)
			take_ieee(now, driver->swapped, p, out);
	}
	free(values);
}

/* --- reading ------------------------------------------------------------------------------- */

static void report_port(struct kernel_worker *w, struct worked *port)
{
	struct kernel_report *report = new_report(KERNEL_READ, port->id);

	if (!report)
		return;
	report->own = w->in_job;
	report->error = port->error;
	report->now = port->now;
	report->counts = port->counts;
	post(w, report);
}

/* Reads a port, and reports it if something has changed. */
static void read_port(struct kernel_worker *w, struct worked *port)
{
	struct kernel_counts counts;
	struct dcbnl_port now;
	int error = kernel_io_get_of(w->io, port->name, port->ifindex, &now);
	bool same;

	if (error) {
		same = port->error == error;
		port->error = error;
	} else {
		kernel_read_counts(w->io, port->name, port->driver, &now, &port->map, &counts);
		same = !port->error && memcmp(&now, &port->now, sizeof(now)) == 0 &&
		       memcmp(&counts, &port->counts, sizeof(counts)) == 0;
		port->error = 0;
		port->now = now;
		port->counts = counts;
	}
	if (!same)
		report_port(w, port);
}

/* --- writing ------------------------------------------------------------------------------- */

static bool failed(struct kernel_report *why, const char *what, int error)
{
	char text[96];

	snprintf(why->text, sizeof(why->text), "%s: %s", what,
		 dcbnl_error_text(error, text, sizeof(text)));
	return false;
}

static bool set_ets(struct kernel_worker *w, const char *name, const struct ieee_ets *ets,
		    struct kernel_report *why)
{
	const struct dcbnl_change change = {.sets = DCBNL_ETS, .ets = ets};
	struct dcbnl_result result = kernel_io_set(w->io, name, &change);

	return result.error ? failed(why, "ETS", result.error) : true;
}

static bool set_qcn(struct kernel_worker *w, const char *name, const struct ieee_qcn *qcn,
		    struct kernel_report *why)
{
	const struct dcbnl_change change = {.sets = DCBNL_QCN, .qcn = qcn};
	struct dcbnl_result result = kernel_io_set(w->io, name, &change);

	return result.error ? failed(why, "reaction points", result.error) : true;
}

static bool set_pfc(struct kernel_worker *w, const char *name, const struct ieee_pfc *pfc,
		    struct kernel_report *why)
{
	const struct dcbnl_change change = {.sets = DCBNL_PFC, .pfc = pfc};
	struct dcbnl_result result = kernel_io_set(w->io, name, &change);

	return result.error ? failed(why, "PFC", result.error) : true;
}

/* One entry a request: the kernel stops at the first that it has already, or has no more. */
static bool set_apps(struct kernel_worker *w, const char *name, const struct dcb_app *add,
		     unsigned n_add, const struct dcb_app *drop, unsigned n_drop,
		     struct kernel_report *why)
{
	for (unsigned i = 0; i < n_add; i++) {
		const struct dcbnl_change change = {
		    .sets = DCBNL_APPS, .apps = &add[i], .n_apps = 1};
		struct dcbnl_result result = kernel_io_set(w->io, name, &change);

		if (result.error && result.error != EEXIST)
			return failed(why, "application priority", result.error);
	}
	for (unsigned i = 0; i < n_drop; i++) {
		struct dcbnl_result result = kernel_io_drop_apps(w->io, name, &drop[i], 1);

		if (result.error && result.error != ENOENT)
			return failed(why, "deletion of an application priority", result.error);
	}
	return true;
}

/* Writes the parts that differ. port->now has what the device has. */
static bool write_parts(struct kernel_worker *w, struct worked *port, const struct kernel_job *job,
			struct kernel_report *why)
{
	unsigned todo = job->parts & kernel_differing_parts(&job->wanted, &port->now, port->driver);
	struct ieee_ets ets = port->now.ets;
	struct ieee_qcn qcn = port->now.qcn;
	struct ieee_pfc pfc = port->now.pfc;

	port->n_added = port->n_dropped = 0;
	if (job->parts & KERNEL_APPS)
		kernel_app_changes(&job->wanted, &job->was, &port->now.apps, port->added,
				   &port->n_added, port->dropped, &port->n_dropped);
	if (why->number && !job->undo)
		port->changed_by = why->number;
	port->before = port->now;
	port->undo_parts = 0;
	why->wrote = todo || port->n_added || port->n_dropped;
	if (todo & KERNEL_ETS) {
		port->undo_parts |= KERNEL_ETS;
		kernel_set_ets(&job->wanted, &ets);
		if (!set_ets(w, port->name, &ets, why))
			return false;
	}
	if (todo & KERNEL_RP) {
		port->undo_parts |= KERNEL_RP;
		kernel_rp_set(&job->wanted.rp, &qcn);
		if (!set_qcn(w, port->name, &qcn, why))
			return false;
	}
	if (todo & (KERNEL_PFC | KERNEL_DELAY)) {
		port->undo_parts |= KERNEL_PFC;
		kernel_set_pfc(&job->wanted, todo, &pfc);
		if (!set_pfc(w, port->name, &pfc, why))
			return false;
	}
	if (port->n_added || port->n_dropped)
		port->undo_parts |= KERNEL_APPS;
	return set_apps(w, port->name, port->added, port->n_added, port->dropped, port->n_dropped,
			why);
}

static const char *name_of_parts(unsigned parts)
{
	if (parts & KERNEL_PFC)
		return "PFC";
	if (parts & KERNEL_ETS)
		return "ETS";
	if (parts & KERNEL_RP)
		return "reaction points";
	return parts & KERNEL_APPS ? "application priorities" : "link delay";
}

/* Returns whether the device has n entries: all of them, or none. */
static bool has_apps(const struct dcbnl_apps *apps, const struct dcb_app *of, unsigned n, bool all)
{
	for (unsigned i = 0; i < n; i++) {
		bool found = false;

		for (unsigned k = 0; !found && k < apps->n; k++)
			found = of[i].selector == apps->of[k].selector &&
				of[i].protocol == apps->of[k].protocol &&
				of[i].priority == apps->of[k].priority;
		if (found != all)
			return false;
	}
	return true;
}

/* Reads the device again: success of a request says nothing. */
static bool read_back(struct kernel_worker *w, struct worked *port, const struct kernel_job *job,
		      struct kernel_report *why)
{
	unsigned differ;

	read_port(w, port);
	if (port->error)
		return failed(why, "reading the device again", port->error);
	differ = job->parts & kernel_differing_parts(&job->wanted, &port->now, port->driver);
	if (!has_apps(&port->now.apps, port->dropped, port->n_dropped, false))
		differ |= KERNEL_APPS;
	if (differ)
		snprintf(why->text, sizeof(why->text),
			 "%s: the driver reports success, but the device does not have it",
			 name_of_parts(differ));
	return !differ;
}

/* Returns those parts of the last change that the device does not have as before. */
static unsigned not_restored(const struct worked *port)
{
	const struct dcbnl_port *to = &port->before, *now = &port->now;
	unsigned parts = 0;

	if (memcmp(&now->ets, &to->ets, sizeof(to->ets)) != 0)
		parts |= KERNEL_ETS;
	if (memcmp(&now->qcn, &to->qcn, sizeof(to->qcn)) != 0)
		parts |= KERNEL_RP;
	if (now->pfc.pfc_en != to->pfc.pfc_en || now->pfc.delay != to->pfc.delay ||
	    now->pfc.mbc != to->pfc.mbc)
		parts |= KERNEL_PFC;
	if (!has_apps(&now->apps, port->added, port->n_added, false) ||
	    !has_apps(&now->apps, port->dropped, port->n_dropped, true))
		parts |= KERNEL_APPS;
	return parts & port->undo_parts;
}

/*
 * Writes what the device had before the change by a command, if it has made one. Application
 * entries of other programs stay.
 */
static bool restore(struct kernel_worker *w, struct worked *port, uint64_t command,
		    struct kernel_report *why)
{
	const struct dcbnl_port *to = &port->before;
	unsigned parts = not_restored(port);
	bool ok = true;

	if (port->changed_by != command)
		return true;
	why->wrote = parts;
	if (parts & KERNEL_ETS)
		ok &= set_ets(w, port->name, &to->ets, why);
	if (parts & KERNEL_RP)
		ok &= set_qcn(w, port->name, &to->qcn, why);
	if (parts & KERNEL_PFC)
		ok &= set_pfc(w, port->name, &to->pfc, why);
	if (parts & KERNEL_APPS)
		ok &= set_apps(w, port->name, port->dropped, port->n_dropped, port->added,
			       port->n_added, why);
	read_port(w, port);
	if (port->error)
		return failed(why, "reading the device again", port->error);
	if (not_restored(port)) {
		if (ok)
			snprintf(why->text, sizeof(why->text),
				 "the device does not take its former values back");
		return false;
	}
	port->undo_parts = 0;
	return true;
}

static struct worked *find(struct kernel_worker *w, struct kernel_id id)
{
	struct worked *port = w->by_slot[id.slot];

	return port && port->id.number == id.number ? port : NULL;
}

static bool run_job(struct kernel_worker *w, struct worked *port, const struct kernel_job *job,
		    struct kernel_report *why)
{
	if (job->undo && port->changed_by != job->undo)
		return true;
	read_port(w, port); /* what others have changed is not a change by this job */
	if (port->error)
		return failed(why, "reading the device", port->error);
	w->in_job = true;
	if (job->undo && !port->enforce)
		return restore(w, port, job->undo, why);
	if (write_parts(w, port, job, why))
		return read_back(w, port, job, why);
	read_port(w, port);
	return false;
}

/* PROVIDER_ENFORCE writes these again. */
static void keep_wanted(struct kernel_worker *w, const struct kernel_job *job)
{
	struct worked *port = find(w, job->id);

	if (!port)
		return;
	port->wanted = job->wanted;
	port->has_wanted = true;
}

/* Runs a job. Returns its report, for free(); NULL: out of memory. *ok: its result. */
static struct kernel_report *run_reported(struct kernel_worker *w, const struct kernel_job *job,
					  uint64_t number, bool *ok)
{
	struct worked *port = find(w, job->id);
	struct kernel_report *report = new_report(KERNEL_WROTE, job->id);
	struct kernel_report no_memory = {.type = KERNEL_WROTE};
	struct kernel_report *to = report ? report : &no_memory;

	to->number = number;
	to->ok = port ? run_job(w, port, job, to) : failed(to, "the port", ENODEV);
	if (!to->ok && port && job->alone && !job->undo)
		(void)restore(w, port, number, &(struct kernel_report){.ok = false});
	w->in_job = false;
	*ok = to->ok;
	return report;
}

/* Restores the ports of the first n jobs of a command. */
static bool undo_jobs(struct kernel_worker *w, const struct kernel_command *command, unsigned n)
{
	bool ok = true;

	w->in_job = true;
	for (unsigned i = 0; i < n; i++) {
		struct worked *port = find(w, command->jobs[i].id);
		struct kernel_report why = {.ok = false};

		if (command->jobs[i].alone || !port)
			continue;
		ok &= restore(w, port, command->number, &why);
	}
	w->in_job = false;
	return ok;
}

static void post_all(struct kernel_worker *w, struct reports *done)
{
	struct kernel_report *report;

	while ((report = STAILQ_FIRST(done))) {
		STAILQ_REMOVE_HEAD(done, next);
		post(w, report);
	}
}

/* Another port has refused: changes of those before it are taken back. */
static void report_undone(struct kernel_worker *w, struct reports *done)
{
	struct kernel_report *report;

	STAILQ_FOREACH(report, done, next)
	{
		report->ok = false;
		snprintf(report->text, sizeof(report->text),
			 "taken back, as another port has refused the change");
	}
	post_all(w, done);
}

/* The same: to those after it nothing is written. */
static void report_not_written(struct kernel_worker *w, const struct kernel_job *job,
			       uint64_t number)
{
	struct kernel_report *report = new_report(KERNEL_WROTE, job->id);

	if (!report)
		return;
	report->number = number;
	snprintf(report->text, sizeof(report->text),
		 "not written, as another port has refused the change");
	post(w, report);
}

/* Sets the result of a command, which a port has refused. */
static void note_refusal(struct kernel_report *to, const struct kernel_job *job,
			 const struct kernel_report *report)
{
	to->ok = false;
	to->id = job->id;
	if (report)
		memcpy(to->text, report->text, sizeof(to->text));
}

/*
 * The reports of ports that have their settings wait for those of the others: until then the ports
 * are pending.
 */
static void write_all(struct kernel_worker *w, const struct kernel_command *command)
{
	struct kernel_report *out = new_report(KERNEL_WRITTEN, (struct kernel_id){0});
	struct kernel_report lost = {.ok = false}, *to = out ? out : &lost, *report;
	struct reports done = STAILQ_HEAD_INITIALIZER(done);
	bool ok;

	to->number = command->number;
	to->ok = true;
	for (unsigned i = 0; i < command->n_jobs; i++) {
		const struct kernel_job *job = &command->jobs[i];
		bool may_stop = !job->alone && !command->restores;

		keep_wanted(w, job);
		if (!job->parts)
			continue;
		if (!to->ok && may_stop) {
			report_not_written(w, job, command->number);
			continue;
		}
		report = run_reported(w, job, command->number, &ok);
		if (!ok && !job->alone && to->ok)
			note_refusal(to, job, report);
		if (report && ok && !job->alone)
			STAILQ_INSERT_TAIL(&done, report, next);
		else if (report)
			post(w, report);
		if (!ok && may_stop) {
			to->undone = undo_jobs(w, command, i + 1);
			report_undone(w, &done);
		}
	}
	post_all(w, &done);
	if (out)
		post(w, out);
}

/* PROVIDER_ENFORCE: writes again what others have changed. */
static void enforce(struct kernel_worker *w, struct worked *port)
{
	struct dcb_time now = clock_now();
	struct kernel_job job = {.id = port->id, .alone = true, .wanted = port->wanted};
	struct kernel_report *report;
	bool ok;

	if (!port->enforce || !port->has_wanted || port->error ||
	    kernel_owner(&port->now) != PROVIDER_OWNER_HOST ||
	    dcb_time_diff_ns(now, port->enforced) < KERNEL_ENFORCE_NS)
		return;
	job.was = port->wanted;
	job.parts = kernel_differing_parts(&port->wanted, &port->now, port->driver);
	if (!job.parts)
		return;
	port->enforced = now;
	report = run_reported(w, &job, 0, &ok);
	if (report)
		post(w, report);
}

/* --- the thread ---------------------------------------------------------------------------- */

static void add_port(struct kernel_worker *w, const struct kernel_command *command)
{
	struct worked *port = calloc(1, sizeof(*port));

	if (!port)
		return; /* its values stay those of port_open() */
	port->id = command->id;
	port->ifindex = command->ifindex;
	memcpy(port->name, command->name, sizeof(port->name));
	port->driver = kernel_driver(command->driver);
	port->enforce = command->enforce;
	port->enforced = dcb_time_add_ns(clock_now(), -KERNEL_ENFORCE_NS);
	LIST_INSERT_HEAD(&w->ports, port, next);
	w->by_slot[port->id.slot] = port;
	read_port(w, port);
}

static void remove_port(struct kernel_worker *w, struct worked *port)
{
	w->by_slot[port->id.slot] = NULL;
	LIST_REMOVE(port, next);
	free(port);
}

/* Returns false if the thread has to end. */
static bool run_command(struct kernel_worker *w, const struct kernel_command *command)
{
	struct worked *port;

	switch (command->type) {
	case KERNEL_ADD:
		add_port(w, command);
		break;
	case KERNEL_NAME:
		port = find(w, command->id);
		if (!port)
			break;
		memcpy(port->name, command->name, sizeof(port->name));
		read_port(w, port);
		break;
	case KERNEL_REMOVE:
		port = find(w, command->id);
		if (port)
			remove_port(w, port);
		break;
	case KERNEL_WRITE:
		write_all(w, command);
		break;
	case KERNEL_STOP:
		return false;
	}
	return true;
}

static struct kernel_command *take_command(struct kernel_worker *w)
{
	struct kernel_command *command;

	pthread_mutex_lock(&w->mutex);
	command = STAILQ_FIRST(&w->commands);
	if (command)
		STAILQ_REMOVE_HEAD(&w->commands, next);
	pthread_mutex_unlock(&w->mutex);
	return command;
}

static bool run_commands(struct kernel_worker *w)
{
	struct kernel_command *command;
	bool go_on = true;

	while (go_on && (command = take_command(w))) {
		go_on = run_command(w, command);
		free(command);
	}
	return go_on;
}

static void read_changed(struct kernel_worker *w)
{
	char name[IF_NAMESIZE];
	struct worked *port;

	while (kernel_io_changed(w->io, name)) {
		if (name[0] == '\0')
			w->next_round = clock_now();
		for (port = LIST_FIRST(&w->ports); port; port = LIST_NEXT(port, next))
			if (strcmp(port->name, name) == 0)
				read_port(w, port);
	}
}

static void read_round(struct kernel_worker *w)
{
	struct dcb_time now = clock_now();
	struct worked *port;

	if (dcb_time_before(now, w->next_round))
		return;
	for (port = LIST_FIRST(&w->ports); port; port = LIST_NEXT(port, next)) {
		read_port(w, port);
		enforce(w, port);
	}
	w->next_round = dcb_time_add_ns(now, KERNEL_POLL_NS);
	__atomic_store_n(&w->round_ns, now.ns, __ATOMIC_RELAXED);
}

static void *run(void *arg)
{
	struct kernel_worker *w = arg;
	struct pollfd fds[] = {{.fd = w->wake_fd, .events = POLLIN},
			       {.fd = kernel_io_fd(w->io), .events = POLLIN}};
	eventfd_t ignored;

	(void)prctl(PR_SET_NAME, "kernel");
	for (;;) {
		int64_t left = dcb_time_diff_ns(w->next_round, clock_now());

		(void)poll(fds, 2, left > 0 ? (int)(left / DCB_NS_PER_MS) + 1 : 0);
		(void)eventfd_read(w->wake_fd, &ignored);
		if (!run_commands(w))
			return NULL;
		read_changed(w);
		read_round(w);
	}
}

/* --- control thread ------------------------------------------------------------------------ */

struct kernel_worker *kernel_worker_new(struct kernel_io *io, int fd)
{
	struct kernel_worker *w = calloc(1, sizeof(*w));

	if (w)
		w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!w || w->wake_fd < 0) {
		free(w);
		kernel_io_destroy(io);
		return NULL;
	}
	w->io = io;
	w->report_fd = fd;
	w->next_round = clock_now();
	w->round_ns = w->next_round.ns;
	pthread_mutex_init(&w->mutex, NULL);
	STAILQ_INIT(&w->commands);
	STAILQ_INIT(&w->reports);
	LIST_INIT(&w->ports);
	return w;
}

int kernel_worker_start(struct kernel_worker *w)
{
	int error = w->started ? 0 : thread_start(&w->thread, run, w);

	w->started = w->started || !error;
	return error;
}

void kernel_worker_send(struct kernel_worker *w, struct kernel_command *command)
{
	pthread_mutex_lock(&w->mutex);
	STAILQ_INSERT_TAIL(&w->commands, command, next);
	pthread_mutex_unlock(&w->mutex);
	(void)eventfd_write(w->wake_fd, 1);
}

static void free_lists(struct kernel_worker *w)
{
	struct kernel_command *command;
	struct kernel_report *report;

	while ((command = take_command(w)))
		free(command);
	while ((report = kernel_worker_report(w)))
		free(report);
	while (!LIST_EMPTY(&w->ports))
		remove_port(w, LIST_FIRST(&w->ports));
}

void kernel_worker_free(struct kernel_worker *w)
{
	struct kernel_command *stop = w->started ? calloc(1, sizeof(*stop)) : NULL;

	if (w->started) {
		if (!stop)
			return; /* out of memory: the thread goes on until the process ends */
		stop->type = KERNEL_STOP;
		kernel_worker_send(w, stop);
		pthread_join(w->thread, NULL);
	}
	free_lists(w);
	kernel_io_destroy(w->io);
	close(w->wake_fd);
	pthread_mutex_destroy(&w->mutex);
	free(w);
}
