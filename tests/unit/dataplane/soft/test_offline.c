/* SPDX-License-Identifier: BSD-3-Clause */
/* Forwarding from capture files to capture files is reproducible. */
#include "dataplane/core/eth.h"
#include "lib/octets.h"
#include "lib/rng.h"
#include "dataplane/netio/netio.h"
#include "dataplane/soft/offline.h"
#include "dataplane/soft/provider_soft.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

#define START_NS (INT64_C(1700000000) * DCB_NS_PER_S)

struct lab {
	char dir[64];
	char in[2][96], out[2][96], again[96];
};

static int set_up(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	char dir[sizeof(lab->dir)];

	assert_non_null(lab);
	snprintf(dir, sizeof(dir), "%s/test_offline.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(dir));
	memcpy(lab->dir, dir, sizeof(dir));
	for (int i = 0; i < 2; i++) {
		snprintf(lab->in[i], sizeof(lab->in[i]), "%s/in%d.pcap", dir, i);
		snprintf(lab->out[i], sizeof(lab->out[i]), "%s/out%d.pcap", dir, i);
	}
	snprintf(lab->again, sizeof(lab->again), "%s/again.pcap", dir);
	*state = lab;
	return 0;
}

static int tear_down(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 2; i++) {
		unlink(lab->in[i]);
		unlink(lab->out[i]);
	}
	unlink(lab->again);
	assert_int_equal(rmdir(lab->dir), 0);
	free(lab);
	return 0;
}

/* --- captures ------------------------------------------------------------ */

static struct netio *writer(const char *path)
{
	char err[256] = "";
	struct netio *io = netio_file_open(NULL, path, 2048, err, sizeof(err));

	assert_string_equal(err, "");
	return io;
}

static void put_frame(struct netio *io, int64_t ns, uint8_t da, uint8_t sa, uint8_t priority,
		      uint32_t len)
{
	uint8_t f[2048] = {2, 0, 0, 0, 0, da, 2, 0, 0, 0, 0, sa, 0x81, 0x00, 0, 1, 0x88, 0xb5};
	struct iovec iov = {f, len};

	f[14] = (uint8_t)(priority << 5);
	io->ops->send(io, &iov, 1, (struct dcb_time){START_NS + ns});
}

static void random_capture(const char *path, uint64_t seed, uint8_t sa)
{
	struct netio *io = writer(path);
	struct dcb_rng rng;
	int64_t ns = 0;

	dcb_rng_seed(&rng, seed, sa);
	for (int i = 0; i < 3000; i++) {
		put_frame(io, ns, (uint8_t)dcb_rng_uniform(&rng, 0, 3), sa,
			  (uint8_t)dcb_rng_uniform(&rng, 0, 7), dcb_rng_uniform(&rng, 60, 1518));
		ns += dcb_rng_uniform(&rng, 0, 20000);
	}
	io->ops->close(io);
}

struct seen {
	unsigned n;
	uint32_t octets;
	struct dcb_time first, last;
	uint8_t priority[8192];
};

static void look(void *ctx, const uint8_t *octets, uint32_t len, uint32_t wire_octets)
{
	struct seen *seen = ctx;

	assert_int_equal(len, wire_octets);
	assert_true(seen->n < UNIT_COUNT(seen->priority));
	seen->priority[seen->n++] = octets[12] == 0x81 ? octets[14] >> 5 : 0xff;
	seen->octets += len;
}

static void read_capture(const char *path, struct seen *seen)
{
	char err[256] = "";
	struct netio *io = netio_file_open(path, NULL, 2048, err, sizeof(err));

	assert_string_equal(err, "");
	*seen = (struct seen){.first = netio_file_next(io)};
	while (netio_file_next(io).ns != DCB_TIME_NEVER.ns) {
		seen->last = netio_file_next(io);
		io->ops->recv(io, 1, look, seen);
	}
	assert_true(netio_file_finish(io, err, sizeof(err)));
	io->ops->close(io);
}

