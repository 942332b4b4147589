#include "steps/markers.h"

#include "base/room.h"
#include "base/sort.h"
#include "read/rows.h"

#include <errno.h>
#include <stdlib.h>

static int add_marker(struct steps *steps, const struct marker *marker)
{
	if (room_next((void **)&steps->markers, steps->n_markers, sizeof(*steps->markers)) != 0)
		return -ENOMEM;
	steps->markers[steps->n_markers++] = *marker;
	return 0;
}

static enum marker_form form_of(const struct step_names *by, const char *name, int64_t *number)
{
	if (by->range)
		return step_range_matches(by->range, name, number) ? MARKER_NAMED : MARKER_NONE;
	return host_names_marker(by->names, name, number);
}

/* Keeps the current row when it marks a step; a better form throws the lesser ones away. */
static int consider(struct rows *ranges, const struct step_names *by, struct steps *steps)
{
	int category = (int)rows_value(ranges, RANGE_CATEGORY);
	if (!steps_may_mark(category))
		return 0;
	const struct trace *trace = ranges->trace;
	uint32_t name = idmap_get(&trace->string_ids, (uint64_t)rows_value(ranges, RANGE_NAME));
	const char *text = strings_get(&trace->strings, name).at;
	struct marker marker = {.begin_ns = rows_value(ranges, RANGE_START)};
	marker.end_ns = marker.begin_ns + rows_value(ranges, RANGE_DUR);
	enum marker_form form = form_of(by, text, &marker.number);
	if (form == MARKER_NONE || form < steps->form)
		return 0;
	if (form > steps->form)
		steps->n_markers = 0;
	steps->form = form;
	marker.partial = rows_optional(ranges, RANGE_UNCLOSED, 0) != 0;
	marker.thread = idmap_get(&trace->thread_ids, (uint64_t)rows_value(ranges, RANGE_THREAD));
	if (category == BATON_RANGE_MARK)
		marker.end_ns = INT64_MIN; /* until the next marker */
	return add_marker(steps, &marker);
}

