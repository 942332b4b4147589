/* Reads a fixture of the GPU probe (FORMAT.md) and hands its buffers out for replay. Everything
 * lies in one block of memory that the fixture owns; input is hostile, so every size is checked.
 *
 *   struct fixture f;
 *   if (fixture_load(&f, path, why, sizeof(why)) == 0) {
 *       for (i = 0; i < f.buffer_count; i++) {
 *           uint8_t *block = fixture_block(&f, i);      // zeroed, names relocated; free() it
 *           completed(context, f.buffers[i].stream, block, f.buffers[i].size, f.buffers[i].valid);
 *       }
 *       fixture_free(&f);
 *   }
 * and the CUPTI that the shim is given walks with fixture_next_record. */
#ifndef PROBE_FIXTURE_H
#define PROBE_FIXTURE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURE_MAGIC "BTNFIX\r\n"

enum {
	FIXTURE_VERSION = 1,
	FIXTURE_META = 1,
	FIXTURE_NAME = 2,
	FIXTURE_BUFFER = 3,
	FIXTURE_CALLS = 4,
	FIXTURE_END = 255,
	FIXTURE_KERNEL = 10, /* the kinds whose records hold a name pointer, ... */
	FIXTURE_KERNEL_SERIAL = 3,
	FIXTURE_NAME_OFFSET = 104 /* ... where it is, in every release from 8.0 to 13.5 */
};

struct fixture_header {
	char magic[8];
	uint32_t version, cupti_version, driver_version, zero;
	uint64_t zero8;
};
_Static_assert(sizeof(struct fixture_header) == 32, "fixture header");

struct fixture_chunk {
	uint32_t type, zero;
	uint64_t size;
};
_Static_assert(sizeof(struct fixture_chunk) == 16, "fixture chunk");

struct fixture_name {
	uint64_t pointer;
	uint32_t length, zero;
};
_Static_assert(sizeof(struct fixture_name) == 16, "fixture name");

struct fixture_buffer {
	uint64_t context, size, valid;
	int64_t done_ns;
	uint32_t stream, records, request_tid, done_tid;
};
_Static_assert(sizeof(struct fixture_buffer) == 48, "fixture buffer");

struct fixture_call {
	int64_t ns;
	uint64_t data;
	uint32_t cbid, correlation, tid, context_uid;
	uint8_t domain, site, zero[6];
};
_Static_assert(sizeof(struct fixture_call) == 40, "fixture call");

/* One buffer as it lies in the file. */
struct fixture_view {
	struct fixture_buffer head;
	const uint32_t *offsets; /* head.records of them, strictly rising, all below head.valid */
	const uint8_t *bytes;    /* head.valid of them */
};

struct fixture {
	uint8_t *file;
	size_t file_bytes;
	struct fixture_header header;
	const char *meta; /* not zero-terminated */
	size_t meta_bytes;
	struct fixture_view *buffers;
	const struct fixture_name **names; /* the text follows each, zero-terminated */
	const struct fixture_call *calls;
	size_t buffer_count, name_count, call_count;
};

static inline uint64_t fixture_padded(uint64_t bytes)
{
	return (bytes + 7) & ~(uint64_t)7;
}

static inline void fixture_free(struct fixture *fixture)
{
	free(fixture->file);
	free(fixture->buffers);
	free(fixture->names);
	memset(fixture, 0, sizeof(*fixture));
}

static inline const char *fixture_add_meta(struct fixture *f, const uint8_t *body, uint64_t size)
{
	uint32_t length;

	if (size < 8)
		return "META too small";
	memcpy(&length, body, sizeof(length));
	if (length > size - 8)
		return "META longer than its chunk";
	f->meta = (const char *)body + 8;
	f->meta_bytes = length;
	return NULL;
}

static inline const char *fixture_add_name(struct fixture *f, const uint8_t *body, uint64_t size)
{
	const struct fixture_name *name = (const struct fixture_name *)(const void *)body;
	const struct fixture_name **names;

	if (size < sizeof(*name) + 1 || name->length > size - sizeof(*name) - 1)
		return "NAME longer than its chunk";
	if (body[sizeof(*name) + name->length] != 0)
		return "NAME without its end";
	names = realloc(f->names, (f->name_count + 1) * sizeof(*names));
	if (!names)
		return "out of memory";
	f->names = names;
	f->names[f->name_count++] = name;
	return NULL;
}

