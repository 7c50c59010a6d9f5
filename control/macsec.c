/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/macsec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/conf/conf_macsec.h"
#include "control/event_watch.h"
#include "control/host/priv.h"
#include "control/pn_file.h"
#include "control/saver.h"
#include "dataplane/macsec/secret.h"
#include "dataplane/soft/provider_soft.h"
#include "lib/counter.h"
#include "lib/log.h"

/* A key, and its file. path is empty: the AN has no key. */
struct numbers {
	char path[PATH_MAX];
	struct pn_file file; /* as it is on disk */
	struct dcb_time saved;
	bool warned;  /* that a quarter of all numbers is left */
	bool used_up; /* reported, or found at the start */
};

/* What belongs to a SecY of macsec.ports, at the same index. */
struct secured {
	uint32_t pn_reserve;
	uint8_t transmit_an;            /* of the key file */
	bool was_in_use;                /* and the log has its key */
	uint64_t used_up, not_reserved; /* that were reported */
	struct numbers of[SECTAG_ANS];
};

struct macsec {
	struct macsec_conf *conf; /* NULL after macsec_install() */
	size_t n;
	struct port_macsec ports[MACSEC_PORTS_MAX];
	struct secured secured[MACSEC_PORTS_MAX];
	struct provider *soft;
	struct saver *saver;
	/* The file that the saver writes, and what comes into force when that is done. */
	struct numbers *saving;
	struct port_macsec *saving_port;
	unsigned saving_an;
	struct pn_file next;
	struct dcb_time saving_at;
	uint64_t last;
	int lock; /* of all files; -1: none */
	bool stopping;
};

/* --- the key file ---------------------------------------------------------------------------- */

/* Returns a port of the file whose provider has no MACsec; NULL: none. */
static const struct macsec_port *foreign(const struct macsec_conf *keys, const struct conf *conf)
{
	for (size_t i = 0; i < keys->n_ports; i++) {
		const struct macsec_port *port = &keys->ports[i];

		if (port->mode != PFC_MACSEC_NONE &&
		    !conf_is_provider(conf_port_settings(conf, port->name), CONF_PROVIDER_SOFT))
			return port;
	}
	return NULL;
}

struct macsec_conf *macsec_read_conf(const struct conf *conf, char *err, size_t errlen)
{
	const struct macsec_port *port;
	struct macsec_conf *keys;

	errno = 0;
	if (secret_init() == SECRET_FAILED) {
		/* Message: Raise the limit of locked memory (RLIMIT_MEMLOCK) to 2 MiB. */
		snprintf(err, errlen, "no memory for keys: %s", strerror(errno));
		return NULL;
	}
	keys = conf_macsec_read(conf->macsec_key_file, priv_uid(conf->user), err, errlen);
	port = keys ? foreign(keys, conf) : NULL;
	if (!port)
		return keys;
	/*
	 * Message: MACsec of an observed port belongs to the system that moves its frames. A port
	 * of a station beside a bridge has none.
	 */
	snprintf(err, errlen,
		 "%s: port \"%s\": expected provider \"" CONF_PROVIDER_SOFT
		 "\" in dcbd.conf, or mode \"none\": provider \"%s\" has no MACsec",
		 conf->macsec_key_file, port->name, conf_port_settings(conf, port->name)->provider);
	conf_macsec_free(keys);
	return NULL;
}

struct macsec *macsec_read(const struct conf *conf, char *err, size_t errlen)
{
	struct macsec *m = calloc(1, sizeof(*m));

	if (!m || !secret_no_core()) {
		/* Message: The system refuses what MACsec needs, and dcbd does not start. */
		snprintf(err, errlen, "core files cannot be excluded: %s",
			 strerror(m ? errno : ENOMEM));
		free(m);
		return NULL;
	}
	m->lock = -1;
	m->conf = macsec_read_conf(conf, err, errlen);
	if (!m->conf) {
		free(m);
		return NULL;
	}
	if (secret_init() == SECRET_UNLOCKED)
		/*
		 * Message: Raise the limit, or encrypt the swap space. If the limit suffices, a
		 * library that dcbd has loaded allocated memory of OpenSSL at the start.
		 */
		log_warn("macsec",
			 "the keys can be written to swap space: expected a limit of locked memory "
			 "(RLIMIT_MEMLOCK) of %d octets or more, and no library that uses OpenSSL "
			 "before",
			 SECRET_OCTETS);
	return m;
}

