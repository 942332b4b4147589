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

/* How many markers from the first on have a step to cut; at least 1 when it has not `begun`. */
static int count_warmup(struct trace *trace, const struct host_names *names, bool begun,
						const struct steps *steps, int32_t most, int32_t *cut)
{
	struct rows calls;
	size_t at = 0; /* the marker of the step under test */
	int error = rows_open(&calls, trace, BATON_CALL);
	bool left = !error && rows_next(&calls), loaded = true;
	for (*cut = 0; *cut < most && loaded; ++*cut) {
		while (steps->markers[at].partial)
			at++;
		bool goes = *cut == 0 && !begun; /* the first, whatever it did */
		loaded = goes;
		for (; left && !goes && rows_value(&calls, ROW_START) < next_begin(steps, at);
			 left = rows_next(&calls))
			loaded |= rows_value(&calls, ROW_START) >= steps->markers[at].begin_ns &&
					  loads(&calls, names);
		at++;
	}
	*cut -= !loaded;
	error = error ? error : calls.error;
	rows_close(&calls);
	return error;
}

int warmup_cut(struct trace *trace, const struct host_names *names, bool begun, struct steps *steps)
{
	int32_t cut, most = steps->n_steps / 4;
	if (steps->n_steps < WARMUP_LEAST_STEPS)
		return 0;
	int error = count_warmup(trace, names, begun, steps, most, &cut);
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
