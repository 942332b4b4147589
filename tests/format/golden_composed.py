"""Golden files of composed encodings (docs/FORMAT.md, sections 4.3 and 4.4), for make_golden.py."""

from columns import (BASIS_CHAIN, BASIS_END, BASIS_NONE, BASIS_ROW, BITS, GRID, START_ID, VARINTS,
                     Chains, Composed, Prediction, compose, context, signed)
from golden_frame import closed, trace, with_block
from second_reader import ROWS_LIMIT, TABLES
from writer import (CONSTANT, DELTA, KINDS, PARTS, PLAIN, ZSTD_FRAME, column, column_payload,
                    composed_data, composed_numbers, plane_and_stream, table_columns, varint,
                    zigzag)

CALL, RANGE, SCHED = KINDS["call"], KINDS["range"], KINDS["sched"]
MAX_U32 = 2**32 - 1
MAX_U64 = 2**64 - 1
TIME_LIMIT_NS = 2**62
BASES = (BASIS_NONE, BASIS_ROW, BASIS_END, BASIS_CHAIN)
STORAGE_NAMES = {VARINTS: "varint", BITS: "bits", GRID: "grid"}


def noise(*numbers):
    """A number of 64 bits that depends on all the numbers."""
    value = 0x9E3779B97F4A7C15
    for number in numbers:
        value = (value ^ number & MAX_U64) * 0xBF58476D1CE4E5B9 & MAX_U64
        value ^= value >> 29
    return value


def choices_of(table, column_id, unit=1):
    """Every composed encoding that the column may have."""
    every = [Composed(basis, mean, storage, unit)
             for basis in BASES for mean in (0, 1) for storage in STORAGE_NAMES]
    return [one for one in every if one.is_allowed(column_id, table.chain, table.label)]


def rows_of(table, count, chains=3):
    """Rows with every column: several chains, names that come again, times that go up."""
    values = {"u8": lambda at, of: noise(at, of) % 4, "u64": lambda at, of: noise(at, of) >> of * 5,
              "u32": lambda at, of: noise(at, of) & MAX_U32,
              "string": lambda at, of: noise(at, of) % 3}
    rows = []
    for at in range(count):
        row = {"start_ns": 1000 * at - 3500 + noise(at) % 600, "dur_ns": noise(at, 1) % 900}
        for column_id, (name, type_name) in list(table.columns.items())[2:]:
            row[name] = values.get(type_name, lambda at, of: at + of)(at, column_id)
        chain = table.columns[table.chain][0]
        row[chain] = (0, MAX_U32, 7)[noise(at, 2) % 3] if chains == 3 else noise(at, 2) % chains
        rows.append(row)
    return rows


def every_choice(table_name, blocks, step, count):
    """Blocks in which all columns are composed: block I has choice step x I of each column."""
    table = TABLES[KINDS[table_name]]
    writer = trace()
    for text in ("one", "two"):
        writer.string(text)
    for at in range(blocks):
        encodings = {}
        for column_id, (name, _) in table.columns.items():
            choices = choices_of(table, column_id)
            encodings[name] = choices[(step * at + column_id - START_ID) % len(choices)]
        writer.rows(table_name, rows_of(table, count), encodings=encodings)
    return closed(writer)


def with_calls_of(rows, *encodings, **options):
    """A block of call rows for each dict of encodings."""
    writer = trace(**options)
    for one in encodings:
        writer.rows("call", rows, encodings=one)
    return closed(writer)


def calls(starts, durations, names=(0,), threads=(1,)):
    """Call rows from lists, of which the last two are gone through again and again."""
    return [{"start_ns": start, "dur_ns": duration, "thread": threads[at % len(threads)],
             "name": names[at % len(names)], "correlation": noise(at)}
            for at, (start, duration) in enumerate(zip(starts, durations))]


def all_of_start(unit=1):
    return [{"start_ns": choice} for choice in choices_of(TABLES[CALL], START_ID, unit)]


def both_times(storage, unit):
    """Encodings of start_ns and dur_ns, with means: every basis."""
    return [{"start_ns": Composed(basis, 1, storage, unit),
             "dur_ns": Composed(basis if basis != BASIS_END else BASIS_CHAIN, 1, storage, unit)}
            for basis in BASES]


