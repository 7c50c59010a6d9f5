/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MACsec with the static keys of a key file, from its reading to the end of dcbd:
 *
 *   macsec_read()      as root: key file -> locked memory, no core files
 *   macsec_install()   as dcbd's user: packet numbers -> files, then keys -> SecYs
 *   macsec_run()       more packet numbers -> files, then -> SecYs; log, notifications
 *   macsec_free()      unused packet numbers back to their files
 *
 * A packet number is in its file before it is used: after a crash, as many are skipped as were
 * reserved. Files are written by a thread of their own while dcbd runs.
 *
 * In order: key file read as root, change of the user, Landlock and seccomp, files of packet
 * numbers locked, numbers reserved in files beside the state file, written and synchronized, keys
 * into SecYs, settings of the key file overwritten. The dataplane thread reports when a quarter of
 * a reservation is left; the limit is raised when the file is written. A key that is used up is
 * followed by the next AN in the dataplane thread, between two frames.
 *
 * Control thread only.
 */
#ifndef DCB_CONTROL_MACSEC_H
#define DCB_CONTROL_MACSEC_H

#include <stdbool.h>
#include <stddef.h>

#include "control/conf/conf_macsec.h"
#include "control/managed/managed.h"
#include "dataplane/macsec/port_macsec.h"
#include "control/conf/conf.h"
#include "lib/dcbtime.h"

struct event_base;
struct macsec;

/* Seconds after which a changed lowest acceptable number is written: the window of a replay. */
#define MACSEC_SAVE_S 60

/*
 * Reads the key file of dcbd.conf, which has one, into locked memory, and checks it against the
 * rest of dcbd.conf: dcbd moves the frames of its ports, and its user or root owns the file. The
 * caller calls conf_macsec_free(). Before threads and other uses of libcrypto. NULL: err.
 */
struct macsec_conf *macsec_read_conf(const struct conf *conf, char *err, size_t errlen);

/*
 * Makes the memory for keys, excludes the process from core files, and reads the key file of
 * dcbd.conf. Before threads, the change of the user, and other uses of libcrypto. NULL: err.
 */
struct macsec *macsec_read(const struct conf *conf, char *err, size_t errlen);

/*
 * After the change of the user: locks the files against another dcbd, reserves packet numbers in
 * files beside the state file, makes the SecYs, and overwrites the keys. Waits for the disk. false:
 * err, and no SecY can be used.
 */
bool macsec_install(struct macsec *m, const char *state_file, char *err, size_t errlen);

/*
 * Returns whether dcbd.conf may be read again as next: dcbd moves the frames of the ports that have
 * keys. Otherwise another system would, without protection. m may be NULL. false: err.
 */
bool macsec_permits(const struct macsec *m, const struct conf *next, char *err, size_t errlen);

/* Sets the modes of the ports that have keys, for managed_conf_check(). m may be NULL. */
void macsec_modes(const struct macsec *m, struct macsec_modes *modes);

/* The SecYs of all ports with MACsec, for provider "soft". */
struct port_macsec *macsec_ports(struct macsec *m, size_t *n);

/* Starts the thread that writes files. soft: the provider with the SecYs. false: errno. */
bool macsec_start(struct macsec *m, struct event_base *base, struct provider *soft);

/*
 * After the start of the ports: logs with which key each transmits, and which keys no port has: an
 * error in the name would leave a port without protection. macsec_run() logs the former for a port
 * that is opened later. m may be NULL.
 */
void macsec_announce(struct macsec *m);

/*
 * Reserves packet numbers where less than half of a reservation is left, and reports keys that are
 * used up. At each PROVIDER_MACSEC, and once a second.
 */
void macsec_run(struct macsec *m, const struct managed *managed, struct dcb_time now);

/* Ends the thread, before the event base is freed. m may be NULL. */
void macsec_stop(struct macsec *m);

/*
 * After the provider: writes the files, and removes the keys. Waits for the disk. m may be NULL.
 */
void macsec_free(struct macsec *m);

#endif
