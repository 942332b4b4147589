#include "export/op_words.h"

#include "base/memory_kind.h"
#include <stdio.h>

/* Where the ends of a copy lie, as its direction says when nothing else does. */
static int64_t guess(const struct walk_row *row)
{
	const int64_t dir = row->value[OP_COPY_DIR];
	const int64_t host = row->value[OP_PAGEABLE] || !(row->present >> OP_PAGEABLE & 1)
							 ? BATON_MEMORY_PAGEABLE
							 : BATON_MEMORY_PINNED;
	const int64_t from =
		dir == BATON_COPY_HTOD || dir == BATON_COPY_HTOH ? host : BATON_MEMORY_DEVICE;
	const int64_t to =
		dir == BATON_COPY_DTOH || dir == BATON_COPY_HTOH ? host : BATON_MEMORY_DEVICE;
	return dir ? from | to << 4 : 0;
}

const char *op_words(const struct walk_row *row, const struct trace *trace,
					 char text[OP_WORDS_BYTES])
{
	static const char *const directions[] = {"Unknown", "HtoD", "DtoH", "DtoD", "HtoH", "PtoP"};
	const struct text name =
		strings_get(&trace->strings, idmap_get(&trace->string_ids, (uint64_t)row->value[OP_NAME]));
	const int64_t dir = row->value[OP_COPY_DIR];
	const int64_t memory = row->value[OP_MEMORY] ? row->value[OP_MEMORY] : guess(row);
	if (name.bytes)
		return name.at;
	if (row->value[OP_KIND] == BATON_MEMCPY)
		snprintf(text, OP_WORDS_BYTES, "Memcpy %s (%s -> %s)",
				 directions[dir >= 0 && dir < 6 ? dir : 0], memory_kind_name(memory & 15),
				 memory_kind_name(memory >> 4));
	else if (row->value[OP_KIND] == BATON_MEMSET)
		snprintf(text, OP_WORDS_BYTES, "Memset (Device)");
	else
		snprintf(text, OP_WORDS_BYTES, "(unnamed)");
	return text;
}
