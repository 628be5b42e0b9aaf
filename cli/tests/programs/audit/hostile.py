"""hostile.py DIRECTORY: small files that claim more contents than can be inspected, and other misleading ones."""

import os
import struct
import sys

TRAMPOLINE = bytes.fromhex("66c70049bb66c70049bac70049ffe390")
LOADED, DYNAMIC, STACK = 1, 2, 0x6474E551


def header(segments):
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    return ident + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, segments, 64, 0, 0)


def segment(kind, flags, offset, size):
    return struct.pack("<IIQQQQQQ", kind, flags, offset, 0, 0, size, size, 1)


def many(kind, step):
    count = 65000
    length = 64 + 56 * count
    pieces = [segment(kind, 5, step * i, max(length - step * (i + i % 7), step) // step * step) for i in range(count)]
    return header(count) + b"".join(pieces)


def member(name, content):
    size = str(len(content)).encode()
    return name.ljust(16) + b"0           0     0     644     " + size.ljust(10) + b"`\n" + content + bytes(len(content) % 2)


os.chdir(sys.argv[1])
files = {
    "loads": many(LOADED, 1),
    "dynamics": many(DYNAMIC, 16),
    "sparse": header(2) + segment(LOADED, 5, 0, 64 << 30) + segment(STACK, 6, 0, 0),
    "beyond": header(2) + segment(LOADED, 5, 0, 1 << 20) + segment(STACK, 6, 0, 0) + TRAMPOLINE,
    "escapes.a": b"!<arch>\n" + member(b"\x1b[31mX\x07/", b"\x7fELF\x02\x01"),
}
deep = b""
for _ in range(20000):
    deep = b"!<arch>\n" + member(b"a/", deep) if len(deep) < 1 << 20 else deep
files["deep.a"] = deep
for name, content in files.items():
    with open(name, "wb") as file:
        file.write(content)
os.truncate("sparse", 64 << 30)