static bool same_octets(const char *a, const char *b)
{
	FILE *fa = fopen(a, "rb"), *fb = fopen(b, "rb");
	int ca, cb;

	assert_true(fa && fb);
	do {
		ca = getc(fa);
		cb = getc(fb);
	} while (ca == cb && ca != EOF);
	fclose(fa);
	fclose(fb);
	return ca == cb;
}

/* --- runs ---------------------------------------------------------------- */

struct outcome {
	struct port_stats port[2];
	struct cp_stats cp[2]; /* of priority 3 */
	char err[256];
};

static const struct port_settings plain = {
    .buffer_octets = 1 << 20, .pvid = 1, .pvid_tagged = true, .memory = true};

/* As dcbd does: opens ports, commits a configuration, runs. Priority 3 is a CNPV. */
/* The software provider accepts everything but PFC on some NICs. */
static void commit(struct provider *p, const struct dcb_config *config)
{
	struct provider_refusal why;

	assert_true(p->ops->prepare(p, config, &why));
	assert_true(p->ops->commit(p, config, &why));
}

static bool run(const struct offline *o, uint64_t seed, const struct port_settings *settings,
		struct outcome *out)
{
	const struct provider_soft_params params = {
	    .frame_buffers = 2048,
	    .frame_octets = 2048,
	    .fdb_entries = 64,
	    .fdb_ageing_s = 300,
	    .no_thread = true,
	    .seed = seed,
	};
	struct port_config pc = {0};
	struct dcb_config *config = calloc(1, sizeof(*config) + 8 * sizeof(config->ports[0]));
	struct provider *p;
	bool ok;

	*out = (struct outcome){0};
	p = provider_soft_new(&params, out->err, sizeof(out->err));
	assert_true(p && config);
	pc.port_pri[3].cnpd_def_mode_choice = CPC_ADMIN;
	pc.port_pri[3].cnpd_admin_defense_mode = CPT_INTERIOR_READY;
	pc.cp[3] = (struct cp_config){.cp_qsp = 26000, .cp_sample_base = 10000, .cp_w_exp = 1};
	*config =
	    (struct dcb_config){.generation = 1, .cnpv_acting = 1 << 3, .n_ports = o->n_ports};
	for (unsigned i = 0; i < o->n_ports; i++) {
		struct link_info link;
		struct port *port;

		offline_link(o, i, &link);
		port =
		    p->ops->port_open(p, (uint16_t)i, &link, settings, out->err, sizeof(out->err));
		assert_non_null(port);
		config->ports[i] = dcb_config_port_alone(port, &pc);
	}
	commit(p, config);
	ok = offline_run(p, o, out->err, sizeof(out->err));
	for (unsigned i = 0; i < o->n_ports && i < 2; i++) {
		p->ops->read_port(config->ports[i].port, &out->port[i]);
		p->ops->read_cp(config->ports[i].port, 3, &out->cp[i]);
	}
	p->ops->destroy(p);
	free(config);
	return ok;
}

static void add(struct offline *o, bool write, const char *port, const char *path)
{
	static char args[16][128];
	static unsigned n;
	char err[256] = "";
	char *arg = args[n++ % 16];

	snprintf(arg, sizeof(args[0]), "%s%s%s", port, *port ? "=" : "", path);
	if (!(write ? offline_add_write : offline_add_read)(o, arg, err, sizeof(err)))
		fail_msg("%s", err);
}

static void test_forwards_from_file_to_file(void **state)
{
	struct lab *lab = *state;
	struct offline o = {0};
	struct outcome out;
	struct seen seen;

	random_capture(lab->in[0], 1, 1);
	add(&o, false, "", lab->in[0]);
	add(&o, true, "", lab->out[1]);
	assert_true(run(&o, 1, &plain, &out));
	read_capture(lab->out[1], &seen);
	/* Frames to station 1 stay on the ingress port. */
	assert_int_equal(out.port[0].rx_frames, 3000);
	assert_int_equal(out.port[1].tx_frames, seen.n);
	assert_int_equal(out.port[1].tx_octets, seen.octets);
	assert_true(seen.n > 1900 && seen.n < 2900);
	assert_int_equal(seen.first.ns / DCB_NS_PER_S, START_NS / DCB_NS_PER_S);
}

