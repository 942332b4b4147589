#!/usr/bin/env python3
"""Writes the golden traces: `make_golden.py OUTDIR`.

good-NAME.baton reads without damage, bad-NAME.baton breaks one rule of docs/FORMAT.md (a few: how
two rules meet), and expected/*.jsonl holds the dump that second_reader.py makes of each. Names with
`-edge-` cover what only a careful reading of the document decides. The files depend on this script
and the zstd library alone.
"""

import os
import struct
import sys
from functools import partial

import golden_frame
import second_reader
from golden_composed import bad_composed, good_composed
from golden_frame import closed
from golden_kept import good_kept
from golden_parts import bad_parts, good_parts
from golden_shapes import bad_shapes, good_shapes
from second_reader import BLOCK_HEADER_BYTES, HASHED_BYTES, PAYLOAD_LIMIT_BYTES, ROWS_LIMIT
from writer import (CONSTANT, DELTA, NONE, PLAIN, TraceWriter, block_bytes, column,
                    column_payload, compress, file_header, known_record, record_bytes, reseal,
                    string_record, varint, zigzag, zstd_frame)

MAX_U32 = 2**32 - 1
MAX_U64 = 2**64 - 1
TIME_LIMIT_NS = 2**62
OP = 16
CALL = 17
SCHED = 22
GAUGE = 23
UNKNOWN_KIND = 900
END_PAYLOAD = struct.pack("<Q", 0)

# The files of this script are of version 1.0, byte for byte as they were first written. What came
# with 1.1 is in golden_parts.py, golden_composed.py, golden_shapes.py and golden_kept.py.
new_writer = partial(TraceWriter, None, minor=0)
old_header = partial(file_header, minor=0)
trace = partial(golden_frame.trace, minor=0)
with_block = partial(golden_frame.with_block, minor=0)


def with_bytes(data):
    """A good block, `data`, good blocks whose numbers go on behind a block of `data`."""
    writer = trace()
    writer.append(data)
    writer.sequence += 1
    return closed(writer)


def with_records(*records, rows=None, **fields):
    return with_block(2, b"".join(records), len(records) if rows is None else rows, **fields)


def flipped(data, at):
    data = bytearray(data)
    data[at] ^= 1
    return bytes(data)


# Rows of each table with every column.

def table_rows():
    op = {"start_ns": 100, "dur_ns": 7, "op_kind": 1, "stream": 1, "correlation": 9,
          "name": "void kernel<int>(int*)", "bytes": 1 << 40, "copy_dir": 2, "pageable": 1,
          "graph_node": MAX_U64}
    call = {"start_ns": 90, "dur_ns": 5, "thread": 1, "name": "cudaLaunchKernel",
            "correlation": 9, "device": 2}
    span = {"start_ns": 80, "dur_ns": 50, "thread": 1, "name": "step", "category": 3,
            "domain": "NCCL", "unclosed": 1}
    collective = {"start_ns": 100, "dur_ns": 7, "correlation": 9, "comm": 1, "coll": 1,
                  "bytes": 4096, "out_bytes": 4096, "dtype": "bf16", "sequence": 3,
                  "peer": 8}
    sync = {"start_ns": 120, "dur_ns": 0, "sync_kind": 2, "stream": 0, "correlation": 11,
            "event": 5, "record_correlation": 10}
    overhead = {"start_ns": 10, "dur_ns": 3, "thread": 0, "overhead_kind": 2, "name": "module"}
    sched = {"start_ns": 70, "dur_ns": 40, "thread": 1, "slept_ns": 30, "waited_ns": 5,
             "stack": 4, "holder": 2, "holder_stack": 6}
    gauge = {"start_ns": 60, "dur_ns": 30, "device": 1, "gauge": 4, "value": 640000}
    return {"op": op, "call": call, "range": span, "collective": collective, "sync": sync,
            "overhead": overhead, "sched": sched, "gauge": gauge}


def varied(row):
    """Six rows around one row; equal columns stay equal, times and ids move."""
    rows = []
    for at in range(6):
        other = dict(row)
        other["start_ns"] = row["start_ns"] + (at - 2) * 1000
        other["dur_ns"] = row["dur_ns"] * at
        if "correlation" in row:
            other["correlation"] = row["correlation"] + at * 100
        if "name" in row:
            other["name"] = row["name"] if at % 2 else None
        rows.append(other)
    return rows


def table_file(name, compression, encoding=None):
    writer = new_writer(compression=compression)
    rows = varied(table_rows()[name])
    encodings = {} if encoding is None else {
        column_name: encoding for column_name in rows[0]
        if encoding != CONSTANT or len({row[column_name] for row in rows}) == 1}
    writer.rows(name, rows, encodings=encodings)
    return closed(writer)


