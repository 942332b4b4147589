/* For dlopen with RTLD_LOCAL: only its own scope has own_symbol. */
#include <dlfcn.h>

int own_symbol(void);
int own_symbol(void)
{
	return 42;
}

int local_default(void);
int local_default(void)
{
	int (*found)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "own_symbol");
	return found ? found() : -1;
}

/* bound to the oldest dlsym there is */
#if defined(__x86_64__)
__asm__(".symver old_dlsym, dlsym@GLIBC_2.2.5");
extern void *old_dlsym(void *handle, const char *name);
#else
#define old_dlsym dlsym
#endif

void *local_old(void *handle, const char *name);
void *local_old(void *handle, const char *name)
{
	return old_dlsym(handle, name);
}
