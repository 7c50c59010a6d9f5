/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/kernel/provider_kernel.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dataplane/kernel/kernel_worker.h"
#include "lib/clock.h"
#include "lib/log.h"

#define PFC_MEMBER(member) STATS_MEMBER(pfc_stats, member)

/* Events of a port that are due, a bit each. */
#define DUE(type) (1u << (type))

struct hardware {
	struct port base;
	struct kernel_id id;
	const struct kernel_driver *driver;
	char driver_name[KERNEL_DRIVER_OCTETS];
	struct dcbnl_port now;
	struct kernel_counts counts;
	struct kernel_wanted wanted;      /* of the configuration committed last */
	bool is_committed;                /* wanted is set */
	const struct port_config *config; /* of the same configuration, which the caller keeps */
	/* The last command that writes to this port. */
	uint64_t number;
	unsigned parts;           /* that it writes */
	uint64_t undo;            /* the command that it undoes; 0: none */
	struct kernel_wanted was; /* wanted before it */
	enum provider_outcome outcome;
	char text[200]; /* why values are not in force */
	uint8_t differs;
	uint64_t differs_since_ms;
	uint32_t writes, failures, changes;
	struct port_fault fault;
	unsigned due;
	TAILQ_ENTRY(hardware) next_due;
	LIST_ENTRY(hardware) entry;
};

struct kernel {
	struct provider base;
	struct kernel_io *io;
	bool may_write;
	int event_fd;
	struct kernel_worker *worker;
	LIST_HEAD(hardware_list, hardware) ports;
	struct hardware *by_slot[DCB_SLOTS];
	TAILQ_HEAD(due_list, hardware) due;
	const struct dcb_config *last;   /* committed */
	struct kernel_command *prepared; /* jobs of the configuration that is prepared */
	unsigned n_refused;              /* ports whose outcome is PROVIDER_REFUSED */
	uint64_t next_id, next_number, adopted;
	bool adopted_is_due, outcome_is_due;
	/* While the outcome is pending: the first and the last command that it depends on. */
	uint64_t first, number;
	bool is_refused; /* one of them was, and why is set */
	enum provider_outcome outcome;
	struct provider_refusal why;
};

static struct kernel *kernel_of(const struct provider *p)
{
	return (struct kernel *)(uintptr_t)p;
}

static struct hardware *hardware_of(const struct port *port)
{
	return (struct hardware *)(uintptr_t)port;
}

static void make_due(struct kernel *k, struct hardware *h, enum provider_event_type type)
{
	if (!h->due)
		TAILQ_INSERT_TAIL(&k->due, h, next_due);
	h->due |= DUE(type);
	(void)eventfd_write(k->event_fd, 1);
}

static void set_outcome(struct kernel *k, struct hardware *h, enum provider_outcome outcome)
{
	k->n_refused -= h->outcome == PROVIDER_REFUSED;
	k->n_refused += outcome == PROVIDER_REFUSED;
	h->outcome = outcome;
}

/* --- who may write ------------------------------------------------------------------------- */

/* The first user namespace is PROC_USER_INIT_INO of proc_ns.h. */
static bool is_first_namespace(void)
{
	struct stat is;

	return stat("/proc/self/ns/user", &is) == 0 && is.st_ino == 0xeffffffd;
}

/* Returns whether the kernel permits the calling thread to change DCB settings. */
static bool may_write(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &head, data) == 0 &&
	       (data[0].effective >> CAP_NET_ADMIN & 1) != 0 && is_first_namespace();
}

/* Writes why dcbd does not write to the device; empty: it does. */
static void why_read_only(const struct hardware *h, char *text, size_t size)
{
	const struct kernel_driver *d = h->driver;
	enum provider_owner owner = kernel_owner(&h->now);
	char help[96] = "";

	text[0] = '\0';
	if (h->base.settings.policy == PROVIDER_WATCH) {
		snprintf(text, size, "policy \"watch\" of dcbd.conf");
	} else if (owner != PROVIDER_OWNER_HOST) {
		if (d->host_flag)
			snprintf(help, sizeof(help), "; see ethtool --set-priv-flags %.15s %s %s",
				 h->base.link.name, d->host_flag,
				 d->host_flag_value ? "on" : "off");
		else
			snprintf(help, sizeof(help), "; see take_over in dcbd.conf(5)");
		snprintf(text, size, "%s%s",
			 owner == PROVIDER_OWNER_FIRMWARE
			     ? "the firmware speaks DCBX and decides"
			     : "the driver does not say that DCBX of IEEE is the host's",
			 help);
	} else if (!kernel_of(h->base.provider)->may_write) {
		snprintf(text, size, "dcbd needs CAP_NET_ADMIN in the first user namespace");
	}
}

