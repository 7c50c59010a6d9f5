/* SPDX-License-Identifier: BSD-3-Clause */
/* Listening sockets: those of option -l, and those that systemd passes. */
#ifndef DCB_AGENT_EXPORTER_LISTEN_H
#define DCB_AGENT_EXPORTER_LISTEN_H

#include <stddef.h>

/*
 * Opens a socket that listens at "ADDRESS:PORT" or "[ADDRESS]:PORT", both numeric. Returns it, or
 * -1 with the reason in err.
 */
int listen_open(const char *address, char *err, size_t errlen);
/*
 * Returns how many sockets systemd has passed, from descriptor LISTEN_FIRST on (sd_listen_fds(3));
 * they do not block and are not inherited then. 0: none. -1: one of them does not listen; err says
 * which. Removes the environment variables.
 */
#define LISTEN_FIRST 3
int listen_passed(char *err, size_t errlen);
/* Writes the address of a listening socket as in option -l. */
void listen_name(int fd, char *name, size_t size);

#endif
