/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/secret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <openssl/crypto.h>

#define MIN_OCTETS 32 /* smallest allocation of the heap: the next power of two of each */

/* --- libcrypto's allocations ----------------------------------------------------------------- */

static _Thread_local bool is_in_heap;

void secret_in_heap(bool in_heap)
{
	is_in_heap = in_heap && CRYPTO_secure_malloc_initialized();
}

static void *allocate(size_t octets, const char *file, int line)
{
	return is_in_heap ? CRYPTO_secure_malloc(octets, file, line) : malloc(octets);
}

static void release(void *p, const char *file, int line)
{
	if (secret_has(p))
		CRYPTO_secure_clear_free(p, CRYPTO_secure_actual_size(p), file, line);
	else
		free(p);
}

/* The blocks of the heap are powers of two: often there is room. */
static void *resize(void *p, size_t octets, const char *file, int line)
{
	size_t had = secret_has(p) ? CRYPTO_secure_actual_size(p) : 0;
	void *moved;

	if (!had)
		return realloc(p, octets);
	if (octets <= had)
		return p;
	moved = CRYPTO_secure_malloc(octets, file, line);
	if (moved) {
		memcpy(moved, p, had);
		release(p, file, line);
	}
	return moved;
}

/* --- the heap -------------------------------------------------------------------------------- */

enum secret_heap secret_init(void)
{
	static enum secret_heap heap = SECRET_FAILED;
	bool own;

	if (CRYPTO_secure_malloc_initialized())
		return heap;
	own = CRYPTO_set_mem_functions(allocate, resize, release) == 1;
	errno = ENOMEM;
	switch (CRYPTO_secure_malloc_init(SECRET_OCTETS, MIN_OCTETS)) {
	case 1:
		heap = own ? SECRET_LOCKED : SECRET_UNLOCKED;
		break;
	case 2:
		heap = SECRET_UNLOCKED;
		break;
	default:
		heap = SECRET_FAILED;
	}
	return heap;
}

bool secret_no_core(void)
{
	const struct rlimit none = {0, 0};

	/* A service manager may have forbidden this one; the other one suffices. */
	(void)setrlimit(RLIMIT_CORE, &none);
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

void *secret_alloc(size_t octets)
{
	/* Without its heap, libcrypto would return ordinary memory. */
	return CRYPTO_secure_malloc_initialized() ? OPENSSL_secure_zalloc(octets) : NULL;
}

void secret_free(void *p, size_t octets)
{
	OPENSSL_secure_clear_free(p, octets);
}

bool secret_has(const void *p)
{
	return CRYPTO_secure_malloc_initialized() && CRYPTO_secure_allocated(p);
}

void secret_wipe(void *p, size_t octets)
{
	OPENSSL_cleanse(p, octets);
}
