#include "summarise/finding_line.h"

#include "summarise/by.h"
#include "summarise/finding_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_PART = 10 /* a line is named when it has so much of the time: a tenth */ };

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

static struct line_time *collect(const struct summary *s, uint64_t leaves, uint32_t device,
								 size_t *n)
{
	struct line_time *lines = malloc((s->n_stalls + 1) * sizeof(*lines));
	*n = 0;
	for (size_t i = 0; lines && i < s->n_stalls; i++) {
		const struct evidence *e = &s->stalls[i];
		const char *text = summary_text(s, e->what);
		if ((leaves & LEAF_BIT(e->leaf)) && (!device || e->device == device))
			lines[(*n)++] = (struct line_time){text, by_outer_bytes(text), e->before, e->ns};
	}
	if (lines && *n > 1)
		qsort(lines, *n, sizeof(*lines), by_line);
	return lines;
}

/* Of the rows [0, n): the same text, added up, with most time. `whole`: of a line, whatever it
 * called; else only texts that say what was called. */
static struct line_time most_of(const struct line_time *rows, size_t n, bool whole, size_t *from)
{
	struct line_time most = {0}, sum = {0};
	for (size_t i = 0, begin = 0; i < n; i++) {
		bool same =
			i > 0 && (whole ? same_line(&rows[i], &sum) : strcmp(rows[i].text, sum.text) == 0);
		int64_t ns = same ? sum.ns : 0;
		begin = same ? begin : i;
		sum = rows[i];
		sum.ns += ns;
		if (sum.ns > most.ns && (whole || sum.text[sum.outer])) {
			most = sum;
			*from = begin;
		}
	}
	return most;
}

int finding_say_line(const struct summary *s, const struct figures *f, uint64_t leaves,
					 uint32_t device, int64_t all_ns, struct finding *out)
{
	const int64_t steps = f->steps * (device ? 1 : f->devices), per = steps > 0 ? steps : 1;
	char name[256];
	size_t n, from = 0, end;
	struct line_time *lines = collect(s, leaves, device, &n);
	if (!lines)
		return -ENOMEM;
	struct line_time line = most_of(lines, n, true, &from);
	if (line.ns > 0 && line.ns >= all_ns / LINE_PART) {
		by_short_line(line.text, name, sizeof(name));
		finding_say(out->evidence, sizeof(out->evidence), "most %s %.*s, %s ms/%s",
					line.before ? "before the launch at" : "at", (int)by_outer_bytes(name), name,
					finding_ms(f, line.ns / per).at, f->has_steps ? "step" : "run");
		for (end = from; end < n && same_line(&lines[end], &line); end++)
			;
		struct line_time inside = most_of(lines + from, end - from, false, &from);
		by_short_line(inside.ns > 0 ? inside.text : "", name, sizeof(name));
		if (inside.ns > 0 && inside.ns >= all_ns / LINE_PART)
			finding_say(out->evidence, sizeof(out->evidence), "%s ms of it in %s",
						finding_ms(f, inside.ns / per).at,
						name + by_outer_bytes(name) + strlen(BY_INSIDE));
	}
	free(lines);
	return 0;
}
