/* What stubs.py writes its functions with: they refuse, and say so the first time. */
#ifndef SIMGPU_DOUBLES_STUBS_STUB_H
#define SIMGPU_DOUBLES_STUBS_STUB_H

#include "doubles/observe.h"

#include <stdatomic.h>
#include <stdio.h>

static inline long stub_refuse(const char *name, long code, atomic_flag *said)
{
	if (!atomic_flag_test_and_set(said))
		fprintf(stderr, "simgpu: %s is not modelled, it fails (%ld)\n", name, code);
	return code;
}

/* A function of any parameters; the result fits wherever the real one's does. */
#define STUB(name_, code_)                          \
	SIM_API long name_(void);                       \
	long name_(void)                                \
	{                                               \
		static atomic_flag said = ATOMIC_FLAG_INIT; \
		return stub_refuse(#name_, code_, &said);   \
	}
/* The same of the driver: cuGetProcAddress finds it. */
#define STUB_ENTRY(name_, code_)                       \
	ENTRY(name_, void)                                 \
	{                                                  \
		static atomic_flag said = ATOMIC_FLAG_INIT;    \
		return (int)stub_refuse(#name_, code_, &said); \
	}
/* Functions that cannot fail: they answer without a word. */
#define STUB_NUMBER(name_, number_) \
	SIM_API long name_(void);       \
	long name_(void)                \
	{                               \
		return number_;             \
	}
#define STUB_TEXT(name_, text_)      \
	SIM_API const char *name_(void); \
	const char *name_(void)          \
	{                                \
		return text_;                \
	}
#define STUB_OBJECT(name_) \
	SIM_API int name_[16]; \
	int name_[16];

#endif
