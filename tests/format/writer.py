"""A small writer of the baton trace format, for tests: written from docs/FORMAT.md alone.

It can also write what the document forbids: every block field and every payload can be given, so
that golden bad files and mutated files need no second tool. All output depends on the arguments
alone.
"""

import ctypes
import math
import struct

from columns import (DURATION_ID, GRID, GRID_CELL, GRID_SHIFT, MASK_64, START_ID, VARINTS, Chains,
                     Composed, Prediction, signed)
from second_reader import (BLOCK_HEADER, BLOCK_HEADER_BYTES, BLOCK_MAGIC, COLUMN_HEADER,
                           FILE_HEADER, FILE_HEADER_BYTES, FILE_MAGIC, HASHED_BYTES, KIND_END,
                           KIND_RECORDS, PART_HEADER, RECORDS, STRING_TYPE, TABLES, ZSTD,
                           ZSTD_MAGIC, hash64)

CONSTANT, DELTA, PLAIN = 0, 1, 2
NONE, ZSTD_FRAME, PARTS = 0, 1, 2
MINOR = 1
DEFAULT_ROWS_PER_BLOCK = 65536
KINDS = {table.name: kind for kind, table in TABLES.items()}
RECORD_TYPES = {record.name: record_type for record_type, record in RECORDS.items()}


def compress(data, level=3):
    room = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(len(data)))
    size = ZSTD.ZSTD_compress(room, len(room), data, len(data), level)
    if ZSTD.ZSTD_isError(size):
        raise ValueError("zstd cannot compress %d bytes" % len(data))
    return room.raw[:size]


def zstd_frame(payload, checksum=b""):
    """A frame without a content size, with one raw block; 0x50 is a window of 1 MiB."""
    head = ZSTD_MAGIC + bytes([4 if checksum else 0, 0x50])
    return head + struct.pack("<I", len(payload) << 3 | 1)[:3] + payload + checksum


def pad8(data):
    return data + bytes(-len(data) % 8)


def varint(value, least_bytes=1):
    """LEB128 of an unsigned number, stretched to `least_bytes`."""
    out = bytearray()
    while value >= 128 or len(out) + 1 < least_bytes:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    """Varint of a 64-bit pattern (or signed number) as zigzag."""
    value = signed(value)
    return varint((value << 1 ^ value >> 63) & MASK_64)


def encode(values, encoding):
    if encoding == CONSTANT:
        return zigzag(values[0] if values else 0)
    if encoding == PLAIN:
        return b"".join(varint(value & MASK_64) for value in values)
    steps = zip([0, *values], values)
    return b"".join(zigzag(after - before) for before, after in steps)


def choose_encoding(values):
    if len(set(values)) <= 1:
        return CONSTANT
    return min((DELTA, PLAIN), key=lambda encoding: len(encode(values, encoding)))


def column(column_id, values, encoding=None):
    """(id, encoding, data) of a column."""
    encoding = choose_encoding(values) if encoding is None else encoding
    return column_id, encoding, encode(values, encoding)


# Composed columns (sections 4.3 and 4.4).

