/* The "args" of events as torch.profiler writes them. */
#ifndef EXPORT_KINETO_ARGS_H
#define EXPORT_KINETO_ARGS_H

#include "export/sink.h"
#include "render/json.h"

/* Members of the object that is being written: of an op, a call, a row of the sync table. */
void kineto_args_op(struct json *json, const struct walk_slice *slice);
void kineto_args_call(struct json *json, const struct walk_slice *slice);
/* Of an operator. */
void kineto_args_operator(struct json *json, const struct walk_slice *slice);
/* `record`: the correlation of the event's record; 0: not known. */
void kineto_args_sync(struct json *json, const struct walk_row *row, uint64_t record);
/* "Stream Wait Event", ...; NULL: torch.profiler has no such event. */
const char *kineto_sync_name(int64_t kind);

#endif
