"""The tables of CUPTI against NVIDIA's headers, release by release: what the shim reads
(shim/sources/cupti/cupti_layout.h) and what the double writes (tools/simgpu/doubles/cupti). The
wheels are fetched into build/cupti-wheels; without a network and without a cache the test is skipped.

CUPTI_RELEASES="12.4 13.0": which releases ("all": every one that the double models)."""

import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build/release"))
CACHE = os.path.join(ROOT, "build", "cupti-wheels")
CC = os.environ.get("CC", "gcc").split()

WHEELS = {
    "11.8": "nvidia-cuda-cupti-cu11==11.8.87",
    "12.0": "nvidia-cuda-cupti-cu12==12.0.146",
    "12.1": "nvidia-cuda-cupti-cu12==12.1.105",
    "12.2": "nvidia-cuda-cupti-cu12==12.2.142",
    "12.3": "nvidia-cuda-cupti-cu12==12.3.101",
    "12.4": "nvidia-cuda-cupti-cu12==12.4.127",
    "12.5": "nvidia-cuda-cupti-cu12==12.5.82",
    "12.6": "nvidia-cuda-cupti-cu12==12.6.80",
    "12.8": "nvidia-cuda-cupti-cu12==12.8.90",
    "12.9": "nvidia-cuda-cupti-cu12==12.9.79",
    "13.0": "nvidia-cuda-cupti==13.0.85",
    "13.1": "nvidia-cuda-cupti==13.1.115",
    "13.2": "nvidia-cuda-cupti==13.2.86",
    "13.3": "nvidia-cuda-cupti==13.3.75",
    "13.4": "nvidia-cuda-cupti==13.4.92",
    "13.5": "nvidia-cuda-cupti==13.5.25",
}
DEFAULT = "11.8 12.4 12.8 13.0 13.3 13.5"
# cuda.h of the newest release serves all: only types of it are used
RUNTIME = ["nvidia-cuda-runtime==13.5.*", "nvidia-cuda-crt==13.5.*"]

