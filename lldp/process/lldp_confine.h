/* SPDX-License-Identifier: BSD-3-Clause */
/* The files and system calls of dcb-lldp. */
#ifndef DCB_LLDP_LLDP_CONFINE_H
#define DCB_LLDP_LLDP_CONFINE_H

/*
 * Confines dcb-lldp as lib/confine.h describes, as far as the kernel can: it opens no file,
 * it connects to Unix sockets and starts no program. dcbd has logged a missing mechanism, so
 * that this is logged at level debug only: dcb-lldp can be started often.
 */
void lldp_confine(void);

/* The calls that only dcb-lldp makes: dcbd has to permit them, too. */
extern const char *const lldp_confine_calls[];

#endif
