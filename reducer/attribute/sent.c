#include "attribute/sent.h"

#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>

static const int64_t most_bytes = (int64_t)1 << 50; /* of a cell; 1,024 of them are no overflow */

int sent_open(struct sent *sent, const struct step_leaves *steps)
{
	*sent = (struct sent){steps, calloc(steps->n_cells + 1, sizeof(*sent->bytes))};
	return sent->bytes ? 0 : -ENOMEM;
}

void sent_close(struct sent *sent)
{
	free(sent->bytes);
	*sent = (struct sent){0};
}

void sent_add(struct sent *sent, int32_t step, const struct coll_args *coll)
{
	const bool sends = coll->coll == BATON_COLL_SEND || coll->coll == BATON_COLL_RECV ||
					   coll->coll == BATON_COLL_SENDRECV;
	if (!sends || coll->bytes <= 0 || sent->steps->n_steps == 0)
		return;
	int64_t *cell = &sent->bytes[step / sent->steps->width];
	if (coll->rows < 1024 && coll->bytes < most_bytes / 1024 && *cell < most_bytes)
		*cell += coll->bytes * coll->rows;
}

int sent_store(const struct sent *sent, struct summary *summary, const char *device)
{
	const struct series series = {
		.rank = -1, .steps = sent->steps->n_steps, .width = sent->steps->width, .ns = sent->bytes};
	bool any = false;
	for (size_t i = 0; i < sent->steps->n_cells; i++)
		any |= sent->bytes[i] > 0;
	return any ? summary_series(summary, device, SERIES_SENT, &series) : 0;
}
