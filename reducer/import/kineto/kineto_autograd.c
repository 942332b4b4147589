#include "import/kineto/kineto_autograd.h"

#include "import/trace_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void vote(struct kineto_autograd *a, uint32_t thread, uint32_t caller)
{
	size_t i = 0;
	while (i < a->n_pairs && (a->pairs[i].thread != thread || a->pairs[i].caller != caller))
		i++;
	if (i == AUTOGRAD_PAIRS)
		return;
	a->n_pairs += i == a->n_pairs;
	a->pairs[i].thread = thread;
	a->pairs[i].caller = caller;
	a->pairs[i].n++;
}

/* Either end may come first in a file. */
static void note(struct kineto_autograd *a, uint64_t key, bool backward, uint32_t thread)
{
	if (!a->seen)
		a->seen = calloc(AUTOGRAD_SEEN, sizeof(*a->seen));
	if (!a->seen)
		return;
	struct autograd_seen *seen = &a->seen[key % AUTOGRAD_SEEN];
	if (seen->key != key)
		*seen = (struct autograd_seen){.key = key};
	seen->threads[backward] = thread;
	if (seen->threads[0] && seen->threads[1] && seen->threads[0] != seen->threads[1])
		vote(a, seen->threads[1], seen->threads[0]);
}

void kineto_autograd_sequence(struct kineto_autograd *a, int64_t number, bool backward,
							  uint32_t thread)
{
	if (number >= 0)
		note(a, (uint64_t)number * 2 + 2, backward, thread);
}

void kineto_autograd_flow(struct kineto_autograd *a, int64_t id, bool backward, uint32_t thread)
{
	if (id >= 0)
		note(a, (uint64_t)id * 2 + 1, backward, thread);
}

void kineto_autograd_write(const struct kineto_autograd *a, struct trace_out *out)
{
	for (size_t i = 0; i < a->n_pairs; i++) {
		const struct autograd_pair *pair = &a->pairs[i];
		bool most = true;
		for (size_t k = 0; k < a->n_pairs; k++)
			most &= a->pairs[k].thread != pair->thread || a->pairs[k].n < pair->n || k == i;
		if (!most)
			continue;
		char key[48], value[24];
		snprintf(key, sizeof(key), BATON_META_AUTOGRAD ".%" PRIu32, pair->thread);
		snprintf(value, sizeof(value), "%" PRIu32, pair->caller);
		trace_out_meta(out, key, value);
	}
}

void kineto_autograd_free(struct kineto_autograd *a)
{
	free(a->seen);
	a->seen = NULL;
}