def wrapping_times():
    """Times at both ends of their range, so that differences, means and spreads wrap."""
    starts = [-TIME_LIMIT_NS] * 4 + [-TIME_LIMIT_NS + 1, -1, 0] + [TIME_LIMIT_NS - 1] * 9
    durations = [0, TIME_LIMIT_NS, TIME_LIMIT_NS - 1, 1] * 4
    rows = calls(starts, durations, (5, 5, 0, 0), (1, 2, 2))
    encodings = [dict(start, dur_ns=duration["dur_ns"]) for storage in STORAGE_NAMES
                 for start, duration in zip(both_times(storage, 1), both_times(storage, 1)[::-1])]
    return with_calls_of(rows, *encodings)


def first_means_wrap():
    """The first number of contexts is -2^63; each of them is met again."""
    starts = [-TIME_LIMIT_NS] * 3 + [TIME_LIMIT_NS - 1] * 12
    rows = calls(starts, [0, 1, 2] * 5, (1,), (1, 2, 3))
    rows[0]["name"] = rows[1]["name"] = rows[2]["name"] = 4
    return with_calls_of(rows, *both_times(BITS, 1), *both_times(VARINTS, MAX_U64))


def with_unit(unit, storage=BITS, step=1):
    """Times that are multiples of `step`; the others wrap, as the unit has an inverse."""
    starts = [step * (at * 7 + noise(at) % 7) - 100 * step for at in range(14)]
    durations = [step * (noise(at, 3) % 9) for at in range(14)]
    return with_calls_of(calls(starts, durations, (1, 2, 2), (3, 4)), *both_times(storage, unit))


def vanishing_numbers(unit, log):
    """Durations of 9 whose numbers are extreme: unit x (n + mean) wraps to 0 (unit 2^log)."""
    names = [0, 1] * 12
    wanted = [2**63 - 1, -2**63, 2**63 - 5, -2**63 + 3, 2**61, -2**61 - 1, 1, -1] * 3
    period = 2**(64 - log)
    choice = Composed(BASIS_CHAIN, 1, BITS, unit)
    chains = Chains([1] * 24, names)
    prediction = Prediction(choice, 0, chains)
    numbers = []
    for row, number in enumerate(wanted):
        number = signed(number - (number + prediction.mean(row)) % period)
        prediction.learn(row, number)
        numbers.append(number)
    assert compose(numbers, unit, Prediction(choice, 0, chains)) == [0] * 24
    columns = table_columns(TABLES[CALL], calls(range(24), [0] * 24, names), {
        "dur_ns": (choice.byte(), composed_data(choice, numbers))})
    return with_block(CALL, column_payload(columns), 24, span_ns=(0, 23))


def long_means():
    """Contexts that are met 31 times and more; now and then a value far off, which is cut."""
    starts, durations, at_ns = [], [], 0
    for at in range(120):
        at_ns += 1000 + noise(at) % 64 + (noise(at, 1) % 90000 if at % 13 == 7 else 0)
        starts.append(at_ns)
        durations.append(TIME_LIMIT_NS >> 3 if at == 60 else noise(at, 2) % 50 + 300 * (at % 3))
    return with_calls_of(calls(starts, durations, (1, 2, 1)), *both_times(GRID, 1)[1:])


def grid_edges():
    """Numbers at the edges of the grid's cells, negative ones too, and the largest."""
    steps = [-17, -16, -1, 0, 15, 16, -48, -49, 47, 48, 2**63 - 1, -2**63, -2**63 + 15, 2**63 - 17]
    values = [step % 2**64 for step in steps]
    rows = calls(range(14), [1] * 14)
    for row, value in zip(rows, values):
        row["correlation"] = value
    return with_calls_of(rows, {"correlation": Composed(storage=GRID)},
                         {"correlation": Composed(BASIS_ROW, storage=GRID)},
                         {"correlation": Composed(BASIS_CHAIN, 0, GRID, 31)})


