/* Lists of ranks as options take them: "0,4-7". */
#ifndef BASE_RANK_LIST_H
#define BASE_RANK_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Is it such a list? */
bool rank_list_is(const char *list);
/* Does the valid list have `rank`? NULL has all. */
bool rank_list_has(const char *list, int32_t rank);

#endif
