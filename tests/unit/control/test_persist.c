/* SPDX-License-Identifier: BSD-3-Clause */
/* The state file: restarts, renamed and absent interfaces, damaged files, write errors. */
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "control/persist.h"
#include "control/persist_text.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

/* libconfig 1.5 leaks the string it was scanning when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

/* Errors of the system calls that the linker replaces by functions below (option --wrap). */
static struct {
	unsigned interrupted; /* number of write() calls that fail with EINTR */
	unsigned limit;       /* octets that one write() takes; 0: all */
	int write_error;      /* errno of each write(); 0: none */
	int close_error;      /* errno of each close(); 0: none */
	unsigned syncs;       /* number of fsync() calls that succeed before sync_error */
	int sync_error;       /* errno of an fsync(); 0: none */
	unsigned exchanges;   /* number of renameat2() calls that succeed before exchange_error */
	int exchange_error;   /* errno of each renameat2() after them; 0: none */
	unsigned settings;    /* the config_setting_add() call that fails; 0: none */
	bool stream_full;     /* fclose() fails with ENOMEM, as that of a memory stream */
} faults;

ssize_t __real_write(int fd, const void *octets, size_t n);
int __real_close(int fd);
int __real_fsync(int fd);
int __real_fclose(FILE *f);
int __real_renameat2(int fd, const char *from, int to_fd, const char *to, unsigned flags);
ssize_t __wrap_write(int fd, const void *octets, size_t n);
int __wrap_close(int fd);
int __wrap_fsync(int fd);
int __wrap_fclose(FILE *f);
int __wrap_renameat2(int fd, const char *from, int to_fd, const char *to, unsigned flags);

struct config_setting_t; /* of libconfig */
struct config_setting_t *__real_config_setting_add(struct config_setting_t *parent,
						   const char *name, int type);
struct config_setting_t *__wrap_config_setting_add(struct config_setting_t *parent,
						   const char *name, int type);

struct config_setting_t *__wrap_config_setting_add(struct config_setting_t *parent,
						   const char *name, int type)
{
	if (faults.settings > 0 && --faults.settings == 0)
		return NULL;
	return __real_config_setting_add(parent, name, type);
}

static int fails(int error)
{
	errno = error;
	return -1;
}

ssize_t __wrap_write(int fd, const void *octets, size_t n)
{
	if (faults.interrupted > 0) {
		faults.interrupted--;
		return fails(EINTR);
	}
	if (faults.write_error)
		return fails(faults.write_error);
	return __real_write(fd, octets, faults.limit && n > faults.limit ? faults.limit : n);
}

int __wrap_close(int fd)
{
	int result = __real_close(fd);

	return faults.close_error ? fails(faults.close_error) : result;
}

int __wrap_fsync(int fd)
{
	if (faults.sync_error && faults.syncs-- == 0)
		return fails(faults.sync_error);
	return __real_fsync(fd);
}

int __wrap_renameat2(int fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	if (faults.exchange_error && faults.exchanges == 0)
		return fails(faults.exchange_error);
	if (faults.exchanges > 0)
		faults.exchanges--;
	return __real_renameat2(fd, from, to_fd, to, flags);
}

int __wrap_fclose(FILE *f)
{
	int result = __real_fclose(f);

	return faults.stream_full ? fails(ENOMEM) : result;
}

static void test_survives_restart_rename_and_reindex(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(
	    SET(w, {STATUS, "1.3", "createAndGo"},
		{"ieee8021CnComPriAlternatePriority", "1.3", "1"}, {QSP, "1.5.3", "31000"},
		{QSP, "1.9.3", "32000"}, {"ieee8021CnRpgEnable", "1.3.3.3", "false"},
		{"ieee8021CnRpgMaxRate", "1.3.3.3", "10000"},
		{"ieee8021PfcLinkDelayAllowance", "9", "4294967295"},
		{"dcbPfcPriorityEnable", "5.0", "true"}, {"dcbPfcPriorityEnable", "5.7", "true"},
		{"dcbPfcPriorityEnable", "9.3", "true"},
		{"ieee8021CnGlobalCnmTransmitPriority", "1", "5"}),
	    MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 4, "other", "uplink"); /* was sw5, ifIndex 5 */
	mo_world_add_port(w, 8, "sw9", "");         /* was ifIndex 9 */
	mo_world_load(w);
	assert_column(w, STATUS, "1.3=active");
	assert_column(w, "ieee8021CnComPriAlternatePriority", "1.3=1");
	assert_column(w, QSP, "1.3.3=26000 1.4.3=31000 1.8.3=32000");
	assert_column(w, "ieee8021CnRpgEnable", "1.3.3.3=false 1.3.4.3=true 1.3.8.3=true");
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "3=0 4=0 8=4294967295");
	assert_int_equal(w->m->config->ports[0].config->pfc.enable, 0);
	assert_int_equal(w->m->config->ports[1].config->pfc.enable, 0x81);
	assert_int_equal(w->m->config->ports[2].config->pfc.enable, 0x08);
	assert_column(w, "ieee8021CnGlobalCnmTransmitPriority", "1=5");
	/* A rate that is set to the speed of the port stays set. */
	assert_true(w->m->config->ports[0].config->rpg[3].rpg_max_rate_is_set);
	assert_false(w->m->config->ports[1].config->rpg[3].rpg_max_rate_is_set);
	mo_world_free(w);
}

static void test_settings_return_with_the_interface(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {STATUS, "1.4", "createAndGo"},
			     {QSP, "1.5.3", "31000"}, {QSP, "1.5.4", "41000"}),
			 MO_NO_ERROR);
	fake_port(w->m->config->ports[1].port)->cp[3].cp_discarded_frames = 17;
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	mo_world_adopt(w);
	assert_int_equal(w->provider.n_open, 2);
	assert_column(w, QSP, "1.3.3=26000 1.3.4=26000 1.9.3=26000 1.9.4=26000");
	assert_column(w, "ieee8021CnGlobalDiscardedFrames", "1=17");
	/* A CNPV that is deleted and created again meanwhile: its settings are defaults. */
	assert_int_equal(SET(w, {STATUS, "1.4", "destroy"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {STATUS, "1.4", "createAndGo"}), MO_NO_ERROR);
	mo_world_add_port(w, 12, "renamed", "uplink");
	assert_column(w, QSP,
		      "1.3.3=26000 1.3.4=26000 1.9.3=26000 1.9.4=26000 1.12.3=31000 1.12.4=26000");
	mo_world_free(w);
}

