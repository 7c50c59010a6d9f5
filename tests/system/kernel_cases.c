/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the cases of tests/unit/kernel_cases.c on interfaces of the kernel. Arguments:
 * KIND=INTERFACE ..., for example works=hw_works0 nodcb=lo gone=none0. Prints a line for each case;
 * exits with 1 if one failed, or there was none for an argument.
 */
#include "tests/unit/kernel_cases.h"

#include <stdio.h>
#include <string.h>

/* Runs the cases of a kind. Returns whether there are some, and all went well. */
static bool run_kind(struct kernel_io *io, const char *kind, size_t kind_len, const char *name)
{
	bool ok = true, any = false;

	for (unsigned i = 0; i < kernel_cases_n; i++) {
		const struct kernel_case *c = &kernel_cases[i];
		char buf[512];
		const char *why;

		if (strlen(c->kind) != kind_len || memcmp(c->kind, kind, kind_len) != 0)
			continue;
		any = true;
		why = c->run(io, name, buf, sizeof(buf));
		if (why)
			printf("kernel: %s/%s failed: %s\n", c->kind, c->name, why);
		else
			printf("kernel: %s/%s ok\n", c->kind, c->name);
		ok = ok && !why;
	}
	return ok && any;
}

int main(int argc, char **argv)
{
	char err[128];
	struct kernel_io *io = kernel_io_open(err, sizeof(err));
	bool ok = true;

	if (!io) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');

		if (!equals || !run_kind(io, argv[i], (size_t)(equals - argv[i]), equals + 1)) {
			fprintf(stderr, "%s: failed\n", argv[i]);
			ok = false;
		}
	}
	kernel_io_destroy(io);
	return ok && argc > 1 ? 0 : 1;
}
