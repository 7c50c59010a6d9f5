/* SPDX-License-Identifier: BSD-3-Clause */
/* dcb-pfcgen without a network: options, plan, frames sent, report. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "agent/pfcgen/pfcgen.h"
#include "tests/unit/unit.h"

#define US DCB_NS_PER_US

static const struct pfc_port port = {
    .ifname = "eth0", .address = {2, 0, 0, 0, 0, 9}, .speed = {UINT64_C(10000000000)}};

static bool take(struct pfcgen_options *o, int c, const char *arg)
{
	char err[256];

	return pfcgen_option(o, c, arg, err, sizeof(err));
}

static void expect_refusal(int c, const char *arg, const char *want)
{
	struct pfcgen_options o = {0};
	char err[256] = "";

	assert_false(pfcgen_option(&o, c, arg, err, sizeof(err)));
	assert_string_equal(err, want);
}

/* --- options ------------------------------------------------------------------------- */

static void test_parses_times(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1: refused */
	} times[] = {
	    {"84us", 84000},
	    {"1us", 1000},
	    {"1000ns", 1000},
	    {"1.5ms", 1500000},
	    {"60s", 60 * DCB_NS_PER_S},
	    {"0.084ms", 84000},
	    {"999ns", -1},
	    {"60.1s", -1},
	    {"84", -1},
	    {"us", -1},
	    {"", -1},
	    {"-84us", -1},
	    {"84 us", -1},
	    {"84usx", -1},
	    {"84m", -1},
	    {"1e3us", -1},
	    {".5ms", -1},
	    {"0x10us", -1},
	    {"infs", -1},
	    {"nans", -1},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(times); i++) {
		int64_t ns = -1;
		bool good = pfcgen_parse_time(times[i].text, PACE_INTERVAL_MIN_NS,
					      PACE_INTERVAL_MAX_NS, &ns);

		if (good != (times[i].ns >= 0) || ns != times[i].ns)
			fail_msg("\"%s\" is %lld ns", times[i].text, (long long)ns);
	}
}

