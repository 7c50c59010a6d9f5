/* SPDX-License-Identifier: BSD-3-Clause */
/* Serves dcbd's requests at dcb-lldp's end of the socket pair, with a client of lldpd. */
#ifndef DCB_LLDP_PROCESS_LLDP_SERVE_H
#define DCB_LLDP_PROCESS_LLDP_SERVE_H

#include <stdbool.h>

/*
 * LLDP_SERVE_END: dcbd sent END, the TLVs are removed. LLDP_SERVE_GONE: dcbd has ended or
 * closed the socket, lldpd keeps the TLVs and no longer holds new ports. LLDP_SERVE_FAILED: invalid
 * message from dcbd, out of memory, or a system call failed.
 */
enum lldp_serve_end { LLDP_SERVE_END, LLDP_SERVE_GONE, LLDP_SERVE_FAILED };

/* Serves the socket fd until it ends. socket, holds: see lldp_client_lldpd(). */
enum lldp_serve_end lldp_serve(int fd, const char *socket, bool holds);

#endif
