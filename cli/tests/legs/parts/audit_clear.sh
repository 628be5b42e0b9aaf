# Tests `statictramp audit --clear`: the reasons why files are not cleared, and the repair of wheels. Tests the advice on running
# programs, the progress line, and the table of exit statuses in docs/audit.md. Sourced by the leg "audit" after
# audit_formats.sh, which defines `ends`.

clear=$out/clear
rm -rf "$clear"
mkdir -p "$clear/odd"
cp "$out/asks" "$out/needed" "$out/hidden" "$out/answer.o" "$clear"

say "--clear states what was done, or why not"
for reason in "needed: not cleared: its code needs an executable stack" "hidden: not cleared: it requests no executable stack" \
    "answer.o: not cleared: it has no section .note.GNU-stack"; do
    ends 1 --clear "$clear/${reason%%:*}"
    grep -qF "$reason" <<<"$said" || fail "audit --clear ${reason%%:*} does not print \"$reason\": $said"
    ends 1 --clear --json "$clear/${reason%%:*}"
    python3 -c 'import json, sys; assert len(json.load(sys.stdin)["not_cleared"]) == 1' <<<"$said" || fail "the JSON output gives no reason: $said"
done
ends 0 --clear "$clear/asks"
grep -q "^    written: $clear/asks.cleared$" <<<"$said" || fail "audit --clear asks: $said"
rm "$clear/asks.cleared"
ends 1 --clear "$clear/asks" "$clear/needed"
rm "$clear/asks.cleared"
tar cf "$clear/asks.tar" -C "$clear" asks
ends 1 --clear "$clear/asks.tar"
grep -q 'asks.tar: not cleared: of all packages, only wheels' <<<"$said" || fail "audit --clear of a tar archive: $said"
ends 1 --clear - <"$clear/asks"
grep -q 'not cleared: it was read from standard input' <<<"$said" || fail "audit --clear of standard input: $said"

say "wheels"
wheel=$clear/x-1-py3-none-any.whl
python3 cli/tests/programs/audit/wheel.py make "$wheel" "$clear/asks" "$clear/asks" "$out/plain.o"
cp "$wheel" "$clear/original.whl"
ends 0 --clear "$wheel"
grep -q '^    written: .*x-1-py3-none-any.cleared.whl (cleared: x/a,"0.so, x/a,"1.so)$' <<<"$said" && grep -q 'it has no signature' <<<"$said" ||
    fail "audit --clear of a wheel: $said"
cmp -s "$wheel" "$clear/original.whl" || fail "audit --clear changed the original wheel"
python3 cli/tests/programs/audit/wheel.py same "$wheel" "$clear/x-1-py3-none-any.cleared.whl" || fail "the cleared wheel is invalid (see above)"
ends 0 "$clear/x-1-py3-none-any.cleared.whl"
ends 2 --clear "$wheel"
ends 1 "$wheel"
grep -q -- "--clear $wheel" <<<"$said" || fail "the advice on a wheel does not mention --clear: $said"
ends 0 --clear --in-place "$wheel"
python3 cli/tests/programs/audit/wheel.py same "$clear/original.whl" "$wheel" || fail "the wheel that --in-place wrote is invalid (see above)"
python3 cli/tests/programs/audit/wheel.py make "$clear/odd/two-1-py3-none-any.whl" "$clear/asks" "$clear/needed"
ends 1 --clear "$clear/odd/two-1-py3-none-any.whl"
grep -q 'x/a,"1.so: not cleared: its code needs' <<<"$said" && grep -q 'cleared: x/a,"0.so)' <<<"$said" || fail "audit --clear of a wheel with two programs: $said"
for change in unlisted no-REC0RD; do
    python3 - "$clear/original.whl" "$clear/odd/broken-1-py3-none-any.whl" "$change" <<'PY'
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w") as new:
    for it in old.infolist():
        content = old.read(it.filename)
        if it.filename.endswith("/RECORD"):
            content = content.replace(b'"x/a,""0.so"', b"x/b.so")
            it.filename = it.filename.replace("RECORD", "REC0RD") if "REC0RD" in sys.argv[3] else it.filename
        new.writestr(it, content)
PY
    ends 2 --clear "$clear/odd/broken-1-py3-none-any.whl"
    grep -q 'not cleared: .*RECORD' <<<"$said" && [ ! -e "$clear/odd/broken-1-py3-none-any.cleared.whl" ] || fail "audit --clear of a wheel with an invalid RECORD: $said"
done
# shellcheck disable=SC2016 # the inner shell expands the words
unshare -rm sh -c 'mount -t tmpfs -o size=32k x "$2/odd" && cp "$2/original.whl" "$2/odd/full-1-py3-none-any.whl" || exit 3
    "$1" audit --clear "$2/odd/full-1-py3-none-any.whl" >/dev/null 2>&1
    [ $? = 2 ] && cmp "$2/original.whl" "$2/odd/full-1-py3-none-any.whl" && [ "$(ls "$2/odd" | wc -l)" = 1 ]' - "$tool" "$clear" ||
    fail "audit --clear of a wheel on a full disk: the exit status is not 2, the wheel was changed, or a part of a copy remains"

