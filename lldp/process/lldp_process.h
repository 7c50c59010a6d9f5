/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client of lldpd by dcb-lldp, a process that runs liblldpctl: liblldpctl does not
 * validate its input, and a crash of it must not end dcbd. It interrupts the reports of
 * neighbors for about a second instead.
 *
 * dcbd starts the process, sends the requests made so far and a PING every 250 ms. It
 * kills and replaces a process that does not answer or that sends an invalid message or
 * one out of order (lldp_msg.h, lldp_order.h). The receiver of the events then sees the
 * same as after a lost connection to lldpd: LLDP_CONNECTING, LLDP_CONNECTED, and reports
 * of all neighbors.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_PROCESS_H
#define DCB_LLDP_PROCESS_LLDP_PROCESS_H

#include "lldp/client/lldp_client.h"

struct event_base;

/*
 * program: path of dcb-lldp; NULL: in the directory of the running program. socket: path of
 * lldpd's control socket. Both are copied. holds: as of lldp_client_lldpd(). Events are called from
 * base's loop, on its thread, not from within this function or destroy(). If the program cannot be
 * started, the client tries again every 5 s. destroy() blocks until the process has removed all
 * TLVs, at most 6 s. SIGCHLD must have its default disposition. NULL: out of memory.
 */
struct lldp_client *lldp_process_new(struct event_base *base, const char *program,
				     const char *socket, bool holds,
				     const struct lldp_events *events, void *ctx);

#endif
