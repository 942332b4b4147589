#include "jitter/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 60 };

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void kernel_words(const struct jitter_study *s, uint32_t name, struct text_buffer *out)
{
	text_cut(strings_get(&s->reference.names, name).at, NAME_BYTES, out);
}

/* Kernels are known by their means over all steps. */
static const char *base_words(const struct odd_rank *odd)
{
	return odd->some_steps ? " on average over all steps" : "";
}

static void duration_words(const struct jitter_study *s, const struct screen *screen,
						   const struct odd_rank *odd, struct jitter_words *text)
{
	struct text_buffer there, all, name;
	const double percent = 100 * fabs(odd->slower), part = fabs(odd->cause_ns);
	const char *than = odd->early ? "less" : "longer";
	if (odd->place != PLACE_KERNEL) {
		snprintf(text->at, sizeof(text->at), "its kernels take %.1f %% %s%s", percent, than,
				 base_words(odd));
		return;
	}
	kernel_words(s, odd->name, &name);
	snprintf(text->at, sizeof(text->at), "its kernel %s takes %.1f %% %s (%.20s of %.20s ms%s)",
			 name.at, percent, than,
			 text_ms(screen, llround(fmin(fabs(odd->there_ns), part)), &there),
			 text_ms(screen, llround(part), &all), base_words(odd));
}

static void gap_words(const struct jitter_study *s, const struct screen *screen,
					  const struct odd_rank *odd, struct jitter_words *text)
{
	struct text_buffer there, all, name;
	const bool host = odd->cause == JITTER_GAP_INSIDE;
	const char *what = host         ? odd->early ? "its CPU launches kernels earlier"
												 : "its CPU launches kernels later, inside the step"
					   : odd->early ? "its kernels start sooner after their launch"
									: "its kernels start later after their launch";
	if (odd->place != PLACE_KERNEL) {
		snprintf(text->at, sizeof(text->at), "%s", what);
		return;
	}
	kernel_words(s, odd->name, &name);
	snprintf(text->at, sizeof(text->at), "%s: %.20s of %.20s ms%s before kernel %u, %s", what,
			 text_ms(screen, llround(fabs(odd->there_ns)), &there),
			 text_ms(screen, llround(fabs(odd->cause_ns)), &all), base_words(odd), odd->position,
			 name.at);
}

static void cause_words(const struct jitter_study *s, const struct screen *screen,
						const struct odd_rank *odd, struct jitter_words *text)
{
	if (odd->cause == JITTER_DURATION)
		duration_words(s, screen, odd, text);
	else if (odd->cause == JITTER_GAP_BEFORE)
		snprintf(text->at, sizeof(text->at),
				 "its steps begin %s (input, or other work between the steps)",
				 odd->early ? "earlier" : "later");
	else
		gap_words(s, screen, odd, text);
}

void jitter_odd_words(const struct jitter_printed *p, const struct screen *screen,
					  const struct odd_rank *odd, struct jitter_words *text)
{
	const struct jitter_rank *rank = &p->study->ranks[odd->rank];
	const struct rank_row *row = &p->verdict->ranks[odd->rank];
	struct text_buffer ms;
	struct jitter_words cause;
	char when[80];
	cause_words(p->study, screen, odd, &cause);
	text_ms(screen, llround(fabs(odd->behind_ns)), &ms);
	snprintf(when, sizeof(when), odd->some_steps ? "in %u of %u steps" : "per step", row->last,
			 row->steps);
	snprintf(text->at, sizeof(text->at), "%s %.100s%s%.64s is %.20s ms %s %s: %.400s%s",
			 rank->rank < 0 ? "GPU" : "Rank", rank->label,
			 odd->place == PLACE_HOST ? " of host " : "",
			 odd->place == PLACE_HOST ? rank->host : "", ms.at, odd->early ? "early" : "late", when,
			 cause.at, odd->place == PLACE_HOST ? ", like all ranks of its host" : "");
}

/* There are ranks to compare, and nothing to say of any. */
static void healthy_words(const struct jitter_printed *p, const struct screen *screen,
						  struct jitter_words *text)
{
	struct text_buffer ms;
	snprintf(text->at, sizeof(text->at),
			 "No rank is late or early step after step: the time to the last kernel differs by "
			 "%.20s ms (standard deviation over the ranks of a step)",
			 text_ms(screen, llround(p->verdict->jitter_ns), &ms));
}

/* Chance alone could have made any rank the last one in so few steps. */
static void few_words(const struct jitter_printed *p, const struct screen *screen,
					  struct jitter_words *text)
{
	const struct jitter_verdict *v = p->verdict;
	const uint32_t steps = p->study->axis.n;
	uint32_t latest = 0;
	for (uint32_t r = 1; r < p->study->n_ranks; r++)
		if (v->ranks[r].behind_ns > v->ranks[latest].behind_ns)
			latest = r;
	const struct jitter_rank *rank = &p->study->ranks[latest];
	const struct rank_row *row = &v->ranks[latest];
	struct text_buffer ms;
	snprintf(text->at, sizeof(text->at),
			 "%u step%s too few to tell a late rank from chance: among %u ranks it takes %u. %s "
			 "%.100s is %.20s ms late per step, and the last one in %u of %u",
			 steps, steps == 1 ? " is" : "s are", p->study->n_ranks, v->steps_needed,
			 rank->rank < 0 ? "GPU" : "Rank", rank->label,
			 text_ms(screen, llround(row->behind_ns), &ms), row->last, row->steps);
}

