// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * Two hosts in one kernel, and between them the network of a library. Packets leave the kernel in transmit() and enter it
 * again in deliver(). The library also says which connections are opened, what is written to them, and when they end; its
 * time is the kernel's since the start. No user process takes part, but for connections that programs of the machine carry:
 * these have two hosts of their own each, and the programs run there.
 */
#include <linux/bvec.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/init.h>
#include <linux/init_syscalls.h>
#include <linux/ip.h>
#include <linux/mount.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/reboot.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <linux/umh.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include <net/tcp.h>
#include <uapi/linux/mount.h>
#include <init.h>
#include "network.h"

/* Names and functions that other kernels have under another name, or not at all. */
#ifndef TCP_ECN_OK
#define TCP_ECN_OK TCP_ECN_MODE_ANY
#define ACCURATE TCP_ECN_MODE_ACCECN
#else
#define ACCURATE 0
#endif
#ifndef MSG_SPLICE_PAGES
#define MSG_SPLICE_PAGES 0
#endif

#ifdef EMPTY_VMA_FLAGS
#define UNRESERVED mk_vma_flags(VMA_NORESERVE_BIT)
#else
#define UNRESERVED VM_NORESERVE
#endif

/* Values of tcp_ecn: ask for ECN, only accept it, ask for and accept Accurate ECN. */
enum { ECN_ASK = 1, ECN_ACCEPT = 2, ECN_ASK_ACCURATE = 3 };

/* The sender of slot n has the port FIRST + n; the receivers of one congestion control share a port from LISTEN on. */
#define LISTEN 1000
#define FIRST 1024
#define PIECES 16
/* Processes of all programs at a time. */
#define PROCESSES 512

enum { SENDER, RECEIVER, HOSTS };

struct connection {
	struct socket *sock[HOSTS];
	/* Those of its own hosts, if programs carry it; NULL otherwise. */
	struct net_device *dev[HOSTS];
	struct nsproxy *namespaces[HOSTS];
	const struct nw_program *program;
	/* What its programs print, and the exit status of each, out of reach of any other. */
	struct file *printed[NW_ROLES], *status[NW_ROLES];
	struct work_struct work;
	unsigned int number;
	u64 unwritten;
	bool endless, opening, closing, established, aborted, ecn;
	char algorithm[16];
};

/* What the device of a host has besides. */
struct place {
	/* NULL for the two hosts that all connections of the library share. */
	struct connection *connection;
	unsigned int host;
};

static bool loaded, stopped = true;
static struct nw_library library;
static struct nw_configuration configuration;
static struct net_device *devices[HOSTS];
static struct net *nets[HOSTS];
static struct connection *connections;
/* What listens for connections of one congestion control, which their receivers have, too. */
static struct listener {
	struct socket *sock;
	char algorithm[16];
} listeners[FIRST - LISTEN];
static struct work_struct accepting;
static struct workqueue_struct *queue;
static struct hrtimer timer;
static struct page *zeros;
static u64 origin, armed = U64_MAX;
static bool running;
static DECLARE_COMPLETION(ended);

static u64 random_state;

/* What a connection with ECN asks for. */
static u8 ecn_asked = ECN_ASK;

/*
 * Fills a buffer from the seed of the run, in place of the kernel's random numbers (SplitMix64, Steele et al. 2014). Returns
 * false in a kernel that runs without a library.
 */
bool narrows_random(void *buffer, size_t bytes);
bool narrows_random(void *buffer, size_t bytes)
{
	if (!loaded)
		return false;
	while (bytes) {
		size_t part = min(bytes, sizeof(u64));
		u64 z = random_state += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		z ^= z >> 31;
		memcpy(buffer, &z, part);
		buffer += part;
		bytes -= part;
	}
	return true;
}

static u64 now(void)
{
	return ktime_get_ns() - origin;
}

static void arm(void)
{
	u64 due = library.deadline();

	if (due == armed && hrtimer_active(&timer))
		return;
	armed = due;
	if (due == U64_MAX)
		hrtimer_try_to_cancel(&timer);
	else
		hrtimer_start(&timer, ns_to_ktime(origin + due), HRTIMER_MODE_ABS_SOFT);
}

