/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accounts of the shared frame memory: random operations, compared with a model that
 * keeps an account by its parts and adds up each pool from all accounts.
 */
#include "tests/unit/buffer_checks.h"

enum { LOSSLESS, LOSSY, HEADROOM, PORT0, PORT1, POOLS };
enum { OCTETS, FRAMES, RESOURCES };
#define ACCOUNTS   12
#define HELD_MAX   4000
#define SEQUENCES  60
#define OPERATIONS 4000
#define NO_POOL    (-1)

/* By part, not by total as in the engine; pools are summed whenever they are needed. */
struct model_account {
	int pool, within, headroom_pool;
	uint64_t reserve[RESOURCES], limit[RESOURCES], headroom_quota[RESOURCES];
	int alpha;
	uint64_t own[RESOURCES], shared[RESOURCES], headroom[RESOURCES];
	uint64_t peak[RESOURCES], headroom_peak[RESOURCES], refused[RESOURCES];
};

struct pair {
	struct dcb_rng rng;
	/* The engine. */
	struct buffer_pool pools[POOLS];
	struct buffer_account accounts[ACCOUNTS];
	/* The model. */
	struct model_account model[ACCOUNTS];
	uint64_t size[POOLS][RESOURCES], peak[POOLS][RESOURCES];
	/* Frames that are held. */
	struct {
		unsigned account;
		uint32_t len;
	} frames[HELD_MAX];
	unsigned n;
	uint64_t taken, refused; /* for the report */
};

static uint64_t pool_used(const struct pair *w, int pool, unsigned r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ACCOUNTS; i++) {
		const struct model_account *m = &w->model[i];

		/* The second pool is of octets only. */
		if (m->pool == pool || (m->within == pool && r == OCTETS))
			sum += m->shared[r];
		if (m->headroom_pool == pool)
			sum += m->headroom[r];
	}
	return sum;
}

