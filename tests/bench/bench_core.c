/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the time per frame of the engines, without interfaces: parsing, congestion
 * point, the complete bridge, and others. Prints nanoseconds of processor time per frame, and
 * the ratio to a memcpy() of the frame, which depends less on the machine, with its interval.
 *
 *   bench_core [SECONDS]         SECONDS: of each operation and repetition
 *
 * All operations run in turn in each repetition; prints medians.
 */
#include "dataplane/bridge/bridge.h"
#include "dataplane/core/buffer.h"
#include "dataplane/core/cnm.h"
#include "dataplane/core/cp.h"
#include "dataplane/core/cp_early.h"
#include "dataplane/core/eth.h"
#include "dataplane/core/ip.h"
#include "dataplane/core/limiter.h"
#include "lib/octets.h"
#include "dataplane/core/pfc_pdu.h"
#include "dataplane/core/rp.h"
#include "dataplane/port/port_pfc.h"
#include "dataplane/port/port_pfc_tx.h"
#include "tests/bench/interval.h"
#include "tests/unit/rpg_defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPETITIONS 9
#define ROUND       64 /* operations between clock reads: a batch of frames */
#define SIZES       2
#define ADDRESSES   4096
#define CNPV        3
#define VID         5
#define DSCP        26
/* Not a power of two: otherwise all frames map to a few sets of the cache. */
#define BUFFER_OCTETS (2048 + 64)
#define BURST         32

static const uint32_t sizes[SIZES] = {64 - 4, 1500 - 4}; /* without FCS */

/* Data of all operations. */
struct bench {
	uint32_t len;
	uint64_t at; /* operations so far */
	uint8_t to[ROUND][BUFFER_OCTETS];
	uint8_t frames[ROUND][BUFFER_OCTETS];
	uint8_t untagged[ROUND][BUFFER_OCTETS]; /* IPv4 packets */
	struct dcb_rng rng;
	struct cp cp;
	struct eth_view view; /* of any of the frames */
	uint8_t cnm[CNM_FRAME_MAX];
	struct rp_params rp_params;
	struct rp rp;
	struct buffer_pool pool, port_pool, headroom_pool;
	struct buffer_account lossy, lossless;
	struct limiter limiter;
	struct dcb_time rp_now; /* clock of the limited flow, which runs faster and would age the
				   bridge's addresses */
	struct bridge bridge;
	struct soft_port in, out;
	struct port_config port_config;
	struct dcb_config *config;
	uint64_t addresses;  /* sources and destinations in use */
	uint64_t without_cn; /* frames that passed no congestion point */
	struct dcb_time now;
	uint64_t sink; /* takes results, so that the compiler does not remove the operations */
};

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "bench_core: %s\n", what);
	exit(1);
}

