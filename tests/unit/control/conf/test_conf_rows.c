/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every setting of dcbd.conf, from its rows: a value of another type, and an integer that
 * is valid only if it is truncated, are errors with file, line, setting and expectation.
 */
#include "control/conf/conf_private.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/control/conf/conf_file.h"
#include "tests/unit/man_marks.h"

static bool read_octets(struct conf *conf, const char *octets, size_t len, char *err, size_t errlen)
{
	write_octets(octets, len);
	conf_init(conf);
	return conf_read(conf, file, err, errlen);
}

/* --- all rows ------------------------------------------------------------------------- */

enum in { IN_CONF, IN_PORT, IN_FLOW, IN_INITIAL };

/* A setting, and the text of a file that has it in line 2. */
struct setting {
	const struct conf_row *row;
	char open[400], close[40], path[80];
	enum in in;
	size_t offset; /* of base in struct conf, conf_port, ... */
};

#define SETTINGS_MAX 200
static struct setting settings[SETTINGS_MAX];
static size_t n_settings;

static void add(const struct setting *s)
{
	assert_true(n_settings < SETTINGS_MAX);
	settings[n_settings++] = *s;
}

static void add_group(const struct setting *group);

/* snprintf() that asserts that the text fits. */
static void print(char *buf, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void print(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < size);
}

/* What an entry of the list needs besides the setting name. */
static const char *rest_of_entry(const char *list, const char *name)
{
	if (strcmp(list, "ports") == 0)
		return strcmp(name, "name") == 0 ? "" : "name = \"p\"; ";
	if (strcmp(list, "flows") == 0)
		return strcmp(name, "priority") == 0 ? "reaction_point = 1; " : "priority = 1; ";
	if (strcmp(name, "object") == 0)
		return "index = \"1.*.3\"; port = \"p\"; value = 5; ";
	if (strcmp(name, "index") == 0)
		return "object = \"ieee8021CnCpMinHeaderOctets\"; port = \"p\"; value = 5; ";
	if (strcmp(name, "port") == 0)
		return "object = \"ieee8021CnCpQueueSizeSetPoint\"; index = \"1.*.3\"; value = "
		       "30000; ";
	return "object = \"ieee8021CnPortPriAlternatePriority\"; index = \"1.3.*\"; port = \"p\"; ";
}

static void add_list(const struct setting *list)
{
	const char *name = list->row->name;

	for (const struct conf_row *m = list->row->members; m->name; m++) {
		struct setting s = {.row = m};

		s.in = strcmp(name, "ports") == 0   ? IN_PORT
		       : strcmp(name, "flows") == 0 ? IN_FLOW
						    : IN_INITIAL;
		print(s.open, sizeof(s.open), "%s = ( { %s", name, rest_of_entry(name, m->name));
		print(s.close, sizeof(s.close), " } );");
		print(s.path, sizeof(s.path), "%s[0].%s", name, m->name);
		add(&s);
		if (m->members)
			add_group(&s);
	}
}

static void add_group(const struct setting *group)
{
	bool is_top = group->row == &conf_top;

	for (const struct conf_row *m = group->row->members; m->name; m++) {
		struct setting s = {.row = m, .in = group->in, .offset = group->offset};

		if (!is_top) {
			s.offset += group->row->offset;
			print(s.open, sizeof(s.open), "%s%s = { ", group->open, group->row->name);
			print(s.close, sizeof(s.close), " };%s", group->close);
		}
		print(s.path, sizeof(s.path), "%s%s%s", group->path, is_top ? "" : ".", m->name);
		add(&s);
		if (!m->members)
			continue;
		if (m->take == conf_take_group || m->take == conf_take_cn ||
		    m->take == conf_take_pfc)
			add_group(&s);
		else
			add_list(&s);
	}
}

static int list_settings(void **state)
{
	add_group(&(struct setting){.row = &conf_top});
	return make_file(state);
}

