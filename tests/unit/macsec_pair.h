/* SPDX-License-Identifier: BSD-3-Clause */
/* Two SecYs, left and right, with a key for each AN, and frames from one to the other. */
#ifndef DCB_TESTS_MACSEC_PAIR_H
#define DCB_TESTS_MACSEC_PAIR_H

#include "dataplane/macsec/secy.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

#define PAIR_LEFT  UINT64_C(0x0200000000010001)
#define PAIR_RIGHT UINT64_C(0x0200000000020001)

#define PAIR_OCTETS_MAX 2000

struct macsec_pair {
	struct secy left, right;
	struct sak *sak[SECTAG_ANS];
	struct secy_config config; /* of left; right's differs in the SCI */
};

/* A frame, with its room for protection, and its place in it. */
struct pair_frame {
	uint8_t room[SECY_HEADROOM + PAIR_OCTETS_MAX + SECY_TAILROOM];
	struct secy_frame at;
};

static const struct dcb_time pair_start = {1000};

/* Makes a key of its own for each number. */
static inline struct sak *pair_sak(unsigned int suite, unsigned int number)
{
	uint8_t key[SAK_OCTETS_MAX], salt[SAK_SALT_OCTETS];
	struct sak *sak;

	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(number * 40 + i);
	for (unsigned i = 0; i < sizeof(salt); i++)
		salt[i] = (uint8_t)(0xf0 - number - i);
	sak = sak_new((enum macsec_suite)suite, key, salt);
	assert_non_null(sak);
	return sak;
}

/* Starts both ends with pair->config; AN 0 transmits, from packet number pn on. */
static inline void pair_start_at(struct macsec_pair *pair, uint64_t pn)
{
	struct secy_config other = pair->config;

	other.sci = PAIR_RIGHT;
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		pair->sak[an] = pair_sak(pair->config.suite, an);
	assert_int_equal(secy_init(&pair->left, &pair->config), SECY_OK);
	assert_int_equal(secy_init(&pair->right, &other), SECY_OK);
	assert_int_equal(secy_add_rx_sc(&pair->right, PAIR_LEFT), SECY_OK);
	assert_int_equal(
	    secy_install_rx(&pair->right, PAIR_LEFT, 0, pair->sak[0], 1, pn, pair_start), SECY_OK);
	assert_int_equal(secy_install_tx(&pair->left, 0, 0, pair->sak[0], 1, pn, SECY_PN_ALL),
			 SECY_OK);
	assert_int_equal(secy_transmit(&pair->left, 0, 0, pair_start), SECY_OK);
}

static inline void pair_init(struct macsec_pair *pair)
{
	memset(pair, 0, sizeof(*pair));
	secy_config_init(&pair->config, PAIR_LEFT);
}

static inline void pair_free(struct macsec_pair *pair)
{
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		sak_free(pair->sak[an]);
}

/* Makes an unprotected frame from the left SecY's address; number is in its user data. */
static inline void pair_plain(struct pair_frame *frame, uint32_t len, uint8_t number)
{
	static const uint8_t addresses[] = {0x01, 0x80, 0xc2, 0x33, 0x44, 0x55, 2, 0, 0, 0, 0, 1};

	assert_in_range(len, 13, PAIR_OCTETS_MAX);
	frame->at = (struct secy_frame){frame->room + SECY_HEADROOM, len};
	memset(frame->at.octets, number, len);
	memcpy(frame->at.octets, addresses, sizeof(addresses));
	if (len >= 14)
		memcpy(frame->at.octets + 12, "\x08\x00", 2);
}

/* Protects a new frame of 100 octets at the left. */
static inline enum secy_tx pair_protect(struct macsec_pair *pair, struct pair_frame *frame,
					uint8_t number)
{
	pair_plain(frame, 100, number);
	return secy_protect(&pair->left, 0, frame->at.octets, frame->at.len, frame->room,
			    &frame->at);
}

/* Validates a copy of the frame at the right. *got: the frame delivered, if it is. */
static inline enum secy_rx pair_validate(struct macsec_pair *pair, const struct secy_frame *frame,
					 struct pair_frame *got, bool *valid)
{
	memcpy(got->room, frame->octets, frame->len);
	return secy_validate(&pair->right, got->room, frame->len, &got->at, valid);
}

/* Returns whether the right SecY delivers a copy of the frame. */
static inline bool pair_delivers(struct macsec_pair *pair, const struct pair_frame *frame)
{
	struct pair_frame got;
	bool valid;

	return pair_validate(pair, &frame->at, &got, &valid) == SECY_RX_DELIVER;
}

/* Sends a frame from left to right; returns whether it arrives. */
static inline bool pair_send(struct macsec_pair *pair, uint8_t number)
{
	struct pair_frame frame;

	return pair_protect(pair, &frame, number) == SECY_TX_SEND && pair_delivers(pair, &frame);
}

/* Returns the sum of the counts of received frames of the right SecY: 10.7.9. */
static inline uint64_t pair_received(const struct macsec_pair *pair)
{
	const struct secy_stats *s = &pair->right.stats;
	uint64_t sum = s->rx_untagged_pkts + s->rx_no_tag_pkts + s->rx_bad_tag_pkts +
		       s->rx_no_sa_pkts + s->rx_no_sa_error_pkts + s->rx_uncontrolled_pkts;

	for (unsigned i = 0; i < pair->right.rx_scs; i++) {
		const struct secy_rx_sc_stats *sc = &pair->right.rx[i].stats;

		sum += sc->late_pkts + sc->not_valid_pkts + sc->invalid_pkts + sc->delayed_pkts +
		       sc->unchecked_pkts + sc->ok_pkts;
	}
	return sum;
}

#endif