/* --- capabilities -------------------------------------------------------------------------- */

static bool knows(const struct kernel_counts *counts, uint64_t members)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if ((counts->unknown[p] & members) != members)
			return true;
	return false;
}

/* Some drivers name counters of a priority only while it has PFC: a capability stays. */
static uint32_t has_of(const struct hardware *h)
{
	unsigned parts = kernel_parts(&h->now, h->driver);
	uint32_t has = PROVIDER_HARDWARE | (h->base.has & PROVIDER_PFC_STATS);
	char why[200];

	if (parts & KERNEL_PFC)
		has |= PROVIDER_PFC;
	if (parts & KERNEL_ETS)
		has |= PROVIDER_ETS;
	if (parts & KERNEL_DELAY)
		has |= h->driver->delay == KERNEL_DELAY_METRES ? PROVIDER_CABLE_LENGTH
							       : PROVIDER_LINK_DELAY;
	if (knows(&h->counts, PFC_MEMBER(pfc_requests) | PFC_MEMBER(pfc_indications)))
		has |= PROVIDER_PFC_COUNT;
	if (knows(&h->counts, PFC_MEMBER(pfc_paused_ns) | PFC_MEMBER(pfc_pause_sent_us) |
				  PFC_MEMBER(pfc_transitions)))
		has |= PROVIDER_PFC_PAUSE_TIME;
	if (knows(&h->counts, PFC_MEMBER(pfc_discards)))
		has |= PROVIDER_PFC_DISCARD;
	if (parts & KERNEL_RP)
		has |= PROVIDER_RP;
	why_read_only(h, why, sizeof(why));
	if (!why[0])
		has |= PROVIDER_DCBX;
	return has;
}

/* Only a device that dcbd writes to has settings that can be set. */
static void set_capabilities(struct hardware *h)
{
	h->base.has = has_of(h);
	h->base.sets =
	    h->base.has & PROVIDER_DCBX ? (uint16_t)(h->base.has & PROVIDER_SETS_ALL) : 0;
}

static void log_read_only(const struct hardware *h)
{
	char why[200];

	why_read_only(h, why, sizeof(why));
	if (why[0])
		/*
		 * Message: dcbd writes nothing to the device of the port, for this reason, and a
		 * SET is notWritable.
		 */
		log_info_limited("port", "%s: its device is not written to: %s", h->base.link.name,
				 why);
	else
		log_info_limited("port", "%s: its device can be written to", h->base.link.name);
}

/* --- ports --------------------------------------------------------------------------------- */

static struct kernel_command *new_command(enum kernel_command_type type, unsigned n_jobs)
{
	struct kernel_command *c = calloc(1, sizeof(*c) + n_jobs * sizeof(struct kernel_job));

	if (c)
		c->type = type;
	return c;
}

/* Reads the device of an interface. Returns an errno. */
static int read_device(struct kernel *k, struct hardware *h)
{
	const char *name = h->base.link.name;
	struct kernel_map map = {.n = 0};
	struct kernel_driver_info info;
	int error = kernel_io_get_of(k->io, name, h->base.link.ifindex, &h->now);

	if (error)
		return error;
	(void)kernel_io_driver(k->io, name, &info); /* a driver can be without */
	memcpy(h->driver_name, info.driver, sizeof(h->driver_name));
	h->driver = kernel_driver(h->driver_name);
	kernel_read_counts(k->io, name, h->driver, &h->now, &map, &h->counts);
	return 0;
}

/* Takes DCBX over from the firmware, if dcbd.conf says so. A driver can set defaults then. */
static void take_over(struct kernel *k, struct hardware *h)
{
	const uint8_t host = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	const char *name = h->base.link.name;

	if (!h->base.settings.take_over || !k->may_write ||
	    kernel_owner(&h->now) == PROVIDER_OWNER_HOST)
		return;
	(void)kernel_io_set_dcbx(k->io, name, host); /* drivers also answer 1 for success */
	if (read_device(k, h) != 0 || kernel_owner(&h->now) != PROVIDER_OWNER_HOST)
		/*
		 * Message: `take_over` is set, and the driver did not give DCBX to the host: the
		 * port is read-only. Switch the DCBX of the firmware off by the tool of the NIC, or
		 * by the flag of ethtool that the message names.
		 */
		log_warn("port", "%s: the driver does not give DCBX to the host%s%s", name,
			 h->driver->host_flag ? "; private flag of ethtool: " : "",
			 h->driver->host_flag ? h->driver->host_flag : "");
	else
		log_info("port", "%s: DCBX taken over%s", name,
			 h->driver->dcbx_resets ? ": the driver has set its default ETS and PFC"
						: "");
}

