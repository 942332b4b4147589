/* The words for kinds of memory (enum baton_memory), as nsys, nvprof and Kineto have them: "Pageable",
 * "Device Static". */
#ifndef BASE_MEMORY_KIND_H
#define BASE_MEMORY_KIND_H

#include <baton/format.h>
#include <stddef.h>

/* "Unknown" for a kind that there is not. */
const char *memory_kind_name(int64_t kind);
/* BATON_MEMORY_UNKNOWN for other words. */
enum baton_memory memory_kind_find(const char *at, size_t bytes);

#endif