/* Reads a file that has the setting with this value. */
static bool read_setting(struct conf *conf, const struct setting *s, const char *value, char *err,
			 size_t errlen)
{
	bool of_device = s->in == IN_PORT && (strcmp(s->row->name, "policy") == 0 ||
					      strcmp(s->row->name, "take_over") == 0);
	char text[600];
	int n = snprintf(text, sizeof(text), "%s%s\n%s = %s;%s", s->open,
			 of_device ? " provider = \"kernel\";" : "", s->row->name, value, s->close);

	assert_true(n > 0 && (size_t)n < sizeof(text));
	return read_octets(conf, text, (size_t)n, err, errlen);
}

static void assert_refused(const struct setting *s, const char *value)
{
	char err[700] = "", where[160];
	struct conf conf;
	bool ok = read_setting(&conf, s, value, err, sizeof(err));

	conf_free(&conf);
	if (ok)
		fail_msg("%s = %s: accepted", s->path, value);
	snprintf(where, sizeof(where), "%s:2: %s", file, s->path);
	if (strncmp(err, where, strlen(where)) != 0 || !strstr(err, "expected"))
		fail_msg("%s = %s: %s", s->path, value, err);
}

/* --- values of other types ----------------------------------------------------------------- */

static bool takes(const struct setting *s, const char *const names[])
{
	for (; *names; names++) {
		const char *last = strrchr(s->path, '.');

		if (strcmp(s->path, *names) == 0 || (last && strcmp(last, *names) == 0))
			return true;
	}
	return false;
}

static void test_values_of_other_types_are_refused(void **state)
{
	static const char *const reals[] = {".base_probability", ".step_probability", NULL};
	static const char *const booleans[] = {".keep_absent",
					       ".qdisc_bypass",
					       ".pvid_tagged",
					       ".jitter",
					       ".extra_fast_recovery",
					       ".pause",
					       ".enable",
					       ".nic_timestamps",
					       ".hold_new_ports",
					       ".take_over",
					       NULL};

	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		const struct setting *s = &settings[i];

		if (!takes(s, booleans)) {
			assert_refused(s, "true");
			assert_refused(s, "false");
		}
		if (!takes(s, reals)) {
			assert_refused(s, "1.0");
			assert_refused(s, "0.5");
			assert_refused(s, "1e3");
		}
		assert_refused(s, "( ( ) )");
		assert_refused(s, "{ no_such_setting = 1; }");
		assert_refused(s, "[ true ]");
	}
	/* The walk over the rows has found those of all groups and lists. */
	assert_true(n_settings >= 90);
}

/* --- integers --------------------------------------------------------------------------------- */

static bool is_integer(const struct setting *s)
{
	return s->row->take == conf_take_number || s->row->take == conf_take_rate;
}

/* Writes an integer as the file could have it: decimal, hexadecimal, with or without suffix. */
static void assert_integer_refused(const struct setting *s, int64_t v)
{
	static const char *const formats[] = {"%" PRId64, "%" PRId64 "L", "0x%" PRIx64,
					      "0x%" PRIx64 "L"};
	char text[40];

	for (size_t k = 0; k < UNIT_COUNT(formats); k++) {
		if (v < 0 && k >= 2)
			continue;
		snprintf(text, sizeof(text), formats[k], v);
		assert_refused(s, text);
	}
}

/* All that a conversion to 32, 16 or 8 bits makes a valid value of. */
static void test_integers_are_not_truncated(void **state)
{
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		const struct setting *s = &settings[i];
		int64_t min = s->row->min, max = s->row->max;

		if (!is_integer(s))
			continue;
		n++;
		for (unsigned k = 0; k < 2; k++) {
			int64_t v = k ? max : min;

			for (unsigned bits = 8; bits <= 48; bits += 8) {
				int64_t step = INT64_C(1) << bits;

				if (v + step > max)
					assert_integer_refused(s, v + step);
				if (v - step < min && v - step != 0)
					assert_integer_refused(s, v - step);
			}
		}
		assert_integer_refused(s, max + 1);
		assert_integer_refused(s, INT64_MAX);
		assert_integer_refused(s, -INT64_MAX);
	}
	assert_true(n >= 30);
}

