/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the daemons can do after their start, and what the kernel refuses. Each case runs in a
 * child process, which calls the function that the daemon calls. Where the kernel or the
 * build has no Landlock or no filter, the process is expected to go on without it.
 */
#include "lib/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/landlock.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agentx_confine.h"
#include "agent/exporter/exporter_confine.h"
#include "control/dcbd_confine.h"
#include "lldp/process/lldp_confine.h"
#include "tests/unit/unit.h"

#define PATH_OCTETS 160

static char top[32], state_file[PATH_OCTETS], control[PATH_OCTETS], conf_file[PATH_OCTETS];
static char outside[PATH_OCTETS], log_file[PATH_OCTETS];
static bool has_files, has_calls; /* of the kernel and this build */

/* Returns 1, the exit status of the child, if the condition is false. */
#define CHECK(cond)                                                                           \
	do {                                                                                  \
		if (!(cond)) {                                                                \
			print_message("line %d: %s: %s\n", __LINE__, #cond, strerror(errno)); \
			return 1;                                                             \
		}                                                                             \
	} while (0)
/* The call fails with this error where the mechanism is in force, and is not made elsewhere. */
#define CHECK_REFUSED(has, call, error) CHECK(!(has) || ((call) == -1 && errno == (error)))

static void run(int (*body)(void))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		status = body();
		fflush(stdout);
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* --- directories ------------------------------------------------------------------------ */

static bool write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && write(fd, "x", 1) == 1;

	if (fd >= 0)
		close(fd);
	return ok;
}

static void make_file(char *path, const char *directory, const char *name)
{
	char dir[96];

	snprintf(dir, sizeof(dir), "%s/%s", top, directory);
	assert_int_equal(mkdir(dir, 0755), 0);
	snprintf(path, PATH_OCTETS, "%s/%s", dir, name);
}

static int make_directories(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/dcb-test-XXXXXX");
	assert_non_null(mkdtemp(top));
	make_file(state_file, "state", "state");
	make_file(control, "run", "control");
	make_file(conf_file, "conf", "dcbd.conf");
	make_file(outside, "outside", "file");
	make_file(log_file, "log", "log");
	assert_true(write_file(state_file));
	assert_true(write_file(conf_file));
	assert_true(write_file(outside));
	return 0;
}

static int remove_directories(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command);
}

static void use(struct conf *conf)
{
	conf_init(conf);
	conf->role = ROLE_BRIDGE;
	conf->state_file = state_file;
	conf->control_socket = control;
}

/* --- actions ---------------------------------------------------------------------------- */

static int read_only(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool replace(const char *path)
{
	char name[PATH_OCTETS + 8];

	snprintf(name, sizeof(name), "%s.new", path);
	return write_file(name) &&
	       renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_EXCHANGE) == 0 && unlink(name) == 0;
}

static int open_socket(int family)
{
	return socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static bool bind_socket(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = open_socket(AF_UNIX);

	memcpy(addr.sun_path, path, strlen(path) + 1);
	return fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
	       fchownat(AT_FDCWD, path, (uid_t)-1, getgid(), AT_SYMLINK_NOFOLLOW) == 0 &&
	       unlink(path) == 0;
}

/* Returns -1 with errno if the program cannot be started, else its wait status. */
static int start(const char *path)
{
	char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t) "-V", NULL};
	int status = -1;
	pid_t pid;

	errno = posix_spawn(&pid, path, NULL, NULL, argv, environ);
	if (errno == 0 && waitpid(pid, &status, 0) < 0)
		return -1;
	return status;
}

static int in_namespace(void *arg)
{
	(void)arg;
	return 0;
}

static int make_namespace(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	return clone(in_namespace, stack + sizeof(stack), CLONE_NEWUSER | SIGCHLD, NULL);
}

/* --- what no daemon can do -------------------------------------------------------------- */

static int check_refused(void)
{
	char to[PATH_OCTETS + 8];

	CHECK(!(has_files || has_calls) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	CHECK(!has_calls || prctl(PR_GET_SECCOMP) == 2);
	CHECK_REFUSED(has_calls, ptrace(PTRACE_TRACEME, 0, 0, 0), ENOSYS);
	CHECK_REFUSED(has_calls, mount("none", top, "tmpfs", 0, NULL), ENOSYS);
	CHECK_REFUSED(has_calls, unshare(CLONE_NEWUSER), ENOSYS);
	CHECK_REFUSED(has_calls, make_namespace(), ENOSYS);
	CHECK_REFUSED(has_calls, (int)syscall(SYS_keyctl, 0, 0, 0, 0, 0), ENOSYS);
	CHECK_REFUSED(has_calls, (int)syscall(SYS_bpf, 0, NULL, 0), ENOSYS);
	CHECK_REFUSED(has_calls, open_socket(AF_BLUETOOTH), ENOSYS);
	CHECK_REFUSED(has_files, read_only(outside), EACCES);
	CHECK_REFUSED(has_files, open(outside, O_WRONLY | O_CLOEXEC), EACCES);
	snprintf(to, sizeof(to), "%s.new", outside);
	CHECK_REFUSED(has_files, open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), EACCES);
	CHECK(!has_files || unlink(outside) == -1);
	return 0;
}

