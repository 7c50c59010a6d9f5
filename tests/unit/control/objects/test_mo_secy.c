/* SPDX-License-Identifier: BSD-3-Clause */
/* dcbSecyTable, dcbSecyRxSCTable, dcbSecySATable: MACsec of the ports that have it. */
#include "tests/unit/mo_world.h"

#include "control/objects/mo_read.h"
#include "dataplane/macsec/port_macsec.h"

#include <stdio.h>
#include <string.h>

#define SECY(name) "dcbSecy" name
#define OWN        UINT64_C(0x0200000000010001)
#define PEER       UINT64_C(0x0200000000020001)

/* Keys with AN 0 and 2; AN 0 transmits. */
static void make(struct port_macsec *m, enum macsec_suite suite, unsigned channels)
{
	struct port_macsec_params p = {.name = "sw",
				       .mode = channels > 1 ? PFC_MACSEC_ALL : PFC_MACSEC_DATA,
				       .peer_sci = PEER,
				       .ssci = {{3, 1}, {4, 2}}};
	uint8_t key[SAK_OCTETS_MAX] = {0}, salt[SAK_SALT_OCTETS] = {0};

	secy_config_init(&p.secy, OWN);
	p.secy.suite = (uint8_t)suite;
	p.secy.tx_scs = (uint8_t)channels;
	for (unsigned an = 0; an < SECTAG_ANS; an += 2) {
		key[0] = (uint8_t)an;
		p.sak[an] = sak_new(suite, key, salt);
		assert_non_null(p.sak[an]);
		p.numbers[an] = (struct port_macsec_numbers){
		    .next = 100 + an, .last = 1000 + an, .lowest = {50 + an, 60 + an}};
	}
	assert_int_equal(port_macsec_init(m, &p), SECY_OK);
}

/* Gives the port its MACsec, as a provider does when it opens the port. */
static void secure(struct mo_world *w, unsigned pos, struct port_macsec *m)
{
	struct fake_port *port = fake_port(w->m->config->ports[pos].port);

	port->port.has |= PROVIDER_SECY;
	port->macsec = m;
}

static void test_only_ports_with_macsec_have_rows(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec three, nine;

	(void)state;
	assert_column(w, SECY("Mode"), "");
	assert_column(w, SECY("RxSCI"), "");
	assert_column(w, SECY("SATxState"), "");
	make(&three, MACSEC_GCM_AES_XPN_256, 2);
	make(&nine, MACSEC_GCM_AES_128, 1);
	secure(w, 0, &three);
	secure(w, 2, &nine);
	assert_column(w, SECY("Mode"), "3=dataAndPfc 9=data");
	assert_column(w, SECY("CurrentCipherSuite"), "3=gcmAesXpn256 9=gcmAes128");
	assert_column(w, SECY("TxChannels"), "3=2 9=1");
	assert_column(w, SECY("RxSCLatePkts"), "3.1=0 3.2=0 9.1=0");
	assert_column(w, SECY("SATxState"),
		      "3.1.0=inUse 3.1.2=notInUse 3.2.0=inUse 3.2.2=notInUse 9.1.0=inUse "
		      "9.1.2=notInUse");
	mo_world_free(w);
	port_macsec_free(&three);
	port_macsec_free(&nine);
}

static void test_settings_are_read(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec m;
	struct secy_config *config = &m.secy.config;

	(void)state;
	make(&m, MACSEC_GCM_AES_256, 1);
	config->confidentiality_offset = 30;
	config->validate_frames = SECY_VALIDATE_CHECK;
	config->replay_window = UINT32_MAX;
	config->always_include_sci = true;
	m.stats.delay_ns = 2345;
	secure(w, 0, &m);
	assert_value(w, SECY("Sci"), "3", "02-00-00-00-00-01-00-01");
	assert_value(w, SECY("RxSCI"), "3.1", "02-00-00-00-00-02-00-01");
	assert_value(w, SECY("Confidentiality"), "3", "true");
	assert_value(w, SECY("ConfidentialityOffset"), "3", "30");
	assert_value(w, SECY("ValidateFrames"), "3", "check");
	assert_value(w, SECY("ReplayProtectEnable"), "3", "true");
	assert_value(w, SECY("ReplayProtectWindow"), "3", "4294967295");
	assert_value(w, SECY("IncludeSCIEnable"), "3", "true");
	assert_value(w, SECY("Delay"), "3", "2345");
	mo_world_free(w);
	port_macsec_free(&m);
}

