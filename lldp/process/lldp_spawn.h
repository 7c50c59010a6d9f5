/* SPDX-License-Identifier: BSD-3-Clause */
/* A child process with one end of a socket pair, and how it ended. */
#ifndef DCB_LLDP_PROCESS_LLDP_SPAWN_H
#define DCB_LLDP_PROCESS_LLDP_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The descriptor that the program finds its end of the pair at. */
#define LLDP_SPAWN_FD 3

struct lldp_spawned {
	pid_t pid;
	int fd; /* our end of the SOCK_SEQPACKET pair: non-blocking, closed on exec */
};

/*
 * Starts argv[0], a path, with our environment, standard input, output and error,
 * LLDP_SPAWN_FD, no other descriptor and no signal blocked. Memory is not copied, so
 * other threads do not notice. Returns when the program has been loaded. false:
 * errno says why, and there is no child.
 */
bool lldp_spawn(const char *const *argv, struct lldp_spawned *out);

/*
 * Has it ended? Then text says how ("ended with status 1", "ended by signal 11
 * (Segmentation fault)"), its number is free and *failed is whether it ended on its own
 * other than with status 0: not by SIGKILL or SIGTERM. Does not block.
 */
bool lldp_spawn_ended(pid_t pid, char *text, size_t textlen, bool *failed);

/* The path of the program of this name in the directory of our own. false: it does not fit. */
bool lldp_spawn_beside(const char *name, char *path, size_t pathlen);

#endif
