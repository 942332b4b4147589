#include "attribute/owner_places.h"

#include "base/room.h"
#include "stacks/packages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACKS_MOST = 1 << 24 };

int owner_places_open(struct owner_places *p, struct owners *owners)
{
	*p = (struct owner_places){.owners = owners, .stack_keys = intern_of(2, STACKS_MOST)};
	int error = strings_init(&p->texts);
	p->stacks = error ? NULL : calloc(owners->contexts.n_feeds, sizeof(*p->stacks));
	return p->stacks ? 0 : -ENOMEM;
}

void owner_places_close(struct owner_places *p)
{
	for (uint32_t i = 0; p->stacks && i < p->owners->contexts.n_feeds; i++)
		if (p->stacks[i].n_stacks)
			stacks_close(&p->stacks[i]);
	free(p->stacks);
	symbols_close(p->symbols);
	strings_free(&p->texts);
	intern_free(&p->stack_keys);
	free(p->at);
}

const char *owner_places_unknown(enum site_by by)
{
	static const char *const no_site[SITE_BY_END] = {
		[SITE_LINE] = "(no stack)", [SITE_STACK] = "(no stack)", [SITE_MODULE] = "(no stack)",
		[SITE_OP] = "(no name)",    [SITE_RANGE] = "(no range)", [SITE_SHAPE] = "(no name)"};
	return no_site[by];
}

int owner_places_row(struct owner_places *p, struct site_row *row, enum site_by by,
					 enum site_kind kind, const char *text)
{
	*row = (struct site_row){.by = by, .kind = kind};
	return strings_add(&p->texts, text, strlen(text), &row->text, NULL);
}

static enum site_kind kind_of(enum origin origin)
{
	if (origin == ORIGIN_PROJECT)
		return SITE_PROJECT;
	return origin == ORIGIN_LIBRARY ? SITE_OTHER : SITE_UNKNOWN;
}

/* A line and a module that p->place describes. */
static int set_place(struct owner_places *p, struct site_row *line, struct site_row *module)
{
	const struct place *place = &p->place;
	enum site_kind kind = kind_of(place->origin), module_kind = kind_of(place->module_origin);
	int error =
		owner_places_row(p, line, SITE_LINE, kind,
						 kind == SITE_UNKNOWN ? owner_places_unknown(SITE_LINE) : place->line);
	line->backward = place->backward;
	return error ? error
				 : owner_places_row(p, module, SITE_MODULE, module_kind,
									module_kind == SITE_UNKNOWN ? owner_places_unknown(SITE_MODULE)
																: place->module);
}

/* The longer text of a line that called a framework. */
static int set_inside(struct owner_places *p, struct known_place *known)
{
	char text[2 * PLACE_BYTES + sizeof(SITE_INSIDE)];
	if (!p->place.inside[0])
		return 0;
	int bytes = snprintf(text, sizeof(text), "%s" SITE_INSIDE "%s", p->place.line, p->place.inside);
	return strings_add(&p->texts, text, (size_t)bytes, &known->line.text, NULL);
}

static int open_stacks(struct owner_places *p, uint32_t feed)
{
	struct stacks *stacks = &p->stacks[feed];
	int error = 0;
	if (stacks->n_stacks)
		return 0;
	if (!p->symbols)
		error = symbols_open(&p->symbols);
	if (!error)
		error = stacks_open(stacks, &p->owners->contexts.feeds[feed].trace, p->symbols);
	if (!error)
		packages_find(stacks);
	return error;
}

int owner_places_stack(struct owner_places *p, const struct owner *owner, struct known_place **out)
{
	uint32_t key[2] = {owner->feed, owner->stack}, before = p->stack_keys.n, number;
	int error = open_stacks(p, owner->feed);
	if (!error)
		error = intern_get(&p->stack_keys, key, &number);
	if (!error)
		error = room_reach((void **)&p->at, &p->room, number, sizeof(*p->at));
	if (error)
		return error;
	*out = &p->at[number];
	if (number < before)
		return 0;
	struct stacks *stacks = &p->stacks[owner->feed];
	place_of(stacks, stacks_find(stacks, owner->stack), &p->place);
	error = set_place(p, &(*out)->line, &(*out)->module);
	return error ? error : set_inside(p, *out);
}

/* Of a source that has Python frames as ranges. */
static int frame_place(struct owner_places *p, const struct owner *owner,
					   const struct context *context, struct site_row *line,
					   struct site_row *module)
{
	const struct feed *feed = &p->owners->contexts.feeds[owner->feed];
	struct place *place = &p->place;
	char unused[PLACE_BYTES];
	*place = (struct place){.backward = context->backward != 0};
	if (context->frame)
		place->origin = origin_of_range(feed_text(feed, context->frame), place->line, place->module,
										sizeof(place->line));
	if (context->inner)
		place->module_origin = origin_of_range(feed_text(feed, context->inner), unused,
											   place->module, sizeof(place->module));
	return set_place(p, line, module);
}

int owner_places_line(struct owner_places *p, const struct owner *owner,
					  const struct context *context, struct site_row *line, struct site_row *module)
{
	struct known_place *known;
	if (!owner->stack)
		return frame_place(p, owner, context, line, module);
	int error = owner_places_stack(p, owner, &known);
	if (!error) {
		*line = known->line;
		*module = known->module;
	}
	return error;
}

int owner_places_text(struct owner_places *p, uint32_t number, const char **line)
{
	struct site_row row, module;
	*line = "";
	if (!owners_have_place(p->owners, number))
		return 0;
	struct owner owner = owners_get(p->owners, number);
	struct context context = contexts_get(&p->owners->contexts, owner.context);
	int error = owner_places_line(p, &owner, &context, &row, &module);
	if (error || row.kind >= SITE_UNKNOWN)
		return error;
	*line = strings_get(&p->texts, row.text).at;
	return 0;
}