static void test_same_seed_gives_same_output(void **state)
{
	struct lab *lab = *state;
	struct port_settings slow = plain;
	struct outcome first, second;
	struct offline o = {0}, o2 = {0};
	uint64_t seed = unit_seed();

	random_capture(lab->in[0], seed, 1);
	random_capture(lab->in[1], seed, 2);
	slow.rate = dcb_rate_from_mbps(400);
	slow.buffer_octets = 60000;
	add(&o, false, "a", lab->in[0]);
	add(&o, false, "b", lab->in[1]);
	add(&o, true, "a", lab->out[0]);
	add(&o, true, "b", lab->out[1]);
	o2 = o;
	assert_true(run(&o, seed, &slow, &first));
	assert_true(first.port[1].discard_queue > 0 || first.port[0].discard_queue > 0);
	assert_true(first.cp[1].cp_samples > 0);
	o2.ports[1].write_path = lab->again;
	assert_true(run(&o2, seed, &slow, &second));
	assert_true(same_octets(lab->out[1], lab->again));
	assert_memory_equal(&first.cp, &second.cp, sizeof(first.cp));
}

/* Frames at twice the rate of the egress port leave at its rate, higher priority first. */
static void test_rate_limit_and_strict_priority(void **state)
{
	struct lab *lab = *state;
	struct netio *io = writer(lab->in[0]);
	struct port_settings slow = plain;
	const int64_t wire_ns = (1000 + 24) * 8 * 10; /* 100 Mb/s */
	struct offline o = {0};
	struct outcome out;
	struct seen seen;

	for (int i = 0; i < 100; i++)
		put_frame(io, i * wire_ns / 2, 2, 1, i % 2 ? 5 : 2, 1000);
	io->ops->close(io);
	slow.rate = dcb_rate_from_mbps(100);
	add(&o, false, "", lab->in[0]);
	add(&o, true, "", lab->out[1]);
	assert_true(run(&o, 1, &slow, &out));
	read_capture(lab->out[1], &seen);
	assert_int_equal(seen.n, 100);
	assert_int_equal(seen.first.ns, START_NS);
	assert_int_equal(seen.last.ns, START_NS + 99 * wire_ns);
	for (int i = 1; i < 50; i++)
		assert_int_equal(seen.priority[i], 5);
	for (int i = 51; i < 100; i++)
		assert_int_equal(seen.priority[i], 2);
}

/* An earlier timestamp counts as the latest one. */
static void test_earlier_timestamp_counts_as_latest(void **state)
{
	struct lab *lab = *state;
	struct netio *io = writer(lab->in[0]);
	struct offline o = {0};
	struct outcome out;
	struct seen seen;

	put_frame(io, 1000, 2, 1, 0, 100);
	put_frame(io, 500, 2, 1, 0, 100);
	io->ops->close(io);
	add(&o, false, "", lab->in[0]);
	add(&o, true, "", lab->out[1]);
	assert_true(run(&o, 1, &plain, &out));
	read_capture(lab->out[1], &seen);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.last.ns, START_NS + 1000);
}

