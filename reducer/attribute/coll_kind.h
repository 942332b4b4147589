/* What a collective is: its name, and which kinds make all members wait for the last one
 * (docs/ATTRIBUTION.md). A kind is an enum baton_coll. */
#ifndef ATTRIBUTE_COLL_KIND_H
#define ATTRIBUTE_COLL_KIND_H

#include <stdbool.h>

/* As NCCL calls it. */
const char *coll_kind_name(unsigned kind);
bool coll_kind_synchronises(unsigned kind);
/* What a collective without arguments is, by its kernel's class; it has a name of its own only when
 * it is split. */
unsigned coll_kind_of_class(const char *class);

#endif
