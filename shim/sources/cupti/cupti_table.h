/* The entries of CUPTI that are called, found at run time. One copy of CUPTI may be in use in a
 * process: the one that is loaded already wins. */
#ifndef SHIM_CUPTI_TABLE_H
#define SHIM_CUPTI_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef void (*cupti_callback)(void *user, int domain, uint32_t id, const void *data);

struct cupti_table {
	int (*subscribe)(void **subscriber, cupti_callback callback, void *user);
	int (*unsubscribe)(void *subscriber);
	int (*enable_callback)(uint32_t enable, void *subscriber, int domain, uint32_t id);
	int (*register_callbacks)(void (*requested)(uint8_t **bytes, size_t *size, size_t *most),
							  void (*completed)(void *context, uint32_t stream, uint8_t *bytes,
												size_t size, size_t valid));
	int (*enable)(int kind);
	int (*disable)(int kind);
	int (*flush_all)(uint32_t flag);
	int (*next_record)(uint8_t *bytes, size_t valid, void **record);
	int (*dropped)(void *context, uint32_t stream, size_t *n);
	int (*set_attribute)(int attribute, size_t *size, void *value);
	int (*set_thread_id_type)(int type);
	int (*result_string)(int result, const char **text);
	/* NULL in a library without them */
	int (*stream_id)(void *context, void *stream, uint8_t per_thread, uint32_t *id);
	int (*device_id)(void *context, uint32_t *device);
	int (*context_id)(void *context, uint32_t *id);
};

extern struct cupti_table cupti;

/* Loads it. NULL, or why not (static text). `path`: BATON_CUPTI, may be empty. */
const char *cupti_table_open(const char *path);

#endif
