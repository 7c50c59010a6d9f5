/* SPDX-License-Identifier: BSD-3-Clause */
/* Reception by a SecY: IEEE Std 802.1AE 10.6. */
#include "dataplane/macsec/secy.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/macsec_pair.h"

#include <openssl/crypto.h>

static const struct dcb_time later = {2000};

/* --- memory: libcrypto's, counted ------------------------------------------------------------ */

static unsigned long allocations;

static void *count_malloc(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	allocations++;
	return malloc(n);
}

static void *count_realloc(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	allocations++;
	return realloc(p, n);
}

static void count_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

/* Valid, replayed and forged frames of every suite. */
static void test_frames_allocate_no_memory(void **state)
{
	(void)state;
	for (unsigned suite = 0; suite < MACSEC_SUITES; suite++) {
		struct macsec_pair pair;
		struct pair_frame frame;
		unsigned long before = allocations;

		pair_init(&pair);
		pair.config.suite = (uint8_t)suite;
		pair_start_at(&pair, 1);
		assert_true(allocations > before); /* the contexts are made with the keys */
		before = allocations;
		for (unsigned i = 0; i < 1000; i++) {
			assert_int_equal(pair_protect(&pair, &frame, (uint8_t)i), SECY_TX_SEND);
			frame.at.octets[50] ^= 1;
			assert_false(pair_delivers(&pair, &frame));
			frame.at.octets[50] ^= 1;
			assert_true(pair_delivers(&pair, &frame));
			assert_false(pair_delivers(&pair, &frame));
		}
		assert_int_equal(allocations, before);
		pair_free(&pair);
	}
}

/* --- validateFrames -------------------------------------------------------------------------- */

/* Starts a pair whose right end has this validateFrames. */
static void start_validating(struct macsec_pair *pair, bool encrypts, unsigned validate)
{
	pair_init(pair);
	pair->config.confidentiality = encrypts;
	pair->config.always_include_sci = true;
	pair_start_at(pair, 1);
	pair->right.config.validate_frames = (uint8_t)validate;
}

static void test_untagged_frames(void **state)
{
	(void)state;
	for (unsigned validate = 0; validate <= SECY_VALIDATE_STRICT; validate++) {
		bool strict = validate == SECY_VALIDATE_STRICT, valid;
		struct macsec_pair pair;
		struct pair_frame frame, got;

		start_validating(&pair, true, validate);
		pair_plain(&frame, 60, 1);
		assert_int_equal(pair_validate(&pair, &frame.at, &got, &valid),
				 strict ? SECY_RX_DISCARD : SECY_RX_DELIVER);
		assert_false(valid);
		assert_int_equal(pair.right.stats.rx_no_tag_pkts, strict);
		assert_int_equal(pair.right.stats.rx_untagged_pkts, !strict);
		if (!strict) {
			assert_int_equal(got.at.len, 60);
			assert_memory_equal(got.at.octets, frame.at.octets, 60);
		}
		pair_free(&pair);
	}
}

/* A frame with a wrong ICV: delivered where it is readable and the operator wants it. */
static void test_wrong_icv(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		bool encrypts = i & 1, delivers, valid;
		unsigned validate = i / 2;
		struct macsec_pair pair;
		struct pair_frame frame, got;
		const struct secy_rx_sc_stats *stats;

		start_validating(&pair, encrypts, validate);
		stats = &pair.right.rx[0].stats;
		delivers = !encrypts && validate != SECY_VALIDATE_STRICT;
		assert_int_equal(pair_protect(&pair, &frame, 9), SECY_TX_SEND);
		frame.at.octets[frame.at.len - 1] ^= 1;
		assert_int_equal(pair_validate(&pair, &frame.at, &got, &valid),
				 delivers ? SECY_RX_DELIVER : SECY_RX_DISCARD);
		assert_false(valid);
		assert_int_equal(stats->not_valid_pkts, !delivers);
		assert_int_equal(stats->invalid_pkts, delivers && validate == SECY_VALIDATE_CHECK);
		assert_int_equal(stats->unchecked_pkts,
				 delivers && validate == SECY_VALIDATE_DISABLED);
		assert_int_equal(pair.right.rx[0].sa[0].next_pn, 1); /* only valid frames count */
		if (delivers) {
			pair_plain(&frame, 100, 9);
			assert_int_equal(got.at.len, 100);
			assert_memory_equal(got.at.octets, frame.at.octets, 100);
		}
		pair_free(&pair);
	}
}

