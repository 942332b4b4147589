/* baton: one command per file cmd_NAME.c, listed here. */
#include "base/diag.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/inherited.h"
#include "cli/man.h"
#include "commands.h"

#include <baton/version.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
	&command_record, &command_import,     &command_reduce,  &command_merge,    &command_report,
	&command_top,    &command_keep,       &command_metrics, &command_compare,  &command_jitter,
	&command_whatif, &command_stragglers, &command_stats,   &command_classify, &command_export,
	&command_dump,   &command_check,      &command_doctor,
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const struct command *find(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static void help(void)
{
	printf("usage: baton COMMAND [OPTION...] ...\n\nTells why multi-GPU training is slow.\n\n");
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n`baton COMMAND --help` describes each command. To look at a profile that you have:\n"
		   "  baton import trace.json.gz -o runs/x && baton report runs/x\n");
}

/* Has the typed word the letters of the name, but for one that was changed, added, left out or
 * swapped with the next one? */
static bool is_slip(const char *typed, const char *name)
{
	const size_t n = strlen(name), bytes = strlen(typed);
	size_t same = 0, end = 0;
	while (same < n && typed[same] == name[same])
		same++;
	while (end < n - same && end < bytes - same && typed[bytes - 1 - end] == name[n - 1 - end])
		end++;
	const size_t left = n - same - end, other = bytes - same - end;
	if (left == 2 && other == 2)
		return typed[same] == name[same + 1] && typed[same + 1] == name[same];
	return left <= 1 && other <= 1;
}

static int unknown(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (is_slip(name, commands[i]->name)) {
			diag("unknown command '%s'; did you mean '%s'?", name, commands[i]->name);
			return STATUS_USAGE;
		}
	diag("unknown command '%s' (see baton --help)", name);
	return STATUS_USAGE;
}

static int man(const char *name)
{
	const struct command *command = find(name);
	if (command)
		man_command(command, commands, COMMANDS);
	else if (strcmp(name, "baton") == 0)
		man_baton(commands, COMMANDS);
	else
		return unknown(name);
	return finish_stdout(STATUS_OK);
}

int main(int argc, char **argv)
{
	inherited_change();
	const char *name = argc > 1 ? argv[1] : "--help";
	if (strcmp(name, "--version") == 0) {
		printf("baton %s\n", BATON_VERSION);
		return finish_stdout(STATUS_OK);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		help();
		return argc > 1 ? finish_stdout(STATUS_OK) : STATUS_USAGE;
	}
	if (argc > 2 && strcmp(name, "man") == 0) /* `make man` writes the pages with it */
		return man(argv[2]);
	if (argc > 2 && strcmp(name, "completion") == 0) {
		int status = completion_print(argv[2], commands, COMMANDS);
		return status ? status : finish_stdout(STATUS_OK);
	}
	const struct command *command = find(name);
	if (!command)
		return unknown(name);
	return command_run(command, argc - 1, argv + 1);
}
