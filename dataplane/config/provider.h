/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider moves the frames of the ports that the managed objects
 * describe: the software dataplane on raw sockets, the same dataplane on
 * memory ports, or a NIC or switch managed through the kernel. Managed objects
 * see ports through this interface only.
 *
 * All calls come from the control thread. Statistics may be read while frames flow.
 */
#ifndef DCB_DATAPLANE_CONFIG_PROVIDER_H
#define DCB_DATAPLANE_CONFIG_PROVIDER_H

#include "dataplane/config/dcb_config.h"
#include "dataplane/config/stats.h"

enum provider_event_type {
	PROVIDER_ADOPTED,    /* configurations older than generation are no longer read */
	PROVIDER_PORT_ERROR, /* a port's interface failed: error is an errno */
	PROVIDER_PFC_STORM,  /* priorities of a port are in a storm, or not any more */
};

struct provider_event {
	enum provider_event_type type;
	uint64_t generation;
	uint16_t slot;
	int error;
	uint8_t stormed, ended; /* PROVIDER_PFC_STORM: one bit a priority */
};

struct provider_ops {
	const char *name;

	/*
	 * Open a port for an interface. It carries no frame until a published
	 * configuration names it. NULL: err says what failed and why.
	 */
	struct port *(*port_open)(struct provider *p, const struct link_info *link,
				  const struct port_settings *settings, char *err, size_t errlen);
	/* The interface changed (name, address, MTU, state, speed). */
	void (*port_update)(struct port *port, const struct link_info *link);
	/* Close a port that no configuration in force names any more. */
	void (*port_close)(struct port *port);

	/*
	 * Put a configuration in force. Cannot fail and does not wait. The
	 * caller keeps it, its port_configs and its ports alive until
	 * PROVIDER_ADOPTED reports its generation's successor.
	 */
	void (*publish)(struct provider *p, const struct dcb_config *config);

	/* Readable when next_event() has something. -1: this provider has no events. */
	int (*event_fd)(const struct provider *p);
	bool (*next_event)(struct provider *p, struct provider_event *ev);

	void (*read_cp)(const struct port *port, unsigned priority, struct cp_stats *out);
	void (*read_pfc)(const struct port *port, unsigned priority, struct pfc_stats *out);
	void (*read_pfc_watchdog)(const struct port *port, unsigned priority,
				  struct pfc_watchdog_stats *out);
	void (*read_pfc_port)(const struct port *port, struct pfc_port_stats *out);
	void (*read_port)(const struct port *port, struct port_stats *out);
	/* Stations only; index 1..rpppMaxRps. All zero in a bridge. */
	void (*read_rp_port_pri)(const struct port *port, unsigned priority,
				 struct rp_port_pri_stats *out);
	void (*read_rp)(const struct port *port, unsigned priority, unsigned index,
			struct rp_stats *out);
	void (*read_cnm)(const struct port *port, struct cnm_stats *out);
	void (*read_provider)(const struct provider *p, struct provider_stats *out);

	/* Stops everything, closes the ports still open; configurations are not read any more. */
	void (*destroy)(struct provider *p);
};

struct provider {
	const struct provider_ops *ops;
};

#endif
