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
#define ENDS  "sci = \"02:00:00:00:00:01/1\"; peer_sci = \"02:00:00:00:00:02/65535\"; "

static const uint8_t key_a[] = {0xad, 0x7a, 0x2b, 0xd0, 0x3e, 0xac, 0x83, 0x5a,
				0x6f, 0x62, 0x0f, 0xdc, 0xb5, 0x06, 0xb3, 0x45};

static void test_defaults(void **state)
{
	struct macsec_conf *conf = read_text("ports = ( { name = \"eth0\"; mode = \"data\"; " ENDS
					     "keys = ( { an = 0; key = \"" KEY_A "\"; } ); } );");
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
	    "# \"a comment with an unbalanced quote\n"
	    "// another \" one\n/* and \" a third */\n"
	    "ports = (\n"
	    " { name = \"eth0\"; mode = \"data\"; cipher_suite = \"GCM-AES-256\"; " ENDS
	    "   transmit_an = 2; confidentiality = true; confidentiality_offset = 50;\n"
	    "   include_sci = false; validate = \"check\"; replay_protect = false;\n"
	    "   replay_window = 4294967295;\n"
	    "   keys = ( { key = \"" LONG
	    "\"; an = 2; } ); },\n"
	    " { name = \"eth1\"; mode = \"data\"; cipher_suite = \"GCM-AES-XPN-128\";\n"
	    "   sci = \"02:00:00:00:00:01/2\"; peer_sci = \"02:00:00:00:00:02/2\";\n"
	    "   transmit_an = 1;\n"
	    "   keys = ( { an = 1; key = \"" KEY_B "\"; salt = \"" SALT
	    "\"; },\n"
	    "            { an = 3; salt = \"" SALT "\"; key = \"" KEY_A
	    "\"; } ); },\n"
	    " { name = \"eth2\"; mode = \"none\"; } );\n");
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
	struct macsec_conf *conf =
	    read_text("ports = ( { name = \"a\"; mode = \"data\"; " ENDS
		      "cipher_suite = \"GCM-AES-XPN-128\"; keys = ( { an = 0; key = \"" KEY_A
		      "\"; salt = \"" SALT "\"; } ); } );");
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
	    "ports = ( { name = \"a\"; mode = \"all\"; pfc_channel = true; "
	    "sci = \"02:00:00:00:00:01/1\"; peer_sci = \"02:00:00:00:00:02/4095\"; "
	    "keys = ( { an = 0; key = \"" KEY_A "\"; } ); } );");
	struct secy secy;

	(void)state;
	assert_string_equal(err, "");
	assert_non_null(conf);
	assert_int_equal(secy_init(&secy, &conf->ports[0].secy), SECY_OK);
	assert_int_equal(secy.tx[1].sci, macsec_channel_sci(conf->ports[0].secy.sci, 1));
	conf_macsec_free(conf);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* A port with this text in the place of its keys, or all of its settings. */
#define KEYS(text) "ports = ( {\n name = \"a\"; mode = \"data\"; " ENDS "\n keys = " text "; } );"
#define SETTINGS(text)                                            \
	"ports = ( {\n name = \"a\"; mode = \"data\"; " ENDS text \
	" keys = ( { an = 0; key = \"" KEY_A "\"; } ); } );"

