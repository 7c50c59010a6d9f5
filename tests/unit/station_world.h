/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A station with one port, in memory and virtual time, linked to a host and to a wire. A
 * test builds a frame in f, lets it arrive with host_sends() or wire_brings(), runs the
 * station with turn(), and reads a frame that it sent with take(). The functions have no
 * prefix to keep the tests short.
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
	struct netio *host, *wire; /* the test's ends of the links */
	struct netio *ends[2];
	struct port_config port_config;
	struct dcb_config *config;
	struct dcb_time now, next;
};

extern uint8_t f[OCTETS + 16]; /* the frame that make...() built last */
extern struct frame out;       /* for take() */

/* --- the lab --------------------------------------------------------------- */

/* Settings of a port without limits; parameters with enough frame buffers for every test. */
extern const struct port_settings plain;
extern const struct station_params plenty;

/* Sets *state to a lab with plain and plenty, whose only CNPV is CNPV. */
int set_up(void **state);
/* Fails if a frame buffer was lost. */
int tear_down(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Replaces the station by a new one. */
void restart(struct lab *l, const struct station_params *params,
	     const struct port_settings *settings);

/* Applies a new configuration with l->port_config. cnpv: the CNPVs, one bit each. */
void configure(struct lab *l, uint8_t cnpv);

/* --- frames ---------------------------------------------------------------- */

/* Each builds a frame in f and returns its length in octets; tci < 0: no VLAN tag. */
uint32_t make(uint64_t da, uint64_t sa, int tci, uint16_t ethertype, uint32_t len);
/* A frame with this flow identifier and the CNPV as priority. */
uint32_t make_flow(uint64_t da, uint16_t flow, uint32_t len);
uint32_t make_cnm(const struct cnm *cnm, uint64_t da, uint64_t sa, uint16_t flow_id);
/* Inserts a C-TAG into the untagged frame in f. Returns its new length. */
uint32_t add_tag(uint32_t len, uint16_t tci);
/* A CNM for a frame to PEER, without an encapsulated MSDU. */
extern const struct cnm a_cnm;

/* The frame in f arrives from the host or from the wire. */
void host_sends(struct lab *l, uint32_t len);
void wire_brings(struct lab *l, uint32_t len);

/* Receives the next frame at the test's end of a link. false: there is none. */
bool take(struct netio *io, struct frame *frame);

/* Sends a frame to PEER, which makes the station assign flow queue 0 to the flow. */
void know_peer(struct lab *l);
/* Lets a flow queue have sent enough to the address for one more CNM. */
void earn_cnm(struct lab *l, uint64_t to, unsigned index);
/* A CNM with quantized feedback fb arrives for that flow, which has sent enough for it. */
void slow_down(struct lab *l, uint8_t fb);

/* --- time ------------------------------------------------------------------ */

/* Runs the station once, at the current time. */
void turn(struct lab *l);
/* Runs the station and advances the time from deadline to deadline until end. */
void run_until(struct lab *l, struct dcb_time end);
void run_ms(struct lab *l, int64_t ms);

/* --- state and counters: flow queues of the CNPV from 0, reaction points from 1 --- */

struct flow_queue *fq_of(struct lab *l, unsigned index);
/* Returns the flow identifier in the CN-TAGs of a flow queue. */
uint16_t flow_id_of(const struct lab *l, unsigned index);
struct cnm_stats cnms(const struct lab *l);
struct rp_stats rp_stats(const struct lab *l, unsigned index);
struct rp_port_pri_stats pri_stats(const struct lab *l);
struct port_stats port_stats(const struct lab *l);

#endif
