#include "base/lag_floor.h"

#include <string.h>

void lag_floor_put(struct lag_floor *floor, int64_t lag_ns)
{
	if (lag_ns < -LAG_FLOOR_REACH_NS)
		return;
	uint32_t at = floor->n < LAG_FLOOR_KEPT ? floor->n++ : LAG_FLOOR_KEPT - 1;
	for (; at > 0 && floor->least[at - 1] > lag_ns; at--)
		floor->least[at] = floor->least[at - 1];
	floor->least[at] = lag_ns;
}

int64_t lag_floor_early_ns(const struct lag_floor *floor)
{
	for (uint32_t i = 0; i + 2 < floor->n && floor->least[i] < 0; i++)
		if (floor->least[i + 2] - floor->least[i] <= LAG_FLOOR_NEAR_NS)
			return -floor->least[i];
	return 0;
}
