#include "attribute/tally.h"

#include <stdlib.h>

struct tally_row *tally_find(struct tally *tally, uint32_t feed, uint32_t name, enum leaf leaf)
{
	struct tally_row key = {.feed = feed, .name = name, .leaf = leaf};
	uint32_t *recent = tally_recent(tally, name, leaf);
	*recent = table_add(&tally->index, TABLE_ROWS(tally->rows, tally->n, leaf), &key);
	return *recent ? &tally->rows[*recent - 1] : NULL;
}

int tally_store(const struct tally *tally, const struct device_feeds *ds, struct summary *summary,
				const char *device)
{
	for (size_t i = 0; i < tally->n; i++) {
		const struct tally_row *row = &tally->rows[i];
		if (!row->name)
			continue;
		const char *name = feed_text(&ds->feeds[row->feed], row->name);
		int error =
			summary_evidence(summary, device, (enum leaf)row->leaf, name, row->count, row->ns);
		if (error)
			return error;
	}
	return 0;
}

void tally_free(struct tally *tally)
{
	free(tally->rows);
	table_free(&tally->index);
	memset(tally, 0, sizeof(*tally));
}
