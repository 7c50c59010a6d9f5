/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ports of a configuration may hold of the frame memory
 * (dataplane/core/buffer.h): from their managed objects, dcbd.conf and links. The
 * control thread calculates it to check a configuration, the dataplane thread to
 * put it in force, both with these functions.
 *
 * What reserves and headroom leave is shared. dcbd -t runs the provider without its thread on
 * ports that are connected to nothing, so it calculates the same sum.
 */
#ifndef DCB_DATAPLANE_CONFIG_PORT_BUFFER_H
#define DCB_DATAPLANE_CONFIG_PORT_BUFFER_H

#include "dataplane/config/dcb_config.h"
#include "dataplane/core/buffer.h"

/*
 * (C) An automatic reserve: this many of the longest frames for each account of a port
 * whose link is up, if all automatic reserves together take at most this part of the
 * memory, otherwise none.
 */
#define PORT_BUFFER_RESERVE_FRAMES 2
#define PORT_BUFFER_RESERVE_PART   4

/*
 * (C) dcbd.conf's buffer is what one priority may hold while the others hold nothing, or
 * its reserve if that is more. With the default alpha of 2 it is two thirds of the octets that
 * the priorities of the port share.
 */
static inline uint64_t port_buffer_shared_octets(const struct port_settings *settings)
{
	return settings->buffer_octets + settings->buffer_octets / UINT64_C(2);
}

/*
 * (C) Limit of the flow queues of a priority together, each of which has its own: the octets
 * of an account, with the largest reserve, are a number of 32 bits.
 */
#define PORT_BUFFER_FLOWS_OCTETS (UINT32_C(1) << 31)

/* Queue for frames that belong to no priority: its reserve is as an automatic one. */
#define PORT_BUFFER_CONTROL_OCTETS (UINT32_C(1) << 16)
#define PORT_BUFFER_CONTROL_ALPHA  3

/* What the quotas of a port depend on. */
struct port_buffer_input {
	const struct port_settings *settings;
	const struct port_config *config;
	const struct port_oper *oper; /* PFC in force, and what the neighbor says */
	struct dcb_rate speed;
	uint32_t mtu;     /* octets; speed and MTU of the link, 0: unknown */
	uint32_t longest; /* octets of the longest frame */
	bool station;     /* has flow queues, and no PFC initiator */
	bool automatic;   /* automatic reserves are available */
};

/* Quotas of the accounts of a port. */
struct port_buffer_quotas {
	struct buffer_quota lossless[DCB_PRIORITIES];  /* received here; zero: no PFC */
	struct buffer_quota lossy[DCB_PRIORITIES + 1]; /* sent from here; last: control queue */
	struct buffer_quota flows[DCB_PRIORITIES];     /* in the flow queues of a station */
};

/* The frame memory of a port set. */
struct port_buffer_memory {
	struct buffer_sum size;
	uint32_t longest; /* octets of the longest frame */
	bool station;
};

void port_buffer_quotas(const struct port_buffer_input *in, struct port_buffer_quotas *out);

/* Returns the frame buffers that the port's automatic reserves need. */
uint32_t port_buffer_automatic_frames(const struct port_buffer_input *in);

/* Returns true if automatic reserves of that many frame buffers fit into their part. */
static inline bool port_buffer_automatic_fits(const struct buffer_sum *memory, uint64_t frames)
{
	return frames <= memory->frames / PORT_BUFFER_RESERVE_PART;
}

/*
 * Returns the input for a port of a configuration, with the link as the control thread
 * knows it and without automatic reserves. Control thread.
 */
struct port_buffer_input port_buffer_input_of(const struct dcb_config_port *at,
					      const struct port_buffer_memory *memory);

/*
 * Adds the promises to a port. A port whose link is down, as the control thread knows it, has
 * none. Control thread.
 */
void port_buffer_promise(const struct dcb_config_port *at, const struct port_buffer_memory *memory,
			 bool automatic, struct buffer_promises *sum);

/* The same with this headroom, in octets, in place of the port's. Control thread. */
void port_buffer_promise_headroom(const struct dcb_config_port *at,
				  const struct port_buffer_memory *memory, bool automatic,
				  uint32_t headroom, struct buffer_promises *sum);

/* What the ports of a configuration are promised together. */
struct port_buffer_sums {
	uint64_t automatic_frames;    /* that automatic reserves of all accounts need */
	struct buffer_promises of[2]; /* without automatic reserves, and with them */
};

/*
 * Sets the sums of all ports; add a port; subtract one that was added with the same link. With the
 * links as the control thread knows them. Control thread.
 */
void port_buffer_sums_of(const struct dcb_config *config, const struct port_buffer_memory *memory,
			 struct port_buffer_sums *sums);
void port_buffer_sums_add(struct port_buffer_sums *sums, const struct dcb_config_port *at,
			  const struct port_buffer_memory *memory);
void port_buffer_sums_subtract(struct port_buffer_sums *sums, const struct dcb_config_port *at,
			       const struct port_buffer_memory *memory);
/*
 * Returns the plan of the memory for these sums. *sum gets those that apply, as the memory has
 * room for automatic reserves or not.
 */
struct buffer_plan port_buffer_plan_sums(const struct port_buffer_sums *sums,
					 const struct port_buffer_memory *memory,
					 const struct buffer_rules *rules,
					 struct buffer_promises *sum);

/*
 * Returns the plan of the memory for a configuration, with the links as the control
 * thread knows them. *sum gets the promises. Control thread.
 */
struct buffer_plan port_buffer_plan(const struct dcb_config *config,
				    const struct port_buffer_memory *memory,
				    struct buffer_promises *sum);

/*
 * Returns when the pause of a priority may end: (C) BUFFER_XON_FRAMES of the longest frames
 * below the threshold, otherwise each frame would cause two PFC frames. With dcbd.conf pfc.xon
 * it also holds no more octets than these; if that is nearer to the threshold, the octets of the
 * margin are fewer.
 */
struct buffer_xon port_buffer_xon(const struct port_settings *settings,
				  const struct buffer_quota *lossless, uint32_t longest);

#endif
