/* SPDX-License-Identifier: Apache-2.0
 * A controller with a constant window that gives none, which is refused, as soon as a fact is not as the header says for DECLINES. */
#include "narrows.h"

static int wrong;
static uint64_t listed, sampled, lost_packets;

static void *create(const struct narrows_setup *setup, const double *parameters)
{
	wrong |= setup->now != STARTS;
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

	for (uint64_t i = 0; i < count; i++)
		sum += packets[i].size;
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
	}
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path,
		 const struct narrows_packet *packets, uint64_t count)
{
	check(loss->packets, loss->size, packets, count);
	lost_packets += loss->packets;
}

const struct narrows_controller mine = {
	.version = NARROWS_VERSION,
	.declines = DECLINES,
	.create = create,
	.destroy = destroy,
	.limits = limits,
	.acked = acked,
	.lost = lost,
};
