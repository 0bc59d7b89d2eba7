/* SPDX-License-Identifier: Apache-2.0
 *
 * The congestion controllers of ngtcp2 behind the C interface of Narrows: `cubic`, `reno` and `bbr`. The rules, the sampler of the
 * delivery rate and the random numbers are ngtcp2's, compiled from a checkout; here is what its connection does around them
 * (lib/ngtcp2_rtb.c, lib/ngtcp2_conn.c): a record of each packet sent, and its calls in their order. Departures from that order:
 *
 * - Losses of an acknowledgement are reported before it, so they see `delivered` without it; ngtcp2 adds it first.
 * - A timeout is taken as persistent congestion, since a QUIC sender declares no loss at a timeout.
 * - The sending time of the packet whose acknowledgement has a mark is taken as one round trip ago. */
#include "narrows.h"

#include <math.h>
#include <stdlib.h>

#include "ngtcp2_bbr.h"
#include "ngtcp2_cc.h"
#include "ngtcp2_conn_stat.h"
#include "ngtcp2_log.h"
#include "ngtcp2_pcg.h"
#include "ngtcp2_rst.h"
#include "ngtcp2_rtb.h"

enum { FIRST_ROOM = 1024 };

struct flow {
	union {
		ngtcp2_cc cc;
		ngtcp2_cc_reno reno;
		ngtcp2_cc_cubic cubic;
		ngtcp2_cc_bbr bbr;
	} rule;
	ngtcp2_log log; /* without an output */
	ngtcp2_conn_stat stat;
	ngtcp2_rst rst;
	ngtcp2_pcg32 random;
	ngtcp2_rtb_entry *entries; /* packets that are neither acknowledged nor sent again, each at its number modulo room */
	uint64_t room, mss;
	uint64_t lost_at, lost_bytes; /* losses of the acknowledgement that follows at the same time */
};

/* What is known of a packet, or NULL. */
static ngtcp2_rtb_entry *find(const struct flow *f, uint64_t number)
{
	ngtcp2_rtb_entry *entry = &f->entries[number % f->room];

	return entry->pktlen && entry->hd.pkt_num == (int64_t)number ? entry : NULL;
}

/* Whether a packet is outstanding, and not declared lost: in QUIC lost packets may never be acknowledged, and are forgotten for others. */
static int is_outstanding(const ngtcp2_rtb_entry *entry)
{
	return entry->pktlen && !(entry->flags & NGTCP2_RTB_ENTRY_FLAG_LOST_RETRANSMITTED);
}

/* The place for a packet, with more room where another one has it; NULL if there is no memory. */
static ngtcp2_rtb_entry *place(struct flow *f, uint64_t number)
{
	while (is_outstanding(&f->entries[number % f->room]) && !find(f, number)) {
		ngtcp2_rtb_entry *more = calloc(2 * f->room, sizeof(*more));
		uint64_t i;

		if (!more)
			return NULL;
		for (i = 0; i < f->room; i++)
			if (is_outstanding(&f->entries[i]))
				more[(uint64_t)f->entries[i].hd.pkt_num % (2 * f->room)] = f->entries[i];
		free(f->entries);
		f->entries = more;
		f->room *= 2;
	}
	return &f->entries[number % f->room];
}

static ngtcp2_cc_pkt packet_of(const ngtcp2_rtb_entry *entry)
{
	ngtcp2_cc_pkt packet;

	return *ngtcp2_cc_pkt_init(&packet, entry->hd.pkt_num, entry->pktlen, NGTCP2_PKTNS_ID_APPLICATION, entry->ts, entry->rst.lost,
				   entry->rst.tx_in_flight, entry->rst.is_app_limited);
}

static void update(struct flow *f, const struct narrows_path *path)
{
	f->stat.bytes_in_flight = path->in_flight;
	f->mss = f->stat.max_tx_udp_payload_size = path->mss; /* the host may find that packets may be larger */
	if (path->rtt_latest == NARROWS_NONE)
		return;
	if (f->stat.first_rtt_sample_ts == UINT64_MAX)
		f->stat.first_rtt_sample_ts = path->now;
	f->stat.latest_rtt = path->rtt_latest;
	f->stat.min_rtt = path->rtt_min;
	f->stat.smoothed_rtt = path->rtt_smoothed;
	f->stat.rttvar = path->rtt_variation;
}

static void limited_by_application(struct flow *f)
{
	uint64_t until = f->rst.delivered + f->stat.bytes_in_flight;

	f->rst.app_limited = until ? until : 1;
}

