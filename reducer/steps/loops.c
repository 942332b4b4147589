#include "steps/loops.h"

#include "base/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_MARKS = 2 };

struct marking { /* the marks of a process */
	const struct trace *trace;
	const struct loop_mark *marks;
	size_t n;
	uint32_t *parents; /* by thread: another one of the same loop, or itself */
	bool no_autograd;  /* marks of its threads belong to no loop */
};

void loops_free(struct loops *loops)
{
	free(loops->of_thread);
	free(loops->marks);
	free(loops->launches);
	free(loops->most);
	*loops = (struct loops){0};
}

static bool is_one_thread(const struct loop_mark *marks, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (marks[i].thread != marks[0].thread)
			return false;
	return true;
}

/* ---- markers ---- */

/* Ranges of two threads of which one begins within the other. */
static void meet_in_time(const struct loop_mark *marks, size_t n, bool *meets)
{
	struct {
		int64_t end_ns;
		uint32_t thread;
	} latest = {INT64_MIN, UINT32_MAX}, other = {INT64_MIN, UINT32_MAX}; /* of another thread */
	for (size_t i = 0; i < n; i++) {
		const bool same = marks[i].thread == latest.thread;
		if (marks[i].end_ns == INT64_MIN)
			continue;
		meets[i] |= (same ? other.end_ns : latest.end_ns) > marks[i].begin_ns;
		if (marks[i].end_ns > latest.end_ns) {
			if (!same)
				other = latest;
			latest.end_ns = marks[i].end_ns;
			latest.thread = marks[i].thread;
		} else if (!same && marks[i].end_ns > other.end_ns) {
			other.end_ns = marks[i].end_ns;
			other.thread = marks[i].thread;
		}
	}
	size_t next = n; /* the first mark after i that is a range of another thread */
	for (size_t i = n; i-- > 0;) {
		if (marks[i].end_ns == INT64_MIN)
			continue;
		size_t behind = i + 1;
		while (behind < n && marks[behind].end_ns == INT64_MIN)
			behind++;
		if (behind < n && marks[behind].thread != marks[i].thread)
			next = behind;
		meets[i] |= next < n && marks[next].begin_ns < marks[i].end_ns;
	}
}

struct numbered {
	int64_t number;
	uint32_t thread;
	size_t at;
};

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* Instants of two threads with one number. */
static int meet_by_number(const struct loop_mark *marks, size_t n, bool *meets)
{
	struct numbered *all = malloc((n + 1) * sizeof(*all));
	size_t kept = 0;
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (marks[i].end_ns == INT64_MIN && marks[i].number >= 0)
			all[kept++] = (struct numbered){marks[i].number, marks[i].thread, i};
	sort_rows(all, kept, sizeof(*all), by_number);
	for (size_t from = 0, to; from < kept; from = to) {
		to = from + 1;
		while (to < kept && all[to].number == all[from].number)
			to++;
		for (size_t i = from; i < to && all[to - 1].thread != all[from].thread; i++)
			meets[all[i].at] = true;
	}
	free(all);
	return 0;
}

/* Threads more than half of whose markers meet another thread's. */
static int number_meeting(const struct marking *m, const bool *meets, struct loops *out)
{
	uint64_t *met = calloc(m->trace->n_threads, sizeof(*met));
	uint64_t *all = calloc(m->trace->n_threads, sizeof(*all));
	for (size_t i = 0; met && all && i < m->n; i++) {
		all[m->marks[i].thread]++;
		met[m->marks[i].thread] += meets[i];
	}
	for (size_t i = 0; met && all && i < m->n; i++) { /* in the order of their first markers */
		const uint32_t thread = m->marks[i].thread;
		if (out->of_thread[thread] || 2 * met[thread] <= all[thread])
			continue;
		out->of_thread[thread] = ++out->n;
		out->marks[out->n - 1] = all[thread];
	}
	const int error = met && all ? 0 : -ENOMEM;
	free(met);
	free(all);
	return error;
}

static int loops_open(const struct trace *trace, struct loops *out)
{
	out->of_thread = calloc(trace->n_threads, sizeof(*out->of_thread));
	out->marks = calloc(trace->n_threads, sizeof(*out->marks));
	out->launches = calloc(trace->n_threads, sizeof(*out->launches));
	out->most = calloc(trace->n_threads, sizeof(*out->most));
	return out->of_thread && out->marks && out->launches && out->most ? 0 : -ENOMEM;
}

static int settle(struct loops *out, int error)
{
	if (error || out->n < 2)
		loops_free(out);
	return error;
}

int loops_of_markers(const struct trace *trace, const struct loop_mark *marks, size_t n,
					 struct loops *out)
{
	*out = (struct loops){0};
	if (is_one_thread(marks, n))
		return 0;
	bool *meets = calloc(n, sizeof(*meets));
	int error = meets ? loops_open(trace, out) : -ENOMEM;
	if (!error) {
		meet_in_time(marks, n, meets);
		error = meet_by_number(marks, n, meets);
	}
	if (!error)
		error =
			number_meeting(&(struct marking){.trace = trace, .marks = marks, .n = n}, meets, out);
	free(meets);
	return settle(out, error);
}

/* ---- optimizers ---- */

bool loops_is_autograd(const struct trace *trace, uint32_t thread)
{
	const char *name = strings_get(&trace->strings, trace->threads[thread].name).at;
	return strncmp(name, "pt_autograd", strlen("pt_autograd")) == 0;
}