static bool add_to_worker(struct kernel *k, const struct hardware *h)
{
	struct kernel_command *c = new_command(KERNEL_ADD, 0);

	if (!c)
		return false;
	c->id = h->id;
	c->ifindex = h->base.link.ifindex;
	memcpy(c->name, h->base.link.name, sizeof(c->name));
	memcpy(c->driver, h->driver_name, sizeof(c->driver));
	c->enforce = h->base.settings.policy == PROVIDER_ENFORCE && k->may_write;
	kernel_worker_send(k->worker, c);
	return true;
}

static struct hardware *open_device(struct kernel *k, struct hardware *h, char *err, size_t errlen)
{
	char text[96];
	int error = read_device(k, h);

	if (error == EOPNOTSUPP)
		/*
		 * Message: The driver of the interface has no DCB, so that nothing can be managed
		 * through the kernel. Use `provider = "soft"`, or `"observe"` for a device that
		 * another system manages.
		 */
		snprintf(err, errlen,
			 "%s: the driver has no DCB: expected provider \"soft\" or \"observe\"",
			 h->base.link.name);
	else if (error)
		/* Message: The device could not be read, for this reason. */
		snprintf(err, errlen, "%s: reading its device: %s", h->base.link.name,
			 dcbnl_error_text(error, text, sizeof(text)));
	if (error)
		return NULL;
	take_over(k, h);
	set_capabilities(h);
	if (!h->base.sets)
		log_read_only(h);
	if (add_to_worker(k, h))
		return h;
	snprintf(err, errlen, "%s: out of memory", h->base.link.name);
	return NULL;
}

static struct port *kernel_port_open(struct provider *p, uint16_t slot,
				     const struct link_info *link,
				     const struct port_settings *settings, char *err, size_t errlen)
{
	struct kernel *k = kernel_of(p);
	struct hardware *h = calloc(1, sizeof(*h));

	if (!h) {
		snprintf(err, errlen, "%s: out of memory", link->name);
		return NULL;
	}
	h->base = (struct port){.provider = p, .slot = slot, .link = *link, .settings = *settings};
	if (!h->base.settings.policy)
		h->base.settings.policy = PROVIDER_ADOPT;
	h->id = (struct kernel_id){++k->next_id, slot};
	if (!open_device(k, h, err, errlen)) {
		free(h);
		return NULL;
	}
	LIST_INSERT_HEAD(&k->ports, h, entry);
	k->by_slot[slot] = h;
	/* The counters of a device neither begin at 0 nor end with dcbd. */
	make_due(k, h, PROVIDER_DISCONTINUITY);
	return &h->base;
}

static void kernel_port_update(struct port *port, const struct link_info *link)
{
	struct hardware *h = hardware_of(port);
	bool renamed = strcmp(port->link.name, link->name) != 0;
	struct kernel_command *c;

	port->link = *link;
	c = renamed ? new_command(KERNEL_NAME, 0) : NULL;
	if (!c)
		return;
	c->id = h->id;
	memcpy(c->name, link->name, sizeof(c->name));
	kernel_worker_send(kernel_of(port->provider)->worker, c);
}

static void kernel_port_close(struct port *port)
{
	struct kernel *k = kernel_of(port->provider);
	struct hardware *h = hardware_of(port);
	struct kernel_command *c = new_command(KERNEL_REMOVE, 0);

	if (c) { /* else the worker reads it until dcbd ends, and its reports are of no port */
		c->id = h->id;
		kernel_worker_send(k->worker, c);
	}
	if (h->due)
		TAILQ_REMOVE(&k->due, h, next_due);
	set_outcome(k, h, PROVIDER_IN_FORCE);
	if (k->why.port == port)
		k->why.port = NULL;
	k->by_slot[port->slot] = NULL;
	LIST_REMOVE(h, entry);
	free(h);
}

/* --- configurations ------------------------------------------------------------------------ */

