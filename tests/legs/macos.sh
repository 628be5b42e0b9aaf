# Tests macOS as far as this is possible without a Mac. Files are built for macOS and linked by lld and by zig's linker, which
# implements the same rules with code of its own. Then they are mapped with the permissions of their segments, and run by an emulated
# processor without the system libraries (`tests/programs/macos/run.py`). A Rust program with std and the installed dylib are
# linked against zig's stubs of the system libraries, but not run.
# Installs: clang and LLVM 22, ld64.lld, flang 22, CMake, Python; unicorn and zig from PyPI; Rust for macOS.
# Takes: 3 minutes.

need clang-22=clang-22 llvm-lipo-22=llvm-22 cmake=cmake make=make pkg-config=pkg-config llvm-objcopy-22=llvm-22 llvm-strip-22=llvm-22 ld64.lld-19=lld-19 llvm-objdump-22=llvm-22 python3=python3 flang-22=flang-22 g++=g++ \
    /usr/lib/llvm-22/include/llvm/Config/llvm-config.h=llvm-22-dev
need_cross_rust
need_wheel unicorn==2.1.4 9d6e6dea140560de4ebd8446661f7ef84a357d428c14a3ef09dacd306ec8c239
need_wheel ziglang==0.17.1 ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54

out=target/macos programs=tests/programs/macos
mkdir -p $out/stubs

# link ARCH FILE...: links these files into a library, whose name is the first FILE.
link() {
    ld64.lld-19 -arch "$1" -platform_version macos 11 11 -dylib -no_fixup_chains -install_name "${2##*/}" -o "$2" "${@:3}" \
        $programs/libSystem.tbd
    # x18 is reserved for the system.
    if [ "$1" = arm64 ] && llvm-objdump-22 -d "$2" | grep -m 3 '\b[xw]18\b'; then fail "$2 uses x18, which macOS reserves"; fi
}
# zig as a linker for rustc, and as a compiler: it selects the processor with an option of its own.
export ZIG_GLOBAL_CACHE_DIR=$PWD/$out/zig
for machine in aarch64 x86_64; do
    printf '%s\n' '#!/bin/bash' 'words=()' \
        'while [ $# -gt 0 ]; do if [ "$1" = -arch ]; then shift; else words+=("$1"); fi; shift; done' \
        "exec $wheels/python -m ziglang cc -target $machine-macos \"\${words[@]}\"" >$out/zig-cc-$machine
    chmod +x $out/zig-cc-$machine
done
# link_by_zig ARCH FILE...: does the same as link, but with zig's linker.
link_by_zig() {
    "$out/zig-cc-${1/arm64/aarch64}" -shared -Wl,-dead_strip -o "${@:2}" $programs/libSystem.tbd
}
# runs LIBRARY WANTED SYMBOL...: compares the results of the functions, one per line. A fault is printed without its address.
runs() {
    local said
    said=$("$wheels/python" $programs/run.py "$1" "${@:3}" | sed 's/ at 0x[0-9a-f]*$//')
    grep -qxE "$2" <<<"$(tr '\n' ';' <<<"$said")" || fail "$1: unexpected results: $said"
}
refuses_data='Fetch from non-executable memory \(UC_ERR_FETCH_PROT\)'
refuses_writing='Write to write-protected memory \(UC_ERR_WRITE_PROT\)'

