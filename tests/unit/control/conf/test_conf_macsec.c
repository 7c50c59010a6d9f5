/* SPDX-License-Identifier: BSD-3-Clause */
/* Key files of MACsec: settings, access, errors; and where their keys are in memory. */
#include "control/conf/conf_macsec.h"
#include "dataplane/core/pfc_headroom.h"
#include "dataplane/macsec/secret.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[] = "/tmp/test_conf_macsec.XXXXXX";
static char err[512];

static int make_file(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd >= 0 && secret_init() != SECRET_FAILED ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file);
}

static void write_file(const char *octets, size_t len)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(octets, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static struct macsec_conf *read_text(const char *text)
{
	write_file(text, strlen(text));
	err[0] = '\0';
	return conf_macsec_read(file, geteuid(), err, sizeof(err));
}

/* --- settings --------------------------------------------------------------------------------- */

#define KEY_A "ad7a2bd03eac835a6f620fdcb506b345"
#define KEY_B "071B113B0CA743FECCCF3D051F737382"
#define LONG  "e3c08a8f06c6e3ad95a70557b23f75483ce33021a9c72b7025666204c69c0b72"
#define SALT  "e630e81a48de86a21c66fa6d"
#define ENDS  "sci 02:00:00:00:00:01/1\npeer_sci 02:00:00:00:00:02/65535\n"

static const uint8_t key_a[] = {0xad, 0x7a, 0x2b, 0xd0, 0x3e, 0xac, 0x83, 0x5a,
				0x6f, 0x62, 0x0f, 0xdc, 0xb5, 0x06, 0xb3, 0x45};

static void test_defaults(void **state)
{
	struct macsec_conf *conf = read_text("port eth0\nmode data\n" ENDS "key 0 " KEY_A);
	const struct macsec_port *port;

	(void)state;
	assert_string_equal(err, "");
	assert_non_null(conf);
	assert_true(secret_has(conf));
	assert_int_equal(conf->n_ports, 1);
	assert_null(conf_macsec_port(conf, "eth1"));
	port = conf_macsec_port(conf, "eth0");
	assert_non_null(port);
	assert_int_equal(port->mode, PFC_MACSEC_DATA);
	assert_int_equal(port->transmit_an, 0);
	assert_int_equal(port->secy.sci, UINT64_C(0x0200000000010001));
	assert_int_equal(port->peer_sci, UINT64_C(0x020000000002ffff));
	assert_int_equal(port->secy.suite, MACSEC_GCM_AES_128);
	assert_int_equal(port->secy.confidentiality_offset, 0);
	assert_int_equal(port->secy.validate_frames, SECY_VALIDATE_STRICT);
	assert_int_equal(port->secy.replay_window, 0);
	assert_true(port->secy.confidentiality && port->secy.protect_frames &&
		    port->secy.replay_protect && port->secy.always_include_sci);
	assert_true(port->keys[0].is_set);
	assert_memory_equal(port->keys[0].key, key_a, sizeof(key_a));
	for (unsigned an = 1; an < SECTAG_ANS; an++)
		assert_false(port->keys[an].is_set);
	conf_macsec_free(conf);
}

static void test_all_settings(void **state)
{
	struct macsec_conf *conf = read_text(
	    "# a comment\n\n"
	    "\t port  eth0\t# with another one\n"
	    "key 2 " LONG "\n" ENDS
	    "mode data\ntransmit_an 2\nconfidentiality true\nconfidentiality_offset 50\n"
	    "include_sci false\nvalidate check\nreplay_protect false\n"
	    "replay_window 4294967295\npn_reserve 1000\ncipher_suite GCM-AES-256\n"
	    "port eth1\nmode data\ncipher_suite GCM-AES-XPN-128\n"
	    "sci 02:00:00:00:00:01/2\npeer_sci 02:00:00:00:00:02/2\ntransmit_an 1\n"
	    "key 1 " KEY_B " " SALT "\nkey 3 " KEY_A " " SALT
	    "\n"
	    "port eth2\nmode none\n");
	const struct macsec_port *port;

	(void)state;
	assert_string_equal(err, "");
	assert_non_null(conf);
	assert_int_equal(conf->n_ports, 3);
	port = &conf->ports[0];
	assert_int_equal(port->mode, PFC_MACSEC_DATA);
	assert_int_equal(port->secy.suite, MACSEC_GCM_AES_256);
	assert_int_equal(port->transmit_an, 2);
	assert_int_equal(port->secy.confidentiality_offset, 50);
	assert_false(port->secy.always_include_sci || port->secy.replay_protect);
	assert_int_equal(port->secy.validate_frames, SECY_VALIDATE_CHECK);
	assert_int_equal(port->secy.replay_window, UINT32_MAX);
	assert_int_equal(port->pn_reserve, 1000);
	assert_int_equal(port->keys[2].key[31], 0x72);
	port = &conf->ports[1];
	assert_int_equal(port->secy.suite, MACSEC_GCM_AES_XPN_128);
	assert_int_equal(port->keys[1].key[15], 0x82);
	assert_int_equal(port->keys[1].salt[0], 0xe6);
	assert_memory_equal(port->keys[3].key, key_a, sizeof(key_a));
	assert_int_equal(port->keys[3].salt[11], 0x6d);
	assert_int_equal(conf->ports[2].mode, PFC_MACSEC_NONE);
	conf_macsec_free(conf);
}

/* The settings of a file are those of a SecY, at both ends. */
static void test_settings_make_a_secy(void **state)
{
	struct macsec_conf *conf = read_text("port a\nmode data\n" ENDS
					     "cipher_suite GCM-AES-XPN-128\n"
					     "key 0 " KEY_A " " SALT);
	const struct macsec_port *port;
	struct secy secy;
	struct sak *sak;

	(void)state;
	assert_non_null(conf);
	port = &conf->ports[0];
	sak = sak_new((enum macsec_suite)port->secy.suite, port->keys[0].key, port->keys[0].salt);
	assert_non_null(sak);
	assert_int_equal(secy_init(&secy, &port->secy), SECY_OK);
	assert_int_equal(secy_add_rx_sc(&secy, port->peer_sci), SECY_OK);
	assert_int_equal(
	    secy_install_tx(&secy, 0, 0, sak, macsec_ssci(port, port->secy.sci), 1, SECY_PN_ALL),
	    SECY_OK);
	assert_int_equal(secy_install_rx(&secy, port->peer_sci, 0, sak,
					 macsec_ssci(port, port->peer_sci), 1,
					 (struct dcb_time){0}),
			 SECY_OK);
	sak_free(sak);
	conf_macsec_free(conf);
}

/* Each SCI has another one, and both ends agree. */
static void test_ssci_is_by_the_order_of_scis(void **state)
{
	struct macsec_port left = {.secy = {.sci = 0x0300000000000001, .tx_scs = 1},
				   .peer_sci = 0x0400000000000002};
	struct macsec_port right = {.secy = {.sci = left.peer_sci, .tx_scs = 1},
				    .peer_sci = left.secy.sci};

	(void)state;
	assert_int_equal(macsec_ssci(&left, left.secy.sci), 2);
	assert_int_equal(macsec_ssci(&left, left.peer_sci), 1);
	left.secy.tx_scs = right.secy.tx_scs = 2;
	assert_int_equal(macsec_ssci(&left, left.peer_sci | 0x1000), 1);
	assert_int_equal(macsec_ssci(&left, left.peer_sci), 2);
	assert_int_equal(macsec_ssci(&left, macsec_channel_sci(left.secy.sci, 1)), 3);
	assert_int_equal(macsec_ssci(&left, left.secy.sci), 4);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t sci = macsec_channel_sci(i & 1 ? left.secy.sci : left.peer_sci, i / 2);

		assert_int_equal(macsec_ssci(&left, sci), macsec_ssci(&right, sci));
	}
}

