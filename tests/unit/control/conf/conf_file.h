/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that a test of dcbd.conf writes and reads. Each test program has its own. */
#ifndef DCB_TESTS_CONF_FILE_H
#define DCB_TESTS_CONF_FILE_H

#include <string.h>
#include <unistd.h>

#include "control/conf/conf.h"
#include "tests/unit/unit.h"

static char file[] = "/tmp/test_conf.XXXXXX";

static inline int make_file(void **state)
{
	int fd = mkstemp(file);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : -1;
}

static inline int remove_file(void **state)
{
	(void)state;
	return unlink(file);
}

static inline void write_octets(const char *octets, size_t len)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(octets, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline void write_file(const char *text)
{
	write_octets(text, strlen(text));
}

static inline bool read_text(struct conf *conf, const char *text, char *err, size_t errlen)
{
	write_file(text);
	conf_init(conf);
	return conf_read(conf, file, err, errlen);
}

static inline void read_good(struct conf *conf, const char *text)
{
	char err[512];

	if (!read_text(conf, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
}

/* Asserts that all settings have their initial values. */
static inline void assert_default_conf(const struct conf *conf)
{
	assert_int_equal(conf->role, ROLE_BRIDGE);
	assert_int_equal(conf->component_id, 1);
	assert_int_equal(conf->fdb_ageing_s, 300);
	assert_int_equal(conf->transit_delay_ms, 1000);
	assert_int_equal(conf->fdb_entries, 8192);
	assert_int_equal(conf->frame_buffers, 16384);
	assert_int_equal(conf_frame_octets(conf), 2048);
	assert_int_equal(conf->memory_ports, 0);
	assert_int_equal(conf->receive_mib, 72);
	assert_true(conf->qdisc_bypass);
	assert_false(conf->keep_absent);
	assert_int_equal(conf->dataplane_cpu, -1);
	assert_int_equal(conf->dataplane_priority, 5);
	assert_false(conf->priority_is_set);
	assert_string_equal(conf->state_file, "/var/lib/dcbd/state");
	assert_string_equal(conf->control_socket, "/run/dcbd/control");
	assert_true(conf->lldp_enable);
	assert_string_equal(conf->lldp_socket, "/run/lldpd.socket");
	assert_string_equal(conf->lldp_group, "_lldpd");
	assert_null(conf->lldp_program);
	assert_int_equal(conf->lldp_destination, 1);
	assert_true(conf->lldp_hold_new_ports);
	assert_null(conf->control_group);
	assert_null(conf->control_agent);
	assert_string_equal(conf_view(conf), "/run/dcbd/view");
	assert_null(conf->control_view_group);
	assert_null(conf->user);
	assert_int_equal(conf->port_default.rate.bps, 0);
	assert_int_equal(conf->port_default.buffer_octets, 400000);
	assert_int_equal(conf->port_default.pfc_buffer_octets, 0);
	assert_int_equal(conf->port_default.pfc_headroom_octets, 0);
	assert_int_equal(conf->port_default.pfc_xon_octets, 0);
	assert_false(conf->port_default.rx_pause);
	assert_false(conf->port_default.classified);
	assert_int_equal(conf->port_default.pvid, 1);
	assert_int_equal(conf->port_default.default_priority, 0);
	assert_false(conf->port_default.pvid_tagged);
	assert_true(conf->port_default.nic_times);
	assert_false(conf->port_default.memory);
	assert_int_equal(conf->n_include + conf->n_exclude + conf->n_ports + conf->n_initial, 0);
	assert_false(conf_manages(conf, "eth0"));
}

#endif
