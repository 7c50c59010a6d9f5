/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One frame again and again, at even intervals, by a program that the kernel
 * lets run when it likes.
 *
 * Frame k is due at start + k * interval, whenever those before it left, so no
 * delay adds up. To sleep until then would be late by as long as waking up
 * takes; to stay awake takes a processor. So:
 *
 *     due                   due                   due
 *   ---F zzzzzzzzzzzzz #####F zzzzzzzzzzzzz #####F---
 *        asleep        awake: the margin
 *
 * The margin follows how late the last wakings were, quickly up and slowly
 * down. An interval shorter than that is waited for awake, and the margin then
 * shrinks by itself until sleeping is tried again.
 *
 * Where others want the processor too, whoever stays awake is the one to be
 * put off, for several milliseconds; who sleeps is woken before them, a little
 * late. So frames of both ways are compared, and the less late way is taken.
 *
 * Whoever comes so late that the next frame is due too does not catch up: two
 * PAUSEs at once say no more than one. What was left out is counted as missed.
 */
#ifndef DCB_AGENT_CLI_PACE_H
#define DCB_AGENT_CLI_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/cli/spread.h"
#include "lib/dcbtime.h"

#define PACE_INTERVAL_MIN_NS DCB_NS_PER_US
#define PACE_INTERVAL_MAX_NS (60 * DCB_NS_PER_S)

#define PACE_MARGIN_FIRST_NS   (100 * DCB_NS_PER_US)
#define PACE_MARGIN_MIN_NS     (2 * DCB_NS_PER_US)
#define PACE_MARGIN_MAX_NS     DCB_NS_PER_MS /* later than that is not waking up */
#define PACE_BLOCK             16            /* frames, at least, to compare two ways by ... */
#define PACE_BLOCK_NS          (50 * DCB_NS_PER_MS) /* ... and time: several turns of others */
#define PACE_TRY               64                   /* one block in so many tries the other way */
#define PACE_GOOD(interval_ns) ((interval_ns) / 50) /* mean lateness that needs no better way */
#define PACE_SLEEP_MIN_NS      (10 * DCB_NS_PER_US) /* a shorter sleep is not worth the call */

enum pace_wait { PACE_ADAPT, PACE_AWAKE, PACE_ASLEEP };

struct pace_params {
	int64_t interval_ns;
	int64_t duration_ns; /* 0: no end; frames due before it are sent */
	uint64_t count;      /* frames; 0: no end */
	int64_t lapse_ns;    /* an interval longer than this counts as a lapse; 0: none does */
	enum pace_wait wait;
	const uint8_t *frame;
	size_t octets;
};

/* Clock, sleep and socket. */
struct pace_host {
	struct dcb_time (*now)(void *ctx);
	void (*sleep_until)(void *ctx, struct dcb_time when); /* may return before */
	/* 0, or the errno. */
	int (*send)(void *ctx, const uint8_t *frame, size_t octets);
	bool (*stopped)(void *ctx); /* the user has had enough */
	void *ctx;
};

struct pace_report {
	uint64_t frames;
	uint64_t late;    /* of them, more than PACE_LATE of the interval after they were due */
	uint64_t missed;  /* never sent: it was too late for them */
	uint64_t refused; /* never sent: the kernel had no room */
	uint64_t lapses;
	uint64_t sleeps;
	int64_t elapsed_ns;
	int error;               /* errno that ended it; 0: it ended as it should */
	struct spread intervals; /* between frames that were sent */
};

#define PACE_LATE(interval_ns) ((interval_ns) / 10)

/*
 * Sends until count, duration or stopped() ends it, and returns when the last
 * frame's interval or the duration is over too; at once if stopped. *r need
 * not be initialized.
 */
void pace_run(const struct pace_params *p, const struct pace_host *host, struct pace_report *r);

#endif