static struct flow *create(const struct narrows_setup *setup)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->entries = calloc(FIRST_ROOM, sizeof(*f->entries));
	if (!f->entries) {
		free(f);
		return NULL;
	}
	f->room = FIRST_ROOM;
	f->mss = setup->mss;
	f->lost_at = NARROWS_NONE;
	f->stat.min_rtt = UINT64_MAX;
	f->stat.smoothed_rtt = NGTCP2_DEFAULT_INITIAL_RTT;
	f->stat.rttvar = NGTCP2_DEFAULT_INITIAL_RTT / 2;
	f->stat.first_rtt_sample_ts = UINT64_MAX;
	f->stat.max_tx_udp_payload_size = setup->mss;
	f->stat.cwnd = setup->initial_window;
	f->stat.ssthresh = setup->initial_ssthresh; /* without a value it is UINT64_MAX in both */
	f->stat.congestion_recovery_start_ts = UINT64_MAX;
	ngtcp2_rst_init(&f->rst);
	ngtcp2_pcg32_init(&f->random, setup->seed);
	return f;
}

static void *create_reno(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = create(setup);

	if (f)
		ngtcp2_cc_reno_init(&f->rule.reno, &f->log, &f->stat);
	return f;
}

static void *create_cubic(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = create(setup);

	if (f)
		ngtcp2_cc_cubic_init(&f->rule.cubic, &f->log, &f->stat, &f->rst);
	return f;
}

static void *create_bbr(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = create(setup);

	if (f)
		ngtcp2_cc_bbr_init(&f->rule.bbr, &f->log, &f->stat, &f->rst, setup->now, &f->random);
	return f;
}

static void destroy(void *flow)
{
	struct flow *f = flow;

	free(f->entries);
	free(f);
}

static void limits(const void *flow, struct narrows_limits *l)
{
	const struct flow *f = flow;

	l->window = f->stat.cwnd;
	l->ssthresh = f->stat.ssthresh;
	if (f->stat.pacing_interval_m) {
		/* The interval is in 1/1024 ns for a byte. */
		l->pacing_rate = 8 * (NGTCP2_SECONDS << 10) / f->stat.pacing_interval_m;
		l->burst = f->stat.send_quantum;
	}
}

static void sent(void *flow, const struct narrows_packet *packet, const struct narrows_path *path)
{
	struct flow *f = flow;
	ngtcp2_rtb_entry *entry;
	uint64_t before = path->in_flight > packet->size ? path->in_flight - packet->size : 0;

	update(f, path);
	f->stat.bytes_in_flight = before;
	if (packet->app_limited && !f->rst.app_limited)
		limited_by_application(f);
	entry = packet->retransmits == NARROWS_NONE ? NULL : find(f, packet->retransmits);
	if (entry)
		entry->pktlen = 0;
	entry = place(f, packet->number);
	if (!entry)
		return;
	*entry = (ngtcp2_rtb_entry){ .hd = { .pkt_num = (int64_t)packet->number }, .ts = path->now, .pktlen = packet->size };
	if (f->rule.cc.on_pkt_sent) {
		ngtcp2_cc_pkt now = packet_of(entry);

		f->rule.cc.on_pkt_sent(&f->rule.cc, &f->stat, &now);
	}
	f->stat.bytes_in_flight = before + packet->size;
	ngtcp2_rst_on_pkt_sent(&f->rst, entry, &f->stat);
	/* Segments are whole: a window that has no room for another one is full. */
	if (f->stat.bytes_in_flight + f->mss > f->stat.cwnd)
		f->rst.is_cwnd_limited = 1;
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path, const struct narrows_packet *packets,
		 uint64_t count)
{
	struct flow *f = flow;
	ngtcp2_cc *cc = &f->rule.cc;
	ngtcp2_cc_ack ack = { .largest_pkt_sent_ts = UINT64_MAX, .rtt = UINT64_MAX };
	ngtcp2_tstamp latest = 0;
	uint64_t i;

	update(f, path);
	if (loss->cause == NARROWS_MARK) {
		cc->congestion_event(cc, &f->stat, path->now - f->stat.latest_rtt, &ack, path->now);
		return;
	}
	for (i = 0; i < count; i++) {
		ngtcp2_rtb_entry *entry = find(f, packets[i].number);

		if (!entry || entry->flags & NGTCP2_RTB_ENTRY_FLAG_LOST_RETRANSMITTED)
			continue;
		entry->flags |= NGTCP2_RTB_ENTRY_FLAG_LOST_RETRANSMITTED;
		f->rst.lost += entry->pktlen;
		ack.bytes_lost += entry->pktlen;
		if (entry->ts > latest)
			latest = entry->ts;
		if (cc->on_pkt_lost) {
			ngtcp2_cc_pkt packet = packet_of(entry);

			cc->on_pkt_lost(cc, &f->stat, &packet, path->now);
		}
	}
	if (ack.bytes_lost)
		cc->congestion_event(cc, &f->stat, latest, &ack, path->now);
	if (loss->cause != NARROWS_DETECTED)
		cc->on_persistent_congestion(cc, &f->stat, path->now);
	f->lost_bytes = (f->lost_at == path->now ? f->lost_bytes : 0) + ack.bytes_lost;
	f->lost_at = path->now;
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path, const struct narrows_packet *packets,
		  uint64_t count)
{
	struct flow *f = flow;
	ngtcp2_cc *cc = &f->rule.cc;
	ngtcp2_cc_ack total = { .bytes_lost = f->lost_at == path->now ? f->lost_bytes : 0,
				.largest_pkt_sent_ts = UINT64_MAX,
				.rtt = ack->rtt }; /* without a value it is UINT64_MAX in both */
	int64_t newest = -1;
	uint64_t i;

	update(f, path);
	ngtcp2_rst_reset_rate_sample(&f->rst, &f->stat);
	for (i = 0; i < count; i++) {
		ngtcp2_rtb_entry *entry = find(f, packets[i].number);

		if (!entry)
			continue;
		total.bytes_delivered += entry->pktlen;
		if (entry->rst.pkt_id > newest) {
			newest = entry->rst.pkt_id;
			total.pkt_delivered = entry->rst.delivered;
			total.largest_pkt_sent_ts = entry->ts;
		}
		ngtcp2_rst_update_rate_sample(&f->rst, entry, path->now);
		if (cc->on_pkt_acked) {
			ngtcp2_cc_pkt packet = packet_of(entry);

			cc->on_pkt_acked(cc, &f->stat, &packet, path->now);
		}
		entry->pktlen = 0;
	}
	if (total.bytes_delivered)
		ngtcp2_rst_on_ack_recv(&f->rst, &f->stat);
	if (cc->on_ack_recv)
		cc->on_ack_recv(cc, &f->stat, &total, path->now);
	f->lost_at = NARROWS_NONE;
}

