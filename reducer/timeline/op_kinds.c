#include "timeline/op_kinds.h"

#include <string.h>

const struct op_kind_facts op_kinds[OP_KINDS] = {
	[OP_BACKWARD] = {"backward-compute", {"backward", "bwd"}, JOIN_NONE, true, "backward-compute"},
	[OP_FORWARD] = {"forward-compute", {"forward", "fwd"}, JOIN_NONE, true, "forward-compute"},
	[OP_FORWARD_SEND] = {"forward-send", {"send-forward"}, JOIN_PEER, false, "forward-pp-comm"},
	[OP_FORWARD_RECV] = {"forward-recv", {"recv-forward"}, JOIN_PEER, false, "forward-pp-comm"},
	[OP_BACKWARD_SEND] = {"backward-send", {"send-backward"}, JOIN_PEER, false, "backward-pp-comm"},
	[OP_BACKWARD_RECV] = {"backward-recv", {"recv-backward"}, JOIN_PEER, false, "backward-pp-comm"},
	[OP_PARAMS_GATHER] =
		{"params-all-gather", {"params-allgather"}, JOIN_DP, false, "params-all-gather"},
	[OP_GRADS_SCATTER] = {"grads-reduce-scatter",
						  {"grads-reducescatter", "grads-all-reduce"},
						  JOIN_DP,
						  false,
						  "grads-reduce-scatter"},
	[OP_GC] = {"gc", {"garbage-collection"}, JOIN_NONE, true, "gc"},
	[OP_LAYERNORM] =
		{"layernorm-grads-all-reduce", {NULL}, JOIN_NONE, false, "layernorm-grads-all-reduce"},
	[OP_EMBEDDING] =
		{"embedding-grads-all-reduce", {NULL}, JOIN_STAGES, false, "embedding-grads-all-reduce"},
	[OP_SEPARATE_GRADS] =
		{"separate-grads-all-reduce", {NULL}, JOIN_DP, false, "separate-grads-all-reduce"},
	[OP_CLIP] = {"optimizer-clip-main-grad",
				 {"clip-main-grad"},
				 JOIN_ALL,
				 false,
				 "optimizer-clip-main-grad"},
	[OP_OPTIMIZER] = {"optimizer", {"optimizer-step"}, JOIN_NONE, true, "optimizer"},
};

/* Words may be joined by - or _. */
static bool same_name(const char *name, const char *at, size_t bytes)
{
	if (strlen(name) != bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (name[i] != (at[i] == '_' ? '-' : at[i]))
			return false;
	return true;
}

enum op_kind op_kind_find(const char *name, size_t bytes)
{
	for (int kind = 0; kind < OP_KINDS; kind++) {
		const struct op_kind_facts *facts = &op_kinds[kind];
		if (same_name(facts->name, name, bytes))
			return (enum op_kind)kind;
		for (int i = 0; i < 3 && facts->other_names[i]; i++)
			if (same_name(facts->other_names[i], name, bytes))
				return (enum op_kind)kind;
	}
	return OP_KINDS;
}
