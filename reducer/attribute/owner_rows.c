#include "attribute/owner_rows.h"

#include "base/room.h"
#include "base/sort.h"
#include "stacks/folded.h"
#include "summary/evidence_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROW_WORDS = 4, ROWS_MOST = 1 << 24, STACK_BYTES_MOST = 128 << 10 };

struct making {
	struct owners *owners;
	struct summary *summary;
	struct owner_places *places;
	const char *device;
	struct intern rows; /* struct site_row */
	struct site_sums *sums;
	size_t sums_room;
	bool tells_inputs; /* some trace of the device does: else there are no rows by shape */
};

static const char no_launch[] = "(no launch record)", others[] = "(other)";

static int add_row(struct making *m, const struct site_row *row, const struct site_sums *sums)
{
	uint32_t words[ROW_WORDS] = {row->by, row->kind, row->backward, row->text}, number;
	int error = intern_get(&m->rows, words, &number);
	if (error || number == INTERN_FULL)
		return error ? error : -ENOMEM;
	if (room_reach((void **)&m->sums, &m->sums_room, number, sizeof(*m->sums)) != 0)
		return -ENOMEM;
	site_sums_add(&m->sums[number], sums);
	return 0;
}

/* One text for all tables. */
static int add_fixed(struct making *m, enum site_kind kind, const char *text,
					 const struct site_sums *sums)
{
	int error = 0;
	for (int by = SITE_LINE; !error && by < (m->tells_inputs ? SITE_BY_END : SITE_SHAPE); by++) {
		struct site_row row;
		error = owner_places_row(m->places, &row, (enum site_by)by, kind, text);
		if (!error)
			error = add_row(m, &row, sums);
	}
	return error;
}

/* An operator of a backward pass says whose gradient it computes: "aten::mm of AddmmBackward0". */
static const char *of_node(const struct feed *feed, const struct context *context, uint32_t name)
{
	const char *node = context->backward ? context_node(feed_text(feed, context->backward)) : NULL;
	const char *own = feed_text(feed, name);
	return !node || !*node || name == context->backward || strcmp(own, node) == 0 ? "" : node;
}

/* "ProfilerStep#12" and "ProfilerStep#13" are one. */
static int set_op(struct making *m, const char *name, const char *node, struct site_row *row)
{
	char text[2048];
	size_t stem = evidence_stem(name);
	const bool numbered = name[stem] != 0 && name[stem - 1] == '#';
	if (!numbered && !*node)
		return owner_places_row(m->places, row, SITE_OP, SITE_OTHER, name);
	stem = numbered ? stem : strlen(name);
	snprintf(text, sizeof(text), "%.*s%s%s%s", (int)(stem < 1500 ? stem : 1500), name,
			 numbered ? "*" : "", *node ? " of " : "", node);
	return owner_places_row(m->places, row, SITE_OP, SITE_OTHER, text);
}

static int add_op(struct making *m, const struct owner *owner, const struct context *context,
				  const struct site_sums *sums)
{
	const struct feed *feed = &m->owners->contexts.feeds[owner->feed];
	uint32_t name = context->op ? context->op : owner->call;
	struct site_row row;
	int error;
	if (owner->context == CONTEXT_REST)
		error = owner_places_row(m->places, &row, SITE_OP, SITE_REST, others);
	else if (name)
		error = set_op(m, feed_text(feed, name), of_node(feed, context, name), &row);
	else
		error =
			owner_places_row(m->places, &row, SITE_OP, SITE_UNKNOWN, owner_places_unknown(SITE_OP));
	return error ? error : add_row(m, &row, sums);
}

/* An operator and the shapes that it was called with; a call where there is none. */
static int add_shape(struct making *m, const struct owner *owner, const struct context *context,
					 const struct site_sums *sums)
{
	char text[2048];
	const struct feed *feed = &m->owners->contexts.feeds[owner->feed];
	const struct trace *trace = &feed->trace;
	const struct text shapes = strings_get(&trace->strings, trace->inputs[context->inputs].shapes);
	const uint32_t name = context->shaped ? context->shaped : owner->call;
	struct site_row row;
	const char *node = name ? of_node(feed, context, name) : "";
	snprintf(text, sizeof(text), "%s%s%s%s%s", name ? feed_text(feed, name) : "",
			 *node ? " of " : "", node, shapes.bytes ? " " : "", shapes.at);
	const enum site_kind kind = owner->context == CONTEXT_REST ? SITE_REST
								: name                         ? SITE_OTHER
															   : SITE_UNKNOWN;
	const int error = owner_places_row(m->places, &row, SITE_SHAPE, kind,
									   kind == SITE_REST    ? others
									   : kind == SITE_OTHER ? text
															: owner_places_unknown(SITE_SHAPE));
	return error ? error : add_row(m, &row, sums);
}

