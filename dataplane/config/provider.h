/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider moves the frames of ports: the software dataplane on raw
 * sockets, the same dataplane on memory ports, or a NIC or switch managed
 * through the kernel. Managed objects access ports only through this interface.
 * A system can have several providers. port->provider is constant.
 *
 * Contract of all operations:
 *
 * - The control thread calls them, one at a time, never from within another
 *   operation or from a signal handler.
 * - "Does not block": returns without waiting for another thread, a device, a
 *   peer, or a lock held by one of these. Operations run in the thread that
 *   answers SNMP, so one that may block states the longest time.
 * - Texts are for the operator: the error and the expected value in one line,
 *   without the port's name at the start or a full stop at the end.
 *
 * A configuration comes into force in two phases, so that all of a SET takes
 * effect or none (RFC 3416, 4.2.5):
 *
 *   prepare() of every provider      if one refuses: abort() of those before it
 *   (the state file is written)      on failure: abort() of all
 *   commit() of every provider       if one fails: abort() of those after it, and
 *                                    prepare() and commit() of their old
 *                                    configuration at those before it
 *
 * The same holds for the ports of one provider: a commit() that fails at one port
 * has restored those before it.
 *
 * Each provider gets a configuration with all common settings and with only its
 * own ports. It includes unchanged ports and rules: the provider compares them
 * with those in force. Unchanged ports share their struct port_config with the
 * previous configuration, so comparing pointers is sufficient;
 * dcb_config_next_changed_from() returns the ports that may differ.
 *
 * After a refusal: a manager gets the reason as response. An interface that a
 * provider refuses becomes a port only after a change of the interface. If the
 * change follows from a neighbor, the old values stay in force on that port,
 * and other ports are not affected; it is tried again when the neighbor's TLVs
 * change or another configuration comes into force.
 */
#ifndef DCB_DATAPLANE_CONFIG_PROVIDER_H
#define DCB_DATAPLANE_CONFIG_PROVIDER_H

#include "dataplane/config/dcb_config.h"
#include "dataplane/config/stats.h"
#include "lldp/lldpdu.h"

/*
 * Capabilities of a port's provider. port->has: the managed objects that exist
 * on the port. port->sets: those that can be set. Objects that do not exist
 * have no instance (RFC 3416, 4.2.1); mo_caps.c has the capabilities of each
 * object. Link state, neighbors and application priorities exist on every port.
 */
enum provider_cap {
	/* With objects that can be set; port->sets has only these. */
	PROVIDER_CN = 1 << 0,           /* defense of CNPVs, and the CN TLV: clause 32.4 */
	PROVIDER_CP = 1 << 1,           /* congestion points */
	PROVIDER_RP = 1 << 2,           /* parameters of reaction points, and their sums */
	PROVIDER_PFC = 1 << 3,          /* enabling PFC per priority, and the PFC TLV */
	PROVIDER_LINK_DELAY = 1 << 4,   /* ieee8021PfcLinkDelayAllowance: the delay in bits */
	PROVIDER_CABLE_LENGTH = 1 << 5, /* dcbPfcHeadroomCableLength: the delay in metres */
	PROVIDER_HEADROOM = 1 << 6,     /* calculation of the headroom */
	PROVIDER_MEASURE = 1 << 7,      /* measurement of the headroom: P802.1Qdt 36.9 */
	PROVIDER_WATCHDOG = 1 << 8,     /* PFC watchdog, storms and their notifications */
	PROVIDER_ETS = 1 << 9,          /* enhanced transmission selection, and its TLVs */
	PROVIDER_BUFFERS = 1 << 10,     /* reserves and use of frame memory per priority */
	PROVIDER_VLAN = 1 << 11,    /* VLAN rules, learning and static entries of a bridge's port */
	PROVIDER_TRILL = 1 << 12,   /* TRILL mode, VLANs and next hops of an RBridge's port */
	PROVIDER_REWRITE = 1 << 13, /* PCP and DSCP of frames that the port sends */
	PROVIDER_ECN = 1 << 14,     /* ECN marking at the queues of the port */
	PROVIDER_PFC_DIRECTION = 1 << 15, /* PFC in one direction only, per priority */