static void read_socket(const struct sock *sk, struct nw_state *s)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	s->cwnd = tcp_snd_cwnd(tp);
	s->ssthresh = tp->snd_ssthresh;
	s->in_flight = tcp_packets_in_flight(tp);
	s->srtt_us = tp->srtt_us >> 3;
	s->rtt_us = tp->rack.rtt_us;
	s->min_rtt_us = tcp_min_rtt(tp);
	if (sk->sk_pacing_status != SK_PACING_NONE)
		s->pacing_rate = sk->sk_pacing_rate;
	s->acked = tp->bytes_acked;
	s->delivered = tp->delivered;
	s->lost = tp->lost;
	s->timeouts = tp->total_rto;
	s->reductions = tp->narrows_reductions;
	s->prior_cwnd = tp->prior_cwnd;
	s->phase = inet_csk(sk)->icsk_ca_state;
	s->window_limited = tp->is_cwnd_limited;
}

/* What a connection has at one end, which its SYN and the answer have decided. */
static void read_terms(const struct sock *sk, struct nw_terms *t)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	t->algorithm = inet_csk(sk)->icsk_ca_ops->name;
	t->ecn = tp->ecn_flags & ACCURATE ? 2 : !!(tp->ecn_flags & TCP_ECN_OK);
	t->timestamps = tp->rx_opt.tstamp_ok;
	t->sack = tcp_is_sack(tp);
	t->scaling = tp->rx_opt.wscale_ok;
}

static void report(struct connection *c)
{
	struct nw_state s = { .established = c->established, .aborted = c->aborted };
	unsigned int host;

	if (c->sock[SENDER])
		read_socket(c->sock[SENDER]->sk, &s);
	if (c->sock[RECEIVER])
		s.received = tcp_sk(c->sock[RECEIVER]->sk)->bytes_received;
	for (host = SENDER; host < HOSTS; host++)
		if (c->sock[host] && c->established)
			read_terms(c->sock[host]->sk, &s.terms[host]);
	library.state(now(), c->number, &s);
}

/* Describes a packet of a program; whatever IP carries may be one. */
static void describe(struct sk_buff *skb, struct nw_packet *p, struct nw_state *state)
{
	const struct iphdr *ip = ip_hdr(skb);
	unsigned int header = ip->ihl * 4, own = 0;
	struct sock *sk = skb->sk;
	const __be16 *ports;
	__be16 room[2];

	p->protocol = ip->protocol;
	p->payload = skb->len - header;
	if (ip->frag_off & htons(IP_OFFSET))
		return;
	if (ip->protocol == IPPROTO_TCP) {
		struct tcphdr *tcp = tcp_hdr(skb);

		own = tcp->doff * 4;
		p->sequence = ntohl(tcp->seq);
		p->flags = tcp_flag_byte(tcp);
	} else if (ip->protocol == IPPROTO_UDP) {
		own = sizeof(struct udphdr);
	} else {
		return;
	}
	p->payload -= own;
	ports = skb_header_pointer(skb, skb_network_offset(skb) + header, sizeof(room), room);
	if (ports)
		p->ports = ntohs(ports[0]) << 16 | ntohs(ports[1]);
	if (sk && sk_fullsock(sk) && sk->sk_type == SOCK_STREAM && sk->sk_protocol == IPPROTO_TCP &&
	    sk->sk_state == TCP_ESTABLISHED) {
		state->established = 1;
		read_socket(sk, state);
		read_terms(sk, &state->terms[SENDER]);
		p->state = state;
	}
}

