/* The Kineto importer: one file of PyTorch's profiler is one process. It reads the text once with a
 * bounded buffer. The rank and the time base, which come last in the file, are applied when the
 * trace is closed. */
#include "base/diag.h"
#include "base/progress.h"
#include "import/importer.h"
#include "import/inflate.h"
#include "import/json/json_event.h"
#include "import/json/json_scan.h"
#include "import/kineto/kineto_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)JSON_SCAN_PADDING >= (int)JSON_EVENT_PADDING, "padding of the events");

enum { SHOWN = 5 }; /* unusable events that get a line of their own */

/* 2001: times above it are of the wall clock already. */
#define ABSOLUTE_NS ((int64_t)1000000000 * 1000000000)

struct kineto {
	const char *path;
	struct import_run *run;
	struct inflate *input;
	struct trace_out *out;
	struct kineto_rows rows;
	struct kineto_facts facts;
	uint64_t broken; /* pieces of text that are no JSON */
	uint64_t shown;
	uint64_t text_bytes;
	bool cut; /* not all of the source is in the trace */
};

/* ---- what the scanner asks and hands out ---- */

static ssize_t read_input(void *context, void *buffer, size_t room)
{
	struct kineto *k = context;
	ssize_t n = inflate_read(k->input, buffer, room);
	if (n > 0)
		k->text_bytes += (uint64_t)n;
	progress_reach(inflate_offset(k->input));
	return n;
}

static void say_unusable(struct kineto *k, uint64_t offset, const char *what)
{
	if (k->shown++ < SHOWN)
		diag_at(k->path, offset, "%s", what);
}

static void take_trouble(void *context, uint64_t offset, const char *what)
{
	struct kineto *k = context;
	k->broken++;
	say_unusable(k, offset, what);
}

static int take_event(void *context, const char *at, size_t bytes, uint64_t offset)
{
	struct kineto *k = context;
	int error = kineto_rows_event(&k->rows, at, bytes);
	if (error == -EBADMSG)
		take_trouble(k, offset, "an event that is not valid JSON");
	if (error < 0)
		return error;
	if (error == KINETO_USELESS)
		say_unusable(k, offset, "an event without a usable time, name, thread or stream");
	return trace_out_error(k->out);
}

static void take_value(void *context, const char *key, const char *at, size_t bytes)
{
	struct kineto *k = context;
	kineto_facts_value(&k->facts, key, at, bytes);
}

/* ---- the end of a file ---- */

static void take_base(struct kineto *k)
{
	int64_t t_min, t_max;
	trace_out_hull(k->out, &t_min, &t_max);
	if (k->facts.base_ns == 0)
		return;
	if (t_min >= ABSOLUTE_NS)
		diag("%s: baseTimeNanoseconds is not added: the times are absolute already", k->path);
	else if (trace_out_shift(k->out, k->facts.base_ns) != 0)
		diag("%s: baseTimeNanoseconds is not added: it is out of range", k->path);
}

static void say_scan_error(struct kineto *k, int error, uint64_t offset)
{
	uint64_t stored = inflate_offset(k->input);
	char byte;
	int input_error = (int)inflate_read(k->input, &byte, 1); /* the error of the input stays */
	k->cut = true;
	if (input_error == -EBADMSG)
		diag_at(k->path, stored, "the gz data is corrupt; the part before it is used");
	else if (input_error == -EFBIG)
		diag_at(
			k->path, stored,
			"the gz data holds more than 64 MiB + 256 times its size; the part before it is used");
	else if (input_error == -ENODATA)
		diag_at(k->path, stored, "the gz data is cut short; the part before it is used");
	else if (error == -ENODATA)
		diag_at(k->path, offset, "the text ends too early; the part before it is used");
	else if (error == -EBADMSG)
		diag_at(k->path, offset,
				"not the text of a trace from here on; the part before it is used");
	else
		diag_at(k->path, offset, "%s", strerror(-error));
}

static void say_losses(struct kineto *k)
{
	uint64_t refused = trace_out_refused(k->out), unnamed = trace_out_unnamed(k->out);
	if (k->shown > SHOWN)
		diag("%s: %" PRIu64 " pieces of it cannot be used (%" PRIu64 " not shown)", k->path,
			 k->shown, k->shown - SHOWN);
	if (refused)
		diag("%s: %" PRIu64 " events refused: more than 12 h from the others, or a "
			 "duration that is negative or above 7 days",
			 k->path, refused);
	if (unnamed)
		diag("%s: too many names for one trace: %" PRIu64 " of them share one name", k->path,
			 unnamed);
	trace_out_loss(k->out, BATON_LOSS_INVALID, "pieces of the source that are not valid JSON",
				   k->broken);
	trace_out_loss(k->out, BATON_LOSS_INVALID, "events without a time, name, thread or stream",
				   k->rows.useless);
	trace_out_loss(k->out, BATON_LOSS_TRUNCATED, "source file", k->cut);
	k->run->refused += k->broken + k->rows.useless + refused;
	k->cut = k->cut || unnamed > 0;
}

/* A file without work of a GPU may hold that of a device which is not known here. */
static void say_unread(const struct kineto *k)
{
	for (size_t i = 0; trace_out_rows(k->out, BATON_OP) == 0 && i < k->rows.n_unread; i++)
		diag("%s: %" PRIu64 " events of the category %s are not read", k->path,
			 k->rows.unread[i].events, k->rows.unread[i].category);
}

