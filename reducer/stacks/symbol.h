/* Native frames by name: the function, and the source line where there is debug information, of an
 * address of an ELF file. A file is believed only when it has the build id that was recorded. Uses
 * libdw where the build had its headers and this machine has the library; elsewhere nothing has a
 * name. One thread. */
#ifndef STACKS_SYMBOL_H
#define STACKS_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

int symbols_open(struct symbols **out); /* 0 or -ENOMEM */
void symbols_close(struct symbols *symbols);

/* "function" or "file:line function" of the instruction at `address`. False: unknown. The texts
 * come from a trace: they may be anything. */
bool symbol_text(struct symbols *symbols, const char *path, const char *build_id, uint64_t address,
				 char *out, size_t room);

#endif
