# Functions for the install scripts: they handle arguments, variables, and the files that cargo has built. The scripts source this
# file first, because it changes to the directory of the sources. On a Mac they run in bash 3.2 with the system's tools.

# In POSIX mode (after "sh SCRIPT" on a Mac), bash 3.2 has no process substitution.
set +o posix

# refuse MESSAGE: reports that an argument or a variable is invalid, and exits.
refuse() { printf 'install.sh: %s\n' "$*" >&2; exit 2; }
# give_up MESSAGE: reports that an operation has failed, and exits.
give_up() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

# Installed files are readable by all users. cargo resolves symbolic links in the name of its working directory.
umask 022
started_in=$PWD
unset CDPATH
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
# The compiler that assembles the stubs parses quotes as a shell does.
case ${CFLAGS:-}${CXXFLAGS:-} in *[\'\"\\]*) export CC_SHELL_ESCAPED_FLAGS=1 ;; esac

# absolute PATH: prints the absolute path. PATH is relative to the directory in which the script was started.
absolute() { case $1 in '' | /*) printf '%s' "$1" ;; *) printf '%s/%s' "$started_in" "$1" ;; esac; }

# normalize PATH: prints an absolute path without "." and "..", which are interpreted as by a shell's cd. Prints nothing for "/".
normalize() {
    local rest=$1/ path=
    while [ -n "$rest" ]; do
        case ${rest%%/*} in
        '' | .) ;;
        ..) path=${path%/*} ;;
        *) path=$path/${rest%%/*} ;;
        esac
        rest=${rest#*/}
    done
    printf '%s' "$path"
}

