/* Decimal text becomes a whole number of a smaller unit. Rounding and errors: kineto_time_test.c. */
#include "base/decimal.h"

#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void check_scaled(const char *text, int places, int64_t want)
{
	int64_t scaled = -1;
	CHECK(decimal_scaled(text, strlen(text), places, &scaled) == 0, "%s is refused", text);
	CHECK(scaled == want, "%s with %d places is %" PRId64, text, places, scaled);
}

int main(void)
{
	int64_t scaled;
	check_scaled("4.6e-05", 9, 46000); /* as tables print small seconds */
	check_scaled("0.13867968", 9, 138679680);
	check_scaled("1716423322.690655123", 9, 1716423322690655123);
	check_scaled("12.5", 6, 12500000);
	check_scaled("25738", 0, 25738);
	check_scaled("2.5", 0, 3);
	check_scaled("-3.0", 3, -3000);
	CHECK(decimal_scaled("9223372037", 10, 9, &scaled) == -ERANGE, "more than int64_t holds");
	CHECK(decimal_scaled("", 0, 9, &scaled) == -EINVAL, "no text is a number");
	return finish();
}
