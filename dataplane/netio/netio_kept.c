/* SPDX-License-Identifier: BSD-3-Clause */
#define HASH_NONFATAL_OOM 1
#include "dataplane/netio/netio_kept.h"

#include "lib/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uthash.h>

#define MAC_OCTETS  6
#define TEXT_OCTETS 256

static const char *const names[NETIO_KEPT_SETTINGS] = {
    [NETIO_KEPT_GRO] = "gro",
    [NETIO_KEPT_LRO] = "lro",
    [NETIO_KEPT_NIC_TIMES] = "nic_times",
    [NETIO_KEPT_RP_FILTER] = "rp_filter",
    [NETIO_KEPT_DISABLE_IPV6] = "disable_ipv6",
};

struct identity {
	char name[IF_NAMESIZE];
	char mac[3 * MAC_OCTETS]; /* text */
};

/* An interface with a file. Values are digits, 0: none. */
struct kept {
	uint32_t ifindex;
	struct identity of;
	char was[NETIO_KEPT_SETTINGS];  /* changed in this run */
	char left[NETIO_KEPT_SETTINGS]; /* of a former run, not restored yet */
	UT_hash_handle hh;
};

static struct {
	pthread_mutex_t lock;
	char directory[PATH_MAX]; /* empty: nowhere */
	unsigned long long netns; /* inode of the network namespace */
	struct kept *kept;        /* by ifindex */
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool identify(uint32_t ifindex, struct identity *of)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = {0};
	const unsigned char *mac = (const unsigned char *)ifr.ifr_hwaddr.sa_data;
	bool ok = fd >= 0 && if_indextoname(ifindex, ifr.ifr_name);

	if (ok) {
		memcpy(of->name, ifr.ifr_name, sizeof(of->name));
		ok = ioctl(fd, SIOCGIFHWADDR, &ifr) == 0;
	}
	if (ok)
		snprintf(of->mac, sizeof(of->mac), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
			 mac[2], mac[3], mac[4], mac[5]);
	if (fd >= 0)
		close(fd);
	return ok;
}

static void path_of(char *path, size_t size, uint32_t ifindex, const char *end)
{
	snprintf(path, size, "%s/interface-%llu-%u%s", files.directory, files.netns, ifindex, end);
}

/* --- read ---------------------------------------------------------------------------- */

/* Sets the member of a line "KEY VALUE". */
static bool parse_line(const char *line, struct kept *k)
{
	char key[20], value[20], end;

	if (sscanf(line, "%19s %19s %c", key, value, &end) != 2)
		return false;
	if (strcmp(key, "name") == 0 && strlen(value) < sizeof(k->of.name))
		return snprintf(k->of.name, sizeof(k->of.name), "%.15s", value) > 0;
	if (strcmp(key, "mac") == 0 && strlen(value) < sizeof(k->of.mac))
		return snprintf(k->of.mac, sizeof(k->of.mac), "%.17s", value) > 0;
	for (unsigned i = 0; i < NETIO_KEPT_SETTINGS; i++) {
		if (strcmp(key, names[i]) != 0)
			continue;
		k->left[i] = value[0];
		return value[0] >= '0' && value[0] <= '2' && !value[1];
	}
	return false;
}

static bool parse(char *text, struct kept *k)
{
	char *rest, *line = strtok_r(text, "\n", &rest);

	for (; line; line = strtok_r(NULL, "\n", &rest))
		if (!parse_line(line, k))
			return false;
	return k->of.name[0] && k->of.mac[0];
}

/* Returns 0, or an errno. EPERM: the file is of another user, and not of root. */
static int read_file(const char *path, char text[TEXT_OCTETS])
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;
	int error = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st) < 0)
		error = errno;
	else if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
		error = EPERM;
	else if ((n = read(fd, text, TEXT_OCTETS - 1)) < 0)
		error = errno;
	close(fd);
	if (error)
		return error;
	text[n < 0 ? 0 : n] = '\0';
	/* An octet 0 would hide the rest. */
	return n == TEXT_OCTETS - 1 || strlen(text) != (size_t)n ? EINVAL : 0;
}

