/* Every bit of a trace file flipped, and the file cut at every length: flips FILE FIRST COUNT.
 * Change K below 8 x size flips bit K of the file, the others cut it to K - 8 x size bytes. Case I is
 * change I x SPREAD modulo their number, so that any first cases lie all over the file, and none
 * comes twice. COUNT cases from FIRST on. A case is
 *   told      the reader says that something is damaged, or refuses the file
 *   harmless  all that the file holds is read as before
 *   wrong     neither: printed
 * and of the blocks that the case did not touch those that were still read are counted. The last
 * line: "cases N told N harmless N wrong N untouched N recovered N of N" (of: all cases of FILE). */
#include <baton/reader.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

enum { BLOCKS = 4096 };
#define SPREAD 2654435761u /* a prime */

struct block {
	uint64_t offset, end, hash;
};

struct view { /* what a reader makes of the file */
	struct block block[BLOCKS];
	int blocks;
	bool damaged, unreadable;
};

static struct view whole, seen;

static void look_at_block(struct baton_reader *reader, const struct baton_entry *entry,
						  struct view *view)
{
	struct baton_block_header header;
	enum baton_damage damage = entry->damage;
	if (!entry->kind) {
		view->damaged = true;
		return;
	}
	if (damage == BATON_INTACT || damage == BATON_MISSING_BLOCKS)
		baton_reader_load(reader, entry->offset, &header, &damage);
	view->damaged |= damage != BATON_INTACT || entry->damage != BATON_INTACT;
	if (damage != BATON_INTACT || view->blocks == BLOCKS)
		return;
	struct block *block = &view->block[view->blocks++];
	block->offset = entry->offset;
	block->end = entry->offset + sizeof(header) + header.stored_bytes;
	block->hash = XXH3_64bits(reader->raw, header.raw_bytes) ^ XXH3_64bits(&header, sizeof(header));
}

static void look(const char *path, struct view *view)
{
	struct baton_reader reader;
	view->blocks = 0;
	view->damaged = false;
	view->unreadable = baton_reader_open(&reader, AT_FDCWD, path) != 0;
	if (view->unreadable)
		return;
	view->damaged = !reader.closed;
	for (size_t i = 0; i < reader.n_entries; i++)
		look_at_block(&reader, &reader.entries[i], view);
	baton_reader_close(&reader);
}

/* How many blocks of the whole file that do not hold `at` (a cut: that end before it) there are,
 * and how many of them were read. */
static int recovered(uint64_t at, bool cut, int *untouched)
{
	int found = 0, next = 0;
	*untouched = 0;
	for (int i = 0; i < whole.blocks; i++) {
		const struct block *block = &whole.block[i];
		if (cut ? block->end > at : at >= block->offset && at < block->end)
			continue;
		++*untouched;
		while (next < seen.blocks && seen.block[next].offset < block->offset)
			next++;
		found += next < seen.blocks && seen.block[next].offset == block->offset &&
				 seen.block[next].hash == block->hash;
	}
	return found;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int in = open(argv[1], O_RDONLY), fd = memfd_create("case", 0);
	struct stat st;
	if (in < 0 || fd < 0 || fstat(in, &st) != 0)
		return 2;
	uint64_t size = (uint64_t)st.st_size, all = 9 * size, first = strtoull(argv[2], NULL, 10),
			 count = strtoull(argv[3], NULL, 10);
	uint8_t *data = malloc(size);
	char path[64];
	if (!data || pread(in, data, size, 0) != (ssize_t)size ||
		pwrite(fd, data, size, 0) != (ssize_t)size)
		return 2;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look(path, &whole);
	uint64_t cases = 0, told = 0, harmless = 0, wrong = 0, untouched = 0, read_again = 0;
	for (; cases < count; cases++) {
		uint64_t i = (first + cases) * SPREAD % all;
		bool cut = i >= 8 * size;
		uint64_t at = cut ? i - 8 * size : i / 8, changed = cut ? size - at : 1;
		uint8_t flipped = data[at] ^ (uint8_t)(1u << i % 8);
		if (cut ? ftruncate(fd, (off_t)at) != 0 : pwrite(fd, &flipped, 1, (off_t)at) != 1)
			return 2;
		look(path, &seen);
		int apart, again = recovered(at, cut, &apart);
		bool same = !cut && seen.blocks == whole.blocks && again == apart && apart == whole.blocks;
		if (seen.unreadable || seen.damaged)
			told++;
		else if (same)
			harmless++;
		else if (++wrong < 10)
			printf("change %" PRIu64 ": %s byte %" PRIu64 ": nothing is said\n", i,
				   cut ? "cut at" : "a bit of", at);
		untouched += (uint64_t)apart;
		read_again += (uint64_t)again;
		if (pwrite(fd, data + at, changed, (off_t)at) != (ssize_t)changed)
			return 2;
	}
	printf("cases %" PRIu64 " told %" PRIu64 " harmless %" PRIu64 " wrong %" PRIu64
		   " untouched %" PRIu64 " recovered %" PRIu64 " of %" PRIu64 "\n",
		   cases, told, harmless, wrong, untouched, read_again, all);
	return wrong || whole.unreadable || whole.damaged || !whole.blocks;
}
