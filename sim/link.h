/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One direction of a simulated cable. It is the netio back end of the port that
 * sends into it, and hands each frame to the port at its other end when the last
 * bit has arrived: serialization at the link's rate, then the delay. Frames
 * arrive in the order they were sent.
 *
 * Of a frame in flight only the first LINK_HEAD_OCTETS and its length are kept:
 * whatever comes after them is zero in every frame that exists here. Applications
 * send zeros behind their headers, and what bridges and stations make themselves
 * (CNMs are the longest) is not longer. So a link copies two cache lines a frame,
 * and nothing is lost.
 */
#ifndef DCB_SIM_LINK_H
#define DCB_SIM_LINK_H

#include "sim/model.h"

/* from, to, rate, delay and sim are set already. false: no memory. */
bool sim_link_init(struct sim_link *link);
void sim_link_destroy(struct sim_link *link);

static inline uint32_t sim_link_in_flight(const struct sim_link *link)
{
	return link->data.tail - link->data.head + link->control.tail - link->control.head;
}

/*
 * The oldest frame arrives now: its head goes to octets, whose rest is zero
 * already and stays so. Its length.
 */
uint32_t sim_link_take(struct sim_link *link, uint8_t *octets);

/* When the next frame arrives. */
struct dcb_time sim_link_next(const struct sim_link *link);

/* All that is on its way is lost. */
void sim_link_cut(struct sim_link *link);

#endif
