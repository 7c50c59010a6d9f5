// SPDX-License-Identifier: GPL-2.0
/*
 * Network interfaces whose drivers do DCB, for tests: there is no such driver without hardware. A
 * frame that one end of a pair sends arrives at the other end. PFC and ETS have no effect on
 * frames.
 *
 * Each interface is of a kind, and says that it has the driver whose names its counters have:
 *
 *   works     does all that it is set to
 *   nosetter  has getters only: the kernel reports success for a SET that changes nothing
 *   busy      refuses PFC with EBUSY, so that the ETS of the same request is in force
 *   firmware  its firmware decides (DCB_CAP_DCBX_LLD_MANAGED) and sees a neighbor, until the
 *             private flag fw-lldp-agent is off
 *   resets    loses its link for a moment at a change of PFC
 *
 * Parameters of the module, to be written to while it is loaded:
 *
 *   create    NAME KIND DRIVER [PEER]
 *   remove    NAME: the hardware is unplugged
 *   moves     1: each port sends and receives PFC frames all the time
 *
 * Parameter when it is loaded:
 *
 *   ports     how many ports hw_p0, hw_p1 ... there are beside the usual ones: they work, have the
 *             drivers in turn, and PFC for priority 3
 *
 * Files in /sys/class/net/NAME/dcb_ports/, numbers in C's notation:
 *
 *   count     COUNTER PRIORITY NUMBER: adds to a counter; counter_names[] has the names
 *   pfc_en, prio_tc, tc_tsa, tc_bw
 *             settings in force. To write is to change them as the firmware or another tool of the
 *             vendor does, which the interface notifies if "notifies" is 1
 *   qcn       parameters of reaction points, a line each with the values of the priorities, or
 *             NAME PRIORITY NUMBER to change one in the same way
 *   app       SELECTOR PROTOCOL PRIORITY: adds an application entry in the same way
 *   dcbx      DCBX flags
 *   peer_pfc  priorities for which the neighbor has PFC, as the firmware sees it
 *   sleep_ms  how long each setter sleeps while it has the rtnl lock
 *   hold_ms   sleeps now, with the rtnl lock, until the process gets a signal
 *   fail      COUNT ERRNO: that many of the next SETs of PFC fail
 *   calls     how often each setter was called, and the getter of PFC ("reads")
 */
#include <linux/dcbnl.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/dcbnl.h>

#define PRIORITIES   IEEE_8021QAZ_MAX_TCS
#define DOWN_MS      300 /* a link that is reset */
#define BUFFER_TOTAL 262016
#define ALWAYS       UINT_MAX

enum counter {
	TX_FRAMES, /* PFC frames sent, with those of pause time 0 */
	RX_FRAMES,
	TX_XON, /* of these, those with pause time 0 */
	RX_XON,
	TX_PAUSE_US,
	RX_PAUSE_US,
	TX_TRANSITIONS,
	RX_TRANSITIONS,
	DISCARDS,
	STORM_WARNINGS,
	STORM_ERRORS,
	RP_CENTISECONDS,
	CREATED_RPS,
	COUNTERS,
	/* Not counted, but calculated. */
	TX_XOFF,
	RX_XOFF,
	OTHER, /* of no meaning to PFC */
};

static const char *const counter_names[COUNTERS] = {
    [TX_FRAMES] = "tx_frames",
    [RX_FRAMES] = "rx_frames",
    [TX_XON] = "tx_xon",
    [RX_XON] = "rx_xon",
    [TX_PAUSE_US] = "tx_pause_us",
    [RX_PAUSE_US] = "rx_pause_us",
    [TX_TRANSITIONS] = "tx_transitions",
    [RX_TRANSITIONS] = "rx_transitions",
    [DISCARDS] = "discards",
    [STORM_WARNINGS] = "storm_warnings",
    [STORM_ERRORS] = "storm_errors",
    [RP_CENTISECONDS] = "rp_centiseconds",
    [CREATED_RPS] = "created_rps",
};

/* For which priorities a name exists. */
enum scope {
	EACH,        /* all */
	EACH_PFC,    /* those with PFC */
	PORT,        /* the port, as the sum of all */
	PORT_NO_PFC, /* the port, while it has no PFC */
};

struct stat_name {
	const char *format; /* of ethtool's string; %u is the priority */
	enum counter counter;
	enum scope scope;
};

