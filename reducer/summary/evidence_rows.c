#include "summary/evidence_rows.h"

#include "base/sort.h"
#include "classify/demangle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t evidence_stem(const char *name)
{
	size_t n = strlen(name), stem = n;
	while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
		stem--;
	return stem > 1 && stem < n && strchr("# _-/=", name[stem - 1]) ? stem : n;
}

/* Rows with a number at their end sort beside each other, whatever the number. */
static int compare_stems(const struct evidence_row *x, const struct evidence_row *y)
{
	size_t n = x->stem < y->stem ? x->stem : y->stem;
	int order = memcmp(x->what, y->what, n);
	bool x_number = x->what[x->stem] != 0, y_number = y->what[y->stem] != 0;
	if (order)
		return order;
	if (x->stem != y->stem)
		return x->stem < y->stem ? -1 : 1;
	return (int)x_number - (int)y_number;
}

static int by_stem(const void *a, const void *b)
{
	const struct evidence_row *x = a, *y = b;
	int order = compare_stems(x, y);
	return order ? order : strcmp(x->what, y->what);
}

static int by_time(const void *a, const void *b)
{
	const struct evidence_row *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return by_stem(a, b);
}

int evidence_rows_open(struct evidence_rows *rows, const struct summary *summary, uint64_t leaves,
					   uint32_t device)
{
	size_t n = 0;
	*rows = (struct evidence_rows){0};
	rows->at = malloc((summary->n_evidence + 1) * sizeof(*rows->at));
	if (!rows->at)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_evidence; i++) {
		const struct evidence *e = &summary->evidence[i];
		const char *what = summary_text(summary, e->what);
		if (leaves & LEAF_BIT(e->leaf) && (device == 0 || e->device == device))
			rows->at[n++] =
				(struct evidence_row){what, evidence_stem(what), false, e->count, e->ns};
	}
	sort_rows(rows->at, n, sizeof(*rows->at), by_stem);
	for (size_t i = 0; i < n; i++) {
		struct evidence_row *last = rows->n ? &rows->at[rows->n - 1] : NULL;
		if (!last || compare_stems(last, &rows->at[i]) != 0) {
			rows->at[rows->n++] = rows->at[i];
			continue;
		}
		last->folded = last->folded || strcmp(last->what, rows->at[i].what) != 0;
		last->count += rows->at[i].count;
		last->ns += rows->at[i].ns;
	}
	sort_rows(rows->at, rows->n, sizeof(*rows->at), by_time);
	return 0;
}

void evidence_rows_close(struct evidence_rows *rows)
{
	free(rows->at);
	*rows = (struct evidence_rows){0};
}

const struct evidence_row *evidence_rows_find(const struct evidence_rows *rows,
											  const struct evidence_row *like)
{
	for (size_t i = 0; i < rows->n; i++)
		if (compare_stems(&rows->at[i], like) == 0)
			return &rows->at[i];
	return NULL;
}

const char *evidence_row_name(const struct evidence_row *row, char *out, size_t bytes)
{
	char name[1024];
	if (row->folded)
		snprintf(name, sizeof(name), "%.*s*", (int)row->stem, row->what);
	else
		demangle(row->what, name, sizeof(name));
	size_t n = strlen(name), tail = (bytes - 3) / 3, head = bytes - 3 - tail;
	if (n < bytes) {
		memcpy(out, name, n + 1);
		return out;
	}
	while (head > 0 && (name[head] & 0xc0) == 0x80) /* no half characters */
		head--;
	while (tail > 0 && (name[n - tail] & 0xc0) == 0x80)
		tail--;
	snprintf(out, bytes, "%.*s..%s", (int)head, name, name + n - tail);
	return out;
}
