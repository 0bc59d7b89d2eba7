/* SPDX-License-Identifier: Apache-2.0
 *
 * The congestion controllers of quicly behind the C interface of Narrows: `reno`, `cubic` and `pico`. The rules are quicly's, compiled
 * from a checkout; here is what its connection does around them (`handle_ack_frame`, `notify_congestion_to_cc` in lib/quicly.c).
 * Departures from that:
 *
 * - A timeout is taken as a loss, since a QUIC sender declares no loss at a timeout: quicly's own function for persistent congestion is
 *   empty, so that the window would stay.
 * - The packet whose acknowledgement has a mark is taken for the largest one acknowledged.
 * - Jumpstart and rapid start are not enabled, as in quicly's default configuration. */
#include "narrows.h"

#include <math.h>
#include <stdlib.h>

#include "quicly.h"
#include "quicly/cc.h"

struct flow {
	quicly_cc_t cc;
	quicly_loss_t loss; /* only round-trip times and bytes in flight are read */
	uint64_t mss, next, largest; /* number of the next packet, and the largest one acknowledged */
};

static int64_t ms(uint64_t ns)
{
	return (int64_t)(ns / 1000000);
}

/* In whole milliseconds, of which quicly takes none as one. */
static uint32_t rtt_ms(uint64_t ns)
{
	return ns < 1000000 ? 1 : (uint32_t)(ns / 1000000);
}

static void update(struct flow *f, const struct narrows_path *path)
{
	f->mss = path->mss;
	f->loss.sentmap.bytes_in_flight = path->in_flight;
	if (path->rtt_latest == NARROWS_NONE)
		return;
	f->loss.rtt.minimum = rtt_ms(path->rtt_min);
	f->loss.rtt.smoothed = rtt_ms(path->rtt_smoothed);
	f->loss.rtt.variance = rtt_ms(path->rtt_variation);
	f->loss.rtt.latest = rtt_ms(path->rtt_latest);
}

static void *create(const struct narrows_setup *setup, quicly_init_cc_t *init)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->mss = setup->mss;
	f->loss.rtt.smoothed = f->loss.rtt.latest = QUICLY_DEFAULT_INITIAL_RTT;
	f->loss.rtt.minimum = UINT32_MAX;
	init->cb(init, &f->cc, (uint32_t)setup->initial_window, ms(setup->now));
	if (setup->initial_ssthresh < UINT32_MAX)
		f->cc.ssthresh = (uint32_t)setup->initial_ssthresh;
	return f;
}

static void *create_reno(const struct narrows_setup *setup, const double *parameters)
{
	return create(setup, &quicly_cc_reno_init);
}

static void *create_cubic(const struct narrows_setup *setup, const double *parameters)
{
	return create(setup, &quicly_cc_cubic_init);
}

static void *create_pico(const struct narrows_setup *setup, const double *parameters)
{
	return create(setup, &quicly_cc_pico_init);
}

static void limits(const void *flow, struct narrows_limits *l)
{
	const struct flow *f = flow;

	l->window = f->cc.cwnd;
	if (f->cc.ssthresh != UINT32_MAX)
		l->ssthresh = f->cc.ssthresh;
}

static void sent(void *flow, const struct narrows_packet *packet, const struct narrows_path *path)
{
	struct flow *f = flow;

	update(f, path);
	f->next = packet->number + 1;
	f->cc.type->cc_on_sent(&f->cc, &f->loss, (uint32_t)packet->size, ms(path->now));
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path, const struct narrows_packet *packets,
		  uint64_t count)
{
	struct flow *f = flow;
	uint32_t size = (uint32_t)ack->size;
	int limited = path->in_flight >= f->cc.cwnd / 2;
	uint64_t i;

	update(f, path);
	if (!count)
		return;
	for (i = 0; i < count; i++)
		limited |= packets[i].in_flight >= f->cc.cwnd / 2;
	if (ack->largest > f->largest)
		f->largest = ack->largest;
	f->cc.type->cc_on_acked(&f->cc, &f->loss, size, f->largest, (uint32_t)(path->in_flight + size), limited, f->next, ms(path->now),
				(uint32_t)f->mss);
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path, const struct narrows_packet *packets,
		 uint64_t count)
{
	struct flow *f = flow;
	uint64_t i;

	update(f, path);
	if (loss->cause == NARROWS_MARK)
		f->cc.type->cc_on_lost(&f->cc, &f->loss, 0, f->largest, f->next, ms(path->now), (uint32_t)f->mss);
	for (i = 0; i < count; i++)
		f->cc.type->cc_on_lost(&f->cc, &f->loss, (uint32_t)packets[i].size, packets[i].number, f->next, ms(path->now),
				       (uint32_t)f->mss);
	if (loss->cause == NARROWS_TIMEOUT)
		f->cc.type->cc_on_persistent_congestion(&f->cc, &f->loss, ms(path->now));
}

#define CONTROLLER                                                                                                                         \
	.version = NARROWS_VERSION, .declines = NARROWS_RATE, .destroy = free, .limits = limits, .acked = acked, .lost = lost,             \
	.sent = sent

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const struct narrows_controller reno = { CONTROLLER, .create = create_reno };
EXPORTED const struct narrows_controller cubic = { CONTROLLER, .create = create_cubic };
EXPORTED const struct narrows_controller pico = { CONTROLLER, .create = create_pico };
