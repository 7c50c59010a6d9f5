/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/provider_sonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "dataplane/core/pfc_watchdog.h"
#include "dataplane/sonic/sonic_patch.h"
#include "dataplane/sonic/sonic_settings.h"
#include "dataplane/sonic/sonic_worker.h"
#include "lib/clock.h"
#include "lib/log.h"

/* Events of an interface that are due, a bit each. */
#define DUE(type) (1u << (type))

/* A storm of a priority: what the databases do not keep. */
struct storm {
	bool lasts;
	uint8_t action, cause, end; /* as in struct pfc_watchdog_stats */
	struct dcb_time detected, ended;
	uint64_t blocked_ns;
	/* Of struct sonic_priority, when it began; and, once it has ended, how much was added. */
	uint64_t frames, pause_us, drops;
	uint64_t indications, paused_ns, dropped;
};

/* From the agreement of a manager with a setting until SONiC has it. */
enum writing {
	WRITING_NOTHING,
	WRITING_NEXT, /* it is in the next patch */
	WRITING_NOW,  /* it is in the patch that is being applied */
	WRITING_DONE, /* the patch is applied: the databases are to show it */
};

/*
 * How long a SET waits at least for SONiC to refuse or confirm it. With the period of tick(), 1 s,
 * it is less than MANAGED_CONFIRM_MS, after which it would be taken back. `config apply-patch`
 * needs seconds; dcbHardwareState tells the end.
 */
#define ANSWER_NS (1500 * DCB_NS_PER_MS)
/* From the end of a patch until orchagent has given it to the ASIC. */
#define CONFIRM_NS (30 * DCB_NS_PER_S)

/* An interface of SONiC, and the port that it is. */
struct switched {
	struct port base; /* valid while is_open */
	bool is_open, is_gone;
	unsigned instance;
	struct sonic_port now;
	struct storm storms[DCB_PRIORITIES];
	uint8_t stormed, ended; /* PROVIDER_PFC_STORM is due for these */
	uint32_t changes;       /* of settings */
	/* Settings of the configuration committed last; members 0: it has not been committed. */
	struct sonic_wanted last;
	struct sonic_wanted wanted; /* to be written */
	enum writing writing;
	struct dcb_time confirm_until; /* WRITING_DONE */
	enum provider_outcome outcome;
	char refusal[200]; /* PROVIDER_REFUSED: why */
	uint32_t writes, failures;
	struct port_fault fault;
	char complaint[200];
	unsigned due;
	TAILQ_ENTRY(switched) next_due;
	LIST_ENTRY(switched) entry;
};

/* The databases of one ASIC. */
struct instance {
	uint8_t mac[DCB_MAC_OCTETS];
	char hwsku[DCB_DRIVER_OCTETS];
	char space[SONIC_SPACE_OCTETS];
	char lost[128]; /* why they cannot be read; empty: they can */
};

struct sonic {
	struct provider base;
	int event_fd;
	struct sonic_worker *worker;
	struct instance instances[SONIC_INSTANCES];
	LIST_HEAD(switched_list, switched) all;
	TAILQ_HEAD(due_list, switched) due;
	uint64_t adopted;
	bool adopted_is_due;
	bool writes;                   /* settings can be set */
	bool is_writing;               /* a patch is being applied */
	enum provider_outcome outcome; /* of the SET that changed a setting last */
	bool outcome_is_due;
	struct dcb_time answer_at; /* PROVIDER_PENDING */
	struct provider_refusal why;
};

static struct sonic *sonic_of(const struct provider *p)
{
	return (struct sonic *)(uintptr_t)p;
}

static struct switched *switched_of(const struct port *port)
{
	return (struct switched *)(uintptr_t)port;
}

static void make_due(struct sonic *s, struct switched *w, enum provider_event_type type)
{
	if (!w->due)
		TAILQ_INSERT_TAIL(&s->due, w, next_due);
	w->due |= DUE(type);
}

static void make_undue(struct sonic *s, struct switched *w, unsigned types)
{
	if (w->due && !(w->due & ~types))
		TAILQ_REMOVE(&s->due, w, next_due);
	w->due &= ~types;
}

