#include "timeline/op_fields.h"

#include "base/decimal.h"
#include "timeline/op_kinds.h"

#include <stdio.h>
#include <string.h>

enum { PLACES_S = 9, PLACES_MS = 6, PLACES_US = 3, PLACES_NS = 0, WHOLE_PLACES = 3 };

/* Where a published set calls a column otherwise, its name is here too. */
const struct op_field_name op_field_names[] = {
	{"step", FIELD_STEP, 0, false},
	{"dp_rank", FIELD_DP, 0, false},
	{"dp", FIELD_DP, 0, false},
	{"stage", FIELD_STAGE, 0, false},
	{"pp_rank", FIELD_STAGE, 0, false},
	{"rank", FIELD_RANK, 0, false},
	{"chunk", FIELD_CHUNK, 0, false},
	{"model_chunk", FIELD_CHUNK, 0, false},
	{"mc", FIELD_CHUNK, 0, false},
	{"microbatch", FIELD_MICROBATCH, 0, false},
	{"mb_id", FIELD_MICROBATCH, 0, false},
	{"type", FIELD_TYPE, 0, false},
	{"optype", FIELD_TYPE, 0, false},
	{"start_s", FIELD_START, PLACES_S, false},
	{"start_ts", FIELD_START, PLACES_S, false},
	{"start_ms", FIELD_START, PLACES_MS, false},
	{"start_us", FIELD_START, PLACES_US, false},
	{"start_ns", FIELD_START, PLACES_NS, false},
	{"end_s", FIELD_END, PLACES_S, false},
	{"end_ts", FIELD_END, PLACES_S, false},
	{"end_ms", FIELD_END, PLACES_MS, false},
	{"end_us", FIELD_END, PLACES_US, false},
	{"end_ns", FIELD_END, PLACES_NS, false},
	{"duration_s", FIELD_DURATION, PLACES_S, false},
	{"duration", FIELD_DURATION, PLACES_S, false},
	{"duration_ms", FIELD_DURATION, PLACES_MS, false},
	{"duration_us", FIELD_DURATION, PLACES_US, false},
	{"duration_ns", FIELD_DURATION, PLACES_NS, false},
};
const size_t op_field_names_n = sizeof(op_field_names) / sizeof(op_field_names[0]);

const struct op_field_name *op_field_find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < op_field_names_n; i++)
		if (strlen(op_field_names[i].name) == bytes &&
			memcmp(op_field_names[i].name, name, bytes) == 0)
			return &op_field_names[i];
	return NULL;
}

const char *op_fields_missing(const struct op_value values[FIELDS])
{
	static const struct {
		enum op_field field;
		const char *words;
	} needed[] = {
		{FIELD_STEP, "step"},
		{FIELD_STAGE, "stage"},
		{FIELD_TYPE, "type"},
		{FIELD_START, "start_s (or start_ms, start_us, start_ns)"},
	};
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!values[needed[i].field].name)
			return needed[i].words;
	if (!values[FIELD_DP].name && !values[FIELD_RANK].name)
		return "dp_rank or rank";
	if (!values[FIELD_END].name && !values[FIELD_DURATION].name)
		return "end_s or duration_s (or in _ms, _us, _ns)";
	return NULL;
}

struct bounds { /* of a whole number */
	int64_t least, most;
	bool may_lack; /* empty and negative numbers mean: not said */
};

static const struct bounds bounds[FIELDS] = {
	[FIELD_STEP] = {0, INT64_MAX / 1000, false}, [FIELD_DP] = {0, DP_RANKS_MOST - 1, true},
	[FIELD_STAGE] = {0, STAGES_MOST - 1, false}, [FIELD_RANK] = {0, INT32_MAX, true},
	[FIELD_CHUNK] = {0, CHUNKS_MOST - 1, true},  [FIELD_MICROBATCH] = {0, INT32_MAX, true},
};

