/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for keys, by libcrypto's secure heap: locked, so that it is not written to swap space,
 * left out of core files, between pages without access, and overwritten when it is freed.
 */
#ifndef DCB_MACSEC_SECRET_H
#define DCB_MACSEC_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#define SECRET_OCTETS (512 * 1024) /* of the heap: the most that all keys and key files can use */

enum secret_heap {
	SECRET_FAILED,   /* errno says why; secret_alloc() returns NULL */
	SECRET_UNLOCKED, /* usable; RLIMIT_MEMLOCK does not allow to lock it */
	SECRET_LOCKED,
};

/* Makes the heap, once: later calls return the same. At the start, before other threads. */
enum secret_heap secret_init(void);

/*
 * Excludes the process from core files, and others of its user from its memory: prctl(2)
 * PR_SET_DUMPABLE, and RLIMIT_CORE 0. The expanded keys of sak.h are in ordinary memory.
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
