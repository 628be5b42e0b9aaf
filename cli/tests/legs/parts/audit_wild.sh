# Tests the advice of `statictramp audit` for files from other projects: assembly for NASM and YASM, files without
# PT_GNU_STACK, flags that a linker sets by default, and the marks of other tools. Sourced by the leg "audit", after
# audit_more.sh.

need nasm=nasm yasm=yasm mips64el-linux-gnuabi64-gcc=gcc-mips64el-linux-gnuabi64 riscv64-linux-gnu-gcc=gcc-riscv64-linux-gnu
wild=$out/wild
mkdir -p "$wild"

say "the note in the languages of NASM and YASM"
printf 'section .text\nglobal answer\nanswer: mov eax,42\n ret\n' >"$wild/plain.asm"
for assembler in nasm yasm; do
    case $assembler in nasm) debug="-g -F dwarf" ;; yasm) debug="-g dwarf2" ;; esac
    for options in "" "$debug"; do
        # shellcheck disable=SC2086 # several words, or none
        $assembler $options -f elf64 "$wild/plain.asm" -o "$wild/plain.o"
        note=$( ("$tool" audit "$wild/plain.o" || :) | sed -n 's/.*-> in .*plain\.asm: add //p')
        { cat "$wild/plain.asm"; echo "$note"; } >"$wild/noted.asm"
        $assembler -f elf64 "$wild/noted.asm" -o "$wild/noted.o" || fail "$assembler $options: the advised line is rejected: $note"
        verdict clean 0 "$wild/noted.o"
        gcc "$out/plain.o" "$wild/plain.o" -o "$wild/linked" 2>/dev/null
        tells "plain.asm, add $note" "$wild/linked"
        tells "add $note to " --objects "$wild/plain.o" "$wild/linked"
        hides "--objects" --objects "$wild/plain.o" "$wild/linked"
    done
done

say "a flag that the linker for MIPS sets by default"
printf 'int answer(int x) { return x + 1; }\n' >"$wild/plain.c"
mips64el-linux-gnuabi64-gcc -O2 -shared -fPIC "$wild/plain.c" -o "$wild/default.so"
[ "$(stack_rights "$wild/default.so")" = RWE ] || fail "the linker for MIPS sets no flag, so this test proves nothing"
verdict unknown 0 "$wild/default.so"
mkdir -p "$wild/mips"
cp "$wild/default.so" "$wild/mips"
hides "default.so" "$wild/mips"
tells "has the flag that linkers for this processor set by default" --all "$wild/mips"
for options in -O0 -O2 -Os "-O2 -mabi=32" "-O2 -mabi=n32"; do
    # shellcheck disable=SC2086 # several words
    mips64el-linux-gnuabi64-gcc $options -w -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$wild/mips.o"
    verdict needed 1 "$wild/mips.o"
    tells "in at least 1 place" "$wild/mips.o"
done

say "files without PT_GNU_STACK, and marks of other tools"
gcc "$out/plain.o" "$out/assembled.o" -o "$wild/unmarked" 2>/dev/null
python3 cli/tests/programs/audit/odd.py unmarked "$wild/unmarked"
tells "glibc makes the stacks of the threads of the program executable, so pthread_create fails" "$wild/unmarked"
aarch64-linux-gnu-gcc -O2 -shared -fPIC "$wild/plain.c" -o "$wild/unmarked.so"
python3 cli/tests/programs/audit/odd.py unmarked "$wild/unmarked.so"
tells "on this processor, glibc gives a program that loads this library no executable stack" "$wild/unmarked.so"
hides "if stacks are executable by default" "$wild/unmarked.so"
objcopy --add-section .note.bolt_info=/dev/null "$out/asks" "$wild/bolted"
tells "run BOLT again" "$wild/bolted"
hides "relink it" "$wild/bolted"
printf 'static int one; int *address(void) { static int *it = &one; return it = it + 1; }\n' >"$wild/relative.c"
riscv64-linux-gnu-gcc -O0 -shared -fPIC -nostdlib "$wild/relative.c" -o "$wild/idle.so"
python3 cli/tests/programs/audit/odd.py idle "$wild/idle.so"
tells "is an artefact of the linker" "$wild/idle.so"
hides "-fPIC" "$wild/idle.so"
hides "artefact" "$out/textrel"

say "PE files, whose stacks Windows decides about"
printf 'int __stdcall start(void) { return 0; }\n' >"$wild/start.c"
x86_64-w64-mingw32-gcc -m32 -O2 -c "$wild/start.c" -o "$wild/start.o"
ld.lld-19 -m i386pe -e _start@0 --disable-nxcompat "$wild/start.o" -o "$wild/silent.exe"
ld.lld-19 -m i386pe -e _start@0 --nxcompat "$wild/start.o" -o "$wild/stated.exe"
verdict says-nothing 1 "$wild/silent.exe"
verdict clean 0 "$wild/stated.exe"
tells "(NX_COMPAT), so Windows decides" "$wild/silent.exe"
tells "link it with --nxcompat" "$wild/silent.exe"
hides "C library" "$wild/silent.exe"
x86_64-w64-mingw32-gcc -O2 -w -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$wild/windows.o"
tells "makes its stack executable when it runs" "$wild/windows.o"
tells "GCC cannot avoid stack trampolines on this system" "$wild/windows.o"
hides "on this processor" "$wild/windows.o"
