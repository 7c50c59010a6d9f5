/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider moves the frames of the ports that the managed objects
 * describe: the software dataplane on raw sockets, the same dataplane on
 * memory ports, or a NIC or switch managed through the kernel. Managed objects
 * see ports through this interface only. A system can have several; a port has
 * one, for life: port->provider.
 *
 * Contract of all operations:
 *
 * - They are called by the control thread, one at a time, and never from within
 *   another operation or from a signal handler.
 * - "Does not block" means: returns without waiting for another thread, a device,
 *   a peer or a lock that one of these may hold. Every operation runs in the
 *   thread that answers SNMP, so one that may block says how long at most.
 * - Texts are for the operator: what is wrong, and what was expected, in one line
 *   that neither begins with the port's name nor ends with a full stop.
 *
 * A configuration comes into force in two phases:
 *
 *   prepare() of every provider      any refusal: abort() of those before it
 *   (the state file is written)      it cannot be: abort() of all
 *   commit() of every provider       one fails: abort() of those behind it, and
 *                                    those before it go back, by prepare() and
 *                                    commit() of their old configuration
 *
 * so that all of a SET is done or nothing of it (RFC 3416, 4.2.5). A provider is
 * given a configuration with all that is common to all ports, and no ports but its
 * own. Ports and rules that did not change are prepared and committed with the
 * others: a provider compares with what it has. Unchanged ports share their
 * struct port_config with the configuration before, so comparing pointers does.
 *
 * A refusal is not the end of it. What a manager asked for is answered with the
 * reason. An interface that a provider does not take is no port until something
 * about the interface changes. What a port's neighbor leads to is kept back, the
 * old stays in force on that port and all else goes on; it is tried again when the
 * neighbor says something else or another configuration has come into force.
 */
#ifndef DCB_DATAPLANE_CONFIG_PROVIDER_H
#define DCB_DATAPLANE_CONFIG_PROVIDER_H

#include "dataplane/config/dcb_config.h"
#include "dataplane/config/stats.h"

/*
 * What a port's provider has: in port->has, the managed objects that exist on the
 * port; in port->sets, those of them that can be set. Objects that do not exist have
 * no instance (RFC 3416, 4.2.1); mo_caps.c says which object needs what. Link state,
 * neighbors and application priorities exist on every port.
 */
enum provider_cap {
	PROVIDER_CN = 1 << 0,        /* domains that are defended, and the CN TLV: clause 32.4 */
	PROVIDER_CP = 1 << 1,        /* congestion points */
	PROVIDER_RP = 1 << 2,        /* reaction points, and CNMs received */
	PROVIDER_PFC = 1 << 3,       /* which priorities PFC is enabled for, and the PFC TLV */
	PROVIDER_PFC_STATE = 1 << 4, /* what PFC does: counters, pauses, buffers */
	PROVIDER_HEADROOM = 1 << 5,  /* ieee8021PfcLinkDelayAllowance and the headroom */
	PROVIDER_WATCHDOG = 1 << 6,  /* PFC watchdog, storms and their notifications */
	PROVIDER_ETS = 1 << 7,       /* enhanced transmission selection, and its TLVs */
	PROVIDER_FRAMES = 1 << 8,    /* frames counted, queued and discarded by the port */
};
#define PROVIDER_CAPS_ALL 0x1ff

enum provider_reason {
	PROVIDER_NO_RESOURCE = 1, /* there is not enough of something: resourceUnavailable */
	PROVIDER_CANNOT,          /* not in this combination of values: inconsistentValue */
	PROVIDER_FAILED,          /* commit() failed, and the old is in force: commitFailed */
	PROVIDER_NOT_UNDONE,      /* ... and is not: undoFailed */
};

