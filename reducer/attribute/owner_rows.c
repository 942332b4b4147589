#include "attribute/owner_rows.h"

#include "stacks/folded.h"
#include "stacks/place.h"
#include "summarise/evidence_rows.h"

#include <stdio.h>

enum { ROW_WORDS = 4, ROWS_MOST = 1 << 24, STACK_BYTES_MOST = 128 << 10 };

struct row { /* the words of its tuple */
	uint32_t by, kind, backward;
	uint32_t text;
};

struct known_place { /* of a stack */
	struct row line, module;
	struct site_sums sums;
};

struct making {
	struct owners *owners;
	struct summary *summary;
	const char *device;
	struct strings texts;
	struct intern rows; /* struct row */
	struct site_sums *sums;
	uint32_t sums_room;
	struct stacks *stacks; /* per source; not opened: n_stacks is 0 */
	struct symbols *symbols;
	struct intern stack_keys; /* source, stack */
	struct known_place *places;
	uint32_t places_room;
	struct place place; /* scratch */
};

static const char no_launch[] = "(no launch record)", others[] = "(other)";
static const char *const no_site[SITE_BY_END] = {[SITE_LINE] = "(no stack)",
												 [SITE_STACK] = "(no stack)",
												 [SITE_MODULE] = "(no stack)",
												 [SITE_OP] = "(no name)",
												 [SITE_RANGE] = "(no range)"};

static int set_row(struct making *m, struct row *row, enum site_by by, enum site_kind kind,
				   const char *text)
{
	*row = (struct row){.by = by, .kind = kind};
	return strings_add(&m->texts, text, strlen(text), &row->text, NULL);
}

static int add_row(struct making *m, const struct row *row, const struct site_sums *sums)
{
	uint32_t words[ROW_WORDS] = {row->by, row->kind, row->backward, row->text}, number;
	int error = intern_get(&m->rows, words, &number);
	if (error || number == INTERN_FULL)
		return error ? error : -ENOMEM;
	if (array_reach((void **)&m->sums, &m->sums_room, number, sizeof(*m->sums)) != 0)
		return -ENOMEM;
	site_sums_add(&m->sums[number], sums);
	return 0;
}

static enum site_kind kind_of(enum origin origin)
{
	return origin == ORIGIN_PROJECT   ? SITE_PROJECT
		   : origin == ORIGIN_LIBRARY ? SITE_OTHER
									  : SITE_UNKNOWN;
}

/* A line and a module that m->place describes. */
static int set_place(struct making *m, struct row *line, struct row *module)
{
	const struct place *p = &m->place;
	enum site_kind kind = kind_of(p->origin), module_kind = kind_of(p->module_origin);
	int error =
		set_row(m, line, SITE_LINE, kind, kind == SITE_UNKNOWN ? no_site[SITE_LINE] : p->line);
	line->backward = p->backward;
	return error ? error
				 : set_row(m, module, SITE_MODULE, module_kind,
						   module_kind == SITE_UNKNOWN ? no_site[SITE_MODULE] : p->module);
}

static int open_stacks(struct making *m, uint32_t source)
{
	struct stacks *stacks = &m->stacks[source];
	int error = 0;
	if (stacks->n_stacks)
		return 0;
	if (!m->symbols)
		error = symbols_open(&m->symbols);
	return error ? error
				 : stacks_open(stacks, &m->owners->contexts.sources[source].trace, m->symbols);
}

/* The place of a stack, described when it is first met. */
static int stack_place(struct making *m, const struct owner *owner, struct known_place **out)
{
	uint32_t key[2] = {owner->source, owner->stack}, before = m->stack_keys.n, number;
	int error = open_stacks(m, owner->source);
	if (!error)
		error = intern_get(&m->stack_keys, key, &number);
	if (!error)
		error = array_reach((void **)&m->places, &m->places_room, number, sizeof(*m->places));
	if (error)
		return error;
	*out = &m->places[number];
	if (number < before)
		return 0;
	struct stacks *stacks = &m->stacks[owner->source];
	place_of(stacks, stacks_find(stacks, owner->stack), &m->place);
	return set_place(m, &(*out)->line, &(*out)->module);
}

/* Of a source that has Python frames as ranges. */
static int frame_place(struct making *m, const struct owner *owner, const struct context *context,
					   struct row *line, struct row *module)
{
	const struct source *source = &m->owners->contexts.sources[owner->source];
	struct place *p = &m->place;
	char unused[PLACE_BYTES];
	*p = (struct place){.backward = context->backward};
	if (context->frame)
		p->origin = origin_of_range(source_text(source, context->frame), p->line, p->module,
									sizeof(p->line));
	if (context->inner)
		p->module_origin = origin_of_range(source_text(source, context->inner), unused, p->module,
										   sizeof(p->module));
	return set_place(m, line, module);
}