static netdev_tx_t transmit(struct sk_buff *skb, struct net_device *dev)
{
	struct place *place = netdev_priv(dev);
	struct nw_packet p = { .buffer = (unsigned long)skb, .host = place->host };
	struct nw_state state = { };
	struct iphdr *ip = ip_hdr(skb);
	struct tcphdr *tcp;

	if (stopped || skb->protocol != htons(ETH_P_IP))
		goto drop;
	p.length = skb->len;
	p.ecn = ip->tos & INET_ECN_MASK;
	if (place->connection) {
		p.connection = place->connection->number;
		describe(skb, &p, &state);
	} else {
		if (ip->protocol != IPPROTO_TCP)
			goto drop;
		tcp = tcp_hdr(skb);
		if (tcp->rst)
			goto drop;
		p.sequence = ntohl(tcp->seq);
		p.payload = skb->len - ip->ihl * 4 - tcp->doff * 4;
		p.connection = ntohs(p.host == SENDER ? tcp->source : tcp->dest) - FIRST;
		p.flags = tcp_flag_byte(tcp);
	}
	skb_orphan(skb);
	skb_dst_drop(skb);
	/* The time at which TCP has sent it does not leave the host; fq would take it for a time to come. */
	skb->tstamp = 0;
	if (!library.transmit(now(), &p))
		goto drop;
	if (!running)
		arm();
	return NETDEV_TX_OK;
drop:
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static void deliver(struct sk_buff *skb, struct net_device *dev, unsigned int ecn)
{
	if ((ip_hdr(skb)->tos & INET_ECN_MASK) != ecn && !skb_ensure_writable(skb, sizeof(struct iphdr)))
		ipv4_change_dsfield(ip_hdr(skb), (u8)~INET_ECN_MASK, ecn);
	skb->dev = dev;
	skb->pkt_type = PACKET_HOST;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	skb_reset_mac_header(skb);
	skb_scrub_packet(skb, true);
	netif_receive_skb(skb);
}

static void carry_out(struct nw_action *a)
{
	struct connection *c = &connections[a->connection];

	switch (a->kind) {
	case NW_DELIVER:
		deliver((struct sk_buff *)(unsigned long)a->buffer, c->dev[a->host] ?: devices[a->host], a->ecn);
		if (!c->dev[a->host])
			report(c);
		break;
	case NW_FREE:
		kfree_skb((struct sk_buff *)(unsigned long)a->buffer);
		break;
	case NW_START:
		c->opening = true;
		queue_work(queue, &c->work);
		break;
	case NW_OPEN:
		memcpy(c->algorithm, a->algorithm, sizeof(c->algorithm));
		c->ecn = a->ecn;
		c->opening = true;
		queue_work(queue, &c->work);
		break;
	case NW_WRITE:
		if (a->bytes == U64_MAX)
			c->endless = true;
		else
			c->unwritten += a->bytes;
		queue_work(queue, &c->work);
		break;
	case NW_CLOSE:
		c->closing = true;
		queue_work(queue, &c->work);
		break;
	case NW_END:
		complete(&ended);
		break;
	}
}

/*
 * The kernel's queue disciplines, for links whose rate and delay are the library's. A packet that a discipline drops when
 * one arrives is in a list that the discipline fills; one that it drops later is reported by its destructor. Both are known
 * by their marks.
 */
#define QUEUES 64

static struct Qdisc *disciplines[QUEUES];
static u32 *dropped;
static unsigned int dropped_count, dropped_room;

static void freed_in_queue(struct sk_buff *skb)
{
	skb->destructor = NULL;
	if (dropped_count == dropped_room) {
		unsigned int room = max(64U, 2 * dropped_room);
		u32 *larger = krealloc(dropped, room * sizeof(*dropped), GFP_ATOMIC);

		if (!larger)
			panic("narrows: no memory");
		dropped = larger;
		dropped_room = room;
	}
	dropped[dropped_count++] = skb->mark;
}

/* Called by process 1, in the network namespace of a host. */
static void queue_make(unsigned int number, const char *kind, const void *attributes, unsigned int bytes)
{
	struct netdev_queue *queue = netdev_get_tx_queue(devices[RECEIVER], 0);
	const struct Qdisc_ops *before = default_qdisc_ops, *ops;
	struct netlink_ext_ack extack = { };
	struct nlattr *options = kzalloc(nla_total_size(bytes), GFP_KERNEL);
	struct Qdisc *sch;
	int error;

	if (number >= QUEUES || !options)
		panic("narrows: too many queues");
	options->nla_type = TCA_OPTIONS | NLA_F_NESTED;
	options->nla_len = nla_attr_size(bytes);
	memcpy(nla_data(options), attributes, bytes);
	if (qdisc_set_default(kind))
		panic("narrows: the kernel has no queue discipline %s", kind);
	ops = default_qdisc_ops;
	qdisc_set_default(before->id);
	rtnl_lock();
	sch = qdisc_alloc(queue, ops, &extack);
	if (IS_ERR(sch))
		panic("narrows: no queue discipline %s", kind);
	error = ops->init ? ops->init(sch, bytes ? options : NULL, &extack) : 0;
	rtnl_unlock();
	if (error)
		panic("narrows: the queue discipline %s refuses its parameters: %d %s", kind, error,
		      extack._msg ? extack._msg : "");
	kfree(options);
	disciplines[number] = sch;
}

static void queue_enqueue(unsigned int number, unsigned long long buffer, unsigned int handle)
{
	struct sk_buff *skb = (struct sk_buff *)(unsigned long)buffer, *gone = NULL, *each;
	struct Qdisc *sch = disciplines[number];

	skb->mark = handle;
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	sch->enqueue(skb, sch, &gone);
	/* Not earlier: fq orphans what arrives. */
	for (each = gone; each && each != skb; each = each->next)
		;
	if (!each)
		skb->destructor = freed_in_queue;
	for (each = gone; each; each = each->next)
		freed_in_queue(each);
	if (gone)
		kfree_skb_list(gone);
}

static int queue_dequeue(unsigned int number, unsigned int *handle, unsigned char *ecn)
{
	struct Qdisc *sch = disciplines[number];
	struct sk_buff *skb = sch->dequeue(sch);

	if (!skb)
		return 0;
	skb->destructor = NULL;
	*handle = skb->mark;
	skb->mark = 0;
	*ecn = ip_hdr(skb)->tos & INET_ECN_MASK;
	return 1;
}

static int queue_dropped(unsigned int *handle)
{
	if (!dropped_count)
		return 0;
	*handle = dropped[--dropped_count];
	return 1;
}

static const struct nw_queues queues = {
	.make = queue_make,
	.enqueue = queue_enqueue,
	.dequeue = queue_dequeue,
	.dropped = queue_dropped,
};

static enum hrtimer_restart expired(struct hrtimer *unused)
{
	struct nw_action a;

	running = true;
	while (library.next(now(), &a))
		carry_out(&a);
	running = false;
	arm();
	return HRTIMER_NORESTART;
}

static void state_changed(struct sock *sk)
{
	struct connection *c = sk->sk_user_data;

	if (!c)
		return;
	if (sk->sk_state == TCP_ESTABLISHED)
		c->established = true;
	if (sk->sk_state == TCP_CLOSE)
		c->aborted = true;
	queue_work(queue, &c->work);
}

static void may_write(struct sock *sk)
{
	struct connection *c = sk->sk_user_data;

	if (c && sk_stream_is_writeable(sk)) {
		clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		queue_work(queue, &c->work);
	}
}

static void may_read(struct sock *sk)
{
	struct connection *c = sk->sk_user_data;

	if (c)
		queue_work(queue, &c->work);
}

static void may_accept(struct sock *sk)
{
	if (sk->sk_state == TCP_LISTEN)
		queue_work(queue, &accepting);
}

static struct sockaddr_in address(unsigned int host, u16 port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	a.sin_addr.s_addr = htonl(0x0a000001 + host);
	return a;
}

static void attach(struct socket *sock, struct connection *c, unsigned int host)
{
	struct sock *sk = sock->sk;

	sock_no_linger(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = c;
	sk->sk_state_change = state_changed;
	if (host == SENDER)
		sk->sk_write_space = may_write;
	else
		sk->sk_data_ready = may_read;
	write_unlock_bh(&sk->sk_callback_lock);
	c->sock[host] = sock;
}

static void detach(struct connection *c, unsigned int host)
{
	struct socket *sock = c->sock[host];

	if (!sock)
		return;
	write_lock_bh(&sock->sk->sk_callback_lock);
	sock->sk->sk_user_data = NULL;
	write_unlock_bh(&sock->sk->sk_callback_lock);
	c->sock[host] = NULL;
	sock_release(sock);
}

/* A socket of a host with a congestion control, at a port of its own. */
static struct socket *make_socket(unsigned int host, const char *algorithm, unsigned int port)
{
	struct sockaddr_in own = address(host, port);
	struct socket *sock;
	int error = sock_create_kern(nets[host], AF_INET, SOCK_STREAM, IPPROTO_TCP, &sock);

	if (error)
		panic("narrows: no socket: %d", error);
	error = tcp_setsockopt(sock->sk, SOL_TCP, TCP_CONGESTION, KERNEL_SOCKPTR((char *)algorithm),
			       strnlen(algorithm, sizeof(listeners->algorithm)));
	if (error)
		panic("narrows: the kernel has no congestion control %.16s: %d", algorithm, error);
	sock_set_reuseaddr(sock->sk);
	error = port > U16_MAX ? -ERANGE : kernel_bind(sock, (void *)&own, sizeof(own));
	if (error)
		panic("narrows: no port %u: %d", port, error);
	return sock;
}

/*
 * Returns the port at which receivers with a congestion control listen. A connection has the same at both ends: a listener
 * whose congestion control does not need ECN refuses it to one that does.
 */
static unsigned int listening(const char *algorithm)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(listeners) && listeners[i].sock; i++)
		if (!strncmp(listeners[i].algorithm, algorithm, sizeof(listeners[i].algorithm)))
			return LISTEN + i;
	if (i == ARRAY_SIZE(listeners))
		panic("narrows: too many congestion controls");
	memcpy(listeners[i].algorithm, algorithm, sizeof(listeners[i].algorithm));
	listeners[i].sock = make_socket(RECEIVER, algorithm, LISTEN + i);
	listeners[i].sock->sk->sk_data_ready = may_accept;
	if (kernel_listen(listeners[i].sock, 4096))
		panic("narrows: cannot listen");
	return LISTEN + i;
}

