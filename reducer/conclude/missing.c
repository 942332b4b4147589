#include "conclude/missing.h"

#include "conclude/finding_text.h"
#include "conclude/lateness.h"

#include <stdio.h>

enum { RUNS = 6 };

const char missing_remedy[] = "record those ranks too; if none of them is late, the network was "
							  "slow at times";

void missing_ranks(const struct run_summary *run, char text[MISSING_BYTES])
{
	uint32_t i = 0;
	size_t used = 0;
	text[0] = 0;
	for (int runs = 0; i < run->n_missing_ranks && runs < RUNS; runs++) {
		const int32_t *from = &run->missing_ranks[i];
		while (++i < run->n_missing_ranks && run->missing_ranks[i] == run->missing_ranks[i - 1] + 1)
			;
		int32_t to = run->missing_ranks[i - 1];
		used +=
			(size_t)snprintf(text + used, MISSING_BYTES - used, "%s%d", runs ? ", " : "", *from);
		if (to > *from)
			used += (size_t)snprintf(text + used, MISSING_BYTES - used, "-%d", to);
	}
	if (i < run->n_missing_ranks)
		snprintf(text + used, MISSING_BYTES - used, " and %u more", run->n_missing_ranks - i);
}

struct lateness_here { /* over the collectives that have members which are missing */
	const struct summary *summary;
	const struct straggler *straggler;
	struct lateness all, here; /* of all, of the ranks that are here */
	const char *collectives;
	struct finding_words late;
	char ranks[MISSING_BYTES];
};

static void say_missing(const struct lateness_here *h, struct finding *out)
{
	const struct straggler *s = h->straggler;
	const bool one = h->summary->run.n_missing_ranks == 1;
	finding_say(out->summary, sizeof(out->summary),
				"%s %s%s: in %llu of %llu %s the last one here waits too, for %d %% of "
				"all wait, %s ms",
				one ? "the late one is rank" : "late ones are among the missing ranks", h->ranks,
				one ? ", which is missing" : "", (unsigned long long)s->late->last,
				(unsigned long long)h->all.last, h->collectives,
				(int)(100 * (__int128)s->caused_ns / h->all.caused_ns), h->late.at);
	finding_say(out->evidence, sizeof(out->evidence),
				"a wait is told from a transfer where it takes three times as long as those of its "
				"size that nobody waits in");
}

/* Every such collective has one that was last: a rank, or one of the missing; or one whose records
 * of it are lost. */
static void say_later(const struct lateness_here *h, struct finding *out)
{
	uint64_t later = 0;
	char times[24] = "none";
	if (!lateness_sees_missing(&h->summary->quality))
		return;
	for (size_t i = 0; i < h->summary->n_partial; i++)
		later += h->summary->partial[i].device ? 0 : h->summary->partial[i].last;
	if (later)
		snprintf(times, sizeof(times), "%llu", (unsigned long long)later);
	finding_say(
		out->evidence, sizeof(out->evidence),
		"a missing rank (%s) came later still in %s of %llu (one that always does, by as much, "
		"does not show)",
		h->ranks, times, (unsigned long long)h->all.last);
}

static void say_here(const struct lateness_here *h, struct finding *out)
{
	const struct straggler *s = h->straggler;
	const struct finding_words who = finding_straggler(h->summary, s);
	const uint32_t here = h->summary->run.n_ranks;
	if (late_is_mostly_last(s->late, &h->here))
		finding_say(out->summary, sizeof(out->summary),
					"of the %u ranks that are here %s is last into %d %% of %s, by %s ms", here,
					who.at, (int)(100 * (unsigned __int128)s->late->last / s->late->taken),
					h->collectives, h->late.at);
	else
		finding_say(out->summary, sizeof(out->summary),
					"of the %u ranks that are here %s causes %d %% of the wait in %s, %s ms", here,
					who.at, (int)(100 * (__int128)s->caused_ns / h->all.caused_ns), h->collectives,
					h->late.at);
	say_later(h, out);
}

void missing_say_late(const struct summary *summary, const struct figures *figures,
					  const struct straggler *straggler, struct finding *out)
{
	struct lateness_here h = {.summary = summary,
							  .straggler = straggler,
							  .all = lateness_of(summary->partial, summary->n_partial),
							  .here = lateness_of_here(summary->partial, summary->n_partial),
							  .collectives = finding_collectives(summary, "members missing"),
							  .late = finding_ms(figures, straggler->late_ns)};
	missing_ranks(&summary->run, h.ranks);
	if (straggler->missing)
		say_missing(&h, out);
	else
		say_here(&h, out);
}
