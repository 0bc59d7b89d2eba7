/* SPDX-License-Identifier: Apache-2.0
 * A controller that breaks one promise of the header: that which is defined when this is compiled. */
#include "narrows.h"
#include <fenv.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION NARROWS_VERSION
#endif
#ifndef ECN
#define ECN NARROWS_CLASSIC
#endif
#ifndef DECLINES
#define DECLINES 0
#endif

static int flow;
static uint64_t now, events;

__attribute__((unused)) static void endless(void)
{
	for (volatile int i = 0;; i++)
		;
}

#ifdef LOADING_CRASHES
__attribute__((constructor)) static void load(void)
{
	abort();
}
#endif
#ifdef LOADING_LOOPS
__attribute__((constructor)) static void load(void)
{
	endless();
}
#endif

static void *create(const struct narrows_setup *setup, const double *parameters)
{
#ifdef CREATE_LOOPS
	endless();
#endif
#ifdef CREATE_CRASHES
	abort();
#endif
#ifdef REFUSES
	return NULL;
#endif
#ifdef ROUNDS
	fesetround(FE_TOWARDZERO);
#endif
	now = setup->now;
	return &flow;
}

static void destroy(void *flow)
{
#ifdef DESTROY_LOOPS
	endless();
#endif
#ifdef DESTROY_CRASHES
	abort();
#endif
}

static void limits(const void *flow, struct narrows_limits *l)
{
	l->window = 30000;
#ifdef RATE_ALONE
	l->window = NARROWS_NONE;
	l->pacing_rate = 5000000;
#endif
#ifdef TIMER_STORM
	l->timer = now + 1;
#endif
	if (events < 3)
		return;
#ifdef WRITES_PAST
	((uint64_t *)l)[sizeof(*l) / sizeof(uint64_t)] = 1;
#endif
#ifdef LIMITS_LOOPS
	endless();
#endif
#ifdef NO_LIMIT
	l->window = NARROWS_NONE;
#endif
#ifdef RATE_ALONE_LATER
	l->window = NARROWS_NONE;
	l->pacing_rate = 5000000;
#endif
#ifdef ZERO_WINDOW
	l->window = 0;
#endif
#ifdef ZERO_RATE
	l->pacing_rate = 0;
#endif
#ifdef ZERO_BURST
	l->burst = 0;
#endif
#ifdef PAST_TIMER
	l->timer = now - 1;
#endif
#ifdef NAN_WINDOW
	volatile double nan = __builtin_nan("");

	l->window = (uint64_t)nan;
#endif
#ifdef NEGATIVE_WINDOW
	l->window = (uint64_t)-30000;
#endif
#ifdef HUGE
	l->window = l->ssthresh = INT64_MAX;
	l->timer = NARROWS_NONE - 1;
	l->pacing_rate = 1000000000000;
	l->burst = INT64_MAX;
#endif
}

__attribute__((unused))
static void acked(void *flow, const struct narrows_ack *ack, const struct narrows_path *path,
		  const struct narrows_packet *packets, uint64_t count)
{
	now = path->now;
	events++;
#ifdef LEAKS
	static void *volatile taken;

	taken = malloc(1 << 20);
	memset(taken, 1, 1 << 20);
#endif
#ifdef CRASHES
	*(volatile int *)8 = 1;
#endif
#ifdef ABORTS
	abort();
#endif
#ifdef EXITS
	_exit(0);
#endif
#ifdef LOOPS
	endless();
#endif
#ifdef WAITS
	for (;;)
		pause();
#endif
}

static void lost(void *flow, const struct narrows_loss *loss, const struct narrows_path *path,
		 const struct narrows_packet *packets, uint64_t count)
{
}

static void timer(void *flow, const struct narrows_path *path)
{
	now = path->now;
}

static void observe(const void *flow, double *values)
{
#ifdef OBSERVES_PAST
	values[1] = 1;
#endif
}

static const char *const variables[] = { "number", NULL };

const struct narrows_controller mine = {
	.version = VERSION,
	.ecn = ECN,
	.declines = DECLINES,
	.create = create,
	.destroy = destroy,
	.limits = limits,
#ifndef NO_ACKED
	.acked = acked,
#endif
	.lost = lost,
	.timer = timer,
	.variables = variables,
	.observe = observe,
};
