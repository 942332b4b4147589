/* The words of a bridge whose waits are charged to those who make others wait. */
#ifndef RENDER_COMPARE_CHARGED_H
#define RENDER_COMPARE_CHARGED_H

#include "render/compare.h"
#include "render/json.h"
#include "render/text.h"

struct headline {                         /* what changed most between a run and the base */
	uint64_t leaves;                      /* 0: nothing that is more than noise */
	const struct charge_change *change;   /* whose it is; NULL: nobody's */
	int64_t before_ns, after_ns, term_ns; /* before: what the ideal step would have of the base's */
	int64_t rest_ns;                      /* all other terms together */
	bool alone;                           /* none of them changed */
};

void compare_headline(const struct comparison *comparison, size_t i, struct headline *headline);
/* "input on rank 3", or the label of the leaf. */
struct text_buffer compare_subject(const struct comparison *comparison, size_t i,
								   const struct headline *headline);
/* "; the rest is within noise", or nothing. */
const char *compare_rest(const struct comparison *comparison, size_t i,
						 const struct headline *headline);
/* What of a leaf's term is others waiting, and for whom: a line each, below the term. */
void compare_waits(const struct screen *screen, const struct comparison *comparison, size_t i,
				   int leaf);
/* "rank 3", "host node1", "all ranks by turns". */
struct text_buffer compare_whom(const struct comparison *comparison, size_t i,
								const struct charge_change *change);
/* Keys of an object of `bridge`: late_by, culprits, changed_most (compare_charged_json.c). */
void compare_charged_json(struct json *json, const struct comparison *comparison, size_t i);

#endif
