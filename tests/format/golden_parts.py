"""Golden files of parts (docs/FORMAT.md, section 1.4), for make_golden.py."""

import struct

from golden_frame import closed, trace, with_block
from second_reader import PART_HEADER, PARTS_LIMIT, PAYLOAD_LIMIT_BYTES, TABLES, ZSTD_MAGIC
from writer import (KINDS, PARTS, column_payload, compress, cut, part, parts_payload, string_record,
                    table_columns, zstd_frame)

CALL = KINDS["call"]
UNKNOWN_KIND = 900
MAX_U32 = 2**32 - 1
SKIPPABLE = b"\x50\x2a\x4d\x18\x01\0\0\0x"
TEXT = string_record(5, b"in parts, in parts, in parts, in parts, in parts, in parts")


def with_parts(parts, raw_bytes=len(TEXT), kind=2, rows=1, count=None, tail=b"", **options):
    """A block of parts as they are given; by default one string record."""
    stored = parts_payload(parts, count) + tail
    return with_block(kind, stored, rows, compression=PARTS, raw_bytes=raw_bytes, **options)


def halves(is_compressed=None, at=20):
    return [part(piece, is_compressed) for piece in cut(TEXT, [at])]


def call_payload():
    rows = [{"start_ns": 10 * at, "dur_ns": 3, "thread": 1, "name": 1 - at % 2,
             "correlation": at ** 9} for at in range(30)]
    return column_payload(table_columns(TABLES[CALL], rows, {})), rows


def calls_cut(cuts):
    payload, rows = call_payload()
    writer = trace()
    writer.block(CALL, payload, len(rows), PARTS, cuts=cuts, span_ns=(0, 293))
    return closed(writer)


def cut_everywhere():
    """Three parts, cut at each pair of neighbouring offsets once: heads, columns and varints."""
    rows = call_payload()[1][:3]
    payload = column_payload(table_columns(TABLES[CALL], rows, {}))
    writer = trace()
    for at in range(len(payload)):
        writer.block(CALL, payload, 3, PARTS, cuts=[at, at + 1], span_ns=(0, 23))
    return closed(writer)


def whole_file():
    """Records, rows and the end block, all of them in parts."""
    writer = trace(compression=PARTS)
    writer.rows("call", call_payload()[1])
    writer.block(1, struct.pack("<Q", writer.sequence), compression=PARTS, cuts=[3])
    return writer.data()


def good_parts():
    long = string_record(5, bytes(at * at % 95 + 32 for at in range(1400)))
    one_each = [part(piece, False) for piece in cut(long, range(1, PARTS_LIMIT))]
    empty = part(b"", False)
    frame = compress(TEXT)
    payload, _ = call_payload()
    heads_end = 4 + 8 * 5
    files = {
        "one": with_parts([part(TEXT, True)]), "stored": with_parts(halves(False)),
        "compressed": with_parts(halves(True)),
        "mixed": with_parts([part(TEXT[:20], False), part(TEXT[20:40], True),
                             part(TEXT[40:], False)]),
        "none": with_parts([], 0, UNKNOWN_KIND, 0), "none-records": with_parts([], 0, rows=0),
        "empty": with_parts([empty, part(TEXT, True), empty, empty]),
        "empty-frame": with_parts([part(b"", True), part(TEXT, False), part(b"", True)]),
        "limit": with_parts(one_each, len(long)),
        "limit-empty": with_parts([empty] * PARTS_LIMIT, 0, UNKNOWN_KIND, 0),
        "limit-frames": with_parts([part(b"", True)] * PARTS_LIMIT, 0, UNKNOWN_KIND, 0),
        "no-size": with_parts([(zstd_frame(TEXT), len(TEXT))]),
        "longer": with_parts([part(TEXT[:3], True), part(TEXT[3:], True)]),
        # A frame that is as long as what it claims to hold is no frame: the two sizes are equal.
        "edge-frame-as-data": with_parts([(frame, len(frame))], len(frame), UNKNOWN_KIND),
        "edge-raw-limit": with_parts([part(bytes(PAYLOAD_LIMIT_BYTES - 5), True),
                                      part(b"12345", False)], PAYLOAD_LIMIT_BYTES, UNKNOWN_KIND),
        "whole-file": whole_file(), "calls": calls_cut([heads_end]),
        "calls-heads": calls_cut([2, 4, 7, heads_end - 1]),
        "calls-varint": calls_cut([heads_end + 1, len(payload) - 5]),
        "calls-everywhere": cut_everywhere(),
        "minor-0": with_parts(halves(), minor=0),
    }
    return {name.replace("edge-", "edge-parts-") if name.startswith("edge-") else "parts-" + name:
            data for name, data in files.items()}


