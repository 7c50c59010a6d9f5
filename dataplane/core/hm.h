/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headroom measurement protocol of one link: P802.1Qdt 36.9 and 36.10. Measures
 * the round trip from the decision to pause the peer up to the last frame it
 * sends, in quanta of 512 bit times, by requests that the peer answers; answers
 * the peer's requests.
 *
 *              hm_receive()
 *                   |
 *                  HR   validates, drops wrong and excess PDUs
 *      rcvdRequest / \ rcvdResponse
 *                QP   RP -----> result: bounds, average
 *      txResponse  \ / prompt   (RP prompts while measure is TRUE)
 *                  CT           one interface: response and request in one PDU
 *                RT  QT         two interfaces, or the separate strategy
 *                   |
 *              hm_transmit() -> frame, hm_sent() <- its real transmission time
 *
 * Figures 36-16..36-19 are missing in D0.3: the machines follow the text of
 * 36.10. Choices are marked as such, here and in doc/conformance.md.
 *
 * Pacing: a response that arrives prompts the next request, and a request rides
 * with each response. Otherwise a request is repeated only after the maximum
 * round trip, or when two requests arrive without a response between them: the
 * own request was lost (36.9.7). So a station sends two PDUs a round trip; its
 * first requests may add one, or two if it sends them separately.
 *
 * Filter (choice): the result is the mean of the middle half of the last
 * HM_SAMPLES round trips, each within the bounds; of three the median, of two
 * the mean. So one outlier, however far, moves the result by less than the spread
 * of the others. Round trips agree if a majority of them, with the last two, is
 * within HM_AGREE_QUANTA of the result. After a link-up the prior result stays in
 * force until two round trips agree, or three arrived.
 *
 * A measurement ends after HM_ROUND_MIN responses if they agree, and after
 * HM_ROUND_MAX in any case (choice). If the result differs from the one before by
 * more than HM_AGREE_QUANTA, another measurement follows (36.9.6 d) after a pause,
 * which doubles each time.
 *
 * Pure: all times are arguments, not negative, of one clock that is never set,
 * such as CLOCK_MONOTONIC. Times that the kernel or the hardware took are converted to
 * it by the caller. One thread calls all functions. Nothing is called for frames
 * other than HMPDUs. sizeof(struct hm) is at most HM_OCTETS.
 */
#ifndef DCB_CORE_HM_H
#define DCB_CORE_HM_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/core/hmpdu.h"
#include "lib/dcbtime.h"
#include "lib/units.h"

#define HM_OCTETS       256
#define HM_REQUESTS     4  /* choice: requests remembered, each is used once */
#define HM_SAMPLES      8  /* choice: round trips in the average */
#define HM_AGREE_QUANTA 8  /* 36.9.1: accuracy asked for */
#define HM_ROUND_MIN    2  /* 36.10: responses until measure can become FALSE */
#define HM_ROUND_MAX    16 /* choice: measure becomes FALSE even if they do not agree */
#define HM_LAGS         4  /* choice: delays of transmission; the lower median is expected */
#define HM_OUTSTANDING  2  /* choice: requests without a response; see may_request() */

/* Choices: between the starts of two measurements, and between requests to a silent peer. */
#define HM_PAUSE_MIN_NS  DCB_NS_PER_S
#define HM_PAUSE_MAX_NS  (64 * DCB_NS_PER_S)
#define HM_SILENT_FAST   4 /* requests repeated after the maximum round trip; then doubled */
#define HM_SILENT_MAX_NS DCB_NS_PER_S
#define HM_REPEAT_MIN_NS DCB_NS_PER_MS /* if the maximum round trip is shorter */

/*
 * Choice: error of the timestamps of both ends together, in addition to
 * HM_AGREE_QUANTA. A negative Response Adjustment that exceeds the elapsed time
 * by more is impossible.
 */
#define HM_TIMESTAMP_ERROR_NS 20000
#define HM_LAG_MAX_NS         DCB_NS_PER_S /* hm_sent() ignores longer delays */