	PROVIDER_PFC_COUNT = 1 << 16,      /* counters of PFC frames: 12.23 */
	PROVIDER_PFC_PAUSE_TIME = 1 << 17, /* pauses by PFC, received and sent: 36.3.2 */
	PROVIDER_PFC_BUFFER = 1 << 18,     /* receive buffers of priorities with PFC: 36.2 */
	PROVIDER_PFC_PORT = 1 << 19,       /* MAC control frames of the port, and PAUSE */
	PROVIDER_PFC_SEND = 1 << 20,       /* PFC frames of the initiator reach the link: 36.3.3 */
	PROVIDER_FRAMES = 1 << 21,         /* frames and octets sent and received */
	PROVIDER_QUEUES = 1 << 22,         /* queues of dcbd: discards by reason, flows */
	PROVIDER_RP_STATE = 1 << 23,       /* single reaction points, and CNMs received */
	PROVIDER_SECY = 1 << 24,           /* a SecY: provider_macsec() is not NULL */
	PROVIDER_DCBX = 1 << 25,           /* dcbd sends the DCBX TLVs, and decides by them */
	PROVIDER_HARDWARE = 1 << 26,       /* settings are in a device: read_oper() */
	PROVIDER_PFC_DISCARD = 1 << 27,    /* frames discarded beyond the headroom: 36.1.1 */
	PROVIDER_HEADROOM_PEAK = 1 << 28,  /* most octets of a priority beyond XOFF: 36.1.1 */
};
/* Those of ports whose frames dcbd moves: not PROVIDER_SECY, which needs keys. */
#define PROVIDER_CAPS_ALL 0x1affffff
#define PROVIDER_SETS_ALL (PROVIDER_CAPS_ALL & UINT16_MAX)
/* Settings that the device of a port keeps, which has PROVIDER_HARDWARE. */
#define PROVIDER_SETS_DEVICE \
	(PROVIDER_PFC | PROVIDER_ETS | PROVIDER_LINK_DELAY | PROVIDER_CABLE_LENGTH)
/* Each has counters of struct pfc_stats. */
#define PROVIDER_PFC_STATS (PROVIDER_PFC_COUNT | PROVIDER_PFC_PAUSE_TIME | PROVIDER_PFC_DISCARD)

struct port_macsec; /* dataplane/macsec/port_macsec.h */

enum provider_reason {
	PROVIDER_NO_RESOURCE = 1, /* a resource is exhausted: resourceUnavailable */
	PROVIDER_CANNOT,          /* unsupported combination of values: inconsistentValue */
	PROVIDER_FAILED,          /* commit() failed, old configuration in force: commitFailed */
	PROVIDER_NOT_UNDONE,      /* commit() failed, old configuration not in force: undoFailed */
};

/* Whether the configuration that a provider has committed last is in force. */
enum provider_outcome {
	PROVIDER_IN_FORCE, /* all ports have it, as was read back */
	PROVIDER_PENDING,  /* it was handed over */
	PROVIDER_REFUSED,  /* a port does not have it, and the others have their former settings */
};

/* Parts of a port's settings that a device keeps, a bit each: dcbHardwareDiffers. */
enum provider_part {
	PROVIDER_PART_PFC,
	PROVIDER_PART_ETS,
	PROVIDER_PART_APPS,  /* application priorities */
	PROVIDER_PART_DELAY, /* of the link, or the length of the cable */
	PROVIDER_PART_RP,    /* reaction points of CNPVs */
};

/* Who decides what the device has: dcbHardwarePolicy, "policy" of dcbd.conf. */
enum provider_policy {
	PROVIDER_ADOPT = 1, /* dcbd writes what a manager or a neighbor changes, and nothing else */
	PROVIDER_ENFORCE,   /* dcbd: what others change is written again */
	PROVIDER_WATCH,     /* others: dcbd writes nothing */
};