static int place_owner(struct making *m, const struct owner *owner, const struct context *context,
					   struct row *line, struct row *module)
{
	struct known_place *known;
	if (!owner->stack)
		return frame_place(m, owner, context, line, module);
	int error = stack_place(m, owner, &known);
	if (!error) {
		*line = known->line;
		*module = known->module;
	}
	return error;
}

/* One text for all five. */
static int add_fixed(struct making *m, enum site_kind kind, const char *text,
					 const struct site_sums *sums)
{
	int error = 0;
	for (int by = SITE_LINE; !error && by < SITE_BY_END; by++) {
		struct row row;
		error = set_row(m, &row, (enum site_by)by, kind, text);
		if (!error)
			error = add_row(m, &row, sums);
	}
	return error;
}

/* "ProfilerStep#12" and "ProfilerStep#13" are one. */
static int set_op(struct making *m, const char *name, struct row *row)
{
	char cut[512];
	size_t stem = evidence_stem(name);
	if (name[stem] == 0 || name[stem - 1] != '#' || stem + 2 > sizeof(cut))
		return set_row(m, row, SITE_OP, SITE_OTHER, name);
	snprintf(cut, sizeof(cut), "%.*s*", (int)stem, name);
	return set_row(m, row, SITE_OP, SITE_OTHER, cut);
}

static int add_op_and_range(struct making *m, const struct owner *owner,
							const struct context *context, const struct site_sums *sums)
{
	const struct contexts *contexts = &m->owners->contexts;
	const struct source *source = &contexts->sources[owner->source];
	bool rest = owner->context == CONTEXT_REST;
	uint32_t name = context->op ? context->op : owner->call;
	char path[2048];
	struct row row;
	int error = rest   ? set_row(m, &row, SITE_OP, SITE_REST, others)
				: name ? set_op(m, source_text(source, name), &row)
					   : set_row(m, &row, SITE_OP, SITE_UNKNOWN, no_site[SITE_OP]);
	if (!error)
		error = add_row(m, &row, sums);
	if (error)
		return error;
	rest = rest || context->path == PATH_REST;
	contexts_path_text(contexts, context->path, path, sizeof(path));
	error = rest ? set_row(m, &row, SITE_RANGE, SITE_REST, others)
				 : set_row(m, &row, SITE_RANGE, path[0] ? SITE_OTHER : SITE_UNKNOWN,
						   path[0] ? path : no_site[SITE_RANGE]);
	return error ? error : add_row(m, &row, sums);
}

/* With a stack its sums wait with it: only the dearest get their text. */
static int add_stack(struct making *m, const struct owner *owner, const struct site_sums *sums)
{
	struct known_place *known;
	struct row row;
	int error = owner->stack ? stack_place(m, owner, &known)
							 : set_row(m, &row, SITE_STACK, SITE_UNKNOWN, no_site[SITE_STACK]);
	if (error)
		return error;
	if (!owner->stack)
		return add_row(m, &row, sums);
	site_sums_add(&known->sums, sums);
	return 0;
}

static int add_owner(struct making *m, uint32_t number)
{
	const struct site_sums *sums = &m->owners->sums[number];
	struct owner owner = owners_get(m->owners, number);
	struct row line, module;
	if (site_weight(sums) == 0 && sums->launches == 0)
		return 0;
	if (owner.source == UINT32_MAX)
		return owner.stack ? add_fixed(m, SITE_REST, others, sums)
						   : add_fixed(m, SITE_UNKNOWN, no_launch, sums);
	struct context context = contexts_get(&m->owners->contexts, owner.context);
	int error = place_owner(m, &owner, &context, &line, &module);
	if (!error && !owner.stack && owner.context == CONTEXT_REST) {
		error = set_row(m, &line, SITE_LINE, SITE_REST, others);
		module.kind = SITE_REST;
		module.text = line.text;
	}
	if (!error && owner.nccl)
		error = set_row(m, &module, SITE_MODULE, SITE_OTHER, "NCCL");
	if (!error)
		error = add_row(m, &line, sums);
	if (!error)
		error = add_row(m, &module, sums);
	if (!error)
		error = add_stack(m, &owner, sums);
	return error ? error : add_op_and_range(m, &owner, &context, sums);
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

static int put_site(struct making *m, const struct row *row, uint64_t rows,
					const struct site_sums *sums)
{
	struct site_summary key = {
		.by = (uint8_t)row->by, .kind = (uint8_t)row->kind, .backward = (uint8_t)row->backward};
	if (summary_string(m->summary, strings_get(&m->texts, row->text).at, &key.what) != 0)
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
	struct row row;
	int error = rows ? set_row(m, &row, by, SITE_REST, others) : 0;
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
										  strings_get(&m->texts, row[3]).at};
	}
	if (n > 1)
		qsort(ranked, n, sizeof(*ranked), by_weight);
	for (uint32_t i = 0; !error && i < n; i++) {
		const uint32_t *words = intern_tuple(&m->rows, ranked[i].number);
		struct row row = {words[0], words[1], words[2], words[3]};
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
	const uint32_t *key = intern_tuple(&m->stack_keys, number);
	const struct known_place *known = &m->places[number];
	const struct stacks *stacks = &m->stacks[key[0]];
	struct row row = {.by = SITE_STACK, .kind = known->line.kind, .backward = known->line.backward};
	uint32_t index = stacks_find(stacks, key[1]);
	if (index == 0) /* its record is lost */
		row.kind = SITE_UNKNOWN;
	size_t bytes = index ? folded_text(stacks, index, line) : 0;
	const char *text = cut_stack(line, &bytes);
	int error = index ? strings_add(&m->texts, text, bytes, &row.text, NULL)
					  : set_row(m, &row, SITE_STACK, SITE_UNKNOWN, no_site[SITE_STACK]);
	return error ? error : put_site(m, &row, 0, &known->sums);
}

