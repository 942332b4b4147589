/* The run-time compiler: no source is understood. A compiled program is PTX with an empty entry for
 * every `extern "C" __global__` function of the source and every name that was asked for; the
 * libcuda double takes any kernel from any module by its name. */
#include "doubles/nvrtc/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum nvrtc_status {
	NVRTC_OK = 0,
	NVRTC_OUT_OF_MEMORY = 1,
	NVRTC_INVALID_INPUT = 3,
	NVRTC_INVALID_PROGRAM = 4,
	NVRTC_NO_NAMES_AFTER_COMPILATION = 8,
	NVRTC_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
	NVRTC_NAME_EXPRESSION_NOT_VALID = 10
};

#define PROGRAM_MAGIC 0x4e565254u

struct expression {
	struct expression *next;
	char *text, *lowered;
};

struct program {
	uint32_t magic;
	bool compiled;
	char *source;
	struct expression *expressions;
	char *ptx; /* with its final 0, as nvrtcGetPTX gives it */
	size_t ptx_bytes;
};

#define NVRTC_API(type_, name_, ...) \
	type_ name_(__VA_ARGS__);        \
	type_ name_(__VA_ARGS__)

static struct program *program_of(void *handle)
{
	struct program *program = handle;
	return program && program->magic == PROGRAM_MAGIC ? program : NULL;
}

NVRTC_API(int, nvrtcVersion, int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_INVALID_INPUT;
	*major = CUDA_MAJOR;
	*minor = CUDA_MAJOR >= 13 ? 2 : 8;
	return NVRTC_OK;
}

NVRTC_API(const char *, nvrtcGetErrorString, int status)
{
	static const char *const names[] = {
		"NVRTC_SUCCESS",
		"NVRTC_ERROR_OUT_OF_MEMORY",
		"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
		"NVRTC_ERROR_INVALID_INPUT",
		"NVRTC_ERROR_INVALID_PROGRAM",
		"NVRTC_ERROR_INVALID_OPTION",
		"NVRTC_ERROR_COMPILATION",
		"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
		"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
		"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
		"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
		"NVRTC_ERROR_INTERNAL_ERROR",
	};
	bool known = status >= 0 && status < (int)(sizeof(names) / sizeof(names[0]));
	return known ? names[status] : "NVRTC_ERROR unknown";
}

/* ---- programs ---- */

NVRTC_API(int, nvrtcCreateProgram, void **handle, const char *source, const char *name,
		  int n_headers, const char *const *headers, const char *const *header_names)
{
	(void)name, (void)headers, (void)header_names;
	if (!handle || !source || n_headers < 0)
		return NVRTC_INVALID_INPUT;
	struct program *program = calloc(1, sizeof(*program));
	if (program)
		program->source = strdup(source);
	if (!program || !program->source) {
		free(program);
		return NVRTC_OUT_OF_MEMORY;
	}
	program->magic = PROGRAM_MAGIC;
	*handle = program;
	return NVRTC_OK;
}

NVRTC_API(int, nvrtcDestroyProgram, void **handle)
{
	struct program *program = handle ? program_of(*handle) : NULL;
	if (!program)
		return NVRTC_INVALID_PROGRAM;
	while (program->expressions) {
		struct expression *first = program->expressions;
		program->expressions = first->next;
		free(first->text);
		free(first->lowered);
		free(first);
	}
	program->magic = 0;
	free(program->source);
	free(program->ptx);
	free(program);
	*handle = NULL;
	return NVRTC_OK;
}

NVRTC_API(int, nvrtcAddNameExpression, void *handle, const char *text)
{
	struct program *program = program_of(handle);
	if (!program)
		return NVRTC_INVALID_PROGRAM;
	if (!text || !*text)
		return NVRTC_INVALID_INPUT;
	if (program->compiled)
		return NVRTC_NO_NAMES_AFTER_COMPILATION;
	struct expression *expression = calloc(1, sizeof(*expression));
	char *copy = strdup(text), *lowered = source_lowered(text);
	if (!expression || !copy || !lowered) {
		free(expression);
		free(copy);
		free(lowered);
		return NVRTC_OUT_OF_MEMORY;
	}
	*expression = (struct expression){program->expressions, copy, lowered};
	program->expressions = expression;
	return NVRTC_OK;
}

