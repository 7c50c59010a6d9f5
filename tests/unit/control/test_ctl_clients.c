/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clients that misbehave on the control socket, and what the others notice. The event loop
 * of ctl_server runs in this thread, one step at a time, between the calls of the clients.
 */
#include "tests/unit/log_capture.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "control/ctl_server.h"
#include "control/managed/events.h"
#include "control/managed_conf.h"
#include "tests/unit/fake_provider.h"

#define DEADLINE_MS 20000 /* of each expected message */

static char dir[64], path[96], view_path[96];

/* Times in which nothing expires in these tests; and short ones. */
static const struct ctl_server_config patient = {
    .control = path, .first_ms = 600000, .idle_ms = 600000, .hold_ms = 600000};
static const struct ctl_server_config quick = {.control = path, .first_ms = 1000, .idle_ms = 1000};
static const struct ctl_server_config short_hold = {
    .control = path, .first_ms = 600000, .idle_ms = 600000, .hold_ms = 50};

/* --- replaced functions, by the linker's option --wrap ------------------------------- */

static int accept_error; /* errno of accept4(); 0: it works */
static unsigned accept_calls;

/* Who connects to the server, as its getsockopt(SO_PEERCRED) says. */
static struct ucred peer;
static bool peer_is_other; /* than this process */

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	if (name != SO_PEERCRED || !peer_is_other)
		return __real_getsockopt(fd, level, name, value, len);
	memcpy(value, &peer, sizeof(peer));
	return 0;
}

/* The user id of the default user of dcb-agentx; 0: there is no such user. */
static uid_t default_agent;

int __real_getpwnam_r(const char *name, struct passwd *entry, char *buf, size_t len,
		      struct passwd **found);
int __wrap_getpwnam_r(const char *name, struct passwd *entry, char *buf, size_t len,
		      struct passwd **found);
int __wrap_getpwnam_r(const char *name, struct passwd *entry, char *buf, size_t len,
		      struct passwd **found)
{
	if (strcmp(name, CTL_AGENT_USER) != 0)
		return __real_getpwnam_r(name, entry, buf, len, found);
	*entry = (struct passwd){.pw_uid = default_agent};
	*found = default_agent ? entry : NULL;
	return 0;
}

/* Clients that connect from now on are of this user. */
static void be_user(uid_t uid)
{
	peer_is_other = true;
	peer = (struct ucred){.pid = 77, .uid = uid, .gid = uid};
}

int __real_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	accept_calls++;
	if (accept_error == 0)
		return __real_accept4(fd, addr, len, flags);
	errno = accept_error;
	return -1;
}

/* --- the server and its clients ------------------------------------------------------ */

struct server {
	struct fake_provider provider;
	struct conf conf;
	struct managed *m;
	struct mo_service *service;
	struct event_base *base;
	struct ctl_server *ctl;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* A server without sockets. */
static struct server *server_new(void)
{
	struct server *s = calloc(1, sizeof(*s));
	struct provider *const providers[] = {&s->provider.provider};
	struct provider_refusal why;

	s->conf.role = ROLE_BRIDGE;
	s->conf.component_id = 1;
	fake_provider_init(&s->provider);
	s->m = managed_conf_new(&s->conf, providers, 1);
	assert_true(managed_release(s->m, &why));
	s->service = mo_service_new(s->m, NULL, 11);
	s->base = event_base_new();
	return s;
}

static struct server *server_start(const struct ctl_server_config *config)
{
	struct server *s = server_new();
	char err[256];

