#include "steps/step_windows.h"

#include "base/room.h"
#include "base/sort.h"
#include "steps/own_kernels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEW_STEPS = 32,   /* a window has more, or is too short to show what is the rule */
	OVERLAP_PART = 8, /* so large a part of a window's steps is sought again */
	OVERLAP_LEAST = 4,
	LONGEST = 4, /* times the usual window, before all launches are asked for */
	SURE_PERCENT = 75,
	LIKE_PARTS = 20,  /* steps of two windows differ by less than one in so many launches */
	FEW_TIMES = 4,    /* what a window has less often it does not show */
	NEAR_PARTS = 10,  /* a begin that is so small a part of a step off is the same */
	MATTER_PARTS = 20 /* one in so many launches is enough to make steps of */
};

struct window { /* what one has found */
	int64_t *begins;
	size_t n;
	uint32_t *usual; /* as in step_windows */
	bool sure;       /* the steps are alike */
	/* steps that update weights: nothing goes round them or completes them */
	enum updates update;
};

void step_windows_open(struct step_windows *w, struct period_memo *periods, uint32_t n_names,
					   size_t least)
{
	*w = (struct step_windows){.periods = periods,
							   .n_names = n_names,
							   .least = least,
							   .window = least,
							   .from_ns = INT64_MIN};
}

void step_windows_close(struct step_windows *w)
{
	free(w->begins);
	free(w->expected);
	free(w->usual);
	free(w->rare);
	*w = (struct step_windows){0};
}