# The reader's offsets: prefix in shim/sources/cupti/cupti_layout.h, the vendor's struct, {our suffix: member}.
READER = [
    ("KERNEL", "Kernel", {
        "REGISTERS": "registersPerThread", "START": "start", "END": "end", "DEVICE": "deviceId",
        "CONTEXT": "contextId", "STREAM": "streamId", "GRID": "gridX", "BLOCK": "blockX",
        "STATIC_SHARED": "staticSharedMemory", "DYNAMIC_SHARED": "dynamicSharedMemory",
        "CORRELATION": "correlationId", "NAME": "name", "QUEUED": "queued",
        "SUBMITTED": "submitted", "GRAPH_NODE": "graphNodeId", "GRAPH": "graphId",
        "CLUSTER": "clusterX"}),
    ("MEMCPY", "Memcpy", {
        "COPY_KIND": "copyKind", "SOURCE_KIND": "srcKind", "TARGET_KIND": "dstKind",
        "BYTES": "bytes", "START": "start", "END": "end", "DEVICE": "deviceId",
        "CONTEXT": "contextId", "STREAM": "streamId", "CORRELATION": "correlationId",
        "GRAPH_NODE": "graphNodeId", "GRAPH": "graphId"}),
    ("MEMCPY2", "MemcpyPtoP", {
        "COPY_KIND": "copyKind", "SOURCE_KIND": "srcKind", "TARGET_KIND": "dstKind",
        "BYTES": "bytes", "START": "start", "END": "end", "DEVICE": "deviceId",
        "CONTEXT": "contextId", "STREAM": "streamId", "SOURCE_DEVICE": "srcDeviceId",
        "SOURCE_CONTEXT": "srcContextId", "TARGET_DEVICE": "dstDeviceId",
        "TARGET_CONTEXT": "dstContextId", "CORRELATION": "correlationId",
        "GRAPH_NODE": "graphNodeId", "GRAPH": "graphId"}),
    ("MEMSET", "Memset", {
        "VALUE": "value", "BYTES": "bytes", "START": "start", "END": "end", "DEVICE": "deviceId",
        "CONTEXT": "contextId", "STREAM": "streamId", "CORRELATION": "correlationId",
        "MEMORY_KIND": "memoryKind", "GRAPH_NODE": "graphNodeId", "GRAPH": "graphId"}),
    ("SYNC", "Synchronization", {
        "TYPE": "type", "START": "start", "END": "end", "CORRELATION": "correlationId",
        "CONTEXT_ID": "contextId", "STREAM_ID": "streamId", "EVENT_ID": "cudaEventId"}),
    ("API", "API", {
        "CBID": "cbid", "START": "start", "END": "end", "PROCESS": "processId",
        "THREAD": "threadId", "CORRELATION": "correlationId", "RESULT": "returnValue"}),
    ("EXTERNAL", "ExternalCorrelation", {
        "KIND": "externalKind", "ID": "externalId", "CORRELATION": "correlationId"}),
    ("OVERHEAD", "Overhead", {
        "KIND": "overheadKind", "OBJECT_KIND": "objectKind", "PROCESS": "objectId.pt.processId",
        "THREAD": "objectId.pt.threadId", "OBJECT_DEVICE": "objectId.dcs.deviceId",
        "START": "start", "END": "end"}),
    ("GRAPH", "GraphTrace", {
        "CORRELATION": "correlationId", "START": "start", "END": "end", "DEVICE": "deviceId",
        "ID": "graphId", "CONTEXT": "contextId", "STREAM": "streamId"}),
    ("CONTEXT", "Context", {
        "ID": "contextId", "DEVICE": "deviceId", "NULL_STREAM": "nullStreamId"}),
    ("DEVICE", "Device", {"ID": "id", "UUID": "uuid", "NAME": "name"}),
    ("EVENT", "CudaEvent", {
        "CORRELATION": "correlationId", "CONTEXT": "contextId", "STREAM": "streamId",
        "ID": "eventId"}),
]
# The reader's other numbers: ours -> the vendor's. A leading "?" means: not in every release.
CONSTANTS = {
    **{"CUPTI_" + k: "CUPTI_ERROR_" + k for k in (
        "INVALID_PARAMETER INVALID_OPERATION MAX_LIMIT_REACHED NOT_READY NOT_COMPATIBLE "
        "NOT_INITIALIZED INVALID_KIND NOT_SUPPORTED INSUFFICIENT_PRIVILEGES UNKNOWN").split()},
    "CUPTI_OK": "CUPTI_SUCCESS",
    "CUPTI_MULTIPLE_SUBSCRIBERS": "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
    **{"CUPTI_KIND_" + k: "CUPTI_ACTIVITY_KIND_" + k for k in (
        "MEMCPY MEMSET KERNEL DRIVER RUNTIME DEVICE CONTEXT CONCURRENT_KERNEL OVERHEAD MEMCPY2 "
        "CUDA_EVENT SYNCHRONIZATION EXTERNAL_CORRELATION GRAPH_TRACE").split()},
    "CUPTI_DOMAIN_DRIVER": "CUPTI_CB_DOMAIN_DRIVER_API",
    "CUPTI_DOMAIN_RUNTIME": "CUPTI_CB_DOMAIN_RUNTIME_API",
    "CUPTI_DOMAIN_RESOURCE": "CUPTI_CB_DOMAIN_RESOURCE",
    "CUPTI_DOMAIN_SYNCHRONIZE": "CUPTI_CB_DOMAIN_SYNCHRONIZE",
    "CUPTI_ENTER": "CUPTI_API_ENTER",
    "CUPTI_EXIT": "CUPTI_API_EXIT",
    **{"CUPTI_RESOURCE_" + k: "CUPTI_CBID_RESOURCE_" + k for k in (
        "CONTEXT_CREATED CONTEXT_DESTROY_STARTING STREAM_CREATED STREAM_DESTROY_STARTING "
        "MODULE_LOADED GRAPHNODE_CREATED GRAPHEXEC_CREATED GRAPHNODE_CLONED").split()},
    "CUPTI_ATTRIBUTE_DEVICE_BUFFER_SIZE": "CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE",
    "CUPTI_ATTRIBUTE_ZEROED_BUFFER": "CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER",
    "CUPTI_ATTRIBUTE_PER_THREAD_BUFFER": "?CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER",
    "CUPTI_FLUSH_FORCED": "CUPTI_ACTIVITY_FLAG_FLUSH_FORCED",
    "CUPTI_THREAD_ID_PTHREAD": "CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT",
    "CUPTI_THREAD_ID_SYSTEM": "CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM",
    "CUPTI_SYNC_EVENT": "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE",
    "CUPTI_SYNC_STREAM_WAIT": "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT",
    "CUPTI_SYNC_STREAM": "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE",
    "CUPTI_SYNC_CONTEXT": "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE",
    **{"CUPTI_COPY_" + k: "CUPTI_ACTIVITY_MEMCPY_KIND_" + k for k in
       "HTOD DTOH DTOD HTOH PTOP".split()},
    **{"CUPTI_MEMORY_" + k: "CUPTI_ACTIVITY_MEMORY_KIND_" + k for k in
       "PAGEABLE PINNED DEVICE ARRAY MANAGED".split()},
    "CUPTI_OVERHEAD_DRIVER_COMPILER": "CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER",
    "CUPTI_OVERHEAD_BUFFER_FLUSH": "CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH",
    "CUPTI_OVERHEAD_INSTRUMENTATION": "CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION",
    "CUPTI_OVERHEAD_RESOURCE": "CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE",
    "CUPTI_OVERHEAD_MODULE_LOADING":
        "?CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING",
    "CUPTI_OVERHEAD_LAZY_FUNCTION_LOADING": "?CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING",
    "CUPTI_OVERHEAD_COMMAND_BUFFER_FULL": "?CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL",
    "CUPTI_OVERHEAD_BUFFER_REQUEST": "?CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST",
    **{"CUPTI_OBJECT_" + k: "CUPTI_ACTIVITY_OBJECT_" + k for k in
       "PROCESS THREAD DEVICE CONTEXT STREAM".split()},
}
CALLBACK = {  # struct cupti_call against CUpti_CallbackData
    "site": "callbackSite", "function": "functionName", "params": "functionParams",
    "result": "functionReturnValue", "symbol": "symbolName", "context": "context",
    "context_id": "contextUid", "data": "correlationData", "correlation": "correlationId",
}
SUBSCRIBER = {"size": "structSize", "name": "subscriberName", "holder": "oldSubscriberName",
              "holder_bytes": "oldSubscriberSize", "allow_multiple": "allowMultipleSubscribers"}


