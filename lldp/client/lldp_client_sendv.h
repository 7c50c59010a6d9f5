/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes to several sockets in one system call: whoever reads them gets no
 * processor of ours to do so before the last is written.
 */
#ifndef DCB_LLDP_CLIENT_LLDP_CLIENT_SENDV_H
#define DCB_LLDP_CLIENT_LLDP_CLIENT_SENDV_H

#include <stdbool.h>
#include <stddef.h>

#define SENDV_MAX 8

struct sendv;

struct sendv_msg {
	int fd; /* non-blocking */
	const void *data;
	size_t len;
	bool sent; /* whole: an answer */
};

/* NULL: out of memory, or this kernel does not have it. */
struct sendv *sendv_new(void);
void sendv_free(struct sendv *v);
/* n: at most SENDV_MAX. v NULL: one after the other. Raises no SIGPIPE. */
void sendv_send(struct sendv *v, struct sendv_msg *msgs, size_t n);

#endif
