/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the settings of a port for priorities, congestion notification and PFC. */
#include "control/conf/conf_private.h"

#include "lib/ranges.h"

#include <inttypes.h>
#include <string.h>

#include "dataplane/core/eth.h"

#define PPM 1000000

static struct port_settings *settings_at(const struct conf_row *row, void *base)
{
	return (struct port_settings *)(void *)((char *)base + row->offset);
}

/* Reads eight numbers 0..7, one for each priority. */
static bool take_table(struct reader *r, const config_setting_t *s, const char *expected,
		       uint8_t table[DCB_PRIORITIES])
{
	int64_t v;

	if (!conf_is_array(s) || config_setting_length(s) != DCB_PRIORITIES)
		/* Message: The table needs one number for each priority. Write eight numbers. */
		return conf_fail(r, s, "expected eight %s", expected);
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		if (!conf_integer(r, config_setting_get_elem(s, i), 0, 7, &v))
			return false;
		table[i] = (uint8_t)v;
	}
	return true;
}

bool conf_take_regeneration(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			    void *base)
{
	struct port_settings *settings = settings_at(row, base);

	settings->regenerates =
	    take_table(r, s, "priorities [ 0, 1, 2, 3, 4, 5, 6, 7 ]", settings->regeneration);
	return settings->regenerates;
}

bool conf_take_traffic_classes(struct reader *r, const config_setting_t *s,
			       const struct conf_row *row, void *base)
{
	struct port_settings *settings = settings_at(row, base);

	settings->classified =
	    take_table(r, s, "traffic classes [ 1, 0, 2, 3, 4, 5, 6, 7 ]", settings->traffic_class);
	return settings->classified;
}

bool conf_take_provider(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base)
{
	static const char *const names[] = {CONF_PROVIDER_SOFT,    CONF_PROVIDER_STATION,
					    CONF_PROVIDER_OBSERVE, CONF_PROVIDER_KERNEL,
					    CONF_PROVIDER_SONIC,   NULL};
	int provider = conf_one_of(r, s, names);

	if (provider < 0)
		return false;
	*(const char **)(void *)((char *)base + row->offset) = names[provider];
	return true;
}

bool conf_take_policy(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		      void *base)
{
	static const char *const names[] = {"adopt", "enforce", "watch", NULL};
	int policy = conf_one_of(r, s, names);

	settings_at(row, base)->policy = (uint8_t)(PROVIDER_ADOPT + policy);
	return policy >= 0;
}

bool conf_take_sonic_write(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			   void *base)
{
	static const char *const names[] = {"none", "patch", NULL};
	int write = conf_one_of(r, s, names);

	*(bool *)(void *)((char *)base + row->offset) = write == 1;
	return write >= 0;
}

bool conf_take_profile(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	static const char *const names[] = {
	    [CN_PROFILE_STANDARD] = "standard", [CN_PROFILE_SCALED] = "scaled", NULL};
	int profile = conf_one_of(r, s, names);

	settings_at(row, base)->profile = profile > 0 ? CN_PROFILE_SCALED : CN_PROFILE_STANDARD;
	return profile >= 0;
}

bool conf_take_vlans(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	struct conf_vlans *vlans = (struct conf_vlans *)(void *)((char *)base + row->offset);
	const char *text = config_setting_get_string(s);

	*vlans = (struct conf_vlans){.is_set = true, .line = conf_line(r, s)};
	if (text && ranges_parse(text, 0, 1, ETH_VID_RESERVED - 1, vlans->member))
		return true;
	return conf_expected(r, s, "VLANs 1..4094 such as \"1,10-20\", or \"none\"");
}

/* --- cn = { ... } ----------------------------------------------------------------------- */

/* Sets the variant of the congestion points and of the reaction points of a port. */
static bool take_variant(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			 void *base)
{
	static const char *const names[] = {"802.1Qau", "2007", NULL};
	struct port_settings *settings = base;
	int early = conf_one_of(r, s, names);

	(void)row;
	settings->early = settings->rp_variant.early = early == 1;
	return early >= 0;
}

static bool take_threshold(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			   void *base)
{
	static const char *const names[] = {"figure", "pseudo-code", NULL};
	struct port_settings *settings = base;
	int reading = conf_one_of(r, s, names);

	(void)row;
	settings->rp_variant.reading = reading == 1 ? RP_READING_PSEUDO : RP_READING_FIG;
	return reading >= 0;
}

static bool take_first_hyper_cycle(struct reader *r, const config_setting_t *s,
				   const struct conf_row *row, void *base)
{
	static const char *const names[] = {"half", "full", NULL};
	struct port_settings *settings = base;
	int length = conf_one_of(r, s, names);

	(void)row;
	settings->rp_variant.full_hyper_entry = length == 1;
	return length >= 0;
}

/* Sets the pages that the early congestion point counts: those of the queue or of each frame. */
static bool take_pages(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		       void *base)
{
	static const char *const names[] = {"queue", "frame", NULL};
	struct port_settings *settings = base;
	int of = conf_one_of(r, s, names);

	(void)row;
	settings->cp_early.pages_of_frames = of == 1;
	return of >= 0;
}

/* Reads a bool into a field that has the opposite meaning. */
static bool take_not(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		     void *base)
{
	bool *field = (bool *)((char *)base + row->offset);

	if (!conf_take_bool(r, s, row, base))
		return false;
	*field = !*field;
	return true;
}

