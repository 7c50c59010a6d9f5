/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblldpctl keeps the state of one request and calls back for input and output: a call
 * that needs I/O fails with LLDPCTL_ERR_WOULDBLOCK and has to be repeated with the same
 * arguments when there is more input. So a request is a function that is called until it
 * succeeds.
 *
 * Properties of the library, 1.0.16:
 *  - An atom has an uncounted pointer to its connection, and an atom made by
 *    lldpctl_atom_create() is in the memory of its list: connection and list must outlive
 *    it.
 *  - After an error all calls on a connection fail with "invalid state". If only the
 *    request was refused, a new lldpctl_conn_t can use the same socket, as neither side
 *    has unread input.
 *  - A watching connection can make no other request, and notifications may follow the
 *    answer to the subscription in its input.
 *  - It takes a short write for a complete one. Requests are shorter than 1 kB and sent
 *    one at a time, so a request that does not fit into the socket's buffer means that
 *    lldpd does not read.
 *  - Messages are memory images of lldpd's structs without a version, and differ between
 *    versions: struct lldpd_hardware changed in 1.0.18, struct lldpd_port in 1.0.20, and
 *    more of them in 1.0.21. The library decodes them by its own structs and checks that
 *    the octets do not end too early, but not that all of them are used; then it follows
 *    invalid pointers.
 *
 * To detect another layout, each message is first given to the library without its last
 * octet. If the layout is the library's, it needs every octet of the message: it fails
 * with LLDPCTL_ERR_SERIALIZATION, discards the octets and the request can be repeated
 * (1.0.15 to 1.0.22). If it succeeds, or then fails on the complete message, lldpd has
 * another version.
 */
#include "lldp/client/lldp_client_conn.h"

#include <dlfcn.h>
#include <errno.h>
#include <event2/event.h>
#include <limits.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "lib/log.h"
#include "lldp/client/lldp_client_atoms.h"

/* Reads of the socket in one callback, so that other events of the loop are handled too. */
#define READS       16
#define READ_OCTETS 16384
/* The longest message that the library accepts. */
#define MESSAGE_OCTETS_MAX (512 * 1024)
/* The longest request: one custom TLV in the library's encoding. */
#define REQUEST_OCTETS_MAX 2048
/* Limit for lldpd's read of a request. It is enough if lldpd has a processor of its own. */
#define READ_WITHIN_NS 100000

/* Header of each message: struct hmsg_header of lldpd's ctl.h. */
struct header {
	int type;
	size_t len; /* octets after the header */
};
#define TYPE_NOTIFICATION 10

struct interface {
	char name[IF_NAMESIZE];
	lldpctl_atom_t *atom;
};

struct conn {
	const struct conn_ops *ops;
	void *ctx;
	struct event *readable, *limit;
	int fd;
	lldpctl_conn_t *lldpctl;
	bool (*request)(struct conn *c); /* calls the library; false: see lldpctl_last_error() */
	bool watching;
	bool early; /* the request was answered within its first call */
	bool mismatch;
	uint8_t *in; /* input, from the start of a message on */
	size_t in_len, in_size;
	const uint8_t *offered; /* the part that on_recv() gives to the library */
	size_t offered_len;
	bool is_short;    /* the message is offered without its last octet */
	unsigned changes; /* calls of on_change() for the offered octets */
	size_t n_checked;
	bool holding;
	size_t held_len;
	uint8_t held[REQUEST_OCTETS_MAX]; /* the prepared request: conn_set() sends it */
	enum conn_answer answer;
	char why[160];
	struct interface *interfaces; /* by name */
	size_t n_interfaces;
	lldpctl_atom_t *iface; /* of conn_get() */
	lldpctl_atom_t *port, *custom, *tlv, *config;
};

static void drop(lldpctl_atom_t **atom)
{
	lldpctl_atom_dec_ref(*atom);
	*atom = NULL;
}

static void drop_port(struct conn *c)
{
	drop(&c->tlv);
	drop(&c->custom);
	drop(&c->port);
	c->iface = NULL;
}

