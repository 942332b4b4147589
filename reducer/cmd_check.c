/* baton check: is every byte of these files what was written? */
#include "base/diag.h"
#include "base/plain.h"
#include "commands.h"
#include "read/dump.h"
#include "read/paths.h"

#include <string.h>

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL,
	 "one JSON object per line: the damage and verdict lines of `baton dump`"},
	{0},
};

static int check_one(const char *path, bool json)
{
	struct dump_result result;
	dump_damage_of(path, json, stdout, &result);
	if (result.error) {
		diag("%s: %s", path, strerror(-result.error));
		return STATUS_INPUT;
	}
	const char *verdict = dump_verdict_name(result.verdict);
	if (json)
		printf("{\"record\":\"verdict\",\"verdict\":\"%s\",\"blocks\":%llu,\"records\":%llu,"
			   "\"rows\":%llu}\n",
			   verdict, (unsigned long long)result.blocks, (unsigned long long)result.records,
			   (unsigned long long)result.rows);
	if (!json) {
		plain_put(path, stdout);
		printf(": %s: %llu blocks, %llu records, %llu rows\n", verdict,
			   (unsigned long long)result.blocks, (unsigned long long)result.records,
			   (unsigned long long)result.rows);
	}
	if (result.verdict == DUMP_UNREADABLE)
		diag_at(path, 0, "not a baton file (magic, version or header checksum is wrong)");
	else if (result.damages)
		diag_at(path, result.first_damage_offset, "%s; %llu blocks read, %llu places damaged",
				result.first_damage, (unsigned long long)result.blocks,
				(unsigned long long)result.damages);
	return result.verdict == DUMP_OK ? STATUS_OK : STATUS_INPUT;
}

static int run(const struct invocation *call)
{
	struct paths paths = {0};
	int status = STATUS_OK;
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
	for (size_t i = 0; i < paths.n && !ferror(stdout); i++)
		status = status_worse(status, check_one(paths.at[i], option_given(call, "json")));
	paths_free(&paths);
	return status;
}

static const struct named_text examples[] = {
	{"baton check runs/4gpu",
	 "Is every file of a run whole? The exit status is 3 when one is not."},
	{0},
};

const struct command command_check = {
	.name = "check",
	.operands = "FILE|DIR...",
	.least_operands = 1,
	.summary = "verify every checksum and rule of the trace files",
	.details = "Prints one line per file, and below it the damage. The exit status is 3 if there "
			   "is any damage.",
	.options = options,
	.examples = examples,
	.run = run,
};
