/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the time per frame of an RBridge, without interfaces, and its ratio to that of the
 * bridge: the bridge forwards the native frame that the TRILL frame has inside. Of several next
 * hops or links, a hash of the flow decides. Ports of the RBridge: two access ports, and two trunk
 * ports, each with a link to another RBridge.
 *
 *   bench_trill [SECONDS]
 *   bench_trill -n ROUNDS OPERATION
 *
 * Prints medians of processor time, and of the ratios within a repetition also their interval. With
 * -n, one operation (its number in the list, from 0 on) forwards that many times ROUND frames, and
 * nothing is measured. Instructions per frame:
 *
 *   valgrind --tool=callgrind --toggle-collect=forward_round bench_trill -n 1000 4
 */
#include "dataplane/core/eth.h"
#include "dataplane/rbridge/rbridge.h"
#include "lib/octets.h"
#include "tests/bench/interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPETITIONS 15
#define ROUND       64 /* frames between transmissions: a batch; each has its own addresses */
#define ROUNDS      16 /* between readings of the clock */
#define CNPV        3
#define VID         5
#define HOPS        20   /* hop count of received frames */
#define TRANSIT_MAX 1.5  /* goal: cost of a frame in transit, relative to a bridged one */
#define OWN         256  /* nickname of the RBridge */
#define CROWD       512  /* the first one of further nicknames */
#define WEST        1024 /* that of the neighbor at port WEST_PORT */
#define EAST        1280 /* at port EAST_PORT */
#define SHARED      1536 /* with two next hops, both at port EAST_PORT */
/* Not a power of two: otherwise all frames map to a few sets of the cache. */
#define BUFFER_OCTETS (2048 + 64)

enum { ACCESS_PORT, OTHER_ACCESS_PORT, WEST_PORT, EAST_PORT, PORTS };

static const uint32_t sizes[] = {64 - 4, 1500 - 4}; /* of the native frame, without FCS */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A bridge or RBridge with its ports. */
struct element {
	struct rbridge rb; /* if it is a bridge, rb.native */
	struct soft_port ports[PORTS];
	struct port_config *config_of[PORTS];
	struct dcb_config *config;
};

struct frame {
	uint32_t len;
	uint8_t octets[BUFFER_OCTETS];
};

struct bench {
	struct element bridge;
	struct element joined; /* a bridge with an aggregation of OTHER_ACCESS_PORT and EAST_PORT */
	struct element rbridge;
	struct element crowded; /* TRILL_NEXT_HOPS_MAX rows a trunk port */
	struct frame native[ROUND], remote[ROUND], transit[ROUND], shared[ROUND], egress[ROUND];
	struct dcb_time now;
};

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_trill: %s\n", what);
	exit(1);
}

/* --- bridge and RBridges of four ports without interfaces ------------------------------------ */

static void put_address(uint8_t *p, uint8_t kind, uint32_t n)
{
	put_be16(p, (uint16_t)(0x0200 | kind));
	put_be32(p + 2, n);
}

/* Kinds of addresses. */
enum { OF_PORT, OF_NEIGHBOR, OF_SOURCE, OF_DESTINATION, OF_REMOTE };

