/* SPDX-License-Identifier: BSD-3-Clause */
/* The DEFVAL clauses of ieee8021CnRpGroupEntry. */
#ifndef DCB_TESTS_RPG_DEFAULTS_H
#define DCB_TESTS_RPG_DEFAULTS_H

#include "dataplane/core/rp.h"

static const struct rpg_config rpg_defaults = {
    .rpg_enable = true,
    .rpg_min_dec_fac = 50,
    .rpg_time_reset = 15,
    .rpg_byte_reset = 150000,
    .rpg_threshold = 5,
    .rpg_ai_rate = 5,
    .rpg_hai_rate = 50,
    .rpg_gd = 7,
    .rpg_min_rate = 5,
};

#endif