/* Why a configuration is not in force. */
struct provider_refusal {
	enum provider_reason reason;
	const struct port *port; /* whose settings; NULL: no port's in particular */
	uint16_t about;          /* enum provider_cap: what it is about; 0: unknown */
	char text[200];
};

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
	const char *name; /* as dcbd.conf's "provider" and dcbAgentProvider say it */

	/*
	 * Open a port for an interface; slot is that of no other port. Fills in all of
	 * struct port. It carries no frame until a configuration that names it is
	 * committed. link and settings are copied. NULL: err says which port, what failed
	 * and why. May block as long as the system takes to open an interface.
	 */
	struct port *(*port_open)(struct provider *p, uint16_t slot, const struct link_info *link,
				  const struct port_settings *settings, char *err, size_t errlen);
	/*
	 * The interface changed (name, address, MTU, state, speed): link is copied to
	 * port->link. Cannot fail: what does not work any more is a PROVIDER_PORT_ERROR.
	 * Does not block.
	 */
	void (*port_update)(struct port *port, const struct link_info *link);
	/*
	 * Close a port that no configuration names that is prepared, committed or still
	 * read. Its interface may be gone. Cannot fail; may block as port_open() does.
	 */
	void (*port_close)(struct port *port);

	/*
	 * Could this configuration be committed? true: yes, and whatever commit() needs is
	 * reserved until commit() or abort() of the same configuration, one of which
	 * follows before anything else is called but read_...(); nothing is changed yet
	 * for frames or for who reads. false: *why, PROVIDER_NO_RESOURCE or
	 * PROVIDER_CANNOT, and nothing is reserved.
	 *
	 * Not refused are the configuration that is in force, and a configuration that
	 * differs from it only by leaving out ports.
	 *
	 * The configuration is the caller's, who keeps it, its port_configs and its ports
	 * until commit() or abort(). Its generation is known at commit() only. Does not
	 * block. NULL: everything that the ports' capabilities allow is accepted.
	 */
	bool (*prepare)(struct provider *p, const struct dcb_config *config,
			struct provider_refusal *why);
	/*
	 * Put the prepared configuration in force. true: done, or certain to be done
	 * without anything else that could fail. The caller keeps the configuration, its
	 * port_configs and its ports alive until PROVIDER_ADOPTED reports its generation's
	 * successor; of a provider without event_fd(), until the next commit() returns.
	 *
	 * false: *why, PROVIDER_FAILED with everything as it was before prepare(), or
	 * PROVIDER_NOT_UNDONE. Either way the configuration is not read any more. What can
	 * fail belongs into prepare(); what is left is hardware that does not obey, and
	 * interfaces that vanish between the two.
	 *
	 * Does not block, but for the 100 ms that a device may take to answer.
	 */
	bool (*commit)(struct provider *p, const struct dcb_config *config,
		       struct provider_refusal *why);
	/* Give back what prepare() reserved. Cannot fail, does not block. NULL: nothing to do. */
	void (*abort)(struct provider *p, const struct dcb_config *config);

	/*
	 * Readable when next_event() has something. NULL: this provider has no events, and
	 * reads no configuration any more but the one last committed.
	 */
	int (*event_fd)(const struct provider *p);
	/* Takes the next event; false: there is none. Does not block. */
	bool (*next_event)(struct provider *p, struct provider_event *ev);

	/*
	 * Statistics, while frames flow; do not block, cannot fail. Called for open ports
	 * that have what is given in brackets: a provider whose ports never do has NULL
	 * there.
	 */
	void (*read_cp)(const struct port *port, unsigned priority,
			struct cp_stats *out); /* PROVIDER_CP */
	void (*read_pfc)(const struct port *port, unsigned priority,
			 struct pfc_stats *out); /* PROVIDER_PFC_STATE */
	void (*read_pfc_watchdog)(const struct port *port, unsigned priority,
				  struct pfc_watchdog_stats *out); /* PROVIDER_WATCHDOG */
	void (*read_pfc_port)(const struct port *port,
			      struct pfc_port_stats *out); /* PROVIDER_PFC_STATE */
	/* Every port: without PROVIDER_FRAMES and PROVIDER_PFC_STATE only .up counts. */
	void (*read_port)(const struct port *port, struct port_stats *out);
	/* Index 1..rpppMaxRps. */
	void (*read_rp_port_pri)(const struct port *port, unsigned priority,
				 struct rp_port_pri_stats *out); /* PROVIDER_RP */
	void (*read_rp)(const struct port *port, unsigned priority, unsigned index,
			struct rp_stats *out);                            /* PROVIDER_RP */
	void (*read_cnm)(const struct port *port, struct cnm_stats *out); /* PROVIDER_RP */
	/* Only of a system's first provider, whose engine the dcbEngine group is about. */
	void (*read_provider)(const struct provider *p, struct provider_stats *out);

	/*
	 * Stops everything, closes the ports still open; configurations are not read any
	 * more when it returns. May block until the provider's threads have ended.
	 */
	void (*destroy)(struct provider *p);
};

struct provider {
	const struct provider_ops *ops;
};

/* Fills in *why; returns false, for prepare() and commit() to return. */
__attribute__((format(printf, 5, 6))) bool provider_refuse(struct provider_refusal *why,
							   enum provider_reason reason,
							   const struct port *port, unsigned about,
							   const char *fmt, ...);

#endif
