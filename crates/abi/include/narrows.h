/* SPDX-License-Identifier: Apache-2.0
 * A congestion controller behind a C interface. A library exports one `const struct narrows_controller` for each controller, under its
 * name. Every field is 64 bits wide. Times are nanoseconds of the run, sizes bytes of payload, rates bits per second of payload, flags
 * 0 or 1. Nothing is called back, no pointer is valid after the call that had it, and calls for one flow do not overlap.
 * docs/controllers.md of Narrows says what each field means, and in which order calls come. A library for one version of this header
 * runs with each later one, which only appends fields. In C++ a controller needs `extern "C" const`: a plain `const` is not exported. */
#ifndef NARROWS_H
#define NARROWS_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NARROWS_VERSION 3
#define NARROWS_NONE UINT64_MAX /* no time, no sample, no limit */

enum narrows_cause { NARROWS_DETECTED, NARROWS_TIMEOUT, NARROWS_MARK }; /* in QUIC a timeout is persistent congestion */
enum narrows_ecn { NARROWS_CLASSIC, NARROWS_COUNTED, NARROWS_LOW_LATENCY };
/* Facts that a controller does not read, which then cost nothing; parts that the host does for it: slow start, with the window after an
 * idle time, and the undo of a spurious reduction. */
enum narrows_declined { NARROWS_PACKETS = 1, NARROWS_RATE = 2, NARROWS_SLOW_START = 4, NARROWS_UNDO = 8 };

struct narrows_setup { uint64_t mss, initial_window, initial_ssthresh, seed, now; };
struct narrows_path {
	uint64_t now, mss, in_flight, packets_in_flight; /* after the event; mss may be larger than at the last, and limits keep their bytes */
	uint64_t rtt_latest, rtt_min, rtt_smoothed, rtt_variation; /* NARROWS_NONE before the first sample */
	uint64_t round, window_limited, next_departure;
};
struct narrows_packet { /* no two packets have the same number; retransmits: number of the packet whose data it carries again */
	uint64_t number, size, sent_at, in_flight, lost_before, app_limited, retransmits;
};
struct narrows_ack {
	uint64_t packets, size, counted, advanced; /* counted: packets by which a window may grow, 0 for none */
	uint64_t largest, one_way, rtt, ce_packets;
	uint64_t rate, delivered, interval, prior_delivered, prior_in_flight, app_limited; /* delivery rate sample */
	uint64_t counted_size; /* as counted, in bytes: less what the slow start of the host has used */
};
struct narrows_loss { uint64_t cause, new_episode, packets, size; };
struct narrows_limits { uint64_t window, pacing_rate, burst, ssthresh, timer; };

struct narrows_controller {
	uint64_t version, ecn, declines; /* declines: of narrows_declined, 0 for none */
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
	/* Not read unless parts are declined. */
	void (*set)(void *, uint64_t window, uint64_t ssthresh); /* NARROWS_SLOW_START, NARROWS_UNDO: the host has set these */
	void *(*copy)(const void *); /* NARROWS_UNDO: a copy of all of it, which takes its place if the reduction was spurious */
};

#ifdef __cplusplus
}
#endif
#endif
