#!/usr/bin/env python3
"""Writes the wrappers that differ only in their arguments: a file of C each.

The build runs it (shim/build.mk).

usage: wrappers.py launch|nccl > FILE
The types are those of the calling convention: every handle is a void *, every enumeration an int.
"""
import re
import sys
import textwrap

# ---- launches: name, arguments, the expression that is the stream, what comes of it ----

# A dim3 is 12 bytes by value: on x86-64 and on aarch64 that is two integer registers, and here they
# never run out. As two numbers they stay in them; as a structure gcc stores and reloads them.
KERNEL = (
    "const void *function, uint64_t grid_xy, uint64_t grid_z, uint64_t block_xy, uint64_t block_z, "
    "void **args, size_t shared, void *stream"
)
DRIVER = (
    "void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, "
    "unsigned shared, void *stream, void **args"
)
EX = "launch_config_stream(config)"
RUNTIME_CALLS = [
    ("cudaLaunchKernel", KERNEL, "stream", "OP"),
    ("__cudaLaunchKernel", KERNEL, "stream", "OP"),
    ("cudaLaunchKernelExC", "const void *config, const void *function, void **args", EX, "OP"),
    ("cudaLaunchCooperativeKernel", KERNEL, "stream", "OP"),
    ("cudaGraphLaunch", "void *graph, void *stream", "stream", "GRAPH"),
]
DRIVER_CALLS = [
    ("cuGraphLaunch", "void *graph, void *stream", "stream", "GRAPH"),
    ("cuLaunchCooperativeKernel", DRIVER, "stream", "OP"),
    ("cuLaunchKernel", DRIVER + ", void **extra", "stream", "OP"),
    ("cuLaunchKernelEx", "const void *config, void *function, void **args, void **extra", EX, "OP"),
]

# Functions that the driver calls on the host: only the driver's own call is seen, which the runtime's
# makes too.
HOST_CALL = "void *stream, void (*function)(void *), void *data"

# ---- NCCL: collectives, sends and receives (name, enum baton_coll, per rank, arguments) ----

COLLECTIVES = [
    ("AllReduce", "ALLREDUCE", False, "srntocm"),
    ("Broadcast", "BROADCAST", False, "srntRcm"),
    ("Reduce", "REDUCE", False, "srntoRcm"),
    ("AllGather", "ALLGATHER", False, "srntcm"),
    ("ReduceScatter", "REDUCESCATTER", True, "srntocm"),
    ("AlltoAll", "ALLTOALL", True, "srntcm"),
    ("Gather", "GATHER", False, "srntRcm"),
    ("Scatter", "SCATTER", True, "srntRcm"),
]
COLLECTIVES += [(name + "Config", coll, each, args + "C") for name, coll, each, args in COLLECTIVES]
COLLECTIVES += [
    ("Bcast", "BROADCAST", False, "rntRcm"),
    ("Send", "SEND", False, "sntpcm"),
    ("Recv", "RECV", False, "rntpcm"),
]
ARGUMENT = {
    "s": ("const void *", "send"),
    "r": ("void *", "receive"),
    "n": ("size_t ", "count"),
    "t": ("int ", "type"),
    "o": ("int ", "op"),
    "R": ("int ", "root"),
    "p": ("int ", "peer"),
    "c": ("void *", "comm"),
    "m": ("void *", "stream"),
    "C": ("const void *", "config"),
}

# other calls: v pointer, i int, u unsigned, z size_t
CALLS = [
    ("GetUniqueId", "v"),
    ("MemAlloc", "vz"),
    ("MemFree", "v"),
    ("CommFinalize", "v"),
    ("CommRevoke", "vi"),
    ("CommGetUniqueId", "vv"),
    ("CommRegister", "vvzv"),
    ("CommDeregister", "vv"),
    ("CommWindowRegister", "vvzvi"),
    ("CommWindowDeregister", "vv"),
    ("CommSuspend", "vi"),
    ("CommResume", "v"),
    ("RedOpCreatePreMulSum", "vviiv"),
    ("RedOpDestroy", "iv"),
    ("PutSignal", "vziivziiuvv"),
    ("Signal", "iiiuvv"),
    ("WaitSignal", "ivvv"),
]
PLAIN = {"v": "void *", "i": "int ", "u": "unsigned ", "z": "size_t "}

# written by hand in nccl_comm_calls.c
BY_HAND = (
    "CommInitRank CommInitRankConfig CommInitRankScalable CommInitAll CommSplit CommShrink CommGrow "
    "CommDestroy CommAbort GroupStart GroupEnd GroupSimulateEnd"
).split()