static void test_modes_are_of_ports_with_macsec(void **state)
{
	struct macsec_modes modes = {0};

	(void)state;
	macsec_modes_add(&modes, "eth0", PFC_MACSEC_NONE);
	macsec_modes_add(&modes, "eth1", PFC_MACSEC_DATA);
	macsec_modes_add(&modes, "eth2", PFC_MACSEC_ALL);
	assert_int_equal(modes.n, 2);
	assert_int_equal(macsec_modes_find(&modes, "eth0"), 0);
	assert_int_equal(macsec_modes_find(&modes, "eth1"), PFC_MACSEC_DATA);
	assert_int_equal(macsec_modes_find(&modes, "eth2"), PFC_MACSEC_ALL);
	assert_int_equal(macsec_modes_find(&modes, "eth"), 0);
}

static void test_pfc_channel(void **state)
{
	struct macsec_conf *conf = read_text(
	    "port a\nmode all\npfc_channel true\nsci 02:00:00:00:00:01/1\n"
	    "peer_sci 02:00:00:00:00:02/4095\nkey 0 " KEY_A);
	struct secy secy;

	(void)state;
	assert_string_equal(err, "");
	assert_non_null(conf);
	assert_int_equal(secy_init(&secy, &conf->ports[0].secy), SECY_OK);
	assert_int_equal(secy.tx[1].sci, macsec_channel_sci(conf->ports[0].secy.sci, 1));
	conf_macsec_free(conf);
}

