/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SecY receives any frames and goes on: each is counted once, only valid frames change the replay
 * check, a discarded frame is not delivered. After them, frames of its peer still arrive.
 *
 * Input: an octet of controls; then frames, each behind an octet: bit 7 asks for the SecTAG
 * and ICV of the peer around these octets, bits 6-0 are the octets of the frame.
 */
#include "dataplane/macsec/secy.h"
#include "lib/octets.h"
#include "tests/fuzz/fuzz.h"

#define SCI_PEER 0x0200000000010001u
#define SCI_OWN  0x0200000000020001u

#define FRAME_MAX 128

static const struct dcb_time now;

/* Keys live as long as the program: making their contexts takes longer than an input. */
static struct sak *sak_of(unsigned suite)
{
	static const uint8_t key[SAK_OCTETS_MAX] = {1}, salt[SAK_SALT_OCTETS] = {2};
	static struct sak *saks[MACSEC_SUITES];

	if (!saks[suite])
		saks[suite] = sak_new((enum macsec_suite)suite, key, salt);
	FUZZ_ASSERT(saks[suite]);
	return saks[suite];
}

static void setup(struct secy *peer, struct secy *secy, uint8_t controls)
{
	struct secy_config config;

	secy_config_init(&config, SCI_PEER);
	config.suite = controls & 3;
	config.confidentiality = controls & 4;
	config.validate_frames = (controls >> 3 & 3) % 3;
	config.replay_window = controls >> 5 & 3;
	config.replay_protect = !(controls & 0x80);
	config.always_include_sci = controls & 1;
	FUZZ_ASSERT(secy_init(peer, &config) == SECY_OK);
	config.sci = SCI_OWN;
	FUZZ_ASSERT(secy_init(secy, &config) == SECY_OK);
	FUZZ_ASSERT(secy_add_rx_sc(secy, SCI_PEER) == SECY_OK);
	FUZZ_ASSERT(secy_install_tx(peer, 0, 1, sak_of(config.suite), 1, 7, SECY_PN_ALL) ==
		    SECY_OK);
	FUZZ_ASSERT(secy_transmit(peer, 0, 1, now) == SECY_OK);
	FUZZ_ASSERT(secy_install_rx(secy, SCI_PEER, 1, sak_of(config.suite), 1, 1, now) == SECY_OK);
}

static uint64_t received(const struct secy *secy)
{
	const struct secy_stats *s = &secy->stats;
	const struct secy_rx_sc_stats *sc = &secy->rx[0].stats;

	return s->rx_untagged_pkts + s->rx_no_tag_pkts + s->rx_bad_tag_pkts + s->rx_no_sa_pkts +
	       s->rx_no_sa_error_pkts + s->rx_uncontrolled_pkts + sc->late_pkts +
	       sc->not_valid_pkts + sc->invalid_pkts + sc->delayed_pkts + sc->unchecked_pkts +
	       sc->ok_pkts;
}

static void receive(struct secy *secy, const uint8_t *octets, uint32_t len)
{
	uint8_t *exact = malloc(len ? len : 1); /* a sanitizer reports accesses beyond it */
	uint64_t before = received(secy), next = secy->rx[0].sa[1].next_pn;
	struct secy_frame out;
	enum secy_rx verdict;
	bool valid;

	FUZZ_ASSERT(exact);
	memcpy(exact, octets, len);
	verdict = secy_validate(secy, exact, len, &out, &valid);
	FUZZ_ASSERT(received(secy) == before + 1);
	FUZZ_ASSERT(valid || secy->rx[0].sa[1].next_pn == next);
	FUZZ_ASSERT(secy->rx[0].sa[1].next_pn >= next);
	FUZZ_ASSERT(!valid || verdict == SECY_RX_DELIVER);
	if (verdict == SECY_RX_DELIVER)
		FUZZ_ASSERT(out.octets >= exact && out.octets + out.len <= exact + len);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in in = octets_in(data, size);
	struct secy peer, secy;
	uint8_t plain[FRAME_MAX] = {0}, room[SECY_HEADROOM + FRAME_MAX + SECY_TAILROOM];
	struct secy_frame sent;

	setup(&peer, &secy, octets_in_u8(&in));
	while (in.left > 0) {
		uint8_t head = octets_in_u8(&in);
		uint32_t len = head & 0x7f;
		const uint8_t *octets = octets_in_take(&in, len);

		if (!octets)
			break;
		if (!(head & 0x80) || len <= SECTAG_ADDRESSES) {
			receive(&secy, octets, len);
			continue;
		}
		memcpy(plain, octets, len);
		FUZZ_ASSERT(secy_protect(&peer, 0, plain, len, room, &sent) == SECY_TX_SEND);
		receive(&secy, sent.octets, sent.len);
	}
	memset(plain, 3, sizeof(plain));
	FUZZ_ASSERT(secy_protect(&peer, 0, plain, sizeof(plain), room, &sent) == SECY_TX_SEND);
	receive(&secy, sent.octets, sent.len);
	if (secy.config.validate_frames != SECY_VALIDATE_DISABLED)
		FUZZ_ASSERT(secy.rx[0].stats.ok_pkts > 0);
	return 0;
}
