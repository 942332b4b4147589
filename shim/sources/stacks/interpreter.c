#include "sources/stacks/interpreter.h"

#include "sources/stacks/python_layout.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

static const struct layout layouts[] = {
	[8] = {24, -1, 24, 32, 104, 0, 0, 1, 40, 0, 104, 112, 0, 120, 0, 48, 72, 0, 0},
	[9] = {24, -1, 24, 32, 104, 0, 0, 1, 40, 0, 104, 112, 0, 120, 0, 48, 72, 0, 0},
	[10] = {24, -1, 24, 32, 96, 0, 0, 2, 40, 0, 104, 112, 0, 120, 0, 48, 72, 0, 0},
	[11] = {56, 8, 48, 32, 56, 69, 68, 0, 72, 0, 112, 120, 128, 136, 184, 48, 72, 360, 160},
	[12] = {56, 0, 8, 0, 56, 70, 0, 0, 68, 92, 112, 120, 128, 136, 192, 40, 56, 384, 144},
	[13] = {72, -1, 8, 0, 56, 70, 0, 0, 68, 92, 112, 120, 128, 136, 200, 40, 56, 16, 160},
};

enum { OLDEST = 8, NEWEST = 13 };

/* What 3.13 says of itself at the start of _PyRuntime, as far as it is used. */
struct debug_offsets {
	char cookie[8];
	uint64_t version, free_threaded;
	uint64_t runtime[3], interpreter[8], gil, rest[4];
	struct {
		uint64_t size, prev, next, interp, current_frame, rest[4];
	} thread;
	struct {
		uint64_t size, previous, executable, instr_ptr, localsplus, owner;
	} frame;
	struct {
		uint64_t size, filename, name, qualname, linetable, firstlineno, rest[3], adaptive;
	} code;
};

struct python python;

void python_off(const char *why)
{
	atomic_store(&python.why_off, why);
	atomic_store(&python.state, PYTHON_OFF);
}

/* PY_VERSION_HEX; up to 3.10 from the text "3.8.18 (...", final or not does not matter here. */
static uint32_t version_hex(void)
{
	const unsigned long *hex = dlsym(RTLD_DEFAULT, "Py_Version");
	if (hex)
		return (uint32_t)*hex;
	const char *(*text)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "Py_GetVersion");
	uint32_t part[3] = {0};
	const char *c = text ? text() : "";
	for (int i = 0; i < 3 && *c >= '0' && *c <= '9'; i++) {
		for (; *c >= '0' && *c <= '9'; c++)
			part[i] = part[i] * 10 + (uint32_t)(*c - '0');
		c += *c == '.';
	}
	return part[0] << 24 | part[1] << 16 | part[2] << 8 | 0xf0;
}

/* Is everything that is read within what there is room for? Pointers are 8 bytes, the line 4. */
static bool readable(const struct debug_offsets *d)
{
	const uint64_t frame[] = {d->frame.previous, d->frame.executable, d->frame.instr_ptr,
							  d->frame.owner};
	const uint64_t code[] = {d->code.filename, d->code.name, d->code.qualname, d->code.linetable,
							 d->code.firstlineno};
	bool good = d->thread.current_frame <= INT16_MAX && d->code.adaptive <= INT16_MAX &&
				d->gil <= INT16_MAX;
	for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++)
		good &= frame[i] <= FRAME_BYTES - 8;
	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
		good &= code[i] >= OBJECT_SIZE && code[i] <= CODE_BYTES - 8;
	return good;
}

/* 3.13 publishes its offsets: they win over the table, and say whether this build is one that the
 * walk cannot read. */
static const char *layout_published(struct layout *l)
{
	const struct debug_offsets *d = dlsym(RTLD_DEFAULT, "_PyRuntime");
	if (!d || memcmp(d->cookie, "xdebugpy", 8) != 0)
		return "this CPython 3.13 does not publish its layout";
	if (d->free_threaded)
		return "a free-threaded CPython is not supported";
	if (d->version != python.version)
		return "the layout that this CPython publishes is of another version";
	if (d->code.firstlineno != l->first_line || d->code.filename != l->file)
		l->version = 0; /* not the code object we know: then not its hidden field either */
	if (!readable(d))
		return "the layout that this CPython publishes is not one of a CPython 3.13";
	l->tstate_frame = (uint16_t)d->thread.current_frame;
	l->back = (uint16_t)d->frame.previous;
	l->code = (uint16_t)d->frame.executable;
	l->at = (uint16_t)d->frame.instr_ptr;
	l->owner = (uint16_t)d->frame.owner;
	l->first_line = (uint16_t)d->code.firstlineno;
	l->file = (uint16_t)d->code.filename;
	l->name = (uint16_t)d->code.name;
	l->qualname = (uint16_t)d->code.qualname;
	l->line_table = (uint16_t)d->code.linetable;
	l->instructions = (uint16_t)d->code.adaptive;
	l->gil = (uint16_t)d->gil;
	return NULL;
}

static const char *layout_choose(void)
{
	unsigned major = python.version >> 24, minor = python.version >> 16 & 0xff;
	if (major != 3 || minor < OLDEST)
		return "Python stacks need CPython 3.8 or later";
	if (minor > NEWEST)
		return "Python stacks are known up to CPython 3.13";
	python.layout = layouts[minor];
	return minor >= 13 ? layout_published(&python.layout) : NULL;
}

static void find_loop(void)
{
	Dl_info info;
	const ElfW(Sym) *symbol = NULL;
	python.loop = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
	if (python.loop && dladdr1(python.loop, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
		python.loop_bytes = symbol->st_size;
}

static void python_find(void)
{
	python.thread_state = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
	if (!python.thread_state)
		return;
	python.is_finalizing = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
	if (!python.is_finalizing)
		python.is_finalizing = (int (*)(void))dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
	python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	python.str_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
	python.bytes_type = dlsym(RTLD_DEFAULT, "PyBytes_Type");
	python.version = version_hex();
	const char *why = layout_choose();
	if (!why &&
		(!python.is_finalizing || !python.code_type || !python.str_type || !python.bytes_type))
		why = "this CPython lacks a symbol that every CPython exports";
	find_loop();
	if (why)
		python_off(why);
	else
		atomic_store(&python.state, PYTHON_UNPROVEN);
}

void python_open(void)
{
	if (atomic_load(&python.state) != PYTHON_ABSENT || atomic_exchange(&python.opening, 1))
		return;
	python_find();
	atomic_store(&python.opening, 0);
}

const char *python_why_off(void)
{
	return atomic_load(&python.why_off);
}

const void *python_loop(size_t *bytes)
{
	*bytes = python.loop_bytes;
	return atomic_load(&python.state) == PYTHON_PROVEN ? python.loop : NULL;
}

bool python_read_safely(const void *from, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
	if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes)
		return true;
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC); /* where the call is filtered */
	bool read = fd >= 0 && pread(fd, to, bytes, (off_t)(uintptr_t)from) == (ssize_t)bytes;
	if (fd >= 0)
		close(fd);
	return read;
}