static void check_names(const char *setting, const char *const names[], unsigned first,
			size_t offset)
{
	char text[256];

	for (unsigned i = 0; names[i]; i++) {
		struct macsec_conf *conf;

		snprintf(text, sizeof(text),
			 "port a\n%s %s\npfc_channel %s\nsci 02:00:00:00:00:01/1\n"
			 "peer_sci 02:00:00:00:00:02/1\n%s",
			 setting, names[i], strcmp(names[i], "all") == 0 ? "true" : "false",
			 strcmp(setting, "mode") == 0 ? "key 0 " KEY_A : "mode none");
		conf = read_text(text);
		assert_string_equal(err, "");
		assert_int_equal(((uint8_t *)conf->ports)[offset], first + i);
		conf_macsec_free(conf);
	}
}

static void test_names_are_in_the_order_of_their_enums(void **state)
{
	static const char *const modes[] = {"none", "data", "all", NULL};
	static const char *const validates[] = {[SECY_VALIDATE_DISABLED] = "disabled",
						[SECY_VALIDATE_CHECK] = "check",
						[SECY_VALIDATE_STRICT] = "strict",
						NULL};
	static const char *const booleans[] = {"false", "true", NULL};
	const char *suites[MACSEC_SUITES + 1] = {NULL};

	(void)state;
	for (int i = 0; i < MACSEC_SUITES; i++)
		suites[i] = macsec_suite_info((enum macsec_suite)i)->name;
	check_names("mode", modes, PFC_MACSEC_NONE, offsetof(struct macsec_port, mode));
	check_names("cipher_suite", suites, 0, offsetof(struct macsec_port, secy.suite));
	check_names("validate", validates, 0, offsetof(struct macsec_port, secy.validate_frames));
	check_names("confidentiality", booleans, 0,
		    offsetof(struct macsec_port, secy.confidentiality));
}

/* As editors of other systems write them. */
static void test_ends_of_lines_and_byte_order_mark(void **state)
{
	struct macsec_conf *conf =
	    read_text("\xEF\xBB\xBFport a\r\nmode data\r\n\r\n" ENDS "key 0 " KEY_A "\r\n");

	(void)state;
	assert_string_equal(err, "");
	assert_non_null(conf);
	assert_int_equal(conf->n_ports, 1);
	assert_string_equal(conf->ports[0].name, "a");
	assert_memory_equal(conf->ports[0].keys[0].key, key_a, sizeof(key_a));
	conf_macsec_free(conf);
}

