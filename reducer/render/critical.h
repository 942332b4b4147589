/* `baton report --critical`. */
#ifndef RENDER_CRITICAL_H
#define RENDER_CRITICAL_H

#include "graph/replayed.h"
#include "render/sheet.h"

#include <stdio.h>

/* SHEET_TABLE: text for people. 0 or -ENOMEM. */
int critical_print(const char *dir, struct replayed *replayed, enum sheet_format format, FILE *out);

#endif
