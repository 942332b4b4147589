/* Python module `stackmod`: captures stacks through the shim and shows what was recorded, so that a
 * test can hold them against the interpreter's own frames. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "dict_double.h"
#include "ring/stack.h"
#include "sources/stacks/stacks.h"
#include "stacks/pyline.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static PyObject *open_(PyObject *self, PyObject *arguments)
{
	int mode;
	(void)self;
	if (!PyArg_ParseTuple(arguments, "i", &mode))
		return NULL;
	stacks_open((enum stacks_mode)mode);
	const char *why = stacks_why_off();
	if (why)
		return PyUnicode_FromString(why);
	Py_RETURN_NONE;
}

static PyObject *here(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	return PyLong_FromUnsignedLong(stack_here());
}

static PyObject *here_without_gil(PyObject *self, PyObject *nothing)
{
	uint32_t id;
	(void)self;
	(void)nothing;
	Py_BEGIN_ALLOW_THREADS;
	id = stack_here();
	Py_END_ALLOW_THREADS;
	return PyLong_FromUnsignedLong(id);
}

/* this_thread(): for outside(): its state, and whose it is. */
static PyObject *this_thread(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	return Py_BuildValue("KK", (unsigned long long)(uintptr_t)stack_thread(),
						 (unsigned long long)pthread_self());
}

/* outside((state, owner)): that thread's stack, seen from here. */
static PyObject *outside(PyObject *self, PyObject *thread)
{
	uint32_t id;
	unsigned long long state, owner;
	(void)self;
	if (!PyArg_ParseTuple(thread, "KK", &state, &owner))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	id = stack_of((const void *)(uintptr_t)state, owner);
	Py_END_ALLOW_THREADS;
	return PyLong_FromUnsignedLong(id);
}

struct in_c {
	PyObject *function;
	sem_t released;
};

static void *call_from_c(void *data)
{
	struct in_c *job = data;
	PyGILState_STATE state = PyGILState_Ensure();
	Py_XDECREF(PyObject_CallObject(job->function, NULL));
	PyGILState_Release(state);
	sem_post(&job->released);
	while (pause())
		;
	return NULL;
}

/* in_c(function, wait): a thread of C that calls it, and stays when Python has let go of it. */
static PyObject *in_c(PyObject *self, PyObject *arguments)
{
	struct in_c *job = malloc(sizeof(*job)); /* the thread's, for good */
	pthread_t thread;
	int wait;
	(void)self;
	if (!job || !PyArg_ParseTuple(arguments, "Op", &job->function, &wait))
		return NULL;
	Py_INCREF(job->function);
	sem_init(&job->released, 0, 0);
	if (pthread_create(&thread, NULL, call_from_c, job) != 0)
		return PyErr_NoMemory();
	pthread_detach(thread);
	Py_BEGIN_ALLOW_THREADS;
	if (wait)
		sem_wait(&job->released);
	Py_END_ALLOW_THREADS;
	Py_RETURN_NONE;
}

static PyObject *call(PyObject *self, PyObject *function)
{
	(void)self;
	return PyObject_CallObject(function, NULL);
}

static const char *innermost_function(uint32_t id)
{
	const struct baton_r_stack *stack = dict_double_find(BATON_R_STACK, id);
	const struct baton_frame *frame = (const struct baton_frame *)(stack + 1);
	const struct baton_r_code *code =
		stack && stack->frames ? dict_double_find(BATON_R_CODE, frame->of) : NULL;
	return code ? dict_double_text(code->function, NULL) : "";
}

/* verify(name, n): n captures in a row, the GIL given up meanwhile; how many do not say that the
 * caller is `name`. */
static PyObject *verify(PyObject *self, PyObject *arguments)
{
	const char *name;
	unsigned n;
	long wrong = 0;
	(void)self;
	if (!PyArg_ParseTuple(arguments, "sI", &name, &n))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	for (unsigned i = 0; i < n; i++)
		wrong += strcmp(innermost_function(stack_here()), name) != 0;
	Py_END_ALLOW_THREADS;
	return PyLong_FromLong(wrong);
}

