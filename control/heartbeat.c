/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/heartbeat.h"

#include "lib/log.h"

int64_t heartbeat_interval_ns(const struct notify *n)
{
	int64_t quarter = n->watchdog_ns / 4;

	if (quarter > DCB_NS_PER_S)
		return DCB_NS_PER_S;
	return quarter < DCB_NS_PER_MS ? DCB_NS_PER_MS : quarter;
}

void heartbeat_run(struct heartbeat *h, struct notify *n, uint64_t turns, struct dcb_time now)
{
	if (h->fed.ns == 0 || turns != h->turns) {
		h->turns = turns;
		h->fed = now;
		h->missed = false;
		notify_alive(n);
		return;
	}
	if (h->missed || dcb_time_diff_ns(now, h->fed) < n->watchdog_ns / 2)
		return;
	h->missed = true;
	log_error("dcbd", "a dataplane thread does not run since %lld ms: the watchdog is not fed",
		  (long long)(dcb_time_diff_ns(now, h->fed) / DCB_NS_PER_MS));
}