static inline const char *fixture_check_offsets(const struct fixture_view *view)
{
	uint32_t i, end;

	if (view->head.records > 0 && view->offsets[0] != 0)
		return "first record not at 0";
	for (i = 0; i < view->head.records; i++) {
		end = i + 1 < view->head.records ? view->offsets[i + 1] : (uint32_t)view->head.valid;
		if (end <= view->offsets[i] || end - view->offsets[i] < 8 || end > view->head.valid)
			return "record offsets out of order";
	}
	return NULL;
}

static inline const char *fixture_add_buffer(struct fixture *f, const uint8_t *body, uint64_t size)
{
	struct fixture_view view = {0};
	struct fixture_view *buffers;
	uint64_t table;
	const char *wrong;

	if (size < sizeof(view.head))
		return "BUFFER too small";
	memcpy(&view.head, body, sizeof(view.head));
	table = fixture_padded((uint64_t)view.head.records * sizeof(uint32_t));
	size -= sizeof(view.head);
	if (view.head.valid > view.head.size || view.head.size > UINT32_MAX || table > size ||
		fixture_padded(view.head.valid) > size - table)
		return "BUFFER longer than its chunk";
	view.offsets = (const uint32_t *)(const void *)(body + sizeof(view.head));
	view.bytes = body + sizeof(view.head) + table;
	wrong = fixture_check_offsets(&view);
	if (wrong)
		return wrong;
	buffers = realloc(f->buffers, (f->buffer_count + 1) * sizeof(*buffers));
	if (!buffers)
		return "out of memory";
	f->buffers = buffers;
	f->buffers[f->buffer_count++] = view;
	return NULL;
}

static inline const char *fixture_add_calls(struct fixture *f, const uint8_t *body, uint64_t size)
{
	uint32_t head[2];

	if (size < sizeof(head) || f->calls)
		return f->calls ? "two CALLS" : "CALLS too small";
	memcpy(head, body, sizeof(head));
	if (head[1] != sizeof(struct fixture_call) ||
		(uint64_t)head[0] * sizeof(struct fixture_call) > size - sizeof(head))
		return "CALLS longer than its chunk";
	f->calls = (const struct fixture_call *)(const void *)(body + sizeof(head));
	f->call_count = head[0];
	return NULL;
}

static inline const char *fixture_chunk(struct fixture *f, const struct fixture_chunk *chunk,
										const uint8_t *body)
{
	switch (chunk->type) {
	case FIXTURE_META:
		return fixture_add_meta(f, body, chunk->size);
	case FIXTURE_NAME:
		return fixture_add_name(f, body, chunk->size);
	case FIXTURE_BUFFER:
		return fixture_add_buffer(f, body, chunk->size);
	case FIXTURE_CALLS:
		return fixture_add_calls(f, body, chunk->size);
	default:
		return NULL;
	}
}

/* What is wrong with the file in memory, or NULL. */
static inline const char *fixture_parse(struct fixture *f)
{
	struct fixture_chunk chunk;
	size_t at = sizeof(f->header);
	const char *wrong;

	if (f->file_bytes < sizeof(f->header) || memcmp(f->file, FIXTURE_MAGIC, 8) != 0)
		return "no fixture";
	memcpy(&f->header, f->file, sizeof(f->header));
	if (f->header.version != FIXTURE_VERSION)
		return "a version that this reader does not know";
	for (;;) {
		if (f->file_bytes - at < sizeof(chunk))
			return "cut: no END";
		memcpy(&chunk, f->file + at, sizeof(chunk));
		at += sizeof(chunk);
		if (chunk.size % 8 != 0 || chunk.size > f->file_bytes - at)
			return "a chunk is longer than the file";
		if (chunk.type == FIXTURE_END)
			return at + chunk.size == f->file_bytes ? NULL : "bytes after END";
		wrong = fixture_chunk(f, &chunk, f->file + at);
		if (wrong)
			return wrong;
		at += (size_t)chunk.size;
	}
}

