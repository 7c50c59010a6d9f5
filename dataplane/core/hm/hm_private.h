/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of hm_result.c for the machines in hm.c. */
#ifndef DCB_CORE_HM_PRIVATE_H
#define DCB_CORE_HM_PRIVATE_H

#include "dataplane/core/hm.h"

/* Adds a round trip, within the bounds, and applies the filter. */
void hm_add_result(struct hm *hm, uint32_t quanta);

/* Returns true if the round trips agree, as defined above. */
bool hm_results_agree(const struct hm *hm);

/* Returns true if a and b differ by HM_AGREE_QUANTA at most. */
bool hm_near(uint32_t a, uint32_t b);

uint32_t hm_within_bounds(const struct hm *hm, uint32_t quanta);

/* Adds a delay from hm_transmit() to the transmission timestamp. */
void hm_add_lag(struct hm *hm, int32_t ns);

/*
 * Returns the delay from hm_transmit() to the transmission timestamp that the next
 * frame is expected to have. Choice: the lower median of the last ones, as the first
 * frame after a pause takes several times as long as the others. A longer delay
 * than expected makes the measured round trip longer.
 */
int32_t hm_expected_lag_ns(const struct hm *hm);

/* Returns true if requests and responses have the same interface. */
bool hm_one_interface(const struct hm *hm);

/* Returns true if requests and responses are sent in PDUs of their own. */
bool hm_uses_separate(const struct hm *hm);

#endif
