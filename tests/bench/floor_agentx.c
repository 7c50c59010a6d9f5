/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The floor: a minimal subagent, for comparison. Implements AgentX (RFC 2741) over the
 * master's unix socket without a library: Open, Register, then Get, GetNext and SETs on
 * a sorted array in memory. It does not reconnect, checks no values and has one table;
 * the difference to another subagent is the cost of that subagent's functions.
 *
 *   floor_agentx -x SOCKET -n ROWS [-o TABLE-OID]
 *
 * The table: entry TABLE.1, columns 2..11 (even: Counter64, odd: Unsigned32),
 * four index parts. It calls poll(2) before every read, as a program with several
 * descriptors has to. A blocking read saves this system call, but was measured a fifth
 * slower: on one core, poll() wakes the subagent later, when the master sleeps already.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define OID_MAX      128
#define INDEX_LEN    4
#define COLUMN_FIRST 2
#define COLUMNS      10
#define PDU_MAX      65536
#define SET_MAX      64

enum pdu_type {
	PDU_OPEN = 1,
	PDU_CLOSE = 2,
	PDU_REGISTER = 3,
	PDU_GET = 5,
	PDU_GETNEXT = 6,
	PDU_TESTSET = 8,
	PDU_COMMITSET = 9,
	PDU_UNDOSET = 10,
	PDU_CLEANUPSET = 11,
	PDU_RESPONSE = 18,
};

enum vb_type {
	VB_INTEGER = 2,
	VB_COUNTER32 = 65,
	VB_GAUGE32 = 66,
	VB_TIMETICKS = 67,
	VB_COUNTER64 = 70,
	VB_NO_SUCH_OBJECT = 128,
	VB_NO_SUCH_INSTANCE = 129,
	VB_END_OF_MIB_VIEW = 130,
};

enum { ERR_GENERR = 5, ERR_WRONG_TYPE = 7, ERR_NO_CREATION = 11 };

struct header {
	uint8_t version, type, flags, reserved;
	uint32_t session_id, transaction_id, packet_id, payload_length;
};

struct oid {
	unsigned len;
	bool include;
	uint32_t sub[OID_MAX];
};

struct row {
	uint32_t index[INDEX_LEN];
	uint64_t value[COLUMNS];
};

struct change {
	uint64_t *where;
	uint64_t value;
};

static struct {
	int fd;
	uint32_t session_id;
	struct oid entry;
	size_t n_rows;
	struct row *rows;
	size_t n_changes;
	struct change changes[SET_MAX];
	uint8_t in[PDU_MAX + sizeof(struct header)], out[PDU_MAX + sizeof(struct header)];
	size_t in_len, out_len;
} agent;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "floor_agentx: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

/* --- table ----------------------------------------------------------------- */

static void make_rows(size_t n)
{
	agent.rows = calloc(n, sizeof(*agent.rows));
	if (!agent.rows)
		die("out of memory for %zu rows", n);
	agent.n_rows = n;
	for (size_t i = 0; i < n; i++) {
		struct row *row = &agent.rows[i];

		row->index[0] = 1;
		row->index[1] = (uint32_t)(i / 64) + 1;
		row->index[2] = (uint32_t)(i / 8 % 8);
		row->index[3] = (uint32_t)(i % 8);
		for (unsigned c = 0; c < COLUMNS; c++)
			row->value[c] = i * COLUMNS + c;
	}
}

