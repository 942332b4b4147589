#include "conclude/replay_late.h"

#include "base/saturate.h"
#include "conclude/lateness.h"
#include "summary/device_host.h"

#include <string.h>

enum {
	UNEXPLAINED_PART = 20, /* of the step: at most a twentieth of the critical path */
	LEAST_PART = 250       /* of the step: what is no culprit wins less */
};

bool replay_knows(const struct summary *summary)
{
	return summary->n_culprits > 0 && summary->run.n_missing_ranks == 0;
}

bool replay_clears(const struct summary *summary)
{
	return replay_knows(summary) && strcmp(summary_text(summary, summary->run.mode), "import") != 0;
}

bool replay_finds_none(const struct summary *summary)
{
	return replay_knows(summary) && summary->n_culprits == 1;
}

int64_t replay_transfer_ns(const struct summary *summary)
{
	return replay_knows(summary) ? summary->culprits[0].gain_ns : 0;
}

bool replay_explains(int64_t step_ns, int64_t unexplained_ns)
{
	return UNEXPLAINED_PART * (__int128)unexplained_ns <= step_ns;
}

bool replay_sizes(const struct summary *summary)
{
	const struct culprit_summary *replay = summary->n_culprits ? summary->culprits : NULL;
	return replay && replay_explains(replay->step_ns, replay->unexplained_ns);
}

int64_t replay_alone_ns(const struct culprit_summary *culprit, const int64_t *alone_ns)
{
	if (culprit->with_cause || culprit->group)
		return -1;
	return alone_ns ? *alone_ns : culprit->alone_ns;
}

struct replay_total replay_total(const struct summary *summary,
								 const struct culprit_summary *culprit)
{
	struct replay_total total = {.reference = REFERENCE_REMOVAL};
	bool first = true;
	for (size_t i = 0; i < summary->n_culprits; i++) {
		const struct culprit_summary *of = &summary->culprits[i];
		if (of->order == 0 || of->device != culprit->device || of->host != culprit->host)
			continue;
		total.alone_ns = replay_alone_ns(of, first ? NULL : &total.alone_ns);
		first = false;
		total.gain_ns = saturate_add(total.gain_ns, of->gain_ns);
		total.limit_ns = saturate_add(total.limit_ns, of->limit_ns);
		total.low_ns = saturate_add(total.low_ns, of->low_ns);
		total.high_ns = saturate_add(total.high_ns, of->high_ns);
		const uint32_t causes[] = {of->cause, of->with_cause};
		for (int k = 0; k < 2 && causes[k]; k++) {
			const enum gain_reference reference =
				gain_reference_of(summary_text(summary, causes[k]));
			total.reference = reference > total.reference ? reference : total.reference;
		}
	}
	return total;
}

/* Was a device found together with another one? */
static bool is_found_with(const struct summary *summary, const struct culprit_summary *of,
						  uint32_t device)
{
	bool with = false;
	for (size_t i = 0; of->group && of->device != device && i < summary->n_culprits; i++)
		with |= summary->culprits[i].group == of->group && summary->culprits[i].device == device;
	return with;
}

struct replay_others replay_others(const struct summary *summary,
								   const struct culprit_summary *culprit)
{
	const struct replay_total total = replay_total(summary, culprit);
	struct replay_others others = {.gain_ns = total.gain_ns, .limit_ns = total.limit_ns};
	for (size_t i = 0; culprit->device && i < summary->n_culprits; i++) {
		const struct culprit_summary *of = &summary->culprits[i];
		const size_t device = replay_device(summary, of);
		bool again = false;
		if (device == summary->n_devices || !is_found_with(summary, of, culprit->device))
			continue;
		others.gain_ns = saturate_add(others.gain_ns, of->gain_ns);
		others.limit_ns = saturate_add(others.limit_ns, of->limit_ns);
		for (size_t k = 0; k < i; k++)
			again |= summary->culprits[k].device == of->device &&
					 is_found_with(summary, &summary->culprits[k], culprit->device);
		if (!again && others.n < REPLAY_OTHERS_MOST)
			others.device[others.n++] = device;
	}
	return others;
}

int64_t replay_rank_ns(const struct summary *summary, const struct culprit_summary *culprit)
{
	const int64_t alone_ns = replay_alone_ns(culprit, NULL);
	const int64_t own_ns = alone_ns < culprit->gain_ns ? alone_ns : culprit->gain_ns;
	int64_t before_ns = INT64_MAX, rank_ns = INT64_MAX;
	for (size_t i = 0; i < summary->n_culprits; i++) { /* in their order */
		const struct culprit_summary *of = &summary->culprits[i];
		if (of->order == 0)
			continue;
		if (of == culprit)
			return of->gain_ns < rank_ns ? of->gain_ns : rank_ns;
		before_ns = of->gain_ns < before_ns ? of->gain_ns : before_ns - 1;
		if (own_ns / 6 <= before_ns / 5) /* the last one that it does not win a fifth more than */
			rank_ns = before_ns - 1;
	}
	return rank_ns;
}

static const struct {
	const char *cause;
	enum finding_id id;
} kinds[] = {{"kernels", FINDING_WORK},        {"input", FINDING_INPUT},
			 {"no_core", FINDING_NO_CORE},     {"blocked", FINDING_BLOCKED},
			 {"alloc", FINDING_ALLOC},         {"module_load", FINDING_MODULE_LOAD},
			 {"profiler", FINDING_PROFILER},   {"code", FINDING_HOST_CODE},
			 {"sync.device", FINDING_SYNC},    {"sync.mid", FINDING_SYNC},
			 {"sync.end", FINDING_SYNC},       {"sync", FINDING_SYNC},
			 {"host_func", FINDING_HOST_FUNC}, {"dependency", FINDING_DEPENDENCY},
			 {"shared", FINDING_SHARED}};

