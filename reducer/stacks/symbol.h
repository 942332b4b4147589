/* Names native frames: the function at an address of an ELF file, and the source line if there is
 * debug information. A file is used only if it has the recorded build id. This needs libdw: its
 * headers at build time and the library on this machine; without them no frame has a name. One
 * thread. */
#ifndef STACKS_SYMBOL_H
#define STACKS_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

int symbols_open(struct symbols **out); /* 0 or -ENOMEM */
void symbols_close(struct symbols *symbols);

/* Writes "function" or "file:line function" for the instruction at `address` to `out`. False:
 * unknown. `path` and `build_id` come from a trace and are not trusted. */
bool symbol_text(struct symbols *symbols, const char *path, const char *build_id, uint64_t address,
				 char *out, size_t room);

#endif