def odd_planes():
    """What a writer has no reason for: numbers of 64 bits, ones after the stream, long units."""
    plane = bytes([128, 129, 129, 128, 3, 2, 6])  # 2^64 - 1, -2^63 - 5, -2^63, 2^63, -1, 1, 5
    stream = 2**63 - 1 | 5 << 63 | 0b01 << 252 | 0b11 << 254
    data = {BITS: b"\x01" + plane + stream.to_bytes(32, "little"),
            GRID: b"\x81\x80\x00" + plane + bytes([0, 31, 16, 15, 17, 1, 2])
            + stream.to_bytes(32, "little"),
            VARINTS: varint(3, 10) + b"\x80\x00" + varint(7, 10) + b"\x02" * 5}
    writer = trace()
    for storage, one in data.items():
        for basis in (BASIS_NONE, BASIS_ROW, BASIS_CHAIN):
            encoding = Composed(basis, 0, storage).byte()
            writer.rows("call", calls(range(7), [1] * 7),
                        encodings={"correlation": (encoding, one)})
    return closed(writer)


def other_form(number):
    """The number that is equal modulo 2^64 and has the other sign."""
    return number - 2**64 if number > 0 else number + 2**64 if number else 0


def odd_planes_with_means():
    """Numbers in the form of 64 bits: means learn from the signed number that they stand for."""
    rows = calls(range(20), [noise(at) % 5000 for at in range(20)], (1, 2, 1))
    values = [row["dur_ns"] for row in rows]
    writer = trace()
    for storage in (BITS, GRID):
        for basis in (BASIS_NONE, BASIS_ROW, BASIS_CHAIN):
            choice = Composed(basis, 1, storage, 3)
            chains = Chains([1] * 20, [row["name"] for row in rows])
            numbers = composed_numbers(values, 3, Prediction(choice, 0, chains))
            if storage == BITS:
                data = b"\x03" + b"".join(plane_and_stream(list(map(other_form, numbers))))
            else:
                cells = [divmod(number + 16, 32) for number in numbers]
                plane, stream = plane_and_stream([other_form(cell) for cell, _ in cells])
                data = b"\x03" + plane + bytes(rest for _, rest in cells) + stream
            writer.rows("call", rows, encodings={"dur_ns": (choice.byte(), data)})
    return closed(writer)


def colliding_contexts():
    """Different names with one context share its mean: alone, and as the name before.

    Contexts that are neighbours share nothing.
    """
    alone = next(name for name in range(2, 2**16) if context(name) == context(1))
    before = next(name for name in range(2, 2**16) if context(9, name) == context(9, 1))
    high = next(name for name in range(MAX_U32, 0, -1) if context(name) == context(1))
    beside = next(name for name in range(2, 2**16) if context(name) == context(1) ^ 1)
    durations = [500 + 10 * at for at in range(18)]
    one = calls(range(18), durations, (1, alone, beside, high), range(18))
    other = calls(range(18), durations, (1, 9, before, 9, MAX_U32), (1,))
    writer = trace()
    for rows in (one, other):
        for encodings in both_times(VARINTS, 1):
            writer.rows("call", rows, encodings=encodings)
    return closed(writer)


def many_chains(count, encodings, rows=None):
    rows = rows or count + 10
    return calls([7 * at for at in range(rows)], [5] * rows, (1, 2), range(count)), encodings


def chains_limit():
    """256 chains, with and without composed columns that need them; 257 without."""
    composed = {"start_ns": Composed(BASIS_END, 1, BITS), "dur_ns": Composed(BASIS_NONE, 1),
                "correlation": Composed(BASIS_CHAIN, 0, BITS), "thread": Composed(BASIS_ROW)}
    plain = {"start_ns": Composed(BASIS_ROW, 0, BITS), "dur_ns": Composed(BASIS_NONE),
             "correlation": Composed(BASIS_ROW, 0, GRID), "thread": Composed(BASIS_NONE, 0, BITS)}
    return (with_calls_of(*many_chains(256, composed)), with_calls_of(*many_chains(257, plain)))


