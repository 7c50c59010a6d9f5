/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any frames at any port of an RBridge with an access, a trunk and a hybrid port. Input: for each
 * frame a port, its length in two octets, and the frame. Properties: no port sends a frame twice
 * in the same form, and none goes back in the form in which it came; only TRILL frames leave by the
 * trunk port and only native ones by the access port; a TRILL frame has a valid header, an
 * Inner.VLAN and, if made here, no control frame inside, in native form no frame is MAC control or
 * TRILL, or for an address of TRILL, whatever tags are removed from it later; behind its tags it is
 * the received one, unless it is a CNM that was made or transformed here. A frame to one RBridge
 * takes no next hop that is in the tree only. The counters of the port say what left. Every buffer
 * returns to the pool.
 */
#include "dataplane/core/cnm.h"
#include "dataplane/core/eth.h"
#include "dataplane/rbridge/rbridge.h"
#include "lib/octets.h"
#include "lib/ranges.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/snapshot.h"

#define LONGEST 600
#define OWN     1 /* nickname */
#define ENTRIES 16
/* This nickname is in the tree behind port HYBRID, and for unicast frames behind port TRUNK. */
#define BY_TRUNK 5

enum { ACCESS, TRUNK, HYBRID, PORTS };

/* CNPVs 2 to 5. Each port has a different defense mode. */
#define CNPVS 0x3c
static const enum cn_defense_mode modes[PORTS] = {CPT_EDGE, CPT_INTERIOR_READY, CPT_INTERIOR};

struct fuzz_port {
	struct netio io;
	struct soft_port port;
};

static struct fuzz_port ports[PORTS];
static struct rbridge rb;
static struct snapshot first;

/* The current frame. */
static const uint8_t *in;
static uint32_t in_len;
static unsigned in_port;
/* Its copies that left by each port, without CNMs that were made here. */
static unsigned native_copies[PORTS], trill_copies[PORTS];

static uint16_t designated(unsigned port)
{
	return (uint16_t)(10 + port);
}

/* --- frames ------------------------------------------------------------------------------ */

static bool is_port_mac(const uint8_t *mac)
{
	return memcmp(mac, "\x02\xdc\xb0\x00\x00", 5) == 0 && mac[5] < PORTS;
}

static bool is_trill(const uint8_t *f, uint32_t len)
{
	struct eth_view view;

	return eth_parse(f, len, &view) == ETH_OK && view.ethertype == 0x22f3;
}

/* Returns the offset of Inner.DA; without trill_parse(). The TRILL header is whole. */
static uint32_t inner_at(const uint8_t *f)
{
	uint32_t at = get_be16(f + 12) == ETH_TYPE_CTAG ? 18 : 14;

	return at + 6 + 4u * (get_be16(f + at) >> 6 & 0x1f);
}

/* Sets *f and *len to the inner frame if it is a TRILL frame. */
static void to_inner(const uint8_t **f, uint32_t *len)
{
	uint32_t at;

	if (!is_trill(*f, *len))
		return;
	at = inner_at(*f);
	FUZZ_ASSERT(at + ETH_HEADER_OCTETS <= *len);
	*f += at;
	*len -= at;
}

static bool is_cnm(const uint8_t *f, uint32_t len)
{
	struct eth_view view;

	return eth_parse(f, len, &view) == ETH_OK && eth_is_cnm(&view);
}

/* Returns whether f is n octets and zeros up to 60 octets from offset at on. */
static bool is_rest(const uint8_t *f, uint32_t len, uint32_t at, const uint8_t *rest, uint32_t n)
{
	static const uint8_t zeros[LONGEST];

	return at + n <= len && memcmp(f + at, rest, n) == 0 &&
	       memcmp(f + at + n, zeros, len - at - n) == 0;
}

/*
 * Addresses are those of the current frame, and from its EtherType on, behind a C-TAG, a CN-TAG,
 * both or none, it is that frame. Further tags are not parsed: one of them is first when a tag is
 * removed.
 */
static void check_content(const uint8_t *f, uint32_t len)
{
	const uint8_t *was = in;
	uint32_t was_len = in_len, n, at;
	struct eth_view before;

	to_inner(&was, &was_len);
	FUZZ_ASSERT(eth_parse(was, was_len, &before) == ETH_OK);
	n = was_len - (before.payload_offset - 2u);
	for (at = 12; at < 20 && !is_rest(f, len, at, was + was_len - n, n); at += 4)
		;
	FUZZ_ASSERT(is_rest(f, len, at, was + was_len - n, n));
	FUZZ_ASSERT(memcmp(f, was, ETH_TYPE_OFFSET) == 0);
	FUZZ_ASSERT(at < 20 || (before.cn_tagged && get_be16(f + 18) == before.flow_id));
}

