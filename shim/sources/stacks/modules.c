#include "sources/stacks/modules.h"

#include "base/idcache.h"
#include "ring/dict.h"

#include <baton/format.h>

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { KNOWN = 2048, PATH_BYTES = 1024, BUILD_ID_BYTES = 32 };

struct known {
	uintptr_t from, end, bias;
	uint32_t id;
};

/* Read and written inside dl_iterate_phdr's callback only: the loader's lock guards it. */
static struct known known[KNOWN];
static unsigned n_known;
static unsigned long long unloads_seen;

static struct idcache written; /* of module records by path and build id */

struct resolving {
	void *const *addresses;
	struct module_place *places;
	unsigned n, left;
	bool first; /* of the loader's list: the program itself */
};

static bool holds(const struct known *k, uintptr_t address)
{
	return k->from <= address && address < k->end;
}

/* Fills in what this segment explains. */
static void apply(struct resolving *r, const struct known *k)
{
	for (unsigned i = 0; i < r->n; i++) {
		uintptr_t address = (uintptr_t)r->addresses[i];
		if (r->places[i].end || !holds(k, address))
			continue;
		r->places[i] = (struct module_place){k->id, address - k->bias, k->from, k->end};
		r->left--;
	}
}

static bool wanted(const struct resolving *r, const struct known *k)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!r->places[i].end && holds(k, (uintptr_t)r->addresses[i]))
			return true;
	return false;
}

/* The GNU build id among notes, as hex; the number of characters. */
static size_t build_id_in(const uint8_t *at, size_t bytes, char hex[2 * BUILD_ID_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	ElfW(Nhdr) note;
	while (bytes >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		size_t name = (note.n_namesz + 3u) & ~3ul, value = (note.n_descsz + 3u) & ~3ul;
		if (name + value > bytes - sizeof(note))
			return 0;
		const uint8_t *text = at + sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0 &&
			note.n_descsz <= BUILD_ID_BYTES) {
			for (size_t i = 0; i < note.n_descsz; i++) {
				hex[2 * i] = digits[text[name + i] >> 4];
				hex[2 * i + 1] = digits[text[name + i] & 15];
			}
			return 2 * note.n_descsz;
		}
		at += sizeof(note) + name + value;
		bytes -= sizeof(note) + name + value;
	}
	return 0;
}

/* Notes are read where they are mapped: within a readable segment. */
static bool is_mapped(const struct dl_phdr_info *info, const ElfW(Phdr) * note)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &info->dlpi_phdr[i];
		if (load->p_type == PT_LOAD && load->p_flags & PF_R && note->p_vaddr >= load->p_vaddr &&
			note->p_vaddr + note->p_filesz <= load->p_vaddr + load->p_filesz)
			return true;
	}
	return false;
}

static size_t build_id_of(const struct dl_phdr_info *info, char hex[2 * BUILD_ID_BYTES])
{
	size_t found = 0;
	for (unsigned i = 0; !found && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *note = &info->dlpi_phdr[i];
		if (note->p_type == PT_NOTE && is_mapped(info, note))
			found = build_id_in((const uint8_t *)(info->dlpi_addr + note->p_vaddr), note->p_filesz,
								hex);
	}
	return found;
}

/* An absolute path where there is one: the program has no name here, others may be relative. */
static size_t path_of(const struct dl_phdr_info *info, bool program, char path[PATH_BYTES])
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	size_t bytes = strlen(name), before = 0;
	if (program && bytes == 0) {
		ssize_t n = readlink("/proc/self/exe", path, PATH_BYTES);
		return n > 0 ? (size_t)n : 0;
	}
	if (name[0] != '/' && strchr(name, '/') && getcwd(path, PATH_BYTES)) {
		before = strlen(path);
		path[before++] = '/';
	}
	if (bytes > PATH_BYTES - before)
		bytes = PATH_BYTES - before;
	memcpy(path + before, name, bytes);
	return before + bytes;
}

static uint32_t module_id(const struct dl_phdr_info *info, bool program)
{
	char path[PATH_BYTES], hex[2 * BUILD_ID_BYTES];
	size_t path_bytes = path_of(info, program, path), hex_bytes = build_id_of(info, hex);
	uint64_t hash =
		XXH3_64bits_withSeed(path, path_bytes, XXH3_64bits_withSeed(hex, hex_bytes, 11));
	uint32_t id = idcache_get(&written, hash);
	if (id)
		return id;
	uint32_t name = path_bytes ? dict_string(path, path_bytes) : 0;
	uint32_t build_id = hex_bytes ? dict_string(hex, hex_bytes) : 0;
	struct baton_r_module *record = dict_reserve(sizeof(*record));
	if (!record)
		return 0;
	record->id = id = dict_id();
	record->path = name;
	record->build_id = build_id;
	record->zero = 0;
	dict_publish(record, BATON_R_MODULE, sizeof(*record));
	idcache_put(&written, hash, id);
	return id;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct resolving *r = context;
	(void)size;
	if (r->first) {
		if (info->dlpi_subs != unloads_seen)
			n_known = 0;
		unloads_seen = info->dlpi_subs;
		for (unsigned i = 0; r->left && i < n_known; i++)
			apply(r, &known[i]);
	}
	bool program = r->first;
	r->first = false;
	for (unsigned i = 0; r->left && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &info->dlpi_phdr[i];
		if (load->p_type != PT_LOAD || !(load->p_flags & PF_X))
			continue;
		struct known k = {.from = info->dlpi_addr + load->p_vaddr, .bias = info->dlpi_addr};
		k.end = k.from + load->p_memsz;
		if (!wanted(r, &k))
			continue;
		k.id = module_id(info, program);
		apply(r, &k);
		if (k.id && n_known < KNOWN)
			known[n_known++] = k;
	}
	return r->left == 0;
}

void modules_forget(void)
{
	n_known = 0;
}

void modules_resolve(void *const addresses[], unsigned n, struct module_place places[])
{
	struct resolving r = {addresses, places, n, n, true};
	for (unsigned i = 0; i < n; i++)
		places[i] = (struct module_place){.offset = (uintptr_t)addresses[i]};
	if (n)
		dl_iterate_phdr(look_at, &r);
}
