/* baton whatif: the step that a run would have without some of its losses, by replaying its graph
 * (docs/GRAPH.md). */
#include "base/diag.h"
#include "cli/pager.h"
#include "commands.h"
#include "imported.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/whatif.h"
#include "table_options.h"

enum { WHATIF_STEPS = 26 };

static const struct option_spec options[] = {
	{"without", 0, OPTION_TEXT, "LIST",
	 "what to take off, by commas: causes, leaves, findings, 'rank R', 'device D', 'collective "
	 "BYTES' (default: the causes found)"},
	{"scale", 0, OPTION_TEXT, "LIST",
	 "CLASS=TIMES by commas: kernels of a class or group, 'kernels', 'nccl.transfer', 'copies' or "
	 "'host' take so many times as long"},
	{"overlap", 0, OPTION_FLAG, NULL,
	 "no stream waits for a collective, but for the last one of each step"},
	{"graphs", 0, OPTION_FLAG, NULL, "CUDA graphs: no host time between launches"},
	{"like", 0, OPTION_TEXT, "RUN",
	 "kernels and host time as fast as in another run of the program"},
	{"rank", 0, OPTION_NUMBER, "R", "take what --without and --graphs say off this rank alone"},
	{"host", 0, OPTION_TEXT, "NAME", "take it off the ranks of this host alone"},
	{"json", 0, OPTION_FLAG, NULL, "print JSON"},
	TABLE_CSV_ROW,
	TABLE_MARKDOWN_ROW,
	REDUCE_OPTION_ROWS,
	{"classes", 0, OPTION_TEXT, "FILE",
	 "your own classes of kernels, calls, ranges and frames, tried first: lines 'REGEX CLASS'"},
	{0},
};

struct asked {
	struct whatif whatif;
	enum sheet_format format;
};

static int read_options(const struct invocation *call, struct whatif *w)
{
	const char *words = option_text(call, "without", NULL);
	*w = (struct whatif){.dir = call->operand[0],
						 .host = option_text(call, "host", NULL),
						 .json = option_given(call, "json")};
	w->like = option_text(call, "like", NULL);
	w->list.rank = option_number(call, "rank", -1);
	w->list.host = w->host != NULL;
	int status = words ? taken_words(&w->list, words) : STATUS_OK;
	if (status == STATUS_OK && option_given(call, "overlap"))
		status = taken_overlap(&w->list);
	if (status == STATUS_OK && option_given(call, "graphs"))
		status = taken_graphs(&w->list);
	if (status == STATUS_OK && option_given(call, "scale"))
		status = taken_scales(&w->list, option_text(call, "scale", ""));
	if (status == STATUS_OK && w->like)
		status = taken_like(&w->list);
	return status == STATUS_OK ? taken_check_scope(&w->list) : status;
}

/* The speeds of the run of --like. */
static int take_speeds(struct replayed *r, void *context)
{
	struct whatif *w = &((struct asked *)context)->whatif;
	if (r)
		return speeds_of(&r->model, &w->speeds);
	diag("%s: there are too few steps to replay (three are needed)", w->like);
	w->status = STATUS_INPUT;
	return 0;
}

static int answer(struct replayed *r, void *context)
{
	struct asked *asked = context;
	struct whatif *w = &asked->whatif;
	if (!r) {
		diag("%s: there are too few steps to replay (three are needed)", w->dir);
		w->status = STATUS_INPUT;
		return 0;
	}
	int error = whatif_ask(w, r);
	if (error || w->status != STATUS_OK)
		return error;
	pager_begin();
	if (asked->format != SHEET_TABLE)
		return whatif_sheets(w, r, asked->format, stdout);
	if (w->json)
		whatif_json(w, r, stdout);
	else
		whatif_text(w, r, stdout);
	return 0;
}

static int replay_run(const char *dir, const struct reduce_options *how)
{
	char *const dirs[] = {(char *)dir};
	struct reduction reduction;
	const int status = reduce_run(dirs, 1, how, &reduction);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		reduction_free(&reduction);
	return status;
}

static int run(const struct invocation *call)
{
	struct reduce_options how;
	struct asked asked;
	struct whatif *const whatif = &asked.whatif;
	int status = reduce_options_read(call, false, &how), like_status = STATUS_OK;
	if (status == STATUS_OK)
		status = read_options(call, whatif);
	if (status == STATUS_OK)
		status = table_options_read(call, &asked.format);
	if (status != STATUS_OK)
		return status;
	how.store = how.must_store = false;
	how.classes_file = option_text(call, "classes", NULL);
	how.replay_context = &asked;
	how.replay_steps = WHATIF_STEPS;
	how.replay = take_speeds;
	if (whatif->like)
		like_status = status = replay_run(whatif->like, &how);
	if ((status != STATUS_OK && status != STATUS_PARTIAL) || whatif->status != STATUS_OK)
		return whatif->status == STATUS_OK ? status : whatif->status;
	how.replay = answer;
	status = replay_run(whatif->dir, &how);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	status = status == STATUS_OK ? like_status : status;
	return finish_stdout(whatif->status == STATUS_OK ? status : whatif->status);
}

static const struct named_text examples[] = {
	{"baton whatif runs/x", "What would win most, one cause after the other."},
	{"baton whatif runs/x --without input", "The step if data were always there."},
	{"baton whatif runs/x --without 'rank 3'", "The step if rank 3 were like the others."},
	{"baton whatif runs/x --without late_rank,copies",
	 "Without two findings of `baton report`, one after the other."},
	{"baton whatif runs/x --scale custom.attention=0.5,host=1.2",
	 "With attention twice as fast, on a host that is slower."},
	{"baton whatif runs/x --without input --like runs/y",
	 "Without waiting for data, on the host and GPUs of another run."},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

static int prepare(struct invocation *call)
{
	const int status = imported_operands(call);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	return (int)status_worse((enum status)status, (enum status)imported_list(call, "like"));
}

const struct command command_whatif = {
	.name = "whatif",
	.operands = "DIR",
	.least_operands = 1,
	.summary = "the step without some of its losses, by replay",
	.details =
		"Replays the steps of a run with some causes of lost time taken off, and says how long a "
		"step would be then. Without --without it looks for the causes itself: each is taken off, "
		"and the next one is what would win most after that. docs/GRAPH.md defines the replay. "
		"Everything else is taken to stay as it was: the program, and how fast its hosts, GPUs "
		"and links are.",
	.options = options,
	.examples = examples,
	.files = run_files,
	.choices = choices,
	.prepare = prepare,
	.run = run,
};
