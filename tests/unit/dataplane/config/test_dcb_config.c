/* SPDX-License-Identifier: BSD-3-Clause */
/* struct dcb_config: sharing of settings, and effects of rows of CNPVs. */
#include "dataplane/config/dcb_config.h"
#include "lib/rng.h"
#include "tests/unit/unit.h"

#define N_PORTS 12

/* Their addresses are compared, never dereferenced. */
static struct dcb_config *without_port(const struct dcb_config *c, size_t pos)
{
	struct dcb_positions gone = {{0}};

	dcb_positions_add(&gone, pos);
	return dcb_config_without_ports(c, &gone);
}

static char provider_a, provider_b;
#define PROVIDER_A ((struct provider *)&provider_a)
#define PROVIDER_B ((struct provider *)&provider_b)

static struct dcb_defaults defaults;
static struct port ports[N_PORTS]; /* ifIndex 10, 20, ... */

static int set_up(void **state)
{
	(void)state;
	defaults = (struct dcb_defaults){
	    .global = {.cng_master_enable = true, .cng_cnm_transmit_priority = 6},
	    .notify = {.rate_limit = 60},
	    .port = {.refs = 77, .pfc_link_delay_allowance = 5, .pfc = {.enable = 0x18}},
	};
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		defaults.port.port_pri[p].cnpd_def_mode_choice = CPC_COMP;
		defaults.port.cp[p].cp_qsp = 26000;
		defaults.port.rp_port_pri[p].rppp_max_rps = 1;
		defaults.port.rpg[p].rpg_gd = 7;
	}
	for (unsigned i = 0; i < N_PORTS; i++) {
		ports[i] = (struct port){.link = {.ifindex = 10 * (i + 1)}};
		ports[i].provider = i % 3 ? PROVIDER_A : PROVIDER_B;
	}
	return 0;
}

/* Replaces *c by next and frees the previous one. Fails if next is NULL (out of memory). */
static void take(struct dcb_config **c, struct dcb_config *next)
{
	assert_non_null(next);
	dcb_config_free(*c);
	*c = next;
}

static struct dcb_config *with_ports(unsigned n)
{
	struct dcb_config *c = NULL;

	take(&c, dcb_config_new(&defaults));
	for (unsigned i = 0; i < n; i++)
		take(&c, dcb_config_with_port(c, &ports[i], NULL));
	return c;
}

static void activate(struct dcb_config *c, unsigned priority)
{
	c->com_pri[priority].row_status = ROW_ACTIVE;
	assert_true(dcb_config_create_cnpv(c, priority));
}

/* --- ports ------------------------------------------------------------------ */

static void test_new_config_has_defaults(void **state)
{
	struct dcb_config *c = with_ports(0);

	(void)state;
	assert_int_equal(c->n_ports, 0);
	assert_true(c->global.cng_master_enable);
	assert_int_equal(c->global.cng_cnm_transmit_priority, 6);
	assert_int_equal(c->notify.rate_limit, 60);
	assert_int_equal(c->fresh->refs, 1);
	assert_int_equal(c->fresh->pfc.enable, 0x18);
	assert_int_equal(dcb_config_cnpvs(c), 0);
	assert_int_equal(dcb_config_lower_bound(c, 1), 0);
	dcb_config_free(c);
	dcb_config_free(NULL);
	port_config_unref(NULL);
}

/* Adds and removes ports in random order: the list stays sorted, settings stay with ports. */
static void test_ports_are_sorted(void **state)
{
	struct port_config *own[N_PORTS] = {NULL};
	struct dcb_config *c = with_ports(0);
	unsigned present = 0;
	struct dcb_rng rng;

	(void)state;
	dcb_rng_seed(&rng, unit_seed(), 1);
	for (unsigned turn = 0; turn < 500; turn++) {
		unsigned i = dcb_rng_uniform(&rng, 0, N_PORTS - 1);
		size_t pos = dcb_config_lower_bound(c, ports[i].link.ifindex);

		assert_int_equal(pos, __builtin_popcount(present & ((1u << i) - 1)));
		assert_int_equal(dcb_config_lower_bound(c, ports[i].link.ifindex - 5), pos);
		if (present >> i & 1) {
			assert_ptr_equal(c->ports[pos].port, &ports[i]);
			assert_ptr_equal(c->ports[pos].config, own[i] ? own[i] : c->fresh);
			take(&c, without_port(c, pos));
			own[i] = NULL;
		} else {
			struct port_config *pc = i % 2 ? port_config_dup(c->fresh) : NULL;

			own[i] = pc;
			take(&c, dcb_config_with_port(c, &ports[i], pc));
			port_config_unref(pc);
		}
		present ^= 1u << i;
		assert_int_equal(c->n_ports, __builtin_popcount(present));
		for (size_t k = 1; k < c->n_ports; k++)
			assert_true(c->ports[k - 1].port < c->ports[k].port);
		assert_int_equal(c->fresh->refs, 1 + __builtin_popcount(present & 0x555));
	}
	dcb_config_free(c);
}