/* A valid frame while nothing is checked: delivered if it is readable. */
static void test_disabled_validation(void **state)
{
	(void)state;
	for (int encrypts = 0; encrypts < 2; encrypts++) {
		struct macsec_pair pair;
		const struct secy_rx_sc_stats *stats;

		start_validating(&pair, encrypts, SECY_VALIDATE_DISABLED);
		stats = &pair.right.rx[0].stats;
		assert_int_equal(pair_send(&pair, 1), !encrypts);
		assert_int_equal(stats->unchecked_pkts, !encrypts);
		assert_int_equal(stats->not_valid_pkts, encrypts);
		assert_int_equal(pair.right.stats.rx_octets_validated, 0);
		assert_int_equal(pair.right.stats.rx_octets_decrypted, 0);
		pair_free(&pair);
	}
}

/* No SC with the frame's SCI, or no SA with its AN. */
static void test_unknown_associations(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		bool encrypts = i & 1, no_sc = i & 2, delivers;
		unsigned validate = i / 4;
		struct macsec_pair pair;
		struct pair_frame frame;

		start_validating(&pair, encrypts, validate);
		delivers = !encrypts && validate != SECY_VALIDATE_STRICT;
		assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
		if (no_sc)
			pair.right.rx[0].sci ^= 1;
		else
			secy_remove_rx(&pair.right, PAIR_LEFT, 0, later);
		assert_int_equal(pair_delivers(&pair, &frame), delivers);
		assert_int_equal(pair.right.stats.rx_no_sa_pkts, delivers);
		assert_int_equal(pair.right.stats.rx_no_sa_error_pkts, !delivers);
		pair_free(&pair);
	}
}

static void test_bad_tags_are_counted(void **state)
{
	(void)state;
	for (unsigned validate = 0; validate <= SECY_VALIDATE_STRICT; validate++) {
		struct macsec_pair pair;
		struct pair_frame frame;

		start_validating(&pair, false, validate);
		assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
		frame.at.octets[14] |= 0x80; /* version */
		assert_false(pair_delivers(&pair, &frame));
		frame.at.octets[14] &= 0x7f;
		put_be32(frame.at.octets + 16, 0); /* packet number */
		assert_false(pair_delivers(&pair, &frame));
		assert_int_equal(pair.right.stats.rx_bad_tag_pkts, 2);
		pair_free(&pair);
	}
}

/* With XPN only all 64 bits must not be 0. */
static void test_xpn_uses_packet_numbers_with_low_bits_of_0(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair.config.suite = MACSEC_GCM_AES_XPN_128;
	pair_start_at(&pair, UINT64_C(0x100000000));
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
	assert_int_equal(get_be32(frame.at.octets + 16), 0);
	assert_true(pair_delivers(&pair, &frame));
	pair_free(&pair);
}

/* E without C: for the key agreement entity, whatever the rest says. */
static void test_frames_of_key_agreement_are_not_for_the_controlled_port(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame, got;
	bool valid;

	(void)state;
	start_validating(&pair, false, SECY_VALIDATE_CHECK);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
	frame.at.octets[14] |= 0x08;
	assert_int_equal(pair_validate(&pair, &frame.at, &got, &valid), SECY_RX_UNCONTROLLED);
	assert_false(valid);
	assert_int_equal(pair_received(&pair), 1);
	assert_int_equal(pair.right.stats.rx_uncontrolled_pkts, 1);
	pair_free(&pair);
}

