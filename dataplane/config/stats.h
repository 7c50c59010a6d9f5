/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters and gauges of a provider. Each value has one writer and is read with
 * relaxed atomics while frames are moved: a value is consistent, but two values
 * may be of slightly different times.
 */
#ifndef DCB_DATAPLANE_CONFIG_STATS_H
#define DCB_DATAPLANE_CONFIG_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/config/bridge_config.h"
#include "dataplane/core/hm.h"
#include "dataplane/trill/trill.h"
#include "lib/units.h"

/*
 * A member of a struct as a bit of the mask that provider_ops.unknown() returns. A bit stands for 4
 * octets; for 8 in a struct of more than 256, whose members have as many.
 */
#define STATS_UNIT(size) ((size) > 256 ? 8u : 4u)
#define STATS_MEMBER(type, member) \
	(UINT64_C(1) << offsetof(struct type, member) / STATS_UNIT(sizeof(struct type)))

/* The structs with such masks. */
enum stats_of {
	STATS_PORT = 1,     /* struct port_stats */
	STATS_PFC,          /* struct pfc_stats, of a priority */
	STATS_PFC_PORT,     /* struct pfc_port_stats */
	STATS_WATCHDOG,     /* struct pfc_watchdog_stats, of a priority */
	STATS_BUFFER,       /* struct buffer_stats, of a priority */
	STATS_CP,           /* struct cp_stats, of a priority */
	STATS_RP_PORT_PRI,  /* struct rp_port_pri_stats, of a priority */
	STATS_HARDWARE,     /* struct hardware_stats */
	STATS_HARDWARE_PRI, /* struct hardware_pri_stats, of a priority */
	STATS_ECN,          /* struct ecn_stats, of a priority */
};
/* That of a value of such a type, which is not evaluated. */
#define STATS_OF(value)                                      \
	_Generic((value), struct port_stats                  \
		 : STATS_PORT, struct pfc_stats              \
		 : STATS_PFC, struct pfc_port_stats          \
		 : STATS_PFC_PORT, struct pfc_watchdog_stats \
		 : STATS_WATCHDOG, struct buffer_stats       \
		 : STATS_BUFFER, struct cp_stats             \
		 : STATS_CP, struct rp_port_pri_stats        \
		 : STATS_RP_PORT_PRI, struct hardware_stats  \
		 : STATS_HARDWARE, struct hardware_pri_stats \
		 : STATS_HARDWARE_PRI, struct ecn_stats      \
		 : STATS_ECN)

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

/* ECN marking of one priority, while it is enabled: frames queued to be sent by the port. */
struct ecn_stats {
	uint64_t marked;           /* ECT, set to CE here */
	uint64_t unmarked;         /* ECT, left as they were */
	uint64_t marked_before;    /* CE when they were received */
	uint64_t not_ect;          /* IP packets whose sender does not know ECN */
	uint64_t not_ect_discards; /* of these, discarded where they would have been marked */
};

/* Reaction points of one port and priority: counters of ieee8021CnRpPortPriEntry. */
struct rp_port_pri_stats {
	uint32_t rppp_created_rps;     /* 32.10.2 */
	uint64_t rppp_rp_centiseconds; /* 32.10.3 */
};

/* Current state of one reaction point and its flow queue: dcbRpEntry. */
struct rp_stats {
	bool rp_enabled;
	uint8_t state;            /* enum rpr_state */
	uint8_t rp_fb;            /* quantized feedback of the last CNM */
	uint64_t rp_target_rate;  /* bit/s */
	uint64_t rp_current_rate; /* bit/s; rpgMaxRate while not enabled */
	uint32_t rp_byte_stage;
	uint32_t rp_time_stage;
	uint64_t cnms; /* CNMs with nonzero quantized feedback, also while rpgEnable is FALSE */
	uint64_t frames, octets; /* sent from its queue */
	uint64_t discards;       /* frames discarded: queue full */
	uint32_t queue_octets;   /* in the queue now */
};