/* drivers/net/ethernet/mellanox/mlx5/core/en_stats.c */
static const struct stat_name mlx5_names[] = {
    {"rx_packets", OTHER, PORT},
    {"rx_prio%u_bytes", OTHER, EACH},
    {"rx_prio%u_packets", OTHER, EACH},
    {"rx_prio%u_discards", DISCARDS, EACH},
    {"tx_prio%u_bytes", OTHER, EACH},
    {"tx_prio%u_packets", OTHER, EACH},
    {"rx_prio%u_pause", RX_FRAMES, EACH_PFC},
    {"rx_prio%u_pause_duration", RX_PAUSE_US, EACH_PFC},
    {"tx_prio%u_pause", TX_FRAMES, EACH_PFC},
    {"tx_prio%u_pause_duration", TX_PAUSE_US, EACH_PFC},
    {"rx_prio%u_pause_transition", RX_TRANSITIONS, EACH_PFC},
    {"rx_global_pause", OTHER, PORT_NO_PFC},
    {"rx_global_pause_duration", OTHER, PORT_NO_PFC},
    {"tx_global_pause", OTHER, PORT_NO_PFC},
    {"tx_global_pause_duration", OTHER, PORT_NO_PFC},
    {"rx_global_pause_transition", OTHER, PORT_NO_PFC},
    {"tx_pause_storm_warning_events", STORM_WARNINGS, PORT},
    {"tx_pause_storm_error_events", STORM_ERRORS, PORT},
    {},
};

/* drivers/net/ethernet/intel/ice/ice_ethtool.c */
static const struct stat_name ice_names[] = {
    {"rx_unicast", OTHER, PORT},
    {"link_xon_rx.nic", OTHER, PORT},
    {"tx_priority_%u_xon.nic", TX_XON, EACH},
    {"tx_priority_%u_xoff.nic", TX_XOFF, EACH},
    {"rx_priority_%u_xon.nic", RX_XON, EACH},
    {"rx_priority_%u_xoff.nic", RX_XOFF, EACH},
    {},
};

/* drivers/net/ethernet/broadcom/bnxt/bnxt_ethtool.c */
static const struct stat_name bnxt_names[] = {
    {"rx_total_discards", OTHER, PORT},
    {"rx_pfc_ena_frames_pri%u", RX_FRAMES, EACH},
    {"rx_pause_frames", OTHER, PORT},
    {"rx_pfc_frames", RX_FRAMES, PORT},
    {"tx_pfc_ena_frames_pri%u", TX_FRAMES, EACH},
    {"tx_pause_frames", OTHER, PORT},
    {"tx_pfc_frames", TX_FRAMES, PORT},
    {"pfc_pri%u_rx_duration_us", RX_PAUSE_US, EACH},
    {"pfc_pri%u_rx_transitions", RX_TRANSITIONS, EACH},
    {"pfc_pri%u_tx_duration_us", TX_PAUSE_US, EACH},
    {"pfc_pri%u_tx_transitions", TX_TRANSITIONS, EACH},
    {"rx_bytes_pri%u", OTHER, EACH},
    {},
};

/* The meaning of ieee_pfc.delay. */
enum delay { DELAY_STORED, DELAY_METRES, DELAY_READ_ONLY };

struct driver {
	const char *name;
	const struct stat_name *names; /* NULL: none */
	enum delay delay;
	bool xoff_only; /* requests and indications count no XON */
	bool storm_prevention;
};

static const struct driver drivers[] = {
    {"mlx5_core", mlx5_names, DELAY_METRES, false, true},
    {"ice", ice_names, DELAY_READ_ONLY, true, false},
    {"bnxt_en", bnxt_names, DELAY_STORED, false, false},
    /* Its counters are those of IEEE_GET. */
    {"dcb_ports", NULL, DELAY_STORED, false, false},
};

enum setter { SETETS, SETMAXRATE, SETQCN, SETPFC, SETBUFFER, SETAPP, DELAPP, SETDCBX, SETTERS };

static const char *const setter_names[SETTERS] = {
    [SETETS] = "setets", [SETMAXRATE] = "setmaxrate", [SETQCN] = "setqcn",
    [SETPFC] = "setpfc", [SETBUFFER] = "setbuffer",   [SETAPP] = "setapp",
    [DELAPP] = "delapp", [SETDCBX] = "setdcbx",
};

struct kind {
	const char *name;
	const struct dcbnl_rtnl_ops *ops;
	u8 dcbx; /* at first */
	bool notifies;
	bool resets;
	unsigned int fails; /* SETs of PFC, with EBUSY */
};

struct port {
	struct net_device *dev;
	struct list_head node; /* in ports */
	const struct kind *kind;
	const struct driver *driver;
	struct port __rcu *peer;
	struct delayed_work up; /* the end of a reset */
	struct ieee_ets ets, peer_ets;
	struct ieee_pfc pfc, peer_pfc; /* without counters */
	struct ieee_maxrate maxrate;
	struct ieee_qcn qcn;
	struct dcbnl_buffer buffer;
	u8 dcbx;
	bool notifies;
	u16 prevention_ms;
	unsigned int sleep_ms;
	unsigned int fails; /* of the next SETs of PFC; ALWAYS: all */
	int error;          /* of these */
	u64 counters[COUNTERS][PRIORITIES];
	unsigned int calls[SETTERS];
	unsigned int resets;
	unsigned int reads;
};

static bool moves;
static LIST_HEAD(ports); /* under rtnl, as all of a port is */

