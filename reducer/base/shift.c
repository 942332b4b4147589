#include "base/shift.h"

static int64_t count_met(const struct shift_rows *r, int64_t shift)
{
	int64_t met = 0;
	for (int64_t i = shift < 0 ? -shift : 0; i < r->first && i + shift < r->second; i++)
		met += r->met(r->context, i, i + shift);
	return met;
}

int64_t shift_best(const struct shift_rows *r)
{
	const int64_t most = r->first < r->second ? r->first : r->second;
	int64_t best = 0, best_shift = 0;
	for (int64_t turn = 0; best < most && turn <= 2 * SHIFT_MOST; turn++) {
		const int64_t shift = turn % 2 ? (turn + 1) / 2 : -turn / 2; /* the least first */
		const int64_t met = count_met(r, shift);
		best_shift = met > best ? shift : best_shift;
		best = met > best ? met : best;
	}
	return best_shift;
}