static void test_file_without_ports_is_accepted(void **state)
{
	static const char *const texts[] = {"", "\n", "# comment", "\xEF\xBB\xBF\r\n\t\n"};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
		struct macsec_conf *conf = read_text(texts[i]);

		assert_non_null(conf);
		assert_int_equal(conf->n_ports, 0);
		conf_macsec_free(conf);
	}
}

/* --- errors ---------------------------------------------------------------------------------- */

/* A port with these lines, from line 5 on; settings are followed by a key. */
#define LINES(text)    "port a\nmode data\n" ENDS text
#define SETTINGS(text) LINES(text "key 0 " KEY_A)
#define SCI(text)      "port a\nmode data\nsci " text "\n"

/* Text of a file, and that of its error, behind the name of the file. */
static const char *const bad[][2] = {
    {"ports = (\n", ":1: expected \"port INTERFACE\" before all other lines"},
    {"ports = ( { name = \"a\"; } );", ":1: expected \"port INTERFACE\" before all"},
    {"# keys\n\nmode data\nport a\n", ":3: expected \"port INTERFACE\" before all"},
    {"key 0 " KEY_A, ":1: expected \"port INTERFACE\" before all"},
    {KEY_A, ":1: expected \"port INTERFACE\" before all"},
    {"port", ":1: port: expected an interface of 1..15 characters"},
    {"port a b", ":1: port: expected an interface of 1..15 characters"},
    {"port a234567890123456", ":1: port: expected an interface of 1..15 characters"},
    {"port a\nmode none\nport b\nmode none\nport a\n", ":5: duplicate port \"a\""},
    {"\nport a\n", ":2: port \"a\": expected the setting mode"},
    {"port a\n\nport b\nmode none\n", ":1: port \"a\": expected the setting mode"},
    {"port a\nmode some\n", ":2: mode: expected none, data or all, not \"some\""},
    {"port a\nmode or\n", ":2: mode: expected none, data or all, not \"or\""},
    {"port a\nmode non\n", ":2: mode: expected none, data or all, not \"non\""},
    {"port a\nmode \"data\"\n", ":2: mode: expected none, data or all, not \"\"data\"\""},
    {"port a\nmode\n", ":2: mode: expected one value"},
    {"port a\nmode data all\n", ":2: mode: expected one value"},
    {"port a\nmode = data\n", ":2: mode: expected one value"},
    {"port a\nmode data\nmode data\n", ":3: duplicate setting \"mode\": line 2 has the first"},
    {"port a\nmode data\n", ":1: port \"a\": expected the settings sci and peer_sci"},
    {"port a\nmode data\nsci 02:00:00:00:00:01/1\n", ":1: port \"a\": expected the settings sci"},
    {"port a\nmode data\nsci 02:00:00:00:00:01/1\npeer_sci 02:00:00:00:00:01/1\nport b\n",
     ":4: peer_sci: expected another one than sci"},
    {SCI("02:00:00:00:00:01/0"), ":3: sci: expected an SCI such as 02:00:00:00:00:01/1"},
    {SCI("02:00:00:00:00:01/65536"), "not reserved, not \"02:00:00:00:00:01/65536\""},
    {SCI("02:00:00:00:00:01/18446744073709551617"), "that is not reserved"},
    {SCI("02:00:00:00:00:01/"), "expected an SCI such as"},
    {SCI("02:00:00:00:00:01/+1"), "expected an SCI such as"},
    {SCI("02:00:00:00:00:01"), "expected an SCI such as"},
    {SCI("02-00:00:00:00:01/1"), "expected an SCI such as"},
    {SCI("02:00:00:00:00:0g/1"), "expected an SCI such as"},
    {SCI("02:00:00:00:00:01/1x"), "expected an SCI such as"},
    {SCI("ff:ff:ff:ff:ff:ff/65535"), "expected an SCI such as 02:00:00:00:00:01/1 that is not"},
    {SETTINGS("cipher_suite GCM-AES-192\n"),
     ":5: cipher_suite: expected GCM-AES-128, GCM-AES-256, GCM-AES-XPN-128 or GCM-AES-XPN-256, not "
     "\"GCM-AES-192\""},
    {SETTINGS("transmit_an 4\n"), ":5: transmit_an: expected an integer 0..3, not \"4\""},
    {SETTINGS("transmit_an -1\n"), "expected an integer 0..3, not \"-1\""},
    {SETTINGS("transmit_an 1\n"), ":5: expected a key with AN 1, the one of transmit_an"},
    {LINES(""), ":1: expected a key with AN 0, the one of transmit_an"},
    {"port a\npfc_channel true\nmode all\n" ENDS "key 0 " KEY_A,
     ":2: pfc_channel: expected an sci and a peer_sci with a port of 1..4095"},
    {"port a\nmode all\n" ENDS "key 0 " KEY_A,
     ":2: mode all: expected pfc_channel true, at both ends"},
    {SETTINGS("pfc_channel true\n"), ":5: pfc_channel: expected mode all"},
    {"port a\npfc_channel true\nmode none\n", ":2: pfc_channel: expected mode all"},
    {SETTINGS("pn_reserve 999\n"), "expected an integer 1000..1073741824, not \"999\""},
    {SETTINGS("pn_reserve 1073741825\n"), "expected an integer 1000..1073741824"},
    {SETTINGS("confidentiality 1\n"), "expected false or true, not \"1\""},
    {SETTINGS("confidentiality_offset 31\n"), "expected 0, 30 or 50, not \"31\""},
    {"port a\nconfidentiality_offset 30\nmode none\ncipher_suite GCM-AES-XPN-128\n",
     ":2: confidentiality_offset: GCM-AES-XPN-128 has none"},
    {SETTINGS("validate null\n"), "expected disabled, check or strict, not \"null\""},
    {SETTINGS("replay_window 4294967296\n"),
     ":5: replay_window: expected an integer 0..4294967295, not \"4294967296\""},
    {SETTINGS("replay_window 0x1\n"), "expected an integer 0..4294967295, not \"0x1\""},
    {SETTINGS("window 1\n"),
     ":5: unknown setting: expected one of port, key, mode, cipher_suite, sci, peer_sci, "
     "transmit_an, "
     "pfc_channel, confidentiality, confidentiality_offset, include_sci, validate, "
     "replay_protect, replay_window, pn_reserve"},
    {SETTINGS("cipher_suite GCM-AES-256\n"),
     ":6: key: expected 64 hexadecimal digits for GCM-AES-256, not these 32 characters"},
    {LINES("key 0 " KEY_A "\ncipher_suite GCM-AES-256\n"),
     ":5: key: expected 64 hexadecimal digits for GCM-AES-256, not these 32 characters"},
    {SETTINGS("cipher_suite GCM-AES-XPN-128\n"), ":6: key: expected a salt for GCM-AES-XPN-128"},
    {LINES("key 0 " KEY_A " " SALT), ":5: key: expected no salt for GCM-AES-128"},
    {LINES("cipher_suite GCM-AES-XPN-128\nkey 0 " KEY_A " " SALT "0"),
     ":6: key: expected 24 hexadecimal digits for the salt, not these 25 characters"},
    {LINES("key"), ":5: key: expected AN 0..3, digits and, with XPN, a salt"},
    {LINES("key 0"), ":5: key: expected AN 0..3, digits and, with XPN, a salt"},
    {LINES("key 0 # " KEY_A), ":5: key: expected AN 0..3, digits and, with XPN, a salt"},
    {LINES("key " KEY_A), ":5: key: expected AN 0..3, digits and, with XPN, a salt"},
    {LINES("key " KEY_A " 0"), ":5: key: expected AN 0..3, digits and, with XPN, a salt"},
    {LINES("key 4 " KEY_A), ":5: key: expected AN 0..3, digits and, with XPN, a salt"},
    {LINES("key 0 " KEY_A " " SALT " " SALT), ":5: key: expected AN 0..3, digits and, with XPN"},
    {LINES("key 0 " KEY_A " " SALT " 1 2 3"), ":5: key: expected AN 0..3, digits and, with XPN"},
    {LINES("key 0 " KEY_A "0"), "for GCM-AES-128, not these 33 characters"},
    {LINES("key 0 ad7a2bd03eac835a6f620fdcb506b34g"),
     ":5: key: expected 32 hexadecimal digits for GCM-AES-128, not these 32 characters"},
    {LINES("key 0 0x7a2bd03eac835a6f620fdcb506b345"), "expected 32 hexadecimal digits"},
    {LINES("key 0 \"" KEY_A "\""), "not these 34 characters"},
    {LINES("key 0 ad7a"), "not these 4 characters"},
    {LINES("key 0 " KEY_A "\nkey 0 " KEY_B), ":6: duplicate AN 0: line 5 has the first one"},
    {LINES("key 0 " KEY_A "\nkey 3 " KEY_A), ":6: key: AN 0 of port \"a\" has the same"},
    {"port a\nmode none\nkey 1 " KEY_A "\nport b\nmode none\nkey 2 " KEY_A,
     ":6: key: AN 1 of port \"a\" has the same"},
    {"port a\nmode none\nsci 02:00:00:00:00:01/1\nport b\nmode none\nsci 02:00:00:00:00:01/1",
     ":6: sci: port \"a\" has the same"},
    /* Keys in a wrong place are not shown, whole or in parts. */
    {SETTINGS("validate " KEY_A "\n"), ":5: validate: expected disabled, check or strict"},
    {SETTINGS("validate 0x" SALT "\n"), ":5: validate: expected disabled, check or strict"},
    {SETTINGS("validate .ad7a2bd03eac835\n"), ":5: validate: expected disabled, check or strict"},
    {SETTINGS("validate ad7a2bd03eac835\n"), ":5: validate: expected disabled, check or strict"},
    {SETTINGS(KEY_A "\n"), ":5: unknown setting: expected one of port"},
    {SETTINGS("ad7a2bd03eac835\n"), ":5: unknown setting: expected one of port"},
};

