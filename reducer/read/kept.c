#include "read/kept.h"

#include <baton/reader.h>

/* What is here ends with the last row; without rows, where it begins. */
static int64_t end_of(const struct baton_reader *reader, int64_t from_ns)
{
	int64_t end_ns = from_ns;
	for (size_t i = 0; i < reader->n_entries; i++) {
		const struct baton_entry *e = &reader->entries[i];
		if (e->kind >= BATON_OP && e->rows > 0 && e->t_max_ns > end_ns)
			end_ns = e->t_max_ns;
	}
	return end_ns;
}

/* A clock that was set back makes a length of less than nothing: it is taken for the least, and what
 * was left out is still told. */
struct kept_part kept_part_of(const struct baton_reader *reader, const struct baton_r_kept *record)
{
	const struct kept_part none = {0};
	const uint64_t most = (uint64_t)1 << 48; /* sums of such numbers cannot wrap */
	struct kept_part kept = {
		.launches = record->launches, .kernels = record->kernels, .from_ns = record->from_ns};
	if (record->keep_ns <= 0 || kept.launches > most || kept.kernels > most ||
		__builtin_sub_overflow(record->from_ns, record->begin_ns, &kept.before_ns) ||
		__builtin_sub_overflow(end_of(reader, record->from_ns), record->from_ns, &kept.kept_ns) ||
		kept.before_ns > BATON_TIME_LIMIT_NS || kept.kept_ns > BATON_TIME_LIMIT_NS)
		return none;
	kept.before_ns = kept.before_ns < 1 ? 1 : kept.before_ns; /* 0 says that all is there */
	return kept;
}