static inline int fixture_read_file(struct fixture *f, FILE *in)
{
	long bytes;

	if (fseek(in, 0, SEEK_END) != 0)
		return -errno;
	bytes = ftell(in);
	if (bytes < 0 || fseek(in, 0, SEEK_SET) != 0)
		return -errno;
	f->file = malloc(bytes > 0 ? (size_t)bytes : 1);
	if (!f->file)
		return -ENOMEM;
	f->file_bytes = (size_t)bytes;
	return fread(f->file, 1, f->file_bytes, in) == f->file_bytes ? 0 : -EIO;
}

/* 0, or -errno (-EBADMSG: not a sound fixture) with the reason in why; then nothing is held. */
static inline int fixture_load(struct fixture *f, const char *path, char *why, size_t why_bytes)
{
	const char *wrong = NULL;
	FILE *in = fopen(path, "rb");
	int rc;

	memset(f, 0, sizeof(*f));
	if (!in) {
		rc = -errno;
		snprintf(why, why_bytes, "%s: %s", path, strerror(-rc));
		return rc;
	}
	rc = fixture_read_file(f, in);
	fclose(in);
	if (rc == 0) {
		wrong = fixture_parse(f);
		if (wrong)
			rc = -EBADMSG;
	}
	if (rc != 0) {
		snprintf(why, why_bytes, "%s: %s", path, wrong ? wrong : strerror(-rc));
		fixture_free(f);
	}
	return rc;
}

/* The text that a pointer of a record stood for, NULL when the fixture has none. */
static inline const char *fixture_text(const struct fixture *f, uint64_t pointer)
{
	size_t i;

	for (i = 0; i < f->name_count; i++)
		if (f->names[i]->pointer == pointer)
			return (const char *)(f->names[i] + 1);
	return NULL;
}

/* Name pointers in a copy of buffer `view` become pointers into the fixture (unknown ones 0). */
static inline void fixture_relocate(const struct fixture *f, const struct fixture_view *view,
									uint8_t *bytes)
{
	uint64_t pointer;
	uint32_t i, kind;

	for (i = 0; i < view->head.records; i++) {
		uint8_t *record = bytes + view->offsets[i];
		uint64_t end = i + 1 < view->head.records ? view->offsets[i + 1] : view->head.valid;

		memcpy(&kind, record, sizeof(kind));
		if (kind != FIXTURE_KERNEL && kind != FIXTURE_KERNEL_SERIAL)
			continue;
		if (end - view->offsets[i] < FIXTURE_NAME_OFFSET + sizeof(pointer))
			continue;
		memcpy(&pointer, record + FIXTURE_NAME_OFFSET, sizeof(pointer));
		pointer = (uint64_t)(uintptr_t)fixture_text(f, pointer);
		memcpy(record + FIXTURE_NAME_OFFSET, &pointer, sizeof(pointer));
	}
}

/* Buffer i as CUPTI would hand it back: head.size bytes, to be freed by whoever gets it. NULL
 * without memory. */
static inline uint8_t *fixture_block(const struct fixture *f, size_t i)
{
	const struct fixture_view *view = &f->buffers[i];
	uint8_t *block = calloc(1, view->head.size ? (size_t)view->head.size : 1);

	if (!block)
		return NULL;
	memcpy(block, view->bytes, (size_t)view->head.valid);
	fixture_relocate(f, view, block);
	return block;
}

/* cuptiActivityGetNextRecord over a block of buffer `view`: *record NULL begins; 0, or 12
 * (CUPTI_ERROR_MAX_LIMIT_REACHED) behind the last, or 1 for a record that is not one of it. */
static inline int fixture_next_record(const struct fixture_view *view, uint8_t *block,
									  uint8_t **record)
{
	uint32_t next = 0;

	if (*record) {
		while (next < view->head.records && block + view->offsets[next] != *record)
			next++;
		if (next == view->head.records)
			return 1;
		next++;
	}
	if (next >= view->head.records)
		return 12;
	*record = block + view->offsets[next];
	return 0;
}

#endif
