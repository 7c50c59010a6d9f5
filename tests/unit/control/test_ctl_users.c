/* SPDX-License-Identifier: BSD-3-Clause */
/* Users of the control socket and of the view socket: their rights and their places. */
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "control/ctl_server.h"
#include "control/managed/events.h"
#include "tests/unit/control/ctl_sockets.h"

/* --- replaced functions, by the linker's option --wrap ------------------------------- */

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

/* --- users ----------------------------------------------------------------------------- */

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

/* --- the view socket ------------------------------------------------------------------- */

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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_user_has_a_share_of_the_connections),
	    cmocka_unit_test(test_places_are_kept_for_root_and_agent),
	    cmocka_unit_test(test_only_the_agent_acknowledges),
	    cmocka_unit_test(test_agent_created_after_the_start_acknowledges),
	    cmocka_unit_test(test_unknown_agent_is_an_error),
	    cmocka_unit_test(test_view_is_open_to_all_or_to_a_group),
	    cmocka_unit_test(test_view_is_for_reading_and_events),
	    cmocka_unit_test(test_each_socket_has_its_own_places),
	};

	log_init("test_ctl_users", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests_name("ctl_users", tests, make_sockets_folder,
					   remove_sockets_folder);
}