static bool complain(char trouble[OP_TROUBLE_BYTES], const struct op_value *value, const char *what)
{
	char shown[48];
	size_t n = value->bytes < sizeof(shown) - 1 ? value->bytes : sizeof(shown) - 1;
	memcpy(shown, value->at, n);
	shown[n] = 0;
	for (char *c = shown; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	snprintf(trouble, OP_TROUBLE_BYTES, "%s is '%s': %s", value->name->name, shown, what);
	return false;
}

static bool is_absent(const struct op_value *value)
{
	return !value->name || value->bytes == 0 ||
		   (value->bytes == 4 && memcmp(value->at, "null", 4) == 0) ||
		   (value->bytes == 3 && memcmp(value->at, "nan", 3) == 0);
}

/* Tables write whole numbers as 3.0 where some of the column are missing. */
static bool read_whole(const struct op_value values[FIELDS], enum op_field field, int64_t *number,
					   char trouble[OP_TROUBLE_BYTES])
{
	const struct op_value *value = &values[field];
	const struct bounds *bound = &bounds[field];
	char what[96];
	int64_t scaled;
	*number = -1;
	if (bound->may_lack && is_absent(value))
		return true;
	if (decimal_scaled(value->at, value->bytes, WHOLE_PLACES, &scaled) != 0 || scaled % 1000 != 0)
		return complain(trouble, value, "no whole number");
	*number = scaled / 1000;
	if (bound->may_lack && *number < 0)
		*number = -1;
	else if (*number < bound->least || *number > bound->most) {
		snprintf(what, sizeof(what), "not between %lld and %lld", (long long)bound->least,
				 (long long)bound->most);
		return complain(trouble, value, what);
	}
	return true;
}

static bool read_time(const struct op_value *value, int64_t *ns, char trouble[OP_TROUBLE_BYTES])
{
	/* A century on each side of 1970: sums and differences of such times fit. */
	const int64_t most = INT64_MAX / 2;
	if (decimal_scaled(value->at, value->bytes, value->name->places, ns) != 0)
		return complain(trouble, value, "no number, or too large");
	if (*ns > most || *ns < -most)
		return complain(trouble, value, "too large");
	return true;
}

/* Chrome's events of communication may begin when the last partner did, by that one's clock. */
static bool may_be_negative(const struct op_value *duration, const struct op_row *row, int64_t ns)
{
	return duration->name->may_be_negative && op_kinds[row->kind].join != JOIN_NONE &&
		   ns > -OP_CLOCKS_NS;
}

static bool read_times(const struct op_value values[FIELDS], struct op_row *row,
					   char trouble[OP_TROUBLE_BYTES])
{
	int64_t duration_ns;
	if (!read_time(&values[FIELD_START], &row->start_ns, trouble))
		return false;
	if (values[FIELD_END].name) {
		if (!read_time(&values[FIELD_END], &row->end_ns, trouble))
			return false;
		if (row->end_ns < row->start_ns)
			return complain(trouble, &values[FIELD_END], "it ends before it starts");
		return true;
	}
	if (!read_time(&values[FIELD_DURATION], &duration_ns, trouble))
		return false;
	if (duration_ns < 0 && !may_be_negative(&values[FIELD_DURATION], row, duration_ns))
		return complain(trouble, &values[FIELD_DURATION], "a negative duration");
	row->end_ns = row->start_ns + duration_ns;
	return true;
}

bool op_fields_read(const struct op_value values[FIELDS], struct op_row *row,
					char trouble[OP_TROUBLE_BYTES])
{
	int64_t step, dp, stage, rank, chunk, microbatch;
	if (!read_whole(values, FIELD_STEP, &step, trouble) ||
		!read_whole(values, FIELD_DP, &dp, trouble) ||
		!read_whole(values, FIELD_STAGE, &stage, trouble) ||
		!read_whole(values, FIELD_RANK, &rank, trouble) ||
		!read_whole(values, FIELD_CHUNK, &chunk, trouble) ||
		!read_whole(values, FIELD_MICROBATCH, &microbatch, trouble))
		return false;
	if (dp < 0 && rank < 0) {
		snprintf(trouble, OP_TROUBLE_BYTES, "it has neither a dp_rank nor a rank");
		return false;
	}
	const enum op_kind kind = op_kind_find(values[FIELD_TYPE].at, values[FIELD_TYPE].bytes);
	if (kind == OP_KINDS)
		return complain(trouble, &values[FIELD_TYPE],
						"no known type of operation (docs/STRAGGLERS.md lists them)");
	*row = (struct op_row){.step = step,
						   .dp = dp < 0 ? DP_BY_RANK : (uint32_t)dp,
						   .stage = (uint16_t)stage,
						   .rank = (int32_t)rank,
						   .chunk = (uint8_t)(chunk < 0 ? 0 : chunk),
						   .microbatch = (int32_t)microbatch,
						   .kind = (uint8_t)kind};
	return read_times(values, row, trouble);
}
