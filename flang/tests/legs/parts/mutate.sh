# Tests randomly mutated IR (mutated.sh). Sourced by flang/tests/legs/flang.sh.

say "random IR modules, compared with stock LLVM"
rm -rf "$work/mutate"
mkdir -p "$work/mutate"
export work rewrite
plugin=$(plugin 19)
export plugin
# A full run uses a part of the seeds. STATICTRAMP_SEED selects another part.
first=${STATICTRAMP_SEED:-0}
seeds=$(share 5000)
[ "$effort" -ge 100 ] || seeds=$(((seeds + 2) / 3))
seq "$first" $((first + seeds - 1)) | xargs -P 2 -n 1 bash flang/tests/legs/parts/mutated.sh >"$work/mutate/became" || fail "a module behaves differently after rewriting, or could not be rewritten"
[ "$(wc -l <"$work/mutate/became")" = "$seeds" ] || fail "fewer than $seeds modules were tried"
echo "$seeds modules, verified and run: $(sort "$work/mutate/became" | uniq -c | tr -s ' \n' ' ')"
unset plugin

# These are the programs in which the chains of trampolines take other routes.
count=0
for source in "${sources[@]}"; do
    builds 19 "$source" && ! grep -qi '!$omp' "$source" || continue
    count=$((count + 1))
    [ $((count % (100 / (effort < 100 ? effort : 100)))) = 0 ] || continue
    name=$(basename "$source" .f90)
    (
        cd "$work"
        flang-new-19 -O0 -S -emit-llvm "$name.f90" -o before.ll 2>/dev/null
        "$test_tools" reroute $count before.ll >mutated.ll
        "$rewrite" mutated.ll -o after.bc
        clang-19 -O1 -w -c after.bc -o after.o
        flang 19 -fopenmp after.o watch.o libstatictramp.a -o after
        prints "$name.wanted" run 19 MAY_LEAK=1 ./after
    ) || fail "$source with indirect chains cannot be built, or prints a wrong result"
done
echo "programs with their chains on other routes: same output as gfortran"
