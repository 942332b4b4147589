/* base/table.h is not used here, because counts lie in the slots themselves (adding a duration
 * touches one cache line) and rounding changes the keys. */
#include "summary/counts.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* Stays at the largest number: a count that wrapped to 0 would be a free slot. */
static uint64_t add_counts(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static struct count *slot_of(const struct counts *counts, int64_t value)
{
	uint32_t mask = counts->room - 1;
	for (uint32_t i = counts_hash(value) & mask;; i = (i + 1) & mask)
		if (counts->slots[i].n == 0 || counts->slots[i].value == value)
			return &counts->slots[i];
}

static int rehash(struct counts *counts, uint32_t room, bool rounded)
{
	struct counts larger = {.room = room, .rounded = rounded};
	larger.slots = calloc(room, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < counts->room; i++) {
		const struct count *from = &counts->slots[i];
		if (from->n == 0)
			continue;
		int64_t value = rounded ? counts_bucket(from->value) : from->value;
		struct count *to = slot_of(&larger, value);
		larger.used += to->n == 0;
		to->value = value;
		to->n = add_counts(to->n, from->n);
	}
	free(counts->slots);
	*counts = larger;
	return 0;
}

/* Rounds the values. Few are left, and get a table of their size. */
static int round_values(struct counts *counts)
{
	uint32_t room = FIRST_ROOM;
	if (rehash(counts, counts->room, true) != 0)
		return -ENOMEM;
	while (room < 4 * counts->used)
		room *= 2;
	return room < counts->room ? rehash(counts, room, true) : 0;
}

int counts_add(struct counts *counts, int64_t value, uint64_t n)
{
	if (n == 0)
		return 0;
	if (counts->rounded)
		value = counts_bucket(value);
	if (2 * counts->used >= counts->room &&
		rehash(counts, counts->room ? 2 * counts->room : FIRST_ROOM, counts->rounded) != 0)
		return -ENOMEM;
	struct count *slot = slot_of(counts, value);
	counts->used += slot->n == 0;
	slot->value = value;
	slot->n = add_counts(slot->n, n);
	if (counts->rounded || counts->used <= COUNTS_EXACT)
		return 0;
	return round_values(counts);
}

int counts_add_each(struct counts *counts, const uint32_t *values, size_t n)
{
	enum { AHEAD = 12 };
	int error = 0;
	for (size_t i = 0; !error && i < n; i++) {
		if (i + AHEAD < n)
			counts_expect(counts, values[i + AHEAD]);
		error = counts_one(counts, values[i]);
	}
	return error;
}

int counts_merge(struct counts *into, const struct counts *from)
{
	int error = 0;
	if (from->rounded && !into->rounded) {
		if (into->room)
			error = round_values(into);
		into->rounded = true;
	}
	for (uint32_t i = 0; !error && i < from->room; i++)
		error = counts_add(into, from->slots[i].value, from->slots[i].n);
	return error;
}

int counts_round(struct counts *counts, uint32_t most)
{
	const bool rounds = !counts->rounded && counts->used > most;
	return rounds ? round_values(counts) : 0;
}

void counts_free(struct counts *counts)
{
	free(counts->slots);
	memset(counts, 0, sizeof(*counts));
}

static int by_value(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value;
}

int counts_sorted(const struct counts *counts, struct count **out)
{
	uint32_t n = 0;
	*out = malloc((counts->used + 1) * sizeof(**out));
	if (!*out)
		return -ENOMEM;
	for (uint32_t i = 0; i < counts->room; i++)
		if (counts->slots[i].n)
			(*out)[n++] = counts->slots[i];
	sort_rows(*out, n, sizeof(**out), by_value);
	return 0;
}

uint64_t counts_total(const struct counts *counts)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < counts->room; i++)
		total = add_counts(total, counts->slots[i].n);
	return total;
}

/* Nearest-rank in a sorted table of `total` values. */
static int64_t percentile(const struct count *sorted, uint64_t total, unsigned p)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)total * p + 99) / 100), seen = 0;
	if (total == 0)
		return 0;
	for (rank = rank ? rank : 1;; sorted++) {
		seen = add_counts(seen, sorted->n);
		if (seen >= rank)
			return sorted->value;
	}
}

int64_t counts_percentile(const struct counts *counts, unsigned p)
{
	struct count *sorted;
	if (counts_sorted(counts, &sorted) != 0)
		return 0;
	int64_t value = percentile(sorted, counts_total(counts), p);
	free(sorted);
	return value;
}

int64_t counts_min(const struct counts *counts)
{
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < counts->room; i++)
		if (counts->slots[i].n && counts->slots[i].value < least)
			least = counts->slots[i].value;
	return counts->used ? least : 0;
}

int64_t counts_max(const struct counts *counts)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < counts->room; i++)
		if (counts->slots[i].n && counts->slots[i].value > most)
			most = counts->slots[i].value;
	return most;
}

int64_t counts_spread(const struct counts *counts)
{
	struct count *sorted;
	uint64_t total = counts_total(counts), half = total / 2 + total % 2, held = 0;
	int64_t least = INT64_MAX;
	if (total == 0 || counts_sorted(counts, &sorted) != 0)
		return 0;
	for (uint32_t from = 0, to = 0; from < counts->used; from++) {
		while (to < counts->used && held < half)
			held = add_counts(held, sorted[to++].n);
		if (held < half)
			break;
		int64_t length = sorted[to - 1].value - sorted[from].value;
		least = length < least ? length : least;
		held -= sorted[from].n;
	}
	free(sorted);
	return least / 2;
}