/* CNMs received by a station, by result. */
struct cnm_stats {
	uint64_t cnm_received;       /* valid, for a flow of this station */
	uint64_t cnm_no_effect;      /* of cnm_received: quantized feedback 0, or rpgEnable FALSE */
	uint64_t cnm_short;          /* shorter than a CNM */
	uint64_t cnm_bad_length;     /* encapsulated MSDU longer than 64 octets or than the frame */
	uint64_t cnm_no_tag;         /* without a CN-TAG */
	uint64_t cnm_wrong_address;  /* DA is not this station's address, or SA is this station's */
	uint64_t cnm_wrong_priority; /* encapsulated priority is not a CNPV here */
	uint64_t cnm_unknown_flow;   /* no such flow, or it sent nothing there in that VLAN */
	uint64_t cnm_from_host;      /* sent by the station's own host */
	uint64_t cnm_excess;         /* more than one for each sample of what the flow sent */
};

/* PFC of one priority. */
struct pfc_stats {
	uint64_t pfc_requests;    /* frames sent that name this priority */
	uint64_t pfc_indications; /* frames received that name this priority */
	/* Receiver: 36.3.2. */
	uint64_t pfc_transitions; /* from not paused to paused */
	uint64_t pfc_paused_ns;   /* time in that state */
	uint64_t pfc_paused;      /* 1: is paused now */
	/* Initiator; what its receive buffer holds is in struct buffer_stats. */
	uint64_t pfc_pause_sent_us; /* pause time sent: up to XON or expiry */
	uint64_t pfc_discards;      /* frames beyond the buffer: the headroom was too small */
};

/* Peaks of one priority in an interval. */
struct pfc_peaks {
	uint64_t longest_ns; /* pause that ended in it or lasts at its end, with its time before */
	uint64_t queue_octets; /* in the queue, when the port could send or was paused */
};

/* PFC of a port as a whole: MAC control frames other than valid PFC frames. */
struct pfc_port_stats {
	uint64_t pause_ignored;  /* PAUSE frames of 802.3 annex 31B without effect */
	uint64_t pause_honoured; /* PAUSE frames that started, changed or ended a pause */
	uint64_t pause_ns;       /* time paused by PAUSE */
	uint64_t pause_now;      /* 1: paused by PAUSE now */
	/* Invalid PFC and PAUSE frames, by error. */
	uint64_t bad_short;
	uint64_t bad_tagged;
	uint64_t bad_destination;
	uint64_t bad_source;
	uint64_t unsupported_opcodes; /* aUnsupportedOpcodesReceived: 802.3 30.3.3.5 */
	/* All MAC control frames, and those that are PAUSE by their opcode. */
	uint64_t control_sent;     /* aMACControlFramesTransmitted: 30.3.3.3 */
	uint64_t control_received; /* aMACControlFramesReceived: 30.3.3.4 */
	uint64_t pause_sent;       /* aPAUSEMACCtrlFramesTransmitted: 30.3.4.2 */
	uint64_t pause_received;   /* aPAUSEMACCtrlFramesReceived: 30.3.4.3 */
};

/* PFC watchdog of one priority, and data of its last storm. */
struct pfc_watchdog_stats {
	uint64_t state;                      /* enum pfc_watchdog_state; 0: not watched yet */
	uint64_t storms, ended;              /* number of storms detected, and ended */
	uint64_t dropped_total;              /* frames discarded in all storms */
	uint64_t dropped_storm;              /* frames discarded in the last storm */
	uint64_t action;                     /* enum pfc_watchdog_action at detection */
	uint64_t cause;                      /* enum pfc_storm_cause */
	uint64_t end;                        /* enum pfc_watchdog_end */
	uint64_t restoration_ns;             /* restoration time in force, see the hold-down */
	uint64_t detected_ns, ended_ns;      /* CLOCK_MONOTONIC */
	uint64_t blocked_ns;                 /* time blocked before detection */
	uint64_t queue_octets, queue_frames; /* in the queue at detection */
	uint64_t indications_before;         /* PFC frames with this priority during blocked_ns */
	uint64_t indications;                /* PFC frames with this priority since detection */
	uint64_t paused_ns;                  /* time paused since detection */
};

