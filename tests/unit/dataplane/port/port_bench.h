/* SPDX-License-Identifier: BSD-3-Clause */
/* One port with a back end that records sent frames and times. Each test program has its own. */
#ifndef DCB_TESTS_PORT_BENCH_H
#define DCB_TESTS_PORT_BENCH_H

#include <limits.h>

#include "dataplane/port/port.h"
#include "tests/unit/unit.h"

#define LOG_FRAMES 4096

struct recorder {
	struct netio io;
	unsigned n;
	unsigned accept; /* frames accepted until it blocks */
	unsigned refuse; /* every refuse-th frame is refused; 0: none */
	int error;
	struct {
		struct dcb_time at;
		uint32_t len;
		uint8_t tag;      /* first octet of the frame, identifies it */
		uint8_t priority; /* by set_priority() */
	} log[LOG_FRAMES];
	unsigned calls, set_calls; /* of send() and set_priority() */
};

static inline struct netio_sent record(struct netio *io, const struct iovec *frames, unsigned n,
				       struct dcb_time now)
{
	struct recorder *r = (struct recorder *)io;
	struct netio_sent sent = {.error = r->error};

	r->calls++;
	for (; sent.taken < n && r->accept && !r->error; sent.taken++, r->accept--) {
		const struct iovec *f = &frames[sent.taken];

		if (r->refuse && (sent.taken + 1) % r->refuse == 0) {
			sent.refused++;
			sent.refused_octets += (uint32_t)f->iov_len;
			continue;
		}
		assert_true(r->n < LOG_FRAMES);
		r->log[r->n].at = now;
		r->log[r->n].len = (uint32_t)f->iov_len;
		r->log[r->n].priority = (uint8_t)io->priority;
		r->log[r->n++].tag = *(const uint8_t *)f->iov_base;
	}
	return sent;
}

static inline void record_priority(struct netio *io, unsigned priority)
{
	struct recorder *r = (struct recorder *)io;

	assert_int_not_equal(priority, io->priority);
	r->set_calls++;
}

static const struct netio_ops recorder_ops = {
    .name = "recorder", .send = record, .set_priority = record_priority};

#define LONGEST 2048

struct bench {
	struct recorder out;
	struct frame_pool pool;
	struct frame_memory memory;
	struct dcb_rng rng;
	struct port_config config;
	struct soft_port port;
	struct dcb_config whole; /* without ports */
};

/* Sets the octets that the queues share beyond their reserves. */
static inline void set_buffer(struct bench *t, uint32_t octets)
{
	t->port.base.settings.buffer_octets = octets;
	frame_memory_configure_port(&t->memory, &t->port.buffers,
				    &(struct port_buffer_input){.settings = &t->port.base.settings,
								.config = &t->config,
								.oper = &t->port.oper});
}

static inline int set_up(void **state)
{
	struct bench *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_true(frame_pool_init(&t->pool, 1024, LONGEST));
	frame_memory_init(&t->memory, &(struct port_buffer_memory){.size = {1024 * LONGEST, 1024},
								   .longest = LONGEST});
	dcb_rng_seed(&t->rng, 1, 1);
	t->out.io = (struct netio){.ops = &recorder_ops, .recv_fd = -1, .send_fd = -1};
	t->out.accept = UINT_MAX;
	for (int i = 0; i < DCB_PRIORITIES; i++) {
		t->config.cp[i] =
		    (struct cp_config){.cp_qsp = 26000, .cp_sample_base = 150000, .cp_w_exp = 1};
		t->config.port_pri[i].cnpd_def_mode_choice = CPC_COMP;
		t->config.buffer[i].alpha_lossy = 1;
	}
	t->port.base.settings = (struct port_settings){.buffer_octets = 1 << 20, .pvid = 1};
	t->port.base.link.up = true;
	t->port.io = &t->out.io;
	port_init(&t->port);
	set_buffer(t, 1 << 20);
	*state = t;
	return 0;
}

static inline int tear_down(void **state)
{
	struct bench *t = *state;

	port_flush(&t->port, &t->pool);
	assert_int_equal(t->pool.n_free, t->pool.size);
	frame_pool_destroy(&t->pool);
	free(t);
	return 0;
}

static inline bool offer(struct bench *t, uint8_t priority, uint32_t len, uint8_t tag, int64_t ns)
{
	struct buffer_account *account = port_admit(&t->port, priority, len);
	struct dcb_frame *frame;

	if (!account)
		return false;
	frame = frame_pool_get(&t->pool);
	assert_non_null(frame);
	frame->account = account;
	frame->len = len;
	frame->priority = priority;
	frame->data[0] = tag;
	(void)port_enqueue(&t->port, frame, (struct dcb_time){ns}, &t->rng);
	return true;
}

/* Puts config in force on the port, with these CNPVs. */
static inline void configure(struct bench *t, struct port_config *config, uint8_t cnpv)
{
	const struct dcb_config_port own = dcb_config_port_alone(&t->port.base, config);

	t->whole = (struct dcb_config){.cnpv_acting = cnpv};
	for (int i = 0; i < DCB_PRIORITIES; i++) {
		t->whole.com_pri[i].cncp_def_mode_choice = CPC_ADMIN;
		t->whole.com_pri[i].cncp_admin_defense_mode = CPT_INTERIOR_READY;
	}
	port_configure(&t->port, &t->whole, &own, &t->rng);
}

static inline int transmit(struct bench *t, int64_t ns)
{
	return port_transmit(&t->port, &t->pool, (struct dcb_time){ns});
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
