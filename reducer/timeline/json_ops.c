/* A timeline as JSON: an array of objects, an object on each line, or Chrome's trace events. */
#include "import/json/json_event.h"
#include "import/json/json_scan.h"
#include "timeline/chrome_ops.h"
#include "timeline/op_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MOST = 64 };

struct objects {
	struct op_input *input;
	struct op_rows *rows;
	struct chrome_ops chrome;
	struct json_event_reader *reader;
	struct json_key keys[KEYS_MOST]; /* those of Chrome's events first */
	size_t n_keys;
	bool lines; /* an object on each line: read as an array whose bracket is put before it */
	bool begun;
	int error;           /* of the input */
	const char *trouble; /* the first: what is no JSON */
	uint64_t trouble_at;
};

/* Only errors ask for a line: the text before them is read again. */
static uint64_t line_at(const struct objects *o, uint64_t offset)
{
	struct inflate *stream;
	char buffer[16 << 10];
	uint64_t line = 1;
	offset -= o->lines && offset > 0;
	if (inflate_open(o->input->path, &stream) != 0)
		return 0;
	while (offset > 0) {
		const size_t room = offset < sizeof(buffer) ? (size_t)offset : sizeof(buffer);
		const ssize_t n = inflate_read(stream, buffer, room);
		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++)
			line += buffer[i] == '\n';
		offset -= (uint64_t)n;
	}
	inflate_close(stream);
	return line;
}

static int refuse(const struct objects *o, uint64_t offset, const char *what)
{
	return op_input_refuse(o->input, line_at(o, offset), what);
}

/* The fields of an operation. 0; 1: this is none; -ENOMEM. */
static int take_values(struct objects *o, const struct json_text *texts,
					   struct op_value values[FIELDS])
{
	if (texts[0].kind != JSON_ABSENT) /* `ph` */
		return chrome_ops_take(&o->chrome, texts, values);
	for (size_t i = 0; i < op_field_names_n; i++) {
		const struct op_field_name *name = &op_field_names[i];
		const struct json_text *text = &texts[chrome_keys_n + i];
		if (text->kind != JSON_ABSENT && !values[name->field].name)
			values[name->field] = (struct op_value){text->at, text->bytes, name};
	}
	return 0;
}

static int take_row(struct objects *o, const struct json_text *texts, uint64_t offset)
{
	struct op_value values[FIELDS] = {0};
	struct op_row row;
	char what[OP_TROUBLE_BYTES];
	int result = take_values(o, texts, values);
	if (result)
		return result == 1 ? 0 : result;
	const char *missing = op_fields_missing(values);
	if (missing) {
		snprintf(what, sizeof(what), "the object has no %s; docs/STRAGGLERS.md lists the keys%s",
				 missing,
				 texts[0].kind == JSON_ABSENT
					 ? ""
					 : " (`baton import` reads traces of the PyTorch profiler)");
		return refuse(o, offset, what);
	}
	if (!op_fields_read(values, &row, what))
		return refuse(o, offset, what);
	if (texts[0].kind != JSON_ABSENT) {
		result = chrome_ops_wait(&o->chrome, texts, o->rows->n);
		if (result)
			return result == -EBADMSG ? refuse(o, offset, "the event says no stage") : result;
	}
	return op_rows_add(o->rows, &row);
}

static int take_object(void *context, const char *at, size_t bytes, uint64_t offset)
{
	struct objects *o = context;
	struct json_text texts[KEYS_MOST];
	if (o->trouble)
		return refuse(o, o->trouble_at, o->trouble);
	int error = json_event_read(o->reader, at, bytes, texts);
	if (error == -EBADMSG)
		return refuse(o, offset, "this object is no JSON");
	return error ? error : take_row(o, texts, offset);
}

/* `what` is a constant of the scanner's. */
static void take_trouble(void *context, uint64_t offset, const char *what)
{
	struct objects *o = context;
	if (o->trouble)
		return;
	o->trouble = what;
	o->trouble_at = offset;
}

static void take_value(void *context, const char *key, const char *at, size_t bytes)
{
	(void)context, (void)key, (void)at, (void)bytes;
}

static ssize_t read_text(void *context, void *buffer, size_t room)
{
	struct objects *o = context;
	if (o->lines && !o->begun && room > 0) {
		o->begun = true;
		*(char *)buffer = '[';
		return 1;
	}
	ssize_t n = op_input_read(o->input, buffer, room);
	if (n < 0)
		o->error = (int)n;
	return n;
}

static void find_form(struct objects *o)
{
	const struct op_input *input = o->input;
	size_t i = 0;
	while (i < input->head_bytes && input->head[i] != '{' && input->head[i] != '[')
		i++;
	o->lines = i < input->head_bytes && input->head[i] == '{' &&
			   !memmem(input->head, input->head_bytes, "\"traceEvents\"", 13);
}

static int make_reader(struct objects *o)
{
	for (size_t i = 0; i < chrome_keys_n; i++)
		o->keys[o->n_keys++] = chrome_keys[i];
	for (size_t i = 0; i < op_field_names_n; i++)
		o->keys[o->n_keys++] = (struct json_key){op_field_names[i].name, false};
	o->reader = json_event_new(o->keys, o->n_keys);
	return o->reader ? 0 : -ENOMEM;
}

static int scan(struct objects *o)
{
	const struct json_input text = {read_text, o};
	const struct json_sink sink = {take_object, take_value, take_trouble, o};
	uint64_t offset;
	int error = json_scan(&text, &sink, &offset);
	if (error == OP_REFUSED || error == -ENOMEM)
		return error;
	if (o->trouble && o->error != -EBADMSG)
		return refuse(o, o->trouble_at, o->trouble);
	if (error == -EBADMSG && !o->error)
		return refuse(o, offset, "text that is no JSON");
	if (!error || error == -ENODATA || error == -EBADMSG) {
		int result = chrome_ops_finish(&o->chrome, o->rows);
		if (result)
			return op_input_refuse(o->input, 1,
								   "a thread with operations has no name that says its "
								   "stage (`PP rank 3`)");
	}
	return error;
}

int json_ops_read(struct op_input *input, struct op_rows *rows)
{
	struct objects *o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	o->input = input;
	o->rows = rows;
	find_form(o);
	int error = make_reader(o);
	error = error ? error : scan(o);
	json_event_free(o->reader);
	chrome_ops_free(&o->chrome);
	free(o);
	return error;
}
