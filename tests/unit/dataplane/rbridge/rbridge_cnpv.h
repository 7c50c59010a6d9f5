/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a CNPV at RBridge 1 of rbridge_world_campus(). Each test program has its own. */
#ifndef DCB_TESTS_RBRIDGE_CNPV_H
#define DCB_TESTS_RBRIDGE_CNPV_H

#include "tests/unit/rbridge_campus.h"

#define CNPV  3
#define OTHER 5 /* another CNPV */
#define FLOW  0x1234

/* RBridge 1, whose ports have two CNPVs. */
static inline int set_up_cn(void **state)
{
	struct rbridge_world *w;

	set_up(state);
	w = *state;
	w->cnpv = 1 << CNPV | 1 << OTHER;
	rbridge_world_configure(w);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_cn, tear_down)

static inline void set_mode(struct rbridge_world *w, unsigned port, enum cn_defense_mode mode)
{
	w->own[port].port_pri[CNPV] = (struct cn_port_pri_config){
	    .cnpd_def_mode_choice = CPC_ADMIN,
	    .cnpd_admin_defense_mode = (uint8_t)mode,
	    .cnpd_alternate_priority = 1,
	};
	rbridge_world_configure(w);
}

static inline void put_mac(uint8_t *p, uint64_t mac)
{
	put_be16(p, (uint16_t)(mac >> 32));
	put_be32(p + 2, (uint32_t)mac);
}

/* Returns whether the frame has this address at an offset. */
static inline bool is_mac(const struct world_frame *frame, uint32_t at, uint64_t mac)
{
	uint8_t octets[ETH_ADDR_OCTETS];

	put_mac(octets, mac);
	return memcmp(frame->octets + at, octets, sizeof(octets)) == 0;
}

/* 1000 octets of payload, so that few frames make a queue. */
static const uint8_t msdu[1000] = {0x88, 0xb5, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* A frame from a station behind RBridge 2 to RBridge egress, received at port 2. */
static inline struct trill_text data(uint16_t egress)
{
	return (struct trill_text){
	    .da = rbridge_world_mac(1, 2),
	    .sa = M2,
	    .tci = TCI(CNPV, 20),
	    .header = 10,
	    .egress = egress,
	    .ingress = 2,
	    .inner_da = A,
	    .inner_sa = FAR,
	    .inner_tci = TCI(CNPV, 5),
	    .flow_id = FLOW,
	    .msdu = msdu,
	    .msdu_len = sizeof(msdu),
	};
}

/* A native frame with C-TAG and CN-TAG. */
static inline uint32_t native_flow(void *octets, uint64_t da, uint64_t sa, int tci)
{
	struct octets_out o = octets_out(octets, WORLD_OCTETS);

	put_mac(octets_out_take(&o, ETH_ADDR_OCTETS), da);
	put_mac(octets_out_take(&o, ETH_ADDR_OCTETS), sa);
	octets_out_be16(&o, ETH_TYPE_CTAG);
	octets_out_be16(&o, (uint16_t)tci);
	octets_out_be16(&o, ETH_TYPE_CN_TAG);
	octets_out_be16(&o, FLOW);
	octets_out_bytes(&o, msdu, sizeof(msdu));
	return (uint32_t)o.len;
}

#define NATIVE_CNM   20 /* offset of its EtherType, with C-TAG and CN-TAG */
#define TRILL_CNM_AT (24 + NATIVE_CNM)

#endif