def fold(text, after):
    """One declaration or call on lines of at most 100 columns, tabs being 4."""
    lead = text[: len(text) - len(text.lstrip("\t"))]
    kept = re.sub(r"(?<=[a-z]) (?=[*a-z_]+[,)])", "\0", text.strip())  # a type and its name
    lines = textwrap.wrap(kept, 95 - 4 * len(lead), break_long_words=False, break_on_hyphens=False)
    return ("\n" + lead + "\t").join([lead + lines[0]] + lines[1:]).replace("\0", " ") + after


def names_of(arguments):
    return ", ".join(a.split()[-1].lstrip("*") for a in arguments.split(", "))


def emit_sought(call, slot, find):
    """Where `real` is not known yet it is sought, if it can be."""
    if find:
        print("\tif (!real) {")
        print(fold(f'\t\t{find}(&{slot}, "{call}")', ";"))
        print(f"\t\treal = atomic_load_explicit(&{slot}, memory_order_acquire);\n\t}}")
    print("\tif (!real)\n\t\treturn LAUNCH_ABSENT;")


def emit_launch(symbol, call, arguments, stream, makes, slot, find, exported):
    """`call` is the name that is recorded, `symbol` the wrapper's. What is seldom needed is a
    function of its own: the other one stays a test and a jump."""
    passed = names_of(arguments)
    if exported:
        print(fold(f"int {symbol}({arguments})", ";"))
    by_caller = find == "launch_find_runtime"  # a process may have several runtimes
    known = f"caller_known(&to_{symbol}, caller)" if by_caller else None
    print(f"static _Atomic(void *) {slot};")
    if by_caller:
        print(f"static struct caller_target to_{symbol};")
    first = "const void *caller, " if by_caller else ""
    print(fold(f"static SHIM_COLD int seen_{symbol}({first}{arguments})", "\n{"))
    if by_caller:
        print(f"\tvoid *real = {known};")
        print(f'\tif (!real)\n\t\treal = caller_find(&to_{symbol}, "{call}", NULL, caller);')
    else:
        print(f"\tvoid *real = atomic_load_explicit(&{slot}, memory_order_acquire);")
    emit_sought(call, slot, find)
    own = symbol if exported else f"seen_{symbol}"
    print(fold(f"\t__typeof__(&{own}) forward = (__typeof__(&{own}))real", ";"))
    print("\tstruct launch launch;")
    print(fold(f'\tlaunch_begin(&launch, "{call}", BATON_SLOT_MAKES_{makes}, {stream})', ";"))
    print(f"\tint result = forward({passed});")
    print("\tlaunch_end(&launch, result);\n\treturn result;\n}\n")
    print(fold(f"{'SHIM_EXPORT' if exported else 'static'} int {symbol}({arguments})", "\n{"))
    if by_caller:
        print("\tconst void *caller = __builtin_return_address(0);")
        print(f"\tvoid *real = {known};")
    else:
        print(f"\tvoid *real = atomic_load_explicit(&{slot}, memory_order_acquire);")
    print("\tif (SHIM_LIKELY(real && !recording_by_wrappers()))")
    print(fold(f"\t\treturn ((__typeof__(&{own}))real)({passed})", ";"))
    print(fold(f"\treturn seen_{symbol}({'caller, ' if by_caller else ''}{passed})", ";\n}\n"))


def emit_host_call(symbol, call, slot, find, exported):
    if exported:
        print(fold(f"int {symbol}({HOST_CALL})", ";"))
    print(f"static _Atomic(void *) {slot};")
    print(fold(f"{'SHIM_EXPORT' if exported else 'static'} int {symbol}({HOST_CALL})", "\n{"))
    print(f"\tvoid *real = atomic_load_explicit(&{slot}, memory_order_acquire);")
    emit_sought(call, slot, find)
    per_thread = str(call.endswith("_ptsz")).lower()
    print(f"\treturn host_call((host_call_real)real, stream, function, data, {per_thread});\n}}\n")


