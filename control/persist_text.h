/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Indexes, ports and the checksum in the text of the state file, for the files persist*.c, and the
 * texts of ports that are kept between saves.
 *
 * A text of a port is kept while its settings, the names of ports and the rows of CNPVs stay: a
 * SET makes that of one port, in a block with those of 127 others, and copies the other blocks
 * with their checksums.
 */
#ifndef DCB_CONTROL_PERSIST_TEXT_H
#define DCB_CONTROL_PERSIST_TEXT_H

#include "control/conf/conf_read.h"
#include "control/managed/managed.h"
#include "control/objects/mo_read.h"

/*
 * Version of the files that dcbd writes. Those of version 1 are read too: there
 * ieee8021PfcLinkDelayAllowance did not count while dcbPfcHeadroomChoice was automatic.
 */
#define PERSIST_VERSION 2

/* Formats an index as "1.*.3", with "*" in the place of the ifIndex. */
void persist_index_format(enum mo_table_id table, const struct mo_index *index, char *buf,
			  size_t size);

/*
 * Parses an index in this format. The ifIndex becomes 0; *has_port: the table has an
 * ifIndex in its index. Returns false if text is not an index of this table.
 */
bool persist_index_parse(enum mo_table_id table, const char *text, struct mo_index *index,
			 bool *has_port);

/*
 * The ports of m->config, found by the keys of the state file. It is valid while m has these ports
 * and they keep their names and aliases.
 */
struct persist_ports;

/* NULL: out of memory. */
struct persist_ports *persist_ports_new(const struct managed *m);
/* ports may be NULL. */
void persist_ports_free(struct persist_ports *ports);
/* Returns the port with this alias or name in the state file. NULL: its interface is absent. */
const struct port *persist_port(const struct persist_ports *ports, const char *key, bool is_alias);

/* Returns the text of a file of libconfig, from malloc, and its length. NULL: out of memory. */
char *persist_file_text(const config_t *file, size_t *len);

/*
 * As above, of a file whose last member is a list: without what follows the last record, which can
 * be missing; with records_only only the records.
 */
char *persist_list_text(const config_t *file, bool records_only, size_t *len);

/* Makes the last line: crc is zlib's crc32() of all others. */
#define PERSIST_CHECKSUM_OCTETS 20
void persist_checksum(unsigned long crc, char line[PERSIST_CHECKSUM_OCTETS + 1]);

/* Appends it to a text from malloc. false: out of memory, text unchanged. */
bool persist_add_checksum(char **text, size_t *len);

/* Returns whether the last line is the checksum of the others. *line: its line number. */
bool persist_has_checksum(const char *text, size_t len, unsigned *line);

/* --- texts of ports, kept --------------------------------------------------------------- */

/*
 * The texts of the settings of single ports, kept from one save to the next: most SETs change one
 * port of thousands.
 */
struct persist_cache;

/* NULL: out of memory. */
struct persist_cache *persist_cache_new(void);
/* Frees it, and its references to settings. cache may be NULL. */
void persist_cache_free(struct persist_cache *cache);

/*
 * To be called first in each save of config, which has the ports of m->config. Drops all texts if
 * ports, their names or aliases have changed, or the rows of CNPVs, on which the rows to be saved
 * and their initial values depend. Hides parked settings if names have changed, as each change of
 * these settings does: managed_hide_parked(). false: out of memory.
 */
bool persist_cache_begin(struct persist_cache *cache, const struct managed *m,
			 const struct dcb_config *config);

/* As managed_key_of(). */
const char *persist_cache_key(const struct persist_cache *cache, const struct port *port,
			      bool *is_alias);

/* Returns whether the text of the port at pos is that of these settings. */
bool persist_cache_has(const struct persist_cache *cache, size_t pos, const struct port_config *pc);

/*
 * Keeps a copy of the text of the port at pos in place of an earlier one, and takes a reference to
 * its settings. len 0: it has nothing to be saved. false: out of memory, and the earlier one stays.
 */
bool persist_cache_keep(struct persist_cache *cache, size_t pos, struct port_config *pc,
			const char *text, size_t len);

/*
 * Returns the joined texts, of *len octets with this crc32(), of the port at *pos, 0 at first, and
 * some that follow. Each begins with a comma. Sets *pos to the first port of the next ones.
 */
const char *persist_cache_block(struct persist_cache *cache, size_t *pos, size_t *len,
				unsigned long *crc);

/* Returns the length of all texts. */
size_t persist_cache_octets(const struct persist_cache *cache);

/* Returns the ports whose settings have a measured delay from before they were created. */
struct dcb_positions persist_cache_measured(const struct persist_cache *cache);

/* Returns the number of texts that were kept since persist_cache_new(), for tests. */
uint64_t persist_cache_made(const struct persist_cache *cache);

#endif
