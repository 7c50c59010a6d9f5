/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conf/conf_macsec.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "control/conf/conf_read.h"
#include "dataplane/core/pfc_headroom.h"
#include "dataplane/macsec/secret.h"

/* --- strings that can be keys ------------------------------------------------------------- */

/*
 * libconfig frees the text, its tokens and its settings without overwriting them. So it gets a
 * copy of the file with asterisks in each string that is long enough for a key or a salt, and the
 * number of the string: "*7**********************". Keys are read from the file itself.
 */
#define MASK_FROM 24 /* octets: the digits of a salt, the shortest; longer than an SCI */
#define MASKS_MAX (MACSEC_PORTS_MAX * SECTAG_ANS * 2)

struct masks {
	char *file; /* in locked memory, with a null at the end */
	size_t n;
	struct {
		size_t at, len; /* in file, without the quotes */
	} of[MASKS_MAX];
};

/* Returns the end of the comment or string that starts at p, or p + 1. */
static const char *token_end(const char *p)
{
	const char *end = NULL;

	if (p[0] == '#' || (p[0] == '/' && p[1] == '/'))
		return p + strcspn(p, "\n");
	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end ? end + 2 : p + strlen(p);
	}
	if (p[0] != '"')
		return p + 1;
	for (p++; *p && *p != '"'; p++)
		p += p[0] == '\\' && p[1];
	return *p ? p + 1 : p;
}

/* Writes the number and asterisks over len octets of text; lines stay lines. */
static void write_mask(char *text, size_t len, size_t number)
{
	char digits[16];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "*%zu", number);

	for (size_t i = 0; i < len; i++) {
		if (text[i] != '\n')
			text[i] = i < n ? digits[i] : '*';
	}
}

/* Copies the file to text, with masks. Returns false if it has too many long strings. */
static bool mask_strings(struct masks *masks, char *text)
{
	const char *end;

	for (const char *p = masks->file; *p; p = end) {
		size_t at = (size_t)(p - masks->file), len;

		end = token_end(p);
		len = (size_t)(end - p);
		if (p[0] != '"' || len < MASK_FROM + 2) {
			memcpy(text + at, p, len);
			continue;
		}
		if (masks->n == MASKS_MAX)
			return false;
		memcpy(text + at, p, 1);
		if (!*end && end[-1] != '"') { /* not closed: libconfig reports it */
			write_mask(text + at + 1, len - 1, masks->n);
			continue;
		}
		masks->of[masks->n].at = at + 1;
		masks->of[masks->n].len = len - 2;
		text[at + len - 1] = '"';
		write_mask(text + at + 1, len - 2, masks->n++);
	}
	return true;
}

/* Returns the octets that a setting has in the file, and their number; NULL: it has no mask. */
static const char *unmask(const struct masks *masks, const config_setting_t *s, size_t *len)
{
	const char *text = config_setting_get_string(s);
	size_t number;

	if (!text || text[0] != '*' || strlen(text) < MASK_FROM)
		return NULL;
	number = strtoul(text + 1, NULL, 10);
	if (number >= masks->n)
		return NULL;
	*len = masks->of[number].len;
	return masks->file + masks->of[number].at;
}

/* --- settings -------------------------------------------------------------------------------- */

/* Everything that is read; in locked memory. */
struct key_file {
	struct macsec_conf *conf;
	struct masks masks;
};

static struct key_file *file_of(const struct reader *r)
{
	return r->whole;
}

static const struct macsec_suite_info *suite_of(const struct macsec_port *port)
{
	return macsec_suite_info((enum macsec_suite)port->secy.suite);
}

static bool take_name(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	const char *name = conf_string(r, s, 1, IF_NAMESIZE - 1);

	if (name)
		strcpy((char *)base + row->offset, name);
	return name;
}

static bool take_mode(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	static const char *const names[] = {"none", "data", "all", NULL};
	int mode = conf_one_of(r, s, names);

	(void)row;
	((struct macsec_port *)base)->mode = (uint8_t)(PFC_MACSEC_NONE + mode);
	return mode >= 0;
}

