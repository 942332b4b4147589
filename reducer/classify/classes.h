/* The classes of kernels, by what a kernel does. Each class has a group and a printed name. */
#ifndef CLASSIFY_CLASSES_H
#define CLASSIFY_CLASSES_H

#include <stddef.h>

enum group { GROUP_MATMUL, GROUP_MEMORY, GROUP_CUSTOM, GROUP_NCCL, GROUP_OTHER, GROUP_COUNT };

struct kernel_class {
	enum group group;
	const char *class_name; /* "custom.attention"; with the seed taxonomy, the name of the group */
	/* id of the rule that matched: a string of the program, or the classifier's */
	const char *rule;
	int tensor_core; /* 1: yes, 0: no, -1: unknown */
};

/* X(identifier, group, printed class) */
#define CLASSES(X)                               \
	X(GEMM, MATMUL, "matmul.gemm")               \
	X(MEMCPY, MEMORY, "memory.memcpy")           \
	X(MEMSET, MEMORY, "memory.memset")           \
	X(COPY, MEMORY, "memory.copy_kernel")        \
	X(ATTENTION, CUSTOM, "custom.attention")     \
	X(CONV, CUSTOM, "custom.conv")               \
	X(NORM, CUSTOM, "custom.norm")               \
	X(SOFTMAX, CUSTOM, "custom.softmax")         \
	X(POINTWISE, CUSTOM, "custom.pointwise")     \
	X(REDUCE, CUSTOM, "custom.reduce")           \
	X(EMBEDDING, CUSTOM, "custom.embedding")     \
	X(OPTIMIZER, CUSTOM, "custom.optimizer")     \
	X(LOSS, CUSTOM, "custom.loss")               \
	X(SORT, CUSTOM, "custom.sort")               \
	X(RANDOM, CUSTOM, "custom.random")           \
	X(RNN, CUSTOM, "custom.rnn")                 \
	X(QUANT, CUSTOM, "custom.quant")             \
	X(TRITON, CUSTOM, "custom.triton")           \
	X(CUSTOM_OTHER, CUSTOM, "custom.other")      \
	X(ALLREDUCE, NCCL, "nccl.allreduce")         \
	X(ALLGATHER, NCCL, "nccl.allgather")         \
	X(REDUCESCATTER, NCCL, "nccl.reducescatter") \
	X(BROADCAST, NCCL, "nccl.broadcast")         \
	X(NCCL_REDUCE, NCCL, "nccl.reduce")          \
	X(SENDRECV, NCCL, "nccl.sendrecv")           \
	X(ALLTOALL, NCCL, "nccl.alltoall")           \
	X(NCCL_CUSTOM, NCCL, "nccl.custom")          \
	X(NCCL_OTHER, NCCL, "nccl.other")            \
	X(OTHER, OTHER, "other")

enum class_id {
#define X(id, group, name) CLASS_##id,
	CLASSES(X)
#undef X
		CLASS_COUNT
};

const char *group_name(enum group group); /* "matmul" */
enum group class_group(enum class_id class);
const char *class_name(enum class_id class); /* "custom.attention" */
/* The class_id of a printed class name; -1: none. */
int class_find(const char *name, size_t bytes);

#endif