static void test_packet_numbers_and_state_are_read(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec m;
	struct secy_tx_sc *tx = m.secy.tx;

	(void)state;
	make(&m, MACSEC_GCM_AES_128, 1);
	secure(w, 0, &m);
	assert_column(w, SECY("SATxNextPN"), "3.1.0=100 3.1.2=102");
	assert_column(w, SECY("SATxReservedPN"), "3.1.0=1000 3.1.2=1002");
	assert_column(w, SECY("SARxLowestPN"), "3.1.0=50 3.1.2=52");
	assert_value(w, SECY("Operational"), "3", "true");
	/* Reserved numbers are missing for a while. */
	tx->sa[0].next_pn = 1001;
	assert_value(w, SECY("Operational"), "3", "false");
	assert_value(w, SECY("SATxState"), "3.1.0", "inUse");
	port_macsec_reserve(&m, 0, UINT32_MAX);
	assert_value(w, SECY("Operational"), "3", "true");
	/* The last number of 32 bits is sent, and the next key is used. */
	tx->sa[0].next_pn = UINT64_C(1) << 32;
	assert_value(w, SECY("Operational"), "3", "false");
	assert_value(w, SECY("SATxState"), "3.1.0", "usedUp");
	assert_value(w, SECY("SATxNextPN"), "3.1.0", "0");
	assert_int_equal(secy_transmit(&m.secy, 0, 2, (struct dcb_time){0}), SECY_OK);
	assert_value(w, SECY("Operational"), "3", "true");
	assert_value(w, SECY("EncodingSA"), "3", "2");
	assert_column(w, SECY("SATxState"), "3.1.0=usedUp 3.1.2=inUse");
	tx->transmitting = false;
	assert_value(w, SECY("Operational"), "3", "false");
	assert_value(w, SECY("SATxState"), "3.1.2", "notInUse");
	mo_world_free(w);
	port_macsec_free(&m);
}

/* A key whose last number was used before the start has no association to transmit with. */
static void test_key_that_is_used_up_at_the_start(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec m;

	(void)state;
	make(&m, MACSEC_GCM_AES_XPN_128, 1);
	secure(w, 0, &m);
	m.secy.tx[0].sa[2].sak = NULL;
	port_macsec_reserve(&m, 2, UINT64_MAX);
	assert_column(w, SECY("SATxState"), "3.1.0=inUse 3.1.2=usedUp");
	/* With XPN, numbers go on beyond 32 bits. */
	m.secy.tx[0].sa[0].next_pn = UINT64_C(1) << 40;
	port_macsec_reserve(&m, 0, UINT64_C(1) << 40);
	assert_value(w, SECY("SATxNextPN"), "3.1.0", "1099511627776");
	assert_value(w, SECY("Operational"), "3", "true");
	mo_world_free(w);
	port_macsec_free(&m);
}

static void test_key_of_the_peer_that_is_used_up(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec m, xpn;

	(void)state;
	make(&m, MACSEC_GCM_AES_128, 1);
	make(&xpn, MACSEC_GCM_AES_XPN_128, 1);
	secure(w, 0, &m);
	secure(w, 1, &xpn);
	assert_column(w, SECY("SARxState"), "3.1.0=inUse 3.1.2=inUse 5.1.0=inUse 5.1.2=inUse");
	m.secy.rx[0].sa[0].next_pn = xpn.secy.rx[0].sa[0].next_pn = UINT64_C(1) << 32;
	xpn.secy.rx[0].sa[2].exhausted = true;
	assert_column(w, SECY("SARxState"), "3.1.0=usedUp 3.1.2=inUse 5.1.0=inUse 5.1.2=usedUp");
	mo_world_free(w);
	port_macsec_free(&m);
	port_macsec_free(&xpn);
}

static void assert_counter(struct mo_world *w, const char *object, const char *index, uint64_t n)
{
	char name[64], text[32];

	snprintf(name, sizeof(name), SECY("%s"), object);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	assert_value(w, name, index, text);
}

