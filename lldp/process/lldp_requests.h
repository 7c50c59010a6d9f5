/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dcb-lldp has been asked for, by interface, and what of it is still to be sent:
 * at most one message of each type for an interface, so that a process that reads
 * nothing costs no more memory than one that does.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_REQUESTS_H
#define DCB_LLDP_PROCESS_LLDP_REQUESTS_H

#include "lldp/process/lldp_msg.h"

struct lldp_requests; /* all of them */

/* NULL: out of memory. */
struct lldp_requests *lldp_requests_new(void);
void lldp_requests_free(struct lldp_requests *requests);

/* As lldp_client_ops has them. false: out of memory, nothing has changed. */
bool lldp_requests_set(struct lldp_requests *requests, const char *ifname,
		       const struct lldp_tlv *tlvs, size_t n, uint32_t mtu);
bool lldp_requests_refresh(struct lldp_requests *requests, const char *ifname);
bool lldp_requests_replay(struct lldp_requests *requests, const char *ifname, bool recent);
/* Replayed to new processes, which then remove TLVs that are left, until lldp_requests_expire(). */
bool lldp_requests_forget(struct lldp_requests *requests, const char *ifname, int64_t now_ms);

/* A new process knows nothing: all that was set is to be sent again. */
void lldp_requests_resend(struct lldp_requests *requests);
/*
 * Sends what is to be sent, each by send(), which says whether it has been: if not, that
 * message is the first one next time. true: all of it has been sent.
 */
bool lldp_requests_flush(struct lldp_requests *requests,
			 bool (*send)(void *ctx, const uint8_t *msg, size_t len), void *ctx);
/* Drops what was forgotten before since_ms; the process has had the time since then for it. */
void lldp_requests_expire(struct lldp_requests *requests, int64_t since_ms);

#endif
