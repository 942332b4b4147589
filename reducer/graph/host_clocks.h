/* The clocks of hosts, aligned by the ends of collectives, which all members leave together. */
#ifndef GRAPH_HOST_CLOCKS_H
#define GRAPH_HOST_CLOCKS_H

#include "graph/clock_fit.h"
#include "read/run.h"

struct host_clocks {
	const struct run *run;
	const uint32_t *host_of; /* by process: number of its host */
	uint32_t n_hosts;
	const int64_t *from_ns, *to_ns; /* by process: collectives in [from, to) count; its own clock */
	struct host_offset *offsets; /* by host; all 0 before the call; residual_ns -1: not aligned */
};

/* Fills hosts->offsets: the first host keeps its clock (where its clock jumps beside most others',
 * one that does not), and so does one without common collectives. 0 or -errno. */
int host_clocks_align(const struct host_clocks *hosts);
/* Numbers the hosts of a run from 0, by process. Returns how many there are. */
uint32_t host_clocks_number(const struct run *run, uint32_t *host_of);

/* Beyond this the times of two hosts are not worth comparing. */
#define HOST_CLOCKS_WORST_NS 100000

struct clock_state {
	uint32_t n_hosts, n_lost; /* n_lost: hosts that share too few collectives with the others */
	uint32_t n_jumps;
	int64_t jump_ns;     /* the largest */
	int64_t residual_ns; /* of the host that fits worst */
};

struct clock_state host_clocks_state(const struct host_offset *offsets, uint32_t n_hosts);
/* The same of a whole run, from one process of each host where that is enough. 0 or -errno. */
int host_clocks_look(const struct run *run, struct clock_state *state);
/* In words. Returns `text`. */
enum { CLOCK_WORDS = 256 };
const char *host_clocks_words(const struct clock_state *state, char text[CLOCK_WORDS]);

#endif
