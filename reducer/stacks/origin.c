#include "stacks/origin.h"

#include <stdio.h>
#include <string.h>

/* Kineto cuts the directories of sys.path off its file names: then only the name tells. */
static const char libraries[] =
	"torch torchvision torchaudio torchdata torch_xla triton numpy scipy pandas PIL cv2 "
	"apex deepspeed accelerate transformers datasets tokenizers pytorch_lightning "
	"lightning fairscale flash_attn xformers einops timm tqdm jax flax optax tensorflow "
	"cupy nvidia ray IPython ipykernel sklearn huggingface_hub diffusers peft trl "
	"bitsandbytes safetensors flashinfer sgl_kernel triton_kernels aiter "
	"transformer_engine torchao torchmetrics torchrec fbgemm_gpu liger_kernel mamba_ssm "
	"lightning_fabric tensorboard wandb pydantic packaging yaml matplotlib networkx sympy "
	"numba kornia albumentations mmcv mmengine webdataset sentence_transformers omegaconf "
	"hydra psutil requests typing_extensions";

static const char standard[] =
	"_collections_abc _weakrefset abc argparse ast asyncio base64 bisect bz2 calendar "
	"codecs collections concurrent configparser contextlib contextvars copy copyreg csv "
	"ctypes dataclasses datetime decimal difflib dis email encodings enum fnmatch "
	"fractions functools genericpath gettext glob gzip hashlib heapq http importlib "
	"inspect io json keyword linecache locale logging lzma multiprocessing ntpath numbers "
	"operator os pathlib pickle pkgutil platform posixpath pprint queue random re runpy "
	"secrets selectors shlex shutil signal site socket sqlite3 sre_compile sre_parse ssl "
	"stat statistics string struct subprocess sysconfig tarfile tempfile textwrap "
	"threading timeit tokenize traceback tracemalloc types typing unittest urllib uuid "
	"warnings weakref xml zipfile";

/* What torch holds: an installation outside of site-packages (pip --target, a source tree) is told
 * from a project's folder of that name by what comes next. */
static const char in_torch[] =
	"__init__ accelerator amp ao autograd backends compiler cpu cuda distributed "
	"distributions export fft func functional functorch futures fx hub jit library linalg "
	"masked mps multiprocessing nested nn nativert onnx optim overrides package profiler "
	"quantization random return_types serialization signal sparse special storage testing "
	"types utils xpu";

/* The length of the first component, without ".py". */
static size_t component(const char *path)
{
	size_t n = strcspn(path, "/");
	return n > 3 && path[n] == 0 && memcmp(path + n - 3, ".py", 3) == 0 ? n - 3 : n;
}

/* Is the first component one of the words? */
static bool listed(const char *words, const char *path)
{
	size_t bytes = component(path);
	for (const char *word = words; *word; word += *word == ' ') {
		size_t n = strcspn(word, " ");
		if (n == bytes && memcmp(word, path, bytes) == 0)
			return true;
		word += n;
	}
	return false;
}

/* ".../lib/python3.11/threading.py", ".../python311.zip/threading.py" */
static bool in_standard_library(const char *file)
{
	for (const char *at = file; (at = strstr(at, "/python3")); at++) {
		size_t digits = strspn(at + 8, ".0123456789");
		bool lib = at - file >= 3 && (memcmp(at - 3, "lib", 3) == 0 ||
									  (at - file >= 5 && memcmp(at - 5, "lib64", 5) == 0));
		if ((lib && at[8 + digits] == '/') || strncmp(at + 8 + digits, "zip/", 4) == 0)
			return true;
	}
	return false;
}

/* Where torch is, in ".../torch/nn/modules/linear.py", ".../torch/_tensor.py"; NULL: nowhere. */
static const char *torch_tree(const char *file)
{
	for (const char *at = file; (at = strstr(at, "/torch/"));) {
		const char *in = at + 7;
		if (in[0] == '_' || listed(in_torch, in))
			return at + 1;
		at = in - 1; /* "/torch/torch/" */
	}
	return NULL;
}

/* Code that libraries make at run time: Triton's launchers, dynamo's guards, the methods of data
 * classes. `python -c` is <string> too. */
static bool is_generated(const char *file, const char *function)
{
	static const char *const names[] = {"launcher", "dynamic_func", "guard"};
	size_t n = strlen(function);
	if (strcmp(file, "<string>") != 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return n > 4 && strncmp(function, "__", 2) == 0 && strcmp(function + n - 2, "__") == 0;
}

static enum origin library(const char *name, size_t bytes, char *module, size_t room)
{
	snprintf(module, room, "%.*s", (int)bytes, name);
	return ORIGIN_LIBRARY;
}

size_t origin_torch_root(const char *file)
{
	const char *torch = torch_tree(file);
	const bool told = strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
	return torch && file[0] == '/' && !told && !in_standard_library(file) ? (size_t)(torch - file)
																		  : 0;
}

enum origin origin_of(const char *file, const char *function, char *module, size_t room)
{
	static const char *const packages[] = {"/site-packages/", "/dist-packages/"};
	for (size_t i = 0; i < 2; i++) {
		const char *at = NULL, *next = file;
		while ((next = strstr(next, packages[i])))
			at = next += strlen(packages[i]);
		if (at)
			return library(at, component(at), module, room);
	}
	if (strncmp(file, "<frozen", 7) == 0 || in_standard_library(file) ||
		is_generated(file, function))
		return library("python", 6, module, room);
	if (strncmp(file, "<eval_with_key", 14) == 0) /* generated by torch.fx */
		return library("torch", 5, module, room);
	if (strncmp(file, "<__array_function__", 19) == 0)
		return library("numpy", 5, module, room);
	if (torch_tree(file))
		return library("torch", 5, module, room);
	if (strstr(file, "/torchinductor_"))
		return library("torchinductor", 13, module, room);
	if (file[0] != '/' && listed(libraries, file))
		return library(file, component(file), module, room);
	if (file[0] != '/' && listed(standard, file))
		return library("python", 6, module, room);
	snprintf(module, room, "%s", file);
	return ORIGIN_PROJECT;
}

enum origin origin_of_range(const char *name, char *line, char *module, size_t room)
{
	char file[1024];
	const char *end = strstr(name, "): ");
	size_t digits = 0;
	if (!end || name[0] == 0)
		return ORIGIN_UNKNOWN;
	while (end - digits > name && end[-1 - (long)digits] >= '0' && end[-1 - (long)digits] <= '9')
		digits++;
	const char *open = end - digits - 1;
	if (digits == 0 || open <= name || *open != '(' || (size_t)(open - name) >= sizeof(file))
		return ORIGIN_UNKNOWN;
	memcpy(file, name, (size_t)(open - name));
	file[open - name] = 0;
	snprintf(line, room, "%s:%.*s %s", file, (int)digits, open + 1, end + 3);
	return origin_of(file, end + 3, module, room);
}
