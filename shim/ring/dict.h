/* The process's dictionary: strings, stacks, code objects, streams, communicators, each written
 * once as a trace record (docs/FORMAT.md section 3) into the live file's arena, from where the
 * writer thread copies it into the trace. Any thread; no malloc, no lock, no system call. */
#ifndef SHIM_DICT_H
#define SHIM_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Empties it, for a recording that begins. The live file must be open. 0 or -errno. */
int dict_open(void);
/* Gives its tables back, those that there are: only while no other thread uses them. */
void dict_close(void);

/* A fresh id. One number space for all kinds of records; never 0. */
uint32_t dict_id(void);

/* Room for one record of `bytes` (at most 128 KiB; rounded up to 8): fill it, leaving record->size
 * 0, then dict_publish(). NULL when the arena is full (counted). */
void *dict_reserve(size_t bytes);
/* The same for stacks and code, which leave room to the others: no more than three quarters of the
 * arena. Full: nothing of the kind finds room any more in this recording; asking counts as one that
 * was dropped. */
void *dict_reserve_stack(size_t bytes);
bool dict_stacks_full(void);
void dict_publish(void *record, uint16_t type, size_t bytes);

/* Where a published record lies, to be found again by dict_at(): 0 none. dict_at() of a place in
 * another process's dictionary (before a fork) may be any record, or NULL. */
uint32_t dict_place(const void *record);
const void *dict_at(uint32_t place);

/* The id of a text; the same text gives the same id. 0 when it is NULL, or there is no room left.
 */
uint32_t dict_string(const char *text, size_t bytes);
/* The same for a text that never changes while the process lives: found by its address. */
uint32_t dict_literal(const char *text);

#endif
