/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An SNMP manager for measurements: one v2c session over UDP, one outstanding request.
 * Prints one line of results.
 *
 *   snmp_bench -p PORT -m bulk|next|get|set|walk|rows [-r REPETITIONS] [-t SECONDS]
 *              [-c COMMUNITY] [-v MIN,MAX] [-s SEED] [-P PID]... COLUMN-OID...
 *
 * bulk and next walk the columns in parallel, and start again at the end of the table,
 * until the time has passed. get and set use random instances of the first column, from
 * those that a walk found; set writes Unsigned32 values from MIN to MAX. walk walks the
 * first subtree once by GETBULK, however long it takes. rows prints only the number of
 * instances of each column. The first failed request ends the program.
 *
 * cpu_ns is the processor time of the processes PID for each varbind, in nanoseconds and in
 * the order of the options: without that of this program, and without the walk before get
 * and set.
 */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS_MAX   64
#define SAMPLES_MAX   (1u << 21)
#define INSTANCES_MAX 65536
#define PIDS_MAX      8

struct name {
	oid sub[MAX_OID_LEN];
	size_t len;
};

enum mode { MODE_BULK, MODE_NEXT, MODE_GET, MODE_SET, MODE_WALK, MODE_ROWS };
static const char *const mode_names[] = {"bulk", "next", "get", "set", "walk", "rows"};

struct bench {
	void *session;
	enum mode mode;
	long repetitions;
	double seconds;
	uint32_t set_min, set_max;
	uint64_t rng;

	size_t n_columns;
	struct name column[COLUMNS_MAX];
	struct name at[COLUMNS_MAX]; /* last name of the walk, per column */

	size_t n_instances;
	struct name *instance;

	uint64_t varbinds, requests, rows, walks;
	size_t n_samples;
	float *sample_us;

