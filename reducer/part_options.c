#include "part_options.h"

#include "base/decimal.h"
#include "base/diag.h"
#include "base/rank_list.h"
#include "conclude/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool whole_number(const char **at, int64_t *out)
{
	char *end;
	errno = 0;
	if (**at < '0' || **at > '9')
		return false;
	*out = strtoll(*at, &end, 10);
	*at = end;
	return errno == 0;
}

int part_steps_read(const struct invocation *call, bool *given, struct step_span *span)
{
	const char *text = option_text(call, "step", NULL), *at = text;
	*given = text != NULL;
	if (!text)
		return STATUS_OK;
	bool good = whole_number(&at, &span->from);
	span->to = span->from;
	if (good && strncmp(at, "..", 2) == 0) {
		at += 2;
		good = whole_number(&at, &span->to);
	}
	if (good && *at == 0 && span->from <= span->to)
		return STATUS_OK;
	diag("--step must be a step or two with '..' between them, not '%s'", text);
	return STATUS_USAGE;
}

/* Seconds; none: `otherwise`. */
static bool read_seconds(const char *at, size_t bytes, int64_t otherwise, int64_t *out)
{
	*out = otherwise;
	return bytes == 0 || (decimal_scaled(at, bytes, 9, out) == 0 && *out >= 0);
}

int part_time_read(const struct invocation *call, bool *given, struct time_span *span)
{
	const char *text = option_text(call, "time", NULL);
	const char *dots = text ? strstr(text, "..") : NULL;
	*given = text != NULL;
	*span = (struct time_span){.text = text, .since_start = true, .to_ns = INT64_MAX};
	if (!text)
		return STATUS_OK;
	if (dots && read_seconds(text, (size_t)(dots - text), 0, &span->from_ns) &&
		read_seconds(dots + 2, strlen(dots + 2), INT64_MAX, &span->to_ns) &&
		span->from_ns < span->to_ns)
		return STATUS_OK;
	diag("--time must be seconds with '..' between them, as 1.5..2, not '%s'", text);
	return STATUS_USAGE;
}

int part_ranks_read(const struct invocation *call, const char *name, const char **list)
{
	*list = option_text(call, name, NULL);
	if (!*list || rank_list_is(*list))
		return STATUS_OK;
	diag("--%s must be ranks as 0,4-7, not '%s'", name, *list);
	return STATUS_USAGE;
}

int part_device_read(const struct invocation *call, const char **name)
{
	*name = option_text(call, "device", NULL);
	if (!*name || (*name)[0])
		return STATUS_OK;
	diag("--device must be a GPU as HOST/ID, its ordinal or the beginning of its uuid, or a host");
	return STATUS_USAGE;
}

int part_options_read(const struct invocation *call, struct reduce_options *options)
{
	int status = part_device_read(call, &options->only_device);
	if (status == STATUS_OK)
		status = part_ranks_read(call, "rank", &options->only_ranks);
	if (status == STATUS_OK)
		status = part_steps_read(call, &options->only_steps, &options->steps);
	if (status == STATUS_OK)
		status = part_time_read(call, &options->only_time, &options->time);
	if (options->only_steps && options->only_time) {
		diag("--step and --time are two ways to choose steps: give one of them");
		status = STATUS_USAGE;
	}
	if (options->whole_run && options->only_time) {
		diag("--time chooses steps, and --steps none leaves none");
		status = STATUS_USAGE;
	}
	if (options->only_device || options->only_ranks || options->only_steps || options->only_time)
		options->store = false;
	/* the replay is of all devices together */
	options->no_replay |= options->only_device || options->only_ranks;
	return status;
}

static bool lacks_devices(const struct reduce_options *options)
{
	return options->only_device || options->only_ranks;
}

void part_forget_late(const struct reduce_options *options, struct summary *summary)
{
	if (lacks_devices(options))
		summary->n_late = summary->n_partial = 0;
}

void part_reword_wait(const struct reduce_options *options, struct findings *findings)
{
	for (size_t i = 0; i < findings->n && lacks_devices(options); i++) {
		struct finding *f = &findings->at[i];
		if (f->id != FINDING_WAIT)
			continue;
		snprintf(f->summary, sizeof(f->summary),
				 "Ranks wait in collectives; the report of all ranks says for whom");
		f->remedy[0] = 0;
	}
}

void part_options_words(const struct reduce_options *options, char *words, size_t bytes)
{
	size_t used = 0;
	words[0] = 0;
	if (options->only_ranks)
		used += (size_t)snprintf(words, bytes, "rank %s", options->only_ranks);
	if (options->only_device && used < bytes)
		used += (size_t)snprintf(words + used, bytes - used, "%sdevice %s", used ? ", " : "",
								 options->only_device);
	if (options->only_steps && used < bytes && options->steps.from == options->steps.to)
		snprintf(words + used, bytes - used, "%sstep %" PRId64, used ? ", " : "",
				 options->steps.from);
	else if (options->only_steps && used < bytes)
		snprintf(words + used, bytes - used, "%sstep %" PRId64 "..%" PRId64, used ? ", " : "",
				 options->steps.from, options->steps.to);
	else if (options->only_time && used < bytes)
		snprintf(words + used, bytes - used, "%stime %s s", used ? ", " : "", options->time.text);
}