static int compare_subs(const uint32_t *a, unsigned a_len, const uint32_t *b, unsigned b_len)
{
	unsigned n = a_len < b_len ? a_len : b_len;

	for (unsigned i = 0; i < n; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return (a_len > b_len) - (a_len < b_len);
}

/* Returns the first row whose index is greater than the suffix, or equal if "equal" is true. */
static size_t find_row(const uint32_t *suffix, unsigned len, bool equal)
{
	size_t low = 0, high = agent.n_rows;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int cmp = compare_subs(agent.rows[mid].index, INDEX_LEN, suffix, len);

		if (cmp < 0 || (cmp == 0 && !equal))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct cell {
	unsigned column; /* from 0 */
	size_t row;
};

/* Finds the cell of an OID. Returns VB_NO_SUCH_... if there is none. */
static int find_cell(const struct oid *name, struct cell *cell)
{
	unsigned n = agent.entry.len;

	if (name->len <= n || compare_subs(name->sub, n, agent.entry.sub, n) != 0 ||
	    name->sub[n] < COLUMN_FIRST || name->sub[n] >= COLUMN_FIRST + COLUMNS)
		return VB_NO_SUCH_OBJECT;
	if (name->len != n + 1 + INDEX_LEN)
		return VB_NO_SUCH_INSTANCE;
	cell->column = name->sub[n] - COLUMN_FIRST;
	cell->row = find_row(name->sub + n + 1, INDEX_LEN, true);
	if (cell->row == agent.n_rows ||
	    compare_subs(agent.rows[cell->row].index, INDEX_LEN, name->sub + n + 1, INDEX_LEN) != 0)
		return VB_NO_SUCH_INSTANCE;
	return 0;
}

/* Finds the first cell after an OID. Returns false if there is none. */
static bool find_next(const struct oid *name, struct cell *cell)
{
	unsigned n = agent.entry.len;
	unsigned common = name->len < n ? name->len : n;
	int cmp = compare_subs(name->sub, common, agent.entry.sub, common);

	cell->column = 0;
	cell->row = 0;
	if (cmp > 0)
		return false;
	if (cmp < 0 || name->len <= n || name->sub[n] < COLUMN_FIRST)
		return true;
	cell->column = name->sub[n] - COLUMN_FIRST;
	if (cell->column >= COLUMNS)
		return false;
	cell->row = find_row(name->sub + n + 1, name->len - n - 1, name->include);
	if (cell->row < agent.n_rows)
		return true;
	cell->row = 0;
	return ++cell->column < COLUMNS;
}

/* --- encoding, in host byte order: the master uses the same order ------------ */

static void put(const void *data, size_t len)
{
	memcpy(agent.out + agent.out_len, data, len);
	agent.out_len += len;
}

static void put8(uint8_t v)
{
	agent.out[agent.out_len++] = v;
}

static void put16(uint16_t v)
{
	put(&v, sizeof(v));
}

static void put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void begin(enum pdu_type type, const struct header *request)
{
	struct header h = {.version = 1, .type = (uint8_t)type, .session_id = agent.session_id};

	if (request) {
		h.transaction_id = request->transaction_id;
		h.packet_id = request->packet_id;
	}
	agent.out_len = 0;
	put(&h, sizeof(h));
}

static void send_pdu(void)
{
	uint32_t len = (uint32_t)(agent.out_len - sizeof(struct header));
	size_t done = 0;

	memcpy(agent.out + offsetof(struct header, payload_length), &len, sizeof(len));
	while (done < agent.out_len) {
		ssize_t n = send(agent.fd, agent.out + done, agent.out_len - done, MSG_NOSIGNAL);

		if (n < 0)
			die("send to the master: %m");
		done += (size_t)n;
	}
}

/* Compressed, RFC 2741 5.1: 1.3.6.1.x takes no octets but the prefix field. */
static void put_oid(const uint32_t *sub, unsigned len)
{
	static const uint32_t internet[] = {1, 3, 6, 1};
	bool prefix = len > 4 && memcmp(sub, internet, sizeof(internet)) == 0 && sub[4] < 256;
	unsigned skip = prefix ? 5 : 0;

	put8((uint8_t)(len - skip));
	put8(prefix ? (uint8_t)sub[4] : 0);
	put16(0);
	put(sub + skip, (len - skip) * sizeof(*sub));
}

static void put_exception(enum vb_type type, const struct oid *name)
{
	put16(type);
	put16(0);
	put_oid(name->sub, name->len);
}

static void put_cell(const struct cell *cell)
{
	const struct row *row = &agent.rows[cell->row];
	uint32_t name[OID_MAX];
	unsigned n = agent.entry.len;
	bool wide = (cell->column + COLUMN_FIRST) % 2 == 0;

	memcpy(name, agent.entry.sub, n * sizeof(*name));
	name[n++] = cell->column + COLUMN_FIRST;
	memcpy(name + n, row->index, sizeof(row->index));
	put16(wide ? VB_COUNTER64 : VB_GAUGE32);
	put16(0);
	put_oid(name, n + INDEX_LEN);
	put(&row->value[cell->column], wide ? sizeof(uint64_t) : sizeof(uint32_t));
}

/* --- decoding ---------------------------------------------------------------- */

struct reader {
	const uint8_t *at;
	size_t left;
};

static void take(struct reader *r, void *to, size_t len)
{
	if (r->left < len)
		die("truncated PDU from the master");
	memcpy(to, r->at, len);
	r->at += len;
	r->left -= len;
}

static uint32_t take32(struct reader *r)
{
	uint32_t v;

	take(r, &v, sizeof(v));
	return v;
}

static void take_oid(struct reader *r, struct oid *oid)
{
	uint8_t head[4]; /* n_subid, prefix, include, reserved */
	unsigned n = 0;

	take(r, head, sizeof(head));
	if (head[0] + 5u > OID_MAX)
		die("the master sent an OID of %u sub-identifiers", head[0]);
	if (head[1]) {
		static const uint32_t internet[] = {1, 3, 6, 1};

		memcpy(oid->sub, internet, sizeof(internet));
		oid->sub[4] = head[1];
		n = 5;
	}
	oid->include = head[2];
	oid->len = n + head[0];
	take(r, oid->sub + n, head[0] * sizeof(*oid->sub));
}

/* --- requests ---------------------------------------------------------------- */

static void begin_response(const struct header *request, uint16_t error, uint16_t index)
{
	begin(PDU_RESPONSE, request);
	put32(0); /* sysUpTime */
	put16(error);
	put16(index);
}

static void answer_read(const struct header *request, struct reader *r)
{
	struct oid start, end;
	struct cell cell;

	begin_response(request, 0, 0);
	while (r->left) {
		take_oid(r, &start);
		take_oid(r, &end);
		/* Longest varbind: five words for type, name header and value, and sub-identifiers.
		 */
		if (agent.out_len + (OID_MAX + 5) * sizeof(uint32_t) > sizeof(agent.out)) {
			begin_response(request, ERR_GENERR, 0);
			break;
		}
		if (request->type == PDU_GET) {
			int none = find_cell(&start, &cell);

			if (none)
				put_exception((enum vb_type)none, &start);
			else
				put_cell(&cell);
		} else if (find_next(&start, &cell)) {
			put_cell(&cell);
		} else {
			put_exception(VB_END_OF_MIB_VIEW, &start);
		}
	}
	send_pdu();
}

static uint64_t take_integer(struct reader *r, uint16_t type, bool *ok)
{
	uint64_t wide = 0;

	*ok = true;
	switch (type) {
	case VB_INTEGER:
	case VB_COUNTER32:
	case VB_GAUGE32:
	case VB_TIMETICKS:
		return take32(r);
	case VB_COUNTER64:
		take(r, &wide, sizeof(wide));
		return wide;
	default:
		*ok = false;
		return 0;
	}
}

static uint16_t test_varbind(struct reader *r)
{
	struct change *change = &agent.changes[agent.n_changes];
	struct cell cell;
	struct oid name;
	uint16_t type[2];
	bool ok;

	take(r, type, sizeof(type));
	take_oid(r, &name);
	change->value = take_integer(r, type[0], &ok);
	if (!ok)
		return ERR_WRONG_TYPE;
	if (agent.n_changes + 1 == SET_MAX)
		return ERR_GENERR;
	if (find_cell(&name, &cell))
		return ERR_NO_CREATION;
	change->where = &agent.rows[cell.row].value[cell.column];
	agent.n_changes++;
	return 0;
}

static void answer_test(const struct header *request, struct reader *r)
{
	uint16_t error = 0, index = 0;

	agent.n_changes = 0;
	while (r->left && !error) {
		index++;
		error = test_varbind(r);
	}
	begin_response(request, error, error ? index : 0);
	send_pdu();
}

/* Exchanges old and new values: for CommitSet and UndoSet. */
static void answer_swap(const struct header *request)
{
	for (size_t i = 0; i < agent.n_changes; i++) {
		struct change *change = &agent.changes[i];
		uint64_t old = *change->where;

		*change->where = change->value;
		change->value = old;
	}
	begin_response(request, 0, 0);
	send_pdu();
}

static void answer(const struct header *request, const uint8_t *payload)
{
	struct reader r = {payload, request->payload_length};

	if (request->version != 1 || request->flags & 0x10)
		die("the master answered in another byte order");
	if (request->flags & 0x08)
		die("PDU with a context: not supported");
	switch (request->type) {
	case PDU_GET:
	case PDU_GETNEXT:
		answer_read(request, &r);
		break;
	case PDU_TESTSET:
		answer_test(request, &r);
		break;
	case PDU_COMMITSET:
	case PDU_UNDOSET:
		answer_swap(request);
		break;
	case PDU_CLEANUPSET:
		agent.n_changes = 0;
		break;
	case PDU_CLOSE:
		exit(0);
	case PDU_RESPONSE:
		break;
	default:
		die("the master sent a PDU of type %u", request->type);
	}
}

/* --- session ----------------------------------------------------------------- */

static void read_more(void)
{
	struct pollfd pfd = {agent.fd, POLLIN, 0};
	ssize_t n;

	if (poll(&pfd, 1, -1) < 0)
		die("poll: %m");
	n = recv(agent.fd, agent.in + agent.in_len, sizeof(agent.in) - agent.in_len, 0);
	if (n < 0)
		die("recv from the master: %m");
	if (n == 0)
		exit(0); /* the master closed the session */
	agent.in_len += (size_t)n;
}

/* Waits for one PDU, calls use(), and removes the PDU from the buffer. */
static void next_pdu(void (*use)(const struct header *, const uint8_t *))
{
	struct header h;
	size_t len;

	while (agent.in_len < sizeof(h))
		read_more();
	memcpy(&h, agent.in, sizeof(h));
	if (h.payload_length > PDU_MAX)
		die("the master sent a PDU of %" PRIu32 " octets", h.payload_length);
	len = sizeof(h) + h.payload_length;
	while (agent.in_len < len)
		read_more();
	use(&h, agent.in + sizeof(h));
	agent.in_len -= len;
	memmove(agent.in, agent.in + len, agent.in_len);
}

static void expect_success(const struct header *h, const uint8_t *payload)
{
	uint16_t error;

	if (h->type != PDU_RESPONSE || h->payload_length < 8)
		die("the master answered Open or Register with a PDU of type %u", h->type);
	memcpy(&error, payload + 4, sizeof(error));
	if (error)
		die("the master refused Open or Register: error %u", error);
	agent.session_id = h->session_id;
}

static void open_session(const char *path)
{
	static const char description[] = "floor"; /* 5 octets, padded to 8 */
	struct sockaddr_un sun = {.sun_family = AF_UNIX};

	if (snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path) >= (int)sizeof(sun.sun_path))
		die("%s: too long for a socket", path);
	agent.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (agent.fd < 0 || connect(agent.fd, (struct sockaddr *)&sun, sizeof(sun)) < 0)
		die("%s: %m", path);
	begin(PDU_OPEN, NULL);
	put32(0); /* timeout: the master's default */
	put_oid(agent.entry.sub, agent.entry.len - 1);
	put32(sizeof(description) - 1);
	put(description, sizeof(description) - 1);
	put("\0\0", 3);
	send_pdu();
	next_pdu(expect_success);
	begin(PDU_REGISTER, NULL);
	put8(0);   /* timeout */
	put8(127); /* priority */
	put16(0);  /* no range */
	put_oid(agent.entry.sub, agent.entry.len - 1);
	send_pdu();
	next_pdu(expect_success);
}

static void parse_table(const char *text)
{
	struct oid *oid = &agent.entry;
	char *end;

	for (;;) {
		oid->sub[oid->len++] = (uint32_t)strtoul(text, &end, 10);
		if (end == text || (*end && *end != '.') || oid->len > OID_MAX - 2 - INDEX_LEN)
			die("-o: expected a numeric OID");
		if (!*end)
			break;
		text = end + 1;
	}
	oid->sub[oid->len++] = 1;
}

int main(int argc, char **argv)
{
	const char *path = NULL, *table = "1.3.6.1.4.1.8072.9999.9999.99";
	unsigned long n = 4096;
	int opt;

	while ((opt = getopt(argc, argv, "x:n:o:")) != -1) {
		switch (opt) {
		case 'x':
			path = optarg;
			break;
		case 'n':
			n = strtoul(optarg, NULL, 10);
			break;
		case 'o':
			table = optarg;
			break;
		default:
			return 2;
		}
	}
	if (!path || n == 0)
		die("expected -x SOCKET and at least one row");
	parse_table(table);
	make_rows(n);
	open_session(path);
	for (;;)
		next_pdu(answer);
}