/* A copy shares all settings until one of the two is edited. */
static void test_edit_copies_shared_settings(void **state)
{
	struct dcb_config *c = with_ports(3), *copy = dcb_config_copy(c);
	struct port_config *edited, *fresh = c->fresh;

	(void)state;
	assert_non_null(copy);
	assert_int_equal(fresh->refs, 2 * (1 + 3));
	edited = dcb_config_edit_port(copy, 1);
	assert_non_null(edited);
	assert_ptr_equal(copy->ports[1].config, edited);
	assert_ptr_not_equal(edited, fresh);
	assert_int_equal(edited->refs, 1);
	assert_int_equal(edited->pfc.enable, fresh->pfc.enable);
	assert_int_equal(fresh->refs, 2 * (1 + 3) - 1);
	assert_ptr_equal(dcb_config_edit_port(copy, 1), edited); /* not shared: edited in place */
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(c->ports[i].config, fresh);
	dcb_config_free(c);
	assert_int_equal(fresh->refs, 1 + 2);
	dcb_config_free(copy);
}

/* Returns the changed ports of c since from, one bit each. */
static unsigned changed_from(const struct dcb_config *c, const struct dcb_config *from)
{
	unsigned mask = 0;

	for (size_t i = dcb_config_next_changed_from(c, from, 0); i < c->n_ports;
	     i = dcb_config_next_changed_from(c, from, i + 1))
		mask |= 1u << i;
	return mask;
}

static void test_successor_records_changed_ports(void **state)
{
	struct dcb_config *c = with_ports(N_PORTS), *next, *other;
	const unsigned all = (1u << N_PORTS) - 1;

	(void)state;
	c->generation = 9;
	next = dcb_config_successor(c);
	assert_true(dcb_config_follows(next, c));
	assert_int_equal(changed_from(next, c), 0);
	assert_non_null(dcb_config_edit_port(next, 0));
	dcb_config_set_port(next, 7, c->fresh);
	dcb_config_mark(next, N_PORTS - 1);
	assert_int_equal(changed_from(next, c), 1u << 0 | 1u << 7 | 1u << (N_PORTS - 1));
	assert_int_equal(changed_from(next, NULL), all);
	/* Ports 0, 3, ... belong to B: its first one has changed; of A 7 and 11 have. */
	other = dcb_config_of_provider(next, PROVIDER_B);
	assert_int_equal(changed_from(other, c), 1u << 0);
	take(&other, dcb_config_of_provider(next, PROVIDER_A));
	assert_int_equal(changed_from(other, c), 1u << 4 | 1u << 7);
	next->generation = 10;
	take(&other, dcb_config_successor(next));
	assert_int_equal(changed_from(other, next), 0);
	assert_int_equal(changed_from(other, c), all); /* changes between are not recorded */
	take(&other, dcb_config_copy(next));
	assert_int_equal(changed_from(other, next), all);
	take(&other, dcb_config_restore(next, c));
	assert_int_equal(changed_from(other, next), 1u << 0);
	dcb_config_mark_all(next);
	assert_int_equal(changed_from(next, c), all);
	dcb_config_free(other);
	dcb_config_free(next);
	dcb_config_free(c);
}

