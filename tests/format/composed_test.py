"""Tests of parts (section 1.4) and composed encodings (4.3, 4.4) on small examples, worked by hand.

second_reader_test.py runs them.
"""

import struct
import tracemalloc
import unittest

import columns
import second_reader
from built import (CALLS, END, ZSTD_HELLO, block, changed, damages, file_header, read, rows_of,
                   string, with_calls)


class Parts(unittest.TestCase):
    def damages(self, stored, raw_bytes, kind=900):
        data = file_header(minor=1) + block(kind, stored, 0, compression=2, raw_bytes=raw_bytes)
        return [reason for _, reason in damages(data + block(1, END, 1))]

    def test_stored_and_compressed(self):
        two = bytes.fromhex("02000000 0e000000 05000000 03000000 03000000") + ZSTD_HELLO + b"abc"
        self.assertEqual(second_reader.join_parts(two, 8), b"helloabc")
        self.assertEqual(self.damages(two, 8), [])
        self.assertEqual(self.damages(bytes(4), 0), [])
        self.assertEqual(self.damages(bytes.fromhex("01000000 00000000 00000000"), 0), [])

    def test_a_part_of_equal_sizes_is_no_frame(self):
        stored = bytes.fromhex("01000000 0e000000 0e000000") + ZSTD_HELLO
        self.assertEqual(second_reader.join_parts(stored, 14), ZSTD_HELLO)

    def test_a_record_across_parts(self):
        payload = string(5, b"hello", 24)
        self.assertEqual(payload[16:21], b"hello")
        stored = struct.pack("<7I", 3, 16, 16, 14, 5, 3, 3) + payload[:16] + ZSTD_HELLO + bytes(3)
        first = block(2, stored, 0, 1, compression=2, raw_bytes=24)
        lines, _ = read(file_header() + first + block(1, END, 1))
        self.assertEqual(lines[1], {"record": "string", "id": 5, "value": "hello"})

    def test_limit(self):
        for count, reasons in ((1024, []), (1025, ["bad-compression"])):
            stored = struct.pack("<I", count) + bytes(8 * count)
            self.assertEqual(self.damages(stored, 0), reasons, count)

    def test_violations(self):
        frame, raw = ZSTD_HELLO, len(ZSTD_HELLO)
        cases = {
            "no count": (b"\0\0\0", 0), "heads cut": (struct.pack("<II", 1, 0), 0),
            "tail": (bytes(5), 0), "data missing": (struct.pack("<III", 1, 1, 1), 1),
            "raw below the block's": (struct.pack("<III", 1, 3, 3) + b"abc", 4),
            "raw above the block's": (struct.pack("<III", 1, 3, 3) + b"abc", 2),
            "two frames": (struct.pack("<III", 1, 2 * raw, 10) + frame * 2, 10),
            "a byte after the frame": (struct.pack("<III", 1, raw + 1, 5) + frame + b"\0", 5),
            "frame is cut": (struct.pack("<III", 1, raw - 1, 5) + frame[:-1], 5),
            "frame holds more": (struct.pack("<III", 1, raw, 4) + frame, 4),
            "no frame": (struct.pack("<III", 1, 0, 5), 5),
            "sum beyond 32 bits": (struct.pack("<IIIII", 2, raw, 2**32 - 1, 6, 6) + frame
                                   + b"abcdef", 5),
        }
        for name, (stored, raw_bytes) in cases.items():
            self.assertEqual(self.damages(stored, raw_bytes), ["bad-compression"], name)

    def test_claims_are_no_reason_to_allocate(self):
        claims = struct.pack("<II", 0, 67108864) * 1024
        tracemalloc.start()
        self.assertIsNone(second_reader.join_parts(struct.pack("<I", 1024) + claims, 67108864))
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak_bytes, 1 << 20)


