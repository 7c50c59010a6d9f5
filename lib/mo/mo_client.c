/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mo/mo_client.h"

#include "lib/clock.h"
#include "lib/mo/mo_page.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SLICE_US (MO_SLICE_MS * INT64_C(1000))
#define QUICK_US 1000 /* the replies of one mo_client_wait_slices(): so little is not counted */

struct mo_client {
	int fd;
	bool not_handled; /* the last request was not, because dcbd had closed the connection */
	unsigned timeout_ms, commit_ms;
	uint32_t seq;
	uint8_t late;   /* operation of the request whose reply has not come in time; 0: none */
	bool is_shared; /* mo_client_wait_slices() */
	unsigned slices, slices_waited;
	int64_t owed_us; /* for replies, less than half a slice; negative: counted too much */
	bool (*alive)(void);
	struct {
		enum mo_table_id table;
		unsigned flags;
		struct mo_index index;
	} asked; /* the last READ */
	uint32_t boot_id;
	int connect_error;                /* mo_client_connect_error() */
	struct sockaddr_un control, view; /* view: sun_family is 0 if there is none */
	struct sockaddr_un addr;          /* the one of these last connected to */
	char error[MO_TEXT_MAX + 64];
	char reason[MO_TEXT_MAX + 1];
	uint8_t buf[MO_MSG_MAX]; /* the request, then its reply */
};

static bool set_path(struct sockaddr_un *addr, const char *path)
{
	if (strlen(path) >= sizeof(addr->sun_path))
		return false;
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, path, strlen(path) + 1);
	return true;
}

struct mo_client *mo_client_new(const char *socket_path, unsigned timeout_ms)
{
	struct mo_client *c = calloc(1, sizeof(*c));

	if (!c || !set_path(&c->control, socket_path)) {
		free(c);
		return NULL;
	}
	c->fd = -1;
	c->timeout_ms = c->commit_ms = timeout_ms;
	c->addr = c->control;
	return c;
}

void mo_client_commit_within(struct mo_client *c, unsigned ms)
{
	c->commit_ms = ms;
}

bool mo_client_use_view(struct mo_client *c, const char *socket_path)
{
	return set_path(&c->view, socket_path);
}

void mo_client_wait_slices(struct mo_client *c, unsigned slices, bool (*alive)(void))
{
	c->is_shared = true;
	c->slices = slices;
	c->alive = alive;
	if (c->owed_us < QUICK_US)
		c->owed_us = 0;
}

int mo_client_late_fd(const struct mo_client *c)
{
	return c->late ? c->fd : -1;
}

unsigned mo_client_slices(const struct mo_client *c)
{
	return c->slices_waited;
}

static void client_close(struct mo_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->late = 0;
}

void mo_client_free(struct mo_client *c)
{
	if (c)
		client_close(c);
	free(c);
}

const char *mo_client_strerror(const struct mo_client *c)
{
	return c->error;
}

int mo_client_connect_error(const struct mo_client *c)
{
	return c->connect_error;
}

const char *mo_client_path(const struct mo_client *c)
{
	return c->addr.sun_path;
}

const char *mo_client_reason(const struct mo_client *c)
{
	return c->reason;
}

uint32_t mo_client_boot_id(const struct mo_client *c)
{
	return c->boot_id;
}

__attribute__((format(printf, 3, 4))) static enum mo_client_status
client_fail(struct mo_client *c, enum mo_client_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->error, sizeof(c->error), fmt, ap);
	va_end(ap);
	client_close(c);
	return status;
}

static enum mo_client_status client_socket_error(struct mo_client *c, const char *what)
{
	bool late = errno == EAGAIN || errno == EWOULDBLOCK;

	/*
	 * Message "%s: send: no answer in time": dcbd(8) did not answer within 5 seconds. Check its
	 * log and the load of the host, then repeat the command.
	 */
	return client_fail(c, late ? MO_CLIENT_TIMEOUT : MO_CLIENT_UNREACHABLE, "%s: %s: %s",
			   c->addr.sun_path, what, late ? "no answer in time" : strerror(errno));
}

/*
 * Receives a message into c->buf. dcbd has closed the connection if this fails with
 * ECONNRESET; its last message can be read then.
 */
