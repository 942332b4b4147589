/* The table of devices. */
#ifndef RENDER_DEVICES_TEXT_H
#define RENDER_DEVICES_TEXT_H

#include "render/text.h"
#include "summary/summary.h"

/* All of a few devices; of many the median and those that differ most from it. Nothing of one.
 * `per`: "step" or "run". */
void devices_text(const struct screen *screen, const struct summary *summary, const char *per);

#endif
