/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes and validates random MACsec frames with the SecY, for oracle.py, which has the format.
 *
 *   frames make SEED N   writes N frames
 *   frames check         reads frames, and ends with 1 if one is not valid
 */
#include "dataplane/macsec/secy.h"
#include "lib/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCTETS_MAX 2000
#define LINE_MAX   (8 * OCTETS_MAX)

static const struct dcb_time now;

static void __attribute__((noreturn)) die(const char *what, const char *value)
{
	fprintf(stderr, "frames: %s: %s\n", what, value);
	exit(1);
}

/* A line. */
struct frame {
	enum macsec_suite suite;
	uint8_t key[SAK_OCTETS_MAX], salt[SAK_SALT_OCTETS];
	uint64_t sci, pn;
	uint32_t ssci;
	int offset; /* -1: integrity only */
	uint8_t plain[OCTETS_MAX], secured[OCTETS_MAX];
	uint32_t plain_octets, secured_octets;
};

static void print_hex(const uint8_t *octets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		printf("%02x", octets[i]);
	putchar(' ');
}

static void print_frame(const struct frame *f)
{
	const struct macsec_suite_info *info = macsec_suite_info(f->suite);
	uint8_t sci[8];

	for (unsigned i = 0; i < 8; i++)
		sci[i] = (uint8_t)(f->sci >> (56 - 8 * i));
	printf("%s ", info->name);
	print_hex(f->key, info->key_octets);
	if (info->xpn)
		print_hex(f->salt, sizeof(f->salt));
	else
		printf("- ");
	print_hex(sci, sizeof(sci));
	if (info->xpn)
		printf("%08" PRIx32 " ", f->ssci);
	else
		printf("- ");
	printf("%016" PRIx64 " ", f->pn);
	if (f->offset < 0)
		printf("- ");
	else
		printf("%d ", f->offset);
	print_hex(f->plain, f->plain_octets);
	print_hex(f->secured, f->secured_octets);
	putchar('\n');
}

static void configure(const struct frame *f, struct secy *secy, uint64_t sci)
{
	struct secy_config config;

	secy_config_init(&config, sci);
	config.suite = (uint8_t)f->suite;
	config.confidentiality = f->offset >= 0;
	config.confidentiality_offset = (uint8_t)(f->offset > 0 ? f->offset : 0);
	if (secy_init(secy, &config) != SECY_OK)
		die("secy_init", macsec_suite_info(f->suite)->name);
}

static struct sak *install(const struct frame *f)
{
	struct sak *sak = sak_new(f->suite, f->key, f->salt);

	if (!sak)
		die("sak_new", macsec_suite_info(f->suite)->name);
	return sak;
}

/* --- make ------------------------------------------------------------------------------------ */

static void random_octets(struct dcb_rng *rng, uint8_t *octets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)dcb_rng_next(rng);
}

static uint64_t random64(struct dcb_rng *rng)
{
	return (uint64_t)dcb_rng_next(rng) << 32 | dcb_rng_next(rng);
}

static void random_frame(struct dcb_rng *rng, struct frame *f)
{
	static const int offsets[] = {-1, 0, 30, 50};
	bool xpn;

	memset(f, 0, sizeof(*f));
	f->suite = (enum macsec_suite)dcb_rng_uniform(rng, 0, MACSEC_SUITES - 1);
	xpn = macsec_suite_info(f->suite)->xpn;
	random_octets(rng, f->key, sizeof(f->key));
	random_octets(rng, f->salt, sizeof(f->salt));
	f->ssci = dcb_rng_next(rng);
	f->pn = (xpn ? random64(rng) : dcb_rng_next(rng)) | 1;
	f->offset = offsets[dcb_rng_uniform(rng, 0, xpn ? 1 : 3)];
	f->plain_octets = 12 + dcb_rng_uniform(rng, 1, dcb_rng_next(rng) & 1 ? 130 : 1502);
	random_octets(rng, f->plain, f->plain_octets);
	/* Half of the frames are of a station whose address is its SCI. */
	f->sci = dcb_rng_next(rng) & 1 ? sectag_sci(f->plain + 6, SECTAG_PORT_ES)
				       : random64(rng) & (UINT64_MAX - 1);
}

