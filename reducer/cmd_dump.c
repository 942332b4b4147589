/* baton dump: trace and summary files as text. */
#include "base/diag.h"
#include "commands.h"
#include "read/dump.h"
#include "read/paths.h"
#include "reduce.h"
#include "render/json.h"

#include <inttypes.h>
#include <string.h>

static const struct option_spec options[] = {
	{"idle", 0, OPTION_FLAG, NULL,
	 "every piece of idle time of a run instead: device, from_ns, to_ns, leaf, what stands behind "
	 "it"},
	{"step-range", 0, OPTION_TEXT, "NAME", "with --idle: NVTX ranges of this name are the steps"},
	{"steps", 0, OPTION_TEXT, "period", "with --idle: steps from the periodicity of the kernels"},
	{"json", 0, OPTION_FLAG, NULL, "one JSON object per line (docs/FORMAT.md section 5)"},
	{0},
};

static int dump_one(const char *path, bool json)
{
	struct dump_result result;
	dump_file(path, json, stdout, &result);
	if (result.error) {
		diag("%s: %s", path, strerror(-result.error));
		return STATUS_INPUT;
	}
	if (result.verdict == DUMP_UNREADABLE) {
		diag_at(path, 0, "not a baton file (magic, version or header checksum is wrong)");
		return STATUS_INPUT;
	}
	if (result.verdict == DUMP_OK)
		return STATUS_OK;
	diag_at(path, result.first_damage_offset, "%s; %llu blocks read, %llu places damaged",
			result.first_damage, (unsigned long long)result.blocks,
			(unsigned long long)result.damages);
	return STATUS_PARTIAL;
}

static void print_idle(const struct idle_piece *piece, void *context)
{
	const bool *json = context;
	if (!*json) {
		printf("%s\t%" PRId64 "\t%" PRId64 "\t%s\t", piece->device, piece->from_ns, piece->to_ns,
			   leaf_name(piece->leaf));
		for (const char *c = piece->evidence; *c; c++)
			putchar((unsigned char)*c < ' ' ? ' ' : *c);
		putchar('\n');
		return;
	}
	struct json out = {.out = stdout};
	json_object(&out, NULL);
	json_text(&out, "device", piece->device);
	json_number(&out, "from_ns", piece->from_ns);
	json_number(&out, "to_ns", piece->to_ns);
	json_text(&out, "leaf", leaf_name(piece->leaf));
	json_text(&out, "evidence", piece->evidence);
	json_end_object(&out);
	putchar('\n');
}

/* The directories are one run, as for `report`. */
static int dump_idle(const struct invocation *call)
{
	bool json = option_given(call, "json");
	struct reduction reduction;
	struct reduce_options reduce = {.step_range = option_text(call, "step-range", NULL),
									.steps = option_text(call, "steps", NULL),
									.idle = print_idle,
									.idle_context = &json};
	int status = reduce_run(call->operand, (size_t)call->operands, &reduce, &reduction);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		reduction_free(&reduction);
	return status;
}

static int run(const struct invocation *call)
{
	if (option_given(call, "idle"))
		return dump_idle(call);
	struct paths paths = {0};
	int status = STATUS_OK, usable = 0;
	for (int i = 0; i < call->operands; i++) {
		int error = paths_add(&paths, call->operand[i], true);
		if (error) {
			diag("%s: %s", call->operand[i], strerror(-error));
			status = STATUS_INPUT;
		}
	}
	if (status == STATUS_OK && paths.n == 0) {
		diag("%s: no trace files (*.baton) here", call->operand[0]);
		status = STATUS_INPUT;
	}
	for (size_t i = 0; i < paths.n && !ferror(stdout); i++) {
		int one = dump_one(paths.at[i], option_given(call, "json"));
		usable += one != STATUS_INPUT;
		status = status_worse(status, one);
	}
	paths_free(&paths);
	return status == STATUS_INPUT && usable ? STATUS_PARTIAL : status;
}

const struct command command_dump = {
	.name = "dump",
	.operands = "FILE|DIR...",
	.least_operands = 1,
	.summary = "print what a trace holds, record by record",
	.details =
		"Prints every record that can be read, in file order, damage where it was met, and "
		"a verdict. With --idle the directories are one run and its idle time is taken apart: "
		"the pieces of a leaf add up to what `baton report --json` says of it.",
	.options = options,
	.run = run,
};