def any_order():
    """Columns stand in the order 1, 2, ... or back to front: what they need is decoded before."""
    rows = calls([10 * at for at in range(9)], [noise(at) % 30 for at in range(9)], (1, 2), (3, 5))
    encodings = {"start_ns": Composed(BASIS_END, 1, BITS), "dur_ns": Composed(BASIS_CHAIN, 1, GRID),
                 "thread": Composed(BASIS_ROW, 0, BITS), "name": Composed(storage=GRID),
                 "correlation": Composed(BASIS_CHAIN, 0, BITS)}
    columns = table_columns(TABLES[CALL], rows, encodings)
    writer = trace()
    end_ns = max(row["start_ns"] + row["dur_ns"] for row in rows)
    for order in (columns, columns[::-1], columns[2:] + columns[:2], columns[1:] + columns[:1]):
        writer.block(CALL, column_payload(order), 9, span_ns=(0, end_ns))
    return closed(writer)


def beside_others():
    """Old encodings beside composed ones; constant columns that composed ones need."""
    rows = calls([10 * at for at in range(6)], [4] * 6, (2,), (3,))
    old = [{"thread": CONSTANT, "name": CONSTANT, "dur_ns": CONSTANT},
           {"thread": DELTA, "name": PLAIN, "dur_ns": PLAIN},
           {"thread": PLAIN, "name": DELTA, "dur_ns": DELTA}]
    return with_calls_of(rows, *[dict(one, start_ns=Composed(BASIS_END, 1, BITS),
                                      correlation=Composed(BASIS_CHAIN)) for one in old])


def no_rows():
    writer = trace()
    for table_name, kind in KINDS.items():
        for storage in STORAGE_NAMES:
            encodings = {name: [one for one in choices_of(TABLES[kind], column_id)
                                if one.storage == storage][-1]
                         for column_id, (name, _) in TABLES[kind].columns.items()}
            writer.rows(table_name, [], encodings=encodings)
    return closed(writer)


def one_row():
    row = calls([-40], [30], (5,), (6,))
    table = TABLES[CALL]
    return with_calls_of(row, *[{"start_ns": start, "dur_ns": choices_of(table, 2)[at % 18],
                                 "correlation": choices_of(table, 5)[at % 9],
                                 "name": choices_of(table, 4)[at % 6]}
                                for at, start in enumerate(choices_of(table, START_ID))])


def skipped_columns():
    """Composed encodings that break every rule, in columns that no reader knows."""
    writer = trace()
    unknown = [(900 + at, 128 + at, bytes([at])) for at in range(128)]
    writer.rows("call", calls([1, 2], [3, 4]), extra_columns=unknown)
    return closed(writer)


def first_rows():
    """The basis of the first row is t_min_ns, also where the column's numbers do not begin at 0."""
    columns = hand_columns(start=(1, Composed(BASIS_NONE).byte(), b"\x01\x14\x28"))
    later = hand_columns(start=(1, Composed(BASIS_ROW).byte(), b"\x05\x00\x04"))
    writer = trace()
    writer.block(CALL, column_payload(columns), 2, span_ns=(10, 29))
    for t_min_ns in (-TIME_LIMIT_NS, -7, 0, TIME_LIMIT_NS - 10):
        writer.block(CALL, column_payload(later), 2, span_ns=(t_min_ns, t_min_ns + 19))
    return closed(writer)


def good_composed():
    at_limit, beyond_limit = chains_limit()
    files = {
        "by-hand": hand(), "end-overlaps": with_calls_of(
            calls([0, 5, 6, 300], [100, 1, 90, 0]), *all_of_start()),
        "wraps": wrapping_times(), "wraps-first": first_means_wrap(),
        "unit-2-63": vanishing_numbers(2**63, 63), "unit-2-62": vanishing_numbers(2**62, 62),
        "unit-1000": with_unit(1000, GRID, 1000), "unit-7": with_unit(7),
        "unit-2-63-less": with_unit(2**63 - 1), "unit-2-63-more": with_unit(2**63 + 1, VARINTS),
        "unit-max": with_unit(MAX_U64, GRID), "long": long_means(), "grid": grid_edges(),
        "planes": odd_planes(), "planes-mean": odd_planes_with_means(),
        "contexts": colliding_contexts(),
        "chains-256": at_limit, "chains-257-unused": beyond_limit, "order": any_order(),
        "beside-others": beside_others(),
        "no-rows": no_rows(), "one-row": one_row(), "unknown-columns": skipped_columns(),
        "first-rows": first_rows(),
        "minor-0": with_calls_of(calls([1, 20, 30], [9, 9, 9]), *both_times(BITS, 1), minor=0),
        "zstd": with_calls_of(calls(range(50), [9] * 50), *both_times(BITS, 1),
                              compression=ZSTD_FRAME),
        "parts": with_calls_of(calls(range(50), [9] * 50), *both_times(GRID, 1), compression=PARTS),
    }
    for table_name in ("op", "call"):
        files["table-" + table_name] = every_choice(table_name, 24, 1, 8)
    for table_name in ("range", "collective", "sync", "overhead", "sched", "gauge"):
        files["table-" + table_name] = every_choice(table_name, 6, 5, 7)
    return {"composed-" + name: data for name, data in files.items()}