def plane_and_stream(numbers):
    """(plane, stream) of numbers that fit 64 bits and a sign."""
    plane = bytes(2 * abs(number).bit_length() + (number < 0) for number in numbers)
    bits = []
    for number in numbers:
        size = abs(number)
        bits += [size >> at & 1 for at in range(size.bit_length() - 1)]
    stream = bytearray((len(bits) + 7) // 8)
    for at, bit in enumerate(bits):
        stream[at // 8] |= bit << at % 8
    return plane, bytes(stream)


def store(numbers, storage):
    if storage == VARINTS:
        return b"".join(zigzag(number) for number in numbers)
    if storage == GRID:
        cells = [divmod(number + GRID_SHIFT, GRID_CELL) for number in numbers]
        plane, stream = plane_and_stream([cell for cell, _ in cells])
        return plane + bytes(rest for _, rest in cells) + stream
    return b"".join(plane_and_stream(numbers))


def divided(value, unit):
    """A number with unit x number = value modulo 2^64; ValueError when there is none."""
    if signed(value) % unit == 0:
        return signed(value) // unit
    common = math.gcd(unit, 2**64)
    if value % common:
        raise ValueError("%d is no multiple of %d" % (value, unit))
    rest = 2**64 // common
    return value // common * pow(unit // common, -1, rest) % rest


def composed_numbers(values, unit, prediction):
    """The numbers of section 4.3 that give `values`."""
    values = [value & MASK_64 for value in values]
    numbers = []
    for row, value in enumerate(values):
        quotient = divided(value - prediction.basis(row, values) & MASK_64, unit)
        number = signed(quotient - prediction.mean(row))
        prediction.learn(row, number)
        numbers.append(number)
    return numbers


def composed_data(choice, numbers, unit=None):
    """The data of a composed column; `unit` as bytes replaces that of `choice`."""
    return (varint(choice.unit) if unit is None else unit) + store(numbers, choice.storage)


def table_columns(table, rows, encodings, start=None):
    """(id, encoding, data) of each column that `rows` (sorted, strings as ids) have.

    `encodings` by column name are encodings, Composed choices, or ready (encoding, data) pairs.
    `start` is the t_min_ns that the columns are made for, if not that of the rows.
    """
    by_id = {column_id: [row[name] for row in rows]
             for column_id, (name, _) in table.columns.items()
             if (name in rows[0] if rows else column_id in table.required)}
    if start is None:
        start = by_id[START_ID][0] if rows else 0
    columns = []
    for column_id, values in by_id.items():
        choice = encodings.get(table.columns[column_id][0])
        if isinstance(choice, Composed):
            chains = Chains(by_id[table.chain], by_id[table.label]) if choice.needs_chains() \
                else None
            prediction = Prediction(choice, start if column_id == START_ID else 0, chains,
                                    by_id[DURATION_ID])
            data = composed_data(choice, composed_numbers(values, choice.unit, prediction))
            columns.append((column_id, choice.byte(), data))
        elif isinstance(choice, tuple):
            columns.append((column_id, *choice))
        else:
            columns.append(column(column_id, values, choice))
    return columns


# Parts (section 1.4).

def part(raw, is_compressed=None):
    """(data, raw_bytes) of a part; by default compressed where that is shorter."""
    if is_compressed is None:
        frame = compress(raw)
        return (frame if len(frame) < len(raw) else raw), len(raw)
    return (compress(raw) if is_compressed else raw), len(raw)


def parts_payload(parts, count=None):
    """The stored payload from (data, raw_bytes) pairs, or (data, raw_bytes, stored_bytes)."""
    heads = b"".join(PART_HEADER.pack(sizes[0] if sizes else len(data), raw_bytes)
                     for data, raw_bytes, *sizes in parts)
    count = len(parts) if count is None else count
    return struct.pack("<I", count) + heads + b"".join(data for data, *_ in parts)


def cut(payload, cuts):
    """The pieces of `payload` between the offsets `cuts`, in order."""
    ends = [*cuts, len(payload)]
    return [payload[first:end] for first, end in zip([0, *cuts], ends)]


def column_payload(columns, count=None):
    """The payload of a column block from (id, encoding, data) triples."""
    heads = b"".join(COLUMN_HEADER.pack(column_id, encoding, len(data))
                     for column_id, encoding, data in columns)
    count = len(columns) if count is None else count
    return struct.pack("<I", count) + heads + b"".join(data for _, _, data in columns)


def record_bytes(record_type, body, extra=b"", size=None):
    size = 8 + len(body) + len(extra) if size is None else size
    return struct.pack("<HHI", record_type, 0, size) + body + extra


def string_record(string_id, text, extra=b"", text_bytes=None):
    text_bytes = len(text) if text_bytes is None else text_bytes
    return record_bytes(STRING_TYPE, struct.pack("<II", string_id, text_bytes) + pad8(text), extra)


def known_record(name, *values, extra=b""):
    """A record of section 3 by name, from its fields in order of offset."""
    record_type = RECORD_TYPES[name]
    return record_bytes(record_type, RECORDS[record_type].body.pack(*values), extra)


def file_header(content=1, major=1, minor=MINOR, header_bytes=FILE_HEADER_BYTES, file_id=0,
                magic=FILE_MAGIC, extra=b""):
    head = FILE_HEADER.pack(magic, major, minor, header_bytes, content, 0, file_id, 0)
    return head[:HASHED_BYTES] + struct.pack("<Q", hash64(head[:HASHED_BYTES])) + extra


def block_bytes(kind, stored, rows, sequence, compression=NONE, raw_bytes=None, stored_bytes=None,
                span_ns=(0, 0), payload_hash=None, magic=BLOCK_MAGIC):
    """One padded block; whatever is not given is what the payload needs."""
    head = BLOCK_HEADER.pack(magic, kind, compression, rows,
                             len(stored) if raw_bytes is None else raw_bytes,
                             len(stored) if stored_bytes is None else stored_bytes, sequence,
                             *span_ns, hash64(stored) if payload_hash is None else payload_hash, 0)
    head = head[:HASHED_BYTES] + struct.pack("<Q", hash64(head[:HASHED_BYTES]))
    return head + pad8(stored)


class TraceWriter:
    """Writes one file. Records gather until rows or the end need them; blocks go out in order."""

    def __init__(self, path, content=1, compression=ZSTD_FRAME, **header):
        self.path = path
        self.compression = compression
        self.parts = [file_header(content, **header)]
        self.pending = []
        self.sequence = 0
        self.strings = {}
        self.last_ids = {}

    def string(self, text):
        """Id of a string (str or bytes), 0 for None; equal strings share one entry."""
        if text is None:
            return 0
        text = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        if text not in self.strings:
            self.strings[text] = self.next_id("string")
            self.record(string_record(self.strings[text], text))
        return self.strings[text]

    def next_id(self, name):
        self.last_ids[name] = self.last_ids.get(name, 0) + 1
        return self.last_ids[name]

    def record(self, data):
        """Adds one record as bytes."""
        self.pending.append(data)

    def thread(self, name, pid, tid):
        return self.entry("thread", self.string(name), pid, tid)

    def threads(self, rows, order):
        """Threads with the ids that `rows` (name, pid, tid) have in their order, defined in another one."""
        ids = [self.next_id("thread") for _ in rows]
        for n in order:
            name, pid, tid = rows[n]
            self.record(known_record("thread", ids[n], self.string(name), pid, tid))

    def device(self, ordinal, name, uuid, memory_bytes=0, sm_count=0):
        return self.entry("device", ordinal, self.string(name), self.string(uuid), memory_bytes,
                          sm_count)

    def stream(self, device, context, stream):
        return self.entry("stream", device, context, stream)

    def priority(self, stream, priority, kind=0):
        self.record(known_record("priority", stream, priority, kind))

    def communicator(self, size, comm_hash, name=None, ranks=None):
        return self.entry("communicator", size, comm_hash, self.string(name), self.string(ranks))

    def module(self, path, build_id=None):
        return self.entry("module", self.string(path), self.string(build_id))

    def code(self, file, function, first_line, python, line_table=b""):
        return self.entry("code", self.string(file), self.string(function), first_line, python,
                          len(line_table), extra=pad8(line_table))

    def inputs(self, shapes, types):
        """Of an operator; each text may be None."""
        return self.entry("inputs", self.string(shapes), self.string(types))

    def stack(self, *frames):
        """Frames are (kind, of, offset), innermost first."""
        return self.entry("stack", len(frames),
                          extra=b"".join(struct.pack("<IIQ", *frame) for frame in frames))

    def entry(self, name, *values, extra=b""):
        entry_id = self.next_id(name)
        self.record(known_record(name, entry_id, *values, extra=extra))
        return entry_id

    def process(self, pid, start_time=0, boot_id=bytes(16), rank=-1, world_size=-1, local_rank=-1,
                generation=0, host=None, source=None, source_version=None, run_id=None):
        texts = [self.string(text) for text in (host, source, source_version, run_id)]
        self.record(known_record("process", pid, start_time, boot_id, rank, world_size, local_rank,
                                 generation, *texts))

    def meta(self, key, value):
        self.record(known_record("meta", self.string(key), self.string(value)))

    def clock(self, local_ns, reference_ns, kind=1):
        self.record(known_record("clock", local_ns, reference_ns, kind))

    def loss(self, kind, what, count):
        self.record(known_record("loss", kind, self.string(what), count))

    def cost(self, what, duration_ns):
        self.record(known_record("cost", self.string(what), duration_ns))

    def kept(self, keep_ns, begin_ns, from_ns, launches, kernels):
        self.record(known_record("kept", keep_ns, begin_ns, from_ns, launches, kernels))

    def rows(self, table_name, rows, rows_per_block=DEFAULT_ROWS_PER_BLOCK, **choices):
        """Adds rows (dicts by column name; strings as text or id), sorted and split in blocks."""
        kind = KINDS[table_name]
        rows = sorted(rows, key=lambda row: row["start_ns"])
        rows = [self.with_string_ids(TABLES[kind], row) for row in rows]
        for first in range(0, len(rows), rows_per_block) or [0]:
            self.row_block(kind, rows[first:first + rows_per_block], **choices)

    def with_string_ids(self, table, row):
        row = dict(row)
        for name, type_name in table.columns.values():
            if type_name == "string" and name in row and not isinstance(row[name], int):
                row[name] = self.string(row[name])
        return row

    def row_block(self, kind, rows, encodings=None, extra_columns=(), **block):
        """One block of sorted rows; `encodings` as in table_columns overrides the choice."""
        columns = table_columns(TABLES[kind], rows, encodings or {})
        span_ns = (rows[0]["start_ns"], max(row["start_ns"] + row["dur_ns"] for row in rows)) \
            if rows else (0, 0)
        block.setdefault("span_ns", span_ns)
        self.block(kind, column_payload(columns + list(extra_columns)), len(rows), **block)

    def flush(self, **block):
        """Writes the records gathered so far as one block."""
        pending, self.pending = self.pending, []
        if pending:
            self.block(KIND_RECORDS, b"".join(pending), len(pending), **block)

    def block(self, kind, payload=b"", rows=0, compression=None, sequence=None, cuts=(), **fields):
        """Any block. `fields` are those of block_bytes; a given `raw_bytes` keeps the payload.

        `cuts` are the offsets in the payload where new parts begin.
        """
        self.flush()
        compression = self.compression if compression is None else compression
        sequence = self.sequence if sequence is None else sequence
        stored = payload
        if compression == ZSTD_FRAME and "raw_bytes" not in fields:
            fields["raw_bytes"] = len(payload)
            stored = compress(payload)
        if compression == PARTS and "raw_bytes" not in fields:
            fields["raw_bytes"] = len(payload)
            stored = parts_payload([part(piece) for piece in cut(payload, cuts)])
        self.append(block_bytes(kind, stored, rows, sequence, compression, **fields))
        self.sequence = sequence + 1

    def append(self, data):
        """Adds bytes as they are; the caller keeps them a multiple of 8."""
        self.parts.append(data)

    def data(self):
        return b"".join(self.parts)

    def close(self, with_end=True):
        self.flush()
        if with_end:
            self.block(KIND_END, struct.pack("<Q", self.sequence), compression=NONE)
        if self.path is not None:
            with open(self.path, "wb") as file:
                file.write(self.data())


def reseal(data):
    """The same bytes with right hashes in the file header and in all that looks like blocks."""
    data = bytearray(data)
    if len(data) < FILE_HEADER_BYTES:
        return bytes(data)
    seal_header(data, 0)
    at = int.from_bytes(data[12:16], "little")
    at = at if at % 8 == 0 and 0 < at < len(data) else FILE_HEADER_BYTES
    while 0 <= at <= len(data) - BLOCK_HEADER_BYTES:
        if data[at:at + 4] == BLOCK_MAGIC:
            at = seal_block(data, at)
        else:
            at = next_magic(data, at)
    return bytes(data)


def next_magic(data, at):
    at = data.find(BLOCK_MAGIC, at + 1)
    while at >= 0 and at % 8:
        at = data.find(BLOCK_MAGIC, at + 1)
    return at


def seal_header(data, at):
    struct.pack_into("<Q", data, at + HASHED_BYTES, hash64(bytes(data[at:at + HASHED_BYTES])))


def seal_block(data, at):
    """Seals the block at `at` and returns where the next one may be."""
    stored_bytes = int.from_bytes(data[at + 16:at + 20], "little")
    first = at + BLOCK_HEADER_BYTES
    fits = first + stored_bytes <= len(data)
    if fits:
        payload = bytes(data[first:first + stored_bytes])
        struct.pack_into("<Q", data, at + 48, hash64(payload))
    seal_header(data, at)
    return (first + stored_bytes + 7) // 8 * 8 if fits else next_magic(data, at)
