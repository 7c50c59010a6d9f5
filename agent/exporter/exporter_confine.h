/* SPDX-License-Identifier: BSD-3-Clause */
/* The files and system calls of dcb-exporter. */
#ifndef DCB_AGENT_EXPORTER_EXPORTER_CONFINE_H
#define DCB_AGENT_EXPORTER_EXPORTER_CONFINE_H

/*
 * Confines dcb-exporter as lib/confine.h describes, as far as the kernel can: it opens no file but
 * its log, makes no socket but those to dcbd, and starts no program. To be called when it listens.
 */
void exporter_confine(void);

#endif
