# Tests Linux with musl: C programs, linked in every way, on x86-64 and in QEMU on AArch64, and on x86-64 also Rust with std.
# Sourced by the cross leg, which has set $core.

# musl_gcc MACHINE OUT: creates a compiler for musl in OUT, with binutils under its prefix, and sets $compiler. It uses Debian's
# x86-64 specs, extended so that it can link static-pie. $foreign is the directory of another machine's files.
musl_gcc() {
    local machine=$1 root='' more='' tool
    compiler=$PWD/$2/$machine-linux-musl-gcc
    # Debian's libgcc queries glibc for the available atomic instructions.
    [ "$machine" = x86_64 ] || root=$foreign more=-mno-outline-atomics
    sed -e "s/x86_64/$machine/g" -e "s|/usr/|$root/usr/|g" -e "s|^-L|-L$root/lib/$machine-linux-musl &|" \
        -e 's|%{!shared: \([^ ]*\)Scrt1.o}|%{!shared: %{static-pie:\1rcrt1.o%s;:\1Scrt1.o%s}}|' \
        -e 's|%{static:-static}|& %{static-pie:-static -pie --no-dynamic-linker -z text}|' \
        /usr/lib/x86_64-linux-musl/musl-gcc.specs >"$2/specs"
    grep -q 'static-pie:.*rcrt1.o' "$2/specs" && grep -q 'no-dynamic-linker' "$2/specs" || fail "musl-gcc.specs has changed: the edited specs lack static-pie"
    printf '#!/bin/sh\n[ "$1" != -print-file-name=libc.a ] || exec echo %s/usr/lib/%s-linux-musl/libc.a\nexec %s-linux-gnu-gcc %s "$@" -specs %s\n' \
        "$root" "$machine" "$machine" "$more" "$PWD/$2/specs" >"$compiler"
    chmod +x "$compiler"
    for tool in ar nm objcopy; do ln -sf "/usr/bin/$machine-linux-gnu-$tool" "${compiler%gcc}$tool"; done
}

# musl_on TRIPLE: tests libstatictramp and its programs.
musl_on() {
    local triple=$1 machine=${1%%-*} out=target/cross/musl-${1%%-*} runner='' compiler library way words programs program named said
    mkdir -p "$out"
    machine "$machine" # for $counting
    if [ "$machine" = aarch64 ]; then
        fetch_foreign arm64 bookworm musl musl-dev
        runner="${emulator% *} $foreign"
    fi
    musl_gcc "$machine" "$out"
    export "CC_${triple//-/_}=$compiler"

    say "$triple: C programs, linked in every way"
    library=$(cross_capi "$triple")
    "$test_tools" only-ours "$library/libstatictramp.a" "${compiler%gcc}nm"
    "$test_tools" own-names "$out" "$library/libstatictramp.a" "${compiler%gcc}nm" "$runner" threads "$compiler -pie -fPIE $library/libstatictramp.a"
    # A static program contains each of these functions only once, under the name that the program may define (docs/c.md).
    "$test_tools" own-names "$out" "$library/libstatictramp.a" "${compiler%gcc}nm" "$runner" "" "$compiler -static $library/libstatictramp.a" pthread_
    programs=(capi/tests/programs/c/{plain,hosts,grow,storm} tests/programs/core/cancelled capi/tests/programs/runtime/{stacks,nested,cancelled,apart})
    # QEMU reports no mappings for a process whose first thread has ended, and does not support SS_AUTODISARM.
    [ "$machine" != x86_64 ] || programs+=(tests/programs/core/leader capi/tests/programs/runtime/{handlers,children,allocator})
    for way in static static-pie pie shared; do
        case $way in
        shared) words="-L$library -lstatictramp -Wl,-rpath,$PWD/$library" ;;
        *) words="-$way $library/libstatictramp.a" ;;
        esac
        # shellcheck disable=SC2086 # $words, $runner, $counting: several words, or none
        for program in "${programs[@]}"; do
            named=$out/${program##*/}-$way
            "$compiler" -O2 -w -fPIE -DSTUB_STRIDE=32 $counting -Icapi/include $program.c \
                tests/programs/cross/ucontext.c $words -o "$named"
            [ "$(stack_rights "$named")" = RW ] || fail "$named: the program does not request a non-executable stack"
            case $way in
            static*) ! readelf -lW "$named" | grep -q INTERP || fail "$named is not statically linked" ;;
            *) readelf -ldW "$named" | grep -c "interpreter: /lib/ld-musl-$machine.so.1\|NEEDED.*\[libc.so\]" | grep -qx 2 || fail "$named is not dynamically linked" ;;
            esac
            said=
            case $program in
            */c/hosts) said=$(share 20000) ;;
            */c/storm) said=2 ;;
            */stacks) said=thread ;;
            */nested) [ "$machine" = x86_64 ] || said="1000 given-up" ;; # under QEMU the number of interruptions means nothing
            esac
            timeout 300 $runner "$named" $said >"$out/said" 2>&1 || fail "$named: $(tail -n 20 "$out/said")"
        done
        echo "$way: ${#programs[@]} programs"
    done

    # Without compiled code, a library that contains the archive may be loaded later.
    "$compiler" -O2 -w -fPIC -shared -DLIBRARY -DOWN=65536 -Icapi/include capi/tests/programs/c/many.c "$library/libstatictramp.a" \
        -Wl,--gc-sections -o "$out/libmany.so"
    "$compiler" -O2 -w -Icapi/include capi/tests/programs/c/many.c "$library/libstatictramp.a" -o "$out/many"
    # shellcheck disable=SC2086 # as above
    $runner "$out/many" "$out/libmany.so"
    # The functions that compiled code calls use a kind of thread-local storage that musl does not support in libraries loaded
    # later (docs/platforms.md).
    printf '#include <dlfcn.h>\n#include <stdio.h>\nint main(int n, char **a) { if (n != 2 || dlopen(a[1], RTLD_NOW)) return 1; puts(dlerror()); return 0; }\n' >"$out/load.c"
    "$compiler" "$out/load.c" -o "$out/load"
    # shellcheck disable=SC2086 # as above
    said=$($runner "$out/load" "$PWD/$library/libstatictramp.so.0") || fail "musl's dlopen accepted a library with initial-exec TLS, expected an error"
    grep -q 'initial-exec TLS' <<<"$said" || fail "dlopen failed for a different reason: $said"
    echo "dlopen: ${said##*: }"
    [ "$machine" != x86_64 ] || rust_on_musl
}