const struct finding_kind *replay_kind_named(const char *cause)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].cause, cause) == 0)
			return &finding_kinds[kinds[i].id];
	/* a part of it: what the host needs in most steps is asked of nobody */
	return strcmp(cause, "steady_host") == 0 ? &finding_kinds[FINDING_FRAMEWORK] : NULL;
}

const struct finding_kind *replay_kind(const struct summary *summary,
									   const struct culprit_summary *culprit)
{
	return replay_kind_named(summary_text(summary, culprit->cause));
}

struct replay_size replay_size_of(const struct summary *summary)
{
	struct replay_size size = {0};
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *d = &summary->devices[i];
		size.launches += (uint64_t)d->launches;
		size.per_step += d->steps > 0 ? (uint64_t)(d->launches / d->steps) : 0;
	}
	return size;
}

bool replay_is_single(const struct replay_size *size)
{
	return size->launches + size->per_step <= REPLAY_SINGLE_LAUNCHES;
}

/* Did the search for culprits end because nothing else wins enough? And has none this kind, whose
 * other ranks may lose by it too? */
static bool is_answered(const struct summary *summary, enum finding_id id)
{
	uint32_t choices = 0, group = 0;
	bool has = false;
	for (size_t i = 0; i < summary->n_culprits; i++) {
		const uint32_t own = summary->culprits[i].group;
		choices += summary->culprits[i].order > 0 && (own == 0 || own != group);
		group = own;
		has |= summary->culprits[i].order > 0 &&
			   replay_kind(summary, &summary->culprits[i]) == &finding_kinds[id];
	}
	return choices < REPLAY_CULPRITS_MOST && !has;
}

/* Each step, and each launch: in bundles small gains are lost. */
static bool replays_all(const struct summary *summary)
{
	const struct replay_size size = replay_size_of(summary);
	if (!replay_is_single(&size))
		return false;
	for (size_t i = 0; i < summary->n_devices; i++)
		if (summary->devices[i].steps > summary->culprits[0].steps)
			return false;
	return true;
}

static bool knows_small_gains(const struct summary *summary)
{
	return replay_knows(summary) && replay_sizes(summary) && replays_all(summary);
}

int64_t replay_copies_ns(const struct summary *summary)
{
	return knows_small_gains(summary) ? summary->culprits[0].alone_ns : -1;
}

int64_t replay_transfer_alone_ns(const struct summary *summary)
{
	return knows_small_gains(summary) ? summary->culprits[0].with_alone_ns : -1;
}

/* At most what the replay found that curing it wins, where that was asked. */
static int64_t capped(int64_t share_ns, int64_t gain_ns, int64_t least_ns)
{
	const int64_t most_ns = gain_ns > least_ns ? gain_ns : least_ns;
	return gain_ns < 0 || share_ns < most_ns ? share_ns : most_ns;
}

int64_t replay_rank_of_other(const struct summary *summary, enum finding_id id, int64_t share_ns)
{
	const int64_t transfer_ns = replay_transfer_ns(summary);
	bool asked = false;
	/* the replay knows who waits in it: the transfers are what nobody else is asked for */
	if (id == FINDING_UNSPLIT && replay_clears(summary) && replay_sizes(summary))
		return share_ns < transfer_ns ? share_ns : transfer_ns;
	const int64_t least_ns = replay_knows(summary) ? summary->culprits[0].step_ns / LEAST_PART : 0;
	if (id == FINDING_COPIES)
		return capped(share_ns, replay_copies_ns(summary), least_ns);
	if (id == FINDING_TRANSFER)
		return capped(share_ns, replay_transfer_alone_ns(summary), least_ns);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		asked |= kinds[i].id == id;
	if (!asked || !replay_knows(summary) || !replay_sizes(summary) || !replays_all(summary) ||
		!is_answered(summary, id))
		return share_ns;
	return share_ns < least_ns ? share_ns : least_ns;
}

const struct late_summary *replay_late_row(const struct summary *summary, size_t device)
{
	for (size_t i = 0; i < summary->n_late; i++)
		if (late_device(summary, &summary->late[i]) == device)
			return &summary->late[i];
	return NULL;
}

static bool is_on_host(const struct summary *summary, size_t device, const char *host)
{
	const struct device_host of = device_host(summary, device);
	return strlen(host) == of.chars && memcmp(of.at, host, of.chars) == 0;
}

/* Of a host the device whose lateness causes most. */
static size_t find_device(const struct summary *summary, const struct culprit_summary *culprit)
{
	size_t found = summary->n_devices;
	int64_t most_ns = -1;
	for (size_t i = 0; i < summary->n_devices; i++) {
		if (culprit->device && summary->devices[i].key == culprit->device)
			return i;
		if (culprit->device || !is_on_host(summary, i, summary_text(summary, culprit->host)))
			continue;
		const struct late_summary *late = replay_late_row(summary, i);
		if ((late ? late->caused_ns : 0) > most_ns) {
			most_ns = late ? late->caused_ns : 0;
			found = i;
		}
	}
	return found;
}

size_t replay_device(const struct summary *summary, const struct culprit_summary *culprit)
{
	const bool about_one = culprit->order > 0 && (culprit->device || culprit->host);
	return about_one ? find_device(summary, culprit) : summary->n_devices;
}
