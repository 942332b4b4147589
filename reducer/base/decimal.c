#include "base/decimal.h"

#include <errno.h>
#include <stdbool.h>

enum { EXPONENT_LIMIT = 10000 };

/* A number taken apart: its digits (a point may stand among them) and where the point belongs. */
struct decimal {
	const char *digits;
	const char *end;
	bool minus;
	int64_t whole; /* digits before the point, the exponent counted in; may be negative */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int take_exponent(const char *p, const char *end, int64_t *exponent)
{
	bool minus = p < end && *p == '-';
	int64_t value = 0;
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return -EINVAL;
	for (; p < end; p++) {
		if (!is_digit(*p))
			return -EINVAL;
		if (value < EXPONENT_LIMIT)
			value = 10 * value + (*p - '0');
	}
	*exponent = minus ? -value : value;
	return 0;
}

static int take_apart(const char *p, const char *end, struct decimal *number)
{
	int64_t exponent = 0, n_digits = 0, point = -1;
	number->minus = p < end && *p == '-';
	p += number->minus;
	number->digits = p;
	for (; p < end && (is_digit(*p) || (*p == '.' && point < 0)); p++) {
		if (*p == '.')
			point = n_digits;
		else
			n_digits++;
	}
	number->end = p;
	if (n_digits == 0 || number->digits[0] == '.' || p[-1] == '.')
		return -EINVAL;
	if (p < end && *p != 'e' && *p != 'E')
		return -EINVAL;
	int error = p < end ? take_exponent(p + 1, end, &exponent) : 0;
	number->whole = (point < 0 ? n_digits : point) + exponent;
	return error;
}

int decimal_scaled(const char *at, size_t bytes, int places, int64_t *scaled)
{
	struct decimal number;
	int error = take_apart(at, at + bytes, &number);
	if (error)
		return error;
	int64_t keep = number.whole + places, value = 0;
	const char *p = number.digits;
	bool up = false, zero = true, overflow = false;
	for (; p < number.end && keep >= 0; p++) {
		if (*p == '.')
			continue;
		if (keep-- == 0) {
			up = *p >= '5';
			break;
		}
		zero = zero && *p == '0';
		overflow |= __builtin_mul_overflow(value, 10, &value);
		overflow |= __builtin_add_overflow(value, *p - '0', &value);
	}
	for (; keep > 0 && !zero && !overflow; keep--)
		overflow = __builtin_mul_overflow(value, 10, &value);
	overflow |= __builtin_add_overflow(value, up, &value);
	if (overflow)
		return -ERANGE;
	*scaled = number.minus ? -value : value;
	return 0;
}
