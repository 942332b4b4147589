#include "cli/completion.h"

#include "base/diag.h"
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands after an option or as an operand. */
enum kind { KIND_NONE, KIND_DIR, KIND_FILE, KIND_WORDS, KIND_TEXT, KIND_PROGRAM };

static const char *choices_of(const struct command *command, const struct option_spec *option)
{
	const struct named_text *const lists[] = {command->choices, command_common_choices};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct named_text *row = lists[i]; row && row->name; row++)
			if (strcmp(row->name, option->name) == 0)
				return row->text;
	return NULL;
}

static enum kind option_kind(const struct command *command, const struct option_spec *option)
{
	if (!option->value)
		return KIND_NONE;
	if (choices_of(command, option))
		return KIND_WORDS;
	if (strcmp(option->value, "DIR") == 0)
		return KIND_DIR;
	return strcmp(option->value, "FILE") == 0 ? KIND_FILE : KIND_TEXT;
}

static enum kind operand_kind(const struct command *command)
{
	if (!command->operands)
		return KIND_NONE;
	if (strncmp(command->operands, "-- ", 3) == 0)
		return KIND_PROGRAM;
	return strstr(command->operands, "FILE") ? KIND_FILE : KIND_DIR;
}

/* A choice that is no longer an option is a mistake in the table. */
static void check_choices(const struct command *command)
{
	for (const struct named_text *row = command->choices; row && row->name; row++) {
		const struct option_spec *option = command->options;
		while (option->name && strcmp(option->name, row->name) != 0)
			option++;
		if (!option->name)
			abort();
	}
}

/* Text between single quotes, with what the shell's own syntax takes for special after a '\'. */
static void print_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else
			printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
	}
}

/* ---- bash ---- */

static void bash_words(const struct option_spec *o)
{
	for (; o && o->name; o++) {
		printf("--%s ", o->name);
		if (o->letter)
			printf("-%c ", o->letter);
	}
}

static void bash_option_words(const struct command *command)
{
	bash_words(command->options);
	bash_words(command_common);
}

static void bash_values_of(const struct command *command, const struct option_spec *o)
{
	static const char *const actions[] = {
		[KIND_DIR] = "_baton_files -d", [KIND_FILE] = "_baton_files -f", [KIND_TEXT] = ":"};
	for (; o && o->name; o++) {
		enum kind kind = option_kind(command, o);
		if (kind == KIND_NONE)
			continue;
		printf("\t%s:--%s", command->name, o->name);
		if (o->letter)
			printf(" | %s:-%c", command->name, o->letter);
		if (kind == KIND_WORDS)
			printf(") _baton_words '%s'; return ;;\n", choices_of(command, o));
		else
			printf(") %s; return ;;\n", actions[kind]);
	}
}

static void bash_values(const struct command *command)
{
	bash_values_of(command, command->options);
	bash_values_of(command, command_common);
}

static void bash_operands(const struct command *command)
{
	static const char *const actions[] = {
		[KIND_NONE] = ":",
		[KIND_DIR] = "_baton_files -d",
		[KIND_FILE] = "_baton_files -f",
		[KIND_PROGRAM] = "_baton_words --",
	};
	printf("\t%s:-*) _baton_words '", command->name);
	bash_option_words(command);
	printf("' ;;\n\t%s:*) %s ;;\n", command->name, actions[operand_kind(command)]);
}

static void bash(const struct command *const *all, size_t n)
{
	printf("# bash completion of baton, written by `baton completion bash`\n"
		   "_baton_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$word\")); }\n"
		   "_baton_files() {\n"
		   "\tlocal IFS=$'\\n'\n"
		   "\tcompopt -o filenames 2>/dev/null\n"
		   "\tCOMPREPLY=($(compgen \"$1\" -- \"$word\"))\n"
		   "}\n"
		   "_baton_program() { # the words after --: a program, then what it takes\n"
		   "\tlocal first=$1\n"
		   "\tif declare -F _command_offset >/dev/null; then _command_offset \"$first\"\n"
		   "\telif [ \"$COMP_CWORD\" = \"$first\" ]; then COMPREPLY=($(compgen -c -- \"$word\"))\n"
		   "\telse _baton_files -f; fi\n"
		   "}\n"
		   "_baton() {\n"
		   "\tlocal word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i\n"
		   "\tCOMPREPLY=()\n"
		   "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
		   "\t\t_baton_words '");
	for (size_t i = 0; i < n; i++)
		printf("%s ", all[i]->name);
	printf("--help --version'\n\t\treturn\n\tfi\n"
		   "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
		   "\t\t[ \"${COMP_WORDS[i]}\" != -- ] || { _baton_program $((i + 1)) && return; }\n"
		   "\tdone\n"
		   "\tcase $command:${COMP_WORDS[COMP_CWORD - 1]} in\n");
	for (size_t i = 0; i < n; i++)
		bash_values(all[i]);
	printf("\tesac\n\tcase $command:$word in\n");
	for (size_t i = 0; i < n; i++)
		bash_operands(all[i]);
	printf("\tesac\n}\ncomplete -F _baton baton\n");
}

