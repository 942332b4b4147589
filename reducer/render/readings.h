/* What the devices showed while their steps ran: clocks, power, temperature, what slowed them. */
#ifndef RENDER_READINGS_H
#define RENDER_READINGS_H

#include "render/json.h"
#include "render/report.h"
#include "render/text.h"

/* A line for all of them, and one for each that stands out; nothing when nobody looked. */
void readings_text(const struct screen *screen, const struct report *report);
/* "gpu": an object, null when nobody looked. */
void readings_json(struct json *json, const struct device_summary *device);

#endif
