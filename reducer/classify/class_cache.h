/* The classes of kernel names. Each name is classified once per run, because most ranks run the
 * same kernels. Any number of threads may ask. Memory is proportional to the distinct names, which
 * the summary holds too. */
#ifndef CLASSIFY_CLASS_CACHE_H
#define CLASSIFY_CLASS_CACHE_H

#include "classify/classify.h"

struct class_cache;
int class_cache_open(const struct classifier *classifier,
					 struct class_cache **out); /* 0 or -ENOMEM */
void class_cache_close(struct class_cache *cache);

/* The same as classifier_name(). */
void class_cache_name(struct class_cache *cache, const char *name, size_t name_bytes,
					  struct kernel_class *out);

#endif
