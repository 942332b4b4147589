/* Numbers as text for people. */
#ifndef BASE_AMOUNT_H
#define BASE_AMOUNT_H

#include <stdint.h>

/* 4010 becomes "4,010"; 1204112 bytes become "1.2 MB". Both return `text`. */
const char *amount_grouped(uint64_t n, char text[32]);
const char *amount_bytes(uint64_t bytes, char text[32]);

#endif
