/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/netio/netio_ingress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "dataplane/core/eth.h"
#include "lib/log.h"

#define CHAIN         "ingress"
#define PRIORITY      0 /* nft's "filter": others may be before and behind */
#define BATCH_OCTETS  4096
#define ANSWER_OCTETS 8192
#define TABLE_OCTETS  sizeof("dcbd_port_4294967295")

/* An interface whose table this process has. */
struct taken {
	uint32_t ifindex;
	char ifname[IF_NAMESIZE]; /* of the hook */
	unsigned users;
	UT_hash_handle hh;
};

/* Interfaces are opened by several threads at once. */
static struct {
	pthread_mutex_t lock;
	struct mnl_socket *nl; /* owns the tables; NULL: there are none */
	struct taken *taken;   /* by ifindex */
	uint32_t seq;
} tables = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- messages --------------------------------------------------------------------- */

static void name_table(char name[TABLE_OCTETS], uint32_t ifindex)
{
	snprintf(name, TABLE_OCTETS, "dcbd_port_%u", ifindex);
}

/* Appends a message; its attributes follow. */
static struct nlmsghdr *put(uint8_t *at, uint16_t type, uint16_t flags, uint8_t family,
			    uint16_t resource)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(at);
	struct nfgenmsg *nfg = mnl_nlmsg_put_extra_header(nlh, sizeof(*nfg));

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = tables.seq;
	*nfg = (struct nfgenmsg){
	    .nfgen_family = family,
	    .version = NFNETLINK_V0,
	    .res_id = htons(resource),
	};
	return nlh;
}

static struct nlmsghdr *put_nft(uint8_t *at, uint16_t type, uint16_t flags)
{
	return put(at, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), flags, NFPROTO_NETDEV, 0);
}

/* Begin or end of a transaction. */
static uint8_t *put_batch(uint8_t *at, uint16_t type)
{
	return mnl_nlmsg_get_payload_tail(put(at, type, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
}

/*
 * Sends a transaction that ends at end, and waits for its result: the kernel has answered when it
 * returns from the call. Returns 0 or an errno: the first error.
 */
static int commit(uint8_t *batch, const uint8_t *end)
{
	uint8_t answer[ANSWER_OCTETS];
	int error = 0;
	ssize_t n;

	if (mnl_socket_sendto(tables.nl, batch, (size_t)(end - batch)) < 0)
		return errno;
	while ((n = mnl_socket_recvfrom(tables.nl, answer, sizeof(answer))) > 0) {
		const struct nlmsghdr *nlh = (const struct nlmsghdr *)answer;
		int left = (int)n;

		for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
			const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);

			if (nlh->nlmsg_type == NLMSG_ERROR && nlh->nlmsg_seq == tables.seq &&
			    mnl_nlmsg_get_payload_len(nlh) >= sizeof(*e) && !error)
				error = -e->error;
		}
	}
	return error;
}

static void put_chain(struct nlmsghdr *nlh, const char *table, const char *ifname)
{
	struct nlattr *hook;

	mnl_attr_put_strz(nlh, NFTA_CHAIN_TABLE, table);
	mnl_attr_put_strz(nlh, NFTA_CHAIN_NAME, CHAIN);
	hook = mnl_attr_nest_start(nlh, NFTA_CHAIN_HOOK);
	mnl_attr_put_u32(nlh, NFTA_HOOK_HOOKNUM, htonl(NF_NETDEV_INGRESS));
	mnl_attr_put_u32(nlh, NFTA_HOOK_PRIORITY, htonl(PRIORITY));
	mnl_attr_put_strz(nlh, NFTA_HOOK_DEV, ifname);
	mnl_attr_nest_end(nlh, hook);
	mnl_attr_put_u32(nlh, NFTA_CHAIN_POLICY, htonl(NF_DROP));
	mnl_attr_put_strz(nlh, NFTA_CHAIN_TYPE, "filter");
}

/* --- rules: frames that reach the host ------------------------------------------------ */

struct expression {
	struct nlattr *element, *data;
};

static struct expression begin_expression(struct nlmsghdr *nlh, const char *name)
{
	struct expression e = {.element = mnl_attr_nest_start(nlh, NFTA_LIST_ELEM)};

	mnl_attr_put_strz(nlh, NFTA_EXPR_NAME, name);
	e.data = mnl_attr_nest_start(nlh, NFTA_EXPR_DATA);
	return e;
}

static void end_expression(struct nlmsghdr *nlh, const struct expression *e)
{
	mnl_attr_nest_end(nlh, e->data);
	mnl_attr_nest_end(nlh, e->element);
}

