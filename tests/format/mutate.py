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
from types import SimpleNamespace

from columns import COMPOSED, Composed, Damage, signed
from made_traces import NUMBERS, random_choice, random_cuts, random_number, random_trace
from second_reader import (BLOCK_HEADER, BLOCK_HEADER_BYTES, BLOCK_MAGIC, FILE_HEADER_BYTES,
                           KIND_RECORDS, TABLES, ColumnDecoder, decompressed, digest,
                           time_span_ns)
from writer import (CONSTANT, NONE, PARTS, ZSTD_FRAME, block_bytes, compress, composed_data, cut,
                    part, parts_payload, record_bytes, reseal, varint)

# Larger payloads are legal but slow; a seed or a mutation does not need them.
SEED_RAW_LIMIT_BYTES = 1 << 20
RANDOM_TRACES = 64
GOOD_WEIGHT = 3
# So many files begin with a random trace of their own, and so many are not changed at all.
FRESH_PART = 0.3
UNCHANGED_PART = 0.1
FILE_FIELDS = [(8, 2), (10, 2), (12, 4), (16, 4), (20, 4), (24, 8), (32, 8), (56, 8)]
BLOCK_FIELDS = [(0, 4), (4, 2), (6, 1), (7, 1), (8, 4), (12, 4), (16, 4), (20, 4), (24, 8), (32, 8),
                (40, 8), (48, 8), (56, 8)]
STEPS = [-64, -8, -1, 1, 8, 64]
RECORD_TYPES = [*range(0, 19), 63, 64, 127, 128]


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
    if compression not in (ZSTD_FRAME, PARTS):
        return stored
    is_small = raw_bytes <= SEED_RAW_LIMIT_BYTES
    return decompressed(stored, compression, raw_bytes) if is_small else None


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


def edit_records(rng, payload, _kind, _rows):
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


