/* SPDX-License-Identifier: Apache-2.0
 *
 * CUBIC of LSQUIC behind the C interface of Narrows. The rule and the smoothing of round-trip times are LSQUIC's, compiled from a
 * checkout; here is what its connection does around them (src/liblsquic/lsquic_send_ctl.c). Departures from that:
 *
 * - The host paces at the rule's rate in bursts of two packets at least; LSQUIC's pacer lets ten packets go at the start and after an
 *   idle time, and rounds times to its clock.
 * - A timeout is the retransmission timeout of the host; in QUIC stacks it is persistent congestion, which LSQUIC does not know.
 * - LSQUIC ignores marks, and so does this. */
#include "narrows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "lsquic_int_types.h"
#include "lsquic_types.h"
#include "lsquic_hash.h"
#include "lsquic_util.h"
#include "lsquic_cong_ctl.h"
#include "lsquic_sfcw.h"
#include "lsquic_conn_flow.h"
#include "lsquic_varint.h"
#include "lsquic_hq.h"
#include "lsquic_stream.h"
#include "lsquic_rtt.h"
#include "lsquic_conn_public.h"
#include "lsquic_packet_common.h"
#include "lsquic_packet_out.h"
#include "lsquic_cubic.h"
#include "lsquic_logger.h"

struct flow {
	struct lsquic_cubic rule;
	struct lsquic_conn_public connection; /* only round-trip times are read */
	uint64_t mss, last_sent, cut_at; /* numbers: of the last packet sent, and of the last one at the last cut */
	int paced, has_cut, was_quiet, recovering;
};

/* The log of LSQUIC, without output. */
enum lsq_log_level lsq_log_levels[N_LSQUIC_LOGGER_MODULES];
const lsquic_cid_t *lsquic_conn_log_cid(const lsquic_conn_t *connection) { return NULL; }
void lsquic_logger_log2(enum lsq_log_level level, enum lsquic_logger_module module, const lsquic_cid_t *id, const char *format, ...) {}
lsquic_time_t lsquic_time_now(void) { return 0; }

/* Microseconds; LSQUIC takes 0 as "not known". */
static lsquic_time_t us(uint64_t ns)
{
	return ns / 1000 + 1;
}

static void *create(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->mss = setup->mss;
	f->paced = isnan(parameters[0]) || parameters[0] != 0;
	lsquic_cong_cubic_if.cci_init(&f->rule, &f->connection);
	/* The initial window is the scenario's: LSQUIC has one of 32 packets. */
	f->rule.cu_cwnd = setup->initial_window;
	if (setup->initial_ssthresh != NARROWS_NONE)
		f->rule.cu_ssthresh = setup->initial_ssthresh;
	return f;
}

static void limits(const void *flow, struct narrows_limits *l)
{
	struct flow *f = (struct flow *)flow;

	l->window = lsquic_cong_cubic_if.cci_get_cwnd(&f->rule);
	l->ssthresh = f->rule.cu_ssthresh;
	if (f->paced)
		l->pacing_rate = 8 * lsquic_cong_cubic_if.cci_pacing_rate(&f->rule, f->recovering);
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path, const struct narrows_packet *packets,
		  uint64_t count)
{
	struct flow *f = flow;
	/* Of the bytes in flight before the acknowledgement, as LSQUIC computes it at the first packet. */
	int limited = path->in_flight + ack->size + 3 * path->mss < f->rule.cu_cwnd;
	uint64_t i;

	f->mss = path->mss;
	if (ack->rtt != NARROWS_NONE)
		lsquic_rtt_stats_update(&f->connection.rtt_stats, ack->rtt / 1000, 0);
	if (f->was_quiet)
		lsquic_cong_cubic_if.cci_was_quiet(&f->rule, us(path->now), path->in_flight);
	f->was_quiet = 0;
	for (i = 0; i < count; i++) {
		struct lsquic_packet_out packet = { .po_sent = us(packets[i].sent_at), .po_packno = packets[i].number };

		lsquic_cong_cubic_if.cci_ack(&f->rule, &packet, (unsigned)packets[i].size, us(path->now), limited);
	}
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path, const struct narrows_packet *packets,
		 uint64_t count)
{
	struct flow *f = flow;
	uint64_t i, largest = 0;

	if (loss->cause == NARROWS_TIMEOUT) {
		lsquic_cong_cubic_if.cci_timeout(&f->rule);
		return;
	}
	for (i = 0; i < count; i++)
		largest = packets[i].number > largest ? packets[i].number : largest;
	if (count && (!f->has_cut || largest > f->cut_at)) {
		lsquic_cong_cubic_if.cci_loss(&f->rule);
		f->has_cut = f->recovering = 1;
		f->cut_at = f->last_sent;
	}
}

static void sent(void *flow, const struct narrows_packet *packet, const struct narrows_path *path)
{
	((struct flow *)flow)->last_sent = packet->number;
}

static void recovered(void *flow, const struct narrows_path *path)
{
	((struct flow *)flow)->recovering = 0;
}

static void idle_restart(void *flow, const struct narrows_path *path, uint64_t since)
{
	((struct flow *)flow)->was_quiet = 1;
}

static const char *const parameters[] = { "paced", NULL };

__attribute__((visibility("default"))) const struct narrows_controller cubic = {
	.version = NARROWS_VERSION,
	.declines = NARROWS_RATE,
	.parameters = parameters,
	.create = create,
	.destroy = free,
	.limits = limits,
	.acked = acked,
	.lost = lost,
	.sent = sent,
	.recovered = recovered,
	.idle_restart = idle_restart,
};
