/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applications in an end station: flows of frames to another one.
 *
 * A flow keeps no more than a few frames of its own inside its station: one that
 * leaves by the wire lets the next one in. So an application that always has
 * something to send fills its reaction point's queue, and nothing is lost in the
 * station; TCP over small queues does the same.
 *
 * A frame is Ethernet, C-TAG, IPv4 and UDP, then 16 octets that say whose it is,
 * its number and when it was made, then zeros.
 */
#ifndef DCB_SIM_APP_H
#define DCB_SIM_APP_H

#include "sim/model.h"

/* The flow's ends and parameters are set: it belongs to its node from now on. false: no memory. */
bool sim_app_add(struct sim_flow *flow, uint64_t seed);
void sim_app_destroy(struct sim_app *app);

/* Makes what is to be made now. When an application wants to be called again is app.wake. */
void sim_app_run(struct sim_node *node, struct dcb_time now);

/* A frame arrived for this node's applications. */
void sim_app_receive(struct sim_node *node, const uint8_t *octets, uint32_t len,
		     struct dcb_time now);

/* A frame left the node by its wire. */
void sim_app_frame_left(struct sim_node *node, const uint8_t *octets, uint32_t len);

/* The frames in the station were thrown away. */
void sim_app_forget(struct sim_node *node);

#endif
