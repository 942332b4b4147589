#include "doubles/nvrtc/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The last name before the parenthesis that opens the parameters; __launch_bounds__ has its own. */
static const char *find_name(const char *at, size_t *length)
{
	for (;;) {
		const char *open = strchr(at, '('), *end = open, *begin;
		if (!open)
			return NULL;
		while (end > at && isspace((unsigned char)end[-1]))
			end--;
		for (begin = end; begin > at && in_name(begin[-1]);)
			begin--;
		*length = (size_t)(end - begin);
		if (*length && strncmp(begin, "__launch_bounds__", *length) != 0)
			return begin;
		at = strchr(open, ')');
		if (!at)
			return NULL;
	}
}

void source_kernels(const char *source, void (*each)(void *who, const char *name, size_t length),
					void *who)
{
	static const char mark[] = "__global__";
	for (const char *at = strstr(source, mark); at; at = strstr(at, mark)) {
		size_t length;
		at += sizeof(mark) - 1;
		const char *name = find_name(at, &length);
		if (!name)
			return;
		each(who, name, length);
		at = name + length;
	}
}

/* One part of a mangled name: every run of letters and digits, '_' between them. */
static void write_part(FILE *out, const char *text, size_t length)
{
	char *part = NULL;
	size_t bytes;
	FILE *to = open_memstream(&part, &bytes);
	for (size_t i = 0; to && i < length; i++)
		if (in_name(text[i]))
			fputc(text[i], to);
		else if (i + 1 < length && in_name(text[i + 1]))
			fputc('_', to);
	if (to && !fclose(to) && bytes)
		fprintf(out, "%zu%s", bytes, part);
	free(part);
}

char *source_lowered(const char *expression)
{
	size_t base = strcspn(expression, "<"), bytes;
	char *lowered = NULL;
	FILE *out = open_memstream(&lowered, &bytes);
	if (!out)
		return NULL;
	while (*expression == ':' || *expression == '&')
		expression++, base -= base > 0;
	fputs("_ZN", out);
	for (const char *colons; (colons = strstr(expression, "::")) && colons < expression + base;) {
		write_part(out, expression, (size_t)(colons - expression));
		base -= (size_t)(colons + 2 - expression);
		expression = colons + 2;
	}
	write_part(out, expression, strlen(expression));
	fputs("Ev", out);
	return fclose(out) ? NULL : lowered;
}