static u64 counter_of(const struct port *p, enum counter counter, unsigned int priority)
{
	switch (counter) {
	case TX_XOFF:
		return counter_of(p, TX_FRAMES, priority) - p->counters[TX_XON][priority];
	case RX_XOFF:
		return counter_of(p, RX_FRAMES, priority) - p->counters[RX_XON][priority];
	case OTHER:
		return 777777 + priority; /* wrong, wherever it is taken for a counter of PFC */
	case TX_FRAMES:
	case RX_FRAMES:
		return p->counters[counter][priority] + (READ_ONCE(moves) ? jiffies : 0);
	default:
		return p->counters[counter][priority];
	}
}

/* --- dcbnl ------------------------------------------------------------------------------------ */

/* Begins each setter: it is called, and takes its time. Returns whether the host may set. */
static bool may_set(struct port *p, enum setter setter)
{
	p->calls[setter]++;
	if (p->sleep_ms > 0)
		msleep(p->sleep_ms);
	return (p->dcbx & DCB_CAP_DCBX_HOST) && (p->dcbx & DCB_CAP_DCBX_VER_IEEE) &&
	       !(p->dcbx & DCB_CAP_DCBX_LLD_MANAGED);
}

static int getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct port *p = netdev_priv(dev);

	*ets = p->ets;
	return 0;
}

static int setets(struct net_device *dev, struct ieee_ets *ets)
{
	struct port *p = netdev_priv(dev);
	unsigned int tc, sum = 0;
	bool any = false;

	if (!may_set(p, SETETS))
		return -EINVAL;
	for (tc = 0; tc < PRIORITIES; tc++) {
		if (ets->prio_tc[tc] >= PRIORITIES)
			return -EINVAL;
		if (ets->tc_tsa[tc] == IEEE_8021QAZ_TSA_ETS) {
			any = true;
			sum += ets->tc_tx_bw[tc];
		} else if (ets->tc_tsa[tc] != IEEE_8021QAZ_TSA_STRICT) {
			return -EINVAL;
		}
	}
	if (any && sum != 100)
		return -EINVAL;
	p->ets = *ets;
	p->ets.ets_cap = PRIORITIES;
	return 0;
}

static int getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct port *p = netdev_priv(dev);
	bool xoff = p->driver->xoff_only;
	unsigned int i;

	p->reads++;
	*pfc = p->pfc;
	for (i = 0; i < PRIORITIES; i++) {
		pfc->requests[i] = counter_of(p, xoff ? TX_XOFF : TX_FRAMES, i);
		pfc->indications[i] = counter_of(p, xoff ? RX_XOFF : RX_FRAMES, i);
	}
	return 0;
}

/* The link goes down now, and up while the rtnl lock is free. */
static void reset_link(struct port *p)
{
	p->resets++;
	netif_carrier_off(p->dev);
	mod_delayed_work(system_wq, &p->up, msecs_to_jiffies(DOWN_MS));
}

static void link_up(struct work_struct *work)
{
	struct port *p = container_of(to_delayed_work(work), struct port, up);

	netif_carrier_on(p->dev);
}

static int setpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct port *p = netdev_priv(dev);
	bool changed;

	if (!may_set(p, SETPFC))
		return -EINVAL;
	if (p->fails > 0) {
		if (p->fails != ALWAYS)
			p->fails--;
		return -p->error;
	}
	changed = pfc->pfc_en != p->pfc.pfc_en;
	p->pfc.pfc_en = pfc->pfc_en;
	p->pfc.mbc = pfc->mbc;
	if (p->driver->delay == DELAY_STORED ||
	    (p->driver->delay == DELAY_METRES && pfc->delay > 0 && pfc->delay < 1000))
		p->pfc.delay = pfc->delay;
	if (changed && p->kind->resets)
		reset_link(p);
	return 0;
}

static int getmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct port *p = netdev_priv(dev);

	*maxrate = p->maxrate;
	return 0;
}

static int setmaxrate(struct net_device *dev, struct ieee_maxrate *maxrate)
{
	struct port *p = netdev_priv(dev);

	if (!may_set(p, SETMAXRATE))
		return -EINVAL;
	p->maxrate = *maxrate;
	return 0;
}

static int getqcn(struct net_device *dev, struct ieee_qcn *qcn)
{
	struct port *p = netdev_priv(dev);

	*qcn = p->qcn;
	return 0;
}

static int setqcn(struct net_device *dev, struct ieee_qcn *qcn)
{
	struct port *p = netdev_priv(dev);

	if (!may_set(p, SETQCN))
		return -EINVAL;
	p->qcn = *qcn;
	return 0;
}

static int getqcnstats(struct net_device *dev, struct ieee_qcn_stats *stats)
{
	struct port *p = netdev_priv(dev);
	unsigned int i;

	for (i = 0; i < PRIORITIES; i++) {
		stats->rppp_rp_centiseconds[i] = p->counters[RP_CENTISECONDS][i];
		stats->rppp_created_rps[i] = p->counters[CREATED_RPS][i];
	}
	return 0;
}

static int getbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct port *p = netdev_priv(dev);

	*buffer = p->buffer;
	buffer->total_size = BUFFER_TOTAL;
	return 0;
}

