/* baton top: a live screen of a run that is being recorded, or of one that has ended. */
#include "base/amount.h"
#include "base/diag.h"
#include "base/tty.h"
#include "commands.h"
#include "looker.h"
#include "reduce_options.h"
#include "top/board.h"
#include "top/json.h"
#include "top/live.h"
#include "top/terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t NS_PER_S = 1000000000;
#define DEFAULT_LAST "30s"
#define DEFAULT_EVERY "2s"

static const struct option_spec options[] = {
	{"once", 0, OPTION_FLAG, NULL, "print what there is now, without keys, and end"},
	{"json", 0, OPTION_FLAG, NULL, "what there is now as JSON, schema baton.top/0, and end"},
	{"topology", 0, OPTION_FLAG, NULL,
	 "how the GPUs of each node are connected, with NUMA nodes and CPUs, in the place of the "
	 "table"},
	{"last", 0, OPTION_TEXT, "TIME",
	 "show the last TIME of what is recorded (default " DEFAULT_LAST
	 "; more where that holds few steps)"},
	{"every", 0, OPTION_TEXT, "TIME",
	 "look again after TIME (default " DEFAULT_EVERY "), or nine times what a look takes"},
	REDUCE_OPTION_ROWS,
	{0},
};

static struct top_view *look_once(struct looker *looker, int64_t last_ns)
{
	struct top_view *view = top_look_now(looker_look, looker, last_ns);
	for (int wider = 2; view && top_view_is_narrow(view) && wider <= TOP_MOST_WIDER; wider *= 2) {
		free(view);
		view = top_look_now(looker_look, looker, last_ns * wider);
	}
	return view;
}

static int print_once(const struct invocation *call, struct looker *looker, int64_t last_ns)
{
	const struct top_board board = {.dir = call->operand[0],
									.topology = option_given(call, "topology")};
	struct top_view *view = look_once(looker, last_ns);
	struct screen screen;
	if (!view)
		return STATUS_INPUT;
	screen_open(&screen, stdout, view->figures.step_ns);
	if (!tty_is_read(STDOUT_FILENO) && !getenv("COLUMNS"))
		screen.width = INT_MAX / 2;
	if (option_given(call, "json"))
		top_view_json(view, board.dir, stdout);
	else if (view->n_rows)
		top_board_plain(&board, view, &screen);
	if (view->message[0] && (!view->reduced || view->status != STATUS_OK))
		diag("%s", view->message);
	const int status = view->n_rows ? STATUS_OK : STATUS_INPUT;
	free(view);
	return status;
}

/* -1: it is no such time; a message says so. */
static int64_t time_of(const struct invocation *call, const char *option, const char *otherwise)
{
	const char *text = option_text(call, option, otherwise);
	const long seconds = amount_seconds(text);
	if (seconds)
		return seconds * NS_PER_S;
	diag("--%s wants a time of a second to a year, such as 15s or 1m, not '%s'", option, text);
	return -1;
}

static int run(const struct invocation *call)
{
	struct looker looker = {.dirs = call->operand, .n_dirs = (size_t)call->operands};
	const int64_t last_ns = time_of(call, "last", DEFAULT_LAST),
				  every_ns = time_of(call, "every", DEFAULT_EVERY);
	if (last_ns < 0 || every_ns < 0 || reduce_options_read(call, false, &looker.how) != STATUS_OK)
		return STATUS_USAGE;
	for (int i = 0; i < call->operands; i++) {
		struct stat st;
		if (stat(call->operand[i], &st) != 0) {
			diag("%s: %s", call->operand[i], strerror(errno));
			return STATUS_INPUT;
		}
	}
	if (option_given(call, "once") || option_given(call, "json") || !terminal_is_live())
		return print_once(call, &looker, last_ns);
	const struct top_plan plan = {.dirs = call->operand,
								  .n_dirs = (size_t)call->operands,
								  .last_ns = last_ns,
								  .every_ns = every_ns,
								  .topology = option_given(call, "topology"),
								  .looker = looker_look,
								  .of = &looker};
	return top_live(&plan);
}

static const struct named_text examples[] = {
	{"baton top runs/4gpu", "Beside a job that is being recorded: who is slow now, and why."},
	{"baton top runs/node0 runs/node1",
	 "Of a job whose nodes write into directories of their own."},
	{"baton top --once runs/4gpu", "The same once, as text, for a log; --json for a script."},
	{0},
};
static const struct named_text environment[] = {
	{"TERM", "a terminal that is 'dumb' gets the text of --once"},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton", "the traces of the run, one for each process; they are only read"},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

const struct command command_top = {
	.name = "top",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "a live screen: who is slow now, and why",
	.details =
		"Shows a run that is being recorded, or one that has ended: a row for each GPU with its "
		"step\ntime, how much it computes, communicates and idles, and why; the slowest rank; lost "
		"records;\n"
		"the largest cause in one sentence.\n"
		"It only reads the files, so it runs on any host that sees the directory, as the user who\n"
		"records. A look uses one core at the lowest priority, a tenth of the time at most.\n"
		"\n"
		"Keys: q ends it, s sorts, t shows the topology, p pauses, ? explains, the arrows choose a "
		"row. The job goes "
		"on.\n"
		"Where stdin or stdout is no terminal it prints what --once does. docs/TOP.md describes "
		"it.",
	.options = options,
	.examples = examples,
	.environment = environment,
	.files = files,
	.choices = choices,
	.run = run,
};
