/* Texts that NVTX users give for good (registered strings, domains), and those of ranges that open
 * before the recording begins: kept once each, at one address for ever. That address is the handle
 * that the user gets. */
#ifndef SHIM_NVTX_TEXT_H
#define SHIM_NVTX_TEXT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_TEXT_LIMIT 4000u /* bytes of a text that are kept */

struct nvtx_text {
	struct nvtx_text *next;      /* of the same hash */
	_Atomic uint64_t dictionary; /* recording_generation << 32 | id */
	uint64_t hash;
	uint32_t bytes;
	char text[]; /* ends with 0 */
};

/* Takes the room for all of them; once. */
void nvtx_text_open(void);
/* Never NULL: without room, a text that is empty. Any thread. */
const struct nvtx_text *nvtx_text(const char *text, size_t bytes);
/* Its id in the dictionary of this process; NULL has 0. Only while the process records. */
uint32_t nvtx_text_id(const struct nvtx_text *text);

/* As UTF-8, cut at `room` bytes; how many there are. */
size_t nvtx_text_narrow(const wchar_t *wide, char *out, size_t room);

#endif