static void window_free(struct window *window)
{
	free(window->begins);
	free(window->usual);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Are there long steps, whose length matters, and too few of them to know why? They may be the last
 * layers of steps of many, or hold an evaluation. */
static bool has_few_long(uint32_t *lengths, size_t n)
{
	uint64_t beyond = 0, all = 0;
	size_t n_long = 0;
	sort_rows(lengths, n, sizeof(*lengths), by_number);
	const uint32_t usual = lengths[(n - 1) / 2];
	for (size_t i = 0; i < n; i++) {
		const bool is_long = lengths[i] > 2 * usual;
		n_long += is_long;
		beyond += is_long ? lengths[i] - usual : 0;
		all += lengths[i];
	}
	return n_long < FEW_TIMES && MATTER_PARTS * beyond >= all;
}

/* How often the whole steps of a window launch each kernel, and whether they are alike. `lengths`:
 * room for one number a step. */
static int judge(const struct step_windows *w, const struct launch_mark *marks, uint32_t *lengths,
				 struct window *window)
{
	const size_t whole = window->n - 1;
	struct own_kernels own;
	struct step_fit fit = {0};
	int error = own_kernels_open(&own, w->n_names, (int32_t)whole);
	for (size_t i = 0, step = 0; !error && marks[i].launch_ns < window->begins[whole]; i++) {
		if (marks[i].launch_ns < window->begins[0])
			continue;
		while (marks[i].launch_ns >= window->begins[step + 1])
			step++;
		lengths[step]++;
		own_kernels_add(&own, marks[i].symbol, (int32_t)step);
	}
	if (!error)
		error = own_kernels_judge(&own, &fit);
	for (uint32_t name = 0; !error && name < w->n_names; name++)
		window->usual[name] = own_kernels_usual(&own, name);
	window->sure = fit.looked && window->update != UPDATES_OUT &&
				   100 * fit.complete >= SURE_PERCENT * fit.looked &&
				   (window->update == UPDATES_IN || !has_few_long(lengths, whole));
	own_kernels_close(&own);
	return error;
}

/* Counts the rare kernels of the steps that are settled now: of `marks` those before `to_ns`. */
static void count_rare(struct step_windows *w, const struct window *window,
					   const struct launch_mark *marks, size_t n, int64_t to_ns)
{
	const uint32_t before = (uint32_t)w->n;
	for (size_t i = 0, step = 0; i < n && marks[i].launch_ns < to_ns; i++) {
		struct rare_kernel *rare = &w->rare[marks[i].symbol];
		while (step + 1 < window->n && marks[i].launch_ns >= window->begins[step + 1])
			step++;
		w->launches++;
		if (w->usual[marks[i].symbol])
			continue;
		if (marks[i].launch_ns < window->begins[0]) {
			rare->early = true;
			continue;
		}
		rare->steps += rare->last != before + step + 1;
		rare->last = before + (uint32_t)step + 1;
		rare->launches++;
	}
}

/* Do kernels recur that are in few steps, enough of them to complete a step of many of those that
 * were found, or to go round them (steps/period.c)? The first window is asked for the latter alone:
 * the others begin with a step. What a window shows often enough for the former it has judged. */
static bool is_longer(const struct step_windows *w)
{
	uint64_t launches = 0;
	uint32_t early = 0;
	for (uint32_t name = 0; name < w->n_names; name++) {
		const struct rare_kernel *rare = &w->rare[name];
		const bool recurs = rare->steps >= PERIOD_LEAST_STEPS;
		early += recurs && rare->early;
		launches += recurs && rare->steps < FEW_TIMES * w->windows ? rare->launches : 0;
	}
	return early >= FEW_TIMES || MATTER_PARTS * launches >= w->launches;
}

static bool alike(const struct step_windows *w, const uint32_t *usual)
{
	uint64_t apart = 0, all = 0;
	for (uint32_t name = 0; name < w->n_names; name++) {
		const uint32_t one = w->usual[name], other = usual[name];
		apart += one > other ? one - other : other - one;
		all += one;
	}
	return LIKE_PARTS * apart < all;
}

/* Do three quarters of the first n steps begin where they are expected, give or take a few launches?
 * What is between two updates of the weights is a step wherever exactly it begins. */
static bool begin_near(const struct step_windows *w, const struct window *window,
					   const struct step_marks *marks, size_t n)
{
	const size_t near = marks->n / (NEAR_PARTS * window->n) + 1;
	size_t same = 0;
	for (size_t i = 0; i < n; i++) {
		const size_t here = sequence_place(marks->at, marks->n, window->begins[i]);
		const size_t there = sequence_place(marks->at, marks->n, w->expected[i]);
		same += (here > there ? here - there : there - here) <= near;
	}
	return 4 * same >= 3 * n;
}

/* Has it found what the window before did where both look, short of that one's end? */
static bool goes_on(const struct step_windows *w, const struct window *window,
					const struct step_marks *marks)
{
	const size_t n = w->n_expected / 2 + 1;
	if (window->n < n || !alike(w, window->usual))
		return false;
	return window->update == UPDATES_IN
			   ? begin_near(w, window, marks, n)
			   : memcmp(window->begins, w->expected, n * sizeof(*w->expected)) == 0;
}

/* Seeks in `n` marks from `from` on. *good: they go on with the steps before. */
static int seek(const struct step_windows *w, const struct launch_mark *marks, size_t n,
				struct window *window, bool *good)
{
	*window = (struct window){0};
	*good = false;
	const struct step_marks all = {marks, n, w->n_names};
	struct updated_steps steps;
	int error = updates_find(w->periods, &w->updates, &all, &steps);
	window->begins = steps.begins;
	window->n = steps.n;
	window->update = steps.update;
	if (error || window->n < PERIOD_LEAST_STEPS)
		return error;
	uint32_t *lengths = calloc(window->n, sizeof(*lengths));
	window->usual = calloc((size_t)w->n_names + 1, sizeof(*window->usual));
	error = lengths && window->usual ? judge(w, marks, lengths, window) : -ENOMEM;
	*good = !error && window->sure && (!w->usual || goes_on(w, window, &all));
	free(lengths);
	return error;
}

static int settle(struct step_windows *w, const int64_t *begins, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (room_for((void **)&w->begins, w->n, &w->room, 256, sizeof(*w->begins)))
			return -ENOMEM;
		w->begins[w->n++] = begins[i];
	}
	return 0;
}

/* Lets the settled steps from number `from` on begin with their inputs. The one before them stands
 * already where it should, and says where they may not begin. */
static int take_inputs(struct step_windows *w, const struct step_launches *launches, size_t from)
{
	const size_t first = from ? from - 1 : 0;
	const struct graph_launches graphs = {.at = launches->graphs->at + w->graphs_long_before,
										  .n = launches->graphs->n - w->graphs_long_before};
	if (w->n == from)
		return 0;
	return step_inputs_take(launches->inputs, launches->marks, launches->n_marks, &graphs,
							w->begins + first, w->n - first);
}