static void open_connection(struct connection *c)
{
	struct sockaddr_in to = address(RECEIVER, listening(c->algorithm));
	struct socket *sock = make_socket(SENDER, c->algorithm, FIRST + c->number);
	int error;

	attach(sock, c, SENDER);
	/* Whether a connection asks for ECN is decided when it sends its SYN. Everybody accepts. */
	nets[SENDER]->ipv4.sysctl_tcp_ecn = c->ecn ? ecn_asked : ECN_ACCEPT;
	error = kernel_connect(sock, (void *)&to, sizeof(to), O_NONBLOCK);
	if (error && error != -EINPROGRESS)
		panic("narrows: cannot connect: %d", error);
}

static void write_data(struct connection *c)
{
	struct bio_vec pieces[PIECES];
	unsigned int i;

	for (i = 0; i < PIECES; i++)
		pieces[i] = (struct bio_vec) { .bv_page = zeros, .bv_len = PAGE_SIZE };
	while (c->endless || c->unwritten) {
		struct msghdr m = { .msg_flags = MSG_DONTWAIT | MSG_SPLICE_PAGES | MSG_NOSIGNAL };
		size_t bytes = PIECES * PAGE_SIZE;
		int sent;

		if (!c->endless)
			bytes = min_t(u64, bytes, c->unwritten);
		iov_iter_bvec(&m.msg_iter, ITER_SOURCE, pieces, PIECES, bytes);
		sent = sock_sendmsg(c->sock[SENDER], &m);
		if (sent <= 0)
			break;
		if (!c->endless)
			c->unwritten -= sent;
	}
}