def bad_sizes():
    """Heads whose sizes or count do not agree with what follows them or with the block."""
    first, last = halves(False)
    raw = len(last[0])
    return {
        "count-1025": with_parts([part(b"", False)] * (PARTS_LIMIT + 1), 0, UNKNOWN_KIND, 0),
        "count-1025-data": with_parts([*halves(), *[part(b"", False)] * (PARTS_LIMIT - 1)]),
        "count-max": with_parts(halves(), count=MAX_U32),
        "count-wraps": with_parts(halves(), count=2**29 + 2),
        "count-high": with_parts(halves(), count=3), "count-low": with_parts(halves(), count=1),
        "count-0": with_parts(halves(), count=0),
        "no-count": with_block(2, b"", 1, compression=PARTS, raw_bytes=len(TEXT)),
        "no-count-0": with_block(UNKNOWN_KIND, b"", 0, compression=PARTS, raw_bytes=0),
        "count-cut": with_block(UNKNOWN_KIND, bytes(3), 0, compression=PARTS, raw_bytes=0),
        "heads-cut": with_block(UNKNOWN_KIND, parts_payload([part(b"", False)] * 2)[:-1], 0,
                                compression=PARTS, raw_bytes=0),
        "none-raw": with_parts([], 1, UNKNOWN_KIND), "none-tail": with_parts([], 0, UNKNOWN_KIND,
                                                                            tail=b"\0"),
        "tail": with_parts(halves(), tail=b"\0"),
        "data-cut": with_parts([first, (last[0][:-1], raw, raw)]),
        "stored-beyond": with_parts([first, (last[0], raw, raw + 1)]),
        "stored-max": with_parts([first, (last[0], raw, MAX_U32)]),
        "stored-wraps": with_parts([first, (last[0], raw, raw), (b"", 1, MAX_U32), (b"", 0, 1)]),
        "raw-low": with_parts(halves(), len(TEXT) - 1),
        "raw-high": with_parts(halves(), len(TEXT) + 1),
        "raw-0": with_parts(halves(True), 0, UNKNOWN_KIND),
        "raw-wraps": with_parts([(compress(b"1"), MAX_U32), *halves(), part(b"1", False)]),
        "raw-limit": with_parts([(compress(TEXT), PAYLOAD_LIMIT_BYTES)], PAYLOAD_LIMIT_BYTES),
        "raw-all-limit": with_parts([(compress(TEXT), PAYLOAD_LIMIT_BYTES)] * 50),
        "compression-3": with_block(UNKNOWN_KIND, parts_payload([part(b"x", False)]), 0,
                                    compression=3, raw_bytes=1),
        "sizes-swapped": with_block(2, struct.pack("<I", 1) + PART_HEADER.pack(
            len(TEXT), len(compress(TEXT))) + compress(TEXT), 1, compression=PARTS,
            raw_bytes=len(TEXT)),
    }


def bad_frames():
    """Parts that are not exactly one zstd frame of the size that they claim."""
    frame, raw = compress(TEXT), len(TEXT)
    first, last = compress(TEXT[:20]), compress(TEXT[20:])
    return {
        "nothing": with_parts([(b"", raw)]), "garbage": with_parts([(b"no frame at all", raw)]),
        "two-frames": with_parts([(first + last, raw)]),
        "two-frames-empty": with_parts([(frame + compress(b""), raw)]),
        "behind": with_parts([(frame + b"\0", raw)]), "frame-cut": with_parts([(frame[:-1], raw)]),
        "frame-low": with_parts([part(TEXT[:20], False), (last, raw - 19)], raw + 1),
        "frame-high": with_parts([part(TEXT[:20], False), (last, raw - 21)], raw - 1),
        "frame-raw-0": with_parts([part(TEXT, False), (compress(b"1"), 0)]),
        # The sizes add up, but each part's frame holds one byte more or less than it says.
        "frames-shifted": with_parts([(first, 21), (last, raw - 21)]),
        "frame-over-parts": with_parts([(frame[:30], 20), (frame[30:], raw - 20)]),
        "no-size-low": with_parts([(zstd_frame(TEXT), raw - 1)], raw - 1),
        "no-size-high": with_parts([(zstd_frame(TEXT), raw + 1)], raw + 1),
        "checksum": with_parts([(zstd_frame(TEXT, b"\0\1\2\3"), raw)]),
        "magic": with_parts([(b"\x27" + ZSTD_MAGIC[1:] + frame[4:], raw)]),
        "skippable": with_parts([part(TEXT, False), (SKIPPABLE, 0)]),
        "skippable-first": with_parts([(SKIPPABLE + frame, raw)]),
        "skippable-last": with_parts([(frame + SKIPPABLE, raw)]),
        "last-only": with_parts([part(TEXT, True), (b"x", 0)]),
        "unknown-kind": with_parts([(b"x", raw)], kind=UNKNOWN_KIND),
        "end": with_parts([(b"x", 8)], 8, 1, 0),
    }


def bad_parts():
    return {"parts-" + name: data for name, data in {**bad_sizes(), **bad_frames()}.items()}