static struct switched *find(struct sonic *s, const char *name)
{
	struct switched *w = LIST_FIRST(&s->all);

	while (w && (w->is_gone || strcmp(w->now.name, name) != 0))
		w = LIST_NEXT(w, entry);
	return w;
}

static bool link_of(const struct sonic *s, const struct switched *w, struct link_info *out)
{
	return sonic_link_of(&w->now, s->instances[w->instance].mac, out);
}

static void destroy_switched(struct sonic *s, struct switched *w)
{
	make_undue(s, w, ~0u);
	LIST_REMOVE(w, entry);
	free(w);
}

/* --- ports --------------------------------------------------------------------------------- */

/* Some counters come and go, as those of the watchdog: a capability stays. */
static void set_capabilities(struct switched *w)
{
	const uint32_t sticky = PROVIDER_PFC_STATS | PROVIDER_PFC_BUFFER | PROVIDER_HEADROOM_PEAK;

	w->base.has = sonic_caps(&w->now) | (w->base.has & sticky);
	w->base.sets = w->base.has & PROVIDER_HEADROOM; /* what SONiC does not have */
	if (sonic_of(w->base.provider)->writes)
		w->base.sets |= w->base.has & (PROVIDER_PFC | PROVIDER_CABLE_LENGTH);
}

/* PFC acts on links: a LAG is no port. */
static void set_aggregate(struct switched *w)
{
	snprintf(w->base.settings.aggregate, sizeof(w->base.settings.aggregate), "%.15s",
		 w->now.lag);
}

static struct port *sonic_port_open(struct provider *p, uint16_t slot, const struct link_info *link,
				    const struct port_settings *settings, char *err, size_t errlen)
{
	struct sonic *s = sonic_of(p);
	struct switched *w = find(s, link->name);

	if (!w || w->is_open) {
		/* Message: SONiC has removed the interface meanwhile. */
		snprintf(err, errlen, "%s: SONiC has no such port", link->name);
		return NULL;
	}
	w->base = (struct port){.provider = p, .slot = slot, .link = *link, .settings = *settings};
	w->base.settings.policy = s->writes ? PROVIDER_ADOPT : PROVIDER_WATCH;
	w->base.follows = true;
	set_aggregate(w);
	w->is_open = true;
	set_capabilities(w);
	/* The counters of an ASIC neither begin at 0 nor end with dcbd. */
	make_due(s, w, PROVIDER_DISCONTINUITY);
	/* Settings that dcbd has kept are older than those of SONiC. */
	make_due(s, w, PROVIDER_OPER);
	(void)eventfd_write(s->event_fd, 1);
	return &w->base;
}

static void sonic_port_update(struct port *port, const struct link_info *link)
{
	port->link = *link;
}

static void sonic_port_close(struct port *port)
{
	struct sonic *s = sonic_of(port->provider);
	struct switched *w = switched_of(port);

	w->is_open = false;
	w->last = w->wanted = (struct sonic_wanted){.members = 0};
	w->writing = WRITING_NOTHING;
	w->outcome = PROVIDER_IN_FORCE;
	make_undue(s, w, ~(DUE(PROVIDER_LINK) | DUE(PROVIDER_LINK_GONE)));
	if (w->is_gone)
		destroy_switched(s, w);
}

static void sonic_each_link(const struct provider *p,
			    void (*fn)(void *ctx, const struct link_info *link), void *ctx)
{
	const struct sonic *s = sonic_of(p);
	const struct switched *w = LIST_FIRST(&s->all), *next;
	struct link_info link;

	for (; w; w = next) {
		next = LIST_NEXT(w, entry);
		if (!w->is_gone && link_of(s, w, &link))
			fn(ctx, &link);
	}
}

/* --- configurations ------------------------------------------------------------------------ */

/* What a manager has set, of what SONiC keeps. */
static struct sonic_wanted settings_of(const struct port_config *config)
{
	return (struct sonic_wanted){
	    .members = SONIC_SETTINGS,
	    .pfc_enable = config->pfc.enable,
	    .cable_m = config->pfc_headroom.cable_m,
	};
}

