#include "steps/warmup.h"

#include "read/rows.h"

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

/* How many markers from the first on have a step to cut; at least 1 when it has not `begun`. */
static int count_warmup(const struct warmup_calls *calls, bool begun, const struct steps *steps,
						int32_t most, int32_t *cut)
{
	struct walk walk = {.calls = calls};
	size_t at = 0; /* the marker of the step under test */
	int error = calls->known ? 0 : rows_open(&walk.rows, calls->trace, BATON_CALL);
	bool loaded = true;
	walk.left = !error && !calls->known && rows_next(&walk.rows);
	for (*cut = 0; *cut < most && loaded; ++*cut) {
		while (steps->markers[at].partial)
			at++;
		const bool goes = *cut == 0 && !begun; /* the first, whatever it did */
		loaded = goes || loads_within(&walk, steps->markers[at].begin_ns, next_begin(steps, at));
		at++;
	}
	*cut -= !loaded;
	error = error ? error : walk.rows.error;
	rows_close(&walk.rows);
	return error;
}

int warmup_cut(const struct warmup_calls *calls, bool begun, struct steps *steps)
{
	int32_t cut, most = steps->n_steps / 4;
	if (steps->n_steps < WARMUP_LEAST_STEPS)
		return 0;
	int error = count_warmup(calls, begun, steps, most, &cut);
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
