/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/fake_mo_client.h"

#include <stdlib.h>

struct fake_dcbd fake_dcbd;

void fake_dcbd_reset(void)
{
	memset(&fake_dcbd, 0, sizeof(fake_dcbd));
	fake_dcbd.boot_id = 1;
	fake_dcbd.late_fd = -1;
}

void fake_dcbd_add(enum mo_table_id table, unsigned n, const uint32_t *sub)
{
	struct mo_index *index = &fake_dcbd.rows[fake_dcbd.n_rows].index;

	if (fake_dcbd.n_rows == FAKE_ROWS_MAX)
		abort();
	fake_dcbd.rows[fake_dcbd.n_rows++].table = table;
	index->n = (uint8_t)n;
	memcpy(index->sub, sub, n * sizeof(*sub));
}

void fake_dcbd_fill(enum mo_table_id table, unsigned n, uint32_t first, uint32_t step)
{
	const struct mo_table *t = mo_table(table);
	uint32_t sub[MO_INDEX_MAX] = {0};

	for (unsigned p = 0; p < t->n_index && !t->index[p].octets; p++)
		sub[p] = t->index[p].min;
	for (unsigned i = 0; i < n; i++) {
		if (t->n_index)
			sub[t->index_len - 1] = first + i * step;
		fake_dcbd_add(table, t->index_len, sub);
	}
}

bool fake_dcbd_value(const struct mo_table *table, const struct mo_index *index,
		     const struct mo_column *col, struct mo_value *value)
{
	uint64_t hash = table->id * UINT64_C(1000003) + col->subid;

	for (unsigned i = 0; i < index->n; i++)
		hash = hash * 31 + index->sub[i];
	memset(value, 0, sizeof(*value));
	value->syntax = col->syntax;
	if (fake_dcbd.hole_every && hash % fake_dcbd.hole_every == 0)
		return false;
	if (mo_is_octets(col->syntax)) {
		value->len = (uint8_t)(col->min ? col->min : col->syntax == MO_BITS ? 1 : 5);
		for (unsigned i = 0; i < value->len; i++)
			value->octets[i] = (uint8_t)('a' + (hash + i) % 26);
	} else if (col->syntax == MO_COUNTER64 || col->syntax == MO_GAUGE64) {
		value->num = (int64_t)(hash * UINT64_C(0x9e3779b97f4a7c15));
	} else {
		value->num = (int64_t)(hash % 100);
	}
	return true;
}

/* --- functions of mo_client.h ------------------------------------------------------- */

static enum mo_client_status fake_status(void)
{
	enum mo_client_status status = fake_dcbd.fails;

	if (fake_dcbd.fail_calls && --fake_dcbd.fail_calls == 0)
		fake_dcbd.fails = MO_CLIENT_OK;
	return status;
}

const char *mo_client_strerror(const struct mo_client *c)
{
	(void)c;
	return "fake";
}

int mo_client_late_fd(const struct mo_client *c)
{
	(void)c;
	return fake_dcbd.late_fd;
}

uint32_t mo_client_boot_id(const struct mo_client *c)
{
	(void)c;
	return fake_dcbd.boot_id;
}

void mo_page_free(struct mo_page *page)
{
	free(page->rows);
	memset(page, 0, sizeof(*page));
}

enum mo_client_status mo_client_read(struct mo_client *c, enum mo_table_id table, unsigned flags,
				     const struct mo_index *index, unsigned max_rows,
				     struct mo_page *page)
{
	enum mo_client_status status = fake_status();

	(void)c;
	fake_dcbd.reads++;
	fake_dcbd.last_max_rows = max_rows;
	if (flags != 0)
		abort(); /* the tests do not use it */
	page->table = mo_table(table);
	page->n_rows = 0;
	page->more = false;
	if (status != MO_CLIENT_OK)
		return status;
	page->rows = realloc(page->rows, max_rows * sizeof(*page->rows));
	if (!page->rows)
		abort();
	for (unsigned i = 0; i < fake_dcbd.n_rows; i++) {
		if (fake_dcbd.rows[i].table != table ||
		    mo_index_compare(&fake_dcbd.rows[i].index, index) < 0)
			continue;
		page->more = page->n_rows == max_rows;
		if (page->more)
			break;
		page->rows[page->n_rows++].index = fake_dcbd.rows[i].index;
	}
	return MO_CLIENT_OK;
}

bool mo_page_value(const struct mo_page *page, unsigned row, const struct mo_column *col,
		   struct mo_value *value)
{
	return fake_dcbd_value(page->table, &page->rows[row].index, col, value);
}

static enum mo_client_status fake_phase(uint32_t txid, enum mo_error result, enum mo_error *error)
{
	enum mo_client_status status = fake_status();

	*error = MO_GEN_ERR;
	if (status != MO_CLIENT_OK)
		return status;
	*error = txid == fake_dcbd.txid ? result : MO_GEN_ERR;
	return *error ? MO_CLIENT_REFUSED : MO_CLIENT_OK;
}

enum mo_client_status mo_client_test(struct mo_client *c, uint32_t txid,
				     const struct mo_varbind *vbs, unsigned n, enum mo_error *error,
				     unsigned *varbind)
{
	(void)c;
	fake_dcbd.tests++;
	fake_dcbd.txid = txid;
	fake_dcbd.n_set = n;
	if (n > FAKE_VARBINDS_MAX)
		abort();
	memcpy(fake_dcbd.set, vbs, n * sizeof(*vbs));
	*varbind = fake_dcbd.test_error ? fake_dcbd.error_varbind : 0;
	return fake_phase(txid, fake_dcbd.test_error, error);
}

enum mo_client_status mo_client_commit(struct mo_client *c, uint32_t txid, enum mo_error *error,
				       unsigned *varbind)
{
	(void)c;
	fake_dcbd.commits++;
	*varbind = fake_dcbd.commit_error ? fake_dcbd.error_varbind : 0;
	return fake_phase(txid, fake_dcbd.commit_error, error);
}

enum mo_client_status mo_client_undo(struct mo_client *c, uint32_t txid, enum mo_error *error)
{
	(void)c;
	fake_dcbd.undos++;
	return fake_phase(txid, fake_dcbd.undo_error, error);
}

enum mo_client_status mo_client_cleanup(struct mo_client *c, uint32_t txid)
{
	enum mo_error error;

	(void)c;
	fake_dcbd.cleanups++;
	return fake_phase(txid, MO_NO_ERROR, &error);
}