def fetch(requirement, name):
    """The folder of the unpacked headers of one wheel, or None."""
    folder = os.path.join(CACHE, name)
    if not os.path.isdir(folder):
        spool = folder + ".new"
        shutil.rmtree(spool, ignore_errors=True)
        os.makedirs(spool)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
               "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_25_x86_64",
               "--platform", "manylinux1_x86_64", "--timeout", "10", "--retries", "1",
               "-d", spool, requirement]
        if subprocess.run(pip, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            shutil.rmtree(spool, ignore_errors=True)
            return None
        for wheel in glob.glob(os.path.join(spool, "*.whl")):
            with zipfile.ZipFile(wheel) as z:
                for member in z.namelist():
                    if "/include/" in member and member.endswith((".h", ".hpp")):
                        z.extract(member, spool)
            os.remove(wheel)
        os.rename(spool, folder)
    found = glob.glob(os.path.join(folder, "nvidia", "*", "include"))
    return found[0] if found else None


def double_tables():
    """What the double prints of itself: {release: {...}}, {(domain, number): name}, {error: name}."""
    program = os.path.join(BUILD, "tests", "double", "cupti_layouts")
    releases, calls, errors = {}, {}, {}
    for line in subprocess.run([program], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines():
        what, *rest = line.split()
        if what == "release":
            records = []
            releases[rest[0]] = {"version": int(rest[1]), "cbids": (int(rest[2]), int(rest[3])),
                                 "records": records}
        elif what == "record":
            records.append((rest[0], int(rest[1]), []))
        elif what == "field":
            records[-1][2].append((rest[0], int(rest[1]), int(rest[2])))
        elif what == "call":
            calls[int(rest[0]), int(rest[1])] = rest[2]
        else:
            errors[int(rest[0])] = rest[1]
    return releases, calls, errors


def shim_calls():
    """Domain, name, number and family of every call in shim/sources/cupti/cupti_layout.h."""
    text = open(os.path.join(ROOT, "shim", "sources", "cupti", "cupti_layout.h")).read()
    for domain, macro in ((2, "CUPTI_RUNTIME_CALLS"), (1, "CUPTI_DRIVER_CALLS")):
        body = text.split("#define %s(X)" % macro)[1].split("\n\n")[0].split("/* clang")[0]
        for name, number, family in re.findall(r"X\((\w+), (\d+), (\w+)\)", body):
            yield domain, name, int(number), family
    for name, number in re.findall(r"CUPTI_RANGE_(\w+) = (\d+)", text):
        yield 2 if name.startswith("cuda") else 1, name, int(number), "RANGE"


def shim_allocations():
    """Names of the calls whose second parameter the shim takes for a size."""
    text = open(os.path.join(ROOT, "shim", "sources", "cupti", "cupti_layout.h")).read()
    for macro in ("CUPTI_RUNTIME_ALLOCATIONS", "CUPTI_DRIVER_ALLOCATIONS"):
        body = text.split("#define %s(X)" % macro)[1].split("\n\n")[0].split("/* clang")[0]
        yield from re.findall(r"X\((\w+), \w+\)", body)


def check_allocations(include):
    """Each call's parameters, where this release has them, begin with a pointer and a size."""
    text = "".join(open(path).read() for path in glob.glob(os.path.join(include, "generated_cuda*_meta.h")))
    wrong, seen = [], 0
    for name in shim_allocations():
        found = re.search(r"struct %s_params_st \{([^}]*)\}" % name, text)
        if not found:
            continue
        seen += 1
        members = [line.strip() for line in found.group(1).split(";")]
        first, second = members[0], members[1].split()
        if "*" not in first or second[0] != "size_t" or second[1] not in ("size", "bytesize"):
            wrong.append(("shim: parameters of " + name, members[:2], "a pointer, a size"))
    if seen < 15:
        wrong.append(("parameters of allocations that both know", seen, ">= 15"))
    return wrong


def cbids(include, which):
    text = open(os.path.join(include, "cupti_%s_cbid.h" % which)).read()
    return {name: int(n) for name, n in re.findall(r"_CBID_(\w+)\s*=\s*(\d+)", text)}


def newest(include, family):
    """The newest struct of a family, which is the one that CUPTI fills."""
    text = open(os.path.join(include, "cupti_activity.h")).read()
    numbers = [int(n or 0) for n in re.findall(r"}\s*CUpti_Activity%s(\d*);" % family, text)]
    return "CUpti_Activity%s%s" % (family, max(numbers) or "" if numbers else "?")


class Program:
    """Collects expressions, compiles them once against one release, and gives their values."""

    def __init__(self):
        self.rows = []

    def add(self, expression, expected, what):
        self.rows.append((expression, expected, what))

    def run(self, release, include, runtime):
        folder = os.path.join(CACHE, "programs")
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, release + ".c")
        with open(source, "w") as f:
            f.write("#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <cuda.h>\n"
                    "#include <cupti_result.h>\n#include <cupti_version.h>\n"
                    "#include <cupti_activity.h>\n#include <cupti_callbacks.h>\n#define R(x) "
                    "printf(\"%lld\\n\", (long long)(x))\nint main(void)\n{\n")
            f.writelines("\tR(%s);\n" % row[0] for row in self.rows)
            f.write("\treturn 0;\n}\n")
        program = source[:-2]
        compiled = subprocess.run(CC + ["-w", "-I" + include] + ["-I" + r for r in runtime] +
                                  ["-o", program, source], stderr=subprocess.PIPE, text=True)
        if compiled.returncode:
            errors = [line.split("error: ")[1] for line in compiled.stderr.splitlines()
                      if "error: " in line]
            return [("what we name", error, "there") for error in sorted(set(errors))]
        values = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                                check=True).stdout.split()
        return [(what, int(value), expected)
                for (_, expected, what), value in zip(self.rows, values)
                if int(value) != expected]


