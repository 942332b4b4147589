#include "render/text.h"

#include "base/plain.h"
#include "base/tty.h"
#include "conclude/figures.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FULL_WIDTH = 100, LEAST_WIDTH = 40, BAR_WIDTH = 60, NARROW_HANG = 4 };

static int terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	int width = columns ? atoi(columns) : 0;
	if (width <= 0)
		width = tty_columns(fd);
	if (width <= 0 || width > FULL_WIDTH)
		width = FULL_WIDTH;
	return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

void screen_open(struct screen *screen, FILE *out, int64_t typical_ns)
{
	screen->out = out;
	screen->width = terminal_width(fileno(out));
	screen->colour = tty_is_coloured(fileno(out));
	screen->decimals = figures_ms_decimals(typical_ns);
}

void screen_open_wide(struct screen *screen, FILE *out, int64_t typical_ns)
{
	*screen = (struct screen){out, INT_MAX / 2, false, figures_ms_decimals(typical_ns)};
}

/* Bytes of `text` that fill at most `width` columns; trailing spaces are left out. */
static size_t fitting(const char *text, int width)
{
	size_t bytes = plain_head(text, width);
	while (bytes > 0 && text[bytes - 1] == ' ')
		bytes--;
	return bytes;
}

static void print_line(const struct screen *screen, bool bold, const char *format, va_list args)
{
	char *line = NULL;
	if (vasprintf(&line, format, args) < 0)
		return;
	plain_text(line);
	bold = bold && screen->colour;
	fprintf(screen->out, "%s%.*s%s\n", bold ? "\033[1m" : "", (int)fitting(line, screen->width),
			line, bold ? "\033[0m" : "");
	free(line);
}

void screen_line(const struct screen *screen, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_line(screen, false, format, args);
	va_end(args);
}

void screen_title(const struct screen *screen, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_line(screen, true, format, args);
	va_end(args);
}

/* Bytes of `text` for a line of `room` columns: up to its last space when there is more than that;
 * a word longer than the line is broken between two characters. */
static size_t line_bytes(const char *text, int room)
{
	size_t bytes = plain_head(text, room);
	if (!text[bytes] || text[bytes] == ' ')
		return bytes;
	const size_t blanks = strspn(text, " ");
	size_t space = bytes;
	while (space > blanks && text[space] != ' ')
		space--;
	if (space > blanks)
		return space;
	return bytes ? bytes : strcspn(text + 1, " ") + 1; /* a character wider than the room */
}

/* All of `text`: the first line behind `indent` spaces, further ones behind `hang`. */
static void print_wrapped(const struct screen *screen, int indent, int hang, const char *text)
{
	char *copy = strdup(text);
	if (!copy)
		return;
	plain_text(copy);
	hang = hang > screen->width / 2 ? NARROW_HANG : hang;
	for (const char *at = copy; *at; indent = hang) {
		size_t n = line_bytes(at, screen->width - indent), last = n;
		while (last > 0 && at[last - 1] == ' ')
			last--;
		fprintf(screen->out, "%*s%.*s\n", indent, "", (int)last, at);
		at += n;
		at += strspn(at, " ");
	}
	free(copy);
}

void screen_paragraph(const struct screen *screen, int indent, const char *paragraph)
{
	print_wrapped(screen, indent, indent, paragraph);
}

static void wrap_all(const struct screen *screen, int hang, const char *format, va_list args)
{
	char *text = NULL;
	if (vasprintf(&text, format, args) < 0)
		return;
	print_wrapped(screen, 0, hang, text);
	free(text);
}

void screen_wrap(const struct screen *screen, int hang, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	wrap_all(screen, hang, format, args);
	va_end(args);
}

void screen_command(const struct screen *screen, int indent, const char *what, const char *format,
					...)
{
	char *command = NULL;
	va_list args;
	va_start(args, format);
	const int bytes = vasprintf(&command, format, args);
	va_end(args);
	if (bytes < 0)
		return;
	plain_text(command);
	const char *baton = ": baton "; /* a terminal breaks a long line itself, and copies it whole */
	const bool fits = indent + (int)(strlen(what) + strlen(baton)) + bytes <= screen->width;
	fprintf(screen->out, "%*s%s", indent, "", what);
	if (!fits)
		fprintf(screen->out, ":\n%*s", indent + 2, "");
	fprintf(screen->out, "%s%s\n", fits ? baton : baton + 2, command);
	free(command);
}

