/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conf/conf_macsec.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "control/conf/conf_text.h"
#include "dataplane/core/pfc_headroom.h"
#include "dataplane/macsec/secret.h"

#define BLANKS       " \t\r"
#define WORDS_MAX    5  /* of a line: one more than is expected */
#define SETTINGS_MAX 16 /* of a port, and one */

/* A file that is being read. Its words stay where it was read to, in locked memory. */
struct key_file {
	const char *path;
	char *err;
	size_t errlen;
	unsigned line;
	struct macsec_conf *conf;
	/* The port that the lines are about; NULL: none yet. Lines are 0 without the setting. */
	struct macsec_port *port;
	unsigned port_line, lines[SETTINGS_MAX];
	struct {
		unsigned line;
		const char *digits, *salt; /* salt is NULL without one */
	} keys[SECTAG_ANS];
};

/* Writes "path:line: ...", without any digit of a key. Returns false. */
__attribute__((format(printf, 3, 4))) static bool fail(const struct key_file *f, unsigned line,
						       const char *fmt, ...)
{
	int n = snprintf(f->err, f->errlen, "%s:%u: ", f->path, line);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < f->errlen)
		vsnprintf(f->err + n, f->errlen - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

/* --- values ---------------------------------------------------------------------------------- */

/* A setting of a port. parse reads its value to *v; false: the text is not as expected. */
struct setting {
	const char *name;
	const char *expected; /* for errors; parse_name() finds the names in it */
	bool (*parse)(const struct setting *s, const char *value, uint64_t *v);
	uint64_t min, max;   /* of a number; min is also that of the first name */
	size_t offset, size; /* of the field */
};

static bool parse_name(const struct setting *s, const char *value, uint64_t *v)
{
	const char *name = s->expected;
	size_t n;

	for (*v = s->min; *name; *v += 1) {
		n = strcspn(name, ", ");
		if (n == strlen(value) && memcmp(name, value, n) == 0)
			return true;
		name += n;
		name += strncmp(name, " or ", 4) == 0 ? 4 : strspn(name, ", ");
	}
	return false;
}

static bool is_number(const char *text, uint64_t min, uint64_t max, uint64_t *v)
{
	char *end;

	*v = strtoull(text, &end, 10);
	return isdigit((unsigned char)text[0]) && *end == '\0' && *v >= min && *v <= max;
}

static bool parse_number(const struct setting *s, const char *value, uint64_t *v)
{
	return is_number(value, s->min, s->max, v);
}

static bool parse_offset(const struct setting *s, const char *value, uint64_t *v)
{
	return parse_number(s, value, v) && (*v == 0 || *v == 30 || *v == 50);
}

/* Parses n octets of two hexadecimal digits each, with this character between them; 0: none. */
static bool parse_hex(const char *text, size_t n, char between, uint8_t *octets)
{
	for (size_t i = 0; i < 2 * n; i++, text++) {
		int c = tolower((unsigned char)*text);

		if (!isxdigit(c))
			return false;
		c -= isdigit(c) ? '0' : 'a' - 10;
		octets[i / 2] = (uint8_t)(i % 2 ? octets[i / 2] | c : c << 4);
		if (between && i % 2 && i + 1 < 2 * n && *++text != between)
			return false;
	}
	return true;
}

static bool parse_sci(const struct setting *s, const char *value, uint64_t *v)
{
	uint8_t system[6];
	uint64_t port;

	(void)s;
	if (!parse_hex(value, sizeof(system), ':', system) || value[17] != '/' ||
	    !is_number(value + 18, 1, UINT16_MAX, &port))
		return false;
	*v = sectag_sci(system, (uint16_t)port);
	return *v != UINT64_MAX;
}

/* --- settings -------------------------------------------------------------------------------- */

#define FIELD(field)      offsetof(struct macsec_port, field), sizeof(((struct macsec_port *)0)->field)
#define BOOLEAN           "false or true", parse_name, 0, 0
#define INTEGER(min, max) "an integer " #min ".." #max, parse_number, min, max
#define SCI               "an SCI such as 02:00:00:00:00:01/1 that is not reserved", parse_sci, 0, 0
#define SUITE             "GCM-AES-128, GCM-AES-256, GCM-AES-XPN-128 or GCM-AES-XPN-256"

/* Names are in the order of their enums. */
static const struct setting settings[] = {
    {"mode", "none, data or all", parse_name, PFC_MACSEC_NONE, 0, FIELD(mode)},
    {"cipher_suite", SUITE, parse_name, MACSEC_GCM_AES_128, 0, FIELD(secy.suite)},
    {"sci", SCI, FIELD(secy.sci)},
    {"peer_sci", SCI, FIELD(peer_sci)},
    {"transmit_an", INTEGER(0, 3), FIELD(transmit_an)},
    {"pfc_channel", BOOLEAN, FIELD(pfc_channel)},
    {"confidentiality", BOOLEAN, FIELD(secy.confidentiality)},
    {"confidentiality_offset", "0, 30 or 50", parse_offset, 0, 50,
     FIELD(secy.confidentiality_offset)},
    {"include_sci", BOOLEAN, FIELD(secy.always_include_sci)},
    {"validate", "disabled, check or strict", parse_name, SECY_VALIDATE_DISABLED, 0,
     FIELD(secy.validate_frames)},
    {"replay_protect", BOOLEAN, FIELD(secy.replay_protect)},
    {"replay_window", INTEGER(0, 4294967295), FIELD(secy.replay_window)},
    {"pn_reserve", INTEGER(1000, 1073741824), FIELD(pn_reserve)},
};

#define SETTINGS (sizeof(settings) / sizeof(settings[0]))
_Static_assert(SETTINGS < SETTINGS_MAX, "lines[SETTINGS] is there, and 0");

/* Returns the place of a setting; SETTINGS: there is none of this name. */
static size_t place_of(const char *name)
{
	size_t i = 0;

	while (i < SETTINGS && strcmp(settings[i].name, name) != 0)
		i++;
	return i;
}

/* Returns the line of a setting of the port; that of the port without the setting. */
static unsigned line_of(const struct key_file *f, const char *name)
{
	unsigned line = f->lines[place_of(name)];

	return line ? line : f->port_line;
}

static bool fail_unknown(const struct key_file *f)
{
	char known[256];
	size_t n = 0;

	for (size_t i = 0; i < SETTINGS; i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", n ? ", " : "",
				      settings[i].name);
	/* Message: The first word of the line is none of these. It is misspelled. */
	return fail(f, f->line, "unknown setting: expected one of port, key, %s", known);
}

static void store(void *field, size_t size, uint64_t v)
{
	if (size == sizeof(uint8_t)) /* or bool */
		*(uint8_t *)field = (uint8_t)v;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)field = (uint32_t)v;
	else
		*(uint64_t *)field = v;
}