/* Returns whether a frame, native or inner, is a CNM that was made or transformed here. */
static bool is_made_here(const uint8_t *f, uint32_t len)
{
	const uint8_t *was = in;
	uint32_t was_len = in_len;

	if (!is_cnm(f, len))
		return false;
	if (is_cnm(in, in_len) && is_port_mac(in))
		return true;
	to_inner(&was, &was_len);
	return !is_cnm(was, was_len) && is_port_mac(f + ETH_SA_OFFSET) &&
	       memcmp(f, was + ETH_SA_OFFSET, ETH_ADDR_OCTETS) == 0;
}

/* --- departures ----------------------------------------------------------------------------- */

static void check_bare_type(const uint8_t *f, uint32_t len)
{
	unsigned type = fuzz_bare_type(f, len);

	FUZZ_ASSERT(type != 0x8808 && type != 0x89a2 && type != 0x22f3 && type != 0x22f4);
	FUZZ_ASSERT(!eth_is_reserved(f));
	FUZZ_ASSERT(memcmp(f, trill_all_rbridges, 5) != 0 || f[5] >> 4 != 4);
}

/* Returns the VLAN of the current frame, or of the one inside it. */
static uint16_t vid_of_input(void)
{
	const uint8_t *was = in;
	uint32_t was_len = in_len;
	struct eth_view view;

	to_inner(&was, &was_len);
	FUZZ_ASSERT(eth_parse(was, was_len, &view) == ETH_OK);
	return view.vid ? view.vid : ports[in_port].port.base.settings.pvid;
}

static void check_native(unsigned out, const uint8_t *f, uint32_t len)
{
	struct eth_view view;

	FUZZ_ASSERT(out != TRUNK);
	check_bare_type(f, len);
	FUZZ_ASSERT(eth_parse(f, len, &view) == ETH_OK && view.ethertype != ETH_TYPE_LLDP);
	if (is_made_here(f, len))
		return;
	check_content(f, len);
	native_copies[out]++;
	FUZZ_ASSERT(out != in_port || is_trill(in, in_len));
	FUZZ_ASSERT(out != HYBRID || vid_of_input() % 4 != 0); /* another is appointed */
}

static void check_trill_header(unsigned out, const uint8_t *f, const struct eth_view *view)
{
	const uint8_t *header = f + view->payload_offset;
	uint16_t bits = get_be16(header), egress = get_be16(header + 2);
	bool multi = bits & 0x0800;

	FUZZ_ASSERT(view->tagged && view->vid == designated(out) && !view->cn_tagged);
	FUZZ_ASSERT(f[11] == out && is_port_mac(f + ETH_SA_OFFSET));
	FUZZ_ASSERT(bits >> 14 == 0 && (bits & 0x3f) > 0);
	FUZZ_ASSERT(trill_nickname_is_valid(egress));
	FUZZ_ASSERT(trill_nickname_is_valid(get_be16(header + 4)));
	FUZZ_ASSERT(multi == (memcmp(f, trill_all_rbridges, 6) == 0));
	FUZZ_ASSERT(multi == (egress == OWN)); /* it is the tree's root, and no other's next hop */
	FUZZ_ASSERT(egress != BY_TRUNK || out == TRUNK);
	FUZZ_ASSERT(!multi || get_be16(f + inner_at(f) + 14) % 8 != 0 || out != TRUNK);
}

static void check_trill(unsigned out, const uint8_t *f, uint32_t len)
{
	const uint8_t *inner = f;
	uint32_t inner_len = len;
	bool from_trill = is_trill(in, in_len), multi = eth_is_group(f);
	struct eth_view view;

	FUZZ_ASSERT(out != ACCESS);
	FUZZ_ASSERT(eth_parse(f, len, &view) == ETH_OK);
	check_trill_header(out, f, &view);
	to_inner(&inner, &inner_len);
	if (!from_trill)
		check_bare_type(inner, inner_len);
	FUZZ_ASSERT(eth_parse(inner, inner_len, &view) == ETH_OK && view.tagged);
	FUZZ_ASSERT(!eth_is_reserved(inner));
	FUZZ_ASSERT(view.vid != ETH_VID_NONE && view.vid != ETH_VID_RESERVED);
	FUZZ_ASSERT(multi || !eth_is_group(inner));
	if (is_made_here(inner, inner_len))
		return;
	check_content(inner, inner_len);
	trill_copies[out]++;
	FUZZ_ASSERT(!(from_trill && multi && out == in_port));
	if (from_trill)
		FUZZ_ASSERT(
		    (get_be16(f + 18) & 0x3f) + 1 ==
		    (get_be16(in + inner_at(in) - 6 - 4u * (get_be16(f + 18) >> 6 & 0x1f)) & 0x3f));
}

