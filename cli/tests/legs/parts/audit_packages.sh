# `statictramp audit` for a distribution's checks: packages, hostile packages, the interfaces for programs, exceptions,
# files that are only counted, and the objects that cause the flag. Sourced by the leg "audit", which has set $out and
# $tool.

say "packages of each kind"
python3 cli/tests/programs/audit/packages.py "$out/packages" "$out/needed"
for package in "$out"/packages/*.*; do
    name=${package##*/}
    said=$("$tool" audit "$package" 2>&1) && fail "audit $name finds nothing: $said"
    ! grep -v '^ ' <<<"$said" | grep -qv " examined, \|^$package:[^ ]*y.so: needs an executable stack: .* \[stack-needed\]$" || fail "audit $name: $said"
    case $name in
    nested.tar.gz) grep -q "^$package:x.whl:y.so: needs" <<<"$said" || fail "$name: $said" ;;
    *.tar* | *.deb | alpine.apk) [ "$(grep -c 'y.so: needs' <<<"$said")" = 2 ] || fail "$name: $said" ;;
    esac
done
status=0
"$tool" audit --quick "$out/packages/x.deb" >"$out/said" 2>&1 || status=$?
grep -q ', 1 skipped' "$out/said" && [ $status = 0 ] || fail "audit --quick of a package: exit status $status, expected 0: $(cat "$out/said")"
status=0
"$tool" audit "$out/packages/hostile/squashed" >"$out/said" 2>&1 || status=$?
[ $status = 0 ] && grep -q ', 1 skipped' "$out/said" || fail "audit of an unsupported package: exit status $status, expected 0: $(cat "$out/said")"
echo "$(find "$out/packages" -maxdepth 1 -type f | wc -l) packages"

say "hostile packages"
for package in "$out"/packages/hostile/*.* "$out/packages/hostile/squashed"; do
    status=0
    said=$(ulimit -v 1000000; timeout 60 "$tool" audit "$package" 2>&1) || status=$?
    [ $status -le 2 ] || fail "audit ${package##*/}: exit status $status, expected at most 2: $said"
    ! grep -q $'[\e\a]\|panicked' <<<"$said" || fail "audit ${package##*/}: $said"
    case $package in
    *truncated* | *bomb* | *huge* | *name* | *dictionary*) [ $status = 2 ] || fail "${package##*/} is not reported: exit status $status: $said" ;;
    *unreadable*) [ $status = 2 ] || fail "${package##*/} is not reported: exit status $status: $said" ;;
    *finding*) [ $status = 1 ] || fail "${package##*/} is not reported: exit status $status: $said" ;;
    *deep* | *sparse*) grep -q ' skipped' <<<"$said" || fail "${package##*/}: $said" ;;
    esac
done
need /usr/bin/time=time
status=0
/usr/bin/time -f %M -o "$out/peak" "$tool" audit "$out/packages/hostile/large" >"$out/said" 2>&1 || status=$?
[ $status = 1 ] && grep -q ', 4 with findings, 0 unreadable' "$out/said" || fail "audit of files with large dictionaries: exit status $status, expected 1: $(cat "$out/said")"
peak=$(tail -n 1 "$out/peak")
[ "$peak" -lt 100000 ] || fail "audit of files with large dictionaries uses $peak KiB of memory, expected less than 100,000 KiB"
echo "four archives of xz -9: at most $peak KiB"
[ ! -e /tmp/statictramp-escaped.so ] || fail "audit unpacked a member outside the directory of the package"

say "interfaces for programs"
need /usr/lib/python3/dist-packages/jsonschema/__init__.py=python3-jsonschema
mkdir -p "$out/other"
cp "$out/needed" "$out/other/$(printf 'no\376name')"
cp "$out/needed" "$out/other/$(printf 'no\377name')"
cp "$out/asks" "$out/other/asks.exe"
gcc -O2 -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$out/other/nested.o"
as cli/tests/programs/audit/plain.s -o "$out/other/answer.o"
printf '%s stack-asked-only known, and tested without\n*/never.so stack-needed gone\n' "$out/other/asks.exe" >"$out/exceptions"
("$tool" audit --json --all --exceptions "$out/exceptions" "$out/other" "$out/packages" "$out/tables" 2>/dev/null || [ $? -le 2 ]) >"$out/all.json"
("$tool" audit --format sarif --exceptions "$out/exceptions" "$out/other" "$out/packages" 2>/dev/null || [ $? -le 2 ]) >"$out/all.sarif"
"$tool" audit --schema >"$out/schema.json"
python3 cli/tests/programs/audit/interfaces.py "$out/schema.json" "$out/all.json" "$out/all.sarif" || fail "the JSON or SARIF output is invalid (see above)"
grep -q '"suppressions"' "$out/all.sarif" || fail "the SARIF output does not mark the exception as a suppression"
status=0
said=$("$tool" audit --exceptions "$out/exceptions" "$out/other/asks.exe" 2>&1) || status=$?
[ $status = 0 ] && grep -q 'unused exception: \*/never.so stack-needed (line 2)' <<<"$said" && grep -q '1 accepted' <<<"$said" || fail "$status: $said"
status=0
(ulimit -v 1000000 && timeout 10 "$tool" audit --exceptions /dev/zero "$out/asks") >/dev/null 2>&1 || status=$?
[ $status = 2 ] || fail "an endless file of exceptions: exit status $status, expected 2"
status=0
"$tool" audit --schema >/dev/full 2>/dev/null || status=$?
[ $status = 2 ] || fail "audit --schema does not report a full disk: exit status $status, expected 2"
for line in "x stack-needed" "x no-such-tag why"; do
    echo "$line" >"$out/exceptions"
    status=0
    "$tool" audit --exceptions "$out/exceptions" "$out/asks" >/dev/null 2>&1 || status=$?
    [ $status = 2 ] || fail "an invalid exception \"$line\": exit status $status, expected 2"
