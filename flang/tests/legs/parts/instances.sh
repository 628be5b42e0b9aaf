# Tests the captured variables of internal procedures, which are located by the layout of their host's tuple. The layout is a
# declaration, or comes from flang's own LLVM IR. The variables are read in the process itself and by `statictramp dump`. Sourced
# by flang/tests/legs/flang.sh.

say "captured variables, located by a layout"
instances=$work/instances
mkdir -p "$instances"
cp flang/tests/programs/instances/host.f90 "$instances"
gcc -O2 -Wall -Wextra -Icapi/include -c flang/tests/programs/instances/look.c -o "$instances/look.o"
cargo build --quiet -p statictramp-cli
declared="grid: descriptor(2), text: character, p: pointer, z: complex(8), n: integer(4), list: allocatable, at: address, \
fixed: character, local: descriptor(1), flag: logical(1), none: allocatable, f: procedure, any: class(0), absent: integer(4), \
missing: character, sized: allocatable, unsized: allocatable, poly: class(0), head: pointer"
names="grid, text, p: pointer, z: complex(8), n: integer(4), list: allocatable, at, fixed, local, flag: logical(1), \
none: allocatable, f: procedure, any, absent: integer(4), missing, sized: allocatable, unsized: allocatable, poly, head: pointer"
for version in 19 22 23; do
    flang $version -O0 -S -emit-llvm -module-dir "$(of $version "$instances")" "$(of $version "$instances/host.f90")" \
        -o "$(of $version "$instances/host.ll")" 2>/dev/null
    # This is the type with which the internal procedure accesses the tuple.
    tuple=$(sed -n '/^define internal void @_QMhostsFhostPinternal/,/^}/s/.*getelementptr [^{]*\({ .* }\), ptr %[0-9]*, i32 0, i32 0$/\1/p' "$instances/host.ll" | head -n 1)
    [ -n "$tuple" ] || fail "flang $version: no tuple was found in the IR of the internal procedure"
    for level in -O0 -O2; do
        program=$instances/host-$version
        flang $version $level "-fpass-plugin=$(plugin $version)" -module-dir "$(of $version "$instances")" \
            "$(of $version "$instances/host.f90")" "$(of $version "$instances/look.o")" "$(of $version "$work/libstatictramp.a")" \
            -o "$(of $version "$program")"
        for text in "$declared" "$tuple $names"; do
            TEXT=$text run $version "$(of $version "$program")" >"$instances/said" || fail "flang $version $level: the program failed for \"$text\""
            grep -q 'a text' "$instances/said" || fail "flang $version $level: the program did not print \"a text\""
        done
    done
    echo "flang $version: 19 variables, by a list and by LLVM's type"

    printf '# of tests\n_QMhostsFhostPinternal %s\n' "$declared" >"$instances/layout"
    WAIT=1 TEXT=$declared run $version "$(of $version "$program")" 2>"$instances/said" &
    wait_for ready "$instances/said"
    pid=$(pgrep -n -x "host-$version")
    target/debug/statictramp dump "$pid" --layout "$instances/layout" >"$instances/dump" || fail "flang $version: statictramp dump failed"
    kill "$pid"
    wait $! 2>/dev/null || :
    sed -n 's/^    //p' "$instances/dump" | sed 's/0x[0-9a-f]*/ADDRESS/g' | diff flang/tests/programs/instances/dump.txt - || fail "flang $version: dump printed wrong captured values"
done
printf '_QMhostsFhostPinternal n: integer(5)\n' >"$instances/layout"
said=$(target/debug/statictramp dump $$ --layout "$instances/layout" 2>&1) && fail "dump accepted an invalid layout"
echo "${said//"$instances/"/}"