	size_t n_pids;
	const char *pid[PIDS_MAX];
	uint64_t cpu_ns[PIDS_MAX];
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "snmp_bench: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t next_random(struct bench *b)
{
	b->rng ^= b->rng << 13;
	b->rng ^= b->rng >> 7;
	b->rng ^= b->rng << 17;
	return b->rng;
}

/* --- processor time -------------------------------------------------------- */

static uint64_t thread_ns(const char *pid, const char *tid)
{
	char path[64];
	uint64_t ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/schedstat", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return 0; /* the thread has ended */
	if (fscanf(f, "%" SCNu64, &ns) != 1)
		die("%s: expected a number", path);
	fclose(f);
	return ns;
}

/* Returns the nanoseconds that all threads of the process have run. */
static uint64_t process_ns(const char *pid)
{
	char path[64];
	uint64_t ns = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	dir = opendir(path);
	if (!dir)
		die("process %s has ended", pid);
	for (const struct dirent *d; (d = readdir(dir));) {
		if (d->d_name[0] != '.')
			ns += thread_ns(pid, d->d_name);
	}
	closedir(dir);
	return ns;
}

/* Called before and after the measurement: leaves the differences. */
static void take_cpu(struct bench *b)
{
	for (size_t i = 0; i < b->n_pids; i++)
		b->cpu_ns[i] = process_ns(b->pid[i]) - b->cpu_ns[i];
}

/* --- one request ----------------------------------------------------------- */

static void name_text(const struct name *name, char *buf, size_t size)
{
	snprint_objid(buf, size, name->sub, name->len);
}

/* Sends a request, waits for the response and records the time. The caller frees the response. */
static netsnmp_pdu *ask(struct bench *b, netsnmp_pdu *pdu)
{
	netsnmp_pdu *answer = NULL;
	double start = now_s();
	int rc = snmp_sess_synch_response(b->session, pdu, &answer);

	if (rc != STAT_SUCCESS)
		die("%s: %s", mode_names[b->mode],
		    rc == STAT_TIMEOUT ? "no answer in time" : "session error");
	if (answer->errstat != SNMP_ERR_NOERROR)
		die("%s: the agent answered %s for varbind %ld", mode_names[b->mode],
		    snmp_errstring((int)answer->errstat), answer->errindex);
	if (b->n_samples < SAMPLES_MAX)
		b->sample_us[b->n_samples++] = (float)((now_s() - start) * 1e6);
	b->requests++;
	return answer;
}

static bool is_value(const netsnmp_variable_list *vb)
{
	return vb->type != SNMP_ENDOFMIBVIEW && vb->type != SNMP_NOSUCHINSTANCE &&
	       vb->type != SNMP_NOSUCHOBJECT;
}

static bool in_column(const netsnmp_variable_list *vb, const struct name *column)
{
	return is_value(vb) && vb->name_length > column->len &&
	       memcmp(vb->name, column->sub, column->len * sizeof(oid)) == 0;
}

/* --- walks ----------------------------------------------------------------- */

static netsnmp_pdu *walk_request(struct bench *b)
{
	netsnmp_pdu *pdu =
	    snmp_pdu_create(b->mode == MODE_NEXT ? SNMP_MSG_GETNEXT : SNMP_MSG_GETBULK);

	if (!pdu)
		die("out of memory");
	if (pdu->command == SNMP_MSG_GETBULK) {
		pdu->non_repeaters = 0;
		pdu->max_repetitions = b->repetitions;
	}
	for (size_t c = 0; c < b->n_columns; c++)
		snmp_add_null_var(pdu, b->at[c].sub, b->at[c].len);
	return pdu;
}

/* Sends one request of a walk; calls each() for names of the first column. false: end of table. */
static bool walk_step(struct bench *b, void (*each)(struct bench *, const netsnmp_variable_list *))
{
	netsnmp_pdu *answer = ask(b, walk_request(b));
	bool more = answer->variables;
	size_t c = 0;

	for (netsnmp_variable_list *vb = answer->variables; vb && more; vb = vb->next_variable) {
		if (!in_column(vb, &b->column[c])) {
			more = false;
			break;
		}
		if (snmp_oid_compare(vb->name, vb->name_length, b->at[c].sub, b->at[c].len) <= 0)
			die("OIDs of the response do not increase");
		memcpy(b->at[c].sub, vb->name, vb->name_length * sizeof(oid));
		b->at[c].len = vb->name_length;
		b->varbinds++;
		if (c == 0) {
			b->rows++;
			if (each)
				each(b, vb);
		}
		c = (c + 1) % b->n_columns;
	}
	snmp_free_pdu(answer);
	return more;
}

static void walk_restart(struct bench *b)
{
	memcpy(b->at, b->column, sizeof(b->at));
	b->rows = 0;
}

static void run_one_walk(struct bench *b)
{
	b->n_columns = 1;
	walk_restart(b);
	while (walk_step(b, NULL))
		;
	b->walks = 1;
}

static void run_walks(struct bench *b, double end)
{
	walk_restart(b);
	while (now_s() < end) {
		if (walk_step(b, NULL))
			continue;
		if (b->rows == 0) {
			char text[512];

			name_text(&b->column[0], text, sizeof(text));
			die("%s has no instance", text);
		}
		b->walks++;
		walk_restart(b);
	}
}

/* --- random instances ------------------------------------------------------ */

static void remember(struct bench *b, const netsnmp_variable_list *vb)
{
	struct name *name;

	if (b->n_instances == INSTANCES_MAX)
		return;
	name = &b->instance[b->n_instances++];
	memcpy(name->sub, vb->name, vb->name_length * sizeof(oid));
	name->len = vb->name_length;
}

/* Walks the first column once, by GETBULK in all modes. */
static void find_instances(struct bench *b)
{
	enum mode mode = b->mode;
	size_t n_columns = b->n_columns;

	b->instance = calloc(INSTANCES_MAX, sizeof(*b->instance));
	if (!b->instance)
		die("out of memory");
	b->mode = MODE_BULK;
	b->n_columns = 1;
	walk_restart(b);
	while (walk_step(b, remember))
		;
	b->mode = mode;
	b->n_columns = n_columns;
	b->n_samples = 0;
	b->requests = b->varbinds = 0;
	if (b->n_instances == 0)
		die("no instance of the column to %s", mode_names[mode]);
}

static void get_once(struct bench *b)
{
	const struct name *name = &b->instance[next_random(b) % b->n_instances];
	netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_GET), *answer;

	snmp_add_null_var(pdu, name->sub, name->len);
	answer = ask(b, pdu);
	if (!answer->variables || !is_value(answer->variables))
		die("get: an instance found by a walk no longer exists");
	b->varbinds++;
	snmp_free_pdu(answer);
}

static void set_once(struct bench *b)
{
	const struct name *name = &b->instance[next_random(b) % b->n_instances];
	netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_SET);
	u_long value = b->set_min + next_random(b) % (b->set_max - b->set_min + 1ull);

	snmp_pdu_add_variable(pdu, name->sub, name->len, ASN_UNSIGNED, &value, sizeof(value));
	snmp_free_pdu(ask(b, pdu));
	b->varbinds++;
}

static void run_random(struct bench *b, double end)
{
	while (now_s() < end) {
		if (b->mode == MODE_GET)
			get_once(b);
		else
			set_once(b);
	}
}

/* --- results --------------------------------------------------------------- */

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static double percentile(const struct bench *b, double p)
{
	return (double)b->sample_us[(size_t)(p * (double)(b->n_samples - 1))];
}

