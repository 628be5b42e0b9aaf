#!/usr/bin/env bash
# packaging/sources.sh DIRECTORY [cli] [flang]: writes the sources of libstatictramp into a new DIRECTORY and, if they are named,
# those of the tool and the plugin, with the crates that they need. A distribution can pack this directory and build it without a
# network. Tests, benches, models and their dependencies are omitted.
#
# The install scripts work in this directory as they do in the repository. Exit status: 0 written; 1 DIRECTORY cannot be written
# or cargo has failed, and DIRECTORY does not exist; 2 an argument is invalid.
set -euo pipefail
unset CDPATH
refuse() { printf 'sources.sh: %s\n' "$*" >&2; exit 2; }
give_up() { printf 'sources.sh: %s\n' "$*" >&2; exit 1; }
case ${1-} in
-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
'' | -*) refuse "the argument must name a directory that does not exist yet, not \"${1-}\"" ;;
esac
into=$(realpath -m -- "$1")
[ ! -e "$into" ] || refuse "$into exists"
shift
for member in "$@"; do
    case $member in cli | flang) ;; *) refuse "\"$member\" is neither cli nor flang" ;; esac
done
case " $* " in *" cli "*) set -- "$@" cli/emulate flang/captures ;; esac # the library that the tool installs; a subcommand
set -- targets raw interop interop/capi capi capi/archive capi/parts "$@" flang/capture-rules # a folder before those in it
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

mkdir -p "${into%/*}/" && work=$(mktemp -d "$into.XXXXXX") || give_up "cannot write $into"
trap 'rm -rf "$work"' EXIT
cp -r ARCHITECTURE.md Cargo.toml Cargo.lock build.rs LICENSE-APACHE LICENSE-MIT CHANGELOG.md README.md SECURITY.md \
    asm docs linker packaging src "$work"
cp -r --parents "$@" "$work"
cd "$work"
rm -rf "${@/%//tests}" # unit tests in the same files as the code remain
printf -v members '"%s", ' "$@"
for manifest in Cargo.toml "${@/%//Cargo.toml}"; do
    kept=$(awk '/^\[/ { left = /dev-dependencies|cfg\(loom\)|^\[\[(bench|test|example)\]\]/ } !left' "$manifest")
    sed -e "s|^members = .*|members = [${members%, }]|" -e '/^default-members = /d; /^exclude = .*\]$/d' <<<"$kept" >"$manifest"
done
"${CARGO:-cargo}" vendor --quiet --versioned-dirs >/dev/null || give_up "cargo could not get the crates"
packaging/copyright.pl vendor >>packaging/debian/copyright || give_up "debian/copyright cannot be written"
mkdir .cargo
printf '[source.crates-io]\nreplace-with = "vendor"\n[source.vendor]\ndirectory = "vendor"\n' >.cargo/config.toml
# The files are the same for every user.
chmod -R u=rwX,go=rX .
mv -T "$work" "$into" || give_up "cannot write $into"