/*
 * requestPath and responsePath: the interface by which a PDU was received or is
 * sent. Four pairs have a code in a PDU (36.9.5):
 *
 *   requests       responses
 *   HM_VIA_PLAIN   HM_VIA_PLAIN     HMPDU_PATH_PLAIN
 *   HM_VIA_PLAIN   HM_VIA_MACSEC    HMPDU_PATH_DATA: separate PDUs
 *   HM_VIA_MACSEC  HM_VIA_MACSEC    HMPDU_PATH_BOTH
 *   HM_VIA_PRIVACY HM_VIA_PRIVACY   HMPDU_PATH_PRIVACY
 */
enum hm_via {
	HM_VIA_PLAIN,   /* MAC, or Uncontrolled Port of the SecY */
	HM_VIA_MACSEC,  /* Controlled Port of the SecY */
	HM_VIA_PRIVACY, /* Express Privacy Channel */
};

/* Quanta are of the link's rate, times fixed for the port. */
struct hm_settings {
	uint32_t minimum, maximum; /* of the round trip, quanta; 1 <= minimum <= maximum */
	uint32_t initial;          /* result before the first response, quanta */
	/*
	 * Delay of a and b of 36.1.1, from the decision to pause up to the time that
	 * hm_transmit() or hm_sent() gets. Sent as the Request Adjustment.
	 */
	uint32_t initiate_ns;
	uint32_t halt_ns;     /* h: longest time from a received PFC frame to the halt */
	uint32_t transmit_ns; /* fixed, from the transmission timestamp to the wire */
	uint32_t receive_ns;  /* fixed, from the wire to the reception timestamp */
	bool measure;         /* FALSE: requests are answered, none is sent */
	bool separate; /* requests and responses in PDUs of their own also on one interface */
	uint8_t address[ETH_ADDR_OCTETS]; /* of the station: source of its PDUs */
};

/* 36.9.6 b) to d), and the operator or a timer of the caller. a) is hm_set_oper(). */
enum hm_trigger {
	HM_TRIGGER_CONNECTIVITY, /* b: an interruption was detected; the link may have changed */
	HM_TRIGGER_DISCARD,      /* c: a lossless frame was discarded: buffer shortage */
	HM_TRIGGER_CHANGED,      /* d: also raised by the engine, for a changed result */
	HM_TRIGGER_MANAGEMENT,
};

/* What became of a received PDU, or else of the response in it: its request is answered then. */
enum hm_verdict {
	HM_ACCEPTED,    /* also a PDU that uses no tuple */
	HM_BOUNDED,     /* accepted; the round trip was outside the bounds, the bound counts */
	HM_WRONG_PATH,  /* interface or path is not the one in operation, or none is */
	HM_BUSY,        /* two PDUs are waiting already */
	HM_MALFORMED,   /* two requests, two responses, or both on different interfaces */
	HM_LOOPED,      /* SA is the address of this station */
	HM_UNMATCHED,   /* response never asked for, replayed, late or from the future */
	HM_IMPLAUSIBLE, /* Response Adjustment above the maximum, or below minus the elapsed time */
	HM_VERDICTS
};

/*
 * Counters. The owner of struct hm has them, among the counters of its port, and
 * any thread may read them (lib/counter.h). Never reset by the engine.
 */
struct hm_counters {
	uint64_t requests_sent, responses_sent; /* of one PDU both may count */
	uint64_t pdus_sent;
	uint64_t requests_received, responses_received; /* accepted */
	uint64_t verdict[HM_VERDICTS];                  /* PDUs received */
	uint64_t below, above;                          /* round trips replaced by a bound */
	uint64_t lost;      /* repeated after two requests without a response between them */
	uint64_t timeouts;  /* repeated after the maximum round trip */
	uint64_t saturated; /* adjustments that do not fit */
	uint64_t rounds;    /* times that measure became TRUE */
	uint64_t resets;    /* results dropped, as path or rate changed */
};

/* A request sent. The timestamp in the PDU is opaque to the peer (36.9.4). */
struct hm_request {
	struct dcb_time at; /* transmitted; as well as it is known */
	uint32_t timestamp; /* as sent: low 32 bits of ns, moved if not unique */
	bool open;          /* no response used it */
	bool recent;        /* neither it nor a later one was answered */
};

/* rcvdRequest and txResponse: what a response returns. */
struct hm_reflect {
	struct dcb_time at; /* received */
	uint32_t timestamp;
	int16_t adjustment;
	uint8_t reserved : 2; /* bits 2 and 1 */
	uint8_t tuple : 1;    /* index of the request; the response has the same */
	uint8_t set : 1;      /* not NULL */
};

