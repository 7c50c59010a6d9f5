/* SPDX-License-Identifier: BSD-3-Clause */
/* The operator's settings of an interface are restored, also after a process that was killed. */
#include "dataplane/netio/netio_kept.h"
#include "dataplane/netio/netio_host_off.h"

#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/dataplane/netio/veth_lab.h"

#define RP_FILTER "/proc/sys/net/ipv4/conf/near/rp_filter"

static char directory[] = "/tmp/test_netio_kept.XXXXXX", control[64], path[128];

static void find_path(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	snprintf(path, sizeof(path), "%s/interface-%llu-%u", directory,
		 (unsigned long long)st.st_ino, if_nametoindex("near"));
}

static unsigned n_files(void)
{
	DIR *dir = opendir(directory);
	unsigned n = 0;

	assert_non_null(dir);
	for (const struct dirent *e; (e = readdir(dir));)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void write_text(const char *file, const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static uint32_t gro(uint32_t cmd, uint32_t data)
{
	struct ethtool_value value = {.cmd = cmd, .data = data};
	struct ifreq ifr = {.ifr_name = "near", .ifr_data = (char *)&value};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_int_equal(ioctl(fd, SIOCETHTOOL, &ifr), 0);
	close(fd);
	return value.data;
}

static char rp_filter(void)
{
	FILE *f = fopen(RP_FILTER, "r");
	int digit = f ? fgetc(f) : 0;

	if (f)
		fclose(f);
	return (char)digit;
}

/* A process that has the interface, without nf_tables, and is killed. */
static void run_and_kill(void)
{
	int ready[2];
	pid_t pid;
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct netio_host_off q;

		if (!open_end("near"))
			_exit(1);
		netio_host_off_begin(&q, if_nametoindex("near"));
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int setup(void **state)
{
	(void)state;
	(void)gro(ETHTOOL_SGRO, 1);
	if (access(RP_FILTER, W_OK) == 0)
		write_text(RP_FILTER, "0");
	netio_kept_in_directory_of(control);
	return 0;
}

static void test_settings_of_a_killed_process_are_restored(void **state)
{
	bool ip = access(RP_FILTER, W_OK) == 0;
	struct netio *io;

	(void)state;
	for (int i = 0; i < 2; i++) {
		run_and_kill();
		assert_int_equal(gro(ETHTOOL_GGRO, 0), 0);
		assert_true(!ip || rp_filter() == '1');
		assert_int_equal(n_files(), 1);
	}
	io = open_end("near");
	/* This process has nf_tables, or sets it itself. */
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 0);
	io->ops->close(io);
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 1);
	assert_true(!ip || rp_filter() == '0');
	assert_int_equal(n_files(), 0);
}

static void test_inherited_settings_are_kept_until_the_last_close(void **state)
{
	struct netio *first, *second;

	(void)state;
	run_and_kill();
	first = open_end("near");
	second = open_end("near");
	netio_packet_inherit(second, first);
	first->ops->close(first);
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 0);
	assert_int_equal(n_files(), 1);
	second->ops->close(second);
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 1);
	assert_int_equal(n_files(), 0);
}

static void test_setting_made_after_the_kill_counts(void **state)
{
	struct netio_host_off q;
	struct netio *io;

	(void)state;
	if (access(RP_FILTER, W_OK) != 0) {
		print_message("not tested: %s: %s\n", RP_FILTER, strerror(errno));
		return;
	}
	run_and_kill();
	write_text(RP_FILTER, "2");
	netio_host_off_begin(&q, if_nametoindex("near"));
	assert_int_equal(rp_filter(), '1');
	netio_host_off_end(&q);
	assert_int_equal(rp_filter(), '2');
	io = open_end("near");
	io->ops->close(io);
	assert_int_equal(rp_filter(), '2');
	assert_int_equal(n_files(), 0);
}

/* The next run has nf_tables, and needs no setting of IP. */
static void test_unused_settings_are_restored_unless_changed(void **state)
{
	(void)state;
	if (access(RP_FILTER, W_OK) != 0) {
		print_message("not tested: %s: %s\n", RP_FILTER, strerror(errno));
		return;
	}
	run_and_kill();
	write_text(RP_FILTER, "2");
	netio_host_off_undo(if_nametoindex("near"));
	assert_int_equal(rp_filter(), '2');
	netio_kept_in_directory_of(control); /* another process */
	run_and_kill();
	assert_int_equal(rp_filter(), '1');
	netio_host_off_undo(if_nametoindex("near"));
	assert_int_equal(rp_filter(), '2');
}

/* An ifIndex that another interface has now; a file with an error. */
static void test_other_files_are_not_used(void **state)
{
	static const char *const texts[] = {
	    "name other\nmac 02:00:00:00:00:77\ngro 1\n",
	    "",
	    "name near\n",
	    "name near\nmac 02:00:00:00:00:77\ngro 1\nunknown 1\n",
	    "name near\nmac 02:00:00:00:00:77\ngro 3\n",
	    "name near\nmac 02:00:00:00:00:77\ngro 11\n",
	    "name near\nmac 02:00:00:00:00:77\ngro 1 1\n",
	    "name a-name-that-is-too-long\nmac 02:00:00:00:00:77\ngro 1\n",
	};
	char text[600] = "name near\nmac 02:00:00:00:00:77\ngro 1\n";
	struct netio *io;

	(void)state;
	for (unsigned i = 0; i <= sizeof(texts) / sizeof(texts[0]); i++) {
		(void)gro(ETHTOOL_SGRO, 0);
		if (i == sizeof(texts) / sizeof(texts[0]))
			memset(text + strlen(text), '\n', sizeof(text) - strlen(text) - 1);
		write_text(path, i < sizeof(texts) / sizeof(texts[0]) ? texts[i] : text);
		io = open_end("near");
		io->ops->close(io);
		assert_int_equal(gro(ETHTOOL_GGRO, 0), 0);
		assert_int_equal(n_files(), 0);
	}
	/* The same file, right: another address, the same name. */
	write_text(path, "name near\nmac 02:00:00:00:00:77\ngro 1\n");
	io = open_end("near");
	io->ops->close(io);
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 1);
	assert_int_equal(n_files(), 0);
}

/* Without a directory to write in, the values are those of this process. */
static void test_missing_directory_is_no_error(void **state)
{
	struct netio *io;

	(void)state;
	netio_kept_in_directory_of("/tmp/test_netio_kept/missing/control");
	io = open_end("near");
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 0);
	io->ops->close(io);
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 1);
	netio_kept_in_directory_of(NULL);
	io = open_end("near");
	io->ops->close(io);
	assert_int_equal(gro(ETHTOOL_GGRO, 0), 1);
	assert_int_equal(n_files(), 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_settings_of_a_killed_process_are_restored, setup),
	    cmocka_unit_test_setup(test_inherited_settings_are_kept_until_the_last_close, setup),
	    cmocka_unit_test_setup(test_setting_made_after_the_kill_counts, setup),
	    cmocka_unit_test_setup(test_unused_settings_are_restored_unless_changed, setup),
	    cmocka_unit_test_setup(test_other_files_are_not_used, setup),
	    cmocka_unit_test_setup(test_missing_directory_is_no_error, setup),
	};
	int failed;

	if (!own_netns_with_veth())
		return EXIT_SKIP;
	command(
	    "ip link add near type veth peer name far && ip link set near up && ip link set far "
	    "up");
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(control, sizeof(control), "%s/control", directory);
	find_path();
	failed = cmocka_run_group_tests_name("netio_kept", tests, NULL, NULL);
	(void)unlink(path);
	(void)rmdir(directory);
	return failed;
}