static double cpu_s(void)
{
	return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

/* --- operations: one ROUND each ------------------------------------------------- */

static void copy_round(struct bench *b)
{
	for (unsigned i = 0; i < ROUND; i++) {
		memcpy(b->to[i], b->frames[i], b->len);
		/* Prevents the compiler from removing the copy. */
		__asm__ volatile("" : : "r"(b->to[i]) : "memory");
	}
}

static void parse_round(struct bench *b)
{
	struct eth_view view;

	for (unsigned i = 0; i < ROUND; i++) {
		if (eth_parse(b->frames[i], b->len, &view) != ETH_OK)
			die("the frame does not parse");
		b->sink += view.priority + view.vid + view.payload_offset;
	}
}

/* Enqueues and dequeues in bursts, so that samples see a queue. */
static void cp_round(struct bench *b)
{
	for (unsigned burst = 0; burst < ROUND / BURST; burst++) {
		for (unsigned i = 0; i < BURST; i++)
			b->sink += cp_enqueue(&b->cp, b->len, &b->rng).sampled;
		for (unsigned i = 0; i < BURST; i++)
			cp_dequeue(&b->cp, b->len);
	}
}

static void make_cnm(struct bench *b, const uint8_t *frame, const struct cp_verdict *verdict)
{
	struct cnm cnm = {.cpid = {2}};

	cnm_of_frame(&cnm, verdict, frame, b->len, &b->view, CNPV, CNM_MSDU_MAX);
	b->sink +=
	    cnm_frame(b->cnm, &cnm, frame + ETH_SA_OFFSET, frame + ETH_DA_OFFSET, b->view.flow_id);
	__asm__ volatile("" : : "r"(b->cnm) : "memory");
}

/* The same, and generates the CNM of each sample. The frame is already parsed. */
static void cp_cnm_round(struct bench *b)
{
	for (unsigned burst = 0; burst < ROUND / BURST; burst++) {
		for (unsigned i = 0; i < BURST; i++) {
			struct cp_verdict verdict = cp_enqueue(&b->cp, b->len, &b->rng);

			if (verdict.sampled)
				make_cnm(b, b->frames[i], &verdict);
		}
		for (unsigned i = 0; i < BURST; i++)
			cp_dequeue(&b->cp, b->len);
	}
}

/* Generates CNMs with the longest MSDU. */
static void cnm_round(struct bench *b)
{
	struct cp_verdict verdict = {.sampled = true, .cnm = true, .cp_qoffset = -26000};

	for (unsigned i = 0; i < ROUND; i++) {
		verdict.qntz_fb = (uint8_t)i;
		make_cnm(b, b->frames[i], &verdict);
	}
}

static void cp_early_round(struct bench *b)
{
	static const struct cp_early_config early = {
	    .base_probability_ppm = 10000, .step_probability_ppm = 1000, .page_octets = 256};

	for (unsigned burst = 0; burst < ROUND / BURST; burst++) {
		for (unsigned i = 0; i < BURST; i++)
			b->sink += cp_early_enqueue(&b->cp, &early, b->len, &b->rng).sampled;
		for (unsigned i = 0; i < BURST; i++)
			cp_dequeue(&b->cp, b->len);
	}
}

/*
 * Limiter and reaction point of a limited, backlogged flow, for each frame sent at its
 * time. A CNM for about every 100 kB keeps the rate below its maximum.
 */
static void rp_round(struct bench *b)
{
	for (unsigned i = 0; i < ROUND; i++) {
		if (!limiter_is_due(&b->limiter, b->rp_now))
			b->rp_now = b->limiter.next;
		limiter_charge(&b->limiter, rp_limiter_rate(&b->rp), dcb_wire_octets(b->len));
		rp_frame_sent(&b->rp, &b->rp_params, b->len, b->rp_now, &b->rng);
	}
	if (b->at % (100000 / b->len + 1) < ROUND)
		rp_receive_cnm(&b->rp, &b->rp_params, 8, b->rp_now, &b->rng);
	b->sink += b->rp.rp_byte_stage;
}

/* One in 64 has no feedback and is ignored. */
static void rp_cnm_round(struct bench *b)
{
	for (unsigned i = 0; i < ROUND; i++)
		rp_receive_cnm(&b->rp, &b->rp_params, (uint8_t)(i & RP_FB_MAX), b->rp_now, &b->rng);
	b->sink += b->rp.rp_current_rate.bps;
}

static void put_address(uint8_t *p, uint8_t kind, uint64_t n)
{
	put_be16(p, (uint16_t)(0x0200 | kind));
	put_be32(p + 2, (uint32_t)n);
}

/* Receives a batch on one port and sends it on the other, as the dataplane thread does. */
static void bridge_frames(struct bench *b, uint8_t frames[ROUND][BUFFER_OCTETS])
{
	for (unsigned i = 0; i < ROUND; i++) {
		uint64_t n = (b->at + i) * 2654435761u % b->addresses;

		put_address(frames[i] + ETH_DA_OFFSET, 1, n);
		put_address(frames[i] + ETH_SA_OFFSET, 2, n);
		bridge_receive(&b->bridge, &b->in, frames[i], b->len, b->len, b->now);
	}
	b->now = dcb_time_add_ns(b->now, ROUND * 1000);
	port_set_transmit(&b->bridge.ports, b->now);
}

static void bridge_round(struct bench *b)
{
	bridge_frames(b, b->frames);
}

/* The same, on ports where no priority is a CNPV and nothing else is in force. */
static void plain_round(struct bench *b)
{
	bridge_frames(b, b->frames);
	b->without_cn += ROUND;
}

static void untagged_round(struct bench *b)
{
	bridge_frames(b, b->untagged);
}

/* Receives XOFF and XON in turn on a port without queued frames. */
static void pfc_round(struct bench *b)
{
	struct pfc_pdu pdu = {.source = {2}, .enable = 1 << CNPV};
	uint8_t frames[2][PFC_FRAME_OCTETS];

	pfc_pdu_encode(&pdu, frames[1]);
	pdu.time[CNPV] = 1000;
	pfc_pdu_encode(&pdu, frames[0]);
	for (unsigned i = 0; i < ROUND; i++)
		bridge_receive(&b->bridge, &b->out, frames[i % 2], PFC_FRAME_OCTETS,
			       PFC_FRAME_OCTETS, b->now);
	b->now = dcb_time_add_ns(b->now, ROUND * 1000);
	port_set_transmit(&b->bridge.ports, b->now);
	if (b->out.queues.paused)
		die("XON does not end the pause");
}

/* Frames that are admitted and leave, in bursts: most of them are beyond the reserve. */
static void account_round(struct bench *b, struct buffer_account *account)
{
	for (unsigned burst = 0; burst < ROUND / BURST; burst++) {
		for (unsigned i = 0; i < BURST; i++)
			b->sink += buffer_take(account, b->len);
		for (unsigned i = 0; i < BURST; i++)
			buffer_release(account, b->len, 1);
	}
}

static void lossy_round(struct bench *b)
{
	account_round(b, &b->lossy);
}

static void lossless_round(struct bench *b)
{
	account_round(b, &b->lossless);
}

static void make_accounts(struct bench *b)
{
	const struct buffer_sum size = {UINT64_C(1) << 24, 8192};
	const struct buffer_quota quota = {
	    .reserve = {3000, 2}, .limit_octets = 400000, .alpha = 1};

	buffer_pool_resize(&b->pool, &size);
	buffer_pool_resize(&b->port_pool, &size);
	buffer_pool_resize(&b->headroom_pool, &size);
	b->lossy =
	    (struct buffer_account){.pool = &b->pool, .within = &b->port_pool, .quota = quota};
	b->lossless = (struct buffer_account){
	    .pool = &b->pool, .headroom_pool = &b->headroom_pool, .quota = quota};
	b->lossless.quota.headroom = (struct buffer_use){20000, 300};
}

/* --- a bridge of two ports without interfaces --------------------------------------- */

static void make_port(struct soft_port *port, uint16_t slot)
{
	*port = (struct soft_port){.io = netio_nothing()};
	port->base.slot = slot;
	port->base.link.up = true;
	port->base.settings = (struct port_settings){
	    .buffer_octets = 1 << 20, .pvid = VID, .default_priority = CNPV, .pvid_tagged = true};
	port_init(port);
}

static void learn_destinations(struct bench *b)
{
	for (uint64_t n = 0; n < ADDRESSES; n++) {
		put_address(b->frames[0] + ETH_DA_OFFSET, 2, n);
		put_address(b->frames[0] + ETH_SA_OFFSET, 1, n);
		bridge_receive(&b->bridge, &b->out, b->frames[0], b->len, b->len, b->now);
		port_set_transmit(&b->bridge.ports, b->now);
	}
}

static void make_bridge(struct bench *b)
{
	static const struct bridge_params params = {
	    .frame_buffers = 4096,
	    .frame_octets = 2048,
	    .fdb_entries = 4 * ADDRESSES,
	    .seed = 8021,
	};

	b->now = (struct dcb_time){DCB_NS_PER_S};
	make_port(&b->in, 0);
	make_port(&b->out, 1);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		b->port_config.cp[i] = b->cp.config;
		b->port_config.buffer[i] =
		    (struct buffer_config){.alpha_lossless = 3, .alpha_lossy = 1};
	}
	b->port_config.port_pri[CNPV].cnpd_def_mode_choice = CPC_ADMIN;
	b->port_config.port_pri[CNPV].cnpd_admin_defense_mode = CPT_INTERIOR_READY;
	b->config = calloc(1, sizeof(*b->config) + 2 * sizeof(b->config->ports[0]));
	if (!b->config || !bridge_init(&b->bridge, &params, NULL, NULL))
		die("out of memory");
	b->config->generation = 1;
	b->config->buffer_memory.rules = (struct buffer_rules){50, 1};
	b->config->cnpv_acting = 1 << CNPV;
	b->config->n_ports = 2;
	b->config->ports[0] = dcb_config_port_alone(&b->in.base, &b->port_config);
	b->config->ports[1] = dcb_config_port_alone(&b->out.base, &b->port_config);
	port_set_adopt(&b->bridge.ports, b->config, (struct dcb_time){0});
	learn_destinations(b);
}

