/* The fields of an operation: how the columns of a CSV file and the keys of a JSON object are
 * called, in which unit they are, and how their texts become a row. */
#ifndef TIMELINE_OP_FIELDS_H
#define TIMELINE_OP_FIELDS_H

#include "timeline/op_rows.h"

#include <stdbool.h>

enum op_field {
	FIELD_STEP,
	FIELD_DP,
	FIELD_STAGE,
	FIELD_RANK,
	FIELD_CHUNK,
	FIELD_MICROBATCH,
	FIELD_TYPE,
	FIELD_START,
	FIELD_END,
	FIELD_DURATION,
	FIELDS
};

struct op_field_name {
	const char *name;
	enum op_field field;
	int places;           /* of times: the power of ten that makes nanoseconds of the unit */
	bool may_be_negative; /* of durations: a little, by clocks of two machines */
};

extern const struct op_field_name op_field_names[];
extern const size_t op_field_names_n;

/* NULL: no field is called so. */
const struct op_field_name *op_field_find(const char *name, size_t bytes);

struct op_value { /* the text of a field */
	const char *at;
	size_t bytes;
	const struct op_field_name *name; /* NULL: the field is not there */
};

/* The field that is missing among these, of which `values[f].name` says whether it is there; NULL:
 * all that is needed is there. */
const char *op_fields_missing(const struct op_value values[FIELDS]);

/* Makes a row of the values. False: `trouble` says what is wrong. */
bool op_fields_read(const struct op_value values[FIELDS], struct op_row *row,
					char trouble[OP_TROUBLE_BYTES]);

#endif
