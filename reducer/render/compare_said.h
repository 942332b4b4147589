/* Sentences of `baton compare` about a comparison as a whole: does it scale, was the work the same,
 * do the same kernels take longer, how sure are the numbers. */
#ifndef RENDER_COMPARE_SAID_H
#define RENDER_COMPARE_SAID_H

#include "render/compare.h"
#include "render/text.h"

/* How many of the runs did other work than the base. */
size_t compare_count_other(const struct comparison *comparison);

/* "scales: 99.6 %; nothing above the noise", where that is so. */
void compare_scales(const struct screen *screen, const struct comparison *comparison);
/* Why run i is no measure of the base, and what to do; one that is not comparable. */
void compare_other_work(const struct screen *screen, const struct comparison *comparison, size_t i);
/* Where all kernels of run i are slower, or faster, than the base's. */
void compare_slower(const struct screen *screen, const struct comparison *comparison, size_t i);
/* What +- means, or why it is missing. */
void compare_confidence(const struct screen *screen, const struct comparison *comparison);

#endif