static void protect(struct dcb_rng *rng, struct frame *f)
{
	uint8_t room[SECY_HEADROOM + OCTETS_MAX + SECY_TAILROOM];
	unsigned an = dcb_rng_uniform(rng, 0, 3);
	struct sak *sak = install(f);
	struct secy_frame out;
	struct secy secy;

	configure(f, &secy, f->sci);
	secy.config.use_es = dcb_rng_next(rng) & 1;
	secy.config.always_include_sci = dcb_rng_next(rng) & 1;
	if (secy_install_tx(&secy, 0, an, sak, f->ssci, f->pn, SECY_PN_ALL) != SECY_OK ||
	    secy_transmit(&secy, 0, an, now) != SECY_OK ||
	    secy_protect(&secy, 0, f->plain, f->plain_octets, room, &out) != SECY_TX_SEND)
		die("secy_protect", macsec_suite_info(f->suite)->name);
	memcpy(f->secured, out.octets, out.len);
	f->secured_octets = out.len;
	sak_free(sak);
}

static void make(uint64_t seed, unsigned long n)
{
	static struct frame f;
	struct dcb_rng rng;

	dcb_rng_seed(&rng, seed, 1);
	for (; n > 0; n--) {
		random_frame(&rng, &f);
		protect(&rng, &f);
		print_frame(&f);
	}
}

/* --- check ----------------------------------------------------------------------------------- */

static uint32_t parse_hex(const char *text, uint8_t *octets, size_t max)
{
	uint32_t n = 0;
	unsigned octet;

	for (; sscanf(text, "%2x", &octet) == 1; text += 2) {
		if (n == max)
			die("too long", text);
		octets[n++] = (uint8_t)octet;
	}
	return n;
}

static enum macsec_suite parse_suite(const char *name)
{
	for (int i = 0; i < MACSEC_SUITES; i++) {
		if (strcmp(name, macsec_suite_info((enum macsec_suite)i)->name) == 0)
			return (enum macsec_suite)i;
	}
	die("unknown suite", name);
}

static void parse_frame(char *line, struct frame *f)
{
	char *field[9], *rest = line;

	for (unsigned i = 0; i < 9; i++) {
		field[i] = strtok_r(rest, " \n", &rest);
		if (!field[i])
			die("fields are missing", line);
	}
	memset(f, 0, sizeof(*f));
	f->suite = parse_suite(field[0]);
	if (parse_hex(field[1], f->key, sizeof(f->key)) != macsec_suite_info(f->suite)->key_octets)
		die("length of the key", field[1]);
	parse_hex(field[2], f->salt, sizeof(f->salt));
	f->sci = strtoull(field[3], NULL, 16);
	f->ssci = (uint32_t)strtoul(field[4], NULL, 16);
	f->pn = strtoull(field[5], NULL, 16);
	f->offset = field[6][0] == '-' ? -1 : atoi(field[6]);
	f->plain_octets = parse_hex(field[7], f->plain, sizeof(f->plain));
	f->secured_octets = parse_hex(field[8], f->secured, sizeof(f->secured));
}

static bool validate(struct frame *f)
{
	struct sak *sak = install(f);
	struct secy_frame out;
	struct secy secy;
	enum secy_rx verdict;
	bool valid;

	configure(f, &secy, f->sci ^ 1);
	if (secy_add_rx_sc(&secy, f->sci) != SECY_OK ||
	    secy_install_rx(&secy, f->sci, f->secured[14] & 3, sak, f->ssci, f->pn, now) != SECY_OK)
		die("secy_install_rx", macsec_suite_info(f->suite)->name);
	verdict = secy_validate(&secy, f->secured, f->secured_octets, &out, &valid);
	sak_free(sak);
	return verdict == SECY_RX_DELIVER && valid && out.len == f->plain_octets &&
	       memcmp(out.octets, f->plain, out.len) == 0;
}

static int check(void)
{
	static char line[LINE_MAX], copy[LINE_MAX];
	static struct frame f;
	unsigned n = 0;

	for (; fgets(line, sizeof(line), stdin); n++) {
		memcpy(copy, line, sizeof(copy));
		parse_frame(line, &f);
		if (!validate(&f))
			die("not valid", copy);
	}
	printf("frames: %u frames of the oracle are valid\n", n);
	return n == 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "make") == 0) {
		make(strtoull(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "check") == 0)
		return check();
	fputs("usage: frames make SEED N | check\n", stderr);
	return 2;
}
