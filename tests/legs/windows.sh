# x86-64 Windows: built by mingw, run under Wine. Closures through every kind of adapter, the installed C library,
# compilers' calls, C++ and its exceptions; the C library for Microsoft's target; the tool.
# Installs: MinGW, clang 19 and 22, MLIR 19 and 22, Wine, CMake; Rust for Windows.
# Takes: 3 minutes.

need_cross_rust
need x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 x86_64-w64-mingw32-g++=g++-mingw-w64-x86-64 clang++-19=clang-19 clang-cl-19=clang-tools-19 llvm-lib-19=llvm-19 clang-22=clang-22 mlir-opt-19=mlir-19-tools mlir-opt-22=mlir-22-tools \
    ld.lld-19=lld-19 cmake=cmake make=make \
    pkg-config=pkg-config wine=wine /usr/lib/wine/wine64=wine64 gcc=gcc

need_test_tools
triple=x86_64-pc-windows-gnu
out=$PWD/target/windows
mkdir -p "$out"
export WINEPREFIX=$out/wine WINEDEBUG=-all CARGO_PROFILE_DEV_DEBUG=false
export CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
target=$out/cargo

# compile COMPILER OUTPUT WORD...: builds a program or DLL. A 64-bit image has no 32-bit relocations: GNU ld emits some
# where none belong, and the loader would corrupt the memory there.
compile() {
    "$1" -Wall -Wextra -Icapi/include -Iinterop/capi/include "${@:3}" -o "$2"
    ! x86_64-w64-mingw32-objdump -p "$2" | grep HIGHLOW >&2 || fail "$2 has 32-bit relocations"
}
gcc=x86_64-w64-mingw32-gcc gxx=x86_64-w64-mingw32-g++ programs=tests/programs/windows

# program NAME: creates a package that builds the Rust program of that name as an archive.
program() {
    new_package "$out/$1" "windows-$1"
    cat >>"$out/$1/Cargo.toml" <<END
statictramp = { path = "$PWD", default-features = false }
[lib]
crate-type = ["staticlib"]
[profile.dev]
panic = "abort"
END
    cp "$programs/$1.rs" "$out/$1/src/lib.rs"
    cross_cargo $triple build --manifest-path "$out/$1/Cargo.toml"
}

say "closures through every kind of adapter"
for assembler in cc rust; do
    STATICTRAMP_ASM=$assembler program closures
    compile $gcc "$out/closures.exe" $programs/closures.c "$target/$triple/debug/libwindows_closures.a"
    said=$(wine "$out/closures.exe" | tr -d '\r')
    [ "$said" = "120 closures were called" ] || fail "the program with stubs assembled by $assembler printed \"$said\", expected \"120 closures were called\""
    echo "by $assembler: $said"
done