static int put_stacks(struct making *m, struct ranked *ranked)
{
	char *line = malloc(FOLDED_BYTES);
	struct site_sums rest = {0};
	uint32_t n = 0;
	int error = line ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < m->stack_keys.n; i++) {
		const struct site_sums *sums = &m->places[i].sums;
		if (site_weight(sums) || sums->launches)
			ranked[n++] = (struct ranked){site_weight(sums), sums->launches, i, ""};
	}
	if (n > 1)
		qsort(ranked, n, sizeof(*ranked), by_weight);
	for (uint32_t i = 0; !error && i < n; i++) {
		if (i < SITES_MOST)
			error = put_stack(m, ranked[i].number, line);
		else
			site_sums_add(&rest, &m->places[ranked[i].number].sums);
	}
	free(line);
	return error ? error : put_rest(m, SITE_STACK, n > SITES_MOST ? n - SITES_MOST : 0, &rest);
}

static int put_sites(struct making *m)
{
	uint32_t most = m->rows.n > m->stack_keys.n ? m->rows.n : m->stack_keys.n;
	struct ranked *ranked = malloc(((size_t)most + 1) * sizeof(*ranked));
	int error = ranked ? 0 : -ENOMEM;
	for (int by = SITE_LINE; !error && by < SITE_BY_END; by++)
		error = put_rows(m, (enum site_by)by, ranked);
	if (!error)
		error = put_stacks(m, ranked);
	free(ranked);
	return error;
}

/* ---- the lines behind idle time ---- */

static int put_stalls(struct making *m)
{
	const struct owners *o = m->owners;
	struct ranked *ranked = malloc(((size_t)o->stall_keys.n + 1) * sizeof(*ranked));
	int error = ranked ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && i < o->stall_keys.n; i++)
		ranked[i] = (struct ranked){o->stalls[i].ns, o->stalls[i].count, i, ""};
	if (!error && o->stall_keys.n > 1)
		qsort(ranked, o->stall_keys.n, sizeof(*ranked), by_weight);
	for (uint32_t i = 0; !error && i < o->stall_keys.n && i < STALL_LINES_MOST; i++) {
		const uint32_t *key = intern_tuple(&o->stall_keys, ranked[i].number);
		const struct stall *stall = &o->stalls[ranked[i].number];
		struct owner owner = owners_get(o, key[1]);
		struct context context = contexts_get(&o->contexts, owner.context);
		struct row line, module;
		error = place_owner(m, &owner, &context, &line, &module);
		if (!error && line.kind < SITE_UNKNOWN)
			error = summary_stall(m->summary, m->device, strings_get(&m->texts, line.text).at,
								  &(struct evidence){.leaf = (uint8_t)key[0],
													 .before = (uint8_t)key[2],
													 .count = stall->count,
													 .ns = stall->ns});
	}
	free(ranked);
	return error;
}

static void making_close(struct making *m)
{
	for (uint32_t i = 0; m->stacks && i < m->owners->contexts.n_sources; i++)
		if (m->stacks[i].n_stacks)
			stacks_close(&m->stacks[i]);
	free(m->stacks);
	symbols_close(m->symbols);
	strings_free(&m->texts);
	intern_free(&m->rows);
	intern_free(&m->stack_keys);
	free(m->sums);
	free(m->places);
}

int owners_store(struct owners *owners, struct summary *summary, const char *device)
{
	struct making m = {.owners = owners,
					   .summary = summary,
					   .device = device,
					   .rows = intern_of(ROW_WORDS, ROWS_MOST),
					   .stack_keys = intern_of(2, ROWS_MOST)};
	int error = strings_init(&m.texts);
	if (error)
		return error;
	m.stacks = calloc(owners->contexts.n_sources, sizeof(*m.stacks));
	error = m.stacks ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && i < owners->owners.n; i++)
		error = add_owner(&m, i);
	if (!error)
		error = put_sites(&m);
	if (!error)
		error = put_stalls(&m);
	making_close(&m);
	return error;
}
