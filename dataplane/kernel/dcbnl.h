/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codec of the kernel's DCB messages (rtnetlink, RTM_GETDCB and RTM_SETDCB): what an interface's
 * driver has in force, and changes of it. Pure: no socket, no memory but the caller's.
 *
 * All requests name the interface, which can be another one by then: the caller compares the
 * ifIndex afterwards.
 */
#ifndef DCB_KERNEL_DCBNL_H
#define DCB_KERNEL_DCBNL_H

#include <linux/dcbnl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an answer had. A getter that fails leaves out its attribute. */
enum dcbnl_has {
	DCBNL_ETS = 1 << 0,
	DCBNL_PFC = 1 << 1,
	DCBNL_APPS = 1 << 2,
	DCBNL_MAXRATE = 1 << 3,
	DCBNL_QCN = 1 << 4,
	DCBNL_QCN_STATS = 1 << 5,
	DCBNL_BUFFER = 1 << 6,
	DCBNL_DCBX = 1 << 7,
	/* Of the neighbor, as the firmware sees it. */
	DCBNL_PEER_ETS = 1 << 8,
	DCBNL_PEER_PFC = 1 << 9,
	DCBNL_PEER_APPS = 1 << 10,
};

#define DCBNL_APPS_MAX 256 /* entries of a table; further ones are not kept */

struct dcbnl_apps {
	uint16_t n;
	bool more;                         /* the kernel had more than DCBNL_APPS_MAX */
	struct dcb_app of[DCBNL_APPS_MAX]; /* in the kernel's order; protocol in host order */
};

/* Answer to DCB_CMD_IEEE_GET: members that has does not name are zero. */
struct dcbnl_port {
	uint32_t has; /* enum dcbnl_has */
	uint8_t dcbx; /* DCB_CAP_DCBX_... */
	struct ieee_ets ets, peer_ets;
	struct ieee_pfc pfc, peer_pfc;
	struct ieee_maxrate maxrate;
	struct ieee_qcn qcn;
	struct ieee_qcn_stats qcn_stats;
	struct dcbnl_buffer buffer;
	struct dcbnl_apps apps, peer_apps;
};

/* A change. The attributes of one request come into force in this order, and up to the first error.
 */
struct dcbnl_change {
	uint32_t sets; /* enum dcbnl_has: ETS, MAXRATE, QCN, PFC, BUFFER, APPS, a bit each */
	const struct ieee_ets *ets;
	const struct ieee_maxrate *maxrate;
	const struct ieee_qcn *qcn;
	const struct ieee_pfc *pfc;
	const struct dcbnl_buffer *buffer;
	const struct dcb_app *apps; /* to be added */
	unsigned n_apps;            /* at most DCBNL_APPS_MAX */
};

#define DCBNL_REQUEST_OCTETS 8192 /* enough for a request of each kind */

/*
 * Each writes a request to buf, of DCBNL_REQUEST_OCTETS and aligned as struct nlmsghdr, and returns
 * its length. name: at most IF_NAMESIZE - 1 octets.
 */
size_t dcbnl_write_get(void *buf, const char *name, uint32_t seq);
size_t dcbnl_write_set(void *buf, const char *name, uint32_t seq,
		       const struct dcbnl_change *change);
/* Deletes entries of the application table: DCB_CMD_IEEE_DEL. n is at most DCBNL_APPS_MAX. */
size_t dcbnl_write_delete(void *buf, const char *name, uint32_t seq, const struct dcb_app *apps,
			  unsigned n);
/* Sets the DCBX mode: DCB_CMD_SDCBX. */
size_t dcbnl_write_dcbx(void *buf, const char *name, uint32_t seq, uint8_t dcbx);

/* Result of a request. */
struct dcbnl_result {
	int error;      /* errno, of the kernel or in the u8 of the driver's result; 0: none */
	uint8_t status; /* 1..127: the driver's own, which is no error; 0: none */
};

enum dcbnl_kind {
	DCBNL_IS_PORT = 1, /* answer to DCB_CMD_IEEE_GET, or a notification */
	DCBNL_IS_RESULT,   /* of a change: precedes the acknowledgment */
	DCBNL_IS_ACK,      /* error: there is no other answer */
};
struct dcbnl_message {
	enum dcbnl_kind kind;
	uint32_t seq, pid;          /* pid is 0 in a notification */
	char name[IF_NAMESIZE];     /* DCBNL_IS_PORT; else empty */
	struct dcbnl_result result; /* DCBNL_IS_RESULT, DCBNL_IS_ACK */
};
/*
 * Reads the first message of len octets at buf, aligned as struct nlmsghdr: what an interface has,
 * the result of a change, or an acknowledgment. *used: octets of this message with its padding; 0
 * if they are malformed, so that no message after them can be found. port is filled in with
 * DCBNL_IS_PORT: attributes that are absent, or shorter than their structure, are not in has.
 * Returns false if the message is none of these; *out and *port are then undefined.
 */
bool dcbnl_read(const void *buf, size_t len, size_t *used, struct dcbnl_message *out,
		struct dcbnl_port *port);

/* Writes what an error of a request means, in words of the operator. Returns buf. */
const char *dcbnl_error_text(int error, char *buf, size_t size);

#endif