def member_exists(include, struct, member):
    text = open(os.path.join(include, "cupti_activity.h")).read()
    end = text.find("} %s;" % struct)
    body = text[text.rfind("typedef struct", 0, end):end]
    return re.search(r"\b%s\b\s*(\[[^]]*\])?;" % re.escape(member), body) is not None


def reader_values():
    """The enumerators of shim/sources/cupti/cupti_layout.h and the offsets of its structures, by the compiler."""
    names = set(CONSTANTS)
    for prefix, _, fields in READER:
        names |= {"CUPTI_%s_%s" % (prefix, suffix) for suffix in fields}
        names.add("CUPTI_%s_READ" % prefix)
    names.add("CUPTI_OVERHEAD_CORRELATION_12_3")
    rows = {n: n for n in names}
    rows.update({"call." + f: "offsetof(struct cupti_call, %s)" % f for f in CALLBACK})
    rows.update({"params." + f: "offsetof(struct cupti_subscriber_params, %s)" % f
                 for f in SUBSCRIBER})
    rows["params"] = "CUPTI_SUBSCRIBER_PARAMS_13_2"
    rows["params.13_0"] = "CUPTI_SUBSCRIBER_PARAMS_13_0"
    source = os.path.join(CACHE, "reader.c")
    with open(source, "w") as f:
        f.write('#include <stddef.h>\n#include <stdio.h>\n#include "sources/cupti/cupti_layout.h"\nint main(void)\n{\n')
        f.writelines('\tprintf("%s %%lld\\n", (long long)(%s));\n' % row for row in rows.items())
        f.write("\treturn 0;\n}\n")
    subprocess.run(CC + ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(ROOT, "shim"),
                    "-o", source[:-2], source], check=True)
    out = subprocess.run([source[:-2]], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.split() for line in out.splitlines())}


