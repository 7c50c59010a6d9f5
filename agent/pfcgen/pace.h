/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends one frame repeatedly at a fixed interval, from an ordinary process.
 *
 * Frame k is due at start + k * interval, independent of when the frames before
 * it left, so delays do not accumulate. A process that sleeps until a frame is due
 * sends it late by its wake-up latency. A process that stays awake uses a whole
 * CPU. Therefore it sleeps until a margin before the frame is due, and then polls
 * the clock:
 *
 *     due                   due                   due
 *   ---F zzzzzzzzzzzzz #####F zzzzzzzzzzzzz #####F---
 *        asleep        awake: the margin
 *
 * The margin follows the measured wake-up latency, quickly when that grows and
 * slowly when it shrinks. If the interval is shorter than the margin, the process
 * stays awake; the margin then shrinks until sleeping is tried again.
 *
 * If other processes need the CPU, the scheduler suspends a process that stays
 * awake, for several milliseconds, while one that sleeps is woken soon. Therefore
 * the mean lateness of two ways is compared, with the margin and asleep until the
 * frame is due, and the better one is used: see choose_way(). They are compared by
 * blocks of frames that last for several time slices of other processes.
 *
 * If a frame is sent so late that the next ones are due, those are not sent: two
 * PAUSE frames at once have the effect of one. They are counted as missed.
 */
#ifndef DCB_AGENT_PFCGEN_PACE_H
#define DCB_AGENT_PFCGEN_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/histogram.h"
#include "lib/dcbtime.h"

#define PACE_INTERVAL_MIN_NS DCB_NS_PER_US
#define PACE_INTERVAL_MAX_NS (60 * DCB_NS_PER_S)

#define PACE_MARGIN_FIRST_NS   (100 * DCB_NS_PER_US)
#define PACE_MARGIN_MIN_NS     (2 * DCB_NS_PER_US)
#define PACE_MARGIN_MAX_NS     DCB_NS_PER_MS        /* greater lateness is not wake-up latency */
#define PACE_BLOCK             16                   /* least number of frames in a block ... */
#define PACE_BLOCK_NS          (50 * DCB_NS_PER_MS) /* ... and its least duration */
#define PACE_TRY               64                   /* one block in this many uses the other way */
#define PACE_GOOD(interval_ns) ((interval_ns) / 50) /* mean lateness that is good enough */
#define PACE_SLEEP_MIN_NS      (10 * DCB_NS_PER_US) /* for less, the process stays awake */

enum pace_wait { PACE_ADAPT, PACE_AWAKE, PACE_ASLEEP };

struct pace_params {
	int64_t interval_ns;
	int64_t duration_ns; /* 0: no limit; frames due before its end are sent */
	uint64_t count;      /* number of frames; 0: no limit */
	int64_t lapse_ns;    /* a longer interval counts as a lapse; 0: none does */
	enum pace_wait wait;
	const uint8_t *frame;
	size_t octets;
};

/* Clock, sleep and socket; a test may replace them. */
struct pace_host {
	struct dcb_time (*now)(void *ctx);
	void (*sleep_until)(void *ctx, struct dcb_time when); /* may return earlier */
	/* Returns 0 or the errno. */
	int (*send)(void *ctx, const uint8_t *frame, size_t octets);
	bool (*stopped)(void *ctx); /* the user has interrupted the program */
	/* With PACE_ADAPT: the process must not poll the clock for now. NULL: it always may. */
	bool (*must_sleep)(void *ctx);
	void *ctx;
};

struct pace_report {
	uint64_t frames;
	uint64_t late;    /* of frames, those sent more than PACE_LATE() after they were due */
	uint64_t missed;  /* not sent: the next one was due, or the duration was over */
	uint64_t refused; /* not sent, because the kernel had no buffer */
	uint64_t lapses;
	uint64_t sleeps;
	int64_t elapsed_ns;
	int error;                  /* errno that ended the run; 0: none did */
	struct histogram intervals; /* between the frames that were sent */
};

#define PACE_LATE(interval_ns) ((interval_ns) / 10)

/*
 * Sends frames until count, duration or host->stopped() ends the run. Then
 * waits for the end of the last frame's interval or of the duration, whichever
 * is first; not if stopped. Fills in *r, which need not be initialized.
 */
void pace_run(const struct pace_params *p, const struct pace_host *host, struct pace_report *r);

#endif