/* Reads what a former run has left of this interface. */
static void take_left(struct kept *k)
{
	struct kept file = {0};
	char path[PATH_MAX + 64], text[TEXT_OCTETS];
	int error;

	path_of(path, sizeof(path), k->ifindex, "");
	error = read_file(path, text);
	if (error == ENOENT)
		return;
	if (!error && !parse(text, &file))
		error = EINVAL;
	if (error) {
		/*
		 * Message: The file of the interface cannot be read, or has been altered, and is
		 * removed. dcbd takes the settings that the interface has now for those of the
		 * operator: see `ethtool -k`.
		 */
		log_warn("port", "%s: settings of a former run are not restored: %s: %s",
			 k->of.name, path, strerror(error));
	} else if (strcmp(file.of.name, k->of.name) == 0 || strcmp(file.of.mac, k->of.mac) == 0) {
		memcpy(k->left, file.left, sizeof(k->left));
		return;
	}
	(void)unlink(path);
}

/* --- write --------------------------------------------------------------------------- */

/* Returns false with errno. */
static bool write_file(const char *path, const char *text, size_t octets)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600), error;
	ssize_t n;

	if (fd < 0)
		return false;
	n = write(fd, text, octets);
	error = n < 0 ? errno : ENOSPC;
	close(fd);
	errno = error;
	return n == (ssize_t)octets;
}

/* Writes the file, or removes it if nothing is to be restored. */
static void save(const struct kept *k)
{
	char path[PATH_MAX + 64], fresh[PATH_MAX + 64], text[TEXT_OCTETS];
	int len = snprintf(text, sizeof(text), "name %s\nmac %s\n", k->of.name, k->of.mac);
	bool any = false;

	for (unsigned i = 0; i < NETIO_KEPT_SETTINGS; i++) {
		char value = k->was[i] ? k->was[i] : k->left[i];

		if (value)
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%s %c\n", names[i],
					value);
		any |= value;
	}
	path_of(path, sizeof(path), k->ifindex, "");
	path_of(fresh, sizeof(fresh), k->ifindex, ".new");
	if (!any) {
		(void)unlink(path);
	} else if (!write_file(fresh, text, (size_t)len) || rename(fresh, path) < 0) {
		/*
		 * Message: The file of the interface beside the control socket, see dcbd(8), cannot
		 * be written.
		 */
		log_warn_limited("port", "%s: settings are lost if dcbd is killed: %s: %s",
				 k->of.name, path, strerror(errno));
		(void)unlink(fresh);
	}
}

static struct kept *find(uint32_t ifindex)
{
	struct kept *k;

	HASH_FIND(hh, files.kept, &ifindex, sizeof(ifindex), k);
	return k;
}

/* Returns NULL if the interface is gone, or out of memory. */
static struct kept *find_or_read(uint32_t ifindex)
{
	struct kept *k = find(ifindex);

	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k || !identify(ifindex, &k->of)) {
		free(k);
		return NULL;
	}
	k->ifindex = ifindex;
	HASH_ADD(hh, files.kept, ifindex, sizeof(k->ifindex), k);
	if (!k->hh.tbl) {
		free(k);
		return NULL;
	}
	take_left(k);
	return k;
}

static void forget_if_empty(struct kept *k)
{
	static const char none[NETIO_KEPT_SETTINGS];

	if (memcmp(k->was, none, sizeof(none)) != 0 || memcmp(k->left, none, sizeof(none)) != 0)
		return;
	HASH_DEL(files.kept, k);
	free(k);
}

char netio_kept_begin(uint32_t ifindex, enum netio_kept setting, char is)
{
	struct kept *k = NULL;
	char value = is;

	pthread_mutex_lock(&files.lock);
	if (files.directory[0])
		k = find_or_read(ifindex);
	if (k) {
		if (!is)
			value = k->left[setting];
		if (value)
			k->was[setting] = value;
		k->left[setting] = 0;
		if (is)
			save(k);
		forget_if_empty(k);
	}
	pthread_mutex_unlock(&files.lock);
	return value;
}

void netio_kept_end(uint32_t ifindex, enum netio_kept setting)
{
	struct kept *k;

	pthread_mutex_lock(&files.lock);
	k = find(ifindex);
	if (k && k->was[setting]) {
		k->was[setting] = 0;
		save(k);
		forget_if_empty(k);
	}
	pthread_mutex_unlock(&files.lock);
}

void netio_kept_in_directory_of(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	struct stat st;
	struct kept *k, *next;

	pthread_mutex_lock(&files.lock);
	for (k = files.kept; k; k = next) {
		next = k->hh.next;
		HASH_DEL(files.kept, k);
		free(k);
	}
	files.directory[0] = '\0';
	if (file && stat("/proc/self/ns/net", &st) == 0) {
		files.netns = st.st_ino;
		snprintf(files.directory, sizeof(files.directory), "%.*s",
			 slash ? (int)(slash - file) : 1, slash ? file : ".");
	}
	pthread_mutex_unlock(&files.lock);
}
