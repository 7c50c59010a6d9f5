/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd: starts the modules in order and runs the control thread. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"
#include "lib/clock.h"
#include "control/conf/conf.h"
#include "control/conf_check.h"
#include "control/ctl_server.h"
#include "control/dcbd_confine.h"
#include "control/dcbd_private.h"
#include "lib/entropy.h"
#include "lib/standard.h"
#include "control/event_watch.h"
#include "control/host/aside.h"
#include "control/host/directory.h"
#include "control/host/ifmon.h"
#include "control/host/limits.h"
#include "control/host/notify.h"
#include "control/managed/lldp_ports.h"
#include "control/managed_conf.h"
#include "control/mo_service.h"
#include "control/options.h"
#include "dataplane/netio/netio_kept.h"
#include "dataplane/soft/offline.h"
#include "control/persist.h"
#include "control/host/priv.h"
#include "dataplane/soft/provider_soft.h"
#include "lldp/process/lldp_process.h"

#define SAVE_RETRY_S 5

/* --- state file ---------------------------------------------------------------------------- */

static void on_saved(void *ctx, bool ok)
{
	struct dcbd *d = ctx;

	if (!ok)
		event_add(d->save_timer, &(struct timeval){.tv_sec = SAVE_RETRY_S});
}

/* Saves settings that changed outside a transaction. Retries until it succeeds. */
static void on_save(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	mo_service_save(d->service, on_saved, d);
}

void dcbd_save_soon(struct dcbd *d)
{
	if (d->service && d->save_timer)
		event_add(d->save_timer, &(struct timeval){.tv_usec = 10000});
}

/* --- service manager ---------------------------------------------------------------------- */

/* All dataplane threads have a configuration: they forward. */
static void on_adopted(struct dcbd *d)
{
	if (d->ready || !managed_is_adopted(d->managed))
		return;
	notify_state(&d->notify, "READY=1\nSTATUS=%zu ports", d->managed->config->n_ports);
	d->ready = true;
}

static void on_heartbeat(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	heartbeat_run(&d->heartbeat, &d->notify, dcbd_count_turns(d), clock_now());
}

static bool start_heartbeat(struct dcbd *d)
{
	int64_t us = heartbeat_interval_ns(&d->notify) / DCB_NS_PER_US;

	if (d->notify.watchdog_ns == 0)
		return true;
	d->heartbeat_timer = event_new(d->base, -1, EV_PERSIST, on_heartbeat, d);
	return d->heartbeat_timer &&
	       event_add(d->heartbeat_timer, &(struct timeval){us / 1000000, us % 1000000}) == 0;
}

/* --- LLDP ------------------------------------------------------------------------------------- */

static void on_lldp(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;
	struct dcb_time now = clock_now(), next = managed_run(d->managed, now);
	int64_t us = (dcb_time_diff_ns(next, now) + DCB_NS_PER_US - 1) / DCB_NS_PER_US;

	(void)fd;
	(void)what;
	if (d->owes_description)
		dcbd_describe(d);
	if (next.ns != DCB_TIME_NEVER.ns)
		event_add(d->lldp_timer, &(struct timeval){us / 1000000, us % 1000000});
}

/* Schedules on_lldp(): one call for all changes in one iteration of the event loop. */
static void wake_lldp(void *ctx)
{
	struct dcbd *d = ctx;

	event_active(d->lldp_timer, EV_TIMEOUT, 0);
}

static bool start_lldp(struct dcbd *d)
{
	struct lldp_client *client;

	d->lldp_timer = evtimer_new(d->base, on_lldp, d);
	if (!d->lldp_timer)
		return false;
	if (!d->conf.lldp_enable)
		return true;
	client = lldp_process_new(d->base, d->conf.lldp_program, d->conf.lldp_socket,
				  &lldp_ports_events, d->managed->lldp);
	if (!client) {
		/* Message: as "out of memory" */
		log_error("lldp", "out of memory: cannot start the LLDP client");
		return false;
	}
	lldp_ports_use(d->managed->lldp, client, wake_lldp, d);
	dcbd_describe(d);
	return true;
}

