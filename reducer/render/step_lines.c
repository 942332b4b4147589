#include "render/step_lines.h"

#include "conclude/step_trust.h"

#include <string.h>

enum { SURE_PERCENT = 90, LONG_TAIL = 4 };

static const char *const tail_words[] = {
	[TAIL_SHORT] = "",
	[TAIL_OTHER] = ": other kernels than the steps have",
	[TAIL_PART] = ": kernels of the steps' kind, but not all of them (evaluation?)",
	[TAIL_STEPS] = ": whole steps that nothing marks"};

static void generation_line(const struct screen *screen, const struct step_trust *trust)
{
	if (trust->generations < 2)
		return;
	if (trust->added_up)
		screen_title_wrap(screen, 2,
						  "The job was restarted: each stretch of time has the steps of one of its "
						  "%u generations",
						  trust->generations);
	else
		screen_title_wrap(screen, 2,
						  "The job was restarted: these are the steps of its generation %u of %u%s",
						  trust->generation, trust->generations,
						  trust->generation == trust->generations ? " (the last)" : "");
	if (trust->left_out)
		screen_title_wrap(screen, 2, "%llu step%s of other generations %s left out",
						  (unsigned long long)trust->left_out, trust->left_out == 1 ? "" : "s",
						  trust->left_out == 1 ? "is" : "are");
}

static const char *const way_words[] = {[WAY_NONE] = "",
										[WAY_MARKER] = "Step markers",
										[WAY_OPTIMIZER] = "Optimizer steps",
										[WAY_PERIOD] = "Steps found by periodicity"};

/* Marks that cover less than half of the run, and what the next way to find steps gave. */
static void other_line(const struct screen *screen, const struct step_trust *trust)
{
	const double percent = 100 * trust->other.inside;
	const unsigned long long steps =
		trust->other.devices ? trust->other.steps / trust->other.devices : 0;
	if (trust->other.way == WAY_NONE)
		return;
	if (trust->other.first)
		screen_title_wrap(screen, 2,
						  "%s cover only %.0f %% of the kernels (%llu step%s), so these steps were "
						  "found in another way (confidence %.2f)",
						  way_words[trust->other.way], percent, steps, steps == 1 ? "" : "s",
						  trust->confidence);
	else if (steps == 0 && trust->other.way == WAY_PERIOD)
		screen_title_wrap(screen, 2,
						  "The steps cover less than half of the kernels, and periodicity finds no "
						  "others");
	else if (steps)
		screen_title_wrap(screen, 2,
						  "The steps cover less than half of the kernels. %s were sought instead, "
						  "but are no better: %llu, which cover %.0f %% (confidence %.2f)",
						  way_words[trust->other.way], steps, percent, trust->other.confidence);
}

static void loop_line(const struct screen *screen, const struct step_trust *trust)
{
	if (trust->loops.here > 1)
		screen_title_wrap(
			screen, 2,
			"%u threads of a process train on the same GPU, each by itself. These are "
			"the steps of the one that launches most (%s); %u step%s of the others "
			"ran beside them",
			trust->loops.here, trust->loops.thread, trust->loops.beside,
			trust->loops.beside == 1 ? "" : "s");
	else if (trust->loops.here == 1 && trust->loops.all > 1)
		screen_title_wrap(
			screen, 2,
			"%u threads of a process train, each by itself: each GPU has the steps of "
			"the thread that launches its work",
			trust->loops.all);
	else if (trust->loops.here == 1)
		screen_title_wrap(screen, 2,
						  "These are the steps of one thread (%s); what other threads launch does "
						  "not recur",
						  trust->loops.thread);
	else if (trust->loops.all > 1)
		screen_title_wrap(screen, 2,
						  "%u threads of a process mark steps, each by itself, and none of them "
						  "launches the work of the GPU. These are the steps of %s",
						  trust->loops.all, trust->loops.thread);
}

/* Kernels of other processes are in the steps, and no leaf of idle time is theirs. */
static void sharing_line(const struct screen *screen, const struct summary *s)
{
	size_t gpus = 0, first = 0;
	for (size_t i = s->n_devices; i-- > 0;) {
		gpus += s->devices[i].n_processes > 1;
		first = s->devices[i].n_processes > 1 ? i : first;
	}
	if (gpus == 0)
		return;
	screen_title_wrap(screen, 2,
					  "%u processes launched work on %s%s: where they ran at the same time each "
					  "waits for the others, and a step has the work of all",
					  s->devices[first].n_processes,
					  s->n_devices > 1 ? summary_text(s, s->devices[first].key) : "the GPU",
					  gpus > 1 ? ", and several on others too" : "");
}

void step_lines(const struct screen *screen, const struct report *r)
{
	const struct figures *f = r->figures;
	const struct summary *s = &r->reduction->summary;
	struct step_trust trust;
	step_trust_compute(s, &trust);
	if (!f->has_steps)
		return;
	generation_line(screen, &trust);
	if (f->step_source == STEPS_PERIODICITY && strcmp(summary_text(s, s->run.mode), "import") == 0)
		screen_title_wrap(screen, 2,
						  "Only the order of the kernels tells these steps, no mark in the trace "
						  "(--steps none: the whole run as one)");
	other_line(screen, &trust);
	loop_line(screen, &trust);
	sharing_line(screen, s);
	if (trust.unit[0])
		screen_title_wrap(screen, 2, "%s", trust.unit);
	if (100 * trust.confidence < SURE_PERCENT)
		screen_title_wrap(screen, 2, "%s: %.0f %% of them have the same kernels (confidence %.2f)",
						  trust.loops.here > 1 ? "The other threads' kernels are in these steps too"
											   : "The steps are not sure",
						  100 * trust.confidence, trust.confidence);
	if (f->p95_ns / LONG_TAIL > f->p50_ns)
		screen_title_wrap(screen, 2, "The steps differ: p95 is %.1f times p50",
						  (double)f->p95_ns / (double)(f->p50_ns > 0 ? f->p50_ns : 1));
	if (r->part)
		return; /* the other steps are outside because somebody asked for these */
	if (trust.much_before && trust.generation < 2)
		screen_title_wrap(screen, 2, "%.0f %% of the GPU ops come before the first step",
						  100 * trust.before);
	if (trust.much_after)
		screen_title_wrap(screen, 2, "%.0f %% of the GPU ops come after the last step%s%s",
						  100 * trust.after, tail_words[trust.tail],
						  trust.tail == TAIL_STEPS && trust.other.way != WAY_PERIOD
							  ? " (try --steps period)"
							  : "");
}

const char *step_lines_outside(const struct screen *screen, const struct report *r,
							   struct text_buffer *out)
{
	struct text_buffer ops, ms;
	struct step_trust trust;
	step_trust_compute(&r->reduction->summary, &trust);
	out->at[0] = 0;
	if (trust.ops_outside || trust.outside_ns)
		snprintf(out->at, sizeof(out->at),
				 ", %.24s ops (%.1f %%) and %.24s ms outside of the steps",
				 text_thousands((int64_t)trust.ops_outside, &ops), 100 * (1 - trust.inside),
				 text_ms(screen, trust.outside_ns, &ms));
	return out->at;
}