static void test_errors_say_what_is_expected(void **state)
{
	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		if (read_text(bad[i][0]))
			fail_msg("accepted: %s", bad[i][0]);
		if (strncmp(err, file, strlen(file)) != 0 || !strstr(err, bad[i][1]))
			fail_msg("%s\nhas the error: %s\nexpected: %s", bad[i][0], err, bad[i][1]);
	}
}

/* Eight digits of a key or salt in a row. */
static bool shows_digits(const char *text, const char *digits)
{
	char part[9];

	for (; strlen(digits) >= 8; digits++) {
		snprintf(part, sizeof(part), "%s", digits);
		if (strstr(text, part))
			return true;
	}
	return false;
}

static void test_errors_show_no_key(void **state)
{
	static const char *const secrets[] = {KEY_A, KEY_B, LONG, SALT};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		assert_null(read_text(bad[i][0]));
		for (size_t k = 0; k < UNIT_COUNT(secrets); k++) {
			if (shows_digits(err, secrets[k]))
				fail_msg("%s\nhas the error: %s", bad[i][0], err);
		}
	}
}

static void test_octet_0_and_long_files_are_refused(void **state)
{
	static char big[MACSEC_FILE_OCTETS_MAX + 1];
	struct macsec_conf *conf;

	(void)state;
	write_file("port a\nmode none\n\0", 18);
	assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, ":3: expected text, not an octet 0"));
	memset(big, ' ', sizeof(big));
	memcpy(big, "port a\nmode none\n", 17);
	write_file(big, sizeof(big));
	assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "expected at most 65536 octets"));
	write_file(big, sizeof(big) - 1);
	conf = conf_macsec_read(file, geteuid(), err, sizeof(err));
	assert_non_null(conf);
	conf_macsec_free(conf);
}

