/* Inputs of operators, as payloads in JSON of NVTX ranges. */
#include "export/nsys_source.h"
#include "render/json.h"

#include <errno.h>
#include <stdlib.h>

/* Texts as strings, so that nothing that a profile had in them can change the object. 0 or -ENOMEM. */
static int make_string(struct nsys_source *source, const struct trace_inputs *inputs, uint32_t *id)
{
	const struct strings *strings = &source->file.trace.strings;
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	if (!file)
		return -ENOMEM;
	struct json json = {.out = file};
	json_object(&json, NULL);
	json_text(&json, "Input Dims", strings_get(strings, inputs->shapes).at);
	if (strings_get(strings, inputs->types).bytes)
		json_text(&json, "Input type", strings_get(strings, inputs->types).at);
	json_end_object(&json);
	const bool failed = fclose(file) != 0;
	if (!failed)
		*id = nsys_string(&source->out->tables, (struct text){text, (uint32_t)bytes});
	free(text);
	return failed ? -ENOMEM : 0;
}

void nsys_put_inputs(struct nsys_source *source, const struct rows *range)
{
	const struct trace *trace = &source->file.trace;
	const uint32_t number =
		idmap_get(&trace->input_ids, (uint64_t)rows_optional(range, RANGE_INPUTS, 0));
	if (!number)
		return;
	uint32_t *id = &source->inputs[number];
	const int error = *id ? 0 : make_string(source, &trace->inputs[number], id);
	if (error && !source->out->tables.error)
		source->out->tables.error = error;
	if (*id)
		nsys_put(&source->out->tables, RANGE_jsonTextId, *id);
}