/* Returns the settings that a configuration changes, of those that can be set. */
static uint32_t changes_of(const struct switched *w, const struct sonic_wanted *to)
{
	uint32_t changed = 0;

	if (w->last.members && w->base.sets & PROVIDER_PFC && w->last.pfc_enable != to->pfc_enable)
		changed |= SONIC_PFC_ENABLE;
	if (w->last.members && w->base.sets & PROVIDER_CABLE_LENGTH &&
	    w->last.cable_m != to->cable_m)
		changed |= SONIC_CABLE;
	return changed;
}

static bool sonic_prepare(struct provider *p, const struct dcb_config *config,
			  struct provider_refusal *why)
{
	const struct sonic *s = sonic_of(p);

	for (size_t i = 0; i < config->n_ports; i++) {
		const struct switched *w = switched_of(config->ports[i].port);
		struct sonic_wanted to = settings_of(config->ports[i].config);
		const char *cannot;

		to.members = changes_of(w, &to);
		if (to.members)
			to.members = sonic_differs(&w->now, &to);
		if (!to.members)
			continue;
		cannot = s->instances[w->instance].lost;
		if (!cannot[0])
			cannot = sonic_cannot(&w->now, to.members);
		if (cannot)
			return provider_refuse(
			    why, PROVIDER_CANNOT, &w->base,
			    to.members & SONIC_PFC_ENABLE ? PROVIDER_PFC : PROVIDER_CABLE_LENGTH,
			    "%s", cannot);
	}
	return true;
}

/* A setting is not in force: that of SONiC becomes the port's again. */
static void refuse(struct sonic *s, struct switched *w, const char *why)
{
	w->writing = WRITING_NOTHING;
	w->wanted.members = 0;
	w->outcome = PROVIDER_REFUSED;
	w->failures++;
	snprintf(w->refusal, sizeof(w->refusal), "%s", why);
	make_due(s, w, PROVIDER_OPER);
	if (s->outcome != PROVIDER_PENDING)
		return;
	provider_refuse(&s->why, PROVIDER_FAILED, &w->base, 0, "%s", why);
	s->outcome = PROVIDER_REFUSED;
	s->outcome_is_due = true;
}

static void confirm(struct sonic *s, struct switched *w)
{
	w->writing = WRITING_NOTHING;
	w->wanted.members = 0;
	w->outcome = PROVIDER_IN_FORCE;
	w->writes++;
	make_due(s, w, PROVIDER_OPER);
}

/* Ends the wait of a SET: nothing is being written any more, or it has taken too long. */
static void answer(struct sonic *s, struct dcb_time now)
{
	const struct switched *w = LIST_FIRST(&s->all);

	if (s->outcome != PROVIDER_PENDING)
		return;
	while (w && w->writing == WRITING_NOTHING)
		w = LIST_NEXT(w, entry);
	if (w && dcb_time_before(now, s->answer_at))
		return;
	s->outcome = PROVIDER_IN_FORCE;
	s->outcome_is_due = true;
}

/* Gives the worker one patch with the settings of all ports that are to be written. */
static void write_next(struct sonic *s)
{
	json_t *patch;
	bool ok, any = false;
	struct switched *w;
	char *text;

	if (s->is_writing)
		return;
	patch = json_array();
	ok = patch;
	for (w = LIST_FIRST(&s->all); w; w = LIST_NEXT(w, entry)) {
		if (w->writing != WRITING_NEXT)
			continue;
		ok = ok &&
		     sonic_patch_add(patch, s->instances[w->instance].space, &w->now, &w->wanted);
		w->writing = WRITING_NOW;
		any = true;
	}
	text = any && ok ? json_dumps(patch, JSON_COMPACT) : NULL;
	json_decref(patch);
	s->is_writing = text && sonic_worker_apply(s->worker, text);
	free(text);
	for (w = LIST_FIRST(&s->all); w && any && !s->is_writing; w = LIST_NEXT(w, entry))
		if (w->writing == WRITING_NOW)
			refuse(s, w, "out of memory");
}

