/* SPDX-License-Identifier: Apache-2.0
 * A rule behind that interface, which adds a packet for each acknowledged window and halves the window at a loss, and which ends the
 * process where what the recipe passes to it contradicts what it has passed before. Its variable `cycle_count` is the number of
 * packets that the application limited. */
#include "stand_in.h"

#include <stdlib.h>

#define MUST(condition)                                                                                                                    \
	do {                                                                                                                               \
		if (!(condition))                                                                                                          \
			abort();                                                                                                           \
	} while (0)

static ngtcp2_tstamp latest(ngtcp2_cc *cc, ngtcp2_tstamp now)
{
	ngtcp2_cc_bbr *rule = (ngtcp2_cc_bbr *)cc;

	MUST(now >= rule->seen_ts);
	return rule->seen_ts = now;
}

static void consistent(ngtcp2_cc *cc, const ngtcp2_conn_stat *stat, const ngtcp2_cc_pkt *packet, ngtcp2_tstamp now)
{
	const ngtcp2_cc_bbr *rule = (ngtcp2_cc_bbr *)cc;

	MUST(packet->pktlen == stat->max_tx_udp_payload_size && packet->sent_ts < latest(cc, now));
	MUST(packet->tx_in_flight >= packet->pktlen && packet->lost <= rule->rst->lost);
}

static void acked(ngtcp2_cc *cc, ngtcp2_conn_stat *stat, const ngtcp2_cc_pkt *packet, ngtcp2_tstamp now)
{
	consistent(cc, stat, packet, now);
	((ngtcp2_cc_bbr *)cc)->cycle_count += packet->is_app_limited != 0;
}

static void lost(ngtcp2_cc *cc, ngtcp2_conn_stat *stat, const ngtcp2_cc_pkt *packet, ngtcp2_tstamp now)
{
	const ngtcp2_cc_bbr *rule = (ngtcp2_cc_bbr *)cc;

	consistent(cc, stat, packet, now);
	MUST(rule->rst->lost >= packet->lost + packet->pktlen);
}

static void event(ngtcp2_cc *cc, ngtcp2_conn_stat *stat, ngtcp2_tstamp sent, const ngtcp2_cc_ack *ack, ngtcp2_tstamp now)
{
	MUST(ack->bytes_lost > 0 && sent < latest(cc, now));
	if (stat->congestion_recovery_start_ts != UINT64_MAX && sent <= stat->congestion_recovery_start_ts)
		return;
	stat->congestion_recovery_start_ts = now;
	stat->cwnd = stat->cwnd / 2 > 2 * stat->max_tx_udp_payload_size ? stat->cwnd / 2 : 2 * stat->max_tx_udp_payload_size;
	stat->ssthresh = stat->cwnd;
}

static void persistent(ngtcp2_cc *cc, ngtcp2_conn_stat *stat, ngtcp2_tstamp now)
{
	latest(cc, now);
	stat->cwnd = 2 * stat->max_tx_udp_payload_size;
}

static void received(ngtcp2_cc *cc, ngtcp2_conn_stat *stat, const ngtcp2_cc_ack *ack, ngtcp2_tstamp now)
{
	ngtcp2_cc_bbr *rule = (ngtcp2_cc_bbr *)cc;

	latest(cc, now);
	/* A sample of the round-trip time is that of a packet. */
	MUST(ack->rtt == UINT64_MAX || ack->bytes_delivered);
	if (!ack->bytes_delivered)
		return;
	MUST(ack->largest_pkt_sent_ts < now && ack->pkt_delivered + ack->bytes_delivered <= rule->rst->delivered);
	MUST(stat->smoothed_rtt > 0 && stat->min_rtt <= stat->latest_rtt);
	rule->min_rtt = stat->min_rtt;
	if (rule->rst->is_cwnd_limited)
		stat->cwnd += stat->cwnd < stat->ssthresh ? ack->bytes_delivered :
							    ack->bytes_delivered * stat->max_tx_udp_payload_size / stat->cwnd;
}

static void leaves(ngtcp2_cc *cc, ngtcp2_conn_stat *stat, const ngtcp2_cc_pkt *packet)
{
	MUST(packet->sent_ts == latest(cc, packet->sent_ts) && packet->tx_in_flight == 0);
	MUST(stat->bytes_in_flight % stat->max_tx_udp_payload_size == 0);
}

static void init(ngtcp2_cc_bbr *rule, ngtcp2_conn_stat *stat, ngtcp2_rst *rst)
{
	*rule = (ngtcp2_cc_bbr){ .cc = { acked, lost, event, NULL, persistent, received, leaves },
				 .rst = rst,
				 .state = NGTCP2_BBR_STATE_STARTUP,
				 .inflight_longterm = UINT64_MAX };
	stat->pacing_interval_m = (NGTCP2_MILLISECONDS << 10) / stat->cwnd / 8;
	stat->send_quantum = 10 * stat->max_tx_udp_payload_size;
}

void ngtcp2_cc_bbr_init(ngtcp2_cc_bbr *rule, ngtcp2_log *log, ngtcp2_conn_stat *stat, ngtcp2_rst *rst, ngtcp2_tstamp now, ngtcp2_pcg32 *random)
{
	MUST(log && !log->log_write && !log->log_printf && random->state);
	init(rule, stat, rst);
	rule->seen_ts = now;
}

/* The others have no room for what the rule keeps, and are not run. */
void ngtcp2_cc_reno_init(ngtcp2_cc_reno *rule, ngtcp2_log *log, ngtcp2_conn_stat *stat) { abort(); }
void ngtcp2_cc_cubic_init(ngtcp2_cc_cubic *rule, ngtcp2_log *log, ngtcp2_conn_stat *stat, ngtcp2_rst *rst) { abort(); }

void ngtcp2_pcg32_init(ngtcp2_pcg32 *random, uint64_t seed) { random->state = seed | 1; }
void ngtcp2_rst_init(ngtcp2_rst *rst) { *rst = (ngtcp2_rst){ .pkt_id = -1 }; }
void ngtcp2_rst_reset_rate_sample(ngtcp2_rst *rst, ngtcp2_conn_stat *stat) { stat->delivery_rate_sec = 0; }

void ngtcp2_rst_on_pkt_sent(ngtcp2_rst *rst, ngtcp2_rtb_entry *entry, const ngtcp2_conn_stat *stat)
{
	entry->rst.delivered = rst->delivered;
	entry->rst.tx_in_flight = stat->bytes_in_flight;
	entry->rst.lost = rst->lost;
	entry->rst.is_app_limited = rst->app_limited != 0;
	entry->rst.pkt_id = ++rst->pkt_id;
}

void ngtcp2_rst_update_rate_sample(ngtcp2_rst *rst, const ngtcp2_rtb_entry *entry, ngtcp2_tstamp now)
{
	MUST(entry->ts < now && entry->rst.pkt_id <= rst->pkt_id);
	rst->delivered += entry->pktlen;
}

void ngtcp2_rst_on_ack_recv(ngtcp2_rst *rst, ngtcp2_conn_stat *stat) { stat->delivery_rate_sec = rst->delivered; }

ngtcp2_cc_pkt *ngtcp2_cc_pkt_init(ngtcp2_cc_pkt *packet, int64_t number, size_t size, ngtcp2_pktns_id space, ngtcp2_tstamp sent,
				  uint64_t lost, uint64_t in_flight, int limited)
{
	*packet = (ngtcp2_cc_pkt){ number, size, space, sent, lost, in_flight, limited };
	return packet;
}