static uint64_t pool_free(const struct pair *w, int pool, unsigned r)
{
	uint64_t used = pool_used(w, pool, r);

	return w->size[pool][r] > used ? w->size[pool][r] - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Returns the free octets or frame buffers, and the threshold that follows from them. */
static uint64_t model_free(const struct pair *w, const struct model_account *m, unsigned r,
			   uint64_t *threshold)
{
	uint64_t free = pool_free(w, m->pool, r);

	if (r == OCTETS && m->within != NO_POOL)
		free = least(free, pool_free(w, m->within, r));
	*threshold =
	    m->alpha < 0 ? free / (UINT64_C(1) << -m->alpha) : free * (UINT64_C(1) << m->alpha);
	*threshold = least(*threshold, m->limit[r]);
	return free;
}

static bool model_congested(const struct pair *w, const struct model_account *m)
{
	bool congested = m->headroom[OCTETS] || m->headroom[FRAMES];

	if (m->own[FRAMES] + m->shared[FRAMES] + m->headroom[FRAMES] == 0)
		return false;
	for (unsigned r = 0; r < RESOURCES; r++) {
		uint64_t threshold;

		(void)model_free(w, m, r, &threshold);
		congested |= m->own[r] + m->shared[r] >= m->reserve[r] + threshold;
	}
	return congested;
}

static bool model_is_below_xon(const struct pair *w, const struct model_account *m,
			       const struct buffer_xon *xon)
{
	const uint64_t margins[RESOURCES] = {xon->margin_octets, BUFFER_XON_FRAMES};
	bool below = !m->headroom[OCTETS] && !m->headroom[FRAMES];

	for (unsigned r = 0; r < RESOURCES; r++) {
		uint64_t threshold;

		(void)model_free(w, m, r, &threshold);
		below &= m->own[r] + m->shared[r] + margins[r] <= m->reserve[r] + threshold;
	}
	below &= m->own[OCTETS] + m->shared[OCTETS] <= xon->octets;
	return below || m->own[FRAMES] + m->shared[FRAMES] + m->headroom[FRAMES] == 0;
}

static void note_peaks(struct pair *w)
{
	for (int p = 0; p < POOLS; p++)
		buffer_pool_note_peak(&w->pools[p]);
	for (int p = 0; p < POOLS; p++) {
		for (unsigned r = 0; r < RESOURCES; r++) {
			uint64_t used = pool_used(w, p, r);

			if (used > w->peak[p][r])
				w->peak[p][r] = used;
		}
	}
	for (unsigned i = 0; i < ACCOUNTS; i++) {
		struct model_account *m = &w->model[i];

		for (unsigned r = 0; r < RESOURCES; r++) {
			uint64_t held = m->own[r] + m->shared[r] + m->headroom[r];

			m->peak[r] = held > m->peak[r] ? held : m->peak[r];
			if (m->headroom[r] > m->headroom_peak[r])
				m->headroom_peak[r] = m->headroom[r];
		}
	}
}

static enum buffer_verdict model_take(struct pair *w, struct model_account *m, uint32_t len,
				      bool over)
{
	uint64_t own[RESOURCES], shared[RESOURCES], rest[RESOURCES] = {len, 1};

	for (unsigned r = 0; r < RESOURCES; r++) {
		uint64_t threshold, free = model_free(w, m, r, &threshold);

		own[r] = least(rest[r], less(m->reserve[r], m->own[r]));
		rest[r] -= own[r];
		shared[r] = least(rest[r], least(less(threshold, m->shared[r]), free));
		if (over)
			shared[r] = rest[r];
		rest[r] -= shared[r];
		if (rest[r] && (m->headroom_pool == NO_POOL ||
				m->headroom[r] + rest[r] > m->headroom_quota[r] ||
				rest[r] > pool_free(w, m->headroom_pool, r))) {
			m->refused[r]++;
			return r == OCTETS ? BUFFER_NO_OCTETS : BUFFER_NO_FRAMES;
		}
	}
	for (unsigned r = 0; r < RESOURCES; r++) {
		m->own[r] += own[r];
		m->shared[r] += shared[r];
		m->headroom[r] += rest[r];
	}
	note_peaks(w);
	return m->headroom_pool != NO_POOL && model_congested(w, m) ? BUFFER_CONGESTED
								    : BUFFER_FITS;
}

static void model_release(struct model_account *m, uint64_t octets, uint64_t frames)
{
	uint64_t amount[RESOURCES] = {octets, frames};

	for (unsigned r = 0; r < RESOURCES; r++) {
		uint64_t *parts[] = {&m->headroom[r], &m->shared[r], &m->own[r]};

		for (unsigned i = 0; i < UNIT_COUNT(parts); i++) {
			uint64_t part = least(amount[r], *parts[i]);

			*parts[i] -= part;
			amount[r] -= part;
		}
	}
}

static void model_set(struct model_account *m, const struct buffer_quota *q)
{
	m->reserve[OCTETS] = q->reserve.octets;
	m->reserve[FRAMES] = q->reserve.frames;
	m->headroom_quota[OCTETS] = q->headroom.octets;
	m->headroom_quota[FRAMES] = q->headroom.frames;
	m->limit[OCTETS] = q->limit_octets;
	m->limit[FRAMES] = UINT64_MAX;
	m->alpha = q->alpha;
}

static void model_configure(struct pair *w, struct model_account *m, const struct buffer_quota *q)
{
	model_set(m, q);
	for (unsigned r = 0; r < RESOURCES; r++) {
		uint64_t held = m->own[r] + m->shared[r] + m->headroom[r];

		m->headroom[r] = 0;
		m->own[r] = least(held, m->reserve[r]);
		m->shared[r] = held - m->own[r];
	}
	note_peaks(w);
}

/* --- comparison --- */

static void compare_account(const struct pair *w, unsigned i)
{
	const struct buffer_xon xon = {3000, 50000};
	const struct buffer_account *a = &w->accounts[i];
	const struct model_account *m = &w->model[i];

	check_shared(a, m->shared[OCTETS], m->shared[FRAMES]);
	check_use(&a->headroom, m->headroom[OCTETS], m->headroom[FRAMES]);
	check_use(&a->held, m->own[OCTETS] + m->shared[OCTETS] + m->headroom[OCTETS],
		  m->own[FRAMES] + m->shared[FRAMES] + m->headroom[FRAMES]);
	check_peak(a, m->peak[OCTETS], m->peak[FRAMES]);
	check_use(&a->headroom_peak, m->headroom_peak[OCTETS], m->headroom_peak[FRAMES]);
	assert_int_equal(a->no_octets, m->refused[OCTETS]);
	assert_int_equal(a->no_frames, m->refused[FRAMES]);
	assert_int_equal(buffer_is_congested(a), model_congested(w, m));
	assert_int_equal(buffer_is_below_xon(a, &xon), model_is_below_xon(w, m, &xon));
}

static void compare(const struct pair *w)
{
	for (int p = 0; p < POOLS; p++) {
		const struct buffer_pool *pool = &w->pools[p];

		check_used(pool, pool_used(w, p, OCTETS), pool_used(w, p, FRAMES));
		check_sum(&pool->peak, w->peak[p][OCTETS], w->peak[p][FRAMES]);
	}
	for (unsigned i = 0; i < ACCOUNTS; i++)
		compare_account(w, i);
}

/* --- operations --- */

static void random_size(struct pair *w, int pool)
{
	w->size[pool][OCTETS] = random_amount(&w->rng, 20);
	w->size[pool][FRAMES] = random_amount(&w->rng, 10);
	buffer_pool_resize(&w->pools[pool],
			   &(struct buffer_sum){w->size[pool][OCTETS], w->size[pool][FRAMES]});
}

static struct buffer_quota random_quota(struct pair *w)
{
	struct buffer_quota q = {
	    .reserve = {(uint32_t)random_amount(&w->rng, 16), (uint32_t)random_amount(&w->rng, 5)},
	    .headroom = {(uint32_t)random_amount(&w->rng, 17), (uint32_t)random_amount(&w->rng, 7)},
	    .limit_octets = UINT32_MAX,
	    .alpha =
		(int8_t)((int)dcb_rng_uniform(&w->rng, 0, BUFFER_ALPHA_MAX - BUFFER_ALPHA_MIN) +
			 BUFFER_ALPHA_MIN),
	};

	if (dcb_rng_uniform(&w->rng, 0, 3) == 0)
		q.reserve = (struct buffer_use){0, 0};
	if (dcb_rng_uniform(&w->rng, 0, 2) == 0)
		q.limit_octets = (uint32_t)random_amount(&w->rng, 18);
	return q;
}

static void pair_init(struct pair *w, uint64_t seed, unsigned sequence)
{
	*w = (struct pair){.n = 0};
	dcb_rng_seed(&w->rng, seed, sequence);
	for (int p = 0; p < POOLS; p++)
		random_size(w, p);
	for (unsigned i = 0; i < ACCOUNTS; i++) {
		struct buffer_quota q = random_quota(w);
		struct model_account *m = &w->model[i];
		struct buffer_account *a = &w->accounts[i];

		m->pool = i % 2 ? LOSSY : LOSSLESS;
		m->within = i % 2 == 0 ? NO_POOL : i % 4 == 1 ? PORT0 : PORT1;
		m->headroom_pool = i % 2 ? NO_POOL : HEADROOM;
		model_set(m, &q);
		a->pool = &w->pools[m->pool];
		a->within = m->within == NO_POOL ? NULL : &w->pools[m->within];
		a->headroom_pool = m->headroom_pool == NO_POOL ? NULL : &w->pools[HEADROOM];
		a->quota = q;
	}
}

static uint32_t random_len(struct pair *w)
{
	static const uint32_t most[] = {64, 1518, 9216};

	return dcb_rng_uniform(&w->rng, 60, most[dcb_rng_uniform(&w->rng, 0, 2)]);
}

static void hold(struct pair *w, unsigned account, uint32_t len)
{
	w->frames[w->n].account = account;
	w->frames[w->n++].len = len;
}

/* A pool is exceeded only if it was before; the reserve is available; a lossy frame uses no
 * headroom. */
static void check_take(const struct pair *w, const struct pair *before, unsigned i, uint32_t len,
		       enum buffer_verdict verdict)
{
	const struct model_account *m = &before->model[i];
	bool in_reserve =
	    m->own[OCTETS] + len <= m->reserve[OCTETS] && m->own[FRAMES] + 1 <= m->reserve[FRAMES];

	for (int p = 0; p < POOLS; p++) {
		const struct buffer_sum used = buffer_pool_used(&w->pools[p]);
		const struct buffer_sum was = buffer_pool_used(&before->pools[p]);

		assert_true(used.octets <= w->size[p][OCTETS] || used.octets == was.octets);
		assert_true(used.frames <= w->size[p][FRAMES] || used.frames == was.frames);
		if (in_reserve)
			check_sum(&used, was.octets, was.frames);
	}
	if (in_reserve)
		assert_true(verdict == BUFFER_FITS || verdict == BUFFER_CONGESTED);
}

static void do_take(struct pair *w)
{
	static struct pair before;
	unsigned i = dcb_rng_uniform(&w->rng, 0, ACCOUNTS - 1);
	uint32_t len = random_len(w);
	enum buffer_verdict verdict;

	if (w->n == HELD_MAX)
		return;
	before = *w;
	verdict = buffer_take(&w->accounts[i], len);
	assert_int_equal(verdict, model_take(w, &w->model[i], len, false));
	check_take(w, &before, i, len, verdict);
	if (verdict == BUFFER_NO_OCTETS || verdict == BUFFER_NO_FRAMES) {
		w->refused++;
		return;
	}
	w->taken++;
	hold(w, i, len);
}

static void remove_frame(struct pair *w, unsigned k)
{
	model_release(&w->model[w->frames[k].account], w->frames[k].len, 1);
	w->frames[k] = w->frames[--w->n];
}

static void do_release(struct pair *w, unsigned k)
{
	buffer_release(&w->accounts[w->frames[k].account], w->frames[k].len, 1);
	remove_frame(w, k);
}

/* Frames of any accounts leave together; the model releases them one by one. */
static void do_release_run(struct pair *w)
{
	unsigned n = dcb_rng_uniform(&w->rng, 1, 8);
	struct buffer_run run = {0};

	while (n-- > 0 && w->n > 0) {
		unsigned k = dcb_rng_uniform(&w->rng, 0, w->n - 1);

		buffer_run_add(&run, &w->accounts[w->frames[k].account], w->frames[k].len);
		remove_frame(w, k);
	}
	buffer_run_end(&run);
}

static void do_shorten(struct pair *w, unsigned k)
{
	uint32_t octets = dcb_rng_uniform(&w->rng, 0, w->frames[k].len);
	unsigned i = w->frames[k].account;

	buffer_release(&w->accounts[i], octets, 0);
	model_release(&w->model[i], octets, 0);
	w->frames[k].len -= octets;
}

static void do_configure(struct pair *w)
{
	unsigned i = dcb_rng_uniform(&w->rng, 0, ACCOUNTS - 1);
	struct buffer_quota q = random_quota(w);

	buffer_configure(&w->accounts[i], &q);
	model_configure(w, &w->model[i], &q);
}

/* The frames of one account are counted in another, as when a port is removed. */
static void do_take_over(struct pair *w)
{
	unsigned from = dcb_rng_uniform(&w->rng, 0, ACCOUNTS - 1);
	unsigned to = dcb_rng_uniform(&w->rng, 0, ACCOUNTS - 1);
	struct model_account *m = &w->model[from];

	for (unsigned k = 0; k < w->n; k++) {
		if (w->frames[k].account == from)
			buffer_release(&w->accounts[from], w->frames[k].len, 1);
	}
	model_release(m, UINT64_MAX, UINT64_MAX);
	for (unsigned k = 0; k < w->n; k++) {
		if (w->frames[k].account != from)
			continue;
		buffer_take_over(&w->accounts[to], w->frames[k].len);
		(void)model_take(w, &w->model[to], w->frames[k].len, true);
		w->frames[k].account = to;
	}
}

static void do_clear_peaks(struct pair *w)
{
	unsigned i = dcb_rng_uniform(&w->rng, 0, ACCOUNTS - 1);
	int p = (int)dcb_rng_uniform(&w->rng, 0, POOLS - 1);

	buffer_clear_peaks(&w->accounts[i]);
	buffer_pool_clear_peak(&w->pools[p]);
	for (unsigned r = 0; r < RESOURCES; r++)
		w->model[i].peak[r] = w->model[i].headroom_peak[r] = w->peak[p][r] = 0;
	note_peaks(w);
}

static void operate(struct pair *w)
{
	unsigned choice = dcb_rng_uniform(&w->rng, 0, 999);
	unsigned k = w->n ? dcb_rng_uniform(&w->rng, 0, w->n - 1) : 0;

	if (choice < 600 || w->n == 0)
		do_take(w);
	else if (choice < 930)
		do_release(w, k);
	else if (choice < 950)
		do_release_run(w);
	else if (choice < 975)
		do_shorten(w, k);
	else if (choice < 985)
		do_configure(w);
	else if (choice < 990)
		random_size(w, (int)dcb_rng_uniform(&w->rng, 0, POOLS - 1));
	else if (choice < 993)
		do_take_over(w);
	else
		do_clear_peaks(w);
}

static void test_random_operations_agree_with_the_model(void **state)
{
	static struct pair w;
	uint64_t seed = unit_seed(), taken = 0, refused = 0;

	(void)state;
	for (unsigned sequence = 0; sequence < SEQUENCES; sequence++) {
		pair_init(&w, seed, sequence);
		for (unsigned i = 0; i < OPERATIONS; i++) {
			operate(&w);
			compare(&w);
		}
		while (w.n)
			do_release(&w, w.n - 1);
		compare(&w);
		for (int p = 0; p < POOLS; p++)
			check_used(&w.pools[p], 0, 0);
		taken += w.taken;
		refused += w.refused;
	}
	print_message("%d operations, %llu frames taken, %llu refused\n", SEQUENCES * OPERATIONS,
		      (unsigned long long)taken, (unsigned long long)refused);
	assert_true(taken > SEQUENCES * OPERATIONS / 10 && refused > SEQUENCES * OPERATIONS / 50);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_operations_agree_with_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
