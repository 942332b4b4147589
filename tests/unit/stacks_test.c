/* Frames by name and line: the line tables of six CPythons (made by the interpreters themselves
 * from one function, with the lines that they report), hostile tables, symbols of this very
 * program, and a name that demangles to gigabytes. */
#include "check.h"

#include "classify/demangle.h"
#include "stacks/pyline.h"
#include "stacks/symbol.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct sample {
	uint32_t python;
	int32_t first_line;
	const char *hex;
	struct {
		int offset, line; /* from here on; line -1: the end of the code */
	} runs[40];
};

static const struct sample samples[] = {
	/* CPython 3.8 */
	{0x030812f0,
	 2,
	 "0002020102ff0402020102ff080202010c010e01087f007f0030020102ff04010201060102ff",
	 {{0, 4},
	  {2, 5},
	  {4, 4},
	  {8, 6},
	  {10, 7},
	  {12, 6},
	  {20, 8},
	  {22, 9},
	  {34, 10},
	  {48, 11},
	  {56, 313},
	  {58, 314},
	  {60, 313},
	  {64, 314},
	  {66, 315},
	  {72, 316},
	  {74, 315},
	  {102, -1}}},
	/* CPython 3.9 */
	{0x030912f0,
	 2,
	 "0002020102ff0402020102ff080202010c010c01087f007f0030020102ff04010201060102ff",
	 {{0, 4},
	  {2, 5},
	  {4, 4},
	  {8, 6},
	  {10, 7},
	  {12, 6},
	  {20, 8},
	  {22, 9},
	  {34, 10},
	  {46, 11},
	  {54, 313},
	  {56, 314},
	  {58, 313},
	  {62, 314},
	  {64, 315},
	  {70, 316},
	  {72, 315},
	  {112, -1}}},
	/* CPython 3.10 */
	{0x030a0df0,
	 2,
	 "0202020104ff0202020108ff02020c010c01040102ff007f007f0231020104ff02010601020104ff24fe",
	 {{0, 4},    {2, 5},    {4, 4},    {8, 6},    {10, 7},   {12, 6},   {20, 8},
	  {22, 9},   {34, 10},  {46, 11},  {50, 10},  {52, 313}, {54, 314}, {56, 313},
	  {60, 314}, {62, 315}, {68, 316}, {70, 315}, {74, 313}, {110, -1}}},
	/* CPython 3.11 */
	{0x030b07f0,
	 2,
	 "8000e0090ad8090af103010a0b8041e50d12d80c0df103010e0ff400010e0ff000050511f0000505118801f004030"
	 "911d80c0d9011894688418841f8dd0f19f000010911f000010911f000010911d80c108844f003010911f8f8f8f55e"
	 "09000a0ed80809f103010a0bf400010a0bf00003051cd80e0ff00201101cf00001101cd8191af00301101cf100011"
	 "01cf40001101cf00503051cf00003051cf00003051cf00003051cf10003051cf40003051cf00003051cf00003051c"
	 "f00003051cf00003051cf00003051cf00003051cf8f8f8f00003051cf00003051cf00003051cf00003051cf000030"
	 "51cf00003051c",
	 {{0, 2},     {2, 4},     {4, 5},     {6, 4},     {12, 6},    {24, 7},    {26, 6},
	  {46, 8},    {48, 9},    {60, 0},    {62, 10},   {80, 11},   {84, 10},   {86, 0},
	  {92, 313},  {104, 314}, {106, 313}, {122, 314}, {124, 315}, {128, 316}, {130, 315},
	  {146, 313}, {180, 0},   {186, 313}, {198, -1}}},
	/* CPython 3.12 */
	{0x030c01f0,
	 2,
	 "8000e0090ad8090af103010a0b8041e40d12d80c0df303010e0ff2000505118801f004030911d80c0d90118946894"
	 "1f007050511f46609000a0ed80809f303010a0bf00003051cd80e0fe0191af60301101cd81415f203001112f20001"
	 "101cf70503051cf10003051cf8f45f0900101af200010911d90c10f003010911fcf2620901101cf70503051cf0000"
	 "3051cfa",
	 {{0, 2},    {2, 4},    {4, 5},    {6, 4},     {12, 6},    {22, 7},   {24, 6},
	  {40, 8},   {42, 9},   {54, 6},   {56, 313},  {66, 314},  {68, 313}, {78, 314},
	  {80, 316}, {82, 315}, {96, 316}, {98, 315},  {110, 313}, {130, 0},  {132, 10},
	  {148, 11}, {152, 10}, {154, 0},  {164, 315}, {170, 313}, {188, 0},  {194, -1}}},
	/* CPython 3.13 */
	{0x030d00f0,
	 2,
	 "8000e0090ad8090af103010a0b8041e40d12d80c0df603010e0f8801f004030911d80c0d89468a41f107010e0ff46"
	 "609000a0ed80809f403010a0bd80e0fe1191af30301101cd9191a9041f303001112d9191af10301101cf705010a0b"
	 "f100010a0bf8f45f0900101af300010911da0c10f003010911fcf2620901101cf705010a0bf500010a0bfa",
	 {{0, 2},    {2, 4},     {4, 5},     {6, 4},     {12, 6},    {22, 7},   {24, 6},   {40, 8},
	  {42, 9},   {54, 6},    {58, 313},  {68, 314},  {70, 313},  {80, 314}, {82, 316}, {86, 315},
	  {94, 316}, {100, 315}, {108, 316}, {112, 315}, {116, 313}, {136, 0},  {138, 10}, {156, 11},
	  {162, 10}, {164, 0},   {174, 315}, {180, 313}, {208, 0},   {214, -1}}},
};