/* Who speaks DCBX on the port: dcbHardwareOwner. */
enum provider_owner {
	PROVIDER_OWNER_HOST = 1,
	PROVIDER_OWNER_FIRMWARE,
	PROVIDER_OWNER_UNKNOWN, /* the driver does not say: dcbd does not write */
	PROVIDER_OWNER_SYSTEM,  /* the operating system of the switch, such as SONiC */
};

/* What the device of a port has: dcbHardwareTable. */
struct provider_oper {
	uint8_t outcome; /* enum provider_outcome, of what dcbd has written last to this port */
	uint8_t policy;  /* enum provider_policy */
	uint8_t owner;   /* enum provider_owner */
	uint8_t dcbx;    /* flags DCB_CAP_DCBX_... of the driver */
	uint8_t has;     /* enum provider_part: those that the device has, a bit each */
	uint8_t differs; /* of these, those that differ from the settings of dcbd */
	uint8_t resets;  /* of these, those whose change resets the link */
	uint64_t differs_since_ms; /* since 1970; 0: none differs */
	uint32_t writes, failures; /* changes written, and those that are not in force */
	uint32_t changes;          /* seen that were not written by dcbd */
	uint32_t age_ms;           /* since the values were read */
	/* As far as provider_unknown() says. */
	struct hardware_stats stats;
	struct hardware_pri_stats pri[DCB_PRIORITIES];
	uint8_t pfc_enable, pfc_cap; /* PROVIDER_PART_PFC */
	bool ets;                    /* PROVIDER_PART_ETS: a class has TSA_ETS */
	struct ets_tables ets_tables;
	/* Of the neighbor that the firmware sees, a bit for each enum provider_part. */
	uint8_t peer_has;
	uint8_t peer_pfc_enable;
	/* Octets that each priority with PFC may receive after XOFF, at least. */
	bool has_headroom;
	uint32_t headroom_octets;
	char driver[DCB_DRIVER_OCTETS];
	char text[200]; /* why values are not in force, or why dcbd cannot write; empty: neither */
};

/* The reason why a configuration is not in force. */
struct provider_refusal {
	enum provider_reason reason;
	const struct port *port; /* port of the settings; NULL: no particular port */
	uint32_t about;          /* enum provider_cap that is affected; 0: unknown */
	char text[200];
};

enum provider_event_type {
	/*
	 * Configurations older than generation are no longer read. Events of the ports that only
	 * they have come before this one.
	 */
	PROVIDER_ADOPTED,
	PROVIDER_PORT_ERROR, /* a port's interface failed: error is an errno */
	PROVIDER_PFC_STORM,  /* a storm began or ended for priorities of a port */
	PROVIDER_LLDPDU,     /* a port received an LLDPDU */
	/* A measured delay of a port changed, or is the first one: read_measure(). */
	PROVIDER_MEASURED,
	/*
	 * The counters of a port do not continue: dcbPortCounterDiscontinuityTime. Those of
	 * hardware need neither begin at 0 nor survive a reset; the provider reports it when it has
	 * first read them, when one decreases, and when one that unknown() named becomes known.
	 */
	PROVIDER_DISCONTINUITY,
	/*
	 * next_event() has changed port->has or port->sets of a port, as when its firmware takes
	 * DCBX over. The settings of objects that are no more stay in its configuration.
	 */
	PROVIDER_CAPABILITIES,
	PROVIDER_OUTCOME, /* outcome() has changed from PROVIDER_PENDING */
	/* next_event() has changed a value of a port's read_oper(). */
	PROVIDER_OPER,
	PROVIDER_MACSEC, /* packet numbers of a port's keys are needed, or used up: macsec() */
	/* An interface that only the provider knows is new, or has changed: each_link(). */
	PROVIDER_LINK,
	PROVIDER_LINK_GONE, /* it is no more */
};