/* Checks that every received frame was sent, and passed the congestion point if there is one. */
static void check_bridge(const struct bench *b)
{
	struct port_stats in, out;
	struct cp_stats cp;

	port_read(&b->in, &in);
	port_read(&b->out, &out);
	port_read_cp(&b->out, CNPV, &cp);
	if (out.tx_frames != in.rx_frames ||
	    cp.cp_transmitted_frames + b->without_cn != in.rx_frames)
		die("the bridge did not forward every frame");
}

static void make_frames(struct bench *b)
{
	for (unsigned i = 0; i < ROUND; i++) {
		uint8_t *p = b->frames[i];

		for (unsigned at = 0; at < sizeof(b->frames[i]); at++)
			p[at] = (uint8_t)at;
		put_address(p + ETH_DA_OFFSET, 1, i);
		put_address(p + ETH_SA_OFFSET, 2, i);
		put_be16(p + ETH_TYPE_OFFSET, ETH_TYPE_CTAG);
		put_be16(p + ETH_TYPE_OFFSET + 2, CNPV << 13 | VID);
		put_be16(p + ETH_TYPE_OFFSET + 4, 0x88b5);
		p = b->untagged[i];
		memcpy(p, b->frames[i], sizeof(b->untagged[i]));
		put_be16(p + ETH_TYPE_OFFSET, 0x0800);
		p[ETH_TYPE_OFFSET + 2] = 0x45;
		p[ETH_TYPE_OFFSET + 3] = DSCP << 2 | IP_ECT_0;
	}
}

