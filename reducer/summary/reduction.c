#include "summary/reduction.h"

#include <stdlib.h>
#include <string.h>

void reduction_free(struct reduction *reduction)
{
	summary_free(&reduction->summary);
	free(reduction->gaps);
	memset(reduction, 0, sizeof(*reduction));
}
