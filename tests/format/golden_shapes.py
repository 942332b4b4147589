"""Golden files of what launches and copies say beside their times (docs/FORMAT.md: record 15, the columns `shape`, `memory`
and `result`), for make_golden.py."""

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


def good_shapes():
    return {
        "shapes": shapes(),
        "shape-extended": with_record(known_record("shape", 3, *PLAIN_SHAPE, extra=bytes(24))),
        "memory": with_rows("op", *[op(start_ns=n, op_kind=2, memory=memory)
                                    for n, memory in enumerate((0, 0x31, 0x13, 0x70, 255))]),
        "result": with_rows("call", *[call(start_ns=n, result=result)
                                      for n, result in enumerate((0, 2, 700, MAX_U32))]),
    }


def bad_shapes():
    return {
        "shape-value-high": with_rows("op", op(shape=MAX_U32 + 1)),
        "memory-high": with_rows("op", op(memory=256)),
        "result-high": with_rows("call", call(result=MAX_U32 + 1)),
    }
