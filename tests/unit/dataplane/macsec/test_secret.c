/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for keys. */
#include "dataplane/macsec/sak.h"
#include "dataplane/macsec/secret.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the exit status of a child process that calls the function. */
static int in_child(bool (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(body() ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* As a library that looks up users can do. */
static bool is_unlocked_after_libcrypto(void)
{
	uint8_t key[SAK_OCTETS_MAX] = {0}, digest[SAK_DIGEST_OCTETS];

	return sak_digest(MACSEC_GCM_AES_128, key, digest) && secret_init() == SECRET_UNLOCKED &&
	       secret_init() == SECRET_UNLOCKED;
}

/* Its own allocations stay in ordinary memory then, with the round keys. Before secret_init(). */
static void test_libcrypto_that_was_used_before_is_reported(void **state)
{
	(void)state;
	assert_int_equal(in_child(is_unlocked_after_libcrypto), 0);
}

/* Before secret_init() there is no memory for keys, instead of ordinary memory. */
static void test_needs_its_heap(void **state)
{
	(void)state;
	assert_null(secret_alloc(16));
	assert_int_not_equal(secret_init(), SECRET_FAILED);
	assert_int_equal(secret_init(), secret_init());
}

static void test_memory_is_zero_and_of_the_heap(void **state)
{
	uint8_t ordinary[16], *p = secret_alloc(1000), *again;

	(void)state;
	assert_non_null(p);
	assert_true(secret_has(p));
	assert_false(secret_has(ordinary));
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(p[i], 0);
	memset(p, 0x5a, 1000);
	secret_free(p, 1000);
	secret_free(NULL, 10);
	again = secret_alloc(1000);
	assert_non_null(again);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(again[i], 0);
	secret_free(again, 1000);
}

static void test_full_heap_returns_none(void **state)
{
	void *half = secret_alloc(SECRET_OCTETS / 2);

	(void)state;
	assert_non_null(half);
	assert_null(secret_alloc(SECRET_OCTETS));
	assert_null(secret_alloc(SECRET_OCTETS / 2 + 1));
	secret_free(half, SECRET_OCTETS / 2);
}

/* Returns the line of /proc/self/smaps with the flags of the mapping that has p. */
static bool mapping_flags(const void *p, char flags[256])
{
	FILE *f = fopen("/proc/self/smaps", "re");
	unsigned long from, to;
	bool inside = false;
	char line[1024];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = from <= (unsigned long)p && (unsigned long)p < to;
		if (inside && strncmp(line, "VmFlags:", 8) == 0) {
			snprintf(flags, 256, "%.200s", line);
			fclose(f);
			return true;
		}
	}
	fclose(f);
	return false;
}

/* Ends the test where smaps does not have the flag: under qemu-user, which ignores madvise(). */
static void need_flags(void)
{
	size_t octets = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char flags[256] = "";
	bool has;

	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(madvise(page, octets, MADV_DONTDUMP), 0);
	has = mapping_flags(page, flags) && strstr(flags, " dd");
	munmap(page, octets);
	if (!has) {
		print_message("/proc/self/smaps does not show MADV_DONTDUMP\n");
		skip();
	}
}

/* dd: not in core files; lo: locked, if RLIMIT_MEMLOCK allows it. */
static void test_heap_is_not_dumped(void **state)
{
	void *p = secret_alloc(100);
	char flags[256];

	(void)state;
	need_flags();
	assert_non_null(p);
	assert_true(mapping_flags(p, flags));
	assert_non_null(strstr(flags, " dd"));
	if (secret_init() == SECRET_LOCKED)
		assert_non_null(strstr(flags, " lo"));
	secret_free(p, 100);
}

static bool has_no_core(void)
{
	struct rlimit limit;

	return secret_no_core() && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	       getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0;
}

static void test_process_without_core(void **state)
{
	(void)state;
	assert_int_equal(in_child(has_no_core), 0);
}

static void test_wipes_other_memory(void **state)
{
	uint8_t key[32];

	(void)state;
	memset(key, 0x5a, sizeof(key));
	secret_wipe(key, sizeof(key));
	for (unsigned i = 0; i < sizeof(key); i++)
		assert_int_equal(key[i], 0);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_libcrypto_that_was_used_before_is_reported),
	    cmocka_unit_test(test_needs_its_heap),
	    cmocka_unit_test(test_memory_is_zero_and_of_the_heap),
	    cmocka_unit_test(test_full_heap_returns_none),
	    cmocka_unit_test(test_heap_is_not_dumped),
	    cmocka_unit_test(test_process_without_core),
	    cmocka_unit_test(test_wipes_other_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
