/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of IEEE Std 802.1AE annex C: tests/vectors/macsec.csv, a row for each of the 32
 * examples. The frames with an ES bit have the SCI of their source address.
 */
#include "dataplane/macsec/secy.h"
#include "lib/octets.h"
#include "tests/unit/unit.h"
#include "tests/unit/vectors.h"

#include <string.h>

#define OCTETS_MAX 256
#define ROWS       32

static const struct dcb_time start;

struct octets {
	uint8_t of[OCTETS_MAX];
	uint32_t len;
};

static struct octets hex(const struct vector *v, const char *list, const char *key)
{
	const char *text = vector_text(v, list, key);
	struct octets o = {.len = 0};
	unsigned octet;

	for (; sscanf(text, "%2x", &octet) == 1; text += 2) {
		assert_true(o.len < OCTETS_MAX);
		o.of[o.len++] = (uint8_t)octet;
	}
	return o;
}

static uint64_t hex64(const struct vector *v, const char *key)
{
	struct octets o = hex(v, v->inputs, key);

	return o.len == 4 ? get_be32(o.of) : get_be64(o.of);
}

/* An example: a SecY that sends the frame, and one that receives it. */
struct example {
	struct octets plain, secured;
	struct sak *sak;
	struct secy sender, receiver;
	unsigned an;
	uint64_t sci, pn;
	uint32_t ssci;
};

static enum macsec_suite find_suite(const struct vector *v)
{
	const char *name = vector_text(v, v->inputs, "suite");
	int suite = 0;

	while (suite < MACSEC_SUITES &&
	       strcmp(macsec_suite_info((enum macsec_suite)suite)->name, name) != 0)
		suite++;
	assert_int_not_equal(suite, MACSEC_SUITES);
	return (enum macsec_suite)suite;
}

static void install_rx(struct example *e)
{
	assert_int_equal(
	    secy_install_rx(&e->receiver, e->sci, e->an, e->sak, e->ssci, e->pn, start), SECY_OK);
}

static void setup(struct example *e, const struct vector *v)
{
	enum macsec_suite suite = find_suite(v);
	struct octets key = hex(v, v->inputs, "key"), salt = {.len = 0};
	struct secy_config config;
	uint8_t tci;

	memset(e, 0, sizeof(*e));
	e->plain = hex(v, v->inputs, "frame");
	e->secured = hex(v, v->outputs, "frame");
	e->sci = hex64(v, "sci");
	e->pn = hex64(v, "pn");
	if (macsec_suite_info(suite)->xpn) {
		salt = hex(v, v->inputs, "salt");
		e->ssci = (uint32_t)hex64(v, "ssci");
	}
	assert_int_equal(key.len, macsec_suite_info(suite)->key_octets);
	e->sak = sak_new(suite, key.of, salt.of);
	assert_non_null(e->sak);

	tci = e->secured.of[14];
	e->an = tci & 3;
	secy_config_init(&config, e->sci);
	config.suite = (uint8_t)suite;
	config.confidentiality = tci & 8;
	config.use_es = tci & 0x40;
	config.always_include_sci = tci & 0x20;
	assert_int_equal(secy_init(&e->sender, &config), SECY_OK);
	assert_int_equal(secy_install_tx(&e->sender, 0, e->an, e->sak, e->ssci, e->pn, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(&e->sender, 0, e->an, start), SECY_OK);
	config.sci = 1;
	assert_int_equal(secy_init(&e->receiver, &config), SECY_OK);
	assert_int_equal(secy_add_rx_sc(&e->receiver, e->sci), SECY_OK);
	install_rx(e);
}

static void assert_octets(const struct vector *v, const struct secy_frame *is,
			  const struct octets *expected)
{
	if (is->len != expected->len || memcmp(is->octets, expected->of, is->len) != 0)
		fail_msg("%s: other frame than in the standard", v->id);
}

static void check_protect(const struct vector *v, struct example *e, bool in_place)
{
	uint8_t room[SECY_HEADROOM + OCTETS_MAX + SECY_TAILROOM], *frame = e->plain.of;
	struct secy_frame out;

	if (in_place)
		frame = memcpy(room + SECY_HEADROOM, e->plain.of, e->plain.len);
	assert_int_equal(secy_protect(&e->sender, 0, frame, e->plain.len, room, &out),
			 SECY_TX_SEND);
	assert_octets(v, &out, &e->secured);
}

static void check_validate(const struct vector *v, struct example *e)
{
	struct octets copy = e->secured;
	struct secy_frame out;
	bool valid;

	assert_int_equal(secy_validate(&e->receiver, copy.of, copy.len, &out, &valid),
			 SECY_RX_DELIVER);
	assert_true(valid);
	assert_octets(v, &out, &e->plain);
}

static void protect_row(const struct vector *v)
{
	struct example e;

	for (int in_place = 0; in_place < 2; in_place++) {
		setup(&e, v);
		check_protect(v, &e, in_place);
		sak_free(e.sak);
	}
}

static void test_protected_frames(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("macsec.csv", "annex-c", protect_row), ROWS);
}

static void validate_row(const struct vector *v)
{
	struct example e;

	setup(&e, v);
	check_validate(v, &e);
	assert_int_equal(e.receiver.rx[0].stats.ok_pkts, 1);
	sak_free(e.sak);
}

static void test_validated_frames(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("macsec.csv", "annex-c", validate_row), ROWS);
}

/* Each single bit is protected: no frame with another one is delivered. The true one still is. */
static void flip_row(const struct vector *v)
{
	struct example e;
	struct secy_frame out;
	bool valid;

	setup(&e, v);
	for (unsigned bit = 0; bit < e.secured.len * 8; bit++) {
		struct octets copy = e.secured;

		copy.of[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (secy_validate(&e.receiver, copy.of, copy.len, &out, &valid) == SECY_RX_DELIVER)
			fail_msg("%s: delivered with bit %u changed", v->id, bit);
		assert_false(valid);
	}
	check_validate(v, &e);
	sak_free(e.sak);
}

static void test_no_bit_can_change(void **state)
{
	(void)state;
	assert_int_equal(vectors_each("macsec.csv", "annex-c", flip_row), ROWS);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_protected_frames),
	    cmocka_unit_test(test_validated_frames),
	    cmocka_unit_test(test_no_bit_can_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
