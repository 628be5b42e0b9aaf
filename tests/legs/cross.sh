# The other instruction sets on Linux: the core's tests, C programs, nested functions and LLVM's `nest`, run by QEMU;
# the kernel runs the 32-bit x86 programs itself.
# Installs: QEMU, GCC for ten processors, clang and MLIR 19 and 22, musl; GCC 16 for AArch64 in .toolchains; Rust for each
#   target.
# Takes: 9 minutes.
# Targets: tests/legs/parts/machines.sh, x86_64-unknown-linux-musl, aarch64-unknown-linux-musl.
# shellcheck disable=SC2046,SC2086 # $emulator, $memrefs and printed words: several words, or none

need_cross_rust
need qemu-aarch64-static=qemu-user-static clang-19=clang-19 clang-22=clang-22 mlir-opt-19=mlir-19-tools mlir-opt-22=mlir-22-tools \
    musl-gcc=musl-tools /usr/lib/llvm-19/lib/libunwind.a=libunwind-19-dev
need_sid qemu-aarch64=qemu-user aarch64-linux-gnu-gcc-16=gcc-16-aarch64-linux-gnu /usr/aarch64-linux-gnu/lib/crt1.o=libc6-dev-arm64-cross
source tests/legs/parts/machines.sh
need_machines gcc g++

need_test_tools
source capi/tests/legs/parts/libffi.sh
source tests/legs/parts/lower.sh
source tests/legs/parts/sanitized.sh
# Without benches and debugging information, less must be compiled for each target.
core=$PWD/target/cross/core
rm -rf "$core"
copy_core_tests "$core"
rm -rf "$core-integration"
cp -a "$core" "$core-integration"
sed -i '/^proptest = /d' "$core-integration/Cargo.toml"
rustc --edition 2024 -O tests/programs/abi/generate.rs -o target/cross/generate-signatures

export PROPTEST_CASES STATICTRAMP_OPERATIONS STATICTRAMP_RUNNER CARGO_PROFILE_DEV_DEBUG=false
PROPTEST_CASES=$(share 256) STATICTRAMP_OPERATIONS=$(share 200000)

# unsupported TRIPLE: builds closures over memrefs that only some processors support, and prints the messages.
unsupported() {
    local package=target/cross/unsupported-$1
    new_package "$package" unsupported
    printf 'statictramp-interop = { path = "%s/interop" }\n' "$PWD" >>"$package/Cargo.toml"
    cp interop/tests/programs/mlir/elsewhere.rs "$package/src/main.rs"
    cross_cargo "$1" build --offline --manifest-path "$package/Cargo.toml" --config profile.dev.opt-level=1 2>&1
}

