/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/ctl_server.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"
#include "control/managed/events.h"

#define ACCEPT_RETRY_MS 100
#define ACCEPT_BATCH    16  /* clients */
#define ACCEPT_QUEUE    128 /* clients that connect meanwhile */

/* The control socket or the view socket. */
struct ctl_socket {
	struct ctl_server *server;
	unsigned rights; /* of its clients; MO_MAY_NOTIFY also depends on the user */
	int fd;          /* -1: not open */
	struct event *acceptable;
	struct event *retry; /* pending while acceptable is not: accept() has failed */
	unsigned n_clients;
	struct sockaddr_un addr;
	struct stat file; /* of the name, when it was bound */
};

struct ctl_client {
	LIST_ENTRY(ctl_client) link;
	struct ctl_server *server;
	struct ctl_socket *socket;
	struct mo_session *session;
	struct event *readable;
	struct event *writable; /* pending while events wait for room in the socket */
	int fd;
	struct ucred peer; /* who connected */
	bool has_asked;    /* has sent a request */
	unsigned n_sent;   /* events */
};

struct ctl_server {
	struct event_base *base;
	struct mo_service *service;
	struct ctl_socket control, view;
	int bell;             /* an eventfd: another thread may raise the events */
	struct event *events; /* the bell has rung */
	struct events_listener listener;
	struct event *overdue; /* time limit of the transaction that is committed */
	struct timeval first, idle, hold;
	uid_t owner, agent; /* dcbd's user, that of dcb-agentx */
	bool agent_missing; /* no such user yet: agent is the owner */
	LIST_HEAD(ctl_clients, ctl_client) clients;
	uint8_t request[MO_MSG_MAX], reply[MO_MSG_MAX];
};