def required_only(name):
    table = second_reader.TABLES[{"op": 16, "collective": 19}[name]]
    required = {table.columns[column_id][0] for column_id in table.required}
    row = {key: value for key, value in table_rows()[name].items() if key in required}
    writer = trace()
    writer.rows(name, [row])
    return closed(writer)


def all_records(**options):
    writer = new_writer(**options)
    writer.process(4120, 8817, bytes(range(0xf0, 0x100)), 3, 8, 3, 1, "node7", "cupti", "12.4",
                   "run-1")
    writer.process(-1, MAX_U64)
    writer.thread("main", 4120, 4121)
    writer.stream(writer.device(0, "GPU", "GPU-1234", 1 << 37, 132), 1, 7)
    writer.priority(1, -5, 2)
    writer.priority(7, 2**31 - 1)  # of no stream
    writer.communicator(8, MAX_U64, "default_pg", "[0,1,2]")
    writer.communicator(0, 0)
    writer.meta("model", "small")
    writer.clock(-(2**63), 2**63 - 1)
    for kind in (1, 2, 3, 4, 5):
        writer.loss(kind, "op", kind * 10)
    writer.cost("flush", MAX_U64)
    writer.close()
    return writer.data()


def extended_records():
    writer = new_writer()
    extra = b"\xff" * 8
    writer.record(string_record(1, b"longer record", extra))
    bodies = {"thread": (1, 1, 2, 3), "device": (1, 0, 1, 1, 5, 6), "stream": (1, 1, 2, 3),
              "communicator": (1, 2, 3, 1, 0), "meta": (1, 1), "clock": (1, 2, 1),
              "process": (1, 2, bytes(16), 0, 1, 0, 0, 1, 1, 1, 1), "loss": (1, 1, 5),
              "cost": (1, 6), "module": (1, 1, 1), "code": (1, 1, 1, -5, MAX_U32, 3),
              "stack": (1, 0), "inputs": (1, 1, 0), "priority": (1, -5, 2)}
    for name, values in bodies.items():
        writer.record(known_record(name, *values, extra=extra))
    writer.close()
    return writer.data()


def stacks():
    """Records 11 to 13, and calls that carry a stack, none, or one that nothing defines."""
    writer = new_writer()
    library = writer.module("/lib/libc.so.6", "93ac61ec5a8eb1396f9fbd350e3169a558528a40")
    writer.module(None)
    inner = writer.code("train.py", "Net.forward", 12, 0x030b07f0, bytes((0x80, 0x00, 0xd8, 0x04)))
    outer = writer.code("train.py", "<module>", 1, 0x030908f0, b"\x08\x01\x04")
    writer.code(None, None, -(2**31), 0)
    deep = writer.stack((1, inner, 2), (1, outer, 10), (2, library, 160330), (2, 0, MAX_U64))
    writer.stack()
    writer.stack((0, 0, 0), (7, MAX_U32, 1))
    writer.rows("call", [{"start_ns": n, "dur_ns": 1, "thread": 1, "name": "cudaLaunchKernel",
                          "correlation": n, "stack": stack}
                         for n, stack in enumerate((deep, deep, 0, 2, MAX_U32))])
    return closed(writer)


def odd_strings():
    writer = new_writer(compression=NONE)
    for text in (b"", b"\x00", bytes(range(0x20)), b'"\\/', b"~", "é€😀".encode(), b"\xff\xfe",
                 b"\xed\xa0\x80", b"\xc0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80", b"a\xe2\x82b",
                 b"\xf0\x9f\x98", b"\xef\xbf\xbf", b"%s%%"):
        writer.meta(text, text)
    writer.close()
    return writer.data()


def extreme_rows():
    writer = trace()
    base = table_rows()["op"]
    low = dict(base, start_ns=-TIME_LIMIT_NS, dur_ns=TIME_LIMIT_NS, op_kind=255, stream=2**32 - 1,
               correlation=MAX_U64, name=2**32 - 1, bytes=MAX_U64)
    high = dict(base, start_ns=TIME_LIMIT_NS, dur_ns=0, op_kind=0, stream=0, correlation=0, name=0,
                bytes=0)
    for encoding in (DELTA, PLAIN):
        writer.rows("op", [low, high], encodings={key: encoding for key in low})
    writer.rows("op", [dict(high, dur_ns=TIME_LIMIT_NS - 1, start_ns=TIME_LIMIT_NS)])
    writer.rows("op", [low])
    return closed(writer)


