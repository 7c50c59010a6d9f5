/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/pn_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "control/host/replace_file.h"
#include "control/persist.h"

#define FORMAT_READ                                                              \
	"version = 1;\nnext = %" SCNu64 ";\nown = %" SCNx64 ";\npeer = %" SCNx64 \
	";\nxpn = %" SCNu64 ";\nlowest = %" SCNu64 " %" SCNu64 ";\n"

bool pn_file_path(const char *state_file, const uint8_t digest[SAK_DIGEST_OCTETS], char *path,
		  size_t size)
{
	int n = snprintf(path, size, "%s.pn-", state_file);

	for (size_t i = 0; i < SAK_DIGEST_OCTETS && n > 0 && (size_t)n < size; i++)
		n += snprintf(path + n, size - (size_t)n, "%02x", digest[i]);
	return n > 0 && (size_t)n < size;
}

int pn_file_lock(const char *state_file, char *err, size_t errlen)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s.macsec-lock", state_file), fd = -1;

	errno = ENAMETOOLONG;
	if (n > 0 && (size_t)n < sizeof(path))
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	/*
	 * Message "%s: another dcbd uses these packet numbers": A dcbd with the same state file
	 * runs. A second one would use the same packet numbers, and does not start.
	 */
	snprintf(err, errlen, "%s: %s", path,
		 errno == EWOULDBLOCK ? "another dcbd uses these packet numbers" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

char *pn_file_text(const struct pn_file *file, size_t *len)
{
	char *text = malloc(PN_FILE_TEXT);

	if (!text)
		return NULL;
	*len = (size_t)snprintf(
	    text, PN_FILE_TEXT,
	    "version = 1;\nnext = %" PRIu64 ";\nown = %016" PRIx64 ";\npeer = %016" PRIx64
	    ";\nxpn = %" PRIu64 ";\nlowest = %" PRIu64 " %" PRIu64 ";\n",
	    file->next, file->own, file->peer, file->xpn, file->lowest[0], file->lowest[1]);
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
	    sscanf(text, FORMAT_READ, &read.next, &read.own, &read.peer, &read.xpn, &read.lowest[0],
		   &read.lowest[1]) != 6 ||
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

/*
 * With XPN, the SSCI of each end follows from the SCIs and channels of both: others could give it
 * that of the other end, and with it IVs that were used. Use without XPN does not count.
 */
static bool repeats_no_iv(const struct pn_file *file, const struct pn_file *use)
{
	return file->xpn == 0 || (file->own == use->own && file->peer == use->peer &&
				  (use->xpn == 0 || use->xpn == file->xpn));
}

/* Puts the use of now into the content of a file. */
static void take_use(struct pn_file *file, const struct pn_file *use)
{
	if (file->peer != use->peer)
		file->lowest[0] = file->lowest[1] = 1;
	file->own = use->own;
	file->peer = use->peer;
	if (use->xpn != 0)
		file->xpn = use->xpn;
}

bool pn_file_read(const char *path, const struct pn_file *use, struct pn_file *file, char *err,
		  size_t errlen)
{
	const struct pn_file fresh = {
	    .next = 1, .own = use->own, .peer = use->peer, .xpn = use->xpn, .lowest = {1, 1}};
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
		/* Message: dcbd does not start, because a packet number could be used twice. */
		snprintf(err, errlen,
			 "%s: damaged: the packet numbers that were used with this key are not "
			 "known: set another key at both ends, then remove the file",
			 path);
		return false;
	}
	if (!repeats_no_iv(file, use)) {
		/*
		 * Message: dcbd does not start, because an end could use the initialization vectors
		 * that the other one has used.
		 */
		snprintf(err, errlen,
			 "%s: sci, peer_sci or pfc_channel has changed, and with XPN the same "
			 "numbers would be used again: set another key at both ends",
			 path);
		return false;
	}
	take_use(file, use);
	return true;
}

int pn_file_write(const char *path, const struct pn_file *file)
{
	struct file_written w;
	size_t len = 0;
	char *text = pn_file_text(file, &len);

	if (!text)
		return ENOMEM;
	w = replace_private_file(path, text, len);
	free(text);
	return w.error;
}
