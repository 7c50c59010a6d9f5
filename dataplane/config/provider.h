/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port provider moves the frames of the ports that the managed objects
 * describe: the software dataplane on raw sockets, the same dataplane on
 * memory ports, or a NIC or switch managed through the kernel. Managed objects
 * see ports through this interface only.
 *
 * All calls come from the control thread. Statistics may be read while frames
 * flow: every counter has one writer and is read with relaxed atomics, so a
 * value is never torn, but two counters may be an instant apart.
 */
#ifndef DCB_DATAPLANE_CONFIG_PROVIDER_H
#define DCB_DATAPLANE_CONFIG_PROVIDER_H

#include <net/if.h>

#include "dataplane/core/cp_early.h"
#include "dataplane/core/tclass.h"
#include "dataplane/config/dcb_config.h"

#define DCB_MAC_OCTETS   6
#define DCB_ALIAS_OCTETS 256 /* kernel's IFALIASZ */

/* What the system says of an interface; the control thread keeps it current. */
struct link_info {
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	char alias[DCB_ALIAS_OCTETS];
	uint8_t mac[DCB_MAC_OCTETS];
	bool up;               /* administratively up and carrier present */
	uint32_t mtu;          /* octets */
	struct dcb_rate speed; /* bit/s; unlimited (0) where the driver does not say */
};

/* dcbd.conf's settings of a port: what no MIB object says. */
struct port_settings {
	struct dcb_rate rate;     /* transmission rate; 0: as fast as the interface takes it */
	uint32_t buffer_octets;   /* all eight queues together hold no more */
	uint16_t pvid;            /* VLAN of untagged and priority-tagged frames, 1..4094 */
	uint8_t default_priority; /* priority of untagged frames, 0..7 */
	bool pvid_tagged;         /* frames of the PVID leave tagged */
	bool memory;              /* no interface behind it: linked in memory or to nothing */
	bool regenerates;         /* by this table; else priorities stay: 6.9.4 */
	uint8_t regeneration[DCB_PRIORITIES]; /* priority regeneration table */
	bool heeds_pause; /* PAUSE of 802.3 annex 31B, while PFC is not enabled */
	bool classified;  /* by this table; else each priority has a traffic class of its own */
	uint8_t traffic_class[DCB_PRIORITIES]; /* traffic class table: 8.6.6 */
	bool early;                            /* congestion points of the 2007 proposal ... */
	struct cp_early_config cp_early;       /* ... and their parameters */
	struct rp_variant rp_variant;
	uint32_t flow_buffer_octets; /* what one flow queue holds; 0: STATION_FLOW_BUFFER */
	char aggregate[IF_NAMESIZE]; /* ports with the same name here are one bridge port's links */
	/* Receive buffer of each priority with PFC. */
	uint32_t pfc_buffer_octets;   /* 0: as buffer_octets */
	uint32_t pfc_headroom_octets; /* of that, for what comes after XOFF; 0: reckoned */
	uint32_t pfc_xon_octets;      /* 0: two frames below XOFF */
	char tap[IF_NAMESIZE];        /* a station's interface for its host; "%d": the first free */
};

/* Traffic class of each priority: by ETS where it is in force, else by dcbd.conf. */
static inline const uint8_t *port_classes(const struct port_settings *settings,
					  const struct port_oper *oper)
{
	if (oper->ets)
		return oper->ets_tables.priority_tc;
	return settings->classified ? settings->traffic_class : tclass_recommended;
}

/*
 * What a port can send at most: what dcbd.conf allows it, else what its link says;
 * 0: nobody knows.
 */
static inline struct dcb_rate port_rate(const struct port_settings *settings, struct dcb_rate speed)
{
	return dcb_rate_is_unlimited(settings->rate) ? speed : settings->rate;
}

/*
 * ... as the length of its bit times, for pause quanta (36.3.2) and headroom (36.8):
 * 10 Gb/s where nobody knows, which is what the standard reckons with first.
 */
static inline struct dcb_rate port_bit_rate(const struct port_settings *settings,
					    struct dcb_rate speed)
{
	struct dcb_rate rate = port_rate(settings, speed);

	return dcb_rate_is_unlimited(rate) ? dcb_rate_from_mbps(10000) : rate;
}

/*
 * A port as the control thread sees it; the provider embeds it in its own.
 * slot is unique among the living ports of a provider, 0..DCB_SLOTS-1, stable
 * for the port's life and reused after it.
 */
#define DCB_SLOTS 8192
struct port {
	struct provider *provider;
	uint16_t slot;
	struct link_info link;
	struct port_settings settings;
};

/* Congestion point of one priority: counters of ieee8021CnCpEntry, and gauges of dcbCpEntry. */
struct cp_stats {
	uint64_t cp_discarded_frames;   /* 32.8.12 */
	uint64_t cp_transmitted_frames; /* 32.8.13 */
	uint64_t cp_transmitted_cnms;   /* 32.8.14 */
	uint32_t cp_qlen;               /* octets in the queue now */
	uint32_t cp_qlen_peak;          /* highest cp_qlen since the port was opened */
	int32_t cp_fb;                  /* cpFb at the last sample */
	uint64_t cp_samples;            /* samples taken */
};

/* Reaction points of one port and priority: counters of ieee8021CnRpPortPriEntry. */
struct rp_port_pri_stats {
	uint32_t rppp_created_rps;     /* 32.10.2 */
	uint64_t rppp_rp_centiseconds; /* 32.10.3 */
};