struct provider_event {
	enum provider_event_type type;
	uint64_t generation;
	uint16_t slot;
	int error;
	uint8_t stormed, ended; /* PROVIDER_PFC_STORM: one bit a priority */
	struct lldpdu lldpdu;   /* PROVIDER_LLDPDU */
	struct dcb_time at;     /* PROVIDER_LLDPDU: when it was received */
	struct link_info link;  /* PROVIDER_LINK; PROVIDER_LINK_GONE: its ifindex and name */
};

struct provider_ops {
	const char *name; /* as in dcbd.conf's "provider" and dcbAgentProvider */

	/*
	 * Opens a port for an interface and fills in all of struct port. slot
	 * must not be in use. Copies link and settings. The port moves no
	 * frames until a configuration with this port is committed. Returns
	 * NULL on failure, with port, failed operation and reason in err. May
	 * block as long as the kernel needs to open an interface.
	 */
	struct port *(*port_open)(struct provider *p, uint16_t slot, const struct link_info *link,
				  const struct port_settings *settings, char *err, size_t errlen);
	/*
	 * Copies link to port->link after a change of the interface (name,
	 * address, MTU, state, speed). Cannot fail: a later error is reported
	 * as PROVIDER_PORT_ERROR. May block as port_open() does.
	 */
	void (*port_update)(struct port *port, const struct link_info *link);
	/*
	 * Closes a port. No configuration that is prepared, committed or still
	 * read may have it. Its interface may be gone. Cannot fail; may block
	 * as port_open() does.
	 */
	void (*port_close)(struct port *port);
	/*
	 * For a provider whose interfaces are not those of the kernel, as of a switch with an
	 * operating system of its own: calls fn for each that it knows. Their ifIndexes are the
	 * provider's, too, so that no interface of another provider may have the same. NULL: ports
	 * are interfaces of the kernel.
	 */
	void (*each_link)(const struct provider *p,
			  void (*fn)(void *ctx, const struct link_info *link), void *ctx);
	/*
	 * Called about once a second: tries again to open interfaces that could
	 * not be opened or failed. May block as port_open() does. NULL: the
	 * provider has nothing to retry.
	 */
	void (*tick)(struct provider *p, struct dcb_time now);

	/*
	 * Checks a configuration and reserves the resources that commit()
	 * needs. Returns true if it can be committed. commit() or abort() of
	 * the same configuration must follow before any other operation except
	 * read_...(). Frames and readers are not affected yet. Returns false
	 * with *why set to PROVIDER_NO_RESOURCE or PROVIDER_CANNOT; nothing is
	 * reserved.
	 *
	 * Must accept the configuration in force, one that differs from it
	 * only by omitted ports, and one that restores settings which it has
	 * accepted before, although the link or other ports may need more now.
	 *
	 * The caller owns the configuration and keeps it, its port_configs and
	 * its ports until commit() or abort(). The generation is set only at
	 * commit(). Does not block. NULL: every configuration within the ports'
	 * capabilities is accepted.
	 */
	bool (*prepare)(struct provider *p, const struct dcb_config *config,
			struct provider_refusal *why);
	/*
	 * Puts the prepared configuration in force. Returns true if done, or if
	 * only operations that cannot fail are left. The caller keeps the
	 * configuration, its port_configs and its ports until PROVIDER_ADOPTED
	 * reports the next generation; for a provider without event_fd(), until
	 * the next commit() returns.
	 *
	 * Returns false with *why set to PROVIDER_FAILED (all ports as before
	 * prepare()) or PROVIDER_NOT_UNDONE: a port has what neither
	 * configuration says. The next commit() has to write such a port even
	 * if its settings are those of the configuration last committed. In
	 * both cases the configuration is no longer read. Checks belong in
	 * prepare(). commit() may fail only if hardware does not respond as
	 * expected or an interface disappears in between.
	 *
	 * May block up to 100 ms for the response of a device; the first one as port_open() does,
	 * for all ports.
	 */
	bool (*commit)(struct provider *p, const struct dcb_config *config,
		       struct provider_refusal *why);
	/*
	 * For a provider whose commit() hands over to a thread of its own, because a device may
	 * need seconds: whether the configuration committed last is in force. It replaces those
	 * before it, also while they are pending. PROVIDER_REFUSED: *why is set as by commit().
	 * Changes at commit() and within next_event() only. Does not block. NULL: the configuration
	 * that commit() has accepted is in force.
	 */
	enum provider_outcome (*outcome)(const struct provider *p, struct provider_refusal *why);
	/*
	 * Reads the values of the port's device, as they were last read from it. Someone else than
	 * dcbd can have changed them: they are in force on the port. They change within
	 * next_event() only. Does not block. For ports with PROVIDER_HARDWARE.
	 */
	void (*read_oper)(const struct port *port, struct provider_oper *out);
	/*
	 * Sets in config, which belongs to the caller, what the port's device has: the first
	 * settings of a port for which none were kept, and after PROVIDER_OPER the settings of a
	 * port that has no capability to set them, or has port->follows. cnpvs: the priorities that
	 * have rows of congestion notification, one bit each. Returns whether that changed config.
	 * Does not block. NULL: the settings are in dcbd alone.
	 */
	bool (*adopt)(const struct port *port, uint8_t cnpvs, struct port_config *config);
	/* Frees what prepare() reserved. Cannot fail, does not block. NULL: nothing to free. */
	void (*abort)(struct provider *p, const struct dcb_config *config);

