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
#include "lldp/client/lldp_client_lane.h"

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

struct lane {
	const struct lane_ops *ops;
	void *ctx;
	struct event *readable, *limit;
	int fd;
	lldpctl_conn_t *conn;
	bool (*request)(struct lane *l); /* makes the call; false: not done, see the error */
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
	enum lane_answer answer;
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

static void drop_port(struct lane *l)
{
	drop(&l->tlv);
	drop(&l->custom);
	drop(&l->port);
	l->iface = NULL;
}

static void drop_list(struct lane *l)
{
	drop_port(l);
	for (size_t i = 0; i < l->n_interfaces; i++)
		drop(&l->interfaces[i].atom);
	free(l->interfaces);
	l->interfaces = NULL;
	l->n_interfaces = 0;
}

static ssize_t on_send(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *ctx)
{
	struct lane *l = ctx;
	ssize_t n;

	(void)conn;
	if (l->holding && length <= sizeof(l->held)) {
		memcpy(l->held, data, length);
		l->held_len = length;
		return (ssize_t)length;
	}
	n = send(l->fd, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	return n == (ssize_t)length ? n : LLDPCTL_ERR_CALLBACK_FAILURE;
}

/* Not from the socket, but of the message that is offered. */
static ssize_t on_recv(lldpctl_conn_t *conn, LLDPCTL_RECV_CONST uint8_t *data, size_t length,
		       void *ctx)
{
	struct lane *l = ctx;
	size_t n = length < l->offered_len ? length : l->offered_len;

	(void)conn;
	if (n == 0)
		return LLDPCTL_ERR_WOULDBLOCK;
	/* Until 1.0.21 the library declares what it wants filled as constant. */
	memcpy((void *)(uintptr_t)data, l->offered, n);
	l->offered += n;
	l->offered_len -= n;
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
	struct lane *l = ctx;
	struct lldp_remote remote;

	l->changes++;
	if (l->is_short)
		return; /* take_notification() only counts it */
	if (atoms_remote(neighbor, lldpctl_atom_get_str(interface, lldpctl_k_interface_name),
			 &remote))
		l->ops->change(l->ctx,
			       type == lldpctl_c_added     ? LANE_ADDED
			       : type == lldpctl_c_updated ? LANE_UPDATED
							   : LANE_DELETED,
			       &remote);
}

void lane_neighbors(const struct lane *l, void (*each)(void *ctx, const struct lldp_remote *r),
		    void *ctx)
{
	const char *ifname = lldpctl_atom_get_str(l->port, lldpctl_k_port_name);
	lldpctl_atom_t *list = lldpctl_atom_get(l->port, lldpctl_k_port_neighbors);
	lldpctl_atom_t *neighbor;
	struct lldp_remote remote;

	lldpctl_atom_foreach (list, neighbor) {
		if (atoms_remote(neighbor, ifname, &remote))
			each(ctx, &remote);
	}
	lldpctl_atom_dec_ref(list);
}

bool lane_port(const struct lane *l, struct lane_port *out)
{
	return atoms_port(l->port, out);
}

/* --- a request ------------------------------------------------------------------------------- */

static void say_why(struct lane *l, const char *why)
{
	snprintf(l->why, sizeof(l->why), "%s", why);
}

/* Reports; l may be closed afterwards. */
static void conclude(struct lane *l, enum lane_answer answer)
{
	event_del(l->limit);
	l->request = NULL;
	l->early = false;
	if (answer == LANE_LOST)
		event_del(l->readable);
	l->ops->answer(l->ctx, answer);
}

static void lost(struct lane *l, const char *why)
{
	say_why(l, why);
	conclude(l, LANE_LOST);
}

/* The same socket, all else forgotten. */
static bool renew(struct lane *l)
{
	drop_list(l);
	drop(&l->config);
	lldpctl_release(l->conn);
	l->conn = lldpctl_new_name("", on_send, on_recv, l);
	return l->conn;
}

static void say_mismatch(struct lane *l)
{
	char why[sizeof(l->why)];

	snprintf(why, sizeof(why), "what it sends does not have the layout of %s", lane_library());
	l->mismatch = true;
	say_why(l, why);
}

/* Makes the call (again). true: it is done with, in one way or another. */
static bool step(struct lane *l, enum lane_answer *answer)
{
	lldpctl_error_t error;

	*answer = LANE_DONE;
	if (l->request(l))
		return true;
	error = lldpctl_last_error(l->conn);
	if (error == LLDPCTL_ERR_WOULDBLOCK)
		return false;
	*answer = LANE_LOST;
	say_why(l, lldpctl_strerror(error));
	return true;
}

/* Nobody is called back from within his own call: an early answer waits for the loop. */
static void begin(struct lane *l, bool (*request)(struct lane *l))
{
	const struct timeval limit = {LANE_LIMIT_MS / 1000, LANE_LIMIT_MS % 1000 * 1000};

	l->request = request;
	event_add(l->limit, &limit);
	l->early = step(l, &l->answer);
	if (l->early)
		event_active(l->limit, EV_TIMEOUT, 0);
}

static bool request_watch(struct lane *l)
{
	return lldpctl_watch_callback2(l->conn, on_change, l) == 0;
}

static int by_name(const void *a, const void *b)
{
	const struct interface *i = a, *j = b;

	return strcmp(i->name, j->name);
}

/* false: out of memory, and the library's error is what a lost connection's is. */
static bool take_list(struct lane *l, lldpctl_atom_t *list)
{
	lldpctl_atom_t *item;
	size_t n = 0;

	lldpctl_atom_foreach (list, item) {
		n++;
	}
	l->interfaces = calloc(n ? n : 1, sizeof(*l->interfaces));
	if (!l->interfaces)
		return false;
	lldpctl_atom_foreach (list, item) {
		const char *name = lldpctl_atom_get_str(item, lldpctl_k_interface_name);
		struct interface *i = &l->interfaces[l->n_interfaces];

		if (!name || strlen(name) >= sizeof(i->name))
			continue;
		strcpy(i->name, name);
		lldpctl_atom_inc_ref(item);
		i->atom = item;
		l->n_interfaces++;
	}
	qsort(l->interfaces, l->n_interfaces, sizeof(*l->interfaces), by_name);
	return true;
}

static bool request_list(struct lane *l)
{
	lldpctl_atom_t *list = lldpctl_get_interfaces(l->conn);
	bool ok = list && take_list(l, list);

	lldpctl_atom_dec_ref(list);
	return ok;
}

static bool request_get(struct lane *l)
{
	l->port = lldpctl_get_port(l->iface);
	return l->port;
}

static bool request_set(struct lane *l)
{
	return l->tlv && lldpctl_atom_set(l->port, lldpctl_k_custom_tlv, l->tlv);
}

static bool request_transmit(struct lane *l)
{
	if (!l->config)
		l->config = lldpctl_get_configuration(l->conn);
	return l->config && lldpctl_atom_set_int(l->config, lldpctl_k_config_tx_interval, -1);
}

#define LAYOUTS 3
/* The i-th of the structs of lldpd's that can be asked for without an interface. */
static lldpctl_atom_t *get_layout(lldpctl_conn_t *conn, size_t i)
{
	if (i == 0)
		return lldpctl_get_configuration(conn);
	return i == 1 ? lldpctl_get_local_chassis(conn) : lldpctl_get_default_port(conn);
}

static bool request_check(struct lane *l)
{
	for (; l->n_checked < LAYOUTS; l->n_checked++) {
		lldpctl_atom_t *atom = get_layout(l->conn, l->n_checked);

		if (!atom)
			return false;
		lldpctl_atom_dec_ref(atom);
	}
	return true;
}

void lane_check(struct lane *l)
{
	l->n_checked = 0;
	begin(l, request_check);
}

void lane_watch(struct lane *l)
{
	l->watching = true;
	begin(l, request_watch);
}

void lane_list(struct lane *l)
{
	drop_list(l);
	begin(l, request_list);
}

static lldpctl_atom_t *find(const struct lane *l, const char *ifname)
{
	struct interface key = {.atom = NULL}, *found;

	if (strlen(ifname) >= sizeof(key.name) || l->n_interfaces == 0)
		return NULL;
	strcpy(key.name, ifname);
	found = bsearch(&key, l->interfaces, l->n_interfaces, sizeof(key), by_name);
	return found ? found->atom : NULL;
}

bool lane_knows(const struct lane *l, const char *ifname)
{
	return find(l, ifname);
}

size_t lane_names(const struct lane *l, char (*names)[IF_NAMESIZE], size_t room)
{
	for (size_t i = 0; i < l->n_interfaces && i < room; i++)
		strcpy(names[i], l->interfaces[i].name);
	return l->n_interfaces;
}

void lane_get(struct lane *l, const char *ifname)
{
	drop_port(l);
	l->iface = find(l, ifname);
	if (l->iface) {
		begin(l, request_get);
		return;
	}
	say_why(l, "not in lldpd's list");
	l->request = request_get;
	l->early = true;
	l->answer = LANE_REFUSED;
	event_active(l->limit, EV_TIMEOUT, 0);
}

void lane_prepare(struct lane *l, enum lane_op op, const struct lldp_tlv *tlv)
{
	drop(&l->tlv);
	drop(&l->custom);
	l->custom = lldpctl_atom_get(l->port, lldpctl_k_custom_tlvs);
	l->tlv = lldpctl_atom_create(l->custom);
	lldpctl_atom_set_buffer(l->tlv, lldpctl_k_custom_tlv_oui, tlv->oui, sizeof(tlv->oui));
	lldpctl_atom_set_int(l->tlv, lldpctl_k_custom_tlv_oui_subtype, tlv->subtype);
	if (op == LANE_REPLACE && tlv->len) /* none is how it says that there are none */
		lldpctl_atom_set_buffer(l->tlv, lldpctl_k_custom_tlv_oui_info_string, tlv->info,
					tlv->len);
	lldpctl_atom_set_str(l->tlv, lldpctl_k_custom_tlv_op,
			     op == LANE_REPLACE ? "replace" : "remove");
	l->request = request_set;
	l->holding = true;
	l->held_len = 0;
	l->early = step(l, &l->answer);
	l->holding = false;
}

void lane_set(struct burst *burst, struct lane *const *lanes, size_t n)
{
	const struct timeval limit = {LANE_LIMIT_MS / 1000, LANE_LIMIT_MS % 1000 * 1000};
	struct burst_part parts[BURST_MAX];

	for (size_t i = 0; i < n; i++)
		parts[i] =
		    (struct burst_part){lanes[i]->fd, lanes[i]->held, lanes[i]->held_len, false};
	burst_send(burst, parts, n);
	for (size_t i = 0; i < n; i++) {
		struct lane *l = lanes[i];

		event_add(l->limit, &limit);
		if (!l->early && !parts[i].sent) {
			say_why(l, "lldpd reads nothing");
			l->early = true;
			l->answer = LANE_LOST;
		}
		if (l->early)
			event_active(l->limit, EV_TIMEOUT, 0);
	}
}

void lane_await_read(const struct lane *l)
{
	struct timespec start, now;
	int unread = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		if (ioctl(l->fd, SIOCOUTQ, &unread) < 0)
			return;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (unread > 0 &&
		 (now.tv_sec - start.tv_sec) * INT64_C(1000000000) + now.tv_nsec - start.tv_nsec <
		     READ_WITHIN_NS);
}

void lane_transmit(struct lane *l)
{
	drop(&l->config);
	begin(l, request_transmit);
}

bool lane_busy(const struct lane *l)
{
	return l->request;
}

const char *lane_why(const struct lane *l)
{
	return l->why;
}

bool lane_mismatch(const struct lane *l)
{
	return l && l->mismatch;
}

const char *lane_library(void)
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
static struct header header_of(const struct lane *l)
{
	struct header h;

	memcpy(&h, l->in, sizeof(h));
	return h;
}

/* Octets of the first message; 0: it is not there yet. */
static size_t message_octets(const struct lane *l)
{
	struct header h;

	if (l->in_len < sizeof(h))
		return 0;
	h = header_of(l);
	return l->in_len - sizeof(h) >= h.len ? sizeof(h) + h.len : 0;
}

/* The first message from now on without its last octet, or whole. */
static void shorten(struct lane *l, bool is_short)
{
	struct header h = header_of(l);

	h.len = is_short ? h.len - 1 : h.len + 1;
	memcpy(l->in, &h, sizeof(h));
	l->is_short = is_short;
}

static void drop_message(struct lane *l, size_t octets)
{
	l->in_len -= octets;
	memmove(l->in, l->in + octets, l->in_len);
	l->offered_len = 0;
}

static bool step_on(struct lane *l, size_t octets, enum lane_answer *answer)
{
	l->offered = l->in;
	l->offered_len = octets;
	return step(l, answer);
}

/* Does the library fail on the first message without its last octet? It does if the layout fits. */
static bool answer_is_exact(struct lane *l, size_t octets)
{
	enum lane_answer answer;
	bool exact;

	if (octets == sizeof(struct header))
		return true;
	shorten(l, true);
	exact = step_on(l, octets - 1, &answer) && answer == LANE_LOST &&
		lldpctl_last_error(l->conn) == LLDPCTL_ERR_SERIALIZATION;
	shorten(l, false);
	return exact;
}

/* The first message is an answer. true: the request is done with. */
static bool take_answer(struct lane *l, size_t octets, enum lane_answer *answer)
{
	bool done;

	*answer = LANE_LOST;
	if (!answer_is_exact(l, octets)) {
		say_mismatch(l);
		return true;
	}
	done = step_on(l, octets, answer);
	drop_message(l, octets);
	if (!done || *answer == LANE_DONE ||
	    lldpctl_last_error(l->conn) != LLDPCTL_ERR_SERIALIZATION)
		return done;
	/* An answer without a body is lldpd's refusal; one with a body has another layout. */
	if (octets > sizeof(struct header)) {
		say_mismatch(l);
	} else if (!l->watching && renew(l)) {
		*answer = LANE_REFUSED;
		say_why(l, "refused by lldpd");
	}
	return true;
}

/* Gives these octets of the first message to the library: how many changes does it report? */
static unsigned changes_of(struct lane *l, size_t octets)
{
	l->changes = 0;
	return lldpctl_recv(l->conn, l->in, octets) < 0 ? 0 : l->changes;
}

/* The first message is a notification. false: it is not. */
static bool take_notification(struct lane *l, size_t octets)
{
	bool exact = octets > sizeof(struct header) && header_of(l).type == TYPE_NOTIFICATION;

	if (exact) {
		shorten(l, true);
		exact = changes_of(l, octets - 1) == 0;
		shorten(l, false);
	}
	exact = exact && changes_of(l, octets) == 1;
	if (!exact)
		say_mismatch(l);
	drop_message(l, octets);
	return exact;
}

static bool take_notifications(struct lane *l)
{
	size_t octets;

	while ((octets = message_octets(l)) > 0)
		if (!take_notification(l, octets))
			return false;
	return true;
}

/* What has been read, as far as there are messages of it. false: l may have been closed. */
static bool take_messages(struct lane *l)
{
	enum lane_answer answer;
	size_t octets;

	while (l->request) {
		octets = message_octets(l);
		if (octets == 0)
			return true;
		if (!take_answer(l, octets, &answer))
			continue;
		/* Notifications behind the answer came before whatever its receiver does next. */
		if (answer == LANE_DONE && l->watching && !take_notifications(l))
			answer = LANE_LOST;
		if (answer != LANE_LOST && !l->watching && l->in_len > 0) {
			answer = LANE_LOST;
			say_why(l, "lldpd answered what nobody asked");
		}
		conclude(l, answer);
		return false;
	}
	if (l->watching && take_notifications(l))
		return true;
	if (!l->watching)
		say_why(l, "lldpd answered what nobody asked");
	conclude(l, LANE_LOST);
	return false;
}

/* Room for READ_OCTETS behind what has been read. false: out of memory, or it is no message. */
static bool make_room(struct lane *l)
{
	uint8_t *in;

	if (l->in_size - l->in_len >= READ_OCTETS)
		return true;
	if (l->in_len > sizeof(struct header) + MESSAGE_OCTETS_MAX)
		return false;
	in = realloc(l->in, l->in_len + 2 * READ_OCTETS);
	if (!in)
		return false;
	l->in = in;
	l->in_size = l->in_len + 2 * READ_OCTETS;
	return true;
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct lane *l = ctx;
	ssize_t n;

	(void)what;
	if (l->early) {
		conclude(l, l->answer);
		return;
	}
	for (int i = 0; i < READS; i++) {
		if (!make_room(l)) {
			lost(l, "lldpd sent no message");
			return;
		}
		n = recv(fd, l->in + l->in_len, READ_OCTETS, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			lost(l, n == 0 ? "closed by lldpd" : strerror(errno));
			return;
		}
		l->in_len += (size_t)n;
		if (!take_messages(l))
			return;
	}
}

static void on_limit(evutil_socket_t fd, short what, void *ctx)
{
	struct lane *l = ctx;

	(void)fd;
	(void)what;
	if (l->early)
		conclude(l, l->answer);
	else
		lost(l, "lldpd does not answer");
}

bool lane_poll(struct lane *const *lanes, size_t n, unsigned limit_ms)
{
	struct pollfd fds[LANE_POLL_MAX];

	for (size_t i = 0; i < n; i++) {
		fds[i] = (struct pollfd){.fd = lanes[i] ? lanes[i]->fd : -1, .events = POLLIN};
		if (lanes[i] && lanes[i]->early) {
			conclude(lanes[i], lanes[i]->answer);
			return true;
		}
	}
	if (poll(fds, n, (int)limit_ms) <= 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (fds[i].revents) {
			on_readable(fds[i].fd, EV_READ, lanes[i]);
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

struct lane *lane_open(struct event_base *base, const char *socket, const struct lane_ops *ops,
		       void *ctx)
{
	struct lane *l = calloc(1, sizeof(*l));
	int error;

	if (!l)
		return NULL;
	lldpctl_log_callback(on_library_log);
	l->ops = ops;
	l->ctx = ctx;
	l->fd = connect_to(socket);
	if (l->fd >= 0) {
		l->conn = lldpctl_new_name("", on_send, on_recv, l);
		l->readable = event_new(base, l->fd, EV_READ | EV_PERSIST, on_readable, l);
		l->limit = event_new(base, -1, 0, on_limit, l);
		if (l->conn && l->readable && l->limit && event_add(l->readable, NULL) == 0)
			return l;
		errno = ENOMEM;
	}
	error = errno;
	lane_close(l);
	errno = error;
	return NULL;
}

void lane_close(struct lane *l)
{
	if (!l)
		return;
	drop_list(l);
	drop(&l->config);
	lldpctl_release(l->conn);
	free(l->in);
	if (l->readable)
		event_free(l->readable);
	if (l->limit)
		event_free(l->limit);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}
