/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills in the settings with the initial values of the managed objects (mibs/all.def). */
#ifndef DCB_CONTROL_OBJECTS_MO_DEFAULTS_H
#define DCB_CONTROL_OBJECTS_MO_DEFAULTS_H

#include "dataplane/config/dcb_config.h"

void mo_defaults(struct dcb_defaults *defaults);

#endif
