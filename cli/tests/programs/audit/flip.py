"""flip.py FILE TOOL STEP: changes one stub in a linked file's table: TOOL must report that the table is broken, and which stub it
is. A change flips one bit, for one in STEP of the bits, or removes the authentication of the jump target."""

import struct
import subprocess
import sys

path, tool, step = sys.argv[1:]
image = bytearray(open(path, "rb").read())
order = "<" if image[5] == 1 else ">"
at = image.find(b"statictramp\0", image.find(struct.pack(order + "III", 12, 32, 1) + b"statictramp\0"))
slots, stride = struct.unpack_from(order + "II", image, at + 12)
wide = image[4] == 2
# Returns the file offset of the stubs, which is found through their segment. Their address is relative to its field, or absolute
# for boards.
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
short = struct.unpack_from(order + "I", image, at + 24)[0] == 2  # the assemblers support only 32-bit distances
stubs = (field + struct.unpack_from(order + ("i" if short else "Q"), image, at + 28)[0]) & mask
place = next(stubs - it[1] + it[0] for it in loads if it[1] <= stubs < it[1] + it[2])
broken = 0


def must_be_broken(number, code, what):
    """Replaces a stub: TOOL must report that this stub is broken."""
    global broken
    start = place + number * stride
    changed = image[:start] + code + image[start + stride :]
    with open(path + ".broken", "wb") as file:
        file.write(changed)
    said = subprocess.run([tool, "audit", path + ".broken"], capture_output=True, text=True)
    if said.returncode != 1 or f"BROKEN: stub {number} " not in said.stdout:
        sys.exit(f"{path}: {what} of stub {number}: {said.returncode} {said.stdout}{said.stderr}")
    broken += 1


for number, bits in ((0, (0,)), (slots // 2, range(0, 8 * stride, int(step))), (slots - 1, (8 * stride - 1,))):
    stub = image[place + number * stride :][:stride]
    for bit in bits:
        code = bytearray(stub)
        code[bit // 8] ^= 1 << bit % 8
        must_be_broken(number, code, f"bit {bit}")
    # An AArch64 stub that does not authenticate its jump target, in a table whose other stubs do.
    checks = stub.find(b"\x9f\x21\x03\xd5")
    if image[18] == 183 and checks > 0 and number > 0:
        must_be_broken(number, stub[: checks - 4] + stub[checks + 4 :] + bytes(8), "missing authentication")
print(f"{path.rsplit('/', 1)[1]}: whole; broken with each of {broken} changes")
