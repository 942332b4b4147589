/* The driver's entries that the callers use, by whatever way they got them. */
#ifndef SIMTRAIN_CALLERS_DRIVER_H
#define SIMTRAIN_CALLERS_DRIVER_H

#include <stddef.h>

typedef void *function;
typedef int (*get_proc)(const char *name, void **entry, int version, unsigned long long flags,
						int *status);

struct launch_config { /* CUlaunchConfig */
	unsigned grid[3], block[3], shared;
	void *stream;
	void *attributes;
	unsigned attribute_count;
};
_Static_assert(sizeof(struct launch_config) == 56, "CUlaunchConfig");

struct driver {
	int (*init)(unsigned flags);
	int (*retain)(void **context, int device);
	int (*set_current)(void *context);
	int (*load)(void **module, const void *image);
	int (*get_function)(function *out, void *module, const char *name);
	int (*launch)(function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
				  unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
	int (*launch_ex)(const struct launch_config *config, function f, void **arguments,
					 void **extra);
	int (*synchronize)(void);
};

/* Initialises the driver, makes device 0 current on this thread, loads the kernel. 0 or a
 * CUresult. */
static inline int driver_prepare(const struct driver *driver, const char *name, function *out)
{
	static const unsigned long long image[2] = {0x00010000ba55ed50ull, 0};
	void *context, *module;
	int status = driver->init(0);

	if (!status)
		status = driver->retain(&context, 0);
	if (!status)
		status = driver->set_current(context);
	if (!status)
		status = driver->load(&module, image);
	return status ? status : driver->get_function(out, module, name);
}

#endif
