/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints "dcbctl -j hardware report" of an interface that has each attribute, for json.sh: no
 * interface of a test machine has DCB.
 */
#include "agent/cli/hardware_report.h"
#include "tests/unit/kernel_responder.h"

int main(void)
{
	struct kernel_responder *responder = kernel_responder_new();
	struct kernel_io *io = kernel_responder_open(responder);
	const struct cli cli = {.json = true, .out = stdout};
	struct dcbnl_port now;
	int rc;

	kernel_responder_add(responder, "eth0", KERNEL_WORKS, "mlx5_core");
	kernel_responder_read(responder, "eth0", &now);
	now.has = 2 * DCBNL_PEER_APPS - 1;
	now.pfc.pfc_en = 1 << 3;
	now.apps.n = now.peer_apps.n = 1;
	kernel_responder_write(responder, "eth0", &now, false);
	rc = hardware_report(&cli, io, "eth0");
	kernel_io_destroy(io);
	kernel_responder_free(responder);
	return rc;
}
