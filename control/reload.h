/* SPDX-License-Identifier: BSD-3-Clause */
/* SIGHUP: a running dcbd reads its dcbd.conf again. Control thread. */
#ifndef DCB_CONTROL_RELOAD_H
#define DCB_CONTROL_RELOAD_H

#include "control/conf/conf.h"
#include "control/conf/conf_macsec.h"
#include "control/managed/managed.h"

/*
 * Reads and checks a file as dcbd -t does, except accounts and directories, which need a
 * restart. modes: of the ports with MACsec, whose key file is not read again. Returns the
 * settings, which the caller frees with reload_free(); NULL: err is the error of dcbd -t. May
 * block as long as the kernel needs to list its interfaces.
 */
struct conf *reload_read(const char *file, const struct macsec_modes *modes, char *err,
			 size_t errlen);
void reload_free(struct conf *next);

/* Logs a warning for each setting of next that needs a restart. */
void reload_warn(const struct managed *m, const struct conf *now, const struct conf *next);

/*
 * Removes the ports that next does not select or gives other settings. Those of the latter
 * that next selects are to be added when managed_is_closing() is false, so that their
 * interfaces are not open twice. Other ports are not touched.
 */
void reload_remove_ports(struct managed *m, const struct conf *now, const struct conf *next);

/* Returns whether the provider of a port with these settings was started. */
bool reload_has_provider(const struct managed *m, const struct port_settings *settings);

#endif
