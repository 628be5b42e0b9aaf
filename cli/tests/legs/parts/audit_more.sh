# Tests the findings of `statictramp audit` other than the verdict (source lines and compilers, protections, writable and
# executable memory, heap and pool, other formats), and unusual files. Sourced by the leg "audit", which has set $out, $tool,
# $place.

# tells TEXT ARGUMENT...: checks that the tool's output contains the text.
tells() {
    said=$("$tool" audit "${@:2}" 2>&1) || [ $? = 1 ] || fail "audit ${*:2}: $said"
    grep -qF -- "$1" <<<"$said" || fail "audit ${*:2} does not print \"$1\": $said"
}
# hides TEXT ARGUMENT...: checks that the output does not contain the text.
hides() {
    said=$("$tool" audit "${@:2}" 2>&1) || [ $? = 1 ] || fail "audit ${*:2}: $said"
    ! grep -qF -- "$1" <<<"$said" || fail "audit ${*:2} prints \"$1\": $said"
}

say "source lines, compilers, and the command that compiles it again"
source=$PWD/cli/tests/programs/audit/nested.c
for debug in -g -gdwarf-4 -gdwarf-3 "-g -gz=zlib" "-g -ffunction-sections" "-g -m32"; do
    # shellcheck disable=SC2086 # several words
    gcc -O2 $debug -DWITHOUT_MAIN -c "$source" -o "$out/lines.o"
    tells "in host ($source:1" "$out/lines.o"
    tells "compiled by GNU C17 " "$out/lines.o"
done
riscv64-linux-gnu-gcc -O2 -g -DWITHOUT_MAIN -c "$source" -o "$out/lines.o"
tells "in host ($source:1" "$out/lines.o"
gcc -O2 -g "$source" -o "$out/lines" 2>/dev/null
tells "recompile: gcc-14 -O2 -ftrampoline-impl=heap -c $source, and link with -lstatictramp" "$out/lines"
strip --strip-all --keep-section='.debug*' "$out/lines" -o "$out/lines-stripped"
flang-new-19 -O2 -shared -fPIC cli/tests/programs/audit/internal.f90 -o "$out/unnamed" 2>/dev/null
readelf -p .comment "$out/unnamed" | grep -q 'GCC' || fail "the .comment section of $out/unnamed does not contain GCC's name, which the startup files should add"
hides "compiled by GCC" "$out/unnamed"
tells "compiled by an LLVM compiler, judging by the instructions (the file does not name it)" "$out/unnamed"
flang-22 -O2 -shared -fPIC cli/tests/programs/audit/internal.f90 -o "$out/unnamed" 2>/dev/null
tells "flang version 22" "$out/unnamed"
hides "compiled by GCC" "$out/unnamed"
gfortran -O2 -g -c cli/tests/programs/audit/internal.f90 -o "$out/lines.o"
tells "recompile: gfortran-14 -O2 -ftrampoline-impl=heap -c" "$out/lines.o"
as -g cli/tests/programs/audit/plain.s -o "$out/assembled.o"
gcc -g cli/tests/programs/audit/plain.c "$out/assembled.o" -o "$out/assembled" 2>/dev/null
tells "the assembly source may lack the note: in" "$out/assembled"
tells "objcopy --add-section .note.GNU-stack=/dev/null" "$out/assembled.o"
objcopy --add-section .note.GNU-stack=/dev/null "$out/assembled.o"
verdict clean 0 "$out/assembled.o"
echo "DWARF 3 to 5, compressed, in separate sections, 32-bit and RISC-V"

