/* SPDX-License-Identifier: BSD-3-Clause */
/* The PFC Multiplexer: P802.1Qdt 36.4, 36.5; with PFC frames through two SecYs. */
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/macsec/pfc_mux.h"
#include "lib/octets.h"
#include "tests/unit/macsec_pair.h"

static const enum pfc_macsec modes[] = {PFC_MACSEC_NONE, PFC_MACSEC_DATA, PFC_MACSEC_ALL};

static void make_pfc(uint8_t frame[PFC_FRAME_OCTETS])
{
	struct pfc_pdu pdu = {.source = {2, 0, 0, 0, 0, 1}, .enable = 0x08, .time = {[3] = 77}};

	pfc_pdu_encode(&pdu, frame);
}

static void make_control(uint8_t frame[PFC_FRAME_OCTETS], unsigned opcode)
{
	make_pfc(frame);
	put_be16(frame + 14, (uint16_t)opcode);
}

static void test_pfc_is_protected_in_mode_all_only(void **state)
{
	(void)state;
	assert_false(pfc_mux_protects(PFC_MACSEC_NONE));
	assert_false(pfc_mux_protects(PFC_MACSEC_DATA));
	assert_true(pfc_mux_protects(PFC_MACSEC_ALL));
}

static void test_unprotected_pfc_is_accepted_unless_pfc_is_protected(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(modes); i++) {
		bool all = modes[i] == PFC_MACSEC_ALL;
		struct pfc_mux_stats stats = {0};
		uint8_t frame[PFC_FRAME_OCTETS];

		make_pfc(frame);
		assert_int_equal(pfc_mux_received(modes[i], frame, sizeof(frame), &stats),
				 all ? PFC_MUX_DISCARD : PFC_MUX_CONTROL);
		make_control(frame, PFC_OPCODE_PAUSE);
		assert_int_equal(pfc_mux_received(modes[i], frame, sizeof(frame), &stats),
				 all ? PFC_MUX_DISCARD : PFC_MUX_CONTROL);
		assert_int_equal(stats.rx_unprotected, all ? 2 : 0);
		assert_int_equal(stats.rx_not_pfc + stats.rx_not_valid, 0);
	}
}

/* Of the 65536 opcodes one is PFC. */
static void test_other_opcodes_from_the_controlled_port_are_discarded(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(modes); i++) {
		struct pfc_mux_stats stats = {0};
		uint8_t frame[PFC_FRAME_OCTETS];

		for (unsigned opcode = 0; opcode < 0x10000; opcode++) {
			make_control(frame, opcode);
			assert_int_equal(
			    pfc_mux_controlled(modes[i], frame, sizeof(frame), true, &stats),
			    opcode == 0x0101 ? PFC_MUX_CONTROL : PFC_MUX_DISCARD);
		}
		assert_int_equal(stats.rx_not_pfc, 0xffff);
		assert_int_equal(stats.rx_unprotected + stats.rx_not_valid, 0);
	}
}

/*
 * 36.2.7: PFC frames in MPPDUs of an SC that passes relays shall be discarded. The PFC Multiplexer
 * takes none out of any frame: whatever EtherType encapsulates one, it is data.
 */
static void test_pfc_in_another_frame_is_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(modes); i++) {
		struct pfc_mux_stats stats = {0}, none = {0};
		uint8_t frame[16 + PFC_FRAME_OCTETS] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

		make_pfc(frame + 16);
		for (unsigned type = 0; type < 0x10000; type++) {
			if (type == 0x8808)
				continue;
			put_be16(frame + 12, (uint16_t)type);
			assert_int_equal(
			    pfc_mux_controlled(modes[i], frame, sizeof(frame), true, &stats),
			    PFC_MUX_PASS);
			assert_int_equal(pfc_mux_received(modes[i], frame, sizeof(frame), &stats),
					 PFC_MUX_PASS);
		}
		assert_memory_equal(&stats, &none, sizeof(stats));
	}
}

/* Frames that end before the opcode. */
static void test_short_control_frames_are_discarded(void **state)
{
	struct pfc_mux_stats stats = {0};
	uint8_t frame[PFC_FRAME_OCTETS];

	(void)state;
	make_pfc(frame);
	for (size_t len = 0; len < 14; len++) {
		assert_int_equal(pfc_mux_controlled(PFC_MACSEC_ALL, frame, len, true, &stats),
				 PFC_MUX_PASS);
		assert_int_equal(pfc_mux_received(PFC_MACSEC_ALL, frame, len, &stats),
				 PFC_MUX_PASS);
	}
	for (size_t len = 14; len < 16; len++)
		assert_int_equal(pfc_mux_controlled(PFC_MACSEC_ALL, frame, len, true, &stats),
				 PFC_MUX_DISCARD);
	assert_int_equal(stats.rx_not_pfc, 2);
	assert_int_equal(pfc_mux_controlled(PFC_MACSEC_ALL, frame, 16, true, &stats),
			 PFC_MUX_CONTROL);
}