static void make_ports(struct element *e)
{
	for (unsigned i = 0; i < PORTS; i++) {
		struct soft_port *port = &e->ports[i];
		struct port_config *own = calloc(1, sizeof(*own));

		if (!own)
			die("out of memory");
		port->io = netio_nothing();
		port->base.slot = (uint16_t)i;
		port->base.link.up = true;
		put_address(port->base.link.mac, OF_PORT, i);
		port->base.settings = (struct port_settings){.buffer_octets = 1 << 20,
							     .pvid = VID,
							     .default_priority = CNPV,
							     .pvid_tagged = true};
		port_init(port);
		for (unsigned pri = 0; pri < DCB_PRIORITIES; pri++) {
			own->cp[pri] = (struct cp_config){
			    .cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
			own->buffer[pri] =
			    (struct buffer_config){.alpha_lossless = 3, .alpha_lossy = 1};
		}
		own->port_pri[CNPV].cnpd_def_mode_choice = CPC_ADMIN;
		own->port_pri[CNPV].cnpd_admin_defense_mode = CPT_INTERIOR_READY;
		e->config_of[i] = own;
	}
	e->config = calloc(1, sizeof(*e->config) + PORTS * sizeof(e->config->ports[0]));
	if (!e->config)
		die("out of memory");
	e->config->generation = 1;
	e->config->buffer_memory.rules = (struct buffer_rules){50, 1};
	e->config->cnpv_acting = 1 << CNPV;
	e->config->n_ports = PORTS;
	for (unsigned i = 0; i < PORTS; i++)
		e->config->ports[i] = dcb_config_port_alone(&e->ports[i].base, e->config_of[i]);
}

static const struct bridge_params params = {
    .frame_buffers = 4096,
    .frame_octets = 2048,
    .fdb_entries = 4096,
    .seed = 8021,
};

/* aggregate: name of an aggregation of OTHER_ACCESS_PORT and EAST_PORT; "": there is none */
static void make_bridge(struct element *e, const char *aggregate, struct dcb_time now)
{
	static const unsigned links[] = {OTHER_ACCESS_PORT, EAST_PORT};

	make_ports(e);
	for (unsigned i = 0; i < COUNT(links); i++)
		snprintf(e->ports[links[i]].base.settings.aggregate, IF_NAMESIZE, "%s", aggregate);
	if (!bridge_init(&e->rb.native, &params, NULL, NULL))
		die("out of memory");
	port_set_adopt(&e->rb.native.ports, e->config, now);
}

/* Adds a row of dcbTrillNextHopTable. Rows are added in ascending order. */
static void add_hop(struct port_config *own, unsigned nickname, uint32_t neighbor)
{
	struct trill_next_hop *hop = &own->trill_hops.of[own->trill_hops.n++];

	hop->nickname = (uint16_t)nickname;
	put_address(hop->mac, OF_NEIGHBOR, neighbor);
}

/* crowd: the port has as many rows as it can have, each of another neighbor. */
static void make_trunk(struct port_config *own, unsigned neighbor, bool crowd)
{
	unsigned rows = neighbor == EAST_PORT ? 3 : 1;

	own->trill.mode = TRILL_TRUNK;
	for (unsigned i = rows; crowd && i < TRILL_NEXT_HOPS_MAX; i++)
		add_hop(own, CROWD + i, CROWD + i);
	add_hop(own, neighbor == WEST_PORT ? WEST : EAST, neighbor);
	if (neighbor == EAST_PORT) {
		add_hop(own, SHARED, neighbor);
		add_hop(own, SHARED, neighbor + 1);
	}
}

static void make_rbridge(struct element *e, bool crowd, struct dcb_time now)
{
	make_ports(e);
	e->config->trill = (struct trill_config){.nickname = OWN, .tree_root = WEST};
	make_trunk(e->config_of[WEST_PORT], WEST_PORT, crowd);
	make_trunk(e->config_of[EAST_PORT], EAST_PORT, crowd);
	if (!rbridge_init(&e->rb, &params, NULL, NULL))
		die("out of memory");
	rbridge_adopt(&e->rb, e->config, now);
}

static bool is_bridge(const struct bench *b, const struct element *e)
{
	return e == &b->bridge || e == &b->joined;
}

static void free_element(struct bench *b, struct element *e)
{
	if (is_bridge(b, e))
		bridge_destroy(&e->rb.native);
	else
		rbridge_destroy(&e->rb);
	free(e->config);
	for (unsigned i = 0; i < PORTS; i++)
		free(e->config_of[i]);
}

/* --- frames --------------------------------------------------------------------------------- */

static uint8_t *put_tag(uint8_t *p, uint16_t vid)
{
	put_be16(p, ETH_TYPE_CTAG);
	put_be16(p + 2, (uint16_t)(CNPV << 13 | vid));
	return p + ETH_TAG_OCTETS;
}

/* A tagged frame; its octets are counted as if it were not tagged, as those of an interface. */
static void native_frame(struct frame *f, uint32_t len, unsigned to, unsigned from, uint32_t n)
{
	uint8_t *p = f->octets;

	for (unsigned at = 0; at < sizeof(f->octets); at++)
		p[at] = (uint8_t)at;
	put_address(p + ETH_DA_OFFSET, (uint8_t)to, n);
	put_address(p + ETH_SA_OFFSET, (uint8_t)from, n);
	p = put_tag(p + ETH_TYPE_OFFSET, VID);
	put_be16(p, 0x88b5);
	f->len = len + ETH_TAG_OCTETS;
}

/* The frame in a TRILL frame to one of the ports from its neighbor. */
static void trill_frame(struct frame *f, const struct frame *native, unsigned port, uint16_t egress,
			uint16_t ingress)
{
	uint8_t *p = f->octets;

	put_address(p + ETH_DA_OFFSET, OF_PORT, port);
	put_address(p + ETH_SA_OFFSET, OF_NEIGHBOR, port);
	p = put_tag(p + ETH_TYPE_OFFSET, TRILL_DESIGNATED_VLAN);
	put_be16(p, ETH_TYPE_TRILL);
	put_be16(p + 2, HOPS);
	put_be16(p + 4, egress);
	put_be16(p + 6, ingress);
	p += 2 + TRILL_HEADER_OCTETS;
	memcpy(p, native->octets, native->len);
	f->len = (uint32_t)(p - f->octets) + native->len;
}

/* --- forwarding ------------------------------------------------------------------------------- */

static void receive(struct bench *b, struct element *e, unsigned port, const struct frame *f)
{
	if (is_bridge(b, e))
		bridge_receive(&e->rb.native, &e->ports[port], f->octets, f->len, f->len, b->now);
	else
		rbridge_receive(&e->rb, &e->ports[port], f->octets, f->len, f->len, b->now);
}

struct operation {
	const char *name;
	size_t element, frames; /* offsets in struct bench */
	unsigned in;
	unsigned base; /* the operation of the bridge that is compared */
	double goal;   /* not above this ratio to it; 0: none */
};

#define OPERATION(name, element, frames, in, base, goal)                                         \
	{                                                                                        \
		name, offsetof(struct bench, element), offsetof(struct bench, frames), in, base, \
		    goal                                                                         \
	}

enum { BRIDGE, BRIDGE_JOINED };

static const struct operation operations[] = {
    [BRIDGE] = OPERATION("bridge", bridge, native, ACCESS_PORT, BRIDGE, 0),
    [BRIDGE_JOINED] =
	OPERATION("  one of two links", joined, native, ACCESS_PORT, BRIDGE_JOINED, 0),
    OPERATION("RBridge, native", rbridge, native, ACCESS_PORT, BRIDGE, 0),
    OPERATION("encapsulate", rbridge, remote, ACCESS_PORT, BRIDGE, 0),
    OPERATION("transit", rbridge, transit, WEST_PORT, BRIDGE, TRANSIT_MAX),
    OPERATION("  256 neighbors", crowded, transit, WEST_PORT, BRIDGE, TRANSIT_MAX),
    OPERATION("  one of two next hops", rbridge, shared, WEST_PORT, BRIDGE_JOINED, TRANSIT_MAX),
    OPERATION("decapsulate", rbridge, egress, WEST_PORT, BRIDGE, 0),
};

static struct element *element_of(struct bench *b, const struct operation *op)
{
	return (struct element *)((char *)b + op->element);
}

/* Receives a batch on one port and sends it on another, as the dataplane thread does. */
static void __attribute__((noinline)) forward_round(struct bench *b, const struct operation *op)
{
	struct element *e = element_of(b, op);
	const struct frame *frames = (const struct frame *)((const char *)b + op->frames);

	for (unsigned i = 0; i < ROUND; i++)
		receive(b, e, op->in, &frames[i]);
	b->now = dcb_time_add_ns(b->now, ROUND * 1000);
	port_set_transmit(&e->rb.native.ports, b->now);
}

/* Returns how many frames have left by other ports than this one, which sends CNMs. */
static uint64_t sent(const struct element *e, unsigned in)
{
	struct port_stats stats;
	uint64_t sum = 0;

	for (unsigned i = 0; i < PORTS; i++) {
		port_read(&e->ports[i], &stats);
		sum += i == in ? 0 : stats.tx_frames;
	}
	return sum;
}

/* Checks that each frame of a round leaves once. */
static void check(struct bench *b, const struct operation *op)
{
	struct element *e = element_of(b, op);
	uint64_t before = sent(e, op->in);

	forward_round(b, op);
	if (sent(e, op->in) - before != ROUND)
		die("frames are lost");
}

/* Destinations become known: natively at a port, and behind the RBridge west. */
static void learn(struct bench *b)
{
	struct element *const all[] = {&b->bridge, &b->joined, &b->rbridge, &b->crowded};
	struct frame f = {0}, answer = {0};

	for (unsigned i = 0; i < COUNT(all); i++) {
		for (uint32_t n = 0; n < ROUND; n++) {
			native_frame(&f, sizes[0], OF_SOURCE, OF_DESTINATION, n);
			receive(b, all[i], OTHER_ACCESS_PORT, &f);
			native_frame(&f, sizes[0], OF_SOURCE, OF_REMOTE, n);
			trill_frame(&answer, &f, WEST_PORT, OWN, WEST);
			receive(b, all[i], WEST_PORT, &answer);
			port_set_transmit(&all[i]->rb.native.ports, b->now);
		}
	}
}

static struct bench *make_bench(uint32_t len)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		die("out of memory");
	b->now = (struct dcb_time){DCB_NS_PER_S};
	make_bridge(&b->bridge, "", b->now);
	make_bridge(&b->joined, "joined", b->now);
	make_rbridge(&b->rbridge, false, b->now);
	make_rbridge(&b->crowded, true, b->now);
	learn(b);
	for (uint32_t n = 0; n < ROUND; n++) {
		struct frame far = {0};

		native_frame(&b->native[n], len, OF_DESTINATION, OF_SOURCE, n);
		native_frame(&b->remote[n], len, OF_REMOTE, OF_SOURCE, n);
		native_frame(&far, len, OF_DESTINATION, OF_REMOTE, n);
		trill_frame(&b->transit[n], &far, WEST_PORT, EAST, WEST);
		trill_frame(&b->shared[n], &far, WEST_PORT, SHARED, WEST);
		trill_frame(&b->egress[n], &far, WEST_PORT, OWN, WEST);
	}
	for (unsigned i = 0; i < COUNT(operations); i++)
		check(b, &operations[i]);
	return b;
}