def odd_scheds():
    """The parts of a sched row may be longer than it: readers cut them."""
    writer = trace()
    base = table_rows()["sched"]
    low = dict(base, dur_ns=0, thread=0, slept_ns=0, waited_ns=MAX_U64)
    high = dict(base, thread=2**32 - 1, slept_ns=MAX_U64, waited_ns=2**63)
    for encoding in (DELTA, PLAIN):
        writer.rows("sched", [low, high], encodings={key: encoding for key in low})
    writer.rows("sched", [high])
    return closed(writer)


def gauges_file():
    """What a sampler writes: looks at two devices, of which the second has no limit of its power."""
    writer = new_writer(content=3)
    writer.process(4110, 8800, bytes(range(0xf0, 0x100)), host="node7", source="nvml",
                   source_version="580.65.06", run_id="run-1")
    writer.device(0, "GPU", "GPU-1234", 1 << 37)
    writer.device(1, "GPU", "GPU-5678", 1 << 37)
    for second in range(3):
        rows = [dict(start_ns=10**9 * second + 10 * device, dur_ns=9, device=device, gauge=gauge,
                     value=value)
                for device in (1, 2)
                for gauge, value in ((1, 1755 - 300 * second), (2, 1980), (3, 2619), (4, 640123),
                                     (5, 700000), (6, 61), (7, 1 << 36), (8, 97), (9, 40), (10, 4))
                if (device, gauge) != (2, 5)]
        writer.rows("gauge", rows)
    writer.close()
    return writer.data()


def odd_gauges():
    """Any number, of devices and gauges that nothing defines."""
    writer = trace(content=3)
    low = dict(table_rows()["gauge"], dur_ns=0, device=0, gauge=0, value=0)
    high = dict(low, start_ns=70, device=2**32 - 1, gauge=255, value=MAX_U64)
    for encoding in (DELTA, PLAIN):
        writer.rows("gauge", [low, high], encodings={key: encoding for key in low})
    writer.rows("gauge", [high])
    return closed(writer)


def sync_kinds():
    writer = trace()
    sync = table_rows()["sync"]
    writer.rows("sync", [dict(sync, start_ns=kind, dur_ns=kind, sync_kind=kind, stream=kind % 2)
                         for kind in (0, 1, 2, 3, 4, 5, 6, 7, 8, 255)])
    return closed(writer)


def undefined_ids():
    writer = trace()
    writer.record(known_record("thread", 1, 77, 1, 2))
    writer.record(known_record("stream", 1, 88, 1, 2))
    writer.rows("op", [dict(table_rows()["op"], stream=99, name=100)])
    writer.rows("collective", [dict(table_rows()["collective"], comm=55, dtype=3)])
    return closed(writer)


def redefined_ids():
    writer = new_writer()
    for text in (b"first", b"second"):
        writer.record(string_record(1, text))
        writer.record(known_record("thread", 1, 1, len(text), 2))
    writer.record(known_record("meta", 1, 1))
    writer.close()
    return writer.data()


def late_definition():
    writer = new_writer()
    meta = known_record("meta", 1, 1)
    for record in (meta, string_record(1, b"late"), meta):
        writer.record(record)
    writer.close()
    return writer.data()


def overlapping_blocks():
    writer = new_writer()
    call = table_rows()["call"]
    for first in (0, 30, -30):
        writer.rows("call", [dict(call, start_ns=first + at * 20) for at in range(5)],
                    rows_per_block=3)
    writer.close()
    return writer.data()


def empty_tables():
    writer = trace()
    for name in table_rows():
        writer.rows(name, [])
    writer.block(2)
    writer.block(UNKNOWN_KIND)
    return closed(writer)


def unknown_things():
    writer = trace()
    writer.block(0, b"kind 0", 5)
    writer.block(31, b"no column block", 2, span_ns=(5, -5))
    writer.block(65535, b"x" * 9, 1, compression=1)
    for record_type in (0, 14, 63, 128, 65535):
        writer.record(record_bytes(record_type, b"\xff" * 8))
        writer.record(record_bytes(record_type, b""))
    unknown = [(0, 0, zigzag(1)), (9999, 77, b"\xff" * 20), (65535, 1, b"")]
    writer.rows("call", [table_rows()["call"]], extra_columns=unknown)
    return closed(writer)


def summary_file():
    writer = new_writer(content=2)
    for record_type in (64, 100, 127):
        writer.record(record_bytes(record_type, b"\x01" * 16))
    writer.record(record_bytes(64, b""))
    writer.close()
    return writer.data()


