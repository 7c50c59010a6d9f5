/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of tests/vectors (csv): id,group,inputs,outputs,... with key=value;key=value lists. */
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

/* Calls row() for every row of the group; answers how many. Fails the test without the file. */
unsigned int vectors_each(const char *file, const char *group, void (*row)(const struct vector *));

/* Value of a key in a list; fails the test when it is not there. */
double vector_num(const struct vector *v, const char *list, const char *key);
/* A whole number; fails the test when it is none. */
int64_t vector_int(const struct vector *v, const char *list, const char *key);
/* The same as text, up to the ';'. Overwritten by the next call. */
const char *vector_text(const struct vector *v, const char *list, const char *key);

#endif