def launch():
    print("/* Generated by wrappers.py launch: the wrappers of the launch calls. */")
    print('#include "sources/launch/launch.h"\n\n#include "base/caller.h"\n#include "base/symbols.h"\n\n#include <stddef.h>\n')
    print("/* ---- bound by the linker ---- */\n")
    for calls, find in ((RUNTIME_CALLS, "launch_find_runtime"), (DRIVER_CALLS, "launch_find_driver")):
        for name, arguments, stream, makes in calls:
            for form in ("", "_ptsz"):
                slot = f"real_{name}{form}"
                emit_launch(name + form, name + form, arguments, stream, makes, slot, find, True)
    print("/* ---- handed out by cuGetProcAddress, forwarding to what that gave ---- */\n")
    for name, arguments, stream, makes in DRIVER_CALLS:
        for form in ("", "_ptsz"):
            slot = f"given_{name}{form}"
            emit_launch(f"give_{name}{form}", name + form, arguments, stream, makes, slot, None, False)
    for form in ("", "_ptsz"):
        name = "cuLaunchHostFunc" + form
        emit_host_call(name, name, f"real_{name}", "launch_find_driver", True)
        emit_host_call(f"give_{name}", name, f"given_{name}", None, False)
    driver = [name for name, *_ in DRIVER_CALLS] + ["cuLaunchHostFunc"]
    print("const struct launch_entry launch_entries[] = {")
    for name in driver:
        print(f'\t{{"{name}",')
        print(f"\t {{(void *)give_{name}, (void *)give_{name}_ptsz}},")
        print(f"\t {{&given_{name}, &given_{name}_ptsz}}}},")
    print("};")
    print("const unsigned launch_entries_count = sizeof(launch_entries) / sizeof(launch_entries[0]);\n")
    rows = [
        ("cuGetProcAddress", "launch_proc_address", "launch_proc_address_real", "NULL"),
        ("cuGetProcAddress_v2", "launch_proc_address_v2", "launch_proc_address_v2_real", "NULL"),
    ]
    for name in driver:
        for form in ("", "_ptsz"):
            rows.append((name + form, name + form, f"real_{name}{form}", "launch_find_driver"))
    print("const struct symbols_hook driver_names[] = {")
    for name, wrapper, slot, find in sorted(rows):
        print(fold(f'\t{{"{name}", NULL, (void *){wrapper}, &{slot}, {find}}}', ","))
    print("};\nconst unsigned driver_names_count = sizeof(driver_names) / sizeof(driver_names[0]);")


def emit_nccl(name, arguments, operation):
    print(f"static _Atomic(void *) real_{name};\nstatic struct caller_target to_{name};")
    print(fold(f"int nccl{name}({arguments})", ";"))
    print(fold(f"SHIM_EXPORT int nccl{name}({arguments})", "\n{"))
    print(f'\tvoid *real = nccl_real(&to_{name}, &real_{name}, "nccl{name}",')
    print("\t\t__builtin_return_address(0));")
    print("\tif (!real)\n\t\treturn NCCL_INTERNAL_ERROR;")
    print(fold(f"\t__typeof__(&nccl{name}) forward = (__typeof__(&nccl{name}))real", ";"))
    print(f'\tstruct nccl_call call;\n\tnccl_begin(&call, "nccl{name}");')
    if operation:
        coll, per_rank, peer = operation
        print("\tnccl_operation(&call, &(struct nccl_args){")
        print("\t\t.comm = comm, .stream = stream, .count = count, .type = type,")
        print(f"\t\t.coll = BATON_COLL_{coll}, .per_rank = {str(per_rank).lower()}{peer}}});")
    print(f"\tint result = forward({names_of(arguments)});")
    print("\tnccl_end(&call, result);\n\treturn result;\n}\n")


def nccl():
    print("/* Generated by wrappers.py nccl: the wrappers of NCCL's calls, and what dlsym hands out. */")
    print('#include "sources/nccl/nccl.h"\n\n#include "base/symbols.h"\n')
    for name, coll, per_rank, codes in COLLECTIVES:
        arguments = ", ".join("".join(ARGUMENT[c]) for c in codes)
        emit_nccl(name, arguments, (coll, per_rank, ", .peer = peer + 1" if "p" in codes else ""))
    for name, codes in CALLS:
        arguments = ", ".join(f"{PLAIN[c]}a{i}" for i, c in enumerate(codes))
        emit_nccl(name, arguments, None)
    rows = [(name, f"real_{name}") for name, *_ in COLLECTIVES + CALLS]
    rows += [(name, f"nccl_real_{name}") for name in BY_HAND]
    print("const struct symbols_hook nccl_names[] = {")
    for name, slot in sorted(rows):
        print(fold(f'\t{{"nccl{name}", "pnccl{name}", (void *)nccl{name}, &{slot}, nccl_find}}', ","))
    print("};\nconst unsigned nccl_names_count = sizeof(nccl_names) / sizeof(nccl_names[0]);")


def main():
    what = {"launch": launch, "nccl": nccl}.get(sys.argv[1] if len(sys.argv) == 2 else "")
    if not what:
        sys.exit(__doc__)
    what()


if __name__ == "__main__":
    main()
