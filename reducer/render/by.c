#include "render/by.h"

#include "base/plain.h"
#include "base/source.h"
#include "classify/classify.h"
#include "render/columns.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM_LEAST = 20, STACK_FRAMES = 6 };

/* The end of a name says most: a file without the directories before it. */
static const char *name_end(const char *name, size_t room, char *out, size_t bytes)
{
	const bool cut = (size_t)plain_columns(name) > room;
	snprintf(out, bytes, "%s%s", cut ? ".." : "",
			 name + (cut ? plain_tail(name, (int)room - 2) : 0));
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

static void print_row(struct columns *table, const struct by_table *by,
					  const struct site_sums *sums, const char *name)
{
	columns_ms(table, site_gpu_ns(sums) / by->steps);
	columns_cell(table, "%.1f", (double)sums->launches / (double)by->steps);
	columns_ms(table, sums->launch_ns / by->steps);
	columns_ms(table, sums->cpu_ns / by->steps);
	columns_ms(table, sums->host_ns / by->steps);
	columns_cell(table, "%s", name);
	columns_end(table, COLUMNS_PLAIN);
}

/* " (NCCL)", " (NCCL 40 %)": what of a row's GPU time is communication, where that is worth a word. */
static void nccl_mark(const struct by_table *by, const struct site_summary *site, char *out,
					  size_t bytes)
{
	const int64_t nccl = site->sums.gpu_ns[GROUP_NCCL], all = site_gpu_ns(&site->sums);
	out[0] = 0;
	if (by->by == SITE_MODULE || nccl == 0 || 10 * (__int128)nccl < all)
		return;
	if (20 * (__int128)nccl >= 19 * (__int128)all)
		snprintf(out, bytes, " (NCCL)");
	else
		snprintf(out, bytes, " (NCCL %.0f %%)", text_percent(nccl, all));
}

/* A row by its name, as much of it as there is room for. */
static void site_name(const struct by_table *by, const struct site_summary *site, const char *text,
					  size_t room, char *out, size_t bytes)
{
	const char *frame = by->by == SITE_STACK ? strrchr(text, ';') : NULL;
	const bool inside = by->by == SITE_LINE && text[by_outer_bytes(text)];
	char cut[408], shorter[400];
	struct text_buffer middle;
	char mark[48], direction[64];
	nccl_mark(by, site, mark, sizeof(mark));
	snprintf(direction, sizeof(direction), "%s%s",
			 site->backward && by->by == SITE_LINE ? " (backward)" : "", mark);
	room -= strlen(direction) < room ? strlen(direction) : 0;
	if (inside) { /* a line that called a library, and where in that */
		by_short_line(text, shorter, sizeof(shorter));
		text = shorter;
	}
	if (site->kind == SITE_REST && site->rows)
		snprintf(out, bytes, "%llu smaller rows", (unsigned long long)site->rows);
	else if (by->by == SITE_OP || by->by == SITE_SHAPE)
		snprintf(out, bytes, "%s%s", text_cut(text, room, &middle), direction);
	else
		snprintf(out, bytes, "%s%s", name_end(frame ? frame + 1 : text, room, cut, sizeof(cut)),
				 direction);
}

static void print_site(struct columns *table, const struct by_table *by,
					   const struct site_summary *site, const char *text)
{
	const int left = table->screen->width - columns_last(table);
	const int room = left > NAME_ROOM_LEAST ? left : NAME_ROOM_LEAST;
	char name[512];
	site_name(by, site, text, (size_t)room, name, sizeof(name));
	print_row(table, by, &site->sums, name);
	if (by->by == SITE_STACK && strchr(text, ';'))
		print_stack(table->screen, text);
}

static void print_title(const struct screen *screen, const struct report *r)
{
	const struct by_table *by = r->by;
	const char *per = r->figures->has_steps ? "per step" : "in the whole run";
	struct text_buffer gpu, starved;
	screen_title_wrap(screen, 2, "%s   by %s, mean of %u GPU%s, %s", r->dirs[0], by_name(by->by),
					  r->figures->devices, r->figures->devices == 1 ? "" : "s", per);
	screen_title_wrap(
		screen, 2, "%s ms of GPU time, %.1f launches; %s ms of idle time before them (starved), %s",
		text_ms(screen, site_gpu_ns(&by->all) / by->steps, &gpu),
		(double)by->all.launches / (double)by->steps,
		text_ms(screen, (by->all.cpu_ns + by->all.host_ns) / by->steps, &starved), per);
	screen_line(screen, "%s", "");
}

/* As emit_nvtx() does it. */
static bool ranges_are_operators(const struct summary *summary)
{
	for (size_t i = 0; i < summary->n_sites; i++)
		if (summary->sites[i].by == SITE_RANGE &&
			strstr(summary_text(summary, summary->sites[i].what), "aten::"))
			return true;
	return false;
}

/* What the columns do not say by themselves. */
static void print_notes(const struct screen *screen, const struct by_table *table,
						const struct summary *summary)
{
	if (table->all.cpu_ns + table->all.host_ns > 0) {
		screen_line(screen, "%s", "");
		screen_wrap(screen, 0, "%s",
					"starved: GPU idle time that ended with a launch from this row; for what the "
					"CPU was doing, see the findings of `baton report`");
	}
	if (table->by == SITE_LINE && table->all.gpu_ns[GROUP_NCCL] > 0)
		screen_wrap(
			screen, 0, "%s",
			"NCCL: a collective stands at the line that launched it; in a backward pass that "
			"is the forward line whose gradient filled the bucket, whatever it waited for");
	const char *source = summary_text(summary, summary->run.source);
	if (table->by == SITE_OP && ranges_are_operators(summary))
		screen_wrap(screen, 0, "%s",
					"This run has its operators as NVTX ranges, so rows are CUDA calls; --by range "
					"has the operators");
	else if (table->by == SITE_OP && source_kind(source) != SOURCE_KINETO)
		screen_wrap(
			screen, 0, "%s",
			"This run has no operators, so rows are CUDA calls; an imported PyTorch profile "
			"has operators");
}

void by_text(const struct report *r, FILE *out)
{
	const struct by_table *by = r->by;
	const struct summary *s = &r->reduction->summary;
	const struct column columns[] = {
		{"GPU ms", 0, 9, COLUMN_RIGHT},  {"launches", 1, 9, COLUMN_RIGHT},
		{"call ms", 1, 8, COLUMN_RIGHT}, {"starved: CPU", 2, 12, COLUMN_RIGHT},
		{"host ms", 1, 8, COLUMN_RIGHT}, {by_name(by->by), 2, -NAME_ROOM_LEAST, COLUMN_LEFT},
	};
	const size_t shown = r->by_top && r->by_top < by->n ? r->by_top : by->n;
	struct screen screen;
	struct columns table;
	screen_open(&screen, out, r->figures->step_ns);
	screen.decimals = screen.decimals < 2 ? 2 : screen.decimals;
	columns_open(&table, &screen, columns, sizeof(columns) / sizeof(columns[0]));
	print_title(&screen, r);
	columns_heads(&table);
	for (size_t i = 0; i < shown; i++)
		print_site(&table, by, &by->rows[i], summary_text(s, by->rows[i].what));
	if (shown < by->n) {
		const size_t more = by->n - shown;
		char name[64];
		struct site_sums rest = by_sum(by, shown);
		snprintf(name, sizeof(name), "and %zu more row%s (--top 0: all)", more,
				 more == 1 ? "" : "s");
		print_row(&table, by, &rest, name);
	}
	print_notes(&screen, by, s);
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