/* --- MACsec ----------------------------------------------------------------------------------- */

/* As root: keys are the first that dcbd reads, and no other file or thread gets near them. */
static bool read_keys(struct dcbd *d)
{
	char err[PATH_MAX + 256];

	if (!d->conf.macsec_key_file)
		return true;
	d->macsec = macsec_read(&d->conf, err, sizeof(err));
	if (d->macsec)
		return true;
	log_error("macsec", "%s", err);
	d->status = EXIT_CONFIG;
	return false;
}

static bool install_keys(struct dcbd *d)
{
	char err[PATH_MAX + 256];

	if (!d->macsec || macsec_install(d->macsec, d->conf.state_file, err, sizeof(err)))
		return true;
	log_error("macsec", "%s", err);
	return false;
}

static bool start_macsec(struct dcbd *d)
{
	if (!d->macsec || macsec_start(d->macsec, d->base, d->soft))
		return true;
	/* Message: as "core files cannot be excluded: %s" */
	log_error("macsec", "cannot start the thread for packet numbers: %s", strerror(errno));
	return false;
}

/* --- start and stop --------------------------------------------------------------------------- */

static void log_port_error(const struct managed *m, const struct provider_event *ev)
{
	unsigned entry = m->by_slot[ev->slot];

	if (entry) /* else the port was removed meanwhile */
		/*
		 * Message: The kernel reported an error of the interface, or of the tap of a
		 * station's port. Most often its link went down. If the link stays up, dcbd opens
		 * the interface again after one second, later if it fails again. If the message
		 * repeats, check the interface and its driver.
		 */
		log_warn_limited("port", "%s: interface failed: %s",
				 m->config->ports[entry - 1].port->link.name, strerror(ev->error));
}

/* The provider may change a port: its fault. */
static bool next_event(struct managed *m, struct provider *p, struct provider_event *ev)
{
	bool ok;

	state_change_begin(m->lock);
	ok = p->ops->next_event(p, ev);
	state_change_end(m->lock);
	return ok;
}

static void on_provider(evutil_socket_t fd, short what, void *arg)
{
	const struct source *source = arg;
	struct dcbd *d = source->d;
	struct provider *p = source->provider;
	struct provider_event ev;

	(void)fd;
	(void)what;
	while (next_event(d->managed, p, &ev)) {
		switch (ev.type) {
		case PROVIDER_ADOPTED:
			managed_adopted(d->managed, p, ev.generation);
			on_adopted(d);
			dcbd_continue_reload(d);
			break;
		case PROVIDER_PFC_STORM:
			event_watch_storm(d->managed, ev.slot, ev.stormed, ev.ended, clock_now());
			break;
		case PROVIDER_LLDPDU:
			lldp_ports_heard(d->managed->lldp, ev.slot, &ev.lldpdu, ev.at);
			break;
		case PROVIDER_MEASURED:
			managed_measured(d->managed, ev.slot);
			wake_lldp(d);
			break;
		case PROVIDER_MACSEC:
			macsec_run(d->macsec, d->managed, clock_now());
			break;
		case PROVIDER_PORT_ERROR:
			log_port_error(d->managed, &ev);
			break;
		}
	}
}

/* Providers open interfaces again, and change the faults of their ports. */
static void tick_providers(struct managed *m)
{
	state_change_begin(m->lock);
	for (unsigned i = 0; i < m->n_providers; i++) {
		struct provider *p = m->providers[i];

		if (p->ops->tick)
			p->ops->tick(p, clock_now());
	}
	state_change_end(m->lock);
}