static void put_value(struct nlmsghdr *nlh, uint16_t type, const void *octets, size_t len)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);

	mnl_attr_put(nlh, NFTA_DATA_VALUE, len, octets);
	mnl_attr_nest_end(nlh, nest);
}

/* The destination address, masked, is put into register 1. */
static void put_masked_address(struct nlmsghdr *nlh, const uint8_t mask[ETH_ADDR_OCTETS])
{
	static const uint8_t zeros[ETH_ADDR_OCTETS];
	struct expression e = begin_expression(nlh, "payload");

	mnl_attr_put_u32(nlh, NFTA_PAYLOAD_DREG, htonl(NFT_REG_1));
	mnl_attr_put_u32(nlh, NFTA_PAYLOAD_BASE, htonl(NFT_PAYLOAD_LL_HEADER));
	mnl_attr_put_u32(nlh, NFTA_PAYLOAD_OFFSET, htonl(0));
	mnl_attr_put_u32(nlh, NFTA_PAYLOAD_LEN, htonl(ETH_ADDR_OCTETS));
	end_expression(nlh, &e);
	e = begin_expression(nlh, "bitwise");
	mnl_attr_put_u32(nlh, NFTA_BITWISE_SREG, htonl(NFT_REG_1));
	mnl_attr_put_u32(nlh, NFTA_BITWISE_DREG, htonl(NFT_REG_1));
	mnl_attr_put_u32(nlh, NFTA_BITWISE_LEN, htonl(ETH_ADDR_OCTETS));
	put_value(nlh, NFTA_BITWISE_MASK, mask, ETH_ADDR_OCTETS);
	put_value(nlh, NFTA_BITWISE_XOR, zeros, ETH_ADDR_OCTETS);
	end_expression(nlh, &e);
}

static void put_protocol(struct nlmsghdr *nlh)
{
	struct expression e = begin_expression(nlh, "meta");

	mnl_attr_put_u32(nlh, NFTA_META_DREG, htonl(NFT_REG_1));
	mnl_attr_put_u32(nlh, NFTA_META_KEY, htonl(NFT_META_PROTOCOL));
	end_expression(nlh, &e);
}

/* The frame goes on if register 1 has these octets. */
static void put_accept_if(struct nlmsghdr *nlh, const void *octets, size_t len)
{
	struct expression e = begin_expression(nlh, "cmp");
	struct nlattr *data, *verdict;

	mnl_attr_put_u32(nlh, NFTA_CMP_SREG, htonl(NFT_REG_1));
	mnl_attr_put_u32(nlh, NFTA_CMP_OP, htonl(NFT_CMP_EQ));
	put_value(nlh, NFTA_CMP_DATA, octets, len);
	end_expression(nlh, &e);
	e = begin_expression(nlh, "immediate");
	mnl_attr_put_u32(nlh, NFTA_IMMEDIATE_DREG, htonl(NFT_REG_VERDICT));
	data = mnl_attr_nest_start(nlh, NFTA_IMMEDIATE_DATA);
	verdict = mnl_attr_nest_start(nlh, NFTA_DATA_VERDICT);
	mnl_attr_put_u32(nlh, NFTA_VERDICT_CODE, htonl(NF_ACCEPT));
	mnl_attr_nest_end(nlh, verdict);
	mnl_attr_nest_end(nlh, data);
	end_expression(nlh, &e);
}

static struct nlmsghdr *begin_rule(struct nlmsghdr *last, const char *table, struct nlattr **list)
{
	struct nlmsghdr *nlh = put_nft(mnl_nlmsg_get_payload_tail(last), NFT_MSG_NEWRULE,
				       NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK);

	mnl_attr_put_strz(nlh, NFTA_RULE_TABLE, table);
	mnl_attr_put_strz(nlh, NFTA_RULE_CHAIN, CHAIN);
	*list = mnl_attr_nest_start(nlh, NFTA_RULE_EXPRESSIONS);
	return nlh;
}

/* Appends both rules to the message last. Returns the last message. */
static struct nlmsghdr *put_rules(struct nlmsghdr *last, const char *table)
{
	static const uint8_t reserved[] = {0x01, 0x80, 0xc2, 0, 0, 0};
	static const uint8_t mask[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xf0};
	const uint16_t hmpdu = htons(ETH_TYPE_HMPDU);
	struct nlattr *list;
	struct nlmsghdr *nlh = begin_rule(last, table, &list);

	put_masked_address(nlh, mask);
	put_accept_if(nlh, reserved, sizeof(reserved));
	mnl_attr_nest_end(nlh, list);
	nlh = begin_rule(nlh, table, &list);
	put_protocol(nlh);
	put_accept_if(nlh, &hmpdu, sizeof(hmpdu));
	mnl_attr_nest_end(nlh, list);
	return nlh;
}

