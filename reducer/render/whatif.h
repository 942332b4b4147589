/* The answer of `baton whatif`. */
#ifndef RENDER_WHATIF_H
#define RENDER_WHATIF_H

#include "graph/whatif.h"
#include "render/sheet.h"

#include <stdio.h>

void whatif_text(const struct whatif *whatif, const struct replayed *replayed, FILE *out);
void whatif_json(const struct whatif *whatif, const struct replayed *replayed, FILE *out);
/* The rows of whatif_json() as a table; the first is the run as measured. 0 or -ENOMEM. */
int whatif_sheets(const struct whatif *whatif, const struct replayed *replayed,
				  enum sheet_format format, FILE *out);

#endif
