/* Whose code a file is, the line of a stack, numbered tuples, paths of ranges. */
#include "check.h"

#include "base/intern.h"
#include "stacks/origin.h"
#include "conclude/by.h"

#include <stdlib.h>
#include <string.h>

static void origins(void)
{
	static const struct {
		const char *file, *module; /* NULL: the project's */
	} cases[] = {
		{"/home/u/train.py", NULL},
		{"train.py", NULL},
		{"<string>", NULL},
		{"/home/u/torch/model.py", NULL},
		{"/home/python3/model.py", NULL},
		{"/home/u/lib/python3x/model.py", NULL},
		{"torchness/a.py", NULL},
		{"/home/u/tests/torch/programs/gpt2.py", NULL},
		{"/home/u/torch/train.py", NULL},
		{"/opt/target/torch/nn/modules/linear.py", "torch"},
		{"/opt/torch/torch/_tensor.py", "torch"},
		{"/opt/pytorch/torch/functional.py", "torch"},
		{"/v/lib/python3.11/site-packages/torch/nn/linear.py", "torch"},
		{"/v/lib/python3.11/site-packages/six.py", "six"},
		{"/v/site-packages/a/dist-packages/b/site-packages/c/d.py", "c"},
		{"/usr/lib/python3/dist-packages/numpy/core.py", "numpy"},
		{"/usr/lib/python3.11/threading.py", "python"},
		{"/usr/lib64/python3.9/json/decoder.py", "python"},
		{"/opt/python311.zip/runpy.py", "python"},
		{"<frozen importlib._bootstrap>", "python"},
		{"<eval_with_key>.12", "torch"},
		{"<__array_function__ internals>", "numpy"},
		{"/tmp/torchinductor_u/ab/cabc.py", "torchinductor"},
		{"torch/nn/modules/module.py", "torch"},
		{"threading.py", "python"},
		{"multiprocessing/process.py", "python"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char module[64];
		enum origin origin = origin_of(cases[i].file, "f", module, sizeof(module));
		const char *wanted = cases[i].module ? cases[i].module : cases[i].file;
		CHECK(origin == (cases[i].module ? ORIGIN_LIBRARY : ORIGIN_PROJECT) &&
				  strcmp(module, wanted) == 0,
			  "%s is of %s (%d)", cases[i].file, module, origin);
	}
}

/* Keeps out: the launcher that Triton makes taken for the project's line of every compiled kernel.
 */
static void generated(void)
{
	static const struct {
		const char *file, *function;
		enum origin origin;
	} cases[] = {
		{"<string>", "launcher", ORIGIN_LIBRARY},
		{"<string>", "__init__", ORIGIN_LIBRARY},
		{"<string>", "dynamic_func", ORIGIN_LIBRARY},
		{"<string>", "<module>", ORIGIN_PROJECT},
		{"<string>", "launchers", ORIGIN_PROJECT},
		{"<string>", "____", ORIGIN_PROJECT},
		{"<string>", "", ORIGIN_PROJECT},
		{"train.py", "launcher", ORIGIN_PROJECT},
		{"train.py", "__init__", ORIGIN_PROJECT},
	};
	char module[64], line[64];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK(origin_of(cases[i].file, cases[i].function, module, sizeof(module)) ==
				  cases[i].origin,
			  "%s of %s is of %s", cases[i].function, cases[i].file, module);
	CHECK(origin_of_range("<string>(1): launcher", line, module, sizeof(line)) == ORIGIN_LIBRARY,
		  "a range of Triton's launcher");
}

static void ranges(void)
{
	static const struct {
		const char *name, *line; /* NULL: no file */
	} cases[] = {
		{"train.py(91): loop", "train.py:91 loop"},
		{"/a (1)/b.py(7): f(x): y", "/a (1)/b.py:7 f(x): y"},
		{"<built-in method run of object at 0x1>", NULL},
		{"nn.Module: Linear_0", NULL},
		{"(3): f", NULL},
		{"a(): f", NULL},
		{"): f", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[64] = "", module[64];
		enum origin origin = origin_of_range(cases[i].name, line, module, sizeof(line));
		CHECK((origin != ORIGIN_UNKNOWN) == (cases[i].line != NULL) &&
				  (!cases[i].line || strcmp(line, cases[i].line) == 0),
			  "'%s' reads '%s'", cases[i].name, line);
	}
	char *long_name = malloc(5001), small[8], module[8];
	memset(long_name, 'x', 5000);
	strcpy(long_name + 4990, "(1): f");
	CHECK(origin_of_range(long_name, small, module, 8) == ORIGIN_UNKNOWN, "a file of 4,990 bytes");
	CHECK(origin_of_range("train.py(91): loop", small, module, 8) == ORIGIN_PROJECT &&
			  strcmp(small, "train.p") == 0,
		  "cut to '%s'", small);
	free(long_name);
}

static void short_lines(void)
{
	static const char *const cases[][2] = {
		{"/a/b/train.py:91 loop", "train.py:91 (loop)"},
		{"train.py:9 A.f.<locals>.g", "train.py:9 (A.f.<locals>.g)"},
		{"libx.so ncclAllReduce", "libx.so ncclAllReduce"},
		{"libx.so at::add(int)", "libx.so at::add(int)"},
		{"libx.so+0x12", "libx.so+0x12"},
		{"/a b/c: d/fit.py:91 loop", "fit.py:91 (loop)"},
		{"/a:7/b > c.py:9 main > d/e f.py:7 run", "b > c.py:9 (main) > d/e f.py:7 (run)"},
		{"/a/fit.py:9 main > lib/loop.py:7 L.run", "fit.py:9 (main) > lib/loop.py:7 (L.run)"},
		{"/a/fit.py:9 main > ", "fit.py:9 (main) > "},
		{"/a/fit.py:9 a_function_of_many_letters_that_fill_the_room_there_is > b.py:7 run",
		 "fit.py:9 (a_function_of_many_letters_that_fill_the_room_there_i"},
		{"", ""}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char out[64];
		by_short_line(cases[i][0], out, sizeof(out));
		CHECK(strcmp(out, cases[i][1]) == 0, "'%s' became '%s'", cases[i][0], out);
	}
}

static void tuples(void)
{
	struct intern intern = intern_of(3, 1000);
	uint32_t number, wrong = 0;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1200; i++) {
			uint32_t tuple[3] = {i % 7, i / 7, i % 2 ? UINT32_MAX : 0};
			CHECK(intern_get(&intern, tuple, &number) == 0, "no memory");
			wrong += number != (i < 1000 ? i : INTERN_FULL);
		}
	CHECK(wrong == 0 && intern.n == 1000, "%u wrong numbers, %zu tuples", wrong, intern.n);
	CHECK(intern_tuple(&intern, 999)[1] == 999 / 7, "a tuple changed");
	intern_free(&intern);
	CHECK(intern_get(&intern, (uint32_t[3]){1, 2, 3}, &number) == 0 && number == 0, "not empty");
	intern_free(&intern);
}

int main(void)
{
	origins();
	generated();
	ranges();
	short_lines();
	tuples();
	return finish();
}