static void test_other_ports_are_not_recorded(void **state)
{
	struct dcb_config *c = with_ports(4), *next;

	(void)state;
	c->generation = 9;
	next = dcb_config_successor(c);
	take(&next, dcb_config_with_port(next, &ports[5], NULL));
	assert_false(dcb_config_follows(next, c));
	assert_false(dcb_config_same_ports(c, next));
	take(&next, dcb_config_successor(c));
	take(&next, without_port(next, 1));
	assert_false(dcb_config_follows(next, c));
	take(&next, dcb_config_successor(c));
	next = dcb_config_insert_port(next, &ports[5], NULL);
	assert_false(dcb_config_follows(next, c));
	take(&next, dcb_config_copy(c));
	assert_true(dcb_config_same_ports(c, next));
	assert_false(dcb_config_same_ports(NULL, next));
	dcb_config_free(next);
	dcb_config_free(c);
}

/* The settings of the others are not even read. */
static void test_successor_settles_changed_ports(void **state)
{
	struct dcb_config *c = with_ports(N_PORTS), *next;
	struct port_config *kept[N_PORTS];

	(void)state;
	c->generation = 9;
	c->ports[3].oper.pfc_enable = 0x55; /* of a neighbor */
	next = dcb_config_successor(c);
	dcb_config_edit_port(next, 5)->pfc.enable = 0x81;
	for (unsigned i = 0; i < N_PORTS; i++) {
		kept[i] = next->ports[i].config;
		if (i != 5)
			next->ports[i].config = NULL;
	}
	dcb_config_compute_oper(next);
	for (unsigned i = 0; i < N_PORTS; i++)
		next->ports[i].config = kept[i];
	assert_int_equal(next->ports[3].oper.pfc_enable, 0x55);
	assert_int_equal(next->ports[5].oper.pfc_enable, 0x81);
	dcb_config_mark_all(next);
	dcb_config_compute_oper(next);
	assert_int_equal(next->ports[3].oper.pfc_enable, 0x18);
	dcb_config_free(next);
	dcb_config_free(c);
}

static void test_reference_keeps_a_configuration(void **state)
{
	struct dcb_config *c = with_ports(3), *kept = dcb_config_ref(c);

	(void)state;
	dcb_config_free(c);
	assert_int_equal(kept->fresh->refs, 1 + 3);
	c = dcb_config_copy(kept);
	dcb_config_free(kept);
	assert_int_equal(c->fresh->refs, 1 + 3);
	dcb_config_free(c);
}

static void test_selects_ports_of_provider(void **state)
{
	struct dcb_config *c = with_ports(N_PORTS), *of_a, *of_b;

	(void)state;
	c->generation = 9;
	of_a = dcb_config_of_provider(c, PROVIDER_A);
	of_b = dcb_config_of_provider(c, PROVIDER_B);
	assert_non_null(of_a);
	assert_non_null(of_b);
	assert_int_equal(of_a->n_ports, N_PORTS / 3 * 2);
	assert_int_equal(of_b->n_ports, N_PORTS / 3);
	for (unsigned i = 0; i < N_PORTS; i++) {
		const struct dcb_config_port *port =
		    i % 3 ? &of_a->ports[i - i / 3 - 1] : &of_b->ports[i / 3];

		assert_ptr_equal(port->port, &ports[i]);
	}
	assert_int_equal(of_a->generation, 9);
	assert_int_equal(c->fresh->refs, 3 + 2 * N_PORTS);
	dcb_config_free(of_a);
	dcb_config_free(of_b);
	assert_int_equal(c->fresh->refs, 1 + N_PORTS);
	dcb_config_free(c);
}