# Bad files: two calls [10, 15) and [20, 29), composed by hand.

def byte_of(basis=BASIS_NONE, mean=0, storage=VARINTS, reserved=0):
    return Composed(basis, mean, storage, 1, reserved).byte()


def hand_columns(**changes):
    """`changes` by name, None removes."""
    columns = {
        "start": (1, byte_of(BASIS_END, 0, BITS), b"\x01" b"\x00\x06" b"\x01"),     # 0, + 5
        "dur": (2, byte_of(BASIS_CHAIN), b"\x01" b"\x0a\x08"),                      # 5, + 4
        "thread": (3, byte_of(BASIS_ROW), b"\x01" b"\x02\x00"),                     # 1, + 0
        "name": (4, byte_of(storage=BITS), b"\x01" b"\x02\x00"),                    # 1, 0
        "correlation": (5, byte_of(BASIS_ROW, 0, GRID), b"\x01" b"\0\0" b"\x17\x11"),  # 7, + 1
    }
    columns.update(changes)
    return [one for one in columns.values() if one is not None]


def hand(rows=2, span_ns=(10, 29), **changes):
    return with_block(CALL, column_payload(hand_columns(**changes)), rows, span_ns=span_ns)


def without_rows(column_id, encoding, data=b"\x01"):
    """No rows: even then an encoding must be allowed for its column, and there is a unit."""
    columns = [column(at, []) for at in range(1, 6) if at != column_id]
    return with_block(CALL, column_payload(columns + [(column_id, encoding, data)]), 0)


def bad_choices():
    files = {
        "bit-5": hand(start=(1, byte_of(BASIS_END, 0, BITS, 1), b"\x01\x00\x06\x01")),
        "bit-6": hand(start=(1, byte_of(BASIS_END, 0, BITS, 2), b"\x01\x00\x06\x01")),
        "storage-3": hand(name=(4, byte_of(storage=3), b"\x01\x02\x00")),
        "end-dur": hand(dur=(2, byte_of(BASIS_END), b"\x01\x0a\x08")),
        "end-correlation": hand(correlation=(5, byte_of(BASIS_END), b"\x01\x0e\x02")),
        "end-thread": hand(thread=(3, byte_of(BASIS_END), b"\x01\x02\x00")),
        "chain-thread": hand(thread=(3, byte_of(BASIS_CHAIN), b"\x01\x02\x00")),
        "chain-name": hand(name=(4, byte_of(BASIS_CHAIN), b"\x01\x02\x01")),
        "mean-thread": hand(thread=(3, byte_of(mean=1), b"\x01\x02\x00")),
        "mean-name": hand(name=(4, byte_of(mean=1), b"\x01\x02\x00")),
        "mean-correlation": hand(correlation=(5, byte_of(mean=1), b"\x01\x0e\x02")),
        "mean-stack": hand(more=(6, byte_of(mean=1), b"\x01\x0e\x02")),
        "sched-chain": with_sched(byte_of(BASIS_CHAIN)), "sched-mean": with_sched(byte_of(mean=1)),
        "overhead-chain-kind": with_kind("overhead", 4), "gauge-chain-gauge": with_kind("gauge", 4),
        "sync-chain-kind": with_kind("sync", 3),
        "collective-chain-coll": with_kind("collective", 5),
        "collective-chain-comm": with_kind("collective", 4),
        "no-rows-storage-3": without_rows(1, byte_of(storage=3)),
        "no-rows-bit-6": without_rows(5, byte_of(reserved=2)),
        "no-rows-end": without_rows(5, byte_of(BASIS_END)),
        "no-rows-mean": without_rows(5, byte_of(mean=1)),
        "no-rows-chain": without_rows(3, byte_of(BASIS_CHAIN)),
    }
    for encoding in (4, 5, 64, 126, 127):
        files["encoding-%d" % encoding] = hand(name=(4, encoding, b"\x01\x02\x00"))
    return files


