/* Every imported row passes this check, because profilers now and then write times of another
 * clock, or durations that overflowed. The first 1,024 rows (fewer at the end) are held back; their
 * median start is the centre of the file. Refused are rows whose start is more than 12 h from it,
 * negative durations and durations above 7 days. One thread. */
#ifndef IMPORT_PLAUSIBLE_H
#define IMPORT_PLAUSIBLE_H

#include <baton/format.h>
#include <stdbool.h>

enum { PLAUSIBLE_HELD = 1024 };

#define PLAUSIBLE_REACH_NS ((int64_t)12 * 3600 * 1000000000)
#define PLAUSIBLE_DUR_NS ((int64_t)7 * 24 * 3600 * 1000000000)
#define PLAUSIBLE_START_NS ((int64_t)1 << 61) /* leaves room to add a reach and a duration */

struct plausible_row {
	int64_t columns[BATON_MAX_COLUMNS];
	uint32_t present;
	uint32_t kind; /* enum baton_kind */
};

struct plausible {
	void (*accept)(void *context, const struct plausible_row *row);
	void *context;
	struct plausible_row *held; /* NULL once the centre is known */
	uint32_t n_held;
	int64_t centre_ns;
	uint64_t refused[BATON_TABLES];
};

/* Are these times possible at all? Adding them does not overflow then. */
bool plausible_times(int64_t start_ns, int64_t dur_ns);

/* `accept` is called with the accepted rows in their order of arrival. 0 or -ENOMEM. */
int plausible_init(struct plausible *gate, void (*accept)(void *, const struct plausible_row *),
				   void *context);
void plausible_add(struct plausible *gate, const struct plausible_row *row);
void plausible_finish(struct plausible *gate); /* decides about the rows still held */
void plausible_free(struct plausible *gate);
uint64_t plausible_refused(const struct plausible *gate);

#endif
