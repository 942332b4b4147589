/* The answer of `baton whatif`. */
#ifndef RENDER_WHATIF_H
#define RENDER_WHATIF_H

#include "graph/whatif.h"

#include <stdio.h>

void whatif_text(const struct whatif *whatif, const struct replayed *replayed, FILE *out);
void whatif_json(const struct whatif *whatif, const struct replayed *replayed, FILE *out);

#endif