def stretched_varints():
    base = [(1, DELTA, varint(20, 10) + varint(0, 9)), (2, PLAIN, varint(3, 2) + varint(4, 10)),
            (3, CONSTANT, varint(2, 5)), (4, CONSTANT, varint(2, 10)),
            (5, PLAIN, b"\x80\x00\x81\x00")]
    return with_block(CALL, column_payload(base), 2, span_ns=(10, 14))


def zstd_block(stored, raw_bytes):
    return with_block(UNKNOWN_KIND, stored, 1, compression=1, raw_bytes=raw_bytes)


def cut_padding():
    writer = trace()
    writer.block(1, END_PAYLOAD + b"+")
    return writer.data()[:-7]


def good_files():
    files = {
        "records": all_records(), "records-plain": all_records(compression=NONE),
        "records-extended": extended_records(), "strings": odd_strings(), "stacks": stacks(),
        "edge-delete": with_records(string_record(7, b"\x7f")),
        "extremes": extreme_rows(), "sched-parts": odd_scheds(), "sync-kinds": sync_kinds(),
        "gauges": gauges_file(), "gauges-odd": odd_gauges(),
        "edge-undefined-ids": undefined_ids(),
        "redefined-ids": redefined_ids(), "edge-late-definition": late_definition(),
        "overlap": overlapping_blocks(), "empty-blocks": empty_tables(),
        "unknown": unknown_things(), "summary": summary_file(),
        "required-op": required_only("op"), "required-collective": required_only("collective"),
        "long-varints": stretched_varints(), "cut-padding": cut_padding(),
        "zstd-no-size": zstd_block(zstd_frame(b"hello"), 5),
        "zstd-empty": zstd_block(compress(b""), 0),
        "header-extended": closed(trace(header_bytes=128, extra=b"\xee" * 64)),
        "header-minor": closed(trace(minor=65535, file_id=MAX_U64)),
        "end-extended": trace_end(END_PAYLOAD + b"more of it"),
        "end-zstd": trace_end(END_PAYLOAD, compression=1),
        "edge-end-count": trace_end(struct.pack("<Q", 12345)),
        "edge-end-rows": trace_end(END_PAYLOAD, rows=7),
        "edge-rows-limit": with_block(UNKNOWN_KIND, b"", ROWS_LIMIT),
        "edge-raw-limit": with_block(UNKNOWN_KIND, bytes(PAYLOAD_LIMIT_BYTES), 0, compression=1),
        "edge-record-times": with_records(known_record("meta", 0, 0), span_ns=(1, 2)),
        "edge-no-rows-constant": with_block(CALL, column_payload(
            [(1, 0, zigzag(2**63)), (2, 0, zigzag(-1)), (3, 0, zigzag(-1)), (4, 1, b""),
             (5, 2, b"")]), 0),
        "columns-limit": with_block(CALL, column_payload(
            call_columns() + [(at, 9, b"") for at in range(100, 351)]), 2, span_ns=(10, 29)),
        "zero-fields": zero_fields(),
    }
    for name in table_rows():
        files["table-" + name] = table_file(name, 1)
        files["table-%s-plain" % name] = table_file(name, NONE, PLAIN)
        files["table-%s-delta" % name] = table_file(name, NONE, DELTA)
        files["table-%s-constant" % name] = table_file(name, NONE, CONSTANT)
    return {**files, **good_parts(), **good_composed(), **good_shapes(),
            **good_kept()}


def zero_fields():
    """Every field named zero filled with ones, hashes right."""
    writer = trace()
    writer.record(b"\x07\x00\xff\xff" + known_record("meta", 1, 1)[4:])
    payload = bytearray(column_payload(call_columns()))
    payload[7] = 255
    writer.block(CALL, bytes(payload), 2, span_ns=(10, 29))
    first = len(writer.parts[0])
    data = bytearray(closed(writer))
    data[20:24] = b"\xff" * 4
    data[32:56] = b"\xff" * 24
    data[first + 7] = 255
    data[first + 20:first + 24] = b"\xff" * 4
    return reseal(bytes(data))


def trace_end(payload, rows=0, **options):
    writer = trace()
    writer.block(1, payload, rows, **options)
    return writer.data()


# Bad files.

