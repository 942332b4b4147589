#include "sources/stacks/python.h"

#include "ring/dict.h"
#include "base/guard.h"
#include "base/idcache.h"
#include "sources/stacks/python_layout.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

static const struct layout layouts[] = {
	[8] = {24, -1, 24, 32, 104, 0, 0, 1, 40, 0, 104, 112, 0, 120, 0, 48, 72},
	[9] = {24, -1, 24, 32, 104, 0, 0, 1, 40, 0, 104, 112, 0, 120, 0, 48, 72},
	[10] = {24, -1, 24, 32, 96, 0, 0, 2, 40, 0, 104, 112, 0, 120, 0, 48, 72},
	[11] = {56, 8, 48, 32, 56, 69, 68, 0, 72, 0, 112, 120, 128, 136, 184, 48, 72},
	[12] = {56, 0, 8, 0, 56, 70, 0, 0, 68, 92, 112, 120, 128, 136, 192, 40, 56},
	[13] = {72, -1, 8, 0, 56, 70, 0, 0, 68, 92, 112, 120, 128, 136, 200, 40, 56},
};

enum { OLDEST = 8, NEWEST = 13 };

/* What 3.13 says of itself at the start of _PyRuntime, as far as it is used. */
struct debug_offsets {
	char cookie[8];
	uint64_t version, free_threaded;
	uint64_t runtime[3], interpreter[13];
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

static struct idcache codes; /* of code objects: by identity and by content */

static void python_off(const char *why)
{
	atomic_store(&python.why_off, why);
	atomic_store(&python.state, PYTHON_OFF);
}

/* ---- finding it ---- */

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
	bool good = d->thread.current_frame <= INT16_MAX && d->code.adaptive <= INT16_MAX;
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

/* ---- the walk ---- */

struct walk {
	const uint8_t *frame; /* the next one to look at; NULL: none */
	const uint8_t *code;
	int64_t offset;
	bool last_of_loop;
	unsigned steps;
};

/* The newest frame of this thread. */
static inline bool walk_begin(struct walk *w)
{
	const struct layout *l = &python.layout;
	if (python.is_finalizing())
		return false;
	const uint8_t *at = python.thread_state();
	if (!plausible(at))
		return false;
	at = load_pointer(at + l->tstate_frame);
	if (l->cframe_frame >= 0)
		at = plausible(at) ? load_pointer(at + l->cframe_frame) : NULL;
	*w = (struct walk){.frame = at};
	return plausible(at);
}

/* Steps to the next frame that has begun to run. */
static inline bool walk_next(struct walk *w)
{
	const struct layout *l = &python.layout;
	for (; plausible(w->frame) && w->steps < STEPS; w->steps++) {
		const uint8_t *frame = w->frame;
		w->frame = load_pointer(frame + l->back);
		if (begins_loop(l, frame))
			continue;
		w->code = load_pointer(frame + l->code);
		if (!plausible(w->code))
			continue;
		if (l->lasti_bytes)
			w->offset = (int64_t)(int32_t)load32(frame + l->at) * l->lasti_bytes;
		else
			w->offset = load_pointer(frame + l->at) - w->code - l->instructions;
		if (w->offset < 0)
			continue;
		if (l->lasti_bytes)
			w->last_of_loop = true;
		else if (l->entry)
			w->last_of_loop = frame[l->entry] != 0;
		else
			w->last_of_loop = !plausible(w->frame) || begins_loop(l, w->frame);
		w->steps++;
		return true;
	}
	return false;
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t turn(uint64_t value)
{
	return value << 29 | value >> 35;
}

static const uint64_t salt[2] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull};

/* Code that the program made ("<string>", "<eval_with_key>.3"): its addresses are used again at
 * once, by code of the same name and size. All of its line table counts then, and its file's name.
 */
static __attribute__((noinline)) uint64_t made_word(const uint8_t *file, const uint8_t *table)
{
	enum { END = 512, NAME = 64 };
	uint64_t size = load64(table + OBJECT_SIZE), length = load64(file + OBJECT_SIZE);
	bool plain = (load32(file + STR_STATE) & 3u << 5) == 3u << 5; /* compact, ascii */
	const uint8_t *name = file + python.layout.ascii, *lines = table + BYTES_DATA;
	uint64_t word = plain ? XXH3_64bits(name, length < NAME ? length : NAME) : 0;
	if (size <= 2 * END)
		return word ^ turn(XXH3_64bits(lines, size));
	return word ^ turn(XXH3_64bits(lines, END) ^ turn(XXH3_64bits(lines + size - END, END)));
}

/* What stands for a code object. Its address does not: objects die and others are made in the same
 * place. 3.12 and 3.13 number them. Elsewhere it takes a look at what the object refers to; code of
 * a file is hardly ever dropped, and hardly for other code of that name, line and size. */
static inline uint64_t code_word(const uint8_t *code, uint64_t offset)
{
	const struct layout *l = &python.layout;
	uint64_t where = offset << 32 | load32(code + l->first_line);
	uint64_t object = (uint64_t)(uintptr_t)code;
	uint64_t number = l->version ? load32(code + l->version) : 0;
	if (SHIM_LIKELY(number))
		return mix(object ^ salt[0] ^ number << 40, where ^ salt[1] ^ turn(number));
	const uint8_t *name = load_pointer(code + l->name), *table = load_pointer(code + l->line_table),
				  *file = load_pointer(code + l->file);
	uint64_t size = load64(table + OBJECT_SIZE);
	uint64_t ends = load64(table + BYTES_DATA - 8 + size) ^ size << 40;
	object ^= turn((uint64_t)(uintptr_t)table ^ turn((uint64_t)(uintptr_t)file));
	where ^= load64(name + STR_HASH) ^ turn(ends);
	if (SHIM_UNLIKELY(file[l->ascii] == '<'))
		where ^= made_word(file, table);
	return mix(object ^ salt[0], where ^ salt[1]);
}

static bool python_prove(void);

unsigned python_words(uint64_t words[PYTHON_FRAMES])
{
	struct walk w;
	unsigned n = 0;
	int state = atomic_load_explicit(&python.state, memory_order_acquire);
	if (state != PYTHON_PROVEN && (state != PYTHON_UNPROVEN || !python_prove()))
		return 0;
	if (!walk_begin(&w))
		return 0;
	while (n < PYTHON_FRAMES && walk_next(&w))
		words[n++] = code_word(w.code, (uint64_t)w.offset);
	return n;
}

/* ---- the proof: the first stack, read by the kernel, which does not fault ---- */

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

static bool pointer_at(const uint8_t *object, unsigned offset, const uint8_t **value)
{
	return plausible(object) && python_read_safely(object + offset, value, sizeof(*value));
}

static bool has_type(const uint8_t *object, const void *type)
{
	const uint8_t *found;
	return pointer_at(object, OBJECT_TYPE, &found) && found == type;
}

static bool code_proven(const uint8_t *code, int64_t offset)
{
	const struct layout *l = &python.layout;
	const uint8_t *file, *name, *table, *bytes = code;
	int32_t line;
	uint64_t size;
	if (!has_type(code, python.code_type) || !pointer_at(code, l->file, &file) ||
		!pointer_at(code, l->name, &name) || !pointer_at(code, l->line_table, &table))
		return false;
	if (!has_type(name, python.str_type) || !has_type(table, python.bytes_type) ||
		!plausible(file) || !python_read_safely(code + l->first_line, &line, sizeof(line)))
		return false;
	/* the instructions' size: of a bytes object up to 3.10, then in the code object itself */
	if (l->lasti_bytes && !pointer_at(code, 48, &bytes))
		return false;
	if (!plausible(bytes) || !python_read_safely(bytes + OBJECT_SIZE, &size, sizeof(size)))
		return false;
	size *= l->lasti_bytes ? 1 : 2;
	return line >= 0 && line < 1 << 28 && offset < (int64_t)size && size < 1ull << 32;
}

/* One frame through python_read_safely(); false: this is not what the layout says. */
static bool frame_proven(const uint8_t **frame, unsigned *proven)
{
	const struct layout *l = &python.layout;
	const uint8_t *back, *code, *at;
	uint8_t owner = 0;
	if (!pointer_at(*frame, l->back, &back) || !pointer_at(*frame, l->code, &code) ||
		!python_read_safely(*frame + l->at, &at, sizeof(at)) ||
		(l->owner && !python_read_safely(*frame + l->owner, &owner, 1)))
		return false;
	*frame = back;
	if (owner == OWNED_BY_C_STACK)
		return true;
	int64_t offset = l->lasti_bytes ? (int64_t)(int32_t)(uintptr_t)at * l->lasti_bytes
									: at - code - l->instructions;
	(*proven)++;
	return code_proven(code, offset);
}

/* True: believed from now on. False and still PYTHON_UNPROVEN: this thread runs no Python. */
static bool python_prove(void)
{
	const struct layout *l = &python.layout;
	const uint8_t *at = python.is_finalizing() ? NULL : python.thread_state();
	if (!at)
		return false;
	unsigned proven = 0;
	bool good = pointer_at(at, l->tstate_frame, &at);
	if (good && l->cframe_frame >= 0)
		good = pointer_at(at, (unsigned)l->cframe_frame, &at);
	for (unsigned steps = 0; good && at && steps < STEPS; steps++)
		good = frame_proven(&at, &proven);
	if (!good)
		python_off("this CPython's frames are not laid out as its version's are");
	else if (proven)
		atomic_store(&python.state, PYTHON_PROVEN);
	return good && proven;
}

/* ---- code objects, interned on first sight ---- */

static size_t utf8_put(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c >= 0xdc80 && c <= 0xdcff) { /* a byte of a file name that was no UTF-8 */
		out[0] = (char)(c - 0xdc00);
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c >= 0xd800 && c <= 0xdfff)
		c = 0xfffd;
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static uint32_t character(const uint8_t *data, unsigned kind, uint64_t i)
{
	if (kind == 1)
		return data[i];
	return kind == 2 ? (uint32_t)data[2 * i] | (uint32_t)data[2 * i + 1] << 8
					 : load32(data + 4 * i);
}

/* The id of a str's text. Its state: 2 bits interned, 3 bits kind, compact, ascii. */
uint32_t python_str_id(const uint8_t *object, char text[PYTHON_TEXT_BYTES])
{
	const struct layout *l = &python.layout;
	if (!plausible(object))
		return 0;
	uint32_t state = load32(object + STR_STATE);
	unsigned kind = state >> 2 & 7;
	bool compact = state & 1u << 5, ascii = state & 1u << 6;
	uint64_t length = load64(object + OBJECT_SIZE);
	const uint8_t *data = object + (ascii ? l->ascii : l->wide);
	if (!compact) /* a subclass of str, or a text of the old C API: a pointer to it follows */
		data = load_pointer(object + l->wide);
	if (!data || (kind != 1 && kind != 2 && kind != 4))
		return 0;
	if (ascii)
		return dict_string((const char *)data,
						   length < PYTHON_TEXT_BYTES ? length : PYTHON_TEXT_BYTES);
	size_t n = 0;
	for (uint64_t i = 0; i < length && n + 4 <= PYTHON_TEXT_BYTES; i++)
		n += utf8_put(character(data, kind, i), text + n);
	return dict_string(text, n);
}

static uint32_t code_write(const struct baton_r_code *head, const uint8_t *table)
{
	size_t bytes = sizeof(*head) + head->bytes;
	struct baton_r_code *record = dict_reserve_stack(bytes);
	if (!record)
		return 0;
	uint32_t id = dict_id();
	memcpy(&record->id, &head->id, sizeof(*head) - offsetof(struct baton_r_code, id));
	record->id = id;
	memcpy(record + 1, table, head->bytes);
	dict_publish(record, BATON_R_CODE, bytes);
	return id;
}

uint32_t python_code_known(uint64_t hash)
{
	return idcache_get(&codes, hash);
}

void python_code_know(uint64_t hash, uint32_t id)
{
	if (id)
		idcache_put(&codes, hash, id);
}

/* Equal code gives one record, however often it is compiled. */
uint32_t python_code_intern(struct baton_r_code *head, const uint8_t *table)
{
	uint64_t hash = XXH3_64bits_withSeed(
		table, head->bytes, XXH3_64bits(&head->id, sizeof(*head) - sizeof(head->head)));
	uint32_t id = python_code_known(hash);
	if (id)
		return id;
	id = code_write(head, table);
	python_code_know(hash, id);
	return id;
}

static uint32_t code_intern(const uint8_t *code, char text[PYTHON_TEXT_BYTES])
{
	const struct layout *l = &python.layout;
	if (load_pointer(code + OBJECT_TYPE) != python.code_type)
		return 0;
	const uint8_t *table = load_pointer(code + l->line_table);
	uint64_t bytes = load64(table + OBJECT_SIZE);
	struct baton_r_code head = {
		.file = python_str_id(load_pointer(code + l->file), text),
		.function = python_str_id(load_pointer(code + (l->qualname ? l->qualname : l->name)), text),
		.first_line = (int32_t)load32(code + l->first_line),
		.python = python.version,
		.bytes = bytes <= TABLE_MOST_BYTES ? (uint32_t)bytes : 0,
	};
	return python_code_intern(&head, table + BYTES_DATA);
}

static uint32_t code_id(const uint8_t *code, char text[PYTHON_TEXT_BYTES])
{
	uint64_t hash = code_word(code, 0);
	uint32_t id = idcache_get(&codes, hash);
	if (id)
		return id;
	id = code_intern(code, text);
	if (id)
		idcache_put(&codes, hash, id);
	return id;
}

unsigned python_frames(struct baton_frame frames[PYTHON_FRAMES], bool last_of_loop[PYTHON_FRAMES],
					   char text[PYTHON_TEXT_BYTES])
{
	struct walk w;
	unsigned n = 0;
	if (atomic_load_explicit(&python.state, memory_order_acquire) != PYTHON_PROVEN ||
		!walk_begin(&w))
		return 0;
	for (; n < PYTHON_FRAMES && walk_next(&w); n++) {
		frames[n] =
			(struct baton_frame){BATON_FRAME_PYTHON, code_id(w.code, text), (uint64_t)w.offset};
		last_of_loop[n] = w.last_of_loop;
	}
	return n;
}