# on TRIPLE: all tests for one target.
on() {
    local triple=$1 library table upper compiler by slots tests sources archive scratch stack made rounds program level version said out emulated signing
    machine "$triple"
    out=target/cross/c-$machine
    mkdir -p $out
    upper=$(tr 'a-z-' 'A-Z_' <<<"$triple")
    export "CC_${triple//-/_}=$gnu-gcc" "CARGO_TARGET_${upper}_LINKER=$gnu-gcc" \
        "CARGO_TARGET_${upper}_RUNNER=$emulator"
    STATICTRAMP_RUNNER=$emulator
    compiler="$gnu-gcc -O2 -Wall -Wextra -DSTUB_STRIDE=$stride $counting $links -Icapi/include -Iinterop/capi/include"

    say "$triple: the core's tests"
    # Unit tests do not depend on the processor, but on the size and order of words. A short run therefore runs them
    # only where these differ from this machine's, and for other targets does not build the crates that only these
    # tests use.
    tests=--tests sources=$core
    if [ "$effort" -lt 100 ]; then
        case $machine in s390x | i386) ;; *) tests='--test=*' sources=$core-integration ;; esac
    fi
    # On 32-bit targets a test allocates until its counters wrap, which takes longer with a larger table.
    slots=1024
    [ $bits = 64 ] || slots=256
    STATICTRAMP_SLOTS=$slots cross_cargo "$triple" test --offline --manifest-path "$sources/Cargo.toml" -p statictramp -p statictramp-raw \
        --features grow,__slot-extra,__for-capi \
        "$tests" --config "profile.dev.package.statictramp.opt-level=$optimize" 2>&1 | grep -v '^$\|^statictramp: 0123'
    [ "${PIPESTATUS[0]}" = 0 ] || fail "the core's tests failed on $triple"
    table=$PWD/$(newest "target/cross/$triple/debug/build/statictramp-*/out/libstatictramp_c_0_1_table.a")

    if [ $machine = aarch64 ]; then
        # Only newer versions of QEMU load the two words of a slot together (FEAT_LSE2), as calls during set_chain and retarget require.
        # The emulated processor does not fault when it checks a signature. -one-insn-per-tb lets the system interrupt a
        # thread between any two instructions, so that the tests find a change of a slot that takes two stores.
        signing="$chroot/usr/bin/qemu-aarch64 -cpu neoverse-v1,pauth-impdef=on"
        for emulated in "$signing" "qemu-aarch64-static -cpu cortex-a57" "$signing -one-insn-per-tb"; do
            say "$triple: the core's tests with signed slots, on ${emulated#* }"
            tests='--test closures --test closures_raw --test layout --test reserve --test signed --test threads --test trampolines'
            case $emulated in *tb) tests='--test trampolines' ;; esac
            export STATICTRAMP_RUNNER="$emulated -L /usr/$gnu" "CARGO_TARGET_${upper}_RUNNER=$emulated -L /usr/$gnu"
            STATICTRAMP_SIGN=1 STATICTRAMP_SLOTS=1024 cross_cargo "$triple" test --offline --manifest-path "$sources/Cargo.toml" \
                -p statictramp -p statictramp-raw --features grow $tests
        done
        export STATICTRAMP_RUNNER=$emulator "CARGO_TARGET_${upper}_RUNNER=$emulator"
    fi

    say "$triple: random signatures, with stubs assembled by rustc"
    # The three Rust programs share one build of the library, which is rebuilt after the tests' own build.
    rm -f "target/cross/$triple"/debug/deps/libstatictramp-*.rlib
    STATICTRAMP_ASM=rust source tests/legs/parts/abi_cross.sh
    compare_stubs "$triple" $gnu- $stride 0 "$table" $slots "$PWD/$(newest "target/cross/$triple/debug/deps/libstatictramp-*.rlib")" 1024

    say "$triple: closures in a library loaded at run time"
    STATICTRAMP_ASM=rust source tests/legs/parts/loaded.sh

    if [ $machine = ppc ]; then # from the second to the fourth instruction the return address is in r0
        said=$(readelf --debug-dump=frames-interp target/cross/stubs/"$triple"/cc/*.o | sed -n 's/^\([0-9a-f]*\) r1+0  *\([a-z0-9][a-z0-9]*\) *$/\1 \2/p' |
            while read -r at register; do echo "$((16#$at % 64)) $register"; done | sort | uniq -c | tr -s ' \n' ' ')
        [ "$said" = " 1 0 u $slots 16 u $slots 4 r0 " ] || fail "$triple: the return address is at an unexpected location in the stubs: $said"
    fi

    say "$triple: C programs"
    # Link-time optimization takes most of the time, so a short run builds the library twice on only four processors. On
    # the others, all programs use the library with the feature scratch.
    case $effort-$machine in
    [1-9][0-9][0-9]* | *-aarch64 | *-arm | *-s390x | *-i386)
        archive=$(cross_capi "$triple")/libstatictramp.a
        scratch=$(variant=-scratch cross_capi "$triple" FEATURES=scratch)/libstatictramp.a
        ;;
    *) archive=$(cross_capi "$triple" FEATURES=scratch)/libstatictramp.a scratch=$archive ;;
    esac
    "$test_tools" only-ours "$archive" $gnu-nm
    "$test_tools" own-names $out "$archive" $gnu-nm "$emulator" threads "$gnu-gcc $archive"
    "$test_tools" own-names $out "$archive" $gnu-nm "$emulator" kept "$gnu-gcc -static $archive"
    "$test_tools" same-results $out $gnu- "$emulator" "$archive" target/cross/capi/$triple/release/libstatictramp_archive.a "$(share 2000)" "$vectors"
    for program in plain types va_list hosts grow storm; do
        $compiler -w $loader capi/tests/programs/c/$program.c "$archive" -pthread -o $out/$program
        [ "$(stack_rights $out/$program)" = RW ] || fail "$program: the program does not request a non-executable stack"
        timeout 300 $emulator $out/$program $([ $program != hosts ] || share 100000) $([ $program != storm ] || echo 2)
    done
    # The type va_list differs between processors.
    by="clang-$clang --target=$gnu -isystem $root/usr/$gnu/include $for_clang"
    $by -std=c11 -O1 -Wall -Wextra -Werror -Icapi/include -c capi/tests/programs/c/va_list.c -o $out/va_list.o
    $gnu-gcc $out/va_list.o "$archive" $links -pthread -o $out/va_list-clang
    $emulator $out/va_list-clang
    "$test_tools" bind-uses "$gnu-gcc -std=c11"
    "$test_tools" bind-uses "$by -std=c11"
    [ "$effort" -lt 100 ] || "$test_tools" bind-misuses "$gnu-gcc -std=c11"
    # Every compiler reads the same 8 bytes, so testing one compiler with the check is enough.
    sanitized "$machine" "$archive" "$emulator" $compiler -w
    [ $machine != aarch64 ] || for version in 19 22; do
        sanitized "clang-$version" "$archive" "$emulator" clang-$version --target=$gnu $for_clang -O1 -static \
            -fsanitize=function,undefined -fsanitize-trap=all
    done
    $compiler tests/programs/cross/breakpoint.c "$archive" -o $out/breakpoint
    $emulator $out/breakpoint $breakpoints
    # Each processor's C library names its thread fields differently.
    $compiler -w capi/tests/programs/runtime/children.c "$archive" -pthread -o $out/children
    timeout 300 $emulator $out/children emulated
    if [ $machine = i386 ]; then # not as PIE: the unwinder cannot interpret the code with which gcc reads its own address
        $compiler -fno-pie -no-pie tests/programs/cross/stepped.c "$archive" -o $out/stepped
        $out/stepped
        cp $out/breakpoint $out/large # a file whose size needs more than 31 bits
        truncate -s 3G $out/large
        $out/large $breakpoints
        rm $out/large
    fi
    for stack in execstack noexecstack; do
        $compiler -z $stack capi/tests/programs/c/scratch.c "$scratch" -o $out/scratch 2>/dev/null
        $emulator $out/scratch $([ $stack = execstack ] || echo refused)
    done
    source capi/tests/legs/parts/signatures.sh
    c_signatures $machine "$archive"
    case $machine in i386 | aarch64)
        fetch_foreign "$debian" "$libffi" libffi-dev
        fetch_sources libffi bookworm
        libffi_suite $machine $gnu-gcc "$archive" "-I$foreign/usr/include/${gnu/i686/i386} $foreign/usr/lib/${gnu/i686/i386}/libffi.a" "$emulator"
        ;;
    esac
    if [ -n "$counts" ]; then
        echo "registers as statictramp_registers(3) counts them"
        for by in "$gnu-gcc" "clang-19 --target=$gnu -isystem $root/usr/$gnu/include $for_clang"; do
            $by -O1 -Wall -Wextra -D$counts -Icapi/include -c capi/tests/programs/c/counts.c -o $out/counts.o
            $gnu-gcc $out/counts.o "$archive" -o $out/counts
            $emulator $out/counts
        done
    fi
    source capi/tests/legs/parts/signatures_cpp.sh
    if [ $machine = arm ]; then
        echo "the same where reading the thread pointer changes r12 and the flags"
        for program in plain storm; do
            $compiler -w capi/tests/programs/c/$program.c tests/programs/cross/read_tp.S "$archive" -pthread -o $out/$program-read_tp
            timeout 300 $emulator $out/$program-read_tp $([ $program != storm ] || echo 2)
        done
    fi

    if [ $bits = 64 ]; then # as on the platforms that support offloading
        $compiler interop/tests/programs/openmp/tables.c "$archive" -o $out/tables
        $emulator $out/tables
    fi

    say "$triple: nested functions of GCC $($gnu-gcc -dumpversion), and LLVM's nest"
    for level in -O0 -O2; do
        $gnu-gcc $level -Wall -Wextra -Icapi/include tests/programs/cross/nested.c "$archive" -z noexecstack -o $out/nested
        said=$($emulator $out/nested)
        [ "$said" = "12345 54321 1275.5 1 0" ] || fail "the program with nested functions printed \"$said\", expected \"12345 54321 1275.5 1 0\""
    done
    for version in 19 22; do
        # The Arm convention is accepted if floating-point arguments are passed in core registers; these functions
        # have no such arguments.
        clang-$version --target=${gnu%hf} $for_clang -w -O1 -c tests/programs/cross/nest.ll -o $out/nest.o
        [ $machine != arm ] || $gnu-objcopy -R .ARM.attributes $out/nest.o
        $compiler $nest tests/programs/cross/nest.c $out/nest.o "$archive" -o $out/nest
        [ "$($emulator $out/nest)" = "42 400 0" ] || fail "the program for \`nest\`, compiled by LLVM $version, printed \"$($emulator $out/nest)\", expected \"42 400 0\""
    done
    echo "five nested hosts' results are right; so are LLVM 19's and 22's"

    if [ "$memrefs" = no ]; then
        say "$triple: closures over memrefs are rejected with an error message"
        ! said=$(unsupported "$triple") || fail "a closure over a memref compiles for $machine, which does not support it"
        grep -q 'statictramp has memref closures for .*, all on 64-bit Linux' <<<"$said" || fail "$said"
        if [ $bits = 64 ]; then # the header declares other functions
            said=$($compiler -E -dM -include statictramp_interop.h -x c /dev/null)
            grep -q 'statictramp_bind_memref statictramp_has_no_closures_over_memrefs_for_this_processor' <<<"$said" || fail "$machine: statictramp_interop.h does not disable statictramp_bind_memref"
        else
            said=$($compiler -fsyntax-only -include statictramp_interop.h -x c /dev/null 2>&1) && fail "statictramp_interop.h compiles for $machine, which it does not support"
            grep -q '#error "the functions of statictramp_interop.h exist only on 64-bit Linux' <<<"$said" || fail "$said"
        fi
        said=$(clang-19 --target=ve-linux-gnu -ffreestanding -E -dM -Icapi/include -Iinterop/capi/include -include statictramp_interop.h -x c /dev/null)
        grep -q 'statictramp_bind_memref statictramp_has_no_closures_over_memrefs_for_this_processor' <<<"$said" || fail "ve: statictramp_interop.h does not disable statictramp_bind_memref"
        return
    fi
    say "$triple: closures over memrefs, called by MLIR code"
    if [ "$memrefs" = without-halves ]; then
        ! said=$(unsupported "$triple") || fail "passing an f16 by value compiles for $machine, which does not support it"
        grep -q '`F16` and `Bf16` can be passed by value on x86-64, AArch64 and RISC-V; on every target they may be elements of memrefs' <<<"$said" || fail "$said"
    fi
    write_calls $out/calls.mlir $memrefs
    STATICTRAMP_ASM=rust cross_cargo "$triple" build --locked --manifest-path interop/tests/programs/mlir/Cargo.toml --config profile.dev.opt-level=1
    for version in 19 22; do
        lower $version $out/calls.mlir $out/calls.ll
        for level in -O0 -O2; do
            # A short run tests each version at only one optimization level.
            [ "$effort" -ge 100 ] || case $version$level in 19-O0 | 22-O2) ;; *) continue ;; esac
            clang-$version --target=$gnu $for_clang $level -fPIC -Wno-override-module -c $out/calls.ll -o $out/calls$version$level.o
            $gnu-gcc $out/calls$version$level.o target/cross/"$triple"/debug/libmlir_callers.a -pthread -lm -ldl -o $out/callers
            echo "MLIR $version, $level: $($emulator $out/callers "$(share 100000)")"
            $compiler interop/tests/programs/mlir/closures.c $out/calls$version$level.o $archive -pthread -o $out/closures
            $emulator $out/closures
        done
    done
}
# shellcheck disable=SC2046 # names of targets
{
    side_by_side on $(wanted $(crossed))
    source tests/legs/parts/musl.sh
    side_by_side musl_on $(wanted x86_64-unknown-linux-musl aarch64-unknown-linux-musl)
}
[ -n "$(wanted aarch64-unknown-linux-gnu)" ] || return 0
machine aarch64

say "aarch64: nested functions by -ftrampoline-impl=heap of GCC 16"
sid_directory cross
cp capi/tests/programs/gcc/hosts.c target/prefix-aarch64-unknown-linux-gnu/lib/libstatictramp.a "$chroot$place"
signed=$(variant=-signed cross_capi aarch64-unknown-linux-gnu STATICTRAMP_SIGN=1 \
    CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc)/libstatictramp.a
cp "$signed" "$chroot$place/signed.a"
for level in -O0 -O2; do
    for library in libstatictramp.a signed.a; do
        in_sid $place aarch64-linux-gnu-gcc-16 $level -w -static -ftrampoline-impl=heap hosts.c $library -o hosts
        $emulator "$chroot$place/hosts" "$(share 100000)"
    done
done
