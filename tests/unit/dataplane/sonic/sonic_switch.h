/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests/sonic/switch.sh prints. */
#ifndef DCB_TESTS_SONIC_SWITCH_H
#define DCB_TESTS_SONIC_SWITCH_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

/* Returns the commands for a switch, for free(). */
static inline char *sonic_switch_text(const char *kind, unsigned ports, unsigned round)
{
	char command[512], *text = NULL;
	size_t size = 0, got;
	FILE *from, *to;
	char part[4096];

	snprintf(command, sizeof(command), "sh %s/tests/sonic/switch.sh %s %u %u",
		 getenv("DCB_SRCDIR"), kind, ports, round);
	from = popen(command, "r");
	to = open_memstream(&text, &size);
	assert_true(from && to);
	while ((got = fread(part, 1, sizeof(part), from)) > 0)
		fwrite(part, 1, got, to);
	assert_int_equal(pclose(from), 0);
	fclose(to);
	return text;
}

#endif