/* --- tables ---------------------------------------------------------------------------- */

static struct nlmsghdr *put_table(uint8_t *at, uint16_t type, uint16_t flags, const char *table)
{
	struct nlmsghdr *nlh = put_nft(at, type, flags | NLM_F_ACK);

	mnl_attr_put_strz(nlh, NFTA_TABLE_NAME, table);
	return nlh;
}

/* replace: the process has the table, for another name of the interface. Returns 0 or an errno. */
static int create_table(const char *table, const char *ifname, bool replace)
{
	uint8_t batch[BATCH_OCTETS], *at;
	struct nlmsghdr *nlh;

	tables.seq++;
	at = put_batch(batch, NFNL_MSG_BATCH_BEGIN);
	if (replace)
		at = mnl_nlmsg_get_payload_tail(put_table(at, NFT_MSG_DELTABLE, 0, table));
	nlh = put_table(at, NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL, table);
	mnl_attr_put_u32(nlh, NFTA_TABLE_FLAGS, htonl(NFT_TABLE_F_OWNER));
	nlh = put_nft(mnl_nlmsg_get_payload_tail(nlh), NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_ACK);
	put_chain(nlh, table, ifname);
	nlh = put_rules(nlh, table);
	return commit(batch, put_batch(mnl_nlmsg_get_payload_tail(nlh), NFNL_MSG_BATCH_END));
}

static void delete_table(uint32_t ifindex)
{
	uint8_t batch[BATCH_OCTETS];
	char table[TABLE_OCTETS];
	struct nlmsghdr *nlh;

	name_table(table, ifindex);
	tables.seq++;
	nlh = put_table(put_batch(batch, NFNL_MSG_BATCH_BEGIN), NFT_MSG_DELTABLE, 0, table);
	(void)commit(batch, put_batch(mnl_nlmsg_get_payload_tail(nlh), NFNL_MSG_BATCH_END));
}

static int take_owner(const struct nlattr *attr, void *data)
{
	uint32_t *owner = data;

	if (mnl_attr_get_type(attr) == NFTA_TABLE_OWNER &&
	    mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		*owner = ntohl(mnl_attr_get_u32(attr));
	return MNL_CB_OK;
}

/* Returns the port ID of the socket that owns the table; 0: there is no such table, or no owner. */
static uint32_t owner_of(const char *table)
{
	uint8_t request[BATCH_OCTETS], answer[ANSWER_OCTETS];
	const struct nlmsghdr *got = (const struct nlmsghdr *)answer;
	struct nlmsghdr *nlh;
	uint32_t owner = 0;
	ssize_t n;

	tables.seq++;
	nlh = put_nft(request, NFT_MSG_GETTABLE, 0);
	mnl_attr_put_strz(nlh, NFTA_TABLE_NAME, table);
	if (mnl_socket_sendto(tables.nl, nlh, nlh->nlmsg_len) < 0)
		return 0;
	n = mnl_socket_recvfrom(tables.nl, answer, sizeof(answer));
	if (n > 0 && mnl_nlmsg_ok(got, (int)n) &&
	    got->nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE))
		(void)mnl_attr_parse(got, sizeof(struct nfgenmsg), take_owner, &owner);
	return owner;
}

/* --- the socket --------------------------------------------------------------------- */

/* Its port ID is that of the process, if no other socket has this: others name it by that. */
static struct mnl_socket *open_socket(void)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (!nl)
		return NULL;
	if (mnl_socket_bind(nl, 0, getpid()) >= 0 ||
	    mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) >= 0)
		return nl;
	mnl_socket_close(nl);
	return NULL;
}

static void close_if_unused(void)
{
	if (tables.taken || !tables.nl)
		return;
	mnl_socket_close(tables.nl);
	tables.nl = NULL;
}

/* --- interfaces ---------------------------------------------------------------------- */

/*
 * Creates the table. Returns 0 or an errno; *owner: of a table that another process has, or 0. The
 * hook is found by name: once more if the interface was renamed meanwhile.
 */
static int create(struct taken *t, bool replace, uint32_t *owner)
{
	char table[TABLE_OCTETS];
	int error = ENODEV;

	*owner = 0;
	if (!tables.nl && !(tables.nl = open_socket()))
		return errno;
	name_table(table, t->ifindex);
	for (int i = 0; i < 2 && if_indextoname(t->ifindex, t->ifname); i++) {
		error = create_table(table, t->ifname, replace);
		if (error == EPERM || error == EEXIST)
			*owner = owner_of(table);
		if (error || if_nametoindex(t->ifname) == t->ifindex)
			break;
		replace = true;
	}
	return error;
}

