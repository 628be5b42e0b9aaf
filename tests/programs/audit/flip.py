"""flip.py FILE TOOL STEP: flips one bit of one stub in a linked file's table, for one in STEP of the bits: TOOL must report
that the table is broken, and which stub it is."""

import struct
import subprocess
import sys

path, tool, step = sys.argv[1:]
image = bytearray(open(path, "rb").read())
order = "<" if image[5] == 1 else ">"
at = image.find(b"statictramp\0", image.find(struct.pack(order + "III", 12, 32, 1) + b"statictramp\0"))
slots, stride = struct.unpack_from(order + "II", image, at + 12)
wide = image[4] == 2
# The file offset of the stubs, found through their segment. Their address is relative to its field; on boards it is
# absolute.
if wide:
    offset, count = struct.unpack_from(order + "Q", image, 32)[0], struct.unpack_from(order + "H", image, 56)[0]
    loads = [struct.unpack_from(order + "IIQQQQ", image, offset + 56 * i) for i in range(count)]
    loads = [(it[2], it[3], it[5]) for it in loads if it[0] == 1]
else:
    offset, count = struct.unpack_from(order + "I", image, 28)[0], struct.unpack_from(order + "H", image, 44)[0]
    loads = [struct.unpack_from(order + "IIIII", image, offset + 32 * i) for i in range(count)]
    loads = [(it[1], it[2], it[4]) for it in loads if it[0] == 1]
mask = (1 << 64) - 1 if wide else (1 << 32) - 1
if struct.unpack_from(order + "I", image, at + 24)[0] == 1:
    field = 0
else:
    start, address, _ = next(it for it in loads if it[0] <= at < it[0] + it[2])
    field = address + (at + 28 - start)
short = struct.unpack_from(order + "I", image, at + 24)[0] == 2  # the assemblers have only distances of 32 bits
stubs = (field + struct.unpack_from(order + ("i" if short else "Q"), image, at + 28)[0]) & mask
place = next(stubs - it[1] + it[0] for it in loads if it[1] <= stubs < it[1] + it[2])
broken = 0
for number, bits in ((0, (0,)), (slots // 2, range(0, 8 * stride, int(step))), (slots - 1, (8 * stride - 1,))):
    for bit in bits:
        byte = place + number * stride + bit // 8
        image[byte] ^= 1 << bit % 8
        with open(path + ".broken", "wb") as file:
            file.write(image)
        image[byte] ^= 1 << bit % 8
        said = subprocess.run([tool, "audit", path + ".broken"], capture_output=True, text=True)
        if said.returncode != 1 or f"BROKEN: stub {number} " not in said.stdout:
            sys.exit(f"{path}: bit {bit} of stub {number}: {said.returncode} {said.stdout}{said.stderr}")
        broken += 1
print(f"{path.rsplit('/', 1)[1]}: whole; broken with each of {broken} bits changed")
