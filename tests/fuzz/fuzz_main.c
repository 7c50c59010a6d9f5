/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzzer that is built without libFuzzer on files, and on the files of directories. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_MAX (1 << 20)

/*
 * Reads a file into an allocation of its exact size, so that a sanitizer
 * reports a read beyond it.
 */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *whole, *exact = NULL;

	if (!f)
		return NULL;
	whole = malloc(INPUT_MAX);
	if (!whole)
		goto close;
	*size = fread(whole, 1, INPUT_MAX, f);
	if (ferror(f) || *size == INPUT_MAX)
		goto drop;
	exact = malloc(*size ? *size : 1);
	if (exact)
		memcpy(exact, whole, *size);
drop:
	free(whole);
close:
	fclose(f);
	return exact;
}

static int replay_file(const char *path)
{
	size_t size;
	uint8_t *data = read_file(path, &size);

	if (!data) {
		fprintf(stderr, "%s: not readable, or %d octets or more\n", path, INPUT_MAX);
		return -1;
	}
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

/* Returns the number of inputs run, or -1 if a file or directory cannot be read. */
static int replay(const char *path)
{
	struct dirent **entries;
	struct stat st;
	char name[4096];
	int found, total = 0;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return replay_file(path);
	found = scandir(path, &entries, NULL, alphasort);
	if (found < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < found; i++) {
		int n = 0;

		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			n = replay(name);
		total = n < 0 || total < 0 ? -1 : total + n;
		free(entries[i]);
	}
	free(entries);
	return total;
}

int main(int argc, char **argv)
{
	int total = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s file|directory ...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		int n = replay(argv[i]);

		if (n < 0)
			return 1;
		total += n;
	}
	printf("%s: %d inputs\n", argv[0], total);
	return total ? 0 : 1;
}
