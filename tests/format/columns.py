"""Encodings of a column (docs/FORMAT.md, sections 4.1, 4.3 and 4.4), written from the page alone.

Bytes become values here. What composed encodings predict is here too, for the reader and for
writer.py alike. Values are patterns of 64 bits, numbers (n of section 4.3) are signed.
"""

from typing import NamedTuple

MASK_64 = 2**64 - 1
SIGN_64 = 2**63
HIGH_BYTES = bytes(range(128, 256))

COMPOSED = 128  # this encoding and those above
START_ID, DURATION_ID = 1, 2
BASIS_NONE, BASIS_ROW, BASIS_END, BASIS_CHAIN = range(4)
VARINTS, BITS, GRID = range(3)
VARINT_LIMIT_BYTES = 10

PLANE_LIMIT = 129
PLANE_BAD_BYTES = bytes([1, *range(PLANE_LIMIT + 1, 256)])
GRID_CELL = 32
GRID_SHIFT = 16

CHAINS_LIMIT = 256
CONTEXT_FACTORS = (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35)
SPREAD_LIMIT = 2**61


class Damage(Exception):
    """A block that breaks a rule; the argument is the reason as it is printed."""


def signed(value):
    """Any integer as the signed number of 64 bits that is equal to it modulo 2^64."""
    return (value + SIGN_64 & MASK_64) - SIGN_64


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def decode_varints(data, count):
    """Exactly `count` varints that fill `data` exactly, as a sequence of unsigned numbers."""
    # Every varint ends with its only byte below 128; counting those first bounds what follows.
    if len(data.translate(None, HIGH_BYTES)) != count:
        raise Damage("bad-columns")
    if len(data) == count:
        return data
    values = []
    value = shift = 0
    for byte in data:
        if byte >= 128:
            if shift == 63:
                raise Damage("bad-columns")
            value |= (byte & 127) << shift
            shift += 7
        elif shift == 0:
            values.append(byte)
        else:
            if shift == 63 and byte > 1:
                raise Damage("bad-columns")
            values.append(value | byte << shift)
            value = shift = 0
    if shift:
        raise Damage("bad-columns")
    return values


def decode_delta(data, count):
    values = []
    value = 0
    for step in decode_varints(data, count):
        value = (value + ((step >> 1) ^ -(step & 1))) & MASK_64
        values.append(value)
    return values


def decode_constant(data, _count):
    return [unzigzag(decode_varints(data, 1)[0]) & MASK_64]


DECODERS = {0: decode_constant, 1: decode_delta, 2: decode_varints}


# Section 4.4: the numbers of a column.

def decode_numbers(data, count):
    return [unzigzag(value) for value in decode_varints(data, count)]