/* Notes what a configuration changes at a port. Returns whether something is to be written. */
static bool change(struct switched *w, struct sonic_wanted to)
{
	uint32_t changed = changes_of(w, &to);
	struct sonic_wanted wanted = w->wanted;

	w->last = to;
	wanted.members |= changed;
	if (changed & SONIC_PFC_ENABLE)
		wanted.pfc_enable = to.pfc_enable;
	if (changed & SONIC_CABLE)
		wanted.cable_m = to.cable_m;
	/* A patch that is being applied has other values. */
	if (!changed || (w->writing == WRITING_NOTHING && !sonic_differs(&w->now, &wanted)))
		return false;
	w->wanted = wanted;
	w->writing = WRITING_NEXT;
	w->outcome = PROVIDER_PENDING;
	return true;
}

static bool sonic_commit(struct provider *p, const struct dcb_config *config,
			 struct provider_refusal *why)
{
	struct sonic *s = sonic_of(p);
	bool any = false;

	(void)why;
	for (size_t i = 0; i < config->n_ports; i++)
		any |= change(switched_of(config->ports[i].port),
			      settings_of(config->ports[i].config));
	if (any) {
		s->outcome = PROVIDER_PENDING;
		s->answer_at = dcb_time_add_ns(clock_now(), ANSWER_NS);
		write_next(s);
	} else if (s->outcome == PROVIDER_REFUSED) {
		s->outcome = PROVIDER_IN_FORCE; /* the refused values are taken back */
	}
	s->adopted = config->generation;
	s->adopted_is_due = true;
	(void)eventfd_write(s->event_fd, 1);
	return true;
}

static enum provider_outcome sonic_outcome(const struct provider *p, struct provider_refusal *why)
{
	const struct sonic *s = sonic_of(p);

	if (s->outcome == PROVIDER_REFUSED)
		*why = s->why;
	return s->outcome;
}

/* A port whose patch is applied has the settings when the databases and the ASIC show them. */
static void look(struct sonic *s, struct switched *w, struct dcb_time now)
{
	bool pfc = w->wanted.members & SONIC_PFC_ENABLE;

	if (w->writing != WRITING_DONE)
		return;
	if (!sonic_differs(&w->now, &w->wanted) &&
	    (!pfc || sonic_asic_has(&w->now, w->wanted.pfc_enable)))
		confirm(s, w);
	else if (!dcb_time_before(now, w->confirm_until))
		refuse(s, w,
		       sonic_differs(&w->now, &w->wanted)
			   ? "SONiC has taken the values, and its databases do not have them"
			   : "SONiC has taken PFC, and the ASIC does not have it");
}

static void take_applied(struct sonic *s, const char *error, struct dcb_time now)
{
	struct switched *w;

	s->is_writing = false;
	if (error[0])
		/*
		 * Message: SONiC's generic config updater has refused a patch, or cannot be
		 * reached, for this reason. The settings of SONiC stay as they were. Try the
		 * change with `config` on the switch.
		 */
		log_warn_limited("sonic", "settings not written: %s", error);
	for (w = LIST_FIRST(&s->all); w; w = LIST_NEXT(w, entry)) {
		if (w->writing != WRITING_NOW)
			continue;
		if (error[0]) {
			refuse(s, w, error);
			continue;
		}
		w->writing = WRITING_DONE;
		w->confirm_until = dcb_time_add_ns(now, CONFIRM_NS);
		look(s, w, now);
	}
	write_next(s);
	answer(s, now);
}

static void sonic_tick(struct provider *p, struct dcb_time now)
{
	struct sonic *s = sonic_of(p);
	struct switched *w;

	for (w = LIST_FIRST(&s->all); w && s->writes; w = LIST_NEXT(w, entry))
		look(s, w, now);
	answer(s, now);
	if (s->outcome_is_due || !TAILQ_EMPTY(&s->due))
		(void)eventfd_write(s->event_fd, 1);
}

/* --- reports of the worker ----------------------------------------------------------------- */