static void test_settings_of_returned_interface_are_in_force(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	const struct dcb_config_port *port;

	(void)state;
	assert_int_equal(
	    SET(w, {STATUS, "1.3", "createAndGo"}, {"dcbPfcPriorityEnable", "5.6", "true"}),
	    MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw12", "uplink");
	port = &w->m->config->ports[managed_find(w->m, 12)];
	assert_int_equal(port->config->pfc.enable, 1 << 6);
	assert_int_equal(port->oper.pfc_enable, 1 << 6);
	assert_ptr_equal(w->provider.published, w->m->config);
	mo_world_free(w);
}

/* Stopping frees configurations that the provider has not adopted. */
static void test_stop_frees_configurations_not_adopted(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[128];
	struct link_info link = mo_world_link(12, "sw12", "");

	(void)state;
	assert_true(managed_port_add(w->m, &link, &w->conf.port_default, err, sizeof(err)));
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	assert_true(managed_port_remove(w->m, managed_find(w->m, 12)));
	assert_non_null(w->m->retired);
	mo_world_free(w);
}

/* A removed port stays open until the provider adopts the configuration without it. */
static void test_port_is_closed_when_its_successor_is_adopted(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	uint64_t first;

	(void)state;
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	first = w->m->config->generation;
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	assert_int_equal(w->provider.n_open, 3);
	managed_adopted(w->m, &w->provider.provider, first - 1);
	assert_int_equal(w->provider.n_open, 3);
	managed_adopted(w->m, &w->provider.provider, first);
	assert_int_equal(w->provider.n_open, 2);
	managed_adopted(w->m, &w->provider.provider, first + 1);
	assert_int_equal(w->provider.n_open, 1);
	assert_null(w->m->retired);
	mo_world_free(w);
}

/* A missing state file is PERSIST_NONE; one that cannot be read is PERSIST_FAILED. */
static void test_missing_state_file_is_not_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[256], want[320];

	(void)state;
	assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)), PERSIST_NONE);
	snprintf(want, sizeof(want), "%s: No such file or directory", w->state);
	assert_string_equal(err, want);
	assert_int_equal(mkdir(w->state, 0700), 0);
	assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)), PERSIST_FAILED);
	snprintf(want, sizeof(want), "%s: Is a directory", w->state);
	assert_string_equal(err, want);
	assert_int_equal(rmdir(w->state), 0);
	mo_world_free(w);
}

/* An interface that gets its alias later gets the settings then, unless others are set. */
static void test_settings_return_with_the_alias(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(12, "sw12", "uplink");

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
			 MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw12", "");
	assert_column(w, QSP, "1.3.3=26000 1.9.3=26000 1.12.3=26000");
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, QSP, "1.3.3=26000 1.9.3=26000 1.12.3=31000");

	assert_true(managed_port_remove(w->m, managed_find(w->m, 12)));
	mo_world_adopt(w);
	assert_int_equal(SET(w, {QSP, "1.9.3", "32000"}), MO_NO_ERROR);
	link = mo_world_link(9, "sw9", "uplink");
	managed_port_update(w->m, managed_find(w->m, 9), &link);
	assert_column(w, QSP, "1.3.3=26000 1.9.3=32000");
	mo_world_free(w);
}

#define ALLOWANCE "ieee8021PfcLinkDelayAllowance"

/* Settings saved by interface name are restored, even if the interface has an alias now. */
static void test_settings_by_name_apply_after_alias_is_set(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "new");
	mo_world_add_port(w, 5, "uplink", ""); /* settings saved by alias do not match a name */
	mo_world_load(w);
	assert_column(w, ALLOWANCE, "3=77 5=0");
	mo_world_free(w);
}

static bool accepts_no_allowance(const struct dcb_config_port *at)
{
	return at->config->pfc_link_delay_allowance == 0;
}

/* Refused settings are tried again when alias or name changes, not when the link does. */
static void test_refused_settings_wait_for_an_alias(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct link_info link = mo_world_link(12, "sw12", "uplink");
	struct log_capture c;

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 5)));
	mo_world_adopt(w);
	mo_world_add_port(w, 12, "sw12", "");
	w->provider.accepts = accepts_no_allowance;
	c = log_watch(LOG_LEVEL_INFO);
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	log_expect(&c,
		   "<3>prog: mo: sw12: its settings are not restored: sw12: fake cannot: "
		   "expected another\n");
	assert_column(w, ALLOWANCE, "3=0 9=0 12=0");
	w->provider.accepts = NULL;
	link.up = false;
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, ALLOWANCE, "3=0 9=0 12=0");
	link.alias[0] = '\0';
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, ALLOWANCE, "3=0 9=0 12=0");
	strcpy(link.alias, "uplink");
	managed_port_update(w->m, managed_find(w->m, 12), &link);
	assert_column(w, ALLOWANCE, "3=0 9=0 12=55");
	mo_world_free(w);
}

static void test_settings_of_absent_interface_are_kept_on_request(void **state)
{
	for (int keep = 0; keep <= 1; keep++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);

		(void)state;
		w->conf.keep_absent = keep;
		assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
				 MO_NO_ERROR);
		mo_world_restart(w);
		mo_world_load(w);
		/* A SET saves the settings that wait for their interface, too. */
		assert_int_equal(SET(w, {"ieee8021CnGlobalCnmTransmitPriority", "1", "4"}),
				 MO_NO_ERROR);
		mo_world_restart(w);
		mo_world_load(w);
		mo_world_add_port(w, 5, "sw5", "uplink");
		assert_column(w, QSP, keep ? "1.5.3=31000" : "1.5.3=26000");
		mo_world_free(w);
	}
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(f);
	*len = fread(text, 1, 65535, f);
	fclose(f);
	return text;
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* A file truncated at any octet, or with one bit changed, is refused as a whole. */
static void test_damaged_file_is_refused_completely(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[512], *text;
	size_t len;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {QSP, "1.5.3", "31000"}),
			 MO_NO_ERROR);
	text = read_file(w->state, &len);
	mo_world_restart(w);
	for (size_t at = 0; at < len; at++) {
		text[at] ^= 0x04;
		write_file(w->state, text, len);
		text[at] ^= 0x04;
		assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)),
				 PERSIST_DAMAGED);
		assert_non_null(strstr(err, "/state:"));
		assert_int_equal(dcb_config_cnpvs(w->m->config), 0);
		write_file(w->state, text, at);
		assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)),
				 PERSIST_DAMAGED);
	}
	write_file(w->state, text, len);
	mo_world_load(w);
	assert_int_equal(dcb_config_cnpvs(w->m->config), 1 << 3);
	free(text);
	mo_world_free(w);
}

