#include "base/message.h"

#include "base/config.h"
#include "base/message_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *format, va_list values)
{
	char line[512] = "baton: ";
	size_t n = strlen(line);
	int text = vsnprintf(line + n, sizeof(line) - n - 1, format, values);
	if (text < 0)
		return;
	n += (size_t)text < sizeof(line) - n - 1 ? (size_t)text : sizeof(line) - n - 2;
	line[n++] = '\n';
	message_write(line, n);
}

void message(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	say(format, values);
	va_end(values);
}

void message_detail(const char *format, ...)
{
	if (!config.verbose)
		return;
	va_list values;
	va_start(values, format);
	say(format, values);
	va_end(values);
}
