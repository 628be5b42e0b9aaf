# mutated.sh SEED: makes an IR module with tests/tools (ir-module and reroute). It is compiled by stock LLVM 19 and from the output
# of the rewriter and of the plugin, also after a few of LLVM's own passes. LLVM must accept the module, the program must print the
# same, and no trampoline may remain live unless only the library can find it. Prints the outcome, which is cells, shared or left.
# Run by flang/tests/legs/parts/mutate.sh, which exports its settings.
# shellcheck disable=SC2086 # $watch: several words, or none
set -euo pipefail
seed=$1
place=$work/mutate/$seed
mkdir -p "$place"
broken() { echo "seed $seed, $way, passes \"$passes\", $level: $*" >&2; exit 255; } # 255 stops xargs
trap '[ $? = 0 ] || exit 255' EXIT

all_passes=('' '' 'function-attrs' 'function(sroa,early-cse),cgscc(function-attrs)' 'function(mem2reg),argpromotion,deadargelim'
    'inferattrs,attributor' 'cgscc(inline),function(sroa,simplifycfg,gvn)' 'default<O1>' 'default<O2>' 'default<O3>'
    'function(reg2mem)' 'function(mergereturn,simplifycfg<sink-common-insts>)' 'ipsccp,mergefunc,globalopt'
    'function(tailcallelim,jump-threading)' 'iroutliner' 'function(loop-simplify,loop-rotate,licm)' 'function(newgvn,dse,adce,sink)')
passes=${all_passes[seed % ${#all_passes[@]}]}
way=$((seed / 17 % 3))
level=-O$((seed / 51 % 3))

"$test_tools" ir-module "$seed" >"$place/made.ll"
"$test_tools" reroute "$seed" "$place/made.ll" >"$place/stock.ll"
clang-19 -O0 -w -c "$place/stock.ll" -o "$place/stock.o" || broken "stock LLVM does not compile it"
gcc -z execstack "$place/stock.o" -o "$place/stock"
(ulimit -c 0; timeout 20 "$place/stock") >"$place/wanted" || broken "its exit status is $? without the rewriter"
cp "$place/stock.ll" "$place/before.ll"
[ -z "$passes" ] || opt-19 -S -passes="$passes" "$place/stock.ll" -o "$place/before.ll" 2>/dev/null || cp "$place/stock.ll" "$place/before.ll"
case $way in
1) opt-19 -S "-load-pass-plugin=$plugin" -passes="default<${level#-}>,verify" "$place/before.ll" -o "$place/after.ll" 2>"$place/said" ;;
*) "$rewrite" -S "$place/before.ll" -o "$place/after.ll" 2>"$place/said" ;;
esac || broken "$(cat "$place/said")"
opt-19 -S -passes=verify,globaldce "$place/after.ll" -o "$place/alive.ll" 2>"$place/said2" || broken "$(cat "$place/said2")"
clang-19 $level -w -c "$place/after.ll" -o "$place/after.o" 2>"$place/said2" || broken "$(cat "$place/said2")"
became=cells leak=
# When the table is full, the library itself reclaims these trampolines.
! grep -q 'call.*@statictramp_share' "$place/alive.ll" || became=shared leak=MAY_LEAK=1
stack=
watch=$work/watch.o
if grep -q '^warning: .*left to the compiler' "$place/said"; then became=left watch='' stack=-zexecstack; fi
gcc $stack "$place/after.o" $watch "$work/libstatictramp.a" -o "$place/after"
(ulimit -c 0; env $leak timeout 20 "$place/after") >"$place/got" 2>&1 || broken "its exit status is $?: $(tail -n 1 "$place/got")"
diff "$place/wanted" "$place/got" >"$place/differences" || broken "$(cat "$place/differences")"
rm -r "$place"
echo $became
