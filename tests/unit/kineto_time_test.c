/* Kineto's decimal microseconds become integer nanoseconds without a double in between. */
#include "import/kineto/kineto_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sample {
	const char *text;
	int error;
	int64_t ns;
	const char *keeps_out;
};

static const struct sample samples[] = {
	{"68", 0, 68000, "whole microseconds are read wrongly"},
	{"68.0", 0, 68000, "a fraction of zero changes the value"},
	{"0", 0, 0, "zero is refused"},
	{"4458676522690.655", 0, 4458676522690655, "three decimals lose a digit"},
	{"1623142623460111", 0, 1623142623460111000, "absolute times pass through a double"},
	{"1716423322690655.123", 0, 1716423322690655123, "19 digits pass through a double"},
	{"9007199254740993.001", 0, 9007199254740993001, "2^53 + 1 is rounded as a double would"},
	{"0.001", 0, 1, "the last digit is lost"},
	{"0.0004", 0, 0, "digits beyond the nanosecond are rounded up"},
	{"0.0005", 0, 1, "half a nanosecond is not rounded up"},
	{"1.2345", 0, 1235, "half a nanosecond is not rounded up behind other digits"},
	{"1.23449999", 0, 1234, "rounding looks at more than one digit"},
	{"0.9999", 0, 1000, "rounding does not carry"},
	{"0.00001", 0, 0, "tiny values are not zero"},
	{"-1.5", 0, -1500, "negative times lose their sign"},
	{"-0.0005", 0, -1, "negative halves are not rounded away from zero"},
	{"1.5e3", 0, 1500000, "an exponent is ignored"},
	{"1.5E+3", 0, 1500000, "a signed exponent is refused"},
	{"15e-1", 0, 1500, "a negative exponent is ignored"},
	{"5e-4", 0, 1, "rounding forgets the exponent"},
	{"5e-5", 0, 0, "a digit far below the nanosecond is rounded up"},
	{"0e999999999", 0, 0, "zero with a large exponent overflows"},
	{"1e-999999999", 0, 0, "a large negative exponent overflows"},
	{"9223372036854775.807", 0, INT64_MAX, "the largest time is refused"},
	{"9223372036854775.808", -ERANGE, 0, "a time above i64 wraps"},
	{"9223372036854775.8075", -ERANGE, 0, "rounding up wraps"},
	{"1e30", -ERANGE, 0, "a large exponent wraps"},
	{"", -EINVAL, 0, "an empty text is a number"},
	{"-", -EINVAL, 0, "a sign alone is a number"},
	{".5", -EINVAL, 0, "a point alone begins a number"},
	{"5.", -EINVAL, 0, "a number ends with a point"},
	{"1.2.3", -EINVAL, 0, "two points are accepted"},
	{"1e", -EINVAL, 0, "an exponent without digits is accepted"},
	{"1e+", -EINVAL, 0, "an exponent with only a sign is accepted"},
	{"NaN", -EINVAL, 0, "NaN is a time"},
	{"Infinity", -EINVAL, 0, "Infinity is a time"},
	{"12us", -EINVAL, 0, "trailing text is accepted"},
	{"0x10", -EINVAL, 0, "hexadecimal is accepted"},
};

int main(void)
{
	int failed = 0;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		int64_t ns = 0;
		int error = kineto_time_ns(s->text, strlen(s->text), &ns);
		if (error == s->error && (error || ns == s->ns))
			continue;
		printf("%s: \"%s\" gave %d, %" PRId64 "\n", s->keeps_out, s->text, error, ns);
		failed = 1;
	}
	return failed;
}
