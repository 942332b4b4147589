#include "cli/man.h"

#include "cli/command.h"

#include <baton/version.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct named_text statuses[] = {
	{"0", "ok"},
	{"1", "a gate (--fail-if) failed"},
	{"2", "wrong usage, or a command that is not built yet"},
	{"3", "unreadable or corrupt input: nothing was used"},
	{"4", "answered, but not from everything; stderr says what is missing"},
	{"5", "output could not be written"},
	{0},
};

/* The page of the program itself. */
static const struct command program = {
	.name = "baton",
	.operands = "COMMAND [OPTION...] [ARGUMENT...]",
	.summary = "tell why multi-GPU training is slow",
	.details =
		"Records what every process of a training job does on its GPUs, or imports a profile "
		"of another tool, and divides each nanosecond of a step into work, communication, CPU "
		"launch overhead and host stalls, with the largest loss first. Each command has a page "
		"of its own, baton-COMMAND, and prints its options with --help.\n\n"
		"Data goes to standard output, messages go to standard error.",
	.examples =
		(const struct named_text[]){
			{"baton record -o runs/4gpu -- torchrun --nproc_per_node=4 train.py",
			 "Record a job as it runs."},
			{"baton report runs/4gpu", "Where did the time of a step go, and why?"},
			{"baton import trace.json.gz -o runs/x && baton report runs/x",
			 "The same for a profile that you already have."},
			{"baton completion bash >~/.local/share/bash-completion/completions/baton",
			 "Let bash complete baton's command lines (also zsh and fish; make install does it)."},
			{0},
		},
	.files =
		(const struct named_text[]){
			{"DIR/*.baton", "a run: one trace for each recorded process"},
			{"DIR/summary.baton", "what the run was reduced to; made again when it is stale"},
			{0},
		},
};

/* Text as it is: no request at the start of a line, no escape, and dashes that can be copied. */
static void print_text(const char *text)
{
	bool start = true;
	for (; *text; start = *text++ == '\n') {
		if (start && (*text == '.' || *text == '\''))
			printf("\\&");
		if (start && *text == '\n') {
			printf(".PP\n"); /* an empty line */
			continue;
		}
		if (*text == '\\')
			printf("\\e");
		else if (*text == '-')
			printf("\\-");
		else
			putchar(*text);
	}
}

static void print_section(const char *title)
{
	printf(".SH %s\n", title);
}

static void print_rows_of(const struct named_text *rows)
{
	for (; rows && rows->name; rows++) {
		printf(".TP\n.B ");
		print_text(rows->name);
		putchar('\n');
		print_text(rows->text);
		putchar('\n');
	}
}

static void print_list(const char *title, const struct named_text *rows)
{
	if (!rows)
		return;
	print_section(title);
	print_rows_of(rows);
}

static void print_environment(const struct command *command)
{
	print_section("ENVIRONMENT");
	print_rows_of(command->environment);
	print_rows_of(command_common_environment);
}

static void print_examples(const struct named_text *rows)
{
	if (!rows)
		return;
	print_section("EXAMPLES");
	for (; rows->name; rows++) {
		printf(".PP\n");
		print_text(rows->text);
		printf("\n.PP\n.nf\n.RS 4\n");
		print_text(rows->name);
		printf("\n.RE\n.fi\n");
	}
}

static void print_rows(const struct option_spec *options)
{
	for (; options && options->name; options++) {
		printf(".TP\n.B ");
		if (options->letter)
			printf("\\-%c, ", options->letter);
		printf("\\-\\-");
		print_text(options->name);
		if (options->value)
			printf(" \\fI%s\\fP", options->value);
		putchar('\n');
		print_text(options->help);
		putchar('\n');
	}
}

static void print_options(const struct option_spec *options)
{
	print_section("OPTIONS");
	print_rows(options);
	print_rows(command_common);
}

static void print_commands(const struct command *const *all, size_t n)
{
	print_section("COMMANDS");
	for (size_t i = 0; i < n; i++) {
		printf(".TP\n.BR baton\\-%s (1)\n", all[i]->name);
		print_text(all[i]->summary);
		putchar('\n');
	}
}

static void print_see_also(const struct command *of, const struct command *const *all, size_t n)
{
	print_section("SEE ALSO");
	printf("%s", of == &program ? "" : ".BR baton (1),\n");
	const char *between = "";
	for (size_t i = 0; i < n; i++) {
		if (all[i] == of)
			continue;
		printf("%s.BR baton\\-%s (1)", between, all[i]->name);
		between = ",\n";
	}
	printf("\n");
}

static void print_title(const struct command *command)
{
	printf(".TH BATON");
	if (command != &program) {
		printf("-");
		for (const char *c = command->name; *c; c++)
			putchar(toupper((unsigned char)*c));
	}
	printf(" 1 \"\" \"baton %s\" \"User Commands\"\n", BATON_VERSION);
}

static void print_page(const struct command *command, const struct command *const *all, size_t n)
{
	const char *prefix = command == &program ? "" : "baton\\-", *words = prefix[0] ? "baton " : "";
	print_title(command);
	printf(".SH NAME\n%s%s \\- ", prefix, command->name);
	print_text(command->summary);
	printf("\n.SH SYNOPSIS\n.B %s%s\n", words, command->name);
	printf("%s", prefix[0] ? "[OPTION...] " : "");
	print_text(command->operands ? command->operands : "");
	putchar('\n');
	if (command->details) {
		print_section("DESCRIPTION");
		print_text(command->details);
		putchar('\n');
	}
	if (command == &program)
		print_commands(all, n);
	else
		print_options(command->options);
	print_examples(command->examples);
	print_list("EXIT STATUS", command->statuses ? command->statuses : statuses);
	print_environment(command);
	print_list("FILES", command->files);
	print_see_also(command, all, n);
}

void man_command(const struct command *command, const struct command *const *all, size_t n)
{
	print_page(command, all, n);
}

void man_baton(const struct command *const *all, size_t n)
{
	print_page(&program, all, n);
}
