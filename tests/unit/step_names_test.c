/* Which range names are step markers, and what --step-range may name. */
#include "check.h"
#include "classify/host_names.h"
#include "classify/step_range.h"

#include <errno.h>
#include <stddef.h>

static struct host_names *names;

static void marks(const char *name, enum marker_form form, int64_t number)
{
	int64_t got;
	enum marker_form found = host_names_marker(names, name, &got);
	CHECK(found == form && got == number, "%s: form %d, number %lld", name, (int)found,
		  (long long)got);
}

/* Keeps out: frameworks' own step names that give a report without steps. */
static void known_names(void)
{
	marks("ProfilerStep#12", MARKER_PROFILER_STEP, 12);
	marks("step 7", MARKER_STEP, 7);
	marks("Iteration 3", MARKER_ITERATION, 3);
	marks("iter_3", MARKER_ITERATION, 3);
	marks("training_step_41", MARKER_TRAINING, 41);
	marks("Train step: 5", MARKER_TRAINING, 5);
	marks("train_batch_5", MARKER_TRAINING, 5);
	marks("global_step=900", MARKER_TRAINING, 900);
	marks("epoch1_step2003-rank0-640_8-640_8-640_8", MARKER_TRAINING, 2003);
	marks("Epoch 2, iteration 17", MARKER_TRAINING, 17);
}

/* Keeps out: ranges inside of a step that are taken for steps. */
static void other_names(void)
{
	static const char *const none[] = {
		"",         "step",          "steps 3",   "forward_step_3", "optimizer_step_3",
		"epoch 3",  "train_step_3b", "eval_step", "eval_step_4",    "Optimizer.step#Adam.step",
		"training", "step 3 of 9",   "trace 3"};
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		marks(none[i], MARKER_NONE, -1);
}

static void range_is(const char *range, const char *name, bool is, int64_t number)
{
	struct step_range *r;
	char message[80] = "";
	int64_t got;
	int error = step_range_open(range, message, sizeof(message), &r);
	CHECK(error == 0, "%s: %s", range, message);
	if (error)
		return;
	CHECK(step_range_matches(r, name, &got) == is && got == number, "%s on %s: %lld", range, name,
		  (long long)got);
	step_range_close(r);
}

/* Keeps out: --step-range that takes nothing but one exact name, or a glob for a name. */
static void ranges(void)
{
	struct step_range *r;
	char message[80] = "";
	range_is("my step", "my step", true, -1);
	range_is("my step", "my step 1", false, -1);
	range_is("batch [0]", "batch [0]", true, -1);
	range_is("epoch*_batch*", "epoch1_batch2-rank0", true, -1);
	range_is("epoch*_batch*", "xepoch1_batch2", false, -1);
	range_is("/^epoch[0-9]+_batch([0-9]+)/", "epoch1_batch22-rank0", true, 22);
	range_is("/batch/", "a batch of 3", true, -1);
	range_is("/(x*)batch/", "batch", true, -1);
	range_is("/([0-9]+)/", "12345678901234567890", true, -1);
	range_is("/", "/", true, -1);
	CHECK(step_range_open("/(/", message, sizeof(message), &r) == -EINVAL && message[0] && !r,
		  "a regular expression that is none");
}

int main(void)
{
	if (host_names_open(NULL, &names) != 0)
		return 1;
	known_names();
	other_names();
	ranges();
	host_names_close(names);
	return finish();
}