/* Settings that take an integer or something else, with a valid value for each. */
static void test_integers_of_other_settings_are_not_truncated(void **state)
{
	static const char *const any[] = {"role",
					  "memory_ports",
					  "state_file",
					  "interfaces.include",
					  "defaults.provider",
					  "user",
					  "defaults.vlans",
					  "ports[0].name",
					  "ports[0].tap",
					  "control.socket",
					  "flows[0].protocol",
					  "flows[0].priority",
					  "defaults.pfc.buffer",
					  "initial[0].value",
					  "defaults.profile",
					  "defaults.cn.variant",
					  "lldp.socket",
					  "initial[0].index",
					  NULL};

	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		if (!takes(&settings[i], any))
			continue;
		assert_refused(&settings[i], "10000000000");
		assert_refused(&settings[i], "4294967299");
		assert_refused(&settings[i], "0x100000003");
		assert_refused(&settings[i], "-4294967293L");
	}
}

/* The error is about the text, before any setting is known. */
static void test_more_than_64_bits_are_refused(void **state)
{
	static const char *const values[] = {"18446744073709551617", "-18446744073709551615",
					     "0x10000000000000001", "9223372036854775808"};

	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		for (size_t k = 0; k < UNIT_COUNT(values); k++) {
			char err[700] = "", want[200];
			struct conf conf;

			assert_false(
			    read_setting(&conf, &settings[i], values[k], err, sizeof(err)));
			conf_free(&conf);
			snprintf(want, sizeof(want),
				 "%s:2: expected an integer of at most 64 bits, not %s", file,
				 values[k]);
			assert_string_equal(err, want);
		}
	}
}

/* --- valid integers -------------------------------------------------------------------------- */

static int64_t field_of(const struct conf *conf, const struct setting *s)
{
	const char *base = (const char *)conf;
	const void *field;

	if (s->in == IN_PORT)
		base = (const char *)&conf->ports[0];
	if (s->in == IN_FLOW)
		base = (const char *)&conf->flows.rule[0];
	field = base + s->offset + s->row->offset;
	switch (s->row->size) {
	case 1:
		return *(const uint8_t *)field;
	case 2:
		return *(const uint16_t *)field;
	case 8:
		return *(const int64_t *)field;
	default:
		if (s->row->min < 0)
			return *(const int32_t *)field;
		return *(const uint32_t *)field;
	}
}

static void assert_taken(const struct setting *s, const char *format, int64_t v)
{
	char text[40], err[700] = "";
	struct conf conf;

	snprintf(text, sizeof(text), format, v);
	if (!read_setting(&conf, s, text, err, sizeof(err)))
		fail_msg("%s = %s: %s", s->path, text, err);
	assert_int_equal(field_of(&conf, s), v);
	conf_free(&conf);
}

static void test_least_and_most_are_taken_exactly(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		const struct setting *s = &settings[i];
		int64_t ends[] = {s->row->min, s->row->max};

		for (size_t k = 0; k < 2 && is_integer(s); k++) {
			assert_taken(s, "%" PRId64, ends[k]);
			if (ends[k] < 0)
				continue;
			assert_taken(s, "000%" PRId64, ends[k]);
			assert_taken(s, "0x%" PRIx64, ends[k]);
		}
	}
}

/* The reproduction of the defect, with neighbors of the value. */
static void test_ten_gigabit_is_ten_gigabit(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		const struct setting *s = &settings[i];

		if (s->row->take != conf_take_rate)
			continue;
		assert_taken(s, "%" PRId64, INT64_C(10000000000));
		assert_taken(s, "%" PRId64, INT64_C(4294967296));
		assert_taken(s, "%" PRId64, INT64_C(2147483648));
		assert_taken(s, "+%" PRId64, INT64_C(9999999999));
		assert_refused(s, "10000000000000000");
		assert_refused(s, "10000000000.0");
		assert_refused(s, "1e10");
	}
}