static void add_switched(struct sonic *s, const struct sonic_report *r)
{
	struct switched *w = calloc(1, sizeof(*w));
	struct link_info link;

	if (!w) {
		/* Message: as "out of memory" */
		log_error("port", "%s: out of memory: not managed", r->port.name);
		return;
	}
	w->instance = r->instance;
	w->now = r->port;
	LIST_INSERT_HEAD(&s->all, w, entry);
	if (link_of(s, w, &link))
		make_due(s, w, PROVIDER_LINK);
	else
		/*
		 * Message: Names of ports have at most 15 octets, as those of the kernel's
		 * interfaces. The port of SONiC is not managed.
		 */
		log_warn("port", "%s: expected a name of at most %d octets: not managed",
			 r->port.name, IF_NAMESIZE - 1);
}

/* What a manager can see of it as settings. */
static bool is_same_settings(const struct sonic_port *a, const struct sonic_port *b)
{
	if (a->known != b->known || a->pfc_enable != b->pfc_enable ||
	    a->pfcwd_enable != b->pfcwd_enable || a->wd_action != b->wd_action ||
	    a->cable_m != b->cable_m || a->wd_detection_ms != b->wd_detection_ms ||
	    a->wd_restoration_ms != b->wd_restoration_ms ||
	    memcmp(&a->ets, &b->ets, sizeof(a->ets)) != 0 ||
	    memcmp(a->dscp_priority, b->dscp_priority, sizeof(a->dscp_priority)) != 0)
		return false;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (a->priority[p].lossless != b->priority[p].lossless ||
		    a->priority[p].xoff != b->priority[p].xoff ||
		    a->priority[p].xon != b->priority[p].xon)
			return false;
	return true;
}

static bool is_same_link(const struct sonic_port *a, const struct sonic_port *b)
{
	return a->admin_up == b->admin_up && a->oper_up == b->oper_up && a->mtu == b->mtu &&
	       a->speed_mbps == b->speed_mbps && strcmp(a->alias, b->alias) == 0;
}

static void note_complaint(struct sonic *s, struct switched *w)
{
	char was[sizeof(w->complaint)];

	memcpy(was, w->complaint, sizeof(was));
	sonic_complaint(&w->now, w->complaint, sizeof(w->complaint));
	if (strcmp(was, w->complaint) == 0)
		return;
	make_due(s, w, PROVIDER_OPER);
	if (w->complaint[0])
		/*
		 * Message: A row of SONiC's databases has a value that it should not have, or
		 * SONiC has ceased to read counters from the ASIC (`counterpoll show`). The value
		 * is not known, or the counters stand still.
		 */
		log_warn_limited("port", "%s: %s", w->now.name, w->complaint);
}

static void change_port(struct sonic *s, struct switched *w, const struct sonic_report *r)
{
	bool same = is_same_settings(&w->now, &r->port);
	bool same_link = is_same_link(&w->now, &r->port);
	struct dcb_time now = clock_now();
	uint32_t had = w->base.has;

	w->now = r->port;
	if (!same_link)
		make_due(s, w, PROVIDER_LINK);
	if (!w->is_open)
		return;
	look(s, w, now);
	answer(s, now);
	set_capabilities(w);
	set_aggregate(w);
	if (w->base.has != had)
		make_due(s, w, PROVIDER_CAPABILITIES);
	w->changes += !same;
	if (!same)
		make_due(s, w, PROVIDER_OPER);
	if (r->discontinuity)
		make_due(s, w, PROVIDER_DISCONTINUITY);
	note_complaint(s, w);
}

static void remove_switched(struct sonic *s, struct switched *w)
{
	make_undue(s, w, ~0u);
	w->is_gone = true;
	make_due(s, w, PROVIDER_LINK_GONE);
}

static uint64_t drops_of(const struct sonic_priority *of)
{
	return of->wd_tx_drops + of->wd_rx_drops;
}

static void begin_storm(struct switched *w, unsigned p, struct dcb_time now)
{
	const struct sonic_priority *of = &w->now.priority[p];

	w->storms[p] = (struct storm){
	    .lasts = true,
	    .action = sonic_action(&w->now, p),
	    .cause = PFC_STORM_BLOCKED,
	    .end = PFC_STORM_LASTS,
	    .detected = now,
	    .blocked_ns = (uint64_t)w->now.wd_detection_ms * DCB_NS_PER_MS,
	    .frames = of->rx_frames,
	    .pause_us = of->rx_pause_us,
	    .drops = drops_of(of),
	};
}

