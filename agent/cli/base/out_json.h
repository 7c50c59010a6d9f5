/* SPDX-License-Identifier: BSD-3-Clause */
/* Helpers of the JSON writers. All exit with a message if out of memory. */
#ifndef DCB_AGENT_CLI_BASE_OUT_JSON_H
#define DCB_AGENT_CLI_BASE_OUT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * "version" of every object at the top of an output. It changes if a member is removed or gets
 * another meaning or type, not if one is added.
 */
#define OUT_JSON_VERSION 1

/* Add value, and take over its reference. NULL, jansson's result when out of memory, exits. */
void out_json_put(json_t *object, const char *key, json_t *value);
void out_json_append(json_t *array, json_t *value);

/*
 * Returns a JSON string of text. If text is not valid UTF-8, every octet of
 * 0x80 and more becomes "?".
 */
json_t *out_json_text(const char *text);
/* Return a value of an object: a number, or a string; and an index as "1.3". */
struct mo_column;
struct mo_value;
struct mo_index;
json_t *out_json_value(const struct mo_column *col, const struct mo_value *value);
json_t *out_json_instance(const struct mo_index *index);
/* Returns a row as show -j writes it, without "port". only: the only column; NULL: all. */
struct mo_table;
struct out_row;
json_t *out_json_row(const struct mo_table *table, const struct mo_column *only,
		     const struct out_row *row);
/* Returns the ifIndex of a row, of its index or else of a value; 0: it has none. */
uint32_t out_json_row_ifindex(const struct mo_table *table, const struct out_row *row);
/* Adds the name of a port as "port", null if name is NULL; nothing if ifindex is 0. */
void out_json_put_port(json_t *object, uint32_t ifindex, const char *name);
/* Returns a number of 64 bits: above 2^63 - 1 as a string. */
json_t *out_json_unsigned(uint64_t v);
/* Write the array, the output of a command, and release it. The first one indents it. */
void out_json_write(json_t *all, FILE *f);
void out_json_write_as(json_t *all, FILE *f, bool one_line);

#endif