/* Writes a state file with this content and a valid checksum. */
static void write_with_checksum(const struct mo_world *w, const char *content)
{
	char *text = strdup(content);
	size_t len = strlen(content);

	assert_true(persist_add_checksum(&text, &len));
	write_file(w->state, text, len);
	free(text);
}

/* Asserts that a state file with a valid checksum is refused with the error "path:expected". */
static void assert_refused(struct mo_world *w, const char *content, const char *expected)
{
	char err[512], want[640];

	write_with_checksum(w, content);
	assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)), PERSIST_DAMAGED);
	snprintf(want, sizeof(want), "%s:%s", w->state, expected);
	assert_string_equal(err, want);
	assert_int_equal(dcb_config_cnpvs(w->m->config), 0);
	assert_int_equal(w->m->config->global.cng_cnm_transmit_priority, 6);
}

#define CNM_PRIORITY         "ieee8021CnGlobalCnmTransmitPriority"
#define DISCARDED            "ieee8021CnGlobalDiscardedFrames"
#define RECORD(object, rest) "version = 1;\nobjects = (\n{ object = \"" object "\";" rest "} );\n"
#define INDEX(text)          "index = \"" text "\";"
#define VALUE(text)          "value = \"" text "\";"
#define NAME                 "name = \"sw3\";"

#define SAVED(object, name, value) \
	"{ object = \"" object "\"; index = \"*\"; name = \"" name "\"; value = \"" value "\"; }"
#define CHOICE   "dcbPfcHeadroomChoice"
#define IN_FORCE "dcbPfcHeadroomBasis"

/*
 * In files of version 1 PFCLinkDelayAllowance did not count while dcbPfcHeadroomChoice was
 * automatic, the initial value, which is not in the file. The value in force stays the same.
 */
static void test_version_1_keeps_its_headroom(void **state)
{
	static const char objects[] =
	    "objects = (\n" SAVED(ALLOWANCE, "sw3", "77777") ",\n" SAVED(
		CHOICE, "sw9", "manual") ",\n" SAVED(ALLOWANCE, "sw9", "88888") ",\n"
	    SAVED(ALLOWANCE, "sw12", "99999") ",\n" SAVED(ALLOWANCE, "sw13", "11111") ",\n"
	    SAVED(CHOICE, "sw13", "manual") ");\n";
	static const char *const expected[] = {
	    "3=calculated 5=automatic 9=manual 12=calculated 13=manual",
	    "3=automatic 5=automatic 9=manual 12=automatic 13=manual"};
	static const char *const in_force[] = {
	    "3=allowance 5=allowance 9=linkDelayAllowance 12=allowance 13=linkDelayAllowance",
	    "3=linkDelayAllowance 5=allowance 9=linkDelayAllowance 12=linkDelayAllowance "
	    "13=linkDelayAllowance"};

	(void)state;
	for (int version = 1; version <= 2; version++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		char text[1024], err[256];
		size_t len;
		char *saved;

		w->conf.keep_absent = true;
		snprintf(text, sizeof(text), "version = %d;\n%s", version, objects);
		write_with_checksum(w, text);
		assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)),
				 PERSIST_LOADED);
		mo_world_add_port(w, 12, "sw12", "");
		mo_world_add_port(w, 13, "sw13", "");
		assert_column(w, CHOICE, expected[version - 1]);
		assert_column(w, IN_FORCE, in_force[version - 1]);
		/* The next file has the new meaning. */
		saved = persist_text(w->m, w->m->config, NULL, &len);
		assert_non_null(strstr(saved, "version = 2;"));
		free(saved);
		mo_world_free(w);
	}
}

static void test_invalid_content_is_refused(void **state)
{
	static const char no_version[] = "1: expected version = 1..2";
	static const char no_list[] = "1: expected a list named objects";
	static const char parts[] = "3: expected object, index and value";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_refused(w, "", no_version);
	assert_refused(w, "objects = ();\n", no_version);
	assert_refused(w, "version = 3;\nobjects = ();\n", no_version);
	assert_refused(w, "version = \"1\";\nobjects = ();\n", no_version);
	assert_refused(w, "version = 1;\n", no_list);
	assert_refused(w, "version = 1;\nobjects = 5;\n", no_list);
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("1")), parts);
	assert_refused(w, RECORD(CNM_PRIORITY, VALUE("4")), parts);
	assert_refused(w, "version = 1;\nobjects = (\n{" INDEX("1") VALUE("4") "} );\n", parts);
	assert_refused(w, RECORD("nothing", INDEX("1") VALUE("4")),
		       "3: object \"nothing\": expected the name of a writable object");
	assert_refused(w, RECORD(DISCARDED, INDEX("1") VALUE("4")),
		       "3: object \"" DISCARDED "\": expected the name of a writable object");
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("1.1") VALUE("4")),
		       "3: index \"1.1\": expected 1 numbers");
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("*") VALUE("4")),
		       "3: index \"*\": expected 1 numbers");
	assert_refused(w, RECORD(QSP, INDEX("1.5.4") NAME VALUE("30000")),
		       "3: index \"1.5.4\": expected 3 numbers, \"*\" for the ifIndex");
	assert_refused(w, RECORD(QSP, INDEX("*.5.4") NAME VALUE("30000")),
		       "3: index \"*.5.4\": expected 3 numbers, \"*\" for the ifIndex");
	assert_refused(w, RECORD(QSP, INDEX("1.*.*") NAME VALUE("30000")),
		       "3: index \"1.*.*\": expected 3 numbers, \"*\" for the ifIndex");
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("1") VALUE("8")),
		       "3: value \"8\": not a value of " CNM_PRIORITY);
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("1") VALUE("four")),
		       "3: value \"four\": not a value of " CNM_PRIORITY);
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("1") NAME VALUE("4")),
		       "3: " CNM_PRIORITY ": expected no alias or name");
	assert_refused(w, RECORD(QSP, INDEX("1.*.4") VALUE("30000")),
		       "3: " QSP ": expected an alias or name");
	/* If one record fails, none is applied: the second is of a CNPV that does not exist. */
	assert_refused(w, "version = 1;\nobjects = (\n"
		       "{ object = \"" CNM_PRIORITY "\";" INDEX("1") VALUE("4") "},\n"
		       "{ object = \"" QSP "\";" INDEX("1.*.4") NAME VALUE("30000") "} );\n",
		       "4: inconsistentName");
	/* Values and indexes are strings: an integer is refused, whatever its size. */
	assert_refused(w, RECORD(CNM_PRIORITY, INDEX("1") "value = 4294967300;"),
		       "3: objects[0].value: expected a string, not 4294967300");
	assert_refused(w, RECORD(CNM_PRIORITY, "index = 1;" VALUE("4")),
		       "3: objects[0].index: expected a string, not 1");
	mo_world_free(w);
}