/* --- reservation at the start ---------------------------------------------------------------- */

/* Returns the last number of a reservation that begins with next. */
static uint64_t last_of(uint64_t next, uint32_t count, uint64_t last_pn)
{
	return last_pn - next < count ? last_pn : next + count - 1;
}

/* A file without numbers left says so with the number behind the last one, or 0 with XPN. */
static bool has_numbers(const struct pn_file *file, uint64_t last_pn)
{
	return file->next != 0 && file->next <= last_pn;
}

/* Reserves the first packet numbers of a key, in its file. */
static bool reserve(struct numbers *n, uint32_t count, uint64_t last_pn,
		    struct port_macsec_numbers *out, char *err, size_t errlen)
{
	struct pn_file file = n->file;
	int error;

	*out = (struct port_macsec_numbers){.next = file.next, .last = last_pn};
	memcpy(out->lowest, file.lowest, sizeof(out->lowest));
	n->used_up = !has_numbers(&file, last_pn);
	if (n->used_up)
		return true;
	out->last = last_of(file.next, count, last_pn);
	file.next = out->last + 1;
	error = pn_file_write(n->path, &file);
	if (error) {
		/*
		 * Message: The directory of the state file cannot be written, and dcbd does not
		 * start.
		 */
		snprintf(err, errlen, "%s: cannot reserve packet numbers: %s", n->path,
			 strerror(error));
		return false;
	}
	n->file = file;
	return true;
}

/* Makes the key of an AN, after its numbers are reserved. */
static bool make_key(const struct macsec_port *port, unsigned an, const char *state_file,
		     struct numbers *n, struct port_macsec_params *params, char *err, size_t errlen)
{
	const struct macsec_key *key = &port->keys[an];
	enum macsec_suite suite = (enum macsec_suite)port->secy.suite;
	bool xpn = macsec_suite_info(suite)->xpn;
	const struct pn_file use = {
	    .own = port->secy.sci, .peer = port->peer_sci, .xpn = xpn ? port->secy.tx_scs : 0};
	uint8_t digest[SAK_DIGEST_OCTETS];

	if (!sak_digest(suite, key->key, digest) ||
	    !pn_file_path(state_file, digest, n->path, sizeof(n->path))) {
		/* Message: as "core files cannot be excluded: %s" */
		snprintf(err, errlen, "port \"%s\": no file for packet numbers", port->name);
		return false;
	}
	if (!pn_file_read(n->path, &use, &n->file, err, errlen) ||
	    !reserve(n, port->pn_reserve, xpn ? UINT64_MAX : UINT32_MAX, &params->numbers[an], err,
		     errlen))
		return false;
	params->sak[an] = sak_new(suite, key->key, key->salt);
	if (!params->sak[an])
		/* Message: as "no memory for keys: %s" */
		snprintf(err, errlen, "port \"%s\": no memory for the key of AN %u", port->name,
			 an);
	return params->sak[an];
}

/* Adds the SecY of a port. */
static bool add_port(struct macsec *m, const struct macsec_port *port, const char *state_file,
		     char *err, size_t errlen)
{
	struct secured *secured = &m->secured[m->n];
	struct port_macsec *to = &m->ports[m->n];
	struct port_macsec_params params = {.name = port->name,
					    .mode = (enum pfc_macsec)port->mode,
					    .secy = port->secy,
					    .peer_sci = port->peer_sci,
					    .transmit_an = port->transmit_an};
	enum secy_error error;
	bool ok = true;

	for (unsigned channel = 0; channel < port->secy.tx_scs; channel++) {
		params.ssci[0][channel] =
		    macsec_ssci(port, macsec_channel_sci(port->secy.sci, channel));
		params.ssci[1][channel] =
		    macsec_ssci(port, macsec_channel_sci(port->peer_sci, channel));
	}
	secured->pn_reserve = port->pn_reserve;
	secured->transmit_an = port->transmit_an;
	for (unsigned an = 0; an < SECTAG_ANS && ok; an++)
		if (port->keys[an].is_set)
			ok = make_key(port, an, state_file, &secured->of[an], &params, err, errlen);
	error = port_macsec_init(to, &params);
	m->n++; /* macsec_free() frees the keys */
	if (ok && error)
		/* Message: The entry of the key file cannot be used for this reason. */
		snprintf(err, errlen, "port \"%s\": %s", port->name, secy_strerror(error));
	return ok && !error;
}