static int setbuffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct port *p = netdev_priv(dev);
	u64 sum = 0;
	unsigned int i;

	if (!may_set(p, SETBUFFER))
		return -EINVAL;
	for (i = 0; i < PRIORITIES; i++) {
		if (buffer->prio2buffer[i] >= DCBX_MAX_BUFFERS)
			return -EINVAL;
		sum += buffer->buffer_size[i];
	}
	if (sum > BUFFER_TOTAL)
		return -ENOSPC;
	p->buffer = *buffer;
	return 0;
}

static int setapp(struct net_device *dev, struct dcb_app *app)
{
	return may_set(netdev_priv(dev), SETAPP) ? dcb_ieee_setapp(dev, app) : -EINVAL;
}

static int delapp(struct net_device *dev, struct dcb_app *app)
{
	return may_set(netdev_priv(dev), DELAPP) ? dcb_ieee_delapp(dev, app) : -EINVAL;
}

static u8 getdcbx(struct net_device *dev)
{
	struct port *p = netdev_priv(dev);

	return p->dcbx;
}

/* Only the private flag takes the port from its firmware. */
static u8 setdcbx(struct net_device *dev, u8 mode)
{
	struct port *p = netdev_priv(dev);

	may_set(p, SETDCBX);
	if ((p->dcbx | mode) & DCB_CAP_DCBX_LLD_MANAGED)
		return 1;
	p->dcbx = mode;
	return 0;
}

static int peer_getets(struct net_device *dev, struct ieee_ets *ets)
{
	struct port *p = netdev_priv(dev);

	*ets = p->peer_ets;
	return 0;
}

static int peer_getpfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct port *p = netdev_priv(dev);

	*pfc = p->peer_pfc;
	return 0;
}

static int peer_getappinfo(struct net_device *dev, struct dcb_peer_app_info *info, u16 *count)
{
	*count = 1;
	return 0;
}

static int peer_getapptable(struct net_device *dev, struct dcb_app *table)
{
	table[0] = (struct dcb_app){
	    .selector = IEEE_8021QAZ_APP_SEL_DGRAM, .priority = 3, .protocol = 4791, /* RoCEv2 */
	};
	return 0;
}

#define OPS_OF_ALL                                                                            \
	.ieee_getets = getets, .ieee_setets = setets, .ieee_getpfc = getpfc,                  \
	.ieee_setpfc = setpfc, .ieee_getmaxrate = getmaxrate, .ieee_setmaxrate = setmaxrate,  \
	.ieee_getqcn = getqcn, .ieee_setqcn = setqcn, .ieee_getqcnstats = getqcnstats,        \
	.ieee_setapp = setapp, .ieee_delapp = delapp, .getdcbx = getdcbx, .setdcbx = setdcbx, \
	.dcbnl_getbuffer = getbuffer, .dcbnl_setbuffer = setbuffer

static const struct dcbnl_rtnl_ops host_ops = {OPS_OF_ALL};
static const struct dcbnl_rtnl_ops firmware_ops = {
    OPS_OF_ALL,
    .ieee_peer_getets = peer_getets,
    .ieee_peer_getpfc = peer_getpfc,
    .peer_getappinfo = peer_getappinfo,
    .peer_getapptable = peer_getapptable,
};
static const struct dcbnl_rtnl_ops getter_ops = {
    .ieee_getets = getets,
    .ieee_getpfc = getpfc,
    .getdcbx = getdcbx,
};

#define BY_HOST     (DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE)
#define BY_FIRMWARE (DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE)

static const struct kind kinds[] = {
    {.name = "works", .ops = &host_ops, .dcbx = BY_HOST},
    {.name = "nosetter", .ops = &getter_ops, .dcbx = BY_HOST},
    {.name = "busy", .ops = &host_ops, .dcbx = BY_HOST, .fails = ALWAYS},
    {.name = "firmware", .ops = &firmware_ops, .dcbx = BY_FIRMWARE, .notifies = true},
    {.name = "resets", .ops = &host_ops, .dcbx = BY_HOST, .resets = true},
};

/* A change that no request of the kernel made. */
static void changed_itself(struct port *p)
{
	if (p->notifies)
		dcbnl_ieee_notify(p->dev, RTM_SETDCB, DCB_CMD_IEEE_SET, 0, 0);
}

/* --- ethtool ---------------------------------------------------------------------------------- */

static bool has_name(const struct port *p, const struct stat_name *name, unsigned int priority)
{
	switch (name->scope) {
	case EACH:
		return true;
	case EACH_PFC:
		return p->pfc.pfc_en & BIT(priority);
	case PORT:
		return priority == 0;
	default:
		return priority == 0 && !p->pfc.pfc_en;
	}
}

static u64 value_of(const struct port *p, const struct stat_name *name, unsigned int priority)
{
	u64 sum = 0;
	unsigned int i;

	if (name->counter == OTHER || name->scope == EACH || name->scope == EACH_PFC)
		return counter_of(p, name->counter, priority);
	for (i = 0; i < PRIORITIES; i++)
		sum += counter_of(p, name->counter, i);
	return sum;
}

