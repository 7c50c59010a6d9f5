/* SPDX-License-Identifier: BSD-3-Clause */
/* Transmission and configuration of a SecY: IEEE Std 802.1AE 10.5, 10.7. */
#include "dataplane/macsec/secy.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "tests/unit/macsec_pair.h"

static const struct dcb_time later = {2000};

/* --- frames there and back ------------------------------------------------------------------- */

/* Checks a frame of this length: addresses and clear octets are readable, the others are not. */
static void check_length(struct macsec_pair *pair, uint32_t len)
{
	uint32_t tag = pair->config.always_include_sci ? 16 : 8, clear;
	struct pair_frame frame, plain, got;
	bool valid;

	pair_plain(&plain, len, (uint8_t)len);
	pair_plain(&frame, len, (uint8_t)len);
	clear = pair->config.confidentiality ? pair->config.confidentiality_offset : len - 12;
	clear = clear < len - 12 ? clear : len - 12;
	assert_int_equal(secy_protect(&pair->left, 0, frame.at.octets, len, frame.room, &frame.at),
			 SECY_TX_SEND);
	assert_int_equal(frame.at.len, len + tag + 16);
	assert_memory_equal(frame.at.octets, plain.at.octets, 12);
	assert_memory_equal(frame.at.octets + 12 + tag, plain.at.octets + 12, clear);
	if (len - 12 >= clear + 16)
		assert_memory_not_equal(frame.at.octets + 12 + tag + clear,
					plain.at.octets + 12 + clear, len - 12 - clear);
	assert_int_equal(pair_validate(pair, &frame.at, &got, &valid), SECY_RX_DELIVER);
	assert_true(valid);
	assert_int_equal(got.at.len, len);
	assert_memory_equal(got.at.octets, plain.at.octets, len);
}

/* Every suite, protection and length of user data from 1 octet on, with and without SCI. */
static void test_all_suites_and_lengths(void **state)
{
	static const uint8_t offsets[] = {0, 30, 50};

	(void)state;
	for (unsigned suite = 0; suite < MACSEC_SUITES; suite++) {
		for (unsigned variant = 0; variant < 12; variant++) {
			uint8_t offset = offsets[variant / 4];
			struct macsec_pair pair;

			if (offset && macsec_suite_info((enum macsec_suite)suite)->xpn)
				continue;
			pair_init(&pair);
			pair.config.suite = (uint8_t)suite;
			pair.config.confidentiality_offset = offset;
			pair.config.confidentiality = variant & 1;
			pair.config.always_include_sci = variant & 2;
			pair_start_at(&pair, 1);
			for (uint32_t len = 13; len < 140; len++)
				check_length(&pair, len);
			check_length(&pair, 1514);
			assert_int_equal(pair_received(&pair), 128);
			assert_int_equal(pair.right.rx[0].stats.ok_pkts, 128);
			pair_free(&pair);
		}
	}
}

static void test_counts_frames_and_octets(void **state)
{
	(void)state;
	for (int encrypts = 0; encrypts < 2; encrypts++) {
		struct macsec_pair pair;

		pair_init(&pair);
		pair.config.confidentiality = encrypts;
		pair_start_at(&pair, 1);
		assert_true(pair_send(&pair, 1));
		assert_true(pair_send(&pair, 2));
		assert_int_equal(pair.left.tx[0].stats.encrypted_pkts, encrypts ? 2 : 0);
		assert_int_equal(pair.left.tx[0].stats.protected_pkts, encrypts ? 0 : 2);
		assert_int_equal(pair.left.stats.tx_octets_encrypted, encrypts ? 2 * 88 : 0);
		assert_int_equal(pair.left.stats.tx_octets_protected, encrypts ? 0 : 2 * 88);
		assert_int_equal(pair.right.stats.rx_octets_decrypted, encrypts ? 2 * 88 : 0);
		assert_int_equal(pair.right.stats.rx_octets_validated, encrypts ? 0 : 2 * 88);
		pair_free(&pair);
	}
}

