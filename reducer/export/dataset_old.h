/* Tables of an earlier export, which -f may replace. */
#ifndef EXPORT_DATASET_OLD_H
#define EXPORT_DATASET_OLD_H

#include <stdbool.h>

/* Is a directory a data set that baton wrote, with nothing else in it? Its _baton.json says so, and
 * every other entry has a name that a data set gives. */
bool dataset_is_old(const char *dir);

#endif
