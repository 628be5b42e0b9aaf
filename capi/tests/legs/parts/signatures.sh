# Random C signatures (test-tools signatures, main.c) for statictramp_bind_raw, statictramp_bind_first and statictramp_bind_types, compared with libffi's
# closures, and every kind of result (results.h). Sourced by the "abi", "cross" and "windows" legs. STATICTRAMP_SEED
# chooses the signatures, STATICTRAMP_SIGNATURES their number.

source tests/legs/parts/machines.sh
need_test_tools

# c_signatures MACHINE ARCHIVE: generates signatures, compiles them with gcc and clang at -O0 and -O2, and runs them.
c_signatures() {
    local archive=$2 by_gcc by_clang place level with_libffi=() out foreign
    local seed=${STATICTRAMP_SEED:-$(date +%s)} count=${STATICTRAMP_SIGNATURES:-$(share 2000)}
    [ "$count" -ge 100 ] || count=${STATICTRAMP_SIGNATURES:-100}
    machine "$1"
    case $libffi in
    '') ;;
    native) need /usr/include/x86_64-linux-gnu/ffi.h=libffi-dev; with_libffi=(-DLIBFFI -lffi) ;;
    *)
        fetch_foreign "$debian" "$libffi" libffi-dev
        place=${gnu/i686/i386} # the directory of Debian's libraries
        with_libffi=(-DLIBFFI "-I$foreign/usr/include/$place" "$foreign/usr/lib/$place/libffi.a")
        ;;
    esac
    # shellcheck disable=SC2206 # $for_clang, $simd: several words, or none
    by_gcc=("$gnu-gcc" $simd) by_clang=("clang-$clang" "--target=$gnu" -isystem "$root/usr/$gnu/include" $for_clang $simd)
    out=$PWD/target/signatures/$machine
    mkdir -p "$out"
    echo "seed $seed"
    "$test_tools" signatures "$count" "$seed" "$out" "${fields[@]}"
    for level in O0 O2; do
        "${by_gcc[@]}" -$level -w -Wno-psabi -DPREFIX=gcc_$level -c "$out/calls.c" -o "$out/gcc_$level.o"
        "${by_clang[@]}" -$level -w -DPREFIX=clang_$level -c "$out/calls.c" -o "$out/clang_$level.o"
    done
    "${by_gcc[@]}" -O1 -w "-DREGISTERS=$registers" "-DHIDDEN=$hidden" "-DCOMPLEX_IN_REGISTERS=$complex" -Icapi/include "-I$out" capi/tests/programs/signatures/main.c \
        "$out"/{gcc,clang}_O{0,2}.o "$archive" "${with_libffi[@]}" -o "$out/main$exe"
    # shellcheck disable=SC2086 # several words, or none
    $emulator "$out/main$exe" >"$out/said" || { grep -v ' libffi ' "$out/said"; fail "$machine: the signatures of test-tools signatures $count $seed failed"; }
    { grep ' libffi ' "$out/said" || true; } | sed 's/.*: //' | sort | uniq -c
    tail -n 1 "$out/said"
    echo "every kind of result (results.h) is as documented in statictramp_bind_raw(3)"
    for level in O0 O2; do
        "${by_gcc[@]}" -$level -w -Wno-psabi -DPREFIX=gcc_$level -c capi/tests/programs/signatures/results_calls.c -o "$out/results_gcc_$level.o"
        "${by_clang[@]}" -$level -w -DPREFIX=clang_$level -c capi/tests/programs/signatures/results_calls.c -o "$out/results_clang_$level.o"
    done
    # shellcheck disable=SC2086 # $differences: several words, or none
    "${by_gcc[@]}" -O1 -Wall -Wextra "-DCOMPLEX_IN_REGISTERS=$complex" $differences -Icapi/include capi/tests/programs/signatures/results.c "$out"/results_{gcc,clang}_O{0,2}.o \
        "$archive" -o "$out/results$exe"
    # shellcheck disable=SC2086 # several words, or none
    $emulator "$out/results$exe" || fail "$machine: a result is not returned as statictramp_bind_raw(3) describes"
}