static int take(uint32_t ifindex, uint32_t *owner)
{
	struct taken *t;
	int error;

	*owner = 0;
	HASH_FIND(hh, tables.taken, &ifindex, sizeof(ifindex), t);
	if (t) {
		t->users++;
		return 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return ENOMEM;
	*t = (struct taken){.ifindex = ifindex, .users = 1};
	HASH_ADD(hh, tables.taken, ifindex, sizeof(t->ifindex), t);
	error = t->hh.tbl ? create(t, false, owner) : ENOMEM;
	if (!error)
		return 0;
	if (t->hh.tbl)
		HASH_DEL(tables.taken, t);
	free(t);
	close_if_unused();
	return error;
}

int netio_ingress_check(void)
{
	uint8_t batch[BATCH_OCTETS], *at;
	struct nlmsghdr *nlh;
	int error = 0;

	pthread_mutex_lock(&tables.lock);
	if (!tables.nl && !(tables.nl = open_socket()))
		error = errno;
	if (!error) {
		tables.seq++;
		at = put_batch(batch, NFNL_MSG_BATCH_BEGIN);
		nlh = put_table(at, NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL, "dcbd_check");
		mnl_attr_put_u32(nlh, NFTA_TABLE_FLAGS, htonl(NFT_TABLE_F_OWNER));
		nlh = put_table(mnl_nlmsg_get_payload_tail(nlh), NFT_MSG_DELTABLE, 0, "dcbd_check");
		error =
		    commit(batch, put_batch(mnl_nlmsg_get_payload_tail(nlh), NFNL_MSG_BATCH_END));
		close_if_unused();
	}
	pthread_mutex_unlock(&tables.lock);
	return error;
}

bool netio_ingress_take(struct netio_ingress *in, uint32_t ifindex, char *err, size_t errlen)
{
	char ifname[IF_NAMESIZE] = "";
	uint32_t owner;
	int error;

	*in = (struct netio_ingress){.ifindex = 0};
	pthread_mutex_lock(&tables.lock);
	error = take(ifindex, &owner);
	pthread_mutex_unlock(&tables.lock);
	if (!error) {
		in->ifindex = ifindex;
		netio_host_off_undo(ifindex);
		return true;
	}
	if (!if_indextoname(ifindex, ifname)) /* the caller will see that it is gone */
		return true;
	if (owner) {
		snprintf(err, errlen,
			 "another dcbd, process %u, receives the frames of this interface", owner);
		return false;
	}
	/* Message: Load the kernel module nf_tables, or permit CAP_NET_ADMIN; see dcb(7). */
	log_warn("port",
		 "%s: the host, too, receives the frames of this port, and a second dcbd would "
		 "forward them "
		 "again: no nftables chain at its ingress: %s%s",
		 ifname, strerror(error),
		 error == EPERM ? " (needs CAP_NET_ADMIN)" : " (needs Linux 5.12 with nf_tables)");
	netio_host_off_begin(&in->host_off, ifindex);
	return true;
}

void netio_ingress_renamed(const struct netio_ingress *in)
{
	char ifname[IF_NAMESIZE];
	struct taken *t;
	uint32_t owner;
	int error = 0;

	if (!in->ifindex || !if_indextoname(in->ifindex, ifname))
		return;
	pthread_mutex_lock(&tables.lock);
	HASH_FIND(hh, tables.taken, &in->ifindex, sizeof(in->ifindex), t);
	if (strcmp(ifname, t->ifname) != 0)
		error = create(t, true, &owner);
	pthread_mutex_unlock(&tables.lock);
	if (error)
		/* Message: Restart dcbd. */
		log_warn(
		    "port",
		    "%s: the host, too, receives the frames of this port: no nftables chain at its "
		    "ingress after it was renamed: %s",
		    ifname, strerror(error));
}

void netio_ingress_inherit(struct netio_ingress *in, struct netio_ingress *from)
{
	netio_host_off_inherit(&in->host_off, &from->host_off);
}

void netio_ingress_release(struct netio_ingress *in)
{
	struct taken *t;

	netio_host_off_end(&in->host_off);
	if (!in->ifindex)
		return;
	pthread_mutex_lock(&tables.lock);
	HASH_FIND(hh, tables.taken, &in->ifindex, sizeof(in->ifindex), t);
	if (--t->users == 0) {
		delete_table(t->ifindex);
		HASH_DEL(tables.taken, t);
		free(t);
		close_if_unused();
	}
	pthread_mutex_unlock(&tables.lock);
	in->ifindex = 0;
}