def add_reader(program, include, reader):
    text = "".join(open(os.path.join(include, "cupti_%s.h" % h)).read()
                   for h in ("activity", "callbacks", "result"))
    for prefix, family, fields in READER:
        struct = newest(include, family)
        for suffix, member in fields.items():
            name = "CUPTI_%s_%s" % (prefix, suffix)
            program.add("offsetof(%s, %s)" % (struct, member), reader[name], "shim: " + name)
        read = reader["CUPTI_%s_READ" % prefix]
        program.add("sizeof(%s) >= %d" % (struct, read), 1, "shim: %s is read beyond" % struct)
    if member_exists(include, newest(include, "Overhead"), "correlationId"):
        program.add("offsetof(%s, correlationId)" % newest(include, "Overhead"),
                    reader["CUPTI_OVERHEAD_CORRELATION_12_3"], "shim: overhead's correlation")
    for ours, theirs in CONSTANTS.items():
        if not theirs.startswith("?"):
            program.add(theirs, reader[ours], "shim: " + ours)
        elif re.search(r"\b%s\b" % theirs[1:], text):
            program.add(theirs[1:], reader[ours], "shim: " + ours)
    for ours, theirs in CALLBACK.items():
        program.add("offsetof(CUpti_CallbackData, %s)" % theirs, reader["call." + ours],
                    "shim: struct cupti_call." + ours)
    if "} CUpti_SubscriberParams;" in text:
        newer = "allowMultipleSubscribers" in text
        program.add("sizeof(CUpti_SubscriberParams)", reader["params" if newer else "params.13_0"],
                    "shim: subscriber params")
        for ours, theirs in SUBSCRIBER.items():
            if re.search(r"\b%s\b" % theirs, text):
                program.add("offsetof(CUpti_SubscriberParams, %s)" % theirs,
                            reader["params." + ours], "shim: subscriber params, " + ours)


