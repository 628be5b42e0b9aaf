# Tests that `statictramp audit` claims a crash only if the code shows that the trampolines are on the stack. Sourced by the
# leg "audit", which has set $out and $tool.

# doubts FILE: prints the reasons for doubt of each write, one a line ("None" if there is none).
doubts() {
    ("$tool" audit --json "$1" || [ $? = 1 ]) |
        python3 -c 'import json, sys
for found in json.load(sys.stdin)["findings"]:
    for write in found["writes"]:
        print(write["doubt"])'
}

say "proofs that trampolines are on the stack"
number=0
for file in "$out"/positive/{riscv64,aarch64,arm}-linux-gnu*-gcc*.o "$out"/positive/rv32*.o "$out"/positive/clang-*.o "$out"/positive/flang-22-{aarch64,riscv64}*.o; do
    said=$(doubts "$file" | sort -u)
    # LLVM 19 calls a function of its run-time library instead.
    [ "$said" = None ] || [ -z "$said" ] || fail "audit doubts that a trampoline in ${file##*/} is on the stack: $said"
    [ -z "$said" ] || number=$((number + 1))
done
[ $number -ge 40 ] || fail "only $number objects write trampolines, expected at least 40"
for target in x86_64 aarch64 riscv64; do
    for level in -O0 -O2; do
        clang-22 $level -w --target=$target-linux-gnu -c cli/tests/programs/audit/elsewhere.ll -o "$out/elsewhere.o"
        said=$(doubts "$out/elsewhere.o")
        [ "$said" = address ] || fail "audit reports doubt \"$said\" for a trampoline in the caller's memory ($target $level), expected \"address\""
        ("$tool" audit "$out/elsewhere.o" || :) | grep -q 'memory that it allocates.* need not be changed' || fail "audit advises only to change code that may write to memory of its own ($target $level)"
    done
done
for words in "r4 None" "lr address"; do
    read -r base wanted <<<"$words"
    arm-linux-gnueabihf-gcc -nostdlib -shared -DREFERS -DBASE="$base" cli/tests/programs/audit/copies.S -o "$out/copies.so"
    said=$(doubts "$out/copies.so")
    [ "$said" = "$wanted" ] || fail "audit reports doubt \"$said\" for a template copied to address $base, expected \"$wanted\""
done
arm-linux-gnueabihf-gcc -nostdlib -shared -DREFERS cli/tests/programs/audit/copies.S -o "$out/copies.so"
said=$(doubts "$out/copies.so")
[ "$said" = template ] || fail "audit reports doubt \"$said\" for a template after a constant that code refers to, expected \"template\""
echo "$number objects with proof, 8 with memory elsewhere, a reference to another constant"

say "addresses that another function left in registers"
for compiler in gcc aarch64-linux-gnu-gcc riscv64-linux-gnu-gcc; do
    for end in "" -DENDS_WITH_CALL; do
        $compiler -O2 -fno-toplevel-reorder $end -c cli/tests/programs/audit/stale.c -o "$out/stale.o"
        said=$(doubts "$out/stale.o")
        [ "$said" = address ] || fail "$compiler $end: audit reports doubt \"$said\" for a trampoline in the caller's memory, expected \"address\""
    done
done

say "many trampolines close together"
for ((i = 0; i < 800; i++)); do
    echo "int f$i(int k) { int g(int x) { return x + k + $i; } return call(g); }"
done | sed '1i int call(int (*)(int));' >"$out/many.c"
for compiler in gcc i686-linux-gnu-gcc riscv64-linux-gnu-gcc "riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d"; do
    $compiler -Os -c "$out/many.c" -o "$out/many.o"
    said=$(doubts "$out/many.o" | sort | uniq -c | xargs)
    [ "$said" = "800 None" ] || fail "$compiler: \"$said\", expected \"800 None\""
done
echo "800 trampolines of each of 4 compilers"

say "each trampoline of a function, and none of two functions"
# listed COMMAND...: prints the number of places in the object that the command compiles.
listed() { "$@" -w -c cli/tests/programs/audit/five.c -o "$out/five.o" && doubts "$out/five.o" | wc -l; }
for compiler in gcc i686-linux-gnu-gcc riscv64-linux-gnu-gcc; do
    for level in -O0 -O1 -O2 -O3 -Os; do
        [ "$(listed $compiler $level -fPIC)" = 5 ] || fail "$compiler $level: audit lists $(listed $compiler $level -fPIC) places, expected 5"
    done
done
for compiler in aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc; do # one template for all
    listed $compiler -O2 >/dev/null
    said=$("$tool" audit "$out/five.o") && fail "$said"
    grep -q 'in at least 1 place, which may' <<<"$said" || fail "$said"
done
for end in ret "jmp *%rax" "jmp call" "ret; .p2align 4"; do
    sed "s/END/$end/" cli/tests/programs/audit/neighbours.s | as -o "$out/neighbours.o" -
    verdict clean 0 "$out/neighbours.o"
done
