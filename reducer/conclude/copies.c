#include "conclude/copies.h"

#include "base/sort.h"

#include <stdlib.h>

static const char *const ways_words[BATON_S_COPY_DIRECTIONS][2] = {
	[BATON_COPY_UNKNOWN] = {"copies", "copies of pageable memory"},
	[BATON_COPY_HTOD] = {"host to GPU", "pageable host to GPU"},
	[BATON_COPY_DTOH] = {"GPU to host", "GPU to pageable host"},
	[BATON_COPY_DTOD] = {"within the GPU", "within the GPU (pageable)"},
	[BATON_COPY_HTOH] = {"host to host", "host to host (pageable)"},
	[BATON_COPY_PEER] = {"GPU to GPU", "GPU to GPU (pageable)"},
};

static int by_time(const void *a, const void *b)
{
	const struct copies_way *x = a, *y = b;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return strcmp(x->words, y->words);
}

size_t copies_by_way(const struct summary *summary, uint32_t device,
					 struct copies_way ways[COPIES_WAYS])
{
	size_t n = 0;
	memset(ways, 0, COPIES_WAYS * sizeof(*ways));
	for (size_t i = 0; i < summary->n_copies; i++) {
		const struct copy_summary *row = &summary->copies[i];
		if (device && row->device != device)
			continue;
		struct copies_way *way = &ways[2 * row->direction + row->pageable];
		way->words = ways_words[row->direction][row->pageable];
		way->total_ns += row->total_ns;
		way->bytes += row->bytes;
		way->sized_ns += row->sized_ns;
	}
	for (size_t i = 0; i < COPIES_WAYS; i++)
		if (ways[i].words)
			ways[n++] = ways[i];
	sort_rows(ways, n, sizeof(*ways), by_time);
	return n;
}

const char *copies_direction(uint32_t direction)
{
	static const char *const names[BATON_S_COPY_DIRECTIONS] = {
		[BATON_COPY_UNKNOWN] = "unknown", [BATON_COPY_HTOD] = "HtoD", [BATON_COPY_DTOH] = "DtoH",
		[BATON_COPY_DTOD] = "DtoD",       [BATON_COPY_HTOH] = "HtoH", [BATON_COPY_PEER] = "PtoP"};
	return names[direction];
}