	/*
	 * Returns a file descriptor that is readable when next_event() has an
	 * event. NULL: the provider has no events, and reads only the
	 * configuration last committed.
	 */
	int (*event_fd)(const struct provider *p);
	/* Removes the next event and sets *ev. Returns false if there is none. Does not block. */
	bool (*next_event)(struct provider *p, struct provider_event *ev);

	/*
	 * Returns the members of a struct that the port does not know, of a priority if it has one:
	 * STATS_MEMBER() of each. They are 0 and have no instance. It and the values of read_...()
	 * of such a port change only within next_event() and tick(), so that they are of the same
	 * time. Does not block. NULL: ports know all that their capabilities say.
	 */
	uint64_t (*unknown)(const struct port *port, enum stats_of of, unsigned priority);
	/*
	 * Read statistics while frames are moved. They do not block and cannot
	 * fail. Called for open ports with the capability in the comment. A
	 * provider without such ports sets NULL.
	 */
	void (*read_cp)(const struct port *port, unsigned priority,
			struct cp_stats *out); /* PROVIDER_CP */
	void (*read_ecn)(const struct port *port, unsigned priority,
			 struct ecn_stats *out); /* PROVIDER_ECN */
	void (*read_pfc)(const struct port *port, unsigned priority,
			 struct pfc_stats *out); /* any of PROVIDER_PFC_STATS */
	/*
	 * Reads the peaks since the last call, of each priority. Control thread only. For ports
	 * with PROVIDER_QUEUES. NULL: no port has them.
	 */
	void (*take_pfc_peaks)(const struct port *port, struct pfc_peaks out[DCB_PRIORITIES]);
	void (*read_pfc_watchdog)(const struct port *port, unsigned priority,
				  struct pfc_watchdog_stats *out); /* PROVIDER_WATCHDOG */
	void (*read_buffer)(const struct port *port, unsigned priority,
			    struct buffer_stats *out); /* PROVIDER_BUFFERS, _PFC_BUFFER */
	void (*read_measure)(const struct port *port,
			     struct pfc_measure_stats *out); /* PROVIDER_MEASURE */
	void (*read_pfc_port)(const struct port *port,
			      struct pfc_port_stats *out); /* PROVIDER_PFC_PORT */
	/*
	 * For every port. .up is always valid; with PROVIDER_FRAMES also the first four members,
	 * with PROVIDER_PFC_COUNT those of PFC frames, with PROVIDER_QUEUES all others.
	 */
	void (*read_port)(const struct port *port, struct port_stats *out);
	void (*read_learning)(const struct port *port,
			      struct learning_stats *out); /* PROVIDER_VLAN */
	void (*read_trill_port)(const struct port *port,
				struct trill_port_stats *out); /* PROVIDER_TRILL */
	/*
	 * Called for any provider. Returns false, without *out, if no frame was counted for the
	 * nickname. NULL: the provider has no ports with PROVIDER_TRILL.
	 */
	bool (*read_trill_nickname)(const struct provider *p, uint16_t nickname,
				    struct trill_nickname_stats *out);
	/*
	 * Called for any provider. Copies the addresses behind other RBridges that frames are sent
	 * to, static and learned, while frames are moved: 100 000 take some ms. Returns false,
	 * without addresses, if there is no memory, or if the dataplane thread stands in the middle
	 * of a change for more than 0.1 s, as when it gets no processor. NULL: as above.
	 */
	bool (*read_addresses)(const struct provider *p, struct fdb_addresses *out);
	/* index is 1..rpppMaxRps. */
	void (*read_rp_port_pri)(const struct port *port, unsigned priority,
				 struct rp_port_pri_stats *out); /* PROVIDER_RP */
	void (*read_rp)(const struct port *port, unsigned priority, unsigned index,
			struct rp_stats *out);                            /* PROVIDER_RP_STATE */
	void (*read_cnm)(const struct port *port, struct cnm_stats *out); /* PROVIDER_RP_STATE */
	/*
	 * Returns the port's SecY, its counters and packet numbers, valid as long as the port is
	 * open; its head says which members may be read. NULL: the port has no MACsec. A
	 * provider without MACsec sets NULL: see provider_macsec().
	 */
	struct port_macsec *(*macsec)(const struct port *port);
	/* NULL: see provider_fault(). */
	const struct port_fault *(*fault)(const struct port *port);
	/*
	 * For a provider with an engine of its own, and frame memory. The dcbEngine group, and
	 * those of frame memory, are about the first one of a system; without any the system does
	 * not have them. NULL: the provider moves no frames itself.
	 */
	void (*read_provider)(const struct provider *p, struct provider_stats *out);

