# Tests a table with one slot, which may not grow, and hosts that offer memory in their frames. Every program runs on an
# executable stack, as it does when it is compiled without the library. Sourced by flang/tests/legs/flang.sh.
# shellcheck disable=SC2046,SC2086 # $control and printed words: several words, or none

say "scratch memory: a full table that cannot grow"
library=$PWD/$(build_capi scratch STATICTRAMP_SLOTS=1)
scratch_build() { # LEVEL SOURCE ARGUMENT...
    (cd "$work" && flang 19 "$1" -w -fopenmp "-fpass-plugin=$(plugin 19)" "$2" watch.o "${@:3}" -o scratch 2>&1)
}
scratch_run() {
    STATICTRAMP_LIMIT=1 NO_STOP_MESSAGE=1 OMP_NUM_THREADS=4 LD_LIBRARY_PATH=/usr/lib/llvm-19/lib "$@" "$work/scratch" 2>&1
}
passed=0 number=0
for source in "${sources[@]}"; do
    name=$(basename "$source" .f90)
    builds 19 "$source" || continue
    for level in -O0 -O2; do
        number=$((number + 1))
        one_of 3 $number || continue
        said=$(STATICTRAMP_SCRATCH=on scratch_build $level "$name.f90" "$library/libstatictramp.a" -Wl,-z,execstack) ||
            fail "$name $level: $said"
        scratch_run env MAY_BE_EXECUTABLE=1 $(leak_of "$source") timeout 60 | squeeze_blanks >"$work/said" ||
            fail "$name $level with scratch memory failed: $(cat "$work/said")"
        diff "$work/$name.wanted" "$work/said" || fail "$name $level with scratch memory prints a wrong result"
        passed=$((passed + 1))
    done
done
echo "$passed runs with one slot: same output as gfortran"

for control in "off -Wl,-z,execstack" "on -Wl,-z,noexecstack"; do
    set -- $control
    STATICTRAMP_SCRATCH=$1 scratch_build -O2 concurrent_hosts.f90 "$library/libstatictramp.a" "$2" >/dev/null
    said=$(ulimit -c 0; scratch_run env MAY_BE_EXECUTABLE=1) && fail "scratch memory $control: the program did not abort although the table is full"
    grep -q '^statictramp: all 1 trampolines are in use' <<<"$said" || fail "scratch memory $control: $said"
done
said=$(STATICTRAMP_SCRATCH=yes scratch_build -O2 seed_pointer.f90 -c) && fail "the plugin accepted STATICTRAMP_SCRATCH=yes"
grep -q '^error: STATICTRAMP_SCRATCH is "yes", but must be off or on' <<<"$said" || fail "$said"
echo "control: without the option, or on a non-executable stack, the documented abort; with an invalid value, an error"
library=$(build_capi)
