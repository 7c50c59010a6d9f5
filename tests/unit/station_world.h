/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A station with one port between two cables, in memory and virtual time: build a
 * frame in f, let the host or the wire bring it, turn the station, take what left it
 * into out. The verbs have no prefix: the tests are sentences made of them.
 */
#ifndef DCB_TESTS_STATION_WORLD_H
#define DCB_TESTS_STATION_WORLD_H

#include "dataplane/core/cnm.h"
#include "dataplane/netio/netio.h"
#include "dataplane/station/station_private.h"

#define OURS   UINT64_C(0x020000000001)
#define PEER   UINT64_C(0x020000000002)
#define OTHER  UINT64_C(0x020000000003)
#define CNPV   3
#define OCTETS 2000
#define MBPS   UINT64_C(1000000)

#define TCI(priority, vid) ((priority) << 13 | (vid))

struct frame {
	uint8_t octets[OCTETS + 16];
	uint32_t len;
	struct eth_view view;
};

struct lab {
	struct station st;
	struct soft_port port;
	struct netio *host, *wire; /* far ends */
	struct netio *ends[2];
	struct port_config port_config;
	struct dcb_config *config;
	struct dcb_time now, next;
};

extern uint8_t f[OCTETS + 16]; /* the frame that make() and its like built last */
extern struct frame out;       /* for take() */

/* --- the lab --------------------------------------------------------------- */

/* A port without limits, frame buffers enough for every test. */
extern const struct port_settings plain;
extern const struct station_params plenty;

/* *state: a lab, plain and with plenty, whose only CNPV is CNPV. */
int set_up(void **state);
/* Fails if a frame buffer was lost. */
int tear_down(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* A new lab in its place. */
void restart(struct lab *l, const struct station_params *params,
	     const struct port_settings *settings);

/* A new configuration, with l->port_config. */
void configure(struct lab *l, uint8_t cnpv);

/* --- frames ---------------------------------------------------------------- */

/* Each builds a frame in f and returns its length; tci < 0: no tag. */
uint32_t make(uint64_t da, uint64_t sa, int tci, uint16_t ethertype, uint32_t len);
/* A frame of this flow to an address, in the CNPV. */
uint32_t make_flow(uint64_t da, uint16_t flow, uint32_t len);
uint32_t make_cnm(const struct cnm *cnm, uint64_t da, uint64_t sa, uint16_t flow_id);
/* About PEER, without a part of the frame. */
extern const struct cnm a_cnm;

/* The frame in f arrives. */
void host_sends(struct lab *l, uint32_t len);
void wire_brings(struct lab *l, uint32_t len);

/* The next frame at a far end; false: none. */
bool take(struct netio *io, struct frame *frame);

/* One flow to PEER has flow queue 0; then a CNM about it arrives. */
void know_peer(struct lab *l);
void slow_down(struct lab *l, uint8_t fb);

/* --- time ------------------------------------------------------------------ */

/* Sends what is due. */
void turn(struct lab *l);
/* Everything that happens until then, at its time. */
void run_until(struct lab *l, struct dcb_time end);
void run_ms(struct lab *l, int64_t ms);

/* --- a look inside: flow queues of the CNPV from 0, reaction points from 1 --- */

struct flow_queue *fq_of(struct lab *l, unsigned index);
struct cnm_stats cnms(const struct lab *l);
struct rp_stats rp_stats(const struct lab *l, unsigned index);
struct rp_port_pri_stats pri_stats(const struct lab *l);
struct port_stats port_stats(const struct lab *l);

#endif
