/* SPDX-License-Identifier: BSD-3-Clause */
/* Static keys from the start to the end of dcbd, and the content of their files. */
#include "control/macsec.h"
#include "control/pn_file.h"
#include "dataplane/macsec/secret.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY  "ad7a2bd03eac835a6f620fdcb506b345"
#define SALT "e630e81a48de86a21c66fa6d"
#define OWN  UINT64_C(0x0200000000010001)
#define PEER UINT64_C(0x0200000000020001)

static const uint8_t key[] = {0xad, 0x7a, 0x2b, 0xd0, 0x3e, 0xac, 0x83, 0x5a,
			      0x6f, 0x62, 0x0f, 0xdc, 0xb5, 0x06, 0xb3, 0x45};

static char dir[] = "/tmp/test_macsec.XXXXXX";
static char state_file[64], key_file[64], path[PATH_MAX], err[PATH_MAX + 256];

/* LeakSanitizer cannot look into a process that has excluded itself from core files. */
bool __wrap_secret_no_core(void);

bool __wrap_secret_no_core(void)
{
	return true;
}

/* If set, no SA is made: the peer's SCI is refused. */
static bool refuse_peer;

enum secy_error __real_port_macsec_init(struct port_macsec *m, const struct port_macsec_params *p);
enum secy_error __wrap_port_macsec_init(struct port_macsec *m, const struct port_macsec_params *p);

enum secy_error __wrap_port_macsec_init(struct port_macsec *m, const struct port_macsec_params *p)
{
	struct port_macsec_params changed = *p;

	if (refuse_peer)
		changed.peer_sci = p->secy.sci;
	return __real_port_macsec_init(m, &changed);
}

/* Calls of event_watch_macsec(). */
static unsigned notified;

void __wrap_event_watch_macsec(const struct managed *m, const struct port_macsec *macsec,
			       struct dcb_time now);

void __wrap_event_watch_macsec(const struct managed *m, const struct port_macsec *macsec,
			       struct dcb_time now)
{
	(void)m;
	(void)now;
	assert_string_equal(macsec->name, "eth0");
	notified++;
}

static int make_dir(void **state)
{
	uint8_t digest[SAK_DIGEST_OCTETS];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(state_file, sizeof(state_file), "%s/state", dir);
	snprintf(key_file, sizeof(key_file), "%s/keys", dir);
	return secret_init() != SECRET_FAILED && sak_digest(MACSEC_GCM_AES_128, key, digest) &&
		       pn_file_path(state_file, digest, path, sizeof(path))
		   ? 0
		   : -1;
}

/* Removes the files of a test. */
static int remove_files(void **state)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	char file[PATH_MAX];

	(void)state;
	refuse_peer = false;
	while (d && (entry = readdir(d))) {
		snprintf(file, sizeof(file), "%s/%s", dir, entry->d_name);
		if (entry->d_name[0] != '.')
			unlink(file);
	}
	return d ? closedir(d) : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

#define ALL   "mode all\npfc_channel true\n"
#define KEY_1 "key 1 0102030405060708090a0b0c0d0e0f10\n"

/* Reads a key file with one port and KEY as its AN 0. more: other lines. */
static struct macsec *read_keys(const char *more)
{
	struct macsec *m;
	struct conf conf;
	FILE *f = fopen(key_file, "w");

	assert_non_null(f);
	assert_int_equal(fchmod(fileno(f), 0600), 0);
	fprintf(f,
		"port eth0\n%s\nsci 02:00:00:00:00:01/1\npeer_sci 02:00:00:00:00:02/1\n"
		"pn_reserve 1000\n%s\nkey 0 " KEY "%s\n",
		strstr(more, "mode") ? "" : "mode data", more, strstr(more, "XPN") ? " " SALT : "");
	assert_int_equal(fclose(f), 0);
	conf_init(&conf);
	conf.macsec_key_file = strdup(key_file);
	m = macsec_read(&conf, err, sizeof(err));
	conf_free(&conf);
	assert_non_null(m);
	return m;
}