static void free_bench(struct bench *b)
{
	free_element(b, &b->bridge);
	free_element(b, &b->joined);
	free_element(b, &b->rbridge);
	free_element(b, &b->crowded);
	free(b);
}

/* --- measuring ------------------------------------------------------------------------------- */

static double cpu_s(void)
{
	return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Sets ns[] to the nanoseconds per frame of each operation. They take turns of 0.1 ms and more, so
 * that what slows the processor slows all of them.
 */
static void measure(struct bench *b, double ns[COUNT(operations)], double seconds)
{
	double busy[COUNT(operations)] = {0};
	uint64_t frames = 0;

	for (double end = cpu_s() + seconds; frames == 0 || cpu_s() < end;) {
		for (unsigned i = 0; i < COUNT(operations); i++) {
			double start;

			forward_round(b, &operations[i]); /* fills the caches */
			start = cpu_s();
			for (unsigned round = 0; round < ROUNDS; round++)
				forward_round(b, &operations[i]);
			busy[i] += cpu_s() - start;
		}
		frames += ROUNDS * ROUND;
	}
	for (unsigned i = 0; i < COUNT(operations); i++)
		ns[i] = busy[i] * 1e9 / (double)frames;
}

/* ns: by repetition and operation */
static void print(const struct operation *op, double (*ns)[COUNT(operations)])
{
	double own[REPETITIONS], ratio[REPETITIONS];
	struct interval ratio_of;
	size_t at = (size_t)(op - operations);

	for (unsigned rep = 0; rep < REPETITIONS; rep++) {
		own[rep] = ns[rep][at];
		ratio[rep] = ns[rep][at] / ns[rep][op->base];
	}
	ratio_of = interval_of(ratio, REPETITIONS);
	printf("  %-26s %7.1f  %.2f (%.2f-%.2f)", op->name, interval_of(own, REPETITIONS).median,
	       ratio_of.median, ratio_of.low, ratio_of.high);
	if (op->goal > 0)
		printf("  goal <= %.1f  %s", op->goal, verdict_at_most(&ratio_of, op->goal));
	putchar('\n');
}

static void run(uint32_t len, double seconds)
{
	struct bench *b = make_bench(len);
	double ns[REPETITIONS][COUNT(operations)];

	for (unsigned rep = 0; rep < REPETITIONS; rep++)
		measure(b, ns[rep], seconds);
	printf("%u octets\n", len + 4);
	for (unsigned i = 0; i < COUNT(operations); i++)
		print(&operations[i], ns);
	free_bench(b);
}

static int run_alone(const char *rounds, const char *operation)
{
	unsigned long which = strtoul(operation, NULL, 10);
	struct bench *b = make_bench(sizes[0]);

	if (which >= COUNT(operations))
		die("no such operation");
	for (unsigned long i = strtoul(rounds, NULL, 10); i > 0; i--)
		forward_round(b, &operations[which]);
	printf("%s\n", operations[which].name);
	free_bench(b);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 6;

	if (argc == 4 && strcmp(argv[1], "-n") == 0)
		return run_alone(argv[2], argv[3]);
	printf(
	    "\nRBridge: ns of processor time per frame, and the ratio to the bridge, median of %d "
	    "(95 %% interval)\n",
	    REPETITIONS);
	for (unsigned i = 0; i < COUNT(sizes); i++)
		run(sizes[i], seconds / (COUNT(sizes) * REPETITIONS));
	return 0;
}
