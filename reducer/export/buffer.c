#include "export/buffer.h"

#include "base/room.h"

#include <string.h>

enum { LEAST_ROOM = 4096 };

void buffer_put(struct buffer *buffer, const void *at, size_t n)
{
	while (!buffer->error && buffer->n + n > buffer->room)
		buffer->error = room_double((void **)&buffer->at, &buffer->room, LEAST_ROOM, 1);
	if (buffer->error || n == 0)
		return;
	memcpy(buffer->at + buffer->n, at, n);
	buffer->n += n;
}

void buffer_number(struct buffer *buffer, uint64_t value, size_t n)
{
	uint8_t low[8];
	for (size_t i = 0; i < n; i++)
		low[i] = (uint8_t)(value >> 8 * i);
	buffer_put(buffer, low, n);
}

void buffer_varint(struct buffer *buffer, uint64_t value)
{
	uint8_t low[10];
	size_t n = 0;
	for (; value > 127; value >>= 7)
		low[n++] = (uint8_t)(value | 128);
	low[n++] = (uint8_t)value;
	buffer_put(buffer, low, n);
}

void buffer_align(struct buffer *buffer, size_t n)
{
	while (!buffer->error && buffer->n % n != 0)
		buffer_number(buffer, 0, 1);
}
