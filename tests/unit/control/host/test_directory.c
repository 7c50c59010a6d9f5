/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbd makes the directories of its files, and leaves files and directories of others alone. */
#include "control/host/directory.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char top[64], file[96], err[512];

static int make_top(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/dcb-test-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	snprintf(file, sizeof(file), "%s/file", top);
	err[0] = '\0';
	return 0;
}

static int remove_top(void **state)
{
	(void)state;
	return rmdir(top);
}

static struct stat status_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

/* Asserts that the file is refused for the types but its own, and is named. */
static void assert_place(mode_t own, const char *name)
{
	char wanted[256];

	for (int i = 0; i < 2; i++) {
		mode_t type = i ? S_IFSOCK : S_IFREG;
		const char *expected = i ? "a socket" : "a regular file";

		if (own == type) {
			assert_true(directory_has_place(file, "key", type, err, sizeof(err)));
			continue;
		}
		assert_false(directory_has_place(file, "key", type, err, sizeof(err)));
		snprintf(wanted, sizeof(wanted), "key = \"%s\": expected %s or no file, not %s",
			 file, expected, name);
		assert_string_equal(err, wanted);
	}
}

static void bind_file(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(addr.sun_path, file, strlen(file) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);
}

static void test_only_a_file_of_the_type_is_in_its_place(void **state)
{
	FILE *f;

	(void)state;
	assert_true(directory_has_place(file, "key", S_IFREG, err, sizeof(err)));
	assert_true(directory_has_place(file, "key", S_IFSOCK, err, sizeof(err)));
	f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	assert_place(S_IFREG, "a regular file");
	assert_int_equal(unlink(file), 0);
	bind_file();
	assert_place(S_IFSOCK, "a socket");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("/dev/null", file), 0);
	assert_place(S_IFLNK, "a symbolic link");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("nowhere", file), 0);
	assert_place(S_IFLNK, "a symbolic link");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_place(S_IFIFO, "a device or a pipe");
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_place(S_IFDIR, "a directory");
	assert_int_equal(rmdir(file), 0);
}

/* Also one that a link in its place leads to. As root the owner would be another user. */
static void test_existing_directory_is_not_changed(void **state)
{
	struct passwd *other = getpwnam("nobody");
	struct stat before = status_of(top), after;
	char link[128], in_link[160];

	(void)state;
	assert_non_null(other);
	assert_true(directory_make(file, other->pw_name, err, sizeof(err)));
	after = status_of(top);
	assert_int_equal(after.st_uid, before.st_uid);
	assert_int_equal(after.st_gid, before.st_gid);
	assert_int_equal(after.st_mode, before.st_mode);
	snprintf(link, sizeof(link), "%s/link", top);
	snprintf(in_link, sizeof(in_link), "%s/state", link);
	assert_int_equal(symlink(top, link), 0);
	assert_true(directory_make(in_link, other->pw_name, err, sizeof(err)));
	after = status_of(top);
	assert_int_equal(after.st_uid, before.st_uid);
	assert_int_equal(unlink(link), 0);
}

static void test_new_directory_belongs_to_the_user(void **state)
{
	struct passwd *other = getpwnam("nobody");
	char dir[96], state_file[128];
	struct stat st;

	(void)state;
	assert_non_null(other);
	snprintf(dir, sizeof(dir), "%s/new", top);
	snprintf(state_file, sizeof(state_file), "%s/state", dir);
	assert_true(
	    directory_make(state_file, getuid() == 0 ? other->pw_name : NULL, err, sizeof(err)));
	st = status_of(dir);
	assert_int_equal(st.st_uid, getuid() == 0 ? other->pw_uid : getuid());
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(rmdir(dir), 0);
	/* Only the last directory of a path is made. */
	snprintf(state_file, sizeof(state_file), "%s/no/such/state", top);
	assert_false(directory_make(state_file, NULL, err, sizeof(err)));
	assert_non_null(strstr(err, "/no/such: cannot create the directory: No such file"));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_only_a_file_of_the_type_is_in_its_place, make_top,
					    remove_top),
	    cmocka_unit_test_setup_teardown(test_existing_directory_is_not_changed, make_top,
					    remove_top),
	    cmocka_unit_test_setup_teardown(test_new_directory_belongs_to_the_user, make_top,
					    remove_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
