/* All commands of baton; each is defined in cmd_NAME.c. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/command.h"

extern const struct command command_record, command_import, command_reduce, command_merge,
	command_report, command_compare, command_jitter, command_whatif, command_stragglers,
	command_metrics, command_top, command_keep, command_stats, command_classify, command_export,
	command_dump, command_check, command_doctor;

#endif
