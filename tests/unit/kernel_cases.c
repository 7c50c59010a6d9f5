/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/kernel_cases.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTIFIED_MS 10000

/* Ends a case that does not hold. */
#define EXPECT(condition, ...)                                                \
	do {                                                                  \
		if (!(condition)) {                                           \
			int len = snprintf(why, size, "%s: ", #condition);    \
			snprintf(why + len, size - (size_t)len, __VA_ARGS__); \
			return why;                                           \
		}                                                             \
	} while (0)

/* Ends a case if another result than this errno comes. */
#define EXPECT_ERROR(result, expected)                                 \
	do {                                                           \
		int is = (result);                                     \
		if (is != (expected)) {                                \
			snprintf(why, size, "%s: %s, not %s", #result, \
				 is ? strerror(is) : "no error",       \
				 (expected) ? #expected : "no error"); \
			return why;                                    \
		}                                                      \
	} while (0)

static int get(struct kernel_io *io, const char *name, struct dcbnl_port *out)
{
	return kernel_io_get(io, name, out);
}

static int set(struct kernel_io *io, const char *name, const struct ieee_ets *ets,
	       const struct ieee_pfc *pfc)
{
	const struct dcbnl_change change = {
	    .sets = (ets ? DCBNL_ETS : 0) | (pfc ? DCBNL_PFC : 0), .ets = ets, .pfc = pfc};

	return kernel_io_set(io, name, &change).error;
}

static int set_qcn(struct kernel_io *io, const char *name, const struct ieee_qcn *qcn,
		   const struct ieee_pfc *pfc)
{
	const struct dcbnl_change change = {
	    .sets = DCBNL_QCN | (pfc ? DCBNL_PFC : 0), .qcn = qcn, .pfc = pfc};

	return kernel_io_set(io, name, &change).error;
}

static int add_app(struct kernel_io *io, const char *name, const struct dcb_app *app)
{
	const struct dcbnl_change change = {.sets = DCBNL_APPS, .apps = app, .n_apps = 1};

	return kernel_io_set(io, name, &change).error;
}

static int drop_app(struct kernel_io *io, const char *name, const struct dcb_app *app)
{
	return kernel_io_drop_apps(io, name, app, 1).error;
}

static bool has_app(const struct dcbnl_port *port, const struct dcb_app *app)
{
	for (unsigned i = 0; i < port->apps.n; i++)
		if (memcmp(&port->apps.of[i], app, sizeof(*app)) == 0)
			return true;
	return false;
}

/* An entry that no interface has. */
static const struct dcb_app an_app = {
    .selector = IEEE_8021QAZ_APP_SEL_DGRAM, .priority = 5, .protocol = 47911};

/* Returns other PFC settings than an interface has. */
static struct ieee_pfc other_pfc(const struct dcbnl_port *port)
{
	struct ieee_pfc pfc = port->pfc;

	pfc.pfc_en ^= 0x18;
	return pfc;
}

/* Returns another assignment of priorities to traffic classes. */
static struct ieee_ets other_ets(const struct dcbnl_port *port)
{
	struct ieee_ets ets = port->ets;
	uint8_t first = ets.prio_tc[0];

	memmove(ets.prio_tc, ets.prio_tc + 1, sizeof(ets.prio_tc) - 1);
	ets.prio_tc[7] = first;
	if (memcmp(ets.prio_tc, port->ets.prio_tc, sizeof(ets.prio_tc)) == 0)
		ets.prio_tc[7] = first ? 0 : 1; /* all had the same one */
	return ets;
}

/* Returns other reaction points. */
static struct ieee_qcn other_qcn(const struct dcbnl_port *port)
{
	struct ieee_qcn qcn = port->qcn;

	qcn.rpg_enable[3] = !qcn.rpg_enable[3];
	qcn.rpg_time_reset[3] += 15000;
	qcn.rpg_min_rate[7]++;
	return qcn;
}

/* Removes all notifications that there are. */
static void drop_notifications(struct kernel_io *io)
{
	char name[IF_NAMESIZE];

	while (kernel_io_changed(io, name))
		;
}

/* Waits for a notification about an interface, or that notifications were lost. */
static bool is_notified(struct kernel_io *io, const char *name)
{
	struct pollfd pfd = {.fd = kernel_io_fd(io), .events = POLLIN};
	char changed[IF_NAMESIZE];

	while (poll(&pfd, 1, NOTIFIED_MS) == 1)
		while (kernel_io_changed(io, changed))
			if (!changed[0] || strcmp(changed, name) == 0)
				return true;
	return false;
}

/* --- works, resets ------------------------------------------------------- */

static const char *get_has_all(struct kernel_io *io, const char *name, char *why, size_t size)
{
	const uint32_t all = DCBNL_ETS | DCBNL_PFC | DCBNL_APPS | DCBNL_DCBX;
	const uint8_t host = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	struct dcbnl_port port;

	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT((port.has & all) == all, "%#x", port.has);
	EXPECT((port.dcbx & (host | DCB_CAP_DCBX_LLD_MANAGED)) == host, "%#x", port.dcbx);
	EXPECT(port.pfc.pfc_cap == 8, "%u", port.pfc.pfc_cap);
	return NULL;
}

static const char *pfc_is_set(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_pfc pfc;

	EXPECT_ERROR(get(io, name, &before), 0);
	pfc = other_pfc(&before);
	EXPECT_ERROR(set(io, name, NULL, &pfc), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(port.pfc.pfc_en == pfc.pfc_en, "%#x", port.pfc.pfc_en);
	EXPECT(port.pfc.pfc_cap == before.pfc.pfc_cap, "%u", port.pfc.pfc_cap);
	EXPECT(memcmp(&port.ets, &before.ets, sizeof(port.ets)) == 0, "ETS has changed");
	EXPECT_ERROR(set(io, name, NULL, &before.pfc), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(port.pfc.pfc_en == before.pfc.pfc_en, "%#x", port.pfc.pfc_en);
	return NULL;
}

/* A structure replaces all of its object: a member that the change does not copy is 0 afterwards.
 */
static const char *mbc_and_delay_are_set(struct kernel_io *io, const char *name, char *why,
					 size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_pfc pfc;

	EXPECT_ERROR(get(io, name, &before), 0);
	pfc = before.pfc;
	pfc.mbc = !pfc.mbc;
	pfc.delay = pfc.delay == 300 ? 200 : 300;
	EXPECT_ERROR(set(io, name, NULL, &pfc), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(port.pfc.mbc == pfc.mbc, "%u", port.pfc.mbc);
	EXPECT(port.pfc.delay == pfc.delay, "%u", port.pfc.delay);
	EXPECT_ERROR(set(io, name, NULL, &before.pfc), 0);
	return NULL;
}

static const char *ets_is_set(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_ets ets;

	EXPECT_ERROR(get(io, name, &before), 0);
	ets = other_ets(&before);
	EXPECT_ERROR(set(io, name, &ets, NULL), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(memcmp(port.ets.prio_tc, ets.prio_tc, sizeof(ets.prio_tc)) == 0, "not as set");
	EXPECT(port.pfc.pfc_en == before.pfc.pfc_en, "%#x", port.pfc.pfc_en);
	EXPECT_ERROR(set(io, name, &before.ets, NULL), 0);
	return NULL;
}

static const char *qcn_is_set(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_qcn qcn;

	EXPECT_ERROR(get(io, name, &before), 0);
	EXPECT(before.has & DCBNL_QCN, "%#x", before.has);
	EXPECT(before.has & DCBNL_QCN_STATS, "%#x", before.has);
	qcn = other_qcn(&before);
	EXPECT_ERROR(set_qcn(io, name, &qcn, NULL), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(memcmp(&port.qcn, &qcn, sizeof(qcn)) == 0, "not as set");
	EXPECT(port.pfc.pfc_en == before.pfc.pfc_en, "%#x", port.pfc.pfc_en);
	EXPECT_ERROR(set_qcn(io, name, &before.qcn, NULL), 0);
	return NULL;
}

static const char *app_is_added_once(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct dcbnl_port port;

	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(!has_app(&port, &an_app), "the entry of this test is in use");
	EXPECT_ERROR(add_app(io, name, &an_app), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(has_app(&port, &an_app), "not added");
	EXPECT_ERROR(add_app(io, name, &an_app), EEXIST);
	EXPECT_ERROR(drop_app(io, name, &an_app), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(!has_app(&port, &an_app), "not deleted");
	EXPECT_ERROR(drop_app(io, name, &an_app), ENOENT);
	return NULL;
}

static const char *set_is_notified(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct dcbnl_port port;

	EXPECT_ERROR(get(io, name, &port), 0);
	drop_notifications(io);
	EXPECT_ERROR(set(io, name, NULL, &port.pfc), 0);
	EXPECT(is_notified(io, name), "no notification");
	EXPECT_ERROR(drop_app(io, name, &an_app), ENOENT);
	EXPECT(is_notified(io, name), "no notification of a deletion");
	return NULL;
}

static const char *interface_is_described(struct kernel_io *io, const char *name, char *why,
					  size_t size)
{
	struct kernel_driver_info info;

	EXPECT(kernel_io_ifindex(io, name) > 0, "no ifIndex");
	EXPECT_ERROR(kernel_io_driver(io, name, &info), 0);
	EXPECT(info.driver[0], "no driver");
	return NULL;
}

/* The numbers of names and values are the same, and fewer values than there are do no harm. */
static const char *counters_are_counted(struct kernel_io *io, const char *name, char *why,
					size_t size)
{
	int n = kernel_io_count(io, name), values;
	struct kernel_names names;
	uint64_t *of;

	EXPECT(n > 0, "%d", n);
	EXPECT_ERROR(kernel_io_names(io, name, &names), 0);
	free(names.of);
	EXPECT(names.n == (unsigned)n, "%u, not %d", names.n, n);
	of = calloc((size_t)n, sizeof(of[0]));
	EXPECT(of, "out of memory");
	values = kernel_io_values(io, name, of, (unsigned)n);
	if (values == n && n > 1)
		values = kernel_io_values(io, name, of, 1);
	free(of);
	EXPECT(values == n, "%d, not %d", values, n);
	return NULL;
}

/* The driver is mlx5_core. Nothing but the driver's code is between the request and its value. */
static const char *prevention_is_read(struct kernel_io *io, const char *name, char *why,
				      size_t size)
{
	uint64_t ms = UINT64_MAX;

	EXPECT_ERROR(kernel_io_prevention(io, name, &ms), 0);
	EXPECT(ms <= UINT16_MAX, "%" PRIu64, ms);
	return NULL;
}

/* --- nosetter ------------------------------------------------------------ */

static const char *missing_setter_reports_success(struct kernel_io *io, const char *name, char *why,
						  size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_pfc pfc;

	EXPECT_ERROR(get(io, name, &before), 0);
	pfc = other_pfc(&before);
	EXPECT_ERROR(set(io, name, NULL, &pfc), 0);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(port.pfc.pfc_en == before.pfc.pfc_en, "%#x", port.pfc.pfc_en);
	return NULL;
}

/* --- busy ---------------------------------------------------------------- */

static const char *ets_stays_when_pfc_fails(struct kernel_io *io, const char *name, char *why,
					    size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_ets ets;
	struct ieee_pfc pfc;

	EXPECT_ERROR(get(io, name, &before), 0);
	ets = other_ets(&before);
	pfc = other_pfc(&before);
	drop_notifications(io);
	EXPECT_ERROR(set(io, name, &ets, &pfc), EBUSY);
	EXPECT(is_notified(io, name), "no notification of a change that failed");
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(memcmp(port.ets.prio_tc, ets.prio_tc, sizeof(ets.prio_tc)) == 0, "not as set");
	EXPECT(port.pfc.pfc_en == before.pfc.pfc_en, "%#x", port.pfc.pfc_en);
	EXPECT_ERROR(set(io, name, &before.ets, NULL), 0);
	return NULL;
}

static const char *qcn_stays_when_pfc_fails(struct kernel_io *io, const char *name, char *why,
					    size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_qcn qcn;
	struct ieee_pfc pfc;

	EXPECT_ERROR(get(io, name, &before), 0);
	qcn = other_qcn(&before);
	pfc = other_pfc(&before);
	EXPECT_ERROR(set_qcn(io, name, &qcn, &pfc), EBUSY);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(memcmp(&port.qcn, &qcn, sizeof(qcn)) == 0, "not as set");
	EXPECT_ERROR(set_qcn(io, name, &before.qcn, NULL), 0);
	return NULL;
}

/* --- firmware ------------------------------------------------------------ */

/* The driver is ice. */
static const char *no_prevention_is_reported(struct kernel_io *io, const char *name, char *why,
					     size_t size)
{
	uint64_t ms;

	EXPECT_ERROR(kernel_io_prevention(io, name, &ms), EOPNOTSUPP);
	return NULL;
}

static const char *firmware_refuses(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct dcbnl_port before, port;
	struct ieee_pfc pfc;

	EXPECT_ERROR(get(io, name, &before), 0);
	EXPECT(before.has & DCBNL_DCBX, "%#x", before.has);
	EXPECT(before.dcbx & DCB_CAP_DCBX_LLD_MANAGED, "%#x", before.dcbx);
	EXPECT(!(before.dcbx & DCB_CAP_DCBX_HOST), "%#x", before.dcbx);
	pfc = other_pfc(&before);
	EXPECT_ERROR(set(io, name, NULL, &pfc), EINVAL);
	EXPECT_ERROR(get(io, name, &port), 0);
	EXPECT(port.pfc.pfc_en == before.pfc.pfc_en, "%#x", port.pfc.pfc_en);
	return NULL;
}

/* --- nodcb, gone --------------------------------------------------------- */

static const char *requests_fail(struct kernel_io *io, const char *name, int error, char *why,
				 size_t size)
{
	const struct ieee_pfc pfc = {.pfc_en = 0x18};
	struct dcbnl_port port;
	int is[] = {
	    get(io, name, &port),
	    set(io, name, NULL, &pfc),
	    add_app(io, name, &an_app),
	    drop_app(io, name, &an_app),
	    kernel_io_set_dcbx(io, name, DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE).error,
	};

	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		EXPECT(is[i] == error, "request %zu: %s", i, is[i] ? strerror(is[i]) : "no error");
	return NULL;
}

static const char *no_dcb_is_reported(struct kernel_io *io, const char *name, char *why,
				      size_t size)
{
	EXPECT(kernel_io_ifindex(io, name) > 0, "no ifIndex");
	return requests_fail(io, name, EOPNOTSUPP, why, size);
}

static const char *gone_is_reported(struct kernel_io *io, const char *name, char *why, size_t size)
{
	struct kernel_driver_info info;
	struct kernel_names names;

	EXPECT(kernel_io_ifindex(io, name) == 0, "there is an interface");
	EXPECT_ERROR(kernel_io_driver(io, name, &info), ENODEV);
	EXPECT(!info.driver[0], "a driver");
	EXPECT_ERROR(-kernel_io_count(io, name), ENODEV);
	EXPECT_ERROR(kernel_io_names(io, name, &names), ENODEV);
	EXPECT_ERROR(-kernel_io_values(io, name, NULL, 0), ENODEV);
	return requests_fail(io, name, ENODEV, why, size);
}

const struct kernel_case kernel_cases[] = {
    {"get_has_all", "works", get_has_all},
    {"pfc_is_set", "works", pfc_is_set},
    {"mbc_and_delay_are_set", "works", mbc_and_delay_are_set},
    {"ets_is_set", "works", ets_is_set},
    {"qcn_is_set", "works", qcn_is_set},
    {"app_is_added_once", "works", app_is_added_once},
    {"set_is_notified", "works", set_is_notified},
    {"interface_is_described", "works", interface_is_described},
    {"counters_are_counted", "works", counters_are_counted},
    {"pfc_is_set", "resets", pfc_is_set},
    {"ets_is_set", "resets", ets_is_set},
    {"prevention_is_read", "resets", prevention_is_read},
    {"missing_setter_reports_success", "nosetter", missing_setter_reports_success},
    {"app_is_added_once", "nosetter", app_is_added_once},
    {"set_is_notified", "nosetter", set_is_notified},
    {"ets_stays_when_pfc_fails", "busy", ets_stays_when_pfc_fails},
    {"qcn_stays_when_pfc_fails", "busy", qcn_stays_when_pfc_fails},
    {"no_prevention_is_reported", "firmware", no_prevention_is_reported},
    {"firmware_refuses", "firmware", firmware_refuses},
    {"no_dcb_is_reported", "nodcb", no_dcb_is_reported},
    {"gone_is_reported", "gone", gone_is_reported},
};
const unsigned kernel_cases_n = sizeof(kernel_cases) / sizeof(kernel_cases[0]);