static void test_too_many_ports_are_refused(void **state)
{
	FILE *f = fopen(file, "w");
	struct macsec_conf *conf;

	(void)state;
	assert_non_null(f);
	for (unsigned i = 0; i < MACSEC_PORTS_MAX; i++)
		fprintf(f, "port eth%u\nmode none\n", i);
	assert_int_equal(fflush(f), 0);
	conf = conf_macsec_read(file, geteuid(), err, sizeof(err));
	assert_non_null(conf);
	assert_int_equal(conf->n_ports, MACSEC_PORTS_MAX);
	conf_macsec_free(conf);
	fputs("port more\nmode none\n", f);
	assert_int_equal(fclose(f), 0);
	assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, ":129: expected at most 64 ports"));
}

/* --- keys in memory -------------------------------------------------------------------------- */

#define SCAN_OCTETS 65536
#define MAPPING_MAX (UINT64_C(64) << 20) /* larger ones are shadow memory of a sanitizer */

static uint64_t key_seed;

/*
 * Returns an octet of a key of 16 octets. No function here has two of them in a row in memory,
 * so that the key is nowhere but where the code under test has put it.
 */
static uint8_t key_octet(size_t i)
{
	return (uint8_t)((key_seed ^ (i * UINT64_C(0x9e3779b97f4a7c15))) *
			     UINT64_C(0xd1342543de82ef95) >>
			 56);
}

