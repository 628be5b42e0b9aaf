#!/usr/bin/env bash
# cli/install.sh [PREFIX [ARGUMENT FOR CARGO]...]; cli/install.sh --uninstall [PREFIX]: builds the tool for this machine and installs it below PREFIX (default
# /usr/local): bin/statictramp, on x86-64 lib/statictramp/emulate.so for `statictramp run --emulate`, statictramp(1), completions for bash, zsh and fish, licences.
#
# Variables:
#   DESTDIR    prefix for every installed path, as usual in packaging
#   LDFLAGS    additional linker flags
#   CARGO, CARGO_TARGET_DIR, RUSTFLAGS and all other variables that cargo reads, except CARGO_BUILD_TARGET: the tool
#              prints its own manual page. CC, CFLAGS: the compiler that assembles the stubs, and its flags
#
# With --verbose or -v cargo prints the commands that it runs. The installed files are listed in
# PREFIX/share/doc/statictramp/installed-files, which --uninstall reads.
#
# Exit status: 0 installed; 1 building or installing failed; 2 an argument or variable is invalid.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@" # after "sh SCRIPT", with another shell than bash
set -euo pipefail
unset CARGO_BUILD_TARGET
source "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")/../packaging/words.sh" # the script may be a symbolic link
component=statictramp
read_places cli/install.sh "$@"
[ $# -eq 0 ] || shift
[ -z "$(configured_target)" ] || export "CARGO_BUILD_TARGET=$(here)"
set_flags
build tool build "${flags[@]}" -p statictramp-cli "$@"
tool=$(made statictramp)
library=
case $(here) in
x86_64-*-linux-gnu)
    build library build "${flags[@]}" -p statictramp-emulate "$@"
    library=$(made libstatictramp_emulate.so)
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
put 755 "$tool" "$prefix/bin/statictramp"
[ -z "$library" ] || put 755 "$library" "$prefix/lib/statictramp/emulate.so"
"$tool" man >"$work/page"
put 644 "$work/page" "$prefix"/share/man/man1/statictramp.1
for place in bash:bash-completion/completions/statictramp zsh:zsh/site-functions/_statictramp fish:fish/vendor_completions.d/statictramp.fish; do
    "$tool" completions "${place%%:*}" >"$work/completions"
    put 644 "$work/completions" "$prefix/share/${place#*:}"
done
put_documents LICENSE-APACHE LICENSE-MIT
echo "statictramp $version, the tool, is installed below $root${prefix:-/}"
