/* Plays a fixture of the GPU probe through the shim that is preloaded: replay FIXTURE, with
 * BATON_CUPTI naming replay_cupti.so. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int (*attach)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "InitializeInjection");
	const char *cupti = getenv("BATON_CUPTI");
	if (argc != 2 || !attach || !cupti) {
		fprintf(stderr,
				"usage: LD_PRELOAD=libbaton.so BATON_CUPTI=replay_cupti.so replay FIXTURE\n");
		return 2;
	}
	attach();
	void *library = dlopen(cupti, RTLD_NOLOAD | RTLD_LAZY);
	int (*play)(const char *) = library ? (int (*)(const char *))dlsym(library, "replay") : NULL;
	if (!play) {
		fprintf(stderr, "replay: the shim has not opened %s\n", cupti);
		return 1;
	}
	return play(argv[1]);
}
