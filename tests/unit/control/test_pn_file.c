/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of packet numbers. */
#include "control/pn_file.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN  UINT64_C(0x0200000000010001)
#define PEER UINT64_C(0x0200000000020001)

static const struct pn_file use = {.own = OWN, .peer = PEER};
static const struct pn_file use_xpn = {.own = OWN, .peer = PEER, .xpn = 1};

static char dir[] = "/tmp/test_pn_file.XXXXXX";
static char path[PATH_MAX], err[512];

static int make_dir(void **state)
{
	uint8_t digest[SAK_DIGEST_OCTETS] = {0xab, 1};
	char state_file[64];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(state_file, sizeof(state_file), "%s/state", dir);
	return pn_file_path(state_file, digest, path, sizeof(path)) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void write_text(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void test_path_has_the_digest(void **state)
{
	uint8_t digest[SAK_DIGEST_OCTETS] = {0};
	char small[40];

	(void)state;
	assert_non_null(strstr(path, "/state.pn-ab010000000000000000000000000000"));
	assert_false(pn_file_path("/var/lib/dcbd/state", digest, small, sizeof(small)));
}

static void test_without_a_file_all_numbers_are_left(void **state)
{
	struct pn_file file;

	(void)state;
	unlink(path);
	assert_true(pn_file_read(path, &use, &file, err, sizeof(err)));
	assert_int_equal(file.next, 1);
	assert_int_equal(file.lowest[0], 1);
	assert_int_equal(file.lowest[1], 1);
}

static void test_numbers_are_read_as_they_were_written(void **state)
{
	static const uint64_t numbers[] = {0, 1, 16777217, UINT64_C(1) << 32, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(numbers); i++) {
		struct pn_file file = {numbers[i], OWN, PEER, i % 3, {7, UINT64_MAX}}, is;
		struct stat st;

		assert_int_equal(pn_file_write(path, &file), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_true(pn_file_read(path, &use, &is, err, sizeof(err)));
		assert_memory_equal(&is, &file, sizeof(is));
	}
}

/* Numbers of the key stay used; frames of another peer have other SCIs. */
static void test_another_peer_starts_with_lowest_1(void **state)
{
	const struct pn_file other = {.own = OWN + 1, .peer = PEER + 1};
	struct pn_file file = {500, OWN, PEER, 0, {7, 8}}, is;

	(void)state;
	assert_int_equal(pn_file_write(path, &file), 0);
	assert_true(pn_file_read(path, &other, &is, err, sizeof(err)));
	assert_int_equal(is.next, 500);
	assert_int_equal(is.own, OWN + 1);
	assert_int_equal(is.peer, PEER + 1);
	assert_int_equal(is.lowest[0], 1);
	assert_int_equal(is.lowest[1], 1);
}

/* With XPN an end has the SSCI that the order of all SCIs gives it: it must not change. */
static void test_other_ssci_is_refused_with_xpn(void **state)
{
	const struct pn_file file = {500, OWN, PEER, 1, {7, 8}};
	const struct pn_file others[] = {
	    {.own = OWN + 1, .peer = PEER, .xpn = 1}, {.own = OWN, .peer = PEER + 1, .xpn = 1},
	    {.own = PEER, .peer = OWN, .xpn = 1},     {.own = OWN, .peer = PEER, .xpn = 2},
	    {.own = OWN, .peer = PEER + 1, .xpn = 0}, /* XPN again would not know the former one */
	};
	struct pn_file is;

	(void)state;
	assert_int_equal(pn_file_write(path, &file), 0);
	for (size_t i = 0; i < UNIT_COUNT(others); i++) {
		assert_false(pn_file_read(path, &others[i], &is, err, sizeof(err)));
		assert_non_null(strstr(err, path));
		assert_non_null(strstr(err, "sci, peer_sci or pfc_channel has changed"));
	}
	assert_true(pn_file_read(path, &use_xpn, &is, err, sizeof(err)));
	assert_memory_equal(&is, &file, sizeof(is));
}

static void test_file_keeps_that_xpn_has_used_the_key(void **state)
{
	struct pn_file file = {500, OWN, PEER, 0, {7, 8}}, is;

	(void)state;
	assert_int_equal(pn_file_write(path, &file), 0);
	assert_true(pn_file_read(path, &use_xpn, &is, err, sizeof(err)));
	assert_int_equal(is.xpn, 1);
	assert_int_equal(is.lowest[0], 7);
	assert_int_equal(pn_file_write(path, &is), 0);
	assert_true(pn_file_read(path, &use, &is, err, sizeof(err)));
	assert_int_equal(is.xpn, 1);
}

/* Each octet in turn: a wrong number would be used again. The file stays as it is. */
static void test_damaged_file_is_refused(void **state)
{
	struct pn_file file = {16777217, OWN, PEER, 0, {7, 8}}, is;
	size_t len = 0;
	char *text = pn_file_text(&file, &len);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i <= len; i++) {
		char copy[PN_FILE_TEXT * 2];

		memcpy(copy, text, len);
		if (i < len)
			copy[i] ^= 1;
		write_text(copy, i < len ? len : len / 2);
		err[0] = '\0';
		assert_false(pn_file_read(path, &use, &is, err, sizeof(err)));
		assert_non_null(strstr(err, path));
		assert_non_null(strstr(err, "damaged: "));
	}
	write_text("", 0);
	assert_false(pn_file_read(path, &use, &is, err, sizeof(err)));
	free(text);
}

static void test_errors_of_the_disk_are_returned(void **state)
{
	struct pn_file file = {1, OWN, PEER, 0, {1, 1}}, is;
	char elsewhere[PATH_MAX];

	(void)state;
	snprintf(elsewhere, sizeof(elsewhere), "%s/none/state.pn", dir);
	assert_int_not_equal(pn_file_write(elsewhere, &file), 0);
	assert_false(pn_file_read(dir, &use, &is, err, sizeof(err)));
	assert_non_null(strstr(err, "Is a directory"));
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_path_has_the_digest),
	    cmocka_unit_test(test_without_a_file_all_numbers_are_left),
	    cmocka_unit_test(test_numbers_are_read_as_they_were_written),
	    cmocka_unit_test(test_another_peer_starts_with_lowest_1),
	    cmocka_unit_test(test_other_ssci_is_refused_with_xpn),
	    cmocka_unit_test(test_file_keeps_that_xpn_has_used_the_key),
	    cmocka_unit_test(test_damaged_file_is_refused),
	    cmocka_unit_test(test_errors_of_the_disk_are_returned),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
