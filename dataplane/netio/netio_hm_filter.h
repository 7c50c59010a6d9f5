/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Has the kernel drop the HMPDUs that a packet socket would receive, and counts them, for
 * netio_packet.c: a frame that a filter of the socket drops costs its receiver nothing.
 *
 * The kernel does not count what a filter drops. A second socket, which is never read, is passed
 * the same HMPDUs with or without the filter, and has their number in its statistics. Those that
 * the receiver has seen, or that were lost at its full ring, were not dropped by the filter.
 *
 * One thread at a time.
 */
#ifndef DCB_DATAPLANE_NETIO_NETIO_HM_FILTER_H
#define DCB_DATAPLANE_NETIO_NETIO_HM_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct netio_hm_filter {
	int fd;         /* socket that counts; -1: none */
	uint32_t left;  /* frames that the ring may still have from before the filter */
	uint64_t all;   /* HMPDUs that the kernel has passed to fd */
	uint64_t seen;  /* HMPDUs that the receiver has taken */
	uint64_t lost;  /* HMPDUs lost at the full ring */
	uint64_t since; /* all frames lost at the ring, when HMPDUs began to pass */
	uint64_t known; /* dropped HMPDUs that were returned */
};

/*
 * Opens the socket that counts: before the receiver, so that it counts all that the receiver may
 * see. If that fails, HMPDUs cannot be dropped.
 */
void netio_hm_filter_open(struct netio_hm_filter *d, uint32_t ifindex);

/*
 * Begins to drop the HMPDUs that recv_fd receives. slots: frames that its ring holds. Returns false
 * if the kernel cannot drop or count them; then nothing is dropped. Else netio_hm_filter_lost() is
 * to follow.
 */
bool netio_hm_filter_begin(struct netio_hm_filter *d, int recv_fd, uint32_t slots);

/*
 * lost: frames lost at the full ring since it was opened, read after netio_hm_filter_begin(), as
 * HMPDUs can be lost until then. The kernel does not count these by kind: as many as there are
 * HMPDUs that did not arrive yet, or that it may still count, are taken for HMPDUs.
 */
void netio_hm_filter_lost(struct netio_hm_filter *d, uint64_t lost);

/*
 * Ends it, and gets the number of HMPDUs dropped since the last call. lost: as above, before this
 * call. Returns false if the ring may still have frames from before the beginning; then nothing
 * ends.
 */
bool netio_hm_filter_end(struct netio_hm_filter *d, int recv_fd, uint64_t lost, uint64_t *dropped);

/* Notes that the receiver took n frames, and whether it found no more. */
static inline void netio_hm_filter_took(struct netio_hm_filter *d, uint32_t n, bool empty)
{
	d->left -= n < d->left && !empty ? n : d->left;
}

/* Notes a received frame. */
void netio_hm_filter_see(struct netio_hm_filter *d, const uint8_t *octets, uint32_t len);

void netio_hm_filter_close(struct netio_hm_filter *d);

#endif
