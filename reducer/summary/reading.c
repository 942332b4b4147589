#include "summary/reading.h"

#include <baton/format.h>

/* NVML's bits of why a clock is what it is (nvmlClocksEventReason...). Idle (1), clocks that
 * somebody has set (2, 0x100) and the boost group (0x10) are no slowing down. Hardware
 * slowdown (8) is set beside its causes. */
static const struct {
	const char *name, *reason;
	uint64_t bit;
} kinds[READINGS] = {
	[READING_SM_MHZ] = {"sm_mhz", "", 0},
	[READING_SM_MAX_MHZ] = {"sm_max_mhz", "", 0},
	[READING_MEMORY_MHZ] = {"memory_mhz", "", 0},
	[READING_POWER_MW] = {"power_mw", "", 0},
	[READING_POWER_LIMIT_MW] = {"power_limit_mw", "", 0},
	[READING_TEMPERATURE_C] = {"temperature_c", "", 0},
	[READING_MEMORY_USED_BYTES] = {"memory_used_bytes", "", 0},
	[READING_GPU_BUSY_PERCENT] = {"gpu_busy_percent", "", 0},
	[READING_MEMORY_BUSY_PERCENT] = {"memory_busy_percent", "", 0},
	[READING_SLOWED] = {"slowed", "", 0x4 | 0x8 | 0x20 | 0x40 | 0x80},
	[READING_SW_POWER_CAP] = {"slowed.sw_power_cap", "SW power cap", 0x4},
	[READING_HW_THERMAL] = {"slowed.hw_thermal_slowdown", "HW thermal slowdown", 0x40},
	[READING_HW_POWER_BRAKE] = {"slowed.hw_power_brake", "HW power brake", 0x80},
	[READING_SW_THERMAL] = {"slowed.sw_thermal_slowdown", "SW thermal slowdown", 0x20},
	[READING_HW_SLOWDOWN] = {"slowed.hw_slowdown", "HW slowdown", 0x8},
};

enum { IDLE = 0x1 }; /* nothing runs, and the clocks are going down */

static const enum reading_kind plain[BATON_GAUGE_END] = {
	[BATON_GAUGE_SM_MHZ] = READING_SM_MHZ,
	[BATON_GAUGE_SM_MAX_MHZ] = READING_SM_MAX_MHZ,
	[BATON_GAUGE_MEMORY_MHZ] = READING_MEMORY_MHZ,
	[BATON_GAUGE_POWER_MW] = READING_POWER_MW,
	[BATON_GAUGE_POWER_LIMIT_MW] = READING_POWER_LIMIT_MW,
	[BATON_GAUGE_TEMPERATURE_C] = READING_TEMPERATURE_C,
	[BATON_GAUGE_MEMORY_USED_BYTES] = READING_MEMORY_USED_BYTES,
	[BATON_GAUGE_GPU_BUSY_PERCENT] = READING_GPU_BUSY_PERCENT,
	[BATON_GAUGE_MEMORY_BUSY_PERCENT] = READING_MEMORY_BUSY_PERCENT,
};

const char *reading_name(enum reading_kind kind)
{
	return kinds[kind].name;
}

const char *reading_gauge_name(int64_t gauge)
{
	if (gauge == BATON_GAUGE_EVENT_REASONS)
		return "event_reasons";
	return gauge > 0 && gauge < BATON_GAUGE_END ? kinds[plain[gauge]].name : NULL;
}

const char *reading_reason(enum reading_kind kind)
{
	return kinds[kind].reason;
}

static void take(struct reading *reading, uint64_t value)
{
	const struct reading look = {1, (int64_t)value, (int64_t)value, (int64_t)value};
	if (value < (uint64_t)READING_LIMIT) /* else it is none */
		reading_add(reading, &look);
}

void reading_take(struct reading readings[READINGS], uint8_t gauge, uint64_t value)
{
	if (gauge == BATON_GAUGE_EVENT_REASONS)
		for (int kind = READING_SLOWED; kind < READINGS; kind++)
			take(&readings[kind], (value & kinds[kind].bit) != 0);
	else if (gauge > 0 && gauge < BATON_GAUGE_END)
		take(&readings[plain[gauge]], value);
}

void reading_add(struct reading *into, const struct reading *from)
{
	if (from->looks == 0)
		return;
	if (into->looks == 0 || from->least < into->least)
		into->least = from->least;
	if (from->most > into->most)
		into->most = from->most;
	into->looks += from->looks;
	into->sum = into->sum > READING_LIMIT - from->sum ? READING_LIMIT : into->sum + from->sum;
}

void reading_look_take(struct reading_look *look, const struct reading_row *row,
					   struct reading into[READINGS])
{
	if (look->any && (row->start_ns != look->start_ns || row->dur_ns != look->dur_ns))
		reading_look_end(look, into);
	look->any = true;
	look->start_ns = row->start_ns;
	look->dur_ns = row->dur_ns;
	look->idle |= row->gauge == BATON_GAUGE_EVENT_REASONS && (row->value & IDLE) != 0;
	reading_take(look->readings, row->gauge, row->value);
}

void reading_look_end(struct reading_look *look, struct reading into[READINGS])
{
	for (int kind = 0; kind < READINGS; kind++)
		if (!look->idle ||
			(kind != READING_SM_MHZ && kind != READING_MEMORY_MHZ && kind != READING_POWER_MW))
			reading_add(&into[kind], &look->readings[kind]);
	*look = (struct reading_look){.any = false};
}

int64_t reading_mean(const struct reading *reading)
{
	return reading->looks ? reading->sum / (int64_t)reading->looks : -1;
}
