# Tests `statictramp audit` on formats and inputs that must be read, or counted as skipped with the reason, both alone and in a
# directory: archives, compressed files, standard input, links, pseudo file systems, invalid section headers. Sourced by the leg
# "audit", which has set $out and $tool and has built $out/asks and $out/needed.

need lz4=lz4 lzip=lzip cpio=cpio zip=zip zstd=zstd
formats=$out/formats
rm -rf "$formats"
mkdir -p "$formats/read" "$formats/skipped" "$formats/tree"
# ends STATUS ARGUMENT...: the exit status of audit with these arguments; its output is in $said.
ends() {
    local status=0
    said=$("$tool" audit "${@:2}" 2>&1) || status=$?
    [ $status = "$1" ] || fail "audit ${*:2}: exit status $status, expected $1: $said"
}

say "compressed members that are no archives, in packages whose names contain .tar"
(
    cd "$formats/tree"
    mkdir -p usr/share/man/man1 foo.tar.d
    echo '.TH X 1' | gzip >usr/share/man/man1/x.1.gz
    echo '<svg/>' | gzip >usr/share/man/man1/x.svg.gz
    cp usr/share/man/man1/x.1.gz foo.tar.d
    tar cf - usr | zstd -q >x-1-1-x86_64.pkg.tar.zst
    tar czf x-1.tgz -C usr/share/man/man1 x.1.gz
    for letter in z J j; do tar c${letter}f x-1.tar.$letter usr; done
    echo '{}' >metadata.json
    tar cf - usr | zstd -q >pkg-x.tar.zst
    zip -q0 x.conda metadata.json pkg-x.tar.zst
    tar cf x.gem pkg-x.tar.zst
    for package in x-1* *.conda *.gem foo.tar.d; do ends 0 "$package"; done
    ends 0 .
    tar cf - usr | gzip | head -c 100 >cut.tar.gz
    ends 2 cut.tar.gz
)

