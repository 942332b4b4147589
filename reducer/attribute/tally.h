/* Time and number of gaps per (leaf, name): which rows explain the idle time of a device. */
#ifndef ATTRIBUTE_TALLY_H
#define ATTRIBUTE_TALLY_H

#include "attribute/device_open.h"
#include "attribute/host.h"
#include "base/table.h"

#include <errno.h>

struct tally_row {
	uint32_t feed;
	uint32_t name;
	uint32_t leaf;
	uint64_t count;
	int64_t ns;
	uint64_t last_gap; /* the gap counted last, so that each gap counts once */
};

enum { TALLY_RECENT = 256 };

struct tally {
	struct tally_row *rows;
	size_t n;
	struct table index; /* by feed, name, leaf */
	/* rows found before, by name and leaf: their numbers from 1, as in `index` */
	uint32_t recent[TALLY_RECENT];
};

/* The row of a name and a leaf, made where there is none; NULL without memory. */
struct tally_row *tally_find(struct tally *tally, uint32_t feed, uint32_t name, enum leaf leaf);

static inline uint32_t *tally_recent(struct tally *tally, uint32_t name, enum leaf leaf)
{
	return &tally->recent[(name * LEAF_COUNT + (uint32_t)leaf) % TALLY_RECENT];
}

/* The same; most have been found before. */
static inline struct tally_row *tally_row_of(struct tally *tally, uint32_t feed, uint32_t name,
											 enum leaf leaf)
{
	const uint32_t recent = *tally_recent(tally, name, leaf);
	struct tally_row *row = recent ? &tally->rows[recent - 1] : NULL;
	const bool is = row && row->name == name && row->leaf == (uint32_t)leaf && row->feed == feed;
	return is ? row : tally_find(tally, feed, name, leaf);
}

/* Adds so much of gap number `gap` to a row; NULL: there was no memory for it. 0 or -ENOMEM. */
static inline int tally_add_ns(struct tally_row *row, int64_t ns, uint64_t gap)
{
	if (!row)
		return -ENOMEM;
	row->count += row->last_gap != gap;
	row->last_gap = gap;
	row->ns += ns;
	return 0;
}

/* Adds a piece of gap number `gap`. 0 or -ENOMEM. */
static inline int tally_add(struct tally *tally, const struct piece *piece, uint64_t gap)
{
	return tally_add_ns(tally_row_of(tally, piece->feed, piece->name, piece->leaf),
						piece->to - piece->from, gap);
}

/* Adds the rows to the summary's evidence for the device with the key `device`. 0 or -ENOMEM. */
int tally_store(const struct tally *tally, const struct device_feeds *ds, struct summary *summary,
				const char *device);
void tally_free(struct tally *tally);

#endif
