/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/jobs.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child from its start until its output is shown. */
struct job {
	uint32_t number;
	pid_t pid;  /* 0: the place is free */
	int out[2]; /* its standard output and standard error: files */
	bool ended;
	int wait_status;
};

struct jobs {
	struct job *places; /* by number % n_places */
	uint32_t n, n_places;
	uint32_t started, shown, running, side_by_side;
	int (*work)(void *ctx, uint32_t i);
	void *ctx;
	int worst;
};

static void close_output(struct job *job)
{
	for (unsigned i = 0; i < 2; i++) {
		if (job->out[i] >= 0)
			close(job->out[i]);
		job->out[i] = -1;
	}
}

static void __attribute__((noreturn))
run_child(const struct jobs *j, const struct job *job, pid_t parent)
{
	int status = JOBS_STOP;

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* it ended before */
		_exit(status);
	if (dup2(job->out[0], STDOUT_FILENO) >= 0 && dup2(job->out[1], STDERR_FILENO) >= 0)
		status = j->work(j->ctx, job->number);
	if (fflush(NULL) != 0)
		status = JOBS_STOP;
	exit(status);
}

/* Returns false with errno set if there is no child. */
static bool start(struct jobs *j)
{
	struct job *job = &j->places[j->started % j->n_places];
	pid_t parent = getpid();
	int error;

	*job = (struct job){
	    .number = j->started,
	    .out = {memfd_create("dcbsim", MFD_CLOEXEC), memfd_create("dcbsim", MFD_CLOEXEC)},
	};
	fflush(NULL);
	job->pid = job->out[0] < 0 || job->out[1] < 0 ? -1 : fork();
	if (job->pid == 0)
		run_child(j, job, parent);
	if (job->pid > 0) {
		j->started++;
		j->running++;
		return true;
	}
	error = errno;
	job->pid = 0;
	close_output(job);
	errno = error;
	return false;
}

static void copy(int from, FILE *to)
{
	char buf[65536];
	off_t at = 0;
	ssize_t len;

	while ((len = pread(from, buf, sizeof(buf), at)) > 0) {
		fwrite(buf, 1, (size_t)len, to);
		at += len;
	}
	fflush(to);
}

/* Returns the status of a child that has ended. */
static int status_of(const struct job *job)
{
	if (WIFEXITED(job->wait_status))
		return WEXITSTATUS(job->wait_status);
	/*
	 * Message: With `--jobs`, the process of this run, counted from 1, was ended: for example
	 * by the kernel, because there is no memory for so many runs. Use a lower number of
	 * `--jobs`.
	 */
	fprintf(stderr, "dcbsim: run %u ended by signal %d\n", job->number + 1,
		WTERMSIG(job->wait_status));
	return JOBS_STOP;
}

/* Shows the output of those that have ended, in order. */
static void show_ended(struct jobs *j)
{
	for (; j->shown < j->started && j->worst < JOBS_STOP; j->shown++) {
		struct job *job = &j->places[j->shown % j->n_places];
		int status;

		if (!job->ended)
			return;
		copy(job->out[1], stderr);
		copy(job->out[0], stdout);
		status = status_of(job);
		if (status > j->worst)
			j->worst = status;
		job->pid = 0;
		close_output(job);
	}
}

/* Waits until a child ends. Returns false if there is none. */
static bool wait_for_one(struct jobs *j)
{
	int wait_status;
	pid_t pid;

	do
		pid = wait(&wait_status);
	while (pid < 0 && errno == EINTR);
	for (uint32_t i = 0; pid > 0 && i < j->n_places; i++) {
		struct job *job = &j->places[i];

		if (job->pid != pid || job->ended)
			continue;
		job->ended = true;
		job->wait_status = wait_status;
		j->running--;
	}
	return pid > 0;
}

/* Ends the children whose output does not count. */
static void stop_all(struct jobs *j)
{
	for (uint32_t i = 0; i < j->n_places; i++) {
		struct job *job = &j->places[i];

		if (job->pid && !job->ended)
			kill(job->pid, SIGKILL);
	}
	while (j->running && wait_for_one(j))
		;
	for (uint32_t i = 0; i < j->n_places; i++) {
		if (j->places[i].pid)
			close_output(&j->places[i]);
	}
}

static bool may_start(const struct jobs *j)
{
	return j->started < j->n && j->running < j->side_by_side &&
	       j->started - j->shown < j->n_places;
}

int jobs_run(uint32_t n, uint32_t side_by_side, int (*work)(void *ctx, uint32_t i), void *ctx)
{
	/* Places for twice as many: a child that takes long does not keep the others from starting.
	 */
	struct jobs j = {
	    .n = n,
	    .side_by_side = side_by_side,
	    .n_places = 2 * side_by_side,
	    .work = work,
	    .ctx = ctx,
	};

	signal(SIGCHLD, SIG_DFL); /* if the caller ignored it, wait() would have no status */
	j.places = calloc(j.n_places, sizeof(*j.places));
	while (j.places && j.shown < n && j.worst < JOBS_STOP) {
		while (may_start(&j) && start(&j))
			;
		if (!j.running && may_start(&j))
			break;
		if (j.running && !wait_for_one(&j))
			break;
		show_ended(&j);
	}
	if (j.worst < JOBS_STOP && j.shown < n) {
		/*
		 * Message: With `--jobs`, the process of this run cannot be started. The text is
		 * the reason.
		 */
		fprintf(stderr, "dcbsim: run %u: %s\n", j.shown + 1, strerror(errno));
		j.worst = JOBS_STOP;
	}
	if (j.places)
		stop_all(&j);
	free(j.places);
	return j.worst;
}