static void read_data(struct connection *c)
{
	struct msghdr m = { };
	struct kvec none = { };

	while (kernel_recvmsg(c->sock[RECEIVER], &m, &none, 0, INT_MAX, MSG_DONTWAIT | MSG_TRUNC) > 0)
		;
}

struct start {
	struct connection *connection;
	unsigned int role;
};

static void limit(unsigned int resource, unsigned long most)
{
	current->signal->rlim[resource] = (struct rlimit) { most, most };
}

/*
 * Called in the new process: its host, and a user who is not root and can become no other. The kernel opens what it
 * prints to, so that no program can put anything else in its place.
 */
static int become(struct subprocess_info *info, struct cred *new)
{
	struct start *start = info->data;
	struct connection *c = start->connection;
	unsigned int host = start->role == NW_SERVER ? c->program->server : !c->program->server;
	kuid_t user = KUIDT_INIT(configuration.user);
	kgid_t group = KGIDT_INIT(configuration.group);
	struct user_struct *counted = alloc_uid(user);
	int error;

	if (!counted)
		return -ENOMEM;
	get_nsproxy(c->namespaces[host]);
	switch_task_namespaces(current, c->namespaces[host]);
	free_uid(new->user);
	new->user = counted;
	new->uid = new->euid = new->suid = new->fsuid = user;
	new->gid = new->egid = new->sgid = new->fsgid = group;
	cap_clear(new->cap_inheritable);
	cap_clear(new->cap_permitted);
	cap_clear(new->cap_effective);
	cap_clear(new->cap_bset);
	cap_clear(new->cap_ambient);
	error = set_cred_ucounts(new);
	if (error)
		return error;
	task_set_no_new_privs(current);
	limit(RLIMIT_NPROC, PROCESSES);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_MEMLOCK, 0);
	error = replace_fd(1, c->printed[start->role], 0);
	error = error < 0 ? error : replace_fd(2, c->printed[start->role], 0);
	error = error < 0 ? error : replace_fd(3, c->status[start->role], 0);
	return min(error, 0);
}

static void free_start(struct subprocess_info *info)
{
	kfree(info->data);
}

