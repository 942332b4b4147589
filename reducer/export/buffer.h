/* A buffer of bytes that grows. After an error, which stays, nothing more is put. */
#ifndef EXPORT_BUFFER_H
#define EXPORT_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer { /* zeros: empty; free(at) */
	uint8_t *at;
	size_t n, room;
	int error; /* -ENOMEM */
};

void buffer_put(struct buffer *buffer, const void *at, size_t n);
/* The low `n` bytes of a value, the lowest first. */
void buffer_number(struct buffer *buffer, uint64_t value, size_t n);
/* Seven bits in each byte, the lowest first. */
void buffer_varint(struct buffer *buffer, uint64_t value);
/* Zeros up to a multiple of `n`. */
void buffer_align(struct buffer *buffer, size_t n);

#endif