def with_kind(table_name, column_id):
    """A table's chain or name column that is composed from its own chain."""
    table = TABLES[KINDS[table_name]]
    encodings = {table.columns[column_id][0]: (byte_of(BASIS_CHAIN), b"\x01\x02\x00\x00")}
    writer = trace()
    writer.rows(table_name, rows_of(table, 3), encodings=encodings)
    return closed(writer)


def with_sched(encoding):
    columns = [column(1, [10, 20]), column(2, [5, 9]), (3, encoding, b"\x01\x02\x00"),
               column(4, [0, 0]), column(5, [0, 0])]
    return with_block(SCHED, column_payload(columns), 2, span_ns=(10, 29))


def bad_units():
    units = {"0": b"\0", "0-long": b"\x80\0", "0-longest": b"\x80" * 9 + b"\0",
             "10th-2": b"\x81" + b"\x80" * 8 + b"\x02",
             "11-bytes": b"\x81" + b"\x80" * 9 + b"\0"}
    files = {}
    for storage, storage_name in STORAGE_NAMES.items():
        choice = Composed(BASIS_ROW, 0, storage)
        for name, unit in units.items():
            data = composed_data(choice, [7, 1], unit)
            files["%s-%s" % (storage_name, name)] = hand(correlation=(5, choice.byte(), data))
        files[storage_name + "-none"] = hand(correlation=(5, choice.byte(), b""))
        files[storage_name + "-open"] = hand(correlation=(5, choice.byte(), b"\x81"))
        files[storage_name + "-alone"] = hand(correlation=(5, choice.byte(), b"\x01"))
        for name, data in {"": b"\0", "-none": b"", "-more": b"\x01\0",
                           "-open": b"\x01\x80"}.items():
            files["%s-no-rows%s" % (storage_name, name)] = without_rows(5, choice.byte(), data)
    return {"unit-" + name: data for name, data in files.items()}


def bad_storages():
    """`b"\\x01"` in front is the unit; each has the right size but for what its name says."""
    varints = {"few": b"\x01\x0e", "many": b"\x01\x0e\x02\x00", "open": b"\x01\x0e\x02\x80",
               "10th-2": b"\x01\x0e" + b"\x80" * 9 + b"\x02",
               "11-bytes": b"\x01\x0e" + b"\x80" * 10 + b"\0"}
    long = b"\xff" * 8
    bits = {"plane-1": b"\x01\x00\x01", "plane-1-first": b"\x01\x01\x00",
            "plane-130": b"\x01\x00\x82" + long, "plane-130-first": b"\x01\x82\x00" + long,
            "plane-131": b"\x01\x83\x00" + long, "plane-255": b"\x01\xff\x00" + long * 2,
            "plane-cut": b"\x01\x02", "stream-none": b"\x01\x02\x04", "stream-cut": b"\x01\x80\x00"
            + long[:7], "stream-more": b"\x01\x02\x04\x01\x00", "stream-extra": b"\x01\x02\x02\x00",
            "stream-9-bits": b"\x01\x0c\x0c\xff", "stream-8-bits": b"\x01\x0a\x0a\xff\x00"}
    grid = {"r-32": b"\x01\0\0\x17\x20", "r-255": b"\x01\0\0\xff\x11",
            "r-cut": b"\x01\0\0\x17", "plane-cut": b"\x01\0", "plane-1": b"\x01\x01\0\x17\x11",
            "plane-130": b"\x01\x82\0\x17\x11" + long, "stream-none": b"\x01\x04\0\x17\x11",
            "stream-more": b"\x01\0\0\x17\x11\0", "stream-cut": b"\x01\x80\0\x17\x11" + long[:7]}
    cases = {VARINTS: varints, BITS: bits, GRID: grid}
    files = {"%s-%s" % (STORAGE_NAMES[storage], name): hand(correlation=(
        5, byte_of(storage=storage), data))
             for storage, group in cases.items() for name, data in group.items()}
    for storage, name in STORAGE_NAMES.items():
        files[name + "-rows-limit"] = hand(ROWS_LIMIT, correlation=(
            5, byte_of(storage=storage), composed_data(Composed(storage=storage), [7, 1])))
    return files