/* ---- zsh ---- */

static void zsh_option(const struct command *command, const struct option_spec *o)
{
	static const char *const actions[] = {
		[KIND_DIR] = "_files -/", [KIND_FILE] = "_files", [KIND_TEXT] = " "};
	if (o->letter)
		printf("'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
	else
		printf("'--%s[", o->name);
	print_quoted(o->help, "[]:\\");
	printf("]");
	enum kind kind = option_kind(command, o);
	if (kind == KIND_WORDS)
		printf(":%s:(%s)", o->value, choices_of(command, o));
	else if (kind != KIND_NONE)
		printf(":%s:%s", o->value, actions[kind]);
	printf("' \\\n\t\t\t");
}

static void zsh_command(const struct command *command)
{
	static const char *const operands[] = {
		[KIND_NONE] = "",
		[KIND_DIR] = "'*:DIR:_files -/'",
		[KIND_FILE] = "'*:FILE:_files'",
		[KIND_PROGRAM] = "'*::PROGRAM:_normal'",
	};
	printf("\t%s)\n\t\t_arguments -s ", command->name);
	for (const struct option_spec *o = command->options; o && o->name; o++)
		zsh_option(command, o);
	for (const struct option_spec *o = command_common; o->name; o++)
		zsh_option(command, o);
	printf("%s ;;\n", operands[operand_kind(command)]);
}

static void zsh(const struct command *const *all, size_t n)
{
	printf("#compdef baton\n# zsh completion of baton, written by `baton completion zsh`\n"
		   "_baton() {\n\tlocal line state\n\tlocal -a commands\n"
		   "\t_arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' "
		   "'1:command:->command' '*::argument:->argument'\n"
		   "\tif [[ $state = command ]]; then\n\t\tcommands=(\n");
	for (size_t i = 0; i < n; i++) {
		printf("\t\t\t'%s:", all[i]->name);
		print_quoted(all[i]->summary, "\\");
		printf("'\n");
	}
	printf("\t\t)\n\t\t_describe -t commands command commands\n\t\treturn\n\tfi\n"
		   "\t[[ $state = argument ]] || return\n\tcase $words[1] in\n");
	for (size_t i = 0; i < n; i++)
		zsh_command(all[i]);
	printf("\tesac\n}\n_baton \"$@\"\n");
}

/* ---- fish ---- */

static const char *const fish_seen = "complete -c baton -n '__fish_seen_subcommand_from";

static void fish_option(const struct command *command, const struct option_spec *o)
{
	static const char *const values[] = {[KIND_NONE] = "",
										 [KIND_DIR] = " -x -a '(__fish_complete_directories)'",
										 [KIND_FILE] = " -r -F",
										 [KIND_TEXT] = " -x"};
	const enum kind kind = option_kind(command, o);
	printf("%s %s' -l %s", fish_seen, command->name, o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (kind == KIND_WORDS)
		printf(" -x -a '%s'", choices_of(command, o));
	else
		printf("%s", values[kind]);
	printf(" -d '");
	print_quoted(o->help, "\\");
	printf("'\n");
}

static void fish_command(const struct command *command)
{
	printf("complete -c baton -n __fish_use_subcommand -f -a %s -d '", command->name);
	print_quoted(command->summary, "\\");
	printf("'\n");
	for (const struct option_spec *o = command->options; o && o->name; o++)
		fish_option(command, o);
	for (const struct option_spec *o = command_common; o->name; o++)
		fish_option(command, o);
	if (operand_kind(command) == KIND_DIR)
		printf("%s %s' -f -a '(__fish_complete_directories)'\n", fish_seen, command->name);
	if (operand_kind(command) == KIND_PROGRAM)
		printf("%s %s' -a '(__fish_complete_subcommand --fcs-skip=2)'\n", fish_seen, command->name);
}

static void fish(const struct command *const *all, size_t n)
{
	printf("# fish completion of baton, written by `baton completion fish`\n"
		   "complete -c baton -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
		   "complete -c baton -n __fish_use_subcommand -f -l version -d 'print the version'\n");
	for (size_t i = 0; i < n; i++)
		fish_command(all[i]);
}

int completion_print(const char *shell, const struct command *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_choices(all[i]);
	if (strcmp(shell, "bash") == 0)
		bash(all, n);
	else if (strcmp(shell, "zsh") == 0)
		zsh(all, n);
	else if (strcmp(shell, "fish") == 0)
		fish(all, n);
	else {
		diag("completion: for bash, zsh or fish, not '%s'", shell);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}
