/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of dcbd, and its providers (dcbd_providers.c). Control thread only. */
#ifndef DCB_CONTROL_DCBD_PRIVATE_H
#define DCB_CONTROL_DCBD_PRIVATE_H

#include <event2/event.h>

#include "control/conf/conf.h"
#include "control/ctl_server.h"
#include "control/event_watch.h"
#include "control/host/ifmon.h"
#include "control/host/notify.h"
#include "control/macsec.h"
#include "control/managed/managed.h"
#include "control/mo_service.h"
#include "control/view.h"
#include "lldp/client/lldp_client.h"

struct dcbd;

/* A provider and the libevent event for its event_fd(). */
struct source {
	struct dcbd *d;
	struct provider *provider;
	struct event *event;
};

struct dcbd {
	struct conf conf;
	const char *file;  /* dcbd.conf */
	bool ignore_state; /* the state file is set aside instead of read */
	struct event_base *base;
	struct managed *managed;
	struct mo_service *service;
	struct ifmon *ifmon;
	struct ctl_server *ctl;
	struct view *view; /* NULL: there is no view socket */
	struct event_poll *poll;
	struct event *poll_timer;
	struct event *lldp_timer;
	struct provider *soft;    /* NULL: no port has it, nor "station" */
	struct provider *station; /* provider "station"; NULL: no port has it */
	/* Turns of the dataplane threads: the last ones, and how often each of them had more. */
	uint64_t soft_turns, station_turns, turns;
	uint64_t overloads, yields; /* suspensions of the real time of both, as last logged */
	bool real_time_lost;        /* by one of them: logged */
	struct macsec *macsec;      /* NULL: no macsec.key_file */
	struct source sources[MANAGED_PROVIDERS_MAX];
	struct event *save_timer, *reload_timer, *term, *intr, *hup;
	struct lldp_system announced; /* by lldpd */
	bool owes_description;        /* interfaces changed: describe() */
	bool owes_links;              /* messages about links were suppressed: log_owed_links() */
	bool adding; /* ports of a reload that are added when the removed ones are closed */
	struct notify notify;
	struct heartbeat heartbeat;
	struct event *heartbeat_timer; /* NULL: no watchdog */
	bool ready;                    /* the service manager knows that dcbd forwards */
	int status;                    /* of the program when it ends */
};

/*
 * Creates the providers that ports can have by dcbd.conf, the software provider first, and
 * d->managed. Returns false, with the reason in the log, if that fails.
 */
bool dcbd_start_providers(struct dcbd *d, bool no_thread, uint64_t seed);
/* Returns a number that increases only while all dataplane threads turn: one that hangs stops it.
 */
uint64_t dcbd_count_turns(struct dcbd *d);

/*
 * Logs, at most once a minute, that the guard took real time from a dataplane thread, and once that
 * the kernel did not permit it again.
 */
void dcbd_note_suspensions(struct dcbd *d);

#endif