def edit_columns(rng, payload, kind, rows):
    """Changes a column head or the data of one column; the head's size follows the data."""
    count = min(int.from_bytes(payload[:4], "little"), (len(payload) - 4) // 8)
    if count <= 0:
        return payload
    head = 4 + 8 * rng.randrange(count)
    if rng.random() < 0.3:
        put_number(rng, payload, *rng.choice([(0, 4), (head, 2), (head + 2, 1), (head + 4, 4)]))
        return payload
    sizes = [struct.unpack_from("<I", payload, at + 4)[0] for at in range(4, 4 + 8 * count, 8)]
    index = (head - 4) // 8
    first = 4 + 8 * count + sum(sizes[:index])
    data = payload[first:first + sizes[index]]
    if rng.random() < 0.3:
        data = other_numbers(rng, payload, head, kind, rows)
    elif payload[head + 2] >= COMPOSED and rng.random() < 0.7:
        data = edit_composed(rng, payload, head, data, rows)
    else:
        data = edit_varints(rng, payload, head, data)
    struct.pack_into("<I", payload, head + 4, len(data) & 2**32 - 1)
    payload[first:first + sizes[index]] = data
    return payload


def other_numbers(rng, payload, head, kind, rows):
    """A new composed encoding that the column may have, mostly, and any numbers."""
    column_id = int.from_bytes(payload[head:head + 2], "little")
    choice = random_choice(rng, TABLES[kind], column_id)
    if rng.random() < 0.2:
        choice = Composed.of_byte(COMPOSED | rng.randrange(128))._replace(storage=choice.storage)
    payload[head + 2] = choice.byte()
    bits = rng.choice([1, 4, 8, 62, 64])
    numbers = [signed(random_number(rng, bits)) * rng.choice([1, 1, -1])
               for _ in range(min(rows, 200))]
    return composed_data(choice, numbers)


def edit_composed(rng, payload, head, data, rows):
    """Changes a bit of the encoding, the unit, a byte of plane or rests, or where the data end."""
    action = rng.randrange(5)
    if action == 0:
        payload[head + 2] ^= 1 << rng.randrange(8)
    elif action == 1 and data:
        unit = varint(rng.choice(NUMBERS) & 2**64 - 1, rng.choice([1, 1, 1, 2, 10]))
        return unit + data[1:]
    elif action == 2 and data:
        at = min(rng.randrange(2 * rows + 2), len(data) - 1)
        data[at] = rng.choice([0, 1, 2, 3, 4, 5, 31, 32, 64, 126, 127, 128, 129, 130, 255])
    elif action == 3:
        return data[:-1]
    else:
        data.append(rng.randrange(256))
    return data


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


def rebuilt(data, span, payload, stored, **changes):
    """The file with the block of `span` around another payload."""
    first, after = span
    _, kind, compression, rows, _, _, sequence, *span_ns = BLOCK_HEADER.unpack_from(data, first)[:9]
    fields = {"rows": rows, "compression": compression, "span_ns": span_ns, **changes}
    block = block_bytes(kind, stored, sequence=sequence, raw_bytes=len(payload), **fields)
    return data[:first] + block + data[after:]


def stored_of(rng, payload, compression):
    """The payload as it is stored with a compression; parts begin anywhere."""
    if compression == ZSTD_FRAME:
        return compress(payload)
    if compression != PARTS:
        return payload
    return parts_payload([part(piece, rng.choice([None, None, True, False]))
                          for piece in cut(payload, random_cuts(rng, len(payload)))])


def mended_span(kind, rows, payload, span_ns):
    """The times that the header must have; those it has where there are none."""
    if kind not in TABLES:
        return span_ns
    block = SimpleNamespace(rows=rows, t_min_ns=span_ns[0])
    try:
        mended_ns = time_span_ns(ColumnDecoder(TABLES[kind], block, payload).decode(), rows)
    except Damage:
        return span_ns
    return mended_ns if mended_ns[1] < 2**63 else span_ns


def edit_payload(rng, data, _seeds):
    """Mutates inside a payload, compressed or not, and rebuilds its block around the result."""
    spans = block_spans(data)
    if not spans:
        return data
    first, after = rng.choice(spans)
    payload = raw_payload(data, first)
    if payload is None:
        return data
    _, kind, compression, rows, _, _, _, *span_ns = BLOCK_HEADER.unpack_from(data, first)[:9]
    editors = {KIND_RECORDS: edit_records, **dict.fromkeys(TABLES, edit_columns)}
    edit = editors.get(kind, lambda rng, payload, _kind, _rows: flip_bits(rng, payload, ()))
    payload = bytes(edit(rng, bytearray(payload), kind, rows))
    if kind == KIND_RECORDS and rng.random() < 0.5:
        rows = count_records(payload)
    if rng.random() < 0.7:
        span_ns = mended_span(kind, rows, payload, span_ns)
    return rebuilt(data, (first, after), payload, stored_of(rng, payload, compression),
                   rows=rows, span_ns=span_ns)


def repack(rng, data, _seeds):
    """Another compression for a block, or other parts."""
    spans = block_spans(data)
    if not spans:
        return data
    span = rng.choice(spans)
    payload = raw_payload(data, span[0])
    if payload is None:
        return data
    compression = rng.choice([NONE, ZSTD_FRAME, PARTS, PARTS, PARTS])
    return rebuilt(data, span, payload, stored_of(rng, payload, compression),
                   compression=compression)


def edit_parts(rng, data, _seeds):
    """Changes the heads of parts, or the stored bytes after them."""
    spans = [span for span in block_spans(data) if data[span[0] + 6] == PARTS]
    if not spans:
        return repack(rng, data, ())
    first, after = rng.choice(spans)
    raw_bytes, stored_bytes = BLOCK_HEADER.unpack_from(data, first)[4:6]
    stored = bytearray(data[first + BLOCK_HEADER_BYTES:after][:stored_bytes])
    count = min(int.from_bytes(stored[:4], "little"), (len(stored) - 4) // 8)
    action = rng.randrange(5)
    if action == 0 or count <= 0:
        put_number(rng, stored, 0, 4)
    elif action == 1:
        put_number(rng, stored, 4 + 4 * rng.randrange(2 * count), 4)
    elif action == 2:
        move_boundary(rng, stored, count)
    elif action == 3:
        stored += rng.choice([b"\0", bytes(8), bytes(stored[-9:])])
    else:
        del stored[-rng.choice([1, 4, 9]):]
    return rebuilt(data, (first, after), bytes(min(raw_bytes, SEED_RAW_LIMIT_BYTES)), bytes(stored))


def move_boundary(rng, stored, count):
    """One part more or less, or a size that grows by what another one loses."""
    one, other = [4 + 8 * rng.randrange(count) + rng.choice([0, 4]) for _ in range(2)]
    step = rng.choice([1, 1, 8])
    for at, change in ((one, step), (other, -step)):
        size = int.from_bytes(stored[at:at + 4], "little") + change & 2**32 - 1
        stored[at:at + 4] = size.to_bytes(4, "little")
    if rng.random() < 0.3:
        stored[:4] = (count + 1).to_bytes(4, "little")
        stored[4 + 8 * count:4 + 8 * count] = bytes(8)


def count_records(payload):
    count = at = 0
    while at + 8 <= len(payload):
        at += max(8, int.from_bytes(payload[at + 4:at + 8], "little"))
        count += 1
    return count


MUTATIONS = [flip_bits, set_bytes, set_field, set_field, truncate, change_blocks, splice, insert,
             remove, repack, edit_parts, edit_parts, *[edit_payload] * 6]
MOVES_BLOCKS = {change_blocks, splice}


def mutation(seed, index, seeds):
    """File number `index` of `seed`: its bytes."""
    rng = random.Random("%d:%d" % (seed, index))
    is_resealed = index % 2 == 1
    data = bytearray(random_trace(rng) if rng.random() < FRESH_PART else rng.choice(seeds))
    changes = 0 if rng.random() < UNCHANGED_PART else rng.choice([1, 1, 1, 2, 3])
    for _ in range(changes):
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
    return all(raw_payload(data, first) is not None
               or data[first + 6] not in (ZSTD_FRAME, PARTS)
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