/* --- the peer -------------------------------------------------------------------------------- */

/* Without SCI in the tag, the only peer has sent the frame; with two, it is not known who did. */
static void test_tag_without_sci_needs_a_single_peer(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_true(pair_send(&pair, 1));
	assert_int_equal(secy_add_rx_sc(&pair.right, 77), SECY_OK);
	assert_false(pair_send(&pair, 1));
	assert_int_equal(pair.right.stats.rx_no_sa_error_pkts, 1);
	pair.left.config.use_es = true; /* the SCI is the source address, and port 1 */
	assert_true(pair_send(&pair, 1));
	pair.left.config.use_es = false;
	pair.left.config.always_include_sci = true;
	assert_true(pair_send(&pair, 1));
	pair_free(&pair);
}

/* Frames of several peers with keys of their own do not disturb each other's packet numbers. */
static void test_each_peer_has_its_own_associations(void **state)
{
	struct macsec_pair pair, third;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair.config.always_include_sci = true;
	third = pair;
	third.config.sci = 0x0300;
	pair_start_at(&pair, 1000);
	pair_start_at(&third, 1);
	assert_int_equal(secy_add_rx_sc(&pair.right, 0x0300), SECY_OK);
	assert_int_equal(secy_install_rx(&pair.right, 0x0300, 0, pair.sak[1], 3, 1, later),
			 SECY_OK);
	assert_int_equal(secy_install_tx(&third.left, 0, 0, third.sak[1], 3, 1, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(&third.left, 0, 0, later), SECY_OK);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(pair_send(&pair, 1));
		assert_int_equal(pair_protect(&third, &frame, 1), SECY_TX_SEND);
		assert_true(pair_delivers(&pair, &frame));
	}
	assert_int_equal(secy_rx_sc(&pair.right, PAIR_LEFT)->stats.ok_pkts, 10);
	assert_int_equal(secy_rx_sc(&pair.right, 0x0300)->stats.ok_pkts, 10);
	assert_null(secy_rx_sc(&pair.right, 0x0400));
	pair_free(&third);
	pair_free(&pair);
}

/* Frames of the own SecY that are looped back: no receive SC has the own SCI. */
static void test_own_frames_are_discarded(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;
	struct secy_frame out;
	bool valid;

	(void)state;
	pair_init(&pair);
	pair.config.always_include_sci = true;
	pair_start_at(&pair, 1);
	assert_int_equal(secy_add_rx_sc(&pair.left, PAIR_RIGHT), SECY_OK);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
	assert_int_equal(secy_validate(&pair.left, frame.at.octets, frame.at.len, &out, &valid),
			 SECY_RX_DISCARD);
	assert_int_equal(pair.left.stats.rx_no_sa_error_pkts, 1);
	pair_free(&pair);
}

/* --- replay ---------------------------------------------------------------------------------- */

#define FRAMES 40

/* Makes frames with the packet numbers 1 to FRAMES. */
static void protect_all(struct macsec_pair *pair, struct pair_frame frames[FRAMES])
{
	for (unsigned i = 0; i < FRAMES; i++)
		assert_int_equal(pair_protect(pair, &frames[i], (uint8_t)i), SECY_TX_SEND);
}

static void test_strict_order_without_window(void **state)
{
	static struct pair_frame frames[FRAMES];
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	protect_all(&pair, frames);
	assert_true(pair_delivers(&pair, &frames[0]));
	assert_false(pair_delivers(&pair, &frames[0])); /* replayed */
	assert_true(pair_delivers(&pair, &frames[5]));
	for (unsigned i = 0; i < 6; i++)
		assert_false(pair_delivers(&pair, &frames[i]));
	assert_true(pair_delivers(&pair, &frames[6]));
	assert_int_equal(pair.right.rx[0].stats.late_pkts, 7);
	assert_int_equal(pair.right.rx[0].stats.ok_pkts, 3);
	pair_free(&pair);
}

