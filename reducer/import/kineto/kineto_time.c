#include "import/kineto/kineto_time.h"

#include "base/decimal.h"

enum { NS_PER_US_DIGITS = 3 };

int kineto_time_ns(const char *at, size_t bytes, int64_t *ns)
{
	return decimal_scaled(at, bytes, NS_PER_US_DIGITS, ns);
}
