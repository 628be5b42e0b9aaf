"""packages.py DIRECTORY PROGRAM: packages of each kind that contain a program, and hostile ones in DIRECTORY/hostile."""

import bz2
import gzip
import io
import lzma
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

directory, program = sys.argv[1:]
os.makedirs(directory + "/hostile/large", exist_ok=True)
os.chdir(directory)
with open(program, "rb") as file:
    code = file.read()


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


def tar(members, form=tarfile.GNU_FORMAT, end=True):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        ended = archive.offset
    return packed.getvalue() if end else packed.getvalue()[:ended]


def ar(members):
    packed = b"!<arch>\n"
    for name, content in members:
        packed += name.ljust(16) + b"0           0     0     100644  " + str(len(content)).encode().ljust(10) + b"`\n" + content
        packed += b"\n" * (len(content) % 2)
    return packed


def zipped(members, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


def newc(members):
    packed = b""
    for name, content, mode in members + [("TRAILER!!!", b"", 0)]:
        fields = [1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        packed += b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        packed += b"\0" * (-len(packed) % 4) + content
        packed += b"\0" * (-len(packed) % 4)
    return packed


def rpm(payload):
    header = bytes.fromhex("8eade801") + bytes(4) + struct.pack(">II", 0, 0)
    return bytes.fromhex("edabeedb0300") + bytes(90) + header + header + payload


def zstd(content):
    return subprocess.run(["zstd", "-q", "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout


members = [("./usr/lib/y.so", code), ("./usr/lib/" + "long/" * 60 + "y.so", code), ("./usr/share/doc", b"text"), ("./usr/lib/link.so", None)]
plain = tar(members)
write("x.tar", plain)
write("pax.tar", tar(members, tarfile.PAX_FORMAT))
write("x.tar.gz", gzip.compress(plain))
write("x.tar.xz", lzma.compress(plain))
write("x.tar.bz2", bz2.compress(plain))
write("x.tar.lzma", lzma.compress(plain, lzma.FORMAT_ALONE))
write("x.tar.zst", zstd(plain) + zstd(b""))
control = gzip.compress(tar([("control", b"Package: x\n")]))
write("x.deb", ar([(b"debian-binary", b"2.0\n"), (b"control.tar.gz", control), (b"data.tar.xz", lzma.compress(plain))]))
write("x.whl", zipped([("x/y.so", code), ("x/z.py", b"pass")]))
write("stored.zip", zipped([("lib/y.so", code)], zipfile.ZIP_STORED))
write("android.apk", zipped([("lib/x86_64/liby.so", code), ("classes.dex", b"dex\n035\0")]))
signature = gzip.compress(tar([(".SIGN.RSA", b"signature")], end=False))
write("alpine.apk", signature + gzip.compress(tar([(".PKGINFO", b"x")], end=False)) + gzip.compress(tar(members)))
files = newc([("./usr/lib/y.so", code, 0o100755), ("./usr/lib/link.so", b"/etc/passwd", 0o120777)])
write("gzip.rpm", rpm(gzip.compress(files)))
write("zstd.rpm", rpm(zstd(files)))
write("xz.rpm", rpm(lzma.compress(files)))
write("nested.tar.gz", gzip.compress(tar([("x.whl", zipped([("y.so", code)])), ("y.a", ar([(b"plain/", b"text")]))])))

os.chdir("hostile")
zeros = gzip.compress(bytes(1 << 24), 9)
large = tarfile.TarInfo("zeros")
large.size = 1 << 30
write("bomb.tar.gz", gzip.compress(tar([("a", code)], end=False) + large.tobuf(tarfile.GNU_FORMAT)) + b"".join([zeros] * 64))
header = tarfile.TarInfo("huge.so")
header.size = 1 << 40
write("huge.tar.gz", gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + code))
name = tarfile.TarInfo("././@LongLink")
name.type, name.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
write("name.tar.gz", gzip.compress(name.tobuf(tarfile.GNU_FORMAT)) + b"".join([zeros] * 64))
deep = code
for level in range(40):
    deep = zipped([("a.zip", deep)])
write("deep.zip", deep)
escaping = zipped([("../../../../tmp/statictramp-escaped.so", code), ("/tmp/statictramp-escaped.so", code), ("\x1b[31m.so", code)])
write("escaping.zip", escaping)
write("truncated.tar.xz", lzma.compress(plain)[:-200])
write("truncated.deb", ar([(b"debian-binary", b"2.0\n"), (b"data.tar.gz", gzip.compress(plain)[:-100])]))
write("truncated.rpm", rpm(gzip.compress(files)[:-100]))
write("truncated.zip", zipped([("y.so", code)])[:-30])
# The dictionary that this header requests takes 4 GiB.
write("dictionary.tar.lzma", b"\x5d\0\0\0\xff" + b"\xff" * 8 + bytes(64))
write("names.rpm", rpm(gzip.compress(b"070701" + b"ffffffff" * 13 + bytes(1000))))
# Overlapping members: each central entry refers to the same local one.
one = zipped([("y.so", code)])
end = one.rindex(b"PK\x05\x06")
start = struct.unpack("<I", one[end + 16 : end + 20])[0]
count = 3000
entry = one[start:end]
fields = struct.pack("<HHII", count, count, len(entry) * count, start)
write("overlapping.zip", one[:start] + entry * count + b"PK\x05\x06" + bytes(4) + fields + bytes(2))
sparse = tarfile.TarInfo("sparse.so")
sparse.type, sparse.size = tarfile.GNUTYPE_SPARSE, len(code)
write("sparse.tar", sparse.tobuf(tarfile.GNU_FORMAT) + code + bytes(-len(code) % 512 + 1024))
write("squashed", b"hsqs" + bytes(1000))
# Packages that would otherwise appear to have no findings.
write("unreadable-no-data.deb", ar([(b"debian-binary", b"2.0\n"), (b"control.tar.gz", control)]))
damaged = bytearray(bz2.compress(plain))
damaged[len(damaged) // 2] ^= 0x55
write("unreadable-damaged.tar.bz2", bytes(damaged))
# GNU tar's sparse members in extended headers.
with open("holes", "wb") as file:
    file.write(code)
    file.truncate(1 << 24)
subprocess.run(["tar", "-S", "--format=posix", "-cf", "pax-sparse.tar", "holes"], check=True)
os.remove("holes")
# A kind of member that POSIX does not define is a regular file.
member = tarfile.TarInfo("y.so")
member.type, member.size = b"Z", len(code)
write("finding-unknown-kind.tar", member.tobuf(tarfile.GNU_FORMAT) + code + bytes(-len(code) % 512 + 1024))


def large(content):
    """Compressed with the dictionary of `xz -9`."""
    return lzma.compress(content, preset=9)


# Each thread decodes with 64 MiB, and so does a package in a package: the memory would be several times as much.
for number in range(4):
    write("large/%d.tar.xz" % number, large(tar([("zeros", bytes(80 << 20)), ("y.so", code)])))
write("unreadable-large.tar.xz", large(tar([("zeros", bytes(80 << 20)), ("x.tar.xz", large(plain))])))
