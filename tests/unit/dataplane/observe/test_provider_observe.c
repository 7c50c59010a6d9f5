/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports of provider "observe": capabilities, and refused configurations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/observe/provider_observe.h"

static const struct dcb_defaults defaults;
static const struct port_settings settings = {.provider = "observe"};

static struct port *open_port(struct provider *p, uint16_t slot)
{
	struct link_info link = {.ifindex = 10u + slot, .name = "swp", .mtu = 9000, .up = true};
	struct port *port;
	char err[128];

	port = p->ops->port_open(p, slot, &link, &settings, err, sizeof(err));
	assert_non_null(port);
	return port;
}

static void test_port_has_link_and_pfc(void **state)
{
	struct provider *p = provider_observe_new();
	struct port *port = open_port(p, 4);
	struct link_info link = port->link;
	struct port_stats stats = {.rx_frames = 1};

	(void)state;
	assert_ptr_equal(port->provider, p);
	assert_int_equal(port->slot, 4);
	assert_int_equal(port->has, PROVIDER_PFC | PROVIDER_DCBX);
	assert_int_equal(port->sets, PROVIDER_PFC);
	assert_string_equal(port->settings.provider, "observe");
	p->ops->read_port(port, &stats);
	assert_int_equal(stats.up, 1);
	assert_int_equal(stats.rx_frames, 0);
	link.up = false;
	p->ops->port_update(port, &link);
	p->ops->read_port(port, &stats);
	assert_int_equal(stats.up, 0);
	p->ops->destroy(p); /* with a port open */
}

/* The refusal names the willing port; other settings are accepted. */
static void test_willing_port_is_refused(void **state)
{
	struct provider *p = provider_observe_new();
	struct port *ports[2] = {open_port(p, 0), open_port(p, 1)};
	struct dcb_config *config = dcb_config_new(&defaults), *next;
	struct provider_refusal why;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		next = dcb_config_with_port(config, ports[i], NULL);
		dcb_config_free(config);
		config = next;
		dcb_config_edit_port(config, i)->pfc.enable = 0xff;
		dcb_config_edit_port(config, i)->dcbx.ets_willing = true;
	}
	assert_true(p->ops->prepare(p, config, &why));
	assert_true(p->ops->commit(p, config, &why));
	next = dcb_config_copy(config);
	dcb_config_edit_port(next, 1)->dcbx.pfc_willing = true;
	assert_false(p->ops->prepare(p, next, &why));
	assert_int_equal(why.reason, PROVIDER_CANNOT);
	assert_ptr_equal(why.port, ports[1]);
	assert_int_equal(why.about, PROVIDER_PFC);
	assert_non_null(strstr(why.text, "expected not willing"));
	dcb_config_free(next);
	dcb_config_free(config);
	p->ops->port_close(ports[0]);
	p->ops->port_close(ports[1]);
	p->ops->destroy(p);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_port_has_link_and_pfc),
	    cmocka_unit_test(test_willing_port_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