/* What a storm has added until now. */
static void count_storm(struct storm *storm, const struct sonic_priority *of)
{
	storm->indications = of->rx_frames - storm->frames;
	storm->paused_ns = (of->rx_pause_us - storm->pause_us) * DCB_NS_PER_US;
	storm->dropped = drops_of(of) - storm->drops;
}

static void note_storms(struct sonic *s, struct switched *w, uint8_t stormed, uint8_t ended)
{
	struct dcb_time now = clock_now();

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		struct storm *storm = &w->storms[p];

		if (stormed >> p & 1)
			begin_storm(w, p, now);
		if (!(ended >> p & 1) || !storm->lasts)
			continue;
		count_storm(storm, &w->now.priority[p]);
		storm->lasts = false;
		storm->end = PFC_STORM_PAUSE_OVER;
		storm->ended = now;
	}
	w->stormed |= stormed;
	w->ended |= ended;
	if (w->is_open)
		make_due(s, w, PROVIDER_PFC_STORM);
}

/* Each port of an instance that is lost, or has returned, says so. */
static void note_instance(struct sonic *s, unsigned instance, const char *lost)
{
	struct instance *of = &s->instances[instance];
	struct switched *w;

	snprintf(of->lost, sizeof(of->lost), "%s", lost);
	for (w = LIST_FIRST(&s->all); w; w = LIST_NEXT(w, entry)) {
		if (w->instance != instance || !w->is_open)
			continue;
		memcpy(w->fault.text, of->lost, sizeof(w->fault.text));
		w->fault.failures += of->lost[0] != '\0';
		make_due(s, w, PROVIDER_OPER);
	}
}

static void take_switch(struct sonic *s, const struct sonic_report *r)
{
	struct instance *of = &s->instances[r->instance];
	struct switched *w;
	bool same = memcmp(of->mac, r->sw.mac, sizeof(of->mac)) == 0;

	memcpy(of->space, r->space, sizeof(of->space));
	memcpy(of->mac, r->sw.mac, sizeof(of->mac));
	snprintf(of->hwsku, sizeof(of->hwsku), "%.31s", r->sw.hwsku);
	for (w = LIST_FIRST(&s->all); w && !same; w = LIST_NEXT(w, entry))
		if (w->instance == r->instance && !w->is_gone)
			make_due(s, w, PROVIDER_LINK);
}

static void log_connected(const struct sonic_report *r)
{
	if (r->space[0])
		log_info("sonic", "databases of %s: connected", r->space);
	else
		log_info("sonic", "databases: connected");
}

static void log_lost(const struct sonic_report *r)
{
	/*
	 * Message: The databases of SONiC cannot be read, for this reason. The ports keep their
	 * values, whose age is dcbHardwareAge; dcbd tries again every few seconds. It needs the
	 * group `redis`, and with a password `sonic.password_file`.
	 */
	log_warn_limited("sonic", "%s%s%s", r->space, r->space[0] ? ": " : "", r->text);
}

static void take_report(struct sonic *s, const struct sonic_report *r)
{
	struct switched *w;

	switch (r->type) {
	case SONIC_CONNECTED:
		log_connected(r);
		note_instance(s, r->instance, "");
		take_switch(s, r);
		return;
	case SONIC_SWITCH:
		take_switch(s, r);
		return;
	case SONIC_LOST:
		log_lost(r);
		note_instance(s, r->instance, r->text);
		return;
	case SONIC_PORT_ADDED:
		add_switched(s, r);
		return;
	case SONIC_APPLIED:
		take_applied(s, r->text, clock_now());
		return;
	default:
		break;
	}
	w = find(s, r->port.name);
	if (!w)
		return;
	if (r->type == SONIC_PORT_CHANGED)
		change_port(s, w, r);
	else if (r->type == SONIC_PORT_REMOVED)
		remove_switched(s, w);
	else if (r->type == SONIC_STORM)
		note_storms(s, w, r->stormed, r->ended);
}

