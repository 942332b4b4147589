/* Looking up functions past our own hooks. dlsym() itself is interposed (shim/dlsym.c): what is
 * looked up here goes to the C library's. */
#ifndef SHIM_SYMBOLS_H
#define SHIM_SYMBOLS_H

#include <stdatomic.h>

/* A sanitizer's runtime looks up what it intercepts before it is ready for instrumented code. */
#define SYMBOLS_RAW __attribute__((no_sanitize("address", "thread", "undefined")))

/* One name that the interposed dlsym hands out wrapped. Where the wrapper forwards to is `real`:
 * empty until the first caller has asked, or the wrapper has found it itself. */
struct symbols_hook {
	const char *name;
	const char *twin; /* another name of the same function in its library, or NULL */
	void *wrapper;
	_Atomic(void *) *real;
	void (*find)(_Atomic(void *) *real, const char *name); /* fills real; may be NULL */
};

/* The C library's dlsym: found on first use, also before any constructor of ours. */
typedef void *(*symbols_dlsym)(void *handle, const char *name);
symbols_dlsym symbols_true(void);

/* `name` in the objects that follow this library. */
void *symbols_next(const char *name);
/* `name` in a library that is loaded already; never loads one. The library stays. */
void *symbols_in(const char *soname, const char *name);

#endif
