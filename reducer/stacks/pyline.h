/* The source line of a bytecode instruction, from CPython's own tables: co_lnotab up to 3.9, the
 * line table of 3.10, the location table from 3.11 on. */
#ifndef STACKS_PYLINE_H
#define STACKS_PYLINE_H

#include <stdint.h>

struct pyline_table {
	uint32_t python; /* PY_VERSION_HEX of the interpreter */
	int32_t first_line;
	uint32_t bytes;
	const uint8_t *at;
};

/* The line of the instruction at byte `offset`; 0 when the table has none for it or ends before it.
 * The table may contain any bytes. */
int32_t pyline(const struct pyline_table *table, uint64_t offset);

#endif
