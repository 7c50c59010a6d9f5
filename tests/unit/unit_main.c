/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main() of all unit tests. A program of several tests has a hard link for each of them, with the
 * name of its file, and runs that test; by its own name it runs the test that its argument names.
 */
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

static struct unit_program *programs;

void unit_add(struct unit_program *program)
{
	program->next = programs;
	programs = program;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether this test is in NAME.c. */
static bool is_named(const struct unit_program *program, const char *name)
{
	const char *file = last_part(program->file);

	return strlen(file) == strlen(name) + 2 && strncmp(file, name, strlen(name)) == 0;
}

int main(int argc, char **argv)
{
	const char *name = last_part(argc == 2 ? argv[1] : argv[0]);

	if (programs && !programs->next)
		return programs->run();
	for (struct unit_program *p = programs; p; p = p->next) {
		if (is_named(p, name))
			return p->run();
	}
	fprintf(stderr, "no test %s; usage: %s NAME, with one of these names:\n", name, argv[0]);
	for (struct unit_program *p = programs; p; p = p->next)
		fprintf(stderr, "%s\n", last_part(p->file));
	return 2;
}
