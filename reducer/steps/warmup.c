#include "steps/warmup.h"

#include "read/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Is the current row the long loading of a module? */
static bool loads(const struct rows *calls, const struct host_names *names)
{
	const struct trace *trace = calls->trace;
	if (rows_value(calls, CALL_DUR) < WARMUP_LONG_LOAD_NS)
		return false;
	uint32_t name = idmap_get(&trace->string_ids, (uint64_t)rows_value(calls, CALL_NAME));
	const char *text = strings_get(&trace->strings, name).at;
	return host_names_call(names, text) & HOST_MASK(HOST_BIT_MODULE_LOAD);
}

/* When the marker after marker i begins; without one, never. */
static int64_t next_begin(const struct steps *steps, size_t i)
{
	return i + 1 < steps->n_markers ? steps->markers[i + 1].begin_ns : INT64_MAX;
}

/* The calls that are left, by their begin. */
struct walk {
	const struct warmup_calls *calls;
	struct rows rows; /* of the trace, if they are not known */
	bool left;
	size_t next; /* of those that are known */
};

/* Passes the calls that begin before `to`: does one load a module that begins at `from` or later? */
static bool loads_within(struct walk *walk, int64_t from, int64_t to)
{
	const struct long_loads *known = walk->calls->known;
	bool loaded = false;
	for (; known && walk->next < known->n && known->at[walk->next] < to; walk->next++)
		loaded |= known->at[walk->next] >= from;
	for (; walk->left && rows_value(&walk->rows, ROW_START) < to;
		 walk->left = rows_next(&walk->rows))
		loaded |=
			rows_value(&walk->rows, ROW_START) >= from && loads(&walk->rows, walk->calls->names);
	return loaded;
}

/* For each name: does it launch graphs? *names is NULL where none does. 0 or -ENOMEM. */
static int find_graph_names(const struct trace *trace, bool **names)
{
	const uint32_t n = trace->strings.n;
	*names = NULL;
	for (uint32_t name = 0; name < n; name++) {
		if (!strstr(strings_get(&trace->strings, name).at, "GraphLaunch"))
			continue;
		if (!*names)
			*names = calloc(n, sizeof(**names));
		if (!*names)
			return -ENOMEM;
		(*names)[name] = true;
	}
	return 0;
}

struct graph_calls { /* a walk over the calls */
	struct rows rows;
	bool *names;
	bool left;
};

/* Passes the calls that begin before `to`: does one launch a graph and begin at `from` or later? */
static bool graph_within(struct graph_calls *walk, int64_t from, int64_t to)
{
	struct rows *rows = &walk->rows;
	bool launched = false;
	for (; walk->left && rows_value(rows, ROW_START) < to; walk->left = rows_next(rows)) {
		const uint64_t id = (uint64_t)rows_value(rows, CALL_NAME);
		launched |= rows_value(rows, ROW_START) >= from &&
					walk->names[idmap_get(&rows->trace->string_ids, id)];
	}
	return launched;
}

/* How many steps from the first on, up to the first that launches a graph, which was captured
 * before it, if the job goes on with graphs. 0: it does so from its first step on, or not at all.
 */
static int count_until_graph(struct trace *trace, const struct steps *steps, int32_t *until)
{
	struct graph_calls walk = {0};
	int32_t before = 0, with = 0;
	*until = 0;
	int error = find_graph_names(trace, &walk.names);
	if (!walk.names)
		return error;
	error = rows_open(&walk.rows, trace, BATON_CALL);
	walk.left = !error && rows_next(&walk.rows);
	for (size_t i = 0; walk.left && i < steps->n_markers; i++) {
		if (steps->markers[i].partial)
			continue;
		with += graph_within(&walk, steps->markers[i].begin_ns, next_begin(steps, i));
		before += with == 0;
		if (before == 0)
			break; /* the first step already */
	}
	error = error ? error : walk.rows.error;
	rows_close(&walk.rows);
	free(walk.names);
	if (before > 0 && 2 * (int64_t)before <= steps->n_steps &&
		10 * (int64_t)with >= 9 * ((int64_t)steps->n_steps - before))
		*until = before + 1;
	return error;
}

/* How many markers from the first on have a step to cut: the first `least`, then those that load
 * modules, up to `most`. */
static int count_warmup(const struct warmup_calls *calls, const struct steps *steps, int32_t least,
						int32_t most, int32_t *cut)
{
	struct walk walk = {.calls = calls};
	size_t at = 0; /* the marker of the step under test */
	int error = calls->known ? 0 : rows_open(&walk.rows, calls->trace, BATON_CALL);
	bool goes = true;
	walk.left = !error && !calls->known && rows_next(&walk.rows);
	for (*cut = 0; goes && (*cut < least || *cut < most); *cut += goes) {
		while (steps->markers[at].partial)
			at++;
		goes =
			*cut < least || loads_within(&walk, steps->markers[at].begin_ns, next_begin(steps, at));
		at++;
	}
	error = error ? error : walk.rows.error;
	rows_close(&walk.rows);
	return error;
}

int warmup_cut(const struct warmup_calls *calls, bool begun, struct steps *steps)
{
	int32_t cut, least;
	if (steps->n_steps < WARMUP_LEAST_STEPS)
		return 0;
	int error = count_until_graph(calls->trace, steps, &least);
	if (least == 0 && !begun)
		least = 1; /* the first, whatever it did */
	error = error ? error : count_warmup(calls, steps, least, steps->n_steps / 4, &cut);
	for (size_t i = 0; !error && i < steps->n_markers; i++) {
		struct marker *m = &steps->markers[i];
		if (!m->partial)
			m->step = m->step < cut ? STEP_BEFORE : m->step - cut;
	}
	if (error)
		return error;
	steps->n_steps -= cut;
	steps->cut += (uint64_t)cut;
	return 0;
}