/* Returns the parts to write to a port that is new in the configuration. */
static unsigned first_parts(const struct hardware *h, const struct kernel_wanted *wanted)
{
	unsigned differ = kernel_differing_parts(wanted, &h->now, h->driver);

	if (h->base.settings.policy == PROVIDER_ENFORCE)
		return differ;
	return differ & ~kernel_set_parts(&h->now, h->driver);
}

/* Whether the last command with the port was to undo another one, and could not. */
static bool is_not_undone(const struct hardware *h)
{
	return h->outcome == PROVIDER_REFUSED && h->undo;
}

/* Returns the settings of the SET that the configuration makes or undoes; NULL: of none. */
static const struct port_config *set_of(const struct hardware *h, const struct dcb_config *config,
					const struct port_config *settings)
{
	if (settings == h->config)
		return NULL;
	return config->restores ? h->config : settings;
}

/*
 * Returns the parts that the configuration changes, against the one committed last, and those that
 * a SET has set to the values before: the device can have others.
 */
static unsigned changed_parts(const struct hardware *h, const struct kernel_wanted *wanted,
			      const struct port_config *set)
{
	unsigned changed = kernel_changed_parts(wanted, &h->wanted);

	if (set)
		changed |= set->set_parts;
	changed &= kernel_parts(&h->now, h->driver);
	if (changed && h->base.settings.policy == PROVIDER_ENFORCE)
		changed |= kernel_differing_parts(wanted, &h->now, h->driver);
	return changed;
}

/*
 * Returns the command to undo, so that the device has its former values, which need not be the
 * settings; 0: the settings are to be written.
 */
static uint64_t command_to_undo(const struct hardware *h, const struct dcb_config *config,
				const struct kernel_wanted *wanted, unsigned changed)
{
	if (!changed && is_not_undone(h))
		return h->undo;
	if (!config->restores || h->undo || kernel_changed_parts(wanted, &h->was))
		return 0;
	return h->number;
}

/* Makes the job of a port that is in the configuration committed last. */
static void make_job(const struct hardware *h, const struct dcb_config *config,
		     const struct port_config *settings, struct kernel_job *job)
{
	const struct port_config *set = set_of(h, config, settings);
	unsigned changed = h->base.sets ? changed_parts(h, &job->wanted, set) : 0;
	bool again = h->base.sets && h->outcome == PROVIDER_REFUSED, only;

	job->parts = changed;
	job->undo = command_to_undo(h, config, &job->wanted, changed);
	/* A refused change is tried again, without effect on others but for the UNDO of a SET. */
	if (again && (!changed || is_not_undone(h)))
		job->parts |= h->parts;
	job->alone = !changed && !(config->restores && is_not_undone(h));
	/* What others have changed of other priorities stays. */
	only = !job->alone && h->base.settings.policy == PROVIDER_ADOPT;
	kernel_wanted_change(&job->wanted, &h->wanted, only);
	if (only && set) {
		job->wanted.pfc_mask |= set->set_pfc;
		job->wanted.rp.mask |= set->set_rp;
	}
}

/*
 * Returns the first position from pos whose port may want something else than before, or has
 * refused its settings.
 */
static size_t next_changed(const struct kernel *k, const struct dcb_config *config, size_t pos)
{
	return dcb_config_next_changed_from(config, k->n_refused ? NULL : k->last, pos);
}

/*
 * Writes the jobs of a configuration to out, which has room for all its ports. false: *why. A
 * change is refused that the device cannot have; one that is undone was in force before.
 */
static bool make_jobs(const struct kernel *k, const struct dcb_config *config,
		      struct kernel_command *out, struct provider_refusal *why)
{
	out->n_jobs = 0;
	for (size_t i = next_changed(k, config, 0); i < config->n_ports;
	     i = next_changed(k, config, i + 1)) {
		const struct dcb_config_port *at = &config->ports[i];
		const struct hardware *h = hardware_of(at->port);
		struct kernel_job *job = &out->jobs[out->n_jobs];

		kernel_wanted_of(at, config->cnpv_acting, h->driver, &job->wanted);
		job->id = h->id;
		job->was = h->wanted;
		if (h->is_committed) {
			make_job(h, config, at->config, job);
		} else {
			job->parts = h->base.sets ? first_parts(h, &job->wanted) : 0;
			job->undo = 0;
			job->alone = true;
		}
		if (!job->alone && !config->restores &&
		    !kernel_can(&job->wanted, job->parts, &h->now, h->driver, at->port, why))
			return false;
		out->n_jobs += job->parts || h->base.settings.policy == PROVIDER_ENFORCE;
	}
	out->restores = config->restores;
	return true;
}