/* Writes names or values, if not NULL. Returns how many there are. */
static int list_stats(const struct port *p, u8 *names, u64 *values)
{
	const struct stat_name *name = p->driver->names;
	unsigned int i;
	int n = 0;

	for (; name && name->format; name++) {
		for (i = 0; i < PRIORITIES; i++) {
			if (!has_name(p, name, i))
				continue;
			if (names)
				snprintf((char *)names + n * ETH_GSTRING_LEN, ETH_GSTRING_LEN,
					 name->format, i);
			if (values)
				values[n] = value_of(p, name, i);
			n++;
		}
	}
	return n;
}

static const char firmware_flag[] = "fw-lldp-agent"; /* as ice has it */

static int get_sset_count(struct net_device *dev, int sset)
{
	struct port *p = netdev_priv(dev);

	switch (sset) {
	case ETH_SS_STATS:
		return list_stats(p, NULL, NULL);
	case ETH_SS_PRIV_FLAGS:
		return p->kind->ops == &firmware_ops ? 1 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

static void get_strings(struct net_device *dev, u32 sset, u8 *names)
{
	if (sset == ETH_SS_STATS)
		list_stats(netdev_priv(dev), names, NULL);
	else if (sset == ETH_SS_PRIV_FLAGS)
		memcpy(names, firmware_flag, sizeof(firmware_flag));
}

static void get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *values)
{
	list_stats(netdev_priv(dev), NULL, values);
}

static u32 get_priv_flags(struct net_device *dev)
{
	struct port *p = netdev_priv(dev);

	return !!(p->dcbx & DCB_CAP_DCBX_LLD_MANAGED);
}

static int set_priv_flags(struct net_device *dev, u32 flags)
{
	struct port *p = netdev_priv(dev);

	p->dcbx = flags ? BY_FIRMWARE : BY_HOST;
	return 0;
}

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct port *p = netdev_priv(dev);

	strscpy(info->driver, p->driver->name, sizeof(info->driver));
}

static int get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	settings->base.speed = SPEED_10000;
	settings->base.duplex = DUPLEX_FULL;
	return 0;
}

static int get_tunable(struct net_device *dev, const struct ethtool_tunable *tunable, void *data)
{
	struct port *p = netdev_priv(dev);

	if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT || !p->driver->storm_prevention)
		return -EOPNOTSUPP;
	*(u16 *)data = p->prevention_ms;
	return 0;
}

static int set_tunable(struct net_device *dev, const struct ethtool_tunable *tunable,
		       const void *data)
{
	struct port *p = netdev_priv(dev);

	if (tunable->id != ETHTOOL_PFC_PREVENTION_TOUT || !p->driver->storm_prevention)
		return -EOPNOTSUPP;
	p->prevention_ms = *(const u16 *)data;
	return 0;
}

static const struct ethtool_ops port_ethtool_ops = {
    .get_drvinfo = get_drvinfo,
    .get_link = ethtool_op_get_link,
    .get_link_ksettings = get_link_ksettings,
    .get_sset_count = get_sset_count,
    .get_strings = get_strings,
    .get_ethtool_stats = get_ethtool_stats,
    .get_priv_flags = get_priv_flags,
    .set_priv_flags = set_priv_flags,
    .get_tunable = get_tunable,
    .set_tunable = set_tunable,
};

/* --- files of an interface -------------------------------------------------------------------- */

/* To remove an interface waits for those who write to its files, while it has the rtnl lock. */
#define LOCK_OR_RESTART()                         \
	do {                                      \
		if (!rtnl_trylock())              \
			return restart_syscall(); \
	} while (0)

static struct port *port_of(struct device *d)
{
	return netdev_priv(to_net_dev(d));
}

static ssize_t count_store(struct device *d, struct device_attribute *attr, const char *text,
			   size_t len)
{
	struct port *p = port_of(d);
	unsigned int priority;
	char name[24];
	u64 add;
	int i;

	if (sscanf(text, "%23s %u %llu", name, &priority, &add) != 3 || priority >= PRIORITIES)
		return -EINVAL;
	i = match_string(counter_names, COUNTERS, name);
	if (i < 0)
		return i;
	LOCK_OR_RESTART();
	p->counters[i][priority] += add;
	rtnl_unlock();
	return len;
}
static DEVICE_ATTR_WO(count);

/* A file of one octet, to which the hardware gives another value. */
#define OCTET_FILE(name, field)                                                                 \
	static ssize_t name##_show(struct device *d, struct device_attribute *attr, char *text) \
	{                                                                                       \
		return sysfs_emit(text, "0x%02x\n", port_of(d)->field);                         \
	}                                                                                       \
	static ssize_t name##_store(struct device *d, struct device_attribute *attr,            \
				    const char *text, size_t len)                               \
	{                                                                                       \
		u8 value;                                                                       \
		int error = kstrtou8(text, 0, &value);                                          \
                                                                                                \
		if (error)                                                                      \
			return error;                                                           \
		LOCK_OR_RESTART();                                                              \
		port_of(d)->field = value;                                                      \
		changed_itself(port_of(d));                                                     \
		rtnl_unlock();                                                                  \
		return len;                                                                     \
	}                                                                                       \
	static DEVICE_ATTR_RW(name)

