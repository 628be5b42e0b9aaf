# Tests programs that are generated from a seed. Their output must be the same as gfortran's, none may be rejected, and no
# trampoline may remain. Also tests generated routes of an address, for which the report must be correct. Sourced by
# flang/tests/legs/flang.sh. STATICTRAMP_SEED: the first seed.

say "generated programs"
LLVM_CONFIG=llvm-config-19 cargo build --quiet --release -p statictramp-flang --example generate
export generate=$PWD/target/release/examples/generate guard
first=${STATICTRAMP_SEED:-$(date +%s)}
batches=$(share 240) routes=$(share 80)
rm -rf "$work/generated"
echo "seeds $first to $((first + batches - 1)) for programs, to $((first + routes - 1)) for routes of an address"
versions=(19 22 23) levels=(-O0 -O1 -O2 -O3)
{
    # Each seed is compiled at one level by one flang. Routes are compiled at -O0, because the report is made before any
    # optimization.
    for ((i = 0; i < batches; i++)); do echo "programs $((first + i)) ${versions[i % 3]} ${levels[i / 3 % 4]}"; done
    for ((i = 0; i < routes; i++)); do echo "routes $((first + i)) ${versions[i % 3]} -O0"; done
} | xargs -P 2 -L 1 bash flang/tests/legs/parts/generated.sh
cat "$work"/generated/programs-*.counts | awk '{ n += $1 } END { print n, "programs with the output of gfortran, accepted, no trampoline left" }'
cat "$work"/generated/routes-*.counts | awk '{ n[$2 " " $3] += $1 } END { for (kind in n) printf "%d %s; ", n[kind], kind; print "none wrongly" }'
