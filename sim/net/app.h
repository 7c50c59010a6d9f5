/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Applications: flows of frames from one end station or host to another.
 *
 * A flow has at most SIM_WINDOW frames in its station (SIM_WINDOW_PACED with a
 * rate), and makes the next frame when the station has transmitted one. So an
 * application that always has data to send keeps the queue of its reaction point
 * filled, and the station discards nothing; TCP small queues work the same way.
 *
 * A frame is Ethernet, C-TAG, IPv4 and UDP, then 16 octets (flow, frame number,
 * time in ns at which it was made), then zeros. A frame of RoCEv2 has its BTH, with the flow as
 * queue pair, and 6 octets of the time there. A reliable flow sends lost frames again (roce.h).
 * With DCQCN its frames are ECT, the destination answers marked ones by CNPs, and the source
 * follows these (dcqcn.h).
 */
#ifndef DCB_SIM_APP_H
#define DCB_SIM_APP_H

#include "sim/net/model.h"

/*
 * Adds the flow, whose from, to and params are set, to its sending node. The flow
 * stays the caller's. seed: of its random on and off periods. Returns false if out
 * of memory.
 */
bool sim_app_add(struct sim_flow *flow, uint64_t seed);
/* Frees the list of flows. */
void sim_app_destroy(struct sim_app *app);

/* Makes all frames that the node's flows may send by now. Sets app.wake: when to call it again. */
void sim_app_run(struct sim_node *node, struct dcb_time now);

/* Counts a frame that arrived for the node's applications, and its latency. */
void sim_app_receive(struct sim_node *node, const uint8_t *octets, uint32_t len,
		     struct dcb_time now);

/* Called for each frame that the node transmits: its flow may make another one. */
void sim_app_frame_left(struct sim_node *node, const uint8_t *octets, uint32_t len);

/* Called when the node has discarded its queued frames: none of its flows has frames in it. */
void sim_app_frames_discarded(struct sim_node *node);

#endif