say "the core's tests"
core=$out/core
rm -rf "$core"
copy_core_tests "$core"
cp -a tests/layout_coff.rs "$core/tests"
# Wine 8 lacks the library from which std takes its random numbers.
compile $gcc "$out/bcryptprimitives.dll" -shared $programs/bcryptprimitives.c -ladvapi32
winepath=Z:${out//\//\\}
(
    export WINEPATH=$winepath CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine PROPTEST_CASES STATICTRAMP_OPERATIONS
    PROPTEST_CASES=$(share 256) STATICTRAMP_OPERATIONS=$(share 200000)
    cross_cargo $triple test --manifest-path "$core/Cargo.toml" -p statictramp -p statictramp-raw --features grow,__for-capi --tests
)

say "callbacks of Windows' own functions, with the types of windows-sys"
new_package "$out/system" windows-system
cat >>"$out/system/Cargo.toml" <<END
statictramp = { path = "$PWD" }
windows-sys = { version = "0.61", features = ["Win32_Graphics_Gdi", "Win32_System_Threading", "Win32_UI_WindowsAndMessaging"] }
END
cp $programs/system.rs "$out/system/src/main.rs"
cross_cargo $triple build --offline --manifest-path "$out/system/Cargo.toml"
WINEPATH=$winepath timeout 300 wine "$target/$triple/debug/windows-system.exe"

say "random signatures of Rust's closures"
rustc --edition 2024 -O tests/programs/abi/generate.rs -o "$target/generate-signatures"
source tests/legs/parts/machines.sh
machine windows
WINEPATH=$winepath source tests/legs/parts/abi_cross.sh

export LC_ALL=C.UTF-8 # for file names
odd="$out/a päth of Ωs"
mkdir -p "$odd"

say "the C library, installed"
# These flags make the archive contain empty .dwo members, as rustup's compiler_builtins does.
split='-Csplit-debuginfo=unpacked -Zunstable-options'
lib=$PWD/$(STATICTRAMP_SLOTS=64 cross_capi $triple CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS="$split")
x86_64-w64-mingw32-ar t "$target/capi/$triple/release/libstatictramp_archive.a" | grep -q '\.dwo$' || fail "cargo's archive has no .dwo members, so this test proves nothing"
prefix=${lib%/lib}
archive=$lib/libstatictramp.a import=$lib/libstatictramp.dll.a
cp "$prefix/bin/statictramp.dll" "$out"
cp "$prefix/bin/statictramp.dll" "$odd"
(cd "$prefix" && find . -type f -not -path "*/man/*" -printf '%s %p\n' | sort -k 2)
# The shared library's interface on other systems, without OpenMP devices and the declarations of statictramp_interop.h except those for
# memrefs.
grep -o '\bstatictramp_[a-z_]*(' interop/capi/include/statictramp_interop.h | tr -d '(' | sort -u | grep -v 'memref\|unranked\|lowering' | while read -r name; do
    [ -e "capi/install/man/$name.3" ] || echo "$name"
done >"$out/elsewhere"
sed -n 's/^symbol \(\w*\).*/\1/p' packaging/interface | grep -vxFf "$out/elsewhere" | grep -v '^__\(kmpc\|llvm_omp\|omp\|tgt\)_' | sort >"$out/wanted"
x86_64-w64-mingw32-objdump -p "$out/statictramp.dll" | awk '/Ordinal\/Name Pointer/ { on = 1; next } NF == 0 { on = 0 } on { print $NF }' |
    sort >"$out/exported"
diff "$out/wanted" "$out/exported" || fail "the exported symbols of the DLL (>) differ from the interface (<)"
export PKG_CONFIG_LIBDIR=$lib/pkgconfig
read -ra words < <(pkg-config --cflags --libs statictramp)
compile $gcc "$out/sample.exe" capi/tests/programs/install/program.c "${words[@]}"
compile $gcc "$odd/sample-static.exe" capi/tests/programs/install/program.c -static "${words[@]}"
cmake -S capi/tests/programs/install/cmake -B "$out/cmake" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$gcc -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$out/cmake" >/dev/null
cp "$out"/cmake/sample-statictramp.exe "$odd"
for sample in "$out/sample.exe" "$odd/sample-static.exe" "$odd/sample-statictramp.exe" "$out/cmake/sample-static.exe"; do
    wine "$sample"
done

say "closures over memrefs, called by MLIR code"
source tests/legs/parts/lower.sh
write_calls "$out/calls.mlir"
cross_cargo $triple build --locked --manifest-path interop/tests/programs/mlir/Cargo.toml --config profile.dev.opt-level=1
for version in 19 22; do
    lower $version "$out/calls.mlir" "$out/calls.ll"
    for level in -O0 -O2; do
        [ "$effort" -ge 100 ] || case $version$level in 19-O0 | 22-O2) ;; *) continue ;; esac
        clang-$version --target=x86_64-w64-mingw32 $level -Wno-override-module -c "$out/calls.ll" -o "$out/calls.o"
        compile $gcc "$out/callers.exe" "$out/calls.o" "$target/$triple/debug/libmlir_callers.a" -lntdll -luserenv -lws2_32 -ldbghelp
        echo "MLIR $version, $level: $(timeout 300 wine "$out/callers.exe" "$(share 100000)")"
        compile $gcc "$out/memrefs.exe" $level interop/tests/programs/mlir/closures.c "$out/calls.o" "$archive"
        timeout 300 wine "$out/memrefs.exe"
    done