def bad_headers():
    body = closed(trace())[64:]
    headers = {
        "file-magic": old_header(magic=b"\x89BTN\n\n\x1a\n"),
        "file-hash": flipped(old_header(), 60),
        "file-hashed-zero": flipped(old_header(), 40), "file-major-0": old_header(major=0),
        "file-major-2": old_header(major=2), "file-content-0": old_header(content=0),
        "file-content-4": old_header(content=4), "file-header-0": old_header(header_bytes=0),
        "file-header-56": old_header(header_bytes=56),
        "file-header-68": old_header(header_bytes=68),
        "file-header-beyond": old_header(header_bytes=4096),
    }
    files = {name: header + body for name, header in headers.items()}
    files["file-empty"] = b""
    files["file-short"] = old_header()[:63]
    files["file-header-4104"] = old_header(header_bytes=4104, extra=bytes(4040))
    files["unclosed-header-4096"] = old_header(header_bytes=4096, extra=bytes(4032))
    files["unclosed-header-only"] = old_header()
    return files


def bad_ends():
    writer = trace()
    writer.close()
    good = writer.data()
    end_at = len(good) - BLOCK_HEADER_BYTES - 8
    files = {
        "unclosed": good[:end_at], "truncated-header-1": good[:end_at + 1],
        "truncated-header-63": good[:end_at + 63], "truncated-payload": good[:-1],
        "truncated-no-payload": good[:end_at + 64], "trailing-1": good + b"\0",
        "trailing-zeros": good + bytes(64), "trailing-block": good + good[64:end_at],
        "unclosed-odd": odd_unclosed(),
        "end-hash": flipped(good, len(good) - 1),
    }
    for raw_bytes in (0, 7):
        files["end-short-%d" % raw_bytes] = with_block(1, bytes(raw_bytes))
    files["end-short-zstd"] = with_block(1, bytes(7), compression=1)
    files["end-in-the-middle"] = with_block(1, END_PAYLOAD)
    return files


def odd_unclosed():
    """The last block's padding is cut off: complete, but no end block."""
    writer = trace()
    writer.block(UNKNOWN_KIND, b"odd")
    return writer.data()[:-5]


def bad_block_headers():
    block = block_bytes(2, string_record(9, b"lost"), 1, 1)
    inner = block_bytes(2, string_record(10, b"inner"), 1, 5)
    outer = block_bytes(UNKNOWN_KIND, inner, 0, 1)
    big = {"rows": (UNKNOWN_KIND, b"", ROWS_LIMIT + 1, 1, 0), "rows-max": (2, b"", 2**32 - 1, 1, 0),
           "raw": (UNKNOWN_KIND, b"", 0, 1, 1, PAYLOAD_LIMIT_BYTES + 1),
           "stored": (UNKNOWN_KIND, b"", 0, 1, 0, 0, PAYLOAD_LIMIT_BYTES + 1)}
    files = {"header-limit-" + name: with_bytes(block_bytes(*arguments))
             for name, arguments in big.items()}
    files.update({
        "header-magic": with_bytes(flipped(block, 0)),
        "header-hash": with_bytes(flipped(block, 63)),
        "header-field": with_bytes(flipped(block, 8)),
        "header-zero-byte": with_bytes(flipped(block, 20)),
        "header-inner": with_bytes(flipped(outer, 0)),
        "header-unaligned": with_bytes(bytes(4) + block + bytes(4)),
        "header-false-magic": with_bytes(b"TBLK" * 16 + b"TBLK" + bytes(60)),
        "header-second-limit": with_bytes(flipped(block, 0) + block_bytes(*big["raw"])),
        "header-last": trace_bytes(flipped(block, 0)),
        "header-short-tail": trace_bytes(flipped(block, 0) + block[:56]),
        "truncated-limit": with_bytes(block_bytes(UNKNOWN_KIND, b"", 0, 1, 0, 0,
                                                  PAYLOAD_LIMIT_BYTES)),
    })
    return files


def trace_bytes(data):
    writer = trace()
    writer.append(data)
    return writer.data()


def sequence_file(*sequences, end=None, bad_hash=None):
    """Blocks with these numbers; that at index `bad_hash` has a wrong payload hash."""
    writer = new_writer(compression=NONE)
    for at, sequence in enumerate(sequences):
        fields = {"payload_hash": 1} if at == bad_hash else {}
        writer.block(2, string_record(at + 1, b"n%d" % at), 1, sequence=sequence, **fields)
    writer.block(1, END_PAYLOAD, sequence=max(sequences) + 1 if end is None else end)
    return writer.data()


def bad_sequences():
    last = MAX_U64
    return {
        "sequence-first": sequence_file(1), "sequence-gap": sequence_file(0, 5, 6),
        "sequence-twice": sequence_file(0, 1, 1, 2),
        "sequence-back": sequence_file(0, 1, 2, 0, 1, 3),
        "sequence-gap-back": sequence_file(0, 4, 2, 3, 5),
        "sequence-replayed-hash": sequence_file(0, 0, 1, bad_hash=1),
        "sequence-gap-hash": sequence_file(0, 3, 4, bad_hash=1),
        "sequence-hash-again": sequence_file(0, 1, 1, 2, bad_hash=1),
        "sequence-end-replayed": sequence_file(0, 1, end=0),
        "edge-sequence-max": sequence_file(last, 0, 1, last, end=last),
    }


