/* SPDX-License-Identifier: BSD-3-Clause */
/* The initial values of the managed objects (DEFVAL, or as their module says) as settings. */
#ifndef DCB_CONTROL_OBJECTS_MO_DEFAULTS_H
#define DCB_CONTROL_OBJECTS_MO_DEFAULTS_H

#include "dataplane/config/dcb_config.h"

void mo_defaults(struct dcb_defaults *defaults);

#endif