static bool take_suite(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	const char *names[MACSEC_SUITES + 1] = {NULL};
	int suite;

	(void)row;
	for (int i = 0; i < MACSEC_SUITES; i++)
		names[i] = macsec_suite_info((enum macsec_suite)i)->name;
	suite = conf_one_of(r, s, names);
	((struct macsec_port *)base)->secy.suite = (uint8_t)suite;
	return suite >= 0;
}

static bool take_validate(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			  void *base)
{
	static const char *const names[] = {[SECY_VALIDATE_DISABLED] = "disabled",
					    [SECY_VALIDATE_CHECK] = "check",
					    [SECY_VALIDATE_STRICT] = "strict",
					    NULL};
	int validate = conf_one_of(r, s, names);

	(void)row;
	((struct macsec_port *)base)->secy.validate_frames = (uint8_t)validate;
	return validate >= 0;
}

static bool take_offset(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base)
{
	struct macsec_port *port = base;
	int64_t v;

	(void)row;
	if (!conf_is_integer(s, 0, 50, &v) || (v != 0 && v != 30 && v != 50))
		return conf_expected(r, s, "0, 30 or 50");
	if (v != 0 && suite_of(port)->xpn)
		return conf_fail(r, s, "%s has no confidentiality offset", suite_of(port)->name);
	port->secy.confidentiality_offset = (uint8_t)v;
	return true;
}

/* Parses n octets of two hexadecimal digits each, with this character between them; 0: none. */
static bool parse_hex(const char *text, size_t n, char between, uint8_t *octets)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		const char *high = text[0] ? strchr(digits, tolower((unsigned char)text[0])) : NULL;
		const char *low =
		    high && text[1] ? strchr(digits, tolower((unsigned char)text[1])) : NULL;

		if (!low)
			return false;
		octets[i] = (uint8_t)((high - digits) << 4 | (low - digits));
		text += 2;
		if (between && i + 1 < n && *text++ != between)
			return false;
	}
	return true;
}

/* Reads an SCI as "02:00:00:00:00:01/1": MAC address and port. */
static bool take_sci(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	const char *text = config_setting_get_string(s), *port;
	uint64_t *sci = (uint64_t *)(void *)((char *)base + row->offset);
	uint8_t system[6];
	unsigned long number = 0;
	char *end = NULL;

	if (text && parse_hex(text, sizeof(system), ':', system) && text[17] == '/') {
		port = text + 18;
		number = isdigit((unsigned char)*port) ? strtoul(port, &end, 10) : 0;
	}
	if (!end || *end != '\0' || number < 1 || number > UINT16_MAX)
		return conf_expected(r, s, "an SCI such as \"02:00:00:00:00:01/1\"");
	*sci = sectag_sci(system, (uint16_t)number);
	return *sci != UINT64_MAX || conf_fail(r, s, "this SCI is reserved");
}

/* --- keys ------------------------------------------------------------------------------------ */

/* A key, and the port whose suite says how long it is. */
struct entry {
	struct macsec_port *port;
	struct macsec_key key;
	int64_t an;
	bool has_salt;
};

/* Reads hexadecimal digits of n octets. The error has no digit of it. */
static bool take_hex(struct reader *r, const config_setting_t *s, const char *what, size_t n,
		     uint8_t *octets)
{
	const char *text = config_setting_get_string(s), *digits;
	size_t len = text ? strlen(text) : 0;

	digits = unmask(&file_of(r)->masks, s, &len);
	if (digits && len == 2 * n && parse_hex(digits, n, '\0', octets))
		return true;
	if (len == 2 * n)
		return conf_fail(r, s, "expected %zu hexadecimal digits for %s", len, what);
	return conf_fail(r, s, "expected %zu hexadecimal digits for %s, not %zu characters", 2 * n,
			 what, len);
}

static bool take_key(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	struct entry *entry = base;

	(void)row;
	entry->key.is_set = true;
	return take_hex(r, s, suite_of(entry->port)->name, suite_of(entry->port)->key_octets,
			entry->key.key);
}