static char key_digit(size_t i, bool upper)
{
	unsigned digit = i % 2 ? key_octet(i / 2) & 15 : key_octet(i / 2) >> 4;

	return (upper ? "0123456789ABCDEF" : "0123456789abcdef")[digit];
}

/* Returns whether the key, or a half of its digits, starts at p; at least 16 octets are there. */
static bool key_is_at(const uint8_t *p)
{
	size_t octets = 0, digits = 0;

	while (octets < 16 && p[octets] == key_octet(octets))
		octets++;
	while (digits < 16 && (p[digits] == (uint8_t)key_digit(digits, false) ||
			       p[digits] == (uint8_t)key_digit(digits, true)))
		digits++;
	return octets == 16 || digits == 16;
}

/* Reads own memory without a sanitizer's check. Returns the octets read; 0: none there. */
static size_t peek(uint64_t at, uint8_t *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)at, len};
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	if (n < 0 && errno != EFAULT && errno != EIO && errno != ENOMEM)
		fail_msg("process_vm_readv: %s", strerror(errno));
	return n > 0 ? (size_t)n : 0;
}

/* Returns the number of places in a mapping that have the key. */
static unsigned scan_mapping(uint64_t from, uint64_t to, uint8_t *copy)
{
	uint8_t octet = key_octet(0), lower = (uint8_t)key_digit(0, false);
	uint8_t upper = (uint8_t)key_digit(0, true);
	unsigned found = 0;

	for (; from + 16 <= to; from += SCAN_OCTETS - 16) {
		size_t n = peek(from, copy, to - from < SCAN_OCTETS ? to - from : SCAN_OCTETS);

		for (size_t i = 0; i + 16 <= n; i++) {
			if (copy[i] == octet || copy[i] == lower || copy[i] == upper)
				found += key_is_at(copy + i);
		}
	}
	return found;
}

/*
 * Returns the number of places in writable memory that have the key, the locked memory excepted.
 */
static unsigned scan(unsigned *mappings)
{
	uint8_t *copy = secret_alloc(SCAN_OCTETS);
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned found = 0;
	char line[512], access[8];
	unsigned long from, to;

	assert_non_null(f);
	assert_non_null(copy);
	for (*mappings = 0; fgets(line, sizeof(line), f);) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, access) != 3 || access[1] != 'w' ||
		    to - from > MAPPING_MAX)
			continue;
		if (from <= (uintptr_t)copy && (uintptr_t)copy < to)
			continue;
		found += scan_mapping(from, to, copy);
		++*mappings;
	}
	fclose(f);
	secret_free(copy, SCAN_OCTETS);
	return found;
}