static void test_without_protection_frames_are_unchanged(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame, plain;

	(void)state;
	pair_init(&pair);
	pair.config.protect_frames = false;
	pair_start_at(&pair, 1);
	pair_plain(&plain, 100, 7);
	assert_int_equal(pair_protect(&pair, &frame, 7), SECY_TX_SEND);
	assert_int_equal(frame.at.len, 100);
	assert_memory_equal(frame.at.octets, plain.at.octets, 100);
	assert_int_equal(pair.left.stats.tx_untagged_pkts, 1);
	assert_true(secy_operational(&pair.left));
	pair_free(&pair);
}

/* The octets of SecTAG and ICV count. */
static void test_frames_that_grow_too_long_are_discarded(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair.config.max_octets = 124;
	pair_start_at(&pair, 1);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
	pair.left.config.max_octets = 123;
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_TOO_LONG);
	assert_int_equal(pair.left.stats.tx_too_long_pkts, 1);
	assert_int_equal(pair.left.tx[0].sa[0].next_pn, 2); /* no packet number is used */
	pair_free(&pair);
}

static void test_frames_without_user_data_are_refused(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	for (uint32_t len = 0; len <= 12; len++) {
		pair_plain(&frame, 100, 1);
		assert_int_equal(
		    secy_protect(&pair.left, 0, frame.at.octets, len, frame.room, &frame.at),
		    SECY_TX_FAILED);
	}
	assert_int_equal(pair.left.tx[0].sa[0].next_pn, 1);
	pair_free(&pair);
}

/* --- the SCI in the tag: table 10-1 ---------------------------------------------------------- */

/* Returns the TCI of a frame with these controls, peers and source address. */
static unsigned tci_of(bool always, bool es, bool scb, unsigned peers, bool own_address)
{
	struct macsec_pair pair;
	struct pair_frame frame;
	unsigned tci;

	pair_init(&pair);
	pair.config.always_include_sci = always;
	pair.config.use_es = es;
	pair.config.use_scb = scb;
	pair.config.sci = scb ? PAIR_LEFT - 1 : PAIR_LEFT; /* port 00-00 */
	pair_start_at(&pair, 1);
	for (unsigned i = 0; i < peers; i++)
		assert_int_equal(secy_add_rx_sc(&pair.left, PAIR_RIGHT + i), SECY_OK);
	pair_plain(&frame, 100, 1);
	frame.at.octets[11] ^= !own_address;
	assert_int_equal(secy_protect(&pair.left, 0, frame.at.octets, 100, frame.room, &frame.at),
			 SECY_TX_SEND);
	tci = frame.at.octets[14];
	if (tci & 0x20)
		assert_int_equal(get_be64(frame.at.octets + 20), pair.config.sci);
	pair_free(&pair);
	return tci & 0xf0;
}

static void test_sci_is_encoded_as_in_table_10_1(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 4; bits++)
		assert_int_equal(tci_of(true, bits & 1, bits & 2, 1, true), 0x20);
	assert_int_equal(tci_of(false, false, false, 1, true), 0);
	assert_int_equal(tci_of(false, false, false, 2, true), 0x20);
	assert_int_equal(tci_of(false, true, false, 1, true), 0x40);
	assert_int_equal(tci_of(false, true, false, 2, true), 0x40);
	assert_int_equal(tci_of(false, false, true, 1, true), 0x10);
	assert_int_equal(tci_of(false, true, true, 2, true), 0x50);
	/* Not the station's address: the tag cannot imply the SCI. */
	assert_int_equal(tci_of(false, true, false, 1, false), 0x20);
	assert_int_equal(tci_of(false, false, true, 1, false), 0x20);
	assert_int_equal(tci_of(false, false, false, 1, false), 0);
}

