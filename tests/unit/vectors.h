/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads rows of tests/vectors (CSV): id,group,inputs,outputs,... with key=value;... lists. */
#ifndef DCB_TESTS_VECTORS_H
#define DCB_TESTS_VECTORS_H

#include <stdint.h>

#define VECTOR_TEXT_MAX 1024

struct vector {
	char id[VECTOR_TEXT_MAX];
	char group[VECTOR_TEXT_MAX];
	char inputs[VECTOR_TEXT_MAX];
	char outputs[VECTOR_TEXT_MAX];
};

/* Calls row() for each row of the group and returns their number. Fails if file is missing. */
unsigned int vectors_each(const char *file, const char *group, void (*row)(const struct vector *));

/* Returns the value of a key in a list. Fails the test if the key is missing. */
double vector_num(const struct vector *v, const char *list, const char *key);
/* Returns an integer value. Fails the test if it is not an integer. */
int64_t vector_int(const struct vector *v, const char *list, const char *key);
/* Returns the value as text, up to the ';'. The next call overwrites it. */
const char *vector_text(const struct vector *v, const char *list, const char *key);

#endif
