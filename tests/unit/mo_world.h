/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A managed system with three ports of a fake provider, and one session of the control
 * protocol with it. A test sets and reads objects and restarts the system.
 */
#ifndef DCB_TESTS_MO_WORLD_H
#define DCB_TESTS_MO_WORLD_H

#include "control/conf/conf.h"
#include "control/mo_service.h"
#include "tests/unit/fake_provider.h"
#include "tests/unit/unit.h"

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
	unsigned bad; /* varbind of the last error, 1-based */
	char reason[MO_TEXT_MAX + 1];
};

/* Creates a system with ports sw3, sw5 (alias "uplink") and sw9 and its own state file. */
struct mo_world *mo_world_new(enum dcb_role role);
/*
 * The same with n providers. sw3 belongs to the first. If n is 3, sw5 belongs to the second
 * and sw9 to the third; if n is 2, both belong to the second.
 */
struct mo_world *mo_world_of_providers(enum dcb_role role, unsigned n);
struct fake_provider *mo_world_provider(struct mo_world *w, unsigned i);
void mo_world_free(struct mo_world *w);
/* Returns the link of an interface that is up. */
struct link_info mo_world_link(uint32_t ifindex, const char *name, const char *alias);
/* Adds a port for such an interface. */
void mo_world_add_port(struct mo_world *w, uint32_t ifindex, const char *name, const char *alias);

/* Reports that all providers have adopted their committed configuration. */
void mo_world_adopt(struct mo_world *w);

/* Stops the system and starts it without ports; mo_world_load() then loads the state file. */
void mo_world_restart(struct mo_world *w);
void mo_world_load(struct mo_world *w);
/* Both, with the three ports of mo_world_new(). */
void mo_world_reload(struct mo_world *w);

/* Begins a request in buf: writes its header. */
struct octets_out mo_world_request(uint8_t *buf, size_t size, enum mo_msg_op op, unsigned table);

/* Reads the row after *index in the table's order, as GetNext. false: there is none. */
bool mo_world_next(struct mo_world *w, unsigned table, struct mo_index *index);

/* Reads one column of all rows, as "index=value" words. */
void mo_world_column(struct mo_world *w, const char *object, char *text, size_t size);

/* Asserts that the object has this value in the row with this index. */
void mo_world_value(struct mo_world *w, const char *object, const char *index,
		    const char *expected);
#define assert_value mo_world_value

/* Sends TEST with "object", "index", "value" triples; a later phase; all phases. */
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