/* All launches before `ns` but the last, which says where the next step's inputs may begin. */
static void forget(struct step_windows *w, struct step_launches *launches, int64_t ns)
{
	struct input_copies *inputs = launches->inputs;
	size_t gone = sequence_place(launches->marks, launches->n_marks, ns), copies = 0;
	gone -= gone > 0;
	while (gone > 0 && launches->marks[gone - 1].launch_ns == launches->marks[gone].launch_ns)
		gone--;
	launches->n_marks -= gone;
	memmove(launches->marks, launches->marks + gone, launches->n_marks * sizeof(*launches->marks));
	while (copies < inputs->n && inputs->at[copies] < launches->marks[0].launch_ns)
		copies++;
	inputs->n -= copies;
	if (inputs->n)
		memmove(inputs->at, inputs->at + copies, inputs->n * sizeof(*inputs->at));
	w->from_ns = ns;
	w->graphs_long_before = w->graphs_before;
	w->graphs_before = launches->graphs->n;
}

/* Of the first window: what the others have to be like. */
static int take_usual(struct step_windows *w, struct window *window)
{
	w->rare = calloc((size_t)w->n_names + 1, sizeof(*w->rare));
	w->usual = window->usual;
	window->usual = NULL;
	w->least = w->window;
	return w->rare ? 0 : -ENOMEM;
}

/* Of a window that goes on: settles its steps but the last ones, which the next one seeks again. */
static int move_on(struct step_windows *w, struct step_launches *launches, size_t from,
				   struct window *window)
{
	const size_t overlap =
		window->n / OVERLAP_PART > OVERLAP_LEAST ? window->n / OVERLAP_PART : OVERLAP_LEAST;
	const size_t settled = window->n - 1 - overlap, before = w->n;
	const int64_t next_ns = window->begins[settled];
	int error = w->usual ? 0 : take_usual(w, window);
	if (error)
		return error;
	w->windows++;
	count_rare(w, window, launches->marks + from, launches->n_marks - from, next_ns);
	error = settle(w, window->begins, settled);
	if (!error)
		error = take_inputs(w, launches, before);
	if (error)
		return error;
	w->n_expected = overlap;
	memmove(window->begins, window->begins + settled, overlap * sizeof(*window->begins));
	free(w->expected);
	w->expected = window->begins;
	window->begins = NULL;
	w->window = w->least;
	forget(w, launches, next_ns);
	w->others += window->update != UPDATES_IN;
	return w->others && is_longer(w) ? -EAGAIN : 0;
}

int step_windows_go_on(struct step_windows *w, struct step_launches *launches)
{
	const size_t from = w->from_ns == INT64_MIN
							? 0
							: sequence_place(launches->marks, launches->n_marks, w->from_ns);
	struct window window;
	bool good;
	int error = seek(w, launches->marks + from, w->window, &window, &good);
	if (!error && good && (w->usual || window.n >= FEW_STEPS))
		error = window.n > OVERLAP_LEAST + 1 ? move_on(w, launches, from, &window) : -EAGAIN;
	else if (!error && w->usual && w->window >= LONGEST * w->least)
		error = -EAGAIN;
	else if (!error)
		w->window *= 2;
	window_free(&window);
	return error;
}

int step_windows_end(struct step_windows *w, struct step_launches *launches, int64_t **begins,
					 size_t *n)
{
	const size_t from = sequence_place(launches->marks, launches->n_marks, w->from_ns),
				 before = w->n;
	struct window window;
	bool good;
	*begins = NULL;
	*n = 0;
	if (w->from_ns == INT64_MIN)
		return 0;
	int error = seek(w, launches->marks + from, launches->n_marks - from, &window, &good);
	if (!error && good)
		count_rare(w, &window, launches->marks + from, launches->n_marks - from, INT64_MAX);
	if (!error && (!good || ((w->others || window.update != UPDATES_IN) && is_longer(w))))
		error = -EAGAIN;
	if (!error)
		error = settle(w, window.begins, window.n);
	if (!error)
		error = take_inputs(w, launches, before);
	if (!error)
		error = settle(w, &window.begins[window.n], 1); /* where the last one ends */
	if (!error) {
		*begins = w->begins;
		*n = w->n - 1;
		w->begins = NULL;
		w->n = w->room = 0;
	}
	window_free(&window);
	return error;
}