OCTET_FILE(pfc_en, pfc.pfc_en);
OCTET_FILE(dcbx, dcbx);
OCTET_FILE(peer_pfc, peer_pfc.pfc_en);

static ssize_t show_octets(char *text, int at, const u8 of[PRIORITIES])
{
	return sysfs_emit_at(text, at, "%u %u %u %u %u %u %u %u\n", of[0], of[1], of[2], of[3],
			     of[4], of[5], of[6], of[7]);
}

static bool read_octets(const char *text, u8 of[PRIORITIES])
{
	return sscanf(text, "%hhu %hhu %hhu %hhu %hhu %hhu %hhu %hhu", &of[0], &of[1], &of[2],
		      &of[3], &of[4], &of[5], &of[6], &of[7]) == PRIORITIES;
}

/* The same of an octet for each priority or traffic class. */
#define OCTETS_FILE(name, field)                                                                \
	static ssize_t name##_show(struct device *d, struct device_attribute *attr, char *text) \
	{                                                                                       \
		return show_octets(text, 0, port_of(d)->field);                                 \
	}                                                                                       \
	static ssize_t name##_store(struct device *d, struct device_attribute *attr,            \
				    const char *text, size_t len)                               \
	{                                                                                       \
		u8 values[PRIORITIES];                                                          \
                                                                                                \
		if (!read_octets(text, values))                                                 \
			return -EINVAL;                                                         \
		LOCK_OR_RESTART();                                                              \
		memcpy(port_of(d)->field, values, PRIORITIES);                                  \
		changed_itself(port_of(d));                                                     \
		rtnl_unlock();                                                                  \
		return len;                                                                     \
	}                                                                                       \
	static DEVICE_ATTR_RW(name)

OCTETS_FILE(prio_tc, ets.prio_tc);
OCTETS_FILE(tc_tsa, ets.tc_tsa);
OCTETS_FILE(tc_bw, ets.tc_tx_bw);

/* The members of struct ieee_qcn that are numbers; rpg_enable is before them. */
static const char *const qcn_names[] = {
    "rppp_max_rps",    "rpg_time_reset", "rpg_byte_reset",     "rpg_threshold",
    "rpg_max_rate",    "rpg_ai_rate",    "rpg_hai_rate",       "rpg_gd",
    "rpg_min_dec_fac", "rpg_min_rate",   "cndd_state_machine",
};

static u32 *qcn_numbers(struct port *p, unsigned int i)
{
	return p->qcn.rppp_max_rps + i * PRIORITIES;
}

static ssize_t qcn_show(struct device *d, struct device_attribute *attr, char *text)
{
	struct port *p = port_of(d);
	unsigned int i, k;
	int at;

	at = sysfs_emit(text, "rpg_enable ");
	at += show_octets(text, at, p->qcn.rpg_enable);
	for (i = 0; i < ARRAY_SIZE(qcn_names); i++) {
		at += sysfs_emit_at(text, at, "%s", qcn_names[i]);
		for (k = 0; k < PRIORITIES; k++)
			at += sysfs_emit_at(text, at, " %u", qcn_numbers(p, i)[k]);
		at += sysfs_emit_at(text, at, "\n");
	}
	return at;
}

static ssize_t qcn_store(struct device *d, struct device_attribute *attr, const char *text,
			 size_t len)
{
	struct port *p = port_of(d);
	unsigned int priority, value;
	char name[24];
	int i;

	if (sscanf(text, "%23s %u %u", name, &priority, &value) != 3 || priority >= PRIORITIES)
		return -EINVAL;
	i = match_string(qcn_names, ARRAY_SIZE(qcn_names), name);
	if (i < 0 && strcmp(name, "rpg_enable") != 0)
		return i;
	LOCK_OR_RESTART();
	if (i < 0)
		p->qcn.rpg_enable[priority] = value;
	else
		qcn_numbers(p, i)[priority] = value;
	changed_itself(p);
	rtnl_unlock();
	return len;
}
static DEVICE_ATTR_RW(qcn);

static ssize_t app_store(struct device *d, struct device_attribute *attr, const char *text,
			 size_t len)
{
	struct dcb_app app = {};
	int error;

	if (sscanf(text, "%hhi %hi %hhi", &app.selector, &app.protocol, &app.priority) != 3)
		return -EINVAL;
	LOCK_OR_RESTART();
	error = dcb_ieee_setapp(to_net_dev(d), &app);
	if (!error)
		changed_itself(port_of(d));
	rtnl_unlock();
	return error ? error : len;
}
static DEVICE_ATTR_WO(app);

static ssize_t notifies_store(struct device *d, struct device_attribute *attr, const char *text,
			      size_t len)
{
	int error = kstrtobool(text, &port_of(d)->notifies);

	return error ? error : len;
}
static DEVICE_ATTR_WO(notifies);