void screen_title_wrap(const struct screen *screen, int hang, const char *format, ...)
{
	va_list args;
	fputs(screen->colour ? "\033[1m" : "", screen->out);
	va_start(args, format);
	wrap_all(screen, hang, format, args);
	va_end(args);
	fputs(screen->colour ? "\033[0m" : "", screen->out);
}

const char *text_ms(const struct screen *screen, int64_t ns, struct text_buffer *buffer)
{
	snprintf(buffer->at, sizeof(buffer->at), "%.*f", screen->decimals, (double)ns / 1e6);
	if (strtod(buffer->at, NULL) == 0 && buffer->at[0] == '-')
		memmove(buffer->at, buffer->at + 1, strlen(buffer->at)); /* no minus zero */
	return buffer->at;
}

const char *text_gain(const struct screen *screen, int64_t ns, int64_t low_ns, int64_t high_ns,
					  struct text_buffer *buffer)
{
	const int64_t above_ns = high_ns - ns, below_ns = ns - low_ns;
	const bool lopsided = above_ns > 2 * below_ns || below_ns > 2 * above_ns;
	struct text_buffer gain, low, high;
	text_ms(screen, ns, &gain);
	if (low_ns <= 0 || lopsided)
		snprintf(buffer->at, sizeof(buffer->at), "%.30s ms (%.30s to %.30s)", gain.at,
				 text_ms(screen, low_ns, &low), text_ms(screen, high_ns, &high));
	else
		snprintf(buffer->at, sizeof(buffer->at), "%.40s ms +- %.40s", gain.at,
				 text_ms(screen, above_ns > below_ns ? above_ns : below_ns, &high));
	return buffer->at;
}

double text_percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

const char *text_thousands(int64_t value, struct text_buffer *buffer)
{
	char digits[32];
	const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, size);
	char *out = buffer->at;
	if (value < 0)
		*out++ = '-';
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = 0;
	return buffer->at;
}

const char *text_bar(double share, struct text_buffer *buffer)
{
	const double width = share * BAR_WIDTH + 0.5;
	int n = BAR_WIDTH;
	if (width < BAR_WIDTH)
		n = width > 0 ? (int)width : 0;
	memset(buffer->at, '#', (size_t)n);
	buffer->at[n] = 0;
	return buffer->at;
}

const char *text_cut(const char *name, size_t room, struct text_buffer *buffer)
{
	const size_t n = strlen(name);
	room = room < sizeof(buffer->at) ? room : sizeof(buffer->at) - 1;
	room = room > 4 ? room : 4;
	if (n < sizeof(buffer->at) && (size_t)plain_columns(name) <= room) {
		memcpy(buffer->at, name, n + 1);
		return buffer->at;
	}
	size_t head, tail;
	do { /* characters have up to four bytes */
		head = plain_head(name, (int)(room - room / 3 - 2));
		tail = plain_tail(name, (int)(room / 3));
	} while (head + 2 + n - tail >= sizeof(buffer->at) && --room > 4);
	snprintf(buffer->at, sizeof(buffer->at), "%.*s..%s", (int)head, name, name + tail);
	return buffer->at;
}

const char *text_device(const char *key, size_t room, struct text_buffer *buffer)
{
	enum { PREFIX = 5, DIGITS = 8 }; /* "/GPU-", "/MIG-" */
	const char *slash = strrchr(key, '/');
	if (!slash || (strncmp(slash, "/GPU-", PREFIX) != 0 && strncmp(slash, "/MIG-", PREFIX) != 0) ||
		strlen(slash) <= PREFIX + DIGITS || room <= PREFIX + DIGITS)
		return text_cut(key, room, buffer);
	const size_t host = (size_t)(slash - key);
	const size_t fits = plain_head(key, (int)(room - PREFIX - DIGITS));
	snprintf(buffer->at, sizeof(buffer->at), "%.*s%.*s", (int)(host < fits ? host : fits), key,
			 PREFIX + DIGITS, slash);
	return buffer->at;
}
