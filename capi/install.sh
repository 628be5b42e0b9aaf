#!/usr/bin/env bash
# capi/install.sh [PREFIX]: builds the C library and installs it below PREFIX (default /usr/local): archive, shared
# library, headers, pkg-config file, CMake package, manual page. DESTDIR is put before every path, as packagers expect;
# CC names the C compiler, LIBDIR the directory of libraries below PREFIX (default lib).
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${1:-/usr/local}
libdir=$prefix/${LIBDIR:-lib}
root=${DESTDIR:-}
case $prefix in /*) ;; *) echo "install.sh: PREFIX must be an absolute path, not \"$prefix\"" >&2; exit 2 ;; esac

cargo build --quiet --release -p statictramp-capi
archive=${CARGO_TARGET_DIR:-target}/release/libstatictramp.a
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
put() { install -D -m "$1" "$2" "$root$3"; }
# fill FILE: the file with the places of this installation.
fill() { sed -e "s|@VERSION@|$version|g" -e "s|@PREFIX@|$prefix|g" -e "s|@LIBDIR@|$libdir|g" "$1"; }

put 644 "$archive" "$libdir/libstatictramp.a"
put 644 capi/include/statictramp.h "$prefix/include/statictramp.h"
put 644 capi/include/statictramp_interop.h "$prefix/include/statictramp_interop.h"
put 644 capi/include/statictramp.hpp "$prefix/include/statictramp.hpp"
put 644 linker/statictramp.ld "$prefix/share/statictramp/statictramp.ld"

# cargo's own shared library has no symbol versions, so this one is linked from the archive: each exported name is
# asked for, and nothing else is visible.
names=$(sed -n 's/^ *\([a-zA-Z_]\w*\);.*/\1/p' capi/install/statictramp.map)
undefined=
for name in $names; do undefined="$undefined -Wl,-u,$name"; done
"${CC:-cc}" -shared -o "$root$libdir/libstatictramp.so.$version" $undefined "$archive" \
    -Wl,--version-script=capi/install/statictramp.map -Wl,-soname,libstatictramp.so.0 -Wl,-z,nodelete -Wl,-z,now \
    -Wl,--gc-sections -Wl,-T,linker/statictramp.ld
ln -sf "libstatictramp.so.$version" "$root$libdir/libstatictramp.so.0"
ln -sf libstatictramp.so.0 "$root$libdir/libstatictramp.so"

mkdir -p "$root$libdir/pkgconfig" "$root$libdir/cmake/statictramp" "$root$prefix/share/man/man3"
fill capi/install/statictramp.pc >"$root$libdir/pkgconfig/statictramp.pc"
fill capi/install/statictramp-config.cmake >"$root$libdir/cmake/statictramp/statictramp-config.cmake"
fill capi/install/statictramp-config-version.cmake >"$root$libdir/cmake/statictramp/statictramp-config-version.cmake"
for page in statictramp.3 statictramp_interop.3; do
    fill capi/install/$page >"$root$prefix/share/man/man3/$page"
done
echo "statictramp $version is installed below $root$prefix"
