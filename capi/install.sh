#!/usr/bin/env bash
# capi/install.sh [PREFIX [ARGUMENT FOR CARGO]...]; capi/install.sh --uninstall [PREFIX]: builds libstatictramp and installs it
# below PREFIX (default /usr/local): archive, shared libraries, headers, linker scripts, pkg-config file, CMake package, manual
# pages, licences. For boards and Android, there is no shared library. For Windows (mingw-w64's GCC), there are a DLL and its import
# library, but no linker scripts. cli/install.sh installs the tool, and flang/install.sh installs flang's plugin.
#
# For macOS, there are a dylib and no linker scripts (macos.sh). The table grows only with FEATURES=grow.
#
# Variables:
#   DESTDIR    prefix for every installed path, as usual in packaging
#   LIBDIR     directory of the libraries, below PREFIX if relative; default lib
#   FEATURES   features of the library: scratch, hardened; for macOS grow
#   CC         the C compiler, with flags if needed: CC="riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32"
#   CFLAGS     additional flags for CC, which assembles the stubs (on Windows if it is clang) and links the shared library
#   LDFLAGS    additional flags for linking the shared library
#   STRIP      0: archive and shared library keep the debugging information that the compilers were asked to generate:
#              CARGO_PROFILE_RELEASE_DEBUG=2 CFLAGS=-g. The archive is then not divided into parts; default 1
#   LD         a linker for the archive, instead of the one that CC uses
#   OBJCOPY, AR, NM    used instead of the tools whose names match CC or LD
#   CARGO_BUILD_TARGET, CARGO_TARGET_DIR, RUSTC and all other variables that cargo reads; STATICTRAMP_SLOTS and the like (docs/rust.md)
#
# With --verbose or -v the script and cargo print the commands that they run; with -vv, so does the compiler that assembles the
# stubs. The installed files are listed in PREFIX/share/doc/libstatictramp/installed-files, which --uninstall reads.
#
# Exit status: 0 installed; 1 building or installing failed; 2 an argument or variable is invalid, or a tool is missing.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@" # after "sh SCRIPT", with another shell than bash
set -euo pipefail
# The script may be a symbolic link. Macs have realpath since macOS 13.
source "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}" 2>/dev/null || printf '%s' "${BASH_SOURCE[0]}")")/../packaging/words.sh"
source capi/install/tools.sh
source capi/install/archive.sh
source capi/install/filled.sh
component=libstatictramp
read_places capi/install.sh "$@"
[ $# -eq 0 ] || shift
arguments=("$@")
for path in "$prefix" "$libdir"; do
    case $path in *[!A-Za-z0-9/._+~@=-]*) refuse "a path that compilers, pkg-config and CMake read may contain only letters, digits and /._+-~@=, not \"$path\"" ;; esac
done
set_target "$@"
case $triple in
x86_64-pc-windows-gnu) ;;
x86_64-pc-windows-msvc) refuse "cannot install for $triple; on Windows, run capi\\install.cmd" ;;
*,*) refuse "cannot install for several targets at once: $triple" ;;
*-windows-*) refuse "cannot install for $triple: on Windows, only x86_64-pc-windows-gnu is supported" ;;
esac
IFS=. read -r major minor _ <<<"$version"
infix=${major}_${minor}_ # the part of symbols that states the version
case $made_for in *-apple-*) source capi/install/macos.sh ;; esac
case ${STRIP:-1} in
1) strip=(--strip-debug) ;;
0) strip=() ;;
*) refuse "STRIP must be 1 or 0, not \"$STRIP\"" ;;
esac
find_tools
for path in "$root$prefix" "$root$libdir"; do
    mkdir -p "$path/" 2>/dev/null && [ -w "$path/" ] || give_up "cannot write to $path/"
done