static void make_rp(struct bench *b)
{
	static const struct rp_variant variant = {0};

	rp_params_init(&b->rp_params, &rpg_defaults, &variant, dcb_rate_from_mbps(10000));
	rp_init(&b->rp, &b->rp_params);
	rp_receive_cnm(&b->rp, &b->rp_params, 8, b->rp_now, &b->rng);
}

static struct bench *make_bench(uint32_t len)
{
	static const struct cp_config cp = {
	    .cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		die("out of memory");
	b->len = len;
	dcb_rng_seed(&b->rng, 8021, 1);
	cp_init(&b->cp, &cp, &b->rng);
	make_frames(b);
	if (eth_parse(b->frames[0], b->len, &b->view) != ETH_OK)
		die("the frame does not parse");
	make_bridge(b);
	make_rp(b);
	make_accounts(b);
	return b;
}

static void free_bench(struct bench *b)
{
	bridge_destroy(&b->bridge);
	free(b->config);
	free(b);
}

/* --- measuring ----------------------------------------------------------------------- */

struct operation {
	const char *name;
	void (*round)(struct bench *);
	uint64_t addresses;
	bool pfc;  /* PFC for the priority of the frames on the ingress port */
	bool ets;  /* ETS on the egress port, with another class */
	bool dscp; /* the ingress port trusts the DSCP, which gives the CNPV */
	bool ecn;  /* the queue marks, from a length on that it does not reach */
};

#define COPY  0
#define PLAIN 11
/* Goal of PLAIN with 64 octets, in ns. It is for machines whose memcpy does not take longer. */
#define PLAIN_MAX 40.0
#define COPY_MAX  5.0

static const struct operation operations[] = {
    [COPY] = {"memcpy of the frame", copy_round, .addresses = 1},
    {"eth_parse", parse_round, .addresses = 1},
    {"cp_enqueue + cp_dequeue", cp_round, .addresses = 1},
    {"  + CNM of each sample", cp_cnm_round, .addresses = 1},
    {"a CNM", cnm_round, .addresses = 1},
    {"cp_early_enqueue + dequeue", cp_early_round, .addresses = 1},
    {"buffer_take + release", lossy_round, .addresses = 1},
    {"  lossless", lossless_round, .addresses = 1},
    {"limiter + rp_frame_sent", rp_round, .addresses = 1},
    {"rp_receive_cnm", rp_cnm_round, .addresses = 1},
    {"a PFC frame", pfc_round, .addresses = 1, .pfc = true},
    [PLAIN] = {"bridge, nothing in force", plain_round, .addresses = 1},
    {"  4096 addresses", plain_round, .addresses = ADDRESSES},
    {"bridge, 4096 addresses", bridge_round, .addresses = ADDRESSES},
    {"bridge, untagged", untagged_round, .addresses = 1},
    {"  trusts DSCP", untagged_round, .addresses = 1, .dscp = true},
    {"  and the queue marks", untagged_round, .addresses = 1, .dscp = true, .ecn = true},
    {"bridge, 1 address", bridge_round, .addresses = 1},
    {"  with ETS", bridge_round, .addresses = 1, .ets = true},
    {"  with PFC", bridge_round, .addresses = 1, .pfc = true},
};
#define OPERATIONS  (sizeof(operations) / sizeof(operations[0]))
#define WITH_PFC    (OPERATIONS - 1)
#define WITHOUT_PFC (OPERATIONS - 3)

/* Puts congestion notification and ETS in force on the egress port, or not. */
static void set_egress(struct bench *b, bool cn, bool ets)
{
	struct dcb_config_port own = b->config->ports[1];

	b->config->cnpv_acting = cn ? 1 << CNPV : 0;

	own.oper.ets = ets;
	own.oper.ets_tables = (struct ets_tables){
	    .priority_tc = {[CNPV] = 1}, .bandwidth = {50, 50}, .tsa = {TSA_ETS, TSA_ETS}};
	port_configure(&b->out, b->config, &own, &b->rng);
}

static void set_trust(struct bench *b, bool dscp)
{
	b->port_config.trust.trust = dscp ? TRUST_DSCP_PCP : TRUST_PCP;
	b->port_config.dcbx.n_apps = 1;
	b->port_config.dcbx.apps[0] = (struct app_priority){APP_DSCP, CNPV, DSCP};
	b->in.base.settings.default_priority = dscp ? CNPV + 1 : CNPV;
}

static void set_ecn(struct bench *b, bool ecn)
{
	b->port_config.ecn[CNPV] = (struct ecn_config){.enable = ecn, .probability_ppm = 1};
}

/* Returns nanoseconds of processor time per operation. */
static double run(struct bench *b, const struct operation *op, double seconds)
{
	double start, end;
	uint64_t before;

	b->addresses = op->addresses;
	set_egress(b, op->round != plain_round, op->ets);
	set_trust(b, op->dscp);
	set_ecn(b, op->ecn);
	b->in.oper.pfc_enable = b->out.oper.pfc_enable = op->pfc ? 1 << CNPV : 0;
	port_set_port_changed(&b->bridge.ports, &b->in, b->now);
	port_set_port_changed(&b->bridge.ports, &b->out, b->now);
	op->round(b); /* fills the caches */
	start = end = cpu_s();
	before = b->at;
	while (end - start < seconds) {
		for (unsigned i = 0; i < 16; i++) {
			op->round(b);
			b->at += ROUND;
		}
		end = cpu_s();
	}
	return (end - start) * 1e9 / (double)(b->at - before);
}

/* Returns the ratio within each repetition. */
static struct interval ratio_of(const double of[REPETITIONS], const double to[REPETITIONS])
{
	double ratios[REPETITIONS];