NVRTC_API(int, nvrtcGetLoweredName, void *handle, const char *text, const char **lowered)
{
	const struct program *program = program_of(handle);
	if (!program)
		return NVRTC_INVALID_PROGRAM;
	if (!text || !lowered)
		return NVRTC_INVALID_INPUT;
	if (!program->compiled)
		return NVRTC_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	for (const struct expression *e = program->expressions; e; e = e->next)
		if (strcmp(e->text, text) == 0) {
			*lowered = e->lowered;
			return NVRTC_OK;
		}
	return NVRTC_NAME_EXPRESSION_NOT_VALID;
}

/* ---- compiling ---- */

static void write_entry(void *out, const char *name, size_t length)
{
	fprintf(out, "\n.visible .entry %.*s()\n{\n\tret;\n}\n", (int)length, name);
}

NVRTC_API(int, nvrtcCompileProgram, void *handle, int n_options, const char *const *options)
{
	struct program *program = program_of(handle);
	if (!program)
		return NVRTC_INVALID_PROGRAM;
	if (n_options < 0 || (n_options && !options))
		return NVRTC_INVALID_INPUT;
	if (program->compiled)
		return NVRTC_OK;
	FILE *out = open_memstream(&program->ptx, &program->ptx_bytes);
	if (!out)
		return NVRTC_OUT_OF_MEMORY;
	fprintf(out, ".version 8.0\n.target sm_80\n.address_size 64\n");
	source_kernels(program->source, write_entry, out);
	for (const struct expression *e = program->expressions; e; e = e->next)
		write_entry(out, e->lowered, strlen(e->lowered));
	if (fclose(out))
		return NVRTC_OUT_OF_MEMORY;
	program->compiled = true;
	return NVRTC_OK;
}

/* ---- what came out: PTX, which stands for a CUBIN too ---- */

static int size_of(void *handle, size_t *bytes)
{
	const struct program *program = program_of(handle);
	if (!program)
		return NVRTC_INVALID_PROGRAM;
	if (!bytes)
		return NVRTC_INVALID_INPUT;
	*bytes = program->compiled ? program->ptx_bytes + 1 : 0;
	return NVRTC_OK;
}

static int image_of(void *handle, char *image)
{
	const struct program *program = program_of(handle);
	if (!program)
		return NVRTC_INVALID_PROGRAM;
	if (!image || !program->compiled)
		return NVRTC_INVALID_INPUT;
	memcpy(image, program->ptx, program->ptx_bytes + 1);
	return NVRTC_OK;
}

NVRTC_API(int, nvrtcGetPTXSize, void *handle, size_t *bytes)
{
	return size_of(handle, bytes);
}

NVRTC_API(int, nvrtcGetPTX, void *handle, char *image)
{
	return image_of(handle, image);
}

NVRTC_API(int, nvrtcGetCUBINSize, void *handle, size_t *bytes)
{
	return size_of(handle, bytes);
}

NVRTC_API(int, nvrtcGetCUBIN, void *handle, char *image)
{
	return image_of(handle, image);
}

/* An empty log: its final 0. */
NVRTC_API(int, nvrtcGetProgramLogSize, void *handle, size_t *bytes)
{
	if (!program_of(handle))
		return NVRTC_INVALID_PROGRAM;
	if (!bytes)
		return NVRTC_INVALID_INPUT;
	*bytes = 1;
	return NVRTC_OK;
}

NVRTC_API(int, nvrtcGetProgramLog, void *handle, char *log)
{
	if (!program_of(handle))
		return NVRTC_INVALID_PROGRAM;
	if (!log)
		return NVRTC_INVALID_INPUT;
	log[0] = 0;
	return NVRTC_OK;
}
