/* Frames to unwind: calls itself, then what it was given. */
#include <stdint.h>

uint32_t outer(uint32_t (*capture)(void), int depth);

__attribute__((noinline, visibility("default"))) uint32_t outer(uint32_t (*capture)(void),
																int depth)
{
	volatile uint32_t id = depth > 1 ? outer(capture, depth - 1) : capture(); /* no tail call */
	return id;
}
