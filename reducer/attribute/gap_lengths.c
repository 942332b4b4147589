#include "attribute/gap_lengths.h"

#include "base/kth_smallest.h"
#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_ROOM = 4096 };

/* From now on all are counted. */
static int begin_counting(struct gap_lengths *lengths)
{
	const int error = counts_add_each(&lengths->counts, lengths->at, lengths->n);
	lengths->counted = true;
	free(lengths->at);
	lengths->at = NULL;
	lengths->n = lengths->room = 0;
	return error;
}

int gap_lengths_add_any(struct gap_lengths *lengths, int64_t ns)
{
	int error = 0;
	if (!lengths->counted && (ns > UINT32_MAX || lengths->n == GAP_LENGTHS_LISTED))
		error = begin_counting(lengths);
	if (error || lengths->counted)
		return error ? error : counts_one(&lengths->counts, ns);
	if (room_for((void **)&lengths->at, lengths->n, &lengths->room, FIRST_ROOM,
				 sizeof(*lengths->at)) != 0)
		return -ENOMEM;
	lengths->at[lengths->n++] = (uint32_t)ns;
	return 0;
}

int64_t gap_lengths_median(const struct gap_lengths *lengths)
{
	uint32_t all = 1;
	if (lengths->counted)
		return counts_percentile(&lengths->counts, 50);
	for (size_t i = 0; i < lengths->n; i++)
		all |= lengths->at[i];
	const unsigned bits = 32 - (unsigned)__builtin_clz(all);
	return lengths->n ? kth_smallest(lengths->at, lengths->n, (lengths->n - 1) / 2, bits) : 0;
}

void gap_lengths_clear(struct gap_lengths *lengths)
{
	counts_free(&lengths->counts);
	lengths->counted = false;
	lengths->n = 0;
}

void gap_lengths_free(struct gap_lengths *lengths)
{
	gap_lengths_clear(lengths);
	free(lengths->at);
	*lengths = (struct gap_lengths){0};
}
