#include "import/kineto/kineto_facts.h"

#include "import/json/json_event.h"
#include "import/json/json_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_DIGITS = 13 }; /* of a time of today in ms */

enum { DEVICE_ID, DEVICE_NAME, DEVICE_MEMORY, DEVICE_SMS, DEVICE_KEYS };

static const struct json_key device_keys[DEVICE_KEYS] = {
	[DEVICE_ID] = {"id", false},
	[DEVICE_NAME] = {"name", false},
	[DEVICE_MEMORY] = {"totalGlobalMem", false},
	[DEVICE_SMS] = {"numSms", false},
};

enum { WORLD_RANK, WORLD_SIZE, WORLD_KEYS };

static const struct json_key world_keys[WORLD_KEYS] = {
	[WORLD_RANK] = {"rank", false},
	[WORLD_SIZE] = {"world_size", false},
};

/* A number of a field in [0, most], else `otherwise`. */
static int64_t number_in(struct json_text text, int64_t most, int64_t otherwise)
{
	int64_t value;
	return json_integer(text, &value) && value >= 0 && value <= most ? value : otherwise;
}

static void copy_text(char *out, size_t room, struct json_text text)
{
	size_t bytes = text.bytes < room - 1 ? text.bytes : room - 1;
	size_t n = text.kind == JSON_STRING ? json_unescape(text.at, bytes, out) : 0;
	out[n] = 0;
}

struct device_list {
	struct kineto_facts *facts;
	struct json_event_reader *reader;
};

static int add_device(void *context, const char *at, size_t bytes, uint64_t offset)
{
	struct device_list *list = context;
	struct kineto_facts *facts = list->facts;
	struct json_text v[DEVICE_KEYS];
	(void)offset;
	int error = json_event_read(list->reader, at, bytes, v);
	if (error)
		return error;
	if (facts->n_devices == KINETO_DEVICES)
		return 0;
	struct kineto_device *device = &facts->devices[facts->n_devices];
	device->ordinal = (int32_t)number_in(v[DEVICE_ID], INT32_MAX, (int64_t)facts->n_devices);
	device->memory_bytes = (uint64_t)number_in(v[DEVICE_MEMORY], INT64_MAX, 0);
	device->sm_count = (uint32_t)number_in(v[DEVICE_SMS], UINT32_MAX, 0);
	copy_text(device->name, sizeof(device->name), v[DEVICE_NAME]);
	facts->n_devices++;
	return 0;
}

static void ignore_value(void *context, const char *key, const char *at, size_t bytes)
{
	(void)context, (void)key, (void)at, (void)bytes;
}

static void ignore_trouble(void *context, uint64_t offset, const char *what)
{
	(void)context, (void)offset, (void)what;
}

static int take_devices(struct kineto_facts *facts, const char *at, size_t bytes)
{
	struct device_list list = {facts, json_event_new(device_keys, DEVICE_KEYS)};
	struct json_sink sink = {add_device, ignore_value, ignore_trouble, &list};
	if (!list.reader)
		return -ENOMEM;
	int error = at[0] == '[' ? json_scan_text(at, bytes, &sink) : 0;
	json_event_free(list.reader);
	return error == -ENOMEM ? error : 0;
}

static int take_world(struct kineto_facts *facts, const char *at, size_t bytes)
{
	struct json_text v[WORLD_KEYS];
	struct json_event_reader *reader = json_event_new(world_keys, WORLD_KEYS);
	if (!reader)
		return -ENOMEM;
	int error = json_event_read(reader, at, bytes, v);
	if (!error) {
		facts->rank = (int32_t)number_in(v[WORLD_RANK], INT32_MAX, facts->rank);
		facts->world_size = (int32_t)number_in(v[WORLD_SIZE], INT32_MAX, facts->world_size);
	}
	json_event_free(reader);
	return error == -ENOMEM ? error : 0;
}

static int take_base(struct kineto_facts *facts, const char *at, size_t bytes)
{
	struct json_text text = {at, (uint32_t)bytes, JSON_NUMBER};
	facts->base_ns = number_in(text, INT64_MAX, 0);
	return 0;
}

static int take_schema(struct kineto_facts *facts, const char *at, size_t bytes)
{
	struct json_text text = {at, (uint32_t)bytes, JSON_STRING};
	copy_text(facts->schema, sizeof(facts->schema), text);
	return 0;
}

static int take_pytorch(struct kineto_facts *facts, const char *at, size_t bytes)
{
	if (bytes >= 2 && at[0] == '"') {
		struct json_text text = {at + 1, (uint32_t)bytes - 2, JSON_STRING};
		copy_text(facts->pytorch, sizeof(facts->pytorch), text);
	}
	return 0;
}

struct fact {
	const char *key;
	int (*take)(struct kineto_facts *facts, const char *at, size_t bytes);
};

static const struct fact known[] = {
	{"deviceProperties", take_devices}, {"distributedInfo", take_world},
	{"baseTimeNanoseconds", take_base}, {"schemaVersion", take_schema},
	{"pytorch_version", take_pytorch},  {"PT_VERSION", take_pytorch},
};

int kineto_facts_value(struct kineto_facts *facts, const char *key, const char *at, size_t bytes)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].key, key) == 0)
			return known[i].take(facts, at, bytes);
	return 0;
}

const struct kineto_device *kineto_facts_device(const struct kineto_facts *facts, int32_t ordinal)
{
	for (size_t i = 0; i < facts->n_devices; i++)
		if (facts->devices[i].ordinal == ordinal)
			return &facts->devices[i];
	return NULL;
}

/* ---- the file's name ---- */

/* A decimal number at *p, which moves past it; -1 when there is none or it is too large. */
static int64_t take_number(const char **p)
{
	int64_t value = 0;
	const char *begin = *p;
	for (; **p >= '0' && **p <= '9'; ++*p)
		if (value < INT64_MAX / 100)
			value = 10 * value + (**p - '0');
	return *p > begin && *p - begin < 18 ? value : -1;
}

static void rank_from_name(struct kineto_facts *facts, const char *name)
{
	for (const char *p = strstr(name, "rank"); p; p = strstr(p, "rank")) {
		p += strlen("rank");
		p += *p == '-' || *p == '_';
		int64_t rank = take_number(&p);
		if (rank >= 0 && rank <= INT32_MAX)
			facts->rank = (int32_t)rank;
	}
}

/* HOST_PID.TIMESTAMP.pt.trace.json with or without .gz; the host may contain underscores and dots.
 * The time is in ms (13 digits), since PyTorch 2.1 in ns (19). */
static void host_from_name(struct kineto_facts *facts, const char *name)
{
	const char *tail = strstr(name, ".pt.trace.json");
	if (!tail)
		return;
	for (const char *p = name + 1; *name && p < tail; p++) {
		const char *q = p + 1;
		int64_t pid = *p == '_' ? take_number(&q) : -1;
		if (pid <= 0 || *q++ != '.' || strspn(q, "0123456789") != (size_t)(tail - q) ||
			tail - q < TIME_DIGITS || (size_t)(p - name) >= sizeof(facts->host))
			continue;
		memcpy(facts->host, name, (size_t)(p - name));
		facts->host[p - name] = 0;
		facts->pid = pid;
	}
}

void kineto_facts_from_name(struct kineto_facts *facts, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	rank_from_name(facts, name);
	host_from_name(facts, name);
}
