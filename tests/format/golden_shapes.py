"""Golden files of what launches, copies, allocations and operators say beside their times (docs/FORMAT.md: records 15 and 17,
the columns `shape`, `memory`, `source`, `target`, `result`, `bytes` and `inputs`), for make_golden.py."""

from golden_frame import closed, trace
from writer import known_record

MAX_U32 = 2**32 - 1
UNKNOWN = MAX_U32
PLAIN_SHAPE = (18, 93600, 1, 1, 128, 1, 1, 0, 0, 0, 0, 49152)


def op(**changes):
    return dict({"start_ns": 100, "dur_ns": 7, "op_kind": 1, "stream": 1, "correlation": 9,
                 "name": "kernel"}, **changes)


def call(**changes):
    return dict({"start_ns": 90, "dur_ns": 5, "thread": 1, "name": "cudaLaunchKernel",
                 "correlation": 9}, **changes)


def operator(**changes):
    return dict({"start_ns": 80, "dur_ns": 9, "thread": 1, "name": "aten::mm", "category": 4}, **changes)


def with_record(data):
    writer = trace()
    writer.record(data)
    return closed(writer)


def with_rows(table, *rows):
    writer = trace()
    writer.rows(table, list(rows))
    return closed(writer)


def shapes():
    """Shapes that are known, unknown, extreme, twice defined, not defined; of kernels and of no op at all."""
    writer = trace()
    plain = writer.entry("shape", *PLAIN_SHAPE)
    extreme = writer.entry("shape", *(UNKNOWN,) + (MAX_U32,) * 9 + (UNKNOWN, UNKNOWN))
    writer.record(known_record("shape", plain, *(1,) * 12))
    writer.rows("op", [op(start_ns=n, shape=shape)
                       for n, shape in enumerate((plain, 0, extreme, 77, plain, MAX_U32))])
    return closed(writer)


def inputs():
    """Inputs that are known, hostile, none, twice defined, not defined."""
    writer = trace()
    known = writer.inputs("[[8,1024],[1024,4096],[]]", '["float","float","Scalar"]')
    hostile = writer.inputs(b"[[1,\xff\"</script>\x1b[31m", "=cmd()")
    none = writer.inputs(None, None)
    writer.record(known_record("inputs", known, 0, 0))
    writer.record(known_record("inputs", 9, 77, 2**32 - 1))
    writer.rows("range", [operator(start_ns=n, inputs=of)
                          for n, of in enumerate((known, hostile, 0, none, 9, 500, MAX_U32))])
    return closed(writer)


def ends():
    """Copies between devices, of one end, of none; devices that nothing defines."""
    writer = trace()
    one, other = writer.device(0, "GPU", "GPU-1"), writer.device(1, "GPU", "GPU-2")
    pairs = ((one, other), (other, one), (one, one), (0, other), (one, 0), (0, 0), (77, MAX_U32))
    writer.rows("op", [op(start_ns=n, op_kind=2, copy_dir=5, bytes=1 << 20, source=source, target=target)
                       for n, (source, target) in enumerate(pairs)])
    return closed(writer)


def good_shapes():
    return {
        "inputs": inputs(), "ends": ends(),
        "inputs-extended": with_record(known_record("inputs", 3, 0, 0, extra=bytes(16))),
        "source-alone": with_rows("op", op(op_kind=2, source=1)),
        "target-alone": with_rows("op", op(op_kind=2, target=1)),
        "allocations": with_rows("call", *[call(start_ns=n, bytes=size, memory=memory) for n, (size, memory) in
                                           enumerate(((1 << 40, 3), (0, 0), (2**64 - 1, 255), (1, 2)))]),
        "shapes": shapes(),
        "shape-extended": with_record(known_record("shape", 3, *PLAIN_SHAPE, extra=bytes(24))),
        "memory": with_rows("op", *[op(start_ns=n, op_kind=2, memory=memory)
                                    for n, memory in enumerate((0, 0x31, 0x13, 0x70, 255))]),
        "result": with_rows("call", *[call(start_ns=n, result=result)
                                      for n, result in enumerate((0, 2, 700, MAX_U32))]),
    }


def bad_shapes():
    return {
        "source-high": with_rows("op", op(source=MAX_U32 + 1)),
        "target-high": with_rows("op", op(target=MAX_U32 + 1)),
        "inputs-high": with_rows("range", operator(inputs=MAX_U32 + 1)),
        "call-memory-high": with_rows("call", call(memory=256)),
        "shape-value-high": with_rows("op", op(shape=MAX_U32 + 1)),
        "memory-high": with_rows("op", op(memory=256)),
        "result-high": with_rows("call", call(result=MAX_U32 + 1)),
    }