# audit STATUS WANTED FILE...: checks that the tool exits with this status, and that its output contains this text once per file.
audit() {
    local said status=0
    said=$("$tool" audit --all "${@:3}" 2>&1) || status=$?
    [ "$(grep -cE "$2" <<<"$said")" = $(($# - 2)) ] || fail "audit ${*:3}: the output does not contain \"$2\" once for each file: $said"
    [ $status = "$1" ] || fail "audit ${*:3} exited with status $status, expected $1: $said"
}
# symbols WORD...: prints the output of llvm-nm, which must succeed and print at least one symbol.
symbols() { llvm-nm-22 "$@" | grep . || fail "llvm-nm-22 $* fails or prints no symbols"; }
# flip FROM TO ADDRESS BIT: flips one bit of the code at an address, which is the file offset if the file is loaded at
# 0.
flip() {
    local at=$((16#$3 + $4 / 8)) byte
    cp "$1" "$2"
    byte=$(od -An -tu1 -j $at -N 1 "$1")
    printf '%b' "\\x$(printf %x $((byte ^ 1 << $4 % 8)))" | dd "of=$2" bs=1 seek=$at conv=notrunc status=none
}
cargo build --quiet --release --locked -p statictramp-cli
tool=target/release/statictramp

say "the stubs alone, with the static chain where LLVM's nest and code compiled by GCC expect it"
# stubs MACHINE LANDING_PADS SLOTS
stubs() {
    local arch=${1/aarch64/arm64} compiler
    compiler=(clang-22 "--target=$arch-apple-macos11" -w -O1)
    {
        printf '.set %s\n' "SLOTS, $3" 'LEAD, 64' 'SLOT_STRIDE, 32' "LANDING_PADS, $2"
        cat "asm/macho/$1.S" asm/macho/table.S
    } | sed s/statictramp_VERSION_/statictramp_0_1_/ >$out/stubs/table.s
    "${compiler[@]}" -c tests/programs/cross/nest.ll -o $out/stubs/nest.o
    "${compiler[@]}" -c $out/stubs/table.s -o $out/stubs/table.o
    "${compiler[@]}" "-DLANDING_PADS=$2" "-DMANY=$3" -c $programs/stubs.c -o $out/stubs/stubs.o
    link "$arch" "$out/stubs/$1.dylib" $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/table.o
    runs "$out/stubs/$1.dylib" "_run: 0;_run@3: 0;_run_data: $refuses_data;" _run _run@3 _run_data
    # The linkers may move and drop what follows a symbol, so they must keep the stubs together: even if the table is cut out of
    # a program whose functions are listed in another order.
    printf '_statictramp_0_1_%s\n' stubs_end slots stubs lead >$out/stubs/order
    link "$arch" "$out/stubs/ordered.dylib" -dead_strip -order_file $out/stubs/order -u _run $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/table.o
    link_by_zig "$arch" "$out/stubs/zig.dylib" $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/table.o
    for image in ordered zig; do
        runs "$out/stubs/$image.dylib" "_run: 0;_run@3: 0;_run_data: $refuses_data;" _run _run@3 _run_data
        audit 0 "intact: $3 stubs" "$out/stubs/$image.dylib"
    done
    echo "$1, landing pads $2: $3 stubs, linked by lld and zig"
}
# tables MACHINE LANDING_PADS SLOTS: compares audit's verdicts on these tables, with and without symbols, and with one bit of a
# stub flipped.
tables() {
    local arch=${1/aarch64/arm64} image=$out/stubs/$1.dylib stripped=$out/stubs/stripped.dylib start size number bit file fixups
    local whole="intact: $3 stubs, each of which reads only its own slot"
    [ "$2" = 0 ] || whole+=', with landing pads'
    llvm-strip-22 -x "$image" -o "$stripped"
    audit 0 "$whole\$" "$image" "$stripped"
    audit 0 "not yet linked: $3 slots" $out/stubs/table.o
    start=$(llvm-nm-22 "$image" | awk '$3 == "_statictramp_0_1_stubs" { print $1 }')
    size=32
    [ "$1$2" != x86_640 ] || size=16
    rm -rf $out/stubs/flipped
    mkdir $out/stubs/flipped
    for number in 0 $(($3 / 2)) $(($3 - 1)); do
        for bit in 13 45 $((8 * size - 1)); do
            for file in "$image" "$stripped"; do
                flip "$file" "$out/stubs/flipped/$number-$bit-${file##*/}" "$start" $((8 * size * number + bit))
            done
        done
        audit 1 "BROKEN: stub $number \(at 0x" $out/stubs/flipped/$number-*
    done
    # Two copies of the library.
    sed s/_0_1_/_0_2_/ $out/stubs/table.s >$out/stubs/other.s
    clang-22 "--target=$arch-apple-macos11" -c $out/stubs/other.s -o $out/stubs/other.o
    link "$arch" $out/stubs/two.dylib $out/stubs/table.o $out/stubs/other.o
    llvm-strip-22 -x $out/stubs/two.dylib -o $out/stubs/two-stripped.dylib
    [ "$("$tool" audit --all $out/stubs/two.dylib $out/stubs/two-stripped.dylib | grep -c "$whole\$")" = 4 ] || fail "audit does not report both copies of the library as intact"
    # The first slot contains a pointer, which the loader would relocate, and a code segment is writable.
    sed 's/.*\.zerofill __DATA,__statictramp.*/.section __DATA,__statictramp\n.p2align 7\n_statictramp_0_1_slots: .quad _statictramp_0_1_stubs\n.zero SLOTS * SLOT_STRIDE - 8/' \
        $out/stubs/table.s >$out/stubs/written.s
    clang-22 "--target=$arch-apple-macos11" -c $out/stubs/written.s -o $out/stubs/written.o
    for fixups in -no_fixup_chains -fixup_chains; do
        link "$arch" $out/stubs/written.dylib "$fixups" $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/written.o
        audit 1 'BROKEN: the loader writes to it, at 0x' $out/stubs/written.dylib
        link "$arch" $out/stubs/chains.dylib "$fixups" $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/table.o
        audit 0 "$whole\$" $out/stubs/chains.dylib
    done
    link "$arch" $out/stubs/writable.dylib -segprot __TEXT rwx rwx $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/table.o
    audit 1 'BROKEN: its stubs are not in an executable, non-writable segment' $out/stubs/writable.dylib
    link "$arch" $out/stubs/executable.dylib -segprot __DATA rwx rwx $out/stubs/stubs.o $out/stubs/nest.o $out/stubs/table.o
    audit 1 'BROKEN: its slots are not in a writable, non-executable segment' $out/stubs/executable.dylib
}
for machine in aarch64 x86_64; do
    for pads in 1 0; do
        stubs $machine $pads 1024
        tables $machine $pads 1024
    done
done
# The addend of a relocation on x86-64 is not limited as it is on AArch64.
stubs x86_64 1 300000
audit 0 'intact: 300000 stubs' $out/stubs/x86_64.dylib

# for_target TRIPLE: sets the variables that the sections below use.
for_target() {
    triple=$1 arch=${1%%-*}
    arch=${arch/aarch64/arm64}
    compiler=(clang-22 "--target=$arch-apple-macos11" -ffreestanding "-I$out/prefix-$triple/include")
    archive=$out/prefix-$triple/lib/libstatictramp.a
}
late='_abort, after: statictramp: call through a freed trampoline: slot [0-9]+, former callee 0x[0-9a-f]+'
full='_abort, after: statictramp: all 1024 trampolines are in use, and the table cannot grow:'

source tests/legs/parts/machines.sh
need_test_tools
seed=${STATICTRAMP_SEED:-$(date +%s)} cpp_count=$(share 400)
[ "$cpp_count" -ge 30 ] || cpp_count=30

for triple in aarch64-apple-darwin x86_64-apple-darwin; do
    for_target "$triple"
    say "$triple: closures and the table, without std"
    target=$out/program cross_cargo "$triple" build --release --locked --manifest-path $programs/Cargo.toml
    "${compiler[@]}" -O2 -c $programs/callers.c -o $out/callers.o
    link "$arch" $out/program.dylib -dead_strip -u _closures $out/callers.o "$out/program/$triple/release/libstatictramp_macos.a"
    runs $out/program.dylib \
        "_closures: 0;_closures@5: 0;_raw: 0;_table@5: 0;_table: 0;_write_stub: $refuses_writing;_run_stack: $refuses_data;_dead_call: $late;" \
        _closures _closures@5 _raw _table@5 _table _write_stub _run_stack _dead_call
    echo "$triple: closures, raw closures, a full table, a call after free"

    say "$triple: libstatictramp, called by C"
    # LLVM's tools stand in for Apple's.
    env "CC=clang-22 --target=$arch-apple-macos11 -mlinker-version=705 --ld-path=$(command -v ld64.lld-19) -nostdlib" \
        LDFLAGS="$PWD/$programs/libSystem.tbd" AR=llvm-ar-22 NM=llvm-nm-22 FEATURES=grow "CARGO_BUILD_TARGET=$triple" "CARGO_TARGET_DIR=$out/capi" \
        capi/install.sh "$PWD/$out/prefix-$triple" >/dev/null
    said=$(env CARGO=true CC=true NM=false "CARGO_BUILD_TARGET=$triple" "CARGO_TARGET_DIR=$out/capi" capi/install.sh "$PWD/$out/no-symbols" 2>&1) &&
        fail "capi/install.sh succeeded although nm failed"
    [ "$said" = 'install.sh: "false" finds no symbols in the object that cargo has built; set NM' ] || fail "$said"
    "${compiler[@]}" -w -O1 -c tests/programs/cross/nest.ll -o $out/nest.o
    for level in -O0 -O2; do
        "${compiler[@]}" $level -Wall -Wextra -c $programs/library.c -o $out/library.o
        link "$arch" $out/library.dylib -dead_strip $out/library.o $out/nest.o "$archive"
        runs $out/library.dylib "$(printf '%s: 0;' _library _library@5 _denied _grown _grown@5 _raw _raw_on_stack)_dead_call: $late;_free_twice: _abort, after: statictramp: cannot free 0x[0-9a-f]+: the trampoline is already dead;" \
            _library _library@5 _denied _grown _grown@5 _raw _raw_on_stack _dead_call _free_twice
        runs $out/library.dylib "$(printf '%s: 0;' _nested_functions _nested_functions@5 _left)_delete_too_much: _abort, after: statictramp: a nested function's trampoline was deleted, but this thread has none on this stack;" \
            _nested_functions _nested_functions@5 _left _delete_too_much
        runs $out/library.dylib "_left_below_a_handler: $full STATICTRAMP_LIMIT.*;" _left_below_a_handler
        runs $out/library.dylib "_full: $full STATICTRAMP_LIMIT, or the program, allows no more; build.*;" _full
        runs $out/library.dylib "_full_as_denied: $full this code cannot be mapped a second time; build.*;" _full_as_denied
        runs $out/library.dylib "_dead_call_grown: $late;_write_grown: $refuses_writing;" _dead_call_grown _write_grown
    done
    audit 0 'intact: 1024 stubs' $out/program.dylib $out/library.dylib
    audit 0 'not yet linked: 1024 slots' "$archive"
    said=$(symbols -gU $out/library.dylib)
    ! grep -E ' _(statictramp|__gcc|_Fortran)' <<<"$said" || fail "a dylib exports the archive's functions"
    echo "$triple: trampolines, contexts, a full table, calls after free; it imports $(llvm-nm-22 -u $out/library.dylib | tr -s ' \n' ' ')"

    say "$triple: random signatures, classes and a variadic callback of C++, compiled with libc++'s headers"
    machine "${triple%%-*}"
    zig_cpp=("$wheels/python" -m ziglang c++ -target "${triple%%-*}-macos.11.0" -std=c++17 -w -fno-exceptions -fno-rtti -fno-stack-protector
        -fno-sanitize=undefined -Icapi/include -Icapi/tests/programs/wrapper)
    "$test_tools" cpp-signatures "$cpp_count" "$seed" "$wrapper_arguments" "$wrapper_results" >$out/signatures.cpp
    "$test_tools" cpp-classes "$cpp_count" "$seed" >$out/classes.cpp
    "${zig_cpp[@]}" -O1 -DCALLBACKS -c $out/signatures.cpp -o $out/callbacks.o
    "${zig_cpp[@]}" -O2 -DCALLERS -c $out/signatures.cpp -o $out/callers.o
    "${zig_cpp[@]}" -O1 -c $out/classes.cpp -o $out/classes.o
    said=$(symbols -m $out/classes.o | grep -E '5thunkI|6changeE') || fail "classes.o has no functions that call the C library"
    ! grep ' weak external ' <<<"$said" || fail "functions that call the C library are not hidden"
    "${zig_cpp[@]}" -O1 -c $programs/wrapper.cpp -o $out/wrapper.o
    link "$arch" $out/signatures.dylib -dead_strip $out/{callbacks,callers,wrapper}.o "$archive"
    runs $out/signatures.dylib "_main: 0;_variadic: 0;" _main _variadic
    link "$arch" $out/classes.dylib -dead_strip $out/{classes,wrapper}.o "$archive"
    runs $out/classes.dylib "_main: 0;" _main
    echo "$triple: $cpp_count signatures and classes, seed $seed"
done

say "the installed dylib, and universal binaries"
for_target aarch64-apple-darwin
prefix=$PWD/$out/prefix-$triple
[ "$(readlink "$prefix/lib/libstatictramp.dylib")" = libstatictramp.0.dylib ] || fail "libstatictramp.dylib is not a link to the dylib"
said=$(llvm-objdump-22 --macho --private-headers "$prefix/lib/libstatictramp.0.dylib" | grep -A 6 LC_ID_DYLIB | tr -s ' \n' ' ')
[[ $said = *" name $prefix/lib/libstatictramp.0.dylib "*" current version 0.1.0 compatibility version 0.1.0 "* ]] || fail "the dylib has a different install name or version: $said"
said=$(symbols -gUj "$prefix/lib/libstatictramp.0.dylib")
comm -23 <(sort <<<"$said") <(sed -n 's/^ *\([a-zA-Z_][a-zA-Z_0-9]*\);.*/_\1/p' capi/install/statictramp.map | sort) | grep . &&
    fail "the dylib exports symbols that are not part of the interface"
audit 0 'intact: 1024 stubs' "$prefix/lib/libstatictramp.0.dylib"
read -ra flags < <(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs statictramp)
$out/zig-cc-aarch64 -std=c11 capi/tests/programs/install/program.c "${flags[@]}" -o $out/linked
cmake -S capi/tests/programs/install/cmake -B $out/cmake -DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_OSX_ARCHITECTURES=arm64 \
    -DCMAKE_C_COMPILER="$PWD/$out/zig-cc-aarch64" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build $out/cmake >/dev/null
for program in linked cmake/sample-{statictramp,static}; do
    llvm-objdump-22 --macho --dylibs-used "$out/$program"
done | sed -n "s|.*$prefix/lib/\(.*\) (compatibility.*|\1|p" >$out/dylibs
[ "$(grep -c '^libstatictramp.0.dylib$' $out/dylibs)" = 2 ] || fail "the programs that load the dylib are not exactly the two linked with it: $(cat $out/dylibs)"
# Two-level namespace: each image has its own table, whose symbols no other image sees.
llvm-objdump-22 --macho --private-header $out/linked | grep -q TWOLEVEL || fail "the program does not use a two-level namespace"
llvm-lipo-22 -create $out/prefix-{aarch64,x86_64}-apple-darwin/lib/libstatictramp.0.dylib -output $out/universal.dylib
for arch in arm64 x86_64; do
    llvm-lipo-22 -thin $arch $out/universal.dylib -output $out/thin.dylib
    cmp $out/thin.dylib $out/prefix-${arch/arm64/aarch64}-apple-darwin/lib/libstatictramp.0.dylib || fail "the universal library contains a different library for $arch"
done
[ "$("$tool" audit --all $out/universal.dylib | grep -c 'intact: 1024 stubs')" = 2 ] || fail "audit does not report the tables of a universal library"

say "a Rust program with std, by the default assembler"
# std WORD...: builds the program for macOS with rustup's std.
fetch add_target aarch64-apple-darwin
std() { env -u STATICTRAMP_ASM CARGO_TARGET_AARCH64_APPLE_DARWIN_LINKER="$PWD/$out/$1" cargo "${@:2}" --target aarch64-apple-darwin --target-dir $out/std 2>&1; }
new_package "$out/with-std" macos-with-std
printf '%s\n' "statictramp = { path = \"$PWD\" }" "statictramp-raw = { path = \"$PWD/raw\" }" >>$out/with-std/Cargo.toml
cat >$out/with-std/src/main.rs <<'END'
use std::thread;

fn main() {
    let base = std::env::args().count() as i32;
    let add = move |x: i32| base + x;
    let callback = statictramp::bind(&add).unwrap();
    let f = callback.as_fn();
    // SAFETY: the guard outlives both calls.
    thread::scope(|scope| scope.spawn(move || unsafe { f(1) }).join().unwrap());
    println!("{} of {}", statictramp::live(), statictramp::capacity());
}
END
said=$(std zig-cc-aarch64 build --release --manifest-path $out/with-std/Cargo.toml) || fail "$said"
audit 0 'intact: 1024 stubs, each of which reads only its own slot' $out/std/aarch64-apple-darwin/release/macos-with-std
# A linker that cannot place the stubs.
printf '#!/bin/sh\n! grep -qs -- statictramp_0_1_stubs "$@" || exit 1\nexec %s "$@"\n' "$PWD/$out/zig-cc-aarch64" >$out/no-stubs
chmod +x $out/no-stubs
said=$(std no-stubs check -p statictramp) || fail "$said"
grep -q '^warning: .*the linker for aarch64-apple-darwin cannot place the stubs, so compiler-generated functions replace them' <<<"$said" || fail "$said"
said=$(std no-stubs check -p statictramp-raw) && fail "statictramp-raw was built without stubs"
grep -q 'statictramp-raw needs stubs, and this build for the target aarch64-apple-darwin has none, because the linker cannot place them' <<<"$said" || fail "$said"
said=$(STATICTRAMP_ASM=none cargo check --quiet --target aarch64-apple-darwin --target-dir $out/std -p statictramp-archive 2>&1) && fail "libstatictramp was built with STATICTRAMP_ASM=none"
grep -q "^error: libstatictramp needs stubs, .* because STATICTRAMP_ASM is none" <<<"$said" || fail "$said"

say "raw trampolines of random signatures, by Apple's calling convention"
for_target aarch64-apple-darwin
machine aarch64
count=$(share 400)
mkdir -p $out/signatures
echo "seed $seed"
"$test_tools" signatures "$count" "$seed" $out/signatures "${fields[@]}" long_double=8 kinds=INT128,COMPLEX
for level in O0 O2; do
    "${compiler[@]}" -fno-stack-protector -$level -w -DPREFIX=clang_$level -c $out/signatures/calls.c -o $out/signatures/$level.o
done
"${compiler[@]}" -fno-stack-protector -O1 -Wall -Wextra -I$out/signatures -c $programs/signatures.c -o $out/signatures/signatures.o
link "$arch" $out/signatures.dylib -dead_strip $out/signatures/{signatures,O0,O2}.o "$archive"
runs $out/signatures.dylib '_signatures: 0;' _signatures
echo "$triple: $count signatures"

say "internal procedures of flang 22, by the plugin"
source tests/legs/parts/plugin.sh
build_plugin 22
plugin=$PWD/$(plugin_target 22)/release/libstatictramp_flang.so
"${compiler[@]}" -O2 -Wall -Wextra -c $programs/flang.c -o $out/flang.o
mkdir -p $out/modules
for level in -O0 -O1 -O2 -O3; do
    fortran=(flang-22 --target=arm64-apple-macos11 "$level" -module-dir "$out/modules" -c "$programs/internal.f90")
    "${fortran[@]}" -o $out/stock.o
    link arm64 $out/stock.dylib -dead_strip $out/flang.o $out/stock.o "$archive"
    runs $out/stock.dylib "_on_stack: $refuses_data;" _on_stack
    "${fortran[@]}" "-fpass-plugin=$plugin" -o $out/internal.o
    said=$(symbols -u $out/internal.o)
    ! grep clear_cache <<<"$said" || fail "flang $level: internal.o calls clear_cache, so it writes a trampoline"
    link arm64 $out/internal.dylib -dead_strip $out/flang.o $out/internal.o "$archive"
    runs $out/internal.dylib "_internal: 0;_internal@5: 0;" _internal _internal@5
done
echo "$triple: hosts that call themselves, pointers to internal procedures, at four levels; without the plugin the program jumps into the stack at each level"

say "the same from LLVM IR, with the rewriter"
plugin_settings 22
env "${settings[@]}" cargo build --quiet --release -p statictramp-flang --bin statictramp-rewrite
flang-22 --target=arm64-apple-macos11 -O1 -module-dir $out/modules -S -emit-llvm $programs/internal.f90 -o $out/before.ll
grep -q 'llvm\.init\.trampoline' $out/before.ll || fail "before.ll does not contain llvm.init.trampoline, so this test proves nothing"
"$(plugin_target 22)/release/statictramp-rewrite" -S $out/before.ll -o $out/after.ll
! grep -q 'llvm\.init\.trampoline' $out/after.ll || fail "after.ll still contains llvm.init.trampoline"
clang-22 --target=arm64-apple-macos11 -O1 -w -c $out/after.ll -o $out/rewritten.o
link arm64 $out/rewritten.dylib -dead_strip $out/flang.o $out/rewritten.o "$archive"
runs $out/rewritten.dylib "_internal: 0;_internal@5: 0;" _internal _internal@5
echo "$triple: the same program"