/* Two transmit SCs: the number is in the high bits of the port, 10.7.17, and each has its PNs. */
static void test_channels_have_their_own_sci_and_packet_numbers(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair.config.tx_scs = 2;
	pair_start_at(&pair, 5);
	assert_int_equal(secy_install_tx(&pair.left, 1, 0, pair.sak[0], 2, 1, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(&pair.left, 1, 0, pair_start), SECY_OK);
	assert_int_equal(secy_add_rx_sc(&pair.right, PAIR_LEFT | 0x1000), SECY_OK);
	assert_int_equal(
	    secy_install_rx(&pair.right, PAIR_LEFT | 0x1000, 0, pair.sak[0], 2, 1, pair_start),
	    SECY_OK);
	assert_true(pair_send(&pair, 1));
	pair_plain(&frame, 60, 2);
	assert_int_equal(secy_protect(&pair.left, 1, frame.at.octets, 60, frame.room, &frame.at),
			 SECY_TX_SEND);
	assert_int_equal(get_be64(frame.at.octets + 20), PAIR_LEFT | 0x1000);
	assert_int_equal(get_be32(frame.at.octets + 16), 1);
	assert_true(pair_delivers(&pair, &frame));
	assert_int_equal(pair.left.tx[1].stats.encrypted_pkts, 1);
	assert_int_equal(secy_rx_sc(&pair.right, PAIR_LEFT | 0x1000)->stats.ok_pkts, 1);
	pair_free(&pair);
}

/* --- packet numbers -------------------------------------------------------------------------- */

/* The last packet number is used, none follows it: an IV must not repeat. */
static void check_exhaustion(unsigned suite, uint64_t last)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	pair_init(&pair);
	pair.config.suite = (uint8_t)suite;
	pair_start_at(&pair, last - 1);
	assert_true(pair_send(&pair, 1));
	assert_int_equal(secy_take_events(&pair.left) & SECY_EVENT_PN_EXHAUSTED, 0);
	assert_true(secy_operational(&pair.left));
	assert_true(pair_send(&pair, 2));
	assert_int_equal(secy_take_events(&pair.left) & SECY_EVENT_PN_EXHAUSTED,
			 SECY_EVENT_PN_EXHAUSTED);
	assert_false(secy_operational(&pair.left));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pair_protect(&pair, &frame, 3), SECY_TX_NO_SA);
	assert_int_equal(pair.left.stats.tx_no_sa_pkts, 3);
	assert_int_equal(pair.right.rx[0].stats.ok_pkts, 2);
	pair_free(&pair);
}

static void test_transmission_stops_before_the_packet_number_wraps(void **state)
{
	(void)state;
	check_exhaustion(MACSEC_GCM_AES_128, UINT32_MAX);
	check_exhaustion(MACSEC_GCM_AES_256, UINT32_MAX);
	check_exhaustion(MACSEC_GCM_AES_XPN_128, UINT64_MAX);
	check_exhaustion(MACSEC_GCM_AES_XPN_256, UINT64_MAX);
}

/* IEEE Std 802.1X 9.8: c000 0000 and c000 0000 0000 0000. Told once. */
static void check_pending(unsigned suite, uint64_t pending)
{
	struct macsec_pair pair;

	pair_init(&pair);
	pair.config.suite = (uint8_t)suite;
	pair_start_at(&pair, 1);
	assert_int_equal(pair.left.tx[0].sa[0].pending_pn, pending);
	pair.left.tx[0].sa[0].next_pn = pending - 1;
	pair.right.rx[0].sa[0].lowest_pn = pending - 1;
	assert_true(pair_send(&pair, 1));
	assert_int_equal(secy_take_events(&pair.left), 0);
	assert_true(pair_send(&pair, 2));
	assert_int_equal(secy_take_events(&pair.left), SECY_EVENT_PN_PENDING);
	assert_true(pair_send(&pair, 3));
	assert_int_equal(secy_take_events(&pair.left), 0);
	pair_free(&pair);
}

static void test_pending_exhaustion_is_an_event(void **state)
{
	(void)state;
	check_pending(MACSEC_GCM_AES_128, 0xc0000000);
	check_pending(MACSEC_GCM_AES_XPN_128, UINT64_C(0xc000000000000000));
}

/* A limit, as for packet numbers that are reserved in a file, stops the SA until it is increased.
 */
