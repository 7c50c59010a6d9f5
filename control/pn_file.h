/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of packet numbers: static MACsec keys outlive the process, and with AES-GCM a packet number
 * that is used twice with a key discloses the content of frames. Each key has a file beside the
 * state file, only for the user of dcbd, which says below which number all may have been used:
 *
 *   version = 1;
 *   next = 16777217;
 *   peer = 0200000000020001;
 *   lowest = 1 1;
 *   crc32 = "89abcdef";
 *
 * next 0: no number is left. lowest: the lowest acceptable numbers of the peer's channels, so that
 * frames of before a restart are not accepted again. A file that is not as it was written is
 * never guessed at or overwritten. Its name has a digest of the key, not the key: the same key has
 * the same file whatever port or association number has it.
 */
#ifndef DCB_CONTROL_PN_FILE_H
#define DCB_CONTROL_PN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/persist.h"
#include "dataplane/macsec/port_macsec.h"

#define PN_FILE_TEXT 256

struct pn_file {
	uint64_t next;                /* first number that was not reserved; 0: none */
	uint64_t peer;                /* SCI of channel 0 of the peer */
	uint64_t lowest[SECY_TX_SCS]; /* not 0 */
};

/* Writes the path of a key's file: that of the state file, and the key's digest. false: too long.
 */
bool pn_file_path(const char *state_file, const uint8_t digest[SAK_DIGEST_OCTETS], char *path,
		  size_t size);

/*
 * Reads a file; without one, all numbers are left. peer: the SCI of the peer now: numbers of
 * another one do not count. false: it cannot be read or is damaged: err.
 */
bool pn_file_read(const char *path, uint64_t peer, struct pn_file *file, char *err, size_t errlen);

/* Makes the text of a file, from malloc. *len: its octets. NULL: out of memory. */
char *pn_file_text(const struct pn_file *file, size_t *len);

/* Replaces the file; waits for the disk. Returns 0 or an errno. */
int pn_file_write(const char *path, const struct pn_file *file);

#endif
