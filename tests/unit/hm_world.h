/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two stations with dataplane/core/hm.h at the ends of a simulated link, in
 * simulated time. The link and the stations have delays that only the world
 * knows; hm_world_truth() adds them without use of the engine's arithmetic.
 *
 *   decision -> initiate -> timestamp -> transmit -> wire -> receive -> timestamp
 *                                                                          |
 *   timestamp <- receive <- wire <- transmit <- timestamp <- turnaround <--+
 */
#ifndef DCB_TESTS_HM_WORLD_H
#define DCB_TESTS_HM_WORLD_H

#include "dataplane/core/hm.h"
#include "lib/rng.h"

#define HM_WORLD_FLIGHT 64
#define HM_WORLD_TRACE  1024
#define HM_WORLD_SENT   256
#define HM_WORLD_NEVER  INT64_MAX

/* One station. Set the upper part before hm_world_start(). */
struct hm_end {
	struct hm_settings settings;
	int64_t up_ns;         /* time that its interface comes up; HM_WORLD_NEVER: never */
	int64_t turnaround_ns; /* from the reception of a PDU to hm_transmit() */
	int64_t lag_ns;        /* from hm_transmit() to the transmission timestamp */
	int64_t report_ns;     /* from transmission to hm_sent(); HM_WORLD_NEVER: never */
	int64_t wire_ns;       /* from the wire at this station to the wire at the other one */
	uint32_t jitter_ns;    /* of each timestamp: 0..jitter_ns */

	struct hm hm;
	struct hm_counters counters;
	bool up;
	int64_t poll_ns;  /* next hm_transmit() */
	int64_t first_ns; /* first round trip measured; HM_WORLD_NEVER: none yet */
	unsigned results;
	unsigned sent; /* PDUs */
	int64_t sent_ns[HM_WORLD_SENT];
};

struct hm_flight {
	struct hm_frame frame;
	int64_t arrives_ns, report_ns, actual_ns;
	unsigned from;
	bool used, reported;
};

struct hm_world {
	struct dcb_rate rate;
	struct hm_end end[2]; /* A, B */
	int64_t now_ns;
	struct dcb_rng rng;
	unsigned frames; /* sent by both */
	uint64_t lose;   /* frames to lose, one bit each, in the order of transmission */
	int64_t unit_ns; /* of the times in trace */
	struct hm_flight flight[HM_WORLD_FLIGHT];
	char trace[HM_WORLD_TRACE]; /* "A@0 Q, B@50 PQ": request Q, response P, in their tuples */
	/* Called after each round trip; NULL: not called. */
	void (*on_result)(struct hm_world *w, unsigned end);
};

/*
 * Sets a link with no delay but wire_ns each way, both stations up at 0, measuring
 * with PDUs that combine, and reports of transmission at once.
 */
void hm_world_init(struct hm_world *w, struct dcb_rate rate, int64_t wire_ns);

/* Initializes the engines. */
void hm_world_start(struct hm_world *w);

/* Runs all events up to this time, included. */
void hm_world_run(struct hm_world *w, int64_t until_ns);

/* Returns the round trip that a station has to measure, in ns and in quanta, rounded. */
int64_t hm_world_truth_ns(const struct hm_world *w, unsigned end);
int64_t hm_world_truth(const struct hm_world *w, unsigned end);

/* Returns the time from a request to its response at hm_receive(), with all delays. */
int64_t hm_world_round_trip_ns(const struct hm_world *w, unsigned end);

/* Takes the interface of a station down, or up again. */
void hm_world_set_up(struct hm_world *w, unsigned end, bool up);

#endif