static ssize_t sleep_ms_store(struct device *d, struct device_attribute *attr, const char *text,
			      size_t len)
{
	int error = kstrtouint(text, 0, &port_of(d)->sleep_ms);

	return error ? error : len;
}
static DEVICE_ATTR_WO(sleep_ms);

static ssize_t hold_ms_store(struct device *d, struct device_attribute *attr, const char *text,
			     size_t len)
{
	unsigned int ms;
	int error = kstrtouint(text, 0, &ms);

	if (error)
		return error;
	LOCK_OR_RESTART();
	msleep_interruptible(ms);
	rtnl_unlock();
	return len;
}
static DEVICE_ATTR_WO(hold_ms);

static ssize_t fail_store(struct device *d, struct device_attribute *attr, const char *text,
			  size_t len)
{
	struct port *p = port_of(d);
	unsigned int fails;
	int error;

	if (sscanf(text, "%u %i", &fails, &error) != 2 || error < 1 || error > 127)
		return -EINVAL;
	LOCK_OR_RESTART();
	p->fails = fails;
	p->error = error;
	rtnl_unlock();
	return len;
}
static DEVICE_ATTR_WO(fail);

static ssize_t calls_show(struct device *d, struct device_attribute *attr, char *text)
{
	struct port *p = port_of(d);
	int i, at = 0;

	for (i = 0; i < SETTERS; i++)
		at += sysfs_emit_at(text, at, "%s %u\n", setter_names[i], p->calls[i]);
	return at + sysfs_emit_at(text, at, "resets %u\nreads %u\n", p->resets, p->reads);
}
static DEVICE_ATTR_RO(calls);

static struct attribute *port_attrs[] = {
    &dev_attr_count.attr,    &dev_attr_pfc_en.attr,   &dev_attr_prio_tc.attr,
    &dev_attr_tc_tsa.attr,   &dev_attr_tc_bw.attr,    &dev_attr_app.attr,
    &dev_attr_dcbx.attr,     &dev_attr_peer_pfc.attr, &dev_attr_notifies.attr,
    &dev_attr_sleep_ms.attr, &dev_attr_hold_ms.attr,  &dev_attr_fail.attr,
    &dev_attr_calls.attr,    &dev_attr_qcn.attr,      NULL,
};
static const struct attribute_group port_group = {.name = "dcb_ports", .attrs = port_attrs};

/* --- interfaces ------------------------------------------------------------------------------- */

static netdev_tx_t port_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct port *p = netdev_priv(dev), *peer;
	unsigned int len = skb->len;

	rcu_read_lock();
	peer = rcu_dereference(p->peer);
	if (peer && netif_carrier_ok(dev) && netif_carrier_ok(peer->dev) &&
	    dev_forward_skb(peer->dev, skb) == NET_RX_SUCCESS) {
		dev_lstats_add(dev, len);
	} else {
		if (!peer || !netif_carrier_ok(dev) || !netif_carrier_ok(peer->dev))
			kfree_skb(skb);
		dev_core_stats_tx_dropped_inc(dev);
	}
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

static int port_init(struct net_device *dev)
{
	struct port *p = netdev_priv(dev);

	dev->lstats = netdev_alloc_pcpu_stats(struct pcpu_lstats);
	if (!dev->lstats)
		return -ENOMEM;
	list_add_tail(&p->node, &ports);
	return 0;
}

static void port_uninit(struct net_device *dev)
{
	struct port *p = netdev_priv(dev), *peer = rtnl_dereference(p->peer);

	if (peer)
		RCU_INIT_POINTER(peer->peer, NULL);
	RCU_INIT_POINTER(p->peer, NULL);
	cancel_delayed_work_sync(&p->up);
	list_del(&p->node);
}

static void port_free(struct net_device *dev)
{
	free_percpu(dev->lstats);
}

static void port_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	dev_lstats_read(dev, &stats->tx_packets, &stats->tx_bytes);
}

static const struct net_device_ops port_netdev_ops = {
    .ndo_init = port_init,
    .ndo_uninit = port_uninit,
    .ndo_start_xmit = port_xmit,
    .ndo_get_stats64 = port_get_stats64,
    .ndo_set_mac_address = eth_mac_addr,
    .ndo_validate_addr = eth_validate_addr,
};

static struct port *find_port(const char *name)
{
	struct port *p;

	list_for_each_entry(p, &ports, node) if (strcmp(p->dev->name, name) == 0) return p;
	return NULL;
}

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static const struct driver *find_driver(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(drivers); i++)
		if (strcmp(drivers[i].name, name) == 0)
			return &drivers[i];
	return NULL;
}

/* Adds an interface, under rtnl. peer may be NULL. */
static int add_port(const char *name, const struct kind *kind, const struct driver *driver,
		    struct port *peer)
{
	struct net_device *dev = alloc_etherdev(sizeof(struct port));
	struct port *p;
	int error;

