#include "import/trace_shift.h"

#include <baton/columns.h>
#include <baton/reader.h>
#include <baton/writer.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int copy_records(struct baton_reader *in, struct baton_writer *out,
						const struct baton_block_header *from)
{
	struct baton_block_header header = {
		.kind = from->kind, .rows = from->rows, .raw_bytes = from->raw_bytes};
	memcpy(out->raw, in->raw, from->raw_bytes);
	return baton_writer_seal(out, &header);
}

static int move_rows(struct baton_reader *in, struct baton_writer *out,
					 const struct baton_block_header *from, int64_t delta_ns)
{
	const struct baton_table *table = baton_table(from->kind);
	int64_t *columns[BATON_MAX_COLUMNS] = {NULL};
	uint32_t present;
	if (!table || from->rows > BATON_LONG_ROWS)
		return -EBADMSG;
	for (unsigned c = 0; c < table->n_columns; c++)
		columns[c] = out->columns + (size_t)c * BATON_LONG_ROWS;
	int error = baton_columns_decode(table, from, in->raw, columns, &present);
	if (error)
		return error;
	for (unsigned c = 0; c < table->n_columns; c++)
		if (!(present & 1u << c))
			columns[c] = NULL;
	for (uint32_t i = 0; i < from->rows; i++)
		columns[ROW_START][i] += delta_ns;
	return from->rows ? baton_writer_columns(out, table, columns, from->rows) : 0;
}

static int64_t delta_of(const struct trace_move *move, uint16_t kind)
{
	bool gpu = kind == BATON_OP || kind == BATON_COLLECTIVE;
	return move->all_ns + (gpu ? move->gpu_ns : 0);
}

static int move_blocks(struct baton_reader *in, struct baton_writer *out,
					   const struct trace_move *move)
{
	int error = 0;
	for (size_t i = 0; i < in->n_entries && !error; i++) {
		struct baton_block_header header;
		enum baton_damage damage;
		if (in->entries[i].kind == BATON_END)
			continue; /* closing makes its own */
		error = baton_reader_load(in, in->entries[i].offset, &header, &damage);
		if (!error && (damage != BATON_INTACT || header.raw_bytes > out->raw_room))
			error = -EBADMSG; /* not what we wrote a moment ago */
		if (!error)
			error = header.kind == BATON_RECORDS
						? copy_records(in, out, &header)
						: move_rows(in, out, &header, delta_of(move, header.kind));
	}
	return error;
}

int trace_shift(int dirfd, const char *from, int fd, const struct trace_move *move)
{
	struct baton_reader in;
	struct baton_writer out;
	int error = baton_reader_open(&in, dirfd, from);
	if (error) {
		close(fd);
		return error;
	}
	error = baton_writer_open_long(&out, fd, in.header.file_id);
	out.level = BATON_IMPORT_LEVEL;
	if (!error)
		error = move_blocks(&in, &out, move);
	if (error)
		baton_writer_free(&out);
	else
		error = baton_writer_close(&out);
	baton_reader_close(&in);
	return error;
}
