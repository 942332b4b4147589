/* What the probe meets on other machines and the doubles of build/release/simgpu do not do: driver
 * calls that crash, hang or end the process, functions that are missing. Linked into the probe of
 * its test with --wrap=dlsym; everything else is the doubles' own.
 *
 * PLANT_CRASH=NAME, PLANT_HANG=NAME, PLANT_EXIT=NAME: in that function. PLANT_MISSING="NAME NAME":
 * they are not found. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOMAIN_SYNCHRONIZE = 4 };

typedef int (*enable_domain)(uint32_t enable, void *subscriber, int domain);

void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);

static enable_domain real_enable_domain;

static bool is(const char *variable, const char *name)
{
	const char *planted = getenv(variable);

	return planted && strcmp(planted, name) == 0;
}

static bool missing(const char *name)
{
	const char *list = getenv("PLANT_MISSING"), *at = list;
	size_t n = strlen(name);

	for (; at && (at = strstr(at, name)) != NULL; at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
			return true;
	return false;
}

static int crash(void)
{
	return raise(SIGSEGV);
}

static int hang(void)
{
	for (;;)
		pause();
	return 0;
}

static int leave(void)
{
	_exit(9);
}

/* The double has no synchronise callbacks; CUPTI takes the domain. */
static int enable_any_domain(uint32_t enable, void *subscriber, int domain)
{
	return domain == DOMAIN_SYNCHRONIZE ? 0 : real_enable_domain(enable, subscriber, domain);
}

void *__wrap_dlsym(void *handle, const char *name)
{
	void *found = __real_dlsym(handle, name);

	if (missing(name))
		return NULL;
	if (is("PLANT_CRASH", name))
		return (void *)crash;
	if (is("PLANT_HANG", name))
		return (void *)hang;
	if (is("PLANT_EXIT", name))
		return (void *)leave;
	if (found && strcmp(name, "cuptiEnableDomain") == 0) {
		real_enable_domain = (enable_domain)found;
		return (void *)enable_any_domain;
	}
	return found;
}
