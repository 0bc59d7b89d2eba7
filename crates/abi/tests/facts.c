/* SPDX-License-Identifier: Apache-2.0
 * A controller with a constant window that gives none, which is refused, as soon as a fact is not as the header says for DECLINES. */
#include "narrows.h"

#if NARROWS_VERSION < 2
enum narrows_facts { NARROWS_PACKETS = 1, NARROWS_RATE = 2 };
#endif

static int wrong;
static uint64_t listed, sampled, lost_packets, sent_packets;
__attribute__((unused)) static uint64_t retransmitted;

static void *create(const struct narrows_setup *setup, const double *parameters)
{
#if NARROWS_VERSION > 1
	wrong |= setup->now != STARTS;
#endif
	return &wrong;
}

static void destroy(void *flow)
{
}

static void limits(const void *flow, struct narrows_limits *l)
{
	if (!wrong)
		l->window = 60000;
}

static void check(uint64_t number, uint64_t size, const struct narrows_packet *packets, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		sum += packets[i].size;
		wrong |= packets[i].number >= sent_packets || packets[i].app_limited > 1;
#if NARROWS_VERSION > 2
		wrong |= packets[i].retransmits != NARROWS_NONE && packets[i].retransmits >= packets[i].number;
#endif
	}
	if (DECLINES & NARROWS_PACKETS)
		wrong |= count != 0 || size != (number ? NARROWS_NONE : 0);
	else
		wrong |= count != number || size != sum;
	listed += count;
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path,
		  const struct narrows_packet *packets, uint64_t count)
{
	check(ack->packets, ack->size, packets, count);
	wrong |= (ack->largest == NARROWS_NONE) != !count;
	wrong |= (ack->rate == NARROWS_NONE) != (ack->interval == NARROWS_NONE);
	sampled += ack->rate != NARROWS_NONE;
	/* By then every fact that is not declined has come. */
	if (path->now > 20000000000) {
		wrong |= !listed != !!(DECLINES & NARROWS_PACKETS);
		wrong |= !sampled != !!(DECLINES & NARROWS_RATE);
		wrong |= !lost_packets;
#if NARROWS_VERSION > 2
		wrong |= !retransmitted != !!(DECLINES & NARROWS_PACKETS);
#endif
	}
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path,
		 const struct narrows_packet *packets, uint64_t count)
{
	check(loss->packets, loss->size, packets, count);
	lost_packets += loss->packets;
}

/* Numbers are given in order, and never again. */
static void sent(void *flow, const struct narrows_packet *packet, const struct narrows_path *path)
{
	wrong |= packet->number != sent_packets++;
#if NARROWS_VERSION > 2
	retransmitted += packet->retransmits != NARROWS_NONE;
	wrong |= packet->retransmits != NARROWS_NONE && packet->retransmits >= packet->number;
#endif
}

const struct narrows_controller mine = {
	.version = NARROWS_VERSION,
#if NARROWS_VERSION > 1
	.declines = DECLINES,
#endif
	.create = create,
	.destroy = destroy,
	.limits = limits,
	.acked = acked,
	.lost = lost,
	.sent = sent,
};