static bool take_salt(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	struct entry *entry = base;

	(void)row;
	if (!suite_of(entry->port)->xpn)
		return conf_fail(r, s, "%s has no salt", suite_of(entry->port)->name);
	entry->has_salt = true;
	return take_hex(r, s, "the salt", sizeof(entry->key.salt), entry->key.salt);
}

static bool check_entry(struct reader *r, const config_setting_t *s, const struct entry *entry)
{
	if (entry->an < 0)
		return conf_fail(r, s, "expected the setting an");
	if (!entry->key.is_set)
		return conf_fail(r, s, "expected the setting key");
	if (suite_of(entry->port)->xpn && !entry->has_salt)
		return conf_fail(r, s, "expected the setting salt for %s",
				 suite_of(entry->port)->name);
	if (entry->port->keys[entry->an].is_set)
		return conf_fail(r, s, "duplicate AN %d", (int)entry->an);
	return true;
}

static bool add_key(struct reader *r, const config_setting_t *s, void *base)
{
	static const struct conf_row rows[] = {{"an", conf_take_number, offsetof(struct entry, an),
						sizeof(int64_t), 0, SECTAG_ANS - 1, NULL},
					       {"key", take_key, 0, 0, 0, 0, NULL},
					       {"salt", take_salt, 0, 0, 0, 0, NULL},
					       {NULL, NULL, 0, 0, 0, 0, NULL}};
	static const struct conf_row group = {"keys", conf_take_group, 0, 0, 0, 0, rows};
	struct entry *entry = secret_alloc(sizeof(*entry));
	bool ok;

	if (!entry)
		return conf_fail(r, s, "no locked memory for keys");
	entry->port = base;
	entry->an = -1;
	ok = conf_take_group(r, s, &group, entry) && check_entry(r, s, entry);
	if (ok)
		entry->port->keys[entry->an] = entry->key;
	secret_free(entry, sizeof(*entry));
	return ok;
}

static bool take_keys(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	(void)row;
	return conf_each(r, s, "a list ( { an = 0; key = \"...\"; }, ... )", add_key, base);
}

/* --- ports ----------------------------------------------------------------------------------- */

#define PORT(name, take, field, min, max)                                    \
	{                                                                    \
		name, take, offsetof(struct macsec_port, field),             \
		    sizeof(((struct macsec_port *)0)->field), min, max, NULL \
	}

/* cipher_suite is before the settings that depend on it. */
static const struct conf_row port_rows[] = {
    PORT("name", take_name, name, 0, 0),
    PORT("mode", take_mode, mode, 0, 0),
    PORT("cipher_suite", take_suite, secy.suite, 0, 0),
    PORT("sci", take_sci, secy.sci, 0, 0),
    PORT("peer_sci", take_sci, peer_sci, 0, 0),
    PORT("transmit_an", conf_take_number, transmit_an, 0, SECTAG_ANS - 1),
    PORT("pfc_channel", conf_take_bool, pfc_channel, 0, 1),
    PORT("confidentiality", conf_take_bool, secy.confidentiality, 0, 1),
    PORT("confidentiality_offset", take_offset, secy.confidentiality_offset, 0, 50),
    PORT("include_sci", conf_take_bool, secy.always_include_sci, 0, 1),
    PORT("validate", take_validate, secy.validate_frames, 0, 0),
    PORT("replay_protect", conf_take_bool, secy.replay_protect, 0, 1),
    PORT("replay_window", conf_take_number, secy.replay_window, 0, UINT32_MAX),
    PORT("pn_reserve", conf_take_number, pn_reserve, 1000, 1 << 30),
    PORT("keys", take_keys, keys, 0, 0),
    {NULL, NULL, 0, 0, 0, 0, NULL}};

/*
 * Choice: the SCI is in each frame by default. Without it, Linux takes the source address for
 * the SCI of the sender, which is another system's in frames that a bridge forwards.
 */
static void init_port(struct macsec_port *port)
{
	secy_config_init(&port->secy, 0);
	port->secy.always_include_sci = true;
	port->pn_reserve = MACSEC_PN_RESERVE;
}

