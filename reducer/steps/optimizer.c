#include "steps/optimizer.h"

#include "base/room.h"
#include "read/rows.h"

#include <errno.h>
#include <stdlib.h>

#define RARE 8 /* an optimizer with fewer than 1/8 of the marks of the busiest ends no steps */

struct mark {
	int64_t at_ns;
	struct text optimizer;
	bool again; /* nothing was back-propagated since the mark before */
};

struct marks {
	struct mark *at;
	size_t n, room;
};

static int add(struct marks *marks, const struct mark *mark)
{
	if (room_for((void **)&marks->at, marks->n, &marks->room, 64, sizeof(*marks->at)) != 0)
		return -ENOMEM;
	marks->at[marks->n++] = *mark;
	return 0;
}

static struct text text_of(const struct rows *rows, uint64_t id)
{
	return strings_get(&rows->trace->strings, idmap_get(&rows->trace->string_ids, id));
}

static int collect(struct trace *trace, struct marks *marks)
{
	struct rows ranges;
	int error = rows_open(&ranges, trace, BATON_RANGE);
	while (!error && rows_next(&ranges)) {
		if (rows_value(&ranges, RANGE_CATEGORY) != BATON_RANGE_OPTIMIZER)
			continue;
		uint64_t domain = (uint64_t)rows_optional(&ranges, RANGE_DOMAIN, 0);
		struct mark mark = {.at_ns = rows_value(&ranges, ROW_START),
							.optimizer =
								text_of(&ranges, (uint64_t)rows_value(&ranges, RANGE_NAME)),
							.again = domain && strcmp(text_of(&ranges, domain).at, "again") == 0};
		error = add(marks, &mark);
	}
	if (!error)
		error = ranges.error;
	rows_close(&ranges);
	return error;
}

static int by_time(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return x->again != y->again ? x->again - y->again : strcmp(x->optimizer.at, y->optimizer.at);
}

/* Of marks that follow each other without a backward between them the last one stays. */
static void keep_last_of_clusters(struct marks *marks)
{
	size_t kept = 0;
	if (marks->n)
		qsort(marks->at, marks->n, sizeof(*marks->at), by_time);
	for (size_t i = 0; i < marks->n; i++)
		if (i + 1 == marks->n || !marks->at[i + 1].again)
			marks->at[kept++] = marks->at[i];
	marks->n = kept;
}

static int by_optimizer(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	int order = strcmp(x->optimizer.at, y->optimizer.at);
	return order ? order : by_time(a, b);
}

/* One optimizer's marks, of marks sorted by optimizer. */
struct group {
	const struct mark *first;
	size_t n;
};

static struct group group_at(const struct marks *marks, size_t i)
{
	struct group group = {.first = &marks->at[i]};
	while (i + group.n < marks->n &&
		   strcmp(group.first[group.n].optimizer.at, group.first->optimizer.at) == 0)
		group.n++;
	return group;
}

/* The fewest marks, then the last to begin, then the greater name (the order they come in). */
static bool ends_steps_rather(const struct group *group, const struct group *best)
{
	if (group->n != best->n)
		return group->n < best->n;
	return group->first->at_ns >= best->first->at_ns;
}

static struct group choose(const struct marks *marks)
{
	struct group best = {.n = 0};
	size_t most = 0;
	for (size_t i = 0; i < marks->n; i += group_at(marks, i).n)
		if (group_at(marks, i).n > most)
			most = group_at(marks, i).n;
	for (size_t i = 0; i < marks->n;) {
		struct group group = group_at(marks, i);
		if (group.n * RARE >= most && (!best.n || ends_steps_rather(&group, &best)))
			best = group;
		i += group.n;
	}
	return best;
}

static int from_group(const struct group *group, struct steps *out)
{
	int64_t *begins = malloc(group->n * sizeof(*begins));
	if (!begins)
		return -ENOMEM;
	for (size_t i = 0; i < group->n; i++)
		begins[i] = group->first[i].at_ns;
	int error = steps_from_begins(begins, group->n - 1, begins[group->n - 1], out);
	free(begins);
	out->cut++;
	return error;
}

int steps_from_optimizer(struct trace *trace, struct steps *out)
{
	struct marks marks = {0};
	memset(out, 0, sizeof(*out));
	int error = collect(trace, &marks);
	if (!error) {
		keep_last_of_clusters(&marks);
		if (marks.n)
			qsort(marks.at, marks.n, sizeof(*marks.at), by_optimizer);
		struct group group = choose(&marks);
		error = group.n >= 2 ? from_group(&group, out) : 0;
	}
	free(marks.at);
	return error;
}