/* Returns whether a wrong value may be a key, or a part of one, in a wrong place. */
static bool can_be_key(const char *value)
{
	size_t digits = 0;

	for (const char *p = value; *p && digits <= 10; p++)
		digits = isxdigit((unsigned char)*p) ? digits + 1 : 0;
	return digits > 10 || strlen(value) >= 24;
}

static bool take_setting(struct key_file *f, char *const words[], size_t n)
{
	size_t i = place_of(words[0]);
	const struct setting *s = &settings[i];
	uint64_t v;
	bool shown;

	if (i == SETTINGS)
		return fail_unknown(f);
	if (n != 2)
		/* Message: A value has no blanks and no quotes; a comment begins with `#`. */
		return fail(f, f->line, "%s: expected one value", s->name);
	if (f->lines[i])
		/* Message: The port has the same setting twice. Remove one of them. */
		return fail(f, f->line, "duplicate setting \"%s\": line %u has the first one",
			    s->name, f->lines[i]);
	f->lines[i] = f->line;
	shown = !can_be_key(words[1]);
	if (!s->parse(s, words[1], &v))
		/* Message "%s: expected %s, not "%s"": Correct the value of the setting. */
		return fail(f, f->line, "%s: expected %s%s%s%s", s->name, s->expected,
			    shown ? ", not \"" : "", shown ? words[1] : "", shown ? "\"" : "");
	store((char *)f->port + s->offset, s->size, v);
	return true;
}

/* --- keys ------------------------------------------------------------------------------------ */

/* Takes the place of the digits: how many there are to be depends on a line that can follow. */
static bool take_key(struct key_file *f, char *const words[], size_t n)
{
	uint64_t an;

	if ((n != 3 && n != 4) || !is_number(words[1], 0, SECTAG_ANS - 1, &an))
		/* Message: The key has no blanks; with XPN, its salt is behind it. */
		return fail(f, f->line, "key: expected AN 0..%d, digits and, with XPN, a salt",
			    SECTAG_ANS - 1);
	if (f->keys[an].line)
		/* Message: An AN of a port has one key. Use another AN, or remove one of them. */
		return fail(f, f->line, "duplicate AN %u: line %u has the first one", (unsigned)an,
			    f->keys[an].line);
	f->keys[an].line = f->line;
	f->keys[an].digits = words[2];
	f->keys[an].salt = n == 4 ? words[3] : NULL;
	return true;
}