say "protections, and writable and executable memory"
gcc -O2 -fcf-protection=full -nostdlib -shared -fPIC -z now cli/tests/programs/audit/plain.c -o "$out/protected" -Wl,--unresolved-symbols=ignore-all
tells "control-flow protection: IBT, SHSTK" "$out/protected"
gcc -z now "$out/plain.o" "$out/assembled.o" -o "$out/plain"
tells "RELRO full" "$out/plain"
gcc -z lazy "$out/plain.o" "$out/assembled.o" -o "$out/plain"
tells "RELRO partial" "$out/plain"
gcc -z norelro "$out/plain.o" "$out/assembled.o" -o "$out/plain"
tells "RELRO none" "$out/plain"
verdict clean 0 "$out/plain"
aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard -c cli/tests/programs/audit/plain.c -o "$out/bti.o"
tells "control-flow protection: BTI, PAC" "$out/bti.o"
printf '.section .evil,"awx"\n.byte 0xc3\n.section .note.GNU-stack,"",@progbits\n' | as -o "$out/evil.o" -
tells "the section .evil is writable and executable" "$out/evil.o"
gcc "$out/plain.o" "$out/assembled.o" "$out/evil.o" -o "$out/evil" 2>/dev/null
tells "is loaded writable and executable" "$out/evil"
gcc -m32 -fno-pic -shared -nostdlib -Wl,-z,notext -Wl,--unresolved-symbols=ignore-all cli/tests/programs/audit/plain.c -o "$out/textrel" 2>/dev/null
tells "text relocations" "$out/textrel"

say "heap and pool"
for version in 14 16; do
    in_sid "$place" gcc-$version -O2 -ftrampoline-impl=heap nested.c -o heap-$version
    in_sid "$place" gcc-$version -O2 -s -static -ftrampoline-impl=heap nested.c -o heap-static-$version
    for file in heap-$version heap-static-$version; do
        tells "has GCC's heap trampolines" "$chroot$place/$file"
        verdict clean 1 "$chroot$place/$file"
    done
done
hides "heap" "$chroot/usr/lib/x86_64-linux-gnu/libgcc_s.so.1"
in_sid "$place" flang-23 -O2 -fsafe-trampoline internal-main.f90 -o pool
in_sid "$place" strip -o pool-stripped pool
tells "uses flang's trampoline pool" "$chroot$place/pool"
verdict clean 1 "$chroot$place/pool"
hides "writes trampolines" "$chroot$place/pool-stripped"
# An object only calls the interface. Its user has applied the remedy, so the object alone is no finding.
in_sid "$place" flang-23 -O2 -fsafe-trampoline -c internal-main.f90 -o pool.o
in_sid "$place" gcc-16 -O2 -ftrampoline-impl=heap -c nested.c -o heap.o
verdict clean 0 "$chroot$place/pool.o" "$chroot$place/heap.o"
tells "calls flang's interface for trampolines: link with -lstatictramp" "$chroot$place/pool.o"
tells "calls GCC's interface for heap trampolines: link with -lstatictramp" "$chroot$place/heap.o"
for name in _FortranAInitTrampoline _FortranATrampolineInit; do # the first name is the plugin's
    printf '.section .note.GNU-stack,"",@progbits\n.text\n.globl host\nhost: jmp %s@PLT\n' $name | as -o "$out/interface.o" -
    verdict clean 0 "$out/interface.o"
    echo "void $name(void) {}" | gcc -shared -fPIC -xc - -o "$out/libinterface.so"
    echo 'void host(void); int main(void) { host(); }' | gcc -xc - -xnone "$out/interface.o" "$out/libinterface.so" -o "$out/interface"
    status=0
    "$tool" audit "$out/interface" >/dev/null || status=$?
    [ "$name $status" = "_FortranAInitTrampoline 0" ] || [ "$name $status" = "_FortranATrampolineInit 1" ] || fail "audit of a program that calls $name: exit status $status"
done

say "compressed programs, PE and Mach-O"
in_sid "$place" gcc-14 -O2 -static nested.c -o static 2>/dev/null
in_sid "$place" upx -q -o packed static >/dev/null
tells "because its code is compressed" "$chroot$place/packed"
tells "unpack a copy and audit that: upx -d" "$chroot$place/packed"
for level in -O0 -O2; do
    x86_64-w64-mingw32-gcc $level cli/tests/programs/audit/nested.c -o "$out/nested.exe"
    verdict needed 1 "$out/nested.exe"
    x86_64-w64-mingw32-gcc $level -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$out/nested.obj"
    verdict needed 1 "$out/nested.obj"
    for target in x86_64-apple-macos11 arm64-apple-macos11; do
        clang-22 $level -w --target=$target -c cli/tests/programs/audit/trampoline.ll -o "$out/mach.o"
        verdict not-asked 1 "$out/mach.o"
    done
