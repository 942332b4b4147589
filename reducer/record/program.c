#include "record/program.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *program_launcher(const char *program)
{
	static const char *const launchers[] = {
		"srun",   "mpirun",    "mpiexec",     "mpiexec.hydra", "orterun", "prterun", "aprun",
		"jsrun",  "flux",      "ray",         "docker",        "podman",  "ssh",     "sbatch",
		"salloc", "apptainer", "singularity", "enroot",        "kubectl", "pdsh"};
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strcmp(name, launchers[i]) == 0)
			return launchers[i];
	return NULL;
}

static bool find(const char *program, char *path, size_t room)
{
	const char *list = getenv("PATH");
	if (strchr(program, '/')) {
		snprintf(path, room, "%s", program);
		return access(path, X_OK) == 0;
	}
	while (list && *list) {
		size_t n = strcspn(list, ":");
		snprintf(path, room, "%.*s/%s", (int)n, list, program);
		if (access(path, X_OK) == 0)
			return true;
		list += n + (list[n] == ':');
	}
	return false;
}

/* An ELF program without an interpreter is statically linked: nothing can be preloaded. */
static bool is_static(int fd)
{
	Elf64_Ehdr header;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr part;
		off_t at = (off_t)(header.e_phoff + (uint64_t)i * header.e_phentsize);
		if (pread(fd, &part, sizeof(part), at) != sizeof(part) || part.p_type == PT_INTERP)
			return false;
	}
	return true;
}

const char *program_objection(const char *program)
{
	char path[4096];
	struct stat st;
	const char *why = NULL;
	int fd = find(program, path, sizeof(path)) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)))
		why = "is set-uid or set-gid, so the loader ignores LD_PRELOAD";
	else if (is_static(fd))
		why = "is statically linked, so nothing can be preloaded into it";
	close(fd);
	return why;
}