/* Starts and ends dcbd's MACsec. Returns whether it starts. */
static bool runs(const char *more)
{
	struct macsec *m = read_keys(more);
	bool ok;

	err[0] = '\0';
	ok = macsec_install(m, state_file, err, sizeof(err));
	macsec_free(m);
	return ok;
}

static void read_numbers(struct pn_file *file)
{
	const struct pn_file use = {.own = OWN, .peer = PEER};

	assert_true(pn_file_read(path, &use, file, err, sizeof(err)));
}

static void test_unused_numbers_are_given_back(void **state)
{
	struct pn_file file;
	struct macsec *m = read_keys("");

	(void)state;
	assert_true(macsec_install(m, state_file, err, sizeof(err)));
	read_numbers(&file);
	assert_int_equal(file.next, 1001);
	macsec_free(m);
	read_numbers(&file);
	assert_int_equal(file.next, 1);
}

/* The peer has sent the last number of 32 bits, and window 0 accepts none. */
static void test_starts_after_the_peer_has_used_up_the_key(void **state)
{
	const struct pn_file used = {500, OWN, PEER, 0, {UINT64_C(1) << 32, 1}};
	struct pn_file file;

	(void)state;
	assert_int_equal(pn_file_write(path, &used), 0);
	assert_true(runs(""));
	read_numbers(&file);
	assert_memory_equal(&file, &used, sizeof(file));
}

static void test_start_that_fails_leaves_the_lowest_numbers(void **state)
{
	const struct pn_file used = {500, OWN, PEER, 0, {7, 8}};
	struct pn_file file;

	(void)state;
	assert_int_equal(pn_file_write(path, &used), 0);
	refuse_peer = true;
	assert_false(runs(""));
	read_numbers(&file);
	assert_true(file.next >= 500);
	assert_int_equal(file.lowest[0], 7);
	assert_int_equal(file.lowest[1], 8);
}

/*
 * The next number of XPN is beyond all numbers without XPN, which the key does not have any more.
 * It stays: XPN would use those between the two again.
 */
static void test_next_number_of_xpn_survives_a_suite_without(void **state)
{
	const struct pn_file used = {UINT64_C(1) << 40, OWN, PEER, 1, {7, 8}};
	struct pn_file file;

	(void)state;
	assert_int_equal(pn_file_write(path, &used), 0);
	assert_true(runs("cipher_suite GCM-AES-128"));
	read_numbers(&file);
	assert_memory_equal(&file, &used, sizeof(file));
	assert_true(runs("cipher_suite GCM-AES-XPN-128"));
	read_numbers(&file);
	assert_memory_equal(&file, &used, sizeof(file));
}

static void test_key_that_is_used_up_stays_so(void **state)
{
	static const uint64_t next[] = {UINT64_C(1) << 32, 0};
	struct pn_file used = {0, OWN, PEER, 0, {7, 8}}, file;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		used.next = next[i];
		used.xpn = i;
		assert_int_equal(pn_file_write(path, &used), 0);
		assert_true(runs(i == 0 ? "" : "cipher_suite GCM-AES-XPN-128"));
		read_numbers(&file);
		assert_memory_equal(&file, &used, sizeof(file));
	}
}

/* SSCIs follow the order of the SCIs of both channels of both ends. */
static void test_other_channels_need_another_key_with_xpn(void **state)
{
	(void)state;
	assert_true(runs("cipher_suite GCM-AES-XPN-128"));
	assert_true(runs("cipher_suite GCM-AES-XPN-128"));
	assert_true(runs(ALL));
	assert_false(runs(ALL "cipher_suite GCM-AES-XPN-128"));
	assert_non_null(strstr(err, "pfc_channel has changed"));
}