/* Text of a file, and that of its error, behind the name of the file. */
static const char *const bad[][2] = {
    {"ports = 1;", ":1: ports: expected a list"},
    {"port = ();", ":1: port: unknown setting"},
    {"ports = (", ":1: ports: \"(\" is not closed before the end of the file, line 1"},
    {"@include \"x\"", ":1: expected no @include"},
    {"ports = ( { mode = \"data\"; } );", "expected the setting name"},
    {"ports = ( { name = \"a\"; } );", "expected the setting mode"},
    {"ports = ( { name = \"a\"; mode = \"some\"; } );",
     "expected \"none\", \"data\" or \"all\", not \"some\""},
    {"ports = ( { name = \"a234567890123456\"; mode = \"none\"; } );",
     "expected a string of 1..15 characters"},
    {"ports = ( { name = \"a\"; mode = \"data\"; } );", "expected the settings sci and peer_sci"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02:00:00:00:00:01/1\"; } );",
     "expected the settings sci and peer_sci"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02:00:00:00:00:01/1\"; "
     "peer_sci = \"02:00:00:00:00:01/1\"; } );",
     "expected a peer_sci other than sci"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02:00:00:00:00:01/0\"; } );",
     "expected an SCI such as"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02:00:00:00:00:01/65536\"; } );",
     "expected an SCI such as"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02:00:00:00:00:01\"; } );",
     "expected an SCI such as"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02-00:00:00:00:01/1\"; } );",
     "expected an SCI such as"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"02:00:00:00:00:01/1 \"; } );",
     "expected an SCI such as"},
    {"ports = ( { name = \"a\"; mode = \"data\"; sci = \"ff:ff:ff:ff:ff:ff/65535\"; } );",
     "this SCI is reserved"},
    {SETTINGS("cipher_suite = \"GCM-AES-192\";"), "expected \"GCM-AES-128\", \"GCM-AES-256\""},
    {SETTINGS("transmit_an = 4;"), "expected an integer 0..3, not 4"},
    {SETTINGS("transmit_an = 1;"), "expected a key with AN 1, the one of transmit_an"},
    {"ports = ( { name = \"a\"; mode = \"all\"; pfc_channel = true; " ENDS
     "keys = ( { an = 0; key = \"" KEY_A "\"; } ); } );",
     "pfc_channel: expected an sci and a peer_sci with a port of 1..4095"},
    {"ports = ( { name = \"a\"; mode = \"all\"; " ENDS "keys = ( { an = 0; key = \"" KEY_A
     "\"; } ); } );",
     ":1: ports[0]: mode \"all\": expected pfc_channel = true, at both ends"},
    {SETTINGS("pn_reserve = 999;"), "expected an integer 1000..1073741824, not 999"},
    {"ports = ( { name = \"a\"; mode = \"data\"; " ENDS "pfc_channel = true; "
     "keys = ( { an = 0; key = \"" KEY_A "\"; } ); } );",
     "pfc_channel: expected mode \"all\""},
    {SETTINGS("confidentiality = 1;"), "expected true or false, not 1"},
    {SETTINGS("confidentiality_offset = 31;"), "expected 0, 30 or 50, not 31"},
    {SETTINGS("cipher_suite = \"GCM-AES-XPN-128\"; confidentiality_offset = 30;"),
     "GCM-AES-XPN-128 has no confidentiality offset"},
    {SETTINGS("validate = \"null\";"), "expected \"disabled\", \"check\" or \"strict\""},
    {SETTINGS("replay_window = 4294967296;"), "expected an integer 0..4294967295"},
    {SETTINGS("window = 1;"), "window: unknown setting"},
    {SETTINGS("cipher_suite = \"GCM-AES-256\";"),
     ":2: ports[0].keys[0].key: expected 64 hexadecimal digits for GCM-AES-256, not 32 characters"},
    {SETTINGS("cipher_suite = \"GCM-AES-XPN-128\";"),
     "expected the setting salt for GCM-AES-XPN-128"},
    {KEYS("()"), "expected a key with AN 0, the one of transmit_an"},
    {KEYS("1"), "expected a list ( { an = 0;"},
    {KEYS("( { an = 0; } )"), "expected the setting key"},
    {KEYS("( { key = \"" KEY_A "\"; } )"), "expected the setting an"},
    {KEYS("( { an = 0; key = \"" KEY_A "\"; salt = \"" SALT "\"; } )"), "GCM-AES-128 has no salt"},
    {KEYS("( { an = 0; key = \"" KEY_A "0\"; } )"), "for GCM-AES-128, not 33 characters"},
    {KEYS("( { an = 0; key = \"" KEY_A " \"; } )"), "for GCM-AES-128, not 33 characters"},
    {KEYS("( { an = 0; key = \"ad7a2bd03eac835a6f620fdcb506b34g\"; } )"),
     ":3: ports[0].keys[0].key: expected 32 hexadecimal digits for GCM-AES-128"},
    {KEYS("( { an = 0; key = \"0x7a2bd03eac835a6f620fdcb506b345\"; } )"),
     "expected 32 hexadecimal digits for GCM-AES-128"},
    {KEYS("( { an = 0; key = \"ad7a\"; } )"), "not 4 characters"},
    {KEYS("( { an = 0; key = 5; } )"), "not 0 characters"},
    {KEYS("( { an = 0; key = \"" KEY_A "\"; }, { an = 0; key = \"" KEY_B "\"; } )"),
     "duplicate AN 0"},
    {KEYS("( { an = 0; key = \"" KEY_A "\"; }, { an = 3; key = \"" KEY_A "\"; } )"),
     "key of AN 0 is also that of \"a\", AN 3"},
    {"ports = ( { name = \"a\"; mode = \"none\"; }, { name = \"a\"; mode = \"none\"; } );",
     "duplicate port \"a\""},
    {"ports = ( { name = \"a\"; mode = \"none\"; keys = ( { an = 1; key = \"" KEY_A "\"; } ); },\n"
     " { name = \"b\"; mode = \"none\"; keys = ( { an = 2; key = \"" KEY_A "\"; } ); } );",
     ":2: ports[1]: key of AN 2 is also that of \"a\", AN 1"},
    {"ports = ( { name = \"a\"; mode = \"none\"; sci = \"02:00:00:00:00:01/1\"; },\n"
     " { name = \"b\"; mode = \"none\"; sci = \"02:00:00:00:00:01/1\"; } );",
     ":2: ports[1]: sci is also that of port \"a\""},
    /* A string that is not closed hides no other error, and its octets are not shown. */
    {KEYS("( { an = 0; key = \"" KEY_A), "syntax error"},
    {SETTINGS("validate = \"" KEY_A "\";"), "expected \"disabled\", \"check\" or \"strict\""},
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

	(void)state;
	write_file("ports = ();\0", 12);
	assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "expected text, not an octet 0"));
	memset(big, ' ', sizeof(big));
	memcpy(big, "ports = ();", 11);
	write_file(big, sizeof(big));
	assert_null(conf_macsec_read(file, geteuid(), err, sizeof(err)));
	assert_non_null(strstr(err, "expected at most 65536 octets"));
	write_file(big, sizeof(big) - 1);
	conf_macsec_free(conf_macsec_read(file, geteuid(), err, sizeof(err)));
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

/* Another process writes the file, so that the key is not in this one. */
static void write_random_key(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		FILE *f = fopen(file, "w");

		fputs("ports = ( { name = \"a\"; mode = \"data\"; " ENDS
		      "keys = ( { an = 0; key = \"",
		      f);
		for (size_t i = 0; i < 32; i++)
			fputc(key_digit(i, i & 2), f);
		fputs("\"; } ); } );", f);
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
	write_random_key();
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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_all_settings),
	    cmocka_unit_test(test_settings_make_a_secy),
	    cmocka_unit_test(test_ssci_is_by_the_order_of_scis),
	    cmocka_unit_test(test_modes_are_of_ports_with_macsec),
	    cmocka_unit_test(test_pfc_channel),
	    cmocka_unit_test(test_errors_say_what_is_expected),
	    cmocka_unit_test(test_errors_show_no_key),
	    cmocka_unit_test(test_octet_0_and_long_files_are_refused),
	    cmocka_unit_test(test_scan_finds_a_key),
	    cmocka_unit_test(test_key_is_in_locked_memory_only),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