/* One reaction point and the flow queue it limits, as it is now: dcbRpEntry. */
struct rp_stats {
	bool rp_enabled;
	uint8_t state;            /* enum rpr_state */
	uint8_t rp_fb;            /* quantized feedback of the last CNM */
	uint64_t rp_target_rate;  /* bit/s */
	uint64_t rp_current_rate; /* bit/s; rpgMaxRate while not enabled */
	uint32_t rp_byte_stage;
	uint32_t rp_time_stage;
	uint64_t cnms;           /* that had an effect or would have, rpgEnable allowing */
	uint64_t frames, octets; /* sent through it */
	uint64_t discards;       /* its queue was full */
	uint32_t queue_octets;   /* in its queue now */
};

/* CNMs a station received, by what became of them. */
struct cnm_stats {
	uint64_t cnm_received;   /* valid, for a flow of ours */
	uint64_t cnm_no_effect;  /* ... of these: quantized feedback 0, or rpgEnable FALSE */
	uint64_t cnm_short;      /* fewer octets than a CNM has */
	uint64_t cnm_bad_length; /* encapsulated MSDU longer than 64 octets or than the frame */
	uint64_t cnm_no_tag;     /* without a CN-TAG */
	uint64_t
	    cnm_wrong_address; /* not for this station's own address, or claiming to be from it */
	uint64_t cnm_wrong_priority; /* encapsulated priority is no CNPV here */
	uint64_t cnm_unknown_flow;   /* no such flow, or one that never sent to that destination */
	uint64_t cnm_from_host;      /* came out of the station itself */
};

/* PFC of one priority. */
struct pfc_stats {
	uint64_t pfc_requests;    /* frames sent that name this priority */
	uint64_t pfc_indications; /* frames received that name this priority */
	/* What the receiver makes of them: 36.3.2. */
	uint64_t pfc_transitions; /* from not paused to paused */
	uint64_t pfc_paused_ns;   /* time in that state */
	uint64_t pfc_paused;      /* 1: is paused now */
	/* Initiator: the receive buffer, octets, and what came of it. */
	uint64_t pfc_held;          /* of frames received here that are still queued somewhere */
	uint64_t pfc_held_peak;     /* ... at most since the port was opened */
	uint64_t pfc_xoff;          /* threshold to pause at; 0 while PFC is not enabled */
	uint64_t pfc_xon;           /* ... and to go on at */
	uint64_t pfc_pause_sent_us; /* time the neighbour was asked to pause: until XON or lapse */
	uint64_t pfc_discards;      /* frames beyond the buffer: headroom was insufficient */
};

/* PFC of a port as a whole: what is received but no PFC frame, by what became of it. */
struct pfc_port_stats {
	uint64_t pause_ignored;  /* PAUSE of 802.3 annex 31B, without effect */
	uint64_t pause_honoured; /* ... it was to pause the port, or to end that */
	uint64_t pause_ns;       /* time the port was paused by them */
	uint64_t pause_now;      /* 1: it is now */
	/* PFC and PAUSE frames without effect, by what is wrong with them. */
	uint64_t bad_short;
	uint64_t bad_tagged;
	uint64_t bad_destination;
	uint64_t bad_source;
	uint64_t unsupported_opcodes; /* aUnsupportedOpcodesReceived: 802.3 30.3.3.5 */
};

/* PFC watchdog of one priority, and its evidence of the last storm. */
struct pfc_watchdog_stats {
	uint64_t state;                      /* enum pfc_watchdog_state; 0: not watched yet */
	uint64_t storms, ended;              /* detected, and over */
	uint64_t dropped_total;              /* frames discarded in storms ... */
	uint64_t dropped_storm;              /* ... and in the last one */
	uint64_t action;                     /* enum pfc_watchdog_action when it was detected */
	uint64_t end;                        /* enum pfc_watchdog_end */
	uint64_t detected_ns, ended_ns;      /* CLOCK_MONOTONIC */
	uint64_t blocked_ns;                 /* how long before that it had been blocked */
	uint64_t queue_octets, queue_frames; /* what waited then */
	uint64_t indications_before;         /* PFC frames with this priority in that time ... */
	uint64_t indications;                /* ... and since */
	uint64_t paused_ns;                  /* time paused since */
};

/* One port as a whole. Octets are MAC frame octets without the FCS. */
struct port_stats {
	uint64_t rx_frames, rx_octets;
	uint64_t tx_frames, tx_octets;
	uint64_t pfc_frames_sent, pfc_frames_received; /* M_CONTROL primitives: PFC MIB */
	uint64_t discard_malformed; /* too short, broken tag, group source address */
	uint64_t discard_reserved;  /* 01-80-C2-00-00-0x: never forwarded */
	uint64_t discard_vlan;      /* VID 4095 */
	uint64_t discard_oversize;  /* longer than a frame buffer */
	uint64_t discard_no_buffer; /* frame buffers exhausted */
	uint64_t discard_queue;     /* queue limit of the port, CNPVs and others */
	uint64_t discard_kernel;    /* lost by the kernel before we read them */
	uint64_t discard_host;      /* a station's host took no more */
	uint64_t discard_transit;   /* queued longer than a bridge may hold a frame: 36.2.5 */
	uint64_t tx_errors;         /* frames the interface refused */
	uint64_t up;                /* a gauge: 1 while frames are forwarded from and to it */
};

/* The provider as a whole: dcbEngine group. */
struct provider_stats {
	uint64_t generation_adopted;
	uint32_t frame_buffers, frame_buffers_free, frame_buffers_low;
	uint64_t loops; /* turns of the dataplane thread */
	uint64_t events_lost;
	uint32_t fdb_entries;
	uint64_t fdb_learn_failures;
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

	/* Stop, and close the ports that are still open. */
	/* Stops everything, closes the ports still open; configurations are not read any more. */
	void (*destroy)(struct provider *p);
};

struct provider {
	const struct provider_ops *ops;
};

#endif
