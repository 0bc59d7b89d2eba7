/* SPDX-License-Identifier: Apache-2.0
 * A congestion controller behind a C interface. A library exports one `const struct narrows_controller` for each controller, under its
 * name. Every field is 64 bits wide. Times are nanoseconds of the run, sizes bytes of payload, rates bits per second of payload, flags
 * 0 or 1. Nothing is called back, no pointer is valid after the call that had it, and calls for one flow do not overlap.
 * docs/controllers.md of Narrows says what each field means, and in which order calls come. */
#ifndef NARROWS_H
#define NARROWS_H
#include <stdint.h>

#define NARROWS_VERSION 1
#define NARROWS_NONE UINT64_MAX /* no time, no sample, no limit */

enum narrows_cause { NARROWS_DETECTED, NARROWS_TIMEOUT, NARROWS_MARK, NARROWS_PERSISTENT };
enum narrows_ecn { NARROWS_CLASSIC, NARROWS_COUNTED, NARROWS_LOW_LATENCY };

struct narrows_setup { uint64_t mss, initial_window, initial_ssthresh, seed; };
struct narrows_path {
	uint64_t now, mss, in_flight, packets_in_flight; /* after the event */
	uint64_t rtt_latest, rtt_min, rtt_smoothed, rtt_variation; /* NARROWS_NONE before the first sample */
	uint64_t round, window_limited, next_departure;
};
struct narrows_packet { uint64_t number, size, sent_at, in_flight, lost_before, app_limited; };
struct narrows_ack {
	uint64_t packets, size, counted, advanced; /* counted: packets by which a window may grow, 0 for none */
	uint64_t largest, delay, rtt, ce_packets;
	uint64_t rate, delivered, interval, prior_delivered, prior_in_flight, app_limited; /* delivery rate sample */
};
struct narrows_loss { uint64_t cause, new_episode, packets, size; };
struct narrows_limits { uint64_t window, pacing_rate, burst, ssthresh, timer; };

struct narrows_controller {
	uint64_t version, ecn;
	const char *const *parameters; /* their names, then NULL; NULL for none */
	const char *const *variables; /* what observe gives; likewise */
	void *(*create)(const struct narrows_setup *, const double *parameters); /* NaN: not given; NULL: refused */
	void (*destroy)(void *);
	void (*limits)(const void *, struct narrows_limits *); /* called after create and after every event; all are NARROWS_NONE before */
	/* Events; NULL where they are of no interest. */
	void (*acked)(void *, const struct narrows_ack *, const struct narrows_path *, const struct narrows_packet *, uint64_t count);
	void (*lost)(void *, const struct narrows_loss *, const struct narrows_path *, const struct narrows_packet *, uint64_t count);
	void (*sent)(void *, const struct narrows_packet *, const struct narrows_path *);
	void (*recovered)(void *, const struct narrows_path *);
	void (*spurious)(void *, const struct narrows_path *);
	void (*idle_restart)(void *, const struct narrows_path *, uint64_t since);
	void (*timer)(void *, const struct narrows_path *);
	void (*observe)(const void *, double *values); /* NaN: none now */
};
#endif
