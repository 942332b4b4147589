/* The fixture's reader against its writer: a made-up fixture comes back as it was, is replayed as
 * CUPTI would hand it out, and every damage to it is refused. */
#include "fixture.h"
#include "fixture_write.h"

#include "check.h"

#include <unistd.h>

enum { KERNEL_BYTES = 216, MEMSET_BYTES = 88 };

static const char first_name[] = "a_kernel", second_name[] = "another kernel, longer";

static void kernel_put(uint8_t *record, uint32_t correlation, const char *name)
{
	uint32_t kind = KIND_KERNEL;
	uint64_t start = correlation * 1000u, end = start + 7, pointer = (uint64_t)(uintptr_t)name;

	memcpy(record, &kind, 4);
	memcpy(record + 16, &start, 8);
	memcpy(record + 24, &end, 8);
	memcpy(record + 92, &correlation, 4);
	memcpy(record + 104, &pointer, 8);
}

/* Two buffers (the second with a memset) and one that was not kept; three calls. */
static int write_made_up(const char *path)
{
	static uint8_t one[2 * KERNEL_BYTES], two[KERNEL_BYTES + MEMSET_BYTES];
	static uint32_t offsets_one[] = {0, KERNEL_BYTES}, offsets_two[] = {0, KERNEL_BYTES};
	uint32_t memset_kind = KIND_MEMSET;
	struct activity_buffer buffers[] = {
		{.bytes = one,
		 .offsets = offsets_one,
		 .size = 4096,
		 .valid = sizeof(one),
		 .context = (void *)0x1234,
		 .done_ns = -5,
		 .stream = 3,
		 .records = 2,
		 .request_tid = 11,
		 .done_tid = 12},
		{.size = 64, .valid = 8},
		{.bytes = two,
		 .offsets = offsets_two,
		 .size = sizeof(two),
		 .valid = sizeof(two),
		 .records = 2,
		 .request_tid = 11,
		 .done_tid = 13},
	};
	struct call_seen calls[] = {
		{.ns = 10, .data = 1, .cbid = 307, .correlation = 1, .tid = 11, .domain = 1},
		{.ns = 20, .data = 1, .cbid = 307, .correlation = 1, .tid = 11, .domain = 1, .site = 1},
		{.ns = 30, .cbid = 2, .tid = 11, .domain = 3},
	};
	struct fixture_source source = {.buffers = buffers,
									.calls = calls,
									.buffer_count = 3,
									.call_count = 3,
									.meta = "section=made-up\n",
									.cupti_version = 130000,
									.driver_version = 13000};

	kernel_put(one, 1, first_name);
	kernel_put(one + KERNEL_BYTES, 2, second_name);
	kernel_put(two, 3, first_name);
	memcpy(two + KERNEL_BYTES, &memset_kind, 4);
	return fixture_write(path, &source);
}

static void check_whole(const struct fixture *f)
{
	CHECK(f->header.cupti_version == 130000 && f->header.driver_version == 13000, "versions");
	CHECK(f->meta_bytes == 16 && !memcmp(f->meta, "section=made-up\n", 16), "meta");
	CHECK(f->buffer_count == 2, "%zu buffers: one not kept must be left out", f->buffer_count);
	CHECK(f->name_count == 2, "%zu names: each once", f->name_count);
	CHECK(f->call_count == 3, "%zu calls", f->call_count);
	CHECK(f->calls[1].site == 1 && f->calls[1].data == 1 && f->calls[2].domain == 3, "call fields");
	CHECK(f->buffers[0].head.context == 0x1234 && f->buffers[0].head.size == 4096 &&
			  f->buffers[0].head.done_ns == -5 && f->buffers[0].head.stream == 3 &&
			  f->buffers[0].head.request_tid == 11 && f->buffers[1].head.done_tid == 13,
		  "buffer fields");
}

/* As the shim would: block by block, record by record. */
static void check_replay(const struct fixture *f)
{
	uint8_t *block = fixture_block(f, 0), *record = NULL;
	const struct fixture_view *view = &f->buffers[0];
	uint64_t pointer, left = 0, i;

	CHECK(block != NULL, "no block");
	if (!block)
		return;
	CHECK(fixture_next_record(view, block, &record) == 0 && record == block, "first record");
	memcpy(&pointer, record + 104, 8);
	CHECK(pointer != (uint64_t)(uintptr_t)first_name, "the name still points into the writer");
	CHECK(!strcmp((const char *)(uintptr_t)pointer, first_name), "first name");
	CHECK(fixture_next_record(view, block, &record) == 0 && record == block + KERNEL_BYTES,
		  "second record");
	memcpy(&pointer, record + 104, 8);
	CHECK(!strcmp((const char *)(uintptr_t)pointer, second_name), "second name");
	CHECK(fixture_next_record(view, block, &record) == 12, "no end");
	record = block + 8;
	CHECK(fixture_next_record(view, block, &record) == 1, "a pointer into a record is taken");
	for (i = view->head.valid; i < view->head.size; i++)
		left += block[i];
	CHECK(left == 0, "bytes beyond the valid ones are not zero");
	free(block);
}

