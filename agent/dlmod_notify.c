/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/dlmod_notify.h"

#include "agent/varbind.h"
#include "agent/notifier.h"
#include "lib/clock.h"
#include "lib/log.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

static struct {
	struct notifier *notifier;
	struct mib *mib;
	int fd;         /* watched by snmpd; -1: none */
	unsigned alarm; /* 0: none */
} s = {.fd = -1};

static void run(void);

/* --- what snmpd calls --------------------------------------------------------------- */

static void on_readable(int fd, void *arg)
{
	(void)fd, (void)arg;
	notifier_read(s.notifier);
	run();
}

static void on_alarm(unsigned alarm, void *arg)
{
	(void)alarm, (void)arg;
	s.alarm = 0;
	run();
}

static void watch(int fd)
{
	if (s.fd >= 0)
		unregister_readfd(s.fd);
	s.fd = fd;
	if (fd >= 0 && register_readfd(fd, on_readable, NULL) != FD_REGISTERED_OK) {
		/*
		 * Message: Other modules of snmpd(8) use up its 32 descriptors: no notifications
		 * are sent.
		 */
		log_error_limited("notify", "snmpd watches no more descriptors");
		s.fd = -1;
	}
}

static void run(void)
{
	int64_t now_ms = clock_now().ns / DCB_NS_PER_MS;
	int64_t next_ms = notifier_run(s.notifier, now_ms);
	struct timeval tv;

	if (s.alarm)
		snmp_alarm_unregister(s.alarm);
	s.alarm = 0;
	if (next_ms == INT64_MAX)
		return;
	tv.tv_sec = (time_t)((next_ms - now_ms) / 1000);
	tv.tv_usec = (suseconds_t)((next_ms - now_ms) % 1000) * 1000;
	s.alarm = snmp_alarm_register_hr(tv, 0, on_alarm, NULL);
}

/* --- notifications -------------------------------------------------------------------- */

static bool add_varbind(netsnmp_variable_list **list, const struct mo_varbind *in)
{
	const struct mo_table *table = mo_table(in->table);
	struct mib_oid name = {.n = 0};
	netsnmp_variable_list *vb;

	for (unsigned n = 0; n < table->oid_len; n++)
		name.sub[name.n++] = table->oid[n];
	name.sub[name.n++] = in->subid;
	for (unsigned n = 0; n < in->index.n; n++)
		name.sub[name.n++] = in->index.sub[n];
	vb = snmp_varlist_add_variable(list, NULL, 0, ASN_NULL, NULL, 0);
	if (!vb)
		return false;
	varbind_oid_to(vb, &name);
	varbind_value_to(vb, &in->value);
	return true;
}

/* snmpd puts sysUpTime.0 before it (RFC 3416, 4.2.6), and converts it for SNMPv1. */
static bool add_trap_oid(netsnmp_variable_list **list, const struct mo_notification *n)
{
	static const oid trap_oid[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
	oid name[MIB_OID_MAX];

	for (unsigned i = 0; i < n->oid_len; i++)
		name[i] = n->oid[i];
	return snmp_varlist_add_variable(list, trap_oid, OID_LENGTH(trap_oid), ASN_OBJECT_ID, name,
					 n->oid_len * sizeof(name[0]));
}

static enum notifier_sending send_event(const struct mo_event *ev, uint32_t ticket)
{
	netsnmp_variable_list *list = NULL;
	bool complete = add_trap_oid(&list, mo_notification(ev->id));

	(void)ticket;
	for (unsigned i = 0; i < ev->n && complete; i++)
		complete = add_varbind(&list, &ev->vbs[i]);
	if (complete)
		send_v2trap(list);
	else
		/* Message: as "out of memory" */
		log_error_limited("notify", "out of memory");
	snmp_free_varbind(list);
	return complete ? NOTIFIER_TAKEN : NOTIFIER_BUSY;
}

/* --- start and stop --------------------------------------------------------------------- */

static void on_ended(bool ended)
{
	mib_hide(s.mib, ended);
}

static uint32_t boot_id(void)
{
	return mib_boot_id(s.mib);
}

bool dlmod_notify_start(const char *socket_path, const char *view_path, struct mib *mib)
{
	static const struct notifier_ops ops = {
	    .send = send_event, .watch = watch, .ended = on_ended, .boot_id = boot_id};

	s.mib = mib;
	s.notifier = notifier_new(socket_path, view_path, &ops);
	if (!s.notifier)
		return false;
	notifier_resume(s.notifier);
	/* snmpd changes its user after it has read its configuration. */
	s.alarm = snmp_alarm_register(0, 0, on_alarm, NULL);
	return true;
}

void dlmod_notify_stop(void)
{
	notifier_free(s.notifier);
	s.notifier = NULL;
	if (s.alarm)
		snmp_alarm_unregister(s.alarm);
	s.alarm = 0;
}