	s->ctl = ctl_server_new(s->base, s->service, config, err, sizeof(err));
	if (!s->ctl)
		fail_msg("%s", err);
	return s;
}

static void server_stop(struct server *s)
{
	ctl_server_free(s->ctl);
	mo_service_free(s->service);
	managed_free(s->m);
	event_base_free(s->base);
	free(s);
	peer_is_other = false;
}

/* Handles all events that are pending. */
static void turn(struct server *s)
{
	event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

static int dial_to(const char *where)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", where);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static int dial(void)
{
	return dial_to(path);
}

/* Returns the length of the next message to the client; 0: the connection is closed. */
static size_t receive(struct server *s, int fd, void *buf, size_t size)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t start = now_ms();
	ssize_t n;

	do {
		turn(s);
		n = recv(fd, buf, size, MSG_DONTWAIT);
		/* The error of a closed connection comes before its last message. */
		if (n < 0 && errno == ECONNRESET)
			n = recv(fd, buf, size, MSG_DONTWAIT);
		if (n < 0)
			poll(&p, 1, 1);
	} while (n < 0 && now_ms() - start < DEADLINE_MS);
	assert_true(n >= 0);
	return (size_t)n;
}

/* Sends a request without a body, padded to len octets. */
static void request(int fd, enum mo_msg_op op, size_t len)
{
	static uint8_t buf[128 * 1024];
	struct octets_out out = octets_out(buf, sizeof(buf));

	memset(buf, 0, sizeof(buf));
	mo_msg_put_header(&out, &(struct mo_msg_header){.op = (uint8_t)op, .seq = 5});
	assert_int_equal(send(fd, buf, len, MSG_NOSIGNAL), len);
}

static void assert_hello(struct server *s, int fd)
{
	uint8_t buf[256];

	request(fd, MO_OP_HELLO, MO_MSG_HEADER);
	assert_true(receive(s, fd, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_HELLO | MO_MSG_REPLY);
}

/* Asserts that the server closes the connection and says why; closes fd. */
static void assert_closed(struct server *s, int fd, const char *why)
{
	uint8_t buf[512];
	struct octets_in in = octets_in(buf, receive(s, fd, buf, sizeof(buf)));
	char text[MO_TEXT_MAX + 1];
	struct mo_msg_header h;

	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.op, MO_OP_CLOSE | MO_MSG_REPLY);
	mo_msg_get_text(&in, text);
	assert_string_equal(text, why);
	assert_int_equal(receive(s, fd, buf, sizeof(buf)), 0);
	close(fd);
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* The most lines that a limited message can have had since start_ms. */
static unsigned lines_allowed(int64_t start_ms)
{
	return LOG_LIMIT_BURST + 1 + (unsigned)((now_ms() - start_ms) / LOG_LIMIT_MS);
}

/* --- accept, messages ---------------------------------------------------------------- */

/* The socket stays readable while accept() fails; it is not asked again at once. */
static void test_accept_without_descriptors_backs_off(void **state)
{
	static const int errors[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS};
	struct server *s = server_start(&patient);
	int64_t start;
	int fd;

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(errors); i++) {
		accept_error = errors[i];
		accept_calls = 0;
		start = now_ms();
		fd = dial();
		for (unsigned n = 0; n < 1000; n++)
			turn(s);
		assert_in_range(accept_calls, 1, 2 + (now_ms() - start) / 100);
		accept_error = 0;
		assert_hello(s, fd);
		close(fd);
	}
	server_stop(s);
}

/* A client that ends has a descriptor that accept() needs: it is called at once. */
static void test_accept_is_tried_again_when_a_client_ends(void **state)
{
	struct server *s = server_start(&patient);
	int first = dial(), second;

	(void)state;
	assert_hello(s, first);
	accept_error = EMFILE;
	second = dial();
	accept_calls = 0;
	while (accept_calls == 0)
		turn(s);
	accept_error = 0;
	close(first);
	turn(s); /* sees the end of the first client */
	accept_calls = 0;
	turn(s);
	assert_in_range(accept_calls, 1, 2);
	assert_hello(s, second);
	close(second);
	server_stop(s);
}

/* The octets behind the limit are not dropped, which would make another request of it. */
static void test_message_too_long_is_refused_not_cut(void **state)
{
	struct server *s = server_start(&patient);
	uint8_t buf[256];
	int fd = dial();

	(void)state;
	request(fd, MO_OP_HELLO, MO_MSG_MAX);
	assert_true(receive(s, fd, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_HELLO | MO_MSG_REPLY);
	request(fd, MO_OP_HELLO, MO_MSG_MAX + 1);
	assert_closed(s, fd, "request of 65537 octets, expected at most 65536");
	fd = dial();
	request(fd, MO_OP_HELLO, 100000);
	assert_closed(s, fd, "request of 100000 octets, expected at most 65536");
	server_stop(s);
}

/* Each client gets the reason; the log gets a few lines and the number of the others. */
static void test_garbage_does_not_fill_the_log(void **state)
{
	struct server *s = server_start(&patient);
	int64_t start = now_ms();
	struct log_capture c;
	char text[65536];
	unsigned allowed;

	(void)state;
	log_init("prog", LOG_LEVEL_INFO, true);
	c = log_capture();
	for (unsigned i = 0; i < 300; i++) {
		int fd = dial();

		assert_int_equal(send(fd, "garbage", 7, MSG_NOSIGNAL), 7);
		assert_closed(s, fd, "malformed or unknown request");
	}
	allowed = lines_allowed(start);
	log_captured(&c, text, sizeof(text));
	log_init("test_ctl_clients", LOG_LEVEL_ERROR, false);
	assert_in_range(count_lines(text), 1, allowed);
	assert_non_null(strstr(text, ": malformed or unknown request: connection closed\n"));
	server_stop(s);
}

/* --- times --------------------------------------------------------------------------- */

static void test_silent_client_is_disconnected(void **state)
{
	struct server *s = server_start(&quick);
	int silent = dial(), idle = dial();

	(void)state;
	assert_closed(s, silent, "no request for 1 s");
	close(idle);
	idle = dial();
	assert_hello(s, idle);
	assert_hello(s, idle);
	assert_closed(s, idle, "no request for 1 s");
	server_stop(s);
}

static void subscribe(struct server *s, int fd)
{
	uint8_t buf[256];

	request(fd, MO_OP_SUBSCRIBE, MO_MSG_HEADER + 13);
	assert_int_equal(receive(s, fd, buf, sizeof(buf)), MO_MSG_HEADER + 12);
}

static void raise_events(struct server *s, unsigned n)
{
	static const struct notify_config config = {.rate_limit = 0};
	const struct mo_varbind vb = {.table = MO_cn_errored_port,
				      .subid = 3,
				      .index = {3, {1, 4, 2}},
				      .value = {.syntax = MO_INTEGER32, .num = 2}};

	for (; n > 0; n--)
		events_raise(s->m->events, &config, MO_NOTIFY_errored_port_created, &vb, 1,
			     clock_now());
}

/* A subscriber sends nothing for as long as it likes; one that does not read is disconnected. */
static void test_subscriber_has_to_read(void **state)
{
	struct server *s = server_start(&quick);
	int reader = dial(), stopped = dial(), idle;
	uint8_t buf[1024];
	int64_t start;
	size_t n;

	(void)state;
	subscribe(s, reader);
	subscribe(s, stopped);
	idle = dial();
	assert_hello(s, idle);
	assert_closed(s, idle, "no request for 1 s");
	raise_events(s, 1);
	assert_true(receive(s, reader, buf, sizeof(buf)) > MO_MSG_HEADER);
	assert_int_equal(buf[1], MO_OP_EVENT | MO_MSG_REPLY);
	/* More than the socket takes; the reader gets them all. */
	start = now_ms();
	for (unsigned i = 0; i < 4; i++) {
		raise_events(s, EVENTS_KEPT);
		for (unsigned k = 0; k < EVENTS_KEPT; k++)
			assert_true(receive(s, reader, buf, sizeof(buf)) > MO_MSG_HEADER);
	}
	while (now_ms() - start < DEADLINE_MS && ctl_server_clients(s->ctl) > 1)
		event_base_loop(s->base, EVLOOP_ONCE);
	assert_int_equal(ctl_server_clients(s->ctl), 1);
	do
		n = receive(s, stopped, buf, sizeof(buf));
	while (n > 0);
	raise_events(s, 1);
	assert_true(receive(s, reader, buf, sizeof(buf)) > MO_MSG_HEADER);
	close(stopped);
	close(reader);
	server_stop(s);
}

/* Sends TEST, then COMMIT, UNDO or CLEANUP. Returns the error, and dcbd's reason. */
static enum mo_error phase(struct server *s, int fd, enum mo_msg_op op, uint32_t priority,
			   char reason[MO_TEXT_MAX + 1])
{
	uint8_t buf[512];
	struct octets_out out = octets_out(buf, sizeof(buf));
	struct mo_msg_header h;
	struct octets_in in;
	enum mo_error error;

	mo_msg_put_header(&out, &(struct mo_msg_header){.op = (uint8_t)op, .seq = 5});
	octets_out_be32(&out, 1);
	if (op == MO_OP_TEST) {
		octets_out_be16(&out, 1);
		mo_msg_put_varbind(&out, &(struct mo_varbind){.table = MO_cn_com_pri,
							      .subid = 10,
							      .index = {2, {1, priority}},
							      .value = {.syntax = MO_ROW_STATUS,
									.num = ROW_CREATE_AND_GO}});
	}
	assert_int_equal(send(fd, buf, out.len, MSG_NOSIGNAL), out.len);
	in = octets_in(buf, receive(s, fd, buf, sizeof(buf)));
	assert_true(mo_msg_get_header(&in, &h));
	assert_int_equal(h.op, (uint8_t)op | MO_MSG_REPLY);
	error = (enum mo_error)octets_in_u8(&in);
	(void)octets_in_be16(&in);
	mo_msg_get_text(&in, reason);
	assert_false(in.overrun);
	return error;
}

/* As a client that was stopped (Ctrl-Z) after COMMIT. */
static void test_silent_commit_does_not_block_others(void **state)
{
	struct server *s = server_start(&short_hold);
	int silent = dial(), other = dial();
	char reason[MO_TEXT_MAX + 1];
	enum mo_error error;
	int64_t start;

	(void)state;
	assert_int_equal(phase(s, silent, MO_OP_TEST, 3, reason), MO_NO_ERROR);
	assert_int_equal(phase(s, silent, MO_OP_COMMIT, 0, reason), MO_NO_ERROR);
	assert_int_equal(phase(s, other, MO_OP_TEST, 4, reason), MO_NO_ERROR);
	start = now_ms();
	do
		error = phase(s, other, MO_OP_COMMIT, 0, reason);
	while (error == MO_GEN_ERR && now_ms() - start < DEADLINE_MS);
	assert_int_equal(error, MO_NO_ERROR);
	assert_int_equal(phase(s, silent, MO_OP_UNDO, 0, reason), MO_UNDO_FAILED);
	assert_string_equal(reason, "too late: another SET has followed");
	assert_int_equal(phase(s, other, MO_OP_CLEANUP, 0, reason), MO_NO_ERROR);
	close(silent);
	close(other);
	server_stop(s);
}

/* --- users --------------------------------------------------------------------------- */

#define USER 4711
#define NO_NOTIFIER                                                              \
	"only root, dcbd's user and control.agent_user may send notifications, " \
	"over control.socket"
#define EXPECTED_AGENT "control.agent_user = \"no such user\": expected an existing user"

/* Connects n clients, which the server accepts. */
static void dial_many(struct server *s, int fds[], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fds[i] = dial();
		assert_hello(s, fds[i]);
	}
}

static void close_many(int fds[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
}

static void test_user_has_a_share_of_the_connections(void **state)
{
	struct server *s = server_start(&patient);
	int fds[CTL_USER_CLIENTS];
	int other;

	(void)state;
	be_user(USER);
	dial_many(s, fds, CTL_USER_CLIENTS);
	assert_closed(s, dial(), "16 clients of this user, which is the maximum");
	be_user(USER + 1);
	other = dial();
	assert_hello(s, other);
	be_user(USER);
	assert_closed(s, dial(), "16 clients of this user, which is the maximum");
	assert_hello(s, fds[0]);
	close(fds[0]);
	turn(s);
	fds[0] = dial();
	assert_hello(s, fds[0]);
	close_many(fds, CTL_USER_CLIENTS);
	close(other);
	server_stop(s);
}

/* All users together leave places for root, and root leaves some for dcb-agentx. */
static void test_places_are_kept_for_root_and_agent(void **state)
{
	struct server *s;
	struct ctl_server_config config = patient;
	const struct passwd *agent = getpwnam("nobody");
	int fds[CTL_CLIENTS];
	unsigned n = 0;

	(void)state;
	if (!agent || agent->pw_uid == 0 || agent->pw_uid == geteuid())
		skip();
	config.agent = "nobody";
	s = server_start(&config);
	for (; n < CTL_CLIENTS - 8; n++) {
		be_user(USER + n / CTL_USER_CLIENTS);
		dial_many(s, &fds[n], 1);
	}
	assert_closed(s, dial(), "56 clients, which is the maximum");
	be_user(0);
	dial_many(s, &fds[n], 4);
	assert_closed(s, dial(), "60 clients, which is the maximum");
	be_user(geteuid());
	assert_closed(s, dial(), "60 clients, which is the maximum");
	be_user(agent->pw_uid);
	dial_many(s, &fds[n + 4], 4);
	assert_closed(s, dial(), "64 clients, which is the maximum");
	close_many(fds, CTL_CLIENTS);
	server_stop(s);
}

/* Sends SUBSCRIBE as a notifier. */
static void subscribe_as_notifier(int fd)
{
	uint8_t buf[MO_MSG_HEADER + 13] = {MO_MSG_VERSION, MO_OP_SUBSCRIBE};

	buf[MO_MSG_HEADER] = MO_SUBSCRIBE_NOTIFIER;
	assert_int_equal(send(fd, buf, sizeof(buf), MSG_NOSIGNAL), sizeof(buf));
}

static void test_only_the_agent_acknowledges(void **state)
{
	const struct passwd *agent = getpwnam("nobody");
	struct ctl_server_config config = patient;
	struct server *s;
	uint8_t buf[256];
	int fd;

	(void)state;
	if (!agent || agent->pw_uid == USER)
		skip();
	config.agent = "nobody";
	s = server_start(&config);
	be_user(USER);
	fd = dial();
	subscribe_as_notifier(fd);
	assert_closed(s, fd, NO_NOTIFIER);
	for (unsigned i = 0; i < 3; i++) {
		be_user(i == 0 ? agent->pw_uid : i == 1 ? 0 : geteuid());
		fd = dial();
		subscribe_as_notifier(fd);
		assert_int_equal(receive(s, fd, buf, sizeof(buf)), MO_MSG_HEADER + 12);
		assert_int_equal(buf[1], MO_OP_SUBSCRIBE | MO_MSG_REPLY);
		close(fd);
	}
	server_stop(s);
}

/* snmpd brings the user, and can be installed after dcbd. */
static void test_agent_created_after_the_start_acknowledges(void **state)
{
	struct server *s = server_start(&patient);
	uint8_t buf[256];
	int fd;

	(void)state;
	be_user(USER);
	fd = dial();
	subscribe_as_notifier(fd);
	assert_closed(s, fd, NO_NOTIFIER);
	default_agent = USER;
	fd = dial();
	subscribe_as_notifier(fd);
	assert_int_equal(receive(s, fd, buf, sizeof(buf)), MO_MSG_HEADER + 12);
	assert_int_equal(buf[1], MO_OP_SUBSCRIBE | MO_MSG_REPLY);
	close(fd);
	default_agent = 0;
	server_stop(s);
}

static void test_unknown_agent_is_an_error(void **state)
{
	struct server *s = server_start(&patient);
	struct ctl_server_config config = patient;
	char err[256];

	(void)state;
	config.agent = "no such user";
	assert_null(ctl_server_new(s->base, s->service, &config, err, sizeof(err)));
	assert_string_equal(err, EXPECTED_AGENT);
	server_stop(s);
}

/* --- the view socket ----------------------------------------------------------------- */

static struct ctl_server_config with_view(const char *group)
{
	struct ctl_server_config config = patient;

	config.view = view_path;
	config.view_group = group;
	return config;
}

static unsigned mode_of(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void test_view_is_open_to_all_or_to_a_group(void **state)
{
	const struct group *g = getgrgid(getegid());
	struct ctl_server_config config = with_view(NULL);
	struct server *s = server_start(&config);
	char err[256];

	(void)state;
	assert_int_equal(mode_of(path), 0660);
	assert_int_equal(mode_of(view_path), 0666);
	assert_null(ctl_server_new(s->base, s->service, &config, err, sizeof(err)));
	assert_non_null(strstr(err, "/control: used by another dcbd"));
	server_stop(s);
	assert_int_equal(mode_of(view_path), 0);
	assert_non_null(g);
	config = with_view(g->gr_name);
	s = server_start(&config);
	assert_int_equal(mode_of(path), 0660);
	assert_int_equal(mode_of(view_path), 0660);
	server_stop(s);
	/* Without the view socket there is no control socket either. */
	config = with_view("no such group");
	s = server_new();
	assert_null(ctl_server_new(s->base, s->service, &config, err, sizeof(err)));
	assert_non_null(strstr(err, "/view: cannot set the group"));
	assert_int_equal(mode_of(path), 0);
	assert_int_equal(mode_of(view_path), 0);
	server_stop(s);
}

/* Also for root. */
static void test_view_is_for_reading_and_events(void **state)
{
	const struct ctl_server_config config = with_view(NULL);
	const uid_t users[] = {USER, 0, geteuid()};
	struct server *s = server_start(&config);
	char reason[MO_TEXT_MAX + 1];
	uint8_t buf[1024];

	(void)state;
	for (unsigned i = 0; i < UNIT_COUNT(users); i++) {
		int fd;

		be_user(users[i]);
		fd = dial_to(view_path);
		assert_hello(s, fd);
		assert_int_equal(phase(s, fd, MO_OP_TEST, 4, reason), MO_NO_ACCESS);
		assert_string_equal(
		    reason, "the view socket is for reading: objects are set over control.socket");
		assert_int_equal(phase(s, fd, MO_OP_COMMIT, 0, reason), MO_COMMIT_FAILED);
		subscribe(s, fd);
		raise_events(s, 1);
		assert_true(receive(s, fd, buf, sizeof(buf)) > MO_MSG_HEADER);
		assert_int_equal(buf[1], MO_OP_EVENT | MO_MSG_REPLY);
		subscribe_as_notifier(fd);
		assert_closed(s, fd, NO_NOTIFIER);
		fd = dial();
		assert_int_equal(phase(s, fd, MO_OP_TEST, 4, reason), MO_NO_ERROR);
		close(fd);
	}
	server_stop(s);
}

/* The readers cannot take the places of those who set. */
static void test_each_socket_has_its_own_places(void **state)
{
	const struct ctl_server_config config = with_view(NULL);
	struct server *s = server_start(&config);
	int views[CTL_CLIENTS], fd;

	(void)state;
	for (unsigned i = 0; i < CTL_CLIENTS - 8; i++) {
		be_user(USER + i / CTL_USER_CLIENTS);
		views[i] = dial_to(view_path);
		assert_hello(s, views[i]);
	}
	assert_closed(s, dial_to(view_path), "56 clients, which is the maximum");
	be_user(USER);
	fd = dial();
	assert_hello(s, fd);
	close_many(views, CTL_CLIENTS - 8);
	close(fd);
	server_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accept_without_descriptors_backs_off),
	    cmocka_unit_test(test_accept_is_tried_again_when_a_client_ends),
	    cmocka_unit_test(test_message_too_long_is_refused_not_cut),
	    cmocka_unit_test(test_garbage_does_not_fill_the_log),
	    cmocka_unit_test(test_silent_client_is_disconnected),
	    cmocka_unit_test(test_subscriber_has_to_read),
	    cmocka_unit_test(test_silent_commit_does_not_block_others),
	    cmocka_unit_test(test_user_has_a_share_of_the_connections),
	    cmocka_unit_test(test_places_are_kept_for_root_and_agent),
	    cmocka_unit_test(test_only_the_agent_acknowledges),
	    cmocka_unit_test(test_agent_created_after_the_start_acknowledges),
	    cmocka_unit_test(test_unknown_agent_is_an_error),
	    cmocka_unit_test(test_view_is_open_to_all_or_to_a_group),
	    cmocka_unit_test(test_view_is_for_reading_and_events),
	    cmocka_unit_test(test_each_socket_has_its_own_places),
	};
	int failed;

	log_init("test_ctl_clients", LOG_LEVEL_ERROR, false);
	snprintf(dir, sizeof(dir), "/tmp/dcb-test-XXXXXX");
	if (!mkdtemp(dir))
		return 99;
	snprintf(path, sizeof(path), "%s/control", dir);
	snprintf(view_path, sizeof(view_path), "%s/view", dir);
	failed = cmocka_run_group_tests_name("ctl_clients", tests, NULL, NULL);
	unlink(path);
	unlink(view_path);
	rmdir(dir);
	return failed;
}