/* --- dcbd ------------------------------------------------------------------------------- */

static void *in_thread(void *arg)
{
	*(int *)arg = check_refused();
	return NULL;
}

static int check_thread(void)
{
	int failed = 1;
	pthread_t thread;

	errno = pthread_create(&thread, NULL, in_thread, &failed);
	CHECK(errno == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return failed;
}

static int dcbd_works(void)
{
	struct conf conf;
	int directory;

	use(&conf);
	dcbd_confine(&conf, conf_file);
	CHECK(replace(state_file));
	directory = open(top, O_PATH | O_CLOEXEC);
	CHECK(directory >= 0);
	directory = openat(directory, "state", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(directory >= 0 && fsync(directory) == 0);
	CHECK(flock(directory, LOCK_EX | LOCK_NB) == 0);
	CHECK(bind_socket(control));
	CHECK(read_only(conf_file) >= 0);
	CHECK(getpwnam("nobody"));
	CHECK(open_socket(AF_NETLINK) >= 0);
	CHECK(open_socket(AF_PACKET) >= 0 || errno == EPERM);
	return 0;
}

static int dcbd_is_confined(void)
{
	struct conf conf;
	char path[PATH_OCTETS];

	use(&conf);
	dcbd_confine(&conf, conf_file);
	CHECK(check_refused() == 0);
	CHECK(check_thread() == 0);
	CHECK_REFUSED(has_calls, open_socket(AF_INET), ENOSYS);
	CHECK_REFUSED(has_files, open(conf_file, O_WRONLY | O_CLOEXEC), EACCES);
	snprintf(path, sizeof(path), "%s/state/moved", top);
	CHECK(!has_files || rename(conf_file, path) == -1);
	CHECK_REFUSED(has_files, start("/usr/bin/env"), EACCES);
	CHECK_REFUSED(has_files, open("/proc/sys/net/ipv4/ip_forward", O_RDWR | O_CLOEXEC), EACCES);
	return 0;
}

/* dcb-lldp is replaced by an upgrade: rules are for its directory. */
static int dcbd_starts_dcb_lldp(void)
{
	char program[4096], copy[128], command[8192];
	struct conf conf;

	snprintf(program, sizeof(program), "%s/dcb-lldp", getenv("DCB_BUILDDIR"));
	if (access(program, X_OK) < 0) {
		print_message("%s does not exist: not started\n", program);
		return 0;
	}
	snprintf(copy, sizeof(copy), "%s/conf/dcb-lldp", top);
	snprintf(command, sizeof(command), "cp %s %s", program, copy);
	CHECK(system(command) == 0);
	if (start(copy) != 0) {
		print_message("%s cannot be started, as in an emulation\n", copy);
		return has_files || has_calls;
	}
	use(&conf);
	conf.lldp_program = copy;
	conf.state_file = copy; /* the directory in which a file can be renamed */
	dcbd_confine(&conf, conf_file);
	CHECK(start(copy) == 0);
	snprintf(command, sizeof(command), "%s.new", copy);
	CHECK(rename(copy, command) == 0);
	CHECK(start(command) == 0);
	return 0;
}

static int log_is_opened_again(void)
{
	char old[PATH_OCTETS + 8];
	struct conf conf;
	int fd = open(log_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	snprintf(old, sizeof(old), "%s.1", log_file);
	CHECK(fd >= 0 && dup2(fd, STDERR_FILENO) == STDERR_FILENO);
	log_init("test_confine", LOG_LEVEL_ERROR, false);
	use(&conf);
	CHECK(rename(log_file, old) == 0);
	dcbd_confine(&conf, conf_file);
	CHECK(log_reopen());
	log_error("test", "a line");
	CHECK(access(log_file, F_OK) == 0);
	CHECK(has_files == (read_only(log_file) < 0));
	return 0;
}

static int station_writes_settings_of_interfaces(void)
{
	static const char path[] = "/proc/sys/net/ipv4/conf/lo/rp_filter";
	bool may_write = access(path, W_OK) == 0;
	struct conf conf;

	use(&conf);
	conf.role = ROLE_STATION;
	dcbd_confine(&conf, conf_file);
	CHECK(open(path, O_WRONLY | O_CLOEXEC) >= 0 || !may_write);
	CHECK(check_refused() == 0);
	return 0;
}

static int without_lldp_no_program_is_started(void)
{
	struct conf conf;

	use(&conf);
	conf.lldp_enable = false;
	dcbd_confine(&conf, conf_file);
	CHECK_REFUSED(has_files, start("/usr/bin/env"), EACCES);
	return 0;
}

/* --- dcb-lldp, dcb-agentx and dcb-exporter ---------------------------------------------- */

static int check_starts_no_program(void)
{
	char *const argv[] = {(char *)(uintptr_t) "env", NULL};

	CHECK_REFUSED(has_calls, execve("/usr/bin/env", argv, environ), ENOSYS);
	CHECK_REFUSED(has_files, read_only("/usr/bin/env"), EACCES);
	return 0;
}

/* As lldp_client_sendv does. */
static bool makes_aio_context(void)
{
	aio_context_t context = 0;

	return syscall(SYS_io_setup, 1, &context) == 0 && syscall(SYS_io_destroy, context) == 0;
}

/* In the filter of dcbd, which starts it. */
static int dcb_lldp_is_confined(void)
{
	bool has_aio = makes_aio_context(); /* not in every emulation */
	struct conf conf;

	use(&conf);
	dcbd_confine(&conf, conf_file);
	lldp_confine();
	CHECK(check_refused() == 0);
	CHECK(check_starts_no_program() == 0);
	CHECK(inotify_init1(IN_CLOEXEC) >= 0);
	CHECK(makes_aio_context() == has_aio);
	CHECK(open_socket(AF_UNIX) >= 0);
	CHECK_REFUSED(has_calls, open_socket(AF_NETLINK), ENOSYS);
	CHECK_REFUSED(has_files, read_only("/etc/passwd"), EACCES);
	CHECK_REFUSED(has_files, read_only(state_file), EACCES);
	return 0;
}

static int dcb_agentx_is_confined(void)
{
	agentx_confine(NULL);
	CHECK(check_refused() == 0);
	CHECK(check_starts_no_program() == 0);
	CHECK(open_socket(AF_UNIX) >= 0);
	CHECK_REFUSED(has_calls, open_socket(AF_INET), ENOSYS);
	CHECK_REFUSED(has_calls, open_socket(AF_PACKET), ENOSYS);
	CHECK_REFUSED(has_files, read_only("/etc/passwd"), EACCES);
	return 0;
}

static int dcb_agentx_resolves_a_master_on_tcp(void)
{
	const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;

	agentx_confine("tcp:localhost:705");
	CHECK(check_refused() == 0);
	CHECK(check_starts_no_program() == 0);
	CHECK(getaddrinfo("127.0.0.1", "705", &hints, &list) == 0);
	freeaddrinfo(list);
	CHECK(read_only("/etc/passwd") >= 0);
	CHECK(open_socket(AF_INET) >= 0);
	CHECK_REFUSED(has_calls, open_socket(AF_PACKET), ENOSYS);
	return 0;
}

static int dcb_exporter_is_confined(void)
{
	exporter_confine();
	CHECK(check_refused() == 0);
	CHECK(check_starts_no_program() == 0);
	CHECK(open_socket(AF_UNIX) >= 0);
	CHECK_REFUSED(has_calls, open_socket(AF_INET), ENOSYS);
	CHECK_REFUSED(has_calls, open_socket(AF_INET6), ENOSYS);
	CHECK_REFUSED(has_files, read_only("/etc/passwd"), EACCES);
	return 0;
}

#define TEST(name)                            \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		run(name);                    \
	}
TEST(dcbd_works)
TEST(dcbd_is_confined)
TEST(dcbd_starts_dcb_lldp)
TEST(log_is_opened_again)
TEST(station_writes_settings_of_interfaces)
TEST(without_lldp_no_program_is_started)
TEST(dcb_lldp_is_confined)
TEST(dcb_agentx_is_confined)
TEST(dcb_agentx_resolves_a_master_on_tcp)
TEST(dcb_exporter_is_confined)

/* A process that is not confined does all of it: the tests above notice if it is not refused. */
static int unconfined(void)
{
	CHECK(read_only(outside) >= 0);
	CHECK(open_socket(AF_INET) >= 0);
	CHECK(start("/usr/bin/env") >= 0);
	return 0;
}
TEST(unconfined)

static bool has(const char *what, const char *missing, bool kernel)
{
	if (missing)
		print_message("%s: %s\n", what, missing);
	else if (!kernel)
		print_message("%s: this kernel has none\n", what);
	return !missing && kernel;
}

#define CASE(name) \
	cmocka_unit_test_setup_teardown(test_##name, make_directories, remove_directories)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    CASE(unconfined),
	    CASE(dcbd_works),
	    CASE(dcbd_is_confined),
	    CASE(dcbd_starts_dcb_lldp),
	    CASE(log_is_opened_again),
	    CASE(station_writes_settings_of_interfaces),
	    CASE(without_lldp_no_program_is_started),
	    CASE(dcb_lldp_is_confined),
	    CASE(dcb_agentx_is_confined),
	    CASE(dcb_agentx_resolves_a_master_on_tcp),
	    CASE(dcb_exporter_is_confined),
	};
	long version =
	    syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	log_init("test_confine", LOG_LEVEL_ERROR, false);
	has_files = has("Landlock", confine_files_missing(), version >= 1);
	has_calls = has("seccomp", confine_calls_missing(), prctl(PR_GET_SECCOMP) >= 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