/* Reads the n octets of a key or salt. */
static bool take_digits(const struct key_file *f, unsigned line, const char *text, const char *what,
			size_t n, uint8_t *octets)
{
	size_t len = strlen(text);

	/* Message: The line does not have what the cipher suite needs, the same at both ends. */
	return (len == 2 * n && parse_hex(text, n, '\0', octets)) ||
	       fail(f, line,
		    "key: expected %zu hexadecimal digits for %s, not these %zu characters", 2 * n,
		    what, len);
}

/* Takes what depends on the cipher suite. */
static bool take_keys(const struct key_file *f, struct macsec_port *port)
{
	const struct macsec_suite_info *suite =
	    macsec_suite_info((enum macsec_suite)port->secy.suite);

	if (suite->xpn && port->secy.confidentiality_offset)
		/* Message: Remove the setting, or take a cipher suite without XPN. */
		return fail(f, line_of(f, "confidentiality_offset"),
			    "confidentiality_offset: %s has none", suite->name);
	for (unsigned an = 0; an < SECTAG_ANS; an++) {
		unsigned line = f->keys[an].line;
		const char *salt = f->keys[an].salt;
		struct macsec_key *key = &port->keys[an];

		key->is_set = line;
		if (!line)
			continue;
		if (!salt != !suite->xpn)
			/*
			 * Message: as "key: expected %u hexadecimal digits for %s, not these %u
			 * characters"
			 */
			return fail(f, line, "key: expected %s salt for %s",
				    suite->xpn ? "a" : "no", suite->name);
		if (!take_digits(f, line, f->keys[an].digits, suite->name, suite->key_octets,
				 key->key) ||
		    (salt && !take_digits(f, line, salt, "the salt", sizeof(key->salt), key->salt)))
			return false;
	}
	return true;
}