class Storages(unittest.TestCase):
    """Section 4.4, bit by bit."""

    def test_bits(self):
        # 0, 1, -1, 5 = 101 in binary, -6 = 110: their bits below the highest one are 1, 0 and 0, 1.
        self.assertEqual(columns.decode_bits(bytes([0, 2, 3, 6, 7, 0b1001]), 5), [0, 1, -1, 5, -6])
        # What is left of the last byte is ignored; no row has no byte.
        self.assertEqual(columns.decode_bits(bytes([4, 0b11111110]), 1), [2])
        self.assertEqual(columns.decode_bits(b"", 0), [])

    def test_bits_go_on_in_the_next_byte(self):
        # 300 = 1 0010 1100, 8 bits, then 1000 = 11 1110 1000, 9 bits: 0010 1100, 1 1110 1000.
        data = bytes([18, 20, 0b00101100, 0b11101000, 0b1])
        self.assertEqual(columns.decode_bits(data, 2), [300, 1000])
        # 3 bits of 9 (1001) come first: the rest moves up by three.
        data = bytes([8, 18, 0b01100001, 0b001])
        self.assertEqual(columns.decode_bits(data, 2), [9, 300])

    def test_64_bits(self):
        self.assertEqual(columns.decode_bits(bytes([129, 0, 0, 0, 0, 0, 0, 0, 0]), 1), [-2**63])
        self.assertEqual(columns.decode_bits(b"\x80" + b"\xff" * 8, 1), [2**64 - 1])

    def test_grid(self):
        # 32 q + r - 16: q 0, 0, 0, -1, 2 with r 0, 16, 31, 31, 1; 2 has one bit below its highest.
        data = bytes([0, 0, 0, 3, 4]) + bytes([0, 16, 31, 31, 1]) + b"\0"
        self.assertEqual(columns.decode_grid(data, 5), [-16, 0, 15, -17, 49])

    def test_violations(self):
        cases = [(columns.decode_bits, data, count) for data, count in (
            (b"\x01", 1), (b"\x82" + bytes(8), 1), (b"\x83" + bytes(8), 1), (b"\x04", 1),
            (b"\x02\x00", 1), (b"\x04\x00\x00", 1), (b"\x02", 2), (b"", 1), (b"\x00", 0))]
        cases += [(columns.decode_grid, data, count) for data, count in (
            (b"\0\x20", 1), (b"\0", 1), (b"\0\0\0", 1), (b"\x01\0", 1), (b"\x04\0", 1),
            (b"\x82\0" + bytes(8), 1), (b"\0\0", 0))]
        for decode, data, count in cases:
            with self.assertRaises(columns.Damage, msg=(decode, data, count)):
                decode(data, count)

    def test_unit(self):
        self.assertEqual(columns.split_unit(b"\x81\x00rest"), (1, b"rest"))
        self.assertEqual(columns.split_unit(b"\xff" * 9 + b"\x01"), (2**64 - 1, b""))
        for data in (b"", b"\0", b"\x80\0", b"\x80" * 9 + b"\0", b"\x81", b"\x81" * 9 + b"\x02",
                     b"\x81" * 10 + b"\x00"):
            with self.assertRaises(columns.Damage, msg=data):
                columns.split_unit(data)