/* As libconfig separates them: two integers without a blank are a syntax error. */
static void test_integers_are_not_joined(void **state)
{
	static const char *const texts[] = {"component = 9+1;", "component = 9-0;",
					    "component = 1-1;", "component = 7+000;"};
	char err[256], want[128];
	struct conf conf;

	(void)state;
	snprintf(want, sizeof(want), "%s:1: syntax error", file);
	for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
		assert_false(read_octets(&conf, texts[i], strlen(texts[i]), err, sizeof(err)));
		assert_string_equal(err, want);
		conf_free(&conf);
	}
	assert_true(read_octets(&conf, "memory_ports = -0;", 18, err, sizeof(err)));
	conf_free(&conf);
}

/* --- text that libconfig would cut ----------------------------------------------------------- */

static void test_octet_0_is_refused(void **state)
{
	static const char text[] = "component = 2;\n# \0\ncomponent = 0;\n";
	char err[256] = "", want[128];
	struct conf conf;

	(void)state;
	assert_false(read_octets(&conf, text, sizeof(text) - 1, err, sizeof(err)));
	conf_free(&conf);
	snprintf(want, sizeof(want), "%s:2: expected text, not an octet 0", file);
	assert_string_equal(err, want);
}

static void test_strings_are_not_cut(void **state)
{
	char err[256] = "", want[128];
	struct conf conf;
	const char *text = "user = \"a\\\\x00b\";\nstate_file = \"/s\\x00/t\";\n";

	(void)state;
	assert_false(read_octets(&conf, text, strlen(text), err, sizeof(err)));
	conf_free(&conf);
	snprintf(want, sizeof(want), "%s:2: expected a string without \\x00", file);
	assert_string_equal(err, want);
	text = "user = \"a\\\\x00b\";\nstate_file = \"/s\\x01\";\n";
	assert_true(read_octets(&conf, text, strlen(text), err, sizeof(err)));
	assert_string_equal(conf.user, "a\\x00b");
	assert_string_equal(conf.state_file, "/s\x01");
	conf_free(&conf);
}

/* --- two versions of a file --------------------------------------------------------------- */

/* Two values of a setting that is neither a number, a bool nor a string. */
static const struct {
	const char *name, *first, *second; /* name: the last part of the path */
} samples[] = {
    {"role", "\"bridge\"", "\"station\""},
    {"include", "[ \"a\" ]", "[ \"b\" ]"},
    {"exclude", "[ \"a\" ]", "[ \"b\" ]"},
    {"provider", "\"soft\"", "\"observe\""},
    {"regeneration", "[ 0, 1, 2, 3, 4, 5, 6, 7 ]", "[ 1, 1, 2, 3, 4, 5, 6, 7 ]"},
    {"traffic_classes", "[ 0, 1, 2, 3, 4, 5, 6, 7 ]", "[ 1, 1, 2, 3, 4, 5, 6, 7 ]"},
    {"profile", "\"standard\"", "\"scaled\""},
    {"write", "\"patch\"", "\"none\""},
    {"policy", "\"enforce\"", "\"watch\""},
    {"variant", "\"802.1Qau\"", "\"2007\""},
    {"threshold", "\"figure\"", "\"pseudo-code\""},
    {"base_probability", "0.1", "0.2"},
    {"step_probability", "0.1", "0.2"},
    {"pages", "\"queue\"", "\"frame\""},
    {"first_hyper_cycle", "\"half\"", "\"full\""},
    {"vlans", "\"1\"", "\"1-2\""},
    {"name", "\"p\"", "\"p*\""},
    {"tap", "\"a%d\"", "\"b%d\""},
    {"aggregate", "\"a\"", "\"b\""},
    {"protocol", "1", "2"},
    {"destination", "\"02:00:00:00:00:01\"", "\"02:00:00:00:00:02\""},
    {"object", "\"ieee8021CnCpFeedbackWeight\"", "\"ieee8021CnCpMinHeaderOctets\""},
    {"index", "\"1.*.3\"", "\"1.*.4\""},
    {"port", "\"a\"", "\"b\""},
    {"value", "5", "6"},
};

