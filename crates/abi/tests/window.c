/* SPDX-License-Identifier: Apache-2.0
 * A controller with a constant window of WINDOW bytes that gives no limit, which is refused, as soon as the bytes in flight are not as this
 * window allows: after a second, at most the window, and in each second at times less than a packet below it. Its own count may have a
 * packet of the handshake more, which carries nothing but acknowledgements: noq reports it as sent, and it is never acknowledged. */
#include "narrows.h"
#include <stdlib.h>

struct flow {
	uint64_t outstanding, most_outstanding, most_stated, since, seconds;
	int wrong;
};

static void *create(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (f)
		f->since = setup->now;
	return f;
}

static void limits(const void *flow, struct narrows_limits *l)
{
	const struct flow *f = flow;

	if (!f->wrong)
		l->window = WINDOW;
}

static void sent(void *flow, const struct narrows_packet *packet, const struct narrows_path *path)
{
	struct flow *f = flow;

	f->outstanding += packet->size;
	f->wrong |= packet->in_flight != path->in_flight;
	if (f->most_outstanding < f->outstanding)
		f->most_outstanding = f->outstanding;
	if (f->most_stated < path->in_flight)
		f->most_stated = path->in_flight;
	if (path->now < f->since + 1000000000)
		return;
	if (f->seconds++) {
		f->wrong |= f->most_stated > WINDOW || f->most_stated + path->mss <= WINDOW;
		f->wrong |= f->most_outstanding > WINDOW + 1200 || f->most_outstanding + path->mss <= WINDOW;
	}
	f->most_outstanding = f->most_stated = 0;
	f->since = path->now;
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path,
		  const struct narrows_packet *packets, uint64_t count)
{
	((struct flow *)flow)->outstanding -= ack->size;
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path,
		 const struct narrows_packet *packets, uint64_t count)
{
	((struct flow *)flow)->outstanding -= loss->size;
}

const struct narrows_controller constant = {
	.version = NARROWS_VERSION,
	.create = create,
	.destroy = free,
	.limits = limits,
	.sent = sent,
	.acked = acked,
	.lost = lost,
};
