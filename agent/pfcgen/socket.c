/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packet socket, clock and signals of dcb-pfcgen.
 *
 * - Drivers whose firmware runs a protocol agent of its own (LLDP, for example)
 *   let control frames of the host pass only with socket priority 7
 *   (TC_PRIO_CONTROL).
 * - PACKET_QDISC_BYPASS hands a frame to the driver within the send() call, past
 *   the queueing discipline; send() fails if the transmit ring is full.
 * - The kernel rounds every sleep up by the timer slack, 50 us by default.
 * - Another process that has the CPU when a frame is due delays it by milliseconds, unless this one
 *   has real time. If it then stays awake, the guard of lib/rt_guard.h leaves the CPU to others:
 *   the process sleeps until each frame is due, or loses real time, for a while. One that is always
 *   late has no time to sleep, and loses it as well.
 */
#include "agent/pfcgen/pfcgen.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/realtime.h"

#define CONTROL_PRIORITY   7
#define REAL_TIME_PRIORITY 1 /* below that of dcbd: it has to answer these frames */
#define SLEEPS_NS          (50 * DCB_NS_PER_US) /* a process that sleeps as long uses little CPU */

/* --- interface ------------------------------------------------------------------- */

static bool read_address(int fd, struct pfc_port *port)
{
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", port->ifname);
	if (ioctl(fd, SIOCGIFHWADDR, &ifr) < 0 || ifr.ifr_hwaddr.sa_family != ARPHRD_ETHER)
		return false;
	memcpy(port->address, ifr.ifr_hwaddr.sa_data, ETH_ADDR_OCTETS);
	return true;
}

/* ETHTOOL_GSET is obsolete, but the link modes it cannot report are not needed here. */
static void read_speed(int fd, struct pfc_port *port)
{
	struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
	struct ifreq ifr = {.ifr_data = (void *)&settings};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", port->ifname);
	port->speed = (struct dcb_rate){0};
	if (ioctl(fd, SIOCETHTOOL, &ifr) == 0 &&
	    ethtool_cmd_speed(&settings) != (uint32_t)SPEED_UNKNOWN)
		port->speed = dcb_rate_from_mbps(ethtool_cmd_speed(&settings));
}

static bool set_up(int fd, const char *ifname, struct pfc_port *port, char *err, size_t errlen)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET};
	const int priority = CONTROL_PRIORITY, on = 1;

	addr.sll_ifindex = (int)if_nametoindex(ifname);
	if (addr.sll_ifindex == 0) {
		/* Messages: Correct the name of the interface. */
		snprintf(err, errlen, "%s: no such interface", ifname);
		return false;
	}
	port->ifname = ifname;
	if (!read_address(fd, port)) {
		snprintf(err, errlen, "%s: not an Ethernet interface", ifname);
		return false;
	}
	read_speed(fd, port);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) < 0) {
		/*
		 * Message: The packet socket could not be bound to the interface. Check that the
		 * interface exists and is up.
		 */
		snprintf(err, errlen, "%s: packet socket: %s", ifname, strerror(errno));
		return false;
	}
	/* Some drivers do not support it; frames then pass the queueing discipline. */
	(void)setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on));
	return true;
}

int pfcgen_socket_open(const char *ifname, struct pfc_port *port, char *err, size_t errlen)
{
	/* Protocol 0: the socket receives no frames. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		/*
		 * Message "packet socket: Operation not permitted: sending PFC frames requires
		 * CAP_NET_RAW, which root has": Run the command as root.
		 */
		snprintf(err, errlen, "packet socket: %s%s", strerror(errno),
			 errno == EPERM
			     ? ": sending PFC frames requires CAP_NET_RAW, which root has"
			     : "");
		return -1;
	}
	if (set_up(fd, ifname, port, err, errlen))
		return fd;
	close(fd);
	return -1;
}

/* --- host ------------------------------------------------------------------------ */

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static bool host_stopped(void *ctx)
{
	(void)ctx;
	return stop;
}

static struct realtime realtime;

static struct dcb_time host_now(void *ctx)
{
	struct dcb_time now = clock_now();

	(void)ctx;
	realtime_check(&realtime, now);
	return now;
}

static void host_sleep_until(void *ctx, struct dcb_time when)
{
	struct timespec ts = {.tv_sec = (time_t)(when.ns / DCB_NS_PER_S),
			      .tv_nsec = (long)(when.ns % DCB_NS_PER_S)};

	(void)ctx;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static bool host_must_sleep(void *ctx)
{
	(void)ctx;
	return realtime.guard.policy == RT_GUARD_ASLEEP;
}

static int host_send(void *ctx, const uint8_t *frame, size_t octets)
{
	return send(*(int *)ctx, frame, octets, MSG_DONTWAIT) < 0 ? errno : 0;
}

void pfcgen_socket_host(int *fd, struct pace_host *host)
{
	struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: ends a sleep */

	stop = 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	(void)prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
	realtime = REALTIME_NONE;
	*host = (struct pace_host){
	    .now = host_now,
	    .sleep_until = host_sleep_until,
	    .send = host_send,
	    .stopped = host_stopped,
	    .must_sleep = host_must_sleep,
	    .ctx = fd,
	};
}

int pfcgen_socket_real_time(const struct pace_params *p)
{
	int given = realtime_priority();

	realtime.kind = p->wait == PACE_ADAPT && p->interval_ns >= SLEEPS_NS ? RT_GUARD_SLEEPS
									     : RT_GUARD_TAKES_NONE;
	realtime.observer = rt_observer_start();
	return realtime_begin(&realtime, given ? given : REAL_TIME_PRIORITY, clock_now());
}

bool pfcgen_socket_has_one_cpu(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1;
}