def bad_payloads():
    frame = compress(b"payload of a block")
    return {
        "hash": with_records(string_record(5, b"lost"), known_record("meta", 5, 5), payload_hash=0),
        "hash-unknown-kind": with_block(UNKNOWN_KIND, b"x", 0, payload_hash=0),
        "hash-before-compression": with_block(UNKNOWN_KIND, b"x", 0, compression=9, raw_bytes=1,
                                              payload_hash=0),
        "compression-3": with_block(UNKNOWN_KIND, b"x", 0, compression=3),
        "compression-255": with_block(CALL, b"", 0, compression=255),
        "compression-none-size": with_block(UNKNOWN_KIND, b"12345678", 0, raw_bytes=7),
        "too-large-records": with_block(2, string_record(5, bytes(17 << 20)), 1, compression=1),
        "too-large-rows": with_block(16, b"", ROWS_LIMIT),
        "too-large-missing": with_block(16, b"", ROWS_LIMIT, sequence=9),
        "compression-none-limit": with_block(2, b"", 0, raw_bytes=PAYLOAD_LIMIT_BYTES),
        "compression-end": with_block(1, END_PAYLOAD, 0, compression=3, raw_bytes=8),
        "zstd-garbage": zstd_block(b"no frame at all", 15), "zstd-low": zstd_block(frame, 17),
        "zstd-high": zstd_block(frame, 19), "zstd-limit": zstd_block(frame, PAYLOAD_LIMIT_BYTES),
        "zstd-cut": zstd_block(frame[:-1], 18),
        "zstd-no-size-high": zstd_block(zstd_frame(b"hello"), 6),
        "zstd-no-size-low": zstd_block(zstd_frame(b"hello"), 4),
        "zstd-checksum": zstd_block(zstd_frame(b"hello", b"\0\1\2\3"), 5),
        "edge-zstd-nothing": zstd_block(b"", 0), "edge-zstd-behind": zstd_block(frame + b"\0", 18),
        "edge-zstd-two": zstd_block(frame + frame, 36),
        "edge-zstd-skippable": zstd_block(b"\x50\x2a\x4d\x18\x01\0\0\0x", 0),
        "edge-zstd-skippable-first": zstd_block(b"\x50\x2a\x4d\x18\x01\0\0\0x" + frame, 18),
        "edge-zstd-skippable-last": zstd_block(frame + b"\x50\x2a\x4d\x18\x01\0\0\0x", 18),
    }


def bad_records():
    good = string_record(5, b"lost with its block")
    files = {
        "size-0": [record_bytes(900, b"", size=0)], "size-4": [record_bytes(900, b"", size=4)],
        "size-12": [record_bytes(900, bytes(4))],
        "size-beyond": [record_bytes(7, bytes(8), size=24)],
        "size-max": [record_bytes(900, bytes(8), size=2**32 - 8)],
        "size-summary": [record_bytes(64, b"", size=7)],
        "half-header": [b"\0\0\0\0"], "string-8": [record_bytes(1, b"")],
        "string-beyond": [string_record(6, b"12345678", text_bytes=9)],
        "string-max": [string_record(6, b"12345678", text_bytes=2**32 - 1)],
    }
    for count in (9, MAX_U32):
        code = known_record("code", 1, 0, 0, 0, 0, count, extra=bytes(8))
        files["code-%s" % ("max" if count == MAX_U32 else "beyond")] = [code]
    for count in (2, 2**28, MAX_U32):
        stack = known_record("stack", 1, count, extra=bytes(16))
        name = {2: "beyond", 2**28: "wraps", MAX_U32: "max"}[count]
        files["stack-" + name] = [stack]
    for record in second_reader.RECORDS.values():
        body = b"\1" * (record.body.size - 8)
        record_type = [key for key, other in second_reader.RECORDS.items() if other is record][0]
        files["least-" + record.name] = [record_bytes(record_type, body)]
        if record.has_id:
            files["edge-id-0-" + record.name] = [record_bytes(record_type, bytes(record.body.size))]
    files["edge-id-0-string"] = [string_record(0, b"none")]
    made = {"record-" + name: with_records(good, *records) for name, records in files.items()}
    made = {name.replace("record-edge", "edge-record"): data for name, data in made.items()}
    made["record-more-rows"] = with_records(good, rows=2)
    made["record-fewer-rows"] = with_records(good, good, rows=1)
    made["record-rows-0"] = with_records(good, rows=0)
    made["record-rows-limit"] = with_records(good, rows=ROWS_LIMIT)
    return made