static int add_range(struct making *m, const struct owner *owner, const struct context *context,
					 const struct site_sums *sums)
{
	char path[2048];
	struct site_row row;
	int error;
	contexts_path_text(&m->owners->contexts, context->path, path, sizeof(path));
	if (owner->context == CONTEXT_REST || context->path == PATH_REST)
		error = owner_places_row(m->places, &row, SITE_RANGE, SITE_REST, others);
	else if (path[0])
		error = owner_places_row(m->places, &row, SITE_RANGE, SITE_OTHER, path);
	else
		error = owner_places_row(m->places, &row, SITE_RANGE, SITE_UNKNOWN,
								 owner_places_unknown(SITE_RANGE));
	return error ? error : add_row(m, &row, sums);
}

/* With a stack its sums wait with it: only the dearest get their text. */
static int add_stack(struct making *m, const struct owner *owner, const struct site_sums *sums)
{
	struct known_place *known;
	struct site_row row;
	if (owner->stack) {
		int error = owner_places_stack(m->places, owner, &known);
		if (!error)
			site_sums_add(&known->sums, sums);
		return error;
	}
	int error = owner_places_row(m->places, &row, SITE_STACK, SITE_UNKNOWN,
								 owner_places_unknown(SITE_STACK));
	return error ? error : add_row(m, &row, sums);
}

static int add_line_and_module(struct making *m, const struct owner *owner,
							   const struct context *context, const struct site_sums *sums)
{
	struct site_row line, module;
	int error = owner_places_line(m->places, owner, context, &line, &module);
	if (error)
		return error;
	if (!owner->stack && owner->context == CONTEXT_REST) {
		error = owner_places_row(m->places, &line, SITE_LINE, SITE_REST, others);
		if (error)
			return error;
		module.kind = SITE_REST;
		module.text = line.text;
	}
	if (owner->nccl) {
		error = owner_places_row(m->places, &module, SITE_MODULE, SITE_OTHER, "NCCL");
		if (error)
			return error;
	}
	error = add_row(m, &line, sums);
	return error ? error : add_row(m, &module, sums);
}

static int add_owner(struct making *m, uint32_t number)
{
	const struct site_sums *sums = &m->owners->sums[number];
	struct owner owner = owners_get(m->owners, number);
	if (site_weight(sums) == 0 && sums->launches == 0)
		return 0;
	if (owner.feed == UINT32_MAX)
		return owner.stack ? add_fixed(m, SITE_REST, others, sums)
						   : add_fixed(m, SITE_UNKNOWN, no_launch, sums);
	struct context context = contexts_get(&m->owners->contexts, owner.context);
	int error = add_line_and_module(m, &owner, &context, sums);
	if (error)
		return error;
	error = add_stack(m, &owner, sums);
	if (error)
		return error;
	error = add_op(m, &owner, &context, sums);
	if (!error && m->tells_inputs)
		error = add_shape(m, &owner, &context, sums);
	return error ? error : add_range(m, &owner, &context, sums);
}

/* ---- the dearest of each ---- */

struct ranked {
	int64_t weight;
	uint64_t launches;
	uint32_t number;
	const char *text;
};

static int by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->launches != y->launches)
		return x->launches > y->launches ? -1 : 1;
	int texts = strcmp(x->text, y->text);
	return texts ? texts : x->number < y->number ? -1 : x->number > y->number;
}

static int put_site(struct making *m, const struct site_row *row, uint64_t rows,
					const struct site_sums *sums)
{
	struct site_summary key = {
		.by = (uint8_t)row->by, .kind = (uint8_t)row->kind, .backward = (uint8_t)row->backward};
	if (summary_string(m->summary, strings_get(&m->places->texts, row->text).at, &key.what) != 0)
		return -ENOMEM;
	struct site_summary *site = summary_site(m->summary, &key);
	if (!site)
		return -ENOMEM;
	site->rows += rows;
	site_sums_add(&site->sums, sums);
	return 0;
}

/* All that are beyond the limit, together. */
static int put_rest(struct making *m, enum site_by by, uint64_t rows, const struct site_sums *sums)
{
	struct site_row row;
	int error = rows ? owner_places_row(m->places, &row, by, SITE_REST, others) : 0;
	return error || !rows ? error : put_site(m, &row, rows, sums);
}

static int put_rows(struct making *m, enum site_by by, struct ranked *ranked)
{
	struct site_sums rest = {0};
	uint32_t n = 0, left = 0;
	int error = 0;
	for (uint32_t i = 0; i < m->rows.n; i++) {
		const uint32_t *row = intern_tuple(&m->rows, i);
		if (row[0] == by)
			ranked[n++] = (struct ranked){site_weight(&m->sums[i]), m->sums[i].launches, i,
										  strings_get(&m->places->texts, row[3]).at};
	}
	sort_rows(ranked, n, sizeof(*ranked), by_weight);
	for (uint32_t i = 0; !error && i < n; i++) {
		const uint32_t *words = intern_tuple(&m->rows, ranked[i].number);
		struct site_row row = {words[0], words[1], words[2], words[3]};
		if (i < SITES_MOST || row.kind > SITE_OTHER) {
			error = put_site(m, &row, 0, &m->sums[ranked[i].number]);
			continue;
		}
		left++;
		site_sums_add(&rest, &m->sums[ranked[i].number]);
	}
	return error ? error : put_rest(m, by, left, &rest);
}