static const char *last_part(const struct setting *s)
{
	const char *dot = strrchr(s->path, '.');

	return dot ? dot + 1 : s->path;
}

/* Writes the k-th of two valid values. */
static void sample(const struct setting *s, unsigned k, char *buf, size_t size)
{
	const struct conf_row *row = s->row;

	if (is_integer(s)) {
		snprintf(buf, size, "%" PRId64, k ? row->max : row->min);
		return;
	}
	if (row->take == conf_take_string && s->in != IN_INITIAL) {
		snprintf(buf, size, "\"/value%u\"", k);
		return;
	}
	for (size_t i = 0; i < UNIT_COUNT(samples); i++) {
		if (strcmp(samples[i].name, last_part(s)) != 0)
			continue;
		snprintf(buf, size, "%s", k ? samples[i].second : samples[i].first);
		return;
	}
	if (row->max == 1)
		snprintf(buf, size, "%s", k ? "true" : "false");
	else
		snprintf(buf, size, "%u", 5000 + k); /* pfc.buffer; priority of a flow: below */
	if (strcmp(last_part(s), "priority") == 0)
		snprintf(buf, size, "%u", k);
}

struct texts {
	unsigned n;
	char last[600];
};

static void note_text(void *ctx, const char *text)
{
	struct texts *t = ctx;

	t->n++;
	snprintf(t->last, sizeof(t->last), "%s", text);
}

static void assert_reload(const struct setting *s, const struct conf *conf, unsigned from,
			  unsigned to, const char *restart)
{
	bool of_port = strncmp(s->path, "defaults.", 9) == 0 || s->in == IN_PORT;
	bool same = from == to || strcmp(last_part(s), "name") == 0 ||
		    strcmp(last_part(s), "vlans") == 0 || !of_port;
	struct texts texts = {0};

	conf_each_restart(&conf[from], &conf[to], note_text, &texts);
	if (texts.n != (from != to && restart))
		fail_msg("%s: %u settings need a restart: %s", s->path, texts.n, texts.last);
	if (texts.n > 0 && strncmp(texts.last, restart, strlen(restart)) != 0)
		fail_msg("%s: %s", s->path, texts.last);
	if (conf_port_differs(&conf[from], &conf[to], "p") == same)
		fail_msg("%s: a port has %s settings", s->path, same ? "other" : "the same");
}

/* Returns the start of the expected text; NULL: a running dcbd changes the setting. */
static const char *restart_of(const struct setting *s)
{
	if (strcmp(last_part(s), "vlans") == 0)
		return "vlans: ";
	if (s->in == IN_FLOW || s->in == IN_INITIAL)
		return s->in == IN_FLOW ? "flows: " : "initial: ";
	if (s->in == IN_PORT || strncmp(s->path, "defaults.", 9) == 0 ||
	    strncmp(s->path, "interfaces.include", 18) == 0 ||
	    strncmp(s->path, "interfaces.exclude", 18) == 0)
		return NULL;
	return s->path;
}

static void test_each_difference_is_known(void **state)
{
	static struct conf conf[2];
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		const struct setting *s = &settings[i];
		char value[80], err[700] = "";

		if (s->row->members)
			continue;
		for (unsigned k = 0; k < 2; k++) {
			sample(s, k, value, sizeof(value));
			if (!read_setting(&conf[k], s, value, err, sizeof(err)))
				fail_msg("%s = %s: %s", s->path, value, err);
		}
		for (unsigned k = 0; k < 4; k++)
			assert_reload(s, conf, k & 1, k >> 1, restart_of(s));
		conf_take_ports_of(&conf[0], &conf[1]);
		assert_false(conf_port_differs(&conf[0], &conf[1], "p"));
		assert_int_equal(conf_manages(&conf[0], "b"), conf_manages(&conf[1], "b"));
		conf_free(&conf[0]);
		conf_free(&conf[1]);
		n++;
	}
	assert_true(n >= 80);
}