static void on_poll(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	event_poll(d->poll, d->managed, clock_now());
	lldp_ports_take_stats(d->managed->lldp);
	if (d->macsec)
		macsec_run(d->macsec, d->managed, clock_now());
	tick_providers(d->managed);
	dcbd_note_suspensions(d);
	dcbd_log_owed_links(d);
	notify_retry(&d->notify);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)what;
	log_info("dcbd", "%s: stopping", strsignal(fd));
	notify_state(&d->notify, "STOPPING=1");
	event_base_loopbreak(d->base);
}

/* A directory that cannot be created may be created later: only a warning. */
static void make_directory(const char *file, const char *user)
{
	char err[PATH_MAX + 256];

	if (!directory_make(file, user, err, sizeof(err)))
		log_warn("dcbd", "%s", err);
}

/* A start with the same dcbd.conf would fail again. Returns false. */
static bool fail_conf(struct dcbd *d, const char *module, const char *err)
{
	log_error(module, "%s", err);
	d->status = EXIT_CONFIG;
	return false;
}

static bool may_write(struct dcbd *d, const char *file, const char *key, mode_t type)
{
	char err[2 * PATH_MAX + 256];

	return (directory_is_permitted(file, key, err, sizeof(err)) &&
		directory_has_place(file, key, type, err, sizeof(err))) ||
	       fail_conf(d, "dcbd", err);
}

static bool has_group(struct dcbd *d, const char *name, const char *key)
{
	char err[256];

	if (!name || getgrnam(name))
		return true;
	/* Message: dcbd does not start. Create the group, or correct the name. */
	snprintf(err, sizeof(err), "%s: expected an existing group, not \"%s\"", key, name);
	return fail_conf(d, "dcbd", err);
}

/* Changes the user, and checks the accounts and directories of dcbd.conf. */
static bool drop_privileges(struct dcbd *d, bool nice)
{
	const struct conf *conf = &d->conf;
	const char *view = conf_view(conf);
	char err[256];

	if (!has_group(d, conf->control_group, "control.group") ||
	    (view && !has_group(d, conf->control_view_group, "control.view_group")))
		return false;
	if (!priv_drop(priv_user(conf->user), conf->lldp_enable ? conf->lldp_group : NULL, nice,
		       err, sizeof(err)))
		return fail_conf(d, "dcbd", err);
	return may_write(d, conf->state_file, "state_file", S_IFREG) &&
	       may_write(d, conf->control_socket, "control.socket", S_IFSOCK) &&
	       (!view || may_write(d, view, "control.view", S_IFSOCK));
}

static void log_lack(void *ctx, const char *text)
{
	(void)ctx;
	log_warn("dcbd", "%s", text);
}

/* false: the file cannot be renamed, and must not be overwritten. */
static bool set_aside(struct dcbd *d, enum aside_kind kind)
{
	const char *path = d->conf.state_file;
	char aside[PATH_MAX];
	int error = aside_rename(path, kind, aside, sizeof(aside));

	if (error == ENOENT && kind == ASIDE_IGNORED)
		return true;
	if (error != 0) {
		/*
		 * Message: The state file that is damaged or to be ignored cannot be renamed, and
		 * dcbd does not start. Make its directory writable for `user`, or move the file
		 * away.
		 */
		log_error("persist", "%s: cannot be renamed: %s", path, strerror(error));
		return false;
	}
	/*
	 * Message: The state file was damaged, or `--ignore-state` is given, and the settings in it
	 * are not in force. Compare the renamed file with the settings in force, and set the values
	 * that are missing. Check the disk.
	 */
	log_error("persist", "renamed to %s, starting with the initial settings", aside);
	if (kind == ASIDE_DAMAGED)
		d->managed->state_status = STATE_DAMAGED_SET_ASIDE;
	return true;
}

