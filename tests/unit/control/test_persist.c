/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Content of the state file: settings that are saved and restored, damaged and invalid files, and
 * those of a newer version.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/log.h"
#include "control/persist.h"
#include "lib/rng.h"
#include "tests/unit/control/state_file.h"
#include "tests/unit/log_capture.h"
#include "tests/unit/mo_world.h"

/* libconfig 1.5 leaks the string it was scanning when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
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

#define DISCARDED "ieee8021CnGlobalDiscardedFrames"

#define NAME "name = \"sw3\";"

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
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_refused(w, "", no_version);
	assert_refused(w, "objects = ();\n", no_version);
	assert_refused(w, "version = 0;\nobjects = ();\n", no_version);
	assert_refused(w, "version = \"1\";\nobjects = ();\n", no_version);
	assert_refused(w, "version = 1;\n", no_list);
	assert_refused(w, "version = 1;\nobjects = 5;\n", no_list);
	mo_world_free(w);
}

/* Asserts that a file with this content is loaded, and one record logged with "path:expected". */
static void assert_left_out(struct mo_world *w, const char *content, const char *expected)
{
	char err[512], want[640];
	struct log_capture c = log_watch(LOG_LEVEL_INFO);

	write_with_checksum(w, content);
	assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)), PERSIST_LOADED);
	snprintf(want, sizeof(want), "<4>prog: persist: %s:%s: this setting is not restored\n",
		 w->state, expected);
	log_expect(&c, "%s", want);
	assert_true(w->m->kept.is_incomplete);
	assert_int_equal(w->m->kept.len, 0);
	assert_int_equal(dcb_config_cnpvs(w->m->config), 0);
}

/* The checksum says that the file is as it was written, by another version. */
static void test_setting_that_is_not_understood_is_left_out(void **state)
{
	static const char parts[] = "3: expected object, index and value";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);

	(void)state;
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("1")), parts);
	assert_left_out(w, RECORD(CNM_PRIORITY, VALUE("4")), parts);
	assert_left_out(w, "version = 1;\nobjects = (\n{" INDEX("1") VALUE("4") "} );\n", parts);
	assert_left_out(w, RECORD("nothing", INDEX("1") "list = ( 1 );" VALUE("4")),
			"3: object \"nothing\": expected strings and integers");
	assert_left_out(w, RECORD("nothing", INDEX("1") "value = 4.5;"),
			"3: object \"nothing\": expected strings and integers");
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("1.1") VALUE("4")),
			"3: index \"1.1\": expected 1 numbers");
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("*") VALUE("4")),
			"3: index \"*\": expected 1 numbers");
	assert_left_out(w, RECORD(QSP, INDEX("1.5.4") NAME VALUE("30000")),
			"3: index \"1.5.4\": expected 3 numbers, \"*\" for the ifIndex");
	assert_left_out(w, RECORD(QSP, INDEX("*.5.4") NAME VALUE("30000")),
			"3: index \"*.5.4\": expected 3 numbers, \"*\" for the ifIndex");
	assert_left_out(w, RECORD(QSP, INDEX("1.*.*") NAME VALUE("30000")),
			"3: index \"1.*.*\": expected 3 numbers, \"*\" for the ifIndex");
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("1") VALUE("8")),
			"3: value \"8\": not a value of " CNM_PRIORITY);
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("1") VALUE("four")),
			"3: value \"four\": not a value of " CNM_PRIORITY);
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("1") NAME VALUE("4")),
			"3: " CNM_PRIORITY ": expected no alias or name");
	assert_left_out(w, RECORD(QSP, INDEX("1.*.4") VALUE("30000")),
			"3: " QSP ": expected an alias or name");
	assert_int_equal(w->m->config->global.cng_cnm_transmit_priority, 6);
	/* The others are in force: the second is of a CNPV that does not exist. */
	assert_left_out(w, "version = 1;\nobjects = (\n"
			"{ object = \"" CNM_PRIORITY "\";" INDEX("1") VALUE("4") "},\n"
			"{ object = \"" QSP "\";" INDEX("1.*.4") NAME VALUE("30000") "} );\n",
			"4: " QSP ": inconsistentName");
	assert_int_equal(w->m->config->global.cng_cnm_transmit_priority, 4);
	/* Values and indexes are strings: an integer is refused, whatever its size. */
	assert_left_out(w, RECORD(CNM_PRIORITY, INDEX("1") "value = 4294967300;"),
			"3: objects[0].value: expected a string, not 4294967300");
	assert_left_out(w, RECORD(CNM_PRIORITY, "index = 1;" VALUE("4")),
			"3: objects[0].index: expected a string, not 1");
	mo_world_free(w);
}

#define LATER(name, index)                                    \
	"{ object = \"dcbLater" name "\"; index = \"*." index \
	"\"; name = \"sw3\"; value = \"x y\"; }"

/* Returns the records of the file from the first one of an unknown object on. */
static char *later_records(const struct mo_world *w, char *text, size_t size)
{
	size_t len;
	char *file = read_file(w->state, &len), *at = strstr(file, "dcbLater");
	size_t n = 0;

	for (; at; at = strstr(at + 1, "dcbLater")) {
		char *index = strstr(at, "index = ");

		assert_non_null(index);
		n += (size_t)snprintf(text + n, size - n, "%.*s %.*s|", (int)strcspn(at, "\""), at,
				      (int)strcspn(index + 9, "\""), index + 9);
	}
	free(file);
	return text;
}

