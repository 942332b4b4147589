#include "steps/optimizer.h"

#include "base/room.h"
#include "base/sort.h"
#include "read/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RARE 8 /* an optimizer with fewer than 1/8 of the marks of the busiest ends no steps ... */

/* ... unless it has so many, between which the busiest always has the same number, at most so many */
enum { REGULAR_MARKS = 8, REGULAR_MOST = 32 };
enum { UNITS_SHOWN = 3, UNIT_BYTES = 80 };

struct mark {
	int64_t at_ns;
	struct text optimizer;
	uint32_t name; /* the optimizer's, among the strings of the trace */
	uint32_t thread;
	uint32_t row;
	bool again; /* nothing was back-propagated since the mark before of its thread */
	bool part;  /* the step that it ends goes on to a later mark */
};

struct marks {
	struct mark *at;
	size_t n, room;
	uint32_t threads; /* numbers of threads are below it */
	bool any_again;
};

static int add(struct marks *marks, const struct mark *mark)
{
	if (room_for((void **)&marks->at, marks->n, &marks->room, 64, sizeof(*marks->at)) != 0)
		return -ENOMEM;
	marks->at[marks->n] = *mark;
	marks->at[marks->n].row = (uint32_t)marks->n;
	marks->n++;
	marks->any_again |= mark->again;
	marks->threads = mark->thread >= marks->threads ? mark->thread + 1 : marks->threads;
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
		uint64_t thread = (uint64_t)rows_value(&ranges, RANGE_THREAD);
		uint64_t name = (uint64_t)rows_value(&ranges, RANGE_NAME);
		struct mark mark = {.at_ns = rows_value(&ranges, ROW_START),
							.optimizer = text_of(&ranges, name),
							.name = idmap_get(&trace->string_ids, name),
							.thread = idmap_get(&trace->thread_ids, thread),
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
	if (x->again != y->again)
		return x->again - y->again;
	int order = strcmp(x->optimizer.at, y->optimizer.at);
	return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

/* ---- graph launches: what they hold may be a backward that PyTorch does not see ---- */

struct graph_launches {
	int64_t *begin_ns; /* ascending */
	size_t n, room;
};

static bool names_graph_launch(const struct trace *trace, uint32_t name)
{
	return strstr(strings_get(&trace->strings, name).at, "GraphLaunch");
}

static int collect_launches(struct trace *trace, struct graph_launches *launches)
{
	struct rows calls;
	bool any = false;
	for (uint32_t name = 1; !any && name < trace->strings.n; name++)
		any = names_graph_launch(trace, name);
	if (!any)
		return 0;
	int error = rows_open(&calls, trace, BATON_CALL);
	while (!error && rows_next(&calls)) {
		uint64_t id = (uint64_t)rows_value(&calls, CALL_NAME);
		if (!names_graph_launch(trace, idmap_get(&trace->string_ids, id)))
			continue;
		error = room_for((void **)&launches->begin_ns, launches->n, &launches->room, 64,
						 sizeof(*launches->begin_ns));
		if (!error)
			launches->begin_ns[launches->n++] = rows_value(&calls, ROW_START);
	}
	error = error ? error : calls.error;
	rows_close(&calls);
	return error;
}

/* How many of the sorted times lie before `at_ns`. */
static size_t count_before(const int64_t *times, size_t n, int64_t at_ns)
{
	size_t low = 0;
	while (low < n) {
		size_t middle = low + (n - low) / 2;
		if (times[middle] < at_ns)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static bool launched_between(const struct graph_launches *launches, int64_t from, int64_t to)
{
	return count_before(launches->begin_ns, launches->n, from) <
		   count_before(launches->begin_ns, launches->n, to);
}

/* ---- which marks end steps ---- */

/* A mark `again` goes on with the step of the mark before it on its thread, unless a graph ran
 * between them or another thread's mark had a backward of its own. */
static int find_parts(struct marks *marks, const struct graph_launches *launches)
{
	size_t *last = calloc((size_t)marks->threads + 1, sizeof(*last)); /* 1 + index of a mark */
	size_t last_own = 0; /* 1 + index of the last mark that is not `again` */
	if (!last)
		return -ENOMEM;
	for (size_t i = 0; i < marks->n; i++) {
		struct mark *mark = &marks->at[i];
		size_t before = last[mark->thread];
		if (mark->again && before && last_own <= before &&
			!launched_between(launches, marks->at[before - 1].at_ns, mark->at_ns))
			marks->at[before - 1].part = true;
		last[mark->thread] = i + 1;
		last_own = mark->again ? last_own : i + 1;
	}
	free(last);
	return 0;
}

/* Of marks that follow each other without a backward between them the last one stays. */
static int keep_last_of_clusters(struct trace *trace, struct marks *marks)
{
	struct graph_launches launches = {0};
	int error = 0;
	size_t kept = 0;
	sort_rows(marks->at, marks->n, sizeof(*marks->at), by_time);
	if (marks->any_again)
		error = collect_launches(trace, &launches);
	if (!error)
		error = find_parts(marks, &launches);
	for (size_t i = 0; !error && i < marks->n; i++)
		if (!marks->at[i].part)
			marks->at[kept++] = marks->at[i];
	marks->n = kept;
	free(launches.begin_ns);
	return error;
}

/* Where threads train by themselves, the marks of one of them stay. */
static int keep_loop(const struct trace *trace, const uint64_t *launches, struct marks *marks,
					 struct loop_choice *choice)
{
	struct loop_mark *list = malloc((marks->n + 1) * sizeof(*list));
	struct loops loops = {0};
	size_t kept = 0;
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < marks->n; i++)
		list[i] = (struct loop_mark){.thread = marks->at[i].thread, .name = marks->at[i].name};
	int error = loops_of_optimizers(trace, list, marks->n, &loops);
	const uint32_t loop = loops.n ? loops_choose(trace, &loops, launches, choice) : 0;
	for (size_t i = 0; loop && i < marks->n; i++)
		if (loops.of_thread[marks->at[i].thread] == loop)
			marks->at[kept++] = marks->at[i];
	marks->n = loop ? kept : marks->n;
	loops_free(&loops);
	free(list);
	return error;
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

static size_t marks_before(const struct group *group, int64_t at_ns)
{
	size_t n = 0;
	while (n < group->n && group->first[n].at_ns < at_ns)
		n++;
	return n;
}

/* Does the busiest have the same number of marks in nine of ten intervals between this one's, as a
 * critic that is trained twelve times for each step of its generator? */
static bool is_regular(const struct group *group, const struct group *busiest)
{
	uint32_t histogram[REGULAR_MOST + 1] = {0};
	size_t intervals = group->n - 1, at = marks_before(busiest, group->first->at_ns);
	for (size_t i = 1; i < group->n; i++) {
		size_t count = 0;
		for (; at < busiest->n && busiest->first[at].at_ns < group->first[i].at_ns; at++)
			count++;
		if (count <= REGULAR_MOST)
			histogram[count]++;
	}
	for (size_t count = 0; count <= REGULAR_MOST; count++)
		if ((size_t)10 * histogram[count] >= 9 * intervals)
			return true;
	return false;
}

static struct group choose(const struct marks *marks)
{
	struct group best = {.n = 0}, busiest = {.n = 0};
	for (size_t i = 0; i < marks->n; i += group_at(marks, i).n)
		if (group_at(marks, i).n > busiest.n)
			busiest = group_at(marks, i);
	for (size_t i = 0; i < marks->n;) {
		struct group group = group_at(marks, i);
		bool eligible = group.n * RARE >= busiest.n ||
						(group.n >= REGULAR_MARKS && is_regular(&group, &busiest));
		if (eligible && (!best.n || ends_steps_rather(&group, &best)))
			best = group;
		i += group.n;
	}
	return best;
}

/* "SGD 2 steps 12 times, on another thread". Returns whether that is worth a line. */
static bool describe_other(const struct group *other, const struct group *ends, char *text)
{
	const int64_t from = ends->first->at_ns, to = ends->first[ends->n - 1].at_ns;
	const size_t steps = ends->n - 1, times = marks_before(other, to) - marks_before(other, from);
	const bool thread = other->first->thread != ends->first->thread;
	char often[32] = "once";
	if (times != steps)
		snprintf(often, sizeof(often), "%.*f times", times % steps ? 1 : 0,
				 (double)times / (double)steps);
	snprintf(text, UNIT_BYTES, "%.24s steps %s%s", other->first->optimizer.at, often,
			 thread ? " on another thread" : "");
	return thread || 20 * (times > steps ? times - steps : steps - times) >= steps;
}

/* Says how often the other optimizers step in a step, unless all do so once. */
static void describe_unit(const struct marks *marks, const struct group *ends, char *unit)
{
	int used = snprintf(unit, STEPS_UNIT_BYTES, "A step ends with %.40s; in it ",
						ends->first->optimizer.at);
	size_t shown = 0, more = 0;
	bool worth = false;
	for (size_t i = 0; i < marks->n; i += group_at(marks, i).n) {
		const struct group group = group_at(marks, i);
		char text[UNIT_BYTES];
		if (group.first == ends->first)
			continue;
		worth |= describe_other(&group, ends, text);
		if (shown == UNITS_SHOWN)
			more++;
		else
			used += snprintf(unit + used, STEPS_UNIT_BYTES - (size_t)used, "%s%s",
							 shown++ ? ", " : "", text);
	}
	if (more)
		snprintf(unit + used, STEPS_UNIT_BYTES - (size_t)used, ", and %zu more", more);
	if (!worth)
		unit[0] = 0;
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

int steps_from_optimizer(struct trace *trace, const uint64_t *launches, struct steps *out)
{
	struct marks marks = {0};
	struct loop_choice choice = {0};
	memset(out, 0, sizeof(*out));
	int error = collect(trace, &marks);
	if (!error)
		error = keep_last_of_clusters(trace, &marks);
	if (!error && marks.n)
		error = keep_loop(trace, launches, &marks, &choice);
	if (!error) {
		sort_rows(marks.at, marks.n, sizeof(*marks.at), by_optimizer);
		struct group group = choose(&marks);
		error = group.n >= 2 ? from_group(&group, out) : 0;
		if (!error && group.n >= 2)
			describe_unit(&marks, &group, out->unit);
		out->loop = choice;
	}
	free(marks.at);
	return error;
}
