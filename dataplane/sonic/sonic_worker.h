/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread of provider "sonic": reads the databases of a SONiC switch. It alone waits for redis.
 * It shares nothing with the control thread but the list of reports.
 *
 * An instance is the databases of one ASIC: a switch with several ASICs has one in each namespace,
 * and one of the host, without ports. Each connects, fails and returns by itself.
 *
 * - At connect all is read. Then, every second: counters and the maps of names; every 10 s and
 *   after a notification of redis: the configuration. Values of one turn are reported if all
 *   of it could be read, else not at all.
 * - A port is a name in COUNTERS_PORT_NAME_MAP that sonic_ifindex() knows. One that is gone from
 *   there, and still in the configuration, is a port for another SONIC_HOLD_NS, without counters:
 *   orchagent makes the map anew when it restarts.
 * - While an instance is lost its ports stay as they were last; SONIC_LOST says so. After it has
 *   returned, those that are gone are reported.
 *
 * Counters are stale (sonic_port.stale) if syncd does not poll them: by FLEX_COUNTER_STATUS, or if
 * its time stamp of the group (COUNTERS:TIME_STAMP) has been the same for three intervals. Counters
 * that do not change are no sign of it: a port can be idle. Where syncd writes no time stamp, as in
 * older images, staleness is not known, and is not reported.
 *
 * A storm begins and ends with a message of channel PFC_WD_ACTION, or with PFC_WD_STATUS of the
 * queue, whichever comes first: the watchdog repeats messages, and messages are lost while the
 * worker is not connected.
 */
#ifndef DCB_SONIC_SONIC_WORKER_H
#define DCB_SONIC_SONIC_WORKER_H

#include <stdbool.h>
#include <stddef.h>

#include "dataplane/sonic/sonic_report.h"

struct sonic_worker;

/*
 * Creates the worker and starts its thread. params are copied. fd: eventfd written after each
 * report. NULL: err says why.
 */
struct sonic_worker *sonic_worker_start(const struct sonic_worker_params *params, int fd, char *err,
					size_t errlen);
/* Returns the next report, for free(); NULL: there is none. Does not wait. */
struct sonic_report *sonic_worker_report(struct sonic_worker *w);
/*
 * Returns the time since the counters of an instance were read last, ms; UINT32_MAX: they have not
 * been.
 */
uint32_t sonic_worker_age_ms(const struct sonic_worker *w, unsigned instance);
/*
 * Has a patch of CONFIG_DB applied (sonic_apply.h), and all rows read again then: SONIC_APPLIED
 * follows, and the next call after it. patch is copied. Returns false if out of memory. Does not
 * wait.
 */
bool sonic_worker_apply(struct sonic_worker *w, const char *patch);
/* Ends the thread, which does not wait for redis any more, and frees the worker. */
void sonic_worker_free(struct sonic_worker *w);

#endif
