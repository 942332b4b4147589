#include "result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, VALUE_BYTES = 21 };

static int result_fd = -1, result_round;

void result_open(int fd, int round)
{
	result_fd = fd;
	result_round = round;
}

static void line_write(const char *line, size_t length)
{
	while (length > 0) {
		ssize_t done = write(result_fd, line, length);

		if (done <= 0)
			return; /* the parent sees a section without its end */
		line += done;
		length -= (size_t)done;
	}
}

/* Tabs and line ends are the line's own; a text must not bring more. */
static void text_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 32)
			*text = ' ';
}

void result_samples(const char *name, const char *unit, const int64_t *values, size_t count)
{
	char line[LINE_BYTES];
	size_t at = 0, i;

	for (i = 0; i < count; i++) {
		if (at == 0)
			at = (size_t)snprintf(line, 256, "S\t%.100s\t%.16s\t%d\t", name, unit, result_round);
		at += (size_t)snprintf(line + at, VALUE_BYTES + 1, "%" PRId64 " ", values[i]);
		if (i + 1 == count || at + VALUE_BYTES + 2 > sizeof(line)) {
			line[at++] = '\n';
			line_write(line, at);
			at = 0;
		}
	}
}

void result_value(const char *name, const char *unit, int64_t value)
{
	char line[256];
	int length = snprintf(line, sizeof(line), "V\t%.100s\t%.16s\t%" PRId64 "\n", name, unit, value);

	line_write(line, (size_t)length);
}

void result_text(const char *name, const char *format, ...)
{
	char text[1500], line[LINE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text_clean(text);
	line_write(line, (size_t)snprintf(line, sizeof(line), "T\t%.100s\t%s\n", name, text));
}

void result_difference(const char *name, const char *a, const char *b)
{
	char line[512];

	line_write(line,
			   (size_t)snprintf(line, sizeof(line), "D\t%.100s\t%.100s\t%.100s\n", name, a, b));
}

void result_message(const char *format, ...)
{
	char text[1500], line[LINE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text_clean(text);
	line_write(line, (size_t)snprintf(line, sizeof(line), "E\t%s\n", text));
}

bool result_have(const char *symbol, const void *function)
{
	if (!function)
		result_message("%s is not there: what needs it is left out", symbol);
	return function != NULL;
}

bool result_ok(const char *what, int rc)
{
	if (rc != 0)
		result_message("%s: error %d", what, rc);
	return rc == 0;
}

void series_reserve(struct series *series, size_t n)
{
	int64_t *values = realloc(series->values, (series->count + n) * sizeof(*values));

	if (!values)
		return;
	memset(values + series->count, 0, n * sizeof(*values));
	series->values = values;
	series->capacity = series->count + n;
}

void series_add(struct series *series, int64_t value)
{
	if (series->count == series->capacity) {
		size_t capacity = series->capacity ? series->capacity * 2 : 256;
		int64_t *values = realloc(series->values, capacity * sizeof(*values));

		if (!values)
			return;
		series->values = values;
		series->capacity = capacity;
	}
	series->values[series->count++] = value;
}

void series_tell(struct series *series, const char *name, const char *unit)
{
	result_samples(name, unit, series->values, series->count);
	free(series->values);
	*series = (struct series){0};
}
