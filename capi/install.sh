#!/usr/bin/env bash
# capi/install.sh [PREFIX [WORD FOR CARGO]...]: builds the C library and installs it below PREFIX (default /usr/local): archive,
# shared library, headers, linker scripts, pkg-config file, CMake package, manual pages. On boards there is no shared library.
#
# Variables:
#   DESTDIR    is put before every path, as packagers expect
#   LIBDIR     where the libraries go, below PREFIX if relative; default lib
#   FEATURES   of the library: scratch, hardened
#   CC         the C compiler, with words if need be: CC="riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32"
#   LDFLAGS    more words for the link of the shared library
#   LD         a linker for the archive, instead of CC's
#   OBJCOPY, AR, NM    instead of those that belong to CC or LD by their names
#   CARGO_BUILD_TARGET, CARGO_TARGET_DIR, RUSTC and all others of cargo's; STATICTRAMP_SLOTS and the like (README)
#
# Exit status: 0 it is installed; 1 building or installing failed; 2 a word or variable has no meaning, or a tool is missing.
set -euo pipefail
prefix=${1-/usr/local}
[ $# -eq 0 ] || shift
started_in=$PWD
unset CDPATH
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
source capi/install/tools.sh
source capi/install/archive.sh

case $prefix in
-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' capi/install.sh; exit 0 ;;
/*) ;;
*) refuse "PREFIX must be an absolute path, not \"$prefix\"" ;;
esac
# absolute PATH: as seen from where the script was started.
absolute() { case $1 in '' | /*) printf '%s' "$1" ;; *) printf '%s/%s' "$started_in" "$1" ;; esac; }
prefix=${prefix%"${prefix##*[!/]}"} # "/" is nothing: its files are below it
libdir=${LIBDIR:-lib}
libdir=${libdir%"${libdir##*[!/]}"}
case $libdir in
'') refuse "LIBDIR cannot be \"$LIBDIR\"" ;;
/*) ;;
*) libdir=$prefix/$libdir ;;
esac
for path in "$prefix" "$libdir"; do
    case $path in *[!A-Za-z0-9/._+~@%=-]*) refuse "a path that compilers, pkg-config and CMake read can have letters, digits and /._+-~@%= only, not \"$path\"" ;; esac
done
root=$(absolute "${DESTDIR:-}")
root=${root%"${root##*[!/]}"}
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    CARGO_TARGET_DIR=$(absolute "$CARGO_TARGET_DIR")
    export CARGO_TARGET_DIR
fi
triple=$(target_of "$@")
find_tools
for path in "$root$prefix" "$root$libdir"; do
    mkdir -p "$path/" 2>/dev/null && [ -w "$path/" ] || give_up "cannot write into $path/"
done

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
IFS=. read -r major minor _ <<<"$version"
prefix_of_symbols=statictramp_${major}_${minor}_

said=$("${CARGO:-cargo}" build --quiet --release --message-format=json-render-diagnostics -p statictramp-capi \
    ${FEATURES:+--features "$FEATURES"} "$@") || give_up "cargo could not build the library"
made=$(sed -n 's/.*"filenames":\["\([^"]*libstatictramp_capi\.a\)".*/\1/p' <<<"$said" | tail -n 1)
[ -f "$made" ] || give_up "cargo has built no archive${said:+ that it tells of}"

# The same archive by the same tools has been cleaned before.
key=$({ cksum <"$made"; cat capi/install/archive.sh capi/install/statictramp.map; printf '%s\n' "$version" "${ld[@]}" "${objcopy[@]}" "${ar[@]}" "${nm[@]}"; } | cksum | tr -d ' ')
clean=${made%/*}/statictramp-archives/$key
if [ ! -e "$clean/libstatictramp.a" ]; then
    mkdir -p "${clean%/*}"
    work=$(mktemp -d "${clean%/*}/XXXXXX")
    trap 'rm -rf "$work"' EXIT
    clean_archive
    chmod 755 "$work"
    mv -T "$work" "$clean" 2>/dev/null || [ -e "$clean/libstatictramp.a" ] || give_up "cannot write into ${made%/*}"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# fill FILE: the file with the places and the version of this installation, in $work/filled.
fill() {
    sed -e "s|@VERSION@|$version|g" -e "s|@PREFIX@|${prefix:-/}|g" -e "s|@LIBDIR@|$libdir|g" \
        -e "s/statictramp_\(VERSION\|0_1\)_/$prefix_of_symbols/g" "$1" >"$work/filled"
}

# Compilers call the library where there is an operating system; that is where libraries can be shared.
shared=
if grep -qx _FortranATrampolineInit "$clean/externals"; then
    shared=1
    [ ${#cc[@]} -gt 0 ] || refuse "let CC name the C compiler for $triple, which links the shared library"
    fill linker/statictramp.ld.in
    # shellcheck disable=SC2086: several words
    "${cc[@]}" -shared -o "$work/libstatictramp.so" "$clean/statictramp.o" -Xlinker "--version-script=$clean/map" \
        -Wl,-soname,libstatictramp.so.0 -Wl,-z,nodelete -Wl,-z,now -Wl,-z,defs -Wl,-z,text -Wl,--gc-sections \
        -Xlinker -T -Xlinker "$work/filled" ${LDFLAGS:-} || give_up "\"${cc[*]}\" could not link the shared library"
fi

put() { install -D -m "$1" "$2" "$root$3" || give_up "cannot write $root$3"; }
# put_filled FILE PLACE
put_filled() { fill "$1" && put 644 "$work/filled" "$2"; }
put 644 "$clean/libstatictramp.a" "$libdir/libstatictramp.a"
for header in statictramp.h statictramp_interop.h statictramp.hpp; do
    put 644 capi/include/$header "$prefix/include/$header"
done
put_filled capi/install/statictramp.pc "$libdir/pkgconfig/statictramp.pc"
for file in statictramp-config.cmake statictramp-config-version.cmake; do
    put_filled capi/install/$file "$libdir/cmake/statictramp/$file"
done
for page in statictramp.3 statictramp_interop.3; do
    put_filled capi/install/$page "$prefix/share/man/man3/$page"
done
if [ -n "$shared" ]; then
    put_filled linker/statictramp.ld.in "$prefix/share/statictramp/statictramp.ld"
    put 755 "$work/libstatictramp.so" "$libdir/libstatictramp.so.$version"
    ln -sfn "libstatictramp.so.$version" "$root$libdir/libstatictramp.so.0"
    ln -sfn libstatictramp.so.0 "$root$libdir/libstatictramp.so"
else
    for script in linker/*.x; do
        put_filled "$script" "$prefix/share/statictramp/${script##*/}"
    done
fi
echo "statictramp $version is installed below $root${prefix:-/}"
