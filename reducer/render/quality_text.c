#include "render/quality_text.h"

#include <stdarg.h>
#include <string.h>

enum { UNSAMPLED_PERCENT = 10 };

static void append(char *line, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *line, size_t bytes, const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;
	va_start(args, format);
	vsnprintf(line + used, bytes - used, format, args);
	va_end(args);
}

/* The part of all idle time. */
static double unsampled_percent(const struct summary *s)
{
	__int128 idle = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			idle += LEAVES_IDLE & LEAF_BIT(leaf) ? s->devices[i].time_ns[leaf] : 0;
	return idle > 0 ? 100.0 * (double)s->quality.unsampled_ns / (double)idle : 0;
}

void quality_text(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	const struct quality *q = &s->quality;
	struct text_buffer ops, dropped, unmatched;
	char line[800] = "";
	size_t bytes = sizeof(line);
	append(line, bytes, "Quality: %s GPU ops, %s dropped, %llu in flight, ",
		   text_thousands((int64_t)q->ops, &ops), text_thousands((int64_t)q->dropped, &dropped),
		   (unsigned long long)q->in_flight);
	append(line, bytes, "%s without launch record (%.2f %%), %llu invalid timestamps, ",
		   text_thousands((int64_t)q->unmatched_ops, &unmatched),
		   text_percent((int64_t)q->unmatched_ops, (int64_t)q->ops),
		   (unsigned long long)q->invalid_timestamps);
	append(line, bytes, "%llu events refused, %llu damaged files",
		   (unsigned long long)q->invalid_events,
		   (unsigned long long)(q->truncated_files + q->unreadable_files));
	if (findings_lack_cpu(s))
		append(line, bytes, ", no launch records");
	if (s->run.n_missing_ranks)
		append(line, bytes, ", %u of %d ranks missing", s->run.n_missing_ranks, s->run.world_size);
	if (unsampled_percent(s) > UNSAMPLED_PERCENT)
		append(line, bytes,
			   ", the sampler missed silent threads in %.1f %% of the idle time: it is called host "
			   "code, and may be blocked, input or no core",
			   unsampled_percent(s));
	if (q->steps_cut)
		append(line, bytes, ", %llu partial steps cut", (unsigned long long)q->steps_cut);
	if (r->figures->noise_ns > 0)
		append(line, bytes, ", step noise %.1f us", (double)r->figures->noise_ns / 1e3);
	if (q->clock_residual_ns >= 0)
		append(line, bytes, ", clock residual %.1f us", (double)q->clock_residual_ns / 1e3);
	if (q->tool_ns >= 0 && q->launches > 0)
		append(line, bytes, ", baton cost %llu ns a launch (%.2f %% of a %s)",
			   (unsigned long long)q->tool_ns / q->launches,
			   text_percent(r->figures->tool_ns, r->figures->step_ns),
			   r->figures->has_steps ? "step" : "run");
	screen_line(screen, "%s", "");
	screen_paragraph(screen, 0, line);
}