def add_double(program, include, table):
    wrong = []
    for struct, size, fields in table["records"]:
        family = re.match(r"CUpti_Activity(\D+)\d*$", struct).group(1)
        if newest(include, family) != struct:
            wrong.append(("double: newest struct", newest(include, family), struct))
            continue
        program.add("sizeof(%s)" % struct, size, "double: sizeof " + struct)
        for name, offset, width in fields:
            program.add("offsetof(%s, %s)" % (struct, name), offset, "double: %s.%s" % (struct, name))
            program.add("sizeof(((%s *)0)->%s)" % (struct, name), width,
                        "double: width of %s.%s" % (struct, name))
    program.add("CUPTI_API_VERSION", table["version"], "double: version")
    return wrong


def check_calls(include, table, names):
    """Numbers of calls: shim and double. A name may be new or be a placeholder in a release."""
    wrong, seen = [], 0
    for domain, which in ((2, "runtime"), (1, "driver")):
        vendor = cbids(include, which)
        limit = vendor.pop("SIZE")
        if limit != table["cbids"][2 - domain]:
            wrong.append(("double: %s numbers end" % which, limit, table["cbids"][2 - domain]))
        for where, name, number in (
                [("shim", n, i) for d, n, i, _ in shim_calls() if d == domain] +
                [("double", n, i) for (d, i), n in names.items() if d == domain]):
            if name in vendor:
                seen += 1
                if vendor[name] != number:
                    wrong.append(("%s: %s" % (where, name), vendor[name], number))
            elif number < limit and where == "shim":
                placeholder = [n for n, i in vendor.items() if i == number]
                if placeholder and not re.match(r"cuda?\d", placeholder[0]):
                    wrong.append(("shim: number %d" % number, placeholder[0], name))
    if seen < 400:
        wrong.append(("calls that both know", seen, ">= 400"))
    return wrong


def check_release(release, include, runtime, reader, tables):
    releases, names, errors = tables
    program = Program()
    add_reader(program, include, reader)
    wrong = add_double(program, include, releases[release])
    text = open(os.path.join(include, "cupti_result.h")).read()
    for number, name in errors.items():
        if re.search(r"\b%s\b" % name, text):
            program.add(name, number, "double: " + name)
    wrong += program.run(release, include, runtime)
    wrong += check_calls(include, releases[release], names)
    wrong += check_allocations(include)
    for what, is_, said in wrong:
        print("%s: %s is %s in the header, %s in our table" % (release, what, is_, said))
    return len(program.rows), len(wrong)


def main():
    which = os.environ.get("CUPTI_RELEASES", DEFAULT)
    tables = double_tables()
    os.makedirs(CACHE, exist_ok=True)
    reader = reader_values()
    runtime = [fetch(r, "runtime-%d" % i) for i, r in enumerate(RUNTIME)]
    if None in runtime:
        print("skipped: NVIDIA's wheels are not in build/cupti-wheels, and no pip or no network to have them")
        return 77
    checked = failed = 0
    missing = []
    todo = sorted(WHEELS) if which == "all" else which.split()
    for release in todo:
        include = fetch(WHEELS[release], "cupti-" + release)
        if not include:
            missing.append(release)
            continue
        rows, wrong = check_release(release, include, runtime, reader, tables)
        checked += rows
        failed += wrong
    if missing and not failed:
        print("skipped: could not fetch " + " ".join(missing))
        return 77
    print("%d numbers in %d releases, %d wrong" % (checked, len(todo), failed))
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
