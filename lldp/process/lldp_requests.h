/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to dcb-lldp, and which of them are not yet sent: the description of the system, then at
 * most one message of each type for an interface, so that the queue is bounded if dcb-lldp does not
 * read. It has the names of interfaces; their TLVs are read from their owner when they are sent.
 * lldp_outbox is its counterpart in dcb-lldp.
 */
#ifndef DCB_LLDP_PROCESS_LLDP_REQUESTS_H
#define DCB_LLDP_PROCESS_LLDP_REQUESTS_H

#include "lldp/process/lldp_msg.h"

struct lldp_requests;

/* NULL: out of memory. */
struct lldp_requests *lldp_requests_new(void);
void lldp_requests_free(struct lldp_requests *requests);

/* Queue a request; arguments as in lldp_client_ops. false: out of memory, nothing is changed. */
bool lldp_requests_set(struct lldp_requests *requests, const char *ifname);
bool lldp_requests_refresh(struct lldp_requests *requests, const char *ifname);
bool lldp_requests_replay(struct lldp_requests *requests, const char *ifname, bool recent);
void lldp_requests_describe(struct lldp_requests *requests, const struct lldp_system *system);
/*
 * Until lldp_requests_expire() drops it, this request is sent again to new processes: the
 * process before may have ended without removing the TLVs.
 */
bool lldp_requests_forget(struct lldp_requests *requests, const char *ifname, int64_t now_ms);

/* Queues the description and all sets and forgets again, for a new process. */
void lldp_requests_resend(struct lldp_requests *requests);
/* As lldp_events.tlvs. */
typedef unsigned (*lldp_requests_tlvs_fn)(void *ctx, const char *ifname,
					  struct lldp_tlv tlvs[LLDP_TLVS_MAX], uint32_t *mtu);
/*
 * Sends the queued messages by send(), which returns whether the message was sent; if not,
 * it stays the first of the queue. tlvs() has the TLVs of a SET. true: all are sent.
 */
bool lldp_requests_flush(struct lldp_requests *requests, lldp_requests_tlvs_fn tlvs,
			 bool (*send)(void *ctx, const uint8_t *msg, size_t len), void *ctx);
/* Drops forget requests made before since_ms: the process had enough time to remove TLVs. */
void lldp_requests_expire(struct lldp_requests *requests, int64_t since_ms);

#endif
