/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/kernel/kernel_rp.h"

#include <string.h>
#include <sys/param.h>

/* The values of rpgEnable are apart. */
static const struct {
	const char *name;
	size_t at;         /* in struct ieee_qcn: an array of uint32_t */
	uint32_t units;    /* of the kernel in one of the MIB */
	uint32_t min, max; /* of the MIB */
} values[KERNEL_RP_VALUES] = {
#define VALUE(name, member, units, min, max)                             \
	{                                                                \
		name, offsetof(struct ieee_qcn, member), units, min, max \
	}
    [KERNEL_RP_MAX_RPS] = VALUE("rpppMaxRps", rppp_max_rps, 1, 1, RPPP_MAX_RPS_LIMIT),
    [KERNEL_RP_TIME_RESET] = VALUE("rpgTimeReset", rpg_time_reset, 1000, 0, INT32_MAX),
    [KERNEL_RP_BYTE_RESET] = VALUE("rpgByteReset", rpg_byte_reset, 1, 0, UINT32_MAX),
    [KERNEL_RP_THRESHOLD] = VALUE("rpgThreshold", rpg_threshold, 1, 0, UINT32_MAX),
    [KERNEL_RP_MAX_RATE] = VALUE("rpgMaxRate", rpg_max_rate, 1, 0, UINT32_MAX),
    [KERNEL_RP_AI_RATE] = VALUE("rpgAiRate", rpg_ai_rate, 1, 0, UINT32_MAX),
    [KERNEL_RP_HAI_RATE] = VALUE("rpgHaiRate", rpg_hai_rate, 1, 0, UINT32_MAX),
    /* An exponent, for which the kernel has no negative values. */
    [KERNEL_RP_GD] = VALUE("rpgGd", rpg_gd, 1, 0, INT32_MAX),
    [KERNEL_RP_MIN_DEC_FAC] = VALUE("rpgMinDecFac", rpg_min_dec_fac, 1, 1, 100),
    [KERNEL_RP_MIN_RATE] = VALUE("rpgMinRate", rpg_min_rate, 1000000, 0, UINT32_MAX),
#undef VALUE
};

static uint32_t get(const struct ieee_qcn *qcn, unsigned value, unsigned p)
{
	uint32_t v;

	memcpy(&v, (const char *)qcn + values[value].at + p * sizeof(v), sizeof(v));
	return v;
}

static void put(struct ieee_qcn *qcn, unsigned value, unsigned p, uint32_t v)
{
	memcpy((char *)qcn + values[value].at + p * sizeof(v), &v, sizeof(v));
}

/* Returns a value of the device in the unit of the MIB, rounded. */
static uint32_t of_device(const struct ieee_qcn *qcn, unsigned value, unsigned p)
{
	uint32_t units = values[value].units;

	return (uint32_t)(((uint64_t)get(qcn, value, p) + units / 2) / units);
}

void kernel_rp_wanted(const struct port_config *config, uint8_t cnpvs, struct kernel_rp *out)
{
	*out = (struct kernel_rp){.cnpvs = cnpvs, .mask = cnpvs};
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		const struct rpg_config *rpg = &config->rpg[p];
		uint32_t *of = out->of[p];

		if (!(cnpvs >> p & 1))
			continue;
		out->enable |= (uint8_t)(rpg->rpg_enable << p);
		out->is_rate |= (uint8_t)(rpg->rpg_max_rate_is_set << p);
		of[KERNEL_RP_MAX_RPS] = config->rp_port_pri[p].rppp_max_rps;
		of[KERNEL_RP_TIME_RESET] = (uint32_t)rpg->rpg_time_reset;
		of[KERNEL_RP_BYTE_RESET] = rpg->rpg_byte_reset;
		of[KERNEL_RP_THRESHOLD] = rpg->rpg_threshold;
		of[KERNEL_RP_MAX_RATE] = rpg->rpg_max_rate_is_set ? rpg->rpg_max_rate : 0;
		of[KERNEL_RP_AI_RATE] = rpg->rpg_ai_rate;
		of[KERNEL_RP_HAI_RATE] = rpg->rpg_hai_rate;
		of[KERNEL_RP_GD] = (uint32_t)rpg->rpg_gd;
		of[KERNEL_RP_MIN_DEC_FAC] = rpg->rpg_min_dec_fac;
		of[KERNEL_RP_MIN_RATE] = rpg->rpg_min_rate;
	}
}

uint8_t kernel_rp_changed(const struct kernel_rp *a, const struct kernel_rp *b)
{
	uint8_t changed =
	    (uint8_t)((a->cnpvs ^ b->cnpvs) | (a->enable ^ b->enable) | (a->is_rate ^ b->is_rate));

	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (memcmp(a->of[p], b->of[p], sizeof(a->of[p])) != 0)
			changed |= (uint8_t)(1u << p);
	return changed;
}

