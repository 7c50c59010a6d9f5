/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a simulated cable. It is the netio back end of the port that
 * sends into it. A frame arrives at the other end with its last bit: after its
 * transmission at the link's rate and the delay. Frames arrive in the order they
 * were sent, except for MAC control frames, see sim_link.response_ns.
 *
 * Of a frame in flight the link stores the length and the first LINK_HEAD_OCTETS, and less of
 * a longer frame: head_octets. All other octets are zero in every frame of a simulation:
 * applications send zeros after their headers, and the frames that bridges and stations make
 * (CNMs are the longest) are not longer. So a link or node copies two cache lines a frame,
 * without loss. Behind its extent a frame buffer has octets of earlier frames.
 *
 * A PFC frame follows the frame in progress, and takes effect after the other end's response
 * time, apart from data.
 */
#ifndef DCB_SIM_LINK_H
#define DCB_SIM_LINK_H

#include "sim/net/model.h"

/* Requires from, to, rate, delay_ns and part to be set. Returns false if out of memory. */
bool sim_link_init(struct sim_link *link);
void sim_link_destroy(struct sim_link *link);

/* Returns the number of frames in flight. */
static inline uint32_t sim_link_in_flight(const struct sim_link *link)
{
	return link->data.tail - link->data.head + link->control.tail - link->control.head;
}

/*
 * Removes the frame that arrives next; there must be one. Writes its first
 * LINK_HEAD_OCTETS to octets, where the caller has zeros from there on. Returns
 * its length in octets.
 */
uint32_t sim_link_take(struct sim_link *link, uint8_t *octets);

/* Returns the arrival time of the next frame, DCB_TIME_NEVER if none is in flight. */
struct dcb_time sim_link_next(const struct sim_link *link);

/* Returns the time from the sending to the arrival of the shortest frame. */
int64_t sim_link_least_ns(const struct sim_link *link);

/* Moves frames of another part into their links. In the thread of the part where these end. */
void sim_link_take_over(struct sim_crossings *crossings);

/* Discards the frames in flight and counts them as lost. */
void sim_link_cut(struct sim_link *link);

#endif
