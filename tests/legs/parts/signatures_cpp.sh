# The C++ wrapper on another processor: moves, and random signatures (tests/programs/review/tools/signatures.pl), with
# one compiler's callbacks called by the other compiler's code. Sourced by the leg "cross" after machines.sh, with
# $archive set.

cpp_signatures() {
    local cpp by_gcc by_clang seed count compiler words exceptions refused number said side callbacks callers static=()
    cpp=$PWD/target/cross/cpp-$machine
    mkdir -p "$cpp"
    # shellcheck disable=SC2206 # $for_clang, $simd, $links: several words, or none
    by_gcc=("$gnu-g++" $simd) by_clang=("clang++-$clang" "--target=$gnu" $for_clang $simd) static=($links)
    [ -z "$root" ] || by_clang+=("--sysroot=$root")
    [ "$machine" != i386 ] || static+=(-static-libstdc++) # the machine that runs its programs has no shared library for them
    seed=${STATICTRAMP_SEED:-$(date +%s)}
    count=$(share 600)
    [ "$count" -ge 30 ] || count=30
    perl tests/programs/review/tools/signatures.pl "$count" "$seed" "$convention" >"$cpp/signatures.cpp"
    for compiler in gcc clang; do
        if [ $compiler = gcc ]; then words=("${by_gcc[@]}"); else words=("${by_clang[@]}"); fi
        for exceptions in -fexceptions -fno-exceptions; do
            # A short run has one of them for each compiler.
            [ "$effort" -ge 100 ] || case $compiler$exceptions in gcc-fexceptions | clang-fno-exceptions) ;; *) continue ;; esac
            "${words[@]}" -std=c++17 -O2 $exceptions -Wall -Wextra -Wno-psabi -pedantic -Werror -Icapi/include tests/programs/c/function.cpp \
                "$archive" "${static[@]}" -o "$cpp/function"
            # shellcheck disable=SC2086 # several words
            $emulator "$cpp/function" >/dev/null || fail "$machine: function.cpp failed, compiled by $compiler with $exceptions"
        done
        if [ $compiler = gcc ]; then number=0; else number=1; fi
        for refused in $misuse; do
            # A short run gives each declaration to one of the compilers.
            number=$((number + 1))
            one_of 2 $number || continue
            said=$("${words[@]}" -std=c++17 "-D$refused" -Icapi/include -fsyntax-only tests/programs/c/wrapper_misuse.cpp 2>&1) &&
                fail "$machine: $compiler accepts $refused"
            grep -q 'statictramp: ' <<<"$said" || fail "$machine, $refused: $said"
        done
        # clang has no option with which a long double takes 16 bytes there.
        [ "$machine-$compiler" != i386-gcc ] || ! said=$("${words[@]}" -std=c++17 -m128bit-long-double -DLONG_DOUBLE -Icapi/include -fsyntax-only \
            tests/programs/c/wrapper_misuse.cpp 2>&1) || fail "i386: gcc accepts a long double of 16 bytes"
        if [ "$machine-$compiler" = i386-gcc ]; then
            printf '#include <statictramp.h>\nint f(void *, T);\nstatictramp_fn g(void) { return STATICTRAMP_BIND(f, 0, int, T); }\n' >"$cpp/macro.c"
            "$gnu-gcc" -m128bit-long-double -DT=double -Icapi/include -fsyntax-only "$cpp/macro.c"
            ! "$gnu-gcc" -m128bit-long-double "-DT=long double" -Icapi/include -fsyntax-only "$cpp/macro.c" 2>"$cpp/said" ||
                fail "i386: STATICTRAMP_BIND accepts a long double of 16 bytes"
        fi
        for side in CALLBACKS CALLERS; do
            "${words[@]}" -std=c++17 -O2 -w -Wno-narrowing -D$side -Icapi/include -Itests/programs/review/tools -c "$cpp/signatures.cpp" \
                -o "$cpp/$compiler-$side.o"
        done
    done
    for callbacks in gcc clang; do
        for callers in gcc clang; do
            "$gnu-g++" "$cpp/$callbacks-CALLBACKS.o" "$cpp/$callers-CALLERS.o" "$archive" "${static[@]}" -o "$cpp/signatures"
            # shellcheck disable=SC2086 # several words
            $emulator "$cpp/signatures" || fail "$machine: $callbacks called by $callers: wrong values, signatures.pl $count $seed $convention"
        done
    done
    echo "$count signatures of C++, seed $seed, between gcc and clang"
}
cpp_signatures
