/* Included into every file of the shim. On x86-64 functions whose newest version is newer than the
 * C library of the containers that people train in are bound to their old versions, so that one
 * libbaton.so loads on glibc 2.17 and later (a test reads its symbol table). Before 2.34 they lived
 * in libpthread and libdl, which it therefore needs by name. */
#ifndef SHIM_GLIBC_H
#define SHIM_GLIBC_H

/* strtol, sscanf and their like read C23's binary numbers since 2.38, as functions of other names
 * (the macro was C2X's before 2.40). */
#include <features.h>
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

#if defined(__x86_64__) && defined(__linux__)

__asm__(".symver dladdr,dladdr@GLIBC_2.2.5");
__asm__(".symver dladdr1,dladdr1@GLIBC_2.3.3");
__asm__(".symver dlclose,dlclose@GLIBC_2.2.5");
__asm__(".symver dlerror,dlerror@GLIBC_2.2.5");
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlvsym,dlvsym@GLIBC_2.2.5");
__asm__(".symver glob,glob@GLIBC_2.2.5");
__asm__(".symver pthread_attr_setstacksize,pthread_attr_setstacksize@GLIBC_2.2.5");
__asm__(".symver pthread_create,pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_key_create,pthread_key_create@GLIBC_2.2.5");
__asm__(".symver pthread_once,pthread_once@GLIBC_2.2.5");
__asm__(".symver pthread_setcancelstate,pthread_setcancelstate@GLIBC_2.2.5");
__asm__(".symver pthread_setname_np,pthread_setname_np@GLIBC_2.12");
__asm__(".symver pthread_setspecific,pthread_setspecific@GLIBC_2.2.5");
__asm__(".symver pthread_sigmask,pthread_sigmask@GLIBC_2.2.5");

/* fstat and fstatat were inline functions around these before 2.33; 1 is the only layout x86-64
 * has. */
#include <sys/stat.h>

int shim_fxstat(int layout, int fd, struct stat *st);
int shim_fxstatat(int layout, int fd, const char *path, struct stat *st, int flags);
__asm__(".symver shim_fxstat,__fxstat@GLIBC_2.2.5");
__asm__(".symver shim_fxstatat,__fxstatat@GLIBC_2.4");

#define fstat(fd, st) shim_fxstat(1, (fd), (st))
#define fstatat(fd, path, st, flags) shim_fxstatat(1, (fd), (path), (st), (flags))

#endif

#endif
