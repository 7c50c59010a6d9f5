/* SPDX-License-Identifier: BSD-3-Clause */
/* Instead of confine_files.c in a build without Landlock. */
#include "lib/confine.h"

const char *confine_files_missing(void)
{
	return DCB_NO_LANDLOCK;
}

void confine_files_begin(struct confine_files *c)
{
	*c = (struct confine_files){.ruleset = -1};
}

void confine_files_add(struct confine_files *c, enum confine_use use, const char *path)
{
	(void)c;
	(void)use;
	(void)path;
}

void confine_files_add_directory_of(struct confine_files *c, enum confine_use use, const char *file)
{
	(void)c;
	(void)use;
	(void)file;
}

void confine_files_add_libraries(struct confine_files *c, enum confine_use use)
{
	(void)c;
	(void)use;
}

bool confine_files_end(struct confine_files *c, enum log_level level)
{
	(void)c;
	/*
	 * Message: The kernel, a container or the build does not have Landlock or seccomp, for this
	 * reason. The program runs without it, see dcbd(8).
	 */
	log_at(level, CONFINE_TOKEN, "access to files is not restricted: %s", DCB_NO_LANDLOCK);
	return false;
}