static bool same_key(const struct macsec_key *a, const struct macsec_key *b)
{
	return a->is_set && b->is_set && memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

/*
 * A key that has two ANs, or two ports: packet numbers start again with each, so that an IV could
 * repeat, which would disclose the content of frames.
 */
static bool check_unique_keys(struct reader *r, const config_setting_t *s,
			      const struct macsec_conf *conf, const struct macsec_port *port)
{
	for (size_t i = 0; i <= conf->n_ports; i++) {
		for (unsigned k = 0; k < SECTAG_ANS * SECTAG_ANS; k++) {
			unsigned a = k / SECTAG_ANS, b = k % SECTAG_ANS;

			if (&conf->ports[i] == port && b <= a)
				continue;
			if (same_key(&port->keys[a], &conf->ports[i].keys[b]))
				return conf_fail(r, s, "key of AN %u is also that of \"%s\", AN %u",
						 a, conf->ports[i].name, b);
		}
	}
	return true;
}

static bool check_unique(struct reader *r, const config_setting_t *s,
			 const struct macsec_conf *conf, const struct macsec_port *port)
{
	for (size_t i = 0; i < conf->n_ports; i++) {
		if (strcmp(conf->ports[i].name, port->name) == 0)
			return conf_fail(r, s, "duplicate port \"%s\"", port->name);
		if (port->secy.sci && conf->ports[i].secy.sci == port->secy.sci)
			return conf_fail(r, s, "sci is also that of port \"%s\"",
					 conf->ports[i].name);
	}
	return check_unique_keys(r, s, conf, port);
}

/* The high bits of the port in an SCI are the channel. */
#define CHANNEL_BITS 0xf000u

/*
 * pfc_channel: PFC frames of both ends have transmit SC 1, P802.1Qdt 36.5. Choice: mode all needs
 * it. With one SC, PFC frames would wait for the data frames in the kernel's queues, whose number
 * no headroom includes, or the receiver would discard these as replayed.
 */
static bool set_channels(struct reader *r, const config_setting_t *s, struct macsec_port *port)
{
	if (port->mode == PFC_MACSEC_ALL && !port->pfc_channel)
		return conf_fail(r, s, "mode \"all\": expected pfc_channel = true, at both ends");
	if (!port->pfc_channel)
		return true;
	if (port->mode != PFC_MACSEC_ALL)
		return conf_fail(r, s, "pfc_channel: expected mode \"all\"");
	if ((port->secy.sci & CHANNEL_BITS) || (port->peer_sci & CHANNEL_BITS))
		return conf_fail(r, s,
				 "pfc_channel: expected an sci and a peer_sci with a port "
				 "of 1..4095");
	port->secy.tx_scs = 2;
	return true;
}

/* Checks that a port that protects frames has all it needs. */
static bool check_complete(struct reader *r, const config_setting_t *s,
			   const struct macsec_port *port)
{
	if (port->name[0] == '\0')
		return conf_fail(r, s, "expected the setting name");
	if (port->mode == 0)
		return conf_fail(r, s, "expected the setting mode");
	if (port->mode == PFC_MACSEC_NONE)
		return true;
	if (port->secy.sci == 0 || port->peer_sci == 0)
		return conf_fail(r, s, "expected the settings sci and peer_sci");
	if (port->secy.sci == port->peer_sci)
		return conf_fail(r, s, "expected a peer_sci other than sci");
	if (!port->keys[port->transmit_an].is_set)
		return conf_fail(r, s, "expected a key with AN %u, the one of transmit_an",
				 port->transmit_an);
	return true;
}

static bool add_port(struct reader *r, const config_setting_t *s, void *base)
{
	static const struct conf_row group = {"ports", conf_take_group, 0, 0, 0, 0, port_rows};
	struct macsec_conf *conf = base;
	struct macsec_port *port = &conf->ports[conf->n_ports];

	if (conf->n_ports == MACSEC_PORTS_MAX)
		return conf_fail(r, s, "expected at most %d ports", MACSEC_PORTS_MAX);
	init_port(port);
	if (!conf_take_group(r, s, &group, port) || !check_complete(r, s, port) ||
	    !set_channels(r, s, port) || !check_unique(r, s, conf, port))
		return false;
	conf->n_ports++;
	return true;
}

static bool take_ports(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	(void)row;
	return conf_each(r, s, "a list ( { name = \"eth0\"; ... }, ... )", add_port, base);
}

/* Parses the file, a copy of which is in text, with masks. */
static bool parse(struct key_file *file, const char *path, const char *text, char *err,
		  size_t errlen)
{
	static const struct conf_row rows[] = {{"ports", take_ports, 0, 0, 0, 0, NULL},
					       {NULL, NULL, 0, 0, 0, 0, NULL}};
	static const struct conf_row top = {"", conf_take_group, 0, 0, 0, 0, rows};
	struct reader r = {.path = path, .err = err, .errlen = errlen, .whole = file};
	bool ok = conf_open_text(&r, text) && conf_take_group(&r, conf_root(&r), &top, file->conf);

	conf_close(&r);
	return ok;
}

/* --- the file -------------------------------------------------------------------------------- */

#define ACL_ENTRIES_MAX 32

/* The credentials of units, while they run. */
#define CREDENTIALS "/run/credentials/"

/* Returns whether an entry of an access control list is for this user, or permits nothing. */
static bool is_own_entry(const struct posix_acl_xattr_entry *entry, uid_t user)
{
	switch (le16toh(entry->e_tag)) {
	case ACL_USER_OBJ: /* the owner, who is checked */
	case ACL_MASK:
		return true;
	case ACL_USER:
		return entry->e_perm == 0 || le32toh(entry->e_id) == user;
	default:
		return entry->e_perm == 0;
	}
}

/*
 * Returns whether the open file has an access control list that gives this user alone more than
 * the owner has: so systemd makes a credential of a unit with User=, on a file system with lists.
 */
static bool has_own_acl(int fd, uid_t user)
{
	struct {
		struct posix_acl_xattr_header header;
		struct posix_acl_xattr_entry entries[ACL_ENTRIES_MAX];
	} acl;
	ssize_t n = fgetxattr(fd, "system.posix_acl_access", &acl, sizeof(acl));

	if (n < (ssize_t)sizeof(acl.header) ||
	    le32toh(acl.header.a_version) != POSIX_ACL_XATTR_VERSION)
		return false;
	n = (n - (ssize_t)sizeof(acl.header)) / (ssize_t)sizeof(acl.entries[0]);
	while (n > 0 && is_own_entry(&acl.entries[n - 1], user))
		n--;
	return n == 0;
}

/*
 * Checks who can read and write the open file. Choice: an access control list may name the user of
 * dcbd besides the owner; the bits of the group are then the list's mask.
 */
static bool check_access(int fd, const char *path, uid_t user, const struct stat *st, char *err,
			 size_t errlen)
{
	unsigned mode = st->st_mode & 07777;

	if ((mode & 0070) && has_own_acl(fd, user))
		mode &= ~0070u;
	if (!S_ISREG(st->st_mode))
		snprintf(err, errlen, "%s: expected a regular file", path);
	else if (st->st_uid != 0 && st->st_uid != user)
		/* Message: as "%s: expected mode 0600, not %04o: others may use the keys" */
		snprintf(err, errlen, "%s: expected root or user %u as owner, not user %u", path,
			 (unsigned)user, (unsigned)st->st_uid);
	else if (mode & ~0600u)
		/*
		 * Message: Correct owner and permissions of the key file, and make new keys if
		 * others could read these.
		 */
		snprintf(err, errlen, "%s: expected mode 0600, not %04o: others may use the keys",
			 path, mode);
	else if (st->st_size > MACSEC_FILE_OCTETS_MAX)
		snprintf(err, errlen, "%s: expected at most %d octets", path,
			 MACSEC_FILE_OCTETS_MAX);
	else
		return true;
	return false;
}

/* Reads the open file to octets, of MACSEC_FILE_OCTETS_MAX + 1. Returns false with the error. */
static bool read_octets(int fd, const char *path, char *octets, char *err, size_t errlen)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, octets + len, MACSEC_FILE_OCTETS_MAX - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
	else if (strlen(octets) < len)
		snprintf(err, errlen, "%s: expected text, not an octet 0", path);
	else
		return true;
	return false;
}