/* Settings with alias "" do not apply to interfaces without an alias. */
static void test_empty_alias_matches_no_interface(void **state)
{
	static const char content[] = RECORD(ALLOWANCE, INDEX("*") "alias = \"\";" VALUE("77"));
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	write_with_checksum(w, content);
	w->conf.keep_absent = true;
	mo_world_load(w);
	mo_world_add_port(w, 12, "sw12", "");
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0 12=0");
	mo_world_free(w);
}

/* A RowStatus of dcbDcbxAppTable is not a setting that can be kept. */
static void test_invalid_setting_of_absent_interface_is_logged(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	write_with_checksum(
	    w, RECORD("dcbDcbxAppRowStatus", INDEX("*.1.46") "alias = \"gone\";" VALUE("active")));
	w->conf.keep_absent = true;
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c,
		   "<4>prog: persist: a setting of absent interface gone is invalid, not kept\n");
	mo_world_free(w);
}

/* A version of more than 32 bits is not truncated to 32 bits. */
static void test_version_of_more_than_32_bits_is_refused(void **state)
{
	static const char no_version[] = "1: expected version = 1..2";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_refused(w, "version = 4294967297;\nobjects = ();\n", no_version);
	assert_refused(w, "version = 4294967297L;\nobjects = ();\n", no_version);
	assert_refused(w, "version = -4294967295;\nobjects = ();\n", no_version);
	assert_refused(w, "version = 0x100000001;\nobjects = ();\n", no_version);
	assert_refused(w, "version = 18446744073709551617;\nobjects = ();\n",
		       "1: expected an integer of at most 64 bits, not 18446744073709551617");
	assert_refused(w, "version = -18446744073709551615;\nobjects = ();\n",
		       "1: expected an integer of at most 64 bits, not -18446744073709551615");
	assert_refused(w, "version = 0x10000000000000001;\nobjects = ();\n",
		       "1: expected an integer of at most 64 bits, not 0x10000000000000001");
	assert_refused(w, "version = 1;\n@include \"/dev/null\"\nobjects = ();\n",
		       "2: expected no @include");
	mo_world_free(w);
}

static bool initial(struct mo_world *w, const char *object, const char *index, const char *port,
		    const char *value, const char *expected)
{
	static struct conf conf = {.n_initial = 1};
	struct conf_initial *in = &conf.initial[0];
	char err[256] = "";
	bool ok;

	in->line = 7;
	in->object = (char *)(uintptr_t)object;
	in->index = (char *)(uintptr_t)index;
	in->port = (char *)(uintptr_t)port;
	in->value = (char *)(uintptr_t)value;
	ok = persist_initial(w->m, &conf, err, sizeof(err));
	mo_world_adopt(w);
	assert_string_equal(err, expected);
	return ok;
}

/* Initial settings apply to the ports whose names match the pattern. */
static void test_initial_settings_apply_to_matching_ports(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	assert_true(initial(w, ALLOWANCE, "*", "sw[35]", "77", ""));
	assert_column(w, ALLOWANCE, "3=77 5=77 9=0");
	c = log_watch(LOG_LEVEL_INFO);
	assert_true(initial(w, ALLOWANCE, "*", "sw9", "0", ""));
	assert_true(initial(w, ALLOWANCE, "*", "eth*", "88", ""));
	log_expect(&c, "<4>prog: conf: line 7: initial: no port that has " ALLOWANCE
		       " matches \"eth*\"\n");
	assert_column(w, ALLOWANCE, "3=77 5=77 9=0");
	assert_true(initial(w, CNM_PRIORITY, "1", NULL, "4", ""));
	assert_column(w, CNM_PRIORITY, "1=4");
	assert_false(initial(w, CNM_PRIORITY, "1", "sw*", "5",
			     "line 7: initial: " CNM_PRIORITY ": expected no port"));
	assert_false(initial(w, ALLOWANCE, "*", NULL, "99",
			     "line 7: initial: " ALLOWANCE ": expected a port"));
	assert_false(initial(w, CNM_PRIORITY, "1", NULL, "8",
			     "line 7: initial: value \"8\": not a value of " CNM_PRIORITY));
	assert_false(initial(w, QSP, "1.*.4", "sw3", "30000", "line 7: initial: inconsistentName"));
	assert_column(w, CNM_PRIORITY, "1=4");
	assert_column(w, ALLOWANCE, "3=77 5=77 9=0");
	mo_world_free(w);
}

