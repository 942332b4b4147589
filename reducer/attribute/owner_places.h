/* The places in the code of a device's owners: the line and the module of each, found when they are
 * first needed. For one thread. */
#ifndef ATTRIBUTE_OWNER_PLACES_H
#define ATTRIBUTE_OWNER_PLACES_H

#include "attribute/owners.h"
#include "stacks/place.h"

struct site_row { /* a row of a table: the words of its tuple */
	uint32_t by, kind, backward;
	uint32_t text;
};

struct known_place {              /* the place of a stack */
	struct site_row line, module; /* the line, then that of the framework which it called */
	struct site_sums sums;        /* cost of its owners: see owner_rows.c */
};

struct owner_places {
	struct owners *owners; /* not owned */
	struct strings texts;
	struct stacks *stacks; /* per feed; n_stacks is 0 until it is opened */
	struct symbols *symbols;
	struct intern stack_keys; /* feed, stack */
	struct known_place *at;   /* per stack key */
	size_t room;
	struct place place; /* scratch */
};

/* 0 or -ENOMEM. Call owner_places_close() also after an error. */
int owner_places_open(struct owner_places *places, struct owners *owners);
void owner_places_close(struct owner_places *places);

/* The text of the row for owners whose place the trace does not show. */
const char *owner_places_unknown(enum site_by by);

int owner_places_row(struct owner_places *places, struct site_row *row, enum site_by by,
					 enum site_kind kind, const char *text);
/* *out: the place of an owner's stack. 0 or -errno. */
int owner_places_stack(struct owner_places *places, const struct owner *owner,
					   struct known_place **out);
/* The line and the module of an owner, from its stack, else from the Python frames that it has as
 * ranges. 0 or -errno. */
int owner_places_line(struct owner_places *places, const struct owner *owner,
					  const struct context *context, struct site_row *line,
					  struct site_row *module);
/* The line of owner `number` as text; "LINE > LINE OF A FRAMEWORK" where the line called one; ""
 * where the line is not known. 0 or -errno. */
int owner_places_text(struct owner_places *places, uint32_t number, const char **line);

#endif