say "formats that are read"
(
    cd "$formats"
    cp "$out/asks" x.so
    tar cf x.tar x.so
    tar cf - x.so | lz4 -q >read/x.tar.lz4
    lz4 -q -l -c x.tar >read/old.lz4
    lz4 -q -B4 -BD -c x.tar >read/linked.tar.lz4
    lzip -c x.tar >read/x.tar.lz
    (lzip -c x.so && lzip -c x.so) >read/two.so.lz
    for form in newc crc odc; do echo x.so | cpio -o -H $form --quiet >read/$form.cpio; done
    mkdir early
    (cd early && echo text >text && echo text | cpio -o -H newc --quiet) >early.cpio
    (cat early.cpio && gzip -c read/newc.cpio) >read/initrd
    zip -q x.zip x.so
    (echo '#!/usr/bin/env python3' && cat x.zip) >read/x.pex
    (cat /bin/true x.zip) >read/extracting
    zip -q -z x.zip <<<"a comment"
    (cat /bin/true x.zip) >read/commented
    (printf '#!/bin/sh\nexit 0\n' && gzip -c x.tar) >read/x.run
    gzip -c x.so >read/x.so.gz
    xz -c x.so >read/x.ko.xz
    zstd -q -c x.zip >read/x.zip.zst
    ln -s ../x.so read/link.so
    for file in read/*; do
        ends 1 --json "$file"
        grep -q '"verdict": "asked-only"' <<<"$said" || fail "audit $file: no file with the verdict asked-only: $said"
    done
    ends 1 --json read
    [ "$(grep -c '"verdict": "asked-only"' <<<"$said")" = "$(find read -mindepth 1 | wc -l)" ] || fail "audit of the directory finds fewer files: $said"
    for cut in x.tar.lz4 linked.tar.lz4 x.tar.lz; do
        head -c 1500 "read/$cut" >"cut-$cut"
        ends 2 "cut-$cut"
    done
)

say "formats that are counted as skipped"
(
    cd "$formats"
    : >skipped/empty.deb
    ar rc --thin skipped/thin.a "$out/answer.o"
    printf 'hsqs%500s' '' >skipped/x.snap
    cp /bin/true skipped/x.AppImage
    printf 'AI\2' | dd of=skipped/x.AppImage bs=1 seek=8 conv=notrunc status=none
    echo x.so | cpio -o -H bin --quiet >skipped/x.cpio
    printf 'Rar!\032\007%500s' '' >skipped/x.rar
    printf '#!/bin/sh\nexit 0\n\1\2\3\4\5\6' >skipped/unknown.run
    printf 'MZ' | cat - <(printf 'MEI\014\013\012\013\016%80s' '') >skipped/frozen.exe
    for file in skipped/*; do
        ends 0 "$file"
        grep -q "^$file: not examined: ...*" <<<"$said" && grep -q ', 1 skipped' <<<"$said" || fail "audit $file: no reason for a skipped file: $said"
        mkdir alone
        cp "$file" alone
        ends 0 alone
        grep -q '^not examined: 1 (' <<<"$said" && grep -q ', 1 skipped' <<<"$said" || fail "audit of a directory with $file: $said"
        ends 2 --strict alone
        ends 2 --strict "$file"
        rm -r alone
    done
    ends 0 --strict /bin/true
)

say "standard input"
(
    cd "$formats"
    mkdir -p blobs/sha256
    gzip -c x.tar >blobs/sha256/a
    cp x.tar blobs/sha256/b
    tar cf image.tar blobs x.tar
    ends 1 - <image.tar
    for member in blobs/sha256/a blobs/sha256/b x.tar; do
        grep -q "^-:$member:x.so: asks for" <<<"$said" || fail "audit of an image does not examine $member: $said"
    done
    (set -o pipefail; tar c blobs x.tar | "$tool" audit - >/dev/null || [ $? = 1 ]) || fail "audit closes the pipe before the end of an archive"
    for file in x.so x.zip read/x.so.gz; do ends 1 - <$file; done
    ! grep -q -- '--clear' <<<"$said" || fail "audit advises to clear standard input: $said"
    for file in /dev/null "$OLDPWD/cli/tests/programs/audit/plain.c" cut-x.tar.lz; do ends 2 - <"$file"; done
    head -c 100 read/x.so.gz >cut.gz
    ends 2 - <cut.gz
    ends 0 --quick - <image.tar
    grep -q ', 1 skipped' <<<"$said" || fail "$said"
)

say "links and pseudo file systems"
(
    cd "$formats"
    mkdir real links directories missing itself
    cp x.so real
    ln -s "$PWD/x.so" links/x.so
    ln -s "$PWD/x.so" links/again.so
    ln -s ../real directories/real
    ln -s nothing missing/link
    ln -s . itself/link
    ln -s real directory
    for named in directory links links/x.so; do
        ends 1 "$named"
        grep -q '^1 file examined, 1 with findings' <<<"$said" || fail "audit $named: $said"
    done
    ends 1 real links
    ends 2 directories
    ends 2 missing
    ends 2 itself
    ends 0 /proc
    grep -q '^/proc: not examined: a pseudo file system' <<<"$said" && [ "$(wc -l <<<"$said")" -le 3 ] || fail "audit /proc: $said"
    ends 2 --strict /proc
    unshare -rm sh -c 'mkdir mounts mounts/proc mounts/memory && mount -t tmpfs x mounts/memory && cp x.so mounts/memory &&
        mount --rbind /proc mounts/proc && "$1" audit mounts; "$1" audit -x mounts && rm -r real' - "$tool" >mounts.said 2>&1 ||
        fail "audit of mounted file systems: $(cat mounts.said)"
    [ "$(tail -n 1 mounts.said)" = "0 files examined, 0 with findings, 0 unreadable" ] || fail "audit --one-file-system: $(cat mounts.said)"
    grep -q '^1 file examined, 1 with findings, 0 unreadable$' mounts.said || fail "audit enters a mounted /proc: $(cat mounts.said)"
)

say "invalid section headers, and intact program headers"
python3 - "$out/needed" "$formats/sections-" <<'PY'
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
PY
for file in "$formats"/sections-*; do
    chmod +x "$file"
    "$file" >/dev/null || fail "$file does not run, so this test proves nothing"
    verdict needed 1 "$file"
    ends 1 "$file"
    grep -q 'section headers are invalid' <<<"$said" || fail "audit $file does not mention the section headers: $said"
done
head -c 5000 "$out/needed" >"$formats/cut"
ends 2 "$formats/cut"