static bool same_key(const struct macsec_key *a, const struct macsec_key *b)
{
	return a->is_set && b->is_set && memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

/*
 * A key that has two ANs, or two ports: packet numbers start again with each, so that an IV could
 * repeat, which would disclose the content of frames.
 */
static bool check_unique(const struct key_file *f, const struct macsec_port *port,
			 const struct macsec_port *other)
{
	if (other != port && port->secy.sci && other->secy.sci == port->secy.sci)
		/* Message: Each end of each link needs an SCI of its own. */
		return fail(f, line_of(f, "sci"), "sci: port \"%s\" has the same", other->name);
	for (unsigned a = 0; a < SECTAG_ANS; a++) {
		for (unsigned b = 0; b < (other == port ? a : SECTAG_ANS); b++) {
			if (same_key(&port->keys[a], &other->keys[b]))
				/*
				 * Message: Packet numbers would be used again with the key, which
				 * discloses the content of frames. Make another one.
				 */
				return fail(f, f->keys[a].line,
					    "key: AN %u of port \"%s\" has the same", b,
					    other->name);
		}
	}
	return true;
}

/* --- ports ----------------------------------------------------------------------------------- */

/* The high bits of the port in an SCI are the channel. */
#define CHANNEL_BITS 0xf000u

/*
 * pfc_channel: PFC frames of both ends have transmit SC 1, P802.1Qdt 36.5. Choice: mode all needs
 * it. With one SC, PFC frames would wait for the data frames in the kernel's queues, whose number
 * no headroom includes, or the receiver would discard these as replayed.
 */
static bool set_channels(const struct key_file *f, struct macsec_port *port)
{
	/*
	 * Messages: In mode all, and only there, PFC frames have a secure channel of their own, at
	 * both ends. Its SCI is made of that of the port.
	 */
	if (port->pfc_channel != (port->mode == PFC_MACSEC_ALL))
		return fail(f, line_of(f, port->pfc_channel ? "pfc_channel" : "mode"),
			    port->pfc_channel
				? "pfc_channel: expected mode all"
				: "mode all: expected pfc_channel true, at both ends");
	if (!port->pfc_channel)
		return true;
	if ((port->secy.sci & CHANNEL_BITS) || (port->peer_sci & CHANNEL_BITS))
		return fail(f, line_of(f, "pfc_channel"),
			    "pfc_channel: expected an sci and a peer_sci with a port of 1..4095");
	port->secy.tx_scs = 2;
	return true;
}

/* Checks that a port that protects frames has all it needs. */
static bool check_complete(const struct key_file *f, const struct macsec_port *port)
{
	if (port->mode == 0 ||
	    (port->mode != PFC_MACSEC_NONE && (port->secy.sci == 0 || port->peer_sci == 0)))
		/* Message: A port needs a mode and, unless that is none, the SCIs of both ends. */
		return fail(f, f->port_line, "port \"%s\": expected the %s", port->name,
			    port->mode == 0 ? "setting mode" : "settings sci and peer_sci");
	if (port->mode == PFC_MACSEC_NONE)
		return true;
	if (port->secy.sci == port->peer_sci)
		/* Message: Each end has its own SCI, and that of the other end as peer_sci. */
		return fail(f, line_of(f, "peer_sci"), "peer_sci: expected another one than sci");
	if (!port->keys[port->transmit_an].is_set)
		/* Message: Add a key with this AN, or set transmit_an to an AN that has a key. */
		return fail(f, line_of(f, "transmit_an"),
			    "expected a key with AN %u, the one of transmit_an", port->transmit_an);
	return true;
}

/* Takes what depends on more than one line of the port, after the last one. */
static bool end_port(struct key_file *f)
{
	struct macsec_port *port = f->port;

	if (!port)
		return true;
	if (!take_keys(f, port) || !check_complete(f, port) || !set_channels(f, port))
		return false;
	for (const struct macsec_port *other = f->conf->ports; other <= port; other++) {
		if (!check_unique(f, port, other))
			return false;
	}
	f->conf->n_ports++;
	return true;
}

static bool begin_port(struct key_file *f, char *const words[], size_t n)
{
	if (!end_port(f))
		return false;
	if (n != 2 || strlen(words[1]) >= IF_NAMESIZE)
		/* Message: The name of an interface has no blanks and no quotes. */
		return fail(f, f->line, "port: expected an interface of 1..%d characters",
			    IF_NAMESIZE - 1);
	if (conf_macsec_port(f->conf, words[1]))
		/* Message: The lines of a port follow each other. Remove one of its two parts. */
		return fail(f, f->line, "duplicate port \"%s\"", words[1]);
	if (f->conf->n_ports == MACSEC_PORTS_MAX)
		/* Message: Remove the ports that have no MACsec. */
		return fail(f, f->line, "expected at most %d ports", MACSEC_PORTS_MAX);
	f->port = &f->conf->ports[f->conf->n_ports];
	f->port_line = f->line;
	memset(f->lines, 0, sizeof(f->lines));
	memset(f->keys, 0, sizeof(f->keys));
	strcpy(f->port->name, words[1]);
	secy_config_init(&f->port->secy, 0);
	/*
	 * Choice: the SCI is in each frame by default. Without it, Linux takes the source address
	 * for the SCI of the sender, which is another system's in frames that a bridge forwards.
	 */
	f->port->secy.always_include_sci = true;
	f->port->pn_reserve = MACSEC_PN_RESERVE;
	return true;
}

static bool take_line(struct key_file *f, char *text)
{
	char *words[WORDS_MAX], *rest;
	size_t n = 0;

	for (char *word = strtok_r(text, BLANKS, &rest); word && *word != '#' && n < WORDS_MAX;
	     word = strtok_r(NULL, BLANKS, &rest))
		words[n++] = word;
	if (n == 0)
		return true;
	if (strcmp(words[0], "port") == 0)
		return begin_port(f, words, n);
	if (!f->port)
		/*
		 * Message: dcbd.conf(5) has the format of the key file: a port begins with this
		 * line, and its settings follow. A credential of dcbd.service has another text if
		 * `/etc/dcbd.keys` is missing.
		 */
		return fail(f, f->line, "expected \"port INTERFACE\" before all other lines");
	return strcmp(words[0], "key") == 0 ? take_key(f, words, n) : take_setting(f, words, n);
}

/* Parses the octets of the file. */
static bool parse(struct key_file *f, char *octets)
{
	static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8, which some editors write */
	char *line;

	if (strncmp(octets, mark, strlen(mark)) == 0)
		octets += strlen(mark);
	while ((line = strsep(&octets, "\n"))) {
		f->line++;
		if (!take_line(f, line))
			return false;
	}
	return end_port(f);
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
		/* Message: The path in dcbd.conf(5) is that of a directory, FIFO or device. */
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
		/* Message: Remove comments, and ports that have no MACsec. */
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
	return n == 0 && conf_text_check(path, octets, len, err, errlen);
}

/* Returns the cause of a file that open() has failed for. */
static const char *open_error(const char *path, int error)
{
	if (error == ELOOP)
		/* Message: Set the path of the file itself: others could change the link. */
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

struct macsec_conf *conf_macsec_read(const char *path, uid_t user, char *err, size_t errlen)
{
	struct macsec_conf *conf = secret_alloc(sizeof(*conf));
	char *octets = secret_alloc(MACSEC_FILE_OCTETS_MAX + 1);
	struct key_file f = {.path = path, .err = err, .errlen = errlen, .conf = conf};
	bool ok = false;

	if (conf && octets)
		ok = read_file(path, user, octets, err, errlen) && parse(&f, octets);
	else
		/* Message: as "no memory for keys: %s" */
		snprintf(err, errlen, "%s: no locked memory for keys", path);
	secret_free(octets, MACSEC_FILE_OCTETS_MAX + 1);
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
