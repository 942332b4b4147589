#!/usr/bin/env python3
"""Second reader of the baton trace format, written from docs/FORMAT.md alone.

It prints what `baton dump --json` must print for the same files, so that two implementations can be
compared. It favours plainness over speed, but decodes columns in tight loops: the differential
tests feed it many thousands of small files. Input is hostile: sizes are checked before anything is
allocated from them, and every rule of the document that is broken ends as a damage, never as an
exception.

    second_reader.py FILE...            the dump of each file
    second_reader.py --digest <NAMES    per file: name, verdict, number of lines, CRC-32 of the
                                        lines, all without the `file` line, which holds the name
"""

import ctypes
import json
import os
import struct
import sys
import zlib
from itertools import islice, repeat
from operator import add, le

from columns import (CHAINS_LIMIT, COMPOSED, DECODERS, DURATION_ID, SIGN_64, START_ID, Chains,
                     Composed, Damage, Prediction, compose, stored_numbers)

FILE_MAGIC = b"\x89BTN\r\n\x1a\n"
FILE_HEADER = struct.Struct("<8sHHIIIQ24xQ")
FILE_HEADER_BYTES = 64
FILE_HEADER_LIMIT_BYTES = 4096
CONTENTS = {1: "trace", 2: "summary", 3: "gauges"}

BLOCK_MAGIC = b"TBLK"
BLOCK_HEADER = struct.Struct("<4sHBxIIIxxxxQqqQQ")
BLOCK_HEADER_BYTES = 64
HASHED_BYTES = 56
ROWS_LIMIT = 1048576
PAYLOAD_LIMIT_BYTES = 67108864
COLUMNS_LIMIT = 256
PARTS_LIMIT = 1024
WEIGHT_BYTES, WEIGHT_FOLD, WEIGHT_RECORDS = 67108864, 256, 4
WEIGHT_COLUMNS = {16: 10, 17: 7, 18: 7}

KIND_END = 1
KIND_RECORDS = 2
RECORD_HEADER = struct.Struct("<HHI")
COLUMN_HEADER = struct.Struct("<HBxI")
PART_HEADER = struct.Struct("<II")
STRING_TYPE = 1
STRING_LEAST_BYTES = 16
SUMMARY_TYPES = range(64, 128)

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_SIZE_UNKNOWN = 2**64 - 1

TIME_LIMIT_NS = 2**62
# Lines are built this many bytes at a time, so that a large block does not become one large string.
CHUNK_BYTES = 1 << 22

