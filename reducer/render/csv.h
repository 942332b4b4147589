/* One cell of a CSV file (RFC 4180) with text of unknown origin. */
#ifndef RENDER_CSV_H
#define RENDER_CSV_H

#include <stdio.h>

/* Writes the text, in quotes where it needs them. Control characters and bytes that are no UTF-8
 * become question marks. What a spreadsheet would take for a formula (=, +, - or @ in front) gets an
 * apostrophe before it. */
void csv_text(const char *text, FILE *out);
/* The same, always in quotes. */
void csv_quoted(const char *text, FILE *out);

#endif
