/* SPDX-License-Identifier: Apache-2.0
 * The congestion avoidance of Reno (RFC 5681) alone: slow start and undo are the host's. Windows are in packets inside. */
#include "narrows.h"
#include <math.h>
#include <stdlib.h>

struct flow {
	double window, ssthresh, mss;
};

static void set(void *flow, uint64_t window, uint64_t ssthresh)
{
	struct flow *f = flow;

	f->window = window / f->mss;
	f->ssthresh = ssthresh == NARROWS_NONE ? INFINITY : ssthresh / f->mss;
}

static void *create(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (f) {
		f->mss = setup->mss;
		set(f, setup->initial_window, setup->initial_ssthresh);
	}
	return f;
}

__attribute__((unused)) static void *copy(const void *flow)
{
	struct flow *f = malloc(sizeof(*f));

	if (f)
		*f = *(const struct flow *)flow;
	return f;
}

static void limits(const void *flow, struct narrows_limits *l)
{
	const struct flow *f = flow;

	l->window = (uint64_t)(f->window * f->mss);
	if (isfinite(f->ssthresh))
		l->ssthresh = (uint64_t)(f->ssthresh * f->mss);
}

static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path,
		  const struct narrows_packet *packets, uint64_t count)
{
	struct flow *f = flow;

	if (f->window >= f->ssthresh)
		f->window += ack->counted_size / f->mss / f->window;
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path,
		 const struct narrows_packet *packets, uint64_t count)
{
	struct flow *f = flow;

	if (loss->new_episode) {
		f->ssthresh = fmax(f->window / 2, 2);
		f->window = fmin(f->ssthresh, f->window);
	}
	if (loss->cause == NARROWS_TIMEOUT)
		f->window = 1;
}

#ifndef PARTS
#define PARTS (NARROWS_SLOW_START | NARROWS_UNDO)
#endif

const struct narrows_controller avoidance = {
	.version = NARROWS_VERSION,
	.declines = NARROWS_PACKETS | NARROWS_RATE | PARTS,
	.create = create,
	.destroy = free,
	.limits = limits,
	.acked = acked,
	.lost = lost,
#ifndef NO_SET
	.set = set,
#endif
#ifndef NO_COPY
	.copy = copy,
#endif
};
