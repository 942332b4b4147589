/* A command is one const table in a small file cmd_NAME.c; main.c lists them. Parsing, --help, the
 * man page (man.h) and completion (completion.h) all use that table. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
	OPTION_FLAG,
	OPTION_SWITCH, /* --name, --name=true or --name=false */
	OPTION_TEXT,
	OPTION_NUMBER
};

struct option_spec {
	const char *name; /* long name without dashes; NULL ends the list */
	char letter;      /* short form or 0 */
	enum option_kind kind;
	const char *value; /* "DIR", "N"; NULL for a flag or a switch */
	const char *help;
};

/* A row of a list in a man page, or the values of an option; {0} ends a list. */
struct named_text {
	const char *name;
	const char *text;
};

struct invocation {
	const struct command *command;
	const struct option_spec *options;
	const char **texts; /* per option in the table's order: the text given, or NULL */
	int operands;
	char **operand;
};

struct command {
	const char *name;
	const char *operands; /* "DIR..." for the usage line; NULL: takes none */
	int least_operands;
	const char *summary; /* one line */
	const char *details; /* paragraphs for --help and the man page */
	const struct option_spec *options;
	/* For the man page and the shells' completion; NULL: none. */
	const struct named_text *examples;    /* a command line and what it does */
	const struct named_text *environment; /* a variable and what it changes */
	const struct named_text *files;
	const struct named_text *statuses; /* NULL: those that all commands share */
	const struct named_text *choices;  /* an option's long name and the words that it takes */
	bool prints_output;                /* `-o -` is standard output */
	/* Before run, where it is set: may put other operands in the place of those given. An enum
	 * status; another than STATUS_OK and STATUS_PARTIAL ends the command. */
	int (*prepare)(struct invocation *);
	int (*run)(const struct invocation *); /* returns an enum status */
};

/* The value of the option with this long name, which must be in the table; `otherwise` when it was
 * not given. */
bool option_given(const struct invocation *, const char *name);
const char *option_text(const struct invocation *, const char *name, const char *otherwise);
/* That of --output; NULL also for `-`, standard output. */
const char *option_output(const struct invocation *);
long long option_number(const struct invocation *, const char *name, long long otherwise);

/* Runs the command with argv (argv[0] is its name) and returns its status. Prints usage errors
 * itself and returns STATUS_USAGE for them. */
int command_run(const struct command *, int argc, char **argv);
/* The options that every command takes, beside its own; ends like `options`. */
extern const struct option_spec command_common[];
extern const struct named_text command_common_choices[], command_common_environment[];
void command_help(const struct command *);
size_t command_options(const struct command *); /* the number of its own options */

/* Flushes stdout. Returns `status`, or STATUS_OUTPUT when stdout could not be written. */
int finish_stdout(int status);

#endif