static void spurious(void *flow, const struct narrows_path *path)
{
	struct flow *f = flow;

	update(f, path);
	if (f->rule.cc.on_spurious_congestion)
		f->rule.cc.on_spurious_congestion(&f->rule.cc, &f->stat, path->now);
}

static void idle_restart(void *flow, const struct narrows_path *path, uint64_t since)
{
	struct flow *f = flow;

	update(f, path);
	limited_by_application(f);
}

/* A number of bytes in packets, or of bytes per second in bits per second, or none where nothing bounds it. */
static double scaled(uint64_t value, double factor)
{
	return value == UINT64_MAX ? NAN : (double)value * factor;
}

static void observe_bbr(const void *flow, double *values)
{
	const struct flow *f = flow;
	const ngtcp2_cc_bbr *bbr = &f->rule.bbr;
	double packet = 1.0 / (double)f->mss;

	*values++ = bbr->state - NGTCP2_BBR_STATE_STARTUP;
	*values++ = scaled(bbr->bw, 8);
	*values++ = scaled(bbr->max_bw, 8);
	*values++ = scaled(bbr->min_rtt, 1e-9);
	*values++ = scaled(bbr->inflight_longterm, packet);
	*values++ = scaled(bbr->inflight_shortterm, packet);
	*values++ = (double)bbr->cycle_count;
	*values++ = bbr->ack_phase;
}

/* The first six are those of `bbr3` of Narrows, with its numbers of states and its units, so that measures of one read the other. */
static const char *const variables_of_bbr[] = { "state", "bandwidth_bps", "max_bandwidth_bps", "min_rtt_s", "inflight_longterm",
						"inflight_shortterm", "cycle_count", "ack_phase", NULL };

/* The sampler is ngtcp2's, but only the host knows when the application limits the rate, so nothing is declined. */
#define CONTROLLER                                                                                                                         \
	.version = NARROWS_VERSION, .destroy = destroy, .limits = limits, .acked = acked, .lost = lost,          \
	.sent = sent, .spurious = spurious, .idle_restart = idle_restart

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const struct narrows_controller reno = { CONTROLLER, .create = create_reno };
EXPORTED const struct narrows_controller cubic = { CONTROLLER, .create = create_cubic };
EXPORTED const struct narrows_controller bbr = { CONTROLLER,
						 .create = create_bbr,
						 .variables = variables_of_bbr,
						 .observe = observe_bbr };
