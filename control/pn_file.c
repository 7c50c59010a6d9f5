/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/pn_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/persist_text.h"

#define FORMAT_READ                                                                             \
	"version = 1;\nnext = %" SCNu64 ";\npeer = %" SCNx64 ";\nlowest = %" SCNu64 " %" SCNu64 \
	";\n"

bool pn_file_path(const char *state_file, const uint8_t digest[SAK_DIGEST_OCTETS], char *path,
		  size_t size)
{
	int n = snprintf(path, size, "%s.pn-", state_file);

	for (size_t i = 0; i < SAK_DIGEST_OCTETS && n > 0 && (size_t)n < size; i++)
		n += snprintf(path + n, size - (size_t)n, "%02x", digest[i]);
	return n > 0 && (size_t)n < size;
}

char *pn_file_text(const struct pn_file *file, size_t *len)
{
	char *text = malloc(PN_FILE_TEXT);

	if (!text)
		return NULL;
	*len = (size_t)snprintf(text, PN_FILE_TEXT,
				"version = 1;\nnext = %" PRIu64 ";\npeer = %016" PRIx64
				";\nlowest = %" PRIu64 " %" PRIu64 ";\n",
				file->next, file->peer, file->lowest[0], file->lowest[1]);
	if (persist_add_checksum(&text, len))
		return text;
	free(text);
	return NULL;
}

/* Returns whether the text is one of pn_file_text(). */
static bool parse(const char *text, size_t len, struct pn_file *file)
{
	struct pn_file read = {0};
	unsigned line;
	char *again;
	size_t n = 0;
	bool ok;

	if (!persist_has_checksum(text, len, &line) ||
	    sscanf(text, FORMAT_READ, &read.next, &read.peer, &read.lowest[0], &read.lowest[1]) !=
		4 ||
	    read.lowest[0] == 0 || read.lowest[1] == 0)
		return false;
	again = pn_file_text(&read, &n);
	ok = again && n == len && memcmp(again, text, n) == 0;
	free(again);
	*file = read;
	return ok;
}

/* Returns the octets that were read; -1: errno. */
static ssize_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n;
	int error;

	if (fd < 0)
		return -1;
	do
		n = read(fd, text, size);
	while (n < 0 && errno == EINTR);
	error = errno;
	close(fd);
	errno = error;
	return n;
}

bool pn_file_read(const char *path, uint64_t peer, struct pn_file *file, char *err, size_t errlen)
{
	const struct pn_file fresh = {.next = 1, .peer = peer, .lowest = {1, 1}};
	char text[2 * PN_FILE_TEXT] = "";
	ssize_t n = read_text(path, text, sizeof(text) - 1);

	*file = fresh;
	if (n < 0 && errno == ENOENT)
		return true;
	if (n < 0) {
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return false;
	}
	if (!parse(text, (size_t)n, file)) {
		snprintf(err, errlen,
			 "%s: damaged: the packet numbers that were used with this key are not "
			 "known: set another key at both ends, then remove the file",
			 path);
		return false;
	}
	if (file->peer != peer)
		*file = (struct pn_file){.next = file->next, .peer = peer, .lowest = {1, 1}};
	return true;
}

int pn_file_write(const char *path, const struct pn_file *file)
{
	struct persist_written w;
	size_t len = 0;
	char *text = pn_file_text(file, &len);

	if (!text)
		return ENOMEM;
	w = persist_write_private(path, text, len);
	free(text);
	return w.error;
}
