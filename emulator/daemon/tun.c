/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tun.c - TUN devices in network namespaces; see tun.h. */
#define _GNU_SOURCE
#include "tun.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TUN_F_USO4 /* since Linux 6.2 */
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

/* Enter @netns. Return: descriptor of the namespace left, or negative errno. */
static int enter(int netns)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (home < 0)
		return -errno;
	if (setns(netns, CLONE_NEWNET) < 0) {
		int r = -errno;

		(void)close(home);
		return r;
	}
	return home;
}

static void leave(int home)
{
	(void)setns(home, CLONE_NEWNET);
	(void)close(home);
}

/* A request about one link, and its answer. */
struct link_request {
	struct nlmsghdr h;
	struct ifinfomsg ifi;
	struct {
		struct rtattr head;
		uint32_t value;
	} attribute[2];
};

/* Have the kernel do it. Return: 0 or negative errno. */
static int ask(int netlink, struct link_request *q, size_t attributes)
{
	struct {
		struct nlmsghdr h;
		struct nlmsgerr e;
	} answer;

	q->h.nlmsg_type = RTM_NEWLINK;
	q->h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	q->h.nlmsg_len = (uint32_t)(offsetof(struct link_request, attribute) +
	                            attributes * sizeof(*q->attribute));
	if (send(netlink, q, q->h.nlmsg_len, 0) < 0)
		return -errno;
	if (recv(netlink, &answer, sizeof(answer), 0) < (ssize_t)sizeof(answer))
		return -EIO;
	return answer.e.error;
}

static void set_attribute(struct link_request *q, size_t i, unsigned short type, uint32_t value)
{
	q->attribute[i].head = (struct rtattr){ sizeof(q->attribute[i]), type };
	q->attribute[i].value = value;
}

/* Raise the device. By rtnetlink: an ioctl for the length of the queue asks for privileges over the
 * machine, where here those over the namespace do. Return: its index, or negative errno. */
static int configure(int netlink, const struct config_port *port, const char **ret_what)
{
	struct link_request size = { .ifi.ifi_index = (int)if_nametoindex(port->ifname) };
	struct link_request up = { .ifi = { .ifi_index = size.ifi.ifi_index,
		                            .ifi_flags = IFF_UP,
		                            .ifi_change = IFF_UP } };
	int r;

	*ret_what = "configuring the TUN device";
	if (!size.ifi.ifi_index)
		return -errno;
	set_attribute(&size, 0, IFLA_MTU, (uint32_t)port->mtu);
	set_attribute(&size, 1, IFLA_TXQLEN, (uint32_t)port->txqueuelen);
	r = ask(netlink, &size, 2);
	if (r == 0)
		r = ask(netlink, &up, 0);
	return r < 0 ? r : size.ifi.ifi_index;
}

/* Senders may leave segments and checksums to the daemon. */
static int set_offload(struct tun *tun, const char **ret_what)
{
	const unsigned long tcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;

	*ret_what = "switching on segmentation offload of the TUN device";
	tun->udp = ioctl(tun->fd, TUNSETOFFLOAD, tcp | TUN_F_USO4 | TUN_F_USO6) == 0;
	return tun->udp || ioctl(tun->fd, TUNSETOFFLOAD, tcp) == 0 ? 0 : -errno;
}

static int create(struct tun *tun, const struct config_port *port, bool offload,
                  const char **ret_what)
{
	struct ifreq ifr = { .ifr_flags =
		                     (short)(IFF_TUN | IFF_NO_PI | (offload ? IFF_VNET_HDR : 0)) };
	int r;

	*ret_what = "opening /dev/net/tun";
	tun->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun->fd < 0)
		return -errno;
	*ret_what = "creating the TUN device";
	(void)snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", port->ifname);
	if (ioctl(tun->fd, TUNSETIFF, &ifr) < 0)
		return -errno;
	r = offload ? set_offload(tun, ret_what) : 0;
	if (r < 0)
		return r;
	/* A socket stays in its namespace, so that nobody has to enter it again. */
	*ret_what = "opening rtnetlink";
	tun->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (tun->netlink < 0)
		return -errno;
	tun->ifindex = configure(tun->netlink, port, ret_what);
	return tun->ifindex;
}

int tun_open(struct tun *ret, const struct config_port *port, bool offload, const char **ret_what)
{
	int netns, home, r;

	*ret = (struct tun){ .fd = -1, .netlink = -1, .port = port->port, .ipv6 = port->ipv6 };
	(void)snprintf(ret->ifname, sizeof(ret->ifname), "%s", port->ifname);
	*ret_what = "opening the network namespace";
	netns = open(port->netns, O_RDONLY | O_CLOEXEC);
	if (netns < 0)
		return -errno;
	*ret_what = "entering the network namespace";
	home = enter(netns);
	(void)close(netns);
	r = home;
	if (home >= 0) {
		r = create(ret, port, offload, ret_what);
		leave(home);
	}
	if (r < 0)
		tun_close(ret);
	return r < 0 ? r : 0;
}

int64_t tun_tx_dropped(const struct tun *tun)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg ifi;
	} req = { .h = { .nlmsg_len = sizeof(req),
		         .nlmsg_type = RTM_GETLINK,
		         .nlmsg_flags = NLM_F_REQUEST },
		  .ifi = { .ifi_index = tun->ifindex } };
	_Alignas(struct nlmsghdr) char buf[16384];
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	int64_t dropped = -ENODEV;
	ssize_t n = -1;

	if (send(tun->netlink, &req, sizeof(req), 0) == sizeof(req))
		n = recv(tun->netlink, buf, sizeof(buf), 0);
	if (n > 0 && h->nlmsg_type == RTM_NEWLINK) {
		struct rtattr *a = IFLA_RTA(NLMSG_DATA(h));
		int left = (int)IFLA_PAYLOAD(h);

		for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
			if (a->rta_type == IFLA_STATS64) {
				struct rtnl_link_stats64 st;

				memcpy(&st, RTA_DATA(a),
				       sizeof(st) < RTA_PAYLOAD(a) ? sizeof(st) : RTA_PAYLOAD(a));
				dropped = (int64_t)st.tx_dropped;
			}
	}
	return dropped;
}

void tun_close(struct tun *tun)
{
	if (tun->fd >= 0)
		(void)close(tun->fd);
	if (tun->netlink >= 0)
		(void)close(tun->netlink);
	tun->fd = tun->netlink = -1;
}