def with_category(encoding, data):
    columns = [column(1, [10, 20]), column(2, [5, 9]), column(3, [1, 1]), column(4, [0, 0]),
               (5, encoding, data)]
    return with_block(RANGE, column_payload(columns), 2, span_ns=(10, 29))


def bad_composed_values():
    over = TIME_LIMIT_NS + 1
    row = byte_of(BASIS_ROW)
    plain_times = {"start": column(1, [10, 20]), "dur": column(2, [5, 9])}
    return {
        "time-high": hand(start=(1, row, b"\x01\x00" + zigzag(over - 10)), span_ns=(10, over + 9)),
        "time-low": hand(span_ns=(-over, -over + 19)),
        "unsorted": hand(start=(1, row, b"\x01\x00\x01"), span_ns=(10, 18)),
        "unsorted-end": hand(start=(1, byte_of(BASIS_END), b"\x01\x00\x0b"), span_ns=(10, 18)),
        "first-number": hand(start=(1, row, b"\x01\x02\x14"), span_ns=(9, 29)),
        "first-none": hand(start=(1, byte_of(), b"\x01\x14\x28"), span_ns=(9, 29)),
        "t-max": hand(span_ns=(10, 30)),
        "t-no-rows": hand(0, (10, 10), **{name: (at, byte_of(), b"\x01") for at, name in enumerate(
            ("start", "dur", "thread", "name", "correlation"), 1)}),
        "duration-negative": hand(dur=(2, byte_of(BASIS_CHAIN), b"\x01\x0a\x0b"), span_ns=(10, 19)),
        "duration-mean": hand(dur=(2, byte_of(mean=1), b"\x01\x0a\x0b"), span_ns=(10, 15),
                              start=plain_times["start"]),
        "duration-high": hand(dur=(2, byte_of(), b"\x01" + zigzag(over) + b"\x12"),
                              start=plain_times["start"], span_ns=(10, over + 10)),
        "u32-high": hand(thread=(3, row, b"\x01\x02" + zigzag(2**32)), **plain_times),
        "u32-negative": hand(thread=(3, row, b"\x01\x00\x01"), **plain_times),
        "string-high": hand(name=(4, byte_of(storage=BITS), b"\x01\x42\x00" + bytes(4))),
        "u8-high": with_category(byte_of(BASIS_ROW), b"\x01" + zigzag(255) + b"\x02"),
        "u8-chain": with_category(byte_of(BASIS_CHAIN), b"\x01" + zigzag(255) + b"\x02"),
        "u8-negative": with_category(byte_of(), b"\x01\x00\x01"),
        "u8-unit": with_category(byte_of(), varint(256) + b"\x00\x02"),
    }


def too_many_chains():
    """257 chains and one column that needs them."""
    encodings = {"end": {"start_ns": Composed(BASIS_END)},
                 "chain": {"correlation": Composed(BASIS_CHAIN)},
                 "mean": {"dur_ns": Composed(BASIS_NONE, 1)},
                 "mean-start": {"start_ns": Composed(BASIS_ROW, 1)}}
    return {"chains-257-" + name: with_calls_of(*many_chains(257, one, 257))
            for name, one in encodings.items()}


def missing_columns():
    """Columns are missing that composed ones need."""
    files = {"missing-" + name: hand(**{name: None})
             for name in ("start", "dur", "thread", "name", "correlation")}
    mean = (1, byte_of(BASIS_END, 1, BITS), b"\x01\x00\x06\x01")
    files.update({"missing-mean-" + name: hand(**{"start": mean, name: None})
                  for name in ("dur", "thread", "name")})
    files["twice"] = hand(more=(5, byte_of(), b"\x01\x02\x02"))
    return files


def bad_composed():
    made = {**bad_choices(), **bad_units(), **bad_storages(), **bad_composed_values(),
            **too_many_chains(), **missing_columns()}
    return {"composed-" + name: data for name, data in made.items()}