# read_places SCRIPT [PREFIX [ARGUMENT FOR CARGO]...]: sets prefix and libdir (to "" for "/"), root, which is prepended to both,
# and verbose. Makes cargo's directory variables absolute. If --uninstall precedes PREFIX, removes the files on COMPONENT's list
# and exits.
read_places() {
    local variable script=$1 uninstall='' word
    shift
    [ "${1:-}" != --uninstall ] || { uninstall=1 && shift; }
    prefix=${1-/usr/local}
    verbose=
    for word in "${@:2}"; do
        case $word in --) break ;; --verbose | -v | -vv) verbose=1 ;; esac
    done
    case $prefix in
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$script"; exit 0 ;;
    *$'\n'*) refuse "PREFIX must not contain a line feed" ;;
    /*) ;;
    *) refuse "PREFIX must be an absolute path, not \"$prefix\"" ;;
    esac
    prefix=$(normalize "$prefix")
    libdir=${LIBDIR:-lib}
    case $libdir in /*) ;; *) libdir=$prefix/$libdir ;; esac
    libdir=$(normalize "$libdir")
    [ -n "$libdir" ] || refuse "LIBDIR cannot be \"$LIBDIR\""
    root=$(absolute "${DESTDIR:-}")
    root=${root%"${root##*[!/]}"}
    for variable in CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR CARGO_HOME; do
        [ -z "${!variable:-}" ] || export "$variable=$(absolute "${!variable}")"
    done
    [ -z "$uninstall" ] || { uninstall "$@"; exit 0; }
    command -v "${CARGO:-cargo}" >/dev/null || refuse "there is no cargo; install Rust 1.88 or later"
}

# split VARIABLE: splits its value into words, in the array $words. Quotes and backslashes are interpreted as in a shell, but
# there are no expansions.
split() {
    words=()
    [[ ${!1:-} = *[![:space:]]* ]] || return 0
    xargs printf '%s\0' <<<"${!1:-}" >/dev/null 2>&1 || refuse "$1 contains an unterminated quotation: ${!1}"
    local word
    while IFS= read -r -d '' word; do words+=("$word"); done < <(xargs printf '%s\0' <<<"${!1:-}")
}

# set_flags: passes the words of LDFLAGS to each link by rustc. Makes rustc write a path below /usr/src in place of the working
# directory, for the crates and for cargo's own sources, so that identical sources give identical programs in any directory. Sets
# $flags to arguments for cargo. The caller's own flags remain in effect: ours are added to those in a variable, and those in
# cargo's configuration are kept. A setting of target.*.rustflags has precedence over our flags.
set_flags() {
    local there=/usr/src/statictramp-$version home=~ ours words word
    ours=("--remap-path-prefix=$PWD=$there" "--remap-path-prefix=${CARGO_HOME:-$home/.cargo}=/usr/src/cargo"
        "--remap-path-prefix=${CARGO_TARGET_DIR:-${CARGO_BUILD_TARGET_DIR:-$PWD/target}}=$there/target") # the last match counts
    split LDFLAGS
    for word in "${words[@]}"; do
        ours+=("-Clink-arg=$word")
    done
    flags=()
    # cargo treats a variable as set even if it is empty.
    if [ -n "${CARGO_ENCODED_RUSTFLAGS+set}" ]; then
        words=(${CARGO_ENCODED_RUSTFLAGS:+"$CARGO_ENCODED_RUSTFLAGS"})
    elif [ -n "${RUSTFLAGS+set}" ]; then
        read -rd '' -a words <<<"$RUSTFLAGS" || true
    else
        words=("${ours[@]//\\/\\\\}")
        printf -v words '"%s", ' "${words[@]//\"/\\\"}"
        flags=(--config "build.rustflags=[${words[0]}]")
        return
    fi
    printf -v CARGO_ENCODED_RUSTFLAGS '%s\x1f' "${words[@]}" "${ours[@]}"
    export CARGO_ENCODED_RUSTFLAGS=${CARGO_ENCODED_RUSTFLAGS%$'\x1f'}
}

# lock_builds: waits until no other installation uses this target directory. Until unlock_builds, the files that cargo has built
# therefore remain those of this run. There is no lock if flock is missing or the file system does not support it.
lock_builds() {
    local directory=${CARGO_TARGET_DIR:-${CARGO_BUILD_TARGET_DIR:-target}}
    ! command -v flock >/dev/null || ! mkdir -p "$directory" 2>/dev/null || { exec 8<"$directory" && flock 8; } || true
}
unlock_builds() { exec 8<&-; }

# build WHAT WORD...: runs cargo with these arguments. Stores its messages in $said.
build() {
    local quiet=--quiet
    [ -z "$verbose" ] || quiet=
    said=$("${CARGO:-cargo}" "${2}" $quiet --release --message-format=json-render-diagnostics "${@:3}" 8<&-) || give_up "cargo could not build the $1"
}
# made NAME: prints the path of the file with this name that cargo has built, in any target directory.
made() {
    local file
    file=$(sed -n "s|.*\"filenames\":\[[^]]*\"\([^\"]*/${1//./\\.}\)\".*|\1|p" <<<"$said" | tail -n 1)
    [ -f "$file" ] || give_up "cargo has built no $1${said:+, according to its messages}"
    printf '%s' "$file"
}

# here: prints this machine's target, even if rustc lacks --print host-tuple because it is too old for the library.
here() { "${RUSTC:-rustc}" -vV | sed -n 's/^host: //p'; }
# configured_target WORD...: prints the target that cargo's configuration specifies, including --config in these arguments, or nothing.
# This command of cargo is unstable.
configured_target() {
    local options=()
    while [ $# -gt 0 ]; do
        case $1 in
        --config) options+=("$1" "${2:-}") ;;
        --config=*) options+=("$1") ;;
        --) break ;;
        esac
        shift
    done
    RUSTC_BOOTSTRAP=1 "${CARGO:-cargo}" -Zunstable-options ${options[@]+"${options[@]}"} config get --format json-value build.target 2>/dev/null | tr -d '"[]' || true
}

# run COMMAND...: runs a compiler or a tool. With --verbose, prints the command first.
run() {
    [ -z "$verbose" ] || printf '     Running `%s`\n' "$(printf '%q ' "$@")" >&2
    "$@"
}

# lock_prefix: waits until no other installation or removal changes files below PREFIX. Fails if flock is missing.
lock_prefix() { command -v flock >/dev/null && exec 7<"$root$prefix/" && flock 7; }

