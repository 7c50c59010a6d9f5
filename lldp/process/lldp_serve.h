/* SPDX-License-Identifier: BSD-3-Clause */
/* dcb-lldp's end of the socket pair: a client of lldpd, asked for and listened to by messages. */
#ifndef DCB_LLDP_PROCESS_LLDP_SERVE_H
#define DCB_LLDP_PROCESS_LLDP_SERVE_H

/* How it ends: by END; with its parent, and nothing of what was set taken back; dcbd has sent
 * what is not valid, or memory or a system call has failed. */
enum lldp_serve_end { LLDP_SERVE_END, LLDP_SERVE_GONE, LLDP_SERVE_FAILED };

/* Serves the socket fd, with lldpd at its control socket, until it ends. */
enum lldp_serve_end lldp_serve(int fd, const char *socket);

#endif
