/* Text of unknown origin on its way to a terminal: names from traces, paths, messages. Every line
 * that baton prints for people goes through here; JSON and `baton dump` escape instead. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Would this character steer a terminal, or be hidden on it? */
bool plain_is_hidden(uint32_t code);
/* Puts a question mark for each character that would steer the terminal or that is none: control
 * characters (C0, C1, alone or in UTF-8), bytes that are no UTF-8, marks that turn the direction of
 * writing, and characters without a width other than combining marks. The text gets no longer. */
void plain_text(char *text);

/* Prints the text so, and leaves it as it is. */
void plain_put(const char *text, FILE *out);

/* The columns that a plain text takes on a terminal. */
int plain_columns(const char *text);
/* Bytes of its beginning that take at most so many columns, and where its end begins that does. */
size_t plain_head(const char *text, int columns);
size_t plain_tail(const char *text, int columns);

#endif
