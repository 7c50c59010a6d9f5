/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIGHUP: a running dcbd reads its dcbd.conf again.
 *
 * SIGHUP -> the file is read into a second struct conf and checked as by dcbd -t; an error ends
 * it there. Only which interfaces are ports, and their settings, follow the file: what else
 * differs is compared row by row and named in the log. Ports that the file does not select, or
 * whose settings differ, are removed as if their interface were gone, all by one publication.
 * When the dataplane thread has given them back, ifmon reports all interfaces again, and those
 * selected are added by a second one. A port with other settings is opened anew, because
 * port->settings never change while frames pass. All other ports are in each of these
 * configurations with the same pointers.
 */
#include "control/dcbd_private.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/managed/memory.h"
#include "control/managed_conf.h"
#include "lib/clock.h"
#include "lib/log.h"

/* The dry run logs what applies to its own ports: only errors. */
static bool passes_test(const struct conf *conf, const struct macsec_modes *modes, char *err,
			size_t errlen)
{
	bool ok;

	log_level_here = LOG_LEVEL_ERROR;
	ok = managed_conf_check(conf, modes, err, errlen);
	log_level_here = LOG_LEVEL_DEBUG;
	return ok;
}

static void free_conf(struct conf *next)
{
	conf_free(next);
	free(next);
}

/*
 * Reads and checks a file as dcbd -t does, except accounts and directories, which need a restart.
 * modes: of the ports with MACsec, whose key file is not read again. NULL: err is the error of
 * dcbd -t.
 */
static struct conf *read_conf(const char *file, const struct macsec_modes *modes, char *err,
			      size_t errlen)
{
	struct conf *next = malloc(sizeof(*next));
	char why[MEMORY_TEXT_OCTETS];

	if (!next) {
		snprintf(err, errlen, "%s: out of memory", file);
		return NULL;
	}
	conf_init(next);
	if (!conf_read(next, file, err, errlen)) {
		free_conf(next);
		return NULL;
	}
	if (!passes_test(next, modes, why, sizeof(why))) {
		snprintf(err, errlen, "%s: %s", file, why);
		free_conf(next);
		return NULL;
	}
	return next;
}

/* Returns whether the provider of a port with these settings was started. */
static bool has_provider(const struct managed *m, const struct port_settings *settings)
{
	for (unsigned i = 0; i < m->n_providers; i++)
		if (conf_is_provider(settings, m->providers[i]->ops->name))
			return true;
	return false;
}

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	log_warn("conf", "%s", text);
}

static void warn_of_provider(const struct managed *m, const struct conf *next, const char *name)
{
	const struct port_settings port = {.provider = name};

	if (conf_uses_provider(next, name) && !has_provider(m, &port))
		/* Message: as "%s: %s needs a restart of dcbd: it stays %s" */
		log_warn("conf",
			 "provider \"%s\" needs a restart of dcbd: it was not used at the start",
			 name);
}

/* Logs a warning for each setting of next that needs a restart. */
static void warn_of_restart(const struct managed *m, const struct conf *now,
			    const struct conf *next)
{
	conf_each_restart(now, next, warn, NULL);
	warn_of_provider(m, next, CONF_PROVIDER_OBSERVE);
	warn_of_provider(m, next, CONF_PROVIDER_STATION);
}

/* Returns the reason why the port is removed; NULL: it stays. */
static const char *reason_to_remove(const struct managed *m, const struct port *port,
				    const struct conf *now, const struct conf *next)
{
	const char *name = port->link.name;

	if (port->settings.memory)
		return NULL;
	if (!conf_manages(next, name))
		return "port removed, dcbd.conf does not select it";
	if (!conf_port_differs(now, next, name) || !has_provider(m, conf_port_settings(next, name)))
		return NULL;
	return "port removed, dcbd.conf has other settings for it";
}

/*
 * Removes the ports that next does not select or gives other settings. Those of the latter that
 * next selects are added by dcbd_continue_reload(). Other ports are not touched.
 */
static void remove_ports(struct managed *m, const struct conf *now, const struct conf *next)
{
	struct dcb_positions gone = {{0}};
	bool any = false;

	for (size_t pos = 0; pos < m->config->n_ports; pos++) {
		const struct port *port = m->config->ports[pos].port;
		const char *why = reason_to_remove(m, port, now, next);

		if (!why)
			continue;
		log_info("port", "%s: %s", port->link.name, why);
		dcb_positions_add(&gone, pos);
		any = true;
	}
	if (any)
		managed_ports_remove(m, &gone);
}

static void notify_reloading(struct dcbd *d)
{
	if (d->ready)
		notify_state(&d->notify, "RELOADING=1\nMONOTONIC_USEC=%lld",
			     (long long)(clock_now().ns / DCB_NS_PER_US));
}

/* error: why the file was not read again; NULL: it was. */
static void notify_reloaded(struct dcbd *d, const char *error)
{
	if (d->ready && error)
		notify_state(&d->notify, "READY=1\nSTATUS=%s not read again: %s", d->file, error);
	else if (d->ready)
		notify_state(&d->notify, "READY=1\nSTATUS=%zu ports", d->managed->config->n_ports);
}

void dcbd_log_ignored(const struct conf *conf)
{
	const char *line = conf->ignored, *end;

	for (; line && (end = strchr(line, '\n')); line = end + 1)
		log_warn("conf", "%.*s", (int)(end - line), line);
}

void dcbd_continue_reload(struct dcbd *d)
{
	if (!d->adding || managed_is_closing(d->managed))
		return;
	d->adding = false;
	dcbd_add_missing_ports(d);
	log_info("conf", "%s read again: %zu ports", d->file, d->managed->config->n_ports);
	notify_reloaded(d, NULL);
}

/* All of the file takes effect, except settings that need a restart, or nothing. */
static void reload(struct dcbd *d)
{
	char err[PATH_MAX + MEMORY_TEXT_OCTETS];
	struct macsec_modes modes;
	struct conf *next;

	macsec_modes(d->macsec, &modes);
	next = read_conf(d->file, &modes, err, sizeof(err));
	if (next && !macsec_permits(d->macsec, next, err, sizeof(err))) {
		free_conf(next);
		next = NULL;
	}
	if (!next) {
		/*
		 * Message: After SIGHUP, the file has this error. Correct it, and send the signal
		 * again.
		 */
		log_error("conf", "not read again, nothing is changed: %s", err);
		notify_reloaded(d, err);
		return;
	}
	dcbd_log_ignored(next);
	warn_of_restart(d->managed, &d->conf, next);
	remove_ports(d->managed, &d->conf, next);
	conf_take_ports_of(&d->conf, next);
	free_conf(next);
	d->adding = true;
	dcbd_continue_reload(d);
}

static void on_reload(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	notify_reloading(arg);
	if (!log_reopen())
		/*
		 * Message: The log stays the file that it was. Make its directory writable for the
		 * user of the program.
		 */
		log_warn("dcbd", "cannot open the log again: %s", strerror(errno));
	reload(arg);
}

/* One reload for all signals in one iteration of the event loop. */
static void on_hup(evutil_socket_t fd, short what, void *arg)
{
	struct dcbd *d = arg;

	(void)fd;
	(void)what;
	event_active(d->reload_timer, EV_TIMEOUT, 0);
}

bool dcbd_start_reload(struct dcbd *d)
{
	d->hup = evsignal_new(d->base, SIGHUP, on_hup, d);
	d->reload_timer = evtimer_new(d->base, on_reload, d);
	return d->hup && d->reload_timer && event_add(d->hup, NULL) == 0;
}
