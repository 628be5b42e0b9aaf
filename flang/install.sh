#!/usr/bin/env bash
# flang/install.sh [PREFIX]: builds the pass plugin and the rewriter for the LLVM that LLVM_CONFIG names, and installs them
# below PREFIX (default /usr/local) under names with the number of that LLVM: lib/libstatictramp_flang-19.so and
# bin/statictramp-rewrite-19. DESTDIR is put before every path, as packagers expect; LIBDIR is the directory of libraries
# below PREFIX (default lib).
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/.."
prefix=${1:-/usr/local}
root=${DESTDIR:-}
case $prefix in /*) ;; *) echo "install.sh: PREFIX must be an absolute path, not \"$prefix\"" >&2; exit 2 ;; esac
[ -n "${LLVM_CONFIG:-}" ] || { echo "install.sh: set LLVM_CONFIG to the llvm-config of the LLVM that your flang is of, as llvm-config-19" >&2; exit 2; }

# Of its own for each LLVM, so that none takes what another has left.
version=$("$LLVM_CONFIG" --version)
major=${version%%.*}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/flang-install-$major
cargo build --quiet --release -p statictramp-flang
plugin=${LIBDIR:-lib}/libstatictramp_flang-$major.so rewrite=bin/statictramp-rewrite-$major
install -D -m 755 "$CARGO_TARGET_DIR/release/libstatictramp_flang.so" "$root$prefix/$plugin"
install -D -m 755 "$CARGO_TARGET_DIR/release/statictramp-rewrite" "$root$prefix/$rewrite"
echo "$plugin and $rewrite are installed below $root$prefix"
