/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liblldpctl keeps the state of one request and leaves moving octets to us: a
 * call that needs I/O answers "would block" and has to be made again, with the
 * same arguments, whenever there is more to read. So a request is a function that
 * is called until it is done.
 *
 * What has to be known of the library, 1.0.16:
 *  - an atom keeps a bare pointer to its connection, and what lldpctl_atom_create()
 *    makes lives in the memory of the list it is for: both have to outlive it;
 *  - after an error a connection answers nothing but "invalid state"; where only
 *    the request was refused, a new one goes on with the same socket, as neither
 *    side has anything unread;
 *  - a watching connection can do nothing else, and notifications may stand behind
 *    the answer to the subscription in its buffer;
 *  - it takes a short write for a whole one. Requests are shorter than 1 kB and
 *    there is one at a time, so what does not fit into a socket's buffer at once
 *    means that lldpd is not there;
 *  - messages are memory images of lldpd's structs, and change with its version:
 *    1.0.18 has another struct lldpd_hardware than 1.0.17, 1.0.20 another struct
 *    lldpd_port, 1.0.21 more of them. They say nothing of a version. The library
 *    reads them by its own structs, checks that the octets do not end too early, and
 *    not that all of them are used; then it follows pointers that are none.
 *
 * To use no message of another layout, each one is given to the library without its
 * last octet first. If the layout is the library's, it needs every octet of the
 * message: it fails with LLDPCTL_ERR_SERIALIZATION, discards what it was given and can
 * be asked again (1.0.15 to 1.0.22). If it succeeds, or then fails on the whole
 * message, lldpd is of another version.
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

/* Of the socket at one go; the rest of the loop is to run, too. */
#define READS       16
#define READ_OCTETS 16384
/* The library takes no longer messages. */
#define MESSAGE_OCTETS_MAX (512 * 1024)
/* ... and we no longer requests: one custom TLV, and what the library wraps it in. */
#define REQUEST_OCTETS_MAX 2048
/* How long lldpd takes to read what it was sent, if it has a processor to itself. */
#define READ_WITHIN_NS 100000

/* Before each message: struct hmsg_header of lldpd's ctl.h. */
struct header {
	int type;
	size_t len; /* octets behind this */
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
	bool (*request)(struct conn *c); /* makes the call; false: not done, see the error */
	bool watching;
	bool early; /* there was an answer within the call that asked */
	bool mismatch;
	uint8_t *in; /* what lldpd has sent, from the start of a message on */
	size_t in_len, in_size;
	const uint8_t *offered; /* what the library may have of it */
	size_t offered_len;
	bool is_short;    /* the last octet of the message is not offered */
	unsigned changes; /* calls of on_change() for what was offered */
	size_t n_checked;
	bool holding;
	size_t held_len;
	uint8_t held[REQUEST_OCTETS_MAX]; /* a request that is to be sent later */
	enum conn_answer answer;
	char why[160];
	struct interface *interfaces; /* by name */
	size_t n_interfaces;
	lldpctl_atom_t *iface; /* one of them */
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

/* Not from the socket, but of the message that is offered. */
static ssize_t on_recv(lldpctl_conn_t *conn, LLDPCTL_RECV_CONST uint8_t *data, size_t length,
		       void *ctx)
{
	struct conn *c = ctx;
	size_t n = length < c->offered_len ? length : c->offered_len;

	(void)conn;
	if (n == 0)
		return LLDPCTL_ERR_WOULDBLOCK;
	/* Until 1.0.21 the library declares what it wants filled as constant. */
	memcpy((void *)(uintptr_t)data, c->offered, n);
	c->offered += n;
	c->offered_len -= n;
	return (ssize_t)n;
}

static void on_library_log(int severity, const char *msg)
{
	/* Its warnings are answers to us, which we report ourselves; the rest is about memory. */
	if (severity <= LOG_WARNING)
		log_debug("lldp", "liblldpctl: %s", msg);
}

/* --- what lldpd says ------------------------------------------------------------------------- */

static void on_change(lldpctl_change_t type, lldpctl_atom_t *interface, lldpctl_atom_t *neighbor,
		      void *ctx)
{
	struct conn *c = ctx;
	struct lldp_remote remote;

	c->changes++;
	if (c->is_short)
		return; /* take_notification() only counts it */
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

/* --- a request ------------------------------------------------------------------------------- */

static void say_why(struct conn *c, const char *why)
{
	snprintf(c->why, sizeof(c->why), "%s", why);
}

/* Reports; c may be closed afterwards. */
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
	say_why(c, why);
	conclude(c, CONN_LOST);
}

/* The same socket, all else forgotten. */
static bool renew(struct conn *c)
{
	drop_list(c);
	drop(&c->config);
	lldpctl_release(c->lldpctl);
	c->lldpctl = lldpctl_new_name("", on_send, on_recv, c);
	return c->lldpctl;
}

static void say_mismatch(struct conn *c)
{
	char why[sizeof(c->why)];

	snprintf(why, sizeof(why), "what it sends does not have the layout of %s", conn_library());
	c->mismatch = true;
	say_why(c, why);
}

/* Makes the call (again). true: it is done with, in one way or another. */
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
	say_why(c, lldpctl_strerror(error));
	return true;
}

