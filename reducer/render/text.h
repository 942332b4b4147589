/* Lines for people. Rows of tables are cut to the width of the terminal; sentences are wrapped, all
 * of them is there. Colour only marks what the words already say. */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct screen {
	FILE *out;
	int width; /* columns, at most 100 on a terminal; unlimited (10000) is never used: files get 100
				  too */
	bool colour;
	int decimals; /* of milliseconds: one unit and one precision per report */
};

/* Looks at the terminal, COLUMNS and what base/tty.h knows of colours. `typical_ns` sets the
 * precision of milliseconds. */
void screen_open(struct screen *screen, FILE *out, int64_t typical_ns);

/* As a file would have it, but sentences are not wrapped. */
void screen_open_wide(struct screen *screen, FILE *out, int64_t typical_ns);

/* One line, cut to the width. */
void screen_line(const struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same in bold where colours are. */
void screen_title(const struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* All of it, on as many lines as it needs, broken at spaces; lines after the first have `hang`
 * spaces before them (4 where that would be half of the screen). */
void screen_wrap(const struct screen *screen, int hang, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void screen_title_wrap(const struct screen *screen, int hang, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "WHAT: baton COMMAND", for a person to copy: where that is too wide the command has a line of its
 * own, which is never broken. */
void screen_command(const struct screen *screen, int indent, const char *what, const char *format,
					...) __attribute__((format(printf, 4, 5)));
/* Several lines, broken at spaces, each with `indent` spaces before it. */
void screen_paragraph(const struct screen *screen, int indent, const char *paragraph);

double text_percent(int64_t part, int64_t whole); /* 0 of nothing */

/* These return a buffer of the caller. */
struct text_buffer {
	char at[128];
};
const char *text_ms(const struct screen *screen, int64_t ns, struct text_buffer *buffer);
/* "14.5 ms +- 0.4": as far as it may be off, above or below. "0.4 ms (0.0 to 0.8)" where it may be
 * nothing, or may be off by more than twice as much on one side as on the other. */
const char *text_gain(const struct screen *screen, int64_t ns, int64_t low_ns, int64_t high_ns,
					  struct text_buffer *buffer);
const char *text_thousands(int64_t value, struct text_buffer *buffer);
const char *text_bar(double share, struct text_buffer *buffer); /* 0..1 -> up to 60 # */
/* At most `room` characters of a name: the middle is cut out, beginning and end say most. */
const char *text_cut(const char *name, size_t room, struct text_buffer *buffer);
/* A device's key, HOST/GPU-UUID: the host and the first eight digits, which tell GPUs apart. */
const char *text_device(const char *key, size_t room, struct text_buffer *buffer);

#endif
