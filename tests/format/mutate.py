#!/usr/bin/env python3
"""Mutated traces for differential tests of two readers.

    mutate.py --seed N --count N --seeds-from DIR OUTDIR
    mutate.py --seed N --count N --seeds-from DIR --batch N --run COMMAND OUTDIR

Files come from the traces of DIR and from small random ones. File number I of a seed depends on the
seed, I and DIR alone, so `--first I --count 1` makes a single one again. Odd numbers get right
hashes behind the mutation, so that it reaches the code behind the hash checks.

With --batch only so many files exist at a time: COMMAND (a shell command) gets their names on its
standard input, one per line, then they are deleted. A COMMAND that fails ends the run with status 1
and its batch stays.
"""

import argparse
import os
import random
import struct
import subprocess
import sys

from second_reader import (BLOCK_HEADER, BLOCK_HEADER_BYTES, BLOCK_MAGIC, FILE_HEADER_BYTES,
                           KIND_RECORDS, PAYLOAD_LIMIT_BYTES, ROWS_LIMIT, TABLES, TIME_LIMIT_NS,
                           ZSTD_MAGIC, decompress, digest)
from writer import CONSTANT, TraceWriter, block_bytes, compress, record_bytes, reseal, varint

# Larger payloads are legal but slow; a seed or a mutation does not need them.
SEED_RAW_LIMIT_BYTES = 1 << 20
RANDOM_TRACES = 64
GOOD_WEIGHT = 3
FILE_FIELDS = [(8, 2), (10, 2), (12, 4), (16, 4), (20, 4), (24, 8), (32, 8), (56, 8)]
BLOCK_FIELDS = [(0, 4), (4, 2), (6, 1), (7, 1), (8, 4), (12, 4), (16, 4), (20, 4), (24, 8), (32, 8),
                (40, 8), (48, 8), (56, 8)]
NUMBERS = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 18, 19, 20, 21, 22, 23, 31, 32, 63, 64, 65, 72, 127,
           128, 255, 256, 257, 4095, 4096, 4097, 2**16 - 1, 2**16, ROWS_LIMIT, ROWS_LIMIT + 1,
           PAYLOAD_LIMIT_BYTES, PAYLOAD_LIMIT_BYTES + 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
           TIME_LIMIT_NS - 1, TIME_LIMIT_NS, TIME_LIMIT_NS + 1, -TIME_LIMIT_NS, -TIME_LIMIT_NS - 1,
           2**63 - 1, 2**63, -1, -2, -8]
STEPS = [-64, -8, -1, 1, 8, 64]
RECORD_TYPES = [*range(0, 15), 63, 64, 127, 128]


# Random traces.

def random_text(rng):
    if rng.random() < 0.2:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(12)))
    return rng.choice(["kernel", "ncclDevKernel_AllReduce", "aten::mm", "stép", "", '"\\\n'])


def random_number(rng, bits):
    value = rng.choice([rng.getrandbits(7), rng.getrandbits(bits), rng.choice(NUMBERS)])
    return value & (2**bits - 1)


def random_value(rng, type_name):
    if type_name == "u8":
        return random_number(rng, 3 if rng.random() < 0.9 else 8)
    if type_name == "u64":
        return random_number(rng, 64)
    if type_name == "string":
        return random_text(rng) if rng.random() < 0.8 else rng.randrange(9)
    return rng.randrange(4)


def random_rows(rng, table):
    names = [name for column_id, (name, _) in table.columns.items()
             if column_id in table.required or rng.random() < 0.5]
    constant = {name: random_value(rng, table.columns[table.ids[name]][1])
                for name in names[2:] if rng.random() < 0.4}
    rows = []
    for _ in range(rng.choice([0, 1, 2, 3, 8, 20])):
        row = {"start_ns": rng.randrange(-1000, 100000), "dur_ns": rng.randrange(5000)}
        for name in names[2:]:
            row[name] = random_value(rng, table.columns[table.ids[name]][1])
        row.update(constant)
        rows.append(row)
    return rows