static uint32_t from_hex(const char *hex, uint8_t *out)
{
	uint32_t n = 0;
	for (unsigned byte; sscanf(hex + 2 * n, "%2x", &byte) == 1;)
		out[n++] = (uint8_t)byte;
	return n;
}

static void lines_of(const struct sample *sample)
{
	uint8_t bytes[1024];
	struct pyline_table table = {sample->python, sample->first_line, from_hex(sample->hex, bytes),
								 bytes};
	for (int i = 0; sample->runs[i].line != -1; i++) {
		for (int at = sample->runs[i].offset; at < sample->runs[i + 1].offset; at += 2) {
			int32_t line = pyline(&table, (uint64_t)at);
			CHECK(line == sample->runs[i].line, "python %x, offset %d: line %d, not %d",
				  (unsigned)sample->python, at, line, sample->runs[i].line);
		}
	}
}

/* Any bytes, cut anywhere: no read beyond them (the buffer ends where the heap's guard begins). */
static void hostile_tables(void)
{
	static const uint32_t versions[] = {0, 0x02070000, 0x03080000, 0x030a0000, 0x030b0000, ~0u};
	uint64_t state = 1;
	for (int round = 0; round < 20000; round++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint32_t n = (uint32_t)(state >> 40) % 24;
		uint8_t *bytes = malloc(n ? n : 1);
		for (uint32_t i = 0; bytes && i < n; i++)
			bytes[i] = (uint8_t)(state >> (i % 8 * 8) | (round % 3 ? 0 : 128));
		for (size_t v = 0; bytes && v < sizeof(versions) / sizeof(*versions); v++) {
			struct pyline_table table = {versions[v], (int32_t)state, n, bytes};
			CHECK(pyline(&table, (state >> 33) % 64) >= 0, "a negative line");
			CHECK(pyline(&table, UINT64_MAX) >= 0, "a negative line at the end");
		}
		free(bytes);
	}
}

static long peak_kib(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void demangling(void)
{
	char out[256], bomb[512] = "_Z1f1AI1BS0_E";
	demangle("_ZN2at6native3addERKNS_6TensorES3_", out, sizeof(out));
	CHECK(strcmp(out, "at::native::add(at::Tensor const&, at::Tensor const&)") == 0, "%s", out);
	demangle("cudaLaunchKernel", out, sizeof(out));
	CHECK(strcmp(out, "cudaLaunchKernel") == 0, "%s", out);
	demangle("_Znot a name", out, sizeof(out));
	CHECK(out[0], "nothing at all");
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	for (int i = 1; i < 34; i++) { /* each argument holds the one before twice */
		size_t n = strlen(bomb);
		snprintf(bomb + n, sizeof(bomb) - n, "S_IS%c_S%c_E", digits[i], digits[i]);
	}
	long before = peak_kib();
	demangle(bomb, out, sizeof(out));
	CHECK(peak_kib() - before < 64 << 10, "%ld KiB for one name", peak_kib() - before);
}

static int own_build_id(struct dl_phdr_info *info, size_t size, void *context)
{
	char *hex = context;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_NOTE)
			continue;
		const uint8_t *at = (const uint8_t *)(info->dlpi_addr + p->p_vaddr);
		for (const uint8_t *end = at + p->p_memsz; at + sizeof(ElfW(Nhdr)) < end;) {
			const ElfW(Nhdr) *note = (const void *)at;
			const uint8_t *value = at + sizeof(*note) + ((note->n_namesz + 3) & ~3u);
			if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= 32)
				for (unsigned k = 0; k < note->n_descsz; k++)
					sprintf(hex + 2 * k, "%02x", value[k]);
			at = value + ((note->n_descsz + 3) & ~3u);
		}
	}
	*(uint64_t *)(hex + 128) = info->dlpi_addr;
	return 1; /* the first one is this program */
}

static void own_symbols(void)
{
	_Alignas(8) char found[160] = "";
	char path[4096] = "", out[512] = "", wrong[65];
	struct symbols *symbols;
	dl_iterate_phdr(own_build_id, found);
	uint64_t bias, here = (uint64_t)(uintptr_t)own_symbols;
	memcpy(&bias, found + 128, sizeof(bias));
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0 || !found[0]) {
		printf("no build id in this program: symbols not tested\n");
		return;
	}
	CHECK(symbols_open(&symbols) == 0, "no memory");
	if (!symbol_text(symbols, path, found, here - bias, out, sizeof(out)))
		printf("no libdw: native frames have no names here\n");
	else
		CHECK(strstr(out, " own_symbols") && strstr(out, "stacks_test.c:"), "'%s'", out);
	snprintf(wrong, sizeof(wrong), "%.64s", found);
	wrong[0] = wrong[0] == '0' ? '1' : '0';
	CHECK(!symbol_text(symbols, path, wrong, here - bias, out, sizeof(out)), "another build id");
	CHECK(!symbol_text(symbols, path, "", here - bias, out, sizeof(out)), "no build id");
	CHECK(!symbol_text(symbols, path, "../../etc", here - bias, out, sizeof(out)), "no hex");
	CHECK(!symbol_text(symbols, "/dev/zero", found, 1, out, sizeof(out)), "a device");
	CHECK(!symbol_text(symbols, path, found, 0, out, sizeof(out)) || out[0], "address 0");
	symbols_close(symbols);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		lines_of(&samples[i]);
	hostile_tables();
	demangling();
	own_symbols();
	return finish();
}
