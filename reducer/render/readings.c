#include "render/readings.h"

#include "base/sort.h"
#include "conclude/clocks.h"
#include "conclude/finding_text.h"

#include <stdlib.h>
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

static void in_some(const struct reading *readings, enum reading_kind kind, char *out, size_t bytes)
{
	const size_t used = strlen(out);
	snprintf(out + used, bytes - used, ", in %.0f %% by %s",
			 text_percent(readings[kind].sum, (int64_t)readings[kind].looks), reading_reason(kind));
}

/* The reason that sets it apart, and the one it had more often than that. */
static void reason_words(const struct clocks_all *all, const struct reading *readings, char *out,
						 size_t bytes)
{
	const enum reading_kind worst = clocks_reason(all, readings).kind;
	enum reading_kind often = worst;
	for (int kind = READING_SLOWED + 1; kind < READINGS; kind++)
		if (readings[kind].sum > (often == READING_SLOWED ? 0 : readings[often].sum))
			often = (enum reading_kind)kind;
	if (often == worst && readings[worst].sum >= readings[READING_SLOWED].sum) {
		if (worst != READING_SLOWED) /* a summary may lack its reasons */
			snprintf(out, bytes, " by %s", reading_reason(worst));
		return;
	}
	if (worst != READING_SLOWED)
		in_some(readings, worst, out, bytes);
	if (often != worst)
		in_some(readings, often, out, bytes);
}

static void slowed_words(const struct clocks_all *all, const struct reading *readings, char *line)
{
	const struct reading *slowed = &readings[READING_SLOWED];
	struct text_buffer looks;
	char by[120] = "";
	if (!slowed->looks)
		return;
	text_thousands((int64_t)slowed->looks, &looks);
	reason_words(all, readings, by, sizeof(by));
	if (slowed->sum == 0)
		finding_say(line, LINE_BYTES, "not slowed (%s samples)", looks.at);
	else
		finding_say(line, LINE_BYTES, "slowed in %.0f %% of %s samples%s",
					text_percent(slowed->sum, (int64_t)slowed->looks), looks.at, by);
}

static void one_line(const struct screen *screen, const char *who, const struct clocks_all *all,
					 const struct reading *readings)
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
	slowed_words(all, readings, line);
	screen_wrap(screen, HANG, "  %-9s %s", who, line);
}

struct line {
	struct clocks_standing standing;
	size_t device;
};

static int worst_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = clocks_worse(&x->standing, &y->standing);
	return order ? order : x->device < y->device ? -1 : 1;
}

/* Those that are slowed as the others are not, or clocked lower than they are. */
static void outstanding(const struct screen *screen, const struct summary *s)
{
	struct clocks_all all;
	struct line *lines = malloc(s->n_devices * sizeof(*lines));
	size_t n = 0;
	if (clocks_open(&all, s) == 0 && lines)
		for (size_t i = 0; i < s->n_devices; i++) {
			lines[n].device = i;
			n += clocks_stands_out(&all, &s->devices[i], &lines[n].standing);
		}
	sort_rows(lines, n, sizeof(*lines), worst_first);
	for (size_t i = 0; i < n && i < LINES; i++)
		one_line(screen, finding_device(s, lines[i].device).at, &all,
				 s->devices[lines[i].device].readings);
	if (n > LINES)
		screen_line(screen, "  and %zu more GPUs that stand out (--json has them all)", n - LINES);
	clocks_close(&all);
	free(lines);
}

void readings_text(const struct screen *screen, const struct report *report)
{
	const struct summary *s = &report->reduction->summary;
	const struct clocks_all no_others = {0};
	struct reading all[READINGS];
	uint64_t looks = 0;
	clocks_of_run(s, all);
	for (int kind = 0; kind < READINGS; kind++)
		looks += all[kind].looks;
	if (looks == 0)
		return;
	screen_line(screen, "%s", "");
	screen_title(screen,
				 "GPU clock, power and temperature during these steps (NVML, once a second)");
	one_line(screen, s->n_devices == 1 ? "the GPU" : "all", &no_others, all);
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
