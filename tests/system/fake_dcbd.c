/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces dcbd at its control socket. Every table has the given number of
 * synthetic rows with values computed from table, row and column; values that
 * are set are kept in memory. For tests and benches of dcb-agentx that need no
 * real dcbd, or need one that fails:
 *
 *   a SET to 666  inconsistentValue in the test phase
 *   a SET to 777  commitFailed
 *   a SET to 888  commitFailed, then undoFailed
 *   a SET to 999  no response for two seconds in the test phase
 *
 * usage: fake_dcbd [-H] [-d ms] [-n rows] socket
 *   -d ms  time that each reply takes, and no other request is served in
 *   -H     some rows lack some columns
 */
#include "lib/mo/mo_msg.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_MAX  16
#define VARBINDS_MAX 1024

/* The only transaction: the values that one client sets, and the old values. */
struct transaction {
	int fd; /* -1: none */
	uint32_t id;
	bool committed;
	unsigned n;
	struct mo_varbind set[VARBINDS_MAX];
	struct mo_value before[VARBINDS_MAX];
};

static unsigned rows_wanted = 8;
static unsigned delay_ms;
static bool with_holes;
static uint32_t boot_id;
static struct transaction txn = {.fd = -1};
static struct mo_varbind *kept;
static unsigned n_kept;

/* --- rows ------------------------------------------------------------------- */

/* Number of values of each index part; the last part varies fastest. */
static void radices(const struct mo_table *t, uint32_t radix[MO_INDEX_MAX])
{
	bool by_priority = false;

	for (unsigned p = 0; p < t->n_index; p++)
		by_priority |= t->index[p].max == 7;
	for (unsigned p = 0; p < t->n_index; p++) {
		const struct mo_index_part *part = &t->index[p];
		bool is_port = part->max == INT32_MAX;

		if (part->octets || t->n_index == 1)
			radix[p] = rows_wanted;
		else if (is_port)
			radix[p] = rows_wanted < 8 ? 1 : rows_wanted / 8;
		else if (part->max == 7 || (part->max == 4096 && !by_priority))
			radix[p] = rows_wanted < 8 ? rows_wanted : 8;
		else
			radix[p] = 1;
	}
}

static uint32_t row_count(const struct mo_table *t)
{
	uint32_t radix[MO_INDEX_MAX], n = 1;

	radices(t, radix);
	for (unsigned p = 0; p < t->n_index; p++)
		n *= radix[p];
	return n;
}

static void row_index(const struct mo_table *t, uint32_t row, struct mo_index *index)
{
	uint32_t radix[MO_INDEX_MAX], digit[MO_INDEX_MAX];

	radices(t, radix);
	index->n = 0;
	for (unsigned p = t->n_index; p-- > 0; row /= radix[p])
		digit[p] = row % radix[p];
	for (unsigned p = 0; p < t->n_index; p++) {
		const struct mo_index_part *part = &t->index[p];

		if (!part->octets) {
			index->sub[index->n++] = part->min + digit[p];
			continue;
		}
		for (uint32_t i = 0; i < part->max; i++) {
			uint32_t shift = 8 * (part->max - 1 - i);

			index->sub[index->n++] = shift < 32 ? digit[p] >> shift & 0xff : 0;
		}
	}
	if (t->n_index == 0)
		index->sub[index->n++] = 0;
}