/* Reads a probability 0..1 and stores it in parts per million. */
static bool take_probability(struct reader *r, const config_setting_t *s,
			     const struct conf_row *row, void *base)
{
	double v;

	if (!conf_is_real(s, &v) || !(v >= 0 && v <= 1))
		return conf_expected(r, s, "a probability 0..1");
	*(uint32_t *)(void *)((char *)base + row->offset) = (uint32_t)(v * PPM + 0.5);
	return true;
}

/* clang-format off */
#define ROW(name, take, field, max) \
	{name, take, offsetof(struct port_settings, field), \
	 sizeof(((struct port_settings *)0)->field), 0, max, NULL}
const struct conf_row conf_cn_rows[] = {
	{"variant", take_variant, 0, 0, 0, 0, NULL},
	{"threshold", take_threshold, 0, 0, 0, 0, NULL},
	ROW("jitter", take_not, rp_variant.no_jitter, 1),
	ROW("extra_fast_recovery", take_not, rp_variant.no_extra_fast_recovery, 1),
	ROW("base_probability", take_probability, cp_early.base_probability_ppm, 1),
	ROW("step_probability", take_probability, cp_early.step_probability_ppm, 1),
	{"page_octets", conf_take_number, offsetof(struct port_settings, cp_early.page_octets),
	 sizeof(uint32_t), 1, 65536, NULL},
	{"pages", take_pages, 0, 0, 0, 0, NULL},
	{"first_hyper_cycle", take_first_hyper_cycle, 0, 0, 0, 0, NULL},
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
/* clang-format on */

bool conf_take_cn(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		  void *base)
{
	static const struct conf_row group = {"cn", conf_take_group, 0, 0, 0, 0, conf_cn_rows};

	return conf_take_group(r, s, &group, (char *)base + row->offset);
}

/* --- pfc = { ... } ---------------------------------------------------------------------- */

/* Reads the octets of a receive buffer; 0: automatic. */
static bool take_buffer(struct reader *r, const config_setting_t *s, const struct conf_row *row,
			void *base)
{
	struct port_settings *settings = base;
	int64_t v;

	if (!conf_is_integer(s, 0, 0, &v) && !conf_integer(r, s, row->min, row->max, &v))
		return false;
	settings->pfc_buffer_octets = (uint32_t)v;
	return true;
}

/* clang-format off */
const struct conf_row conf_pfc_rows[] = {
	{"buffer", take_buffer, 0, 0, 2000, 1 << 30, NULL},
	{"headroom", conf_take_number, offsetof(struct port_settings, pfc_headroom_octets),
	 sizeof(uint32_t), 0, 1 << 30, NULL},
	{"xon", conf_take_number, offsetof(struct port_settings, pfc_xon_octets),
	 sizeof(uint32_t), 0, 1 << 30, NULL},
	ROW("pause", conf_take_bool, rx_pause, 1),
	{NULL, NULL, 0, 0, 0, 0, NULL}
};
/* clang-format on */

bool conf_take_pfc(struct reader *r, const config_setting_t *s, const struct conf_row *row,
		   void *base)
{
	static const struct conf_row group = {"pfc", conf_take_group, 0, 0, 0, 0, conf_pfc_rows};

	return conf_take_group(r, s, &group, (char *)base + row->offset);
}

/* 36.1.1: else the headroom would leave less than a frame, or nothing, below XOFF. */
bool conf_check_pfc(struct reader *r, const config_setting_t *s,
		    const struct port_settings *settings, uint32_t frame_octets)
{
	uint32_t longest = frame_octets + ETH_TAG_OCTETS; /* the port may add a VLAN tag */
	uint64_t needed = settings->pfc_headroom_octets + (uint64_t)longest;
	const config_setting_t *pfc = config_setting_get_member(s, "pfc");
	const config_setting_t *buffer = pfc ? config_setting_get_member(pfc, "buffer") : NULL;

	if (settings->pfc_buffer_octets == 0 || settings->pfc_buffer_octets >= needed)
		return true;
	if (!pfc)
		pfc = s;
	/*
	 * Message: Frames of a priority with PFC would be lost. Raise `pfc.buffer`, reduce
	 * `pfc.headroom`, or leave them out.
	 */
	return conf_fail(r, buffer ? buffer : pfc,
			 "pfc.buffer has %" PRIu32 " octets: expected at least %" PRIu64
			 ", pfc.headroom %" PRIu32 " and a tagged frame of %" PRIu32 ", or 0",
			 settings->pfc_buffer_octets, needed, settings->pfc_headroom_octets,
			 longest);
}

/*
 * The text that describes the variant of 2007 gives no sampling probabilities. These
 * sample frames of 1500 octets about as often as 802.1Qau with its default values:
 * without congestion one frame in 100 (every 150000 octets); at the strongest feedback
 * one in 10, 1 % + 63 * 0.14 %, where table 32-5 gives one in 12 (every 18500 octets).
 */
void conf_port_init(struct port_settings *settings)
{
	*settings = (struct port_settings){
	    .buffer_octets = 400000,
	    .pvid = 1,
	    .nic_times = true,
	    .regeneration = {0, 1, 2, 3, 4, 5, 6, 7},
	    .cp_early = {.base_probability_ppm = 10000,
			 .step_probability_ppm = 1400,
			 .page_octets = 1},
	    .flow_buffer_octets = 1 << 20,
	    .tap = "dcb%d",
	};
}
