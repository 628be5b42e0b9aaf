# libffi's own tests of closures (libffi.closures, libffi.complex and bhaible's callbacks), with libffi's closures and with those
# of examples/libffi/shim.c. Sourced by the "libffi" and "cross" legs.

# libffi_suite NAME COMPILER ARCHIVE LIBFFI EMULATOR: compiles each test once, links it with libffi alone and with the shim
# before it, and compares outputs and exit statuses. COMPILER is the C compiler's command, whose last "gcc" becomes "g++"
# for C++; LIBFFI are the options that find libffi, with its archive last. Under QEMU, a short run takes only every
# fifth test.
libffi_suite() {
    local name=$1 compiler=$2 archive=$3 libffi=$4 emulator=$5 out=$PWD/target/libffi/$1 test step=1 number=0 same=0 kind statuses=()
    local options="-O2 -w -Wno-psabi -DFFI_EXEC_STATIC_TRAMP -I$PWD/target/libffi/include ${libffi% *}"
    rm -rf "$out"
    mkdir -p "$out" target/libffi/include
    # Another leg may be reading the file.
    echo "#define HAVE_STDINT_H 1" >"$out/fficonfig.h"
    cmp -s "$out/fficonfig.h" target/libffi/include/fficonfig.h || mv "$out/fficonfig.h" target/libffi/include
    case $emulator in '' | env) ;; *) step=$((effort < 100 ? 5 : 1)) ;; esac
    # shellcheck disable=SC2086 # several words
    $compiler -O2 -Wall -Wextra -Icapi/include ${libffi% *} -c examples/libffi/shim.c -o "$out/shim.o"
    for test in "$sources"/testsuite/libffi.{closures,complex}/*.{c,cc} "$sources"/testsuite/libffi.bhaible/test-callback.c; do
        [ -e "$test" ] || continue
        number=$((number + 1))
        [ $((number % step)) = 0 ] || case $test in *test-callback.c | *unwindtest*) ;; *) continue ;; esac
        kind=$compiler
        case $test in *.cc) kind=${compiler%gcc*}g++${compiler##*gcc} ;; esac
        # shellcheck disable=SC2086
        $kind $options -c "$test" -o "$out/test.o"
        # shellcheck disable=SC2086
        $kind "$out/test.o" ${libffi##* } -lm -lpthread -o "$out/stock"
        # shellcheck disable=SC2086
        $kind -Wl,--allow-multiple-definition "$out/test.o" "$out/shim.o" "$archive" ${libffi##* } -lm -lpthread -o "$out/ours"
        statuses=()
        for kind in stock ours; do
            # shellcheck disable=SC2086
            timeout 300 $emulator "$out/$kind" >"$out/$kind.raw" 2>&1 && statuses+=(0) || statuses+=($?)
            sed 's/\(0x\)\{1,\}[0-9a-f]*/ADDRESS/g' "$out/$kind.raw" >"$out/$kind.said" # addresses differ in each run
        done
        [ "${statuses[0]}" = "${statuses[1]}" ] && cmp "$out/stock.said" "$out/ours.said" ||
            fail "$name: ${test##*/testsuite/} exited with status ${statuses[1]}, but with ${statuses[0]} when it used libffi's own closures; see $out"
        [ "${statuses[0]}" = 0 ] || echo "$name: ${test##*/testsuite/} fails with libffi, too: ${statuses[0]}"
        same=$((same + 1))
    done
    echo "$name: $same of libffi's $number tests of closures give the same output and status as with libffi's closures"
}