/* Before any file is read. */
static bool lock_files(struct macsec *m, const char *state_file, char *err, size_t errlen)
{
	m->lock = pn_file_lock(state_file, err, errlen);
	return m->lock >= 0;
}

bool macsec_install(struct macsec *m, const char *state_file, char *err, size_t errlen)
{
	bool ok = secret_no_core(); /* anew: a change of the user resets it */

	if (!ok)
		/* Message: as "core files cannot be excluded: %s" */
		snprintf(err, errlen, "core files cannot be excluded: %s", strerror(errno));
	ok = ok && lock_files(m, state_file, err, errlen);
	for (size_t i = 0; i < m->conf->n_ports && ok; i++)
		if (m->conf->ports[i].mode != PFC_MACSEC_NONE)
			ok = add_port(m, &m->conf->ports[i], state_file, err, errlen);
	conf_macsec_free(m->conf);
	m->conf = NULL;
	return ok;
}

bool macsec_permits(const struct macsec *m, const struct conf *next, char *err, size_t errlen)
{
	for (size_t i = 0; m && i < m->n; i++) {
		const char *name = m->ports[i].name;

		if (conf_is_provider(conf_port_settings(next, name), CONF_PROVIDER_SOFT))
			continue;
		/*
		 * Message: The other provider has no MACsec: the frames of this port would move
		 * without protection. Remove its keys from the key file, and restart dcbd.
		 */
		snprintf(err, errlen,
			 "port \"%s\": expected provider \"" CONF_PROVIDER_SOFT
			 "\": dcbd was started with MACsec keys for it",
			 name);
		return false;
	}
	return true;
}

void macsec_modes(const struct macsec *m, struct macsec_modes *modes)
{
	*modes = (struct macsec_modes){0};
	for (size_t i = 0; m && i < m->n; i++)
		macsec_modes_add(modes, m->ports[i].name, (uint8_t)m->ports[i].mode);
}

struct port_macsec *macsec_ports(struct macsec *m, size_t *n)
{
	*n = m->n;
	return m->ports;
}

bool macsec_start(struct macsec *m, struct event_base *base, struct provider *soft)
{
	m->soft = soft;
	m->saver = saver_new(base, replace_private_file);
	return m->saver;
}

/* --- more packet numbers --------------------------------------------------------------------- */

static void save_next(struct macsec *m, struct dcb_time now);

/* Runs in the control thread after the disk has the file: now the numbers may be used. */
static void on_saved(void *ctx, const struct file_written *w)
{
	struct macsec *m = ctx;
	struct numbers *n = m->saving;

	m->saving = NULL;
	if (w->error) {
		/*
		 * Message: The directory of the state file cannot be written while dcbd runs. When
		 * the reserved numbers are used up, no frame is sent until the disk accepts more.
		 */
		log_error_limited("macsec", "%s: cannot reserve packet numbers, retry in 1 s: %s",
				  n->path, strerror(w->error));
		return;
	}
	n->file = m->next;
	n->saved = m->saving_at;
	port_macsec_reserve(m->saving_port, m->saving_an, m->last);
	provider_soft_numbers_reserved(m->soft);
	save_next(m, m->saving_at);
}

/*
 * Returns whether the file of a key is to be written, and with what: *last becomes the last number
 * reserved.
 */
static bool is_due(const struct macsec *m, size_t i, unsigned an, struct dcb_time now,
		   struct pn_file *file, uint64_t *last)
{
	const struct port_macsec *port = &m->ports[i];
	const struct numbers *n = &m->secured[i].of[an];
	uint64_t last_pn = port_macsec_last_pn(port);
	struct port_macsec_numbers is;

