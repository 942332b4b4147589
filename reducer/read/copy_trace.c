#include "read/copy_trace.h"

#include "read/records.h"

#include <baton/reader.h>
#include <baton/writer.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20 };

struct part {
	uint64_t from, to; /* bytes of the file */
	uint64_t blocks;   /* before its end */
};

static bool has_checkpoint(const uint8_t *payload, const struct baton_block_header *header)
{
	uint32_t at = 0;
	if (!records_ok(payload, header->raw_bytes, header->rows))
		return false;
	for (const struct baton_record *r; (r = records_next(payload, header->raw_bytes, &at));)
		if (r->type == BATON_R_CHECKPOINT)
			return true;
	return false;
}

/* The part ends with this entry, if it is an intact block. */
static bool end_with(struct baton_reader *old, size_t entry, bool at_checkpoint, struct part *part)
{
	const struct baton_entry *e = &old->entries[entry];
	struct baton_block_header header;
	enum baton_damage damage;
	if (e->kind == 0 || e->kind == BATON_END || (at_checkpoint && e->kind != BATON_RECORDS) ||
		baton_reader_load(old, e->offset, &header, &damage) != 0 || damage != BATON_INTACT ||
		(at_checkpoint && !has_checkpoint(old->raw, &header)))
		return false;
	part->to = e->offset + sizeof(header) + (((uint64_t)header.stored_bytes + 7) & ~UINT64_C(7));
	part->blocks = header.sequence + 1;
	return true;
}

/* Without a checkpoint (samples of the GPUs) each block counts as complete. */
static bool choose(struct baton_reader *old, struct part *part)
{
	part->from = old->header.header_bytes;
	for (int at_checkpoint = old->closed ? 0 : 1; at_checkpoint >= 0; at_checkpoint--)
		for (size_t i = old->n_entries; i-- > 0;)
			if (end_with(old, i, at_checkpoint, part))
				return part->to <= old->file_bytes;
	return false;
}

static int copy_part(struct copy_of *copy, const struct baton_reader *old, const struct part *part,
					 struct baton_writer *new)
{
	uint8_t *piece = malloc(PIECE_BYTES);
	int error = piece ? 0 : -ENOMEM;
	for (uint64_t at = part->from; !error && at < part->to;) {
		const uint64_t left = part->to - at;
		const ssize_t n = pread(old->fd, piece, left < PIECE_BYTES ? left : PIECE_BYTES, (off_t)at);
		copy->unread = n < 0 || n == 0;
		if (n > 0)
			error = baton_writer_put(new, piece, (size_t)n);
		else if (n == 0)
			error = -EBADMSG; /* it was cut meanwhile */
		else if (errno != EINTR)
			error = -errno;
		at += n > 0 ? (uint64_t)n : 0;
		if (!error && copy->stop && copy->stop())
			error = -EINTR;
	}
	free(piece);
	new->sequence = part->blocks;
	return error;
}

static int write_copy(struct copy_of *copy, const struct baton_reader *old, const struct part *part)
{
	struct baton_writer new;
	const int fd = open(copy->to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int error = baton_writer_open(&new, fd, old->header.content, old->header.file_id);
	if (!error)
		error = copy_part(copy, old, part, &new);
	if (error)
		baton_writer_free(&new);
	else
		error = baton_writer_close(&new);
	if (error)
		unlink(copy->to);
	return error;
}

int copy_trace(struct copy_of *copy)
{
	struct baton_reader old;
	struct part part;
	int error = baton_reader_open(&old, AT_FDCWD, copy->from);
	copy->unread = error != 0;
	if (error)
		return error;
	error = choose(&old, &part) ? write_copy(copy, &old, &part) : -ENODATA;
	baton_reader_close(&old);
	return error;
}
