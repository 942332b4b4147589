/* Which steps look alike, and whether steps go on after the last one. */
#include "check.h"
#include "steps/own_kernels.h"

enum { NAMES = 8 };

/* n_steps steps of names 0 .. 4, where name i is launched i + 1 times; `after` steps more, of the
 * first `after_names` of them. Each `odd`-th step is one of names 5 and 6 instead. */
static struct step_fit fit_of(int32_t n_steps, int32_t after, int32_t odd, uint32_t after_names)
{
	struct own_kernels own;
	struct step_fit fit;
	own_kernels_open(&own, NAMES, n_steps);
	for (int32_t step = 0; step < n_steps + after; step++)
		for (uint32_t name = 0; name < 5; name++) {
			int32_t in = step < n_steps ? step : STEP_AFTER;
			uint32_t as = odd && step % odd == odd - 1 ? 5 + name % 2 : name;
			for (uint32_t i = 0; i <= name && (in >= 0 || name < after_names); i++)
				own_kernels_add(&own, as, in);
			own_kernels_add(&own, name, STEP_BEFORE);
		}
	CHECK(own_kernels_judge(&own, &fit) == 0, "memory");
	own_kernels_close(&own);
	return fit;
}

/* Keeps out: steps of two kinds that are said to be sure. */
static void alike(void)
{
	struct step_fit fit = fit_of(20, 0, 0, 5);
	CHECK(fit.looked == 20 && fit.complete == 20 && fit.names == 5 && fit.own == fit.launches,
		  "alike: %u of %u", fit.complete, fit.looked);
	fit = fit_of(20, 0, 4, 5);
	CHECK(fit.looked == 20 && fit.complete == 15 && fit.launches == 300 && fit.own == 225,
		  "every fourth is another: %u of %u, %llu", fit.complete, fit.looked,
		  (unsigned long long)fit.own);
	fit = fit_of(1, 0, 0, 5);
	CHECK(fit.looked == 0 && fit.complete == 0, "one step is not like another");
	fit = fit_of(1000, 0, 0, 5);
	CHECK(fit.looked == 250 && fit.complete == 250, "every fourth of 1000: %u", fit.looked);
}

/* Keeps out: evaluation after training that is taken for steps; whole steps that are not. */
static void tails(void)
{
	struct step_fit fit = fit_of(4, 40, 0, 5);
	CHECK(fit.after_p50 == 40000 && fit.after_p10 == 40000 && fit.after == 600 &&
			  fit.after_own == 600 && step_fit_goes_on(&fit, 4),
		  "40 more steps: %llu, %llu", (unsigned long long)fit.after_p50,
		  (unsigned long long)fit.after_p10);
	CHECK(step_fit_goes_on(&fit, 80) && !step_fit_goes_on(&fit, 81),
		  "fewer than half of the marks");
	fit = fit_of(4, 40, 0, 3);
	CHECK(fit.after_p50 == 40000 && fit.after_p10 == 0 && !step_fit_goes_on(&fit, 4),
		  "without two of the kernels: %llu", (unsigned long long)fit.after_p10);
	fit = fit_of(4, 2, 0, 5);
	CHECK(!step_fit_goes_on(&fit, 4), "two steps more are few");
	fit = fit_of(4, 3, 0, 5);
	CHECK(step_fit_goes_on(&fit, 4), "three are not");
}

int main(void)
{
	alike();
	tails();
	return finish();
}
