/* SPDX-License-Identifier: BSD-3-Clause */
/* Instead of sonic_apply.c in a build without libsystemd. */
#include "dataplane/sonic/sonic_apply.h"

#include <stdio.h>

struct sonic_apply *sonic_apply_start(const char *patch, char *err, size_t errlen)
{
	(void)patch;
	snprintf(err, errlen, "built without libsystemd");
	return NULL;
}

int sonic_apply_fd(const struct sonic_apply *a)
{
	(void)a;
	return -1;
}

short sonic_apply_events(const struct sonic_apply *a)
{
	(void)a;
	return 0;
}

struct dcb_time sonic_apply_next(const struct sonic_apply *a)
{
	(void)a;
	return (struct dcb_time){INT64_MAX};
}

bool sonic_apply_turn(struct sonic_apply *a, char *text, size_t size)
{
	(void)a;
	(void)text;
	(void)size;
	return false;
}

void sonic_apply_free(struct sonic_apply *a)
{
	(void)a;
}
