/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/macsec/sak.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "dataplane/macsec/secret.h"
#include "dataplane/macsec/sectag.h"
#include "lib/octets.h"

struct sak {
	EVP_CIPHER_CTX *seal, *open;
	enum macsec_suite suite;
	uint8_t salt[SAK_SALT_OCTETS]; /* XPN only */
};

const struct macsec_suite_info *macsec_suite_info(enum macsec_suite suite)
{
	static const struct macsec_suite_info info[MACSEC_SUITES] = {
	    [MACSEC_GCM_AES_128] = {"GCM-AES-128", UINT64_C(0x0080c20001000001), 16, false},
	    [MACSEC_GCM_AES_256] = {"GCM-AES-256", UINT64_C(0x0080c20001000002), 32, false},
	    [MACSEC_GCM_AES_XPN_128] = {"GCM-AES-XPN-128", UINT64_C(0x0080c20001000003), 16, true},
	    [MACSEC_GCM_AES_XPN_256] = {"GCM-AES-XPN-256", UINT64_C(0x0080c20001000004), 32, true},
	};

	return &info[suite];
}

/* Returns a context with the key; NULL on failure. */
static EVP_CIPHER_CTX *new_context(enum macsec_suite suite, const uint8_t *key, int encrypts)
{
	const char *name =
	    macsec_suite_info(suite)->key_octets == 16 ? "AES-128-GCM" : "AES-256-GCM";
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	EVP_CIPHER_CTX *context;
	bool ok;

	secret_in_heap(true);
	context = EVP_CIPHER_CTX_new();
	ok = cipher && context &&
	     EVP_CipherInit_ex2(context, cipher, key, NULL, encrypts, NULL) == 1 &&
	     EVP_CIPHER_CTX_get_iv_length(context) == SAK_IV_OCTETS;
	secret_in_heap(false);
	if (ok) {
		EVP_CIPHER_free(cipher); /* the context has its own reference */
		return context;
	}
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
	return NULL;
}

struct sak *sak_new(enum macsec_suite suite, const uint8_t *key, const uint8_t *salt)
{
	struct sak *sak = calloc(1, sizeof(*sak));

	if (!sak)
		return NULL;
	sak->suite = suite;
	if (macsec_suite_info(suite)->xpn)
		memcpy(sak->salt, salt, sizeof(sak->salt));
	sak->seal = new_context(suite, key, 1);
	sak->open = new_context(suite, key, 0);
	if (sak->seal && sak->open)
		return sak;
	sak_free(sak);
	return NULL;
}

void sak_free(struct sak *sak)
{
	if (!sak)
		return;
	EVP_CIPHER_CTX_free(sak->seal);
	EVP_CIPHER_CTX_free(sak->open);
	OPENSSL_cleanse(sak, sizeof(*sak));
	free(sak);
}

bool sak_digest(enum macsec_suite suite, const uint8_t *key, uint8_t digest[SAK_DIGEST_OCTETS])
{
	static const char what[] = "dcb-agent packet numbers";
	EVP_MD *sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	uint8_t whole[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *context;
	bool ok;

	secret_in_heap(true);
	context = EVP_MD_CTX_new();
	ok = sha256 && context && EVP_DigestInit_ex(context, sha256, NULL) == 1 &&
	     EVP_DigestUpdate(context, what, sizeof(what)) == 1 &&
	     EVP_DigestUpdate(context, key, macsec_suite_info(suite)->key_octets) == 1 &&
	     EVP_DigestFinal_ex(context, whole, NULL) == 1;
	EVP_MD_CTX_free(context);
	secret_in_heap(false);
	EVP_MD_free(sha256);
	if (ok)
		memcpy(digest, whole, SAK_DIGEST_OCTETS);
	return ok;
}

enum macsec_suite sak_suite(const struct sak *sak)
{
	return sak->suite;
}

void sak_iv(const struct sak *sak, uint64_t sci, uint32_t ssci, uint8_t iv[SAK_IV_OCTETS])
{
	if (!macsec_suite_info(sak->suite)->xpn) {
		put_be64(iv, sci);
		put_be32(iv + 8, 0);
		return;
	}
	memcpy(iv, sak->salt, SAK_IV_OCTETS);
	put_be32(iv, get_be32(sak->salt) ^ ssci);
}

bool sak_seal(struct sak *sak, const uint8_t iv[SAK_IV_OCTETS], const uint8_t *a, uint32_t a_octets,
	      const uint8_t *p, uint32_t len, uint8_t *out, uint8_t *icv)
{
	EVP_CIPHER_CTX *c = sak->seal;
	uint8_t rest[SAK_IV_OCTETS]; /* GCM leaves none */
	int n;

	return EVP_EncryptInit_ex(c, NULL, NULL, NULL, iv) == 1 &&
	       EVP_EncryptUpdate(c, NULL, &n, a, (int)a_octets) == 1 &&
	       (len == 0 || EVP_EncryptUpdate(c, out, &n, p, (int)len) == 1) &&
	       EVP_EncryptFinal_ex(c, rest, &n) == 1 &&
	       EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, SECTAG_ICV_OCTETS, icv) == 1;
}

bool sak_open(struct sak *sak, const uint8_t iv[SAK_IV_OCTETS], const uint8_t *a, uint32_t a_octets,
	      uint8_t *c, uint32_t len, const uint8_t *icv)
{
	EVP_CIPHER_CTX *context = sak->open;
	uint8_t rest[SAK_IV_OCTETS], expected[SECTAG_ICV_OCTETS]; /* the parameter is not const */
	int n;

	memcpy(expected, icv, sizeof(expected));
	return EVP_DecryptInit_ex(context, NULL, NULL, NULL, iv) == 1 &&
	       EVP_DecryptUpdate(context, NULL, &n, a, (int)a_octets) == 1 &&
	       (len == 0 || EVP_DecryptUpdate(context, c, &n, c, (int)len) == 1) &&
	       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, SECTAG_ICV_OCTETS, expected) ==
		   1 &&
	       EVP_DecryptFinal_ex(context, rest, &n) == 1;
}
