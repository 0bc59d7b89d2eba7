/* SPDX-License-Identifier: Apache-2.0
 * NewReno (RFC 5681, RFC 6582) behind the C interface: the same rule as the catalogue's. Windows are in packets inside. */
#include "narrows.h"
#include <math.h>
#include <stdlib.h>

struct flow {
	double window, ssthresh, initial, mss, factor;
	double before, before_ssthresh; /* of the last episode; 0 if there is nothing to undo */
};

static void *create(const struct narrows_setup *setup, const double *parameters)
{
	struct flow *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->mss = setup->mss;
	f->initial = f->window = setup->initial_window / f->mss;
	f->ssthresh = setup->initial_ssthresh == NARROWS_NONE ? INFINITY : setup->initial_ssthresh / f->mss;
	f->factor = isnan(parameters[0]) ? 0.5 : parameters[0];
	if (f->factor <= 0 || f->factor >= 1) {
		free(f);
		return NULL;
	}
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
	double left = ack->counted;

	if (f->window < f->ssthresh) {
		double room = f->ssthresh - f->window;

		f->window += fmin(left, room);
		left -= fmin(left, room);
	}
	if (left > 0)
		f->window += left / f->window;
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path,
		 const struct narrows_packet *packets, uint64_t count)
{
	struct flow *f = flow;

	if (loss->new_episode) {
		f->before = f->window;
		f->before_ssthresh = f->ssthresh;
		f->ssthresh = fmax(f->window * f->factor, 2);
		f->window = fmin(f->ssthresh, f->window);
	}
	if (loss->cause == NARROWS_TIMEOUT)
		f->window = 1;
}

static void spurious(void *flow, const struct narrows_path *path)
{
	struct flow *f = flow;

	if (f->before > 0) {
		f->window = fmax(f->window, f->before);
		f->ssthresh = f->before_ssthresh;
	}
	f->before = 0;
}

static void idle_restart(void *flow, const struct narrows_path *path, uint64_t since)
{
	struct flow *f = flow;

	f->window = fmax(fmin(f->window, f->initial), 1);
	f->before = 0;
}

static void observe(const void *flow, double *values)
{
	const struct flow *f = flow;

	values[0] = f->before > 0 ? f->before : NAN;
}

static const char *const parameters[] = { "factor", NULL };
static const char *const variables[] = { "window_before", NULL };

const struct narrows_controller newreno = {
	.version = NARROWS_VERSION,
#if NARROWS_VERSION > 1
	.declines = NARROWS_PACKETS | NARROWS_RATE,
#endif
	.parameters = parameters,
	.variables = variables,
	.create = create,
	.destroy = free,
	.limits = limits,
	.acked = acked,
	.lost = lost,
	.spurious = spurious,
	.idle_restart = idle_restart,
	.observe = observe,
};