done
while read -r tag; do
    grep -q "\"$tag\"" "$out/schema.json" || fail "docs/audit.md names the tag $tag, which the schema lacks"
done < <(sed -n '/^## Tags/,/^## Output/s/^| `\([a-z-]*\)` .*/\1/p' docs/audit.md)

say "Java's class files, which begin like Mach-O files for several processors"
mkdir -p "$out/java"
python3 - "$out/java" <<'PY'
import struct, sys, zipfile
code = bytes.fromhex("cafebabe00000034") + struct.pack(">1000I", *[7, 3, 0, 2000, 2] * 200)
open(sys.argv[1] + "/a.class", "wb").write(code)
with zipfile.ZipFile(sys.argv[1] + "/a.jar", "w") as jar:
    jar.writestr("a.class", code)
PY
status=0
said=$("$tool" audit "$out/java" 2>&1) || status=$?
[ $status = 0 ] || fail "class files: $status: $said"

say "files that are only counted"
python3 - "$out" <<'PY'
import sys
out = sys.argv[1]
with open(out + "/needed", "rb") as file:
    code = bytearray(file.read())
code[18:20] = bytes(2)  # EM_NONE
open(out + "/no-machine.go", "wb").write(code)
PY
printf '.syntax unified\n.cpu cortex-m3\n.thumb\nf: bx lr\n' | arm-linux-gnueabihf-as -o "$out/board.o" -
for file in no-machine.go board.o; do
    status=0
    said=$("$tool" audit "$out/$file") || status=$?
    [ $status = 0 ] && grep -q '^not judged: 1 ' <<<"$said" || fail "$file: $status: $said"
done
mkdir -p "$out/arm-none-eabi"
printf 'f: bx lr\n' | arm-linux-gnueabihf-as -o "$out/arm-none-eabi/crt0.o" -
"$tool" audit "$out/arm-none-eabi" >/dev/null || fail "audit reports a finding for an object for arm-none-eabi"
"$tool" audit --machine arm64 "$out/other" >/dev/null || fail "audit --machine arm64 examines files for other processors"
"$tool" audit --machine amd64 "$out/other" >/dev/null && fail "audit --machine amd64 does not examine files for x86-64"
"$tool" audit --exclude "$out/other/*" "$out/other" >/dev/null || fail "audit --exclude does not skip the excluded files"
"$tool" audit --exclude "*" "$out"/other/* >/dev/null || fail "audit --exclude does not skip files named on the command line"

say "wrong names: an address beyond the last function that a stripped file names"
gcc -O2 -shared -fPIC -fvisibility=hidden -DWITHOUT_MAIN -Dhost=inner cli/tests/programs/audit/nested.c -x c - -o "$out/names.so" 2>/dev/null <<'C'
__attribute__((visibility("default"), section(".text.a"))) int first(void) { return 1; }
extern int inner(int);
__attribute__((visibility("default"))) int second(int x) { return inner(x); }
C
strip "$out/names.so"
said=$("$tool" audit "$out/names.so") && fail "$said"
! grep -qE 'at 0x[0-9a-f]+ in ' <<<"$said" || fail "audit names a function for an address in an unnamed function: $said"

say "the objects that cause the flag"
gcc "$out/plain.o" "$out/answer.o" -o "$out/mapped" -Wl,-Map,"$out/mapped.map" 2>/dev/null
for objects in "$out/other" "$out/mapped.map"; do
    said=$("$tool" audit --objects "$objects" "$out/mapped") && fail "$said"
    grep -q "the object .*answer.o has no .note.GNU-stack: add .section .note.GNU-stack" <<<"$said" || fail "--objects $objects: $said"
done
! grep -q 'nested.o' <<<"$said" || fail "audit names an object that is not in the map: $said"

rm -f "$out/asks.cleared"
"$tool" audit --clear "$out/asks" >/dev/null || fail "audit --clear $out/asks: exit status $?, expected 0"

say "examples of a distribution's checks"
source cli/tests/legs/parts/audit_examples.sh
