# Measures the costs as functions of one quantity, the slowest creations, and the costs per process. Leaves target/bench/curves.md
# and target/bench/curves/*.svg, which docs/curves copies. Sourced by the leg, which sets $peers, $place, $library and $many.

say "programs for the curves"
cp benches/curves/*.[ch] capi/include/statictramp.h "$chroot$place"
mount_proc # for a table that grows
here() { gcc -O2 -Wall -Wextra -pthread -Icapi/include "${@:2}" -o "$peers/$1"; }
# there NAME COMMAND...: builds a program in the chroot, and writes a script that runs it.
there() {
    in_sid "$place" "${@:2}" -o "$1"
    printf '#!/bin/sh\nexec chroot %s %s "$@"\n' "$chroot" "$place/$1" >"$peers/$1"
    chmod +x "$peers/$1"
}

curves=benches/curves/curves.c
here curves-statictramp -DSTATICTRAMP $curves "$library/libstatictramp.a"
here curves-libffi -DLIBFFI $curves -lffi
here curves-malloc -DMALLOC $curves
in_sid "$place" gcc-16 -O2 -Wall -Wextra -DCOMPILED -c curves.c -o curves.o
there curves-flang-pool flang-23 curves.o -pthread
there curves-compiled flang-23 curves.o libstatictramp.a -pthread
there curves-gcc-heap gcc-16 -O2 -Wall -Wextra -DNESTED curves.c -pthread

pauses="-DSTATICTRAMP benches/curves/pauses.c"
# shellcheck disable=SC2086 # several words
{
    here pauses $pauses "$library/libstatictramp.a"
    here pauses-65536 $pauses "$many/libstatictramp.a"
    echo 'const char pad[100 << 20] = {1};' >"$peers/pad.c"
    here pauses-100mb -s $pauses "$peers/pad.c" "$library/libstatictramp.a"
}

# Each program is linked normally and statically. The baseline is the same program without trampolines.
process=benches/curves/process.c
for static in "" "-static"; do
    options="-Wl,-s $static"
    # shellcheck disable=SC2086 # several words, or none
    {
        here process-none$static $options $process
        here process-statictramp$static $options -DSTATICTRAMP $process "$library/libstatictramp.a"
        here process-libffi$static $options -DLIBFFI $process -lffi
        in_sid "$place" gcc-16 -O2 -DCOMPILED -c process.c -o process.o
        there process-none-sid$static gcc-16 -O2 $options process.c
        there process-flang-pool$static flang-23 $options process.o
        there process-gcc-heap$static gcc-16 -O2 $options -DNESTED process.c
    }
done

say "curves, pauses, processes"
cargo bench --quiet -p statictramp-benches --profile "$profile" --bench curves >target/bench/curves.log 2>&1 || { cat target/bench/curves.log; fail "cargo bench failed"; }
cat target/bench/curves.md