/* Settings without an interface, or that the port's provider lacks, are deleted and logged. */
static void test_settings_not_restored_are_logged(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}, {ALLOWANCE, "5", "55"},
			     {ALLOWANCE, "9", "99"}, {"dcbPfcPriorityEnable", "5.1", "true"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	w->provider.sets = 0;
	mo_world_add_port(w, 3, "sw3", "");
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c, "<4>prog: persist: sw3: " ALLOWANCE
		       " is not restored: provider \"fake\" cannot set it\n"
		       "<4>prog: persist: no interface with alias \"uplink\": its settings "
		       "are deleted\n");
	assert_column(w, ALLOWANCE, "3=0 9=99");
	mo_world_restart(w);
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 3, "sw3", "");
	w->provider.accepts = accepts_no_allowance;
	c = log_watch(LOG_LEVEL_INFO);
	mo_world_load(w);
	log_expect(&c,
		   "<4>prog: persist: sw3: its settings are not restored: fake cannot: "
		   "expected another\n"
		   "<4>prog: persist: sw5: its settings are not restored: fake cannot: "
		   "expected another\n"
		   "<4>prog: persist: sw9: its settings are not restored: fake cannot: "
		   "expected another\n");
	assert_column(w, ALLOWANCE, "3=0 5=0 9=0");
	mo_world_free(w);
}

/* Only values that differ from their defaults are saved. */
static void test_file_has_only_changed_values(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char *text, *record;
	size_t len;

	(void)state;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}, {ALLOWANCE, "9", "0"}), MO_NO_ERROR);
	text = read_file(w->state, &len);
	record = strstr(text, "object = \"" ALLOWANCE "\";");
	assert_non_null(record);
	assert_null(strstr(record + 1, "object = "));
	assert_ptr_equal(strstr(text, "object = "), record);
	assert_non_null(strstr(record, "index = \"*\";"));
	assert_non_null(strstr(record, "name = \"sw3\";"));
	assert_non_null(strstr(record, "value = \"77\";"));
	free(text);
	mo_world_free(w);
}

/* CRC-32 of ISO 3309, as in earlier releases. */
static void test_checksum_is_crc32(void **state)
{
	char *text = strdup("version = 1;\n");
	size_t len = strlen(text);
	unsigned line;

	(void)state;
	assert_true(persist_add_checksum(&text, &len));
	assert_string_equal(text, "version = 1;\ncrc32 = \"3bc7c684\";\n");
	assert_int_equal(len, strlen(text));
	assert_true(persist_has_checksum(text, len, &line));
	assert_int_equal(line, 2);
	assert_false(persist_has_checksum(text, len - 1, &line));
	free(text);
}

static void test_alias_of_one_character_is_restored(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	mo_world_add_port(w, 20, "sw20", "u");
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 2, "x", "u");
	mo_world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "2=77");
	mo_world_free(w);
}

/* Sets the object to another valid value. false: there is none. */
static bool change(struct mo_world *w, const struct mo_column *col, const char *index)
{
	static char before[65536], after[65536];
	const int64_t values[] = {col->max, col->min, col->min + 1, col->max - 1};

	mo_world_column(w, col->name, before, sizeof(before));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct mo_value value = {.syntax = col->syntax, .num = values[i], .len = 1};
		char text[64];

		value.octets[0] = (uint8_t)(0x80 >> i);
		mo_format(col, &value, text, sizeof(text));
		if (mo_validate(col, &value) != MO_NO_ERROR ||
		    SET(w, {col->name, index, text}) != MO_NO_ERROR)
			continue;
		mo_world_column(w, col->name, after, sizeof(after));
		if (strcmp(before, after) != 0)
			return true;
	}
	return false;
}

/* Changes each writable object in the first row of its table, and calls done() if it is given. */
static unsigned change_every_object(struct mo_world *w,
				    void (*done)(struct mo_world *w, const char *object))
{
	unsigned changed = 0;

	for (unsigned t = 0; t < MO_TABLES; t++) {
		const struct mo_table *table = mo_table((enum mo_table_id)t);

		for (unsigned i = 0; i < table->n_columns; i++) {
			const struct mo_column *col = &table->columns[i];
			struct mo_index at = {0};
			char index[80];

			if (!mo_is_writable(col) || col->syntax == MO_ROW_STATUS ||
			    !mo_world_next(w, t, &at))
				continue;
			mo_index_format(&at, index, sizeof(index));
			if (!change(w, col, index)) {
				print_message("%s: has no other value\n", col->name);
				continue;
			}
			changed++;
			if (done)
				done(w, col->name);
		}
	}
	return changed;
}

static void survives_restart(struct mo_world *w, const char *object)
{
	static char before[65536], after[65536];

	mo_world_column(w, object, before, sizeof(before));
	mo_world_reload(w);
	mo_world_column(w, object, after, sizeof(after));
	if (strcmp(before, after) != 0)
		fail_msg("%s: %s after %s", object, after, before);
}

/* Each writable object is changed in turn and restored after a restart. */
static void test_every_setting_survives_a_restart(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	unsigned changed;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	changed = change_every_object(w, survives_restart);
	print_message("%u objects\n", changed);
	assert_true(changed >= 60);
	mo_world_free(w);
}

/* Writes a state file with the records of text in random order and a valid checksum. */
static void write_shuffled(const struct mo_world *w, const char *text, struct dcb_rng *rng)
{
	const char *records[256];
	char *out = NULL;
	size_t n = 0, len;
	FILE *f = open_memstream(&out, &len);

	for (const char *r = strstr(text, "{\n"); r; r = strstr(r + 1, "{\n")) {
		assert_in_range(n, 0, UNIT_COUNT(records) - 1);
		records[n++] = r;
	}
	assert_in_range(n, 60, UNIT_COUNT(records));
	fprintf(f, "version = 1;\nobjects = (");
	for (; n > 0; n--) {
		uint32_t i = dcb_rng_uniform(rng, 0, (uint32_t)n - 1);

		fprintf(f, "%.*s}%s", (int)strcspn(records[i], "}"), records[i],
			n > 1 ? ",\n" : "");
		records[i] = records[n - 1];
	}
	fprintf(f, ");\n");
	assert_int_equal(fclose(f), 0);
	assert_true(persist_add_checksum(&out, &len));
	write_file(w->state, out, len);
	free(out);
}

static void load_all(struct mo_world *w, bool late)
{
	mo_world_restart(w);
	if (!late)
		mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	if (late)
		mo_world_add_port(w, 3, "sw3", "");
}

