#!/usr/bin/env python3
"""What describes launches, copies, allocations and operators in a run (new in format 1.1) costs: bytes for each kernel.

    columns.py DIR

Takes the columns that format 1.0 did not have (of op rows shape, memory and the devices of a copy, of call rows result, bytes and
memory, of ranges inputs) and the records of shapes and inputs out of each block of all traces of DIR, and compresses what is left.
The reader is tests/format/second_reader.py; zstd has level 1 on both sides, so the sizes are not to the byte those of the file."""
import collections
import ctypes
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "format"))
import second_reader

OP = 16
COLUMNS = {OP: (11, 12, 13, 14), 17: (8, 9, 10), 18: (8,)}
RECORDS = (15, 17)


def packed(data):
    """The size of `data` under zstd."""
    room = second_reader.ZSTD.ZSTD_compressBound(len(data))
    size = second_reader.ZSTD.ZSTD_compress(ctypes.create_string_buffer(room), room, data, len(data), 1)
    assert not second_reader.ZSTD.ZSTD_isError(size)
    return size


def without_columns(payload, columns):
    parts = [part for part in second_reader.column_data(payload) if part[0] not in columns]
    heads = [second_reader.COLUMN_HEADER.pack(column, encoding, len(data)) for column, encoding, data in parts]
    return b"".join([len(parts).to_bytes(4, "little"), *heads, *(data for _, _, data in parts)])


def without_records(payload, rows):
    records = second_reader.split_records(payload, rows)
    return b"".join(payload[at:at + size] for record_type, at, size in records if record_type not in RECORDS)


class Counter(second_reader.Reader):
    """Counts bytes instead of printing rows."""

    def __init__(self, data, sums):
        super().__init__(data, lambda *_: None, lambda *_: None)
        self.sums = sums

    def accept(self, block, payload):
        what, rest = None, payload
        if block.kind == second_reader.KIND_RECORDS:
            what, rest = "records", without_records(payload, block.rows)
        elif block.kind in COLUMNS:
            what, rest = second_reader.TABLES[block.kind].name + " columns", without_columns(payload, COLUMNS[block.kind])
        self.sums["ops"] += block.rows if block.kind == OP else 0
        if what:
            self.sums[what] += packed(payload) - packed(rest)


def main(directory):
    sums, size = collections.Counter(), 0
    paths = sorted(glob.glob(os.path.join(directory, "*.baton")))
    for path in paths:
        with open(path, "rb") as trace:
            data = trace.read()
        size += len(data)
        Counter(data, sums).read()
    ops = sums.pop("ops")
    if not ops:
        sys.exit("columns: no kernels in %s" % directory)
    for what, count in sums.most_common():
        print("%-18s %8.4f bytes a kernel" % (what, count / ops))
    print("%-18s %8.4f bytes a kernel, of %.2f in the files; %d traces, %d ops"
          % ("all of them", sum(sums.values()) / ops, size / ops, len(paths), ops))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