static void test_limit_of_packet_numbers(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_int_equal(secy_install_tx(&pair.left, 0, 1, pair.sak[1], 1, 11, 18), SECY_OK);
	assert_int_equal(secy_install_rx(&pair.right, PAIR_LEFT, 1, pair.sak[1], 1, 1, pair_start),
			 SECY_OK);
	assert_int_equal(secy_transmit(&pair.left, 0, 1, later), SECY_OK);
	for (unsigned i = 0; i < 5; i++)
		assert_true(pair_send(&pair, 1));
	assert_int_equal(secy_take_events(&pair.left), 0);
	assert_true(pair_send(&pair, 1)); /* 16: two of eight are left */
	assert_int_equal(secy_take_events(&pair.left), SECY_EVENT_PN_PENDING);
	assert_true(pair_send(&pair, 1));
	assert_true(pair_send(&pair, 1));
	assert_int_equal(secy_take_events(&pair.left), SECY_EVENT_PN_EXHAUSTED);
	assert_false(pair_send(&pair, 1));
	assert_int_equal(secy_extend_tx(&pair.left, 0, 1, 17), SECY_BAD_PN);
	assert_int_equal(secy_extend_tx(&pair.left, 0, 1, 100), SECY_OK);
	assert_true(secy_operational(&pair.left));
	assert_true(pair_send(&pair, 1));
	assert_int_equal(pair.left.tx[0].sa[1].next_pn, 20);
	assert_int_equal(secy_extend_tx(&pair.left, 0, 2, 100), SECY_BAD_AN);
	assert_int_equal(secy_extend_tx(&pair.left, 1, 1, 100), SECY_BAD_CHANNEL);
	pair_free(&pair);
}

/* --- key rollover ---------------------------------------------------------------------------- */

/* Through all ANs and around: no frame is lost, also none of the former key still in flight. */
static void test_rollover_loses_no_frame(void **state)
{
	struct macsec_pair pair;
	struct pair_frame flying;
	struct sak *fresh[9];

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	for (unsigned n = 1; n < UNIT_COUNT(fresh); n++) {
		unsigned an = n % SECTAG_ANS, former = (n - 1) % SECTAG_ANS;
		struct dcb_time now = {1000 + n};

		fresh[n] = pair_sak(pair.config.suite, 10 + n);
		assert_true(pair_send(&pair, 1));
		assert_int_equal(secy_install_rx(&pair.right, PAIR_LEFT, an, fresh[n], 1, 1, now),
				 SECY_OK);
		assert_int_equal(secy_install_tx(&pair.left, 0, an, fresh[n], 1, 1, SECY_PN_ALL),
				 SECY_OK);
		assert_true(pair_send(&pair, 1));
		assert_int_equal(secy_next_an(&pair.left, 0), an);
		assert_int_equal(pair_protect(&pair, &flying, 1), SECY_TX_SEND);
		assert_int_equal(secy_transmit(&pair.left, 0, an, now), SECY_OK);
		assert_int_equal(pair.left.tx[0].sa[an].started.ns, now.ns);
		assert_int_equal(pair.left.tx[0].sa[former].stopped.ns, now.ns);
		assert_true(pair_send(&pair, 1));
		assert_true(pair_delivers(&pair, &flying));
		/* Each key has the counts of its own frames. */
		assert_int_equal(pair.left.tx[0].sa[former].tx.encrypted_pkts, n == 1 ? 3 : 5);
		assert_int_equal(pair.left.tx[0].sa[an].tx.encrypted_pkts, 1);
		assert_int_equal(pair.right.rx[0].sa[former].rx.ok_pkts, n == 1 ? 3 : 5);
		assert_int_equal(pair.right.rx[0].sa[an].rx.ok_pkts, 1);
		secy_remove_tx(&pair.left, 0, former, now);
		secy_remove_rx(&pair.right, PAIR_LEFT, former, now);
		assert_false(pair_delivers(&pair, &flying));
		assert_true(pair_send(&pair, 1));
	}
	assert_int_equal(pair.right.rx[0].stats.ok_pkts, 5 * 8);
	assert_int_equal(pair.right.stats.rx_no_sa_error_pkts, 8);
	assert_int_equal(pair.left.tx[0].stats.encrypted_pkts, 5 * 8);
	for (unsigned n = 1; n < UNIT_COUNT(fresh); n++)
		sak_free(fresh[n]);
	pair_free(&pair);
}

/* A new SA in the place of the one that transmits: nothing is sent before secy_transmit(). */
static void test_replaced_sa_does_not_transmit_by_itself(void **state)
{
	struct macsec_pair pair;
	struct pair_frame frame;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_int_equal(secy_install_tx(&pair.left, 0, 0, pair.sak[1], 1, 1, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_NO_SA);
	assert_int_equal(secy_transmit(&pair.left, 0, 0, later), SECY_OK);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_SEND);
	secy_remove_tx(&pair.left, 0, 0, later);
	assert_int_equal(pair_protect(&pair, &frame, 1), SECY_TX_NO_SA);
	assert_false(secy_operational(&pair.left));
	assert_int_equal(secy_next_an(&pair.left, 0), -1);
	pair_free(&pair);
}

