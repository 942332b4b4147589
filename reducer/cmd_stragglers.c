/* baton stragglers: how much slow workers, stages and operations cost, by replaying a timeline with
 * a row for each operation (docs/STRAGGLERS.md). */
#include "base/diag.h"
#include "commands.h"
#include "import/foreign.h"
#include "table_options.h"
#include "timeline/op_input.h"
#include "timeline/slowdown_print.h"

#include <errno.h>
#include <string.h>

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL, "print JSON"},
	TABLE_CSV_ROW,
	TABLE_MARKDOWN_ROW,
	{0},
};

/* ---- the files ---- */

static int refuse_kind(const struct op_input *input, const char *words)
{
	diag("%s: %s", input->path, words);
	return OP_REFUSED;
}

static int read_rows(struct op_input *input, struct op_rows *rows)
{
	const char *head = input->head;
	size_t i = 0;
	if (input->head_bytes >= 4 && memcmp(head, "PAR1", 4) == 0)
		return refuse_kind(input, "a Parquet file: docs/STRAGGLERS.md says how to make CSV of it");
	const char *words = foreign_words((const unsigned char *)head, input->head_bytes);
	if (words)
		return refuse_kind(input, words);
	if (memchr(head, 0, input->head_bytes))
		return refuse_kind(input, "neither CSV nor JSON");
	if (input->head_bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < input->head_bytes && strchr(" \t\r\n", head[i]))
		i++;
	return i < input->head_bytes && (head[i] == '[' || head[i] == '{') ? json_ops_read(input, rows)
																	   : csv_ops_read(input, rows);
}

static int read_file(const char *path, struct op_rows *rows)
{
	struct op_input input;
	int error = op_input_open(path, &input);
	if (error) {
		diag("%s: %s", path, strerror(-error));
		return STATUS_INPUT;
	}
	error = read_rows(&input, rows);
	op_input_close(&input);
	if (error == -ENODATA || error == -EBADMSG) {
		diag("%s: %s; what stands before that is used", path,
			 error == -ENODATA ? "the file is cut short" : "the gz is damaged");
		return STATUS_PARTIAL;
	}
	if (error && error != OP_REFUSED)
		diag("%s: %s", path, strerror(-error));
	return error ? STATUS_INPUT : STATUS_OK;
}

/* ---- the answer ---- */

static int fail(const struct invocation *call, int error, const char *trouble)
{
	diag("%s: %s", call->operand[0], error == -EBADMSG ? trouble : strerror(-error));
	return STATUS_INPUT;
}

static int print(const struct invocation *call, const struct timeline *timeline,
				 const struct slowdown *slowdown)
{
	const struct slowdown_printed printed = {call->operand, call->operands, timeline, slowdown};
	enum sheet_format format;
	table_options_read(call, &format); /* it is one form only: run() has looked */
	if (format != SHEET_TABLE)
		return table_options_written(call->operand[0], slowdown_print_sheets(&printed, format));
	if (option_given(call, "json"))
		slowdown_print_json(&printed);
	else
		slowdown_print_text(&printed);
	return STATUS_OK;
}

static int replay(const struct invocation *call, const struct timeline *timeline,
				  const struct schedule *schedule)
{
	struct op_replay replay;
	struct slowdown slowdown;
	int error = op_replay_open(timeline, schedule, &replay);
	if (error)
		return fail(call, error, NULL);
	error = slowdown_find(&replay, &slowdown);
	op_replay_close(&replay);
	if (error)
		return fail(call, error, NULL);
	const int status = slowdown.ideal_ns > 0 ? print(call, timeline, &slowdown)
											 : fail(call, -EBADMSG, "no operation takes any time");
	slowdown_free(&slowdown);
	return status;
}

static int answer(const struct invocation *call, struct op_rows *rows)
{
	char trouble[OP_TROUBLE_BYTES];
	struct timeline timeline;
	struct schedule schedule;
	int error = timeline_arrange(rows, &timeline, trouble);
	if (error)
		return fail(call, error, trouble);
	int status = STATUS_OK;
	if (timeline.steps_left_out) {
		diag("%s: %u of %u steps left out, since operations are missing: %s", call->operand[0],
			 timeline.steps_left_out, timeline.steps_left_out + timeline.n_steps, timeline.odd);
		status = STATUS_PARTIAL;
	}
	error = schedule_make(&timeline, &schedule, trouble);
	if (error) {
		timeline_free(&timeline);
		return fail(call, error, trouble);
	}
	status = status_worse(status, replay(call, &timeline, &schedule));
	schedule_free(&schedule);
	timeline_free(&timeline);
	return status;
}

static int run(const struct invocation *call)
{
	struct op_rows rows = {0};
	enum sheet_format format;
	int status = table_options_read(call, &format);
	if (status != STATUS_OK)
		return status;
	for (int i = 0; i < call->operands && status != STATUS_INPUT; i++)
		status = status_worse(status, read_file(call->operand[i], &rows));
	if (status != STATUS_INPUT)
		status = status_worse(status, answer(call, &rows));
	op_rows_free(&rows);
	return finish_stdout(status);
}

static const struct named_text examples[] = {
	{"baton stragglers job.csv.gz", "What slow workers cost in this job, and who they are."},
	{"baton stragglers --json rank*.jsonl", "The same of a job with a file for each worker."},
	{0},
};
static const struct named_text files[] = {
	{"FILE.csv, FILE.json, FILE.jsonl",
	 "a row or an object for each operation; also with .gz. docs/STRAGGLERS.md lists the columns."},
	{0},
};

const struct command command_stragglers = {
	.name = "stragglers",
	.operands = "FILE...",
	.least_operands = 1,
	.summary = "what slow workers cost, from a timeline with a row for each operation",
	.details =
		"Reads the operations of a job with pipeline and data parallelism (forward and backward of "
		"each microbatch, sends and receives, the communication of parameters and gradients, the "
		"optimizer) with step, data-parallel rank, pipeline stage, begin and end. Replays the "
		"steps "
		"as they were and as if all workers took equally long for the same work. S is how many "
		"times longer the first is; M_W and M_S are the parts of the loss that the slowest 3 % of "
		"the workers and the last stage explain. Several files are parts of one job. "
		"docs/STRAGGLERS.md defines columns, types and numbers.",
	.options = options,
	.examples = examples,
	.files = files,
	.run = run,
};