/* The order of records does not matter: releases write tables in different orders. */
static void test_records_load_in_any_order(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	struct dcb_rng rng;
	char *before, *after;
	size_t len;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 0);
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	change_every_object(w, NULL);
	before = read_file(w->state, &len);
	for (unsigned round = 0; round < 20; round++) {
		write_shuffled(w, before, &rng);
		load_all(w, round % 2);
		assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
		after = read_file(w->state, &len);
		assert_string_equal(after, before);
		free(after);
	}
	free(before);
	mo_world_free(w);
}

/* 32.3.5: a change of Creation affects ports created later, not the rows of existing ones. */
static void test_creation_applies_to_later_ports(void **state)
{
	static const char expected[] = "1.3.3=cpcComp 1.3.5=cpcComp 1.3.7=cpcAdmin 1.3.9=cpcComp";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {"ieee8021CnComPriCreation", "1.3", "cncpAutoDisable"}),
			 MO_NO_ERROR);
	mo_world_add_port(w, 7, "sw7", "");
	assert_column(w, "ieee8021CnPortPriDefModeChoice", expected);
	assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
	mo_world_restart(w);
	mo_world_add_port(w, 3, "sw3", "");
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 7, "sw7", "");
	mo_world_add_port(w, 9, "sw9", "");
	mo_world_load(w);
	assert_column(w, "ieee8021CnPortPriDefModeChoice", expected);
	mo_world_free(w);
}

/* 32.11.5: once it is set, to any value, it does not follow the speed of the port. */
static void test_max_rate_is_saved_once_it_is_set(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"},
			     {"ieee8021CnRpgMaxRate", "1.3.3.3", "0"},
			     {"ieee8021CnRpgMaxRate", "1.3.5.3", "10000"}),
			 MO_NO_ERROR);
	load_all(w, false);
	assert_column(w, "ieee8021CnRpgMaxRate", "1.3.3.3=0 1.3.5.3=10000 1.3.9.3=10000");
	assert_true(w->m->config->ports[0].config->rpg[3].rpg_max_rate_is_set);
	assert_true(w->m->config->ports[1].config->rpg[3].rpg_max_rate_is_set);
	assert_false(w->m->config->ports[2].config->rpg[3].rpg_max_rate_is_set);
	mo_world_free(w);
}

static void test_alias_with_special_characters_is_restored(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	static const char odd[] = "a \"quoted\" \\ name\n\x01\xc3\xbc";

	(void)state;
	mo_world_add_port(w, 20, "sw20", odd);
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"}), MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 2, "x", odd);
	mo_world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "2=77");
	mo_world_free(w);
}

/* The settings of two interfaces with the same alias are saved by name. */
static void test_duplicate_alias_is_saved_by_name(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	mo_world_add_port(w, 20, "sw20", "uplink");
	assert_int_equal(SET(w, {"ieee8021PfcLinkDelayAllowance", "20", "77"},
			     {"ieee8021PfcLinkDelayAllowance", "5", "55"}),
			 MO_NO_ERROR);
	mo_world_restart(w);
	mo_world_add_port(w, 5, "sw5", "uplink");
	mo_world_add_port(w, 20, "sw20", "uplink");
	mo_world_load(w);
	assert_column(w, "ieee8021PfcLinkDelayAllowance", "5=55 20=77");
	mo_world_free(w);
}

/* Returns the name that the file has while it is written. */
static const char *new_file(const struct mo_world *w)
{
	static char path[sizeof(w->state) + 4];

	snprintf(path, sizeof(path), "%s.new", w->state);
	return path;
}

static void test_set_fails_if_file_cannot_be_written(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	struct log_capture c;
	char *before, *after;
	size_t len, len_after;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	before = read_file(w->state, &len);
	/* A directory with the name of the temporary file: open() fails for root, too. */
	assert_int_equal(mkdir(new_file(w), 0700), 0);
	c = log_watch(LOG_LEVEL_INFO);
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_COMMIT_FAILED);
	log_expect(&c, "<3>prog: persist: %s: Is a directory: settings not saved\n", w->state);
	assert_column(w, QSP, "1.3.3=26000 1.5.3=26000 1.9.3=26000");
	assert_column(w, "dcbAgentStateStatus", "0=writeFailing");
	assert_column(w, "dcbAgentStateFailures", "0=1");
	after = read_file(w->state, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	assert_int_equal(rmdir(new_file(w)), 0);
	c = log_watch(LOG_LEVEL_INFO);
	assert_int_equal(SET(w, {QSP, "1.5.3", "31000"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {QSP, "1.5.3", "32000"}), MO_NO_ERROR);
	log_expect(&c, "<6>prog: persist: %s can be written again\n", w->state);
	assert_column(w, "dcbAgentStateStatus", "0=ok");
	free(before);
	free(after);
	mo_world_free(w);
}

/* Interrupted and short writes are continued until the whole file is written. */
static void test_interrupted_and_short_writes_are_continued(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char *before, *after;
	size_t len, len_after;

	(void)state;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}), MO_NO_ERROR);
	before = read_file(w->state, &len);
	assert_int_equal(unlink(w->state), 0);
	faults.interrupted = 3;
	faults.limit = 7;
	assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
	faults.limit = 0;
	assert_int_equal(faults.interrupted, 0);
	after = read_file(w->state, &len_after);
	assert_int_equal(len, len_after);
	assert_memory_equal(before, after, len);
	free(before);
	free(after);
	mo_world_free(w);
}

/* If close() or the memory stream fails, the temporary file is not renamed. */
static void test_failed_close_or_stream_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	faults.close_error = EIO;
	assert_int_equal(persist_save(w->m, w->m->config, w->state), EIO);
	faults.close_error = 0;
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(access(w->state, F_OK), -1);
	faults.stream_full = true;
	assert_int_equal(persist_save(w->m, w->m->config, w->state), ENOMEM);
	faults.stream_full = false;
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(access(w->state, F_OK), -1);
	mo_world_free(w);
}