/* What a record has no room for goes at the outer end, and that is said. */
static const char *cut_stack(char *line, size_t *bytes)
{
	char *from = *bytes > STACK_BYTES_MOST ? strchr(line + *bytes - STACK_BYTES_MOST, ';') : NULL;
	if (!from || from - line < 3)
		return line;
	*bytes -= (size_t)(from - line) - 3;
	return memcpy(from - 3, "...", 3);
}

static int put_stack(struct making *m, uint32_t number, char *line)
{
	const uint32_t *key = intern_tuple(&m->places->stack_keys, number);
	const struct known_place *known = &m->places->at[number];
	const struct stacks *stacks = &m->places->stacks[key[0]];
	struct site_row row = {
		.by = SITE_STACK, .kind = known->line.kind, .backward = known->line.backward};
	uint32_t index = stacks_find(stacks, key[1]);
	if (index == 0) /* its record is lost */
		row.kind = SITE_UNKNOWN;
	size_t bytes = index ? folded_text(stacks, index, line) : 0;
	const char *text = cut_stack(line, &bytes);
	int error = index ? strings_add(&m->places->texts, text, bytes, &row.text, NULL)
					  : owner_places_row(m->places, &row, SITE_STACK, SITE_UNKNOWN,
										 owner_places_unknown(SITE_STACK));
	return error ? error : put_site(m, &row, 0, &known->sums);
}

static int put_stacks(struct making *m, struct ranked *ranked)
{
	char *line = malloc(FOLDED_BYTES);
	struct site_sums rest = {0};
	uint32_t n = 0;
	int error = line ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < m->places->stack_keys.n; i++) {
		const struct site_sums *sums = &m->places->at[i].sums;
		if (site_weight(sums) || sums->launches)
			ranked[n++] = (struct ranked){site_weight(sums), sums->launches, i, ""};
	}
	sort_rows(ranked, n, sizeof(*ranked), by_weight);
	for (uint32_t i = 0; !error && i < n; i++) {
		if (i < SITES_MOST)
			error = put_stack(m, ranked[i].number, line);
		else
			site_sums_add(&rest, &m->places->at[ranked[i].number].sums);
	}
	free(line);
	return error ? error : put_rest(m, SITE_STACK, n > SITES_MOST ? n - SITES_MOST : 0, &rest);
}

static int put_sites(struct making *m)
{
	uint32_t most = m->rows.n > m->places->stack_keys.n ? m->rows.n : m->places->stack_keys.n;
	struct ranked *ranked = malloc(((size_t)most + 1) * sizeof(*ranked));
	int error = ranked ? 0 : -ENOMEM;
	for (int by = SITE_LINE; !error && by < SITE_BY_END; by++)
		error = put_rows(m, (enum site_by)by, ranked);
	if (!error)
		error = put_stacks(m, ranked);
	free(ranked);
	return error;
}

/* ---- the lines that explain idle time ---- */

static int put_stalls(struct making *m)
{
	const struct owners *o = m->owners;
	struct ranked *ranked = malloc(((size_t)o->stall_keys.n + 1) * sizeof(*ranked));
	int error = ranked ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && i < o->stall_keys.n; i++)
		ranked[i] = (struct ranked){o->stalls[i].ns, o->stalls[i].count, i, ""};
	if (!error && o->stall_keys.n > 1)
		sort_rows(ranked, o->stall_keys.n, sizeof(*ranked), by_weight);
	for (uint32_t i = 0; !error && i < o->stall_keys.n && i < STALL_LINES_MOST; i++) {
		const uint32_t *key = intern_tuple(&o->stall_keys, ranked[i].number);
		const struct stall *stall = &o->stalls[ranked[i].number];
		const char *line;
		error = owner_places_text(m->places, key[1], &line);
		if (!error && line[0])
			error = summary_stall(m->summary, m->device, line,
								  &(struct evidence){.leaf = (uint8_t)key[0],
													 .before = (uint8_t)key[2],
													 .count = stall->count,
													 .ns = stall->ns});
	}
	free(ranked);
	return error;
}

int owners_store(struct owners *owners, struct owner_places *places, struct summary *summary,
				 const char *device)
{
	struct making m = {.owners = owners,
					   .summary = summary,
					   .places = places,
					   .device = device,
					   .rows = intern_of(ROW_WORDS, ROWS_MOST)};
	int error = 0;
	for (uint32_t i = 0; i < owners->contexts.n_feeds; i++)
		m.tells_inputs |= owners->contexts.feeds[i].trace.n_inputs > 1;
	for (uint32_t i = 0; !error && i < owners->owners.n; i++)
		error = add_owner(&m, i);
	if (!error)
		error = put_sites(&m);
	if (!error)
		error = put_stalls(&m);
	intern_free(&m.rows);
	free(m.sums);
	return error;
}
