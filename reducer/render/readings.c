#include "render/readings.h"

#include "summarise/clocks.h"
#include "summarise/finding_text.h"

#include <string.h>

enum { LINES = 8, LINE_BYTES = 400, HANG = 12 };

static int64_t in_units(int64_t value, int64_t unit)
{
	return (value + unit / 2) / unit;
}

static void clock_words(const struct reading *readings, char *line)
{
	const struct reading *sm = &readings[READING_SM_MHZ], *most = &readings[READING_SM_MAX_MHZ];
	struct text_buffer a, b;
	char range[64] = "", possible[48] = "";
	if (!sm->looks)
		return;
	if (sm->least < sm->most)
		snprintf(range, sizeof(range), " (%.24s to %.24s)", text_thousands(sm->least, &a),
				 text_thousands(sm->most, &b));
	if (most->looks)
		snprintf(possible, sizeof(possible), " of %.24s", text_thousands(most->most, &a));
	finding_say(line, LINE_BYTES, "SM clock %s%s MHz%s", text_thousands(reading_mean(sm), &b),
				possible, range);
}

static void power_words(const struct reading *readings, char *line)
{
	const struct reading *power = &readings[READING_POWER_MW];
	const struct reading *limit = &readings[READING_POWER_LIMIT_MW];
	struct text_buffer a, b, c;
	char most[48] = "", possible[48] = "";
	if (!power->looks)
		return;
	if (power->least < power->most)
		snprintf(most, sizeof(most), " (up to %.24s)",
				 text_thousands(in_units(power->most, 1000), &a));
	if (limit->looks)
		snprintf(possible, sizeof(possible), " of %.24s",
				 text_thousands(in_units(limit->most, 1000), &b));
	finding_say(line, LINE_BYTES, "%s%s W%s",
				text_thousands(in_units(reading_mean(power), 1000), &c), possible, most);
}

static void slowed_words(const struct reading *readings, char *line)
{
	const struct reading *slowed = &readings[READING_SLOWED];
	const enum reading_kind worst = reading_worst_reason(readings);
	struct text_buffer looks;
	text_thousands((int64_t)slowed->looks, &looks);
	if (slowed->looks && slowed->sum == 0)
		finding_say(line, LINE_BYTES, "not slowed (%s samples)", looks.at);
	else if (slowed->looks)
		finding_say(line, LINE_BYTES, "slowed in %.0f %% of %s samples, %sby %s",
					text_percent(slowed->sum, (int64_t)slowed->looks), looks.at,
					readings[worst].sum < slowed->sum ? "mostly " : "", reading_reason(worst));
}

static void one_line(const struct screen *screen, const char *who, const struct reading *readings)
{
	char line[LINE_BYTES] = "";
	clock_words(readings, line);
	power_words(readings, line);
	if (readings[READING_TEMPERATURE_C].looks)
		finding_say(line, LINE_BYTES, "up to %lld C",
					(long long)readings[READING_TEMPERATURE_C].most);
	if (readings[READING_MEMORY_USED_BYTES].looks)
		finding_say(line, LINE_BYTES, "%.1f GiB in use",
					(double)readings[READING_MEMORY_USED_BYTES].most / (double)(1 << 30));
	slowed_words(readings, line);
	screen_wrap(screen, HANG, "  %-9s %s", who, line);
}

static bool stands_out(const struct clocks_all *all, const struct device_summary *device)
{
	struct clocks clocks;
	return clocks_slowed_percent(device) >= CLOCKS_SLOWED ||
		   (clocks_among(all, device, &clocks) && clocks_lower(&clocks, CLOCKS_ALONE));
}

/* Those that are slowed, or clocked lower than the others. */
static void outstanding(const struct screen *screen, const struct summary *s)
{
	struct clocks_all all;
	size_t n = 0;
	if (clocks_open(&all, s) != 0)
		return;
	for (size_t i = 0; i < s->n_devices; i++)
		if (stands_out(&all, &s->devices[i]) && n++ < LINES)
			one_line(screen, finding_device(s, i).at, s->devices[i].readings);
	if (n > LINES)
		screen_line(screen, "  and %zu more that stand out (--json has all)", n - LINES);
	clocks_close(&all);
}

void readings_text(const struct screen *screen, const struct report *report)
{
	const struct summary *s = &report->reduction->summary;
	struct reading all[READINGS] = {{0}};
	uint64_t looks = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		for (int kind = 0; kind < READINGS; kind++)
			reading_add(&all[kind], &s->devices[i].readings[kind]);
	for (int kind = 0; kind < READINGS; kind++)
		looks += all[kind].looks;
	if (looks == 0)
		return;
	screen_line(screen, "%s", "");
	screen_title(screen, "What the GPU%s showed meanwhile (NVML, once a second)",
				 s->n_devices == 1 ? "" : "s");
	one_line(screen, s->n_devices == 1 ? "the GPU" : "all", all);
	if (s->n_devices > 1)
		outstanding(screen, s);
}

static void reading_object(struct json *j, const char *name, const struct reading *reading)
{
	if (reading->looks == 0) {
		json_null(j, name);
		return;
	}
	json_object(j, name);
	json_number(j, "samples", (int64_t)reading->looks);
	json_number(j, "mean", reading_mean(reading));
	json_number(j, "min", reading->least);
	json_number(j, "max", reading->most);
	json_end_object(j);
}

/* How many of the samples had which reason. */
static void slowed_object(struct json *j, const struct reading *readings)
{
	if (readings[READING_SLOWED].looks == 0) {
		json_null(j, "slowed");
		return;
	}
	json_object(j, "slowed");
	json_number(j, "samples", (int64_t)readings[READING_SLOWED].looks);
	json_number(j, "any", readings[READING_SLOWED].sum);
	for (int kind = READING_SLOWED + 1; kind < READINGS; kind++)
		json_number(j, strchr(reading_name((enum reading_kind)kind), '.') + 1, readings[kind].sum);
	json_end_object(j);
}

void readings_json(struct json *j, const struct device_summary *device)
{
	bool any = false;
	for (int kind = 0; kind < READINGS; kind++)
		any |= device->readings[kind].looks > 0;
	if (!any) {
		json_null(j, "gpu");
		return;
	}
	json_object(j, "gpu");
	for (int kind = 0; kind < READING_SLOWED; kind++)
		reading_object(j, reading_name((enum reading_kind)kind), &device->readings[kind]);
	slowed_object(j, device->readings);
	json_end_object(j);
}
