/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DCB_AGENT_MIB_RESULT_H
#define DCB_AGENT_MIB_RESULT_H

/* Result of looking up an instance. */
enum mib_result {
	MIB_OK,
	MIB_NO_SUCH_OBJECT,
	MIB_NO_SUCH_INSTANCE,
	MIB_END, /* endOfMibView: no instance in the range */
	MIB_GEN_ERR,
	MIB_LATE, /* dcbd has not answered yet: ask again when it has, see mib_cache_allow_late() */
};

#endif
