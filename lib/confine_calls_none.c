/* SPDX-License-Identifier: BSD-3-Clause */
/* Instead of confine_calls.c in a build without libseccomp. */
#include "lib/confine.h"

const char *confine_calls_missing(void)
{
	return DCB_NO_SECCOMP;
}

bool confine_calls(const struct confine_calls *calls, enum log_level level)
{
	(void)calls;
	/* Message: as "access to files is not restricted: %s" */
	log_at(level, CONFINE_TOKEN, "system calls are not filtered: %s", DCB_NO_SECCOMP);
	return false;
}
