"""odd.py KIND FILE: files that no compiler generates."""

import os
import struct
import sys
import zipfile

X86_64, AARCH64 = 62, 183
LOADED, DYNAMIC, STACK = 1, 2, 0x6474E551
RELA, RELACOUNT, TEXTREL = 7, 0x6FFFFFF9, 22
ALLOWS_EXECUTION = 0x20000
TRAMPOLINE = "0x66,0xc7,0,0x49,0xbb,0x66,0xc7,0,0x49,0xba,0xc7,0,0x49,0xff,0xe3,0x90"


def header(machine, segments):
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    return ident + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0x400000, 64, 0, 0, 64, 56, segments, 64, 0, 0)


def segment(kind, flags, size):
    return struct.pack("<IIQQQQQQ", kind, flags, 0, 0x400000, 0x400000, size, size, 4096)


kind, path = sys.argv[1:]
if kind == "class-files":  # a directory, with a Java archive
    os.mkdir(path)
    code = bytes.fromhex("cafebabe00000034") + struct.pack(">1000I", *[7, 3, 0, 2000, 2] * 200)
    with open(path + "/a.class", "wb") as file:
        file.write(code)
    with zipfile.ZipFile(path + "/a.jar", "w") as jar:
        jar.writestr("a.class", code)
    sys.exit()
if kind == "two-notes":
    with open(path, "wb") as file:
        segments = segment(STACK, 6, 0) + segment(STACK, 7, 0) + segment(LOADED, 5, 4096)
        file.write((header(X86_64, 3) + segments).ljust(4096, b"\xc3"))
elif kind == "mach-asks":  # the flag, in an existing file
    with open(path, "r+b") as file:
        file.seek(24)
        (flags,) = struct.unpack("<I", file.read(4))
        file.seek(24)
        file.write(struct.pack("<I", flags | ALLOWS_EXECUTION))
elif kind in ("unmarked", "idle"):  # changes in an existing 64-bit file
    with open(path, "rb") as file:
        all = bytearray(file.read())
    (start,) = struct.unpack_from("<Q", all, 32)
    (number,) = struct.unpack_from("<H", all, 56)
    for at in range(start, start + 56 * number, 56):
        (found,) = struct.unpack_from("<I", all, at)
        if kind == "unmarked" and found == STACK:
            struct.pack_into("<I", all, at, 0)
        if kind == "idle" and found == DYNAMIC:
            place, _, _, size = struct.unpack_from("<QQQQ", all, at + 8)
            entries = {struct.unpack_from("<Q", all, it)[0]: it for it in range(place, place + size, 16)}
            (relocation,) = struct.unpack_from("<Q", all, entries[RELA] + 8)
            struct.pack_into("<QQ", all, relocation, 0, 0)  # no relocation, at address 0
            struct.pack_into("<Q", all, entries[RELACOUNT], TEXTREL)
    with open(path, "wb") as file:
        file.write(all)
elif kind == "long-code":
    with open(path, "wb") as file:
        file.write(header(AARCH64, 1) + segment(LOADED, 5, 200 << 20))
        file.truncate(200 << 20)
elif kind == "many-ranges":  # assembly: each unit has the whole list
    with open(path, "w", encoding="ascii") as file:
        file.write(f"f: .byte {TRAMPOLINE}\n")
        file.write('.section .debug_abbrev,"",@progbits\n.byte 1,0x11,0,0x55,0x17,0x11,1,0,0,0\n')
        file.write('.section .debug_info,"",@progbits\n')
        file.write(".rept 20000\n.long 20\n.short 4\n.long 0\n.byte 8,1\n.long 0\n.quad 0\n.endr\n")
        file.write('.section .debug_ranges,"",@progbits\n.rept 100000\n.quad 0x1000,0x1001\n.endr\n.quad 0,0\n')
        file.write('.section .note.GNU-stack,"",@progbits\n')
else:
    sys.exit(f"no such kind: {kind}")
