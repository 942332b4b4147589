/* What the study of a run says: the ranks that are late or early step after step, by what and
 * where, and how the jitter divides into causes and places (docs/JITTER.md, Parts). */
#ifndef JITTER_VERDICT_H
#define JITTER_VERDICT_H

#include "jitter/rows.h"

/* 0 or -ENOMEM. */
int jitter_verdict_make(struct jitter_verdict *verdict, const struct jitter_study *study);
void jitter_verdict_free(struct jitter_verdict *verdict);

#endif