static PyObject *frame_object(const struct baton_frame *frame)
{
	if (frame->kind == BATON_FRAME_PYTHON) {
		const struct baton_r_code *code = dict_double_find(BATON_R_CODE, frame->of);
		size_t file_bytes, function_bytes;
		const char *file = dict_double_text(code ? code->file : 0, &file_bytes);
		const char *function = dict_double_text(code ? code->function : 0, &function_bytes);
		struct pyline_table table = {0};
		if (code)
			table = (struct pyline_table){code->python, code->first_line, code->bytes,
										  (const uint8_t *)(code + 1)};
		PyObject *path = PyUnicode_DecodeFSDefaultAndSize(file, (Py_ssize_t)file_bytes);
		return Py_BuildValue("sNs#i", "python", path, function, (Py_ssize_t)function_bytes,
							 (int)pyline(&table, frame->offset));
	}
	const struct baton_r_module *module = dict_double_find(BATON_R_MODULE, frame->of);
	return Py_BuildValue("sssK", "native", dict_double_text(module ? module->path : 0, NULL),
						 dict_double_text(module ? module->build_id : 0, NULL),
						 (unsigned long long)frame->offset);
}

static PyObject *frames(PyObject *self, PyObject *argument)
{
	(void)self;
	const struct baton_r_stack *stack =
		dict_double_find(BATON_R_STACK, (uint32_t)PyLong_AsUnsignedLong(argument));
	PyObject *list = PyList_New(0);
	for (uint32_t i = 0; stack && i < stack->frames; i++) {
		PyObject *frame = frame_object((const struct baton_frame *)(stack + 1) + i);
		if (!frame || PyList_Append(list, frame) != 0)
			return NULL;
		Py_DECREF(frame);
	}
	return list;
}

static PyObject *count(PyObject *self, PyObject *argument)
{
	(void)self;
	return PyLong_FromUnsignedLong(dict_double_count((uint16_t)PyLong_AsUnsignedLong(argument)));
}

static PyObject *records(PyObject *self, PyObject *nothing)
{
	size_t bytes;
	(void)self;
	(void)nothing;
	const uint8_t *at = dict_double_all(&bytes);
	return PyBytes_FromStringAndSize((const char *)at, (Py_ssize_t)bytes);
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* bench(): median ns of stack_here() over many batches, here. */
static PyObject *bench(PyObject *self, PyObject *nothing)
{
	enum { BATCHES = 301, BATCH = 1000 };
	double ns[BATCHES];
	volatile uint32_t sink = 0;
	(void)self;
	(void)nothing;
	for (int b = 0; b < BATCHES; b++) {
		int64_t begin = now_ns();
		for (int i = 0; i < BATCH; i++)
			sink = sink + stack_here();
		ns[b] = (double)(now_ns() - begin) / BATCH;
	}
	qsort(ns, BATCHES, sizeof(*ns), ascending);
	return PyFloat_FromDouble(ns[BATCHES / 2]);
}

static PyMethodDef methods[] = {
	{"open", open_, METH_VARARGS, NULL},
	{"here", here, METH_NOARGS, NULL},
	{"here_without_gil", here_without_gil, METH_NOARGS, NULL},
	{"call", call, METH_O, NULL},
	{"this_thread", this_thread, METH_NOARGS, NULL},
	{"outside", outside, METH_O, NULL},
	{"in_c", in_c, METH_VARARGS, NULL},
	{"verify", verify, METH_VARARGS, NULL},
	{"frames", frames, METH_O, NULL},
	{"count", count, METH_O, NULL},
	{"records", records, METH_NOARGS, NULL},
	{"bench", bench, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030c0000
	{Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
	{0, NULL},
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "stackmod", NULL, 0, methods, slots, NULL, NULL, NULL,
};

__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit_stackmod(void);
PyMODINIT_FUNC PyInit_stackmod(void)
{
	return PyModuleDef_Init(&module);
}