/* If there is no place for the copy, there is none for a new state file: the former one stays. */
static void copy_aside(const struct dcbd *d)
{
	const char *path = d->conf.state_file;
	char aside[PATH_MAX];
	bool is_old = false;
	int error = persist_copy_aside(d->managed, path, aside, sizeof(aside), &is_old);

	if (error != 0)
		/*
		 * Message: The copy cannot be written. The state file cannot be written either, and
		 * has all of these settings until a SET succeeds.
		 */
		log_error("persist", "%s: cannot be copied: %s", path, strerror(error));
	else
		/*
		 * Message: The copy is that of an earlier start if the settings without effect are
		 * the same.
		 */
		log_warn("persist", "all settings of %s, also those without effect, are in %s",
			 is_old ? "an earlier state file" : path, aside);
}

/*
 * Loads the state file or, if it is missing or damaged, dcbd.conf's initial settings. A
 * damaged file is renamed first, never overwritten. Returns false if the file cannot be
 * read or renamed, has a newer format, or an initial setting fails: dcbd does not start.
 */
static bool load_state(struct dcbd *d)
{
	const char *path = d->conf.state_file;
	enum persist_result result = PERSIST_NONE;
	char err[512];

	if (!d->ignore_state)
		result = persist_load(d->managed, path, d->conf.keep_absent, err, sizeof(err));
	else if (!set_aside(d, ASIDE_IGNORED))
		return false;
	switch (result) {
	case PERSIST_LOADED:
		if (d->managed->kept.is_incomplete)
			copy_aside(d);
		return true;
	case PERSIST_NONE:
		break;
	case PERSIST_FAILED:
		log_error("persist", "%s", err);
		return false;
	case PERSIST_NEWER:
		log_error("persist", "%s", err);
		return fail_conf(d, "persist",
				 "start the version of dcbd that wrote it, or start this one with "
				 "--ignore-state: it then sets the file aside, and has the initial "
				 "settings");
	case PERSIST_DAMAGED:
		log_error("persist", "%s", err);
		if (!set_aside(d, ASIDE_DAMAGED))
			return false;
		break;
	}
	return persist_initial(d->managed, &d->conf, err, sizeof(err)) || fail_conf(d, "conf", err);
}

static bool start_ports(struct dcbd *d)
{
	char err[256];

	managed_collect(d->managed);
	d->ifmon = ifmon_new(d->base, &dcbd_ports_ops, d, err, sizeof(err));
	if (!d->ifmon) {
		log_error("dcbd", "%s", err);
		return false;
	}
	if (!managed_conf_memory_ports(d->managed, &d->conf, err, sizeof(err)) ||
	    !managed_collected(d->managed, err, sizeof(err))) {
		log_error("port", "%s", err);
		return false;
	}
	return load_state(d);
}

static bool start_service(struct dcbd *d)
{
	struct ctl_server_config config = {
	    .control = d->conf.control_socket,
	    .control_group = d->conf.control_group,
	    .view = conf_view(&d->conf),
	    .view_group = d->conf.control_view_group,
	    .agent = d->conf.control_agent,
	};
	char err[256];

	d->service = mo_service_new(d->managed, d->conf.state_file, (uint32_t)entropy_u64() | 1);
	if (!d->service || !mo_service_use_thread(d->service, d->base) ||
	    !mo_service_use_origins(d->service, managed_conf_origins(&d->conf))) {
		/*
		 * Message: dcbd cannot create the thread that writes the state file, and ends. The
		 * text is the reason of the kernel; raise the limit of processes or of memory, and
		 * start dcbd again.
		 */
		log_error("dcbd", "cannot start the control service: %s", strerror(errno));
		return false;
	}
	/* First, so that a client that finds the control socket finds the view socket. */
	if (config.view)
		d->view = view_new(d->managed, d->service, &config, err, sizeof(err));
	if (!config.view || d->view) {
		config.view = NULL;
		d->ctl = ctl_server_new(d->base, d->service, &config, err, sizeof(err));
	}
	if (!d->ctl)
		log_error("dcbd", "%s", err);
	return d->ctl != NULL;
}

