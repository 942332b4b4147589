/* The order of operations within a stage: its compute operations, what waits for parameters and
 * gradients, and the end of the step. */
#include "timeline/pattern.h"

/* ---- order within a stage ---- */

static int chain_computes(struct pattern *p, uint32_t stage)
{
	for (uint32_t i = p->compute_from[stage] + 1; i < p->compute_from[stage + 1]; i++) {
		int error = pattern_wait(p, p->computes[i - 1], p->computes[i]);
		if (error)
			return error;
	}
	return 0;
}

/* The first send and receive backward come after the second forward before the first backward:
 * they are posted before the last forward of the warm-up. */
static int hold_first_backward(struct pattern *p, uint32_t stage)
{
	uint32_t i = p->compute_from[stage];
	while (i < p->compute_from[stage + 1] && pattern_op(p, p->computes[i])->kind != OP_BACKWARD)
		i++;
	if (i < p->compute_from[stage] + 2 || i == p->compute_from[stage + 1])
		return 0;
	const enum op_kind kinds[] = {OP_BACKWARD_RECV, OP_BACKWARD_SEND};
	for (int k = 0; k < 2; k++) {
		if (p->count[stage][kinds[k]] == 0)
			continue;
		int error = pattern_wait(p, p->computes[i - 2], pattern_at(p, stage, kinds[k], 0));
		if (error)
			return error;
	}
	return 0;
}

/* All gathers and scatters of a stage share a stream. */
static int chain_dp(struct pattern *p, uint32_t stage)
{
	const uint32_t n_gathers = p->count[stage][OP_PARAMS_GATHER];
	const uint32_t n_scatters = p->count[stage][OP_GRADS_SCATTER];
	uint32_t last = NO_OP;
	int error = 0;
	for (uint32_t g = 0, s = 0; !error && (g < n_gathers || s < n_scatters);) {
		const uint32_t gather = pattern_at(p, stage, OP_PARAMS_GATHER, g);
		const uint32_t scatter = pattern_at(p, stage, OP_GRADS_SCATTER, s);
		const bool is_scatter =
			g == n_gathers ||
			(s < n_scatters && pattern_op(p, scatter)->start_ns < pattern_op(p, gather)->start_ns);
		error = pattern_wait(p, last, is_scatter ? scatter : gather);
		last = is_scatter ? scatter : gather;
		s += is_scatter;
		g += !is_scatter;
	}
	return error;
}

/* ---- parameters and gradients of each chunk of the layers ---- */

/* The forward operation of a chunk that begins first, or the backward one that ends last. */
static uint32_t end_of_chunk(const struct pattern *p, uint32_t stage, enum op_kind kind,
							 uint8_t chunk)
{
	uint32_t found = NO_OP;
	for (uint32_t i = 0; i < p->count[stage][kind]; i++) {
		const uint32_t op = pattern_at(p, stage, kind, i);
		if (pattern_op(p, op)->chunk != chunk)
			continue;
		if (found == NO_OP ||
			(kind == OP_BACKWARD && pattern_op(p, op)->end_ns > pattern_op(p, found)->end_ns))
			found = op;
	}
	return found;
}

/* The first forward of a chunk waits for its last gather. */
static int wait_for_params(struct pattern *p, uint32_t stage)
{
	bool done[CHUNKS_MOST] = {false};
	for (uint32_t i = p->count[stage][OP_PARAMS_GATHER]; i-- > 0;) {
		const uint32_t gather = pattern_at(p, stage, OP_PARAMS_GATHER, i);
		const uint8_t chunk = pattern_op(p, gather)->chunk;
		if (done[chunk])
			continue;
		done[chunk] = true;
		int error = pattern_wait(p, gather, end_of_chunk(p, stage, OP_FORWARD, chunk));
		if (error)
			return error;
	}
	return 0;
}

/* The first scatter of a chunk waits for its last backward, where scatters overlap computing. */
static int wait_for_grads(struct pattern *p, uint32_t stage)
{
	bool done[CHUNKS_MOST] = {false};
	for (uint32_t i = 0; i < p->count[stage][OP_GRADS_SCATTER]; i++) {
		const uint32_t scatter = pattern_at(p, stage, OP_GRADS_SCATTER, i);
		const uint8_t chunk = pattern_op(p, scatter)->chunk;
		if (done[chunk])
			continue;
		done[chunk] = true;
		int error = pattern_wait(p, end_of_chunk(p, stage, OP_BACKWARD, chunk), scatter);
		if (error)
			return error;
	}
	return 0;
}

/* ---- the end of the step ---- */

static uint32_t last_compute(const struct pattern *p, uint32_t stage)
{
	uint32_t last = p->computes[p->compute_from[stage]];
	for (uint32_t i = p->compute_from[stage] + 1; i < p->compute_from[stage + 1]; i++)
		if (pattern_op(p, p->computes[i])->end_ns > pattern_op(p, last)->end_ns)
			last = p->computes[i];
	return last;
}

/* After the last compute operation one kind follows the other. */
static int chain_end(struct pattern *p, uint32_t stage)
{
	const bool overlaps = p->any[OP_SEPARATE_GRADS];
	const enum op_kind kinds[] = {OP_GC,        OP_LAYERNORM,
								  OP_EMBEDDING, overlaps ? OP_SEPARATE_GRADS : OP_GRADS_SCATTER,
								  OP_CLIP,      OP_OPTIMIZER};
	const uint32_t n_scatters = p->count[stage][OP_GRADS_SCATTER];
	uint32_t scatter =
		overlaps && n_scatters ? pattern_at(p, stage, OP_GRADS_SCATTER, n_scatters - 1) : NO_OP;
	uint32_t last = last_compute(p, stage);
	int error = 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (uint32_t i = 0; !error && i < p->count[stage][kinds[k]]; i++) {
			const uint32_t op = pattern_at(p, stage, kinds[k], i);
			error = pattern_wait(p, last, op);
			if (!error && kinds[k] != OP_GC) {
				error = pattern_wait(p, scatter, op);
				scatter = NO_OP;
			}
			last = op;
		}
	return error;
}

int pattern_stages(struct pattern *p)
{
	int error = 0;
	for (uint32_t stage = 0; !error && stage < p->timeline->n_stages; stage++) {
		error = chain_computes(p, stage);
		error = error ? error : hold_first_backward(p, stage);
		error = error ? error : chain_dp(p, stage);
		error = error ? error : wait_for_params(p, stage);
		if (p->any[OP_SEPARATE_GRADS])
			error = error ? error : wait_for_grads(p, stage);
		error = error ? error : chain_end(p, stage);
	}
	return error;
}