static struct netio_sent take(struct netio *io, const struct iovec *frames, unsigned n,
			      struct dcb_time now)
{
	unsigned out = ((const struct fuzz_port *)io)->port.base.slot;

	(void)now;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *f = frames[i].iov_base;
		uint32_t len = (uint32_t)frames[i].iov_len;

		FUZZ_ASSERT(len >= ETH_MIN_OCTETS);
		FUZZ_ASSERT(len <= LONGEST + TRILL_ENCAPSULATION_MAX + ETH_TAG_OCTETS);
		if (is_trill(f, len))
			check_trill(out, f, len);
		else
			check_native(out, f, len);
	}
	return (struct netio_sent){.taken = n};
}

/* --- the RBridge ----------------------------------------------------------------------------- */

static struct trill_next_hop *put_hop(struct port_config *pc, uint16_t nickname, bool tree)
{
	struct trill_next_hop *hop = &pc->trill_hops.of[pc->trill_hops.n++];

	*hop = (struct trill_next_hop){
	    .nickname = nickname, .mac = {2, 0xdc, 0xb0, 0, 1, (uint8_t)nickname}, .tree = tree};
	return hop;
}

static void configure_port(struct port_config *pc, unsigned port)
{
	static const enum trill_port_mode trill_modes[PORTS] = {TRILL_ACCESS, TRILL_TRUNK,
								TRILL_HYBRID};

	pc->trill.mode = (uint8_t)trill_modes[port];
	pc->trill.designated_vlan = designated(port);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		pc->cp[i] = (struct cp_config){.cp_qsp = 100,
					       .cp_sample_base = 200,
					       .cp_w_exp = 1,
					       .cp_min_header_octets = (uint8_t)(32 * port)};
		pc->buffer[i] = (struct buffer_config){.alpha_lossless = 3, .alpha_lossy = 1};
		pc->port_pri[i] = (struct cn_port_pri_config){
		    .cnpd_def_mode_choice = CPC_ADMIN,
		    .cnpd_admin_defense_mode = (uint8_t)modes[port],
		    .cnpd_alternate_priority = 1,
		};
	}
}

static void configure_ways(struct port_config *pc)
{
	for (uint32_t vid = 4; vid < ETH_VID_RESERVED; vid += 4)
		ranges_add(pc[HYBRID].trill.not_appointed, vid);
	for (uint32_t vid = 8; vid < ETH_VID_RESERVED; vid += 8)
		ranges_add(pc[TRUNK].trill.pruned, vid);
	put_hop(&pc[TRUNK], 2, true);
	put_hop(&pc[HYBRID], 3, true);
	put_hop(&pc[TRUNK], 4, true);
	put_hop(&pc[HYBRID], 4, false);
	put_hop(&pc[TRUNK], BY_TRUNK, false);
	put_hop(&pc[HYBRID], BY_TRUNK, true)->not_unicast = true;
}

static void make_port(unsigned i)
{
	static const struct netio_ops ops = {.name = "fuzz", .send = take};
	struct fuzz_port *p = &ports[i];

	*p = (struct fuzz_port){.io = {.ops = &ops, .recv_fd = -1, .send_fd = -1}};
	p->port.io = &p->io;
	p->port.base.slot = (uint16_t)i;
	p->port.base.link.up = true;
	p->port.base.link.mtu = i == TRUNK ? 400 : 0;
	memcpy(p->port.base.link.mac, (uint8_t[]){2, 0xdc, 0xb0, 0, 0, (uint8_t)i}, 6);
	p->port.base.settings = (struct port_settings){
	    .buffer_octets = 1400, .pvid = (uint16_t)(1 + i / 2), .default_priority = (uint8_t)i};
	port_init(&p->port);
}

