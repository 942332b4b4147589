/* Interpreters that must be refused: of an unknown version, free-threaded, or laid out otherwise
 * than their version says. This program exports what makes it look like each. Keeps out: a crash in
 * the launch of a job whose Python is not one that we know. */
#include "check.h"
#include "ring/stack.h"
#include "sources/stacks/python.h"
#include "sources/stacks/stacks.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT unsigned long Py_Version;
EXPORT char PyCode_Type[256], PyUnicode_Type[256], PyBytes_Type[256];
EXPORT struct {
	char cookie[8];
	uint64_t version, free_threaded, rest[64];
} _PyRuntime;

static uint64_t state[32], cframe[4], frame[32], code[64];
static int finalizing;

EXPORT void *PyGILState_GetThisThreadState(void);
EXPORT void *PyGILState_GetThisThreadState(void)
{
	return state;
}

EXPORT int _Py_IsFinalizing(void);
EXPORT int _Py_IsFinalizing(void)
{
	return finalizing;
}

struct refusal {
	const char *name;
	uint32_t version;
	uint64_t free_threaded;
	const char *cookie;
	uintptr_t first_frame; /* 0: `frame` */
	uintptr_t first_code;  /* 0: `code` */
	const char *why;       /* part of the reason; NULL: none, there is just no Python frame */
};

static const struct refusal refusals[] = {
	{"older", 0x030711f0, 0, "", 0, 0, "3.8 or later"},
	{"newer", 0x030e00f0, 0, "xdebugpy", 0, 0, "up to CPython 3.13"},
	{"next major", 0x040000f0, 0, "xdebugpy", 0, 0, "3.8 or later"},
	{"free-threaded", 0x030d00f0, 1, "xdebugpy", 0, 0, "free-threaded"},
	{"no layout", 0x030d00f0, 0, "", 0, 0, "publish its layout"},
	{"frame nowhere", 0x030c01f0, 0, "", 0x7f0000000000, 0, "not laid out"},
	{"frame odd", 0x030c01f0, 0, "", 0x10003, 0, "not laid out"},
	{"code nowhere", 0x030c01f0, 0, "", 0, 0x7f0000000000, "not laid out"},
	{"code of another type", 0x030c01f0, 0, "", 0, 0, "not laid out"},
	{"finalizing", 0x030c01f0, 0, "", 0x7f0000000000, 0, NULL},
};

static void refuse(const struct refusal *r)
{
	Py_Version = r->version;
	memcpy(_PyRuntime.cookie, r->cookie, strlen(r->cookie));
	_PyRuntime.version = r->version;
	_PyRuntime.free_threaded = r->free_threaded;
	finalizing = strcmp(r->name, "finalizing") == 0;
	state[56 / 8] = (uintptr_t)cframe;
	cframe[0] = r->first_frame ? r->first_frame : (uintptr_t)frame;
	frame[0] = r->first_code ? r->first_code : (uintptr_t)code;
	frame[56 / 8] = (uintptr_t)code + 200;
	stacks_open(STACKS_PYTHON);
	for (int i = 0; i < 3; i++)
		CHECK(stack_here() == 0, "%s: a stack", r->name);
	const char *why = stacks_why_off();
	CHECK(r->why ? why && strstr(why, r->why) : !why, "%s: '%s'", r->name, why ? why : "no reason");
	stacks_open(STACKS_PYTHON);
	CHECK(stack_here() == 0, "%s: a stack after opening again", r->name);
}

/* One refusal a process: what is found out about an interpreter holds for good. */
int main(int argc, char **argv)
{
	size_t n = sizeof(refusals) / sizeof(*refusals), which = argc > 1 ? (size_t)atoi(argv[1]) : n;
	if (which >= n)
		return 77; /* no more of them */
	refuse(&refusals[which]);
	return finish();
}
