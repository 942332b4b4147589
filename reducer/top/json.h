/* A view as JSON, schema baton.top/0 (docs/REFERENCE.md). */
#ifndef TOP_JSON_H
#define TOP_JSON_H

#include "top/view.h"

#include <stdio.h>

void top_view_json(const struct top_view *view, const char *dir, FILE *out);

#endif