static size_t count_changed(const struct kernel *k, const struct dcb_config *config)
{
	size_t n = 0;

	for (size_t i = next_changed(k, config, 0); i < config->n_ports;
	     i = next_changed(k, config, i + 1))
		n++;
	return n;
}

static bool kernel_prepare(struct provider *p, const struct dcb_config *config,
			   struct provider_refusal *why)
{
	struct kernel *k = kernel_of(p);
	/* One more: make_jobs() writes the job of a port before it knows whether it is one. */
	struct kernel_command *c =
	    new_command(KERNEL_WRITE, (unsigned)count_changed(k, config) + 1);

	if (!c)
		return provider_refuse(why, PROVIDER_NO_RESOURCE, NULL, 0, "out of memory");
	if (!make_jobs(k, config, c, why)) {
		free(c);
		return false;
	}
	k->prepared = c;
	return true;
}

static void kernel_abort(struct provider *p, const struct dcb_config *config)
{
	struct kernel *k = kernel_of(p);

	(void)config;
	free(k->prepared);
	k->prepared = NULL;
}

static void note_differences(struct kernel *k, struct hardware *h)
{
	unsigned differ = h->is_committed && h->base.sets
			      ? kernel_differing_parts(&h->wanted, &h->now, h->driver)
			      : 0;

	if (h->outcome == PROVIDER_PENDING || differ == h->differs)
		return;
	if (!h->differs)
		h->differs_since_ms = clock_real_ms();
	h->differs = (uint8_t)differ;
	if (!differ)
		h->differs_since_ms = 0;
	make_due(k, h, PROVIDER_OPER);
}

static void note_pending(struct kernel *k, const struct kernel_command *c)
{
	for (unsigned i = 0; i < c->n_jobs; i++) {
		const struct kernel_job *job = &c->jobs[i];
		struct hardware *h = k->by_slot[job->id.slot];

		if (!job->parts)
			continue;
		h->number = c->number;
		h->parts = job->parts;
		h->undo = job->undo;
		h->was = job->was;
		set_outcome(k, h, PROVIDER_PENDING);
		make_due(k, h, PROVIDER_OPER);
	}
}

static void note_wanted(struct kernel *k, const struct dcb_config *config)
{
	for (size_t i = next_changed(k, config, 0); i < config->n_ports;
	     i = next_changed(k, config, i + 1)) {
		struct hardware *h = hardware_of(config->ports[i].port);
		uint8_t cnpvs = h->wanted.rp.cnpvs;

		kernel_wanted_of(&config->ports[i], config->cnpv_acting, h->driver, &h->wanted);
		if (!h->base.sets && h->wanted.rp.cnpvs != cnpvs)
			make_due(k, h, PROVIDER_OPER); /* their rows have initial values */
		h->config = config->ports[i].config;
		h->is_committed = true;
		note_differences(k, h);
	}
}

/* A configuration is in force when those before it are, as far as it does not replace them. */
static void note_command(struct kernel *k, struct kernel_command *c)
{
	bool waits = false;

	c->number = ++k->next_number;
	for (size_t i = 0; i < c->n_jobs; i++)
		waits |= !c->jobs[i].alone;
	if (k->outcome != PROVIDER_PENDING) {
		k->outcome = PROVIDER_IN_FORCE;
		k->first = c->number;
		k->is_refused = false;
	}
	if (waits) {
		k->outcome = PROVIDER_PENDING;
		k->number = c->number;
	}
}

static bool kernel_commit(struct provider *p, const struct dcb_config *config,
			  struct provider_refusal *why)
{
	struct kernel *k = kernel_of(p);
	struct kernel_command *c = k->prepared;
	int error = kernel_worker_start(k->worker);

	k->prepared = NULL;
	if (error) {
		free(c);
		return provider_refuse(why, PROVIDER_FAILED, NULL, 0, "thread: %s",
				       strerror(error));
	}
	note_command(k, c);
	note_pending(k, c);
	note_wanted(k, config);
	if (c->n_jobs)
		kernel_worker_send(k->worker, c);
	else
		free(c);
	k->last = config;
	k->adopted = config->generation;
	k->adopted_is_due = true;
	(void)eventfd_write(k->event_fd, 1);
	return true;
}

static enum provider_outcome kernel_outcome(const struct provider *p, struct provider_refusal *why)
{
	const struct kernel *k = kernel_of(p);

	if (k->outcome == PROVIDER_REFUSED)
		*why = k->why;
	return k->outcome;
}