static void test_counters_are_read(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec m;
	const struct {
		const char *object;
		uint64_t *counter;
		const char *index;
	} counters[] = {
	    {"TxOctetsProtected", &m.secy.stats.tx_octets_protected, "3"},
	    {"TxOctetsEncrypted", &m.secy.stats.tx_octets_encrypted, "3"},
	    {"TxUntaggedPkts", &m.secy.stats.tx_untagged_pkts, "3"},
	    {"TxTooLongPkts", &m.secy.stats.tx_too_long_pkts, "3"},
	    {"TxNoSAPkts", &m.secy.stats.tx_no_sa_pkts, "3"},
	    {"TxNotReservedPkts", &m.stats.not_reserved, "3"},
	    {"TxUsedUpSAs", &m.stats.used_up, "3"},
	    {"RxUntaggedPkts", &m.secy.stats.rx_untagged_pkts, "3"},
	    {"RxNoTagPkts", &m.secy.stats.rx_no_tag_pkts, "3"},
	    {"RxBadTagPkts", &m.secy.stats.rx_bad_tag_pkts, "3"},
	    {"RxNoSAPkts", &m.secy.stats.rx_no_sa_pkts, "3"},
	    {"RxNoSAErrorPkts", &m.secy.stats.rx_no_sa_error_pkts, "3"},
	    {"RxUncontrolledPkts", &m.secy.stats.rx_uncontrolled_pkts, "3"},
	    {"RxOctetsValidated", &m.secy.stats.rx_octets_validated, "3"},
	    {"RxOctetsDecrypted", &m.secy.stats.rx_octets_decrypted, "3"},
	    {"MuxNotPfcFrames", &m.stats.mux.rx_not_pfc, "3"},
	    {"MuxNotValidFrames", &m.stats.mux.rx_not_valid, "3"},
	    {"MuxUnprotectedFrames", &m.stats.mux.rx_unprotected, "3"},
	    {"RxSCOKPkts", &m.secy.rx[1].stats.ok_pkts, "3.2"},
	    {"RxSCUncheckedPkts", &m.secy.rx[1].stats.unchecked_pkts, "3.2"},
	    {"RxSCDelayedPkts", &m.secy.rx[1].stats.delayed_pkts, "3.2"},
	    {"RxSCLatePkts", &m.secy.rx[0].stats.late_pkts, "3.1"},
	    {"RxSCInvalidPkts", &m.secy.rx[0].stats.invalid_pkts, "3.1"},
	    {"RxSCNotValidPkts", &m.secy.rx[0].stats.not_valid_pkts, "3.1"},
	    {"SARxNextPN", &m.secy.rx[1].sa[2].next_pn, "3.2.2"},
	    {"SATxProtectedPkts", &m.secy.tx[1].sa[2].tx.protected_pkts, "3.2.2"},
	    {"SATxEncryptedPkts", &m.secy.tx[0].sa[2].tx.encrypted_pkts, "3.1.2"},
	    {"SARxOKPkts", &m.secy.rx[1].sa[2].rx.ok_pkts, "3.2.2"},
	    {"SARxUncheckedPkts", &m.secy.rx[1].sa[0].rx.unchecked_pkts, "3.2.0"},
	    {"SARxDelayedPkts", &m.secy.rx[0].sa[2].rx.delayed_pkts, "3.1.2"},
	    {"SARxLatePkts", &m.secy.rx[0].sa[0].rx.late_pkts, "3.1.0"},
	    {"SARxInvalidPkts", &m.secy.rx[1].sa[2].rx.invalid_pkts, "3.2.2"},
	    {"SARxNotValidPkts", &m.secy.rx[1].sa[2].rx.not_valid_pkts, "3.2.2"},
	};
	const unsigned n = sizeof(counters) / sizeof(*counters);

	(void)state;
	make(&m, MACSEC_GCM_AES_XPN_128, 2);
	secure(w, 0, &m);
	for (unsigned i = 0; i < n; i++)
		*counters[i].counter = (UINT64_C(1) << 40) + i;
	for (unsigned i = 0; i < n; i++)
		assert_counter(w, counters[i].object, counters[i].index, (UINT64_C(1) << 40) + i);
	/* The sum of both channels. */
	m.secy.tx[0].stats = (struct secy_tx_sc_stats){7, 11};
	m.secy.tx[1].stats = (struct secy_tx_sc_stats){100, 200};
	assert_counter(w, "TxProtectedPkts", "3", 107);
	assert_counter(w, "TxEncryptedPkts", "3", 211);
	mo_world_free(w);
	port_macsec_free(&m);
}

/* IVs are derived from keys. */
static void test_no_object_depends_on_an_iv(void **state)
{
	static char before[2][65536];
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct port_macsec m;

	(void)state;
	make(&m, MACSEC_GCM_AES_XPN_256, 2);
	secure(w, 0, &m);
	for (unsigned pass = 0; pass < 2; pass++) {
		size_t len = 0;

		for (enum mo_table_id id = MO_secy; id <= MO_secy_sa; id++)
			for (unsigned i = 0; i < mo_table(id)->n_columns; i++) {
				mo_world_column(w, mo_table(id)->columns[i].name,
						before[pass] + len, sizeof(before[pass]) - len);
				len += strlen(before[pass] + len);
			}
		assert_true(len > 100);
		for (unsigned an = 0; an < SECTAG_ANS; an++) {
			memset(m.secy.tx[0].sa[an].iv, 0x5a, SAK_IV_OCTETS);
			memset(m.secy.rx[0].sa[an].iv, 0x5a, SAK_IV_OCTETS);
		}
	}
	assert_string_equal(before[0], before[1]);
	mo_world_free(w);
	port_macsec_free(&m);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_only_ports_with_macsec_have_rows),
	    cmocka_unit_test(test_settings_are_read),
	    cmocka_unit_test(test_packet_numbers_and_state_are_read),
	    cmocka_unit_test(test_key_that_is_used_up_at_the_start),
	    cmocka_unit_test(test_key_of_the_peer_that_is_used_up),
	    cmocka_unit_test(test_counters_are_read),
	    cmocka_unit_test(test_no_object_depends_on_an_iv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
