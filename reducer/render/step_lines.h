/* The lines of a report that say how far its steps can be trusted. */
#ifndef RENDER_STEP_LINES_H
#define RENDER_STEP_LINES_H

#include "render/report.h"
#include "render/text.h"

/* Below the line with the number of steps: what a reader has to know before the figures. */
void step_lines(const struct screen *screen, const struct report *report);
/* For the last paragraph: ", 1,234 of 5,678 GPU ops and 1.2 ms outside of the steps"; "" when
 * nothing is. */
const char *step_lines_outside(const struct screen *screen, const struct report *report,
							   struct text_buffer *out);

#endif