/* Undo of a SET after ports were removed (0), replaced (2) and added (4). */
static void test_undo_after_ports_changed(void **state)
{
	struct port other = {.link = {.ifindex = 30}}; /* replaces ports[2] */
	struct dcb_config *before = with_ports(4), *current, *restored;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		dcb_config_edit_port(before, i)->pfc.enable = (uint8_t)(i + 1);
	before->generation = 5;
	before->com_pri_epoch[2] = 5;
	before->global.cng_cnm_transmit_priority = 3;
	current = dcb_config_copy(before);
	current->generation = 8;
	activate(current, 2);
	current->com_pri_epoch[7] = 9;
	dcb_config_edit_port(current, 1)->pfc.enable = 0xff;
	take(&current, without_port(current, 2));
	take(&current, without_port(current, 0));
	take(&current, dcb_config_with_port(current, &other, NULL));
	take(&current, dcb_config_with_port(current, &ports[4], NULL));
	restored = dcb_config_restore(current, before);
	assert_non_null(restored);
	assert_int_equal(restored->generation, 8);
	assert_int_equal(restored->com_pri_epoch[2], 6);
	assert_int_equal(restored->com_pri_epoch[7], 9);
	assert_int_equal(restored->com_pri[2].row_status, ROW_ABSENT);
	assert_int_equal(restored->global.cng_cnm_transmit_priority, 3);
	assert_int_equal(restored->n_ports, 4);
	assert_ptr_equal(restored->ports[0].port, &ports[1]);
	assert_ptr_equal(restored->ports[0].config, before->ports[1].config);
	assert_ptr_equal(restored->ports[1].port, &other);
	assert_ptr_equal(restored->ports[1].config, before->ports[2].config);
	assert_ptr_equal(restored->ports[2].port, &ports[3]);
	assert_ptr_equal(restored->ports[2].config, before->ports[3].config);
	assert_ptr_equal(restored->ports[3].port, &ports[4]);
	assert_ptr_equal(restored->ports[3].config, before->fresh);
	dcb_config_free(current);
	dcb_config_free(before);
	assert_int_equal(restored->ports[2].config->pfc.enable, 4);
	dcb_config_free(restored);
}

/* --- rows of CNPVs ----------------------------------------------------------- */

static void assert_priority_is_fresh(const struct port_config *pc, unsigned p, uint8_t choice)
{
	assert_int_equal(pc->port_pri[p].cnpd_def_mode_choice, choice);
	assert_int_equal(pc->port_pri[p].cnpd_alternate_priority, 0);
	assert_int_equal(pc->cp[p].cp_qsp, 26000);
	assert_int_equal(pc->rp_port_pri[p].rppp_max_rps, 1);
	assert_int_equal(pc->rpg[p].rpg_gd, 7);
}

static void spoil(struct port_config *pc)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		pc->port_pri[p].cnpd_alternate_priority = 5;
		pc->cp[p].cp_qsp = 1;
		pc->rp_port_pri[p].rppp_max_rps = 2;
		pc->rpg[p].rpg_gd = 3;
	}
	pc->pfc.enable = 0x42;
}

/* 32.3: creation and removal reset the rows of this priority on all ports, not other rows. */
static void test_creation_and_removal_reset_rows(void **state)
{
	struct dcb_config *c = with_ports(3);

	(void)state;
	for (unsigned destroy = 0; destroy < 2; destroy++) {
		for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
			struct port_config *own = dcb_config_edit_port(c, 1);
			uint32_t epoch = c->com_pri_epoch[p];

			spoil(own);
			c->com_pri[p].row_status = ROW_ACTIVE;
			assert_true(destroy ? dcb_config_destroy_cnpv(c, p)
					    : dcb_config_create_cnpv(c, p));
			assert_int_equal(c->com_pri_epoch[p], epoch + 1);
			assert_int_equal(dcb_config_cnpvs(c) >> p & 1, !destroy);
			assert_ptr_equal(c->ports[1].config, own);
			assert_priority_is_fresh(own, p, CPC_COMP);
			for (unsigned other = 0; other < DCB_PRIORITIES; other++) {
				assert_priority_is_fresh(c->fresh, other, CPC_COMP);
				if (other != p)
					assert_int_equal(own->rp_port_pri[other].rppp_max_rps, 2);
			}
			assert_int_equal(own->pfc.enable, 0x42);
			/* Ports that were not edited still share their settings. */
			assert_ptr_equal(c->ports[0].config, c->fresh);
			assert_ptr_equal(c->ports[2].config, c->fresh);
			assert_int_equal(c->fresh->refs, 3);
		}
	}
	dcb_config_free(c);
}

