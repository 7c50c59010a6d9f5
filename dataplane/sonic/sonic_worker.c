/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sonic/sonic_worker.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "dataplane/sonic/sonic_apply.h"
#include "dataplane/sonic/sonic_instance.h"
#include "lib/clock.h"
#include "lib/thread.h"

struct sonic_worker {
	struct sonic_worker_params params; /* with copies of the strings */
	char *config, *password;
	int stop_fd, wake_fd, report_fd;
	pthread_t thread;
	pthread_mutex_t mutex;
	STAILQ_HEAD(sonic_reports, sonic_report) reports; /* with the mutex */
	/* With the mutex: a patch to be applied, and the report of its result; NULL: none. */
	char *patch;
	struct sonic_report *applied;
	int64_t read_ns[SONIC_INSTANCES]; /* 0: never; atomic */
	/* The thread's. */
	struct sonic_conf conf; /* as it was read last */
	struct sonic_instance *instances[SONIC_INSTANCES];
	unsigned n;
	bool has_conf;               /* n is that of the files */
	struct sonic_apply *apply;   /* NULL: no patch is being applied */
	struct sonic_report *result; /* of the patch, for its end */
};

/* --- reports ------------------------------------------------------------------------------- */

static void post(void *arg, struct sonic_report *report)
{
	struct sonic_worker *w = arg;

	pthread_mutex_lock(&w->mutex);
	STAILQ_INSERT_TAIL(&w->reports, report, next);
	pthread_mutex_unlock(&w->mutex);
	(void)eventfd_write(w->report_fd, 1);
}

struct sonic_report *sonic_worker_report(struct sonic_worker *w)
{
	struct sonic_report *report;

	pthread_mutex_lock(&w->mutex);
	report = STAILQ_FIRST(&w->reports);
	if (report)
		STAILQ_REMOVE_HEAD(&w->reports, next);
	pthread_mutex_unlock(&w->mutex);
	return report;
}

uint32_t sonic_worker_age_ms(const struct sonic_worker *w, unsigned instance)
{
	int64_t at = instance < SONIC_INSTANCES
			 ? __atomic_load_n(&w->read_ns[instance], __ATOMIC_RELAXED)
			 : 0;

	return at ? (uint32_t)((clock_now().ns - at) / DCB_NS_PER_MS) : UINT32_MAX;
}

/* --- the thread ---------------------------------------------------------------------------- */

/* Makes the instances that the files name. The first one is there. */
static void make_instances(struct sonic_worker *w)
{
	for (unsigned i = 1; i < w->conf.n; i++) {
		w->instances[i] = sonic_instance_new(i, &w->params, w->stop_fd, post, w);
		if (!w->instances[i])
			return;
		w->n = i + 1;
	}
	w->has_conf = true;
}

/* Returns the files' part of an instance that has to connect; NULL: the instance is lost. */
static const struct sonic_instance_conf *find_conf(struct sonic_worker *w, unsigned i,
						   struct dcb_time now)
{
	char err[SONIC_CONF_ERROR], space[SONIC_SPACE_OCTETS];

	memcpy(space, w->conf.instance[i].space, sizeof(space));
	if (!sonic_conf_read(w->params.config, &w->conf, err, sizeof(err))) {
		memcpy(w->conf.instance[i].space, space, sizeof(space));
		sonic_instance_lose(w->instances[i], err, now);
		return NULL;
	}
	if (!w->has_conf)
		make_instances(w);
	else if (i >= w->conf.n || strcmp(w->conf.instance[i].space, space) != 0) {
		sonic_instance_lose(w->instances[i],
				    "its namespace is not in database_global.json any more; start "
				    "dcbd again",
				    now);
		return NULL;
	}
	return &w->conf.instance[i];
}

static void turn(struct sonic_worker *w, unsigned i)
{
	struct sonic_instance *instance = w->instances[i];
	const struct sonic_instance_conf *conf = NULL;
	struct dcb_time now = clock_now();

	sonic_instance_messages(instance, now);
	if (dcb_time_before(now, sonic_instance_next(instance)))
		return;
	if (!sonic_instance_is_connected(instance)) {
		conf = find_conf(w, i, now);
		if (!conf)
			return;
	}
	sonic_instance_turn(instance, conf, now);
	__atomic_store_n(&w->read_ns[i], sonic_instance_read_ns(instance), __ATOMIC_RELAXED);
}

/* Reports the result of a patch; empty: it is applied. */
static void end_patch(struct sonic_worker *w, const char *text)
{
	struct sonic_report *report = w->result;

	w->result = NULL;
	sonic_apply_free(w->apply);
	w->apply = NULL;
	for (unsigned i = 0; i < w->n; i++)
		sonic_instance_read_config(w->instances[i], clock_now());
	snprintf(report->text, sizeof(report->text), "%s", text);
	post(w, report);
}