static void start_program(struct connection *c, unsigned int role)
{
	char **arguments = (char **)c->program->arguments[role], **environment = (char **)c->program->environment[role];
	struct start *start = kzalloc(sizeof(*start), GFP_KERNEL);
	struct subprocess_info *info;

	if (!start)
		panic("narrows: no memory");
	*start = (struct start) { .connection = c, .role = role };
	info = call_usermodehelper_setup(arguments[0], arguments, environment, GFP_KERNEL, become, free_start, start);
	if (!info || call_usermodehelper_exec(info, UMH_NO_WAIT))
		panic("narrows: no process for a program");
}

/* A file of at most so many bytes, which has no name. */
static struct file *make_file(const char *most)
{
	struct file_system_type *type = get_fs_type("tmpfs");
	/* Mounting changes it. */
	char *options = kstrdup(most, GFP_KERNEL);
	struct vfsmount *mount = type && options ? vfs_kern_mount(type, 0, "narrows", options) : ERR_PTR(-ENOMEM);
	struct file *file = IS_ERR(mount) ? ERR_CAST(mount) : shmem_file_setup_with_mnt(mount, "printed", 0, UNRESERVED);

	if (IS_ERR(file))
		panic("narrows: no file for what a program prints: %ld", PTR_ERR(file));
	kfree(options);
	return file;
}

/* All that a connection has to do in a process. */
static void work_on(struct work_struct *work)
{
	struct connection *c = container_of(work, struct connection, work);

	if (c->dev[SENDER]) {
		if (c->opening)
			start_program(c, NW_CLIENT);
		c->opening = false;
		return;
	}
	if (c->closing) {
		detach(c, SENDER);
		detach(c, RECEIVER);
		c->closing = c->established = c->aborted = false;
		if (!c->opening) {
			c->endless = false;
			c->unwritten = 0;
		}
	}
	if (c->opening) {
		c->opening = false;
		open_connection(c);
	}
	if (c->sock[SENDER] && c->established)
		write_data(c);
	if (c->sock[RECEIVER])
		read_data(c);
	local_bh_disable();
	report(c);
	if (!running)
		arm();
	local_bh_enable();
}

static void accept_connections(struct work_struct *unused)
{
	struct socket *sock;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(listeners) && listeners[i].sock; i++) {
		while (!kernel_accept(listeners[i].sock, &sock, O_NONBLOCK)) {
			unsigned int number = ntohs(inet_sk(sock->sk)->inet_dport) - FIRST;

			if (number >= configuration.connections)
				panic("narrows: a connection from no port of ours");
			detach(&connections[number], RECEIVER);
			attach(sock, &connections[number], RECEIVER);
			queue_work(queue, &connections[number].work);
		}
	}
}

static const struct net_device_ops operations = { .ndo_start_xmit = transmit };

static void set_up(struct net_device *dev)
{
	dev->netdev_ops = &operations;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_POINTOPOINT | IFF_NOARP;
	dev->mtu = configuration.mtu;
	dev->max_mtu = 65535;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->features = dev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	dev->lltx = true;
#else
	dev->features |= NETIF_F_LLTX;
#endif
}

/*
 * Writes settings, lines NAME=VALUE, to /proc/sys, for the network namespace of this process. Those below net/ concern this kernel
 * alone; others could make it start programs with all rights.
 */
static void apply_sysctls(const char *settings)
{
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *proc = type ? kern_mount(type) : ERR_PTR(-ENODEV);
	char *text = kstrdup(settings, GFP_KERNEL), *rest = text, *line;

	if (IS_ERR(proc) || !text)
		panic("narrows: no /proc");
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');
		struct file *file;
		char path[128];
		loff_t at = 0;
		ssize_t wrote;

		if (!value)
			continue;
		*value++ = 0;
		if (strncmp(line, "net/", 4) || strstr(line, ".."))
			panic("narrows: %s is no setting of the network", line);
		snprintf(path, sizeof(path), "sys/%s", line);
		file = file_open_root_mnt(proc, path, O_WRONLY, 0);
		if (IS_ERR(file))
			panic("narrows: the kernel has no sysctl %s", line);
		wrote = kernel_write(file, value, strlen(value), &at);
		if (wrote < 0)
			panic("narrows: the sysctl %s cannot be %s: %zd", line, value, wrote);
		filp_close(file, NULL);
	}
	kern_unmount(proc);
	kfree(text);
}

