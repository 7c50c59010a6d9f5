/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a configuration: libconfig alone and conf_text return the same,
 * except for integers of more than 32 bits. And dcbd.conf with any octets is
 * either read or rejected with a message.
 */
#include <string.h>

#include "control/conf/conf.h"
#include "control/conf/conf_read.h"
#include "tests/fuzz/fuzz.h"

/* libconfig 1.5 leaks the string it was scanning at a syntax error. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
/* ASAN_OPTIONS may switch it on again. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

static bool is_integer(const config_setting_t *s)
{
	return config_setting_type(s) == CONFIG_TYPE_INT ||
	       config_setting_type(s) == CONFIG_TYPE_INT64;
}

/*
 * libconfig alone may return only the low 32 bits of an integer, or the nearest one that
 * fits where long has 32 bits.
 */
static void check_same(const config_setting_t *raw, const config_setting_t *made)
{
	if (is_integer(raw)) {
		int64_t value = config_setting_get_int64(made);

		FUZZ_ASSERT(is_integer(made));
		FUZZ_ASSERT((uint32_t)config_setting_get_int64(raw) == (uint32_t)value ||
			    (sizeof(long) == 4 && value != (int32_t)value));
		return;
	}
	FUZZ_ASSERT(config_setting_type(raw) == config_setting_type(made));
	FUZZ_ASSERT(config_setting_source_line(raw) == config_setting_source_line(made));
	if (config_setting_type(raw) == CONFIG_TYPE_STRING)
		FUZZ_ASSERT(
		    strcmp(config_setting_get_string(raw), config_setting_get_string(made)) == 0);
	if (!config_setting_is_aggregate(raw))
		return;
	FUZZ_ASSERT(config_setting_length(raw) == config_setting_length(made));
	for (int i = 0; i < config_setting_length(raw); i++)
		check_same(config_setting_get_elem(raw, (unsigned)i),
			   config_setting_get_elem(made, (unsigned)i));
}

static void compare(const char *text)
{
	char err[512] = "";
	struct reader r = {.path = "conf", .err = err, .errlen = sizeof(err)};
	bool made = conf_open_text(&r, text), parsed;
	config_t raw;

	FUZZ_ASSERT(made || strncmp(err, "conf:", 5) == 0);
	if (!strstr(text, "@include")) {
		config_init(&raw);
		parsed = config_read_string(&raw, text);
		/* conf_text accepts integers of both sizes in an array, libconfig does not. */
		FUZZ_ASSERT(parsed || !made || strstr(config_error_text(&raw), "in array"));
		FUZZ_ASSERT(!parsed || made || strstr(err, "64 bits") || strstr(err, "\\x00"));
		if (parsed && made)
			check_same(config_root_setting(&raw), conf_root(&r));
		config_destroy(&raw);
	}
	conf_close(&r);
}

static void read_as_conf(const char *text)
{
	const char *path = fuzz_file(text, strlen(text));
	char err[512] = "";
	struct conf conf;

	conf_init(&conf);
	FUZZ_ASSERT(conf_read(&conf, path, err, sizeof(err)) ||
		    strncmp(err, path, strlen(path)) == 0);
	conf_free(&conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_ASSERT(text);
	memcpy(text, data, size);
	text[size] = '\0';
	compare(text);
	if (!strstr(text, "@include")) /* could name any file */
		read_as_conf(text);
	free(text);
	return 0;
}
