/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for keys, by libcrypto's secure heap: locked, so that it is not written to swap space,
 * left out of core files, between pages without access, and overwritten when it is freed.
 *
 * Keys and what libcrypto makes of them are in it (secret_in_heap()). dcbd is linked with -z now,
 * because the dynamic linker would save registers with round keys on the stack.
 */
#ifndef DCB_MACSEC_SECRET_H
#define DCB_MACSEC_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* Of the heap: the most that all keys, their contexts in libcrypto, and a key file can use. */
#define SECRET_OCTETS (1024 * 1024)

enum secret_heap {
	SECRET_FAILED, /* errno says why; secret_alloc() returns NULL */
	/*
	 * Usable; RLIMIT_MEMLOCK does not allow to lock it, or libcrypto was used before, and
	 * has ordinary memory for its contexts of keys.
	 */
	SECRET_UNLOCKED,
	SECRET_LOCKED,
};

/*
 * Makes the heap, once: later calls return the same. At the start, before other threads and before
 * other uses of libcrypto: the memory that libcrypto allocates for keys is then in the heap too.
 */
enum secret_heap secret_init(void);

/*
 * Has libcrypto allocate memory in the heap from now on, in this thread, or in ordinary
 * memory again. Without room in the heap it fails.
 */
void secret_in_heap(bool in_heap);

/*
 * Excludes the process from core files, and others of its user from its memory: prctl(2)
 * PR_SET_DUMPABLE; RLIMIT_CORE 0 if that is permitted. A change of the user needs another call.
 * Returns false with errno.
 */
bool secret_no_core(void);

/* Returns octets that are 0; NULL: too many for the heap, or there is none. */
void *secret_alloc(size_t octets);
/* Overwrites and frees memory of secret_alloc() of this size; NULL is allowed. */
void secret_free(void *p, size_t octets);
/* Returns whether p is in the heap. */
bool secret_has(const void *p);
/* Overwrites other memory that had a key; the compiler does not remove this. */
void secret_wipe(void *p, size_t octets);

#endif