/* Headroom measurement of one port: P802.1Qdt 36.9. */
struct pfc_measure_stats {
	struct hm_counters hm;
	uint64_t bad[HMPDU_ERRORS]; /* frames discarded, by enum hmpdu_error */
	uint64_t excess;            /* frames discarded: too many in a short time */
	uint64_t unsent;            /* frames that the interface did not accept */
	/* Gauges. Delays in quanta, the last ones of struct hm_result. */
	uint64_t average, measured, count, minimum, median, maximum, last;
	uint64_t since_ns;               /* last round trip, CLOCK_MONOTONIC; 0: none */
	uint64_t result;                 /* handed to the control thread; 0: none */
	uint64_t clock;                  /* enum netio_clock; 0: nothing was measured */
	uint64_t nic_ns;                 /* longest delay of the NIC that counts; 0: none */
	uint64_t nic_missing;            /* round trips without one of the NIC's times */
	uint64_t oper_up, measure, path; /* hmOperUp, measure, enum hmpdu_path */
	uint64_t rate_bps;               /* of the link, which quanta are of */
	uint64_t hr, qp, rp, ct, qt, rt; /* enum hm_state */
	/* The PFC receiver: longest response time in ns, and its bound, 0: not known yet. */
	uint64_t response_ns, response_bound_ns;
	uint64_t secy_ns; /* measured delay of the port's SecY; 0: none */
};

/* A device that sends no PFC frames any more when it has paused its neighbor for too long. */
struct hardware_stats {
	uint64_t storm_warnings, storm_errors; /* the second: the prevention time was exceeded */
	uint64_t prevention_ms; /* gauge: 0: not limited; UINT16_MAX: the device decides */
};

/* What a device has for a priority. Gauges. */
struct hardware_pri_stats {
	uint64_t max_rate_kbps; /* of its traffic class; 0: not limited */
	uint64_t buffer;        /* number of the receive buffer that it uses, 0..7 */
	uint64_t buffer_octets; /* size of that, which other priorities can use, too */
};

/* One port as a whole. Octets are MAC frame octets without the FCS. */
struct port_stats {
	uint64_t rx_frames, rx_octets;
	uint64_t tx_frames, tx_octets;
	uint64_t pfc_frames_received, pfc_frames_sent; /* M_CONTROL primitives: PFC MIB */
	uint64_t discard_malformed; /* too short, broken tag, group source address */
	uint64_t discard_reserved;  /* 01-80-C2-00-00-0x: never forwarded */
	uint64_t discard_vlan;      /* VID 4095 */
	uint64_t discard_oversize;  /* longer than a frame buffer */
	uint64_t discard_no_buffer; /* limit of frame buffers of a priority, or none was free */
	uint64_t discard_queue;     /* limit of octets of a priority to be sent here */
	uint64_t discard_kernel;    /* lost in the kernel before they were read */
	uint64_t discard_host;      /* the host of a station did not accept it */
	uint64_t discard_transit;   /* queued longer than a bridge may hold a frame: 36.2.5 */
	uint64_t discard_late[DCB_PRIORITIES]; /* of these, frames that no pause had held back */
	uint64_t tx_errors;                    /* frames that the interface did not accept */
	uint64_t discard_cnm;  /* CNM that enters the domain of its priority at an edge */
	uint64_t discard_down; /* queued when the link went down */
	/* By the VLAN rules of a bridge's port. */
	uint64_t discard_frame_type; /* received: acceptable frame types, 6.9 */
	uint64_t discard_ingress;    /* received: ingress filtering, 8.6.2 */
	uint64_t discard_egress;     /* to be sent to a known address: egress rules, 8.6.4 */
	uint64_t discard_flood[FLOOD_KINDS]; /* received: more than the limit of their kind */
	/* Received, while the port trusts DSCPs: by the origin of their priority. */
	uint64_t by_pcp, by_dscp, by_default;
	/* LLDPDUs received, by destination: 01-80-C2-00-00-0E; -00 or -03. */
	uint64_t lldp_nearest, lldp_elsewhere;
	uint64_t lldp_ignored; /* not valid, or too many to be handed to the control thread */
	/* Flow queues of a station. */
	uint64_t flows_assigned; /* flows that got a flow queue of their own */
	uint64_t flows_sharing;  /* flows that got one of other flows: none was free */
	uint64_t flows_aged;     /* flow queues that became free: not used for a second */
	uint64_t flows_unlisted; /* frames of flows for which the table of flows had no room */
	uint64_t up;             /* gauge: 1 while frames are forwarded from and to the port */
};

