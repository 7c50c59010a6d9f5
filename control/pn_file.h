/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of packet numbers: static MACsec keys outlive the process, and with AES-GCM a packet number
 * that is used twice with a key discloses the content of frames. Each key has a file beside the
 * state file, only for the user of dcbd, which says below which number all may have been used:
 *
 *   version = 1;
 *   next = 16777217;
 *   own = 0200000000010001;
 *   peer = 0200000000020001;
 *   xpn = 0;
 *   lowest = 1 1;
 *   crc32 = "89abcdef";
 *
 * next 0: no number is left. own, peer: SCIs. xpn: number of channels of each end that used the key
 * with XPN; 0: none did. The IVs of XPN have no SCI, but an SSCI that follows from the order of all
 * SCIs: other SCIs would give an end those IVs that the other one has used. lowest: the lowest
 * acceptable numbers of the peer's channels, so that frames of before a restart are not accepted
 * again. A file that is not as it was written is never guessed at or overwritten. Its name has a
 * digest of the key, not the key: the same key has the same file whatever port or association
 * number has it.
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
	uint64_t own, peer;           /* SCIs of channel 0 of both ends */
	uint64_t xpn;                 /* channels that have used the key with XPN; 0: none */
	uint64_t lowest[SECY_TX_SCS]; /* not 0 */
};

/* Writes the path of a key's file: that of the state file, and the key's digest. false: too long.
 */
bool pn_file_path(const char *state_file, const uint8_t digest[SAK_DIGEST_OCTETS], char *path,
		  size_t size);

/*
 * Reads a file; without one, all numbers are left. use: own, peer and xpn as they are now: lowest
 * numbers of another peer do not count. false: it cannot be read or is damaged, or the key has been
 * used with XPN and other SCIs or channels: err.
 */
bool pn_file_read(const char *path, const struct pn_file *use, struct pn_file *file, char *err,
		  size_t errlen);

/*
 * Locks the files beside a state file against another dcbd, before they are read: two would use the
 * same numbers. Returns a descriptor, whose close() ends the lock, as the end of the process does;
 * -1: err.
 */
int pn_file_lock(const char *state_file, char *err, size_t errlen);

/* Makes the text of a file, from malloc. *len: its octets. NULL: out of memory. */
char *pn_file_text(const struct pn_file *file, size_t *len);

/* Replaces the file; waits for the disk. Returns 0 or an errno. */
int pn_file_write(const char *path, const struct pn_file *file);

#endif