/* Returns the cause of a file that open() has failed for. */
static const char *open_error(const char *path, int error)
{
	if (error == ELOOP)
		return "expected a file, not a symbolic link";
	if (error == ENOENT && strncmp(path, CREDENTIALS, strlen(CREDENTIALS)) == 0)
		/*
		 * Message: `systemctl start dcbd` makes the credential; dcbd.conf(5) says how keys
		 * are checked before.
		 */
		return "no such file: systemd makes the credentials of a unit when it starts: "
		       "expected a start by systemctl, or the path of root's file for a check";
	return strerror(error);
}

/* Reads the file at path to octets, of MACSEC_FILE_OCTETS_MAX + 1. */
static bool read_file(const char *path, uid_t user, char *octets, char *err, size_t errlen)
{
	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	bool ok = false;

	if (fd < 0) {
		snprintf(err, errlen, "%s: %s", path, open_error(path, errno));
		return false;
	}
	if (fstat(fd, &st) != 0)
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
	else
		ok = check_access(fd, path, user, &st, err, errlen) &&
		     read_octets(fd, path, octets, err, errlen);
	close(fd);
	return ok;
}

/* Reads and parses the file, to file->conf. */
static bool read_conf(struct key_file *file, const char *path, uid_t user, char *err, size_t errlen)
{
	char *text;
	bool ok = false;

	if (!read_file(path, user, file->masks.file, err, errlen))
		return false;
	text = conf_alloc_check(calloc(1, MACSEC_FILE_OCTETS_MAX + 1));
	if (mask_strings(&file->masks, text))
		ok = parse(file, path, text, err, errlen);
	else
		snprintf(err, errlen, "%s: expected at most %d long strings", path, MASKS_MAX);
	free(text);
	return ok;
}