/* Nobody is called back from within his own call: an early answer waits for the loop. */
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

/* false: out of memory, and the library's error is what a lost connection's is. */
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
/* The i-th of the structs of lldpd's that can be asked for without an interface. */
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
	say_why(c, "not in lldpd's list");
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
	if (op == CONN_REPLACE && tlv->len) /* none is how it says that there are none */
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
			say_why(c, "lldpd reads nothing");
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

/* --- the socket ------------------------------------------------------------------------------ */

/* The header of the first message. It is copied, as the octets may lie anywhere. */
static struct header header_of(const struct conn *c)
{
	struct header h;

	memcpy(&h, c->in, sizeof(h));
	return h;
}

/* Octets of the first message; 0: it is not there yet. */
static size_t message_octets(const struct conn *c)
{
	struct header h;

	if (c->in_len < sizeof(h))
		return 0;
	h = header_of(c);
	return c->in_len - sizeof(h) >= h.len ? sizeof(h) + h.len : 0;
}

/* The first message from now on without its last octet, or whole. */
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

/* Does the library fail on the first message without its last octet? It does if the layout fits. */
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

/* The first message is an answer. true: the request is done with. */
static bool take_answer(struct conn *c, size_t octets, enum conn_answer *answer)
{
	bool done;

	*answer = CONN_LOST;
	if (!answer_is_exact(c, octets)) {
		say_mismatch(c);
		return true;
	}
	done = step_on(c, octets, answer);
	drop_message(c, octets);
	if (!done || *answer == CONN_DONE ||
	    lldpctl_last_error(c->lldpctl) != LLDPCTL_ERR_SERIALIZATION)
		return done;
	/* An answer without a body is lldpd's refusal; one with a body has another layout. */
	if (octets > sizeof(struct header)) {
		say_mismatch(c);
	} else if (!c->watching && renew(c)) {
		*answer = CONN_REFUSED;
		say_why(c, "refused by lldpd");
	}
	return true;
}

/* Gives these octets of the first message to the library: how many changes does it report? */
static unsigned changes_of(struct conn *c, size_t octets)
{
	c->changes = 0;
	return lldpctl_recv(c->lldpctl, c->in, octets) < 0 ? 0 : c->changes;
}

/* The first message is a notification. false: it is not. */
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
		say_mismatch(c);
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

/* What has been read, as far as there are messages of it. false: c may have been closed. */
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
		/* Notifications behind the answer came before whatever its receiver does next. */
		if (answer == CONN_DONE && c->watching && !take_notifications(c))
			answer = CONN_LOST;
		if (answer != CONN_LOST && !c->watching && c->in_len > 0) {
			answer = CONN_LOST;
			say_why(c, "lldpd answered what nobody asked");
		}
		conclude(c, answer);
		return false;
	}
	if (c->watching && take_notifications(c))
		return true;
	if (!c->watching)
		say_why(c, "lldpd answered what nobody asked");
	conclude(c, CONN_LOST);
	return false;
}

/* Room for READ_OCTETS behind what has been read. false: out of memory, or it is no message. */
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
			lost(c, "lldpd sent no message");
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