/* Makes a host in the network namespace of this process, and returns its device. */
static struct net_device *bring_up(struct connection *c, unsigned int host, struct sockaddr_in own)
{
	struct sockaddr_in mask = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0xffffff00) };
	struct net *net = current->nsproxy->net_ns;
	struct net_device *dev;
	struct ifreq r = { };

	dev = alloc_netdev(sizeof(struct place), "narrows%d", NET_NAME_ENUM, set_up);
	if (!dev)
		panic("narrows: no memory");
	*(struct place *)netdev_priv(dev) = (struct place) { .connection = c, .host = host };
	dev_net_set(dev, net);
	if (register_netdev(dev))
		panic("narrows: no device");
	strscpy(r.ifr_name, dev->name, IFNAMSIZ);
	memcpy(&r.ifr_addr, &own, sizeof(own));
	if (devinet_ioctl(net, SIOCSIFADDR, &r))
		panic("narrows: no address");
	memcpy(&r.ifr_addr, &mask, sizeof(mask));
	if (devinet_ioctl(net, SIOCSIFNETMASK, &r))
		panic("narrows: no mask");
	rtnl_lock();
	if (!configuration.gso)
		dev->gso_max_segs = 1;
	if (dev_change_flags(dev, dev->flags | IFF_UP, NULL))
		panic("narrows: the device does not come up");
	rtnl_unlock();
	net->ipv4.sysctl_tcp_nometrics_save = 1;
	net->ipv4.sysctl_tcp_wmem[2] = configuration.buffer;
	net->ipv4.sysctl_tcp_rmem[1] = configuration.buffer;
	net->ipv4.sysctl_tcp_rmem[2] = configuration.buffer;
	apply_sysctls(configuration.sysctls);
	if (net->ipv4.sysctl_tcp_ecn == ECN_ASK_ACCURATE)
		ecn_asked = ECN_ASK_ACCURATE;
	return dev;
}

/* One of the two hosts that all connections of the library share. */
static void bring_up_shared(unsigned int host)
{
	nets[host] = get_net(current->nsproxy->net_ns);
	devices[host] = bring_up(NULL, host, address(host, 0));
}

static void __init mount_at(const char *what, char *path, char *type, unsigned long flags, const char *options)
{
	/* Mounting changes what it is given, up to the end of a page. */
	static char page[PAGE_SIZE] __initdata;
	int error;

	strscpy(page, options ?: "", sizeof(page));
	error = init_mount((char *)what, path, type, flags, options ? page : NULL);
	if (error)
		panic("narrows: %s cannot be mounted on %s: %d", type, path, error);
}

#define PLAIN (MS_NOSUID | MS_NODEV)

/*
 * The machine's files, to which this kernel cannot write wherever they are mounted (see additions.py), and files of their own for
 * programs, all of them in the memory of the virtual machine.
 */
static void __init mount_all(void)
{
	mount_at("root", "/root", "hostfs", MS_RDONLY | PLAIN, "/");
	if (init_chdir("/root") || init_chroot("."))
		panic("narrows: no root");
	mount_at("proc", "/proc", "proc", MS_RDONLY | MS_NOEXEC | PLAIN, NULL);
	mount_at("sysfs", "/sys", "sysfs", MS_RDONLY | MS_NOEXEC | PLAIN, NULL);
	mount_at("devtmpfs", "/dev", "devtmpfs", MS_NOSUID | MS_NOEXEC, NULL);
	if (init_mkdir("/dev/shm", 01777))
		panic("narrows: no /dev/shm");
	mount_at("tmpfs", "/dev/shm", "tmpfs", PLAIN, "size=64m,mode=1777");
	mount_at("tmpfs", "/run", "tmpfs", PLAIN, "size=16m,mode=1777");
	mount_at("tmpfs", "/tmp", "tmpfs", PLAIN, "size=128m,mode=1777");
}

/* The hosts of a flow that programs carry. The server's address is the same whichever host it is. */
static void __init bring_up_programs(const struct nw_program *program)
{
	struct connection *c = &connections[program->connection];
	char settings[160];
	unsigned int host;

	snprintf(settings, sizeof(settings),
		 "net/ipv4/tcp_congestion_control=%.16s\nnet/ipv4/tcp_ecn=%u\nnet/ipv4/ip_unprivileged_port_start=0\n"
		 "net/ipv4/ping_group_range=0 2147483647\n",
		 program->algorithm, program->ecn ? 1 : 2);
	c->program = program;
	for (host = 0; host < NW_ROLES; host++) {
		c->printed[host] = make_file(NW_PRINTED);
		c->status[host] = make_file("size=4k");
	}
	for (host = SENDER; host < HOSTS; host++) {
		struct net *net;

		if (ksys_unshare(CLONE_NEWNET))
			panic("narrows: no namespace");
		get_nsproxy(current->nsproxy);
		c->namespaces[host] = current->nsproxy;
		net = current->nsproxy->net_ns;
		rtnl_lock();
		if (dev_change_flags(net->loopback_dev, IFF_UP, NULL))
			panic("narrows: the loopback device does not come up");
		rtnl_unlock();
		apply_sysctls(settings);
		c->dev[host] = bring_up(c, host, address(host == program->server, 0));
	}
}

