"""Small random traces, for mutate.py: every table and record, every encoding and compression."""

from columns import DURATION_ID, START_ID, STORAGES, Composed
from second_reader import PAYLOAD_LIMIT_BYTES, ROWS_LIMIT, TABLES, TIME_LIMIT_NS
from writer import PARTS, TraceWriter

NUMBERS = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 18, 19, 20, 21, 22, 23, 31, 32, 63, 64, 65, 72, 127,
           128, 255, 256, 257, 4095, 4096, 4097, 2**16 - 1, 2**16, ROWS_LIMIT, ROWS_LIMIT + 1,
           PAYLOAD_LIMIT_BYTES, PAYLOAD_LIMIT_BYTES + 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32,
           TIME_LIMIT_NS - 1, TIME_LIMIT_NS, TIME_LIMIT_NS + 1, -TIME_LIMIT_NS, -TIME_LIMIT_NS - 1,
           2**63 - 1, 2**63, -1, -2, -8]
ODD_UNITS = [1, 1, 1, 3, 31, 2**32 + 1, 2**63 - 1, 2**63 + 1, 2**64 - 1]
STEPS_NS = [1, 1, 32, 1000]


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


def random_times(rng, step_ns):
    """(start_ns, dur_ns), multiples of `step_ns`; now and then at the ends of their range."""
    if rng.random() < 0.05:
        start_ns = rng.choice([-TIME_LIMIT_NS, TIME_LIMIT_NS - step_ns, 0])
        duration_ns = rng.choice([0, TIME_LIMIT_NS - 1, TIME_LIMIT_NS >> 1])
    else:
        start_ns, duration_ns = rng.randrange(-1000, 100000), rng.randrange(5000)
    return start_ns // step_ns * step_ns, duration_ns // step_ns * step_ns


def random_rows(rng, table, step_ns):
    names = [name for column_id, (name, _) in table.columns.items()
             if column_id in table.required or rng.random() < 0.5]
    constant = {name: random_value(rng, table.columns[table.ids[name]][1])
                for name in names[2:] if rng.random() < 0.4}
    rows = []
    for _ in range(rng.choice([0, 1, 2, 3, 8, 20, 60])):
        start_ns, duration_ns = random_times(rng, step_ns)
        row = {"start_ns": start_ns, "dur_ns": duration_ns}
        for name in names[2:]:
            row[name] = random_value(rng, table.columns[table.ids[name]][1])
        row.update(constant)
        rows.append(row)
    return rows


def random_choice(rng, table, column_id, step_ns=1):
    """A composed encoding that the column may have."""
    while True:
        is_time = column_id in (START_ID, DURATION_ID)
        unit = step_ns if is_time and rng.random() < 0.5 else rng.choice(ODD_UNITS)
        choice = Composed(rng.randrange(4), int(is_time and rng.random() < 0.6),
                          rng.choice(list(STORAGES)), unit)
        if choice.is_allowed(column_id, table.chain, table.label):
            return choice


def random_encodings(rng, table, step_ns):
    """Choices for some columns, by name; the writer chooses for the others."""
    part = rng.choice([0, 0.5, 1])
    return {name: random_choice(rng, table, column_id, step_ns)
            for column_id, (name, _) in table.columns.items() if rng.random() < part}


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


def random_cuts(rng, size):
    count = rng.choice([0, 1, 1, 2, 4, 9])
    return sorted(rng.randrange(size + 1) for _ in range(count))


class CuttingWriter(TraceWriter):
    """A writer whose parts begin at random places."""

    def __init__(self, rng, **options):
        super().__init__(None, **options)
        self.rng = rng

    def block(self, kind, payload=b"", rows=0, compression=None, sequence=None, cuts=(), **fields):
        if self.compression == PARTS:
            cuts = random_cuts(self.rng, len(payload))
        super().block(kind, payload, rows, compression, sequence, cuts, **fields)


def random_trace(rng):
    writer = CuttingWriter(rng, compression=rng.randrange(3), content=rng.choice([1, 1, 1, 2, 3]),
                           minor=rng.choice([0, 1, 1]))
    for _ in range(rng.randrange(1, 4)):
        if rng.random() < 0.7:
            random_records(rng, writer)
        table = rng.choice(list(TABLES.values()))
        step_ns = rng.choice(STEPS_NS)
        writer.rows(table.name, random_rows(rng, table, step_ns),
                    rows_per_block=rng.choice([3, 100]),
                    encodings=random_encodings(rng, table, step_ns))
    writer.close(with_end=rng.random() < 0.9)
    return writer.data()