/* One account of the frame memory: dataplane/core/buffer.h. */
struct buffer_account_stats {
	uint64_t octets, frames;                     /* held now */
	uint64_t peak_octets, peak_frames;           /* maximum since the watermarks were reset */
	uint64_t threshold_octets, threshold_frames; /* reserve and shared limit at this moment */
	uint64_t no_octets, no_frames; /* frames discarded: octets, or frame buffers */
};

/* Frame memory of one port and priority. */
struct buffer_stats {
	uint64_t reserve_octets, reserve_frames; /* of each of the two accounts, in force */
	/*
	 * Frames received here and still queued at any port; zero without PFC. A priority is paused
	 * from lossless.threshold_octets (XOFF) to xon_octets.
	 */
	struct buffer_account_stats lossless;
	uint64_t xon_octets;
	uint64_t headroom_size, headroom_octets, headroom_peak; /* octets of lossless beyond XOFF */
	struct buffer_account_stats lossy;                      /* to be sent here */
};

/* One pool of the frame memory. */
struct buffer_pool_stats {
	uint64_t size_octets, size_frames;
	uint64_t octets, frames; /* used now */
	uint64_t peak_octets, peak_frames;
};

/* The frame memory as a whole. */
struct buffer_memory_stats {
	uint64_t memory_octets, memory_frames;
	uint64_t reserved_octets, reserved_frames;
	uint64_t headroom_octets, headroom_frames; /* promised; the pool has less if shared */
	uint64_t missing_octets, missing_frames; /* how much more the promises need; 0: they fit */
	struct buffer_pool_stats lossless, lossy, headroom;
	uint64_t watermarks_since_ns; /* CLOCK_MONOTONIC; 0: since the start */
};

/* Source addresses of a bridge's port. */
struct learning_stats {
	uint32_t learned; /* gauge: in the filtering database */
	uint64_t refused; /* frames whose source was not learned because of the port's limit */
	uint64_t moves;   /* addresses that were learned here and had been learned elsewhere */
	/*
	 * How often an address has moved between two ports more than FDB_MOVES_MAX times in a
	 * second; of two ports that in the lower slot counts. The last one, and the other port.
	 */
	uint64_t flaps;
	uint64_t flap_key; /* VID and address: static_unicast_key(); 0: none yet */
	uint16_t flap_slot;
};

#define FDB_MOVES_MAX 10

/*
 * TRILL at one port of an RBridge, dcbTrillPortStatsEntry: frames received there, except mtu. A
 * frame is counted once as dropped, however many copies of it could have been sent; a frame of a
 * group that is both decapsulated and sent on counts as both.
 */
