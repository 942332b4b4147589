#include "values/number.h"

#include <string.h>

size_t number_bytes(char type)
{
	static const char types[] = "lifdhb";
	static const size_t bytes[] = {8, 4, 4, 8, 1, 1};
	const char *at = type ? strchr(types, type) : NULL;
	return at ? bytes[at - types] : 0;
}

bool number_is_real(char type)
{
	return type == 'f' || type == 'd';
}

union number number_load(char type, const void *from)
{
	union number number = {0};
	float real;
	int32_t word;
	switch (type) {
	case 'f':
		memcpy(&real, from, sizeof(real));
		number.real = (double)real;
		break;
	case 'i':
		memcpy(&word, from, sizeof(word));
		number.integer = word;
		break;
	case 'h':
	case 'b':
		number.integer = *(const uint8_t *)from;
		break;
	default:
		memcpy(&number, from, sizeof(number));
	}
	return number;
}

void number_store(char type, void *to, union number number)
{
	float real;
	switch (type) {
	case 'f':
		real = (float)number.real;
		memcpy(to, &real, sizeof(real));
		break;
	case 'i':
		memcpy(to, &number.integer, sizeof(int32_t));
		break;
	case 'h':
		*(uint8_t *)to = (uint8_t)number.integer;
		break;
	case 'b':
		*(uint8_t *)to = number.integer != 0;
		break;
	default:
		memcpy(to, &number, sizeof(number));
	}
}

static int64_t nearest_integer(double real)
{
	if (real >= 0x1p63)
		return INT64_MAX;
	return real > -0x1p63 ? (int64_t)real : INT64_MIN; /* also of what is no number */
}

static int64_t nearest_word(char from, double real)
{
	int64_t nearest = nearest_integer(real);
	if (from == 'f' && real != real)
		return 0;
	return nearest > INT32_MAX ? INT32_MAX : nearest < INT32_MIN ? INT32_MIN : nearest;
}

union number number_cast(char from, char to, union number number)
{
	uint8_t memory[sizeof(number)];
	if (number_is_real(from) && to == 'b')
		number.integer = number.real != 0;
	else if (number_is_real(from) && !number_is_real(to))
		number.integer = to == 'i' ? nearest_word(from, number.real) : nearest_integer(number.real);
	else if (!number_is_real(from) && to == 'f')
		number.real = (double)(float)number.integer;
	else if (!number_is_real(from) && to == 'd')
		number.real = (double)number.integer;
	number_store(to, memory, number);
	return number_load(to, memory);
}

int number_order(char type, union number a, union number b)
{
	if (!number_is_real(type))
		return (a.integer > b.integer) - (a.integer < b.integer);
	return a.real > b.real ? 1 : a.real < b.real ? -1 : a.real == b.real ? 0 : 2;
}