/* 32.3.5: cncpCreation autoDisable gives the ports' rows the choice admin. */
static void test_auto_disable_sets_choice_admin(void **state)
{
	struct dcb_config *c = with_ports(1);
	struct port_config *pc = port_config_dup(c->fresh);

	(void)state;
	assert_int_equal(pc->refs, 1);
	c->com_pri[3].cncp_creation = CNCP_AUTO_DISABLE;
	c->com_pri[4].cncp_creation = CNCP_AUTO_ENABLE;
	activate(c, 3);
	activate(c, 4);
	assert_priority_is_fresh(c->ports[0].config, 3, CPC_ADMIN);
	assert_priority_is_fresh(c->ports[0].config, 4, CPC_COMP);
	spoil(pc);
	pc->refs = 4;
	port_config_init(pc, c);
	assert_int_equal(pc->refs, 4);
	assert_int_equal(pc->pfc.enable, 0x18);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_priority_is_fresh(pc, p, p == 3 ? CPC_ADMIN : CPC_COMP);
	pc->refs = 1;
	port_config_unref(pc);
	dcb_config_free(c);
}

/* 12.21.2: no eighth row can become active. */
static void test_eighth_row_cannot_become_active(void **state)
{
	struct dcb_config *c = with_ports(0);

	(void)state;
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_int_equal(dcb_config_row_status(c, p), ROW_ABSENT);
	c->com_pri[0].row_status = ROW_NOT_IN_SERVICE;
	for (unsigned p = 1; p < DCB_PRIORITIES; p++) {
		assert_int_equal(dcb_config_row_status(c, 0), ROW_NOT_IN_SERVICE);
		c->com_pri[p].row_status = ROW_ACTIVE;
		assert_int_equal(dcb_config_active_rows(c), p);
		assert_int_equal(dcb_config_row_status(c, p), ROW_ACTIVE);
	}
	assert_int_equal(dcb_config_row_status(c, 0), ROW_NOT_READY);
	dcb_config_free(c);
}

/* 32.3.3: all rows are CNPVs; of eight rows only the active ones. */
static void test_eight_rows_leave_active_ones(void **state)
{
	struct dcb_config *c = with_ports(2);

	(void)state;
	c->com_pri[3].row_status = ROW_ACTIVE;
	c->com_pri[2].row_status = ROW_NOT_IN_SERVICE;
	dcb_config_edit_port(c, 1)->pfc.enable = 0x81;
	dcb_config_compute_oper(c);
	assert_int_equal(c->cnpv_acting, 1 << 3);
	assert_int_equal(dcb_config_cnpvs(c), 1 << 3 | 1 << 2);
	assert_int_equal(dcb_config_cnpvs_for_alternate(c), 1 << 3 | 1 << 2);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		assert_int_equal(c->cncp_auto_alt_pri[p], cnd_auto_alt_pri(1 << 3 | 1 << 2, p));
	assert_int_equal(c->ports[0].oper.pfc_enable, 0x18);
	assert_int_equal(c->ports[1].oper.pfc_enable, 0x81);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		c->com_pri[p].row_status = p < 7 ? ROW_ACTIVE : ROW_NOT_IN_SERVICE;
	assert_int_equal(dcb_config_cnpvs(c), 0xff);
	assert_int_equal(dcb_config_cnpvs_for_alternate(c), 0x7f);
	c->global.cng_master_enable = false;
	dcb_config_compute_oper(c);
	assert_int_equal(c->cnpv_acting, 0);
	assert_int_equal(c->cncp_auto_alt_pri[3], 7);
	dcb_config_free(c);
}

UNIT_MAIN
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_new_config_has_defaults, set_up),
	    cmocka_unit_test_setup(test_ports_are_sorted, set_up),
	    cmocka_unit_test_setup(test_edit_copies_shared_settings, set_up),
	    cmocka_unit_test_setup(test_successor_records_changed_ports, set_up),
	    cmocka_unit_test_setup(test_other_ports_are_not_recorded, set_up),
	    cmocka_unit_test_setup(test_successor_settles_changed_ports, set_up),
	    cmocka_unit_test_setup(test_reference_keeps_a_configuration, set_up),
	    cmocka_unit_test_setup(test_selects_ports_of_provider, set_up),
	    cmocka_unit_test_setup(test_undo_after_ports_changed, set_up),
	    cmocka_unit_test_setup(test_creation_and_removal_reset_rows, set_up),
	    cmocka_unit_test_setup(test_auto_disable_sets_choice_admin, set_up),
	    cmocka_unit_test_setup(test_eighth_row_cannot_become_active, set_up),
	    cmocka_unit_test_setup(test_eight_rows_leave_active_ones, set_up),
	};

	return cmocka_run_group_tests_name("dcb_config", tests, NULL, NULL);
}
