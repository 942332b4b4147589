/* The interposed dlsym: a program that looks up one of our names by a library's handle (a static
 * cudart asks libcuda for cuGetProcAddress_v2) gets our wrapper; everybody else goes on to the C
 * library's own with their own return address, from which it takes the scope of RTLD_NEXT and
 * RTLD_DEFAULT and the name in dlerror()'s text (dlsym_x86_64.S, dlsym_aarch64.S). */
#ifndef SHIM_DLSYM_H
#define SHIM_DLSYM_H

#include <stdatomic.h>

/* One name that is handed out wrapped. Where the wrapper forwards to is `real`: empty until the
 * first caller has asked, or the wrapper has found it itself. */
struct dlsym_name {
	const char *name;
	const char *twin; /* another name of the same function in its library, or NULL */
	void *wrapper;
	_Atomic(void *) *real;
	void (*find)(_Atomic(void *) *real, const char *name); /* fills real; may be NULL */
};

/* The tables, each sorted by name. */
extern const struct dlsym_name nccl_names[];
extern const unsigned nccl_names_count;
extern const struct dlsym_name driver_names[];
extern const unsigned driver_names_count;

/* The C library's dlsym: found on first use, also before any constructor of ours. */
typedef void *(*dlsym_function)(void *handle, const char *name);
dlsym_function dlsym_true(void);

/* `name` in the objects that follow this library. */
void *dlsym_next(const char *name);
/* `name` in a library that is loaded already; never loads one. The library stays. */
void *dlsym_in(const char *soname, const char *name);

#endif
