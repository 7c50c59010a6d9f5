/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ECN marking of a queue (RFC 3168), as switch ASICs do it: the probability rises with the octets
 * that are in the queue at this moment, without an average.
 *
 *   probability
 *        1 |                    +------------
 *          |                    |
 *     Pmax |           +--------+
 *          |        /
 *        0 +-----+-----+--------+------------ octets in the queue
 *              Kmin   Kmax    always
 *
 * always is Kmax where it is not set, as in the simulations that DCQCN was published with. The
 * frame that comes is not counted, and the queue is looked at when it comes, not when it leaves
 * (choice: no standard says either).
 */
#ifndef DCB_CORE_ECN_H
#define DCB_CORE_ECN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rng.h"
#include "lib/units.h"

/* dcbEcnUnit: of the thresholds. */
enum ecn_unit {
	ECN_OCTETS = 1,
	ECN_NANOSECONDS, /* the octets that the port sends in this time at its rate */
};

/* dcbEcnNotEct: frames that would be marked, and whose sender does not know ECN. */
enum ecn_not_ect {
	ECN_NOT_ECT_PASS = 1,
	ECN_NOT_ECT_DROP, /* WRED */
};

/* dcbEcnTable: of one priority of a port. */
struct ecn_config {
	bool enable;
	uint8_t threshold_unit;   /* enum ecn_unit */
	uint8_t not_ect;          /* enum ecn_not_ect */
	uint32_t minimum;         /* Kmin; 0: of the rate, ECN_MINIMUM_NS */
	uint32_t maximum;         /* Kmax; 0: of the rate, ECN_MAXIMUM_NS */
	uint32_t always;          /* 0: Kmax */
	uint32_t probability_ppm; /* Pmax, 0..1 000 000 */
};

/* Returns whether the thresholds that are set ascend. */
static inline bool ecn_config_ascends(const struct ecn_config *c)
{
	uint32_t last = c->maximum ? c->maximum : c->minimum;

	return (!c->maximum || c->minimum <= c->maximum) && (!c->always || last <= c->always);
}

/*
 * Thresholds that follow the rate: 4 and 16 kB for each Gb/s, with Pmax 20 %, are the values of the
 * published simulations of DCQCN at 25 to 400 Gb/s.
 */
#define ECN_MINIMUM_NS  32000
#define ECN_MAXIMUM_NS  128000
#define ECN_PROBABILITY 200000
#define ECN_CERTAIN     1000000

/* In force. All zero: nothing is marked. */
struct ecn_curve {
	bool enabled;
	bool drops;                        /* ECN_NOT_ECT_DROP */
	uint32_t minimum, maximum, always; /* octets; ascending */
	uint32_t probability_ppm;
};

/* Returns the curve of a port of this rate; 0: 10 Gb/s, as for bit times. */
struct ecn_curve ecn_curve(const struct ecn_config *config, struct dcb_rate rate);

/* Returns the probability, in parts per million, of a frame that meets so many octets. */
uint32_t ecn_probability(const struct ecn_curve *curve, uint64_t octets);

/* Returns whether such a frame is marked. Draws a number only between the thresholds. */
static inline bool ecn_marks(const struct ecn_curve *curve, uint64_t octets, struct dcb_rng *rng)
{
	uint32_t p;

	if (octets <= curve->minimum)
		return false;
	p = ecn_probability(curve, octets);
	return p == ECN_CERTAIN || dcb_rng_uniform(rng, 0, ECN_CERTAIN - 1) < p;
}

#endif