say "advice: programs that run unchanged, hosts with a JIT compiler, and likely causes"
for file in needed hidden; do
    ends 1 "$clear/$file"
    grep -q "statictramp run --emulate $clear/$file runs it unchanged" <<<"$said" || fail "the advice on $file does not mention run --emulate: $said"
done
gcc -O2 -shared -fPIC -DWITHOUT_MAIN cli/tests/programs/audit/nested.c -o "$clear/needed.so" 2>/dev/null
ends 1 "$clear/needed.so" "$out/positive/gcc-O2-fPIC.o"
grep -q 'run --emulate PROGRAM runs a program that loads it' <<<"$said" && grep -q 'run --emulate PROGRAM runs a program that contains it' <<<"$said" || fail "$said"
gcc -shared "$out/answer.o" -o "$clear/asks.so" 2>/dev/null
ends 1 "$clear/asks.so"
grep -q 'a JIT compiler, such as node' <<<"$said" && grep -q 'the usual cause' <<<"$said" || fail "the advice on a library does not mention JIT compilers: $said"
printf '.section .itt_notify_tab,"a",@progbits\n.quad 1\n' | as -o "$clear/tab.o" -
printf '.globl __itt_pt_mark\n__itt_pt_mark: ret\n' | as -o "$clear/mark.o" -
for cause in tab mark; do
    gcc -shared "$out/answer.o" "$clear/$cause.o" -o "$clear/cause.so" 2>/dev/null
    ends 1 "$clear/cause.so"
    grep -q "the likely cause is the assembly of Intel's ittapi .*https://github.com/intel/ittapi" <<<"$said" || fail "audit does not name the cause: $said"
done

say "progress while one file is examined"
TERM=xterm script -qec "(cat '$clear/asks.tar' && sleep 2) | '$tool' audit - >/dev/null" "$clear/progress" >/dev/null || [ $? = 1 ]
grep -q ' MiB searched, -' "$clear/progress" || fail "audit of one file that takes two seconds shows no progress: $(cat "$clear/progress")"

say "the table of exit statuses"
rows=$(grep -E '^\| [012] \| ' docs/audit.md)
covered=
# outcome STATUS TEXT ARGUMENT...: audit ends as the table's row with this text states.
outcome() {
    local row
    row=$(grep -F "| $1 | $2" <<<"$rows") || fail "docs/audit.md has no row \"| $1 | $2\""
    covered+="$row"$'\n'
    ends "$1" "${@:3}"
}
rm -f "$clear"/asks.cleared
printf '* stack-asked-only tested\n' >"$clear/exceptions"
printf '* no-such-tag tested\n' >"$clear/exceptions-invalid"
mkdir -p "$clear/links" "$clear/nothing"
ln -sf ../nothing "$clear/links/link"
outcome 0 "there are no findings" /bin/true
outcome 0 "there are no findings" "$clear/nothing"
outcome 0 "every finding was accepted" --exceptions "$clear/exceptions" "$clear/asks"
outcome 0 "every finding was cleared" --clear "$clear/asks"
outcome 0 "a file or member was skipped" "$out/packages/hostile/squashed"
outcome 0 "a file or member was skipped" --quick "$clear/asks.tar"
for file in needed asks hidden answer.o; do outcome 1 "there are findings" "$clear/$file"; done
outcome 1 "a finding cannot be cleared" --clear "$clear/needed"
outcome 2 "a file or member was skipped" --strict "$out/packages/hostile/squashed"
for file in docs/audit.md "$clear/missing" "$out/packages/hostile/truncated.zip" "--pid=999999999"; do outcome 2 "a file, member or process" "$file"; done
outcome 2 "a file, member or process" "$clear/needed" "$clear/missing"
outcome 2 "a directory contains only" "$clear/links"
outcome 2 "a copy could not be written" --clear "$clear/asks"
outcome 2 "the command line" --exceptions "$clear/exceptions-invalid" "$clear/asks"
outcome 2 "the command line" --no-such-option
row=$(grep '^| 2 | the report could' <<<"$rows")
covered+=$row
status=0
"$tool" audit "$clear/asks" >/dev/full 2>/dev/null || status=$?
[ $status = 2 ] || fail "audit to a full disk: exit status $status, expected 2"
[ "$(sort -u <<<"$covered" | grep -c .)" = "$(grep -c . <<<"$rows")" ] || fail "a row of the table in docs/audit.md has no test: $(sort -u <<<"$covered" | comm -3 - <(sort -u <<<"$rows"))"
