# How the scripts that install read words and variables, and what cargo has built for them. Sourced by them first: it goes to
# the directory of the sources.

# refuse SENTENCE: what was asked cannot be done as asked.
refuse() { printf 'install.sh: %s\n' "$*" >&2; exit 2; }
# give_up SENTENCE: it was tried and failed.
give_up() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

# All may read what is installed. cargo has no symbolic links in the name of the directory that it is called in.
umask 022
started_in=$PWD
unset CDPATH
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
# Quotes mean to the compiler of the stubs what they mean to a shell.
case ${CFLAGS:-}${CXXFLAGS:-} in *[\'\"\\]*) export CC_SHELL_ESCAPED_FLAGS=1 ;; esac

# absolute PATH: as seen from where the script was started.
absolute() { case $1 in '' | /*) printf '%s' "$1" ;; *) printf '%s/%s' "$started_in" "$1" ;; esac; }

# read_places SCRIPT [PREFIX [WORD FOR CARGO]...]: sets prefix and libdir, "" for "/", root, which is put before both, and verbose;
# makes what cargo reads absolute. With --uninstall before PREFIX it removes what the list of COMPONENT names, and ends.
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
    *$'\n'*) refuse "PREFIX cannot have a line feed" ;;
    /*) ;;
    *) refuse "PREFIX must be an absolute path, not \"$prefix\"" ;;
    esac
    prefix=${prefix%"${prefix##*[!/]}"} # "/" is nothing: its files are below it
    libdir=${LIBDIR:-lib}
    libdir=${libdir%"${libdir##*[!/]}"}
    case $libdir in
    '') refuse "LIBDIR cannot be \"$LIBDIR\"" ;;
    /*) ;;
    *) libdir=$prefix/$libdir ;;
    esac
    root=$(absolute "${DESTDIR:-}")
    root=${root%"${root##*[!/]}"}
    for variable in CARGO_TARGET_DIR CARGO_HOME; do
        [ -z "${!variable:-}" ] || export "$variable=$(absolute "${!variable}")"
    done
    [ -z "$uninstall" ] || { uninstall "$@"; exit 0; }
    command -v "${CARGO:-cargo}" >/dev/null || refuse "there is no cargo; install Rust 1.88 or later"
}

# split VARIABLE: its words in the array $words, with quotes and backslashes as a shell has them, but without expansions.
split() {
    words=()
    xargs -r printf '%s\0' <<<"${!1:-}" >/dev/null 2>&1 || refuse "$1 has a quote that does not end: ${!1}"
    mapfile -d '' -t words < <(xargs -r printf '%s\0' <<<"${!1:-}")
}

# set_flags: the words of LDFLAGS go to each link of rustc's, which writes a place below /usr/src for the directory it is
# called in, for what cargo builds and for cargo's own sources: of the same sources come the same programs wherever they lie.
# Sets $flags, words for cargo. Flags of the caller's own stay, in a variable, which ours join, or in cargo's configuration;
# one with target.*.rustflags outdoes ours.
set_flags() {
    local there=/usr/src/statictramp-$version home=~ ours words word
    ours=("--remap-path-prefix=$PWD=$there" "--remap-path-prefix=${CARGO_HOME:-$home/.cargo}=/usr/src/cargo"
        "--remap-path-prefix=${CARGO_TARGET_DIR:-$PWD/target}=$there/target") # the last that fits counts
    split LDFLAGS
    for word in "${words[@]}"; do
        ours+=("-Clink-arg=$word")
    done
    flags=()
    # A variable that is set is what counts for cargo, empty or not.
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

# build WHAT WORD...: cargo with these words; what it tells of goes to $said.
build() {
    local quiet=--quiet
    [ -z "$verbose" ] || quiet=
    said=$("${CARGO:-cargo}" "${2}" $quiet --release --message-format=json-render-diagnostics "${@:3}") || give_up "cargo could not build the $1"
}
# made NAME: the file of this name that cargo has built, wherever it was told to.
made() {
    local file
    file=$(sed -n "s|.*\"filenames\":\[[^]]*\"\([^\"]*/${1//./\\.}\)\".*|\1|p" <<<"$said" | tail -n 1)
    [ -f "$file" ] || give_up "cargo has built no $1${said:+ that it tells of}"
    printf '%s' "$file"
}

# run COMMAND...: a compiler or a tool; with --verbose, prints the command first.
run() {
    [ -z "$verbose" ] || printf '%s\n' "     Running \`${*@Q}\`" >&2
    "$@"
}

# The files that this run has installed, without $root.
installed=()
# place COMMAND... PATH: makes a file below $root by a command that is given its temporary name. Renaming puts it in place: of two
# installs at once the later one's stays, no reader finds half a file, and what runs an older one keeps it.
place() {
    local to=$root${*: -1} temporary
    mkdir -p "${to%/*}" 2>/dev/null && temporary=$(mktemp "${to%/*}/.statictramp.XXXXXX") &&
        "${@:1:$#-1}" "$temporary" && mv -fT "$temporary" "$to" || { rm -f "$temporary"; give_up "cannot write $to"; }
    installed+=("${*: -1}")
}
# put MODE FILE PATH: installs a file. put_link TARGET PATH: installs a symbolic link.
put() { place copy "$1" "$2" "$3"; }
put_link() { place ln -sfn "$1" "$2"; }
copy() { cat "$2" >"$3" && chmod "$1" "$3"; }

# put_documents FILE...: installs these below the component's own directory, and the list of all that was installed.
put_documents() {
    local file list
    for file; do put 644 "$file" "$prefix/share/doc/$component/$file"; done
    list=$(mktemp)
    installed+=("$prefix/share/doc/$component/installed-files")
    printf '%s\n' "${installed[@]}" | sort >"$list"
    put 644 "$list" "$prefix/share/doc/$component/installed-files"
    rm "$list"
}

# uninstall [PREFIX]: removes what the component's list below PREFIX names, and the directories below PREFIX that are empty then.
uninstall() {
    local list=$root$prefix/share/doc/$component/installed-files file files
    [ $# -le 1 ] || refuse "--uninstall takes one PREFIX"
    [ -f "$list" ] || give_up "there is no $list: nothing of $component is installed there, or by another way"
    mapfile -t files <"$list"
    for file in "${files[@]}"; do
        rm -f "$root$file" || give_up "cannot remove $root$file"
        file=${file%/*}
        while [ "$file" != "$prefix" ] && [ -n "$file" ] && rmdir "$root$file" 2>/dev/null; do file=${file%/*}; done
    done
    echo "$component is removed from $root${prefix:-/}"
}
