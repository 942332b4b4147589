/* What a piece of GPU work is called in a timeline: as Kineto calls copies where the trace has no
 * text for them. */
#ifndef EXPORT_OP_WORDS_H
#define EXPORT_OP_WORDS_H

#include "export/sink.h"

enum { OP_WORDS_BYTES = 96 };

/* Returns the name in the trace, `text`, or "(unnamed)". */
const char *op_words(const struct walk_row *row, const struct trace *trace,
					 char text[OP_WORDS_BYTES]);

#endif
