/* For which thread autograd's threads run backward passes: an operator of a backward pass has the
 * sequence number of its forward operator, and flows of the category fwdbwd join the two. One
 * thread. */
#ifndef IMPORT_KINETO_AUTOGRAD_H
#define IMPORT_KINETO_AUTOGRAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_out;

enum { AUTOGRAD_SEEN = 1 << 14, AUTOGRAD_PAIRS = 64 };

struct autograd_seen {
	uint64_t key;
	uint32_t threads[2]; /* of the forward operator, and of the backward one; 0: not seen */
};

struct autograd_pair {
	uint32_t thread, caller;
	uint64_t n; /* operators that say so */
};

struct kineto_autograd {
	struct autograd_seen *seen; /* by key; a newer one takes the place */
	struct autograd_pair pairs[AUTOGRAD_PAIRS];
	size_t n_pairs;
};

/* Without memory nothing is found. `thread`: an id of the trace. */
void kineto_autograd_sequence(struct kineto_autograd *a, int64_t number, bool backward,
							  uint32_t thread);
void kineto_autograd_flow(struct kineto_autograd *a, int64_t id, bool backward, uint32_t thread);
/* Writes what most operators of each thread say. */
void kineto_autograd_write(const struct kineto_autograd *a, struct trace_out *out);
void kineto_autograd_free(struct kineto_autograd *a);

#endif