/* 10.6.5: the lowest acceptable number is the next one minus the window. */
static void test_window_accepts_frames_out_of_order(void **state)
{
	static struct pair_frame frames[FRAMES];
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair.config.replay_window = 10;
	pair_start_at(&pair, 1);
	protect_all(&pair, frames);
	assert_true(pair_delivers(&pair, &frames[29])); /* number 30: 21 is acceptable */
	assert_int_equal(pair.right.rx[0].sa[0].lowest_pn, 21);
	assert_false(pair_delivers(&pair, &frames[19]));
	assert_true(pair_delivers(&pair, &frames[20]));
	assert_true(pair_delivers(&pair, &frames[28]));
	assert_int_equal(pair.right.rx[0].sa[0].next_pn, 31); /* older frames do not reduce it */
	assert_true(pair_delivers(&pair, &frames[39]));
	assert_false(pair_delivers(&pair, &frames[29]));
	assert_true(pair_delivers(&pair, &frames[30]));
	pair_free(&pair);
}

/* lowestPN never decreases: the key agreement of the ends may have set it, 10.6.5. */
static void test_window_does_not_reach_before_the_first_packet_number(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair.config.replay_window = 10;
	pair_start_at(&pair, 30);
	assert_true(pair_send(&pair, 1));
	assert_int_equal(pair.right.rx[0].sa[0].lowest_pn, 30);
	pair_free(&pair);
}

static void test_without_replay_protection_old_frames_are_delayed(void **state)
{
	static struct pair_frame frames[FRAMES];
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair.config.replay_protect = false;
	pair_start_at(&pair, 1);
	protect_all(&pair, frames);
	assert_true(pair_delivers(&pair, &frames[9]));
	assert_true(pair_delivers(&pair, &frames[3]));
	assert_true(pair_delivers(&pair, &frames[9]));
	assert_int_equal(pair.right.rx[0].stats.ok_pkts, 1);
	assert_int_equal(pair.right.rx[0].stats.delayed_pkts, 2);
	pair_free(&pair);
}

/* A forged frame with a high packet number must not stop the true ones. */
static void test_forged_packet_number_has_no_effect(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
	put_be32(frame.at.octets + 16, UINT32_MAX);
	assert_false(pair_delivers(&pair, &frame));
	assert_int_equal(pair.right.rx[0].sa[0].lowest_pn, 1);
	put_be32(frame.at.octets + 16, 1);
	assert_true(pair_delivers(&pair, &frame));
	pair_free(&pair);
}

/* After the last packet number an SA receives nothing, with any window. */
static void test_no_frame_after_the_last_packet_number(void **state)
{
	static const struct {
		uint8_t suite;
		uint64_t last;
	} of[] = {{MACSEC_GCM_AES_128, UINT32_MAX}, {MACSEC_GCM_AES_XPN_256, UINT64_MAX}};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(of); i++) {
		struct macsec_pair pair;
		struct pair_frame frame;

		pair_init(&pair);
		pair.config.suite = of[i].suite;
		pair_start_at(&pair, of[i].last);
		assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
		assert_true(pair_delivers(&pair, &frame));
		for (unsigned again = 0; again < 3; again++)
			assert_false(pair_delivers(&pair, &frame));
		pair_free(&pair);
	}
}

/* --- packet numbers of 64 bits, 10.6.2 ------------------------------------------------------- */

/* Sends a frame with packet number pn to a SecY whose lowest acceptable one is lowest. */
static bool receives_xpn(uint64_t lowest, uint64_t pn)
{
	struct macsec_pair pair;
	bool received;

	pair_init(&pair);
	pair.config.suite = MACSEC_GCM_AES_XPN_256;
	pair_start_at(&pair, pn);
	pair.right.rx[0].sa[0].lowest_pn = pair.right.rx[0].sa[0].next_pn = lowest;
	received = pair_send(&pair, 1);
	if (received)
		assert_int_equal(pair.right.rx[0].sa[0].next_pn, pn + 1);
	pair_free(&pair);
	return received;
}