static void test_parses_priorities(void **state)
{
	static const struct {
		const char *text;
		int enable; /* -1: refused */
		int has_time;
	} lists[] = {
	    {"3", 0x08, 0},
	    {"3,4", 0x18, 0},
	    {"0-7", 0xff, 0},
	    {"all", 0xff, 0},
	    {"all:0", 0xff, 0xff},
	    {"5-6:1000,3", 0x68, 0x60},
	    {"3:65535,4:0", 0x18, 0x18},
	    {"7-7", 0x80, 0},
	    {"8", -1, 0},
	    {"3:65536", -1, 0},
	    {"3,3", -1, 0},
	    {"all,3", -1, 0},
	    {"3,", -1, 0},
	    {",3", -1, 0},
	    {"", -1, 0},
	    {"6-5", -1, 0},
	    {"3-", -1, 0},
	    {"3:", -1, 0},
	    {"-3", -1, 0},
	    {"3 4", -1, 0},
	    {"3:1000us", -1, 0},
	    {"alle", -1, 0},
	    {"18446744073709551619", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(lists); i++) {
		struct pfcgen_options o = {0};
		bool good = take(&o, 'p', lists[i].text);

		if (good != (lists[i].enable >= 0) ||
		    (good && (o.enable != lists[i].enable || o.has_time != lists[i].has_time)))
			fail_msg("\"%s\": %02x, %02x", lists[i].text, o.enable, o.has_time);
	}
}

/* -p given twice is one list. */
static void test_priority_lists_add_up(void **state)
{
	struct pfcgen_options o = {0};

	(void)state;
	assert_true(take(&o, 'p', "3"));
	assert_true(take(&o, 'p', "4:7"));
	assert_int_equal(o.enable, 0x18);
	assert_int_equal(o.time[4], 7);
	assert_false(take(&o, 'p', "4"));
}

static void test_bad_arguments_are_explained(void **state)
{
	(void)state;
	expect_refusal('p', "8",
		       "-p: expected priorities 0..7, each once, such as 3 or 3,5-6 or all, with "
		       "0..65535 quanta such as 3:1000, not \"8\"");
	expect_refusal('q', "65536", "-q: expected 0..65535 quanta, not \"65536\"");
	expect_refusal('q', "-1", "-q: expected 0..65535 quanta, not \"-1\"");
	expect_refusal('i', "84",
		       "-i: expected 1us..60s with a unit, such as 84us or 1.5ms, not \"84\"");
	expect_refusal('t', "0s",
		       "-t: expected 1us..31536000s with a unit, such as 500ms or 10s, not "
		       "\"0s\"");
	expect_refusal('c', "0", "-c: expected a number of frames, at least 1, not \"0\"");
	expect_refusal('w', "spin", "-w: expected auto, busy or sleep, not \"spin\"");
	expect_refusal('a', "01:80:c2:00:00:01",
		       "-a: expected an individual MAC address such as 02:00:00:00:00:01, not "
		       "\"01:80:c2:00:00:01\"");
	expect_refusal('a', "02:00:00:00:00",
		       "-a: expected an individual MAC address such as 02:00:00:00:00:01, not "
		       "\"02:00:00:00:00\"");
}

static void test_parses_other_options(void **state)
{
	static const uint8_t source[] = {2, 0, 0xab, 0, 0, 1};
	struct pfcgen_options o = {0};

	(void)state;
	assert_true(take(&o, 'q', "0") && o.has_quanta && o.quanta == 0);
	assert_true(take(&o, 'i', "84us") && o.interval_ns == 84 * US);
	assert_true(take(&o, 't', "10s") && o.duration_ns == 10 * DCB_NS_PER_S);
	assert_true(take(&o, 'c', "5") && o.count == 5);
	assert_true(take(&o, 'w', "busy") && o.wait == PACE_AWAKE);
	assert_true(take(&o, 'w', "sleep") && o.wait == PACE_ASLEEP);
	assert_true(take(&o, 'w', "auto") && o.wait == PACE_ADAPT);
	assert_true(take(&o, 'X', NULL) && o.no_xon);
	assert_true(take(&o, 'a', "02-00-aB-00-00-01") && o.has_source);
	assert_memory_equal(o.source, source, sizeof(source));
}

/* Every long option has a short one with the same argument. */
static void test_long_options_match_short_ones(void **state)
{
	const char *p = PFCGEN_OPTIONS;
	unsigned n = 0;

	(void)state;
	for (const struct option *o = pfcgen_long_options; o->name; o++, n++) {
		const char *c = strchr(p, o->val);

		assert_non_null(c);
		assert_int_equal(c[1] == ':', o->has_arg == required_argument);
	}
	for (; *p; p++)
		n -= *p != ':';
	assert_int_equal(n, 0);
}

/* --- plan ---------------------------------------------------------------------------- */

static void test_plan_has_frames_and_interval(void **state)
{
	struct pfcgen_options o = {0};
	struct pfc_plan plan;
	struct pfc_pdu pdu;

	(void)state;
	take(&o, 'p', "3,4:1000,5:0");
	pfcgen_plan(&o, &port, &plan);
	assert_int_equal(pfc_pdu_decode(plan.xoff, sizeof(plan.xoff), &pdu), PFC_PDU_OK);
	assert_int_equal(pdu.enable, 0x38);
	assert_int_equal(pdu.time[3], 65535);
	assert_int_equal(pdu.time[4], 1000);
	assert_int_equal(pdu.time[5], 0);
	assert_memory_equal(pdu.source, port.address, sizeof(pdu.source));
	/* XON names all priorities of the plan, those with a time of 0 too. */
	assert_int_equal(pfc_pdu_decode(plan.xon, sizeof(plan.xon), &pdu), PFC_PDU_OK);
	assert_int_equal(pdu.enable, 0x38);
	assert_int_equal(pdu.time[3] | pdu.time[4] | pdu.time[5], 0);
	assert_true(plan.end_with_xon);
	/* 1000 quanta of 512 bits at 10 Gb/s; the interval is half of that. */
	assert_int_equal(plan.pause_ns, 51200);
	assert_int_equal(plan.pace.lapse_ns, 51200);
	assert_int_equal(plan.pace.interval_ns, 25600);
	assert_ptr_equal(plan.pace.frame, plan.xoff);
	assert_int_equal(plan.pace.octets, PFC_FRAME_OCTETS);
}

static void test_interval_is_half_of_shortest_pause(void **state)
{
	static const struct {
		const char *priorities;
		uint64_t gbps;
		int64_t pause_ns, interval_ns;
	} plans[] = {
	    {"all", 400, 83885, 41942},        {"all", 0, 3355392, 1677696},
	    {"3:1", 100, 6, 10 * US},          {"3:0", 10, 0, DCB_NS_PER_MS},
	    {"0:65535,7:2", 10, 103, 10 * US},
	};

	(void)state;
	for (size_t i = 0; i < UNIT_COUNT(plans); i++) {
		struct pfc_port at = port;
		struct pfcgen_options o = {0};
		struct pfc_plan plan;

		at.speed.bps = plans[i].gbps * 1000000000u;
		take(&o, 'p', plans[i].priorities);
		pfcgen_plan(&o, &at, &plan);
		assert_int_equal(plan.pause_ns, plans[i].pause_ns);
		assert_int_equal(plan.pace.interval_ns, plans[i].interval_ns);
		take(&o, 'i', "84us");
		pfcgen_plan(&o, &at, &plan);
		assert_int_equal(plan.pace.interval_ns, 84 * US);
	}
}

static void test_plan_of_all_priorities(void **state)
{
	struct pfcgen_options o = {0};
	struct pfc_plan plan;

	(void)state;
	take(&o, 'p', "all");
	take(&o, 'q', "7");
	take(&o, 'a', "02:00:00:00:00:77");
	take(&o, 'X', NULL);
	pfcgen_plan(&o, &port, &plan);
	assert_int_equal(plan.pdu.enable, 0xff);
	for (unsigned n = 0; n < DCB_PRIORITIES; n++)
		assert_int_equal(plan.pdu.time[n], 7);
	assert_int_equal(plan.pdu.source[5], 0x77);
	assert_false(plan.end_with_xon);
}

/* --- sending ------------------------------------------------------------------------- */

static struct {
	struct dcb_time now;
	unsigned n;
	uint8_t frames[16][PFC_FRAME_OCTETS];
	int error;
	unsigned error_from;
} fake;

static struct dcb_time fake_now(void *ctx)
{
	(void)ctx;
	fake.now.ns += 50;
	return fake.now;
}

static void fake_sleep(void *ctx, struct dcb_time when)
{
	(void)ctx;
	fake.now = when;
}

static int fake_send(void *ctx, const uint8_t *frame, size_t octets)
{
	(void)ctx;
	assert_int_equal(octets, PFC_FRAME_OCTETS);
	memcpy(fake.frames[fake.n++ % 16], frame, octets);
	return fake.error_from && fake.n >= fake.error_from ? fake.error : 0;
}

static bool fake_stopped(void *ctx)
{
	(void)ctx;
	return false;
}

static const struct pace_host host = {
    .now = fake_now, .sleep_until = fake_sleep, .send = fake_send, .stopped = fake_stopped};

static struct pfc_outcome outcome;
static struct pfc_plan plan;

static void send_with(bool xon, int error, unsigned error_from)
{
	struct pfcgen_options o = {.no_xon = !xon};

	memset(&fake, 0, sizeof(fake));
	fake.error = error;
	fake.error_from = error_from;
	take(&o, 'p', "3:1000,4");
	take(&o, 'i', "20us");
	take(&o, 'c', "5");
	pfcgen_plan(&o, &port, &plan);
	pfcgen_run(&plan, &host, &outcome);
}

static void test_xon_follows_the_frames(void **state)
{
	(void)state;
	send_with(true, 0, 0);
	assert_int_equal(fake.n, 6);
	for (unsigned i = 0; i < 5; i++)
		assert_memory_equal(fake.frames[i], plan.xoff, PFC_FRAME_OCTETS);
	assert_memory_equal(fake.frames[5], plan.xon, PFC_FRAME_OCTETS);
	assert_int_equal(outcome.pace.frames, 5);
	assert_true(outcome.xon_sent);

	send_with(false, 0, 0);
	assert_int_equal(fake.n, 5);
	assert_false(outcome.xon_sent);
	assert_int_equal(outcome.xon_error, 0);

	/* Frames were sent before the error: XON is tried. */
	send_with(true, ENETDOWN, 3);
	assert_int_equal(fake.n, 4);
	assert_int_equal(outcome.pace.error, ENETDOWN);
	assert_int_equal(outcome.xon_error, ENETDOWN);

	/* No frame was sent: no XON. */
	send_with(true, ENETDOWN, 1);
	assert_int_equal(fake.n, 1);
}

/* --- report -------------------------------------------------------------------------- */

static char *reported(void (*fn)(FILE *, const struct pfc_port *, const struct pfc_plan *,
				 const struct pfc_outcome *))
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fn(f, &port, &plan, &outcome);
	fclose(f);
	return text;
}