static void drop_list(struct conn *c)
{
	drop_port(c);
	for (size_t i = 0; i < c->n_interfaces; i++)
		drop(&c->interfaces[i].atom);
	free(c->interfaces);
	c->interfaces = NULL;
	c->n_interfaces = 0;
}

static ssize_t on_send(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *ctx)
{
	struct conn *c = ctx;
	ssize_t n;

	(void)conn;
	if (c->holding && length <= sizeof(c->held)) {
		memcpy(c->held, data, length);
		c->held_len = length;
		return (ssize_t)length;
	}
	n = send(c->fd, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	return n == (ssize_t)length ? n : LLDPCTL_ERR_CALLBACK_FAILURE;
}

/* Reads from the offered message instead of the socket. */
static ssize_t on_recv(lldpctl_conn_t *conn, LLDPCTL_RECV_CONST uint8_t *data, size_t length,
		       void *ctx)
{
	struct conn *c = ctx;
	size_t n = length < c->offered_len ? length : c->offered_len;

	(void)conn;
	if (n == 0)
		return LLDPCTL_ERR_WOULDBLOCK;
	/* Until 1.0.21 the library declares the buffer to be filled as const. */
	memcpy((void *)(uintptr_t)data, c->offered, n);
	c->offered += n;
	c->offered_len -= n;
	return (ssize_t)n;
}

static void on_library_log(int severity, const char *msg)
{
	/* Callers of the library log its errors; its own texts are for debugging. */
	if (severity <= LOG_WARNING)
		log_debug("lldp", "liblldpctl: %s", msg);
}

/* --- neighbors and ports --------------------------------------------------------------------- */

static void on_change(lldpctl_change_t type, lldpctl_atom_t *interface, lldpctl_atom_t *neighbor,
		      void *ctx)
{
	struct conn *c = ctx;
	struct lldp_remote remote;

	c->changes++;
	if (c->is_short)
		return; /* the check of the layout only counts changes */
	if (atoms_remote(neighbor, lldpctl_atom_get_str(interface, lldpctl_k_interface_name),
			 &remote))
		c->ops->change(c->ctx,
			       type == lldpctl_c_added     ? CONN_ADDED
			       : type == lldpctl_c_updated ? CONN_UPDATED
							   : CONN_DELETED,
			       &remote);
}

void conn_neighbors(const struct conn *c, void (*each)(void *ctx, const struct lldp_remote *r),
		    void *ctx)
{
	const char *ifname = lldpctl_atom_get_str(c->port, lldpctl_k_port_name);
	lldpctl_atom_t *list = lldpctl_atom_get(c->port, lldpctl_k_port_neighbors);
	lldpctl_atom_t *neighbor;
	struct lldp_remote remote;

	lldpctl_atom_foreach (list, neighbor) {
		if (atoms_remote(neighbor, ifname, &remote))
			each(ctx, &remote);
	}
	lldpctl_atom_dec_ref(list);
}

bool conn_port(const struct conn *c, struct conn_port *out)
{
	return atoms_port(c->port, out);
}

/* --- requests -------------------------------------------------------------------------------- */

static void set_why(struct conn *c, const char *why)
{
	snprintf(c->why, sizeof(c->why), "%s", why);
}

/* Ends the request and reports the answer. The callback may close c. */
static void conclude(struct conn *c, enum conn_answer answer)
{
	event_del(c->limit);
	c->request = NULL;
	c->early = false;
	if (answer == CONN_LOST)
		event_del(c->readable);
	c->ops->answer(c->ctx, answer);
}

static void lost(struct conn *c, const char *why)
{
	set_why(c, why);
	conclude(c, CONN_LOST);
}

/* Replaces the library's connection, and keeps the socket. */
static bool renew(struct conn *c)
{
	drop_list(c);
	drop(&c->config);
	lldpctl_release(c->lldpctl);
	c->lldpctl = lldpctl_new_name("", on_send, on_recv, c);
	return c->lldpctl;
}

static void set_mismatch(struct conn *c)
{
	char why[sizeof(c->why)];

	snprintf(why, sizeof(why), "messages of lldpd do not have the layout of %s",
		 conn_library());
	c->mismatch = true;
	set_why(c, why);
}

/* Calls the library for the request. true: the request has ended with *answer. */
static bool step(struct conn *c, enum conn_answer *answer)
{
	lldpctl_error_t error;

	*answer = CONN_DONE;
	if (c->request(c))
		return true;
	error = lldpctl_last_error(c->lldpctl);
	if (error == LLDPCTL_ERR_WOULDBLOCK)
		return false;
	*answer = CONN_LOST;
	set_why(c, lldpctl_strerror(error));
	return true;
}

/* Starts a request. The loop reports an early answer, so that callers are not reentered. */
static void begin(struct conn *c, bool (*request)(struct conn *c))
{
	const struct timeval limit = {CONN_LIMIT_MS / 1000, CONN_LIMIT_MS % 1000 * 1000};

	c->request = request;
	event_add(c->limit, &limit);
	c->early = step(c, &c->answer);
	if (c->early)
		event_active(c->limit, EV_TIMEOUT, 0);
}

static bool request_watch(struct conn *c)
{
	return lldpctl_watch_callback2(c->lldpctl, on_change, c) == 0;
}

static int by_name(const void *a, const void *b)
{
	const struct interface *i = a, *j = b;

	return strcmp(i->name, j->name);
}

/* false: out of memory, which request_list() reports as a lost connection. */
static bool take_list(struct conn *c, lldpctl_atom_t *list)
{
	lldpctl_atom_t *item;
	size_t n = 0;

	lldpctl_atom_foreach (list, item) {
		n++;
	}
	c->interfaces = calloc(n ? n : 1, sizeof(*c->interfaces));
	if (!c->interfaces)
		return false;
	lldpctl_atom_foreach (list, item) {
		const char *name = lldpctl_atom_get_str(item, lldpctl_k_interface_name);
		struct interface *i = &c->interfaces[c->n_interfaces];

		if (!name || strlen(name) >= sizeof(i->name))
			continue;
		strcpy(i->name, name);
		lldpctl_atom_inc_ref(item);
		i->atom = item;
		c->n_interfaces++;
	}
	qsort(c->interfaces, c->n_interfaces, sizeof(*c->interfaces), by_name);
	return true;
}

static bool request_list(struct conn *c)
{
	lldpctl_atom_t *list = lldpctl_get_interfaces(c->lldpctl);
	bool ok = list && take_list(c, list);

	lldpctl_atom_dec_ref(list);
	return ok;
}

static bool request_get(struct conn *c)
{
	c->port = lldpctl_get_port(c->iface);
	return c->port;
}

static bool request_set(struct conn *c)
{
	return c->tlv && lldpctl_atom_set(c->port, lldpctl_k_custom_tlv, c->tlv);
}

static bool request_transmit(struct conn *c)
{
	if (!c->config)
		c->config = lldpctl_get_configuration(c->lldpctl);
	return c->config && lldpctl_atom_set_int(c->config, lldpctl_k_config_tx_interval, -1);
}

#define LAYOUTS 3
/* Gets number i of lldpd's structs that can be requested without an interface. */
static lldpctl_atom_t *get_layout(lldpctl_conn_t *conn, size_t i)
{
	if (i == 0)
		return lldpctl_get_configuration(conn);
	return i == 1 ? lldpctl_get_local_chassis(conn) : lldpctl_get_default_port(conn);
}

static bool request_check(struct conn *c)
{
	for (; c->n_checked < LAYOUTS; c->n_checked++) {
		lldpctl_atom_t *atom = get_layout(c->lldpctl, c->n_checked);

		if (!atom)
			return false;
		lldpctl_atom_dec_ref(atom);
	}
	return true;
}

void conn_check(struct conn *c)
{
	c->n_checked = 0;
	begin(c, request_check);
}

void conn_watch(struct conn *c)
{
	c->watching = true;
	begin(c, request_watch);
}

void conn_list(struct conn *c)
{
	drop_list(c);
	begin(c, request_list);
}

static lldpctl_atom_t *find(const struct conn *c, const char *ifname)
{
	struct interface key = {.atom = NULL}, *found;

	if (strlen(ifname) >= sizeof(key.name) || c->n_interfaces == 0)
		return NULL;
	strcpy(key.name, ifname);
	found = bsearch(&key, c->interfaces, c->n_interfaces, sizeof(key), by_name);
	return found ? found->atom : NULL;
}

bool conn_knows(const struct conn *c, const char *ifname)
{
	return find(c, ifname);
}

size_t conn_names(const struct conn *c, char (*names)[IF_NAMESIZE], size_t room)
{
	for (size_t i = 0; i < c->n_interfaces && i < room; i++)
		strcpy(names[i], c->interfaces[i].name);
	return c->n_interfaces;
}

void conn_get(struct conn *c, const char *ifname)
{
	drop_port(c);
	c->iface = find(c, ifname);
	if (c->iface) {
		begin(c, request_get);
		return;
	}
	set_why(c, "lldpd does not know the interface");
	c->request = request_get;
	c->early = true;
	c->answer = CONN_REFUSED;
	event_active(c->limit, EV_TIMEOUT, 0);
}

void conn_prepare(struct conn *c, enum conn_op op, const struct lldp_tlv *tlv)
{
	drop(&c->tlv);
	drop(&c->custom);
	c->custom = lldpctl_atom_get(c->port, lldpctl_k_custom_tlvs);
	c->tlv = lldpctl_atom_create(c->custom);
	lldpctl_atom_set_buffer(c->tlv, lldpctl_k_custom_tlv_oui, tlv->oui, sizeof(tlv->oui));
	lldpctl_atom_set_int(c->tlv, lldpctl_k_custom_tlv_oui_subtype, tlv->subtype);
	if (op == CONN_REPLACE && tlv->len) /* unset means an empty information string */
		lldpctl_atom_set_buffer(c->tlv, lldpctl_k_custom_tlv_oui_info_string, tlv->info,
					tlv->len);
	lldpctl_atom_set_str(c->tlv, lldpctl_k_custom_tlv_op,
			     op == CONN_REPLACE ? "replace" : "remove");
	c->request = request_set;
	c->holding = true;
	c->held_len = 0;
	c->early = step(c, &c->answer);
	c->holding = false;
}

void conn_set(struct sendv *sendv, struct conn *const *conns, size_t n)
{
	const struct timeval limit = {CONN_LIMIT_MS / 1000, CONN_LIMIT_MS % 1000 * 1000};
	struct sendv_msg msgs[SENDV_MAX];

	for (size_t i = 0; i < n; i++)
		msgs[i] =
		    (struct sendv_msg){conns[i]->fd, conns[i]->held, conns[i]->held_len, false};
	sendv_send(sendv, msgs, n);
	for (size_t i = 0; i < n; i++) {
		struct conn *c = conns[i];

		event_add(c->limit, &limit);
		if (!c->early && !msgs[i].sent) {
			set_why(c, "lldpd does not read requests");
			c->early = true;
			c->answer = CONN_LOST;
		}
		if (c->early)
			event_active(c->limit, EV_TIMEOUT, 0);
	}
}

void conn_await_read(const struct conn *c)
{
	struct timespec start, now;
	int unread = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		if (ioctl(c->fd, SIOCOUTQ, &unread) < 0)
			return;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (unread > 0 &&
		 (now.tv_sec - start.tv_sec) * INT64_C(1000000000) + now.tv_nsec - start.tv_nsec <
		     READ_WITHIN_NS);
}

void conn_transmit(struct conn *c)
{
	drop(&c->config);
	begin(c, request_transmit);
}

bool conn_busy(const struct conn *c)
{
	return c->request;
}

const char *conn_why(const struct conn *c)
{
	return c->why;
}

bool conn_mismatch(const struct conn *c)
{
	return c && c->mismatch;
}

const char *conn_library(void)
{
	static char text[96];
	char path[PATH_MAX];
	const char *name = NULL;
	Dl_info info;

	if (dladdr((void *)(uintptr_t)lldpctl_new_name, &info) && realpath(info.dli_fname, path))
		name = strrchr(path, '/');
	snprintf(text, sizeof(text), "%.60s (built with %s)", name ? name + 1 : "liblldpctl",
		 LLDPCTL_VERSION);
	return text;
}

/* --- socket ---------------------------------------------------------------------------------- */

/* Returns a copy of the first message's header, which may be unaligned. */
static struct header header_of(const struct conn *c)
{
	struct header h;

	memcpy(&h, c->in, sizeof(h));
	return h;
}

/* Returns the octets of the first message; 0: it is incomplete. */
static size_t message_octets(const struct conn *c)
{
	struct header h;

	if (c->in_len < sizeof(h))
		return 0;
	h = header_of(c);
	return c->in_len - sizeof(h) >= h.len ? sizeof(h) + h.len : 0;
}

/* Sets whether the first message is offered without its last octet. */
static void shorten(struct conn *c, bool is_short)
{
	struct header h = header_of(c);

	h.len = is_short ? h.len - 1 : h.len + 1;
	memcpy(c->in, &h, sizeof(h));
	c->is_short = is_short;
}

static void drop_message(struct conn *c, size_t octets)
{
	c->in_len -= octets;
	memmove(c->in, c->in + octets, c->in_len);
	c->offered_len = 0;
}

static bool step_on(struct conn *c, size_t octets, enum conn_answer *answer)
{
	c->offered = c->in;
	c->offered_len = octets;
	return step(c, answer);
}

/* Does the library fail on the first message without its last octet, as it must? */
static bool answer_is_exact(struct conn *c, size_t octets)
{
	enum conn_answer answer;
	bool exact;

	if (octets == sizeof(struct header))
		return true;
	shorten(c, true);
	exact = step_on(c, octets - 1, &answer) && answer == CONN_LOST &&
		lldpctl_last_error(c->lldpctl) == LLDPCTL_ERR_SERIALIZATION;
	shorten(c, false);
	return exact;
}

/* Handles the first message as an answer. true: the request has ended. */
static bool take_answer(struct conn *c, size_t octets, enum conn_answer *answer)
{
	bool done;

	*answer = CONN_LOST;
	if (!answer_is_exact(c, octets)) {
		set_mismatch(c);
		return true;
	}
	done = step_on(c, octets, answer);
	drop_message(c, octets);
	if (!done || *answer == CONN_DONE ||
	    lldpctl_last_error(c->lldpctl) != LLDPCTL_ERR_SERIALIZATION)
		return done;
	/* lldpd refuses by an answer without a body; one with a body has another layout. */
	if (octets > sizeof(struct header)) {
		set_mismatch(c);
	} else if (!c->watching && renew(c)) {
		*answer = CONN_REFUSED;
		set_why(c, "refused by lldpd");
	}
	return true;
}

/* Gives octets of the first message to the library. Returns how many changes it reports. */
static unsigned changes_of(struct conn *c, size_t octets)
{
	c->changes = 0;
	return lldpctl_recv(c->lldpctl, c->in, octets) < 0 ? 0 : c->changes;
}

/* Handles the first message as a notification. false: it is none, or has another layout. */
static bool take_notification(struct conn *c, size_t octets)
{
	bool exact = octets > sizeof(struct header) && header_of(c).type == TYPE_NOTIFICATION;

	if (exact) {
		shorten(c, true);
		exact = changes_of(c, octets - 1) == 0;
		shorten(c, false);
	}
	exact = exact && changes_of(c, octets) == 1;
	if (!exact)
		set_mismatch(c);
	drop_message(c, octets);
	return exact;
}

static bool take_notifications(struct conn *c)
{
	size_t octets;

	while ((octets = message_octets(c)) > 0)
		if (!take_notification(c, octets))
			return false;
	return true;
}

/* Handles the complete messages that have been read. false: c may have been closed. */
static bool take_messages(struct conn *c)
{
	enum conn_answer answer;
	size_t octets;

	while (c->request) {
		octets = message_octets(c);
		if (octets == 0)
			return true;
		if (!take_answer(c, octets, &answer))
			continue;
		/* Notifications after the answer precede the receiver's next request. */
		if (answer == CONN_DONE && c->watching && !take_notifications(c))
			answer = CONN_LOST;
		if (answer != CONN_LOST && !c->watching && c->in_len > 0) {
			answer = CONN_LOST;
			set_why(c, "lldpd sent an answer without a request");
		}
		conclude(c, answer);
		return false;
	}
	if (c->watching && take_notifications(c))
		return true;
	if (!c->watching)
		set_why(c, "lldpd sent an answer without a request");
	conclude(c, CONN_LOST);
	return false;
}

/* Makes room to read READ_OCTETS. false: out of memory, or the message is too long. */
static bool make_room(struct conn *c)
{
	uint8_t *in;

	if (c->in_size - c->in_len >= READ_OCTETS)
		return true;
	if (c->in_len > sizeof(struct header) + MESSAGE_OCTETS_MAX)
		return false;
	in = realloc(c->in, c->in_len + 2 * READ_OCTETS);
	if (!in)
		return false;
	c->in = in;
	c->in_size = c->in_len + 2 * READ_OCTETS;
	return true;
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;
	ssize_t n;

	(void)what;
	if (c->early) {
		conclude(c, c->answer);
		return;
	}
	for (int i = 0; i < READS; i++) {
		if (!make_room(c)) {
			lost(c, "out of memory, or a message of lldpd is too long");
			return;
		}
		n = recv(fd, c->in + c->in_len, READ_OCTETS, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			lost(c, n == 0 ? "closed by lldpd" : strerror(errno));
			return;
		}
		c->in_len += (size_t)n;
		if (!take_messages(c))
			return;
	}
}

static void on_limit(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	if (c->early)
		conclude(c, c->answer);
	else
		lost(c, "lldpd does not answer");
}

bool conn_poll(struct conn *const *conns, size_t n, unsigned limit_ms)
{
	struct pollfd fds[CONN_POLL_MAX];

	for (size_t i = 0; i < n; i++) {
		fds[i] = (struct pollfd){.fd = conns[i] ? conns[i]->fd : -1, .events = POLLIN};
		if (conns[i] && conns[i]->early) {
			conclude(conns[i], conns[i]->answer);
			return true;
		}
	}
	if (poll(fds, n, (int)limit_ms) <= 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (fds[i].revents) {
			on_readable(fds[i].fd, EV_READ, conns[i]);
			break; /* the others may have been closed */
		}
	}
	return true;
}

static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd, error;

	if (strlen(path) >= sizeof(to.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

struct conn *conn_open(struct event_base *base, const char *socket, const struct conn_ops *ops,
		       void *ctx)
{
	struct conn *c = calloc(1, sizeof(*c));
	int error;

	if (!c)
		return NULL;
	lldpctl_log_callback(on_library_log);
	c->ops = ops;
	c->ctx = ctx;
	c->fd = connect_to(socket);
	if (c->fd >= 0) {
		c->lldpctl = lldpctl_new_name("", on_send, on_recv, c);
		c->readable = event_new(base, c->fd, EV_READ | EV_PERSIST, on_readable, c);
		c->limit = event_new(base, -1, 0, on_limit, c);
		if (c->lldpctl && c->readable && c->limit && event_add(c->readable, NULL) == 0)
			return c;
		errno = ENOMEM;
	}
	error = errno;
	conn_close(c);
	errno = error;
	return NULL;
}

void conn_close(struct conn *c)
{
	if (!c)
		return;
	drop_list(c);
	drop(&c->config);
	lldpctl_release(c->lldpctl);
	free(c->in);
	if (c->readable)
		event_free(c->readable);
	if (c->limit)
		event_free(c->limit);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}
