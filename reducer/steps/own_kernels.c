#include "steps/own_kernels.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { SURE_PERCENT = 75 };

int own_kernels_open(struct own_kernels *own, uint32_t n_names, int32_t n_steps)
{
	uint32_t steps = n_steps > 0 ? (uint32_t)n_steps : 1;
	*own = (struct own_kernels){.n_names = n_names, .stride = (steps + OWN_LOOKS - 1) / OWN_LOOKS};
	own->looks = (steps + own->stride - 1) / own->stride;
	own_kernels_turn(own, STEP_BEFORE);
	own->of_name = calloc((size_t)n_names + 1, sizeof(*own->of_name));
	return own->of_name ? 0 : -ENOMEM;
}

void own_kernels_close(struct own_kernels *own)
{
	for (uint32_t i = 0; own->of_name && i < own->n_names; i++)
		free(own->of_name[i]);
	free(own->of_name);
	*own = (struct own_kernels){0};
}

int own_kernels_name(struct own_kernels *own, uint32_t name)
{
	if (name < own->n_names)
		own->of_name[name] = calloc((size_t)own->looks + 2, sizeof(**own->of_name));
	own->failed |= !own->of_name[name];
	return own->of_name[name] ? 0 : -ENOMEM;
}

void own_kernels_turn(struct own_kernels *own, int32_t step)
{
	own->step = step;
	own->at = step < 0 ? own->looks + (step == STEP_BEFORE) : (uint32_t)step / own->stride;
	own->looked_at = step < 0 || (uint32_t)step % own->stride == 0;
}

static int by_count(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The lower median. */
static uint32_t median(const uint32_t *counts, uint32_t n)
{
	uint32_t sorted[OWN_LOOKS];
	memcpy(sorted, counts, n * sizeof(*sorted));
	sort_rows(sorted, n, sizeof(*sorted), by_count);
	return sorted[(n - 1) / 2];
}

uint32_t own_kernels_usual(const struct own_kernels *own, uint32_t name)
{
	const uint32_t *counts = own->looks > 1 ? own->of_name[name] : NULL;
	return counts ? median(counts, own->looks) : 0;
}

struct judged { /* of each step looked at, in launches */
	uint64_t missing[OWN_LOOKS];
	uint64_t same[OWN_LOOKS]; /* of names that it has as often as the median step */
	uint64_t step;            /* own launches of the median step */
};

static void judge_name(const uint32_t *counts, uint32_t looks, uint32_t usual, struct judged *j,
					   struct step_fit *fit)
{
	j->step += usual;
	for (uint32_t i = 0; i < looks; i++) {
		uint64_t c = counts[i], apart = c > usual ? c - usual : usual - c;
		j->missing[i] += c < usual ? usual - c : 0;
		j->same[i] += 10 * apart <= (uint64_t)usual + 10 ? usual : 0;
		fit->own += 2 * c > 3 * (uint64_t)usual ? 3 * (uint64_t)usual / 2 : c;
	}
}

static int by_ratio(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void judge_ratios(uint64_t *ratios, uint32_t n, uint64_t *p50, uint64_t *p10)
{
	if (n == 0)
		return;
	sort_rows(ratios, n, sizeof(*ratios), by_ratio);
	*p50 = ratios[(n + 1) / 2 - 1];
	*p10 = ratios[(n + 9) / 10 - 1];
}

int own_kernels_judge(const struct own_kernels *own, struct step_fit *fit)
{
	struct judged j = {0};
	*fit = (struct step_fit){.inside = own->inside, .outside = own->outside};
	uint64_t *ratios = malloc(2 * ((size_t)own->n_names + 1) * sizeof(*ratios));
	if (!ratios || own->failed) {
		free(ratios);
		return -ENOMEM;
	}
	uint64_t *around = ratios + own->n_names;
	for (uint32_t name = 0; own->looks > 1 && name < own->n_names; name++) {
		const uint32_t *counts = own->of_name[name];
		uint32_t usual = counts ? median(counts, own->looks) : 0;
		for (uint32_t i = 0; counts && i < own->looks; i++)
			fit->launches += counts[i];
		fit->after += counts ? counts[own->looks] : 0;
		if (!usual)
			continue;
		judge_name(counts, own->looks, usual, &j, fit);
		fit->after_own += counts[own->looks];
		around[fit->names] =
			UINT64_C(1000) * ((uint64_t)counts[own->looks] + counts[own->looks + 1]) / usual;
		ratios[fit->names++] = UINT64_C(1000) * counts[own->looks] / usual;
	}
	judge_ratios(ratios, fit->names, &fit->after_p50, &fit->after_p10);
	judge_ratios(around, fit->names, &fit->around_p50, &fit->around_p10);
	free(ratios);
	fit->looked = j.step ? own->looks : 0;
	for (uint32_t i = 0; i < fit->looked; i++)
		fit->complete += 10 * j.missing[i] <= j.step && 2 * j.same[i] >= j.step;
	return 0;
}

bool step_fit_goes_on(const struct step_fit *fit, int32_t n_steps)
{
	return fit->after_p50 >= 3000 && 2 * fit->after_p10 >= fit->after_p50 &&
		   2 * fit->after_p50 >= UINT64_C(1000) * (uint64_t)n_steps;
}

bool step_fit_covers_little(const struct step_fit *fit)
{
	return fit->looked && fit->outside > fit->inside;
}

bool step_fit_like_around(const struct step_fit *fit)
{
	return fit->around_p50 >= 3000 && 2 * fit->around_p10 >= fit->around_p50;
}

bool step_fit_convinces(const struct step_fit *fit)
{
	return fit->inside >= fit->outside && fit->looked &&
		   100 * (uint64_t)fit->complete >= SURE_PERCENT * (uint64_t)fit->looked;
}