struct macsec_conf *conf_macsec_read(const char *path, uid_t user, char *err, size_t errlen)
{
	struct key_file *file = secret_alloc(sizeof(*file));
	struct macsec_conf *conf = secret_alloc(sizeof(*conf));
	char *octets = secret_alloc(MACSEC_FILE_OCTETS_MAX + 1);
	bool ok = false;

	if (file && conf && octets) {
		file->conf = conf;
		file->masks.file = octets;
		ok = read_conf(file, path, user, err, errlen);
	} else {
		/* Message: as "no memory for keys: %s" */
		snprintf(err, errlen, "%s: no locked memory for keys", path);
	}
	secret_free(octets, MACSEC_FILE_OCTETS_MAX + 1);
	secret_free(file, sizeof(*file));
	if (ok)
		return conf;
	conf_macsec_free(conf);
	return NULL;
}

void conf_macsec_free(struct macsec_conf *conf)
{
	secret_free(conf, sizeof(*conf));
}

const struct macsec_port *conf_macsec_port(const struct macsec_conf *conf, const char *ifname)
{
	for (size_t i = 0; i < conf->n_ports; i++) {
		if (strcmp(conf->ports[i].name, ifname) == 0)
			return &conf->ports[i];
	}
	return NULL;
}

void macsec_modes_add(struct macsec_modes *modes, const char *ifname, uint8_t mode)
{
	if (mode == PFC_MACSEC_NONE || modes->n == MACSEC_PORTS_MAX)
		return;
	snprintf(modes->of[modes->n].name, IF_NAMESIZE, "%s", ifname);
	modes->of[modes->n++].mode = mode;
}

uint8_t macsec_modes_find(const struct macsec_modes *modes, const char *ifname)
{
	for (size_t i = 0; i < modes->n; i++) {
		if (strcmp(modes->of[i].name, ifname) == 0)
			return modes->of[i].mode;
	}
	return 0;
}

uint32_t macsec_ssci(const struct macsec_port *port, uint64_t sci)
{
	uint32_t greater = 0;

	for (unsigned channel = 0; channel < port->secy.tx_scs; channel++) {
		greater += macsec_channel_sci(port->secy.sci, channel) > sci;
		greater += macsec_channel_sci(port->peer_sci, channel) > sci;
	}
	return greater + 1;
}