/* The objects of a newer version are in each file that is written, and one line each in the log. */
static void test_unknown_objects_are_kept(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[512], want[1024], text[512] = "";
	unsigned long mark;
	struct log_capture c;

	(void)state;
	write_with_checksum(
	    w, "version = 2;\nobjects = (\n" LATER("A", "1") ",\n" LATER("B", "1") ",\n" SAVED(
		   ALLOWANCE, "sw3", "77") ",\n" LATER("A", "2") ");\n");
	c = log_watch(LOG_LEVEL_INFO);
	assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)), PERSIST_LOADED);
	snprintf(want, sizeof(want),
		 "<4>prog: persist: %s:3: object \"dcbLaterA\" is unknown to this version: its "
		 "settings are kept in the file, and have no effect\n"
		 "<4>prog: persist: %s:4: object \"dcbLaterB\" is unknown to this version: its "
		 "settings are kept in the file, and have no effect\n",
		 w->state, w->state);
	log_expect(&c, "%s", want);
	assert_value(w, ALLOWANCE, "3", "77");
	assert_true(w->m->kept.is_incomplete);
	mark = w->m->kept.mark;
	assert_int_equal(SET(w, {ALLOWANCE, "3", "78"}), MO_NO_ERROR);
	assert_string_equal(later_records(w, text, sizeof(text)),
			    "dcbLaterA *.1|dcbLaterB *.1|dcbLaterA *.2|");
	/* They are those of the file that is written, which needs no other copy aside. */
	mo_world_reload(w);
	assert_value(w, ALLOWANCE, "3", "78");
	assert_int_equal(w->m->kept.mark, mark);
	assert_int_equal(SET(w, {ALLOWANCE, "3", "0"}), MO_NO_ERROR);
	assert_string_equal(later_records(w, text, sizeof(text)),
			    "dcbLaterA *.1|dcbLaterB *.1|dcbLaterA *.2|");
	mo_world_free(w);
}

/* 12.21: the settings of an absent interface are deleted, unless dcbd.conf keeps them. */
static void test_unknown_object_of_absent_interface_is_kept_as_others(void **state)
{
	static const char content[] =
	    "version = 2;\nobjects = ( { object = \"dcbLater\"; "
	    "index = \"*\"; name = \"gone\"; value = \"1\"; } );\n";
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[512];

	(void)state;
	write_with_checksum(w, content);
	assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)), PERSIST_LOADED);
	assert_null(w->m->kept.records);
	assert_true(w->m->kept.is_incomplete);
	assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)), PERSIST_LOADED);
	assert_non_null(w->m->kept.records);
	mo_world_free(w);
}

/* Of many settings that fail, all others are in force. */
static void test_many_settings_that_contradict_are_left_out(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[512], *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	fprintf(f, "version = 2;\nobjects = (\n");
	for (unsigned i = 0; i < 500; i++)
		fprintf(f,
			"{ object = \"%s\"; index = \"1.*.%u\"; name = \"sw3\"; value = "
			"\"%u\"; },\n",
			QSP, i % 8, 30000 + i);
	fprintf(f, "%s );\n", SAVED(ALLOWANCE, "sw3", "77"));
	assert_int_equal(fclose(f), 0);
	write_with_checksum(w, text);
	free(text);
	assert_int_equal(persist_load(w->m, w->state, false, err, sizeof(err)), PERSIST_LOADED);
	assert_value(w, ALLOWANCE, "3", "77");
	mo_world_free(w);
}

/* A format that this program does not know is neither loaded nor damaged. */
static void test_newer_format_is_not_damaged(void **state)
{
	struct mo_world *w = mo_world_new(ROLE_BRIDGE);
	char err[512], want[640];

	(void)state;
	write_with_checksum(w, "# newer\nversion = 3;\nobjects = ();\n");
	assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)), PERSIST_NEWER);
	snprintf(want, sizeof(want),
		 "%s:2: the state file has format 3, this dcbd reads formats 1 to 2", w->state);
	assert_string_equal(err, want);
	write_with_checksum(w, "version = 4294967297L;\n");
	assert_int_equal(persist_load(w->m, w->state, true, err, sizeof(err)), PERSIST_NEWER);
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
	assert_refused(w, "version = -4294967295;\nobjects = ();\n", no_version);
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

/* Starts again with the three ports; late: sw3 comes after the file is loaded. */
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

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_damaged_file_is_refused_completely),
	    cmocka_unit_test(test_version_1_keeps_its_headroom),
	    cmocka_unit_test(test_invalid_content_is_refused),
	    cmocka_unit_test(test_setting_that_is_not_understood_is_left_out),
	    cmocka_unit_test(test_unknown_objects_are_kept),
	    cmocka_unit_test(test_unknown_object_of_absent_interface_is_kept_as_others),
	    cmocka_unit_test(test_many_settings_that_contradict_are_left_out),
	    cmocka_unit_test(test_newer_format_is_not_damaged),
	    cmocka_unit_test(test_invalid_setting_of_absent_interface_is_logged),
	    cmocka_unit_test(test_version_of_more_than_32_bits_is_refused),
	    cmocka_unit_test(test_file_has_only_changed_values),
	    cmocka_unit_test(test_checksum_is_crc32),
	    cmocka_unit_test(test_records_load_in_any_order),
	    cmocka_unit_test(test_max_rate_is_saved_once_it_is_set),
	    cmocka_unit_test(test_every_setting_survives_a_restart),
	    cmocka_unit_test(test_missing_state_file_is_not_an_error),
	};

	log_init("test_persist", LOG_LEVEL_ERROR, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