/* Everything is there that the thread reads. */
static bool start_view(struct dcbd *d)
{
	if (!d->view || view_start(d->view))
		return true;
	/*
	 * Message: dcbd cannot create the thread that serves the view socket, and ends. The text is
	 * the reason of the kernel; raise the limit of processes or of memory, and start dcbd
	 * again.
	 */
	log_error("dcbd", "cannot start the thread of the view socket: %s", strerror(errno));
	return false;
}

/* Registers on_provider() for the events of each provider. */
static bool start_sources(struct dcbd *d)
{
	for (unsigned i = 0; i < d->managed->n_providers; i++) {
		struct provider *p = d->managed->providers[i];
		struct source *s = &d->sources[i];

		if (!p->ops->event_fd)
			continue;
		*s = (struct source){.d = d, .provider = p};
		s->event =
		    event_new(d->base, p->ops->event_fd(p), EV_READ | EV_PERSIST, on_provider, s);
		if (!s->event || event_add(s->event, NULL) < 0)
			return false;
	}
	return true;
}

static bool start_events(struct dcbd *d)
{
	d->save_timer = evtimer_new(d->base, on_save, d);
	d->poll = event_poll_new(d->conf.transit_delay_ms);
	d->poll_timer = event_new(d->base, -1, EV_PERSIST, on_poll, d);
	if (!d->poll || !d->poll_timer ||
	    event_add(d->poll_timer, &(struct timeval){.tv_sec = 1}) < 0)
		return false;
	d->term = evsignal_new(d->base, SIGTERM, on_signal, d);
	d->intr = evsignal_new(d->base, SIGINT, on_signal, d);
	if (!d->save_timer || !d->term || !d->intr)
		return false;
	return event_add(d->term, NULL) == 0 && event_add(d->intr, NULL) == 0 &&
	       dcbd_start_reload(d) && start_heartbeat(d) && start_sources(d);
}

static void free_event(struct event *ev)
{
	if (ev)
		event_free(ev);
}

/* Frees everything in reverse order of start. Members that were not created are NULL. */
static void stop(struct dcbd *d)
{
	mo_service_finish(d->service); /* before the clients lose their connections */
	view_free(d->view);
	ctl_server_free(d->ctl);
	ifmon_free(d->ifmon);
	for (unsigned i = 0; i < MANAGED_PROVIDERS_MAX; i++)
		free_event(d->sources[i].event);
	free_event(d->save_timer);
	free_event(d->poll_timer);
	event_poll_free(d->poll);
	free_event(d->term);
	free_event(d->intr);
	free_event(d->hup);
	free_event(d->reload_timer);
	free_event(d->heartbeat_timer);
	mo_service_free(d->service);
	macsec_stop(d->macsec);
	if (d->managed)
		managed_free(d->managed);
	macsec_free(d->macsec);
	free_event(d->lldp_timer);
	if (d->base)
		event_base_free(d->base);
	libevent_global_shutdown();
}

static bool release(struct dcbd *d)
{
	struct provider_refusal why;
	char text[256];

	if (managed_release(d->managed, &why))
		return true;
	log_error("dcbd", "%s", managed_refusal_text(&why, text, sizeof(text)));
	return false;
}

/* nice: the dataplane threads need CAP_SYS_NICE, and no other one does. */
static bool start_providers(struct dcbd *d, bool nice)
{
	char err[256];

	if (!dcbd_start_providers(d, false, entropy_u64()))
		return false;
	if (!nice || priv_drop_nice(err, sizeof(err)))
		return true;
	log_error("dcbd", "%s", err);
	return false;
}

