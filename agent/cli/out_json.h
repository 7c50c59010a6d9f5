/* SPDX-License-Identifier: BSD-3-Clause */
/* What all writers of JSON do: build values, or say that there is no memory for them. */
#ifndef DCB_AGENT_CLI_OUT_JSON_H
#define DCB_AGENT_CLI_OUT_JSON_H

#include <jansson.h>

/* Both take the value over; NULL, which is jansson's way of saying so: no memory. */
void out_json_put(json_t *object, const char *key, json_t *value);
void out_json_append(json_t *array, json_t *value);

#endif
