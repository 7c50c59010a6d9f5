/* SPDX-License-Identifier: BSD-3-Clause */
/* A provider's configurations and events, by its operations, as the control thread uses them. */
#ifndef DCB_TESTS_PROVIDER_CALLS_H
#define DCB_TESTS_PROVIDER_CALLS_H

#include <poll.h>
#include <time.h>

#include "dataplane/config/provider.h"
#include "tests/unit/unit.h"

#define PROVIDER_DEADLINE_S 100 /* of each event */

/* Puts a configuration in force that the provider has to accept. */
static inline void commit(struct provider *p, const struct dcb_config *config)
{
	struct provider_refusal why;

	assert_true(p->ops->prepare(p, config, &why));
	assert_true(p->ops->commit(p, config, &why));
}

/* Waits for the next event. Returns false at the deadline. */
static inline bool wait_event(struct provider *p, struct provider_event *ev)
{
	time_t end = time(NULL) + PROVIDER_DEADLINE_S;

	while (!p->ops->next_event(p, ev)) {
		struct pollfd pfd = {.fd = p->ops->event_fd(p), .events = POLLIN};

		if (time(NULL) >= end)
			return false;
		poll(&pfd, 1, 1000);
	}
	return true;
}

#endif
