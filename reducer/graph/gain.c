#include "graph/gain.h"

#include "base/sort.h"
#include "conclude/by_step.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PEERS_LEAST = 3,
	PEERS_MOST = 5, /* of the others: one of each fifth */
	LOW_RANK = 25,  /* of the draws: 95 % lie between the ranks */
	DRAW_STATE = 0x6761696e,
	HEALTHY_PART = 250, /* of the step: who would win more has a loss of its own */
	RESOLUTION_PART = 250,
	STEPS_FOR_LIMIT = 6
};

/* ---- over the steps ---- */

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* Draws of few steps spread less than their mean does. */
static int64_t away(int64_t mean_ns, int64_t middle_ns, size_t n)
{
	return (int64_t)((double)(mean_ns - middle_ns) * sqrt((double)n / (double)(n - 1)));
}

static int draw(const struct by_step *steps, struct gain *out)
{
	__int128 sums[BY_STEP_DRAWS];
	int64_t means[BY_STEP_DRAWS];
	const __int128 n = (__int128)steps->n;
	int error = by_step_draw(steps, DRAW_STATE, sums);
	for (int i = 0; !error && i < BY_STEP_DRAWS; i++)
		means[i] = (int64_t)(sums[i] / n);
	if (error)
		return error;
	sort_rows(means, BY_STEP_DRAWS, sizeof(means[0]), by_size);
	out->low_ns = out->ns + away(means[LOW_RANK - 1], out->ns, steps->n);
	out->high_ns = out->ns + away(means[BY_STEP_DRAWS - LOW_RANK], out->ns, steps->n);
	return 0;
}

int gain_of_steps(const int64_t *before_ns, const int64_t *after_ns, uint32_t n, struct gain *out)
{
	struct by_step steps = {.n = n ? n - 1 : 0};
	*out = (struct gain){0, 0, 0};
	if (steps.n == 0)
		return 0;
	steps.ns = malloc(steps.n * sizeof(*steps.ns));
	if (!steps.ns)
		return -ENOMEM;
	for (uint32_t i = 0; i + 1 < n; i++)
		steps.ns[i] = before_ns[i + 1] - before_ns[i] - (after_ns[i + 1] - after_ns[i]);
	out->ns = (int64_t)(by_step_sum(&steps) / (__int128)steps.n);
	out->low_ns = out->high_ns = out->ns;
	int error = 0;
	if (steps.n > 2)
		error = draw(&steps, out);
	for (size_t i = 0; steps.n <= 2 && i < steps.n; i++) { /* too few to draw from */
		out->low_ns = steps.ns[i] < out->low_ns ? steps.ns[i] : out->low_ns;
		out->high_ns = steps.ns[i] > out->high_ns ? steps.ns[i] : out->high_ns;
	}
	by_step_close(&steps);
	return error;
}

int gain_take(struct causes *c, const int64_t *weights_ns, struct gain *out)
{
	const uint32_t n = c->model->n_steps;
	int error = causes_step(c, weights_ns, &c->step_ns);
	error = error ? error : gain_of_steps(c->before_ns, c->steps_ns, n, out);
	memcpy(c->before_ns, c->steps_ns, n * sizeof(*c->before_ns));
	return error;
}

int64_t gain_below_ns(const struct causes *c)
{
	const uint32_t n = c->model->n_steps - 1;
	double sum = 0, squares = 0;
	for (uint32_t i = 1; i <= n; i++) {
		const double gain = (double)((c->before_ns[i] - c->before_ns[i - 1]) -
									 (c->steps_ns[i] - c->steps_ns[i - 1]));
		sum += gain;
		squares += gain * gain;
	}
	if (n < STEPS_FOR_LIMIT)
		return 0; /* too few to tell a loss of every third step from noise */
	const double variance = (squares - sum * sum / n) / (n > 1 ? n - 1 : 1);
	return variance > 0 ? (int64_t)(2 * sqrt(variance / n)) : 0;
}

/* ---- against the others ---- */

struct peer {
	struct scope scope;
	int64_t excess_ns;
};