static int run(struct dcbd *d)
{
	const char *view = conf_view(&d->conf), *user = priv_user(d->conf.user);
	bool nice;

	d->status = EXIT_FAILURE;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN); /* until there is an event for it */
	notify_open(&d->notify);
	dcbd_log_ignored(&d->conf);
	if (!read_keys(d)) /* before users are looked up: a library for that can use libcrypto */
		goto out;
	make_directory(d->conf.state_file, user);
	make_directory(d->conf.control_socket, user);
	if (view)
		make_directory(view, user);
	(void)limits_raise_files(DCB_SLOTS);
	nice = !limits_permit_real_time(d->conf.dataplane_priority);
	if (!drop_privileges(d, nice))
		goto out;
	/* Refusals of real time are logged by soft_schedule. */
	priv_lacks(conf_needs(&d->conf) & ~(unsigned)PRIV_REAL_TIME, log_lack, NULL);
	dcbd_confine(&d->conf, d->file);
	netio_kept_in_directory_of(d->conf.control_socket);
	managed_conf_take_mtus(&d->conf);
	d->base = event_base_new();
	if (!d->base || !install_keys(d) || !start_providers(d, nice) || !start_macsec(d) ||
	    !start_events(d) || !start_ports(d) || !start_lldp(d) || !start_service(d))
		goto out;
	if (!release(d) || !start_view(d))
		goto out;
	macsec_announce(d->macsec);
	log_info("dcbd", "version %s: %zu ports", PACKAGE_VERSION, d->managed->config->n_ports);
	event_base_dispatch(d->base);
	mo_service_save_measured(d->service);
	d->status = EXIT_SUCCESS;
out:
	stop(d);
	notify_close(&d->notify);
	return d->status;
}

/* --- replay of captures in virtual time ------------------------------------------------------- */

static bool start_offline_ports(struct dcbd *d, const struct offline *o, char *err, size_t errlen)
{
	for (unsigned i = 0; i < o->n_ports; i++) {
		struct port_settings settings = *conf_port_settings(&d->conf, o->ports[i].name);
		struct link_info link;

		settings.memory = true;
		settings.provider = NULL;
		offline_link(o, i, &link);
		if (!managed_port_add(d->managed, &link, &settings, err, errlen))
			return false;
	}
	return persist_initial(d->managed, &d->conf, err, errlen);
}

static int run_offline(struct dcbd *d, const struct offline *o, uint64_t seed)
{
	int status = EXIT_FAILURE;
	char err[512] = "cannot start";

	if (dcbd_start_providers(d, true, seed) && start_offline_ports(d, o, err, sizeof(err)) &&
	    release(d) && offline_run(d->soft, o, err, sizeof(err)))
		status = EXIT_SUCCESS;
	if (status == EXIT_SUCCESS)
		offline_print(d->soft, o, stdout);
	else
		log_error("offline", "%s", err);
	stop(d);
	return status;
}

/* --- test of dcbd.conf ------------------------------------------------------------------------ */

/* conf_read() has accepted the file. */
static int test_conf(struct conf *conf, const char *file)
{
	log_level = LOG_LEVEL_ERROR;
	managed_conf_take_mtus(conf);
	return conf_check(conf, file, stdout) ? EXIT_SUCCESS : EXIT_CONFIG;
}

static int start(int argc, char **argv)
{
	static struct dcbd d;
	static struct options o = {.file = SYSCONFDIR "/dcbd.conf", .seed = 1};
	char err[512];
	bool offline;
	int status;

	log_init("dcbd", LOG_LEVEL_INFO, getenv("JOURNAL_STREAM") != NULL);
	conf_init(&d.conf);
	status = options_parse(&o, argc, argv);
	if (status >= 0)
		return status;
	d.file = o.file;
	d.ignore_state = o.ignore_state;
	offline = o.offline.n_ports > 0;
	/* A replay of captures needs no dcbd.conf: it is read only with option -c. */
	if ((o.given_file || !offline) && !conf_read(&d.conf, o.file, err, sizeof(err))) {
		log_plain(LOG_LEVEL_ERROR, "%s", err);
		return EXIT_CONFIG;
	}
	if (o.test_only)
		status = test_conf(&d.conf, o.file);
	else
		status = offline ? run_offline(&d, &o.offline, o.seed) : run(&d);
	conf_free(&d.conf);
	return status;
}

int main(int argc, char **argv)
{
	standard_open();
	return standard_end("dcbd", start(argc, argv), EXIT_FAILURE);
}