/* validateFrames other than strict delivers frames of any sender. */
static void test_pfc_needs_a_valid_icv_in_mode_all(void **state)
{
	struct pfc_mux_stats stats = {0};
	uint8_t frame[PFC_FRAME_OCTETS];

	(void)state;
	make_pfc(frame);
	assert_int_equal(pfc_mux_controlled(PFC_MACSEC_ALL, frame, sizeof(frame), false, &stats),
			 PFC_MUX_DISCARD);
	assert_int_equal(stats.rx_not_valid, 1);
	assert_int_equal(pfc_mux_controlled(PFC_MACSEC_DATA, frame, sizeof(frame), false, &stats),
			 PFC_MUX_CONTROL);
	assert_int_equal(stats.rx_not_valid, 1);
}

/* Initial protocol identifiers other than 88-08, a VLAN tag before it included. */
static void test_other_frames_pass(void **state)
{
	struct pfc_mux_stats stats = {0}, none = {0};
	uint8_t frame[PFC_FRAME_OCTETS];

	(void)state;
	make_pfc(frame);
	for (unsigned type = 0; type < 0x10000; type++) {
		if (type == 0x8808)
			continue;
		put_be16(frame + 12, (uint16_t)type);
		for (size_t i = 0; i < UNIT_COUNT(modes); i++) {
			assert_int_equal(
			    pfc_mux_controlled(modes[i], frame, sizeof(frame), true, &stats),
			    PFC_MUX_PASS);
			assert_int_equal(pfc_mux_received(modes[i], frame, sizeof(frame), &stats),
					 PFC_MUX_PASS);
		}
	}
	put_be16(frame + 12, 0x8100);
	put_be16(frame + 16, 0x8808);
	assert_int_equal(pfc_mux_controlled(PFC_MACSEC_ALL, frame, sizeof(frame), true, &stats),
			 PFC_MUX_PASS);
	assert_memory_equal(&stats, &none, sizeof(stats));
}

/* A PFC frame through both SecYs: on the link it is not MAC Control, behind the SecY it is. */
static void test_protected_pfc_reaches_the_receiver(void **state)
{
	struct pfc_mux_stats stats = {0};
	struct macsec_pair pair;
	struct pair_frame frame, got;
	struct pfc_pdu pdu;
	bool valid;

	(void)state;
	pair_init(&pair);
	pair_start_at(&pair, 1);
	frame.at = (struct secy_frame){frame.room + SECY_HEADROOM, PFC_FRAME_OCTETS};
	make_pfc(frame.at.octets);
	assert_int_equal(
	    secy_protect(&pair.left, 0, frame.at.octets, frame.at.len, frame.room, &frame.at),
	    SECY_TX_SEND);
	assert_int_equal(pfc_mux_received(PFC_MACSEC_ALL, frame.at.octets, frame.at.len, &stats),
			 PFC_MUX_PASS);
	assert_int_equal(pair_validate(&pair, &frame.at, &got, &valid), SECY_RX_DELIVER);
	assert_int_equal(
	    pfc_mux_controlled(PFC_MACSEC_ALL, got.at.octets, got.at.len, valid, &stats),
	    PFC_MUX_CONTROL);
	assert_int_equal(pfc_pdu_decode(got.at.octets, got.at.len, &pdu), PFC_PDU_OK);
	assert_int_equal(pdu.enable, 0x08);
	assert_int_equal(pdu.time[3], 77);
	pair_free(&pair);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pfc_is_protected_in_mode_all_only),
	    cmocka_unit_test(test_unprotected_pfc_is_accepted_unless_pfc_is_protected),
	    cmocka_unit_test(test_other_opcodes_from_the_controlled_port_are_discarded),
	    cmocka_unit_test(test_pfc_in_another_frame_is_data),
	    cmocka_unit_test(test_short_control_frames_are_discarded),
	    cmocka_unit_test(test_pfc_needs_a_valid_icv_in_mode_all),
	    cmocka_unit_test(test_other_frames_pass),
	    cmocka_unit_test(test_protected_pfc_reaches_the_receiver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
