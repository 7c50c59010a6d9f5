/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures protection and validation of frames by the SecY, and libcrypto alone in the same run:
 * "message" protects the same octets with an IV for each frame, as the SecY does; "stream" encrypts
 * frames as parts of one message, as "openssl speed -evp aes-128-gcm" does. Prints millions of
 * octets of frames a second of processor time.
 *
 *   bench_macsec [SECONDS]
 *
 * All operations run in turn in each repetition; prints medians.
 */
#include "dataplane/macsec/secy.h"
#include "tests/bench/interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#define REPETITIONS 9
#define ROUND       64 /* frames between clock reads */
#define FRAME_MAX   1514
#define ROOM        (SECY_HEADROOM + FRAME_MAX + SECY_TAILROOM)
#define SCI_PEER    UINT64_C(0x0200000000010001)
#define SCI_OWN     UINT64_C(0x0200000000020001)

static const uint32_t sizes[] = {60, 508, FRAME_MAX}; /* without FCS */
static const struct dcb_time start;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct bench {
	uint32_t len;
	struct sak *sak;
	EVP_CIPHER_CTX *stream;
	struct secy sender, receiver;
	uint8_t room[ROUND][ROOM];
	struct secy_frame out[ROUND];
};

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_macsec: %s\n", what);
	exit(1);
}