def call_columns(**changes):
    """The columns of two calls [10, 15) and [20, 29); `changes` by name, None removes."""
    columns = {"start": column(1, [10, 20], DELTA), "dur": column(2, [5, 9], PLAIN),
               "thread": column(3, [1, 1], CONSTANT), "name": column(4, [1, 0], PLAIN),
               "correlation": column(5, [7, 8], DELTA)}
    columns.update(changes)
    return [one for one in columns.values() if one is not None]


def with_calls(rows=2, span_ns=(10, 29), count=None, tail=b"", **changes):
    payload = column_payload(call_columns(**changes), count)
    return with_block(CALL, payload + tail, rows, span_ns=span_ns)


def bad_varints():
    cases = {
        "10th-2": b"\x80" * 9 + b"\x02", "11-bytes": b"\x80" * 10 + b"\x00",
        "10th-more": b"\x80" * 9 + b"\x81\x00", "open": b"\x80", "none": b"", "two": b"\x02\x02",
        "open-tail": b"\x02\x80",
    }
    files = {"constant-" + name: with_calls(thread=(3, CONSTANT, data))
             for name, data in cases.items()}
    for name, encoding in (("delta", DELTA), ("plain", PLAIN)):
        for case, data in cases.items():
            data = b"\x02" + data
            files["%s-%s" % (name, case)] = with_calls(correlation=(5, encoding, data))
    return {"varint-" + name: data for name, data in files.items()}


def bad_values():
    over = 2**32
    return {
        "time-high": with_calls(start=column(1, [10, TIME_LIMIT_NS + 1]),
                                span_ns=(10, TIME_LIMIT_NS + 10)),
        "time-low": with_calls(start=column(1, [-TIME_LIMIT_NS - 1, 20]),
                               span_ns=(-TIME_LIMIT_NS - 1, 29)),
        "duration-high": with_calls(dur=column(2, [5, TIME_LIMIT_NS + 1]),
                                    span_ns=(10, TIME_LIMIT_NS + 21)),
        "duration-negative": with_calls(dur=column(2, [-1, 9], DELTA)),
        "edge-span-beyond-i64": with_calls(start=column(1, [10, TIME_LIMIT_NS]),
                                           dur=column(2, [5, TIME_LIMIT_NS]), span_ns=(10, -2**63)),
        "u32-high": with_calls(thread=column(3, [1, over])),
        "u32-negative": with_calls(thread=column(3, [-1, -1])),
        "string-high": with_calls(name=column(4, [over, 1])),
        "u8-high": with_range(column(5, [255, 256])),
        "u8-constant": with_range(column(5, [256, 256])),
        "u8-negative": with_range(column(5, [-1, 0], DELTA)),
    }


def with_range(category):
    columns = call_columns(correlation=category)
    return with_block(18, column_payload(columns), 2, span_ns=(10, 29))


def bad_columns():
    files = {
        "no-payload": with_block(CALL, b"", 0), "short-payload": with_block(CALL, b"\0\0\0", 0),
        "none": with_block(CALL, bytes(4), 0), "count-257": with_block(CALL, column_payload(
            call_columns() + [(at, 9, b"") for at in range(100, 352)]), 2, span_ns=(10, 29)),
        "count-high": with_calls(count=6), "count-low": with_calls(count=4),
        "count-max": with_calls(count=2**32 - 1), "tail": with_calls(tail=b"\0"),
        "twice": with_calls(more=column(5, [7, 8])),
        "unknown-twice": with_calls(more=(700, 0, b""), again=(700, 0, b"")),
        "encoding-3": with_calls(thread=(3, 3, b"\2\2")),
        "encoding-255": with_calls(name=(4, 255, b"\2\2")),
        "unsorted": with_calls(start=column(1, [20, 10]), span_ns=(10, 25)),
        "unsorted-first": with_calls(start=column(1, [20, 10]), span_ns=(20, 25)),
        "t-min": with_calls(span_ns=(9, 29)), "t-max": with_calls(span_ns=(10, 30)),
        "t-no-rows": with_block(CALL, column_payload([column(at, []) for at in range(1, 6)]), 0,
                                span_ns=(0, 1)),
        "rows-more": with_calls(rows=3), "rows-fewer": with_calls(rows=1),
        "rows-0": with_calls(rows=0, span_ns=(0, 0)), "rows-limit": with_calls(rows=ROWS_LIMIT),
        "size-beyond": size_beyond(),
    }
    for name in ("start", "dur", "thread", "name", "correlation"):
        files["missing-" + name] = with_calls(**{name: None})
    files["missing-no-rows"] = with_block(CALL, column_payload([column(1, []), column(2, [])]), 0)
    return files


