# Tests IR that flang does not generate: exceptions, chains of other front ends, and IR that the pass does not understand. Sourced
# by flang/tests/legs/flang.sh.

say "IR from other sources"
for level in -O0 -O2; do
    for file in resume chains; do
        "$rewrite" flang/tests/programs/ir/$file.ll -o "$work/$file.bc"
        clang-19 $level -w -c "$work/$file.bc" -o "$work/$file.o"
    done
    g++ -O2 -Wall -Wextra flang/tests/programs/ir/main.cpp "$work/resume.o" "$work/chains.o" "$work/libstatictramp.a" -o "$work/ir"
    [ "$(stack_rights "$work/ir")" = RW ] || fail "the rewritten program does not request a non-executable stack"
    $guard "$work/ir"
done
"$rewrite" -S flang/tests/programs/ir/chains.ll -o "$work/chains.ll"
for function in optimized called_by_optimized; do
    line=$(grep "^define.*@$function(" "$work/chains.ll")
    [[ $line != *'#'* ]] || fail "the rewriter did not remove an attribute: $line"
done

say "IR that the pass does not understand"
said=$("$rewrite" -S flang/tests/programs/ir/not_understood.ll -o "$work/left.ll" 2>&1) || fail "$said"
llvm-as-19 <flang/tests/programs/ir/not_understood.ll | llvm-dis-19 >"$work/right.ll"
body() { sed -n "/^define.*@$1(/,/^}/p" "$2" | sed 's/ #[0-9]*//; s/![0-9]*/!/g'; }
for function in memory_of_caller memory_passed_on coroutine with_line; do
    grep -q "warning: .*(in $function" <<<"$said" || fail "the rewriter printed no warning about $function: $said"
    diff <(body $function "$work/right.ll") <(body $function "$work/left.ll") || fail "the rewriter changed $function, which it must leave unchanged"
done
grep -q "^other.f90:42:3: warning: .*(in with_line)" <<<"$said" || fail "the warning about with_line lacks the source line: $said"
body plain "$work/left.ll" | grep -q 'statictramp.take' || fail "the rewriter did not change the function plain"
echo "$said"
mapfile -t processors < <(sed -n "s/^    .machine=.* triple=\([a-z0-9]*\)-.* nest=-DAS_FIRST_ARGUMENT.*/\1/p" tests/legs/parts/machines.sh)
[ ${#processors[@]} -ge 4 ] || fail "tests/legs/parts/machines.sh lists fewer than four processors on which the chain is an argument"
for processor in "${processors[@]}"; do
    sed "1i target triple = \"$processor-unknown-linux-gnu\"" flang/tests/programs/ir/chains.ll >"$work/argument.ll"
    said=$("$rewrite" -S "$work/argument.ll" -o "$work/left.ll" 2>&1)
    grep -q "the static chain on $processor as an ordinary first argument, .*left to the compiler" <<<"$said" || fail "$processor: $said"
    ! grep -q 'call.*@statictramp' "$work/left.ll" || fail "$processor: the rewriter replaced a trampoline that it must leave to the compiler"
done
printf '%s\n' 'target datalayout = "e-p:32:32"' | cat - flang/tests/programs/ir/resume.ll >"$work/narrow.ll"
said=$("$rewrite" -S "$work/narrow.ll" -o "$work/left.ll" 2>&1)
grep -q "warning: the library supports flang on 64-bit targets only" <<<"$said" || fail "$said"

say "IR in which a frame cannot be proven to be the host's: same behaviour as with LLVM alone"
# as_stock FILE PROGRAM...: checks that a program prints the same output as with stock LLVM, and ends without live trampolines.
as_stock() {
    local leak=
    ! grep -q 'may end with live trampolines' "$1" || leak=MAY_LEAK=1
    (ulimit -c 0; $guard env $leak timeout 60 "${@:2}") >"$work/said" 2>&1 || fail "$1, rewritten ($built): exit status $?, expected 0: $(cat "$work/said")"
    diff "$work/stock.said" "$work/said" || fail "$1, rewritten ($built): the rewriter changes the output"
}
count=0
for file in flang/tests/programs/ir/stock/*.ll; do
    clang-19 -O0 -w "$file" "$work/libstatictramp.a" -o "$work/stock" 2>/dev/null
    (ulimit -c 0; "$work/stock") >"$work/stock.said" 2>&1 || fail "$file without the rewriter: exit status $?, expected 0"
    "$rewrite" "$file" -o "$work/rewritten.bc"
    opt-19 -passes=verify -disable-output "$work/rewritten.bc"
    for level in -O0 -O1 -O2; do
        clang-19 $level -w "$work/rewritten.bc" "$work/watch.o" "$work/libstatictramp.a" -o "$work/rewritten"
        built="by the rewriter, $level" as_stock "$file" "$work/rewritten"
        clang-19 $level -w "-fpass-plugin=$(plugin 19)" "$file" "$work/watch.o" "$work/libstatictramp.a" -o "$work/rewritten"
        built="by the plugin, $level" as_stock "$file" "$work/rewritten"
    done
    count=$((count + 1))
done
echo "$count programs print the same with the rewriter and with the plugin as without, at three levels"

say "IR that is left unchanged, or is valid after rewriting"
count=0
for file in flang/tests/programs/ir/left/*.ll; do
    wanted=$(sed -n '1s/^; //p' "$file")
    said=$(ulimit -c 0; "$rewrite" -S "$file" -o "$work/left.ll" 2>&1) || fail "$file: $said"
    opt-19 -passes=verify -disable-output "$work/left.ll"
    case $wanted in
    rewritten) ! grep -q 'llvm\.init\.trampoline' "$work/left.ll" || fail "the rewriter did not rewrite $file: $said" ;;
    "left: "*)
        grep -qF "warning: ${wanted#left: }" <<<"$said" || fail "$file: the rewriter did not print \"${wanted#left: }\": $said"
        grep -q 'llvm\.init\.trampoline' "$work/left.ll" || fail "the rewriter removed llvm.init.trampoline from $file"
        ;;
    *) fail "$file does not state the expected result" ;;
    esac
    count=$((count + 1))
done
echo "$count files: each ends as its first line says"

say "the time of the analysis is linear in the size of the module"
# visits KIND COUNT: prints the number of steps in the analysis.
visits() {
    "$test_tools" sized-ir "$1" "$2" >"$work/size.ll"
    STATICTRAMP_VISITS=1 "$rewrite" "$work/size.ll" -o "$work/size.bc" 2>&1 | sed -n 's/^statictramp: .* trampolines, \([0-9]*\) visits$/\1/p'
}
for kind in hosts calls siblings procedures steps selects; do
    few=$(share 5000)
    [ "$few" -ge 500 ] || few=500
    small=$(visits $kind "$few") large=$(visits $kind $((few * 4)))
    [ "$small" -gt 0 ] && [ "$large" -le $((small * 5)) ] || fail "$kind: $small visits for $few functions, but $large for four times as many"
    echo "$kind: $small visits for $few functions, but $large for four times as many"
done
for kind in steps selects; do
    [ "$(visits $kind 100000)" -gt 0 ] || fail "the rewriter fails on a chain of 100,000 $kind"
done
start=$SECONDS
[ "$(visits hosts 10000)" -gt 0 ] || fail "the rewriter fails on 20,000 functions, or finds no trampolines in them"
[ $((SECONDS - start)) -le 30 ] || fail "rewriting 20,000 functions took $((SECONDS - start)) s, expected at most 30 s"
