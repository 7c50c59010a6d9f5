/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One run in several threads: each processes the events of a part of the network. A frame that
 * crosses to another part arrives there no earlier than the lookahead after it was sent: the delay
 * and the transmission of the shortest frame. So the events of all parts in a window of that length
 * are processed side by side.
 *
 *   part 0:  events of the window | barrier | frames from part 1 | events of the next window ...
 *   part 1:  events of the window | barrier | frames from part 0 | events of the next window ...
 *
 * A window begins with the earliest event of all parts. It ends before the time to which the
 * simulation runs, if that is less than the lookahead away: samples, traces, changes and LLDP then
 * access the whole network while the threads wait.
 *
 * The lookahead is the delay of the link and the transmission of 84 octets: 568 ns in a fat tree
 * of 1024 hosts with 10 Gb/s and 500 ns. All threads calculate the same next window. Two threads
 * are 1.85 times as fast as one in that fat tree, because each part has more of its memory in
 * the cache of a processor. In small networks a window has a few events, and the barrier takes
 * longer than they do.
 */
#ifndef DCB_SIM_THREADS_H
#define DCB_SIM_THREADS_H

#include "sim/net/model.h"

/*
 * Divides the network into up to n parts, sim->n_parts: fewer if it cannot be divided so far.
 * Requires all links; before sim_start(). Returns false if out of memory.
 */
bool sim_threads_divide(struct sim *sim, uint32_t n);

/*
 * Starts a thread for each part but the first, whose thread is the caller's. Does nothing if there
 * is one part. Returns false with the reason in err.
 */
bool sim_threads_start(struct sim *sim, char *err, size_t errlen);
void sim_threads_destroy(struct sim *sim);

/* Processes the events of all parts up to and including this time. */
void sim_threads_run(struct sim *sim, struct dcb_time until);

/* Follows a change of the rate of a link. */
void sim_threads_rate(struct sim *sim);

#endif
