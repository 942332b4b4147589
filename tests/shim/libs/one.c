/* Looks things up in the scopes that depend on who asks, in its constructor too. */
#include <dlfcn.h>
#include <stddef.h>

int probe(void);
int probe(void)
{
	return 1;
}

static int next(void)
{
	int (*found)(void) = (int (*)(void))dlsym(RTLD_NEXT, "probe");
	return found ? found() : -1;
}

static int early;

__attribute__((constructor)) static void look_early(void)
{
	early = next();
}

int one_next(void);
int one_next(void)
{
	return next();
}

int one_early(void);
int one_early(void)
{
	return early;
}

const char *one_error(void);
const char *one_error(void)
{
	dlerror();
	return dlsym(RTLD_NEXT, "nothing_has_this_name") ? "found" : dlerror();
}
