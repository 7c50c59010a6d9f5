/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The privileges of a process after priv_drop(), as /proc/self/status shows them. Each
 * case runs in a child process in its own user namespace, where it has all capabilities.
 */
#include "control/host/priv.h"

#include <linux/capability.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/log.h"
#include "tests/unit/own_netns.h"
#include "tests/unit/unit.h"

#define NET_CAPS ((UINT64_C(1) << CAP_NET_RAW) | (UINT64_C(1) << CAP_NET_ADMIN))

static uint64_t status(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	uint64_t v = UINT64_MAX;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			v = strtoull(line + strlen(key) + 1, NULL, 16);
	}
	if (f)
		fclose(f);
	return v;
}

/* Returns 1, the exit status of the child, if the condition is false. */
#define CHECK(cond)                                                      \
	do {                                                             \
		if (!(cond)) {                                           \
			print_message("line %d: %s\n", __LINE__, #cond); \
			return 1;                                        \
		}                                                        \
	} while (0)

static int is_trimmed(void)
{
	CHECK(status("CapEff") == NET_CAPS);
	CHECK(status("CapPrm") == NET_CAPS);
	CHECK(status("CapInh") == 0);
	CHECK(status("CapAmb") == 0);
	CHECK(status("CapBnd") == 0);
	CHECK(status("NoNewPrivs") == 1);
	return 0;
}

static int without_user(void)
{
	char err[256] = "";

	CHECK(status("CapEff") != NET_CAPS);
	CHECK(priv_drop(NULL, NULL, false, err, sizeof(err)));
	return is_trimmed();
}

/* Only root that is permitted to change its user changes to the default user. */
static int default_user(void)
{
	char err[256] = "";

	CHECK(strcmp(priv_user(NULL), PRIV_USER) == 0);
	CHECK(strcmp(priv_user("root"), "root") == 0);
	CHECK(priv_drop("root", NULL, false, err, sizeof(err)));
	CHECK(geteuid() == 0);
	CHECK(!priv_user(NULL));
	CHECK(strcmp(priv_user("root"), "root") == 0);
	return is_trimmed();
}

/* A user that the user namespace does not map: the process keeps its user. */
static int unmapped_user(void)
{
	char err[256] = "";

	CHECK(getpwnam("daemon"));
	CHECK(priv_drop("daemon", "no-such-group", false, err, sizeof(err)));
	CHECK(geteuid() == 0);
	return is_trimmed();
}

static int unknown_user(void)
{
	char err[256] = "";

	CHECK(!priv_drop("no-such-user-here", NULL, false, err, sizeof(err)));
	CHECK(strcmp(err,
		     "user no-such-user-here: no such user: create it, or set user in dcbd.conf; "
		     "with \"root\" dcbd stays root") == 0);
	CHECK(status("CapEff") != NET_CAPS); /* nothing was dropped */
	return 0;
}

/* A second call succeeds without the capabilities that the first one dropped. */
static int second_call(void)
{
	char err[256] = "";

	if (without_user() != 0)
		return 1;
	CHECK(priv_drop(NULL, NULL, false, err, sizeof(err)));
	return is_trimmed();
}

static int nice_is_kept_until_dropped(void)
{
	char err[256] = "";

	CHECK(priv_drop(NULL, NULL, true, err, sizeof(err)));
	CHECK(status("CapEff") == (NET_CAPS | UINT64_C(1) << CAP_SYS_NICE));
	CHECK(status("CapBnd") == 0);
	CHECK(priv_drop_nice(err, sizeof(err)));
	return is_trimmed();
}

struct lines {
	unsigned n;
	char text[4096];
};

static void add_line(void *ctx, const char *text)
{
	struct lines *l = ctx;

	l->n++;
	snprintf(l->text + strlen(l->text), sizeof(l->text) - strlen(l->text), "%s\n", text);
}

/* With all capabilities, and without any: a line for each need, with what helps. */
static int lacks(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
	struct lines l = {.n = 0};

	CHECK(setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, 0}) == 0);
	priv_lacks(PRIV_PORTS | PRIV_REAL_TIME, add_line, &l);
	CHECK(l.n == 0);
	CHECK(syscall(SYS_capset, &head, none) == 0);
	priv_lacks(0, add_line, &l);
	CHECK(l.n == 0);
	priv_lacks(PRIV_PORTS, add_line, &l);
	CHECK(l.n == 1);
	CHECK(strncmp(l.text, "dcbd lacks raw sockets, ", 24) == 0);
	CHECK(strstr(l.text, ": Operation not permitted; "));
	CHECK(strstr(l.text, "--cap-add=NET_RAW"));
	priv_lacks(PRIV_TAPS | PRIV_REAL_TIME, add_line, &l);
	CHECK(strstr(l.text, "dcbd lacks CAP_NET_ADMIN, "));
	CHECK(strstr(l.text, "dcbd does without real time: "));
	return 0;
}

