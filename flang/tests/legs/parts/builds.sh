# Tests kinds of builds (several files, link-time optimization, the rewriter alone) and code that the pass leaves unchanged.
# Sourced by flang/tests/legs/flang.sh.
# shellcheck disable=SC2046,SC2086 # $linker, $level and printed words: several words, or none

say "several files; full and thin LTO; how many trampolines are created"
cp flang/tests/programs/files/* "$work"
gcc -O2 -Wall -Wextra -c flang/tests/programs/files/count.c -o "$work/count.o"
(cd "$work" && gfortran library.f90 hosts.f90 main.f90 -x c - -o gfortran 2>/dev/null <<<'int inits(void) { return 0; }')
"$work/gfortran" | awk '{ print $1, NR == 1 ? $2 : "" }' >"$work/files.wanted"
# The numbers of trampolines created: none before the host needs one; in work, one for each of two procedures; in outer five, and
# in chosen one.
printf '0\n0\n2\n5\n1\n' >"$work/inits.wanted"
# files VERSION OPTION...: compiles the three files one by one with the plugin, links them and runs the program.
files() {
    local version=$1 file
    shift
    echo "flang $version $*" # first, as it names the failing build
    (
        cd "$work"
        for file in library hosts main; do
            flang "$version" "$@" "-fpass-plugin=$(plugin "$version")" -c $file.f90 -o $file.o
        done
        linker=
        [[ $* != *flto* ]] || linker=-fuse-ld=/usr/bin/ld.lld-$version
        flang "$version" "$@" $linker library.o hosts.o main.o count.o watch.o libstatictramp.a -Wl,--wrap=_FortranAInitTrampoline -o files
        [ "$(stack_rights files)" = RW ] || fail "flang $version $*: the program does not request a non-executable stack"
        run "$version" "$(of "$version" files)" >files.said
        diff <(awk '{ print $1, NR == 1 ? $2 : "" }' files.said) files.wanted
        diff <(awk 'NR > 1 { print $2 }' files.said) inits.wanted
    )
}
for version in 19 22 23; do
    for level in -O0 -O2 '-O1 -g'; do files $version $level; done
    for kind in full thin; do
        files $version -O2 -flto=$kind
    done
done

say "if the optimizer can see the call, no trampoline is created"
(cd "$work" && gfortran -O1 costs.f90 -x c - -o gfortran 2>/dev/null <<<'int inits(void) { return 0; }')
"$work/gfortran" | awk '{ print $1, $2 }' >"$work/costs.wanted"
for version in 19 22 23; do
    for level in -O0 -O1 -O2 -O3; do
        (
            cd "$work"
            flang $version $level "-fpass-plugin=$(plugin $version)" costs.f90 count.o watch.o libstatictramp.a -Wl,--wrap=_FortranAInitTrampoline -o costs
            run $version "$(of $version costs)" >costs.said
            awk '{ print $1, $2 }' costs.said | diff - costs.wanted
            [ $level = -O0 ] && each=40000 || each=0
            awk -v each="$each" '$3 != each { exit 1 }' costs.said || fail "flang $version $level: the number of trampolines created is not $each: $(cat costs.said)"
        )
    done
    echo "flang $version: a pointer, a local procedure and a sibling: 40,000 each at -O0, none from -O1 on"
done

say "the rewriter on bitcode and text, without a plugin; nothing else changes"
compared=0 number=0
for source in "${sources[@]}"; do
    number=$((number + 1))
    builds 19 "$source" && one_of 3 $number || continue
    name=$(basename "$source" .f90)
    (
        cd "$work"
        flang-new-19 -O0 -g -fopenmp -S -emit-llvm "$name.f90" -o before.ll 2>/dev/null
        flang-new-19 -O0 -g -fopenmp -c -emit-llvm "$name.f90" -o before.bc 2>/dev/null
        "$rewrite" -S before.ll -o after.ll
        "$rewrite" before.bc -o after.bc
        cmp <(llvm-dis-19 <after.bc | grep -v '^; ModuleID\|^source_filename') <(llvm-as-19 <after.ll | llvm-dis-19 | grep -v '^; ModuleID\|^source_filename')
        ! grep -q 'llvm\.init\.trampoline' after.ll
        "$test_tools" unchanged before.ll after.ll >lines
        clang-19 -O1 -w -c after.bc -o after.o
        readelf -SW after.o | grep -q 'note.GNU-stack' && ! readelf -SW after.o | grep 'note.GNU-stack' | grep -q ' X '
        flang 19 -fopenmp after.o watch.o libstatictramp.a -o after
        prints "$name.wanted" run 19 $(leak_of "$name.f90") ./after
    )
    compared=$((compared + $(cat "$work/lines")))
done
# The input is already optimized, so the origin of a chain is not always visible. In that case a trampoline may remain.
for source in "${sources[@]}"; do
    number=$((number + 1))
    builds 19 "$source" && one_of 3 $number || continue
    name=$(basename "$source" .f90)
    (
        cd "$work"
        flang-new-19 -O2 -fopenmp -c -emit-llvm "$name.f90" -o before.bc 2>/dev/null
        "$rewrite" before.bc -o after.bc
        clang-19 -O1 -w -c after.bc -o after.o
        flang 19 -fopenmp after.o watch.o libstatictramp.a -o after
        prints "$name.wanted" run 19 MAY_LEAK=1 ./after
    )
done
echo "programs through the rewriter; $compared lines of IR, with their debug locations, are unchanged"
"$rewrite" -S /dev/null -o - >/dev/null # an empty module is valid
for bad in "$work/none.ll" "$work/watch.o"; do
    said=$("$rewrite" -S "$bad" -o "$work/x.ll" 2>&1) && fail "the rewriter accepts $bad"
    grep -q "^statictramp-rewrite: $bad" <<<"$said" || fail "$said"
done

say "exceptions that abandon hosts"
g++ -O2 -Wall -Wextra -c flang/tests/programs/unwind/main.cpp -o "$work/unwind.o"
cp "$(g++ -print-file-name=libstdc++.a)" "$work"
rounds=$(share 1000000)
for version in 19 22 23; do
    for level in -O0 -O2; do
        (
            cd "$work"
            flang $version $level "-fpass-plugin=$(plugin $version)" unwound.f90 unwind.o libstatictramp.a libstdc++.a -o unwind
            said=$(run $version "$(of $version unwind)" "$rounds") || fail "flang $version $level: $said"
            echo "flang $version $level: $said"
        )
    done
done