static ssize_t client_receive(struct mo_client *c, int flags)
{
	bool reset = false;
	ssize_t n;

	for (;;) {
		n = recv(c->fd, c->buf, sizeof(c->buf), flags | MSG_TRUNC);
		if (n >= 0 || (errno != EINTR && (errno != ECONNRESET || reset)))
			return n;
		reset = errno == ECONNRESET;
	}
}

static bool is_late(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static int64_t now_us(void)
{
	return clock_now().ns / DCB_NS_PER_US;
}

/*
 * Uses up a slice. A sign of life, asked for when half of the slices that there were at first are
 * used up, gives them back to a COMMIT, until end_us. Returns whether there are more.
 */
static bool client_use_slice(struct mo_client *c, uint8_t op, unsigned half, unsigned used,
			     int64_t end_us)
{
	bool writes = op == MO_OP_COMMIT || op == MO_OP_UNDO;

	if (c->slices == 0)
		return false;
	c->slices--;
	c->slices_waited++;
	if (writes && c->alive && used % half == 0 && now_us() < end_us) {
		if (!c->alive())
			return false;
		c->slices += half;
		c->slices_waited -= half;
	}
	return c->slices > 0;
}

/* Counts the time of a reply within its slice. Not with alive(): transactions take their time. */
static void client_count_reply(struct mo_client *c, int64_t us)
{
	if (c->alive || c->slices == 0)
		return;
	c->owed_us += us < SLICE_US ? us : SLICE_US;
	if (c->owed_us >= SLICE_US / 2) {
		c->owed_us -= SLICE_US;
		c->slices--;
		c->slices_waited++;
	}
}

/* Receives the reply to a request of this operation as client_receive(), within the time limits. */
static ssize_t client_await(struct mo_client *c, uint8_t op)
{
	struct pollfd in = {.fd = c->fd, .events = POLLIN};
	unsigned half = (c->slices + 1) / 2, used = 0;
	int64_t slice_us, end_us;
	ssize_t n;

	if (!c->is_shared)
		return client_receive(c, 0);
	slice_us = now_us();
	end_us = slice_us + c->commit_ms * INT64_C(1000);
	for (;;) {
		/* Not SO_RCVTIMEO: it is rounded up to jiffies, 10 ms instead of 5. */
		if (c->slices > 0)
			(void)poll(&in, 1, MO_SLICE_MS);
		n = client_receive(c, MSG_DONTWAIT);
		if (!is_late(n)) {
			client_count_reply(c, now_us() - slice_us);
			return n;
		}
		if (!client_use_slice(c, op, half, ++used, end_us)) {
			errno = EAGAIN;
			return n;
		}
		slice_us = now_us();
	}
}

/* Fails with dcbd's reason for closing the connection; in is the body of its CLOSE. */
static enum mo_client_status client_closed(struct mo_client *c, struct octets_in *in)
{
	char why[MO_TEXT_MAX + 1];

	c->not_handled = true;
	mo_msg_get_text(in, why);
	/*
	 * Message: The second text is the reason: see the messages of dcbd(8) about the control
	 * socket.
	 */
	return client_fail(c, MO_CLIENT_UNREACHABLE, "%s: dcbd closed the connection: %s",
			   c->addr.sun_path, why);
}

/*
 * Checks that n octets of client_receive() are a message of this operation, sets *in to
 * its body and *h to its header.
 */
static enum mo_client_status client_message(struct mo_client *c, ssize_t n, uint8_t op,
					    struct octets_in *in, struct mo_msg_header *h)
{
	if (n < 0)
		return client_socket_error(c, "receive");
	if (n == 0)
		/*
		 * Message: dcbd(8) ended or was restarted. Check that dcbd(8) runs, then repeat the
		 * command. After a `set`, use `show` to see whether the values are set.
		 */
		return client_fail(c, MO_CLIENT_UNREACHABLE, "%s: dcbd closed the connection",
				   c->addr.sun_path);
	*in = octets_in(c->buf, (size_t)n);
	if ((size_t)n <= sizeof(c->buf) && mo_msg_get_header(in, h)) {
		if (h->op == (MO_OP_CLOSE | MO_MSG_REPLY))
			return client_closed(c, in);
		if (h->op == (op | MO_MSG_REPLY))
			return MO_CLIENT_OK;
	}
	return client_fail(c, MO_CLIENT_PROTOCOL, "%s: %s", c->addr.sun_path,
			   op == MO_OP_EVENT ? "malformed event"
					     : "reply does not match the request");
}

/* Checks that n octets of client_receive() are the reply to the last request. */
static enum mo_client_status client_reply(struct mo_client *c, ssize_t n, uint8_t op,
					  struct octets_in *reply)
{
	struct mo_msg_header h;
	enum mo_client_status status = client_message(c, n, op, reply, &h);

	if (status == MO_CLIENT_OK && h.seq != c->seq)
		/*
		 * Message: The program and dcbd(8) are of different versions. Install the same
		 * version of both and restart dcbd(8).
		 */
		return client_fail(c, MO_CLIENT_PROTOCOL, "%s: reply does not match the request",
				   c->addr.sun_path);
	return status;
}

/*
 * Nothing else is sent until the reply has come: a dcbd that hangs costs one time limit, not
 * one for each request, and it is asked again as soon as it goes on. But a COMMIT or UNDO
 * without a reply is to be undone, so that dcbd has to see the end of the connection.
 */
static enum mo_client_status client_late(struct mo_client *c, uint8_t op)
{
	if (op == MO_OP_COMMIT || op == MO_OP_UNDO)
		return client_socket_error(c, "receive");
	c->late = op;
	/* Message: as "%s: send: no answer in time" */
	snprintf(c->error, sizeof(c->error), "%s: receive: no answer in time", c->addr.sun_path);
	return MO_CLIENT_TIMEOUT;
}

/*
 * Sends the request in out and receives its reply; *reply is the reply's body.
 * There is no reply to an earlier request to come: client_catch_up().
 */
static enum mo_client_status client_exchange(struct mo_client *c, const struct octets_out *out,
					     struct octets_in *reply)
{
	uint8_t op = c->buf[1];
	ssize_t n;

	c->not_handled = false;
	if (out->overrun)
		/*
		 * Message: The file has more settings than one transaction can have. Divide it, by
		 * ports for example.
		 */
		return client_fail(c, MO_CLIENT_PROTOCOL, "request longer than %d octets",
				   MO_MSG_MAX);
	if (send(c->fd, out->start, out->len, MSG_NOSIGNAL) < 0) {
		if (errno != EPIPE)
			return client_socket_error(c, "send");
		c->not_handled = true; /* the reason may be there to be received */
	}
	n = client_await(c, op);
	if (is_late(n))
		return client_late(c, op);
	return client_reply(c, n, op, reply);
}

static struct octets_out client_request(struct mo_client *c, enum mo_msg_op op, unsigned table)
{
	struct octets_out out = octets_out(c->buf, sizeof(c->buf));

	mo_msg_put_header(&out, &(struct mo_msg_header){
				    .op = (uint8_t)op, .table = (uint16_t)table, .seq = ++c->seq});
	return out;
}

static enum mo_client_status take_hello(struct mo_client *c, struct octets_in *reply)
{
	uint32_t boot_id = octets_in_be32(reply);

	if (reply->overrun)
		/* Message: as "%s: reply does not match the request" */
		return client_fail(c, MO_CLIENT_PROTOCOL, "%s: reply to HELLO too short",
				   c->addr.sun_path);
	c->boot_id = boot_id;
	return MO_CLIENT_OK;
}

static enum mo_client_status client_hello(struct mo_client *c)
{
	struct octets_out out = client_request(c, MO_OP_HELLO, 0);
	struct octets_in reply;
	enum mo_client_status status = client_exchange(c, &out, &reply);

	return status == MO_CLIENT_OK ? take_hello(c, &reply) : status;
}

/*
 * Receives the late reply, if there is one, and sets *reply to its body. MO_CLIENT_TIMEOUT: it
 * has not come yet.
 */
static enum mo_client_status client_take_late(struct mo_client *c, struct octets_in *reply)
{
	enum mo_client_status status;
	uint8_t op = c->late;
	ssize_t n;

	if (!op)
		return MO_CLIENT_OK;
	n = client_receive(c, MSG_DONTWAIT);
	if (is_late(n))
		return client_late(c, op);
	c->late = 0;
	status = client_reply(c, n, op, reply);
	/* A connection that ended meanwhile has handled nothing of the next request. */
	c->not_handled = status == MO_CLIENT_UNREACHABLE;
	if (status == MO_CLIENT_OK && op == MO_OP_HELLO)
		return take_hello(c, reply);
	return status;
}

static enum mo_client_status client_catch_up(struct mo_client *c)
{
	struct octets_in reply;

	return client_take_late(c, &reply);
}

enum mo_client_status mo_client_discard_late(struct mo_client *c)
{
	return client_catch_up(c);
}

/* Sets the time limit of a message. Returns false and errno on failure. */
static bool set_limit(struct mo_client *c, int option, unsigned ms)
{
	struct timeval tv = {.tv_sec = (time_t)(ms / 1000),
			     .tv_usec = (suseconds_t)(ms % 1000) * 1000};

	return setsockopt(c->fd, SOL_SOCKET, option, &tv, sizeof(tv)) == 0;
}

/* Connects to the address. Returns NULL, or the step that failed, and errno. */
static const char *dial(struct mo_client *c, const struct sockaddr_un *addr)
{
	unsigned limit_ms = c->is_shared ? MO_SLICE_MS : c->timeout_ms;

	c->addr = *addr;
	c->fd =
	    socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (c->is_shared ? SOCK_NONBLOCK : 0), 0);
	if (c->fd < 0)
		return "socket";
	if (!set_limit(c, SO_RCVTIMEO, limit_ms) || !set_limit(c, SO_SNDTIMEO, limit_ms))
		return "setsockopt";
	if (connect(c->fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		return "connect";
	return c->is_shared && fcntl(c->fd, F_SETFL, 0) < 0 ? "fcntl" : NULL;
}

/* A view socket without a server says more than a control socket without permission. */
static int worse_error(int of_view, int of_control)
{
	return of_control == EACCES && of_view == ECONNREFUSED ? of_view : of_control;
}

static enum mo_client_status client_connect(struct mo_client *c)
{
	enum mo_client_status refused = MO_CLIENT_OK;
	const char *failed;
	int of_view = 0;

	c->connect_error = 0;
	if (c->fd >= 0)
		return client_catch_up(c);
	if (c->view.sun_family && dial(c, &c->view)) {
		of_view = errno;
	} else if (c->view.sun_family) {
		refused = client_hello(c);
		if (refused != MO_CLIENT_UNREACHABLE)
			return refused;
	}
	client_close(c);
	failed = dial(c, &c->control);
	if (failed && errno == EACCES && refused) {
		client_close(c);
		return refused; /* its reason says more */
	}
	c->connect_error = failed ? worse_error(of_view, errno) : 0;
	return failed ? client_socket_error(c, failed) : client_hello(c);
}

/* --- reading ------------------------------------------------------------------------ */

/* The late reply is that to a READ of these rows. */
static bool is_asked(const struct mo_client *c, enum mo_table_id table, unsigned flags,
		     const struct mo_index *index)
{
	return c->is_shared && c->late == MO_OP_READ && c->asked.table == table &&
	       c->asked.flags == flags && c->asked.index.n == index->n &&
	       mo_index_compare(&c->asked.index, index) == 0;
}

/* Sends a READ and receives its reply. */
static enum mo_client_status client_read(struct mo_client *c, enum mo_table_id table,
					 unsigned flags, const struct mo_index *index,
					 unsigned max_rows, struct octets_in *reply)
{
	enum mo_client_status status = client_connect(c);
	struct octets_out out;

	if (status != MO_CLIENT_OK)
		return status;
	c->asked.table = table;
	c->asked.flags = flags;
	c->asked.index = *index;
	out = client_request(c, MO_OP_READ, table);
	octets_out_u8(&out, (uint8_t)flags);
	octets_out_be16(&out, (uint16_t)max_rows);
	mo_msg_put_index(&out, index);
	return client_exchange(c, &out, reply);
}

static enum mo_client_status read_once(struct mo_client *c, enum mo_table_id table, unsigned flags,
				       const struct mo_index *index, unsigned max_rows,
				       struct mo_page *page)
{
	enum mo_client_status status;
	struct octets_in reply;

	if (is_asked(c, table, flags, index))
		status = client_take_late(c, &reply);
	else
		status = client_read(c, table, flags, index, max_rows, &reply);
	if (status != MO_CLIENT_OK)
		return status;
	if (!mo_page_parse(page, &reply))
		/* Message: as "%s: reply does not match the request" */
		return client_fail(c, MO_CLIENT_PROTOCOL, "%s: malformed reply to READ",
				   c->addr.sun_path);
	return MO_CLIENT_OK;
}

/* Whether to repeat a request that begins anew: dcbd had closed the connection before it. */
static bool is_to_repeat(const struct mo_client *c, bool was_connected,
			 enum mo_client_status status)
{
	return status == MO_CLIENT_UNREACHABLE && was_connected && c->not_handled;
}

enum mo_client_status mo_client_read(struct mo_client *c, enum mo_table_id table, unsigned flags,
				     const struct mo_index *index, unsigned max_rows,
				     struct mo_page *page)
{
	bool was_connected = c->fd >= 0;
	enum mo_client_status status;

	page->table = mo_table(table);
	page->has_origins = flags & MO_READ_ORIGIN;
	page->n_rows = 0;
	page->more = false;
	status = read_once(c, table, flags, index, max_rows, page);
	if (is_to_repeat(c, was_connected, status))
		status = read_once(c, table, flags, index, max_rows, page);
	return status;
}

/* --- transactions ---------------------------------------------------------------- */

static enum mo_client_status client_result(struct mo_client *c, const struct octets_out *out,
					   enum mo_error *error, unsigned *varbind)
{
	struct octets_in reply;
	enum mo_client_status status = client_exchange(c, out, &reply);

	*error = MO_GEN_ERR;
	*varbind = 0;
	c->reason[0] = '\0';
	if (status != MO_CLIENT_OK)
		return status;
	*error = (enum mo_error)octets_in_u8(&reply);
	*varbind = octets_in_be16(&reply);
	if (reply.left > 0) /* an older dcbd sends no reason */
		mo_msg_get_text(&reply, c->reason);
	if (reply.overrun)
		/* Message: as "%s: reply does not match the request" */
		return client_fail(c, MO_CLIENT_PROTOCOL, "%s: reply too short", c->addr.sun_path);
	if (*error == MO_NO_ERROR)
		return MO_CLIENT_OK;
	snprintf(c->error, sizeof(c->error), "%s%s%s", mo_strerror(*error), *c->reason ? ": " : "",
		 c->reason);
	return MO_CLIENT_REFUSED;
}

/* Refuses a transaction that does not fit in a message; the connection goes on. */
static enum mo_client_status client_too_long(struct mo_client *c, enum mo_error *error)
{
	*error = MO_RESOURCE_UNAVAILABLE;
	/*
	 * Message: The command `set` has too many values for one transaction. Set fewer objects at
	 * a time.
	 */
	snprintf(c->reason, sizeof(c->reason), "expected a SET of at most %d octets", MO_MSG_MAX);
	snprintf(c->error, sizeof(c->error), "%s: %s", mo_strerror(*error), c->reason);
	return MO_CLIENT_REFUSED;
}

static enum mo_client_status test_once(struct mo_client *c, uint32_t txid,
				       const struct mo_varbind *vbs, unsigned n,
				       enum mo_error *error, unsigned *varbind)
{
	enum mo_client_status status = client_connect(c);
	struct octets_out out;

	*error = MO_GEN_ERR;
	*varbind = 0;
	if (status != MO_CLIENT_OK)
		return status;
	out = client_request(c, MO_OP_TEST, 0);
	octets_out_be32(&out, txid);
	octets_out_be16(&out, (uint16_t)n);
	for (unsigned i = 0; i < n; i++)
		mo_msg_put_varbind(&out, &vbs[i]);
	if (out.overrun)
		return client_too_long(c, error);
	return client_result(c, &out, error, varbind);
}

enum mo_client_status mo_client_test(struct mo_client *c, uint32_t txid,
				     const struct mo_varbind *vbs, unsigned n, enum mo_error *error,
				     unsigned *varbind)
{
	bool was_connected = c->fd >= 0;
	enum mo_client_status status = test_once(c, txid, vbs, n, error, varbind);

	if (is_to_repeat(c, was_connected, status))
		status = test_once(c, txid, vbs, n, error, varbind);
	return status;
}

/*
 * COMMIT, UNDO and CLEANUP. They do not connect: a transaction ends with the
 * connection on which it was begun.
 */
static enum mo_client_status client_phase(struct mo_client *c, enum mo_msg_op op, uint32_t txid,
					  enum mo_error *error, unsigned *varbind)
{
	bool writes = op == MO_OP_COMMIT || op == MO_OP_UNDO;
	enum mo_client_status status;
	struct octets_out out;

	*error = MO_GEN_ERR;
	*varbind = 0;
	if (c->fd < 0)
		/* Message: as "%s: dcbd closed the connection" */
		return client_fail(c, MO_CLIENT_UNREACHABLE, "%s: the connection was lost",
				   c->addr.sun_path);
	status = client_catch_up(c);
	if (status != MO_CLIENT_OK)
		return status;
	if (writes && !c->is_shared && !set_limit(c, SO_RCVTIMEO, c->commit_ms))
		return client_socket_error(c, "setsockopt");
	out = client_request(c, op, 0);
	octets_out_be32(&out, txid);
	status = client_result(c, &out, error, varbind);
	if (writes && !c->is_shared && c->fd >= 0 && !set_limit(c, SO_RCVTIMEO, c->timeout_ms))
		return client_socket_error(c, "setsockopt");
	return status;
}

enum mo_client_status mo_client_commit(struct mo_client *c, uint32_t txid, enum mo_error *error,
				       unsigned *varbind)
{
	const struct timespec interval = {.tv_nsec = 1000000};
	int64_t end_us = c->is_shared ? now_us() + c->timeout_ms * INT64_C(1000) : INT64_MAX;
	unsigned tries = c->timeout_ms;
	enum mo_client_status status;

	do
		status = client_phase(c, MO_OP_COMMIT, txid, error, varbind);
	while (status == MO_CLIENT_REFUSED && *error == MO_GEN_ERR && tries-- > 0 &&
	       now_us() < end_us && nanosleep(&interval, NULL) == 0);
	return status;
}

enum mo_client_status mo_client_undo(struct mo_client *c, uint32_t txid, enum mo_error *error)
{
	unsigned varbind;

	return client_phase(c, MO_OP_UNDO, txid, error, &varbind);
}

enum mo_client_status mo_client_cleanup(struct mo_client *c, uint32_t txid)
{
	enum mo_error error;
	unsigned varbind;

	return client_phase(c, MO_OP_CLEANUP, txid, &error, &varbind);
}

/* --- events ----------------------------------------------------------------------- */

enum mo_client_status mo_client_subscribe(struct mo_client *c, uint64_t seen)
{
	uint32_t boot_id = c->boot_id;
	enum mo_client_status status = client_connect(c);
	struct octets_in reply;
	struct octets_out out;

	if (status != MO_CLIENT_OK)
		return status;
	out = client_request(c, MO_OP_SUBSCRIBE, 0);
	octets_out_u8(&out, 0);
	octets_out_be32(&out, seen ? boot_id : 0);
	octets_out_be64(&out, seen);
	return client_exchange(c, &out, &reply);
}

enum mo_client_status mo_client_event(struct mo_client *c, struct mo_event *ev)
{
	enum mo_client_status status;
	struct mo_msg_header h;
	struct octets_in in;
	ssize_t n;

	do /* EAGAIN: the socket's time limit, which does not apply to events */
		n = client_receive(c, 0);
	while (n < 0 && errno == EAGAIN);
	status = client_message(c, n, MO_OP_EVENT, &in, &h);
	if (status != MO_CLIENT_OK)
		return status;
	mo_msg_get_event(&in, ev);
	if (!in.overrun)
		return MO_CLIENT_OK;
	/* Message: as "%s: reply does not match the request" */
	return client_fail(c, MO_CLIENT_PROTOCOL, "%s: malformed event", c->addr.sun_path);
}