static uint32_t root_of(uint32_t *parents, uint32_t thread)
{
	while (parents[thread] != thread) {
		parents[thread] = parents[parents[thread]];
		thread = parents[thread];
	}
	return thread;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
	const uint32_t x = root_of(parents, a), y = root_of(parents, b);
	parents[x > y ? x : y] = x > y ? y : x;
}

/* Threads of autograd step for the only other thread that steps; beside several for none of them. */
static void place_autograd(struct marking *m)
{
	uint32_t others = 0, other = 0;
	for (size_t i = 0; i < m->n; i++) {
		const uint32_t root = root_of(m->parents, m->marks[i].thread);
		if (loops_is_autograd(m->trace, m->marks[i].thread) ||
			(others && root == root_of(m->parents, other)))
			continue;
		other = m->marks[i].thread;
		others++;
	}
	for (size_t i = 0; i < m->n && others; i++) {
		if (!loops_is_autograd(m->trace, m->marks[i].thread))
			continue;
		m->no_autograd |= others > 1;
		if (others == 1)
			join(m->parents, m->marks[i].thread, other);
	}
}

static bool is_left_out(const struct marking *m, size_t i)
{
	return m->no_autograd && loops_is_autograd(m->trace, m->marks[i].thread);
}

/* A root with enough marks is a loop, and so are all threads that it is the root of. */
static void number_roots(const struct marking *m, struct loops *out)
{
	for (size_t i = 0; i < m->n; i++)
		if (!is_left_out(m, i))
			out->marks[root_of(m->parents, m->marks[i].thread)]++;
	for (size_t i = 0; i < m->n; i++) {
		const uint32_t root = root_of(m->parents, m->marks[i].thread);
		if (is_left_out(m, i) || out->marks[root] < LEAST_MARKS)
			continue;
		out->of_thread[root] = out->of_thread[root] ? out->of_thread[root] : ++out->n;
		out->of_thread[m->marks[i].thread] = out->of_thread[root];
	}
	for (size_t i = 0; i < m->n; i++)
		if (is_left_out(m, i))
			out->of_thread[m->marks[i].thread] = 0;
}

static int by_name(const void *a, const void *b)
{
	const struct loop_mark *const *x = a, *const *y = b;
	return (*x)->name < (*y)->name ? -1 : (*x)->name > (*y)->name;
}

/* An optimizer that several threads step makes them one loop. */
static int join_by_name(const struct loop_mark *marks, size_t n, uint32_t *parents)
{
	const struct loop_mark **sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &marks[i];
	sort_rows(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 1; i < n; i++)
		if (sorted[i]->name == sorted[i - 1]->name)
			join(parents, sorted[i]->thread, sorted[i - 1]->thread);
	free(sorted);
	return 0;
}

/* Marks by loop instead of by root. */
static void count_marks(const struct loop_mark *marks, size_t n, struct loops *out,
						uint32_t threads)
{
	memset(out->marks, 0, threads * sizeof(*out->marks));
	for (size_t i = 0; i < n; i++)
		if (out->of_thread[marks[i].thread])
			out->marks[out->of_thread[marks[i].thread] - 1]++;
}

int loops_of_optimizers(const struct trace *trace, const struct loop_mark *marks, size_t n,
						struct loops *out)
{
	*out = (struct loops){0};
	if (is_one_thread(marks, n))
		return 0;
	struct marking m = {.trace = trace, .marks = marks, .n = n};
	m.parents = malloc(trace->n_threads * sizeof(*m.parents));
	int error = m.parents ? loops_open(trace, out) : -ENOMEM;
	for (uint32_t i = 0; m.parents && i < trace->n_threads; i++)
		m.parents[i] = i;
	if (!error)
		error = join_by_name(marks, n, m.parents);
	if (!error) {
		place_autograd(&m);
		number_roots(&m, out);
		count_marks(marks, n, out, trace->n_threads);
	}
	free(m.parents);
	return settle(out, error);
}

/* ---- the choice ---- */

void loops_name_thread(const struct trace *trace, uint32_t thread, char text[LOOP_THREAD_BYTES])
{
	const struct trace_thread *t = &trace->threads[thread];
	const struct text name = strings_get(&trace->strings, t->name);
	snprintf(text, LOOP_THREAD_BYTES, "%.40s%sthread %lld", name.at, name.bytes ? ", " : "",
			 (long long)t->tid);
}

/* Kernels that each loop launched, all its threads, and the thread of it with most of them. */
static void sum_launches(const struct trace *trace, const uint64_t *launches, struct loops *loops)
{
	for (uint32_t i = 0; i < trace->n_threads; i++) {
		const uint32_t loop = loops->of_thread[i];
		const uint64_t own = launches ? launches[i] : 0;
		if (loop == 0)
			continue;
		uint32_t *most = &loops->most[loop - 1];
		if (loops->of_thread[*most] != loop || (launches && own > launches[*most]))
			*most = i;
		loops->launches[loop - 1] += own;
	}
}

uint32_t loops_choose(const struct trace *trace, struct loops *loops, const uint64_t *launches,
					  struct loop_choice *choice)
{
	uint32_t best = 0;
	uint64_t marks_here = 0;
	*choice = (struct loop_choice){.loops = loops->n};
	sum_launches(trace, launches, loops);
	for (uint32_t i = 0; i < loops->n; i++) {
		const uint64_t own = loops->launches[i], most = loops->launches[best];
		choice->here += own > 0;
		marks_here += own > 0 ? loops->marks[i] : 0;
		if (own > most || (own == most && loops->marks[i] > loops->marks[best]))
			best = i;
	}
	choice->beside = marks_here ? marks_here - loops->marks[best] : 0;
	loops_name_thread(trace, loops->most[best], choice->thread);
	return best + 1;
}
