#include "timeline/chrome_ops.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_PH,
	KEY_PID,
	KEY_TID,
	KEY_NAME,
	KEY_TS,
	KEY_DUR,
	KEY_THREAD_NAME,
	KEY_DP,
	KEY_STEP,
	KEY_STAGE,
	KEY_RANK,
	KEY_CHUNK,
	KEY_OTHER_CHUNK,
	KEY_MICROBATCH,
	KEY_OTHER_MICROBATCH,
	KEYS
};

const struct json_key chrome_keys[] = {
	[KEY_PH] = {"ph", false},
	[KEY_PID] = {"pid", false},
	[KEY_TID] = {"tid", false},
	[KEY_NAME] = {"name", false},
	[KEY_TS] = {"ts", false},
	[KEY_DUR] = {"dur", false},
	[KEY_THREAD_NAME] = {"name", true},
	[KEY_DP] = {"dp_rank", true},
	[KEY_STEP] = {"step", true},
	[KEY_STAGE] = {"stage", true},
	[KEY_RANK] = {"rank", true},
	[KEY_CHUNK] = {"chunk", true},
	[KEY_OTHER_CHUNK] = {"model_chunk", true},
	[KEY_MICROBATCH] = {"microbatch", true},
	[KEY_OTHER_MICROBATCH] = {"mb_id", true},
};
const size_t chrome_keys_n = KEYS;

/* The first that is there counts. */
static const struct {
	int key;
	struct op_field_name name;
} fields[] = {
	{KEY_NAME, {"name", FIELD_TYPE, 0, false}},
	{KEY_DP, {"args.dp_rank", FIELD_DP, 0, false}},
	{KEY_PID, {"pid", FIELD_DP, 0, false}},
	{KEY_TS, {"ts", FIELD_START, 3, false}},
	{KEY_DUR, {"dur", FIELD_DURATION, 3, true}},
	{KEY_STEP, {"args.step", FIELD_STEP, 0, false}},
	{KEY_STAGE, {"args.stage", FIELD_STAGE, 0, false}},
	{KEY_RANK, {"args.rank", FIELD_RANK, 0, false}},
	{KEY_CHUNK, {"args.chunk", FIELD_CHUNK, 0, false}},
	{KEY_OTHER_CHUNK, {"args.model_chunk", FIELD_CHUNK, 0, false}},
	{KEY_MICROBATCH, {"args.microbatch", FIELD_MICROBATCH, 0, false}},
	{KEY_OTHER_MICROBATCH, {"args.mb_id", FIELD_MICROBATCH, 0, false}},
};

/* The thread says it, at the end of the file. */
static const struct op_field_name by_thread = {"stage", FIELD_STAGE, 0, false};

static int add(struct chrome_threads *threads, const struct json_text *texts, uint32_t place)
{
	struct chrome_thread thread = {.place = place};
	if (!json_integer(texts[KEY_PID], &thread.pid) || !json_integer(texts[KEY_TID], &thread.tid))
		return -EBADMSG;
	if (room_for((void **)&threads->at, threads->n, &threads->room, 64, sizeof(*threads->at)) != 0)
		return -ENOMEM;
	threads->at[threads->n++] = thread;
	return 0;
}

/* "PP rank 3, TP rank 0, compute" */
static int take_name(struct chrome_ops *chrome, const struct json_text *texts)
{
	static const char words[] = "PP rank ";
	const struct json_text *name = &texts[KEY_THREAD_NAME];
	const size_t bytes = sizeof(words) - 1;
	uint32_t stage = 0, digits = 0;
	if (name->kind != JSON_STRING || name->bytes < bytes || memcmp(name->at, words, bytes) != 0)
		return 0;
	for (size_t i = bytes; i < name->bytes && name->at[i] >= '0' && name->at[i] <= '9'; i++) {
		stage = 10 * stage + (uint32_t)(name->at[i] - '0');
		if (++digits > 4 || stage >= STAGES_MOST)
			return 0;
	}
	if (digits == 0)
		return 0;
	int error = add(&chrome->stages, texts, stage);
	return error == -EBADMSG ? 0 : error;
}

int chrome_ops_take(struct chrome_ops *chrome, const struct json_text *texts,
					struct op_value values[FIELDS])
{
	if (json_is(texts[KEY_PH], "M")) {
		int error = take_name(chrome, texts);
		return error ? error : 1;
	}
	if (!json_is(texts[KEY_PH], "X"))
		return 1;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct json_text *text = &texts[fields[i].key];
		const struct op_field_name *name = &fields[i].name;
		if (text->kind != JSON_ABSENT && !values[name->field].name)
			values[name->field] = (struct op_value){text->at, text->bytes, name};
	}
	if (!values[FIELD_STAGE].name)
		values[FIELD_STAGE] = (struct op_value){"0", 1, &by_thread};
	return 0;
}

int chrome_ops_wait(struct chrome_ops *chrome, const struct json_text *texts, size_t row)
{
	if (texts[KEY_STAGE].kind != JSON_ABSENT)
		return 0;
	return row < UINT32_MAX ? add(&chrome->waiting, texts, (uint32_t)row) : -ENOMEM;
}

static int by_id(const void *left, const void *right)
{
	const struct chrome_thread *a = left, *b = right;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

int chrome_ops_finish(struct chrome_ops *chrome, struct op_rows *rows)
{
	const struct chrome_threads *stages = &chrome->stages;
	sort_rows(stages->at, stages->n, sizeof(*stages->at), by_id);
	for (size_t i = 0; i < chrome->waiting.n; i++) {
		const struct chrome_thread *op = &chrome->waiting.at[i];
		const struct chrome_thread *thread =
			stages->n ? bsearch(op, stages->at, stages->n, sizeof(*op), by_id) : NULL;
		if (!thread)
			return -EBADMSG;
		rows->at[op->place].stage = (uint16_t)thread->place;
	}
	return 0;
}

void chrome_ops_free(struct chrome_ops *chrome)
{
	free(chrome->stages.at);
	free(chrome->waiting.at);
	*chrome = (struct chrome_ops){0};
}
