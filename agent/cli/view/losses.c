/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/losses.h"

const struct losses_counter losses_counters[] = {
    {MO_port, "dcbPortDiscardNoBuffer"},    {MO_port, "dcbPortDiscardQueue"},
    {MO_port, "dcbPortDiscardKernel"},      {MO_port, "dcbPortTxErrors"},
    {MO_port, "dcbPortDiscardDown"},        {MO_port, "dcbPortDiscardHost"},
    {MO_port, "dcbPortDiscardOversize"},    {MO_pfc_port, "dcbPfcPortDiscardTransit"},
    {MO_pfc_pri, "dcbPfcPriorityDiscards"}, {MO_pfc_watchdog, "dcbPfcWatchdogDroppedTotal"},
};
const size_t losses_n = sizeof(losses_counters) / sizeof(losses_counters[0]);