/* Returns the first row at or after index, row_count() if there is none. */
static uint32_t row_from(const struct mo_table *t, const struct mo_index *index)
{
	uint32_t low = 0, high = row_count(t);

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		struct mo_index at;

		row_index(t, mid, &at);
		if (mo_index_compare(&at, index) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool row_find(const struct mo_table *t, const struct mo_index *index, uint32_t *row)
{
	struct mo_index at;

	*row = row_from(t, index);
	if (*row == row_count(t))
		return false;
	row_index(t, *row, &at);
	return mo_index_compare(&at, index) == 0;
}

static struct mo_varbind *kept_find(const struct mo_varbind *vb)
{
	for (unsigned i = 0; i < n_kept; i++)
		if (kept[i].table == vb->table && kept[i].subid == vb->subid &&
		    mo_index_compare(&kept[i].index, &vb->index) == 0)
			return &kept[i];
	return NULL;
}

static bool value_of(const struct mo_table *t, uint32_t row, const struct mo_index *index,
		     const struct mo_column *col, struct mo_value *value)
{
	struct mo_varbind vb = {.table = t->id, .subid = col->subid, .index = *index};
	const struct mo_varbind *set = n_kept ? kept_find(&vb) : NULL;

	if (with_holes && (row + col->subid) % 5 == 0)
		return false;
	*value = (struct mo_value){.syntax = col->syntax};
	if (set) {
		*value = set->value;
		return true;
	}
	switch (col->syntax) {
	case MO_BITS:
		value->len = 1;
		value->octets[0] = (uint8_t)(row + col->subid);
		break;
	case MO_VLANS: /* with the bits of VLANs 0 and 4095 zero */
		value->len = MO_VLANS_OCTETS;
		value->octets[1] = (uint8_t)(row + col->subid);
		break;
	case MO_OCTETS:
	case MO_STRING:
		value->len = (uint8_t)(col->min ? col->min : 5);
		for (unsigned i = 0; i < value->len; i++)
			value->octets[i] = (uint8_t)('a' + (row + i + col->subid) % 26);
		break;
	case MO_COUNTER64:
	case MO_GAUGE64:
		value->num = (int64_t)((row + 1) * UINT64_C(0x0123456789abcdef) + col->subid);
		break;
	case MO_COUNTER32:
		value->num = (uint32_t)((row + 1) * 0x9e3779b1u + col->subid);
		break;
	default:
		value->num = col->min + (int64_t)((row * UINT64_C(2654435761) + col->subid) %
						  (uint64_t)(col->max - col->min + 1));
	}
	return true;
}

/* --- requests --------------------------------------------------------------------- */

static void put_row(struct octets_out *out, const struct mo_table *t, uint32_t row)
{
	struct mo_index index;

	row_index(t, row, &index);
	mo_msg_put_index(out, &index);
	for (unsigned i = 0; i < t->n_columns; i++) {
		struct mo_value value;

		if (value_of(t, row, &index, &t->columns[i], &value))
			mo_msg_put_value(out, &value);
		else
			octets_out_u8(out, MO_MSG_NO_VALUE);
	}
}

static void answer_read(struct octets_in *in, const struct mo_msg_header *h, struct octets_out *out)
{
	const struct mo_table *t = mo_table((enum mo_table_id)h->table);
	unsigned flags = octets_in_u8(in), max_rows = octets_in_be16(in);
	uint8_t *head = octets_out_take(out, 3);
	struct mo_index index, at;
	uint32_t row, end;
	uint16_t n = 0;

	mo_msg_get_index(in, &index);
	if (!t || in->overrun || !head)
		exit(3);
	end = row_count(t);
	row = row_from(t, &index);
	if (row < end) {
		row_index(t, row, &at);
		if ((flags & MO_READ_AFTER) && mo_index_compare(&at, &index) == 0)
			row++;
		else if ((flags & MO_READ_EXACT) && mo_index_compare(&at, &index) != 0)
			row = end;
	}
	for (; row < end && n < max_rows && !out->overrun; row++, n++) {
		size_t len = out->len;

		put_row(out, t, row);
		if (out->overrun) {
			out->overrun = false;
			out->len = len;
			break;
		}
	}
	head[0] = row < end;
	put_be16(head + 1, n);
}

static enum mo_error test(unsigned *varbind)
{
	for (unsigned i = 0; i < txn.n; i++) {
		const struct mo_varbind *vb = &txn.set[i];
		const struct mo_table *t = mo_table(vb->table);
		const struct mo_column *col = mo_column(t, vb->subid);
		enum mo_error error = mo_validate(col, &vb->value);
		uint32_t row;

		*varbind = i + 1;
		if (error)
			return error;
		if (!row_find(t, &vb->index, &row))
			return MO_NO_CREATION;
		if (vb->value.num == 666)
			return MO_INCONSISTENT_VALUE;
		if (vb->value.num == 999)
			sleep(2);
		value_of(t, row, &vb->index, col, &txn.before[i]);
	}
	*varbind = 0;
	return MO_NO_ERROR;
}

static void keep(const struct mo_varbind *vb, const struct mo_value *value)
{
	struct mo_varbind *k = kept_find(vb);

	if (!k) {
		kept = realloc(kept, (n_kept + 1) * sizeof(*kept));
		if (!kept)
			exit(3);
		k = &kept[n_kept++];
		*k = *vb;
	}
	k->value = *value;
}

static bool sets(int64_t num, unsigned *varbind)
{
	for (unsigned i = 0; i < txn.n; i++) {
		*varbind = i + 1;
		if (txn.set[i].value.num == num)
			return true;
	}
	*varbind = 0;
	return false;
}

static enum mo_error commit(unsigned *varbind)
{
	if (sets(777, varbind) || sets(888, varbind))
		return MO_COMMIT_FAILED;
	for (unsigned i = 0; i < txn.n; i++)
		keep(&txn.set[i], &txn.set[i].value);
	txn.committed = true;
	return MO_NO_ERROR;
}

static enum mo_error undo(void)
{
	unsigned ignored;

	for (unsigned i = 0; txn.committed && i < txn.n; i++)
		keep(&txn.set[i], &txn.before[i]);
	txn.fd = -1;
	return sets(888, &ignored) ? MO_UNDO_FAILED : MO_NO_ERROR;
}

static enum mo_error begin(int fd, uint32_t id, struct octets_in *in, unsigned *varbind)
{
	txn.fd = fd;
	txn.id = id;
	txn.committed = false;
	txn.n = octets_in_be16(in);
	if (txn.n > VARBINDS_MAX)
		exit(3);
	for (unsigned i = 0; i < txn.n; i++)
		mo_msg_get_varbind(in, &txn.set[i]);
	if (in->overrun)
		exit(3);
	return test(varbind);
}

static void answer_phase(int fd, struct octets_in *in, const struct mo_msg_header *h,
			 struct octets_out *out)
{
	uint32_t id = octets_in_be32(in);
	enum mo_error error = MO_GEN_ERR;
	unsigned varbind = 0;

	if (h->op == MO_OP_TEST) {
		error = begin(fd, id, in, &varbind);
	} else if (txn.fd == fd && txn.id == id) {
		if (h->op == MO_OP_COMMIT)
			error = commit(&varbind);
		else if (h->op == MO_OP_UNDO)
			error = undo();
		else
			error = MO_NO_ERROR, txn.fd = -1;
	}
	octets_out_u8(out, (uint8_t)error);
	octets_out_be16(out, (uint16_t)varbind);
}

/* Returns false if the client has closed the connection. */
static bool serve(int fd)
{
	static uint8_t buf[MO_MSG_MAX], reply[MO_MSG_MAX];
	ssize_t n = recv(fd, buf, sizeof(buf), 0);
	struct octets_in in = octets_in(buf, n > 0 ? (size_t)n : 0);
	struct octets_out out = octets_out(reply, sizeof(reply));
	struct mo_msg_header h;

	if (n <= 0)
		return false;
	if (!mo_msg_get_header(&in, &h))
		exit(3);
	mo_msg_put_header(&out, &(struct mo_msg_header){
				    .op = h.op | MO_MSG_REPLY, .table = h.table, .seq = h.seq});
	switch (h.op) {
	case MO_OP_HELLO:
		octets_out_be32(&out, boot_id);
		octets_out_u8(&out, 4);
		octets_out_bytes(&out, "fake", 4);
		break;
	case MO_OP_SUBSCRIBE: /* there are no events */
		octets_out_be32(&out, boot_id);
		octets_out_be64(&out, 1);
		break;
	case MO_OP_READ:
		answer_read(&in, &h, &out);
		break;
	default:
		answer_phase(fd, &in, &h, &out);
	}
	if (delay_ms > 0)
		nanosleep(&(struct timespec){.tv_nsec = delay_ms * 1000000L}, NULL);
	return send(fd, reply, out.len, MSG_NOSIGNAL) >= 0;
}

static int listen_at(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (strlen(path) >= sizeof(sa.sun_path) || fd < 0)
		return -1;
	strcpy(sa.sun_path, path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 || listen(fd, CLIENTS_MAX) < 0)
		return -1;
	return fd;
}

static void loop(int listener)
{
	struct pollfd p[CLIENTS_MAX] = {{.fd = listener, .events = POLLIN}};
	nfds_t n = 1;

	for (;;) {
		if (poll(p, n, -1) < 0 && errno != EINTR)
			return;
		for (nfds_t i = n; i-- > 1;) {
			if (!p[i].revents || serve(p[i].fd))
				continue;
			if (txn.fd == p[i].fd)
				undo();
			close(p[i].fd);
			p[i] = p[--n];
		}
		if ((p[0].revents & POLLIN) && n < CLIENTS_MAX)
			p[n++] =
			    (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
	}
}

static void on_term(int signal)
{
	(void)signal;
	_exit(0);
}

int main(int argc, char **argv)
{
	int c, fd;

	signal(SIGTERM, on_term);
	while ((c = getopt(argc, argv, "d:Hn:")) != -1) {
		if (c == 'H')
			with_holes = true;
		else if (c == 'd')
			delay_ms = (unsigned)atoi(optarg) % 1000;
		else if (c == 'n')
			rows_wanted = (unsigned)atoi(optarg);
		else
			return 2;
	}
	if (optind + 1 != argc || rows_wanted == 0) {
		fprintf(stderr, "usage: fake_dcbd [-H] [-d ms] [-n rows] socket\n");
		return 2;
	}
	boot_id = (uint32_t)time(NULL) ^ (uint32_t)getpid() << 16;
	fd = listen_at(argv[optind]);
	if (fd < 0) {
		perror(argv[optind]);
		return 1;
	}
	loop(fd);
	perror("poll");
	return 1;
}