/* --- events -------------------------------------------------------------------------------- */

static int sonic_event_fd(const struct provider *p)
{
	return sonic_of(p)->event_fd;
}

/* Sets *ev to the next event of an interface. Returns false if none is due. */
static bool next_of_switched(struct sonic *s, struct provider_event *ev)
{
	static const enum provider_event_type order[] = {
	    PROVIDER_LINK_GONE, PROVIDER_LINK,          PROVIDER_CAPABILITIES,
	    PROVIDER_OPER,      PROVIDER_DISCONTINUITY, PROVIDER_PFC_STORM};
	struct switched *w = TAILQ_FIRST(&s->due);
	unsigned i = 0;

	if (!w)
		return false;
	while (!(w->due & DUE(order[i])))
		i++;
	make_undue(s, w, DUE(order[i]));
	*ev = (struct provider_event){.type = order[i], .slot = w->base.slot};
	switch (order[i]) {
	case PROVIDER_LINK:
		(void)link_of(s, w, &ev->link);
		break;
	case PROVIDER_LINK_GONE:
		(void)link_of(s, w, &ev->link);
		if (!w->is_open)
			destroy_switched(s, w);
		break;
	case PROVIDER_PFC_STORM:
		ev->stormed = w->stormed;
		ev->ended = w->ended;
		w->stormed = w->ended = 0;
		break;
	default:
		break;
	}
	return true;
}

static bool sonic_next_event(struct provider *p, struct provider_event *ev)
{
	struct sonic *s = sonic_of(p);
	struct sonic_report *r;
	eventfd_t ignored;

	(void)eventfd_read(s->event_fd, &ignored);
	for (;;) {
		if (s->adopted_is_due) {
			s->adopted_is_due = false;
			*ev = (struct provider_event){.type = PROVIDER_ADOPTED,
						      .generation = s->adopted};
			break;
		}
		/* Before the settings of SONiC become those of ports again. */
		if (s->outcome_is_due) {
			s->outcome_is_due = false;
			*ev = (struct provider_event){.type = PROVIDER_OUTCOME};
			break;
		}
		if (next_of_switched(s, ev))
			break;
		r = sonic_worker_report(s->worker);
		if (!r)
			return false;
		take_report(s, r);
		free(r);
	}
	(void)eventfd_write(s->event_fd, 1); /* there may be more */
	return true;
}

/* --- reading ------------------------------------------------------------------------------- */

static void sonic_read_oper(const struct port *port, struct provider_oper *out)
{
	const struct switched *w = switched_of(port);
	const struct sonic *s = sonic_of(port->provider);

	*out = (struct provider_oper){
	    .outcome = (uint8_t)w->outcome,
	    .writes = w->writes,
	    .failures = w->failures,
	    .policy = port->settings.policy,
	    .owner = PROVIDER_OWNER_SYSTEM,
	    .changes = w->changes,
	    .age_ms = sonic_worker_age_ms(s->worker, w->instance),
	};
	sonic_oper_of(&w->now, out);
	memcpy(out->driver, s->instances[w->instance].hwsku, sizeof(out->driver));
	if (w->outcome == PROVIDER_REFUSED)
		snprintf(out->text, sizeof(out->text), "%s", w->refusal);
	else if (w->fault.text[0])
		snprintf(out->text, sizeof(out->text), "%s", w->fault.text);
	else if (w->complaint[0])
		snprintf(out->text, sizeof(out->text), "%s", w->complaint);
	else if (!s->writes)
		snprintf(out->text, sizeof(out->text), "SONiC has the settings");
}

static bool sonic_adopt_settings(const struct port *port, uint8_t cnpvs, struct port_config *config)
{
	const struct switched *w = switched_of(port);
	struct sonic_port is = w->now;

	(void)cnpvs; /* SONiC has no reaction points */
	sonic_put_wanted(&is, &w->wanted);
	return sonic_adopt(&is, config);
}

static uint64_t sonic_unknown_of(const struct port *port, enum stats_of of, unsigned priority)
{
	return sonic_unknown(&switched_of(port)->now, of, priority);
}

