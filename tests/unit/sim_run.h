/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of dcbsim whose scenario is a string. Each function fails the test on an error. */
#ifndef DCB_TESTS_SIM_RUN_H
#define DCB_TESTS_SIM_RUN_H

#include "tests/unit/unit.h"

#include "sim/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	struct scenario scn;
	struct run run;
	char err[512];
};

/* Reads the scenario. Call scenario_free() afterwards. */
static inline void read_text(struct scenario *scn, const char *text)
{
	char path[] = "/tmp/test_sim_XXXXXX", err[512] = "";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	if (!scenario_read(scn, path, NULL, err, sizeof(err)))
		fail_msg("%s", err);
	unlink(path);
}

/* Builds the network of a scenario. */
static inline void start(struct fixture *w, const char *text, uint64_t seed)
{
	read_text(&w->scn, text);
	if (!run_init(&w->run, &w->scn, seed, 1, w->err, sizeof(w->err)))
		fail_msg("%s", w->err);
}

/* Runs it to its end. */
static inline void run(struct fixture *w)
{
	if (!run_all(&w->run, w->err, sizeof(w->err)))
		fail_msg("%s", w->err);
}

static inline void end(struct fixture *w)
{
	run_destroy(&w->run);
	scenario_free(&w->scn);
}

/* Returns whether the network of a scenario cannot be built, for a reason that has this text. */
static inline bool start_fails(const char *text, const char *reason)
{
	struct fixture w;
	bool fails;

	read_text(&w.scn, text);
	fails = !run_init(&w.run, &w.scn, 1, 1, w.err, sizeof(w.err));
	end(&w);
	if (fails && !strstr(w.err, reason))
		fail_msg("%s, expected %s", w.err, reason);
	return fails;
}

/* Returns the link from one node to another. */
static inline struct sim_link *link_of(struct fixture *w, const char *from, const char *to)
{
	struct sim_link *link = sim_link_by_names(&w->run.sim, from, to);

	assert_non_null(link);
	return link;
}

#endif
