# Tests `statictramp audit` on unusual files: names with terminal escapes, flags in unusual places, corrupt members, and
# permissions that a copy would not have. Sourced by the leg "audit", after audit_more.sh.

say "names that command a terminal, in debugging information"
evil=$(printf 'e\033[31mvil\nline.s')
cp cli/tests/programs/audit/plain.s "$out/odd/$evil"
(cd "$out/odd" && as -g "$evil" -o evil.o)
gcc "$out/plain.o" "$out/odd/evil.o" -o "$out/odd/forged" 2>/dev/null
tells 'e\u{1b}[31mvil\nline.s, add .section' "$out/odd/forged"
cp cli/tests/programs/audit/nested.c "$out/odd/$(printf 'e\033[31m.c')"
(cd "$out/odd" && gcc -g "$(printf 'e\033[31m.c')" -o forged-too 2>/dev/null)
tells "-c \$'e\\033[31m.c'" "$out/odd/forged-too"
hides $'\e' "$out/odd/forged" "$out/odd/forged-too"
(TERM=dumb script -qec "'$tool' audit '$out/needed'" /dev/null || :) | grep -q $'\e' && fail "audit prints colours on a terminal that does not support them"

say "code that stores opcodes from registers (i686), and several notes"
for level in -O2 -O3; do
    for more in -march=i686 "-march=i686 -fPIC" -mtune=pentiumpro; do
        # shellcheck disable=SC2086 # several words
        gcc -m32 $level $more -c cli/tests/programs/audit/wide.c -o "$out/registers.o"
        verdict needed 1 "$out/registers.o"
    done
done
python3 cli/tests/programs/audit/odd.py two-notes "$out/two-notes"
verdict asked-only 1 "$out/two-notes"
"$tool" audit --clear "$out/two-notes" >/dev/null || fail "audit --clear $out/two-notes: exit status $?, expected 0"
verdict clean 0 "$out/two-notes.cleared"

say "--clear writes a file for an input that requests no executable stack, or writes no file"
rm -f "$out/within.a"
ar rc "$out/within.a" "$out/marked.a"
"$tool" audit --clear "$out/within.a" >/dev/null || fail "audit --clear $out/within.a: exit status $?, expected 0"
verdict clean 0 "$out/within.a.cleared"
clang-22 -w --target=x86_64-apple-macos11 -c cli/tests/programs/audit/plain.c -o "$out/mach-asks"
python3 cli/tests/programs/audit/odd.py mach-asks "$out/mach-asks"
tells "link it without -allow_stack_execute" --clear "$out/mach-asks"
[ ! -e "$out/mach-asks.cleared" ] || fail "audit --clear wrote a copy that still requests an executable stack"
cp "$out/asks" "$out/setuid"
chmod 4755 "$out/setuid"
cp "$out/asks" "$out/attributes"
for file in setuid attributes; do
    [ $file = setuid ] || python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.note", b"kept")' "$out/$file" || continue
    status=0
    "$tool" audit --clear --in-place "$out/$file" >/dev/null 2>&1 || status=$?
    [ $status = 2 ] && cmp -s "$out/asks" "$out/$file" || fail "audit --clear --in-place $file: exit status $status, expected 2, or the file was changed"
done
rm "$out/setuid"

say "a corrupt member, a process that has ended, names with line ends, short files"
head -c 100 "$out/plain.o" >"$out/cut.o"
rm -f "$out/partly.a"
ar rcS "$out/partly.a" "$out/cut.o" "$out/positive/gcc-O2-fPIC.o"
status=0
said=$("$tool" audit "$out/partly.a" 2>&1) || status=$?
[ $status = 2 ] && grep -q "needs an executable stack" <<<"$said" && grep -q "cut.o: an invalid ELF" <<<"$said" || fail "audit partly.a: exit status $status, expected 2: $said"
status=0
said=$("$tool" audit --json --pid 4294967295 "$out/needed" 2>/dev/null) || status=$?
[ $status = 2 ] && python3 -m json.tool <<<"$said" >/dev/null && grep -q '"verdict": "needed"' <<<"$said" || fail "audit --json --pid: exit status $status, expected 2: $said"
cp "$(command -v sleep)" "$out/$(printf 'line\nend')"
"$out/$(printf 'line\nend')" 100 &
waiting=$!
wait_until_sleeps $waiting "$out/$(printf 'line\nend')"
"$tool" audit --pid $waiting >/dev/null || fail "audit --pid does not find the file of a program whose name contains a line break"
kill $waiting
short=/sys/kernel/mm/transparent_hugepage/enabled
if [ -e $short ]; then { "$tool" audit $short 2>&1 || :; } | grep -q 'not an ELF' || fail "audit of a file in sysfs that is shorter than its stated size: the message is not that it is no ELF file"; fi

say "memory and time"
python3 cli/tests/programs/audit/odd.py long-code "$out/long-code"
(ulimit -v 700000 && timeout 60 "$tool" audit "$out/long-code" >/dev/null) || [ $? = 1 ] || fail "audit fails on 200 MiB of code with 700 MB of memory and 60 seconds"
python3 cli/tests/programs/audit/odd.py many-ranges "$out/many-ranges.s"
as "$out/many-ranges.s" -o "$out/many-ranges.o"
timeout 60 "$tool" audit "$out/many-ranges.o" >/dev/null || [ $? = 1 ] || fail "audit fails, or takes more than 60 seconds, on compilation units that share a range list"
rm -f "$out/long-code" "$out"/many-ranges.*
