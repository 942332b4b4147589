/* Does a silent thread stand in a data loader? By the stack of its sched row and the table of
 * docs/ATTRIBUTION.md section 5. */
#ifndef ATTRIBUTE_INPUT_H
#define ATTRIBUTE_INPUT_H

#include "attribute/source.h"

struct input; /* of one source: its stacks, opened when the first row asks */

/* *function: of the innermost frame that loads data (text of the trace), 0: none does. *input is
 * NULL at first. 0 or -errno. */
int input_function(struct input **input, struct source *source, uint64_t stack, uint32_t *function);
void input_close(struct input *input);

#endif
