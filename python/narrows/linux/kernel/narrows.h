/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the kernel and the library of the network exchange. Times are nanoseconds of the run. */
#ifndef NARROWS_H
#define NARROWS_H

enum { NW_DELIVER = 1, NW_FREE, NW_OPEN, NW_WRITE, NW_CLOSE, NW_END };

struct nw_packet {
	unsigned long long buffer;
	unsigned int host;
	unsigned int length;
	unsigned int sequence;
	unsigned int payload;
	unsigned int connection;
	unsigned char flags;
	unsigned char ecn;
};

struct nw_action {
	unsigned int kind;
	unsigned int connection;
	unsigned long long buffer;
	unsigned long long bytes;
	unsigned int host;
	unsigned int marked;
	char algorithm[16];
};

struct nw_state {
	unsigned int cwnd;
	unsigned int ssthresh;
	unsigned int in_flight;
	unsigned int srtt_us;
	unsigned int rtt_us;
	unsigned int min_rtt_us;
	unsigned long long pacing_rate;
	unsigned long long acked;
	unsigned long long received;
	unsigned int delivered;
	unsigned int timeouts;
	unsigned char phase;
	unsigned char established;
	unsigned char aborted;
	unsigned char window_limited;
};

struct nw_configuration {
	unsigned int connections;
	unsigned int mtu;
	unsigned int ecn;
	unsigned int buffer;
	unsigned long long seed;
};

struct nw_library {
	int (*open)(const char *job);
	void (*config)(struct nw_configuration *configuration);
	int (*transmit)(unsigned long long now, const struct nw_packet *packet);
	unsigned long long (*deadline)(void);
	int (*next)(unsigned long long now, struct nw_action *action);
	void (*state)(unsigned long long now, unsigned int connection, const struct nw_state *state);
	int (*finish)(void);
};

/* Loads the library and its job; ends the process if that fails. */
void nw_load(const char *path, const char *job, struct nw_library *library);
#endif
