/* GPU readings of a device while its steps were measured (docs/ATTRIBUTION.md section 9): for each
 * gauge the number of samples, their sum, the least and the most. Adding is associative and
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
	READING_SLOWED, /* 1 in a sample with any of the reasons below, else 0 */
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

/* Values from here on count as not sampled, and sums stop here. No sum of real readings gets near
 * it. */
#define READING_LIMIT (INT64_C(1) << 62)

/* The name in summaries: "sm_mhz", "slowed.sw_power_cap". */
const char *reading_name(enum reading_kind kind);
/* The same of an enum baton_gauge; "event_reasons" of the bits of all reasons. NULL: none. */
const char *reading_gauge_name(int64_t gauge);
/* NVML's name of a reason for slowing down ("SW power cap"); "" for a reading that is none. */
const char *reading_reason(enum reading_kind kind);
/* Adds one sample, with gauge and value as in docs/FORMAT.md section 4.2. Unknown gauges are
 * ignored. */
void reading_take(struct reading readings[READINGS], uint8_t gauge, uint64_t value);
void reading_add(struct reading *into, const struct reading *from);

/* One sample of a device is several rows, one per gauge, with the same start and duration. Zero
 * this before the first row. */
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
/* Adds a row to the current sample. A row of the next sample first adds the current one to
 * `into`. */
void reading_look_take(struct reading_look *look, const struct reading_row *row,
					   struct reading into[READINGS]);
/* Adds the current sample to `into`. When the GPU was idle, its clocks and its power are left out,
 * because they do not show how it runs under load. */
void reading_look_end(struct reading_look *look, struct reading into[READINGS]);

/* The mean (least, most) of a reading; -1: never sampled. */
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