static void measure(struct bench *b)
{
	double start, elapsed;

	if (b->mode == MODE_GET || b->mode == MODE_SET)
		find_instances(b);
	take_cpu(b);
	start = now_s();
	if (b->mode == MODE_GET || b->mode == MODE_SET)
		run_random(b, start + b->seconds);
	else if (b->mode == MODE_WALK)
		run_one_walk(b);
	else
		run_walks(b, start + b->seconds);
	elapsed = now_s() - start;
	take_cpu(b);
	if (b->varbinds == 0)
		die("no request completed in %.3f s", b->seconds);
	qsort(b->sample_us, b->n_samples, sizeof(float), compare_floats);
	printf("mode=%s columns=%zu requests=%" PRIu64 " varbinds=%" PRIu64 " walks=%" PRIu64
	       " seconds=%.3f vbps=%.0f p50_us=%.1f p99_us=%.1f max_us=%.1f",
	       mode_names[b->mode], b->n_columns, b->requests, b->varbinds, b->walks, elapsed,
	       (double)b->varbinds / elapsed, percentile(b, 0.5), percentile(b, 0.99),
	       percentile(b, 1.0));
	for (size_t i = 0; i < b->n_pids; i++)
		printf("%s%.1f", i ? "," : " cpu_ns=", (double)b->cpu_ns[i] / (double)b->varbinds);
	putchar('\n');
}

static void count_rows(struct bench *b)
{
	size_t n = b->n_columns;

	b->n_columns = 1;
	for (size_t c = 0; c < n; c++) {
		b->column[0] = b->column[c];
		walk_restart(b);
		while (walk_step(b, NULL))
			;
		printf("%s%" PRIu64, c ? " " : "", b->rows);
	}
	putchar('\n');
}

/* --- start ----------------------------------------------------------------- */

static void *open_session(const char *port, const char *community)
{
	netsnmp_session session;
	char peer[64];
	void *handle;

	/* The host's snmp.conf must not affect the measurement. */
	setenv("MIBS", "", 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
	netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
	netsnmp_ds_set_int(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_OID_OUTPUT_FORMAT,
			   NETSNMP_OID_OUTPUT_NUMERIC);
	init_snmp("snmp_bench");
	snmp_sess_init(&session);
	snprintf(peer, sizeof(peer), "udp:127.0.0.1:%s", port);
	session.version = SNMP_VERSION_2c;
	session.peername = peer;
	session.community = (u_char *)(uintptr_t)community;
	session.community_len = strlen(community);
	session.timeout = 5 * 1000 * 1000;
	session.retries = 0;
	handle = snmp_sess_open(&session);
	if (!handle)
		die("cannot open a session to %s", peer);
	return handle;
}

static enum mode parse_mode(const char *text)
{
	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++) {
		if (strcmp(text, mode_names[i]) == 0)
			return (enum mode)i;
	}
	die("-m %s: expected bulk, next, get, set, walk or rows", text);
}

static void add_pid(struct bench *b, const char *text)
{
	if (b->n_pids == PIDS_MAX)
		die("more than %d processes", PIDS_MAX);
	b->pid[b->n_pids++] = text;
}

static void add_column(struct bench *b, const char *text)
{
	struct name *name = &b->column[b->n_columns];

	if (b->n_columns == COLUMNS_MAX)
		die("more than %d columns", COLUMNS_MAX);
	name->len = MAX_OID_LEN;
	if (!read_objid(text, name->sub, &name->len))
		die("%s: expected a numeric OID", text);
	b->n_columns++;
}

int main(int argc, char **argv)
{
	struct bench b = {.mode = MODE_BULK,
			  .repetitions = 50,
			  .seconds = 1.0,
			  .set_max = UINT32_MAX,
			  .rng = 8021};
	const char *port = NULL, *community = "public";
	int opt;

	while ((opt = getopt(argc, argv, "p:m:r:t:c:v:s:P:")) != -1) {
		switch (opt) {
		case 'p':
			port = optarg;
			break;
		case 'm':
			b.mode = parse_mode(optarg);
			break;
		case 'r':
			b.repetitions = atol(optarg);
			break;
		case 't':
			b.seconds = atof(optarg);
			break;
		case 'c':
			community = optarg;
			break;
		case 'v':
			if (sscanf(optarg, "%" SCNu32 ",%" SCNu32, &b.set_min, &b.set_max) != 2 ||
			    b.set_min > b.set_max)
				die("-v %s: expected MIN,MAX", optarg);
			break;
		case 's':
			b.rng = strtoull(optarg, NULL, 0) | 1;
			break;
		case 'P':
			add_pid(&b, optarg);
			break;
		default:
			return 2;
		}
	}
	if (!port || optind == argc)
		die("expected -p PORT and at least one column");
	b.session = open_session(port, community);
	for (; optind < argc; optind++)
		add_column(&b, argv[optind]);
	b.sample_us = malloc(SAMPLES_MAX * sizeof(float));
	if (!b.sample_us)
		die("out of memory");
	if (b.mode == MODE_ROWS)
		count_rows(&b);
	else
		measure(&b);
	snmp_sess_close(b.session);
	free(b.sample_us);
	free(b.instance);
	return 0;
}