static void test_high_bits_of_packet_numbers_are_recovered(void **state)
{
	(void)state;
	/* Table 10-2. The last 16 bits of the lowest acceptable numbers are not in it. */
	assert_true(receives_xpn(UINT64_C(0x0000000700001234), UINT64_C(0x000000072a2b5051)));
	assert_true(receives_xpn(UINT64_C(0x0000000782340000), UINT64_C(0x000000082a2b5051)));
	assert_true(receives_xpn(UINT64_C(0x0000000782340000), UINT64_C(0x000000079a2b5051)));
	assert_true(receives_xpn(UINT64_C(0x0000000722340000), UINT64_C(0x000000079a2b5051)));
	/* All numbers up to 2^31 above the lowest acceptable one, around every half. */
	for (uint64_t half = 1; half < 6; half++) {
		uint64_t lowest = half << 31;

		for (unsigned below = 0; below < 2; below++, lowest--) {
			assert_true(receives_xpn(lowest, lowest));
			assert_true(receives_xpn(lowest, lowest + 1));
			assert_true(receives_xpn(lowest, lowest + (UINT64_C(1) << 31) - 1));
		}
	}
}

static void test_no_other_high_bits_are_accepted(void **state)
{
	(void)state;
	assert_false(receives_xpn(UINT64_C(0x100000000), 0x80000000));
	assert_false(receives_xpn(UINT64_C(0x100000001), UINT64_C(0x100000000)));
	assert_false(receives_xpn(UINT64_C(0x100000000), UINT64_C(0x200000001)));
}

/* 10.7.8: the window is at most 2^30 - 1 with XPN. */
static void test_window_of_xpn_is_limited(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair.config.suite = MACSEC_GCM_AES_XPN_128;
	pair.config.replay_window = UINT32_MAX;
	pair_start_at(&pair, UINT64_C(1) << 40);
	pair.right.rx[0].sa[0].lowest_pn = UINT64_C(1) << 40;
	pair.left.tx[0].sa[0].next_pn += UINT64_C(1) << 31;
	pair.left.tx[0].sa[0].next_pn -= 1;
	assert_true(pair_send(&pair, 1));
	assert_int_equal(pair.right.rx[0].sa[0].lowest_pn,
			 (UINT64_C(1) << 40) + (UINT64_C(1) << 31) - ((UINT64_C(1) << 30) - 1));
	pair_free(&pair);
}

/* --- anything -------------------------------------------------------------------------------- */

/* Changes some octets of the frame, its length, or the right SecY. */
static void disturb(struct macsec_pair *pair, struct pair_frame *frame, struct dcb_rng *rng)
{
	switch (dcb_rng_uniform(rng, 0, 6)) {
	case 0:
		frame->at.octets[dcb_rng_uniform(rng, 12, 30)] ^= 1u << dcb_rng_uniform(rng, 0, 7);
		break;
	case 1:
		frame->at.octets[dcb_rng_uniform(rng, 0, frame->at.len - 1)] ^= 0x55;
		break;
	case 2:
		frame->at.len = dcb_rng_uniform(rng, 0, frame->at.len);
		break;
	case 3:
		pair->right.config.validate_frames =
		    (uint8_t)dcb_rng_uniform(rng, 0, SECY_VALIDATE_STRICT);
		break;
	case 4:
		pair->right.config.replay_protect = dcb_rng_next(rng) & 1;
		break;
	case 5:
		pair->left.config.confidentiality = dcb_rng_next(rng) & 1;
		break;
	default:
		break;
	}
}

/* Adds the counts of all SAs of a channel. */
static struct secy_rx_sc_stats sum_of_sas(const struct secy_rx_sc *sc)
{
	struct secy_rx_sc_stats sum = {0};