static void test_parses_arguments(void **state)
{
	struct offline o = {0};
	struct link_info link;
	char err[256];

	(void)state;
	assert_true(offline_add_read(&o, "swp10=a", err, sizeof(err)));
	assert_true(offline_add_read(&o, "swp9=b", err, sizeof(err)));
	assert_true(offline_add_write(&o, "swp10=c", err, sizeof(err)));
	assert_int_equal(o.n_ports, 2);
	assert_string_equal(o.ports[0].name, "swp9");
	assert_string_equal(o.ports[1].name, "swp10");
	assert_string_equal(o.ports[1].read_path, "a");
	assert_string_equal(o.ports[1].write_path, "c");
	offline_link(&o, 1, &link);
	assert_int_equal(link.ifindex, 2);
	assert_string_equal(link.name, "swp10");

	assert_false(offline_add_read(&o, "swp9=x", err, sizeof(err)));
	assert_string_equal(err, "x: port swp9 already has a read file: b");
	assert_false(offline_add_write(&o, "swp9=c", err, sizeof(err)));
	assert_string_equal(err, "c: already written by port swp10");
	assert_false(offline_add_read(&o, "a.name.too.long.=x", err, sizeof(err)));
	assert_false(offline_add_read(&o, "=x", err, sizeof(err)));
	assert_false(offline_add_read(&o, "p=", err, sizeof(err)));
	assert_false(offline_add_read(&o, "./a=b", err, sizeof(err)));
}

static void test_reports_bad_files(void **state)
{
	struct lab *lab = *state;
	struct offline o = {0};
	struct outcome out;
	FILE *f;

	add(&o, false, "", lab->in[0]);
	add(&o, true, "", lab->out[1]);
	assert_false(run(&o, 1, &plain, &out)); /* no such file */
	assert_non_null(strstr(out.err, lab->in[0]));
	f = fopen(lab->in[0], "wb");
	assert_non_null(f);
	fputs("this is no capture, and long enough to be looked at", f);
	fclose(f);
	assert_false(run(&o, 1, &plain, &out));
	assert_non_null(strstr(out.err, lab->in[0]));

	/* The file ends within a frame: complete frames are forwarded, the error is reported. */
	random_capture(lab->in[0], 1, 1);
	assert_int_equal(truncate(lab->in[0], 24 + 16 + 10), 0);
	assert_false(run(&o, 1, &plain, &out));
	assert_non_null(strstr(out.err, "port 1: read error"));
	random_capture(lab->in[0], 1, 1);
	o.ports[1].write_path = "/dev/full";
	assert_false(run(&o, 1, &plain, &out));
	assert_non_null(strstr(out.err, "port 2: write error: No space left"));
}

/* The second of three frames was longer than the file has it: no frame is oversize. */
static void test_frame_captured_in_part_is_left_out(void **state)
{
	struct lab *lab = *state;
	struct netio *io = writer(lab->in[0]);
	struct seen seen = {.n = 0};
	uint32_t octets = 1000;
	char err[256] = "";
	FILE *f;

	for (int i = 0; i < 3; i++)
		put_frame(io, i, 3, 1, (uint8_t)i, 100);
	io->ops->close(io);
	f = fopen(lab->in[0], "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, 24 + (16 + 100) + 12, SEEK_SET), 0); /* its length on the wire */
	assert_int_equal(fwrite(&octets, sizeof(octets), 1, f), 1);
	assert_int_equal(fclose(f), 0);
	io = netio_file_open(lab->in[0], NULL, 2048, err, sizeof(err));
	assert_non_null(io);
	assert_int_equal(netio_file_partial(io), 0);
	assert_int_equal(io->ops->recv(io, 8, look, &seen), 2);
	assert_int_equal(netio_file_partial(io), 1);
	assert_int_equal(seen.priority[0], 0);
	assert_int_equal(seen.priority[1], 2);
	assert_true(netio_file_finish(io, err, sizeof(err)));
	io->ops->close(io);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    TEST(test_forwards_from_file_to_file),
	    TEST(test_same_seed_gives_same_output),
	    TEST(test_rate_limit_and_strict_priority),
	    TEST(test_earlier_timestamp_counts_as_latest),
	    cmocka_unit_test(test_parses_arguments),
	    TEST(test_frame_captured_in_part_is_left_out),
	    TEST(test_reports_bad_files),
	};

	return cmocka_run_group_tests_name("offline", tests, NULL, NULL);
}