# open_list: locks PREFIX and sets list. The list keeps the files of earlier installations, such as libraries of another version or in
# another LIBDIR. Removes the temporary file of an installation that was killed.
open_list() {
    local file locked=
    list=$root$prefix/share/doc/$component/installed-files
    ! mkdir -p "$root$prefix/" 2>/dev/null || ! lock_prefix || locked=1
    mkdir -p "${list%/*}" 2>/dev/null && { [ ! -e "$list" ] || [ -f "$list" ]; } && { true >>"$list"; } 2>/dev/null || give_up "cannot write $list"
    [ -z "$(tail -c 1 "$list")" ] || echo >>"$list" # a disk was full in the middle of a line
    [ -n "$locked" ] || return 0
    while IFS= read -r file; do
        case $file in */../*) ;; /*/.statictramp.??????) rm -f "$root$file" 2>/dev/null || true ;; esac
    done <"$list"
}

# place COMMAND... PATH: creates a file below $root with a command that gets its temporary name, and then renames the file. After
# two concurrent installations, the file of the later one therefore remains; no reader finds a partial file, and running programs
# keep the old file. Both names are on the list before the file exists, so --uninstall also removes an incomplete installation.
#
# mv would move the file into a directory to which a symbolic link of that name points, so such a link is removed first. (GNU mv has
# the option -T; on macOS 13 and later, mv has -h.)
list=
place() {
    local path=${*: -1} temporary=
    local to=$root$path
    [ -n "$list" ] || open_list
    mkdir -p "${to%/*}" 2>/dev/null && temporary=$(mktemp "${to%/*}/.statictramp.XXXXXX") &&
        printf '%s\n' "${temporary#"$root"}" "$path" >>"$list" && "${@:1:$#-1}" "$temporary" &&
        { [ ! -d "$to" ] || rm -f "$to" 2>/dev/null; } && mv -f "$temporary" "$to" || { rm -f "$temporary"; give_up "cannot write $to"; }
}
# put MODE FILE PATH: installs a file. put_link TARGET PATH: installs a symbolic link.
put() { place copy "$1" "$2" "$3"; }
put_link() { place ln -sfn "$1" "$2"; }
copy() { cat "$2" >"$3" && chmod "$1" "$3"; }

# put_documents FILE...: installs these files in the component's own directory, with the copyright notices of the code that it
# contains, and the list of all installed files.
put_documents() {
    local file sorted
    put 644 "packaging/copyright/${component%-[0-9]*}" "$prefix/share/doc/$component/copyright"
    for file; do put 644 "$file" "$prefix/share/doc/$component/$file"; done
    sorted=$(mktemp)
    { cat "$list" && printf '%s\n' "${list#"$root"}"; } | sort -u | while IFS= read -r file; do
        if [ -f "$root$file" ] || [ -L "$root$file" ]; then printf '%s\n' "$file"; fi
    done >"$sorted"
    put 644 "$sorted" "${list#"$root"}"
    rm "$sorted"
}

# remove FILE: removes an installed file, and the directories that have become empty and are named after the library.
remove() {
    local file=$1
    [ -d "$root$file" ] && [ ! -L "$root$file" ] || rm -f "$root$file" || give_up "cannot remove $root$file"
    file=${file%/*}
    while [ "$file" != "$prefix" ] && [[ ${file##*/} = *statictramp* ]] && rmdir "$root$file" 2>/dev/null; do file=${file%/*}; done
}

# uninstall [PREFIX]: removes the files on the component's list below PREFIX. Empty directories that are not named after the library,
# such as PREFIX/lib, may have existed before the installation.
uninstall() {
    local own=$prefix/share/doc/$component/installed-files file files
    local list=$root$own
    [ $# -le 1 ] || refuse "--uninstall takes one PREFIX"
    [ ! -d "$root$prefix/" ] || lock_prefix || true
    [ -f "$list" ] || give_up "there is no $list: nothing of $component is installed there, or it was installed in another way"
    files=()
    while IFS= read -r file; do
        case $file in
        "$own" | '') ;;
        [!/]* | */../*) give_up "the list of installed files contains \"$file\": remove it from the list" ;;
        *) files+=("$file") ;;
        esac
    done <"$list"
    for file in ${files[@]+"${files[@]}"} "$own"; do remove "$file"; done # the list last, to repeat a failed removal
    echo "removed $component from $root${prefix:-/}"
}
