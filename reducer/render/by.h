/* `report --by`: what launches cost by line, stack, module, operator or range, as text and as the
 * key "by" of the report's JSON. */
#ifndef RENDER_BY_H
#define RENDER_BY_H

#include "render/json.h"
#include "render/report.h"

/* report->by is the table. */
void by_text(const struct report *report, FILE *out);
void by_json(const struct report *report, struct json *json);

#endif
