/* What an operator was called with, from a range of NVTX: the tail of emit_nvtx's texts, or a payload in
 * JSON as baton's own exports have it. */
#ifndef IMPORT_NSYS_INPUTS_H
#define IMPORT_NSYS_INPUTS_H

#include "import/trace_out.h"

/* The shapes in the text of a range, as JSON without blanks. 0: it has none, or no whole list. */
uint32_t nsys_inputs_of_text(struct trace_out *out, const char *text, size_t bytes);
/* {"Input Dims":"[[8,1024],[]]","Input type":"..."}. 0: it is something else. */
uint32_t nsys_inputs_of_json(struct trace_out *out, const char *json, size_t bytes);

#endif
