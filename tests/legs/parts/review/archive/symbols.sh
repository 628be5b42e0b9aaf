# Tests the symbols that an installed archive may define and import. Sourced by the legs install, cross and bare, and by the part
# `archive` of the leg review.

# index ARCHIVE [NM]: prints the names of its external symbols.
index() { "${2:-nm}" --print-armap "$1" 2>/dev/null | awk '$2 == "in" { print $1 }' | sort -u; }

# only_ours ARCHIVE [NM [MORE]...]: checks that the archive defines the interface, the symbols with the C library's prefix, MORE,
# and no other external symbol. Replaceable functions must be weak. The archive may import only functions of libc. It must be
# small and contain no directory names.
only_ours() {
    local archive=$1 nm=${2:-nm} version name kind lists
    lists=$(mktemp -d)
    version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\([0-9]*\)\.\([0-9]*\).*/\1_\2/p' Cargo.toml)
    index "$archive" "$nm" | grep -vE "^statictramp_(c_${version}_[a-z_]*|${version}_single_core_[a-z]*)\$" >"$lists/defined" || :
    grep -qx statictramp_alloc "$lists/defined" || fail "$archive does not define statictramp_alloc"
    sed -n 's/^ *\([a-zA-Z_]\w*\);.*/\1/p' capi/install/statictramp.map | sort >"$lists/interface"
    comm -12 "$lists/defined" "$lists/interface" >"$lists/interface-there"
    for name in $(comm -23 "$lists/defined" "$lists/interface"); do
        case " ${*:3} " in *" $name "*) ;; *) fail "$archive defines $name, which is not part of the interface" ;; esac
    done
    for name in slots slots_end stubs stubs_end slot_count slot_stride stub_stride; do
        index "$archive" "$nm" | grep -qx "statictramp_c_${version}_$name" || fail "$archive does not define the symbol $name, which linker scripts use"
    done
    while read -r kind name; do
        case $kind$name in
        [TDBRA]statictramp_* | T_FortranA* | T__gcc_* | T__kmpc_* | T__tgt_* | T__llvm_*) ;;
        V__omp_offloading_fptr_map_*) ;; # a program may define its own
        *) fail "$archive: the symbol $name has the unexpected kind $kind" ;;
        esac
    done < <("$nm" -g --defined-only "$archive" 2>/dev/null | awk 'NF >= 3 { print $(NF - 1), $NF }')
    "$nm" -u "$archive" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u >"$lists/needed"
    : >"$lists/libc"
    if grep -qx _FortranATrampolineInit "$lists/interface-there"; then # with an operating system
        index "$("${nm%nm}gcc" -print-file-name=libc.a)" "$nm" >"$lists/libc"
    fi
    for name in $(comm -23 "$lists/needed" "$lists/libc"); do
        case $name in
        __aeabi_unwind_cpp_pr[01]) ;; # from Arm's unwinder
        .TOC. | _GLOBAL_OFFSET_TABLE_) ;; # defined by linkers for PowerPC and i386
        statictramp_error_* | _critical_section_1_0_*) ;; # on boards: provided by tramp.x, or named by the linker
        "statictramp_${version}_both") ;; # on boards: a weak reference to the crate's table
        *) fail "$archive refers to $name, which libc does not define" ;;
        esac
    done
    [ "$(stat -c %s "$archive")" -lt 1000000 ] || fail "$archive is larger than a megabyte"
    ! strings -a "$archive" | grep -F -e "$PWD" -e "$HOME" -e /rustc/ -e /rustlib/ || fail "$archive contains the path of the build directory"
    echo "$(wc -l <"$lists/defined") names, $(stat -c %s "$archive") bytes, $(wc -l <"$lists/needed") imported functions of libc"
    rm -r "$lists"
}
