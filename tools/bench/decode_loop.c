/* The floor under `baton reduce`: reads every block of the op and call tables of the given traces
 * with the reader's own decoder and adds the durations up, on one core. Prints rows, their sum, the
 * seconds, and of them the CPU time to read and check the blocks and to decode them; `make
 * bench-scale` sets it beside the reducer. */
#include <baton/columns.h>
#include <baton/reader.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <stdio.h>
#include <time.h>

struct totals {
	uint64_t rows, ns, bytes;
	double read, decode; /* CPU seconds */
};

static double cpu_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int add_block(struct baton_reader *reader, const struct baton_entry *entry, int64_t **room,
					 size_t *values, struct totals *totals)
{
	const struct baton_table *table = baton_table(entry->kind);
	struct baton_block_header header;
	enum baton_damage damage;
	int64_t *columns[BATON_MAX_COLUMNS] = {0};
	uint32_t present;
	double begin = cpu_seconds();
	int error = baton_reader_load(reader, entry->offset, &header, &damage);
	totals->read += cpu_seconds() - begin;
	if (error || damage != BATON_INTACT)
		return error ? error : -EBADMSG;
	size_t n = (size_t)header.rows * table->n_columns + 1;
	if (n > *values) {
		free(*room);
		*room = malloc(n * sizeof(**room));
		*values = *room ? n : 0;
		if (!*room)
			return -ENOMEM;
	}
	for (unsigned c = 0; c < table->n_columns; c++)
		columns[c] = *room + (size_t)c * header.rows;
	begin = cpu_seconds();
	error = baton_columns_decode(table, &header, reader->raw, columns, &present);
	totals->decode += cpu_seconds() - begin;
	for (uint32_t i = 0; !error && i < header.rows; i++)
		totals->ns += (uint64_t)columns[ROW_DUR][i];
	totals->rows += header.rows;
	totals->bytes += sizeof(header) + header.stored_bytes;
	return error;
}

int main(int argc, char **argv)
{
	struct totals ops = {0}, calls = {0};
	struct timespec from, to;
	int64_t *room = NULL;
	size_t values = 0;
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 1; i < argc; i++) {
		struct baton_reader reader;
		int error = baton_reader_open(&reader, AT_FDCWD, argv[i]);
		for (size_t k = 0; !error && k < reader.n_entries; k++) {
			const struct baton_entry *entry = &reader.entries[k];
			if (entry->kind == BATON_OP || entry->kind == BATON_CALL)
				error = add_block(&reader, entry, &room, &values,
								  entry->kind == BATON_OP ? &ops : &calls);
		}
		if (error) {
			fprintf(stderr, "decode_loop: %s: %s\n", argv[i], strerror(-error));
			return 1;
		}
		baton_reader_close(&reader);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	free(room);
	double s = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	printf("ops %llu ns %llu bytes %llu\n", (unsigned long long)ops.rows,
		   (unsigned long long)ops.ns, (unsigned long long)ops.bytes);
	printf("calls %llu ns %llu bytes %llu\n", (unsigned long long)calls.rows,
		   (unsigned long long)calls.ns, (unsigned long long)calls.bytes);
	printf("read %.3f\n", ops.read + calls.read);
	printf("decode %.3f\n", ops.decode + calls.decode);
	printf("seconds %.3f\n", s);
	return 0;
}