/* Runs without a user namespace: root changes to another user. */
static int change_user(void)
{
	struct passwd *pw = getpwnam("daemon");
	struct group *gr = getgrnam("bin"); /* every system has it */
	char err[256] = "";

	CHECK(pw);
	CHECK(gr);
	CHECK(!group_member(gr->gr_gid));
	CHECK(priv_drop("daemon", "bin", false, err, sizeof(err)));
	CHECK(group_member(gr->gr_gid));
	CHECK(geteuid() == pw->pw_uid && getuid() == pw->pw_uid);
	CHECK(getegid() == pw->pw_gid && getgid() == pw->pw_gid);
	CHECK(setuid(0) != 0);
	return is_trimmed();
}

static int run_child(int (*fn)(void), bool namespace)
{
	pid_t pid;
	int st;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int rc = namespace && !own_netns_enter() ? EXIT_SKIP : fn();

		fflush(stdout);
		_exit(rc);
	}
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_true(WIFEXITED(st));
	return WEXITSTATUS(st);
}

static void test_without_user_only_capabilities_are_dropped(void **state)
{
	(void)state;
	assert_int_equal(run_child(without_user, true), 0);
}

static void test_unmapped_user_keeps_uid(void **state)
{
	(void)state;
	assert_int_equal(run_child(unmapped_user, true), 0);
}

static void test_root_changes_to_dcbd_by_default(void **state)
{
	(void)state;
	assert_int_equal(run_child(default_user, true), 0);
}

static void test_unknown_user_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(run_child(unknown_user, true), 0);
}

static void test_second_call_succeeds(void **state)
{
	(void)state;
	assert_int_equal(run_child(second_call, true), 0);
}

static void test_nice_is_kept_until_it_is_dropped(void **state)
{
	(void)state;
	assert_int_equal(run_child(nice_is_kept_until_dropped, true), 0);
}

static void test_each_lack_is_a_line(void **state)
{
	(void)state;
	assert_int_equal(run_child(lacks, true), 0);
}

static int can_change_user(void)
{
	/* Root in a container can lack some of these. */
	uint64_t need = (UINT64_C(1) << CAP_SETUID) | (UINT64_C(1) << CAP_SETGID) |
			(UINT64_C(1) << CAP_SETPCAP) | NET_CAPS;

	return geteuid() == 0 && (status("CapEff") & need) == need ? 0 : EXIT_SKIP;
}

static void test_root_changes_to_user(void **state)
{
	(void)state;
	if (can_change_user() != 0) {
		print_message("SKIP: only root can change its user\n");
		skip();
	}
	assert_int_equal(run_child(change_user, false), 0);
}

static int probe(void)
{
	return 0;
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_without_user_only_capabilities_are_dropped),
	    cmocka_unit_test(test_unmapped_user_keeps_uid),
	    cmocka_unit_test(test_root_changes_to_dcbd_by_default),
	    cmocka_unit_test(test_unknown_user_is_an_error),
	    cmocka_unit_test(test_second_call_succeeds),
	    cmocka_unit_test(test_nice_is_kept_until_it_is_dropped),
	    cmocka_unit_test(test_each_lack_is_a_line),
	    cmocka_unit_test(test_root_changes_to_user),
	};

	log_init("test_priv", LOG_LEVEL_DEBUG, false);
	if (run_child(probe, true) != 0)
		return EXIT_SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
