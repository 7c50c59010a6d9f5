/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes to several sockets in one system call: whoever reads them gets no
 * processor of ours to do so before the last is written.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_BURST_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_BURST_H

#include <stdbool.h>
#include <stddef.h>

#define BURST_MAX 8

struct burst;

struct burst_part {
	int fd; /* non-blocking */
	const void *data;
	size_t len;
	bool sent; /* whole: an answer */
};

/* NULL: out of memory, or this kernel does not have it. */
struct burst *burst_new(void);
void burst_free(struct burst *b);
/* n: at most BURST_MAX. b NULL: one after the other. Raises no SIGPIPE. */
void burst_send(struct burst *b, struct burst_part *parts, size_t n);

#endif