/* The name of the file has the process's number too when it is the one that TensorBoard's handler
 * gives; others only look like it. A host nobody told: ranks are laid out node by node, as many as
 * a node has devices. */
static void name_host(struct kineto *k, char host[64])
{
	const struct kineto_facts *facts = &k->facts;
	if (facts->host[0] && (k->rows.pid == 0 || facts->pid == 0 || k->rows.pid == facts->pid))
		snprintf(host, 64, "%s", facts->host);
	else if (facts->n_devices > 1 && facts->rank >= 0)
		snprintf(host, 64, "node%d", facts->rank / (int)facts->n_devices);
	else
		snprintf(host, 64, "local");
}

/* What made the file, as far as it says. NULL: it does not. */
static const char *version_of(const struct kineto_facts *facts, char text[64])
{
	if (facts->pytorch[0])
		snprintf(text, 64, "PyTorch %s", facts->pytorch);
	else if (facts->schema[0])
		snprintf(text, 64, "schema %s", facts->schema);
	else
		return NULL;
	return text;
}

static int close_trace(struct kineto *k)
{
	char host[64], version[64];
	struct kineto_facts *facts = &k->facts;
	if (k->run->force_rank >= 0)
		facts->rank = k->run->force_rank;
	name_host(k, host);
	struct import_claim claim = {.ordinals = k->rows.ordinals,
								 .n = k->rows.n_devices,
								 .rank = facts->rank,
								 .world_size = facts->world_size};
	trace_out_hull(k->out, &claim.t_min_ns, &claim.t_max_ns);
	int error = import_take_devices(k->run, host, &claim);
	if (error) {
		trace_out_abort(k->out);
		return error;
	}
	struct trace_identity identity = {.pid = k->rows.pid ? k->rows.pid : facts->pid,
									  .rank = facts->rank,
									  .world_size = facts->world_size,
									  .local_rank = -1,
									  .host = host,
									  .source = "kineto",
									  .source_version = version_of(facts, version),
									  .run_id = k->run->run_id};
	return trace_out_close(k->out, &identity);
}

static uint64_t all_rows(const struct trace_out *out)
{
	uint64_t sum = 0;
	for (unsigned kind = BATON_OP; kind < BATON_KINDS_END; kind++)
		sum += trace_out_rows(out, (enum baton_kind)kind);
	return sum;
}

/* Takes the trace to its end after the scan ended with `error`. Returns the status; the trace is
 * closed or gone. */
static int finish(struct kineto *k, int error, uint64_t offset)
{
	int output_error = trace_out_error(k->out);
	trace_out_settle(k->out);
	uint64_t rows = all_rows(k->out), refused = k->run->refused;
	if (error && !output_error)
		say_scan_error(k, error, offset);
	if (!output_error) {
		say_losses(k);
		say_unread(k);
	}
	if (rows == 0 && !output_error) {
		diag("%s: no CPU or GPU events in it%s", k->path,
			 k->rows.foreign ? " as torch.profiler writes them; other tools' are not read" : "");
		trace_out_abort(k->out);
		return STATUS_INPUT;
	}
	take_base(k);
	kineto_autograd_write(&k->rows.autograd, k->out);
	kineto_optimizers_write(&k->rows.optimizers, k->out);
	output_error = close_trace(k);
	if (output_error) {
		diag("%s: writing the trace: %s", k->run->out_dir, strerror(-output_error));
		return STATUS_OUTPUT;
	}
	k->run->rows += rows;
	k->run->files_out++;
	return k->cut || k->run->refused > refused ? STATUS_PARTIAL : STATUS_OK;
}

static int import_file(const char *path, struct import_run *run)
{
	struct kineto k = {.path = path, .run = run, .facts = {.rank = -1, .world_size = -1}};
	struct json_input input = {read_input, &k};
	struct json_sink sink = {take_event, take_value, take_trouble, &k};
	uint64_t offset;
	int status = STATUS_INPUT, error = inflate_open(path, &k.input);
	if (error) {
		diag("%s: %s", path, strerror(-error));
		return STATUS_INPUT;
	}
	kineto_facts_from_name(&k.facts, path);
	error = trace_out_open(run->out_dir, true, &k.out);
	if (error) {
		diag("%s: %s", run->out_dir, strerror(-error));
		status = STATUS_OUTPUT;
		goto close_source;
	}
	error = kineto_rows_init(&k.rows, k.out, &k.facts);
	if (error) {
		diag("%s: %s", path, strerror(-error));
		trace_out_abort(k.out);
		goto close_source;
	}
	error = json_scan(&input, &sink, &offset);
	status = finish(&k, error, offset);
	run->bytes_in += k.text_bytes;
	kineto_rows_free(&k.rows);
close_source:
	inflate_close(k.input);
	return status;
}

/* Text that begins as JSON and has a name only such traces have. */
static int recognise(const unsigned char *head, size_t bytes)
{
	static const char *const marks[] = {"\"traceEvents\"", "\"schemaVersion\"",
										"\"deviceProperties\"", "\"distributedInfo\"", "\"ph\""};
	size_t i = bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (i < bytes && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
		i++;
	if (i == bytes || (head[i] != '{' && head[i] != '['))
		return 0;
	for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++)
		if (memmem(head, bytes, marks[m], strlen(marks[m])))
			return 1;
	return 0;
}

const struct importer importer_kineto = {"kineto", recognise, import_file};