/* It would reserve the same numbers, or give back those that the first one uses. */
static void test_second_process_does_not_touch_the_files(void **state)
{
	struct macsec *m = read_keys("");
	struct pn_file file, again;

	(void)state;
	assert_true(macsec_install(m, state_file, err, sizeof(err)));
	read_numbers(&file);
	assert_false(runs(""));
	assert_non_null(strstr(err, "another dcbd uses these packet numbers"));
	read_numbers(&again);
	assert_memory_equal(&again, &file, sizeof(file));
	macsec_free(m);
	assert_true(runs(""));
}

/* An error in the name leaves a port without protection: the log must not say that it transmits. */
static void test_keys_that_no_port_has_are_reported(void **state)
{
	struct macsec *m = read_keys("");
	struct log_capture capture = log_capture();
	struct port_macsec *port;
	char log[4096];
	size_t n;
	bool ok;

	(void)state;
	ok = macsec_install(m, state_file, err, sizeof(err));
	macsec_announce(m);
	log_captured(&capture, log, sizeof(log));
	assert_true(ok);
	assert_non_null(strstr(log, "eth0: no port has this name: its keys are not used"));
	assert_null(strstr(log, "transmits"));

	port = macsec_ports(m, &n);
	port->in_use = true;
	for (unsigned i = 0; i < 2; i++) {
		capture = log_capture();
		macsec_run(m, NULL, (struct dcb_time){0});
		log_captured(&capture, log, sizeof(log));
		assert_int_equal(strstr(log, "eth0: AN 0 transmits") != NULL, i == 0);
	}
	macsec_free(m);
}

/* As netio_secy does after the last packet number of a key. */
static void use_up(struct port_macsec *port, unsigned channel, unsigned an)
{
	struct secy_tx_sc *tx = &port->secy.tx[channel];

	port->reserved[an] = UINT32_MAX;
	tx->sa[an].next_pn = UINT64_C(1) << 32;
	if (an + 1 < SECTAG_ANS && tx->sa[an + 1].sak)
		assert_int_equal(secy_transmit(&port->secy, channel, an + 1, (struct dcb_time){0}),
				 SECY_OK);
	port->stats.used_up++;
}

/* Runs the control thread. Returns how often the log has the text; *notifications: raised. */
static unsigned run_logs(struct macsec *m, const char *text, unsigned *notifications)
{
	struct log_capture capture = log_capture();
	unsigned before = notified, lines = 0;
	char log[4096];

	macsec_run(m, NULL, (struct dcb_time){0});
	log_captured(&capture, log, sizeof(log));
	for (const char *at = log; (at = strstr(at, text)); at++)
		lines++;
	*notifications = notified - before;
	return lines;
}

/* Both channels use each key, and neither ends with it at the same time as the other. */
static void test_each_key_that_is_used_up_is_reported_once(void **state)
{
	const char *next = "the key of AN 0 has no packet numbers left: AN 1 transmits now";
	struct port_macsec *port;
	struct macsec *m;
	unsigned n;
	size_t ports;

	(void)state;
	m = read_keys(ALL KEY_1
		      "key 2 0102030405060708090a0b0c0d0e0f11\n"
		      "key 3 0102030405060708090a0b0c0d0e0f12");
	assert_true(macsec_install(m, state_file, err, sizeof(err)));
	port = macsec_ports(m, &ports);
	assert_int_equal(run_logs(m, "no packet numbers left", &n), 0);
	assert_int_equal(n, 0);
	use_up(port, 0, 0);
	assert_int_equal(run_logs(m, next, &n), 1);
	assert_int_equal(n, 1);
	use_up(port, 1, 0);
	assert_int_equal(run_logs(m, "no packet numbers left", &n), 0);
	assert_int_equal(n, 0);
	/* Two keys since the last turn, and one later: the last. */
	use_up(port, 0, 1);
	use_up(port, 1, 1);
	use_up(port, 0, 2);
	assert_int_equal(run_logs(m, "no packet numbers left: AN 3 transmits now", &n), 2);
	assert_int_equal(n, 2);
	use_up(port, 1, 2);
	use_up(port, 0, 3);
	use_up(port, 1, 3);
	assert_int_equal(
	    run_logs(m, "the key of AN 3 has no packet numbers left, and no other", &n), 1);
	assert_int_equal(n, 1);
	assert_int_equal(run_logs(m, "no packet numbers left", &n), 0);
	assert_int_equal(n, 0);
	macsec_free(m);
	/* After a restart this is no news. */
	m = read_keys(ALL KEY_1);
	assert_true(macsec_install(m, state_file, err, sizeof(err)));
	macsec_ports(m, &ports)->stats.used_up++;
	assert_int_equal(run_logs(m, "no packet numbers left", &n), 0);
	assert_int_equal(n, 0);
	macsec_free(m);
}

