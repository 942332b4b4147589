#include "render/columns.h"

#include <stdarg.h>
#include <string.h>

void columns_open(struct columns *c, const struct screen *screen, const struct column *at, size_t n)
{
	c->screen = screen;
	c->at = at;
	c->n = n;
	c->filled = c->used = 0;
	c->line[0] = 0;
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
	const struct column *column = &c->at[c->filled++];
	append(c, "%*s%*s", column->gap, "",
		   column->side == COLUMN_LEFT ? -column->width : column->width, text);
}

void columns_cell(struct columns *c, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_cell(c, text);
}

void columns_ms(struct columns *c, int64_t ns)
{
	struct text_buffer ms;
	add_cell(c, text_ms(c->screen, ns, &ms));
}

/* Where the last column begins. */
static int last_column(const struct columns *c)
{
	int at = 0;
	for (size_t i = 0; i < c->n; i++)
		at += c->at[i].gap + (i + 1 < c->n ? c->at[i].width : 0);
	return at;
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
		screen_wrap(c->screen, last_column(c), "%s", c->line);
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