static struct timeval timeval_ms(unsigned ms)
{
	return (struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
}

/* --- clients ------------------------------------------------------------------------- */

/* Waits for clients again. Does nothing if it does already. */
static void accept_again(struct ctl_socket *at)
{
	if (at->fd < 0)
		return;
	event_del(at->retry);
	if (event_add(at->acceptable, NULL) < 0)
		event_add(at->retry, &(struct timeval){.tv_usec = ACCEPT_RETRY_MS * 1000});
}

static void client_free(struct ctl_client *c)
{
	LIST_REMOVE(c, link);
	c->socket->n_clients--;
	event_free(c->readable);
	event_free(c->writable);
	mo_session_free(c->session);
	close(c->fd);
	accept_again(&c->server->control); /* with the descriptor that is free now */
	accept_again(&c->server->view);
	free(c);
}

/* Sends the reason for closing a connection, as far as the client's socket has room. */
static void send_close(int fd, const char *why)
{
	uint8_t buf[MO_MSG_HEADER + 1 + MO_TEXT_MAX];
	struct octets_out out = octets_out(buf, sizeof(buf));

	mo_msg_put_close(&out, why);
	(void)!send(fd, buf, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Tells the client and the log the reason, and disconnects the client. */
static void client_refuse(struct ctl_client *c, const char *why)
{
	/*
	 * Message: dcbd serves this client no more: the text before `connection closed` is the
	 * reason, which has an explanation of its own here.
	 */
	log_warn_limited("ctl", "client of user %u, process %d: %s: connection closed", c->peer.uid,
			 (int)c->peer.pid, why);
	send_close(c->fd, why);
	client_free(c);
}

/* The same for a client that was silent for too long; this is no fault. */
static void client_expire(struct ctl_client *c, const char *what, const struct timeval *limit)
{
	char why[80];

	snprintf(why, sizeof(why), "%s for %ld s", what, (long)limit->tv_sec);
	log_debug("ctl", "client of user %u, process %d: %s: connection closed", c->peer.uid,
		  (int)c->peer.pid, why);
	send_close(c->fd, why);
	client_free(c);
}

/*
 * Sends events until the client's socket is full; on_writable() sends the rest.
 * Returns false if sending failed and the client was freed, or if event_add() failed.
 */
static bool push_events(struct ctl_client *c)
{
	const uint8_t *event;
	size_t len;

	while ((event = mo_session_event(c->session, &len))) {
		if (send(c->fd, event, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return event_add(c->writable, &c->server->idle) == 0;
			client_free(c);
			return false;
		}
		mo_session_event_sent(c->session);
		c->n_sent++;
	}
	return true;
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_client *c = arg;
	unsigned n_sent = c->n_sent;

	(void)fd;
	/* Also tries after a time-out: this thread may have been busy. */
	if (push_events(c) && what & EV_TIMEOUT && c->n_sent == n_sent)
		client_expire(c, "events not read", &c->server->idle);
}

/* Runs from the event loop, not within the function that raised the event. */
static void on_events(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_server *s = arg;
	struct ctl_client *c, *next;
	eventfd_t rings;

	(void)what;
	(void)eventfd_read(fd, &rings);
	for (c = LIST_FIRST(&s->clients); c; c = next) {
		next = LIST_NEXT(c, link);
		if (!event_pending(c->writable, EV_WRITE, NULL))
			push_events(c);
	}
}

static void on_raised(void *ctx)
{
	(void)eventfd_write(((struct ctl_server *)ctx)->bell, 1);
}

/*
 * Adjusts the time limits after a request: of the client, and of its transaction if the
 * request has committed it. Returns false if the client was disconnected.
 */
static bool set_limits(struct ctl_client *c, bool was_committed)
{
	struct ctl_server *s = c->server;
	int failed = 0;

	if (!c->has_asked)
		failed |= event_add(c->readable, &s->idle);
	c->has_asked = true;
	if (mo_session_is_subscribed(c->session))
		failed |= event_remove_timer(c->readable);
	if (mo_session_is_committed(c->session) && !was_committed)
		failed |= event_add(s->overdue, &s->hold);
	if (failed)
		client_refuse(c, "out of memory");
	return !failed;
}

/*
 * Sends a reply that has come later. A client that has gone is freed by the event of its
 * socket, not here.
 */
static void on_answer(void *ctx, const uint8_t *reply, size_t len)
{
	struct ctl_client *c = ctx;
	struct ctl_server *s = c->server;
	bool subscribed = mo_session_is_subscribed(c->session);

	if (len > 0 && send(c->fd, reply, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		mo_session_reply_lost(c->session);
		shutdown(c->fd, SHUT_RDWR);
	}
	if (event_add(c->readable, subscribed ? NULL : &s->idle) < 0) {
		/* Message: as "out of memory" */
		log_error_limited("ctl", "out of memory: client rejected");
		shutdown(c->fd, SHUT_RDWR);
	}
	if (mo_session_is_committed(c->session) && event_add(s->overdue, &s->hold) < 0)
		mo_service_overdue(s->service);
	on_raised(s); /* events may wait for the client */
}

/*
 * The client waits for a reply. Other requests of it stay in the socket until then; if the
 * client has gone, its session ends.
 */
static void on_readable_early(struct ctl_client *c)
{
	char octet;
	ssize_t n = recv(c->fd, &octet, 1, MSG_DONTWAIT | MSG_PEEK);

	if (n > 0)
		event_del(c->readable);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		client_free(c);
}

/* Handles a request of n octets and sends its reply. */
static void handle(struct ctl_client *c, size_t n)
{
	struct ctl_server *s = c->server;
	struct octets_out reply = octets_out(s->reply, sizeof(s->reply));
	bool was_committed = mo_session_is_committed(c->session);
	char why[MO_TEXT_MAX + 1];
	struct mo_msg_header h;
	struct octets_in in;

	if (!mo_service_handle(c->session, s->request, n, &reply)) {
		in = octets_in(reply.start, reply.len);
		(void)mo_msg_get_header(&in, &h);
		mo_msg_get_text(&in, why);
		client_refuse(c, why);
		return;
	}
	if (reply.len > 0 && send(c->fd, reply.start, reply.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		mo_session_reply_lost(c->session);
		client_free(c);
		return;
	}
	if (set_limits(c, was_committed))
		push_events(c);
}

/*
 * A client that does not read replies or that sends an invalid message is disconnected, so
 * that it cannot delay the others. A message that is longer than the buffer is not cut.
 */
static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_client *c = arg;
	struct ctl_server *s = c->server;
	char why[80];
	ssize_t n;

	if (mo_session_is_waiting(c->session)) {
		on_readable_early(c);
		return;
	}
	n = recv(fd, s->request, sizeof(s->request), MSG_DONTWAIT | MSG_TRUNC);
	/* After a time-out there can be a request: this thread may have been busy. */
	if (n < 0 && errno == EAGAIN && what & EV_TIMEOUT) {
		client_expire(c, "no request", c->has_asked ? &s->idle : &s->first);
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_free(c);
	} else if ((size_t)n > sizeof(s->request)) {
		/* Message: as "malformed or unknown request" */
		snprintf(why, sizeof(why), "request of %zd octets, expected at most %d", n,
			 MO_MSG_MAX);
		client_refuse(c, why);
	} else {
		handle(c, (size_t)n);
	}
}

/* --- who may connect ----------------------------------------------------------------- */

static bool is_owner(const struct ctl_server *s, uid_t uid)
{
	return uid == 0 || uid == s->owner;
}

/*
 * Sets s->agent. A user of dcbd.conf (name) has to exist, the default need not. With the latter
 * this does not fail.
 */
static bool find_agent(struct ctl_server *s, const char *name, char *err, size_t errlen)
{
	struct passwd entry, *found = NULL;
	char buf[4096];

	(void)getpwnam_r(name ? name : CTL_AGENT_USER, &entry, buf, sizeof(buf), &found);
	s->agent = found ? found->pw_uid : s->owner;
	s->agent_missing = !found;
	if (!found && name)
		/*
		 * Message: dcbd does not start. Create the user, or set `control.agent_user` in
		 * dcbd.conf(5) to the user of dcb-agentx(8).
		 */
		snprintf(err, errlen, "control.agent_user = \"%s\": expected an existing user",
			 name);
	return found || !name;
}

/* A client of a user connects. The default user can be created after the start, with snmpd. */
static void find_late_agent(struct ctl_server *s, uid_t uid)
{
	if (s->agent_missing && !is_owner(s, uid))
		(void)find_agent(s, NULL, NULL, 0);
}

static unsigned rights_of(const struct ctl_socket *at, uid_t uid)
{
	bool notifies = uid == at->server->agent || is_owner(at->server, uid);

	return notifies ? at->rights : at->rights & ~(unsigned)MO_MAY_NOTIFY;
}

static unsigned clients_of(const struct ctl_socket *at, uid_t uid)
{
	const struct ctl_client *c = LIST_FIRST(&at->server->clients);
	unsigned n = 0;

	for (; c; c = LIST_NEXT(c, link))
		n += c->socket == at && c->peer.uid == uid;
	return n;
}

/* Returns whether there is a place for one more client of the user; if not, why says so. */
static bool has_place(const struct ctl_socket *at, uid_t uid, char *why, size_t size)
{
	const struct ctl_server *s = at->server;
	unsigned max = CTL_CLIENTS;

	if (uid != s->agent)
		max -= is_owner(s, uid) ? CTL_AGENT_CLIENTS : 2 * CTL_AGENT_CLIENTS;
	if (at->n_clients >= max) {
		/*
		 * Messages: Too many programs are connected to the control socket, see dcbd(8). End
		 * those that are not needed.
		 */
		snprintf(why, size, "%u clients, which is the maximum", max);
		return false;
	}
	if (uid == s->agent || is_owner(s, uid) || clients_of(at, uid) < CTL_USER_CLIENTS)
		return true;
	snprintf(why, size, "%d clients of this user, which is the maximum", CTL_USER_CLIENTS);
	return false;
}

static void client_new(struct ctl_socket *at, int fd, const struct ucred *peer)
{
	struct ctl_server *s = at->server;
	struct ctl_client *c = calloc(1, sizeof(*c));

	if (!c)
		goto no_client;
	c->server = s;
	c->socket = at;
	c->fd = fd;
	c->peer = *peer;
	c->session = mo_session_new(s->service, rights_of(at, peer->uid));
	if (!c->session)
		goto no_session;
	c->readable = event_new(s->base, fd, EV_READ | EV_PERSIST, on_readable, c);
	c->writable = event_new(s->base, fd, EV_WRITE, on_writable, c);
	if (!c->readable || !c->writable || event_add(c->readable, &s->first) < 0)
		goto no_event;
	mo_session_listen(c->session, on_answer, c);
	LIST_INSERT_HEAD(&s->clients, c, link);
	at->n_clients++;
	return;
no_event:
	if (c->readable)
		event_free(c->readable);
	if (c->writable)
		event_free(c->writable);
	mo_session_free(c->session);
no_session:
	free(c);
no_client:
	/* Message: as "out of memory" */
	log_error_limited("ctl", "out of memory: client rejected");
	close(fd);
}

/* Tells the client and the log why it is not served. */
static void reject(int fd, const struct ucred *peer, const char *why)
{
	/*
	 * Message: dcbd does not serve this client: the last text is the reason, which has an
	 * explanation of its own here.
	 */
	log_warn_limited("ctl", "client of user %u, process %d rejected: %s", peer->uid,
			 (int)peer->pid, why);
	send_close(fd, why);
	close(fd);
}

/*
 * Without file descriptors or memory accept() fails, and the client stays in the queue of
 * the socket, which is readable all the time: waits for a while, or until a client leaves.
 */
static void accept_later(struct ctl_socket *at, int error)
{
	/*
	 * Message: With `Too many open files`, raise the limit of open files, see dcbd(8), or
	 * manage fewer ports.
	 */
	log_error_limited("ctl", "cannot accept a client: %s; retry in %d ms", strerror(error),
			  ACCEPT_RETRY_MS);
	if (event_add(at->retry, &(struct timeval){.tv_usec = ACCEPT_RETRY_MS * 1000}) == 0)
		event_del(at->acceptable);
}

static void on_overdue(evutil_socket_t fd, short what, void *arg)
{
	struct ctl_server *s = arg;

	(void)fd;
	(void)what;
	mo_service_overdue(s->service);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	accept_again(arg);
}

/* Returns false if no client waits, or none can be accepted now. */
static bool accept_one(struct ctl_socket *at)
{
	int client = accept4(at->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	char why[80];

	if (client < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			accept_later(at, errno);
		return false;
	}
	if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0) {
		close(client);
		return true;
	}
	find_late_agent(at->server, peer.uid);
	if (!has_place(at, peer.uid, why, sizeof(why))) {
		reject(client, &peer, why);
	} else {
		client_new(at, client, &peer);
	}
	return true;
}

/* Several at a time: a user that connects all the time does not fill the queue. */
static void on_acceptable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	for (unsigned n = 0; n < ACCEPT_BATCH && accept_one(arg); n++)
		;
}

/* --- start and stop ------------------------------------------------------------------ */

/* Returns 0 if no process has the socket; else an errno: it is used, or its use is unknown. */
static int socket_use(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = EADDRINUSE;

	if (fd < 0)
		return errno;
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		error = errno;
	close(fd);
	if (error == EAGAIN)
		return EADDRINUSE;
	return error == ECONNREFUSED || error == ENOENT ? 0 : error;
}

/*
 * Removes a socket file that no process has. false: errno; ENOTSOCK: the file is no socket,
 * so no dcbd has made it.
 */
static bool remove_stale_socket(const struct sockaddr_un *addr)
{
	struct stat st;

	if (lstat(addr->sun_path, &st) < 0)
		return errno == ENOENT;
	errno = S_ISSOCK(st.st_mode) ? socket_use(addr) : ENOTSOCK;
	if (errno != 0)
		return false;
	return unlink(addr->sun_path) == 0 || errno == ENOENT;
}

static bool bind_socket(struct ctl_socket *at, mode_t mode)
{
	mode_t old = umask(~mode & 0777);
	bool ok = bind(at->fd, (const struct sockaddr *)&at->addr, sizeof(at->addr)) == 0;

	umask(old);
	return ok && lstat(at->addr.sun_path, &at->file) == 0;
}

/* Removes the name of the socket, unless another file has it now. */
static void unlink_socket(const struct ctl_socket *at)
{
	struct stat now;

	if (lstat(at->addr.sun_path, &now) == 0 && now.st_dev == at->file.st_dev &&
	    now.st_ino == at->file.st_ino)
		unlink(at->addr.sun_path);
}

static bool set_group(const char *path, const char *group)
{
	const struct group *g;

	if (!group)
		return true;
	errno = 0;
	g = getgrnam(group);
	if (!g) {
		if (errno == 0)
			errno = ESRCH;
		return false;
	}
	/* The socket, not what a link in its place names. */
	return fchownat(AT_FDCWD, path, (uid_t)-1, g->gr_gid, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Creates a socket. false: it was not created, and err has the reason. */
static bool open_socket(struct ctl_socket *at, const char *path, const char *group, mode_t mode,
			char *err, size_t errlen)
{
	const char *step = "path of a unix socket";

	at->addr.sun_family = AF_UNIX;
	errno = ENAMETOOLONG;
	if (strlen(path) >= sizeof(at->addr.sun_path))
		goto no_socket;
	memcpy(at->addr.sun_path, path, strlen(path) + 1);
	step = "socket";
	at->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (at->fd < 0)
		goto no_socket;
	if (!remove_stale_socket(&at->addr)) {
		/*
		 * Message: Another dcbd or another program has the control socket or the view
		 * socket, or a file in its place is no socket or cannot be removed. dcbd does not
		 * start. Stop the other process, configure another `control.socket` or
		 * `control.view`, or remove the file.
		 */
		step = errno == ENOTSOCK ? "expected a socket or no file"
					 : "used by another dcbd, or cannot be removed";
		goto no_bind;
	}
	/*
	 * Message "%s: bind: %s": The control socket or the view socket cannot be created or given
	 * to `control.group` or `control.view_group`. dcbd does not start. Check that the directory
	 * exists and is writable, that the group exists, and that the user of dcbd is a member of
	 * it.
	 */
	step = "bind";
	if (!bind_socket(at, mode))
		goto no_bind;
	/* Message "%s: cannot set the group: %s": as "%s: bind: %s" */
	step = "cannot set the group";
	if (!set_group(path, group))
		goto no_listen;
	step = "listen";
	if (listen(at->fd, ACCEPT_QUEUE) == 0)
		return true;
no_listen:
	unlink_socket(at);
no_bind:
	close(at->fd);
	at->fd = -1;
no_socket:
	snprintf(err, errlen, "%s: %s: %s", path, step, strerror(errno));
	return false;
}

static void free_event(struct event *ev)
{
	if (ev)
		event_free(ev);
}

/* Begins to accept clients of an open socket. */
static bool accept_clients(struct ctl_socket *at, unsigned rights)
{
	struct event_base *base = at->server->base;

	at->rights = rights;
	at->acceptable = event_new(base, at->fd, EV_READ | EV_PERSIST, on_acceptable, at);
	at->retry = evtimer_new(base, on_retry, at);
	return at->acceptable && at->retry && event_add(at->acceptable, NULL) == 0;
}

static bool open_sockets(struct ctl_server *s, const struct ctl_server_config *c, char *err,
			 size_t errlen)
{
	if (!find_agent(s, c->agent, err, errlen))
		return false;
	if (c->control &&
	    !open_socket(&s->control, c->control, c->control_group, 0660, err, errlen))
		return false;
	return !c->view || open_socket(&s->view, c->view, c->view_group,
				       c->view_group ? 0660 : 0666, err, errlen);
}

static void set_limits_of(struct ctl_server *s, const struct ctl_server_config *c)
{
	s->first = timeval_ms(c->first_ms ? c->first_ms : CTL_FIRST_MS);
	s->idle = timeval_ms(c->idle_ms ? c->idle_ms : CTL_IDLE_MS);
	s->hold = timeval_ms(c->hold_ms ? c->hold_ms : CTL_HOLD_MS);
}

struct ctl_server *ctl_server_new(struct event_base *base, struct mo_service *service,
				  const struct ctl_server_config *config, char *err, size_t errlen)
{
	struct ctl_server *s = calloc(1, sizeof(*s));

	if (!s)
		goto no_memory;
	s->base = base;
	s->service = service;
	s->listener = (struct events_listener){.fn = on_raised, .ctx = s};
	s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->owner = geteuid();
	s->control.server = s->view.server = s;
	s->control.fd = s->view.fd = -1;
	LIST_INIT(&s->clients);
	set_limits_of(s, config);
	if (!open_sockets(s, config, err, errlen)) {
		ctl_server_free(s);
		return NULL;
	}
	if (s->bell >= 0)
		s->events = event_new(base, s->bell, EV_READ | EV_PERSIST, on_events, s);
	s->overdue = evtimer_new(base, on_overdue, s);
	if (s->events && event_add(s->events, NULL) == 0 && s->overdue &&
	    (s->control.fd < 0 || accept_clients(&s->control, MO_MAY_ALL)) &&
	    (s->view.fd < 0 || accept_clients(&s->view, 0))) {
		events_listen(mo_service_events(service), &s->listener);
		return s;
	}
no_memory:
	snprintf(err, errlen, "%s: out of memory",
		 config->control ? config->control : config->view);
	ctl_server_free(s);
	return NULL;
}

unsigned ctl_server_clients(const struct ctl_server *s)
{
	return s->control.n_clients + s->view.n_clients;
}

static void close_socket(struct ctl_socket *at)
{
	free_event(at->acceptable);
	free_event(at->retry);
	if (at->fd < 0)
		return;
	unlink_socket(at);
	close(at->fd);
}

void ctl_server_free(struct ctl_server *s)
{
	struct ctl_client *c, *next;

	if (!s)
		return;
	for (c = LIST_FIRST(&s->clients); c; c = next) {
		next = LIST_NEXT(c, link);
		client_free(c);
	}
	events_ignore(mo_service_events(s->service), &s->listener);
	close_socket(&s->control);
	close_socket(&s->view);
	free_event(s->events);
	free_event(s->overdue);
	if (s->bell >= 0)
		close(s->bell);
	free(s);
}
