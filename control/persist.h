/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state file keeps settings over restarts (12.21, 12.23). It identifies an
 * interface by ifAlias or ifName. A new file is written, synchronized, and exchanged
 * with the former one; its last line is a checksum. Control thread only.
 *
 *   version = 2;
 *   objects = ( { object = "ieee8021CnComPriRowStatus"; index = "1.3"; value = "createAndGo"; },
 *               { object = "ieee8021CnCpQueueSizeSetPoint"; index = "1.*.3"; alias = "spine 1";
 *                 value = "30000"; } );
 *   measured = ( { alias = "spine 1"; rate = 10000000000L; path = 0L; average = 123L;
 *                  count = 17L; } );
 *   crc32 = "89abcdef";
 *
 * Only values that differ from their defaults are written. "*" is in the place of the
 * ifIndex. The delays that ports have measured (36.9.6) are no settings: they are written when
 * settings are saved and when dcbd ends, and a wrong one is not restored while the rest of the
 * file is. rate is in bit/s, path the code in HMPDUs (36.9.5), average in quanta, count of round
 * trips.
 *
 * If a step of the exchange fails, the SET is refused and the former file is there, also after a
 * failure of the last one: its name is exchanged back (control/host/replace_file.h).
 *
 * The checksum separates a damaged file, which is renamed, from one of another version. Of the
 * latter, records of unknown objects are kept as text (struct managed_kept) and are part of each
 * file that is written, so that they are there after an upgrade. Records of known objects with
 * another index or value, or that contradict each other, are left out, because a SET of the same
 * object could not replace them. Before the first save control/host/aside.h makes a copy, once for
 * the same records. A number of another format ends the start.
 */
#ifndef DCB_CONTROL_PERSIST_H
#define DCB_CONTROL_PERSIST_H

#include "control/conf/conf.h"
#include "control/host/replace_file.h"
#include "control/managed/managed.h"

/*
 * Version of the files that dcbd writes. Those of version 1 are read too: there
 * ieee8021PfcLinkDelayAllowance did not count while dcbPfcHeadroomChoice was automatic.
 */
#define PERSIST_VERSION 2

/*
 * The texts of the settings of single ports, kept from one save to the next: most SETs change one
 * port of thousands.
 */
struct persist_cache;

/* NULL: out of memory. */
struct persist_cache *persist_cache_new(void);
/* Frees it, and its references to settings. cache may be NULL. */
void persist_cache_free(struct persist_cache *cache);
/* Returns the number of texts that were kept since persist_cache_new(), for tests. */
uint64_t persist_cache_made(const struct persist_cache *cache);

/*
 * Returns the text of the state file with the settings of config and of absent interfaces,
 * and its length in octets. The caller frees it. NULL: out of memory. config has the ports of
 * m->config. cache: texts of unchanged ports are taken from it; NULL: all are made.
 */
char *persist_text(const struct managed *m, const struct dcb_config *config,
		   struct persist_cache *cache, size_t *len);

/* Logs a file whose former content could not be restored. Returns w->error. */
int persist_outcome(const char *path, const struct file_written *w);

/* Returns 0 when the settings are on disk, or an errno. Waits for the disk. */
int persist_save(const struct managed *m, const struct dcb_config *config, const char *path);

/* Appends the line of the checksum to a text from malloc. false: out of memory, text unchanged. */
bool persist_add_checksum(char **text, size_t *len);
/* Returns whether the last line is the checksum of the others. *line: its line number. */
bool persist_has_checksum(const char *text, size_t len, unsigned *line);

struct config_t; /* libconfig.h */

/*
 * Returns the text of a file whose last member is a list, from malloc, and its length: without what
 * follows the last record, which can be missing; with records_only only the records. NULL: out of
 * memory.
 */
char *persist_list_text(const struct config_t *file, bool records_only, size_t *len);

enum persist_result {
	PERSIST_LOADED,
	PERSIST_NONE,    /* there is no state file */
	PERSIST_DAMAGED, /* err is "file:line: reason"; no setting was applied */
	PERSIST_NEWER,   /* the same, of a format that this version does not know */
	PERSIST_FAILED,  /* the file cannot be read; err is "file: reason" */
};

/*
 * Reads the state file and publishes its settings and measured delays. The settings of an absent
 * interface are deleted and this is logged (12.21); with keep_absent they wait for the interface.
 * The delay of an absent interface shares the lot of its settings.
 *
 * A setting that this version does not understand is logged and left out, in a file with a correct
 * checksum: those of unknown objects are kept, in each file that m saves. m->kept says whether
 * there were any.
 */
enum persist_result persist_load(struct managed *m, const char *path, bool keep_absent, char *err,
				 size_t errlen);

/*
 * Sets a copy of the state file aside, after persist_load() has found settings that are not in
 * force: aside_copy().
 */
int persist_copy_aside(const struct managed *m, const char *path, char *aside, size_t size,
		       bool *is_old);

/*
 * Publishes dcbd.conf's initial settings, for a system without a state file. Returns
 * false if one of them fails: err is "line N: initial: reason", and none is applied. true: err
 * is a warning, which is logged too, or empty.
 */
bool persist_initial(struct managed *m, const struct conf *conf, char *err, size_t errlen);

#endif
