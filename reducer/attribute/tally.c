#include "attribute/tally.h"

static struct tally_row *slot(const struct tally *tally, uint32_t source, uint32_t name,
							  enum leaf leaf)
{
	uint64_t h =
		((uint64_t)source << 40 | (uint64_t)name << 8 | leaf) * UINT64_C(0x9E3779B97F4A7C15);
	for (size_t i = h >> 24;; i++) {
		struct tally_row *row = &tally->rows[i & (tally->room - 1)];
		if (!row->used || (row->source == source && row->name == name && row->leaf == leaf))
			return row;
	}
}

static int grow(struct tally *tally)
{
	struct tally larger = {.room = tally->room ? 2 * tally->room : 256, .used = tally->used};
	larger.rows = calloc(larger.room, sizeof(*larger.rows));
	if (!larger.rows)
		return -ENOMEM;
	for (size_t i = 0; i < tally->room; i++) {
		const struct tally_row *row = &tally->rows[i];
		if (row->used)
			*slot(&larger, row->source, row->name, (enum leaf)row->leaf) = *row;
	}
	free(tally->rows);
	*tally = larger;
	return 0;
}

int tally_add(struct tally *tally, const struct piece *piece, uint64_t gap)
{
	if (2 * tally->used >= tally->room && grow(tally) != 0)
		return -ENOMEM;
	struct tally_row *row = slot(tally, piece->source, piece->name, piece->leaf);
	if (!row->used) {
		*row = (struct tally_row){.source = piece->source,
								  .name = piece->name,
								  .leaf = (uint8_t)piece->leaf,
								  .used = true};
		tally->used++;
	}
	row->count += row->last_gap != gap;
	row->last_gap = gap;
	row->ns += piece->to - piece->from;
	return 0;
}

void tally_free(struct tally *tally)
{
	free(tally->rows);
	memset(tally, 0, sizeof(*tally));
}