	for (unsigned an = 0; an < SECTAG_ANS; an++) {
		const struct secy_rx_sc_stats *of = &sc->sa[an].rx;

		sum.late_pkts += of->late_pkts;
		sum.not_valid_pkts += of->not_valid_pkts;
		sum.invalid_pkts += of->invalid_pkts;
		sum.delayed_pkts += of->delayed_pkts;
		sum.unchecked_pkts += of->unchecked_pkts;
		sum.ok_pkts += of->ok_pkts;
	}
	return sum;
}

/* 10.7.9: a received frame increments exactly one count. Only valid frames change the replay check.
 */
static void test_each_frame_is_counted_once(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame, got;
	struct secy_rx_sc_stats sum;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	pair_init(&pair);
	pair.config.always_include_sci = true;
	pair.config.replay_window = 3;
	pair_start_at(&pair, 1);
	/* A changed AN is that of another key. */
	for (unsigned an = 1; an < SECTAG_ANS; an++)
		assert_int_equal(
		    secy_install_rx(&pair.right, PAIR_LEFT, an, pair.sak[an], 1, 1, pair_start),
		    SECY_OK);
	for (unsigned n = 1; n <= 20000; n++) {
		uint64_t next = pair.right.rx[0].sa[0].next_pn;
		enum secy_rx verdict;
		bool valid;

		assert_int_equal(pair_protect(&pair, &frame, (uint8_t)n), SECY_TX_SEND);
		disturb(&pair, &frame, &rng);
		verdict = pair_validate(&pair, &frame.at, &got, &valid);
		assert_int_equal(pair_received(&pair), n);
		assert_true(verdict == SECY_RX_DELIVER || !valid);
		assert_true(valid || pair.right.rx[0].sa[0].next_pn == next);
		if (valid) {
			struct pair_frame plain;

			pair_plain(&plain, 100, (uint8_t)n);
			assert_int_equal(got.at.len, 100);
			assert_memory_equal(got.at.octets, plain.at.octets, 100);
		}
	}
	assert_true(pair.right.rx[0].stats.ok_pkts > 0);
	sum = sum_of_sas(&pair.right.rx[0]);
	assert_memory_equal(&sum, &pair.right.rx[0].stats, sizeof(sum));
	for (unsigned an = 1; an <= 2; an++) { /* another bit of the AN */
		assert_int_equal(pair.right.rx[0].sa[an].rx.ok_pkts, 0);
		assert_true(pair.right.rx[0].sa[an].rx.not_valid_pkts > 0);
	}
	pair_free(&pair);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_frames_allocate_no_memory),
	    cmocka_unit_test(test_untagged_frames),
	    cmocka_unit_test(test_wrong_icv),
	    cmocka_unit_test(test_disabled_validation),
	    cmocka_unit_test(test_unknown_associations),
	    cmocka_unit_test(test_bad_tags_are_counted),
	    cmocka_unit_test(test_xpn_uses_packet_numbers_with_low_bits_of_0),
	    cmocka_unit_test(test_frames_of_key_agreement_are_not_for_the_controlled_port),
	    cmocka_unit_test(test_tag_without_sci_needs_a_single_peer),
	    cmocka_unit_test(test_each_peer_has_its_own_associations),
	    cmocka_unit_test(test_own_frames_are_discarded),
	    cmocka_unit_test(test_strict_order_without_window),
	    cmocka_unit_test(test_window_accepts_frames_out_of_order),
	    cmocka_unit_test(test_window_does_not_reach_before_the_first_packet_number),
	    cmocka_unit_test(test_without_replay_protection_old_frames_are_delayed),
	    cmocka_unit_test(test_forged_packet_number_has_no_effect),
	    cmocka_unit_test(test_no_frame_after_the_last_packet_number),
	    cmocka_unit_test(test_high_bits_of_packet_numbers_are_recovered),
	    cmocka_unit_test(test_no_other_high_bits_are_accepted),
	    cmocka_unit_test(test_window_of_xpn_is_limited),
	    cmocka_unit_test(test_each_frame_is_counted_once),
	};

	/* Before libcrypto allocates anything. */
	if (CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free) != 1)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