static void bar_words(const struct jitter_printed *p, struct jitter_words *text)
{
	static const char *const why[JITTER_BARS] = {
		[BAR_NONE] = "",
		[BAR_LEFT_OUT] = "most of their steps launch other kernels than the rest",
		[BAR_OTHER_KERNELS] = "they launch different kernels, like stages of a pipeline",
		[BAR_WAIT_INSIDE] = "they wait for each other inside the steps, so the time to the last "
							"kernel does not show who is late"};
	snprintf(text->at, sizeof(text->at),
			 "The ranks cannot be compared: %s. For late ranks use `baton report %s`",
			 why[p->verdict->bar], p->dir);
}

void jitter_verdict_words(const struct jitter_printed *p, const struct screen *screen,
						  struct jitter_words *text)
{
	const struct jitter_verdict *v = p->verdict;
	size_t late = 0;
	while (late < v->n_odd && !v->odd[late].early)
		late++;
	if (p->study->n_ranks < 2)
		snprintf(text->at, sizeof(text->at),
				 "One rank: there is no other to compare it with (--rank shows what "
				 "varies over its steps)");
	else if (v->bar != BAR_NONE)
		bar_words(p, text);
	else if (v->steps_needed)
		few_words(p, screen, text);
	else if (v->n_odd == 0)
		healthy_words(p, screen, text);
	else
		jitter_odd_words(p, screen, &v->odd[0], text);
	const size_t used = strlen(text->at);
	if (late > 1)
		snprintf(text->at + used, sizeof(text->at) - used, "; %zu more rank%s late", late - 1,
				 late == 2 ? " is" : "s are");
}

/* ---- what has to be known of the numbers ---- */

static bool note_sequences(const struct jitter_study *s, struct jitter_words *text)
{
	uint64_t differ = 0, extra = 0, missing = 0, steps = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		differ += s->ranks[r].differ;
		extra += s->ranks[r].extra;
		missing += s->ranks[r].missing;
		steps += s->ranks[r].steps;
	}
	snprintf(text->at, sizeof(text->at),
			 "%llu of %llu rank-steps launch other kernels than most: %llu kernels have no "
			 "counterpart, %llu are missing; the others are compared",
			 (unsigned long long)differ, (unsigned long long)steps, (unsigned long long)extra,
			 (unsigned long long)missing);
	return differ > 0;
}

static bool note_left_out(const struct jitter_study *s, struct jitter_words *text)
{
	uint64_t left_out = 0, ranks = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		left_out += s->ranks[r].left_out;
		ranks += s->ranks[r].left_out > 0;
	}
	snprintf(text->at, sizeof(text->at),
			 "%llu rank-step%s of %llu rank%s left out: less than half of their kernels have a "
			 "counterpart",
			 (unsigned long long)left_out, plural(left_out), (unsigned long long)ranks,
			 plural(ranks));
	return left_out > 0;
}

static bool note_late(const struct jitter_study *s, struct jitter_words *text)
{
	uint64_t late = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++)
		late += s->ranks[r].late;
	snprintf(text->at, sizeof(text->at),
			 "%llu kernel%s ran when four later steps had begun: not counted",
			 (unsigned long long)late, plural(late));
	return late > 0;
}

static bool note_closing(const struct jitter_study *s, struct jitter_words *text)
{
	if (s->closed)
		snprintf(text->at, sizeof(text->at),
				 "%u step%s without the collective of all ranks at the end: how much later a rank "
				 "begins %s than the others is not known",
				 s->unclosed, plural(s->unclosed), s->unclosed == 1 ? "it" : "them");
	else
		snprintf(text->at, sizeof(text->at),
				 "No collective of all ranks closes the steps: how much later a rank begins its "
				 "step than the others is not known");
	return s->n_ranks > 1 && (!s->closed || s->unclosed > 0);
}

static bool note_uneven(const struct jitter_study *s, struct jitter_words *text)
{
	snprintf(text->at, sizeof(text->at),
			 s->axis.numbered ? "The ranks do not all have the same steps; a step that only one "
								"rank has is left out"
							  : "The ranks do not have equally many steps; they are compared in "
								"order from the first, and those that only one rank has are left "
								"out");
	return s->axis.uneven;
}

bool jitter_note(const struct jitter_study *s, unsigned i, struct jitter_words *text)
{
	static bool (*const notes[JITTER_NOTES])(const struct jitter_study *, struct jitter_words *) = {
		note_sequences, note_left_out, note_late, note_closing, note_uneven};
	return notes[i](s, text);
}
