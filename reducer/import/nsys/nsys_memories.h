/* The words of an export for kinds of memory. */
#ifndef IMPORT_NSYS_MEMORIES_H
#define IMPORT_NSYS_MEMORIES_H

#include "import/nsys/nsys_schema.h"

extern const struct nsys_enum_spec nsys_memories; /* of enum baton_memory */

#endif