/* Servers are ready when the run begins: they have a second before it. */
static void __init start_servers(void)
{
	static char names[TCP_CA_BUF_MAX] __initdata;
	unsigned int i;

	if (!configuration.program_count)
		return;
	/* Hosts of programs are no first namespace, and their users have no rights: both may use these alone. */
	tcp_get_available_congestion_control(names, sizeof(names));
	if (tcp_set_allowed_congestion_control(names))
		panic("narrows: congestion controls cannot be allowed");
	mount_all();
	for (i = 0; i < configuration.program_count; i++)
		bring_up_programs(&configuration.programs[i]);
	for (i = 0; i < configuration.program_count; i++)
		start_program(&connections[configuration.programs[i].connection], NW_SERVER);
	msleep(1000);
}

/* Passes what a program has written to a file to the library, in parts. */
static void __init pass_on(struct file *file, unsigned int number, unsigned int role, bool is_status)
{
	static char part[4096] __initdata;
	loff_t at = 0;
	ssize_t bytes;

	while ((bytes = kernel_read(file, part, sizeof(part), &at)) > 0)
		if (!library.printed(number, role, is_status, part, bytes))
			break;
}

/* Asks all programs to end, which have a second to write what they have not, and passes on what they have written. */
static void __init stop_programs(void)
{
	struct task_struct *each;
	unsigned int i, role;

	if (!configuration.program_count)
		return;
	read_lock(&tasklist_lock);
	for_each_process(each)
		if (!(each->flags & PF_KTHREAD) && !is_global_init(each))
			send_sig(SIGTERM, each, 1);
	read_unlock(&tasklist_lock);
	msleep(1000);
	for (i = 0; i < configuration.program_count; i++) {
		unsigned int number = configuration.programs[i].connection;

		for (role = 0; role < NW_ROLES; role++) {
			pass_on(connections[number].printed[role], number, role, false);
			pass_on(connections[number].status[role], number, role, true);
		}
	}
}

static int __init narrows_start(void)
{
	unsigned int i;

	if (!loaded)
		return 0;
	sysctl_tcp_mem[0] = sysctl_tcp_mem[1] = sysctl_tcp_mem[2] = LONG_MAX >> PAGE_SHIFT;
	zeros = alloc_page(GFP_KERNEL | __GFP_ZERO);
	queue = alloc_ordered_workqueue("narrows", 0);
	connections = kvcalloc(configuration.connections, sizeof(*connections), GFP_KERNEL);
	if (!zeros || !queue || !connections)
		panic("narrows: no memory");
	for (i = 0; i < configuration.connections; i++) {
		connections[i].number = i;
		INIT_WORK(&connections[i].work, work_on);
	}
	INIT_WORK(&accepting, accept_connections);
	bring_up_shared(SENDER);
	if (ksys_unshare(CLONE_NEWNET))
		panic("narrows: no namespace");
	bring_up_shared(RECEIVER);
	library.attach(&queues);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer.function = expired;
#endif
	start_servers();
	local_bh_disable();
	origin = ktime_get_ns();
	stopped = false;
	arm();
	local_bh_enable();
	wait_for_completion(&ended);
	local_bh_disable();
	stopped = true;
	local_bh_enable();
	stop_programs();
	local_bh_disable();
	if (library.finish())
		panic("narrows: no records");
	local_bh_enable();
	kernel_power_off();
	return 0;
}
late_initcall_sync(narrows_start);

static int __init narrows_setup(char *line, int *add)
{
	*add = 0;
	nw_load(line, &library);
	library.config(&configuration);
	random_state = configuration.seed;
	loaded = true;
	return 0;
}
__uml_setup("narrows=", narrows_setup,
"narrows=LIBRARY\n"
"    The network of LIBRARY between two hosts, for the run that the file `job` in the current folder describes.\n\n");
