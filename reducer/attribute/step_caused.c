#include "attribute/step_caused.h"

#include "base/saturate.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>

int step_caused_open(struct step_caused *caused, const struct step_leaves *steps, uint32_t n_feeds)
{
	*caused = (struct step_caused){.steps = steps, .n_feeds = n_feeds};
	caused->ns = calloc(n_feeds + 1, sizeof(*caused->ns));
	return caused->ns ? 0 : -ENOMEM;
}

void step_caused_close(struct step_caused *caused)
{
	for (uint32_t i = 0; caused->ns && i < caused->n_feeds; i++)
		free(caused->ns[i]);
	free(caused->ns);
	*caused = (struct step_caused){0};
}

int step_caused_add(struct step_caused *caused, uint32_t feed, int32_t step, int64_t ns)
{
	int64_t **cells = &caused->ns[feed];
	if (caused->steps->n_steps == 0 || ns <= 0)
		return 0;
	if (!*cells)
		*cells = calloc(caused->steps->n_cells, sizeof(**cells));
	if (!*cells)
		return -ENOMEM;
	int64_t *cell = &(*cells)[step / caused->steps->width];
	*cell = saturate_add(*cell, ns);
	return 0;
}

int step_caused_store(const struct step_caused *caused, uint32_t feed, struct summary *summary,
					  int32_t rank, const char *device)
{
	const struct series series = {.rank = rank,
								  .steps = caused->steps->n_steps,
								  .width = caused->steps->width,
								  .ns = caused->ns[feed]};
	return series.ns ? summary_series(summary, device, SERIES_CAUSED, &series) : 0;
}
