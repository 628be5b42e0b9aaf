# IR that nobody wrote: see mutate/one.sh. Sourced by tests/legs/flang.sh.

say "modules of IR by chance, against stock LLVM"
rm -rf "$work/mutate"
mkdir -p "$work/mutate"
export work rewrite
plugin=$(plugin 19)
export plugin
# A part of the seeds each time it is run in full, another by STATICTRAMP_SEED.
first=${STATICTRAMP_SEED:-0}
seeds=$(share 5000)
seq "$first" $((first + seeds - 1)) | xargs -P 2 -n 1 bash tests/flang/mutate/one.sh >"$work/mutate/became" || fail "a module does not mean what it meant"
[ "$(wc -l <"$work/mutate/became")" = "$seeds" ] || fail "not all $seeds modules were tried"
echo "$seeds modules, verified and run: $(sort "$work/mutate/became" | uniq -c | tr -s ' \n' ' ')"
unset plugin