/* If adding any of the records fails, the former file stays unchanged. */
static void test_incomplete_file_is_not_written(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_STATION);
	char *before, *after;
	size_t len, len_after;
	unsigned n = 0;
	int error;

	(void)state;
	w->conf.keep_absent = true;
	assert_int_equal(SET(w, {STATUS, "1.3", "createAndGo"}, {CNM_PRIORITY, "1", "4"},
			     {QSP, "1.5.3", "31000"}, {ALLOWANCE, "9", "99"},
			     {"lldpXdot1dcbxAdminApplicationPriorityAEPriority", "3.1.46", "5"},
			     {"lldpXdot1dcbxAdminApplicationVlanAEVlanId", "3.1.46", "5"}),
			 MO_NO_ERROR);
	fake_port(w->m->config->ports[0].port)->measure =
	    (struct pfc_measure_stats){.measured = 1, .rate_bps = 1, .average = 1, .count = 1};
	managed_measured(w->m, w->m->config->ports[0].port->slot);
	assert_true(managed_port_remove(w->m, managed_find(w->m, 9)));
	mo_world_adopt(w);
	assert_int_equal(persist_save(w->m, w->m->config, w->state), 0);
	before = read_file(w->state, &len);
	do {
		faults.settings = ++n;
		error = persist_save(w->m, w->m->config, w->state);
		assert_int_equal(error, faults.settings == 0 ? ENOMEM : 0);
		after = read_file(w->state, &len_after);
		assert_string_equal(after, before);
		free(after);
	} while (error != 0);
	assert_non_null(strstr(before, "measured"));
	assert_in_range(n, 20, 200);
	faults.settings = 0;
	free(before);
	mo_world_free(w);
}

/* --- each point at which a save can fail ------------------------------------------------- */

/* Lets the process open one more file, or as many as before. */
static void limit_files(bool to_one)
{
	static struct rlimit before;
	struct rlimit limit;
	int next = dup(STDERR_FILENO);

	assert_true(next >= 0);
	__real_close(next);
	if (to_one)
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	if (to_one)
		limit.rlim_cur = (rlim_t)next + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

struct save_failure {
	const char *at;
	int error; /* of persist_save() */
	int write_error, close_error, sync_error, exchange_error;
	unsigned syncs; /* that succeed before sync_error */
	bool no_file;   /* the file cannot be created */
};

static const struct save_failure save_failures[] = {
    {"the new file is created", EMFILE, .no_file = true},
    {"the new file is written, full disk", ENOSPC, .write_error = ENOSPC},
    {"the new file is written, quota", EDQUOT, .write_error = EDQUOT},
    {"the new file is synchronized", EIO, .sync_error = EIO},
    {"the new file is closed", EIO, .close_error = EIO},
    {"the directory is synchronized", EIO, .sync_error = EIO, .syncs = 1},
};

static void let_fail(const struct save_failure *f)
{
	faults.write_error = f->write_error;
	faults.close_error = f->close_error;
	faults.sync_error = f->sync_error;
	faults.syncs = f->syncs;
	if (f->no_file)
		limit_files(true);
}

static void let_succeed(const struct save_failure *f)
{
	if (f->no_file)
		limit_files(false);
	memset(&faults, 0, sizeof(faults));
}

/* Returns the content of a file; NULL: it does not exist. */
static char *content_of(const char *path)
{
	size_t len;

	return access(path, F_OK) == 0 ? read_file(path, &len) : NULL;
}

static void assert_same_content(const char *path, const char *want, const char *at)
{
	char *is = content_of(path);

	if (!want != !is || (want && strcmp(want, is) != 0))
		fail_msg("%s: %s has \"%s\", expected \"%s\"", at, path, is ? is : "no file",
			 want ? want : "no file");
	free(is);
}

/* Wherever a save fails, the SET is refused, and neither dcbd nor its restart has its value. */
static void test_refused_set_has_no_effect_after_restart(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * UNIT_COUNT(save_failures); i++) {
		const struct save_failure *f = &save_failures[i / 2];
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		enum mo_error expected = f->error == ENOSPC || f->error == EDQUOT
					     ? MO_RESOURCE_UNAVAILABLE
					     : MO_COMMIT_FAILED;
		char *before = NULL;

		if (i % 2 == 0) {
			assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
			before = content_of(w->state);
		}
		let_fail(f);
		assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}), expected);
		faults.syncs = f->syncs;
		assert_int_equal(persist_save(w->m, w->m->config, w->state), f->error);
		let_succeed(f);
		assert_same_content(w->state, before, f->at);
		assert_same_content(new_file(w), NULL, f->at);
		assert_value(w, ALLOWANCE, "3", before ? "33" : "0");
		mo_world_restart(w);
		mo_world_add_port(w, 3, "sw3", "");
		if (before)
			mo_world_load(w);
		assert_value(w, ALLOWANCE, "3", before ? "33" : "0");
		assert_int_equal(SET(w, {ALLOWANCE, "3", "88"}), MO_NO_ERROR);
		assert_same_content(new_file(w), NULL, f->at);
		free(before);
		mo_world_free(w);
	}
}

/* A file system without exchange replaces the file: a save succeeds as on others. */
static void test_save_succeeds_without_exchange_of_names(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	faults.exchange_error = EINVAL;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}), MO_NO_ERROR);
	faults.exchange_error = 0;
	load_all(w, false);
	assert_column(w, ALLOWANCE, "3=77 5=0 9=0");
	mo_world_free(w);
}

