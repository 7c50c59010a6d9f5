/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts a child process with one end of a socket pair, and reports how it ended. */
#ifndef DCB_LLDP_PROCESS_LLDP_SPAWN_H
#define DCB_LLDP_PROCESS_LLDP_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* File descriptor of the program's end of the pair. */
#define LLDP_SPAWN_FD 3

struct lldp_spawned {
	pid_t pid;
	int fd; /* our end of the SOCK_SEQPACKET pair: non-blocking, closed on exec */
};

/*
 * Starts the program at path argv[0] with the environment and standard input, output and
 * error of this process, LLDP_SPAWN_FD, no other descriptor and no signal blocked. Does
 * not copy memory, so it does not delay other threads. Returns when the program is
 * loaded. false: see errno; there is no child.
 */
bool lldp_spawn(const char *const *argv, struct lldp_spawned *out);

/*
 * Reaps the child if it has ended. Does not block. true: it has ended, text says how
 * ("ended with status 1", "ended by signal 11 (Segmentation fault)"). *failed: its status
 * was not 0, or a signal other than SIGKILL and SIGTERM ended it.
 */
bool lldp_spawn_ended(pid_t pid, char *text, size_t textlen, bool *failed);

/*
 * Returns the path of a program in the directory of the running one. false: it does not
 * fit, or that directory cannot be determined.
 */
bool lldp_spawn_beside(const char *name, char *path, size_t pathlen);

#endif
