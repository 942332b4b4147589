/* `baton report --critical`. */
#ifndef RENDER_CRITICAL_H
#define RENDER_CRITICAL_H

#include "graph/replayed.h"

#include <stdio.h>

/* 0 or -ENOMEM. */
int critical_print(const char *dir, struct replayed *replayed, bool as_json, FILE *out);

#endif
