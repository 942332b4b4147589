#include "conclude/finding_uneven.h"

#include "conclude/finding_text.h"

#include <stdio.h>
#include <string.h>

/* A device by its key: one that has done no work of its own is no device of the summary. */
static struct finding_words name_of(const struct summary *s, const char *key)
{
	struct finding_words words;
	for (size_t i = 0; i < s->n_devices; i++)
		if (strcmp(summary_text(s, s->devices[i].key), key) == 0)
			return finding_device(s, i);
	snprintf(words.at, sizeof(words.at), "device %.80s", key);
	return words;
}

/* Of a row of a pair: what its copies are like, as one sentence behind others. */
static void say_speed(const struct finding_source *m, const struct uneven *row, char *out,
					  size_t bytes)
{
	const struct uneven_pair *pair = &row->pair;
	const struct finding_words from = name_of(m->summary, pair->from),
							   to = name_of(m->summary, pair->to);
	if (pair->gbps > 0)
		finding_say(
			out, bytes,
			"copies from %s to %s run at %.1f GB/s, the median of %zu pairs of GPUs at %.1f "
			"GB/s",
			from.at, to.at, pair->gbps, pair->pairs, pair->others_gbps);
	else
		finding_say(out, bytes,
					"copies from %s to %s take %s ms, the mean of %zu pairs of GPUs %s ms", from.at,
					to.at, finding_ms(m->f, pair->ns).at, pair->pairs,
					finding_ms(m->f, pair->ns - pair->more_ns).at);
}

static void say_pair(const struct finding_source *m, const struct uneven *row,
					 struct finding *finding)
{
	const struct uneven_pair *pair = &row->pair;
	say_speed(m, row, finding->summary, sizeof(finding->summary));
	if (pair->bytes > 0)
		finding_say(finding->evidence, sizeof(finding->evidence), "%.1f MB in %s ms per %s",
					(double)pair->bytes / 1e6, finding_ms(m->f, pair->ns).at, finding_per(m->f));
	finding_say(
		finding->evidence, sizeof(finding->evidence),
		"%s ms of it are more than %s and overlapped by nothing; no rank is seen to wait for "
		"it, so no gain is known",
		finding_ms(m->f, row->exposed_ns).at, pair->gbps > 0 ? "at that speed" : "the mean");
	snprintf(
		finding->remedy, sizeof(finding->remedy), "%s",
		pair->gbps > 0
			? "see how the two GPUs are connected (nvidia-smi topo -m) and whether they reach "
			  "each other's memory (nvidia-smi topo -p2p r); put what exchanges most on near GPUs"
			: "share out what these two GPUs exchange, or overlap it with kernels");
}

void finding_say_uneven(const struct finding_source *m, const struct uneven *row,
						struct finding *finding)
{
	if (row->pair.pairs > 0) {
		say_pair(m, row, finding);
		return;
	}
	finding_say(finding->summary, sizeof(finding->summary),
				"%s take %s ms on %s, %lld %% more than the mean of %zu GPUs", row->what,
				finding_ms(m->f, row->most_ns).at, finding_device(m->summary, row->device).at,
				(long long)row->percent, m->summary->n_devices);
	finding_say(finding->evidence, sizeof(finding->evidence),
				"%s ms of it are more than the mean and overlapped by nothing; no rank is seen to "
				"wait for it, so no gain is known",
				finding_ms(m->f, row->exposed_ns).at);
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", finding_kinds[FINDING_UNEVEN].remedy);
}

void finding_say_pair_there(const struct finding_source *m, const struct uneven *row,
							struct finding *at, size_t n)
{
	for (size_t i = 0; i < n && row->pair.pairs > 0; i++) {
		struct finding *f = &at[i];
		const bool own = f->id == FINDING_ASYMMETRY || f->id == FINDING_LATE_RANK;
		if (own && f->whom.device_known && f->whom.device == row->device)
			say_speed(m, row, f->evidence, sizeof(f->evidence));
	}
}
