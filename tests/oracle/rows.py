"""The rows of the twins' table: ordinary ones, NULLs, and the ends of each type."""

from __future__ import annotations

INTO = "INSERT INTO t (i, b, s, l, r, d, n, h, day, at, c, v, moment, clock, tag)"
ROWS = [
    "(1, true, 1, 2, 1.5, 2.5, 1.25, 1.2345, '2013-01-01', '2013-01-01 05:00:00', 'ab', 'ab', "
    "'2013-01-01 05:00:00+05:30', "
    "'05:06:07.5', '00112233-4455-6677-8899-aabbccddeeff')",
    "(2, false, -5, -7, -0.5, 1e10, -99.99, -0.0001, '1969-12-31', '1969-12-31 23:59:59.5', "
    "'x', '', '2024-10-27 01:30:00Z', "
    "'24:00:00', 'ffffffff-ffff-ffff-ffff-ffffffffffff')",
    "(3, NULL, 32767, 9223372036854775807, 3e38, 1e300, 99999999.99, 9999999999, '0901-01-01', "
    "'0901-01-01', '', 'é', '0901-01-01', "
    "'00:00', '00000000-0000-0000-0000-000000000000')",
    "(4, true, NULL, 0, 0, 0, 0, 0, '2000-02-29', '2000-02-29 12:34:56.789', 'A b', 'Ab cd', "
    "'2000-02-29 12:34:56.789-08', "
    "'23:59:59.999999', '00112233-4455-6677-8899-aabbccddeefe')",
    "(-2147483648, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "(2147483647, false, -32768, -9223372036854775808, 1e-37, 1e-300, 0.01, 12345.6, "
    "'2013-12-31', NULL, 'zz', 'z%', '2224-07-01 12:00:00', "
    "'12:30', '80000000-0000-0000-0000-000000000000')",
    "(7, true, 7, 7, 7, 7, 7, 7, 'infinity', '-infinity', 'q', 'q', 'infinity', "
    "'12:00', '00112233-4455-6677-8899-aabbccddee00')",
    "(8, false, 8, 8, 8, 8, 8, 8, '-infinity', 'infinity', 'r', 'r', '-infinity', "
    "'12:00', '00112233-4455-6677-8899-aabbccddee01')",
]
FILLED = [f"{INTO} VALUES {row}" for row in ROWS]
