/* The last paragraph of a report: what its data lack. */
#ifndef RENDER_QUALITY_TEXT_H
#define RENDER_QUALITY_TEXT_H

#include "render/report.h"
#include "render/text.h"

void quality_text(const struct screen *screen, const struct report *report);

#endif