/* Begins to apply a patch, or goes on with it. */
static void turn_patch(struct sonic_worker *w)
{
	char text[200];
	char *patch;

	if (w->apply && sonic_apply_turn(w->apply, text, sizeof(text)))
		end_patch(w, text);
	pthread_mutex_lock(&w->mutex);
	patch = w->patch;
	w->patch = NULL;
	if (patch) {
		w->result = w->applied;
		w->applied = NULL;
	}
	pthread_mutex_unlock(&w->mutex);
	if (!patch)
		return;
	w->apply = sonic_apply_start(patch, text, sizeof(text));
	free(patch);
	if (!w->apply)
		end_patch(w, text);
}

static struct pollfd poll_of_patch(const struct sonic_worker *w)
{
	if (!w->apply)
		return (struct pollfd){.fd = -1};
	return (struct pollfd){sonic_apply_fd(w->apply), sonic_apply_events(w->apply), 0};
}

static void *run(void *arg)
{
	struct sonic_worker *w = arg;
	struct pollfd fds[3 + SONIC_INSTANCES];
	eventfd_t ignored;

	(void)prctl(PR_SET_NAME, "sonic");
	for (;;) {
		struct dcb_time next = {INT64_MAX};
		int64_t left;

		fds[0] = (struct pollfd){.fd = w->stop_fd, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = w->wake_fd, .events = POLLIN};
		fds[2] = poll_of_patch(w);
		if (w->apply)
			next = sonic_apply_next(w->apply);
		for (unsigned i = 0; i < w->n; i++) {
			fds[3 + i] = (struct pollfd){.fd = sonic_instance_fd(w->instances[i]),
						     .events = POLLIN};
			next = dcb_time_min(next, sonic_instance_next(w->instances[i]));
		}
		left = dcb_time_diff_ns(next, clock_now());
		(void)poll(fds, 3 + w->n, left > 0 ? (int)(left / DCB_NS_PER_MS) + 1 : 0);
		if (fds[0].revents)
			return NULL;
		(void)eventfd_read(w->wake_fd, &ignored);
		turn_patch(w);
		for (unsigned i = 0; i < w->n; i++)
			turn(w, i);
	}
}

/* --- control thread ------------------------------------------------------------------------ */

/* Frees all but the thread. */
static void dispose(struct sonic_worker *w)
{
	struct sonic_report *report;

	while ((report = sonic_worker_report(w)))
		free(report);
	for (unsigned i = 0; i < w->n; i++)
		sonic_instance_free(w->instances[i]);
	sonic_apply_free(w->apply);
	free(w->result);
	free(w->patch);
	free(w->applied);
	if (w->stop_fd >= 0)
		close(w->stop_fd);
	if (w->wake_fd >= 0)
		close(w->wake_fd);
	pthread_mutex_destroy(&w->mutex);
	if (w->password)
		explicit_bzero(w->password, strlen(w->password));
	free(w->password);
	free(w->config);
	free(w);
}

/* Copies a string, which can be NULL. Returns false if out of memory. */
static bool copy(const char *from, char **to, const char **param)
{
	*to = from ? strdup(from) : NULL;
	*param = *to;
	return !from || *to;
}

static bool prepare(struct sonic_worker *w, const struct sonic_worker_params *params)
{
	w->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!copy(params->config, &w->config, &w->params.config) ||
	    !copy(params->password, &w->password, &w->params.password) || w->stop_fd < 0 ||
	    w->wake_fd < 0)
		return false;
	w->params.writes = params->writes;
	w->params.timeout_ms = params->timeout_ms ? params->timeout_ms : SONIC_TIMEOUT_MS;
	w->instances[0] = sonic_instance_new(0, &w->params, w->stop_fd, post, w);
	w->n = w->instances[0] != NULL;
	return w->n != 0;
}

struct sonic_worker *sonic_worker_start(const struct sonic_worker_params *params, int fd, char *err,
					size_t errlen)
{
	struct sonic_worker *w = calloc(1, sizeof(*w));
	int error = ENOMEM;

	if (w) {
		w->report_fd = fd;
		pthread_mutex_init(&w->mutex, NULL);
		STAILQ_INIT(&w->reports);
		if (prepare(w, params))
			error = thread_start(&w->thread, run, w);
		if (!error)
			return w;
		dispose(w);
	}
	snprintf(err, errlen, "the thread that reads SONiC's databases: %s", strerror(error));
	return NULL;
}

bool sonic_worker_apply(struct sonic_worker *w, const char *patch)
{
	struct sonic_report *applied = calloc(1, sizeof(*applied));
	char *copied = strdup(patch);

	if (!applied || !copied) {
		free(applied);
		free(copied);
		return false;
	}
	applied->type = SONIC_APPLIED;
	pthread_mutex_lock(&w->mutex);
	w->patch = copied;
	w->applied = applied;
	pthread_mutex_unlock(&w->mutex);
	(void)eventfd_write(w->wake_fd, 1);
	return true;
}

void sonic_worker_free(struct sonic_worker *w)
{
	(void)eventfd_write(w->stop_fd, 1);
	pthread_join(w->thread, NULL);
	dispose(w);
}
