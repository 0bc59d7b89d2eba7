/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What the kernel and the library of the network exchange. Times are nanoseconds of the run. */
#ifndef NARROWS_NETWORK_H
#define NARROWS_NETWORK_H

enum { NW_DELIVER = 1, NW_FREE, NW_OPEN, NW_WRITE, NW_CLOSE, NW_END, NW_START };

struct nw_state;

struct nw_packet {
	unsigned long long buffer;
	/* That of the TCP socket that sends the packet; NULL if none does. For connections of programs only. */
	const struct nw_state *state;
	unsigned int host;
	unsigned int length;
	unsigned int sequence;
	unsigned int payload;
	unsigned int connection;
	/* Ports of source and destination, the former in the upper half; 0 if there are none. */
	unsigned int ports;
	unsigned char protocol;
	unsigned char flags;
	unsigned char ecn;
};

struct nw_action {
	unsigned int kind;
	unsigned int connection;
	unsigned long long buffer;
	unsigned long long bytes;
	unsigned int host;
	unsigned int ecn;
	char algorithm[16];
};

/* What a connection has agreed on, at one end; all zero where that end has no socket. */
struct nw_terms {
	/* Name of its congestion control, in the kernel's memory. */
	const char *algorithm;
	/* 0 without ECN, 1 with ECN, 2 with Accurate ECN. */
	unsigned char ecn;
	unsigned char timestamps;
	unsigned char sack;
	unsigned char scaling;
};

struct nw_state {
	/* At the sender, and at the receiver. */
	struct nw_terms terms[2];
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
	/* Packets declared lost, and reductions of the window, each for ever; the window before the last reduction. */
	unsigned int lost;
	unsigned int reductions;
	unsigned int prior_cwnd;
	unsigned int timeouts;
	unsigned char phase;
	unsigned char established;
	unsigned char aborted;
	unsigned char window_limited;
};

enum { NW_CLIENT, NW_SERVER, NW_ROLES };

/* Option of the tmpfs that holds what a program prints: as much as is kept. */
#define NW_PRINTED "size=4m"

/* A flow whose hosts run programs. */
struct nw_program {
	unsigned int connection;
	/* The host that runs the server. */
	unsigned int server;
	/* Congestion control of its two hosts, and whether they ask for ECN. */
	char algorithm[16];
	unsigned int ecn;
	/* What is executed for the client and for the server, and its environment; lists that end with NULL. */
	const char *const *arguments[NW_ROLES];
	const char *const *environment[NW_ROLES];
};

struct nw_configuration {
	unsigned int connections;
	unsigned int mtu;
	unsigned int gso;
	unsigned int buffer;
	unsigned long long seed;
	/* Lines NAME=VALUE, for both hosts; the names are paths below /proc/sys. */
	const char *sysctls;
	const struct nw_program *programs;
	unsigned int program_count;
	/* The user and the group as which programs run. */
	unsigned int user;
	unsigned int group;
};

/* What the library may call: queue disciplines of the kernel, by number. */
struct nw_queues {
	/* Makes the queue `number`, with attributes as in TCA_OPTIONS. */
	void (*make)(unsigned int number, const char *kind, const void *attributes, unsigned int bytes);
	void (*enqueue)(unsigned int number, unsigned long long buffer, unsigned int handle);
	/* Returns whether a packet leaves. */
	int (*dequeue)(unsigned int number, unsigned int *handle, unsigned char *ecn);
	/* Returns whether a packet that the calls above have freed is left to be reported. */
	int (*dropped)(unsigned int *handle);
};

struct nw_library {
	int (*open)(void);
	void (*config)(struct nw_configuration *configuration);
	void (*attach)(const struct nw_queues *queues);
	int (*transmit)(unsigned long long now, const struct nw_packet *packet);
	unsigned long long (*deadline)(void);
	int (*next)(unsigned long long now, struct nw_action *action);
	void (*state)(unsigned long long now, unsigned int connection, const struct nw_state *state);
	/* The next part of what a program has printed, or of its exit status. Returns 0 once that is enough. */
	int (*printed)(unsigned int connection, unsigned int role, int is_status, const char *text, unsigned int bytes);
	int (*finish)(void);
};

/* Loads the library and the job in the current folder; ends the process if that fails. */
void nw_load(const char *path, struct nw_library *library);
#endif