/* --- reports of the worker ----------------------------------------------------------------- */

static bool decreases(const struct kernel_counts *was, const struct kernel_counts *is)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct pfc_stats *a = &was->pfc[p], *b = &is->pfc[p];
		uint64_t new = was->unknown[p] & ~is->unknown[p];

		if (new || (was->unknown[p] == is->unknown[p] &&
			    (b->pfc_requests < a->pfc_requests ||
			     b->pfc_indications < a->pfc_indications ||
			     b->pfc_paused_ns < a->pfc_paused_ns ||
			     b->pfc_pause_sent_us < a->pfc_pause_sent_us ||
			     b->pfc_transitions < a->pfc_transitions ||
			     b->pfc_discards < a->pfc_discards)))
			return true;
	}
	return is->sent < was->sent || is->received < was->received ||
	       is->hardware.storm_warnings < was->hardware.storm_warnings ||
	       is->hardware.storm_errors < was->hardware.storm_errors;
}

static bool rp_decreases(const struct ieee_qcn_stats *was, const struct ieee_qcn_stats *is)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (is->rppp_created_rps[p] < was->rppp_created_rps[p] ||
		    is->rppp_rp_centiseconds[p] < was->rppp_rp_centiseconds[p])
			return true;
	return false;
}

/* What a manager can see of the device, but counters. */
static bool is_same_device(const struct dcbnl_port *a, const struct dcbnl_port *b)
{
	return a->has == b->has && a->dcbx == b->dcbx && a->pfc.pfc_en == b->pfc.pfc_en &&
	       a->pfc.pfc_cap == b->pfc.pfc_cap && a->pfc.delay == b->pfc.delay &&
	       memcmp(&a->ets, &b->ets, sizeof(a->ets)) == 0 &&
	       memcmp(&a->qcn, &b->qcn, sizeof(a->qcn)) == 0 &&
	       memcmp(&a->maxrate, &b->maxrate, sizeof(a->maxrate)) == 0 &&
	       memcmp(&a->buffer, &b->buffer, sizeof(a->buffer)) == 0 &&
	       memcmp(&a->apps, &b->apps, sizeof(a->apps)) == 0 &&
	       a->peer_pfc.pfc_en == b->peer_pfc.pfc_en;
}

static void note_error(struct kernel *k, struct hardware *h, int error)
{
	char text[96];

	if (!error) {
		if (h->fault.text[0])
			make_due(k, h, PROVIDER_OPER);
		h->fault = (struct port_fault){.failures = h->fault.failures};
		return;
	}
	h->fault.failures++;
	snprintf(h->fault.text, sizeof(h->fault.text), "its device cannot be read: %s",
		 dcbnl_error_text(error, text, sizeof(text)));
	make_due(k, h, PROVIDER_OPER);
}

static void note_device(struct kernel *k, struct hardware *h, const struct kernel_report *r)
{
	bool same = is_same_device(&h->now, &r->now);
	uint32_t had = h->base.has;
	uint16_t set = h->base.sets;

	if (decreases(&h->counts, &r->counts) || rp_decreases(&h->now.qcn_stats, &r->now.qcn_stats))
		make_due(k, h, PROVIDER_DISCONTINUITY);
	h->now = r->now;
	h->counts = r->counts;
	set_capabilities(h);
	if (!h->base.sets != !set)
		log_read_only(h);
	if (h->base.has != had || h->base.sets != set)
		make_due(k, h, PROVIDER_CAPABILITIES);
	if (!same) {
		h->changes += !r->own;
		make_due(k, h, PROVIDER_OPER);
	}
	note_differences(k, h);
}

static void note_job(struct kernel *k, struct hardware *h, const struct kernel_report *r)
{
	h->writes += r->wrote && r->ok;
	h->failures += !r->ok;
	/* Of a former configuration, or written again by PROVIDER_ENFORCE before the last one. */
	if (r->number ? r->number != h->number : h->outcome == PROVIDER_PENDING)
		return;
	set_outcome(k, h, r->ok ? PROVIDER_IN_FORCE : PROVIDER_REFUSED);
	memcpy(h->text, r->text, sizeof(r->text));
	note_differences(k, h);
	make_due(k, h, PROVIDER_OPER);
}

