/* What a device showed while its steps were measured (docs/ATTRIBUTION.md section 9): of each gauge
 * how often it was looked at, the sum, the least and the most. Adding is associative and
 * commutative. */
#ifndef SUMMARY_READING_H
#define SUMMARY_READING_H

#include <stdbool.h>
#include <stdint.h>

enum reading_kind {
	READING_SM_MHZ,
	READING_SM_MAX_MHZ,
	READING_MEMORY_MHZ,
	READING_POWER_MW,
	READING_POWER_LIMIT_MW,
	READING_TEMPERATURE_C,
	READING_MEMORY_USED_BYTES,
	READING_GPU_BUSY_PERCENT,
	READING_MEMORY_BUSY_PERCENT,
	READING_SLOWED, /* 1 in a look with any of the reasons below, else 0 */
	READING_SW_POWER_CAP,
	READING_HW_THERMAL,
	READING_HW_POWER_BRAKE,
	READING_SW_THERMAL,
	READING_HW_SLOWDOWN,
	READINGS
};

struct reading {
	uint64_t looks;
	int64_t sum, least, most;
};

/* Of what can be added: the rest of a device's life in any unit is below it. */
#define READING_LIMIT (INT64_C(1) << 62)

/* The name in summaries: "sm_mhz", "slowed.sw_power_cap". */
const char *reading_name(enum reading_kind kind);
/* As NVML calls a reason that slows, "SW power cap"; "" of what is none. */
const char *reading_reason(enum reading_kind kind);
/* Adds a look: gauge and value as in docs/FORMAT.md section 4.2. Others count as not seen. */
void reading_take(struct reading readings[READINGS], uint8_t gauge, uint64_t value);
void reading_add(struct reading *into, const struct reading *from);

/* The rows of one look at a device: they begin together and took equally long. Zeroed before the
 * first row. */
struct reading_look {
	int64_t start_ns, dur_ns;
	bool any, idle;
	struct reading readings[READINGS];
};
struct reading_row {
	int64_t start_ns, dur_ns;
	uint64_t value;
	uint8_t gauge;
};
/* A row of the look in hand, or of the next one: then the one in hand is added to `into`. */
void reading_look_take(struct reading_look *look, const struct reading_row *row,
					   struct reading into[READINGS]);
/* Adds the look in hand; of an idle GPU without its clocks and its power, which then say nothing of
 * what it does when it runs. */
void reading_look_end(struct reading_look *look, struct reading into[READINGS]);

/* -1: never looked at. */
int64_t reading_mean(const struct reading *reading);
static inline int64_t reading_least(const struct reading *reading)
{
	return reading->looks ? reading->least : -1;
}
static inline int64_t reading_most(const struct reading *reading)
{
	return reading->looks ? reading->most : -1;
}

#endif
