/* Parts of a verdict: which ranks are late or early, and kernels by name. */
#ifndef JITTER_ODD_RANKS_H
#define JITTER_ODD_RANKS_H

#include "jitter/rows.h"

/* Fills verdict->ranks and verdict->odd. 0 or -ENOMEM. */
int odd_ranks_find(struct jitter_verdict *verdict);

/* Fills verdict->kernels. 0 or -ENOMEM. kernel_rows.c */
int kernel_rows_make(struct jitter_verdict *verdict);

/* Where the cause of an odd rank shows: fills place, name, position, there_ns, slower. 0 or
 * -ENOMEM. odd_place.c */
int odd_rank_place(const struct jitter_verdict *verdict, struct odd_rank *odd);

#endif
