/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Secure Association Keys and the cipher suites of IEEE Std 802.1AE clause 14, by libcrypto
 * (OpenSSL 3). The contexts of both directions are made with the key: sealing and opening
 * a frame allocate no memory.
 *
 * Peculiarities of libcrypto:
 *  - A context holds the expanded key, whose first octets are the key. It is in the heap of
 *    secret.h if that was made before any other use of libcrypto, else in ordinary memory, and
 *    overwritten when it is freed.
 *  - A context is for one thread at a time.
 *  - EVP_DecryptUpdate() writes the plaintext before the ICV is checked.
 */
#ifndef DCB_MACSEC_SAK_H
#define DCB_MACSEC_SAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAK_OCTETS_MAX  32
#define SAK_SALT_OCTETS 12
#define SAK_IV_OCTETS   12

/* Table 14-1, in its order. */
enum macsec_suite {
	MACSEC_GCM_AES_128,
	MACSEC_GCM_AES_256,
	MACSEC_GCM_AES_XPN_128, /* XPN: packet numbers of 64 bits */
	MACSEC_GCM_AES_XPN_256,
	MACSEC_SUITES
};

struct macsec_suite_info {
	const char *name; /* as in table 14-1 */
	uint64_t id;      /* the Cipher Suite Identifier, an EUI-64 */
	uint8_t key_octets;
	bool xpn;
};

/* Returns the properties of a cipher suite below MACSEC_SUITES. */
const struct macsec_suite_info *macsec_suite_info(enum macsec_suite suite);

struct sak; /* a key that is installed */

/*
 * Installs a key of key_octets of the suite. salt: SAK_SALT_OCTETS, NULL for a suite without
 * XPN. Copies neither into its own memory. Returns NULL if memory runs out or libcrypto
 * refuses the cipher. Allocates: not for the dataplane thread.
 */
struct sak *sak_new(enum macsec_suite suite, const uint8_t *key, const uint8_t *salt);
/* Overwrites and frees the key; NULL is allowed. */
void sak_free(struct sak *sak);

/*
 * Sets a digest that identifies a key and does not disclose it, if it is random: SHA-256 of a
 * text and the key, cut. Returns false if libcrypto fails.
 */
#define SAK_DIGEST_OCTETS 16
bool sak_digest(enum macsec_suite suite, const uint8_t *key, uint8_t digest[SAK_DIGEST_OCTETS]);

enum macsec_suite sak_suite(const struct sak *sak);

/*
 * Sets the IV of packet number 0: that of number PN is the same with PN added by exclusive
 * or to the last 64 bits. sci: of the transmitter; ssci: its Short SCI, XPN only. 14.5 to 14.8.
 */
void sak_iv(const struct sak *sak, uint64_t sci, uint32_t ssci, uint8_t iv[SAK_IV_OCTETS]);

/*
 * Protects a frame: A, a_octets of it, is only authenticated; len octets of P, which may be
 * none, are encrypted to out, which is P or does not overlap it. Writes the ICV of 16 octets.
 * Returns false if libcrypto fails.
 */
bool sak_seal(struct sak *sak, const uint8_t iv[SAK_IV_OCTETS], const uint8_t *a, uint32_t a_octets,
	      const uint8_t *p, uint32_t len, uint8_t *out, uint8_t *icv);

/* Validates a frame likewise, and decrypts C in place. Returns whether the ICV is valid. */
bool sak_open(struct sak *sak, const uint8_t iv[SAK_IV_OCTETS], const uint8_t *a, uint32_t a_octets,
	      uint8_t *c, uint32_t len, const uint8_t *icv);

#endif