static void sonic_read_pfc(const struct port *port, unsigned priority, struct pfc_stats *out)
{
	sonic_pfc_stats(&switched_of(port)->now, priority, out);
}

static void sonic_read_buffer(const struct port *port, unsigned priority, struct buffer_stats *out)
{
	sonic_buffer_stats(&switched_of(port)->now, priority, out);
}

static uint64_t state_of(const struct switched *w, unsigned priority)
{
	if (!sonic_is_watched(&w->now, priority))
		return PFC_WATCHDOG_OFF;
	if (w->storms[priority].lasts || w->now.priority[priority].wd_state == SONIC_WD_STORMED)
		return PFC_WATCHDOG_STORM;
	return PFC_WATCHDOG_WATCHING;
}

static void sonic_read_watchdog(const struct port *port, unsigned priority,
				struct pfc_watchdog_stats *out)
{
	const struct switched *w = switched_of(port);
	const struct sonic_priority *of = &w->now.priority[priority];
	struct storm storm = w->storms[priority];

	if (storm.lasts)
		count_storm(&storm, of);
	*out = (struct pfc_watchdog_stats){
	    .state = state_of(w, priority),
	    .storms = of->wd_storms,
	    .ended = of->wd_ended,
	    .dropped_total = drops_of(of),
	    .dropped_storm = storm.dropped,
	    .action = storm.action ? storm.action : PFC_WATCHDOG_NONE,
	    .cause = storm.cause ? storm.cause : PFC_STORM_NO_CAUSE,
	    .end = storm.end ? storm.end : PFC_STORM_NONE,
	    .restoration_ns = (uint64_t)w->now.wd_restoration_ms * DCB_NS_PER_MS,
	    .detected_ns = (uint64_t)storm.detected.ns,
	    .ended_ns = (uint64_t)storm.ended.ns,
	    .blocked_ns = storm.blocked_ns,
	    .indications = storm.indications,
	    .paused_ns = storm.paused_ns,
	};
}

static void sonic_read_port(const struct port *port, struct port_stats *out)
{
	*out = (struct port_stats){.up = port->link.up};
}

static const struct port_fault *sonic_fault(const struct port *port)
{
	return &switched_of(port)->fault;
}

/* --- the provider -------------------------------------------------------------------------- */

static void sonic_destroy(struct provider *p)
{
	struct sonic *s = sonic_of(p);

	sonic_worker_free(s->worker);
	while (!LIST_EMPTY(&s->all))
		destroy_switched(s, LIST_FIRST(&s->all));
	close(s->event_fd);
	free(s);
}

static const struct provider_ops sonic_ops = {
    .name = "sonic",
    .port_open = sonic_port_open,
    .port_update = sonic_port_update,
    .port_close = sonic_port_close,
    .each_link = sonic_each_link,
    .tick = sonic_tick,
    .prepare = sonic_prepare,
    .commit = sonic_commit,
    .outcome = sonic_outcome,
    .event_fd = sonic_event_fd,
    .next_event = sonic_next_event,
    .read_oper = sonic_read_oper,
    .adopt = sonic_adopt_settings,
    .unknown = sonic_unknown_of,
    .read_pfc = sonic_read_pfc,
    .read_pfc_watchdog = sonic_read_watchdog,
    .read_buffer = sonic_read_buffer,
    .read_port = sonic_read_port,
    .fault = sonic_fault,
    .destroy = sonic_destroy,
};

struct provider *provider_sonic_start(const struct sonic_worker_params *params, char *err,
				      size_t errlen)
{
	struct sonic *s = calloc(1, sizeof(*s));

	if (s)
		s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!s || s->event_fd < 0) {
		snprintf(err, errlen, "out of memory or file descriptors");
		free(s);
		return NULL;
	}
	s->base.ops = &sonic_ops;
	s->writes = params->writes;
	LIST_INIT(&s->all);
	TAILQ_INIT(&s->due);
	s->worker = sonic_worker_start(params, s->event_fd, err, errlen);
	if (s->worker)
		return &s->base;
	close(s->event_fd);
	free(s);
	return NULL;
}