struct trill_port_stats {
	uint64_t ingressed;       /* native frames encapsulated */
	uint64_t transited;       /* TRILL frames sent on to an RBridge */
	uint64_t egressed;        /* TRILL frames decapsulated */
	uint64_t cnm_transformed; /* native CNMs caused by TRILL frames, sent to the source */
	uint64_t cnm_own;         /* native CNMs for frames of this RBridge that are not TRILL */
	uint64_t cnm_control;     /* dropped: native CNMs caused by TRILL control frames */
	uint64_t cnm_bad;         /* dropped: native CNMs to this RBridge, too short or malformed */
	uint64_t malformed[TRILL_ERRORS]; /* dropped: by enum trill_error; hop count used up too */
	/* Dropped, by reason. */
	uint64_t mode;        /* TRILL frame at an access port, native frame at a trunk port */
	uint64_t control;     /* L2-IS-IS, LLDP, and other frames that are never encapsulated */
	uint64_t no_nickname; /* this RBridge has no nickname */
	uint64_t not_for_us;  /* Outer.DA is no address of this port's links, nor All-RBridges */
	uint64_t
	    unknown_nickname;   /* no next hop for the egress, or none for the ingress nickname */
	uint64_t own_ingress;   /* the ingress nickname is this RBridge's: a loop, or forged */
	uint64_t no_next_hop;   /* all ports of the next hops are down */
	uint64_t rpf;           /* multi-destination: not from where the ingress nickname is */
	uint64_t not_appointed; /* native frame of a VLAN whose forwarder this port is not */
	uint64_t forged_cnm;    /* encapsulated CNM of a CNPV at an edge of its domain */
	uint64_t not_adjacent;  /* to one RBridge, and Outer.SA is no next hop of the port */
	uint64_t mtu;           /* copies that exceed the MTU of the port where they leave */
};

/* Frames of one nickname: dcbTrillNicknameEntry. */
struct trill_nickname_stats {
	uint64_t frames_to;   /* TRILL frames sent with this egress nickname */
	uint64_t frames_from; /* TRILL frames accepted with this ingress nickname */
	uint64_t learned;     /* gauge: addresses behind it in the filtering database */
};

/* An address in the filtering database: dcbFdbEntry, dcbTrillFdbEntry. */
struct fdb_address {
	uint64_t key;      /* VID and address: static_unicast_key() */
	uint32_t age_s;    /* since its last frame; 0: a static one */
	uint16_t slot;     /* of its port, if it is not behind another RBridge */
	uint16_t nickname; /* of the RBridge that it is behind; TRILL_NICKNAME_NONE: at a port */
	uint8_t moves;     /* from port to port, since it was learned; FDB_MOVES_COUNTED: or more */
	bool fixed;        /* a static one */
};

#define FDB_MOVES_COUNTED UINT8_MAX

/* Those at ports, then those behind other RBridges; both in ascending order of their keys. */
struct fdb_addresses {
	struct fdb_address *of; /* the caller frees it */
	uint32_t n, n_local;
};

/* Real time of the dataplane thread: dcbEngineRealTime. */
enum provider_rt_state {
	PROVIDER_RT_OFF = 1,
	PROVIDER_RT_NOT_PERMITTED = 2,
	PROVIDER_RT_IN_FORCE = 3,
	PROVIDER_RT_SUSPENDED = 4,  /* by the guard, lib/rt_guard.h: RT_GUARD_OVERLOAD */
	PROVIDER_RT_NOT_NEEDED = 5, /* no port has PFC or obeys PAUSE, or measures its headroom */
	PROVIDER_RT_YIELDED = 6,    /* RT_GUARD_OTHERS */
};

/* The provider as a whole: dcbEngine group. */
struct provider_stats {
	uint64_t generation_adopted;
	uint32_t frame_buffers, frame_buffers_free, frame_buffers_low;
	uint64_t loops; /* iterations of the dataplane thread's event loop */
	uint64_t events_lost;
	uint32_t fdb_entries;
	uint64_t fdb_learn_failures;
	struct buffer_memory_stats memory;
	uint32_t fdb_learn_limit; /* of a port whose limit is not set */
	uint8_t rt_state;         /* enum provider_rt_state */
	uint32_t rt_priority;     /* in force; 0: none */
	uint64_t rt_suspensions;  /* times that it became PROVIDER_RT_SUSPENDED or _YIELDED */
	uint64_t rt_yields;       /* the latter alone */
	int32_t cpu;              /* that the dataplane thread is bound to; -1: any */
};

#endif
