#include "read/trace.h"
#include "summary/summary_io.h"
#include "summary/summary_records.h"

#include <stdio.h>

static int load_block(struct summary_loading *l, struct baton_reader *reader, uint64_t offset)
{
	struct baton_block_header header;
	enum baton_damage damage;
	uint32_t at = 0;
	int error = baton_reader_load(reader, offset, &header, &damage);
	if (error)
		return error;
	if (damage != BATON_INTACT || !trace_records_ok(reader->raw, header.raw_bytes, header.rows))
		return -EBADMSG;
	const struct baton_record *record;
	while (!error && (record = trace_record_next(reader->raw, header.raw_bytes, &at)))
		error = summary_record(l, record);
	return error;
}

/* What only the whole file can show. */
static int check_whole(const struct summary_loading *l)
{
	if (l->part == 0 || !l->has_quality)
		return -EBADMSG;
	for (size_t i = 0; i < l->summary->n_devices; i++)
		if (!summary_device_adds_up(&l->summary->devices[i]))
			return -EBADMSG;
	return l->n_inputs == l->inputs.n ? 0 : -ESTALE;
}

static int load_file(struct summary_loading *l, struct baton_reader *reader)
{
	int error = reader->closed && reader->header.content == BATON_SUMMARY ? 0 : -EBADMSG;
	for (size_t i = 0; !error && i < reader->n_entries; i++) {
		const struct baton_entry *entry = &reader->entries[i];
		if (entry->damage != BATON_INTACT)
			error = -EBADMSG;
		else if (entry->kind == BATON_RECORDS)
			error = load_block(l, reader, entry->offset);
	}
	return error ? error : check_whole(l);
}

int summary_load(const char *dir, const char *options_text, struct summary *out)
{
	struct summary_loading l = {.summary = out,
								.options_hash = XXH3_64bits(options_text, strlen(options_text))};
	struct baton_reader reader;
	char *path = NULL;
	memset(out, 0, sizeof(*out));
	if (asprintf(&path, "%s/summary.baton", dir) < 0)
		return -ENOMEM;
	int error = baton_reader_open(&reader, AT_FDCWD, path);
	free(path);
	if (error)
		return error == -ENOTDIR ? -ENOENT : error;
	error = summary_init(out);
	if (!error)
		error = summary_inputs_open(&l.inputs, dir);
	if (!error)
		error = load_file(&l, &reader);
	if (error)
		summary_free(out);
	summary_inputs_close(&l.inputs);
	baton_reader_close(&reader);
	return error;
}