	port_macsec_numbers(port, an, &is);
	*last = is.last;
	*file = n->file;
	memcpy(file->lowest, is.lowest, sizeof(is.lowest));
	if (port->secy.config.tx_scs == 1)
		file->lowest[1] = n->file.lowest[1];
	if (is.last < last_pn &&
	    (is.next > is.last || is.last - is.next < m->secured[i].pn_reserve / 2)) {
		*last = last_of(is.last + 1, m->secured[i].pn_reserve, last_pn);
		file->next = *last + 1;
		return true;
	}
	return memcmp(file->lowest, n->file.lowest, sizeof(file->lowest)) != 0 &&
	       dcb_time_diff_ns(now, n->saved) >= MACSEC_SAVE_S * DCB_NS_PER_S;
}

/* Begins to write the first file that is due. */
static void save_next(struct macsec *m, struct dcb_time now)
{
	for (size_t i = 0; i < m->n && !m->saving && !m->stopping; i++) {
		for (unsigned an = 0; an < SECTAG_ANS && !m->saving; an++) {
			struct numbers *n = &m->secured[i].of[an];
			size_t len;
			char *text;

			if (!n->path[0] || !is_due(m, i, an, now, &m->next, &m->last))
				continue;
			text = pn_file_text(&m->next, &len);
			if (!text)
				return; /* the next call tries again */
			m->saving = n;
			m->saving_port = &m->ports[i];
			m->saving_an = an;
			m->saving_at = now;
			saver_start(m->saver, n->path, text, len, on_saved, m);
		}
	}
}

/* --- reports --------------------------------------------------------------------------------- */

static void log_start(const struct port_macsec *port, unsigned transmit_an)
{
	const struct secy_tx_sc *tx = &port->secy.tx[0];
	unsigned an = gauge_get(&tx->encoding_sa);

	if (!gauge_get(&tx->transmitting))
		/* Message: The link is interrupted until there are new keys. */
		log_error("macsec",
			  "%s: no key has packet numbers left, and no frame is sent: set new keys "
			  "at both ends",
			  port->name);
	else if (an != transmit_an)
		/*
		 * Message: Replace the key by a new one at both ends before the next one is used
		 * up.
		 */
		log_warn("macsec",
			 "%s: the key of AN %u has no packet numbers left: AN %u transmits",
			 port->name, transmit_an, an);
	else
		log_info("macsec", "%s: AN %u transmits, from packet number %" PRIu64 " on",
			 port->name, an, gauge_get(&tx->sa[an].next_pn));
}

/* Logs what a port transmits with when it is opened. */
static void announce(const struct port_macsec *port, struct secured *secured)
{
	if (port->in_use && !secured->was_in_use)
		log_start(port, secured->transmit_an);
	secured->was_in_use = port->in_use;
}

void macsec_announce(struct macsec *m)
{
	for (size_t i = 0; m && i < m->n; i++) {
		announce(&m->ports[i], &m->secured[i]);
		if (!m->ports[i].in_use)
			/*
			 * Message: Correct the name in the key file, unless the interface is to
			 * appear later: the port that is meant is not protected.
			 */
			log_warn("macsec", "%s: no port has this name: its keys are not used",
				 m->ports[i].name);
	}
}

static void log_used_up(const struct port_macsec *port, unsigned an)
{
	const struct secy_tx_sc *tx = &port->secy.tx[0];

	if (port_macsec_transmits(port))
		/* Message: as "%s: the key of AN %u has no packet numbers left: AN %u transmits" */
		log_warn("macsec",
			 "%s: the key of AN %u has no packet numbers left: AN %u transmits now",
			 port->name, an, gauge_get(&tx->encoding_sa));
	else
		/*
		 * Message: as "%s: no key has packet numbers left, and no frame is sent: set new
		 * keys at both ends"
		 */
		log_error(
		    "macsec",
		    "%s: the key of AN %u has no packet numbers left, and no other key has: no "
		    "frame is sent; set new keys at both ends, and restart dcbd",
		    port->name, an);
}

static bool is_used_up(const struct port_macsec *port, unsigned an)
{
	struct port_macsec_numbers is;

	port_macsec_numbers(port, an, &is);
	return is.next == 0 || is.next > port_macsec_last_pn(port);
}

/* Each key once: when the first of the channels that transmit with it has used it up. */
static void report_used_up(struct macsec *m, size_t i, const struct managed *managed,
			   struct dcb_time now)
{
	const struct port_macsec *port = &m->ports[i];

