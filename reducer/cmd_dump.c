/* baton dump: trace and summary files as text. */
#include "base/diag.h"
#include "commands.h"
#include "read/dump.h"
#include "read/paths.h"

#include <string.h>

static const struct option_spec options[] = {
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

static int run(const struct invocation *call)
{
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
	.details = "Prints every record that can be read, in file order, damage where it was met, and "
			   "a verdict.",
	.options = options,
	.run = run,
};