def random_records(rng, writer):
    writer.thread(random_text(rng), rng.randrange(9), rng.randrange(9))
    if rng.random() < 0.5:
        writer.stream(writer.device(0, random_text(rng), random_text(rng)), 1, 7)
    if rng.random() < 0.5:
        writer.communicator(rng.randrange(9), rng.getrandbits(64), random_text(rng))
    if rng.random() < 0.5:
        writer.process(rng.randrange(9999), rng.getrandbits(40), host=random_text(rng))
    if rng.random() < 0.5:
        writer.meta(random_text(rng), random_text(rng))
        writer.clock(rng.getrandbits(40), rng.getrandbits(60))
    if rng.random() < 0.3:
        writer.loss(rng.randrange(6), random_text(rng), random_number(rng, 64))
        writer.cost(random_text(rng), random_number(rng, 64))
    if rng.random() < 0.3:
        writer.module(random_text(rng), random_text(rng))
        table = bytes(rng.randrange(256) for _ in range(rng.randrange(20)))
        writer.code(random_text(rng), random_text(rng), rng.randrange(99), 0x030b07f0, table)
        writer.stack(*[(rng.randrange(4), rng.randrange(4), random_number(rng, 64))
                       for _ in range(rng.randrange(5))])


def random_trace(rng):
    writer = TraceWriter(None, compression=rng.randrange(2), content=rng.choice([1, 1, 1, 2, 3]))
    for _ in range(rng.randrange(1, 4)):
        if rng.random() < 0.7:
            random_records(rng, writer)
        table = rng.choice(list(TABLES.values()))
        writer.rows(table.name, random_rows(rng, table), rows_per_block=rng.choice([3, 100]))
    writer.close(with_end=rng.random() < 0.9)
    return writer.data()


# Blocks as they seem to be: sizes are believed, hashes not looked at.