done

say "a process with trampolines on its stacks"
gcc -O2 -pthread cli/tests/programs/audit/live.c -o "$out/live" 2>/dev/null
"$out/live" >"$out/live.says" &
waiting=$!
wait_for ready "$out/live.says"
said=$("$tool" audit --pid $waiting) && fail "audit reports no finding for a process with trampolines on its stacks"
kill $waiting
while read -r thread address; do
    [ "$thread" = ready ] || grep -q "on the stack of thread [0-9]*, at $address: callee 0x" <<<"$said" || fail "audit does not report the $thread thread's trampoline at $address: $said"
done <"$out/live.says"
grep -q "the main thread's stack is executable" <<<"$said" || fail "$said"
[ "$(grep -c 'a trampoline is on' <<<"$said")" = 2 ] || fail "audit does not report exactly two trampolines: $said"
gcc -O2 -Dmain=once cli/tests/programs/audit/nested.c cli/tests/programs/audit/waits.c -o "$out/done" 2>/dev/null
"$out/done" &
waiting=$!
wait_until_sleeps $waiting "$out/done"
said=$("$tool" audit --pid $waiting) && fail "$said"
kill $waiting
! grep -q 'a trampoline is on' <<<"$said" || fail "audit reports a trampoline of a call that has returned: $said"

say "unusual files"
mkdir -p "$out/odd/closed"
ln -sf loop "$out/odd/loop"
cp "$out/needed" "$out/odd/$(printf 'new\nline\033[31m')"
said=$("$tool" audit "$out/odd") && fail "$said"
grep -qF 'new\nline\u{1b}[31m: needs' <<<"$said" || fail "$said"
! grep -q $'\e' <<<"$said" || fail "the output has colours although it is not a terminal"
(env -u NO_COLOR script -qec "'$tool' audit '$out/needed'" /dev/null || :) | grep -q $'\e\[31m' || fail "the output has no colours on a terminal"
if setpriv --reuid 65534 --clear-groups test -x "$tool"; then
    chmod 0 "$out/odd/closed"
    status=0
    setpriv --reuid 65534 --clear-groups "$tool" audit "$out/odd" >/dev/null 2>&1 || status=$?
    chmod 755 "$out/odd/closed"
    [ $status = 2 ] || fail "audit of an unreadable directory: exit status $status, expected 2"
fi
for odd in /dev/null /dev/zero "$out/odd/loop"; do
    status=0
    timeout 10 "$tool" audit "$odd" >/dev/null 2>&1 || status=$?
    [ $status = 2 ] || fail "audit $odd: exit status $status, expected 2"
done
cp "$out/asks" "$out/in-place"
ln -f "$out/in-place" "$out/in-place-too"
"$tool" audit --clear --in-place "$out/in-place" >/dev/null 2>&1 && fail "audit --clear --in-place of a file with two names: exit status 0"
[ "$(stack_rights "$out/in-place")" = RWE ] || fail "audit --clear --in-place replaced a file that has two names"
rm "$out/in-place-too"
"$tool" audit --clear --in-place "$out/in-place" >/dev/null || fail "audit --clear --in-place: exit status $?, expected 0"
[ "$(stack_rights "$out/in-place")" = RW ] && "$out/in-place" || fail "after audit --clear --in-place, the file still requests an executable stack, or does not run"
printf '.section .note.GNU-stack,"x",@progbits\n.text\n.globl f\nf: ret\n' | as -o "$out/marked.o" -
ar rcs "$out/marked.a" "$out/plain.o" "$out/marked.o"
verdict asked-only 1 "$out/marked.a"
"$tool" audit --clear "$out/marked.a" >/dev/null || fail "audit --clear $out/marked.a: exit status $?, expected 0"
verdict clean 0 "$out/marked.a.cleared"
