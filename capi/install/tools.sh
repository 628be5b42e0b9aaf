# Selects the compiler, the linker and the binutils for install.sh, which sources this file.

# target_of WORD...: prints the target that the cargo arguments, CARGO_BUILD_TARGET or cargo's configuration specify, or nothing.
target_of() {
    local target=${CARGO_BUILD_TARGET:-$(configured_target "$@")}
    while [ $# -gt 0 ]; do
        case $1 in
        --target) target=${2:-} ;;
        --target=*) target=${1#*=} ;;
        --) break ;;
        esac
        shift
    done
    target=${target##*/} # a target specification file
    [ "$target" != host-tuple ] || target=$host
    printf '%s' "${target%.json}"
}

# set_target WORD...: sets host to this machine's target, triple to the target that target_of prints for these words, and made_for to the
# target for which the library is built: $triple, or $host if no target is specified.
set_target() {
    command -v "${RUSTC:-rustc}" >/dev/null || refuse "there is no ${RUSTC:-rustc}; install Rust 1.88 or later"
    host=$(here)
    triple=$(target_of "$@")
    made_for=${triple:-$host}
}

# family PROGRAM: prints the prefix and the suffix of the binutils that belong to a compiler, linker or objcopy: "arm-none-eabi-"
# for arm-none-eabi-gcc-12, "llvm- -19" for clang-19. Fails for unknown names.
family() {
    local directory='' name=$1
    case $name in */*) directory=${name%/*}/ name=${name##*/} ;; esac
    if [[ $name =~ ^(.*-)?(clang|clang\+\+|ld\.lld|lld|llvm-objcopy)(-[0-9.]+)?$ ]]; then
        printf '%sllvm- %s' "$directory" "${BASH_REMATCH[3]}"
    elif [[ $name =~ ^(.*-)?(gcc|cc|g\+\+|c\+\+|ld|ld\.bfd|objcopy)(-[0-9.]+)?$ ]]; then
        printf '%s%s ' "$directory" "${BASH_REMATCH[1]}"
    else
        return 1
    fi
}

# tool VARIABLE NAME: stores a tool's command in the array $found. The command is the variable's value, or else the first existing
# tool that belongs to $CC, $LD or $OBJCOPY.
tool() {
    local word before behind candidate
    read -ra found <<<"${!1:-}"
    if [ ${#found[@]} -gt 0 ]; then
        command -v "${found[0]}" >/dev/null || refuse "$1 is set to \"${found[0]}\", which does not exist"
        return
    fi
    for word in "${cc[@]}" ${LD:-} ${OBJCOPY:-}; do
        read -r before behind < <(family "$word" && echo) || continue
        [ "$before$behind" != "" ] || before=
        for candidate in "$before$2$behind" "$before$2" "${before##*/}$2"; do
            ! command -v "$candidate" >/dev/null || { found=("$candidate"); return; }
        done
    done
    [ -z "$foreign" ] && command -v "$2" >/dev/null || refuse "there is no $2 for ${triple:-this machine}; install the binutils that belong to \"${cc[*]:-${LD:-cc}}\", or set $1"
    found=("$2")
}

# find_tools: sets cc (empty if only $LD is set), ld, objcopy, ar, nm and foreign.
find_tools() {
    local own
    foreign=
    [ -z "$triple" ] || [ "$triple" = "$host" ] || foreign=1
    own=CC_${triple//[-.]/_}
    read -ra cc <<<"${CC:-${!own:-}}"
    if [ ${#cc[@]} -eq 0 ] && [ -z "$foreign" ]; then cc=(cc); fi
    if [ ${#cc[@]} -gt 0 ]; then
        command -v "${cc[0]}" >/dev/null || refuse "the C compiler \"${cc[0]}\" does not exist; set CC"
    elif [ -z "${LD:-}" ]; then
        refuse "set CC to the C compiler for $triple, or set LD and OBJCOPY to a linker and an objcopy for it"
    fi
    if [ -n "${LD:-}" ]; then
        tool LD ld
        ld=("${found[@]}") pass=
    else
        ld=("${cc[@]}" -nostdlib) pass=-Wl,
    fi
    tool OBJCOPY objcopy
    objcopy=("${found[@]}")
    tool AR ar
    ar=("${found[@]}")
    tool NM nm
    nm=("${found[@]}")
}