def block_spans(data):
    """(first, after) of each block."""
    at = int.from_bytes(data[12:16], "little")
    spans = []
    while 0 < at <= len(data) - BLOCK_HEADER_BYTES and data[at:at + 4] == BLOCK_MAGIC:
        stored_bytes = int.from_bytes(data[at + 16:at + 20], "little")
        after = min((at + BLOCK_HEADER_BYTES + stored_bytes + 7) // 8 * 8, len(data))
        spans.append((at, after))
        at = after
    return spans


def raw_payload(data, at):
    """The decompressed payload of the block at `at`; None when it cannot be had."""
    _, _, compression, _, raw_bytes, stored_bytes = BLOCK_HEADER.unpack_from(data, at)[:6]
    first = at + BLOCK_HEADER_BYTES
    stored = bytes(data[first:first + stored_bytes])
    if compression != 1:
        return stored
    is_small = raw_bytes <= SEED_RAW_LIMIT_BYTES and stored[:4] == ZSTD_MAGIC
    return decompress(stored, raw_bytes) if is_small else None


# Mutations: each takes the random source, a bytearray and the list of all seeds, and returns bytes.

def flip_bits(rng, data, _seeds):
    for _ in range(rng.choice([1, 1, 2, 8])):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def set_bytes(rng, data, _seeds):
    for _ in range(rng.choice([1, 1, 2, 8])):
        if data:
            value = rng.choice([0, 1, 2, 127, 128, 255, rng.randrange(256)])
            data[rng.randrange(len(data))] = value
    return data


def put_number(rng, data, at, width_bytes):
    """Replaces one field by an interesting number, or by a neighbour of what it was."""
    if at + width_bytes > len(data):
        return
    value = rng.choice(NUMBERS)
    if rng.random() < 0.4:
        value = int.from_bytes(data[at:at + width_bytes], "little") + rng.choice(STEPS)
    value &= 2 ** (8 * width_bytes) - 1
    data[at:at + width_bytes] = value.to_bytes(width_bytes, "little")


def set_field(rng, data, _seeds):
    spans = block_spans(data)
    if not spans or rng.random() < 0.1:
        put_number(rng, data, *rng.choice(FILE_FIELDS))
    else:
        at, width_bytes = rng.choice(BLOCK_FIELDS)
        put_number(rng, data, rng.choice(spans)[0] + at, width_bytes)
    return data


def truncate(rng, data, _seeds):
    spans = block_spans(data)
    if spans and rng.random() < 0.5:
        end = rng.choice(spans)[rng.randrange(2)] + rng.choice([-8, -7, -1, 0, 1, 8, 63, 64])
    else:
        end = rng.randrange(len(data) + 1)
    return data[:max(end, 0)]


def change_blocks(rng, data, _seeds):
    """Duplicates, removes or swaps whole blocks."""
    spans = block_spans(data)
    if not spans:
        return data
    blocks = [data[first:after] for first, after in spans]
    one, other = rng.randrange(len(blocks)), rng.randrange(len(blocks))
    action = rng.randrange(3)
    if action == 0:
        blocks.insert(other, blocks[one])
    elif action == 1:
        del blocks[one]
    else:
        blocks[one], blocks[other] = blocks[other], blocks[one]
    return data[:spans[0][0]] + b"".join(blocks) + data[spans[-1][1]:]


def splice(rng, data, seeds):
    """The front of this file and the back of another, mostly cut at blocks."""
    other = rng.choice(seeds)
    front, back = rng.randrange(len(data) + 1), rng.randrange(len(other) + 1)
    if rng.random() < 0.7:
        front = rng.choice([first for first, _ in block_spans(data)] or [front])
        back = rng.choice([first for first, _ in block_spans(other)] or [back])
    return data[:front] + other[back:]


def insert(rng, data, seeds):
    at = rng.randrange(len(data) + 1) // 8 * 8 if rng.random() < 0.5 \
        else rng.randrange(len(data) + 1)
    size = rng.choice([1, 4, 7, 8, 16, 64])
    other = rng.choice(seeds)
    first = rng.randrange(len(other) + 1)
    added = rng.choice([bytes(size), rng.getrandbits(8 * size).to_bytes(size, "little"),
                        BLOCK_MAGIC * (size // 4), other[first:first + size]])
    return data[:at] + added + data[at:]


def remove(rng, data, _seeds):
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 4, 8, 16]):]


def renumber(_rng, data, _seeds):
    """Right sequence numbers, so that moved blocks are read."""
    for sequence, (first, _) in enumerate(block_spans(data)):
        data[first + 24:first + 32] = sequence.to_bytes(8, "little")
    return data


def edit_records(rng, payload):
    """Changes a record payload at a record's boundary: a field, a type, one more or one less."""
    starts = []
    at = 0
    while at + 8 <= len(payload):
        starts.append(at)
        at += max(8, int.from_bytes(payload[at + 4:at + 8], "little"))
    if not starts:
        return payload
    at = rng.choice(starts)
    action = rng.randrange(4)
    if action == 0:
        put_number(rng, payload, at + rng.choice([0, 4, 8, 12, 16, 20]), rng.choice([2, 4]))
    elif action == 1:
        payload[at:at + 2] = rng.choice(RECORD_TYPES).to_bytes(2, "little")
    elif action == 2:
        body = rng.getrandbits(64 * 5).to_bytes(40, "little")[:rng.choice([0, 8, 16, 24, 40])]
        payload[at:at] = record_bytes(rng.choice(RECORD_TYPES), body)
    else:
        payload += payload[at:]
    return payload


def edit_columns(rng, payload):
    """Changes a column head or the data of one column; the head's size follows the data."""
    count = min(int.from_bytes(payload[:4], "little"), (len(payload) - 4) // 8)
    if count <= 0:
        return payload
    head = 4 + 8 * rng.randrange(count)
    if rng.random() < 0.4:
        put_number(rng, payload, *rng.choice([(0, 4), (head, 2), (head + 2, 1), (head + 4, 4)]))
        return payload
    sizes = [struct.unpack_from("<I", payload, at + 4)[0] for at in range(4, 4 + 8 * count, 8)]
    index = (head - 4) // 8
    first = 4 + 8 * count + sum(sizes[:index])
    data = edit_varints(rng, payload, head, payload[first:first + sizes[index]])
    struct.pack_into("<I", payload, head + 4, len(data) & 2**32 - 1)
    payload[first:first + sizes[index]] = data
    return payload


def edit_varints(rng, payload, head, data):
    """Other data for the column at `head`: a number replaced, added, stretched, or a constant."""
    number = varint(rng.choice(NUMBERS) & 2**64 - 1, rng.choice([1, 1, 2, 10]))
    action = rng.randrange(4)
    if action == 0 or not data:
        payload[head + 2] = CONSTANT
        return number
    at = rng.randrange(len(data))
    if action == 1:
        return data[:at] + number + data[at + 1:]
    if action == 2:
        return data + number
    data[at] ^= 1 << rng.randrange(8)
    return data


def edit_payload(rng, data, _seeds):
    """Mutates inside a payload, compressed or not, and rebuilds its block around the result."""
    spans = block_spans(data)
    if not spans:
        return data
    first, after = rng.choice(spans)
    payload = raw_payload(data, first)
    if payload is None:
        return data
    _, kind, compression, rows, _, _, sequence, *span_ns = BLOCK_HEADER.unpack_from(data, first)[:9]
    editors = {KIND_RECORDS: edit_records, **dict.fromkeys(TABLES, edit_columns)}
    payload = bytes(editors.get(kind, lambda rng, payload: flip_bits(rng, payload, ()))
                    (rng, bytearray(payload)))
    if kind == KIND_RECORDS and rng.random() < 0.5:
        rows = count_records(payload)
    stored = compress(payload) if compression == 1 else payload
    block = block_bytes(kind, stored, rows, sequence, compression, len(payload), span_ns=span_ns)
    return data[:first] + block + data[after:]


def count_records(payload):
    count = at = 0
    while at + 8 <= len(payload):
        at += max(8, int.from_bytes(payload[at + 4:at + 8], "little"))
        count += 1
    return count


MUTATIONS = [flip_bits, set_bytes, set_field, set_field, truncate, change_blocks, splice, insert,
             remove, edit_payload, edit_payload, edit_payload, edit_payload]
MOVES_BLOCKS = {change_blocks, splice}


def mutation(seed, index, seeds):
    """File number `index` of `seed`: its bytes."""
    rng = random.Random("%d:%d" % (seed, index))
    is_resealed = index % 2 == 1
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        mutate = rng.choice(MUTATIONS)
        data = bytearray(mutate(rng, data, seeds))
        if is_resealed and mutate in MOVES_BLOCKS and rng.random() < 0.7:
            data = renumber(rng, data, seeds)
    return reseal(data) if is_resealed else bytes(data)


def with_random_traces(seed, files):
    rng = random.Random("traces:%d" % seed)
    return files + [random_trace(rng) for _ in range(RANDOM_TRACES)]


def mutations(seed, count, seeds=None, first=0):
    """Yields `count` mutated files, made from `seeds` or, if None, from the golden files."""
    if seeds is None:
        from make_golden import golden_files
        seeds = [data for _, data in sorted(golden_files().items())]
    seeds = with_random_traces(seed, [data for data in seeds if is_light(data)])
    # Most golden files are damaged already; a change to a good one shows more.
    seeds += GOOD_WEIGHT * [data for data in seeds if digest(data)[0] == "ok"]
    for index in range(first, first + count):
        yield mutation(seed, index, seeds)


def is_light(data):
    """False for files whose blocks unpack to much: they would slow every run down."""
    if len(data) < FILE_HEADER_BYTES:
        return True
    return all(raw_payload(data, first) is not None or data[first + 6] != 1
               or int.from_bytes(data[first + 12:first + 16], "little") <= SEED_RAW_LIMIT_BYTES
               for first, _ in block_spans(data))


def seeds_from(directory):
    seeds = []
    for name in sorted(os.listdir(directory)):
        if name.endswith(".baton"):
            with open(os.path.join(directory, name), "rb") as file:
                seeds.append(file.read())
    return seeds


def write_batches(options, files):
    """Writes the files; yields the list of names each time a batch is full."""
    names = []
    for index, data in enumerate(files, options.first):
        name = os.path.join(options.outdir, "mutated-%d-%08d.baton" % (options.seed, index))
        with open(name, "wb") as file:
            file.write(data)
        names.append(name)
        if len(names) == options.batch:
            yield names
            names = []
    if names:
        yield names


def consume(command, names):
    """Runs `command` on the files and deletes them; False when it failed."""
    result = subprocess.run(command, shell=True, input=os.fsencode("\n".join(names) + "\n"))
    if result.returncode:
        return False
    for name in names:
        os.unlink(name)
    return True


def parse(arguments):
    parser = argparse.ArgumentParser(description="mutated traces for differential tests")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--seeds-from", required=True, help="directory of traces to begin with")
    parser.add_argument("--batch", type=int, default=1000, help="files per run of the command")
    parser.add_argument("--run", help="command that gets the names of a batch")
    parser.add_argument("outdir")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    os.makedirs(options.outdir, exist_ok=True)
    seeds = seeds_from(options.seeds_from)
    files = mutations(options.seed, options.count, seeds, options.first)
    for names in write_batches(options, files):
        if options.run and not consume(options.run, names):
            sys.stderr.write("mutate: the command failed on %s to %s\n" % (names[0], names[-1]))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
