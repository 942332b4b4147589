/* The call stacks of one trace file: its module, code and stack records, and the text of a frame.
 * One thread. */
#ifndef STACKS_STACKS_H
#define STACKS_STACKS_H

#include "read/trace.h"
#include "stacks/symbol.h"

struct stacks_code {
	uint32_t file, function; /* texts of the trace, 0 none */
	int32_t first_line;
	uint32_t python;
	uint32_t bytes;
	size_t table; /* in bytes[] */
};

struct stacks_module {
	uint32_t path, build_id; /* texts of the trace, 0 none */
};

struct stacks_stack {
	size_t frames; /* in bytes[] */
	uint32_t n;
};

enum { STACKS_PACKAGES = 4 };

struct stacks {
	const struct trace *trace; /* not owned, like symbols */
	struct symbols *symbols;
	/* ids of the file -> index in the arrays below, from 1 */
	struct idmap module_ids, code_ids, stack_ids;
	struct stacks_module *modules;
	struct stacks_code *codes;
	struct stacks_stack *stacks;
	uint32_t n_modules, n_codes, n_stacks; /* the unused [0] is counted */
	uint8_t *bytes;
	size_t n_bytes, room;
	/* directories with installed packages (stacks/packages.h): the first `bytes` of a file */
	struct {
		uint32_t file; /* text of the trace */
		size_t bytes;
	} packages[STACKS_PACKAGES];
	uint32_t n_packages;
};

/* Reads the records of an open trace. With `symbols` NULL, native frames have no names. 0 or
 * -errno. */
int stacks_open(struct stacks *stacks, struct trace *trace, struct symbols *symbols);
void stacks_close(struct stacks *stacks);

/* The index of the stack with this id in the file; 0: none. */
static inline uint32_t stacks_find(const struct stacks *stacks, uint64_t id)
{
	return id ? idmap_get(&stacks->stack_ids, id) : 0;
}

/* The number of frames of stack `index`. Frame 0 is the innermost one. */
static inline uint32_t stacks_frames(const struct stacks *stacks, uint32_t index)
{
	return index && index < stacks->n_stacks ? stacks->stacks[index].n : 0;
}

uint32_t stacks_frame_kind(const struct stacks *stacks, uint32_t index, uint32_t i);
/* The file of a Python frame; NULL when it is unknown or the frame is of another kind. */
const char *stacks_python_file(const struct stacks *stacks, uint32_t index, uint32_t i);
/* The function of a Python frame; "" when it is unknown. */
const char *stacks_python_function(const struct stacks *stacks, uint32_t index, uint32_t i);
/* The file name of a native frame's library, without its directory; "" when it is unknown. */
const char *stacks_native_library(const struct stacks *stacks, uint32_t index, uint32_t i);

/* Writes frame i as "file:line function", cut to `room` bytes. A native frame without a name is
 * "file+0xoffset"; the start of a backward pass is "[backward]". */
void stacks_frame_text(const struct stacks *stacks, uint32_t index, uint32_t i, char *out,
					   size_t room);

#endif
