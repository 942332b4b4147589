/* What became of kernels, lines of code and sizes of collectives, run i against the base. */
#ifndef RENDER_COMPARE_ROWS_H
#define RENDER_COMPARE_ROWS_H

#include "render/compare.h"
#include "render/json.h"
#include "render/text.h"

/* The keys `changed_kernels`, `changed_lines` and `changed_collectives`. */
void compare_rows_json(struct json *json, const struct comparison *comparison, size_t i);
/* Those that changed by more than noise; of lines and sizes whose noise is not known, those that
 * differ by a hundredth of the step on as many GPUs. */
void compare_rows_text(const struct screen *screen, const struct comparison *comparison, size_t i);

/* The name of a row for people: of a kernel the demangled one. Returns `text`. */
const char *compare_rows_name(const struct row_change *row, enum row_change_kind kind, char *text,
							  size_t bytes);

#endif
