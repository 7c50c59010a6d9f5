/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A managed system with three ports over a provider that moves nothing, and one
 * session of the control protocol with it: set, read back, restart.
 */
#ifndef DCB_TESTS_MO_WORLD_H
#define DCB_TESTS_MO_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "control/conf/conf.h"
#include "control/mo_service.h"
#include "tests/unit/fake_provider.h"

#define MO_WORLD_PROVIDERS 3

struct mo_world {
	struct fake_provider provider;
	struct fake_provider others[MO_WORLD_PROVIDERS - 1]; /* "other", "third" */
	unsigned n_providers;
	struct conf conf;
	struct managed *m;
	struct mo_service *service;
	struct mo_session *session;
	char dir[64], state[96];
	uint32_t txid;
	unsigned bad; /* varbind the last error was about */
	char reason[MO_TEXT_MAX + 1];
};

/* Ports sw3, sw5 (alias "uplink") and sw9; the state file is in a directory of its own. */
struct mo_world *mo_world_new(enum dcb_role role);
/*
 * The same with n providers: sw3 is the first one's; of three, sw5 and sw9 are the second
 * and the third one's, of two both are the second one's.
 */
struct mo_world *mo_world_of_providers(enum dcb_role role, unsigned n);
struct fake_provider *mo_world_provider(struct mo_world *w, unsigned i);
void mo_world_free(struct mo_world *w);
/* An interface that is up; and a port for it. */
struct link_info mo_world_link(uint32_t ifindex, const char *name, const char *alias);
void mo_world_add_port(struct mo_world *w, uint32_t ifindex, const char *name, const char *alias);

/* All providers have adopted all there is. */
void mo_world_adopt(struct mo_world *w);

/* Stop and start without ports: what was set must be found in the state file. */
void mo_world_restart(struct mo_world *w);
void mo_world_load(struct mo_world *w);

/* A request under way; the answer is for mo_service_handle() to write. */
struct octets_out mo_world_request(uint8_t *buf, size_t size, enum mo_msg_op op, unsigned table);

/* GetNext: the row behind *index, in the table's order; false: that was the last. */
bool mo_world_next(struct mo_world *w, unsigned table, struct mo_index *index);

/* One column of every row, as "index=value" words. */
void mo_world_column(struct mo_world *w, const char *object, char *text, size_t size);

/* ... has this value in the row of this index, or the test fails. */
void mo_world_value(struct mo_world *w, const char *object, const char *index,
		    const char *expected);
#define assert_value mo_world_value

/* TEST of "object", "index", "value" triples; a later phase; all phases. */
enum mo_error mo_world_test(struct mo_world *w, const char *const set[][3], unsigned n);
enum mo_error mo_world_phase(struct mo_world *w, enum mo_msg_op op);
enum mo_error mo_world_set(struct mo_world *w, const char *const set[][3], unsigned n);

#define assert_column(w, object, expected)                        \
	do {                                                      \
		char text_[4096];                                 \
		mo_world_column(w, object, text_, sizeof(text_)); \
		assert_string_equal(text_, expected);             \
	} while (0)

#define SET(w, ...)                                            \
	mo_world_set(w, (const char *const[][3]){__VA_ARGS__}, \
		     sizeof((const char *const[][3]){__VA_ARGS__}) / sizeof(const char *[3]))
#define STATUS "ieee8021CnComPriRowStatus"
#define QSP    "ieee8021CnCpQueueSizeSetPoint"

#endif
