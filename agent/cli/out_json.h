/* SPDX-License-Identifier: BSD-3-Clause */
/* What all writers of JSON do: build values, or say that there is no memory for them. */
#ifndef DCB_AGENT_CLI_OUT_JSON_H
#define DCB_AGENT_CLI_OUT_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Both take the value over; NULL, which is jansson's way of saying so: no memory. */
void out_json_put(json_t *object, const char *key, json_t *value);
void out_json_append(json_t *array, json_t *value);
/*
 * Puts value under the key "neighbors", and under "neighbours" too: the key's spelling before
 * 0.1.0, kept until 0.2.0. Takes the value over, as out_json_put() does.
 */
void out_json_put_neighbors(json_t *object, json_t *value);

/* Text that may be anything: octets that are no UTF-8 cannot stand in JSON. */
json_t *out_json_text(const char *text);
/* {"ifIndex", "port"}: the number of an interface and its name. */
json_t *out_json_port(uint32_t ifindex);
/* Writes the array that a command's output is, and releases it. */
void out_json_write(json_t *all, FILE *f);

#endif