static void note_written(struct kernel *k, const struct kernel_report *r)
{
	const struct hardware *at = k->by_slot[r->id.slot];
	const struct hardware *h = at && at->id.number == r->id.number ? at : NULL;
	bool is_last = r->number == k->number;

	if (k->outcome != PROVIDER_PENDING || r->number < k->first || r->number > k->number)
		return;
	/* A later command for the port replaces the refused one. */
	if (!r->ok && (is_last || (h && h->number == r->number))) {
		k->is_refused = true;
		provider_refuse(&k->why, r->undone ? PROVIDER_FAILED : PROVIDER_NOT_UNDONE,
				h ? &h->base : NULL, 0, "%s", r->text);
	}
	if (!is_last)
		return;
	k->outcome = k->is_refused ? PROVIDER_REFUSED : PROVIDER_IN_FORCE;
	k->outcome_is_due = true;
}

static void take_report(struct kernel *k, const struct kernel_report *r)
{
	struct hardware *h = k->by_slot[r->id.slot];

	if (r->type == KERNEL_WRITTEN) {
		note_written(k, r);
		return;
	}
	if (!h || h->id.number != r->id.number)
		return; /* it was closed */
	if (r->type == KERNEL_WROTE) {
		note_job(k, h, r);
		return;
	}
	note_error(k, h, r->error);
	if (!r->error)
		note_device(k, h, r);
}

static int kernel_event_fd(const struct provider *p)
{
	return kernel_of(p)->event_fd;
}

/* Returns false if no port has a due event. */
static bool next_of_port(struct kernel *k, struct provider_event *ev)
{
	static const enum provider_event_type order[] = {PROVIDER_CAPABILITIES, PROVIDER_OPER,
							 PROVIDER_DISCONTINUITY};
	struct hardware *h = TAILQ_FIRST(&k->due);
	unsigned i = 0;

	if (!h)
		return false;
	while (!(h->due & DUE(order[i])))
		i++;
	h->due &= ~DUE(order[i]);
	if (!h->due)
		TAILQ_REMOVE(&k->due, h, next_due);
	*ev = (struct provider_event){.type = order[i], .slot = h->base.slot};
	return true;
}

static bool kernel_next_event(struct provider *p, struct provider_event *ev)
{
	struct kernel *k = kernel_of(p);
	struct kernel_report *r;
	eventfd_t ignored;

	(void)eventfd_read(k->event_fd, &ignored);
	for (;;) {
		if (k->adopted_is_due) {
			k->adopted_is_due = false;
			*ev = (struct provider_event){.type = PROVIDER_ADOPTED,
						      .generation = k->adopted};
			break;
		}
		/* Before events after which the control thread may commit again. */
		if (k->outcome_is_due) {
			k->outcome_is_due = false;
			*ev = (struct provider_event){.type = PROVIDER_OUTCOME};
			break;
		}
		if (next_of_port(k, ev))
			break;
		r = kernel_worker_report(k->worker);
		if (!r)
			return false;
		take_report(k, r);
		free(r);
	}
	(void)eventfd_write(k->event_fd, 1); /* there may be more */
	return true;
}

/* --- reading ------------------------------------------------------------------------------- */

static void kernel_read_oper(const struct port *port, struct provider_oper *out)
{
	const struct hardware *h = hardware_of(port);
	const struct kernel *k = kernel_of(port->provider);

	*out = (struct provider_oper){
	    .outcome = h->outcome,
	    .policy = port->settings.policy,
	    .owner = kernel_owner(&h->now),
	    .dcbx = h->now.dcbx,
	    .has = (uint8_t)kernel_parts(&h->now, h->driver),
	    .differs = h->differs,
	    .resets = (uint8_t)kernel_resets(h->driver),
	    .differs_since_ms = h->differs_since_ms,
	    .writes = h->writes,
	    .failures = h->failures,
	    .changes = h->changes,
	    .age_ms = kernel_worker_age_ms(k->worker),
	    .stats = h->counts.hardware,
	    .pfc_enable = h->now.pfc.pfc_en,
	    .pfc_cap = h->now.pfc.pfc_cap,
	    .peer_has = h->now.has & DCBNL_PEER_PFC ? KERNEL_PFC : 0,
	    .peer_pfc_enable = h->now.peer_pfc.pfc_en,
	};
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		out->pri[p] = kernel_pri(&h->now, p);
	out->ets = kernel_ets_tables(&h->now.ets, &out->ets_tables);
	memcpy(out->driver, h->driver_name, sizeof(h->driver_name));
	if (h->fault.text[0])
		snprintf(out->text, sizeof(out->text), "%s", h->fault.text);
	else if (h->outcome == PROVIDER_REFUSED)
		snprintf(out->text, sizeof(out->text), "%s", h->text);
	else
		why_read_only(h, out->text, sizeof(out->text));
}

