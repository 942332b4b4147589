/* Numbers as text for people. */
#ifndef BASE_AMOUNT_H
#define BASE_AMOUNT_H

#include <stdint.h>

/* 4010 becomes "4,010"; 1204112 bytes become "1.2 MB". They return `text`. */
const char *amount_grouped(uint64_t n, char text[32]);
const char *amount_bytes(uint64_t bytes, char text[32]);
/* "9.5 s", "83 s", "17 min", "3 h 12 min", "9 d 4 h". */
const char *amount_duration(int64_t ns, char text[32]);
/* 90, 90s, 15m (15min), 2h, 1d: whole seconds, at most a year. 0: it is no such time. */
long amount_seconds(const char *text);

#endif