static void make_outcome(void)
{
	send_with(true, 0, 0);
	outcome.pace.late = 1;
	outcome.pace.missed = 2;
	outcome.pace.refused = 3;
	outcome.pace.lapses = 4;
	outcome.pace.sleeps = 6;
	outcome.pace.elapsed_ns = 100001;
	memset(&outcome.pace.intervals, 0, sizeof(outcome.pace.intervals));
	for (int64_t ns = 401; ns <= 500; ns++)
		histogram_add(&outcome.pace.intervals, ns);
}

static void test_report_text(void **state)
{
	char *text;

	(void)state;
	make_outcome();
	text = reported(pfcgen_report_text);
	assert_string_equal(text,
			    "interface   eth0\n"
			    "priorities  3:1000 4:65535\n"
			    "pause       51.200 us\n"
			    "interval    20.000 us\n"
			    "min         0.401 us\n"
			    "median      0.450 us\n"
			    "p99         0.499 us\n"
			    "max         0.500 us\n"
			    "frames      5\n"
			    "late        1\n"
			    "missed      2\n"
			    "lapsed      4\n"
			    "refused     3\n"
			    "elapsed     100.001 us\n"
			    "xon         sent\n");
	free(text);
	/* No intervals if one frame was sent. */
	memset(&outcome.pace.intervals, 0, sizeof(outcome.pace.intervals));
	outcome.xon_sent = false;
	text = reported(pfcgen_report_text);
	assert_null(strstr(text, "median"));
	assert_non_null(strstr(text, "xon         not sent\n"));
	free(text);
}

