#include "conclude/finding_rows.h"

#include "base/amount.h"
#include "base/sort.h"
#include "conclude/by.h"
#include "conclude/copies.h"
#include "conclude/finding_text.h"
#include "summary/evidence_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES = 2,     /* of evidence */
	LINE_PART = 10 /* a line is named when it has so much of the time: a tenth */
};

struct line_time {
	const char *text;
	size_t outer; /* bytes of the project's line in it */
	uint8_t before;
	int64_t ns;
};

/* Lines together with all that they called, then by what. */
static int by_line(const void *a, const void *b)
{
	const struct line_time *x = a, *y = b;
	size_t bytes = x->outer < y->outer ? x->outer : y->outer;
	int order = memcmp(x->text, y->text, bytes);
	if (order == 0)
		order = x->outer < y->outer ? -1 : x->outer > y->outer;
	if (order == 0)
		order = (x->before > y->before) - (x->before < y->before);
	return order ? order : strcmp(x->text, y->text);
}

static bool same_line(const struct line_time *x, const struct line_time *y)
{
	return x->outer == y->outer && x->before == y->before &&
		   memcmp(x->text, y->text, x->outer) == 0;
}

/* Each text once, of all devices that are asked about; sorted. 0 or -ENOMEM. */
static int collect(const struct summary *s, uint64_t leaves, uint32_t device,
				   struct line_time **lines, size_t *n)
{
	const size_t texts = 2 * (size_t)s->pool.n; /* where the thread was; what it launched next */
	int64_t *sums = calloc(texts, sizeof(*sums));
	*lines = malloc((s->n_stalls + 1) * sizeof(**lines));
	*n = 0;
	if (!sums || !*lines) {
		free(sums);
		free(*lines);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->n_stalls; i++) {
		const struct evidence *e = &s->stalls[i];
		if ((leaves & LEAF_BIT(e->leaf)) && (!device || e->device == device))
			sums[2 * (size_t)e->what + e->before] += e->ns;
	}
	for (size_t i = 0; i < texts; i++) {
		const char *text = summary_text(s, (uint32_t)(i / 2));
		if (sums[i] > 0)
			(*lines)[(*n)++] =
				(struct line_time){text, by_outer_bytes(text), (uint8_t)(i % 2), sums[i]};
	}
	free(sums);
	sort_rows(*lines, *n, sizeof(**lines), by_line);
	return 0;
}

/* The line with most time, whatever it called; the rows [*from, *to) are its. */
static struct line_time longest_line(const struct line_time *rows, size_t n, size_t *from,
									 size_t *to)
{
	struct line_time most = {0};
	size_t end;
	for (size_t i = 0; i < n; i = end) {
		struct line_time sum = rows[i];
		for (end = i + 1; end < n && same_line(&rows[end], &rows[i]); end++)
			sum.ns += rows[end].ns;
		if (sum.ns > most.ns) {
			most = sum;
			*from = i;
			*to = end;
		}
	}
	return most;
}

/* What the line called that has most of its time. */
static void say_inside(const struct line_time *rows, size_t n, int64_t least_ns,
					   const struct figures *f, int64_t per, struct finding *out)
{
	const struct line_time *most = NULL;
	char name[256];
	for (size_t i = 0; i < n; i++)
		if (rows[i].text[rows[i].outer] && (!most || rows[i].ns > most->ns))
			most = &rows[i];
	if (!most || most->ns < least_ns)
		return;
	by_short_inside(most->text, name, sizeof(name));
	finding_say(out->evidence, sizeof(out->evidence), "%s ms of that in %s",
				finding_ms(f, most->ns / per).at, name);
}

/* Steps of one device or (device 0) of all, at least 1: what a mean divides by. */
static int64_t steps_of(const struct figures *f, uint32_t device)
{
	const int64_t steps = f->steps * (device ? 1 : f->devices);
	return steps > 0 ? steps : 1;
}

static int say_line(const struct finding_source *m, uint64_t leaves, uint32_t device,
					struct finding *out)
{
	const struct figures *f = m->f;
	const int64_t all_ns = finding_time_in(m->summary, leaves, device), per = steps_of(f, device);
	char name[128];
	struct line_time *lines;
	size_t n, from = 0, to = 0;
	int error = collect(m->summary, leaves, device, &lines, &n);
	if (error)
		return error;
	struct line_time line = longest_line(lines, n, &from, &to);
	if (line.ns > 0 && line.ns >= all_ns / LINE_PART) {
		by_short_outer(line.text, name, sizeof(name));
		finding_say(out->evidence, sizeof(out->evidence), "most of it %s %s, %s ms per %s",
					line.before ? "before the launch at" : "at", name,
					finding_ms(f, line.ns / per).at, finding_per(f));
		say_inside(lines + from, to - from, all_ns / LINE_PART, f, per, out);
	}
	free(lines);
	return 0;
}