/* Whether the settings have this value: those of a port that has no rate follow its speed. */
static bool has_value(const struct kernel_rp *rp, unsigned value, unsigned p)
{
	return (rp->cnpvs >> p & 1) && (value != KERNEL_RP_MAX_RATE || (rp->is_rate >> p & 1));
}

static bool differs(const struct kernel_rp *wanted, const struct ieee_qcn *now, unsigned value,
		    unsigned p)
{
	return has_value(wanted, value, p) && of_device(now, value, p) != wanted->of[p][value];
}

uint8_t kernel_rp_differing(const struct kernel_rp *wanted, const struct ieee_qcn *now)
{
	uint8_t differ = 0;

	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		bool any = !now->rpg_enable[p] != !(wanted->enable >> p & 1);

		for (unsigned i = 0; i < KERNEL_RP_VALUES; i++)
			any |= differs(wanted, now, i, p);
		differ |= (uint8_t)(any << p);
	}
	return differ & wanted->mask;
}

bool kernel_rp_can(const struct kernel_rp *wanted, const struct port *port,
		   struct provider_refusal *why)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		for (unsigned i = 0; (wanted->mask >> p & 1) && i < KERNEL_RP_VALUES; i++) {
			uint32_t most = MIN(UINT32_MAX / values[i].units, values[i].max);

			if (has_value(wanted, i, p) && wanted->of[p][i] > most)
				return provider_refuse(
				    why, PROVIDER_CANNOT, port, PROVIDER_RP,
				    "%s of priority %u: expected 0..%u, which the kernel takes",
				    values[i].name, p, most);
		}
	return true;
}

void kernel_rp_set(const struct kernel_rp *wanted, struct ieee_qcn *qcn)
{
	for (unsigned p = 0; p < DCB_PRIORITIES; p++) {
		if (!(wanted->mask >> p & 1))
			continue;
		qcn->rpg_enable[p] = wanted->enable >> p & 1;
		for (unsigned i = 0; i < KERNEL_RP_VALUES; i++)
			if (differs(wanted, qcn, i, p))
				put(qcn, i, p, wanted->of[p][i] * values[i].units);
	}
}

/* Sets *to to a value of the device that a SET could make. */
static void take(const struct ieee_qcn *now, unsigned value, unsigned p, uint32_t *to)
{
	uint32_t v = of_device(now, value, p);

	if (v >= values[value].min && v <= values[value].max)
		*to = v;
}

static void take_priority(const struct ieee_qcn *now, unsigned p, struct port_config *to)
{
	struct rpg_config *rpg = &to->rpg[p];
	uint32_t max_rps = to->rp_port_pri[p].rppp_max_rps, min_dec_fac = rpg->rpg_min_dec_fac;
	uint32_t time_reset = (uint32_t)rpg->rpg_time_reset, gd = (uint32_t)rpg->rpg_gd;

	take(now, KERNEL_RP_MAX_RPS, p, &max_rps);
	take(now, KERNEL_RP_TIME_RESET, p, &time_reset);
	take(now, KERNEL_RP_BYTE_RESET, p, &rpg->rpg_byte_reset);
	take(now, KERNEL_RP_THRESHOLD, p, &rpg->rpg_threshold);
	take(now, KERNEL_RP_MAX_RATE, p, &rpg->rpg_max_rate);
	take(now, KERNEL_RP_AI_RATE, p, &rpg->rpg_ai_rate);
	take(now, KERNEL_RP_HAI_RATE, p, &rpg->rpg_hai_rate);
	take(now, KERNEL_RP_GD, p, &gd);
	take(now, KERNEL_RP_MIN_DEC_FAC, p, &min_dec_fac);
	take(now, KERNEL_RP_MIN_RATE, p, &rpg->rpg_min_rate);
	to->rp_port_pri[p].rppp_max_rps = (uint8_t)max_rps;
	rpg->rpg_enable = now->rpg_enable[p];
	rpg->rpg_min_dec_fac = (uint8_t)min_dec_fac;
	rpg->rpg_time_reset = (int32_t)time_reset;
	rpg->rpg_gd = (int32_t)gd;
	rpg->rpg_max_rate_is_set = rpg->rpg_max_rate != 0; /* 0: no limit below the speed */
	/* They do not follow the rate of the port. */
	to->profile_set[p] |= 1u << CN_PROFILE_TIME_RESET | 1u << CN_PROFILE_AI_RATE |
			      1u << CN_PROFILE_HAI_RATE | 1u << CN_PROFILE_MIN_RATE;
}

bool kernel_rp_adopt(const struct ieee_qcn *now, uint8_t cnpvs, struct port_config *config)
{
	struct kernel_rp before, after;

	kernel_rp_wanted(config, cnpvs, &before);
	for (unsigned p = 0; p < DCB_PRIORITIES; p++)
		if (cnpvs >> p & 1)
			take_priority(now, p, config);
	kernel_rp_wanted(config, cnpvs, &after);
	return kernel_rp_changed(&before, &after);
}