/* If the former file cannot get its name back, the log says that the file has refused settings. */
static void test_refused_settings_left_in_the_file_are_logged(void **state)
{
	static const struct {
		const char *at;
		unsigned exchanges; /* that succeed */
	} cases[] = {{"no exchange", 0}, {"the exchange cannot be reversed", 1}};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
		struct mo_world *w = mo_world_new(ROLE_BRIDGE);
		char text[2048], want[512];
		struct log_capture c;

		print_message("%s\n", cases[i].at);
		assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
		c = log_watch(LOG_LEVEL_INFO);
		faults.exchange_error = EROFS;
		faults.exchanges = cases[i].exchanges;
		faults.sync_error = EIO;
		faults.syncs = 1;
		assert_int_equal(SET(w, {ALLOWANCE, "3", "77"}), MO_COMMIT_FAILED);
		memset(&faults, 0, sizeof(faults));
		log_captured(&c, text, sizeof(text));
		log_init("test_persist", LOG_LEVEL_ERROR, false);
		snprintf(want, sizeof(want),
			 "<3>prog: persist: %s has settings that were refused: they come into "
			 "force at a restart unless a later SET succeeds\n",
			 w->state);
		assert_memory_equal(text, want, strlen(want)); /* that it failed has a limit */
		assert_column(w, ALLOWANCE, "3=33 5=0 9=0");
		assert_column(w, "dcbAgentStateStatus", "0=writeFailing");
		/* The next SET that succeeds corrects the file. */
		assert_int_equal(SET(w, {ALLOWANCE, "5", "55"}), MO_NO_ERROR);
		assert_int_equal(access(new_file(w), F_OK), -1);
		load_all(w, false);
		assert_column(w, ALLOWANCE, "3=33 5=55 9=0");
		mo_world_free(w);
	}
}

/* A save does not write through a link that has the name of the new file. */
static void test_link_with_the_name_of_the_new_file_is_replaced(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char victim[128];

	(void)state;
	snprintf(victim, sizeof(victim), "%s/victim", w->dir);
	write_file(victim, "precious", 8);
	assert_int_equal(symlink(victim, new_file(w)), 0);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "33"}), MO_NO_ERROR);
	assert_same_content(victim, "precious", "symbolic link");
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(unlink(victim), 0);
	mo_world_free(w);
}

static void test_failed_rename_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_int_equal(mkdir(w->state, 0700), 0);
	assert_int_equal(persist_save(w->m, w->m->config, w->state), EISDIR);
	assert_int_equal(access(new_file(w), F_OK), -1);
	assert_int_equal(rmdir(w->state), 0);
	mo_world_free(w);
}

static void test_invalid_path_is_an_error(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char path[PATH_MAX + 1];

	(void)state;
	snprintf(path, sizeof(path), "%s/missing/state", w->dir);
	assert_int_equal(persist_save(w->m, w->m->config, path), ENOENT);
	/* The path fits in PATH_MAX, but not with the suffix of the temporary file. */
	memset(path, 'x', sizeof(path));
	path[PATH_MAX - 1 - strlen(".new") + 1] = '\0';
	assert_int_equal(persist_save(w->m, w->m->config, path), ENAMETOOLONG);
	mo_world_free(w);
}

static void test_set_aside_renames_or_returns_errno(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char aside[256], expected[128], date[9], hour[7];
	long pid;

	(void)state;
	assert_int_equal(persist_set_aside(w->state, aside, sizeof(aside)), ENOENT);
	write_file(w->state, "x", 1);
	assert_int_equal(persist_set_aside(w->state, aside, sizeof(aside)), 0);
	snprintf(expected, sizeof(expected), "%s.damaged-", w->state);
	assert_memory_equal(aside, expected, strlen(expected));
	assert_int_equal(sscanf(aside + strlen(expected), "%8[0-9]T%6[0-9]Z-%ld", date, hour, &pid),
			 3);
	assert_int_equal(strlen(date) + strlen(hour), 8 + 6);
	assert_int_equal(pid, getpid());
	assert_int_equal(access(w->state, F_OK), -1);
	assert_int_equal(unlink(aside), 0);
	mo_world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_survives_restart_rename_and_reindex),
	    cmocka_unit_test(test_settings_return_with_the_interface),
	    cmocka_unit_test(test_settings_return_with_the_alias),
	    cmocka_unit_test(test_settings_by_name_apply_after_alias_is_set),
	    cmocka_unit_test(test_refused_settings_wait_for_an_alias),
	    cmocka_unit_test(test_settings_of_absent_interface_are_kept_on_request),
	    cmocka_unit_test(test_damaged_file_is_refused_completely),
	    cmocka_unit_test(test_alias_with_special_characters_is_restored),
	    cmocka_unit_test(test_version_1_keeps_its_headroom),
	    cmocka_unit_test(test_invalid_content_is_refused),
	    cmocka_unit_test(test_empty_alias_matches_no_interface),
	    cmocka_unit_test(test_invalid_setting_of_absent_interface_is_logged),
	    cmocka_unit_test(test_version_of_more_than_32_bits_is_refused),
	    cmocka_unit_test(test_settings_not_restored_are_logged),
	    cmocka_unit_test(test_file_has_only_changed_values),
	    cmocka_unit_test(test_checksum_is_crc32),
	    cmocka_unit_test(test_alias_of_one_character_is_restored),
	    cmocka_unit_test(test_records_load_in_any_order),
	    cmocka_unit_test(test_creation_applies_to_later_ports),
	    cmocka_unit_test(test_max_rate_is_saved_once_it_is_set),
	    cmocka_unit_test(test_every_setting_survives_a_restart),
	    cmocka_unit_test(test_settings_of_returned_interface_are_in_force),
	    cmocka_unit_test(test_stop_frees_configurations_not_adopted),
	    cmocka_unit_test(test_port_is_closed_when_its_successor_is_adopted),
	    cmocka_unit_test(test_missing_state_file_is_not_an_error),
	    cmocka_unit_test(test_initial_settings_apply_to_matching_ports),
	    cmocka_unit_test(test_duplicate_alias_is_saved_by_name),
	    cmocka_unit_test(test_set_fails_if_file_cannot_be_written),
	    cmocka_unit_test(test_interrupted_and_short_writes_are_continued),
	    cmocka_unit_test(test_failed_close_or_stream_is_an_error),
	    cmocka_unit_test(test_incomplete_file_is_not_written),
	    cmocka_unit_test(test_refused_set_has_no_effect_after_restart),
	    cmocka_unit_test(test_save_succeeds_without_exchange_of_names),
	    cmocka_unit_test(test_refused_settings_left_in_the_file_are_logged),
	    cmocka_unit_test(test_link_with_the_name_of_the_new_file_is_replaced),
	    cmocka_unit_test(test_failed_rename_is_an_error),
	    cmocka_unit_test(test_invalid_path_is_an_error),
	    cmocka_unit_test(test_set_aside_renames_or_returns_errno),
	};

	log_init("test_persist", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