	for (unsigned i = 0; i < REPETITIONS; i++)
		ratios[i] = of[i] / to[i];
	return interval_of(ratios, REPETITIONS);
}

static void print_cell(const double ns[REPETITIONS], const double copy[REPETITIONS])
{
	struct interval ratio = ratio_of(ns, copy);
	double sorted[REPETITIONS];
	char text[32];

	memcpy(sorted, ns, sizeof(sorted));
	snprintf(text, sizeof(text), "%.1f (%.1f-%.1f)", ratio.median, ratio.low, ratio.high);
	printf(" %6.1f  %-20s", interval_of(sorted, REPETITIONS).median, text);
}

/* Sorts ns. */
static void print_goal(double ns[OPERATIONS][REPETITIONS])
{
	struct interval copy = interval_of(ns[COPY], REPETITIONS);
	struct interval plain = interval_of(ns[PLAIN], REPETITIONS);

	printf("  64 octets, nothing in force: %.1f ns (%.1f-%.1f)  goal <= %.0f  ", plain.median,
	       plain.low, plain.high, PLAIN_MAX);
	if (copy.median > COPY_MAX)
		printf("undecided (memcpy takes %.1f ns)\n", copy.median);
	else
		puts(verdict_at_most(&plain, PLAIN_MAX));
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.05;
	double ns[SIZES][OPERATIONS][REPETITIONS];

	for (unsigned s = 0; s < SIZES; s++) {
		struct bench *b = make_bench(sizes[s]);

		for (unsigned rep = 0; rep < REPETITIONS; rep++) {
			for (unsigned op = 0; op < OPERATIONS; op++)
				ns[s][op][rep] = run(b, &operations[op], seconds);
		}
		check_bridge(b);
		free_bench(b);
	}
	printf(
	    "\nEngines: ns of processor time per frame, median of %d; relative to the memcpy, and "
	    "the "
	    "95 %% interval\n",
	    REPETITIONS);
	printf("  %-26s %-28s %s\n", "", "64 octets", "1500 octets");
	for (unsigned op = 0; op < OPERATIONS; op++) {
		printf("  %-26s", operations[op].name);
		for (unsigned s = 0; s < SIZES; s++)
			print_cell(ns[s][op], ns[s][COPY]);
		putchar('\n');
	}
	printf("  %-26s", "  added by PFC");
	for (unsigned s = 0; s < SIZES; s++) {
		struct interval ratio = ratio_of(ns[s][WITH_PFC], ns[s][WITHOUT_PFC]);

		printf(" %+6.1f %% (%+.1f to %+.1f)%-6s", (ratio.median - 1) * 100,
		       (ratio.low - 1) * 100, (ratio.high - 1) * 100, "");
	}
	putchar('\n');
	print_goal(ns[0]);
	return 0;
}