	if (!dev)
		return -ENOMEM;
	p = netdev_priv(dev);
	p->dev = dev;
	p->kind = kind;
	p->driver = driver;
	p->dcbx = kind->dcbx;
	p->notifies = kind->notifies;
	p->fails = kind->fails;
	p->error = EBUSY;
	p->pfc.pfc_cap = PRIORITIES;
	p->peer_pfc.pfc_cap = PRIORITIES;
	p->ets.ets_cap = PRIORITIES;
	p->peer_ets.ets_cap = PRIORITIES;
	p->buffer.buffer_size[0] = BUFFER_TOTAL / 2;
	INIT_DELAYED_WORK(&p->up, link_up);
	strscpy(dev->name, name, sizeof(dev->name));
	eth_hw_addr_random(dev);
	dev->netdev_ops = &port_netdev_ops;
	dev->ethtool_ops = &port_ethtool_ops;
	dev->dcbnl_ops = kind->ops;
	dev->sysfs_groups[0] = &port_group;
	dev->max_mtu = ETH_MAX_MTU;
	dev->needs_free_netdev = true;
	dev->priv_destructor = port_free;
	error = register_netdevice(dev);
	if (error) {
		free_netdev(dev);
		return error;
	}
	if (peer) {
		rcu_assign_pointer(p->peer, peer);
		rcu_assign_pointer(peer->peer, p);
	}
	return 0;
}

static int create(const char *text, const struct kernel_param *param)
{
	char name[IFNAMSIZ], kind_name[16], driver_name[16], peer_name[IFNAMSIZ];
	int n = sscanf(text, "%15s %15s %15s %15s", name, kind_name, driver_name, peer_name), error;
	const struct driver *driver;
	const struct kind *kind;
	struct port *peer;

	if (n < 3)
		return -EINVAL;
	kind = find_kind(kind_name);
	driver = find_driver(driver_name);
	rtnl_lock();
	peer = n > 3 ? find_port(peer_name) : NULL;
	if (!kind || !driver || (n > 3 && (!peer || rtnl_dereference(peer->peer))))
		error = -EINVAL;
	else
		error = add_port(name, kind, driver, peer);
	rtnl_unlock();
	return error;
}

static int remove(const char *text, const struct kernel_param *param)
{
	char name[IFNAMSIZ];
	struct port *p;

	if (sscanf(text, "%15s", name) != 1)
		return -EINVAL;
	rtnl_lock();
	p = find_port(name);
	if (p)
		unregister_netdevice(p->dev);
	rtnl_unlock();
	return p ? 0 : -ENODEV;
}

static const struct kernel_param_ops create_ops = {.set = create};
static const struct kernel_param_ops remove_ops = {.set = remove};
module_param_cb(create, &create_ops, NULL, 0200);
MODULE_PARM_DESC(create, "NAME KIND DRIVER [PEER]");
module_param_cb(remove, &remove_ops, NULL, 0200);
MODULE_PARM_DESC(remove, "NAME");
module_param(moves, bool, 0600);
MODULE_PARM_DESC(moves, "each port sends and receives PFC frames all the time");
static unsigned int more_ports;
module_param_named(ports, more_ports, uint, 0400);
MODULE_PARM_DESC(ports, "ports beside the usual ones");

static void remove_all(void)
{
	struct port *p, *next;

	rtnl_lock();
	list_for_each_entry_safe(p, next, &ports, node) unregister_netdevice(p->dev);
	rtnl_unlock();
}

static const char *const at_first[] = {
    "hw_works0 works mlx5_core",     "hw_works1 works bnxt_en hw_works0",
    "hw_works2 works ice",           "hw_works3 works dcb_ports hw_works2",
    "hw_nosetter0 nosetter bnxt_en", "hw_busy0 busy bnxt_en",
    "hw_firmware0 firmware ice",     "hw_resets0 resets mlx5_core",
};

/* Adds port hw_pNUMBER. */
static int add_numbered(unsigned int number)
{
	const struct driver *driver = &drivers[number % ARRAY_SIZE(drivers)];
	char name[IFNAMSIZ];
	int error;

	snprintf(name, sizeof(name), "hw_p%u", number);
	rtnl_lock();
	error = add_port(name, find_kind("works"), driver, NULL);
	if (!error)
		list_last_entry(&ports, struct port, node)->pfc.pfc_en = BIT(3);
	rtnl_unlock();
	return error;
}

static int __init dcb_ports_init(void)
{
	unsigned int i;
	int error = 0;

	for (i = 0; i < ARRAY_SIZE(at_first) && !error; i++)
		error = create(at_first[i], NULL);
	for (i = 0; i < more_ports && !error; i++)
		error = add_numbered(i);
	if (error)
		remove_all();
	return error;
}

static void __exit dcb_ports_exit(void)
{
	remove_all();
}

module_init(dcb_ports_init);
module_exit(dcb_ports_exit);
MODULE_DESCRIPTION("Network interfaces with DCB, for the tests of dcb-agent");
MODULE_LICENSE("GPL");
