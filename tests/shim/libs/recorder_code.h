/* For libraries that are preloaded to look at the recorder's calls: where the code of libbaton.so
 * lies in memory. */
#ifndef TESTS_SHIM_RECORDER_CODE_H
#define TESTS_SHIM_RECORDER_CODE_H

#include <link.h>
#include <stdint.h>
#include <string.h>

static struct {
	uintptr_t begin, end;
} recorder_code; /* 0: not found yet */

static int find_recorder(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (!strstr(info->dlpi_name, "libbaton.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			recorder_code.begin = info->dlpi_addr + p->p_vaddr;
			recorder_code.end = recorder_code.begin + p->p_memsz;
		}
	}
	return 1;
}

#endif
