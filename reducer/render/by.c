#include "render/by.h"

#include "classify/classify.h"
#include "render/text.h"

#include <stdio.h>
#include <string.h>

enum { NAME_COLUMN = 51, NAME_ROOM_LEAST = 20, STACK_FRAMES = 6 };

/* The end of a name says most: a file without the directories before it. */
static const char *name_end(const char *name, size_t room, char *out, size_t bytes)
{
	size_t n = strlen(name);
	const char *from = name + (n > room ? n - room + 2 : 0);
	while (((unsigned char)*from & 0xc0) == 0x80)
		from++; /* not in the middle of a character */
	snprintf(out, bytes, "%s%s", n > room ? ".." : "", from);
	return out;
}

/* Frames of a folded stack from the innermost one outwards, as many as a reader wants. */
static void print_stack(const struct screen *screen, const char *folded)
{
	char line[1024];
	size_t used = 0, end = strlen(folded);
	for (int i = 0; i < STACK_FRAMES && end > 0; i++) {
		size_t from = end;
		while (from > 0 && folded[from - 1] != ';')
			from--;
		int n = snprintf(line + used, sizeof(line) - used, "%s%.*s", i ? " < " : "",
						 (int)(end - from), folded + from);
		used += n > 0 && (size_t)n < sizeof(line) - used ? (size_t)n : 0;
		line[used] = 0;
		end = from > 0 ? from - 1 : 0;
	}
	if (end > 0 && used + 7 < sizeof(line))
		strcpy(line + used, " < ...");
	screen_paragraph(screen, 4, line);
}

static void print_row(const struct screen *screen, const struct by_table *table,
					  const struct site_sums *sums, const char *name)
{
	struct text_buffer gpu, call, cpu, host;
	const int64_t steps = table->steps;
	screen_line(
		screen, "%9s %9.1f %8s %9s %9s  %s", text_ms(screen, site_gpu_ns(sums) / steps, &gpu),
		(double)sums->launches / (double)steps, text_ms(screen, sums->launch_ns / steps, &call),
		text_ms(screen, sums->cpu_ns / steps, &cpu), text_ms(screen, sums->host_ns / steps, &host),
		name);
}

static void print_site(const struct screen *screen, const struct by_table *table,
					   const struct site_summary *site, const char *text)
{
	char name[512], cut[400];
	struct text_buffer middle;
	size_t room = screen->width > NAME_COLUMN + NAME_ROOM_LEAST
					  ? (size_t)screen->width - NAME_COLUMN
					  : NAME_ROOM_LEAST;
	const char *direction = site->backward && table->by == SITE_LINE ? " (backward)" : "";
	const char *frame = strrchr(text, ';');
	if (site->kind == SITE_REST && site->rows)
		snprintf(name, sizeof(name), "%llu rows that were not kept",
				 (unsigned long long)site->rows);
	else
		snprintf(name, sizeof(name), "%s%s",
				 table->by == SITE_OP
					 ? text_cut(text, room, &middle)
					 : name_end(table->by == SITE_STACK && frame ? frame + 1 : text,
								room - strlen(direction), cut, sizeof(cut)),
				 direction);
	print_row(screen, table, &site->sums, name);
	if (table->by == SITE_STACK && frame)
		print_stack(screen, text);
}

static void print_title(const struct screen *screen, const struct report *r)
{
	const struct by_table *table = r->by;
	const char *per = r->figures->has_steps ? "a step" : "in all";
	struct text_buffer gpu, starved;
	const int64_t steps = table->steps;
	screen_title(screen, "%s   by %s, mean of %u GPU%s, %s", r->dirs[0], by_name(table->by),
				 r->figures->devices, r->figures->devices == 1 ? "" : "s", per);
	screen_title(screen, "%s ms of GPU time in %.1f launches; the GPU starved for %s ms %s",
				 text_ms(screen, site_gpu_ns(&table->all) / steps, &gpu),
				 (double)table->all.launches / (double)steps,
				 text_ms(screen, (table->all.cpu_ns + table->all.host_ns) / steps, &starved), per);
	screen_line(screen, "%s", "");
	screen_title(screen, "%9s %9s %8s %19s", "", "", "in call", "starved, ms, by");
	screen_title(screen, "%9s %9s %8s %9s %9s  %s", "GPU ms", "launches", "ms", "CPU", "host",
				 by_name(table->by));
}

/* What the columns do not say by themselves. */
static void print_notes(const struct screen *screen, const struct by_table *table,
						const struct summary *summary)
{
	if (table->all.cpu_ns + table->all.host_ns > 0) {
		screen_line(screen, "%s", "");
		screen_line(screen, "%s",
					"starved: the GPU idled before what the row launched; where the host was then "
					"is said by");
		screen_line(screen, "%s", "`baton report`, in the line of a finding");
	}
	if (table->by == SITE_OP && strcmp(summary_text(summary, summary->run.source), "kineto") != 0)
		screen_line(screen, "%s",
					"no operators in this run: rows are CUDA calls. A PyTorch profile has them "
					"(baton import)");
}

void by_text(const struct report *r, FILE *out)
{
	const struct by_table *table = r->by;
	const struct summary *s = &r->reduction->summary;
	struct screen screen;
	size_t shown = r->by_top && r->by_top < table->n ? r->by_top : table->n;
	screen_open(&screen, out, r->figures->step_ns);
	screen.decimals = screen.decimals < 2 ? 2 : screen.decimals;
	print_title(&screen, r);
	for (size_t i = 0; i < shown; i++)
		print_site(&screen, table, &table->rows[i], summary_text(s, table->rows[i].what));
	if (shown < table->n) {
		char name[64];
		struct site_sums rest = by_sum(table, shown);
		snprintf(name, sizeof(name), "and %zu more row%s (--top 0: all)", table->n - shown,
				 table->n - shown == 1 ? "" : "s");
		print_row(&screen, table, &rest, name);
	}
	print_notes(&screen, table, s);
}

static void site_object(struct json *j, const struct summary *s, const struct site_summary *site)
{
	static const char *const kinds[SITE_KIND_END] = {[SITE_PROJECT] = "project",
													 [SITE_OTHER] = "other",
													 [SITE_UNKNOWN] = "unknown",
													 [SITE_REST] = "rest"};
	json_object(j, NULL);
	json_text(j, "name", summary_text(s, site->what));
	json_text(j, "kind", kinds[site->kind]);
	json_bool(j, "backward", site->backward);
	if (site->kind == SITE_REST)
		json_number(j, "rows", (int64_t)site->rows);
	json_number(j, "gpu_ns", site_gpu_ns(&site->sums));
	json_object(j, "busy_ns");
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		json_number(j, group_name((enum group)group), site->sums.gpu_ns[group]);
	json_end_object(j);
	json_number(j, "launches", (int64_t)site->sums.launches);
	json_number(j, "launch_ns", site->sums.launch_ns);
	json_object(j, "starved_ns");
	json_number(j, "cpu", site->sums.cpu_ns);
	json_number(j, "host", site->sums.host_ns);
	json_end_object(j);
	json_end_object(j);
}

void by_json(const struct report *r, struct json *j)
{
	const struct by_table *table = r->by;
	size_t shown = r->by_top && r->by_top < table->n ? r->by_top : table->n;
	json_object(j, "by");
	json_text(j, "by", by_name(table->by));
	json_number(j, "steps", table->steps);
	json_array(j, "rows");
	for (size_t i = 0; i < shown; i++)
		site_object(j, &r->reduction->summary, &table->rows[i]);
	json_end_array(j);
	json_number(j, "left_out", (int64_t)(table->n - shown));
	json_end_object(j);
}