static int by_begin(const void *a, const void *b)
{
	const struct marker *x = a, *y = b;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

/* Where threads mark steps by themselves, the markers of one of them stay. */
static int keep_loop(const struct trace *trace, const uint64_t *launches, struct steps *steps)
{
	const size_t n = steps->n_markers;
	struct marker *m = steps->markers;
	struct loop_mark *marks = malloc((n + 1) * sizeof(*marks));
	struct loops loops = {0};
	size_t kept = 0;
	if (!marks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		marks[i] = (struct loop_mark){m[i].begin_ns, m[i].end_ns, m[i].number, m[i].thread, 0};
	int error = loops_of_markers(trace, marks, n, &loops);
	const uint32_t loop = loops.n ? loops_choose(trace, &loops, launches, &steps->loop) : 0;
	for (size_t i = 0; loop && i < n; i++)
		if (loops.of_thread[m[i].thread] == loop)
			m[kept++] = m[i];
	steps->n_markers = loop ? kept : n;
	loops_free(&loops);
	free(marks);
	return error;
}

/* Of sorted markers: drops second ones with one begin, ends marks at the next one, numbers what is
 * counted. */
static void settle(struct steps *steps)
{
	size_t kept = 0;
	struct marker *m = steps->markers;
	for (size_t i = 0; i < steps->n_markers; i++)
		if (kept == 0 || m[kept - 1].begin_ns != m[i].begin_ns)
			m[kept++] = m[i];
	steps->n_markers = kept;
	for (size_t i = 0; i < kept; i++) {
		if (m[i].end_ns == INT64_MIN) {
			m[i].partial |= i + 1 == kept;
			m[i].end_ns = i + 1 < kept ? m[i + 1].begin_ns : m[i].begin_ns;
		}
		m[i].step = m[i].partial ? STEP_AFTER : steps->n_steps++;
		steps->cut += m[i].partial;
		steps->numbered |= m[i].number >= 0;
	}
}

int steps_find(struct trace *trace, const struct step_names *by, struct steps *out)
{
	struct rows ranges;
	memset(out, 0, sizeof(*out));
	int error = rows_open(&ranges, trace, BATON_RANGE);
	while (!error && rows_next(&ranges))
		error = consider(&ranges, by, out);
	if (!error)
		error = ranges.error;
	rows_close(&ranges);
	sort_rows(out->markers, out->n_markers, sizeof(*out->markers), by_begin);
	if (!error && out->n_markers)
		error = keep_loop(trace, by->launches, out);
	if (!error)
		settle(out);
	return error;
}

int steps_from_begins(const int64_t *begins_ns, size_t n, int64_t end_ns, struct steps *out)
{
	int error = 0;
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; !error && i < n; i++)
		error = add_marker(out, &(struct marker){.begin_ns = begins_ns[i],
												 .number = -1,
												 .end_ns = i + 1 < n ? begins_ns[i + 1] : end_ns});
	sort_rows(out->markers, out->n_markers, sizeof(*out->markers), by_begin);
	if (!error)
		settle(out);
	return error;
}

void steps_cut_undelivered(struct steps *steps, int64_t last_launch_ns)
{
	for (size_t i = 0; i < steps->n_markers; i++) {
		struct marker *m = &steps->markers[i];
		int64_t end = i + 1 < steps->n_markers ? m[1].begin_ns : m->end_ns;
		if (m->partial || end <= last_launch_ns)
			continue;
		m->partial = true;
		m->step = STEP_AFTER;
		steps->n_steps--;
		steps->cut++;
	}
}

void steps_cut_empty(struct steps *steps, int32_t n)
{
	steps->n_steps -= n;
	for (size_t i = 0; i < steps->n_markers; i++) {
		struct marker *m = &steps->markers[i];
		if (m->step < steps->n_steps) /* it counts, or was cut before */
			continue;
		m->partial = m->empty = true;
		m->step = STEP_AFTER;
	}
}

struct wanted { /* from..to, both included */
	bool by_time;
	int64_t from, to;
};

static bool is_within(const struct steps *steps, const struct marker *m, const struct wanted *w)
{
	const int64_t is = w->by_time ? m->begin_ns : steps->numbered ? m->number : m->step;
	return is >= w->from && is <= w->to;
}

static bool is_among(const struct steps *steps, const struct marker *m, const struct wanted *w)
{
	return m->step >= 0 && is_within(steps, m, w);
}

static int32_t keep(struct steps *steps, const struct wanted *w)
{
	int32_t kept = 0, n = 0;
	for (size_t i = 0; i < steps->n_markers; i++)
		kept += is_among(steps, &steps->markers[i], w);
	for (size_t i = 0; kept && i < steps->n_markers; i++) {
		struct marker *m = &steps->markers[i];
		const bool among = is_among(steps, m, w);
		if (among && n == 0)
			steps->left = m->step;
		steps->left_after += !among && n > 0 && m->step >= 0;
		if (among)
			m->step = n++;
		else if (m->step >= 0)
			m->step = n ? STEP_AFTER : STEP_BEFORE;
	}
	steps->n_steps = kept ? kept : steps->n_steps;
	return kept;
}

int32_t steps_keep(struct steps *steps, int64_t from, int64_t to)
{
	return keep(steps, &(struct wanted){.from = from, .to = to});
}

int32_t steps_keep_time(struct steps *steps, int64_t from_ns, int64_t to_ns)
{
	const struct wanted w = {.by_time = true, .from = from_ns, .to = to_ns - 1};
	uint64_t cut = 0, marked = 0;
	for (size_t i = 0; i < steps->n_markers; i++) {
		const bool is_cut = steps->markers[i].step < 0 && !steps->markers[i].empty;
		marked += is_cut;
		cut += is_cut && is_within(steps, &steps->markers[i], &w);
	}
	const int32_t kept = keep(steps, &w);
	if (kept && steps->left == 0 &&
		steps->cut > marked) /* what is cut and has no marker lies before the first one */
		cut += steps->cut - marked;
	steps->cut = kept ? cut : steps->cut;
	return kept;
}

void steps_free(struct steps *steps)
{
	free(steps->markers);
	memset(steps, 0, sizeof(*steps));
}

int32_t steps_around(const struct steps *steps, int64_t launch_ns, int64_t *from, int64_t *to)
{
	*from = INT64_MIN;
	*to = INT64_MAX;
	if (steps->n_steps == 0)
		return 0;
	const struct marker *m = steps->markers;
	size_t low = 0, high = steps->n_markers; /* m[low - 1].begin <= launch < m[high].begin */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (m[middle].begin_ns <= launch_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < steps->n_markers)
		*to = m[low].begin_ns;
	if (low == 0)
		return STEP_BEFORE;
	*from = m[low - 1].begin_ns;
	if (low < steps->n_markers)
		return m[low - 1].step;
	bool after = launch_ns >= m[low - 1].end_ns;
	*(after ? from : to) = m[low - 1].end_ns;
	return after ? STEP_AFTER : m[low - 1].step;
}

static const struct marker *marker_of(const struct steps *steps, int32_t step)
{
	if (step < 0 || steps->n_steps == 0)
		return NULL;
	for (size_t i = (size_t)step; i < steps->n_markers;
		 i++) /* cut markers lie before and between */
		if (steps->markers[i].step == step)
			return &steps->markers[i];
	return NULL;
}

int64_t steps_number(const struct steps *steps, int32_t step)
{
	const struct marker *marker = marker_of(steps, step);
	return marker ? marker->number : -1;
}
