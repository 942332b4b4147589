#include "sources/nvtx/nvtx.h"

#include "base/clock.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/thread_name.h"
#include "sources/nvtx/nvtx_ranges.h"
#include "sources/nvtx/nvtx_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* ---- NVTX's binary interface, the parts that are used; versions 1 to 3 agree in them ---- */

enum { TABLE_CALLBACKS = 1 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum { MESSAGE_ASCII = 1, MESSAGE_UNICODE = 2, MESSAGE_REGISTERED = 3 };

struct callbacks {
	size_t struct_size;
	int (*module_table)(int module, void ****table, unsigned *size);
};

struct attributes {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type;
	int32_t zero;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};
_Static_assert(sizeof(struct attributes) == 48, "nvtxEventAttributes_t");
_Static_assert(offsetof(struct attributes, message) == 40, "nvtxEventAttributes_t");

/* ---- names ---- */

#define NARROW_BYTES 1024u

static struct nvtx_name name_bytes(const struct baton_lane *lane, const char *text, size_t bytes)
{
	if (lane)
		return (struct nvtx_name){.id = dict_string(text, bytes)};
	return (struct nvtx_name){.text = nvtx_text(text, bytes)};
}

static struct nvtx_name name_ascii(const struct baton_lane *lane, const char *text)
{
	if (!text)
		return (struct nvtx_name){0};
	return name_bytes(lane, text, strnlen(text, NVTX_TEXT_LIMIT));
}

static struct nvtx_name name_wide(const struct baton_lane *lane, const wchar_t *text)
{
	char narrow[NARROW_BYTES];
	if (!text)
		return (struct nvtx_name){0};
	return name_bytes(lane, narrow, nvtx_text_narrow(text, narrow, sizeof(narrow)));
}

static struct nvtx_name name_event(const struct baton_lane *lane, const struct attributes *event)
{
	if (event && event->size >= sizeof(*event)) {
		if (event->message_type == MESSAGE_ASCII)
			return name_ascii(lane, event->message);
		if (event->message_type == MESSAGE_UNICODE)
			return name_wide(lane, event->message);
		if (event->message_type == MESSAGE_REGISTERED)
			return (struct nvtx_name){.text = event->message};
	}
	return (struct nvtx_name){0};
}

/* ---- one call of the program ---- */

struct visit {
	struct baton_lane *lane; /* NULL: nothing is recorded yet */
	int saved_errno;
};

static inline bool enter(struct visit *visit)
{
	if (SHIM_UNLIKELY(recording_is_over()))
		return false;
	visit->lane = recording_is_open() ? lane_here() : NULL;
	return guard_enter(&visit->saved_errno);
}

static inline void leave(const struct visit *visit)
{
	guard_leave(visit->saved_errno);
}

/* `name` as one of name_ascii, name_wide, name_event. A call out of the shim itself is not one of
 * the program's. */
#define PUSH(domain, name, text)                                       \
	struct visit visit;                                                \
	if (!enter(&visit))                                                \
		return 0;                                                      \
	int level = nvtx_push(visit.lane, domain, name(visit.lane, text)); \
	leave(&visit);                                                     \
	return level

#define START(domain, name, text)                                         \
	struct visit visit;                                                   \
	if (!enter(&visit))                                                   \
		return 0;                                                         \
	uint64_t id = nvtx_start(visit.lane, domain, name(visit.lane, text)); \
	leave(&visit);                                                        \
	return id

#define MARK(domain, name, text)                                       \
	uint64_t ticks = clock_ticks();                                    \
	struct visit visit;                                                \
	if (!enter(&visit))                                                \
		return;                                                        \
	if (visit.lane)                                                    \
		write_mark(visit.lane, domain, name(visit.lane, text), ticks); \
	leave(&visit)

static void write_mark(struct baton_lane *lane, const struct nvtx_text *domain,
					   struct nvtx_name name, uint64_t ticks)
{
	lane_put(lane, (struct baton_slot){.begin = ticks,
									   .end = ticks,
									   .name = name.text ? nvtx_text_id(name.text) : name.id,
									   .aux = BATON_RANGE_MARK,
									   .type = BATON_SLOT_RANGE,
									   .correlation = nvtx_text_id(domain)});
}

/* ---- push and pop ---- */

static int push_ascii(const char *text)
{
	PUSH(NULL, name_ascii, text);
}

static int push_wide(const wchar_t *text)
{
	PUSH(NULL, name_wide, text);
}

static int push_event(const struct attributes *event)
{
	PUSH(NULL, name_event, event);
}

static int domain_push(const struct nvtx_text *domain, const struct attributes *event)
{
	PUSH(domain, name_event, event);
}

static int domain_pop(const struct nvtx_text *domain)
{
	uint64_t end = clock_ticks();
	struct visit visit;
	if (!enter(&visit))
		return 0;
	int level = nvtx_pop(visit.lane, domain, end);
	leave(&visit);
	return level;
}

static int pop(void)
{
	return domain_pop(NULL);
}

/* ---- start and end ---- */

static uint64_t start_ascii(const char *text)
{
	START(NULL, name_ascii, text);
}

static uint64_t start_wide(const wchar_t *text)
{
	START(NULL, name_wide, text);
}

static uint64_t start_event(const struct attributes *event)
{
	START(NULL, name_event, event);
}

static uint64_t domain_start(const struct nvtx_text *domain, const struct attributes *event)
{
	START(domain, name_event, event);
}

static void end_range(uint64_t id)
{
	uint64_t end = clock_ticks();
	struct visit visit;
	if (!enter(&visit))
		return;
	nvtx_end(visit.lane, id, end);
	leave(&visit);
}

static void domain_end(const struct nvtx_text *domain, uint64_t id)
{
	(void)domain;
	end_range(id);
}

/* ---- marks ---- */

static void mark_ascii(const char *text)
{
	MARK(NULL, name_ascii, text);
}

static void mark_wide(const wchar_t *text)
{
	MARK(NULL, name_wide, text);
}

static void mark_event(const struct attributes *event)
{
	MARK(NULL, name_event, event);
}

static void domain_mark(const struct nvtx_text *domain, const struct attributes *event)
{
	MARK(domain, name_event, event);
}

/* ---- handles: never NULL, or NVTX takes it that nobody listens ---- */

static const struct nvtx_text *keep_ascii(const char *text)
{
	return nvtx_text(text ? text : "", text ? strnlen(text, NVTX_TEXT_LIMIT) : 0);
}

static const struct nvtx_text *keep_wide(const wchar_t *text)
{
	char narrow[NARROW_BYTES];
	return nvtx_text(narrow, text ? nvtx_text_narrow(text, narrow, sizeof(narrow)) : 0);
}

static const struct nvtx_text *register_ascii(const struct nvtx_text *domain, const char *text)
{
	(void)domain;
	return keep_ascii(text);
}

static const struct nvtx_text *register_wide(const struct nvtx_text *domain, const wchar_t *text)
{
	(void)domain;
	return keep_wide(text);
}

/* ---- names of threads ---- */

static void name_thread(uint32_t tid, const struct nvtx_text *name)
{
	thread_name_give(tid, name->bytes ? name->text : NULL);
}

static void name_thread_ascii(uint32_t tid, const char *text)
{
	name_thread(tid, keep_ascii(text));
}

static void name_thread_wide(uint32_t tid, const wchar_t *text)
{
	name_thread(tid, keep_wide(text));
}

/* ---- attaching ---- */

struct place {
	unsigned at;
	void *function;
};

static const struct place core[] = {
	{1, (void *)mark_event},        {2, (void *)mark_ascii},  {3, (void *)mark_wide},
	{4, (void *)start_event},       {5, (void *)start_ascii}, {6, (void *)start_wide},
	{7, (void *)end_range},         {8, (void *)push_event},  {9, (void *)push_ascii},
	{10, (void *)push_wide},        {11, (void *)pop},        {14, (void *)name_thread_ascii},
	{15, (void *)name_thread_wide},
};

static const struct place core2[] = {
	{1, (void *)domain_mark},    {2, (void *)domain_start}, {3, (void *)domain_end},
	{4, (void *)domain_push},    {5, (void *)domain_pop},   {10, (void *)register_ascii},
	{11, (void *)register_wide}, {12, (void *)keep_ascii},  {13, (void *)keep_wide},
};

static bool attach(const struct callbacks *callbacks, int module, const struct place *places,
				   size_t n)
{
	void ***table = NULL;
	unsigned size = 0;
	if (!callbacks->module_table(module, &table, &size) || !table)
		return false;
	for (size_t i = 0; i < n; i++)
		if (places[i].at < size && table[places[i].at])
			*table[places[i].at] = places[i].function;
	return true;
}

static void open_once(void)
{
	nvtx_text_open();
	if (!recording_is_open()) /* which has opened it */
		clock_open();
}

SHIM_EXPORT int InitializeInjectionNvtx2(nvtx_get get)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const struct callbacks *callbacks = get ? get(TABLE_CALLBACKS) : NULL;

	if (!callbacks || callbacks->struct_size < sizeof(*callbacks) || !callbacks->module_table)
		return 0;
	int saved_errno = errno;
	pthread_once(&once, open_once);
	bool attached = attach(callbacks, MODULE_CORE, core, sizeof(core) / sizeof(core[0]));
	attach(callbacks, MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	errno = saved_errno;
	return attached;
}

SHIM_EXPORT int InitializeInjectionNvtx(nvtx_get get)
{
	return InitializeInjectionNvtx2(get);
}
