"""sections.py PROGRAM PREFIX: copies of a program whose section headers are invalid and whose program headers are intact."""

import struct
import sys

program, start = sys.argv[1:]
code = open(program, "rb").read()
(table,) = struct.unpack_from("<Q", code, 40)
size, number, names = struct.unpack_from("<HHH", code, 58)
symbols = next(i for i in range(number) if struct.unpack_from("<I", code, table + i * size + 4)[0] == 2)


def write(name, at, form, value):
    changed = bytearray(code)
    struct.pack_into(form, changed, at, value)
    open(start + name, "wb").write(changed)


write("offset", 40, "<Q", 0xFFFFFFFFFF)
write("number", 60, "<H", 0xFF00 - 1)
write("size", 58, "<H", 7)
write("names", 62, "<H", 0x1234)
write("link", table + symbols * size + 40, "<I", 0x7777)
write("inside", table + size + 24, "<Q", 1 << 40)
open(start + "random", "wb").write(code[:table] + bytes(i * 37 % 256 for i in range(number * size)))
open(start + "cut", "wb").write(code[: table + 100])
