/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may read and write a key file of MACsec. */
#include "control/conf/conf_macsec.h"
#include "dataplane/macsec/secret.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char file[] = "/tmp/test_conf_macsec_access.XXXXXX";
static char err[512];

/* A user who is neither root nor the one of the test; 0: the file's own. */
static uid_t other_owner;

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

int __wrap_fstat(int fd, struct stat *st)
{
	int rc = __real_fstat(fd, st);

	if (other_owner)
		st->st_uid = other_owner;
	return rc;
}

/* What fgetxattr() returns; 0: the file has no access control list. */
static uint8_t acl[512];
static size_t acl_octets;

ssize_t __wrap_fgetxattr(int fd, const char *name, void *value, size_t size);

ssize_t __wrap_fgetxattr(int fd, const char *name, void *value, size_t size)
{
	(void)fd;
	assert_string_equal(name, "system.posix_acl_access");
	errno = acl_octets ? ERANGE : ENODATA;
	if (acl_octets == 0 || acl_octets > size)
		return -1;
	memcpy(value, acl, acl_octets);
	return (ssize_t)acl_octets;
}

static int make_file(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return secret_init() != SECRET_FAILED ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file);
}

static void write_file(const char *octets, size_t len)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(octets, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void test_only_the_owner_may_have_access(void **state)
{
	struct macsec_conf *conf;
	char expected[64];

	(void)state;
	write_file("port a\nmode none\n", 17);
	for (mode_t mode = 0; mode <= 07777; mode++) {
		bool narrow = (mode & 07177) == 0;

		if (!(mode & 0400))
			continue; /* root could read it */
		assert_int_equal(chmod(file, mode), 0);
		conf = conf_macsec_read(file, geteuid(), err, sizeof(err));
		assert_int_equal(conf != NULL, narrow);
		snprintf(expected, sizeof(expected), "expected mode 0600, not %04o", mode);
		if (!narrow)
			assert_non_null(strstr(err, expected));
		conf_macsec_free(conf);
	}
	assert_int_equal(chmod(file, 0600), 0);
}

static bool accepts_for(uid_t user)
{
	struct macsec_conf *conf = conf_macsec_read(file, user, err, sizeof(err));

	conf_macsec_free(conf);
	return conf;
}

/* user is another one than that of the process when root checks what dcbd will read. */
static void test_owner_is_root_or_the_user(void **state)
{
	char expected[64];

	(void)state;
	write_file("port a\nmode none\n", 17);
	other_owner = geteuid() + 77;
	assert_false(accepts_for(geteuid()));
	snprintf(expected, sizeof(expected), "expected root or user %u as owner, not user %u",
		 (unsigned)geteuid(), (unsigned)other_owner);
	assert_non_null(strstr(err, expected));
	assert_true(accepts_for(other_owner));
	assert_false(accepts_for(other_owner + 1));
	other_owner = 0;
	assert_true(accepts_for(geteuid()));
}

/* Adds an entry: 16 bits of tag, 16 of permissions, 32 of the user or group, little endian. */
static void add_to_acl(unsigned tag, unsigned permissions, uint32_t id)
{
	if (acl_octets == 0)
		memcpy(acl, "\2\0\0\0", acl_octets = 4);
	assert_in_range(acl_octets, 4, sizeof(acl) - 8);
	for (unsigned i = 0; i < 2; i++)
		acl[acl_octets++] = (uint8_t)(tag >> 8 * i);
	for (unsigned i = 0; i < 2; i++)
		acl[acl_octets++] = (uint8_t)(permissions >> 8 * i);
	for (unsigned i = 0; i < 4; i++)
		acl[acl_octets++] = (uint8_t)(id >> 8 * i);
}

/* The list of a credential of systemd for user id, with other permissions of group and others. */
static void make_acl(uint32_t id, unsigned group, unsigned others)
{
	acl_octets = 0;
	add_to_acl(0x01, 4, UINT32_MAX); /* owner */
	add_to_acl(0x02, 4, id);
	add_to_acl(0x04, group, UINT32_MAX);
	add_to_acl(0x10, 4, UINT32_MAX); /* mask */
	add_to_acl(0x20, others, UINT32_MAX);
}

static bool accepts_acl_for(uid_t user)
{
	if (accepts_for(user))
		return true;
	assert_non_null(strstr(err, "expected mode 0600, not 0440: others may use"));
	return false;
}

static bool accepts_acl(void)
{
	return accepts_acl_for(geteuid());
}

static void test_access_control_list_may_name_the_user_only(void **state)
{
	(void)state;
	write_file("port a\nmode none\n", 17);
	assert_int_equal(chmod(file, 0440), 0);
	assert_false(accepts_acl());
	make_acl(geteuid(), 0, 0);
	assert_true(accepts_acl());
	make_acl(geteuid() + 1, 0, 0);
	assert_false(accepts_acl());
	assert_true(accepts_acl_for(geteuid() + 1));
	make_acl(geteuid(), 4, 0);
	assert_false(accepts_acl());
	make_acl(geteuid(), 0, 4);
	assert_false(accepts_acl());
	make_acl(geteuid(), 0, 0);
	add_to_acl(0x02, 4, geteuid() + 1);
	assert_false(accepts_acl());
	make_acl(geteuid(), 0, 0);
	add_to_acl(0x02, 0, geteuid() + 1); /* no permission */
	assert_true(accepts_acl());
	add_to_acl(0x08, 4, 0); /* a group */
	assert_false(accepts_acl());
	for (make_acl(geteuid(), 0, 0); acl_octets + 8 <= sizeof(acl);)
		add_to_acl(0x02, 0, 7);
	assert_false(accepts_acl()); /* longer than any that is expected */
	make_acl(geteuid(), 0, 0);
	acl[0] = 1; /* another version */
	assert_false(accepts_acl());
	acl_octets = 3;
	assert_false(accepts_acl());
	/* Others than the group have no list. */
	make_acl(geteuid(), 0, 0);
	assert_int_equal(chmod(file, 0444), 0);
	assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
	acl_octets = 0;
	assert_int_equal(chmod(file, 0600), 0);
}

static void test_other_kinds_of_files_are_refused(void **state)
{
	char path[sizeof(file) + 8];

	(void)state;
	snprintf(path, sizeof(path), "%s.link", file);
	assert_int_equal(symlink(file, path), 0);
	assert_null(conf_macsec_read(path, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "expected a file, not a symbolic link"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(conf_macsec_read(path, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "expected a regular file"));
	assert_int_equal(unlink(path), 0);
	assert_null(conf_macsec_read(path, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, strerror(ENOENT)));
	assert_null(conf_macsec_read("/tmp", geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "expected a regular file"));
}

/* As dcbd -t finds it while the unit is stopped. */
static void test_missing_credential_says_who_makes_it(void **state)
{
	static const char none[] = "/run/credentials/dcb-no-such-unit.service/dcbd.keys";

	(void)state;
	assert_null(conf_macsec_read(none, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "no such file: systemd makes the credentials of a unit"));
	assert_null(conf_macsec_read("/dcb-no-such-file", geteuid(), err, sizeof(err)));
	assert_null(strstr(err, "systemd"));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_only_the_owner_may_have_access),
	    cmocka_unit_test(test_owner_is_root_or_the_user),
	    cmocka_unit_test(test_access_control_list_may_name_the_user_only),
	    cmocka_unit_test(test_missing_credential_says_who_makes_it),
	    cmocka_unit_test(test_other_kinds_of_files_are_refused),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
