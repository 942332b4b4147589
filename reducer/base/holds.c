#include "base/holds.h"

#include "base/diag.h"

#include <stdlib.h>

void holds_not(const char *file, int line, const char *condition)
{
	diag("internal error: %s:%d: not true: %s", file, line, condition);
	abort();
}