static bool kernel_adopt_settings(const struct port *port, uint8_t cnpvs,
				  struct port_config *config)
{
	const struct hardware *h = hardware_of(port);

	return kernel_adopt(&h->now, h->driver, cnpvs, config);
}

static uint64_t kernel_unknown(const struct port *port, enum stats_of of, unsigned priority)
{
	const struct hardware *h = hardware_of(port);

	switch (of) {
	case STATS_PFC:
		return h->counts.unknown[priority];
	case STATS_PORT:
		return h->counts.port_unknown & ~STATS_MEMBER(port_stats, up);
	case STATS_HARDWARE:
		return h->counts.hardware_unknown;
	case STATS_HARDWARE_PRI:
		return kernel_pri_unknown(&h->now);
	case STATS_RP_PORT_PRI:
		return h->now.has & DCBNL_QCN_STATS ? 0 : UINT64_MAX;
	default:
		return 0;
	}
}

static void kernel_read_pfc(const struct port *port, unsigned priority, struct pfc_stats *out)
{
	*out = hardware_of(port)->counts.pfc[priority];
}

static void kernel_read_port(const struct port *port, struct port_stats *out)
{
	const struct hardware *h = hardware_of(port);

	*out = (struct port_stats){
	    .pfc_frames_received = h->counts.received,
	    .pfc_frames_sent = h->counts.sent,
	    .up = port->link.up && !h->fault.text[0],
	};
}

static void kernel_read_rp_port_pri(const struct port *port, unsigned priority,
				    struct rp_port_pri_stats *out)
{
	const struct ieee_qcn_stats *stats = &hardware_of(port)->now.qcn_stats;

	*out = (struct rp_port_pri_stats){
	    .rppp_created_rps = stats->rppp_created_rps[priority],
	    .rppp_rp_centiseconds = stats->rppp_rp_centiseconds[priority],
	};
}

static const struct port_fault *kernel_fault(const struct port *port)
{
	return &hardware_of(port)->fault;
}

/* --- the provider -------------------------------------------------------------------------- */

static void kernel_destroy(struct provider *p)
{
	struct kernel *k = kernel_of(p);

	while (!LIST_EMPTY(&k->ports))
		kernel_port_close(&LIST_FIRST(&k->ports)->base);
	kernel_worker_free(k->worker);
	kernel_io_destroy(k->io);
	free(k->prepared);
	close(k->event_fd);
	free(k);
}

static const struct provider_ops kernel_ops = {
    .name = "kernel",
    .port_open = kernel_port_open,
    .port_update = kernel_port_update,
    .port_close = kernel_port_close,
    .prepare = kernel_prepare,
    .commit = kernel_commit,
    .outcome = kernel_outcome,
    .abort = kernel_abort,
    .event_fd = kernel_event_fd,
    .next_event = kernel_next_event,
    .read_oper = kernel_read_oper,
    .adopt = kernel_adopt_settings,
    .unknown = kernel_unknown,
    .read_pfc = kernel_read_pfc,
    .read_port = kernel_read_port,
    .read_rp_port_pri = kernel_read_rp_port_pri,
    .fault = kernel_fault,
    .destroy = kernel_destroy,
};

struct provider *provider_kernel_new(const struct provider_kernel_params *params)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (k)
		k->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!k || k->event_fd < 0) {
		free(k);
		kernel_io_destroy(params->worker_io);
		kernel_io_destroy(params->io);
		return NULL;
	}
	k->base.ops = &kernel_ops;
	k->io = params->io;
	k->may_write = params->may_write;
	LIST_INIT(&k->ports);
	TAILQ_INIT(&k->due);
	k->worker = kernel_worker_new(params->worker_io, k->event_fd);
	if (k->worker)
		return &k->base;
	kernel_io_destroy(params->io);
	close(k->event_fd);
	free(k);
	return NULL;
}

struct provider *provider_kernel_start(char *err, size_t errlen)
{
	struct provider_kernel_params params = {.may_write = may_write()};
	struct provider *p;

	params.io = kernel_io_open(err, errlen);
	if (!params.io)
		return NULL;
	params.worker_io = kernel_io_open(err, errlen);
	if (!params.worker_io) {
		kernel_io_destroy(params.io);
		return NULL;
	}
	p = provider_kernel_new(&params);
	if (!p)
		snprintf(err, errlen, "out of memory");
	return p;
}
