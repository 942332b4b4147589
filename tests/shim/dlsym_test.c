/* Runs with the hooks preloaded: who looks up what is not ours must get what they would without us;
 * what is ours comes wrapped. */
#include "check.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

int one_next(void);
int one_early(void);
const char *one_error(void);

static void *handle_of(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	CHECK(handle, "%s", dlerror());
	return handle;
}

static int in_hooks(const void *function)
{
	Dl_info info;
	return function && dladdr(function, &info) && strstr(info.dli_fname, "shim_hooks.so") != NULL;
}

static int early;

__attribute__((constructor)) static void look_early(void)
{
	early = dlsym(RTLD_DEFAULT, "strlen") != NULL;
}

static void scopes(void)
{
	void *local = handle_of("liblocal.so");
	CHECK(in_hooks(dlsym(RTLD_DEFAULT, "dlsym")), "the hooks are not preloaded");
	CHECK(one_next() == 2, "RTLD_NEXT of a library: %d", one_next());
	CHECK(one_early() == 2, "the same in its constructor: %d", one_early());
	CHECK(early, "the program's constructor");
	int (*local_default)(void) = (int (*)(void))dlsym(local, "local_default");
	CHECK(local_default && local_default() == 42, "RTLD_DEFAULT of a local library");
	CHECK(strstr(one_error(), "libone.so: undefined symbol: nothing_has_this_name"), "%s",
		  one_error());
	CHECK(!dlsym(local, "cuNothing") && strstr(dlerror(), "liblocal.so"), "an error by handle");
	void *(*old)(void *, const char *) = (void *(*)(void *, const char *))dlsym(local, "local_old");
	CHECK(old(local, "own_symbol") == dlsym(local, "own_symbol"), "an old caller");
}

static void driver(void)
{
	void *cuda = handle_of("libcuda.so.1"), *local = handle_of("liblocal.so");
	void *(*old)(void *, const char *) = (void *(*)(void *, const char *))dlsym(local, "local_old");
	int (*get)(const char *, void **, int, uint64_t, void *) =
		(int (*)(const char *, void **, int, uint64_t, void *))dlsym(cuda, "cuGetProcAddress_v2");
	CHECK(in_hooks((void *)get), "cuGetProcAddress_v2");
	CHECK(in_hooks(dlsym(cuda, "cuGetProcAddress")), "cuGetProcAddress");
	CHECK(in_hooks(dlsym(cuda, "cuLaunchKernelEx")), "cuLaunchKernelEx");
	CHECK(in_hooks(dlsym(cuda, "cuGraphLaunch_ptsz")), "cuGraphLaunch_ptsz");
	CHECK(in_hooks(old(cuda, "cuLaunchKernel")), "an old caller");
	CHECK(dlsym(cuda, "cuLaunchKernelFancy") && !in_hooks(dlsym(cuda, "cuLaunchKernelFancy")),
		  "a longer name was taken for ours");
	CHECK(!in_hooks(dlsym(cuda, "cuLaunchCooperativeKernelMultiDevice")), "a longer name");
	CHECK(dlsym(cuda, "cuMemcpyAsync") && !in_hooks(dlsym(cuda, "cuMemcpyAsync")), "not ours");
	void *launch = NULL;
	CHECK(get("cuLaunchKernel", &launch, 4000, 0, NULL) == 0 && in_hooks(launch), "handed out");
	CHECK(!dlsym(local, "cuLaunchKernel"), "a library without one");
}

/* A second copy of a library keeps its own functions. */
static void nccl(void)
{
	void *first = handle_of("libnccl.so.2"), *second = handle_of("libnccl_copy.so");
	CHECK(in_hooks(dlsym(first, "ncclAllReduce")), "ncclAllReduce");
	CHECK(in_hooks(dlsym(first, "ncclCommInitRank")), "ncclCommInitRank");
	CHECK(!dlsym(RTLD_DEFAULT, "ncclAllReduce") && strstr(dlerror(), "ncclAllReduce"),
		  "a library that only its opener sees");
	CHECK(!dlsym(RTLD_DEFAULT, "cudaLaunchKernel"), "a runtime that is not there");
	void *global = dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
	CHECK(in_hooks(dlsym(RTLD_DEFAULT, "ncclAllReduce")), "one that everybody sees");
	CHECK(!dlsym(RTLD_DEFAULT, "ncclCommShrink"), "a function that it lacks");
	dlclose(global);
	CHECK(!in_hooks(dlsym(first, "pncclAllReduce")), "the library's own name");
	CHECK(!dlsym(first, "ncclCommShrink") && strstr(dlerror(), "ncclCommShrink"),
		  "a function that this NCCL lacks");
	CHECK(dlsym(second, "ncclAllReduce") && !in_hooks(dlsym(second, "ncclAllReduce")), "the copy");
}

int main(void)
{
	scopes();
	driver();
	nccl();
	return finish();
}
