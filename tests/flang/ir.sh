# IR that flang does not make: exceptions, chains of other front ends, and what is not understood. Sourced by
# tests/legs/flang.sh.

say "IR of others"
for level in -O0 -O2; do
    for file in resume chains; do
        "$rewrite" tests/flang/ir/$file.ll -o "$work/$file.bc"
        clang-19 $level -w -c "$work/$file.bc" -o "$work/$file.o"
    done
    g++ -O2 -Wall -Wextra tests/flang/ir/main.cpp "$work/resume.o" "$work/chains.o" "$work/libstatictramp.a" -o "$work/ir"
    [ "$(stack_rights "$work/ir")" = RW ] || fail "the stack is not RW"
    $guard "$work/ir"
done
"$rewrite" -S tests/flang/ir/chains.ll -o "$work/chains.ll"
for function in optimized called_by_optimized; do
    line=$(grep "^define.*@$function(" "$work/chains.ll")
    [[ $line != *'#'* ]] || fail "an attribute is left: $line"
done

say "IR that is not understood"
said=$("$rewrite" -S tests/flang/ir/not_understood.ll -o "$work/left.ll" 2>&1) || fail "$said"
llvm-as-19 <tests/flang/ir/not_understood.ll | llvm-dis-19 >"$work/right.ll"
body() { sed -n "/^define.*@$1(/,/^}/p" "$2" | sed 's/ #[0-9]*//; s/![0-9]*/!/g'; }
for function in memory_of_caller memory_passed_on coroutine with_line; do
    grep -q "warning: .*(in $function" <<<"$said" || fail "no warning about $function: $said"
    diff <(body $function "$work/right.ll") <(body $function "$work/left.ll") || fail "$function is not as it was"
done
grep -q "^other.f90:42:3: warning: .*(in with_line)" <<<"$said" || fail "no line: $said"
body plain "$work/left.ll" | grep -q 'statictramp.take' || fail "what is understood was left too"
echo "$said"
printf '%s\n' 'target datalayout = "e-p:32:32"' | cat - tests/flang/ir/resume.ll >"$work/narrow.ll"
said=$("$rewrite" -S "$work/narrow.ll" -o "$work/left.ll" 2>&1)
grep -q "warning: the library serves flang on targets of 64 bits" <<<"$said" || fail "$said"