/* rcvdResponse */
struct hm_answer {
	int32_t quanta; /* ResponseDelay + adjustments, before the bounds */
	bool set;       /* not NULL */
};

struct hm {
	struct hm_settings settings;
	uint32_t average; /* the result, quanta; valid if count is not 0 */
	struct hm_counters *counters;
	struct dcb_rate rate; /* of the link; 0: not known yet */

	/* Variables of 36.10. */
	bool hm_oper_up, measure, prompt;
	uint8_t request_path, response_path; /* enum hm_via; the last ones in operation */
	bool path_known;
	struct hm_reflect rcvd_request, tx_response;
	struct hm_answer rcvd_response;

	/* Requests. */
	struct hm_request request[HM_REQUESTS];
	uint8_t newest;          /* index of the last request */
	uint8_t silent;          /* requests repeated since the last PDU of the peer */
	uint8_t unpaired;        /* PDUs with a request since the last response: 36.9.7 */
	bool asked;              /* request[newest] was sent since hmOperUp became TRUE */
	bool peer_separate;      /* the last response came without a request */
	uint8_t lags;            /* in lag_ns[] */
	uint8_t next_lag;        /* index of the next one in lag_ns[] */
	int32_t lag_ns[HM_LAGS]; /* hm_sent() minus hm_transmit(), in a ring */

	/* The measurement in progress and the result. */
	bool wanted;                  /* a trigger waits for the end of the pause */
	uint8_t doubled;              /* times that the pause was doubled */
	uint8_t round;                /* responses since measure became TRUE */
	bool held;                    /* the prior result is in force */
	uint8_t samples;              /* in sample[], at most HM_SAMPLES */
	uint8_t next;                 /* index of the next one in sample[] */
	uint32_t before;              /* average when measure became TRUE; 0: none */
	uint32_t count;               /* round trips measured; those before a restart too */
	uint32_t sample[HM_SAMPLES];  /* round trips, quanta, in a ring */
	struct dcb_time began;        /* measure became TRUE */
	struct dcb_time result_since; /* last round trip measured */
};

/* --- settings, link ------------------------------------------------------------------ */

/*
 * BEGIN: initializes all machines, with no result. *counters remains the
 * caller's, and valid as long as *hm. rate: of the link; 0 if not known yet.
 */
void hm_init(struct hm *hm, const struct hm_settings *settings, struct dcb_rate rate,
	     struct hm_counters *counters);

/* Returns true if minimum and maximum of the settings are valid. */
bool hm_settings_check(const struct hm_settings *settings);

/*
 * Sets new settings, valid ones, and the rate; a rate of 0 keeps the one before.
 * Another rate drops the result and measures again: quanta are of another length.
 * settings.measure becoming TRUE while the link is up starts a measurement.
 */
void hm_configure(struct hm *hm, const struct hm_settings *settings, struct dcb_rate rate,
		  struct dcb_time now);

/*
 * Sets the result of a time before a restart, in quanta of the rate in force:
 * count round trips on the path had this average. It is in force until there are
 * new ones, as after a link-up, and is dropped if the link comes up with another
 * path. Call it after hm_init() and before the link is up; no effect otherwise,
 * or if count is 0.
 */
void hm_restore(struct hm *hm, enum hmpdu_path path, uint32_t average, uint32_t count);

/*
 * Sets hmOperUp: HMPDUs can be sent and received by both paths. Becoming TRUE
 * starts a measurement (36.9.6 a), unless settings.measure is FALSE. Becoming
 * FALSE initializes the machines and keeps the result. Another path than the last
 * one in operation drops the result and measures again (36.9.7); hmOperUp is FALSE
 * for a moment then, so that nothing of the old path is answered or used. While
 * up is false, the paths have no effect. Returns false, with hmOperUp FALSE, if
 * the pair of paths has no code.
 */
bool hm_set_oper(struct hm *hm, bool up, enum hm_via request_path, enum hm_via response_path,
		 struct dcb_time now);

/*
 * Asks for another measurement (36.9.6). It starts at once if the last one began
 * HM_PAUSE_MIN_NS ago or earlier, at the end of that time otherwise. No effect
 * while one is in progress, the link is down or settings.measure is FALSE. Cheap:
 * may be called for each discarded frame.
 */