	for (unsigned an = 0; an < SECTAG_ANS; an++) {
		struct numbers *n = &m->secured[i].of[an];

		if (!n->path[0] || n->used_up || !is_used_up(port, an))
			continue;
		n->used_up = true;
		log_used_up(port, an);
		event_watch_macsec(managed, port, now);
	}
}

/* As IEEE Std 802.1X 9.8: at c0000000, while there is time to make new keys. */
static void warn_early(const struct port_macsec *port, struct numbers *n, unsigned an)
{
	uint64_t last_pn = port_macsec_last_pn(port);
	struct port_macsec_numbers is;

	if (!n->path[0] || n->warned)
		return;
	port_macsec_numbers(port, an, &is);
	if (is.next == 0 || is.next > last_pn || last_pn - is.next > last_pn / 4)
		return;
	n->warned = true;
	/* Message: Add a key with another AN at both ends. */
	log_warn("macsec", "%s: less than a quarter of the packet numbers of AN %u is left",
		 port->name, an);
}

static void report(struct macsec *m, size_t i, const struct managed *managed, struct dcb_time now)
{
	const struct port_macsec *port = &m->ports[i];
	struct secured *s = &m->secured[i];
	/* Before the numbers of the keys and the AN that transmits, which are not older then. */
	uint64_t used_up = counter_get_acquire(&port->stats.used_up);
	uint64_t not_reserved = gauge_get(&port->stats.not_reserved);

	announce(port, s);
	for (unsigned an = 0; an < SECTAG_ANS; an++)
		warn_early(port, &s->of[an], an);
	if (not_reserved != s->not_reserved)
		/*
		 * Message: At the end, the file could not be written: the next start skips up to
		 * `pn_reserve` numbers.
		 */
		log_warn_limited("macsec",
				 "%s: %" PRIu64
				 " frames were not sent: the disk was too slow to "
				 "reserve packet numbers: raise pn_reserve in the key file",
				 port->name, not_reserved - s->not_reserved);
	s->not_reserved = not_reserved;
	if (used_up == s->used_up)
		return;
	s->used_up = used_up;
	report_used_up(m, i, managed, now);
}

void macsec_run(struct macsec *m, const struct managed *managed, struct dcb_time now)
{
	for (size_t i = 0; i < m->n; i++)
		report(m, i, managed, now);
	save_next(m, now);
}

/* --- the end --------------------------------------------------------------------------------- */

void macsec_stop(struct macsec *m)
{
	if (!m || !m->saver)
		return;
	m->stopping = true;
	if (m->saving)
		saver_wait(m->saver);
	saver_free(m->saver);
	m->saver = NULL;
}

/* If this fails, the file has the numbers of the last reservation: they are skipped. */
static void give_back(const struct port_macsec *port, struct numbers *n, unsigned an)
{
	struct pn_file file = n->file;
	struct port_macsec_numbers is;
	int error;

	port_macsec_numbers(port, an, &is);
	/* Without an SA the number stays: that of XPN can be beyond all of this suite. */
	if (port->secy.tx[0].sa[an].sak)
		file.next = is.next;
	for (unsigned channel = 0; channel < port->secy.config.tx_scs; channel++)
		if (is.lowest[channel] != 0) /* 0: the start failed before this SA was made */
			file.lowest[channel] = is.lowest[channel];
	if (memcmp(&file, &n->file, sizeof(file)) == 0)
		return;
	error = pn_file_write(n->path, &file);
	if (error)
		/*
		 * Message: as "%s: %u frames were not sent: the disk was too slow to reserve packet
		 * numbers: raise pn_reserve in the key file"
		 */
		log_warn("macsec", "%s: unused packet numbers are skipped: %s", n->path,
			 strerror(error));
}

void macsec_free(struct macsec *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		for (unsigned an = 0; an < SECTAG_ANS; an++)
			if (m->secured[i].of[an].path[0] && m->ports[i].sak[an])
				give_back(&m->ports[i], &m->secured[i].of[an], an);
		port_macsec_free(&m->ports[i]);
	}
	if (m->lock >= 0)
		close(m->lock);
	conf_macsec_free(m->conf);
	free(m);
}