# rust_on_musl: the core's tests and a program, with $triple, $out and $compiler as above.
rust_on_musl() {
    local libraries=$PWD/$out/unwind way said library=$PWD/$out/loaded package=$PWD/$out/program program
    # std unwinds with libunwind.a in static programs and with libgcc_s in others. GCC's own library is built for glibc. LLVM's
    # library needs only one function of libc.
    mkdir -p "$libraries"
    cp /usr/lib/llvm-19/lib/libunwind.a "$libraries"
    "$compiler" -O2 -Wall -Wextra -c tests/programs/musl/fprintf_chk.c -o "$libraries/fprintf_chk.o"
    ar r "$libraries/libunwind.a" "$libraries/fprintf_chk.o"
    cp "$libraries/libunwind.a" "$libraries/libgcc_s.a"
    export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER=$compiler CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS

    new_package "$package" musl
    printf 'statictramp = { path = "%s", features = ["grow"] }\nlibc = "0.2"\n' "$PWD" >>"$package/Cargo.toml"
    cp tests/programs/musl/main.rs "$package/src"
    new_package "$library" loaded
    cp tests/programs/loaded/lib.rs "$library/src"
    printf 'statictramp = { path = "%s" }\n[lib]\ncrate-type = ["cdylib"]\n' "$PWD" >>"$library/Cargo.toml"

    for way in static dynamic; do
        CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-Clink-self-contained=no -Lnative=$libraries"
        [ $way = static ] || CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS+=" -Ctarget-feature=-crt-static"
        target=target/cross/musl-$way
        say "$triple: Rust, $way"
        cross_cargo "$triple" build --offline --release --manifest-path "$package/Cargo.toml"
        program=$target/$triple/release/musl
        if [ $way = static ]; then
            ! readelf -lW "$program" | grep -q INTERP || fail "$program is not statically linked"
        else
            readelf -ldW "$program" | grep -c 'interpreter: /lib/ld-musl-x86_64.so.1\|NEEDED.*\[libc.so\]' | grep -qx 2 || fail "$program is not dynamically linked"
        fi
        timeout 300 "$program"
    done

    # A library that contains this crate may be loaded at any time.
    cross_cargo "$triple" build --offline --release --manifest-path "$library/Cargo.toml"
    "$compiler" -O2 -Wall -Wextra tests/programs/loaded/main.c -o "$out/loader"
    library=$PWD/$target/$triple/release/libloaded.so
    "$out/loader" "$library"
    LD_PRELOAD=$library "$out/loader" "$library"

    say "$triple: the core's tests, in static programs"
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-Clink-self-contained=no -Lnative=$libraries"
    # A short run has the unit tests on other machines.
    local tests=--tests sources=$core
    [ "$effort" -ge 100 ] || tests='--test=*' sources=$core-integration
    target=target/cross/musl-static STATICTRAMP_RUNNER='' cross_cargo "$triple" test --offline --manifest-path "$sources/Cargo.toml" --features grow \
        "$tests" 2>&1 | grep -v '^$\|statictramp: 0123'
    [ "${PIPESTATUS[0]}" = 0 ] || fail "the core's tests failed on $triple"
}
