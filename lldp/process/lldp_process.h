/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lldpd by way of dcb-lldp, a process that has liblldpctl and nothing else:
 * liblldpctl trusts what it reads, and a crash of it is to cost news of neighbors
 * for a second and not the bridge.
 *
 * The process is started, told what was asked for so far, asked every quarter of a
 * second whether it still answers, and killed and replaced when it does not or when
 * what it sends is not valid or out of order (lldp_msg.h, lldp_order.h). What it
 * has told of stays with the receiver of the events, as after a lost connection to
 * lldpd: LLDP_CONNECTING, then everything again.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_PROCESS_H
#define DCB_LLDP_PROCESS_LLDP_PROCESS_H

#include "lldp/client/lldp_client.h"

struct event_base;

/*
 * program: its path; NULL for dcb-lldp beside our own program. socket: of lldpd. Both are
 * copied. Events are called from base's loop, on its thread, not from within this and
 * not from destroy(). A program that cannot be started is tried again for ever. NULL:
 * out of memory. destroy() waits for the process to take our TLVs away, six seconds at most.
 * SIGCHLD has to be at its default.
 */
struct lldp_client *lldp_process_new(struct event_base *base, const char *program,
				     const char *socket, const struct lldp_events *events,
				     void *ctx);

#endif