def size_beyond():
    """The last column claims more bytes than the payload has."""
    payload = bytearray(column_payload(call_columns()))
    struct.pack_into("<I", payload, 4 + 4 * 8 + 4, 2**32 - 1)
    return with_block(CALL, bytes(payload), 2, span_ns=(10, 29))


def with_sched(**changes):
    """Two sched rows; `changes` by name, None removes."""
    columns = {"start": column(1, [10, 20], DELTA), "dur": column(2, [5, 9], PLAIN),
               "thread": column(3, [1, 1], CONSTANT), "slept": column(4, [3, 0], PLAIN),
               "waited": column(5, [2, 8], DELTA)}
    columns.update(changes)
    payload = column_payload([one for one in columns.values() if one is not None])
    return with_block(SCHED, payload, 2, span_ns=(10, 29))


def bad_scheds():
    files = {"missing-" + name: with_sched(**{name: None})
             for name in ("start", "dur", "thread", "slept", "waited")}
    files.update({
        "thread-high": with_sched(thread=column(3, [2**32, 1])),
        "thread-negative": with_sched(thread=column(3, [-1, -1])),
        "slept-two": with_sched(slept=(4, CONSTANT, b"\2\2")),
        "waited-none": with_sched(waited=(5, PLAIN, b"\2")),
        "slept-encoding": with_sched(slept=(4, 3, b"\2\2")),
        "unsorted": with_sched(start=column(1, [20, 10]), dur=column(2, [9, 5])),
        "t-max": with_sched(dur=column(2, [5, 10])),
    })
    return {"sched-" + name: data for name, data in files.items()}


def with_gauge(**changes):
    """Two gauge rows; `changes` by name, None removes."""
    columns = {"start": column(1, [10, 20], DELTA), "dur": column(2, [5, 9], PLAIN),
               "device": column(3, [1, 1], CONSTANT), "gauge": column(4, [1, 10], PLAIN),
               "value": column(5, [1980, MAX_U64], PLAIN)}
    columns.update(changes)
    payload = column_payload([one for one in columns.values() if one is not None])
    return with_block(GAUGE, payload, 2, span_ns=(10, 29))


def bad_gauges():
    files = {"missing-" + name: with_gauge(**{name: None})
             for name in ("start", "dur", "device", "gauge", "value")}
    files.update({
        "device-high": with_gauge(device=column(3, [2**32, 1])),
        "gauge-high": with_gauge(gauge=column(4, [256, 1])),
        "value-encoding": with_gauge(value=(5, 3, b"\2\2")),
        "unsorted": with_gauge(start=column(1, [20, 10]), dur=column(2, [9, 5])),
        "t-max": with_gauge(dur=column(2, [5, 10])),
    })
    return {"gauge-" + name: data for name, data in files.items()}


def bad_files():
    files = bad_scheds()
    files.update(bad_gauges())
    for made in (bad_headers(), bad_ends(), bad_block_headers(), bad_sequences(), bad_payloads(),
                 bad_records()):
        files.update(made)
    for name, data in {**bad_varints(), **bad_values(), **bad_columns()}.items():
        files[name if name.startswith("edge-") else "columns-" + name] = data
    return {**files, **bad_parts(), **bad_composed(), **bad_shapes()}


def golden_files():
    """Name (with .baton) -> bytes of every golden file."""
    files = {"good-%s.baton" % name: data for name, data in good_files().items()}
    files.update({"bad-%s.baton" % name: data for name, data in bad_files().items()})
    return files


def write_file(path, data):
    with open(path, "wb") as file:
        file.write(data)


def main(arguments):
    if len(arguments) != 1:
        sys.stderr.write("usage: make_golden.py OUTDIR\n")
        return 2
    expected = os.path.join(arguments[0], "expected")
    os.makedirs(expected, exist_ok=True)
    for name, data in golden_files().items():
        lines = []
        verdict = second_reader.dump(data, os.fsencode(name), lines.append)
        if (verdict == "ok") != name.startswith("good-"):
            sys.stderr.write("make_golden: %s reads as %s\n" % (name, verdict))
            return 1
        write_file(os.path.join(arguments[0], name), data)
        write_file(os.path.join(expected, name[:-len(".baton")] + ".jsonl"), b"".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
