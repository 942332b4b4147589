/* Lines for people: cut to the width of the terminal, never wrapped; colour only marks what the
 * words already say. */
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

/* Looks at the terminal, COLUMNS and NO_COLOR. `typical_ns` sets the precision of milliseconds. */
void screen_open(struct screen *screen, FILE *out, int64_t typical_ns);

/* One line, cut to the width. */
void screen_line(const struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same in bold where colours are. */
void screen_title(const struct screen *screen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, on as many lines as it needs. */
void screen_title_paragraph(const struct screen *screen, const char *paragraph);
/* Several lines, broken at spaces, each with `indent` spaces before it. */
void screen_paragraph(const struct screen *screen, int indent, const char *paragraph);

/* These return a buffer of the caller. */
struct text_buffer {
	char at[128];
};
const char *text_ms(const struct screen *screen, int64_t ns, struct text_buffer *buffer);
const char *text_thousands(int64_t value, struct text_buffer *buffer);
const char *text_bar(double share, struct text_buffer *buffer); /* 0..1 -> up to 60 # */
/* At most `room` characters of a name: the middle is cut out, beginning and end say most. */
const char *text_cut(const char *name, size_t room, struct text_buffer *buffer);
/* A device's key, HOST/GPU-UUID: the host and the first eight digits, which tell GPUs apart. */
const char *text_device(const char *key, size_t room, struct text_buffer *buffer);

#endif
