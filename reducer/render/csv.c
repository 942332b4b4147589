#include "render/csv.h"

#include "base/plain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void put_quoted(const char *text, const char *before, FILE *out)
{
	fprintf(out, "\"%s", before);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put(const char *text, bool quoted, FILE *out)
{
	const char *before = *text && strchr("=+-@", *text) ? "'" : "";
	char *copy = strdup(text);
	if (!copy) { /* as plain_put() does: nothing of unknown origin goes out as it is */
		fputc('?', out);
		return;
	}
	plain_text(copy);
	if (quoted || strpbrk(copy, ",\""))
		put_quoted(copy, before, out);
	else
		fprintf(out, "%s%s", before, copy);
	free(copy);
}

void csv_text(const char *text, FILE *out)
{
	put(text, false, out);
}

void csv_quoted(const char *text, FILE *out)
{
	put(text, true, out);
}
