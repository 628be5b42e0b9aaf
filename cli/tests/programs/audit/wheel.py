"""wheel.py make WHEEL FILE... | wheel.py same OLD NEW: makes a signed wheel, or compares a wheel with its cleared copy.

The copy must have the same members in the same order, with the same times and permissions, and a correct RECORD.
"""

import base64
import csv
import hashlib
import io
import sys
import zipfile

INFO = "x-1.dist-info/"


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def make(wheel, files):
    members = [("x/__init__.py", b"", zipfile.ZIP_DEFLATED)]
    for number, name in enumerate(files):
        with open(name, "rb") as file:
            members.append((f'x/a,"{number}.so', file.read(), (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)[number % 2]))
    members.append((INFO + "WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n", zipfile.ZIP_DEFLATED))
    members.append((INFO + "METADATA", "Metadata-Version: 2.1\nName: x\nVersion: 1\nSummary: größe\n".encode(), zipfile.ZIP_STORED))
    members.append(("x/größe.txt", b"text", zipfile.ZIP_STORED))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, content, _ in members:
        rows.writerow((name, digest(content), len(content)))
    rows.writerow((INFO + "RECORD.jws", "", ""))
    rows.writerow((INFO + "RECORD", "", ""))
    members.append((INFO + "RECORD.jws", b"{}", zipfile.ZIP_STORED))
    members.append((INFO + "RECORD", record.getvalue().encode(), zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(wheel, "w") as archive:
        for number, (name, content, method) in enumerate(members):
            info = zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 2 * number))
            info.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            info.compress_type = method
            # The sizes of a member may be in zip64 fields even if the member is small.
            with archive.open(info, "w", force_zip64=number == 0) as member:
                member.write(content)


def same(old, new):
    with zipfile.ZipFile(old) as before, zipfile.ZipFile(new) as after:
        if after.testzip():
            sys.exit(f"{new}: a member is damaged")
        about = lambda it: (it.filename, it.date_time, it.external_attr, it.compress_type)
        kept = [it for it in before.infolist() if not it.filename.endswith("RECORD.jws")]
        if [about(it) for it in kept] != [about(it) for it in after.infolist()]:
            sys.exit(f"{new}: names, order, times or permissions differ: {[about(it) for it in after.infolist()]}")
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(after.read(INFO + "RECORD").decode()))}
        if set(rows) != set(after.namelist()) or rows.pop(INFO + "RECORD") != ["", ""]:
            sys.exit(f"{new}: RECORD lists other files: {sorted(rows)}")
        for name, row in rows.items():
            content = after.read(name)
            if row != [digest(content), str(len(content))]:
                sys.exit(f"{new}: RECORD is wrong for {name}: {row}")
        changed = [name for name in rows if before.read(name) != after.read(name)]
        if not changed or not all(name.endswith(".so") for name in changed):
            sys.exit(f"{new}: the changed members are {changed}")


{"make": lambda wheel, *files: make(wheel, files), "same": same}[sys.argv[1]](*sys.argv[2:])