void hm_trigger(struct hm *hm, enum hm_trigger trigger, struct dcb_time now);

/* --- PDUs ---------------------------------------------------------------------------- */

/*
 * HR: processes a decoded PDU. via: the interface that received it; at: its
 * time of reception, by the best timestamp known. Call hm_sent() for timestamps of
 * transmissions that are already available before it. Then call hm_transmit()
 * until it returns false: an answer that waits is compensated, but the peer waits.
 */
enum hm_verdict hm_receive(struct hm *hm, const struct hmpdu *pdu, enum hm_via via,
			   struct dcb_time at);

/*
 * As hm_receive(). deduct_ns: a delay of this station's own that is between the times of
 * transmission and reception of the request that the response in the PDU answers, and is to count
 * less (36.9.4); negative if more. No effect on the request in the PDU.
 */
enum hm_verdict hm_receive_deducting(struct hm *hm, const struct hmpdu *pdu, enum hm_via via,
				     struct dcb_time at, int64_t deduct_ns);

struct hm_frame {
	struct hmpdu pdu;   /* to be encoded by hmpdu_encode() */
	uint8_t via;        /* enum hm_via: the interface to send it by */
	struct dcb_time at; /* now of hm_transmit() */
};

/*
 * CT, RT, QT: returns true and sets *out while a PDU is to be sent. Call it after
 * each other function and at hm_deadline(), only when the PDU can be sent at once,
 * ahead of all data; now: the time just before. A PDU that is returned counts as
 * sent. While it is not called, at most two received PDUs wait.
 */
bool hm_transmit(struct hm *hm, struct dcb_time now, struct hm_frame *out);

/*
 * Reports the real time of transmission of *frame, from hm_transmit(), by a
 * timestamp of kernel or hardware. May come late, in any order, twice, or never.
 * Corrects the round trip of the request in the frame if it is not answered yet,
 * and the expected delay of later frames.
 */
void hm_sent(struct hm *hm, const struct hm_frame *frame, struct dcb_time actual);

/*
 * Returns the time to call hm_transmit() if nothing else happens before: the past
 * if a PDU is to be sent, DCB_TIME_NEVER if nothing is due.
 */
struct dcb_time hm_deadline(const struct hm *hm);

/* --- results ------------------------------------------------------------------------- */

struct hm_result {
	uint32_t average; /* in force, quanta: initial value if there is no result */
	bool measured;    /* average is of round trips, maybe of those before a restart */
	uint32_t count;   /* round trips of the average, and all before them on this path */
	/* Of the last round trips, at most HM_SAMPLES, since the last link-up; 0: none. */
	uint32_t minimum, median, maximum, last;
	struct dcb_time since; /* of the last round trip; 0: none since hm_init() */
};

void hm_get_result(const struct hm *hm, struct hm_result *out);

/* Returns the average in force, quanta. Within minimum and maximum of the settings. */
uint32_t hm_average(const struct hm *hm);

/* States of the machines, for management. Names are a choice: 36-16..36-19 are missing. */
enum hm_state {
	HM_STATE_INIT = 1, /* BEGIN, !hmOperUp, or machine not used with these paths */
	HM_STATE_IDLE,     /* waits for a PDU, a variable or a deadline */
	HM_STATE_WAIT,     /* has work and waits for another machine */
	HM_STATE_TRANSMIT, /* CT, RT, QT: hm_transmit() returns a PDU, now or at hm_deadline() */
};

struct hm_states {
	uint8_t hr, qp, rp, ct, qt, rt; /* enum hm_state */
};

void hm_get_states(const struct hm *hm, struct hm_states *out);

/* Returns the code of the paths in a PDU, or -1 if the pair has none. */
int hm_path_code(enum hm_via request_path, enum hm_via response_path);

/* Returns the text for counters and logs. */
const char *hm_verdict_text(enum hm_verdict verdict);

/* --- quanta -------------------------------------------------------------------------- */

/* Returns ns in quanta, rounded to the nearest, saturated at int32_t; 0 if the rate is 0. */
int32_t hm_ns_to_quanta(struct dcb_rate rate, int64_t ns);

/* Returns the time of quanta in ns, rounded down; 0 if the rate is 0. */
int64_t hm_quanta_to_ns(struct dcb_rate rate, uint32_t quanta);

#endif
