/* Where the owners of a device stand in the code: the line and the module of each, described when
 * it is first asked for. One thread. */
#ifndef ATTRIBUTE_OWNER_PLACES_H
#define ATTRIBUTE_OWNER_PLACES_H

#include "attribute/owners.h"
#include "stacks/place.h"

struct site_row { /* a row of a table; the words of its tuple */
	uint32_t by, kind, backward;
	uint32_t text;
};

struct known_place { /* of a stack */
	struct site_row line, module;
	uint32_t inside;       /* text: the line, and where in a framework that it called */
	struct site_sums sums; /* what its owners cost: see owner_rows.c */
};

struct owner_places {
	struct owners *owners; /* not owned */
	struct strings texts;
	struct stacks *stacks; /* per feed; not opened: n_stacks is 0 */
	struct symbols *symbols;
	struct intern stack_keys; /* feed, stack */
	struct known_place *at;   /* of each */
	size_t room;
	struct place place; /* scratch */
};

/* 0 or -ENOMEM; owner_places_close() either way. */
int owner_places_open(struct owner_places *places, struct owners *owners);
void owner_places_close(struct owner_places *places);

/* What a table shows where the trace does not say. */
const char *owner_places_unknown(enum site_by by);

int owner_places_row(struct owner_places *places, struct site_row *row, enum site_by by,
					 enum site_kind kind, const char *text);
/* The place of an owner's stack. 0 or -errno. */
int owner_places_stack(struct owner_places *places, const struct owner *owner,
					   struct known_place **out);
/* The line and the module of an owner: of its stack, else of the Python frames that it has as
 * ranges. 0 or -errno. */
int owner_places_line(struct owner_places *places, const struct owner *owner,
					  const struct context *context, struct site_row *line,
					  struct site_row *module);
/* The same line by the owner's number, as text, "LINE > LINE OF A FRAMEWORK" where it called one;
 * "" where it is not known. 0 or -errno. */
int owner_places_text(struct owner_places *places, uint32_t number, const char **line);

#endif
