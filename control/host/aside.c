/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/host/aside.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control/host/replace_file.h"
#include "lib/log.h"

static const char *const kinds[] = {
    [ASIDE_DAMAGED] = "damaged", [ASIDE_IGNORED] = "ignored", [ASIDE_NEWER] = "newer"};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The directory and the name of the file that is set aside. */
struct place {
	char directory[PATH_MAX], name[PATH_MAX];
};

/* The files set aside there, the oldest first; from malloc. */
struct files {
	struct dirent **of;
	size_t n;
};

static void place_of(const char *path, struct place *at)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(at->directory, sizeof(at->directory), "%s", dirname(copy));
	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(at->name, sizeof(at->name), "%s", basename(copy));
}

/* Returns the time in the name of a file set aside: "20261128T131115Z-4711". NULL: another file. */
static const char *stamp_of(const char *name)
{
	for (size_t i = 0; i < KINDS; i++) {
		char part[16];
		const char *found;
		int year, n = 0;

		snprintf(part, sizeof(part), ".%s-", kinds[i]);
		found = strstr(name, part);
		if (found && sscanf(found + strlen(part), "%8dT%6dZ-%n", &year, &year, &n) == 2 &&
		    n > 0)
			return found + strlen(part);
	}
	return NULL;
}

static int by_stamp(const void *a, const void *b)
{
	const struct dirent *const *da = a, *const *db = b;

	return strcmp(stamp_of((*da)->d_name), stamp_of((*db)->d_name));
}

/* A directory that cannot be read has no files. */
static struct files list(const struct place *at)
{
	struct files f = {.of = NULL};
	size_t octets = strlen(at->name), kept = 0;
	int n = scandir(at->directory, &f.of, NULL, NULL);

	for (int i = 0; i < n; i++) {
		const char *name = f.of[i]->d_name;

		if (strncmp(name, at->name, octets) == 0 && name[octets] == '.' &&
		    stamp_of(name + octets) != NULL)
			f.of[kept++] = f.of[i];
		else
			free(f.of[i]);
	}
	f.n = kept;
	if (kept > 0)
		qsort(f.of, kept, sizeof(struct dirent *), by_stamp);
	return f;
}

static void files_free(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->of[i]);
	free(f->of);
}

/* Deletes the oldest files but those that may stay, never the new one. */
static void delete_oldest(const struct place *at, const char *fresh)
{
	struct files f = list(at);
	size_t n = f.n;

	for (size_t i = 0; i < f.n && n > ASIDE_FILES; i++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", at->directory, f.of[i]->d_name);
		if (strcmp(strrchr(path, '/'), strrchr(fresh, '/')) == 0)
			continue;
		if (unlink(path) == 0)
			/* Message: There are eight newer ones. */
			log_warn("persist", "%s is deleted: %d files set aside are newer", path,
				 ASIDE_FILES);
		n--;
	}
	files_free(&f);
}

/* Writes the name of a new file set aside. Its directory is that of the path. */
static int make_name(const struct place *at, enum aside_kind kind, unsigned long number,
		     char *aside, size_t size)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	n = snprintf(aside, size, "%s/%s.%s-%s-%lu", at->directory, at->name, kinds[kind], stamp,
		     number);
	return n < 0 || (size_t)n >= size ? ENAMETOOLONG : 0;
}

int aside_rename(const char *path, enum aside_kind kind, char *aside, size_t size)
{
	struct place at = {0};
	int error;

	place_of(path, &at);
	error = make_name(&at, kind, (unsigned long)getpid(), aside, size);
	if (error == 0 && rename(path, aside) < 0)
		error = errno;
	if (error == 0)
		delete_oldest(&at, aside);
	return error;
}

/* Looks for a copy with this mark, and writes its name to aside. */
static bool find_copy(const struct place *at, enum aside_kind kind, unsigned long mark, char *aside,
		      size_t size)
{
	struct files f = list(at);
	char part[32], end[32];
	bool found = false;

	snprintf(part, sizeof(part), ".%s-", kinds[kind]);
	snprintf(end, sizeof(end), "Z-%lu", mark);
	for (size_t i = 0; i < f.n && !found; i++) {
		const char *name = f.of[i]->d_name, *last = strrchr(name, 'Z');

		found = strncmp(name + strlen(at->name), part, strlen(part)) == 0 &&
			strcmp(last, end) == 0;
		if (found)
			snprintf(aside, size, "%s/%s", at->directory, name);
	}
	files_free(&f);
	return found;
}

int aside_copy(const char *path, enum aside_kind kind, unsigned long mark, const char *text,
	       size_t len, char *aside, size_t size, bool *is_old)
{
	struct place at = {0};
	int error;

	place_of(path, &at);
	*is_old = find_copy(&at, kind, mark, aside, size);
	if (*is_old)
		return 0;
	error = make_name(&at, kind, mark, aside, size);
	if (error == 0)
		error = replace_file(aside, text, len).error;
	if (error == 0)
		delete_oldest(&at, aside);
	return error;
}
