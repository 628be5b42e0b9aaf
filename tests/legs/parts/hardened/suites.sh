# Runs the suites of four languages under each restriction. Sourced by the leg hardened.
# shellcheck disable=SC2086 # $restriction, $place, $heap, $program: several words, or none

say "Rust: closures, trampolines, threads"
# The programs are linked statically, so that tests that re-execute themselves can be loaded when executable memory is denied.
export PROPTEST_CASES STATICTRAMP_OPERATIONS
PROPTEST_CASES=$(share 64) STATICTRAMP_OPERATIONS=$(share 200000)
copy_core_tests "$out/core"
STATICTRAMP_SLOTS=1024 RUSTFLAGS=-Ctarget-feature=+crt-static CARGO_PROFILE_DEV_DEBUG=false cargo test --no-run --target x86_64-unknown-linux-gnu \
    --manifest-path "$out/core/Cargo.toml" --target-dir target/hardened-rust --features grow --test closures --test trampolines --test threads \
    2>"$out/built" || fail "$(cat "$out/built")"
mapfile -t suites < <(sed -n 's/.*Executable tests.*(\(.*\))$/\1/p' "$out/built")
[ ${#suites[@]} = 3 ] || fail "${#suites[@]} test suites were built, expected 3: $(cat "$out/built")"
for restriction in $restrictions; do
    for suite in "${suites[@]}"; do
        skip=()
        # These tests re-execute themselves through /proc/self/exe.
        case $restriction:$suite in
        no-proc:*/closures-*) skip=(--skip aborts --skip ends_with_a_sentence) ;;
        esac
        limit=1024 runs $restriction "${suite##*/}" "$suite" --quiet "${skip[@]}"
        printf '%-10s %-12s %s\n' $restriction "$(basename "${suite%-*}")" "$(grep -o '[0-9]* passed' "$out/said")"
    done
done

say "C: every function, abandoned hosts, threads with signals and forks"
# When a thread is cancelled, glibc loads libgcc_s, which contains code.
flags="-O2 -w -pthread -DSTUB_STRIDE=32 -Icapi/include -Wl,--no-as-needed -lgcc_s"
for program in plain hosts storm; do
    # shellcheck disable=SC2086 # several words
    gcc $flags capi/tests/programs/c/$program.c "$large/libstatictramp.a" -o "$out/$program"
done
gcc -O2 -w -pthread -DSTUB_STRIDE=32 -Icapi/include capi/tests/programs/c/hosts.c "$library/libstatictramp.a" \
    -Wl,--no-as-needed -lgcc_s -o "$out/hosts"
jumps=$(share 100000)
passed=
for restriction in $restrictions; do
    runs $restriction plain "$out/plain"
    runs $restriction storm "$out/storm" 1 static
    # This program also makes the table grow; the GCC hosts below do not.
    static_only $restriction || runs $restriction hosts "$out/hosts" "$jumps"
    passed="$passed $restriction"
done
echo "right under:$passed"

say "GCC 16: nested functions of C and Ada"
unpack_gcc_suite
cp capi/tests/programs/gcc/* tests/programs/fortran/*.f90 "$chroot$place"
cp target/gcc-suite/gcc.c-torture/execute/nest*.c "$chroot$place"
cp "$large/libstatictramp.a" "$chroot$place"
heap="-w -O2 -ftrampoline-impl=heap"
in_sid $place gcc-16 $heap hosts.c libstatictramp.a -Wl,--no-as-needed -lgcc_s -o hosts
in_sid $place x86_64-linux-gnu-gnatmake-16 -f -q -O2 nested.adb -o nested -cargs -ftrampoline-impl=heap -largs libstatictramp.a
nested=()
for source in "$chroot$place"/nest*-*.c; do
    name=$(basename "$source" .c)
    in_sid $place gcc-16 $heap -O0 -std=gnu17 -fpermissive -c "$name.c" # no optimization removes calls
    nm "$chroot$place/$name.o" | grep -q __gcc_nested_func_ptr_created || continue
    in_sid $place gcc-16 "$name.o" libstatictramp.a -o "$name"
    nested+=("$name")
done
[ ${#nested[@]} -gt 2 ] || fail "only ${#nested[@]} programs of GCC's test suite need trampolines, expected more than 2"
for restriction in $restrictions; do
    for program in hosts nested "${nested[@]}"; do
        arguments=
        [ $program != hosts ] || arguments=$jumps
        # shellcheck disable=SC2086 # a word or none
        runs $restriction "GCC's $program" in_sid $place "./$program" $arguments
    done
done
echo "hosts.c, Ada, ${#nested[@]} programs of GCC's suite: correct under:$passed"

say "Fortran: flang 23 and gfortran 16"
fortran() { # RESTRICTION PROGRAM: its output without blanks
    local more=(NO_STOP_MESSAGE=1 OMP_NUM_THREADS=2)
    # LLVM's OpenMP library would load a tool, which contains code.
    [ "${2##*.}" != flang ] || more+=(LD_LIBRARY_PATH=/usr/lib/llvm-23/lib OMP_TOOL=disabled)
    # The OpenMP library also reports missing shared memory if no file can be written.
    under "$1" in_sid $place "./$2" 2>&1 | squeeze_blanks | sed '/^OMP: Warning #179/d'
}
programs=()
for source in tests/programs/fortran/*.f90; do
    name=$(basename "$source" .f90)
    in_sid $place gfortran-16 -w -O2 -fopenmp -ftrampoline-impl=heap "$name.f90" libstatictramp.a \
        -Wl,--no-as-needed -lgcc_s -o "$name.gfortran"
    in_sid $place flang-23 -O2 -fopenmp -fsafe-trampoline "$name.f90" libstatictramp.a -o "$name.flang"
    programs+=("$name.gfortran" "$name.flang")
done
for program in "${programs[@]}"; do
    wanted=$(fortran none "$program") || fail "$program: $wanted"
    for restriction in $restrictions; do
        got=$(fortran $restriction "$program") || fail "$program under $restriction: exit status $?, expected 0: $got"
        [ "$got" = "$wanted" ] || fail "$program under $restriction printed:
$got
but without:
$wanted"
    done
done
echo "${#programs[@]} programs: the same output under:$passed"