def decode_plane(plane, stream):
    """The numbers of a plane and its stream of bits, as integers of up to 65 bits."""
    if len(plane.translate(None, PLANE_BAD_BYTES)) != len(plane):
        raise Damage("bad-columns")
    widths = [max(byte // 2 - 1, 0) for byte in plane]
    if len(stream) != (sum(widths) + 7) // 8:
        raise Damage("bad-columns")
    numbers = []
    at = held = held_bits = 0
    for byte, width in zip(plane, widths):
        while held_bits < width:
            held |= stream[at] << held_bits
            held_bits += 8
            at += 1
        size = 1 << width | held & (1 << width) - 1 if byte else 0
        held >>= width
        held_bits -= width
        numbers.append(-size if byte & 1 else size)
    return numbers


def decode_bits(data, count):
    if len(data) < count:
        raise Damage("bad-columns")
    return decode_plane(data[:count], data[count:])


def decode_grid(data, count):
    if len(data) < 2 * count:
        raise Damage("bad-columns")
    rests = data[count:2 * count]
    if count and max(rests) >= GRID_CELL:
        raise Damage("bad-columns")
    cells = decode_plane(data[:count], data[2 * count:])
    return [GRID_CELL * cell + rest - GRID_SHIFT for cell, rest in zip(cells, rests)]


STORAGES = {VARINTS: decode_numbers, BITS: decode_bits, GRID: decode_grid}


def split_unit(data):
    """(unit, the data after it)."""
    size = next((at for at, byte in enumerate(data[:VARINT_LIMIT_BYTES], 1) if byte < 128), 0)
    unit = decode_varints(data[:size], 1)[0]
    if unit == 0:
        raise Damage("bad-columns")
    return unit, data[size:]


def stored_numbers(data, count, storage):
    """(unit, numbers) of a composed column's data."""
    unit, data = split_unit(data)
    return unit, STORAGES[storage](data, count)


# Section 4.3: what the rows before a row say about its value.

class Composed(NamedTuple):
    """A composed encoding taken apart. The unit stands in the data, not in the encoding's byte."""
    basis: int = BASIS_NONE
    mean: int = 0
    storage: int = VARINTS
    unit: int = 1
    reserved: int = 0  # bits 5 and 6

    @classmethod
    def of_byte(cls, encoding):
        return cls(encoding & 3, encoding >> 2 & 1, encoding >> 3 & 3, 1, encoding >> 5 & 3)

    def byte(self):
        return COMPOSED | self.reserved << 5 | self.storage << 3 | self.mean << 2 | self.basis

    def needs_chains(self):
        return self.basis in (BASIS_END, BASIS_CHAIN) or self.mean == 1

    def is_allowed(self, column_id, chain_id, name_id):
        """Whether a column of a table with these chain and name columns may be encoded so."""
        if self.reserved or self.storage not in STORAGES:
            return False
        if self.basis == BASIS_END and column_id != START_ID:
            return False
        if self.mean and column_id not in (START_ID, DURATION_ID):
            return False
        return not (self.needs_chains() and column_id in (chain_id, name_id))


class Chains:
    """Per row the index of the row before it of its chain (-1: none), and its context."""

    def __init__(self, chain_values, names):
        self.before = []
        self.contexts = []
        last = {}
        for row, (chain, name) in enumerate(zip(chain_values, names)):
            one = last.get(chain, -1)
            other = self.before[one] if one >= 0 else -1
            self.before.append(one)
            self.contexts.append(context(name, names[one] if one >= 0 else 0,
                                         names[other] if other >= 0 else 0))
            last[chain] = row
        self.count = len(last)


def context(*names):
    total = sum(name * factor for name, factor in zip(names, CONTEXT_FACTORS))
    return (total & 2**32 - 1) >> 21


class Means:
    """The contexts of one column: what `n` tends to be."""

    def __init__(self):
        self.states = {}

    def of(self, key):
        return self.states[key][0] if key in self.states else 0

    def learn(self, key, number):
        """Steps 1 to 4 of section 4.3."""
        mean, spread, count = self.states.get(key, (0, 0, 0))
        count = min(count + 1, 31)
        log = count.bit_length() - 1
        error = number
        size = min(abs(error), SPREAD_LIMIT)
        if count >= 3:
            most = 2 * spread + 1
            error = max(-most, min(error, most))
            spread += (size - spread) >> min(log, 3)
        elif count == 2:
            spread = size
        self.states[key] = (signed(mean + (error >> log)), spread, count)


class Prediction:
    """What is expected of a column's rows, which are given one after the other.

    `first` is the basis where there is no row before. `chains` is needed when the encoding
    needs_chains(), `durations` (a value per row) for the basis *end*.
    """

    def __init__(self, choice, first, chains=None, durations=None):
        self.choice = choice
        self.first = first
        self.chains = chains
        self.durations = durations
        self.means = Means()

    def basis(self, row, values):
        """The basis of `row`, from the values of the rows before it."""
        basis = self.choice.basis
        if basis == BASIS_NONE:
            return 0
        before = row - 1 if basis == BASIS_ROW else self.chains.before[row]
        if before < 0:
            return self.first
        return values[before] + (self.durations[before] if basis == BASIS_END else 0)

    def mean(self, row):
        return self.means.of(self.chains.contexts[row]) if self.choice.mean else 0

    def learn(self, row, number):
        if self.choice.mean:
            self.means.learn(self.chains.contexts[row], number)


def compose(numbers, unit, prediction):
    """The values of a column from its numbers."""
    values = []
    for row, number in enumerate(numbers):
        number = signed(number)
        deviation = number + prediction.mean(row)
        values.append(prediction.basis(row, values) + unit * deviation & MASK_64)
        prediction.learn(row, number)
    return values
