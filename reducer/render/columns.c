#include "render/columns.h"

#include "base/plain.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Without the first: it says what a row is about. A last column that takes the rest stays too. */
static void drop_columns(struct columns *c)
{
	const bool rest = c->n > 0 && c->at[c->n - 1].width <= 0;
	int needed = 0;
	for (size_t i = 0; i < c->n; i++)
		needed += c->at[i].gap + abs(c->at[i].width);
	for (size_t i = c->n - rest; i-- > 1 && needed > c->screen->width;) {
		needed -= c->at[i].gap + c->at[i].width;
		c->dropped |= UINT64_C(1) << i;
	}
}

void columns_open(struct columns *c, const struct screen *screen, const struct column *at, size_t n)
{
	c->screen = screen;
	c->at = at;
	c->n = n;
	c->filled = c->used = 0;
	c->line[0] = 0;
	c->dropped = 0;
	drop_columns(c);
}

static void append(struct columns *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(struct columns *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(c->line + c->used, sizeof(c->line) - c->used, format, args);
	va_end(args);
	c->used += n > 0 && (size_t)n < sizeof(c->line) - c->used ? (size_t)n : 0;
	c->line[c->used] = 0;
}

static void add_cell(struct columns *c, const char *text)
{
	if (c->filled == c->n)
		return;
	const bool dropped = c->dropped >> c->filled & 1;
	const struct column *column = &c->at[c->filled++];
	if (dropped)
		return;
	int width = column->width > 0 ? column->width : 0;
	width += (int)strlen(text) - plain_columns(text); /* printf counts bytes */
	append(c, "%*s%*s", column->gap, "", column->side == COLUMN_LEFT ? -width : width, text);
}

void columns_cell(struct columns *c, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	plain_text(text);
	add_cell(c, text);
}

void columns_ms(struct columns *c, int64_t ns)
{
	struct text_buffer ms;
	add_cell(c, text_ms(c->screen, ns, &ms));
}

int columns_last(const struct columns *c)
{
	int at = 0, last = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (c->dropped >> i & 1)
			continue;
		last = at + c->at[i].gap;
		at = last + c->at[i].width;
	}
	return last;
}

void columns_end(struct columns *c, enum columns_style style)
{
	switch (style) {
	case COLUMNS_PLAIN:
		screen_line(c->screen, "%s", c->line);
		break;
	case COLUMNS_BOLD:
		screen_title(c->screen, "%s", c->line);
		break;
	case COLUMNS_WRAPPED:
		screen_wrap(c->screen, columns_last(c), "%s", c->line);
		break;
	}
	c->filled = c->used = 0;
	c->line[0] = 0;
}

void columns_heads(struct columns *c)
{
	while (c->filled < c->n)
		add_cell(c, c->at[c->filled].head);
	columns_end(c, COLUMNS_BOLD);
}