static void test_port_with_keys_stays_with_provider_soft(void **state)
{
	struct macsec *m = read_keys("");
	struct conf next;

	(void)state;
	assert_true(macsec_install(m, state_file, err, sizeof(err)));
	conf_init(&next);
	next.n_ports = 1;
	next.ports[0].settings = next.port_default;
	next.ports[0].settings.provider = CONF_PROVIDER_OBSERVE;
	snprintf(next.ports[0].name, sizeof(next.ports[0].name), "eth1");
	assert_true(macsec_permits(m, &next, err, sizeof(err)));
	snprintf(next.ports[0].name, sizeof(next.ports[0].name), "eth*");
	assert_false(macsec_permits(m, &next, err, sizeof(err)));
	assert_non_null(strstr(err, "port \"eth0\": expected provider \"soft\""));
	assert_true(macsec_permits(NULL, &next, err, sizeof(err)));
	conf_free(&next);
	macsec_free(m);
}

/* A port of a station beside a bridge has no MACsec, although dcbd moves its frames. */
static void test_keys_for_another_provider_are_refused(void **state)
{
	static const char *const providers[] = {CONF_PROVIDER_STATION, CONF_PROVIDER_OBSERVE};

	(void)state;
	macsec_free(read_keys(""));
	for (size_t i = 0; i < UNIT_COUNT(providers); i++) {
		char expected[PATH_MAX + 256];
		struct conf conf;

		conf_init(&conf);
		conf.macsec_key_file = strdup(key_file);
		conf.n_ports = 1;
		conf.ports[0].settings = conf.port_default;
		conf.ports[0].settings.provider = providers[i];
		snprintf(conf.ports[0].name, sizeof(conf.ports[0].name), "eth*");
		assert_null(macsec_read_conf(&conf, err, sizeof(err)));
		snprintf(expected, sizeof(expected),
			 "%s: port \"eth0\": expected provider \"soft\" in dcbd.conf, or mode "
			 "\"none\": provider \"%s\" has no MACsec",
			 key_file, providers[i]);
		assert_string_equal(err, expected);
		conf_free(&conf);
	}
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_unused_numbers_are_given_back, remove_files),
	    cmocka_unit_test_teardown(test_starts_after_the_peer_has_used_up_the_key, remove_files),
	    cmocka_unit_test_teardown(test_start_that_fails_leaves_the_lowest_numbers,
				      remove_files),
	    cmocka_unit_test_teardown(test_next_number_of_xpn_survives_a_suite_without,
				      remove_files),
	    cmocka_unit_test_teardown(test_key_that_is_used_up_stays_so, remove_files),
	    cmocka_unit_test_teardown(test_second_process_does_not_touch_the_files, remove_files),
	    cmocka_unit_test_teardown(test_keys_that_no_port_has_are_reported, remove_files),
	    cmocka_unit_test_teardown(test_each_key_that_is_used_up_is_reported_once, remove_files),
	    cmocka_unit_test_teardown(test_port_with_keys_stays_with_provider_soft, remove_files),
	    cmocka_unit_test_teardown(test_keys_for_another_provider_are_refused, remove_files),
	    cmocka_unit_test_teardown(test_other_channels_need_another_key_with_xpn, remove_files),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