int64_t finding_time_in(const struct summary *s, uint64_t leaves, uint32_t device)
{
	__int128 sum = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		for (int leaf = 0; leaf < LEAF_COUNT && (!device || s->devices[i].key == device); leaf++)
			sum += leaves & LEAF_BIT(leaf) ? s->devices[i].time_ns[leaf] : 0;
	return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

/* What is copied which way, and how fast: the two directions that take most time, the second one if it
 * takes a hundredth of the first. */
static void say_copies(const struct finding_source *m, uint32_t device, struct finding *out)
{
	struct copies_way ways[COPIES_WAYS];
	const size_t n = copies_by_way(m->summary, device, ways);
	const int64_t per = steps_of(m->f, device);
	for (size_t i = 0; i < n && i < NAMES && 100 * (__int128)ways[i].total_ns >= ways[0].total_ns;
		 i++) {
		char bytes[32], rate[64] = "";
		if (ways[i].sized_ns > 0)
			snprintf(rate, sizeof(rate), ", %s at %.1f GB/s",
					 amount_bytes((uint64_t)(ways[i].bytes / per), bytes),
					 (double)ways[i].bytes / (double)ways[i].sized_ns);
		finding_say(out->evidence, sizeof(out->evidence), "%s: %s ms per %s%s", ways[i].words,
					finding_ms(m->f, ways[i].total_ns / per).at, finding_per(m->f), rate);
	}
	if (n > 0)
		finding_say(out->evidence, sizeof(out->evidence), "overlapped part included");
}

int finding_say_rows(const struct finding_source *m, uint64_t leaves, uint32_t device,
					 struct finding *out)
{
	struct evidence_rows rows;
	int error = evidence_rows_open(&rows, m->summary, leaves, device);
	if (error) {
		evidence_rows_close(&rows);
		return error;
	}
	/* a thread without a core does not wait for the call that it is in */
	const char *during = leaves == LEAF_BIT(LEAF_HOST_NO_CORE) ? "during " : "";
	for (size_t i = 0; i < rows.n && i < NAMES; i++) {
		const struct evidence_row *row = &rows.at[i];
		char name[91];
		finding_say(out->evidence, sizeof(out->evidence), "%s%s (%s ms per %s, %llu gap%s)", during,
					evidence_row_name(row, name, sizeof(name)),
					finding_ms(m->f, row->ns / steps_of(m->f, device)).at, finding_per(m->f),
					(unsigned long long)row->count, row->count == 1 ? "" : "s");
	}
	evidence_rows_close(&rows);
	if (leaves & LEAVES_COPY)
		say_copies(m, device, out);
	return say_line(m, leaves, device, out);
}

void finding_say_rare(const struct finding_source *m, uint64_t leaves, uint32_t device,
					  struct finding *out)
{
	const struct figures *f = m->f;
	rare_find(m->summary, leaves, device, &out->rare);
	const struct rare *rare = &out->rare;
	if (rare->in == 0)
		return;
	char others[40] = "";
	if (rare->devices > 1)
		snprintf(others, sizeof(others), " (and of %u other GPU%s)", rare->devices - 1,
				 rare->devices == 2 ? "" : "s");
	const struct finding_words who =
		f->devices > 1 ? finding_device(m->summary, rare->device) : (struct finding_words){""};
	const char *of = who.at[0] ? " of " : "";
	if (rare->in == 1)
		finding_say(out->summary, sizeof(out->summary),
					"rare: only 1 of %lld steps%s%s%s has it, %s ms in step %lld",
					(long long)rare->of, of, who.at, others, finding_ms(f, rare->worst_ns).at,
					(long long)rare->worst_step);
	else
		finding_say(out->summary, sizeof(out->summary),
					"rare: only %llu of %lld steps%s%s%s have it, %s ms each, at most %s ms in "
					"step %lld",
					(unsigned long long)rare->in, (long long)rare->of, of, who.at, others,
					finding_ms(f, rare->ns / (int64_t)rare->in).at,
					finding_ms(f, rare->worst_ns).at, (long long)rare->worst_step);
}