static int by_excess(const void *a, const void *b)
{
	const struct peer *x = a, *y = b;
	if (x->excess_ns != y->excess_ns)
		return x->excess_ns < y->excess_ns ? -1 : 1;
	return memcmp(&x->scope, &y->scope, sizeof(x->scope));
}

static int64_t excess_of(const struct causes *c, uint32_t which, const struct scope *scope)
{
	int64_t ns = 0;
	for (uint32_t u = 0; u < c->model->n_units; u++) {
		if (scope->unit != u &&
			(scope->unit != ALL_UNITS || c->model->units[u].host != scope->host))
			continue;
		if (which >> CAUSE_KERNELS & 1)
			ns += cause_excess(c, CAUSE_KERNELS, u);
		if (which >> CAUSE_HOST & 1)
			ns += cause_excess(c, CAUSE_HOST, u);
	}
	return ns;
}

/* Units, of a host hosts. Returns how many. */
static size_t find_peers(const struct causes *c, uint32_t which, const struct scope *of,
						 struct peer *peers)
{
	const bool hosts = of->unit == ALL_UNITS;
	const uint32_t all = hosts ? c->model->n_hosts : (uint32_t)c->model->n_units;
	size_t n = 0;
	for (uint32_t i = 0; i < all; i++) {
		const struct scope scope = {hosts ? ALL_UNITS : i, hosts ? i : ALL_UNITS, 0};
		if (i != (hosts ? of->host : of->unit))
			peers[n++] = (struct peer){scope, excess_of(c, which, &scope)};
	}
	sort_rows(peers, n, sizeof(*peers), by_excess);
	return n;
}

static int peer_gain(struct causes *c, uint32_t which, const struct scope *scope,
					 const int64_t *from_ns, int64_t *gain_ns)
{
	int64_t step_ns;
	memcpy(c->weights_ns, from_ns, causes_weights(c) * sizeof(*from_ns));
	for (int cause = 0; cause < CAUSES; cause++)
		if (which >> cause & 1)
			cause_take(c, (enum cause)cause, scope, c->weights_ns);
	int error = causes_step(c, c->weights_ns, &step_ns);
	*gain_ns = c->step_ns - step_ns;
	return error;
}

int gain_peers(struct causes *c, uint32_t which, const struct scope *scope, const int64_t *from_ns,
			   struct peers *out)
{
	const size_t room = c->model->n_units + c->model->n_hosts;
	int64_t gains_ns[PEERS_MOST];
	size_t healthy = 0;
	*out = (struct peers){0};
	if (scope->unit == ALL_UNITS && scope->host == ALL_UNITS)
		return 0;
	struct peer *peers = malloc((room + 1) * sizeof(*peers));
	if (!peers)
		return -ENOMEM;
	const size_t n = find_peers(c, which, scope, peers), asked = n < PEERS_MOST ? n : PEERS_MOST;
	int error = 0;
	for (size_t i = 0; !error && n >= PEERS_LEAST && i < asked; i++) {
		const size_t at = i * (n - 1) / (asked - 1);
		error = peer_gain(c, which, &peers[at].scope, from_ns, &gains_ns[healthy]);
		healthy += HEALTHY_PART * (__int128)gains_ns[healthy] < c->step_ns;
	}
	free(peers);
	if (error || healthy < PEERS_LEAST)
		return error;
	sort_rows(gains_ns, healthy, sizeof(gains_ns[0]), by_size);
	*out = (struct peers){gains_ns[0], gains_ns[healthy / 2], gains_ns[healthy - 1], true};
	return 0;
}

void gain_subtract_peers(struct gain *gain, const struct peers *peers)
{
	if (!peers->known)
		return;
	gain->ns -= peers->middle_ns;
	gain->low_ns -= peers->high_ns;
	gain->high_ns -= peers->low_ns;
}

void gain_widen(struct gain *gain, int64_t step_ns, int64_t unexplained_ns)
{
	const int64_t off_ns = unexplained_ns + step_ns / RESOLUTION_PART;
	gain->low_ns -= off_ns;
	gain->high_ns += off_ns;
	if (gain->ns >= 0 && gain->low_ns < 0)
		gain->low_ns = 0;
}