static void test_next_sa_has_packet_numbers_left(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_int_equal(secy_next_an(&pair.left, 0), -1);
	assert_int_equal(secy_install_tx(&pair.left, 0, 1, pair.sak[1], 1, 1, 1), SECY_OK);
	assert_int_equal(secy_install_tx(&pair.left, 0, 3, pair.sak[3], 1, 1, 1), SECY_OK);
	assert_int_equal(secy_next_an(&pair.left, 0), 1);
	pair.left.tx[0].sa[1].next_pn = 2;
	assert_int_equal(secy_next_an(&pair.left, 0), 3);
	pair_free(&pair);
}

/* --- errors ---------------------------------------------------------------------------------- */

static enum secy_error init_with(void (*change)(struct secy_config *config))
{
	struct secy_config config;
	struct secy secy, before;
	enum secy_error error;

	secy_config_init(&config, PAIR_LEFT);
	change(&config);
	memset(&secy, 0x5a, sizeof(secy));
	memcpy(&before, &secy, sizeof(secy));
	error = secy_init(&secy, &config);
	if (error)
		assert_memory_equal(&secy, &before, sizeof(secy));
	return error;
}

static void bad_suite(struct secy_config *config)
{
	config->suite = MACSEC_SUITES;
}

static void bad_offset(struct secy_config *config)
{
	config->confidentiality_offset = 31;
}

static void xpn_offset(struct secy_config *config)
{
	config->suite = MACSEC_GCM_AES_XPN_256;
	config->confidentiality_offset = 30;
}

static void no_channel(struct secy_config *config)
{
	config->tx_scs = 0;
}

static void many_channels(struct secy_config *config)
{
	config->tx_scs = SECY_TX_SCS + 1;
}

static void reserved_sci(struct secy_config *config)
{
	config->sci = UINT64_MAX;
}

static void class_in_sci(struct secy_config *config)
{
	config->tx_scs = 2;
	config->sci |= 0x1000;
}

static void test_refuses_bad_configurations(void **state)
{
	(void)state;
	assert_int_equal(init_with(bad_suite), SECY_BAD_SUITE);
	assert_int_equal(init_with(bad_offset), SECY_BAD_OFFSET);
	assert_int_equal(init_with(xpn_offset), SECY_BAD_OFFSET);
	assert_int_equal(init_with(no_channel), SECY_BAD_CHANNEL);
	assert_int_equal(init_with(many_channels), SECY_BAD_CHANNEL);
	assert_int_equal(init_with(reserved_sci), SECY_BAD_SCI);
	assert_int_equal(init_with(class_in_sci), SECY_BAD_SCI);
}

static void test_refuses_bad_associations(void **state)
{
	struct macsec_pair pair;
	struct sak *other = pair_sak(MACSEC_GCM_AES_256, 1);
	struct secy *left = &pair.left;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_int_equal(secy_install_tx(left, 1, 1, pair.sak[1], 1, 1, 9), SECY_BAD_CHANNEL);
	assert_int_equal(secy_install_tx(left, 0, 4, pair.sak[1], 1, 1, 9), SECY_BAD_AN);
	assert_int_equal(secy_install_tx(left, 0, 1, other, 1, 1, 9), SECY_BAD_SUITE);
	assert_int_equal(secy_install_tx(left, 0, 1, pair.sak[1], 1, 0, 9), SECY_BAD_PN);
	assert_int_equal(secy_install_tx(left, 0, 1, pair.sak[1], 1, 10, 9), SECY_BAD_PN);
	assert_int_equal(
	    secy_install_tx(left, 0, 1, pair.sak[1], 1, UINT64_C(1) << 32, SECY_PN_ALL),
	    SECY_BAD_PN);
	/* The key of AN 0: its packet numbers would be used again. */
	assert_int_equal(secy_install_tx(left, 0, 1, pair.sak[0], 1, 1, 9), SECY_SAK_USED);
	assert_int_equal(secy_install_tx(left, 0, 0, pair.sak[0], 1, 1, 9), SECY_SAK_USED);
	assert_int_equal(secy_transmit(left, 0, 1, later), SECY_BAD_AN);
	assert_int_equal(secy_transmit(left, 0, 4, later), SECY_BAD_AN);
	assert_int_equal(secy_transmit(left, 2, 0, later), SECY_BAD_CHANNEL);
	assert_int_equal(secy_install_rx(left, PAIR_RIGHT, 0, pair.sak[0], 1, 1, later),
			 SECY_NO_SC);
	assert_true(pair_send(&pair, 1)); /* nothing changed */
	sak_free(other);
	pair_free(&pair);
}

