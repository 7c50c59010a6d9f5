/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses io_submit(2) of the kernel's asynchronous I/O. With sockets it is not
 * asynchronous: io_submit() writes to each socket before it returns.
 */
#include "lldp/client/lldp_client_sendv.h"

#include <linux/aio_abi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct sendv {
	aio_context_t context;
};

struct sendv *sendv_new(void)
{
	struct sendv *v = calloc(1, sizeof(*v));

	if (v && syscall(SYS_io_setup, SENDV_MAX, &v->context) < 0) {
		free(v);
		return NULL;
	}
	return v;
}

void sendv_free(struct sendv *v)
{
	if (!v)
		return;
	syscall(SYS_io_destroy, v->context);
	free(v);
}

static void send_each(struct sendv_msg *msgs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		msgs[i].sent = send(msgs[i].fd, msgs[i].data, msgs[i].len,
				    MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)msgs[i].len;
}

/* Returns how many messages the kernel took, and sets their member sent. */
static size_t submit(struct sendv *v, struct sendv_msg *msgs, size_t n)
{
	struct iocb blocks[SENDV_MAX] = {0}, *list[SENDV_MAX];
	struct io_event events[SENDV_MAX];
	long taken, done;

	for (size_t i = 0; i < n; i++) {
		blocks[i].aio_data = i;
		blocks[i].aio_lio_opcode = IOCB_CMD_PWRITE;
		blocks[i].aio_fildes = (uint32_t)msgs[i].fd;
		blocks[i].aio_buf = (uintptr_t)msgs[i].data;
		blocks[i].aio_nbytes = msgs[i].len;
		list[i] = &blocks[i];
		msgs[i].sent = false;
	}
	taken = syscall(SYS_io_submit, v->context, (long)n, list);
	if (taken <= 0)
		return 0;
	done = syscall(SYS_io_getevents, v->context, taken, taken, events, NULL);
	for (long i = 0; i < done; i++)
		msgs[events[i].data].sent = events[i].res == (int64_t)msgs[events[i].data].len;
	return (size_t)taken;
}

void sendv_send(struct sendv *v, struct sendv_msg *msgs, size_t n)
{
	const struct timespec at_once = {0};
	sigset_t pipe, before, pending;
	size_t taken;

	if (!v) {
		send_each(msgs, n);
		return;
	}
	/* io_submit() has no flag like MSG_NOSIGNAL. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	taken = submit(v, msgs, n);
	if (!sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe, NULL, &at_once) == SIGPIPE)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	send_each(msgs + taken, n - taken);
}