class Means(unittest.TestCase):
    """Steps 1 to 4 of section 4.3, worked out by hand."""

    def learned(self, numbers):
        means = columns.Means()
        states = []
        for number in numbers:
            means.learn(3, number)
            states.append(means.states[3])
        return states

    def test_first_rows(self):
        # (m, s, count). 1: k = 0, m = 7. 2: k = 1, s = 4, m = 7 + floor(-4 / 2). 3: k = 1, -50 is
        # cut to -(2 x 4 + 1), s = 4 + floor((50 - 4) / 2), m = 5 + floor(-9 / 2).
        # 4: k = 2, s = 27 + floor((0 - 27) / 4) = 27 - 7, m = 0.
        self.assertEqual(self.learned([7, -4, -50, 0]),
                         [(7, 0, 1), (5, 4, 2), (0, 27, 3), (0, 20, 4)])

    def test_a_steady_column_still_follows(self):
        # s = 0: e is cut to 1. 3: s = 0 + floor((9 - 0) / 2), m = floor(1 / 2).
        self.assertEqual(self.learned([0, 0, 9]), [(0, 0, 1), (0, 0, 2), (0, 4, 3)])
        self.assertEqual(self.learned([0, 0, -1])[-1], (-1, 0, 3))

    def test_count_ends_at_31(self):
        states = self.learned([16] * 40)
        self.assertEqual([state[2] for state in states[28:]], [29, 30] + [31] * 10)
        # m grows by 16 / 16 = 1 a row from the 16th on, and so in the end too.
        self.assertEqual([after[0] - before[0] for before, after in zip(states[14:], states[15:])],
                         [1] * 25)

    def test_extremes(self):
        # |-2^63| is 2^63, so z = 2^61; -2^63 is cut to -(2^62 + 1), half of which is rounded down.
        self.assertEqual(self.learned([0, -2**63]), [(0, 0, 1), (-2**62, 2**61, 2)])
        self.assertEqual(self.learned([0, -2**63, -2**63])[-1],
                         (-2**62 - 2**61 - 1, 2**61, 3))
        # m wraps: -2^63 - 2^62.
        self.assertEqual(self.learned([-2**63, -2**63])[-1], (2**62, 2**61, 2))

    def test_contexts(self):
        # 0x9E3779B1 / 2^21 = 1265.7; twice it, modulo 2^32, is 0x3C6EF362: 483.4.
        self.assertEqual([columns.context(1), columns.context(2)], [1265, 483])
        # 0x9E3779B1 + 0x85EBCA6B + 0xC2B2AE35 = 0x1E6D5F251: 0xE6D5F251 / 2^21 = 1846.7.
        self.assertEqual(columns.context(1, 1, 1), 1846)
        self.assertEqual(columns.context(0, 0, 0), 0)
        chains = columns.Chains([5, 6, 5, 5, 6], [1, 2, 3, 4, 5])
        self.assertEqual(chains.before, [-1, -1, 0, 2, 1])
        self.assertEqual(chains.contexts, [columns.context(*names) for names in (
            (1, 0, 0), (2, 0, 0), (3, 1, 0), (4, 3, 1), (5, 2, 0))])


# Encodings by basis, + 4 with a mean, + 8 bits, + 16 grid.
NO_BASIS, ROW, CHAIN_END, CHAIN, MEAN, BITS, GRID = 128, 129, 130, 131, 4, 8, 16