	/*
	 * Stops the provider and closes the ports still open. Configurations
	 * are no longer read when it returns. May block until the provider's
	 * threads have ended.
	 */
	void (*destroy)(struct provider *p);
};

struct provider {
	const struct provider_ops *ops;
	uint32_t frame_octets; /* longest frame of its ports, without FCS; 0: not limited */
};

/* Returns whether the port's settings become those that its device has. */
static inline bool port_follows_device(const struct port *port)
{
	return port->follows || !(port->sets & PROVIDER_SETS_DEVICE);
}

/* Returns whether the port takes all frames that the MTU of its interface permits. */
static inline bool port_takes_mtu(const struct port *port)
{
	uint32_t most = port->provider->frame_octets;

	return most == 0 || port_mtu_octets(port->link.mtu) <= most;
}

/* Returns what keeps the port from being used; NULL: its provider does not say. Control thread. */
static inline const struct port_fault *provider_fault(const struct port *port)
{
	return port->provider->ops->fault ? port->provider->ops->fault(port) : NULL;
}

/* Returns the members of a struct of statistics that the port does not know. With the lock. */
static inline uint64_t provider_unknown(const struct port *port, enum stats_of of,
					unsigned priority)
{
	return port->provider->ops->unknown ? port->provider->ops->unknown(port, of, priority) : 0;
}

/* Returns the port's MACsec; NULL: it has none. Control thread. */
static inline struct port_macsec *provider_macsec(const struct port *port)
{
	return port->provider->ops->macsec ? port->provider->ops->macsec(port) : NULL;
}

/* Sets *why. Returns false, as the result of prepare() or commit(). */
__attribute__((format(printf, 5, 6))) bool provider_refuse(struct provider_refusal *why,
							   enum provider_reason reason,
							   const struct port *port, unsigned about,
							   const char *fmt, ...);

#endif
