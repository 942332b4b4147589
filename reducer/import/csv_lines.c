#include "import/csv_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_HELD = 4 }; /* of the longest lines */

int csv_lines_open(struct csv_lines *lines)
{
	lines->buffer = malloc(LINES_HELD * lines->most);
	return lines->buffer ? 0 : -ENOMEM;
}

void csv_lines_close(struct csv_lines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

static bool more(struct csv_lines *lines)
{
	if (lines->error)
		return false;
	memmove(lines->buffer, lines->buffer + lines->at, lines->end - lines->at);
	lines->end -= lines->at;
	lines->at = 0;
	const ssize_t n = lines->read(lines->context, lines->buffer + lines->end,
								  LINES_HELD * lines->most - lines->end);
	if (n < 0)
		lines->error = (int)n;
	lines->end += n > 0 ? (size_t)n : 0;
	return n > 0;
}

int csv_lines_next(struct csv_lines *lines, const char **line, size_t *bytes)
{
	const char *newline;
	size_t searched = 0;
	lines->number++;
	while (!(newline = memchr(lines->buffer + lines->at + searched, '\n',
							  lines->end - lines->at - searched))) {
		searched = lines->end - lines->at;
		if (searched > lines->most)
			return -EMSGSIZE;
		if (!more(lines))
			break;
	}
	*line = lines->buffer + lines->at;
	*bytes = newline ? (size_t)(newline - *line) : lines->end - lines->at;
	lines->at += *bytes + (newline != NULL);
	lines->ended = newline != NULL;
	if (!newline && (lines->error || *bytes == 0))
		return 0;
	*bytes -= *bytes > 0 && (*line)[*bytes - 1] == '\r';
	return 1;
}

/* The quote that closes a cell; NULL: none does. */
static const char *closing(const char *from, const char *end, bool *doubled)
{
	for (const char *at = from; at < end; at++) {
		at = memchr(at, '"', (size_t)(end - at));
		if (!at || at + 1 == end || at[1] != '"')
			return at;
		*doubled = true;
		at++;
	}
	return NULL;
}

struct csv_cell csv_cell_next(const char **at, const char *end)
{
	struct csv_cell cell = {0};
	const char *from = *at;
	while (from < end && (*from == ' ' || *from == '\t'))
		from++;
	const bool quoted = from < end && *from == '"';
	const char *quote = quoted ? closing(from + 1, end, &cell.doubled) : NULL;
	const char *comma = memchr(quote ? quote : from, ',', (size_t)(end - (quote ? quote : from)));
	const char *to = comma ? comma : end;
	*at = comma ? comma + 1 : NULL;
	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	if (quote && to == quote + 1) {
		from++;
		to--;
	} else {
		cell.doubled = false;
	}
	cell.at = from;
	cell.bytes = (size_t)(to - from);
	cell.open = quoted && !quote;
	return cell;
}

size_t csv_cell_text(const struct csv_cell *cell, char *out)
{
	size_t n = 0;
	for (size_t i = 0; i < cell->bytes; i++) {
		out[n++] = cell->at[i];
		i += cell->doubled && cell->at[i] == '"';
	}
	return n;
}
