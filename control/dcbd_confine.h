/* SPDX-License-Identifier: BSD-3-Clause */
/* The files and system calls of dcbd, and of dcb-lldp, which it starts. */
#ifndef DCB_CONTROL_DCBD_CONFINE_H
#define DCB_CONTROL_DCBD_CONFINE_H

#include "control/conf/conf.h"

/*
 * Confines dcbd as lib/confine.h describes, as far as the kernel can. It can then write in
 * the directories of the state file, of the sockets and of the log, and, as a station, to
 * /dev/net/tun and /proc/sys/net. It can read the directory of file, which is dcbd.conf, and
 * /etc, and start the programs in the directory of dcb-lldp. To be called after priv_drop()
 * and before the first thread is started; the directories have to exist. A missing
 * mechanism is logged once.
 */
void dcbd_confine(const struct conf *conf, const char *file);

#endif
