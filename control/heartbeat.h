/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Feeds the watchdog of the service manager while both threads of dcbd run: a timer of the
 * control thread sends WATCHDOG=1 if the dataplane thread has turned since the last one. Control
 * thread.
 */
#ifndef DCB_CONTROL_HEARTBEAT_H
#define DCB_CONTROL_HEARTBEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "control/host/notify.h"
#include "lib/dcbtime.h"

struct heartbeat {
	uint64_t turns;      /* of the dataplane thread, at the last message */
	struct dcb_time fed; /* time of the last message */
	bool missed;         /* that the dataplane thread does not turn is logged */
};

/* Returns the interval of heartbeat_run(): a quarter of the watchdog's, at most 1 s. */
int64_t heartbeat_interval_ns(const struct notify *n);
/* turns: number of turns of the dataplane thread, which turns at least once a second. */
void heartbeat_run(struct heartbeat *h, struct notify *n, uint64_t turns, struct dcb_time now);

#endif