static void start(void)
{
	static const struct bridge_params params = {.frame_buffers = 8,
						    .frame_octets = LONGEST,
						    .fdb_entries = ENTRIES,
						    .fdb_ageing_s = 3,
						    .seed = 1};
	static struct trill_egress egress[] = {{UINT64_C(0x0005020000000009), 3}};
	static struct port_config pc[PORTS];
	static uint64_t
	    memory[(sizeof(struct dcb_config) + PORTS * sizeof(struct dcb_config_port)) / 8 + 1];
	struct dcb_config *config = (struct dcb_config *)memory;

	*config = (struct dcb_config){.generation = 1,
				      .cnpv_acting = CNPVS,
				      .n_ports = PORTS,
				      .system_address = {2},
				      .trill = {.nickname = OWN, .tree_root = OWN}};
	config->buffer_memory.rules = (struct buffer_rules){50, 1};
	config->global.cng_cnm_transmit_priority = 4; /* a CNPV: permitted, not recommended */
	config->trill_egress = (struct trill_egresses){egress, 1};
	if (!rbridge_init(&rb, &params, NULL, NULL))
		abort();
	for (unsigned i = 0; i < PORTS; i++) {
		make_port(i);
		configure_port(&pc[i], i);
		config->ports[i] = dcb_config_port_alone(&ports[i].port.base, &pc[i]);
	}
	configure_ways(pc);
	rbridge_adopt(&rb, config, (struct dcb_time){0});
	snapshot_add(&first, &rb, sizeof(rb));
	snapshot_add(&first, ports, sizeof(ports));
	snapshot_add(&first, rb.native.ports.hm.due.heap, PORTS * sizeof(struct deadline *));
	snapshot_add(&first, rb.stats, PORTS * sizeof(*rb.stats));
	snapshot_add(&first, rb.nicknames.of, 4 * sizeof(*rb.nicknames.of));
	snapshot_add(&first, rb.native.fdb.buckets,
		     (rb.native.fdb.mask + 1) * sizeof(*rb.native.fdb.buckets));
	snapshot_add(&first, rb.native.fdb.ports,
		     (FDB_SLOTS + FDB_REMOTES) * sizeof(*rb.native.fdb.ports));
}

/* --- counters -------------------------------------------------------------------------------- */

static uint64_t drops_of(const struct trill_port_stats *s)
{
	const uint64_t *counters = &s->malformed[0];
	uint64_t sum = s->cnm_control + s->cnm_bad + s->cnm_own;

	for (size_t i = 0; &counters[i] < &s->mtu; i++)
		sum += counters[i];
	return sum;
}

static void check_counters(const struct trill_port_stats *before,
			   const struct trill_port_stats *after)
{
	unsigned native = 0, trill = 0;
	bool from_trill = is_trill(in, in_len);
	bool hops = after->malformed[TRILL_HOP_COUNT] > before->malformed[TRILL_HOP_COUNT];
	bool control = from_trill && after->control > before->control;
	uint64_t drops = drops_of(after) - drops_of(before);

	for (unsigned i = 0; i < PORTS; i++) {
		FUZZ_ASSERT(native_copies[i] <= 1 && trill_copies[i] <= 1);
		native += native_copies[i];
		trill += trill_copies[i];
	}
	FUZZ_ASSERT(after->ingressed - before->ingressed == (!from_trill && trill > 0));
	FUZZ_ASSERT(after->transited - before->transited == (from_trill && trill > 0));
	FUZZ_ASSERT(after->egressed - before->egressed == (from_trill && native > 0));
	/* A frame for several RBridges has two reasons: one to go on, one to leave natively. */
	FUZZ_ASSERT(drops <= 1 || (drops == 2 && hops && control));
	FUZZ_ASSERT(!drops || !trill || control);
	FUZZ_ASSERT(!drops || !native || hops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct octets_in input = octets_in(data, size);
	struct dcb_time now = {0};

	if (first.n == 0)
		start();
	snapshot_restore(&first);
	while (input.left >= 3) {
		struct trill_port_stats before;
		uint32_t len;

		in_port = octets_in_u8(&input) % PORTS;
		len = octets_in_be16(&input);
		in_len = len < input.left ? len : (uint32_t)input.left;
		in = octets_in_take(&input, in_len);
		before = rb.stats[in_port];
		memset(native_copies, 0, sizeof(native_copies));
		memset(trill_copies, 0, sizeof(trill_copies));
		rbridge_receive(&rb, &ports[in_port].port, in, in_len, len, now);
		now.ns += DCB_NS_PER_S / 2;
		(void)port_set_transmit(&rb.native.ports, now);
		FUZZ_ASSERT(rb.native.ports.pool.n_free == rb.native.ports.pool.size);
		check_counters(&before, &rb.stats[in_port]);
		rbridge_tick(&rb, now);
		FUZZ_ASSERT(rb.native.fdb.entries <= ENTRIES);
	}
	return 0;
}
