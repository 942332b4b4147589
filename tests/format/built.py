"""Blocks and files that are put together with struct alone, for tests of the second reader.

writer.py is not used, so that a mistake shared by the reader and the writer shows.
"""

import ctypes
import json
import struct

import second_reader

XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
XXH3.restype = ctypes.c_uint64
XXH3.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

# A zstd frame of "hello" as the zstd tool writes it: content size 5, one raw block, no checksum.
ZSTD_HELLO = bytes.fromhex("28b52ffd 2005 290000") + b"hello"
END = struct.pack("<Q", 1)


def sealed(head):
    return head + struct.pack("<Q", XXH3(head, 56))


def file_header(header_bytes=64, major=1, minor=0, content=1):
    return sealed(struct.pack("<8sHHIIIQ24x", b"\x89BTN\r\n\x1a\n", major, minor, header_bytes,
                              content, 0, 0))


def block(kind, payload, sequence, rows=0, span_ns=(0, 0), compression=0, raw_bytes=None):
    raw_bytes = len(payload) if raw_bytes is None else raw_bytes
    head = struct.pack("<4sHBBIIIIQqqQ", b"TBLK", kind, compression, 0, rows, raw_bytes,
                       len(payload), 0, sequence, *span_ns, XXH3(payload, len(payload)))
    return sealed(head) + payload + bytes(-len(payload) % 8)


def read(data):
    """(list of dump lines as objects, verdict)."""
    lines = []
    verdict = second_reader.dump(data, b"dir/x.baton", lines.append)
    return [json.loads(line) for line in b"".join(lines).splitlines()], verdict


def damages(data):
    lines, _ = read(data)
    return [(line["offset"], line["reason"]) for line in lines if line["record"] == "damage"]


def with_records(payload, rows):
    return file_header() + block(2, payload, 0, rows) + block(1, END, 1)


def with_calls(columns, rows, span_ns):
    payload = struct.pack("<I", len(columns))
    for column_id, encoding, data in columns:
        payload += struct.pack("<HBBI", column_id, encoding, 0, len(data))
    payload += b"".join(data for _, _, data in columns)
    return file_header() + block(17, payload, 0, rows, span_ns) + block(1, END, 1)


def rows_of(data):
    return [line for line in read(data)[0] if line["record"] == "call"]


def string(string_id, text, size):
    return struct.pack("<HHIII", 1, 0, size, string_id, len(text)) + text.ljust(size - 16, b"\0")


# Two calls, [10, 15) and [8 + 12, 29): 10 and 5 as zigzag varints are 0x14, 0x0a.
CALLS = [(1, 1, b"\x14\x14"), (2, 2, b"\x05\x09"), (3, 0, b"\x02"), (4, 0, b"\x00"),
         (5, 2, b"\x07\x08")]


def changed(column_id, encoding, data):
    return [(column_id, encoding, data) if column[0] == column_id else column for column in CALLS]
