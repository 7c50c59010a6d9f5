/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's asynchronous I/O (io_submit(2), no library), which is not
 * asynchronous with sockets: it writes to each while it takes it in.
 */
#include "lldp/client/lldp_client_burst.h"

#include <linux/aio_abi.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct burst {
	aio_context_t context;
};

struct burst *burst_new(void)
{
	struct burst *b = calloc(1, sizeof(*b));

	if (b && syscall(SYS_io_setup, BURST_MAX, &b->context) < 0) {
		free(b);
		return NULL;
	}
	return b;
}

void burst_free(struct burst *b)
{
	if (!b)
		return;
	syscall(SYS_io_destroy, b->context);
	free(b);
}

static void send_each(struct burst_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		parts[i].sent = send(parts[i].fd, parts[i].data, parts[i].len,
				     MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)parts[i].len;
}

/* How many the kernel took; what became of them. */
static size_t submit(struct burst *b, struct burst_part *parts, size_t n)
{
	struct iocb blocks[BURST_MAX] = {0}, *list[BURST_MAX];
	struct io_event events[BURST_MAX];
	long taken, done;

	for (size_t i = 0; i < n; i++) {
		blocks[i].aio_data = i;
		blocks[i].aio_lio_opcode = IOCB_CMD_PWRITE;
		blocks[i].aio_fildes = (uint32_t)parts[i].fd;
		blocks[i].aio_buf = (uintptr_t)parts[i].data;
		blocks[i].aio_nbytes = parts[i].len;
		list[i] = &blocks[i];
		parts[i].sent = false;
	}
	taken = syscall(SYS_io_submit, b->context, (long)n, list);
	if (taken <= 0)
		return 0;
	done = syscall(SYS_io_getevents, b->context, taken, taken, events, NULL);
	for (long i = 0; i < done; i++)
		parts[events[i].data].sent = events[i].res == (int64_t)parts[events[i].data].len;
	return (size_t)taken;
}

void burst_send(struct burst *b, struct burst_part *parts, size_t n)
{
	const struct timespec at_once = {0};
	sigset_t pipe, before, pending;
	size_t taken;

	if (!b) {
		send_each(parts, n);
		return;
	}
	/* There is no MSG_NOSIGNAL for this. */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	taken = submit(b, parts, n);
	if (!sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe, NULL, &at_once) == SIGPIPE)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	send_each(parts + taken, n - taken);
}