class ComposedColumns(unittest.TestCase):
    def correlations(self, encoding, data):
        rows = rows_of(with_calls(changed(5, encoding, data), 2, (10, 29)))
        return [row["correlation"] for row in rows]

    def times(self, start, duration, threads=(3, 0, b"\x02"), names=(4, 0, b"\x00"), rows=4,
              span_ns=(100, 190)):
        """(start_ns, dur_ns) of each row; start and duration are (encoding, data)."""
        parts = [(1, *start), (2, *duration), threads, names, (5, 0, b"\x00")]
        return [(row["start_ns"], row["dur_ns"])
                for row in rows_of(with_calls(parts, rows, span_ns))]

    def test_bases(self):
        self.assertEqual(self.correlations(NO_BASIS, b"\x01\x0e\x02"), [7, 1])
        self.assertEqual(self.correlations(ROW, b"\x01\x0e\x02"), [7, 8])
        self.assertEqual(self.correlations(CHAIN, b"\x01\x0e\x02"), [7, 8])
        self.assertEqual(self.correlations(ROW + BITS, b"\x01\x06\x02\x03"), [7, 8])
        self.assertEqual(self.correlations(NO_BASIS + GRID, b"\x01\x02\x00\x01\x11"), [17, 1])

    def test_units(self):
        self.assertEqual(self.correlations(ROW, b"\xe8\x07\x0e\x01"), [7000, 6000])
        # (2^64 - 1) x 7 = -7; 2^63 x 3 = 2^63.
        self.assertEqual(self.correlations(NO_BASIS, b"\xff" * 9 + b"\x01\x0e\x01"), [2**64 - 7, 1])
        self.assertEqual(self.correlations(NO_BASIS, b"\x80" * 9 + b"\x01\x06\x04"), [2**63, 0])

    def test_a_basis_of_the_chain(self):
        threads = (3, 2, b"\x01\x02\x01\x02")
        # Rows 100, 110, 150, 180 of threads 1, 2, 1, 2; durations 20, 30, 25, 10.
        expected = [(100, 20), (110, 30), (150, 25), (180, 10)]
        duration = (CHAIN, b"\x01\x28\x3c\x0a\x27")  # 20, 30, 20 + 5, 30 - 20
        # The ends before: none, none, 120, 140; t_min_ns is the basis of both first rows.
        self.assertEqual(self.times((CHAIN_END, b"\x01\x00\x14\x3c\x50"), duration, threads),
                         expected)
        self.assertEqual(self.times((CHAIN, b"\x01\x00\x14\x64\x8c\x01"), duration, threads),
                         expected)
        self.assertEqual(self.times((ROW, b"\x0a\x00\x02\x08\x06"), duration, threads), expected)

    def test_means(self):
        # Names 1, 1, 1, 1: contexts (1,0,0), (1,1,0), (1,1,1), (1,1,1). Only the last one has seen
        # a row before, with n = 30: its mean is 30, its n 25 - 30.
        names = (4, 0, b"\x02")
        expected = [(100, 20), (110, 30), (150, 30), (165, 25)]
        starts = (2, b"\x64\x6e\x96\x01\xa5\x01")
        data = b"\x01\x28\x3c\x3c\x09"
        self.assertEqual(self.times(starts, (NO_BASIS + MEAN, data), names=names), expected)
        # In units of 5 the mean is of n, not of values: 6, so n = 5 - 6.
        data = b"\x05\x08\x0c\x0c\x01"
        self.assertEqual(self.times(starts, (NO_BASIS + MEAN, data), names=names), expected)
        # Without names all rows share context 0: m is 20, then 20 + floor(10 / 2) = 25 with s = 10,
        # then n = 5, m = 25 + floor(5 / 2) = 27, and n = -2.
        data = b"\x01\x28\x14\x0a\x03"
        self.assertEqual(self.times(starts, (NO_BASIS + MEAN, data)), expected)

    def test_columns_have_means_of_their_own(self):
        # All in context 0. Starts are 10 after the row before each: n is 0 first, so m is 0, then
        # 10, m = floor(10 / 2), s = 10; then 5, m = 5 + floor(5 / 2); then 3.
        # Durations are 7: n is 7, then 0, 0, 0.
        self.assertEqual(self.times((ROW + MEAN, b"\x01\x00\x14\x0a\x06"),
                                    (NO_BASIS + MEAN, b"\x01\x0e\x00\x00\x00"), span_ns=(100, 137)),
                         [(100, 7), (110, 7), (120, 7), (130, 7)])

    def test_columns_may_stand_in_any_order(self):
        parts = [(1, CHAIN_END, b"\x01\x00\x0a"), (2, CHAIN, b"\x01\x0a\x08"), *CALLS[2:]]
        expected = rows_of(with_calls(CALLS, 2, (10, 29)))
        for order in (parts, parts[::-1], parts[1:] + parts[:1]):
            self.assertEqual(rows_of(with_calls(order, 2, (10, 29))), expected)

    def test_no_rows(self):
        parts = [(column_id, NO_BASIS + 8 * (column_id % 3), b"\x01") for column_id in range(1, 6)]
        self.assertEqual(damages(with_calls(parts, 0, (0, 0))), [])
        for column_id in range(1, 6):
            for data in (b"", b"\0", b"\x01\0"):
                wrong = parts[:column_id - 1] + [(column_id, NO_BASIS, data)] + parts[column_id:]
                self.assertEqual(damages(with_calls(wrong, 0, (0, 0))), [(64, "bad-columns")])

    def test_what_a_column_may_have(self):
        """Every encoding of every column of a call, without rows: a unit is right for all."""
        names = {1: range(4), 2: (0, 1, 3), 3: (0, 1), 4: (0, 1), 5: (0, 1, 3), 6: (0, 1, 3)}
        for column_id, bases in names.items():
            means = (0, 4) if column_id < 3 else (0,)
            allowed = {128 + basis + mean + storage for basis in bases for mean in means
                       for storage in (0, 8, 16)}
            others = [(at, 0, b"\0") for at in range(1, 7) if at != column_id]
            legal = {encoding for encoding in range(3, 256) if not damages(
                with_calls(others + [(column_id, encoding, b"\x01")], 0, (0, 0)))}
            self.assertEqual(legal, allowed, column_id)

    def test_chains_and_names_of_the_tables(self):
        """A basis of the chain is no violation but in these columns."""
        for kind, forbidden in {16: {4, 6}, 17: {3, 4}, 18: {3, 4}, 19: {4, 5}, 20: {3, 4},
                                21: {3, 4}, 22: {3}, 23: {3, 4}}.items():
            found = set()
            for column_id in second_reader.TABLES[kind].columns:
                parts = [(at, CHAIN if at == column_id else 0, b"\x01")
                         for at in second_reader.TABLES[kind].columns]
                payload = struct.pack("<I", len(parts)) + b"".join(
                    struct.pack("<HBBI", *part[:2], 0, 1) for part in parts) + b"\x01" * len(parts)
                if damages(file_header() + block(kind, payload, 0) + block(1, END, 1)):
                    found.add(column_id)
            self.assertEqual(found, forbidden, kind)

    def test_chains_limit(self):
        for count, reasons in ((256, []), (257, [(64, "bad-columns")])):
            threads = b"".join(bytes([at & 127 | 128, at >> 7]) for at in range(count))
            for column_id, encoding in ((1, CHAIN_END), (2, CHAIN), (2, NO_BASIS + MEAN),
                                        (5, CHAIN)):
                parts = [(at, 0, b"\x00") for at in (1, 2, 4, 5) if at != column_id]
                parts += [(3, 2, threads), (column_id, encoding, b"\x01" + bytes(count))]
                self.assertEqual(damages(with_calls(parts, count, (0, 0))), reasons)
            parts = [(at, 0, b"\x00") for at in (1, 2, 4)] + [(3, 2, threads)]
            parts += [(5, ROW, b"\x01" + bytes(count))]
            self.assertEqual(damages(with_calls(parts, count, (0, 0))), [])

    def test_values_are_checked(self):
        for columns_of in (changed(3, ROW, b"\x01\x00\x01"),
                           changed(3, ROW, b"\x01\x02" + b"\x80\x80\x80\x80\x20"),
                           changed(1, ROW, b"\x01\x00\x01"), changed(1, ROW, b"\x01\x02\x12"),
                           changed(2, CHAIN, b"\x01\x0a\x0b")):
            self.assertEqual(damages(with_calls(columns_of, 2, (10, 29))), [(64, "bad-columns")])

    def test_rows_that_the_data_cannot_hold_take_no_room(self):
        parts = [(1, CHAIN_END + MEAN, b"\x01\x00"), (2, 0, b"\x02"), *CALLS[2:4], (5, 0, b"\0")]
        data = with_calls(parts, 1048576, (1, 2))
        tracemalloc.start()
        self.assertEqual(damages(data), [(64, "bad-columns")])
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak_bytes, 1 << 20)