static long file_read(const char *path, uint8_t *bytes, size_t most)
{
	FILE *in = fopen(path, "rb");
	size_t size;

	if (!in)
		return -1;
	size = fread(bytes, 1, most, in);
	fclose(in);
	return (long)size;
}

/* Every record of every block, its last byte too. */
static unsigned replay_all(const struct fixture *f)
{
	unsigned sum = 0;
	size_t i;

	for (i = 0; i < f->buffer_count; i++) {
		uint8_t *block = fixture_block(f, i), *record = NULL;

		while (block && fixture_next_record(&f->buffers[i], block, &record) == 0)
			sum += record[0] + record[7];
		free(block);
	}
	return sum;
}

static int load_bytes(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *out = fopen(path, "wb");
	struct fixture f;
	char why[200];
	int rc;

	if (!out)
		return 1;
	fwrite(bytes, 1, size, out);
	fclose(out);
	rc = fixture_load(&f, path, why, sizeof(why));
	if (rc == 0) {
		replay_all(&f);
		fixture_free(&f);
	}
	return rc;
}

/* The table of offsets of the first buffer is found by what it holds. */
static void check_offsets(const char *copy, uint8_t *bytes, size_t size)
{
	static const uint32_t table[] = {0, KERNEL_BYTES}, wrong[] = {0, 4, 1 << 20, UINT32_MAX};
	uint8_t *found = memmem(bytes, size, table, sizeof(table));
	size_t i;

	CHECK(found != NULL, "no table of offsets");
	for (i = 0; found && i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(found + 4, &wrong[i], 4);
		CHECK(load_bytes(copy, bytes, size) == -EBADMSG, "second record at %u is taken", wrong[i]);
	}
	if (found)
		memcpy(found, table, sizeof(table));
}

/* Every shorter file is refused; every changed byte is refused or read within bounds (what the
 * sanitizer build of this test sees). */
static void check_damage(const char *path, const char *copy)
{
	static uint8_t bytes[16384];
	long size = file_read(path, bytes, sizeof(bytes)), i;
	int taken = 0;

	CHECK(size > 0 && size < (long)sizeof(bytes), "size %ld", size);
	for (i = 0; i < size; i++)
		taken += load_bytes(copy, bytes, (size_t)i) == 0;
	CHECK(taken == 0, "%d cut files were taken for whole", taken);
	for (i = 0; i < size; i++) {
		bytes[i] ^= 0xff;
		load_bytes(copy, bytes, (size_t)size);
		bytes[i] ^= 0xff;
	}
	check_offsets(copy, bytes, (size_t)size);
	bytes[8] ^= 2;
	CHECK(load_bytes(copy, bytes, (size_t)size) == -EBADMSG, "another version is taken");
	bytes[8] ^= 2;
	CHECK(load_bytes(copy, bytes, (size_t)size) == 0, "the undamaged copy is refused");
	CHECK(load_bytes(copy, bytes, (size_t)size + 8) == -EBADMSG, "bytes after END are taken");
}

int main(void)
{
	char path[] = "/tmp/fixture_test.XXXXXX", copy[] = "/tmp/fixture_test.XXXXXX", why[300] = "";
	int fd = mkstemp(path), copy_fd = mkstemp(copy), rc;
	struct fixture f;

	CHECK(fd >= 0 && copy_fd >= 0, "no temporary files");
	CHECK(write_made_up(path) == 0, "not written");
	rc = fixture_load(&f, path, why, sizeof(why));
	CHECK(rc == 0, "%s", why);
	if (rc == 0) {
		check_whole(&f);
		check_replay(&f);
		fixture_free(&f);
		check_damage(path, copy);
	}
	CHECK(fixture_load(&f, "/nowhere/at/all", why, sizeof(why)) == -ENOENT, "a missing file");
	CHECK(write_made_up("/nowhere/at/all") == -ENOENT, "written to nowhere");
	unlink(path);
	unlink(copy);
	close(fd);
	close(copy_fd);
	return finish();
}