static void test_refuses_bad_receive_channels(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	assert_int_equal(secy_add_rx_sc(&pair.right, UINT64_MAX), SECY_BAD_SCI);
	assert_int_equal(secy_add_rx_sc(&pair.right, PAIR_LEFT), SECY_SC_EXISTS);
	assert_int_equal(secy_add_rx_sc(&pair.right, PAIR_RIGHT), SECY_SC_EXISTS); /* its own */
	for (unsigned i = 1; i < SECY_RX_SCS; i++)
		assert_int_equal(secy_add_rx_sc(&pair.right, i), SECY_OK);
	assert_int_equal(secy_add_rx_sc(&pair.right, 100), SECY_TOO_MANY);
	pair_free(&pair);
}

/* 10.7.13: with XPN, the IV has the SSCI in the place of the SCI. */
static void test_ssci_belongs_to_one_sci(void **state)
{
	struct macsec_pair pair;

	(void)state;
	pair_init(&pair);
	pair.config.suite = MACSEC_GCM_AES_XPN_128;
	pair_start_at(&pair, 1); /* left has SSCI 1 with key 0 */
	assert_int_equal(secy_install_tx(&pair.right, 0, 0, pair.sak[0], 1, 1, SECY_PN_ALL),
			 SECY_SSCI_USED);
	assert_int_equal(secy_install_tx(&pair.right, 0, 0, pair.sak[1], 1, 1, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_install_tx(&pair.right, 0, 0, pair.sak[0], 2, 1, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_add_rx_sc(&pair.left, PAIR_RIGHT), SECY_OK);
	assert_int_equal(secy_install_rx(&pair.left, PAIR_RIGHT, 0, pair.sak[0], 1, 1, later),
			 SECY_SSCI_USED);
	assert_int_equal(secy_install_rx(&pair.left, PAIR_RIGHT, 0, pair.sak[0], 2, 1, later),
			 SECY_OK);
	pair_free(&pair);
}

static void test_every_error_has_a_text(void **state)
{
	(void)state;
	for (int e = 0; e < SECY_ERRORS; e++)
		assert_string_not_equal(secy_strerror((enum secy_error)e), "unknown");
	assert_string_equal(secy_strerror(SECY_ERRORS), "unknown");
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_suites_and_lengths),
	    cmocka_unit_test(test_counts_frames_and_octets),
	    cmocka_unit_test(test_without_protection_frames_are_unchanged),
	    cmocka_unit_test(test_frames_that_grow_too_long_are_discarded),
	    cmocka_unit_test(test_frames_without_user_data_are_refused),
	    cmocka_unit_test(test_sci_is_encoded_as_in_table_10_1),
	    cmocka_unit_test(test_channels_have_their_own_sci_and_packet_numbers),
	    cmocka_unit_test(test_transmission_stops_before_the_packet_number_wraps),
	    cmocka_unit_test(test_pending_exhaustion_is_an_event),
	    cmocka_unit_test(test_limit_of_packet_numbers),
	    cmocka_unit_test(test_rollover_loses_no_frame),
	    cmocka_unit_test(test_replaced_sa_does_not_transmit_by_itself),
	    cmocka_unit_test(test_next_sa_has_packet_numbers_left),
	    cmocka_unit_test(test_refuses_bad_configurations),
	    cmocka_unit_test(test_refuses_bad_associations),
	    cmocka_unit_test(test_refuses_bad_receive_channels),
	    cmocka_unit_test(test_ssci_belongs_to_one_sci),
	    cmocka_unit_test(test_every_error_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
