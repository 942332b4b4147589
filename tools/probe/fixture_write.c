#include "fixture_write.h"

#include "fixture.h"

enum { NAMES_MOST = 256 };

static void put(FILE *out, const void *bytes, uint64_t size)
{
	if (size)
		fwrite(bytes, 1, (size_t)size, out);
}

static void put_padding(FILE *out, uint64_t size)
{
	static const char zeros[8];

	put(out, zeros, fixture_padded(size) - size);
}

static void put_chunk(FILE *out, uint32_t type, uint64_t size)
{
	struct fixture_chunk chunk = {type, 0, fixture_padded(size)};

	put(out, &chunk, sizeof(chunk));
}

static void put_text(FILE *out, const char *text)
{
	uint32_t head[2] = {(uint32_t)strlen(text), 0};

	put_chunk(out, FIXTURE_META, sizeof(head) + head[0]);
	put(out, head, sizeof(head));
	put(out, text, head[0]);
	put_padding(out, head[0]);
}

static void put_name(FILE *out, uint64_t pointer)
{
	const char *text = (const char *)(uintptr_t)pointer;
	struct fixture_name name = {pointer, (uint32_t)strlen(text), 0};

	put_chunk(out, FIXTURE_NAME, sizeof(name) + name.length + 1);
	put(out, &name, sizeof(name));
	put(out, text, name.length + 1);
	put_padding(out, name.length + 1);
}

static uint64_t record_name(const struct activity_buffer *buffer, uint32_t i)
{
	uint64_t end = i + 1 < buffer->records ? buffer->offsets[i + 1] : buffer->valid;
	struct record record =
		cupti_record(buffer->bytes + buffer->offsets[i], (uint32_t)(end - buffer->offsets[i]));

	return record.name;
}

static void put_names(FILE *out, const struct activity_buffer *buffer, uint64_t *seen,
					  size_t *count)
{
	uint32_t i;

	for (i = 0; i < buffer->records; i++) {
		uint64_t pointer = record_name(buffer, i);
		size_t n = 0;

		while (n < *count && seen[n] != pointer)
			n++;
		if (pointer == 0 || n < *count || *count == NAMES_MOST)
			continue;
		seen[(*count)++] = pointer;
		put_name(out, pointer);
	}
}

static void put_buffer(FILE *out, const struct activity_buffer *buffer)
{
	struct fixture_buffer head = {.context = (uint64_t)(uintptr_t)buffer->context,
								  .size = buffer->size,
								  .valid = buffer->valid,
								  .done_ns = buffer->done_ns,
								  .stream = buffer->stream,
								  .records = buffer->records,
								  .request_tid = buffer->request_tid,
								  .done_tid = buffer->done_tid};
	uint64_t table = (uint64_t)buffer->records * sizeof(uint32_t);

	put_chunk(out, FIXTURE_BUFFER, sizeof(head) + fixture_padded(table) + buffer->valid);
	put(out, &head, sizeof(head));
	put(out, buffer->offsets, table);
	put_padding(out, table);
	put(out, buffer->bytes, buffer->valid);
	put_padding(out, buffer->valid);
}

static void put_calls(FILE *out, const struct fixture_source *source)
{
	uint32_t head[2] = {(uint32_t)source->call_count, sizeof(struct fixture_call)};
	size_t i;

	put_chunk(out, FIXTURE_CALLS, sizeof(head) + source->call_count * sizeof(struct fixture_call));
	put(out, head, sizeof(head));
	for (i = 0; i < source->call_count; i++) {
		const struct call_seen *seen = &source->calls[i];
		struct fixture_call call = {.ns = seen->ns,
									.data = seen->data,
									.cbid = seen->cbid,
									.correlation = seen->correlation,
									.tid = seen->tid,
									.context_uid = seen->context_uid,
									.domain = seen->domain,
									.site = seen->site};

		put(out, &call, sizeof(call));
	}
}

int fixture_write(const char *path, const struct fixture_source *source)
{
	struct fixture_header header = {.version = FIXTURE_VERSION,
									.cupti_version = source->cupti_version,
									.driver_version = source->driver_version};
	uint64_t seen[NAMES_MOST];
	size_t i, names = 0;
	FILE *out = fopen(path, "wb");
	int failed;

	if (!out)
		return -errno;
	memcpy(header.magic, FIXTURE_MAGIC, sizeof(header.magic));
	put(out, &header, sizeof(header));
	put_text(out, source->meta);
	for (i = 0; i < source->buffer_count; i++)
		if (source->buffers[i].bytes)
			put_names(out, &source->buffers[i], seen, &names);
	for (i = 0; i < source->buffer_count; i++)
		if (source->buffers[i].bytes)
			put_buffer(out, &source->buffers[i]);
	put_calls(out, source);
	put_chunk(out, FIXTURE_END, 0);
	failed = ferror(out);
	return fclose(out) != 0 || failed ? -EIO : 0;
}