done

say "the C library, as an archive and as a DLL"
compile $gcc "$out/library.exe" -O2 $programs/library.c "$archive"
compile $gcc "$odd/library of Ωs.exe" -O0 $programs/library.c "$import"
timeout 300 wine "$out/library.exe"
timeout 300 wine "$odd/library of Ωs.exe"

compile $gcc "$out/hidden.dll" -shared $programs/library.c "$archive" -Wl,--exclude-libs,libstatictramp.a
! x86_64-w64-mingw32-objdump -p "$out/hidden.dll" | grep -E '\] .*(statictramp_|__gcc_nested|_Fortran)' || fail "a DLL exports the archive's functions in spite of --exclude-libs"

say "the program's file, or its code in memory, changes"
# changed DIRECTORY HOW ANSWER: the program there, run with HOW, prints ANSWER, or that the table cannot grow for that
# reason.
changed() {
    local said
    said=$(timeout 300 wine "$1/changed.exe" "$2" 2>&1 | tr -d '\r') || :
    [[ $said = "$3" || $said = *"the table cannot grow: $3"* ]] || fail "$2: $said"
    echo "$2: $3"
}
differ="this code and the file that it came from differ"
compile $gcc "$out/changed.exe" $programs/changed.c "$archive"
changed "$out" as-it-was grown
changed "$out" breakpoint grown
changed "$out" patched "$differ"
# Windows denies writing to the file of a running program; Wine allows it.
cp "$out/changed.exe" "$odd"
coproc in_wine { timeout 300 wine "$odd/changed.exe" wait 2>"$out/said"; }
exec {from}<&"${in_wine[0]}" {to}>&"${in_wine[1]}"
wine_process=$in_wine_PID
read -r -u $from offset
printf '\x90' | dd "of=$odd/changed.exe" bs=1 "seek=${offset%$'\r'}" conv=notrunc status=none
echo >&$to
exec {to}>&- {from}<&-
wait "$wine_process" && fail "the table grew although the file was changed"
grep -q "the table cannot grow: $differ" "$out/said" || fail "growth with a changed file failed for a different reason: $(cat "$out/said")"
echo "a changed file: $differ"
# A program's path includes its drive letter, which Wine prepends.
for length in 256 260 1023; do
    long=$out
    while ((${#long} + 14 < length)); do
        rest=$((length - 14 - ${#long}))
        # A directory name takes two characters or more, and some must remain for the next.
        ((rest > 200 ? (rest = 150) : rest > 1)) || fail "cannot make a path of $length characters below $out"
        long+=/$(printf "%0$((rest - 1))d" 0)
    done
    mkdir -p "$long"
    cp "$out/changed.exe" "$long"
    changed "$long" as-it-was grown
    echo "that was by a path of $length characters"
done

say "random signatures of C"
source capi/tests/legs/parts/signatures.sh
c_signatures windows "$archive"

say "Linux-only functions are rejected"
! said=$(cross_cargo $triple check -p statictramp-archive --features scratch 2>&1) || fail "the scratch feature compiled for Windows, but should have been rejected"
grep -q "libstatictramp's .scratch. feature is available only on Linux" <<<"$said" || fail "scratch: $said"

say "the tool"
cross_cargo "$triple" build -p statictramp-cli
(unset CARGO_PROFILE_DEV_DEBUG && with_compilers cli windows) # for this machine, as in other legs

say "DLLs that are loaded and freed"
compile $gcc "$out/loader.exe" -municode $programs/loader.c
cp "$out/statictramp.dll" "$odd/ß.dll"
timeout 300 wine "$out/loader.exe" "$odd/ß.dll"
# Two images are linked for the same address, so one is relocated.
compile $gcc "$out/copies.exe" -municode $programs/copies.c
compile $gcc "$odd/copy.dll" -shared $programs/copy.c "$archive"
cp "$odd/copy.dll" "$odd/another copy.dll"
timeout 300 wine "$out/copies.exe" "$odd/copy.dll" "$odd/another copy.dll" 2>"$out/said"
[ "$(grep -c 'is a trampoline of another copy of this library' "$out/said")" = 2 ] || fail "copies.c: $(cat "$out/said")"

say "the C library for Microsoft's target, installed by cmd.exe with LLVM's tools"
# cmd.exe under Wine cannot wait for this system's programs, so copies of relay.c stand in for the tools.
tools=$out/msvc-tools relay=$out/msvc-tools/relay microsoft="$out/prefix for msvc"
rm -rf "$tools" "$microsoft" "$out/cmake-msvc"
mkdir -p "$tools"
compile $gcc "$tools/cargo.exe" $programs/relay.c
for tool in clang-cl llvm-lib lld-link; do cp "$tools/cargo.exe" "$tools/$tool.exe"; done
printf '@llvm-lib %%*\r\n' >"$tools/librarian.cmd" # a tool may be a batch file
# Stand-ins for the import libraries of Microsoft's SDK. The program's C runtime is mingw's, so errno is that of msvcrt.dll.
cp "$(echo "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/windows_x86_64_msvc-0.53.*/lib/windows.*.lib)" "$tools/kernel32.lib"
printf 'LIBRARY msvcrt.dll\nEXPORTS\n_errno\nmalloc\nstrlen\nprintf\nqsort\n' >"$tools/ucrt.def"
printf 'LIBRARY ntdll.dll\nEXPORTS\nmemcpy\nmemmove\nmemset\nmemcmp\n__chkstk\n' >"$tools/ntdll.def"
for name in ucrt ntdll; do llvm-dlltool-19 -m i386:x86-64 -d "$tools/$name.def" -l "$tools/$name.lib"; done
make_sysroot x86_64-pc-windows-msvc
# run_tool: runs the tool that relay.c asks for. An argument that begins with a path becomes relative, as it would be an option
# here otherwise.
run_tool() {
    local words word arguments=()
    mapfile -t words <"$relay"
    words=("${words[@]//\\//}") words=("${words[@]//Z:\///}")
    cd "${words[1]}" || return
    for word in "${words[@]:2}"; do
        [[ $word != "$out"/* ]] || word=$(realpath -m --relative-to=. "$word")
        arguments+=("$word")
    done
    word=${words[0]##*/} word=${word%.exe}
    printf '%s\n' "${words[@]}" | grep '^--emit=obj=' >>"$out/objects" || true
    case $tools_are in
    failing) return 3 ;;
    pretending)
        # shellcheck disable=SC2046 # paths without blanks
        touch $(printf '%s\n' "${words[@]:2}" | sed -n 's/^\(--emit=obj=\|\/out:\|\/implib:\|\/Fo\)//p')
        return
        ;;
    esac
    case $word in cargo) ;; *) word+=-19 ;; esac
    RUSTC=$sysroots/rustc CARGO_TARGET_DIR=$target/msvc STATICTRAMP_SLOTS=64 "$word" "${arguments[@]}"
}
# installs TOOLS WORD...: runs cmd.exe with these words, and the tools for it.
installs() {
    local tools_are=$1 installer status
    WINEPATH="Z:${tools//\//\\}" RELAY="Z:$relay" CC="clang-cl --target=x86_64-pc-windows-msvc" AR=librarian.cmd LD=lld-link LDFLAGS="\"/libpath:$tools\"" \
        CARGO_TARGET_DIR="Z:$target/msvc" timeout 1800 wine cmd /c "${@:2}" &
    installer=$!
    while kill -0 $installer 2>/dev/null; do
        if [ -e "$relay" ]; then
            if (run_tool); then status=0; else status=$?; fi
            rm "$relay"
            echo $status >"$relay.new"
            mv "$relay.new" "$relay.answer"
        else
            sleep 0.1
        fi
    done
    wait $installer
}
rm -f "$out/objects"
installs real 'capi\install.cmd' "Z:$microsoft" --quiet || fail "install.cmd exited with status $?"
status=0
installs failing 'capi\install.cmd' --uninstall 2>/dev/null || status=$?
[ $status = 2 ] || fail "install.cmd --uninstall exited with status $status, expected 2"
# Each run makes a new object, characters in PREFIX are not commands, and the environment does not hide that a tool failed. Programs
# that have opened a file keep it when it is replaced.
mkdir -p "$out/R & echo INJECTED/lib"
echo old >"$out/old.lib"
ln -f "$out/old.lib" "$out/R & echo INJECTED/lib/statictramp.lib"
printf '@call capi\\install.cmd "Z:%s"\r\n' "$out/R & echo INJECTED" >"$out/again.cmd"
installs pretending "Z:${out//\//\\}\again.cmd" >"$out/said" || fail "install.cmd exited with status $?: $(cat "$out/said")"
! grep '^INJECTED' "$out/said" || fail "install.cmd runs a part of PREFIX as a command"
[ "$(cat "$out/old.lib")" = old ] && [ ! -s "$out/R & echo INJECTED/lib/statictramp.lib" ] || fail "install.cmd writes to a file that it should replace"
ERRORLEVEL=0 installs failing "Z:${out//\//\\}\again.cmd" 2>/dev/null && fail "install.cmd succeeded although cargo failed"
! ls -d "$target"/msvc/libstatictramp-msvc-* 2>/dev/null || fail "install.cmd leaves its directory"
[ "$(sort -u "$out/objects" | wc -l)" = 3 ] || fail "two runs of install.cmd have used the same object: $(cat "$out/objects")"
(cd "$microsoft" && find . -type f -printf '%s %p\n' | sort -k 2)
llvm-readobj-19 --coff-exports "$microsoft/bin/statictramp.dll" | sed -n '/^Export {/,/^}/s/^ *Name: //p' | sort >"$out/exported"
diff "$out/wanted" "$out/exported" || fail "the exported symbols of the DLL for Microsoft's target (>) differ from the interface (<)"
! llvm-nm-19 -g --defined-only "$microsoft/lib/statictramp.lib" | grep ' [A-Z] ' | grep -v ' \(statictramp_\|_FortranA\|__gcc_nested_func_\|_\(R\|ZN\).*statictramp\|__xmm@\)' ||
    fail "the archive for Microsoft's target has external symbols that are not part of the interface"
! llvm-readobj-19 --coff-imports "$microsoft/bin/statictramp.dll" | sed -n 's/^  Name: //p' | grep -vx 'kernel32.dll\|ntdll.dll\|msvcrt.dll' ||
    fail "the DLL for Microsoft's target imports other DLLs"
compile clang-19 "$out/msvc.exe" --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -mlong-double-64 $programs/library.c $programs/msvc.s "$microsoft/lib/statictramp.lib"
timeout 300 wine "$out/msvc.exe"
cp "$microsoft/bin/statictramp.dll" "$out"
compile clang-19 "$out/msvc.exe" --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -mlong-double-64 $programs/library.c "$microsoft/lib/statictramp.dll.lib"
timeout 300 wine "$out/msvc.exe"
# mingw's headers compile with clang-cl, most of them only if it defines gcc's macros. dll.c contains what the linker needs of a C
# runtime.
clang_cl=(clang-cl-19 --target=x86_64-pc-windows-msvc /clang:-isystem/usr/x86_64-w64-mingw32/include)
"${clang_cl[@]}" /std:c11 /W4 /WX -fsyntax-only -Icapi/include capi/tests/programs/c/bind_uses.c
! said=$("${clang_cl[@]}" -fsyntax-only /TP capi/include/statictramp.hpp 2>&1) || fail "clang-cl compiles statictramp.hpp, although Microsoft's C++ ABI is not supported"
grep -q "the wrapper does not know this system's calling convention; use statictramp_bind_types" <<<"$said" || fail "statictramp.hpp with clang-cl: $said"
clang-cl-19 --target=x86_64-pc-windows-msvc /nologo /c /O2 /GS- /Zl /guard:cf capi/install/dll.c "/Fo$tools/runtime.obj"
cmake -S capi/tests/programs/install/cmake -B "$out/cmake-msvc" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$microsoft" \
    -DCMAKE_C_COMPILER=clang-cl-19 -DCMAKE_C_COMPILER_TARGET=x86_64-pc-windows-msvc -DCMAKE_LINKER=lld-link-19 -DCMAKE_MT=llvm-mt-19 -DCMAKE_RC_COMPILER=llvm-rc-19 \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_C_FLAGS="/Zl /GS- /guard:cf ${clang_cl[2]} /clang:-fgnuc-version=12.0 -D__USE_MINGW_ANSI_STDIO=0" \
    -DCMAKE_EXE_LINKER_FLAGS="/entry:main /guard:cf /manifest:no /libpath:$tools" -DCMAKE_C_STANDARD_LIBRARIES="kernel32.lib ucrt.lib ntdll.lib runtime.obj" >/dev/null
cmake --build "$out/cmake-msvc" >/dev/null
cp "$microsoft/bin/statictramp.dll" "$out/cmake-msvc"
for kind in static statictramp; do wine "$out/cmake-msvc/sample-$kind.exe"; done

say "the list for Control Flow Guard"
# Checks need clang, and lists need lld, as GNU ld supports neither; guard.c defines the functions that the checks call,
# as Wine has none.
guard() { compile clang-19 "$1" --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -mguard=cf -Wl,--no-guard-longjmp "${@:2}"; }
config=$programs/guard_config.c
# lists SLOTS WHERE WORD...: links a program with these words; the list of the image with the stubs must contain each of
# them.
lists() {
    local said
    guard "$out/guard.exe" "-DSLOTS=$1" $programs/guard.c "${@:3}"
    said=$(timeout 300 wine "$out/guard.exe" | tr -d '\r')
    [ "$said" = "$1 of $1 stubs are listed"$'\n'"a checked call says 42" ] || fail "$2: $said"
    echo "$2: $said"
}
lists 64 "in a program" $config "$archive"
guard "$out/guard.dll" -shared -DDLL $config "$archive" -Wl,--out-implib,"$out/guard.dll.a"
lists 64 "in a DLL" "$out/guard.dll.a" -Wl,--no-guard-cf
x86_64-w64-mingw32-objcopy -R '.rdata$statictramp' "$archive" "$out/unlisted.a"
guard "$out/guard.exe" -DSLOTS=64 $programs/guard.c $config "$out/unlisted.a"
said=$(timeout 300 wine "$out/guard.exe" | tr -d '\r') && fail "the program without the list of stubs exited with status 0, expected a failure: $said"
[ "$said" = "0 of 64 stubs are listed"$'\n'"a checked call ends the program" ] || fail "the program without the list of stubs printed an unexpected text: $said"
# More than 65,535 relocations, the most that a section header can count.
STATICTRAMP_SLOTS=65536 STATICTRAMP_ASM=cc CC_x86_64_pc_windows_gnu=clang-19 CARGO_PROFILE_DEV_PANIC=abort \
    cross_cargo $triple build -p statictramp-archive
lists 65536 "by clang's assembler" $config "$target/$triple/debug/libstatictramp_archive.a"
msvc=(-mlong-double-64 "$config" "$programs/msvc.s")
lists 64 "Microsoft's target" "${msvc[@]}" "$microsoft/lib/statictramp.lib"
lists 64 "the DLL for Microsoft's target" "${msvc[@]}" "$microsoft/lib/statictramp.dll.lib"
# For an object that claims guarded code, the linker uses only .gfids$y.
RUSTFLAGS=-Ccontrol-flow-guard STATICTRAMP_SLOTS=64 CARGO_PROFILE_DEV_PANIC=abort \
    cross_cargo x86_64-pc-windows-msvc build -p statictramp-archive
lists 64 "Microsoft's target, Rust's code guarded" "${msvc[@]}" "$target/x86_64-pc-windows-msvc/debug/statictramp_archive.lib"

say "C++"
for words in "$gxx -std=c++11 -O2" "clang++-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19 -std=c++20 -O1"; do
    read -ra words <<<"$words"
    for program in $programs/wrapper.cpp capi/tests/programs/c/lifetimes.cpp; do
        compile "${words[0]}" "$out/wrapper.exe" "${words[@]:1}" -Wno-ignored-attributes "$program" "$archive" -static
        wine "$out/wrapper.exe"
    done
    ! said=$("${words[@]}" -DTOO_MANY -Icapi/include -fsyntax-only capi/tests/programs/c/wrapper_misuse.cpp 2>&1) || fail "wrapper_misuse.cpp compiles with TOO_MANY"
    grep -q 'statictramp: there are more than 64 parameters' <<<"$said" || fail "TOO_MANY: $said"
done
seed=${STATICTRAMP_SEED:-$(date +%s)}
"$test_tools" cpp-signatures 50 "$seed" "$wrapper_arguments" "$wrapper_results" >"$out/signatures.cpp"
classes=$(share 60)
[ "$classes" -ge 20 ] || classes=20
"$test_tools" cpp-classes "$classes" "$seed" >"$out/classes.cpp"
for words in "$gxx" "clang++-19 --target=x86_64-w64-mingw32 -fuse-ld=lld-19"; do
    read -ra words <<<"$words"
    "${words[@]}" -std=c++17 -w -Icapi/include "$out/classes.cpp" "$archive" -static -o "$out/classes.exe"
    said=$(wine "$out/classes.exe") || fail "${words[0]}: wrong values (generated by cpp-classes $classes $seed)"
    echo "${words[0]}: $said"
    for side in CALLBACKS CALLERS; do
        "${words[@]}" -std=c++17 -O1 -w -Wno-narrowing -D$side -Icapi/include -Icapi/tests/programs/wrapper -c "$out/signatures.cpp" \
            -o "$out/${words[0]}-$side.o"
    done
done
for sides in "$gxx clang++-19" "clang++-19 $gxx"; do
    read -r callbacks callers <<<"$sides"
    # Each compiler has its own section names for single variables.
    $gxx "$out/$callbacks-CALLBACKS.o" "$out/$callers-CALLERS.o" "$archive" -static -Wl,--allow-multiple-definition -o "$out/signatures.exe" \
        2>"$out/said" || fail "signatures.exe cannot be linked: $(cat "$out/said")"
    wine "$out/signatures.exe" || fail "$callbacks called by $callers: wrong values (generated by cpp-signatures 50 $seed \"$wrapper_arguments\" \"$wrapper_results\")"
done
echo "50 signatures of C++, seed $seed, between gcc and clang"
compile $gxx "$out/exceptions.exe" -O2 $programs/exceptions.cpp "$archive" -static
compile $gxx "$odd/exceptions.exe" -O0 $programs/exceptions.cpp "$import" -static
timeout 300 wine "$out/exceptions.exe"
timeout 300 wine "$odd/exceptions.exe"

say "C++ exceptions through Rust closures"
new_package "$out/unwind" windows-unwind
printf 'statictramp = { path = "%s" }\n[lib]\ncrate-type = ["staticlib"]\n' "$PWD" >>"$out/unwind/Cargo.toml"
cp $programs/unwind.rs "$out/unwind/src/lib.rs"
cross_cargo $triple build --manifest-path "$out/unwind/Cargo.toml"
compile $gxx "$out/unwind.exe" -O2 $programs/unwind.cpp "$target/$triple/debug/libwindows_unwind.a" -static -lws2_32 -luserenv -lntdll
wine "$out/unwind.exe" # bcryptprimitives.dll is in the same directory