/* Ends the test where a process cannot read its memory like this: under qemu-user. */
static void need_peek(void)
{
	uint8_t octet = 1, copy;
	struct iovec local = {&copy, 1}, remote = {&octet, 1};

	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1)
		return;
	assert_int_equal(errno, ENOSYS);
	print_message("process_vm_readv: %s\n", strerror(errno));
	skip();
}

/* Another process writes the file, so that the key is not in this one. more: behind the key. */
static void write_random_key(const char *more)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		FILE *f = fopen(file, "w");

		fputs("port a\nmode data\n" ENDS "key 0 ", f);
		for (size_t i = 0; i < 32; i++)
			fputc(key_digit(i, i & 2), f);
		fputs(more, f);
		_exit(fclose(f) == 0 ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The scan finds a key in ordinary memory: otherwise the next test would prove nothing. */
static void test_scan_finds_a_key(void **state)
{
	unsigned mappings, before;
	volatile uint8_t *p = malloc(16);

	(void)state;
	assert_non_null(p);
	need_peek();
	key_seed = unit_seed();
	before = scan(&mappings);
	assert_true(mappings > 3);
	assert_int_equal(before, 0);
	for (size_t i = 0; i < 16; i++)
		p[i] = key_octet(i);
	assert_int_equal(scan(&mappings), 1);
	for (size_t i = 0; i < 16; i++)
		p[i] = 0;
	free((void *)p);
}

/* In locked memory while it is used, by libcrypto too; in none after it has been removed. */
static void test_key_is_in_locked_memory_only(void **state)
{
	struct macsec_conf *conf;
	const struct macsec_port *port;
	uint8_t digest[SAK_DIGEST_OCTETS];
	unsigned mappings;
	struct sak *sak;

	(void)state;
	need_peek();
	key_seed = unit_seed() + 1;
	write_random_key("\n");
	err[0] = '\0';
	conf = conf_macsec_read(file, geteuid(), err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(conf);
	port = &conf->ports[0];
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(port->keys[0].key[i], key_octet(i));
	assert_int_equal(scan(&mappings), 0);
	sak = sak_new((enum macsec_suite)port->secy.suite, port->keys[0].key, NULL);
	assert_non_null(sak);
	assert_true(sak_digest((enum macsec_suite)port->secy.suite, port->keys[0].key, digest));
	assert_int_equal(scan(&mappings), 0);
	sak_free(sak);
	conf_macsec_free(conf);
	assert_int_equal(scan(&mappings), 0);
}

/* Read and refused, with the text of the error in ordinary memory. */
static void test_refused_key_is_in_no_memory(void **state)
{
	static const char *const more[] = {"0\n", " " SALT "\n", "\nreplay_window x\n",
					   "\ntransmit_an 3\n", "\n\"\n"};
	unsigned mappings;

	(void)state;
	need_peek();
	for (unsigned i = 0; i < UNIT_COUNT(more); i++) {
		key_seed = unit_seed() + 2 + i;
		write_random_key(more[i]);
		assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
		assert_int_equal(scan(&mappings), 0);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_all_settings),
	    cmocka_unit_test(test_settings_make_a_secy),
	    cmocka_unit_test(test_ssci_is_by_the_order_of_scis),
	    cmocka_unit_test(test_modes_are_of_ports_with_macsec),
	    cmocka_unit_test(test_pfc_channel),
	    cmocka_unit_test(test_names_are_in_the_order_of_their_enums),
	    cmocka_unit_test(test_ends_of_lines_and_byte_order_mark),
	    cmocka_unit_test(test_file_without_ports_is_accepted),
	    cmocka_unit_test(test_errors_say_what_is_expected),
	    cmocka_unit_test(test_errors_show_no_key),
	    cmocka_unit_test(test_octet_0_and_long_files_are_refused),
	    cmocka_unit_test(test_too_many_ports_are_refused),
	    cmocka_unit_test(test_scan_finds_a_key),
	    cmocka_unit_test(test_key_is_in_locked_memory_only),
	    cmocka_unit_test(test_refused_key_is_in_no_memory),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