static void test_report_json(void **state)
{
	json_error_t error;
	char *text, *compact;
	json_t *j;

	(void)state;
	make_outcome();
	text = reported(pfcgen_report_json);
	j = json_loads(text, 0, &error);
	assert_non_null(j);
	compact = json_dumps(j, JSON_COMPACT);
	assert_string_equal(
	    compact,
	    "[{\"version\":1,\"interface\":\"eth0\",\"source\":\"02-00-00-00-00-09\",\"speed_bps\":"
	    "10000000000,"
	    "\"priorities\":[{\"priority\":3,\"quanta\":1000},{\"priority\":4,\"quanta\":65535}],"
	    "\"pause_ns\":51200,\"interval_ns\":20000,"
	    "\"intervals\":{\"min_ns\":401,\"median_ns\":450,\"p99_ns\":499,\"max_ns\":500},"
	    "\"frames\":5,\"late\":1,\"missed\":2,\"lapsed\":4,\"refused\":3,\"sleeps\":6,"
	    "\"elapsed_ns\":100001,\"xon\":true}]");
	free(compact);
	free(text);
	json_decref(j);
	memset(&outcome.pace.intervals, 0, sizeof(outcome.pace.intervals));
	text = reported(pfcgen_report_json);
	assert_non_null(strstr(text, "\"intervals\": null"));
	free(text);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parses_times),
	    cmocka_unit_test(test_parses_priorities),
	    cmocka_unit_test(test_priority_lists_add_up),
	    cmocka_unit_test(test_bad_arguments_are_explained),
	    cmocka_unit_test(test_parses_other_options),
	    cmocka_unit_test(test_long_options_match_short_ones),
	    cmocka_unit_test(test_plan_has_frames_and_interval),
	    cmocka_unit_test(test_interval_is_half_of_shortest_pause),
	    cmocka_unit_test(test_plan_of_all_priorities),
	    cmocka_unit_test(test_xon_follows_the_frames),
	    cmocka_unit_test(test_report_text),
	    cmocka_unit_test(test_report_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
