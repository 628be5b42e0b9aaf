# Measures the library's costs and compares them with lower bounds and with the real run-time libraries of flang, GCC and libffi,
# all in one run of cargo bench. Leaves target/bench/table.md, target/bench/chart.svg, and the files that parts/bench/curves.sh
# names.
# Installs: gcc, libffi, flang 19 with LLVM; GCC 16, gfortran 16 and flang 23 in .toolchains.
# Takes: 2 minutes.

need gcc=gcc g++=g++ /usr/include/x86_64-linux-gnu/ffi.h=libffi-dev flang-new-19=flang-19 /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev
need_sid flang-23=flang-23 /usr/lib/llvm-23/bin/llvm-config=llvm-23-dev gfortran-16=gfortran-16 gcc-16=gcc-16 \
    ld=binutils /usr/include/stdio.h=libc6-dev
library=$(build_capi)
strict=$(build_capi STATICTRAMP_REUSE=strict)
bare=$(build_capi STATICTRAMP_LANDING_PADS=0)
many=$(build_capi STATICTRAMP_SLOTS=65536)
peers=$PWD/target/bench/peers
sid_directory bench
rm -rf "$peers"
mkdir -p "$peers"

say "the C functions, linked and loaded in each way"
functions="gcc -O2 -Wall -Wextra -Icapi/include benches/functions.c"
$functions "$library/libstatictramp.a" -o "$peers/archive"
$functions "$strict/libstatictramp.a" -o "$peers/strict"
$functions "$bare/libstatictramp.a" -o "$peers/no-landing-pads"
$functions "$many/libstatictramp.a" -o "$peers/many-slots"
$functions -DDLOPENED -o "$peers/dlopened"
export STATICTRAMP_LIBRARY=$PWD/$library/libstatictramp.so.0
g++ -O2 -Wall -Wextra benches/lower_bound.cpp -o "$peers/lower_bound"
for choice in cc=with-stubs none=portable; do # compiler-generated functions, compared with the stubs
    STATICTRAMP_ASM=${choice%=*} cargo build --quiet --release --manifest-path tests/programs/portable/Cargo.toml \
        --target-dir "$PWD/target/bench/${choice#*=}"
    cp "target/bench/${choice#*=}/release/statictramp-portable" "$peers/${choice#*=}"
done
gcc -O2 -Wall -Wextra benches/libffi.c -lffi -o "$peers/libffi"
gcc -O2 -Wall -Wextra -Icapi/include benches/raw.c "$library/libstatictramp.a" -o "$peers/raw"
gcc -O2 -Wall -Wextra benches/locked.c -o "$peers/locked"

say "a host that creates a trampoline, calls it once and frees it, through the compilers' own interfaces"
cp benches/{host.c,host.f90,apply.f90} "$library/libstatictramp.a" "$chroot$place"
in_sid "$place" flang-23 -O2 -c apply.f90
in_sid "$place" flang-23 -O2 host.f90 apply.o -o flang-stack 2>/dev/null
in_sid "$place" flang-23 -O2 -fsafe-trampoline -c host.f90
in_sid "$place" flang-23 host.o apply.o -o flang-pool
in_sid "$place" flang-23 host.o apply.o libstatictramp.a -o flang-statictramp
in_sid "$place" gcc-16 -O2 -z execstack host.c -o gcc-stack
in_sid "$place" gcc-16 -O2 -ftrampoline-impl=heap host.c -o gcc-heap
in_sid "$place" gcc-16 -O2 -ftrampoline-impl=heap host.c libstatictramp.a -o gcc-statictramp

say "flang's programs with the plugin, and each variant of an integrator"
source tests/legs/parts/plugin.sh
for version in 19 23; do
    build_plugin $version
done
cp target/flang-23/release/libstatictramp_flang.so benches/{simpson,integrator}.f90 "$chroot$place"
in_sid "$place" flang-23 -O2 "-fpass-plugin=$place/libstatictramp_flang.so" host.f90 apply.o libstatictramp.a -o flang-plugin
in_sid "$place" flang-23 -O2 -c simpson.f90
in_sid "$place" flang-23 -O2 integrator.f90 simpson.o -o flang-23-stack 2>/dev/null
in_sid "$place" flang-23 -O2 "-fpass-plugin=$place/libstatictramp_flang.so" integrator.f90 simpson.o libstatictramp.a -o flang-23-plugin
in_sid "$place" flang-23 -O2 -fsafe-trampoline -c integrator.f90
in_sid "$place" flang-23 integrator.o simpson.o -o flang-23-pool
in_sid "$place" flang-23 integrator.o simpson.o libstatictramp.a -o flang-23-statictramp
flang-new-19 -O2 -c benches/simpson.f90 -o "$peers/simpson.o"
flang-new-19 -O2 benches/integrator.f90 "$peers/simpson.o" -module-dir "$peers" -L/usr/lib/llvm-19/lib -o "$peers/flang-19-stack" 2>/dev/null
flang-new-19 -O2 -fpass-plugin=target/release/libstatictramp_flang.so benches/integrator.f90 "$peers/simpson.o" \
    -module-dir "$peers" "$library/libstatictramp.a" -L/usr/lib/llvm-19/lib -o "$peers/flang-19-plugin"
for program in flang-stack flang-pool flang-statictramp flang-plugin gcc-stack gcc-heap gcc-statictramp flang-23-stack \
    flang-23-pool flang-23-statictramp flang-23-plugin; do
    printf '#!/bin/sh\nexec chroot %s %s "$@"\n' "$chroot" "$place/$program" >"$peers/$program"
    chmod +x "$peers/$program"
done

# A short run only shows that everything can be measured. It uses the profile dev, in which other legs have already built the
# dependencies.
profile=bench
[ "$effort" -ge 100 ] || profile=dev
cargo bench --quiet -p statictramp-benches --profile "$profile" --bench trampolines >target/bench/criterion.log 2>&1 || { cat target/bench/criterion.log; fail "cargo bench failed"; }
! grep 'not measured' target/bench/criterion.log || fail "a peer library was not built, so it was not measured"
cat target/bench/table.md
"$peers/locked" | tee target/bench/locked.txt
source tests/legs/parts/bench/curves.sh
