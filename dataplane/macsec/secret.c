/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/secret.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <openssl/crypto.h>

#define MIN_OCTETS 32 /* smallest allocation of the heap: the next power of two of each */

enum secret_heap secret_init(void)
{
	static enum secret_heap heap = SECRET_FAILED;

	if (CRYPTO_secure_malloc_initialized())
		return heap;
	errno = ENOMEM;
	switch (CRYPTO_secure_malloc_init(SECRET_OCTETS, MIN_OCTETS)) {
	case 1:
		heap = SECRET_LOCKED;
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

	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
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