# On x86-64, every possible jump target begins with a landing pad, even in Rust's core, and no jump uses a jump table. The
# archive's note promises this (archive.sh). These are options of LLVM, because rustc's own options exist only on nightly. They
# affect Rust's core, too, because link-time optimization compiles the core again with the library.
#
# On RISC-V boards, LLVM moves common parts of unrelated functions to sections of their own. If such a part calls a function of
# Rust's core, that function is linked into every program, which takes 7 KB even in a small one.
llvm=()
case $made_for in
*-windows-*) ;; # has no such notes
x86_64-*) llvm=(-Cllvm-args=-x86-indirect-branch-tracking -Cllvm-args=-min-jump-table-entries=1000000) ;;
riscv*-none-*) llvm=(-Cllvm-args=-enable-machine-outliner=never) ;;
esac
# Fast paths are inlined because the source requests it. With LLVM's default threshold (250), further inlining makes programs 2 KB
# larger, and nothing faster. Boards are optimized for size, with a much lower threshold.
case $made_for in
*-none | *-none-*) ;;
*) llvm+=(-Cllvm-args=-inline-threshold=135) ;;
esac
# Debugging information contains directory names.
flags=()
[ ${#strip[@]} -gt 0 ] || LDFLAGS='' set_flags
# Boards have little flash memory, so the library is optimized for size. For a program that uses all functions, level s is smaller
# than level z on every board's processor, by 3 % on a Cortex-M3 and 22 % on a Cortex-M0.
#
# The functions of the neighbours are not called often, and if they are optimized for speed, the library is 2 KB larger.
size=(--config 'profile.release.package.statictramp-interop-capi.opt-level="s"')
case $triple in *-none | *-none-*) [ -n "${CARGO_PROFILE_RELEASE_OPT_LEVEL-}" ] || size+=(--config 'profile.release.opt-level="s"') ;; esac
lock_builds
build library rustc "${flags[@]}" -p statictramp-archive "${size[@]}" ${FEATURES:+--features "$FEATURES"} ${llvm:+--config profile.release.lto=true} "$@" -- "${llvm[@]}"
made=$(made libstatictramp_archive.a)

# Obsolete files are removed at the end.
scraps=()
trap 'rm -rf "${scraps[@]}"' EXIT
scrap() { work=$(mktemp -d "$@") && scraps+=("$work"); }

# If the same archive has already been converted with these tools, the result is reused.
versions() {
    local tool
    for tool in "${ld[*]} ${pass}--version" "${objcopy[*]} --version" "${ar[*]} --version" "${nm[*]} --version"; do
        printf '%s\n' "$tool"
        $tool 2>/dev/null || true # may be a command of several words
    done
}
key=$({ cksum <"$made"; printf '%s\n' "$triple"; cat capi/install/{archive.sh,statictramp.map} capi/parts/{Cargo.toml,src/*}; printf '%s\n' "$version" "${strip[@]}"; versions; } | cksum | tr -d ' ')
clean=${made%/*}/statictramp-archives/$key
if [ ! -e "$clean/libstatictramp.a" ]; then
    mkdir -p "${clean%/*}"
    # Removes files that an earlier run left because it was killed.
    find "${clean%/*}" -mindepth 1 -maxdepth 1 -name 'work.*' -mmin +60 -exec rm -rf {} +
    scrap "${clean%/*}/work.XXXXXX"
    clean_archive
    chmod 755 "$work"
    # On FreeBSD, mv does not have the option -T.
    { [ ! -e "$clean" ] && mv "$work" "$clean" 2>/dev/null; } || [ -e "$clean/libstatictramp.a" ] || give_up "cannot write to ${made%/*}"
fi
unlock_builds

scrap
# The size of a pointer in bytes. The fifth byte of an ELF file is 1 if the size is 4, and 2 if it is 8. In other formats the size
# is always 8.
pointer=8
! [ -e "$clean/statictramp.o" ] || pointer=$((4 * $(od -An -tu1 -j4 -N1 "$clean/statictramp.o")))
# On an operating system, compiled code calls the library, and libraries can be shared. On boards, the linker must find the
# scripts.
shared='' scripts=' -L${prefix}/share/statictramp'
if is_android; then
    shared=none scripts='' # an app contains only libraries named lib*.so
elif grep -qx _FortranATrampolineInit "$clean/externals"; then
    shared=so scripts=''
    ! is_windows || shared=dll
    [ ${#cc[@]} -gt 0 ] || refuse "set CC to the C compiler for $triple, which links the shared library"
    split CFLAGS && cflags=("${words[@]}")
    split LDFLAGS
fi
case $shared in
dll)
    run "${cc[@]}" -shared -o "$work/statictramp.dll" capi/install/dll.c capi/install/statictramp.def "$clean/libstatictramp.a" -O2 -static-libgcc \
        ${strip:+-s} -Wl,--no-insert-timestamp -Wl,--out-implib,"$work/libstatictramp.dll.a" "${cflags[@]}" "${words[@]}" ||
        give_up "\"${cc[*]}\" could not link the DLL"
    ;;
so)
    fill linker/statictramp.ld.in
    # link_shared NAME MAP WORD...: links a shared library from these words.
    link_shared() {
        run "${cc[@]}" -shared -o "$work/$1.so" -Xlinker "--version-script=$clean/$2" -Wl,-soname,"$1.so.0" -Wl,-z,nodelete -Wl,-z,now \
            -Wl,-z,defs -Wl,-z,text -Wl,--gc-sections "${@:3}" "${cflags[@]}" "${words[@]}" -g0 || give_up "\"${cc[*]}\" could not link the shared library"
    }
    for library in runtime interop; do
        { cat capi/install/forward.S; sed 's/^/        forward /' "$clean/in_$library"; } >"$work/$library.S"
    done
    link_shared libstatictramp map "$clean/shared.o" "$work/runtime.S" "$work/interop.S" -Xlinker -T -Xlinker "$work/filled"
    link_shared libstatictramp_core map_core "$clean/shared.o" -Xlinker -T -Xlinker "$work/filled"
    libraries=(libstatictramp libstatictramp_core) beside=()
    # A program's own search path does not apply to the libraries that a library needs.
    case $libdir in
    */*-linux-*/*) beside=("-Wl,-rpath,\$ORIGIN") ;;
    /lib | /lib64 | /usr/lib | /usr/lib64 | /lib/*-linux-* | /usr/lib/*-linux-*) ;; # the loader searches these
    *) beside=("-Wl,-rpath,\$ORIGIN") ;;
    esac
    for library in runtime interop; do
        # On 32-bit systems, there is no interface of the neighbours.
        [ -s "$clean/in_$library" ] || continue
        link_shared libstatictramp_$library map_$library -nostdlib "$work/$library.S" "$work/libstatictramp_core.so" "${beside[@]}"
        libraries+=("libstatictramp_$library")
    done
    ;;
esac

put 644 "$clean/libstatictramp.a" "$libdir/libstatictramp.a"
houses=(capi)
! has_interop || houses+=(interop/capi)
for house in "${houses[@]}"; do
    for header in "$house"/include/*; do put 644 "$header" "$prefix/include/${header##*/}"; done
done
put_packages
# put_part PART CONTENTS: installs the pkg-config file of a shared library that -lstatictramp links only if a program needs it.
put_part() {
    fill capi/install/statictramp-part.pc
    sed -e "s|@PART@|$1|g" -e "s|@CONTENTS@|$2|" "$work/filled" >"$work/part"
    put 644 "$work/part" "$libdir/pkgconfig/statictramp-$1.pc"
}
for house in "${houses[@]}"; do put_pages "$house"/install/man/*.3; done
if has_interop; then
    # The manual pages that describe several functions each.
    grep -o 'statictramp_[a-z_]*(' interop/capi/include/statictramp_interop.h | tr -d '(' | sort -u >"$work/functions"
    echo '.so man3/statictramp_interop.3' >"$work/link"
    while read -r name; do
        [ -e "capi/install/man/$name.3" ] || ! grep -q "^ *$name;" capi/install/statictramp.map || put 644 "$work/link" "$prefix/share/man/man3/$name.3"
    done <"$work/functions"
    put 644 interop/capi/device/statictramp_device.c "$prefix/share/statictramp/statictramp_device.c"
fi
case $shared in
dll)
    put 755 "$work/statictramp.dll" "$prefix/bin/statictramp.dll"
    put 644 "$work/libstatictramp.dll.a" "$libdir/libstatictramp.dll.a"
    ;;
so)
    put_filled linker/statictramp.ld.in "$prefix/share/statictramp/statictramp.ld"
    as_needed=
    for library in "${libraries[@]}"; do
        put 755 "$work/$library.so" "$libdir/$library.so.$version"
        put_link "$library.so.$version" "$libdir/$library.so.0"
        case $library in
        libstatictramp) continue ;;
        *_runtime) put_part runtime "Trampolines for code compiled by GCC and flang, and OpenMP's calls on devices" ;;
        *_interop) put_part interop "Functions for OpenMP devices, Fortran descriptors and MLIR memrefs" ;;
        esac
        [ "$library" = libstatictramp_core ] || as_needed+=" $library.so.0"
        put_link "$library.so.0" "$libdir/$library.so"
    done
    # Linkers search the directory of the script for these files, and then those of -L.
    printf '/* GNU ld script */\nINPUT ( libstatictramp_core.so.0 AS_NEEDED (%s ) )\n' "$as_needed" >"$work/script"
    put 644 "$work/script" "$libdir/libstatictramp.so"
    ;;
none) ;;
*)
    for script in linker/*.x; do
        put_filled "$script" "$prefix/share/statictramp/${script##*/}"
    done
    ;;
esac
put_documents LICENSE-APACHE LICENSE-MIT CHANGELOG.md
echo "statictramp $version is installed below $root${prefix:-/}"