/* --- the manual page ---------------------------------------------------------------------- */

/* Returns when dcbd uses another value of the setting, by the text that a reload logs. */
static const char *observed_mark(const struct setting *s)
{
	static struct conf conf[2];
	char value[80], err[700] = "";
	struct texts texts = {0};

	for (unsigned k = 0; k < 2; k++) {
		sample(s, k, value, sizeof(value));
		if (!read_setting(&conf[k], s, value, err, sizeof(err)))
			fail_msg("%s = %s: %s", s->path, value, err);
	}
	conf_each_restart(&conf[0], &conf[1], note_text, &texts);
	conf_free(&conf[0]);
	conf_free(&conf[1]);
	if (texts.n == 0)
		return "reload";
	return strstr(texts.last, "start without a state file") ? "first start" : "restart";
}

static void test_manual_page_has_the_mark_of_each_setting(void **state)
{
	static struct man_mark marks[MAN_MARKS_MAX];
	size_t n = man_marks_read(marks);

	(void)state;
	for (size_t i = 0; i < n_settings; i++) {
		const struct setting *s = &settings[i];
		const char *index = strstr(s->path, "[0]"), *mark;
		char path[80];

		if (s->row->members)
			continue;
		print(path, sizeof(path), "%.*s%s", index ? (int)(index - s->path) : 0, s->path,
		      index ? index + strlen("[0]") : s->path);
		mark = man_mark_of(marks, n, path);
		if (!mark || strcmp(mark, observed_mark(s)) != 0)
			fail_msg("dcbd.conf(5): %s: expected the mark %s, not %s", path,
				 observed_mark(s), mark ? mark : "none");
	}
	for (size_t i = 0; i < n; i++)
		if (!marks[i].used && marks[i].mark[0] && strcmp(marks[i].path, "ports.cn") != 0 &&
		    strcmp(marks[i].path, "ports.pfc") != 0)
			fail_msg("dcbd.conf(5): %s is no setting", marks[i].path);
}

static void test_value_that_stays_is_named(void **state)
{
	static const char before[] = "dataplane = { cpu = -1; }; user = \"a\";",
			  after[] =
			      "dataplane = { cpu = 1; }; user = \"a\"; component = 4294967295;";
	struct texts texts = {0};
	struct conf a, b;
	char err[256];

	(void)state;
	assert_true(read_octets(&a, before, strlen(before), err, sizeof(err)));
	assert_true(read_octets(&b, after, strlen(after), err, sizeof(err)));
	conf_each_restart(&a, &b, note_text, &texts);
	assert_int_equal(texts.n, 2);
	assert_string_equal(texts.last, "dataplane.cpu: 1 needs a restart of dcbd: it stays -1");
	conf_free(&b);
	texts.n = 0;
	assert_true(read_octets(&b, "", 0, err, sizeof(err)));
	conf_each_restart(&a, &b, note_text, &texts);
	assert_int_equal(texts.n, 1);
	assert_string_equal(texts.last, "user: not set needs a restart of dcbd: it stays \"a\"");
	conf_free(&a);
	conf_free(&b);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values_of_other_types_are_refused),
	    cmocka_unit_test(test_integers_are_not_truncated),
	    cmocka_unit_test(test_integers_of_other_settings_are_not_truncated),
	    cmocka_unit_test(test_more_than_64_bits_are_refused),
	    cmocka_unit_test(test_least_and_most_are_taken_exactly),
	    cmocka_unit_test(test_ten_gigabit_is_ten_gigabit),
	    cmocka_unit_test(test_integers_are_not_joined),
	    cmocka_unit_test(test_octet_0_is_refused),
	    cmocka_unit_test(test_strings_are_not_cut),
	    cmocka_unit_test(test_each_difference_is_known),
	    cmocka_unit_test(test_value_that_stays_is_named),
	    cmocka_unit_test(test_manual_page_has_the_mark_of_each_setting),
	};

	return cmocka_run_group_tests(tests, list_settings, remove_file);
}
