#!/usr/bin/env bash
# flang/install.sh [PREFIX [ARGUMENT FOR CARGO]...]; flang/install.sh --uninstall [PREFIX]: builds the pass plugin and the rewriter
# for the LLVM that LLVM_CONFIG names, and installs them below PREFIX (default /usr/local) under names that contain the LLVM
# version: lib/libstatictramp_flang-19.so, bin/statictramp-rewrite-19 with its manual page, and the licences.
#
# Variables:
#   LLVM_CONFIG    llvm-config of the LLVM that your flang belongs to, such as llvm-config-19
#   DESTDIR        prefix for every installed path, as usual in packaging
#   LIBDIR         directory of the plugin, below PREFIX if relative; default lib
#   CXX, CXXFLAGS  the C++ compiler and its flags
#   LDFLAGS        additional linker flags
#   CARGO, CARGO_TARGET_DIR, RUSTFLAGS and all other variables that cargo reads
#
# With --verbose or -v cargo prints the commands that it runs. The installed files are listed in
# PREFIX/share/doc/statictramp-flang-19/installed-files (19 is the version of LLVM), which --uninstall reads.
#
# Exit status: 0 installed; 1 building or installing failed; 2 an argument or variable is invalid.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@" # after "sh SCRIPT", with another shell than bash
set -euo pipefail
source "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")/../packaging/words.sh" # the script may be a symbolic link
case ${1:-} in -h | --help) component='' read_places flang/install.sh "$1" ;; esac
[ -n "${LLVM_CONFIG:-}" ] || refuse "set LLVM_CONFIG to the llvm-config of the LLVM that your flang belongs to, such as llvm-config-19"
case $LLVM_CONFIG in */*) LLVM_CONFIG=$(absolute "$LLVM_CONFIG") ;; esac
export LLVM_CONFIG

# One directory for each LLVM, so that no build uses files left by a build for another LLVM.
llvm=$("$LLVM_CONFIG" --version 2>/dev/null) || llvm=
major=${llvm%%.*}
[[ $major =~ ^[0-9]+$ ]] || refuse "LLVM_CONFIG is \"$LLVM_CONFIG\", which does not print an LLVM version"
component=statictramp-flang-$major
read_places flang/install.sh "$@"
[ $# -eq 0 ] || shift
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/flang-install-$major
set_flags
build plugin build "${flags[@]}" -p statictramp-flang "$@"
plugin=$(made libstatictramp_flang.so)
rewriter=$(made statictramp-rewrite)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
put 755 "$plugin" "$libdir/libstatictramp_flang-$major.so"
put 755 "$rewriter" "$prefix/bin/statictramp-rewrite-$major"
sed -e "s/@VERSION@/$version/; s/@LLVM@/$major/g; s/^\(.TH STATICTRAMP-REWRITE\)/\1-$major/; s/^statictramp-rewrite /statictramp-rewrite-$major /" \
    flang/statictramp-rewrite.1 >"$work/page"
put 644 "$work/page" "$prefix/share/man/man1/statictramp-rewrite-$major.1"
put_documents LICENSE-APACHE LICENSE-MIT
echo "$libdir/libstatictramp_flang-$major.so and $prefix/bin/statictramp-rewrite-$major are installed below ${root:-/}"
