"""other_record.py WHEEL OUT CHANGE: copies a wheel whose RECORD does not list a member, or is missing (no-REC0RD)."""

import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w") as new:
    for it in old.infolist():
        content = old.read(it.filename)
        if it.filename.endswith("/RECORD"):
            content = content.replace(b'"x/a,""0.so"', b"x/b.so")
            it.filename = it.filename.replace("RECORD", "REC0RD") if "REC0RD" in sys.argv[3] else it.filename
        new.writestr(it, content)
