/* SPDX-License-Identifier: Apache-2.0
 * What the recipe for ngtcp2 names of its interface inside, so that the recipe compiles and runs without a checkout. */
#ifndef STAND_IN_H
#define STAND_IN_H
#include <stddef.h>
#include <stdint.h>

#define NGTCP2_MILLISECONDS 1000000ULL
#define NGTCP2_SECONDS 1000000000ULL
#define NGTCP2_DEFAULT_INITIAL_RTT (333 * NGTCP2_MILLISECONDS)
#define NGTCP2_RTB_ENTRY_FLAG_LOST_RETRANSMITTED 0x10U

typedef uint64_t ngtcp2_tstamp, ngtcp2_duration;
typedef enum { NGTCP2_PKTNS_ID_APPLICATION = 2 } ngtcp2_pktns_id;
typedef enum { NGTCP2_BBR_STATE_NONE, NGTCP2_BBR_STATE_STARTUP } ngtcp2_bbr_state;
typedef struct { void *log_write, *log_printf; } ngtcp2_log;
typedef struct { uint64_t state; } ngtcp2_pcg32;
typedef struct {
	int64_t pkt_num;
	size_t pktlen;
	ngtcp2_pktns_id pktns_id;
	ngtcp2_tstamp sent_ts;
	uint64_t lost, tx_in_flight;
	int is_app_limited;
} ngtcp2_cc_pkt;
typedef struct {
	uint64_t bytes_delivered, bytes_lost, pkt_delivered;
	ngtcp2_tstamp largest_pkt_sent_ts;
	ngtcp2_duration rtt;
} ngtcp2_cc_ack;
typedef struct {
	ngtcp2_duration latest_rtt, min_rtt, smoothed_rtt, rttvar;
	ngtcp2_tstamp first_rtt_sample_ts;
	uint64_t cwnd, ssthresh;
	ngtcp2_tstamp congestion_recovery_start_ts;
	uint64_t bytes_in_flight;
	size_t max_tx_udp_payload_size;
	uint64_t delivery_rate_sec, pacing_interval_m;
	size_t send_quantum;
} ngtcp2_conn_stat;
typedef struct {
	struct { int64_t pkt_num; } hd;
	ngtcp2_tstamp ts;
	size_t pktlen;
	struct { uint64_t delivered, tx_in_flight, lost; int64_t pkt_id; int is_app_limited; } rst;
	uint16_t flags;
} ngtcp2_rtb_entry;
typedef struct { uint64_t delivered, app_limited, lost; int64_t pkt_id; int is_cwnd_limited; } ngtcp2_rst;
typedef struct ngtcp2_cc ngtcp2_cc;
struct ngtcp2_cc {
	void (*on_pkt_acked)(ngtcp2_cc *, ngtcp2_conn_stat *, const ngtcp2_cc_pkt *, ngtcp2_tstamp);
	void (*on_pkt_lost)(ngtcp2_cc *, ngtcp2_conn_stat *, const ngtcp2_cc_pkt *, ngtcp2_tstamp);
	void (*congestion_event)(ngtcp2_cc *, ngtcp2_conn_stat *, ngtcp2_tstamp, const ngtcp2_cc_ack *, ngtcp2_tstamp);
	void (*on_spurious_congestion)(ngtcp2_cc *, ngtcp2_conn_stat *, ngtcp2_tstamp);
	void (*on_persistent_congestion)(ngtcp2_cc *, ngtcp2_conn_stat *, ngtcp2_tstamp);
	void (*on_ack_recv)(ngtcp2_cc *, ngtcp2_conn_stat *, const ngtcp2_cc_ack *, ngtcp2_tstamp);
	void (*on_pkt_sent)(ngtcp2_cc *, ngtcp2_conn_stat *, const ngtcp2_cc_pkt *);
};
typedef struct { ngtcp2_cc cc; } ngtcp2_cc_reno;
typedef struct { ngtcp2_cc cc; } ngtcp2_cc_cubic;
typedef struct {
	ngtcp2_cc cc;
	ngtcp2_rst *rst;
	ngtcp2_bbr_state state;
	int ack_phase;
	uint64_t bw, max_bw, bw_shortterm, inflight_longterm, inflight_shortterm, cycle_count;
	ngtcp2_duration min_rtt;
	ngtcp2_tstamp seen_ts;
} ngtcp2_cc_bbr;

ngtcp2_cc_pkt *ngtcp2_cc_pkt_init(ngtcp2_cc_pkt *, int64_t, size_t, ngtcp2_pktns_id, ngtcp2_tstamp, uint64_t, uint64_t, int);
void ngtcp2_cc_reno_init(ngtcp2_cc_reno *, ngtcp2_log *, ngtcp2_conn_stat *);
void ngtcp2_cc_cubic_init(ngtcp2_cc_cubic *, ngtcp2_log *, ngtcp2_conn_stat *, ngtcp2_rst *);
void ngtcp2_cc_bbr_init(ngtcp2_cc_bbr *, ngtcp2_log *, ngtcp2_conn_stat *, ngtcp2_rst *, ngtcp2_tstamp, ngtcp2_pcg32 *);
void ngtcp2_pcg32_init(ngtcp2_pcg32 *, uint64_t);
void ngtcp2_rst_init(ngtcp2_rst *);
void ngtcp2_rst_reset_rate_sample(ngtcp2_rst *, ngtcp2_conn_stat *);
void ngtcp2_rst_on_pkt_sent(ngtcp2_rst *, ngtcp2_rtb_entry *, const ngtcp2_conn_stat *);
void ngtcp2_rst_on_ack_recv(ngtcp2_rst *, ngtcp2_conn_stat *);
void ngtcp2_rst_update_rate_sample(ngtcp2_rst *, const ngtcp2_rtb_entry *, ngtcp2_tstamp);
#endif
