/* SPDX-License-Identifier: BSD-3-Clause */
/* The state file of a mo_world: its octets, and files with a valid checksum. */
#ifndef DCB_TESTS_STATE_FILE_H
#define DCB_TESTS_STATE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/persist.h"
#include "tests/unit/mo_world.h"

#define ALLOWANCE "ieee8021PfcLinkDelayAllowance"

/* Returns the content with a zero octet behind it, which the caller frees. */
static inline char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(f);
	*len = fread(text, 1, 65535, f);
	fclose(f);
	return text;
}

static inline void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Writes a state file with this content and a valid checksum. */
static inline void write_with_checksum(const struct mo_world *w, const char *content)
{
	char *text = strdup(content);
	size_t len = strlen(content);

	assert_true(persist_add_checksum(&text, &len));
	write_file(w->state, text, len);
	free(text);
}

#define CNM_PRIORITY "ieee8021CnGlobalCnmTransmitPriority"

/* The content of a file with one record. */
#define RECORD(object, rest) "version = 1;\nobjects = (\n{ object = \"" object "\";" rest "} );\n"
#define INDEX(text)          "index = \"" text "\";"
#define VALUE(text)          "value = \"" text "\";"

#endif
