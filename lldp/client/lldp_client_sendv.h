/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes to several sockets in one system call, so that the reader is not scheduled on
 * this processor before the last one is written.
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
	bool sent; /* set by sendv_send(): all of it was sent */
};

/* NULL: out of memory, or the kernel has no io_setup(2). */
struct sendv *sendv_new(void);
void sendv_free(struct sendv *v);
/* Sends n messages, at most SENDV_MAX. v NULL: by one send(2) each. Raises no SIGPIPE. */
void sendv_send(struct sendv *v, struct sendv_msg *msgs, size_t n);

#endif
