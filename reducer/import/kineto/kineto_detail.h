/* What Kineto says of a launch and of the ends of a copy beside their times. */
#ifndef IMPORT_KINETO_DETAIL_H
#define IMPORT_KINETO_DETAIL_H

#include "import/json/json_text.h"
#include "import/trace_out.h"

struct kineto_launch {
	struct json_text grid, block; /* arrays of three numbers */
	struct json_text registers, shared;
};

/* The id of the launch's shape; 0 without grid and block. */
uint32_t kineto_shape(struct trace_out *out, const struct kineto_launch *launch);

struct kineto_memories {
	enum baton_memory from, to;
};

/* "Memcpy HtoD (Pageable -> Device)": where its ends lie. False when the name does not say. */
bool kineto_memories(struct json_text name, struct kineto_memories *out);

#endif