static double cpu_s(void)
{
	return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

/* --- operations: one ROUND each ------------------------------------------------------------- */

static void protect_round(struct bench *b)
{
	for (unsigned i = 0; i < ROUND; i++) {
		if (secy_protect(&b->sender, 0, b->room[i] + SECY_HEADROOM, b->len, b->room[i],
				 &b->out[i]) != SECY_TX_SEND)
			die("secy_protect() fails");
	}
}

/* Validates frames that prepare_validation() has protected. */
static void validate_round(struct bench *b)
{
	struct secy_frame got;
	bool valid;

	for (unsigned i = 0; i < ROUND; i++) {
		if (secy_validate(&b->receiver, b->out[i].octets, b->out[i].len, &got, &valid) !=
			SECY_RX_DELIVER ||
		    !valid)
			die("secy_validate() fails");
	}
}

/* What the SecY asks of libcrypto for the same frames. */
static void message_round(struct bench *b)
{
	uint32_t head = SECTAG_ADDRESSES + SECTAG_OCTETS, data_octets = b->len - SECTAG_ADDRESSES;
	uint32_t clear = b->sender.config.confidentiality ? 0 : data_octets;
	uint8_t iv[SAK_IV_OCTETS] = {0}, icv[SECTAG_ICV_OCTETS];

	for (unsigned i = 0; i < ROUND; i++) {
		uint8_t *data = b->room[i] + head + clear;

		iv[0] = (uint8_t)i;
		if (!sak_seal(b->sak, iv, b->room[i], head + clear, data, data_octets - clear, data,
			      icv))
			die("sak_seal() fails");
	}
}

static void stream_round(struct bench *b)
{
	int n;

	for (unsigned i = 0; i < ROUND; i++) {
		uint8_t *data = b->room[i] + SECY_HEADROOM;

		if (EVP_EncryptUpdate(b->stream, data, &n, data, (int)b->len) != 1)
			die("EVP_EncryptUpdate() fails");
	}
}

/* --- measuring ------------------------------------------------------------------------------- */

static void prepare_validation(struct bench *b)
{
	protect_round(b);
}

static void prepare_nothing(struct bench *b)
{
	(void)b;
}

enum { PROTECT, VALIDATE, MESSAGE, STREAM };

static const struct {
	const char *name;
	void (*prepare)(struct bench *b); /* before each round, not measured */
	void (*round)(struct bench *b);
} operations[] = {
    [PROTECT] = {"protect", prepare_nothing, protect_round},
    [VALIDATE] = {"validate", prepare_validation, validate_round},
    [MESSAGE] = {"message", prepare_nothing, message_round},
    [STREAM] = {"stream", prepare_nothing, stream_round},
};

/* Returns millions of octets a second. */
static double measure(struct bench *b, unsigned operation, double seconds)
{
	double busy = 0, end = cpu_s() + seconds;
	uint64_t octets = 0;

	while (cpu_s() < end) {
		double from;

		operations[operation].prepare(b);
		from = cpu_s();
		operations[operation].round(b);
		busy += cpu_s() - from;
		octets += (uint64_t)ROUND * b->len;
	}
	return (double)octets / busy / 1e6;
}

static void setup(struct bench *b, enum macsec_suite suite, bool encrypts, uint32_t len)
{
	static const uint8_t key[SAK_OCTETS_MAX] = {1}, salt[SAK_SALT_OCTETS] = {2};
	const EVP_CIPHER *cipher =
	    macsec_suite_info(suite)->key_octets == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
	struct secy_config config;

	memset(b, 0, sizeof(*b));
	b->len = len;
	b->sak = sak_new(suite, key, salt);
	b->stream = EVP_CIPHER_CTX_new();
	secy_config_init(&config, SCI_PEER);
	config.suite = (uint8_t)suite;
	config.confidentiality = encrypts;
	if (!b->sak || !b->stream || EVP_EncryptInit_ex(b->stream, cipher, NULL, key, salt) != 1 ||
	    secy_init(&b->sender, &config) != SECY_OK)
		die("setup fails");
	config.sci = SCI_OWN;
	if (secy_init(&b->receiver, &config) != SECY_OK ||
	    secy_add_rx_sc(&b->receiver, SCI_PEER) != SECY_OK ||
	    secy_install_rx(&b->receiver, SCI_PEER, 0, b->sak, 1, 1, start) != SECY_OK ||
	    secy_install_tx(&b->sender, 0, 0, b->sak, 1, 1, SECY_PN_ALL) != SECY_OK ||
	    secy_transmit(&b->sender, 0, 0, start) != SECY_OK)
		die("setup fails");
}

static void run(enum macsec_suite suite, bool encrypts, uint32_t len, double seconds)
{
	static struct bench b;
	double of[COUNT(operations)][REPETITIONS], share[REPETITIONS];
	struct interval protect;

	setup(&b, suite, encrypts, len);
	for (unsigned r = 0; r < REPETITIONS; r++) {
		for (unsigned i = 0; i < COUNT(operations); i++)
			of[i][r] = measure(&b, i, seconds);
	}
	printf("%-15s %-9s %5u", macsec_suite_info(suite)->name,
	       encrypts ? "encrypted" : "integrity", len);
	for (unsigned i = 0; i < COUNT(operations); i++) {
		for (unsigned r = 0; i == 0 && r < REPETITIONS; r++)
			share[r] = 100 * of[PROTECT][r] / of[MESSAGE][r];
		printf(" %9.1f", interval_of(of[i], REPETITIONS).median);
	}
	protect = interval_of(share, REPETITIONS);
	printf("   %5.1f %% (%.1f-%.1f)\n", protect.median, protect.low, protect.high);
	EVP_CIPHER_CTX_free(b.stream);
	sak_free(b.sak);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 6;

	seconds /= (MACSEC_SUITES + 1) * COUNT(sizes) * COUNT(operations) * REPETITIONS;
	printf(
	    "MACsec, millions of octets of frames a second of processor time; protect as a share "
	    "of message, median of %d (95 %% interval)\n"
	    "%-15s %-9s %5s",
	    REPETITIONS, "cipher suite", "", "frame");
	for (unsigned i = 0; i < COUNT(operations); i++)
		printf(" %9s", operations[i].name);
	printf("\n");
	for (unsigned suite = 0; suite <= MACSEC_SUITES; suite++) {
		for (size_t i = 0; i < COUNT(sizes); i++)
			run((enum macsec_suite)(suite % MACSEC_SUITES), suite < MACSEC_SUITES,
			    sizes[i], seconds);
	}
	return 0;
}
