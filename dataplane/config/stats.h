/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a provider counts and measures. Every counter has one writer and is read with
 * relaxed atomics while frames flow: a value is never torn, but two may be an instant
 * apart.
 */
#ifndef DCB_DATAPLANE_CONFIG_STATS_H
#define DCB_DATAPLANE_CONFIG_STATS_H

#include <stdbool.h>
#include <stdint.h>

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
	uint64_t pfc_pause_sent_us; /* time the neighbor was asked to pause: until XON or lapse */
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

#endif
