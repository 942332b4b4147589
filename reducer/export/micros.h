/* Times of trace events: microseconds with the nanoseconds after the point. */
#ifndef EXPORT_MICROS_H
#define EXPORT_MICROS_H

#include "render/json.h"

#include <inttypes.h>

/* A number of the object that is being written. */
static inline void micros_put(struct json *json, const char *key, int64_t ns)
{
	const int64_t whole = ns / 1000, rest = ns % 1000;
	fprintf(json->out, "%s\"%s\":%s%" PRId64 ".%03" PRId64, json->comma ? "," : "", key,
			ns < 0 && whole == 0 ? "-" : "", whole, rest < 0 ? -rest : rest);
	json->comma = true;
}

#endif