# Type name -> smallest and largest value.
RANGES = {
    "time": (-TIME_LIMIT_NS, TIME_LIMIT_NS),
    "duration": (0, TIME_LIMIT_NS),
    "u8": (0, 2**8 - 1),
    "u32": (0, 2**32 - 1),
    "u64": (0, 2**64 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "string": (0, 2**32 - 1),
    "thread": (0, 2**32 - 1),
    "stream": (0, 2**32 - 1),
    "device": (0, 2**32 - 1),
    "comm": (0, 2**32 - 1),
    "stack": (0, 2**32 - 1),
    "shape": (0, 2**32 - 1),
    "inputs": (0, 2**32 - 1),
}


TAIL_UNIT_BYTES = {"table": 1, "frames": 16}


class Record:
    """One record type: body layout behind the record header, and its line in the dump."""

    def __init__(self, name, least_bytes, layout, fields):
        self.name = name
        self.least_bytes = least_bytes
        self.body = struct.Struct(layout)
        pairs = [field.partition(":") for field in fields.split()]
        self.fields = [pair[0] for pair in pairs]
        self.strings = [at for at, pair in enumerate(pairs) if pair[2] == "string"]
        self.hexes = [at for at, pair in enumerate(pairs) if pair[2] == "hex"]
        # The last field may count what follows the body: bytes, or frames.
        self.tail = pairs[-1][2] if pairs[-1][2] in TAIL_UNIT_BYTES else None
        self.has_id = self.fields[0] == "id"
        body = ",".join('"%s":%%s' % field for field in self.fields)
        self.line = '{"record":"%s",%s}\n' % (name, body)


RECORDS = {
    2: Record("thread", 32, "<IIqq", "id name:string pid tid"),
    3: Record("device", 40, "<IiIIQI4x", "id ordinal name:string uuid:string"
              " memory_bytes sm_count"),
    4: Record("stream", 32, "<IIqq", "id device context stream"),
    5: Record("communicator", 32, "<IIQII", "id size hash name:string ranks:string"),
    6: Record("process", 80, "<qQ16siiiIIIII8x", "pid start_time boot_id:hex rank world_size"
              " local_rank generation host:string source:string source_version:string"
              " run_id:string"),
    7: Record("meta", 16, "<II", "key:string value:string"),
    8: Record("clock", 32, "<qqI4x", "local_ns reference_ns kind"),
    9: Record("loss", 24, "<IIQ", "kind what:string count"),
    10: Record("cost", 24, "<I4xQ", "what:string ns"),
    11: Record("module", 24, "<III4x", "id path:string build_id:string"),
    12: Record("code", 32, "<IIIiII", "id file:string function:string first_line python"
               " line_table:table"),
    13: Record("stack", 16, "<II", "id frames:frames"),
    15: Record("shape", 64, "<13I4x", "id registers grid_x grid_y grid_z block_x block_y block_z"
               " cluster_x cluster_y cluster_z static_shared dynamic_shared"),
    16: Record("kept", 48, "<qqqQQ", "keep_ns begin_ns from_ns launches kernels"),
    17: Record("inputs", 24, "<III4x", "id shapes:string types:string"),
    18: Record("priority", 24, "<IiI4x", "stream priority kind"),
}
FRAME = struct.Struct("<IIQ")


class Table:
    """One kind of column block.

    `columns` maps an id to (name, type); `required` holds ids. `chain` and `label` are the ids of
    the columns that say which chain a row belongs to and what the row is (section 4.3).
    """

    def __init__(self, name, columns, chain, label):
        self.name = name
        self.columns = {}
        self.required = set()
        for column_id, text in enumerate(("start_ns:time! dur_ns:duration! " + columns).split(), 1):
            column, _, type_name = text.partition(":")
            if type_name.endswith("!"):
                self.required.add(column_id)
            self.columns[column_id] = (column, type_name.rstrip("!"))
        self.ids = {column: column_id for column_id, (column, _) in self.columns.items()}
        self.chain = self.ids[chain]
        self.label = self.ids[label]


TABLES = {
    16: Table("op", "op_kind:u8! stream:stream! correlation:u64! name:string! bytes:u64"
              " copy_dir:u8 pageable:u8 graph_node:u64 shape:shape memory:u8"
              " source:device target:device", "stream", "name"),
    17: Table("call", "thread:thread! name:string! correlation:u64! stack:stack device:device"
              " result:u32 bytes:u64 memory:u8", "thread", "name"),
    18: Table("range", "thread:thread! name:string! category:u8! domain:string unclosed:u8"
              " inputs:inputs", "thread", "name"),
    19: Table("collective", "correlation:u64! comm:comm! coll:u8! bytes:u64 out_bytes:u64"
              " dtype:string sequence:u64 peer:u32", "comm", "coll"),
    20: Table("sync", "sync_kind:u8! stream:stream! correlation:u64 event:u64"
              " record_correlation:u64", "stream", "sync_kind"),
    21: Table("overhead", "thread:thread! overhead_kind:u8! name:string", "thread",
              "overhead_kind"),
    22: Table("sched", "thread:thread! slept_ns:u64! waited_ns:u64! stack:stack"
              " holder:thread holder_stack:stack", "thread", "thread"),
    23: Table("gauge", "device:device! gauge:u8! value:u64!", "device", "gauge"),
}


def load_library(name, functions):
    library = ctypes.CDLL(name)
    for function, (result, arguments) in functions.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


SIZE = ctypes.c_size_t
BYTES = ctypes.c_char_p
XXHASH = load_library("libxxhash.so.0", {"XXH3_64bits": (ctypes.c_uint64, [BYTES, SIZE])})
ZSTD = load_library("libzstd.so.1", {
    "ZSTD_createDCtx": (ctypes.c_void_p, []),
    "ZSTD_decompressDCtx": (SIZE, [ctypes.c_void_p, ctypes.c_void_p, SIZE, BYTES, SIZE]),
    "ZSTD_findFrameCompressedSize": (SIZE, [BYTES, SIZE]),
    "ZSTD_getFrameContentSize": (ctypes.c_ulonglong, [BYTES, SIZE]),
    "ZSTD_isError": (ctypes.c_uint, [SIZE]),
    "ZSTD_compress": (SIZE, [ctypes.c_void_p, SIZE, BYTES, SIZE, ctypes.c_int]),
    "ZSTD_compressBound": (SIZE, [SIZE]),
})
ZSTD_CONTEXT = ZSTD.ZSTD_createDCtx()


def hash64(data):
    return XXHASH.XXH3_64bits(data, len(data))


def decompress(data, raw_bytes):
    """The content of exactly one zstd frame that holds exactly `raw_bytes`, or None."""
    # The library alone would also take no frame, several frames, and skippable or old ones.
    if data[:4] != ZSTD_MAGIC or ZSTD.ZSTD_findFrameCompressedSize(data, len(data)) != len(data):
        return None
    declared_bytes = ZSTD.ZSTD_getFrameContentSize(data, len(data))
    if declared_bytes not in (raw_bytes, ZSTD_SIZE_UNKNOWN):
        return None
    raw = ctypes.create_string_buffer(raw_bytes or 1)
    result = ZSTD.ZSTD_decompressDCtx(ZSTD_CONTEXT, raw, raw_bytes, data, len(data))
    if ZSTD.ZSTD_isError(result) or result != raw_bytes:
        return None
    return ctypes.string_at(raw, raw_bytes)


def json_text(value):
    return json.dumps(value.decode("utf-8", "surrogateescape"), separators=(",", ":"))


def tail_text(tail, payload, at, count):
    data = payload[at:at + count * TAIL_UNIT_BYTES[tail]]
    if tail == "table":
        return '"%s"' % data.hex()
    return "[%s]" % ",".join('{"kind":%d,"of":%d,"offset":%d}' % frame
                             for frame in FRAME.iter_unpack(data))


class Column:
    """Decoded values of a known column; one value that stands for all rows when `is_constant`."""

    def __init__(self, type_name, values, rows, is_constant):
        self.is_string = type_name == "string"
        self.is_constant = is_constant
        smallest, largest = RANGES[type_name]
        if smallest < 0:
            values = [v - 2**64 if v >= SIGN_64 else v for v in values]
        if rows and (min(values) < smallest or max(values) > largest):
            raise Damage("bad-columns")
        self.values = values

    def all(self):
        return repeat(self.values[0]) if self.is_constant else self.values

    def list(self, rows):
        return list(islice(self.all(), rows))


def column_data(payload):
    """Splits a payload into (id, encoding, data) of each column."""
    if len(payload) < 4:
        raise Damage("bad-columns")
    count = int.from_bytes(payload[:4], "little")
    at = 4 + 8 * count
    if count > COLUMNS_LIMIT or at > len(payload):
        raise Damage("bad-columns")
    parts = []
    for column_id, encoding, size in COLUMN_HEADER.iter_unpack(payload[4:at]):
        if size > len(payload) - at:
            raise Damage("bad-columns")
        parts.append((column_id, encoding, payload[at:at + size]))
        at += size
    if at != len(payload) or len({part[0] for part in parts}) != count:
        raise Damage("bad-columns")
    return parts


def time_span_ns(columns, rows):
    """Smallest start and largest end of the rows; checks that they are sorted by start."""
    if rows == 0:
        return 0, 0
    start, duration = columns[1], columns[2]
    if not all(map(le, start.values, islice(start.values, 1, None))):
        raise Damage("bad-columns")
    if start.is_constant and duration.is_constant:
        return start.values[0], start.values[0] + duration.values[0]
    return start.values[0], max(map(add, start.all(), duration.all()))


class ColumnDecoder:
    """Decodes the known columns of one block, each of which may need some decoded before it."""

    def __init__(self, table, block, payload):
        self.table = table
        self.rows = block.rows
        self.t_min_ns = block.t_min_ns
        self.parts = {column_id: (encoding, data)
                      for column_id, encoding, data in column_data(payload)
                      if column_id in table.columns}
        self.columns = {}
        self.chains = None

    def decode(self):
        """The columns by id, all rules checked but those on the rows of several columns."""
        if not self.table.required <= self.parts.keys():
            raise Damage("bad-columns")
        if not all(map(self.may_be_encoded_so, self.parts)):
            raise Damage("bad-columns")
        for column_id in sorted(self.parts, key=self.turn):
            encoding, data = self.parts[column_id]
            decoded = DECODERS[encoding](data, self.rows) if encoding in DECODERS \
                else self.composed(column_id, encoding, data)
            self.columns[column_id] = Column(self.table.columns[column_id][1], decoded, self.rows,
                                             encoding == 0)
        return self.columns

    def may_be_encoded_so(self, column_id):
        encoding = self.parts[column_id][0]
        return encoding in DECODERS or encoding >= COMPOSED and Composed.of_byte(
            encoding).is_allowed(column_id, self.table.chain, self.table.label)

    def turn(self, column_id):
        """Columns without chains first, `start_ns`, which may need `dur_ns`, last.

        The chain and name columns are among the first, as they may not need chains themselves.
        """
        encoding = self.parts[column_id][0]
        needs_chains = encoding >= COMPOSED and Composed.of_byte(encoding).needs_chains()
        return needs_chains, column_id == START_ID, column_id

    def composed(self, column_id, encoding, data):
        choice = Composed.of_byte(encoding)
        # First, as it bounds the rows by the data.
        unit, numbers = stored_numbers(data, self.rows, choice.storage)
        chains = durations = None
        if choice.needs_chains():
            chains = self.chains = self.chains or self.find_chains()
            if column_id == START_ID:
                durations = self.columns[DURATION_ID].list(self.rows)
        first = self.t_min_ns if column_id == START_ID else 0
        return compose(numbers, unit, Prediction(choice, first, chains, durations))

    def find_chains(self):
        chains = Chains(self.columns[self.table.chain].list(self.rows),
                        self.columns[self.table.label].list(self.rows))
        if chains.count > CHAINS_LIMIT:
            raise Damage("bad-columns")
        return chains


def decode_columns(table, block, payload):
    """The known columns of a block by id, with every rule of section 4 checked."""
    columns = ColumnDecoder(table, block, payload).decode()
    if time_span_ns(columns, block.rows) != (block.t_min_ns, block.t_max_ns):
        raise Damage("bad-columns")
    return columns


def split_records(payload, rows):
    """(type, offset, size) of each record of a payload, with every rule of section 3 checked."""
    parts = []
    at = 0
    for _ in range(rows):
        if len(payload) - at < RECORD_HEADER.size:
            raise Damage("bad-record")
        record_type, _, size = RECORD_HEADER.unpack_from(payload, at)
        if size < 8 or size % 8 or size > len(payload) - at:
            raise Damage("bad-record")
        check_record(payload, record_type, at, size)
        parts.append((record_type, at, size))
        at += size
    if at != len(payload):
        raise Damage("bad-record")
    return parts


def check_record(payload, record_type, at, size):
    if record_type == STRING_TYPE:
        if size < STRING_LEAST_BYTES:
            raise Damage("bad-record")
        string_id, text_bytes = struct.unpack_from("<II", payload, at + 8)
        if string_id == 0 or STRING_LEAST_BYTES + text_bytes > size:
            raise Damage("bad-record")
    elif record_type in RECORDS:
        record = RECORDS[record_type]
        if size < record.least_bytes:
            raise Damage("bad-record")
        if record.has_id and payload[at + 8:at + 12] == bytes(4):
            raise Damage("bad-record")
        if record.tail:
            count = struct.unpack_from("<I", payload, at + record.least_bytes - 4)[0]
            if record.least_bytes + count * TAIL_UNIT_BYTES[record.tail] > size:
                raise Damage("bad-record")


class Block:
    """A block header whose magic and hash are right."""

    __slots__ = ("kind", "compression", "rows", "raw_bytes", "stored_bytes", "sequence",
                 "t_min_ns", "t_max_ns", "payload_hash")

    def __init__(self, fields):
        (_, self.kind, self.compression, self.rows, self.raw_bytes, self.stored_bytes,
         self.sequence, self.t_min_ns, self.t_max_ns, self.payload_hash, _) = fields

    def within_limits(self):
        return (self.rows <= ROWS_LIMIT and self.raw_bytes <= PAYLOAD_LIMIT_BYTES
                and self.stored_bytes <= PAYLOAD_LIMIT_BYTES)


def block_at(data, at):
    """The block header at `at`, or None when there is none with right magic and hash."""
    header = data[at:at + BLOCK_HEADER_BYTES]
    if len(header) < BLOCK_HEADER_BYTES or header[:4] != BLOCK_MAGIC:
        return None
    fields = BLOCK_HEADER.unpack(header)
    return Block(fields) if hash64(header[:HASHED_BYTES]) == fields[-1] else None


def join_parts(stored, raw_bytes):
    """Section 1.4: the payload that the parts in `stored` hold, or None."""
    count = int.from_bytes(stored[:4], "little")
    at = 4 + PART_HEADER.size * count
    if len(stored) < 4 or count > PARTS_LIMIT or at > len(stored):
        return None
    sizes = list(PART_HEADER.iter_unpack(stored[4:at]))
    # Both sums are known before anything is decompressed, so the parts need no more room than
    # the block header allows.
    if sum(size for size, _ in sizes) != len(stored) - at:
        return None
    if sum(raw_size for _, raw_size in sizes) != raw_bytes:
        return None
    parts = []
    for size, raw_size in sizes:
        part = stored[at:at + size]
        at += size
        if size != raw_size:
            part = decompress(part, raw_size)
        if part is None:
            return None
        parts.append(part)
    return b"".join(parts)


def decompressed(stored, compression, raw_bytes):
    """The payload of a block from what is stored, or None."""
    if compression == 0:
        return stored if len(stored) == raw_bytes else None
    if compression == 1:
        return decompress(stored, raw_bytes)
    return join_parts(stored, raw_bytes) if compression == 2 else None


def stored_payload(data, block, at):
    """Steps 7 and 8: the payload of a block, hash checked and decompressed."""
    stored = data[at:at + block.stored_bytes]
    if hash64(stored) != block.payload_hash:
        raise Damage("bad-hash")
    raw = decompressed(stored, block.compression, block.raw_bytes)
    if raw is None:
        raise Damage("bad-compression")
    return raw


class Reader:
    """Reads one file; `emit(text, lines)` gets the dump, the `file` line through `emit_file`."""

    def __init__(self, data, emit, emit_file):
        self.data = data
        self.size = len(data)
        self.emit = emit
        self.emit_file = emit_file
        self.strings = {}
        self.longest_string_bytes = 4
        self.next_sequence = 0
        self.weight = 0
        self.is_damaged = False
        self.blocks = self.records = self.rows = 0

    def read(self):
        """Reads the file and returns the verdict."""
        at = self.open()
        verdict = "unreadable"
        if at is not None:
            while at is not None:
                at = self.step(at)
            verdict = "damaged" if self.is_damaged else "ok"
        self.emit('{"record":"verdict","verdict":"%s","blocks":%d,"records":%d,"rows":%d}\n'
                  % (verdict, self.blocks, self.records, self.rows), 1)
        return verdict

    def open(self):
        """Offset of the first block, or None for a file that is unreadable."""
        if self.size < FILE_HEADER_BYTES:
            return None
        magic, major, minor, header_bytes, content, _, _, header_hash = \
            FILE_HEADER.unpack_from(self.data)
        if magic != FILE_MAGIC or hash64(self.data[:HASHED_BYTES]) != header_hash:
            return None
        if major != 1 or content not in CONTENTS or header_bytes > self.size:
            return None
        if not FILE_HEADER_BYTES <= header_bytes <= FILE_HEADER_LIMIT_BYTES or header_bytes % 8:
            return None
        self.emit_file(CONTENTS[content], minor)
        return header_bytes

    def damage(self, at, reason):
        self.is_damaged = True
        self.emit('{"record":"damage","offset":%d,"reason":"%s"}\n' % (at, reason), 1)

    def step(self, at):
        """Section 1.3 at position `at`: the next position, or None to stop."""
        if at == self.size:
            return self.damage(at, "unclosed")
        if self.size - at < BLOCK_HEADER_BYTES:
            return self.damage(at, "truncated")
        block = block_at(self.data, at)
        if block is None or not block.within_limits():
            self.damage(at, "bad-header")
            return self.resynchronise(at)
        payload_at = at + BLOCK_HEADER_BYTES
        if payload_at + block.stored_bytes > self.size:
            return self.damage(at, "truncated")
        after = min((payload_at + block.stored_bytes + 7) // 8 * 8, self.size)
        if not self.in_sequence(block, at):
            return after
        try:
            self.accept(block, stored_payload(self.data, block, payload_at))
        except Damage as damage:
            self.damage(at, damage.args[0])
            return after
        self.blocks += 1
        return after if block.kind != KIND_END else self.close(after)

    def close(self, after):
        if after < self.size:
            self.damage(after, "trailing")

    def resynchronise(self, at):
        """The smallest later offset that holds a right block header, or None."""
        at = self.data.find(BLOCK_MAGIC, at + 1)
        while at >= 0:
            if at % 8 == 0 and block_at(self.data, at) is not None:
                return at
            at = self.data.find(BLOCK_MAGIC, at + 1)
        return None

    def is_light(self, block):
        """Step 6: adds the weight of a block, unless the file may not hold that much."""
        weight = block.raw_bytes * (WEIGHT_RECORDS if block.kind == KIND_RECORDS else 1)
        if block.kind in TABLES:
            weight += 8 * block.rows * min(len(TABLES[block.kind].columns), WEIGHT_COLUMNS.get(block.kind, 99))
        if self.weight + weight > WEIGHT_BYTES + WEIGHT_FOLD * self.size:
            return False
        self.weight += weight
        return True

    def in_sequence(self, block, at):
        if block.sequence < self.next_sequence:
            self.damage(at, "replayed")
            return False
        if not self.is_light(block):
            self.damage(at, "too-large")
            self.next_sequence = block.sequence + 1
            return False
        if block.sequence > self.next_sequence:
            self.damage(at, "missing-blocks")
        self.next_sequence = block.sequence + 1
        return True

    def accept(self, block, payload):
        """Steps 9 and 10; nothing is kept or printed when a rule is broken."""
        if block.kind == KIND_END:
            if block.raw_bytes < 8:
                raise Damage("bad-end")
        elif block.kind == KIND_RECORDS:
            for record_type, at, size in split_records(payload, block.rows):
                self.take_record(payload, record_type, at, size)
        elif block.kind in TABLES:
            table = TABLES[block.kind]
            self.print_rows(table, decode_columns(table, block, payload), block.rows)
            self.rows += block.rows

    def take_record(self, payload, record_type, at, size):
        if record_type == STRING_TYPE:
            self.take_string(payload, at)
        elif record_type in RECORDS:
            self.print_record(RECORDS[record_type], payload, at)
        elif record_type in SUMMARY_TYPES:
            self.emit('{"record":"summary","type":%d,"size":%d}\n' % (record_type, size), 1)
        else:
            return
        self.records += 1

    def take_string(self, payload, at):
        string_id, text_bytes = struct.unpack_from("<II", payload, at + 8)
        text = json_text(payload[at + 16:at + 16 + text_bytes])
        if self.strings.setdefault(string_id, text) is text:
            self.longest_string_bytes = max(self.longest_string_bytes, len(text))
        self.emit('{"record":"string","id":%d,"value":%s}\n' % (string_id, text), 1)

    def print_record(self, record, payload, at):
        values = list(record.body.unpack_from(payload, at + 8))
        for field in record.strings:
            values[field] = self.strings.get(values[field], "null")
        for field in record.hexes:
            values[field] = '"%s"' % values[field].hex()
        if record.tail:
            values[-1] = tail_text(record.tail, payload, at + record.least_bytes, values[-1])
        self.emit(record.line % tuple(values), 1)

    def row_line(self, table, columns):
        """The line of a row as a format, constant columns filled in, and the other columns."""
        pieces = ['{"record":"%s"' % table.name]
        varying = []
        for column_id in sorted(columns):
            column = columns[column_id]
            value = "%s"
            if not column.is_constant:
                varying.append(column)
            elif column.is_string:
                value = self.strings.get(column.values[0], "null").replace("%", "%%")
            else:
                value = str(column.values[0])
            pieces.append(',"%s":%s' % (table.columns[column_id][0], value))
        return "".join(pieces) + "}\n", varying

    def print_rows(self, table, columns, rows):
        line, varying = self.row_line(table, columns)
        strings = sum(column.is_string for column in varying)
        line_bytes = len(line) + 20 * len(varying) + strings * self.longest_string_bytes
        step = max(1, CHUNK_BYTES // line_bytes)
        for first in range(0, rows, step):
            count = min(step, rows - first)
            if varying:
                texts = [self.texts(column, first, count) for column in varying]
                self.emit("".join(map(line.__mod__, zip(*texts))), count)
            else:
                self.emit(line % () * count, count)

    def texts(self, column, first, count):
        values = column.values[first:first + count]
        if not column.is_string:
            return values
        get = self.strings.get
        return [get(value, "null") for value in values]


def dump(data, name, write):
    """Writes the dump of a file (its content and name, as bytes); returns the verdict."""
    def emit(text, _lines):
        write(text.encode("ascii"))

    def emit_file(content, minor):
        emit('{"record":"file","name":%s,"content":"%s","major":1,"minor":%d}\n'
             % (json_text(os.path.basename(name)), content, minor), 1)

    return Reader(data, emit, emit_file).read()


def digest(data):
    """(verdict, lines, crc32) of the dump without its `file` line."""
    lines = crc = 0

    def emit(text, count):
        nonlocal lines, crc
        lines += count
        crc = zlib.crc32(text.encode("ascii"), crc)

    verdict = Reader(data, emit, lambda content, minor: None).read()
    return verdict, lines, crc


def read_file(name):
    with open(name, "rb", buffering=0) as file:
        return file.read()


def complain(name, error):
    sys.stderr.write("second_reader: %s: %s\n" % (os.fsdecode(name), error))


def print_digests(names, write):
    status = 0
    for line in names:
        name = line.rstrip(b"\n")
        try:
            write(b"%s\t%s\t%d\t%08x\n" % (name, *digest_fields(read_file(name))))
            sys.stdout.buffer.flush()  # one process may answer file by file
        except (OSError, ValueError) as error:
            complain(name, error)
            status = 1
    return status


def digest_fields(data):
    verdict, lines, crc = digest(data)
    return verdict.encode(), lines, crc


def print_dumps(names, write):
    status = 0
    for name in names:
        try:
            data = read_file(name)
        except (OSError, ValueError) as error:
            complain(name, error)
            status = 1
            continue
        dump(data, name, write)
    return status


def main(arguments):
    write = sys.stdout.buffer.write
    if arguments == ["--digest"]:
        status = print_digests(sys.stdin.buffer, write)
    elif arguments and not arguments[0].startswith("-"):
        status = print_dumps([os.fsencode(name) for name in arguments], write)
    else:
        sys.stderr.write("usage: second_reader.py FILE... | second_reader.py --digest <NAMES\n")
        return 2
    sys.stdout.buffer.flush()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
