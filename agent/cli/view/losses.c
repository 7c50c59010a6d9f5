/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/cli/view/losses.h"

const struct losses_counter losses_counters[] = {
    {MO_port, MO_NAME(dcbPortDiscardNoBuffer)},
    {MO_port, MO_NAME(dcbPortDiscardQueue)},
    {MO_port, MO_NAME(dcbPortDiscardKernel)},
    {MO_port, MO_NAME(dcbPortTxErrors)},
    {MO_port, MO_NAME(dcbPortDiscardDown)},
    {MO_port, MO_NAME(dcbPortDiscardHost)},
    {MO_port, MO_NAME(dcbPortDiscardOversize)},
    {MO_pfc_port, MO_NAME(dcbPfcPortDiscardTransit)},
    {MO_pfc_pri, MO_NAME(dcbPfcPriorityDiscards)},
    {MO_pfc_watchdog, MO_NAME(dcbPfcWatchdogDroppedTotal)},
};
const size_t losses_n = sizeof(losses_counters) / sizeof(losses_counters[0]);
