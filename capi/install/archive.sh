# From the archive that cargo has made, the one that is installed. Sourced by install.sh.
#
# Cargo's holds all of Rust's compiler_builtins: functions of libgcc's and libm's names, with other last bits, which a
# linker takes where it finds them first. Here the library's own code and what it needs of those is linked into one
# object, in which every symbol is local but the library's own and the entry points that compilers call.

# defined ARCHIVE: the names of its external symbols, from the index: nm may take a member for LLVM's, of a version that
# it does not read.
defined() { "${nm[@]}" --print-armap "$1" 2>/dev/null | awk '$2 == "in" { print $1 }' | sort -u; }

# external: names of C as they stand in object files.
external() { if is_macos; then sed 's/^/_/'; else cat; fi; }

# externals: those of $made that may stay external: the interface, and the version's own (statictramp_0_1_..., for linker
# scripts and debuggers).
externals() {
    defined "$made" >"$work/defined"
    comm -12 "$work/defined" "$work/interface"
    grep -E "^_?${prefix_of_symbols}" "$work/defined" || true
}

# link_object OBJECT WORD...: the relocatable link.
link_object() {
    local object=$1
    shift
    "${ld[@]}" -r -o "$object" "$@" "${roots[@]}" "$made" 2>"$work/said"
}

# has_sums_in_frames OBJECT, is_x86_64 OBJECT: by the field e_machine. Of RISC-V and LoongArch .eh_frame is relocated by sums.
machine() { od -An -tx1 -j18 -N2 "$1" | tr -d ' '; }
has_sums_in_frames() { case $(machine "$1") in f300 | 0201) ;; *) return 1 ;; esac; }
is_x86_64() { [ "$(machine "$1")" = 3e00 ]; }

# promise_landing_pads OBJECT: gives it the note that a shadow stack (SHSTK) suits it, and IBT unless the stubs were built without
# landing pads. A linker keeps in a program only what every object promises, and rustc's objects do not, though
# install.sh has had them made so. Where rustc itself was told, the note is there already. Boards have no loader that
# reads it, and no place in memory for it.
promise_landing_pads() {
    local features='\3'
    is_x86_64 "$1" && ! grep -qaF .note.gnu.property "$1" && grep -qx _FortranATrampolineInit "$work/externals" || return 0
    [ "${STATICTRAMP_LANDING_PADS:-1}" != 0 ] || features='\2'
    # NT_GNU_PROPERTY_TYPE_0 of "GNU": GNU_PROPERTY_X86_FEATURE_1_AND, one word
    # shellcheck disable=SC2059 # octal digits
    printf '\4\0\0\0\20\0\0\0\5\0\0\0GNU\0\2\0\0\300\4\0\0\0'$features'\0\0\0\0\0\0\0' >"$work/property"
    "${objcopy[@]}" --add-section ".note.gnu.property=$work/property" --set-section-flags .note.gnu.property=alloc,readonly,data "$1" &&
        "${objcopy[@]}" --set-section-alignment .note.gnu.property=8 "$1" # GNU's does not align what it adds
}

is_windows() { case $triple in *-windows-*) ;; *) return 1 ;; esac; }
is_macos() { case $triple in *-apple-*) ;; *) return 1 ;; esac; }

# rename_in_archive: $made becomes $work/libstatictramp.a. For Windows the members stay apart, as GNU ld's relocatable link gives
# functions whose sections have one name the unwind information of the first; for macOS, as lld has no relocatable link. Each name but those in $work/externals begins
# with the version's prefix, so none is one of libgcc's or libm's.
rename_in_archive() {
    local prefix name remove=()
    prefix=$(external <<<"${prefix_of_symbols}_")
    comm -23 "$work/defined" "$work/externals" | sed "s/.*/& $prefix&/" >"$work/names"
    is_macos || remove=(-R .llvmbc -R .llvmcmd -R .drectve)
    # rustup's compiler_builtins was built with split debugging information, and without any: GNU objcopy stops at its .dwo members,
    # which have no sections.
    cp "$made" "$work/objects.a"
    while read -r name; do
        "${ar[@]}" d "$work/objects.a" "$name" || give_up "\"${ar[*]}\" cannot remove $name from an archive"
    done < <("${ar[@]}" t "$work/objects.a" | grep '\.dwo$')
    "${objcopy[@]}" "${strip[@]}" "${remove[@]}" "--redefine-syms=$work/names" "$work/objects.a" "$work/libstatictramp.a" ||
        give_up "\"${objcopy[*]}\" does not know these object files; let OBJCOPY name one for $triple"
    defined "$work/libstatictramp.a" | grep -v "^$prefix" | cmp -s - "$work/externals" ||
        give_up "BUG: not just the interface is external in the archive"
}

# clean_archive: $made, cargo's archive, becomes $work/statictramp.o, $work/libstatictramp.a and $work/map. The compilers' entry
# points stay strong: mold would prefer those of a compiler's runtime to weak ones, wherever they come on the link line.
clean_archive() {
    local name
    sed -n 's/^ *\([a-zA-Z_][a-zA-Z_0-9]*\);.*/\1/p' capi/install/statictramp.map | external | sort -u >"$work/interface"
    externals | sort -u >"$work/externals"
    grep -qx "_\?statictramp_alloc" "$work/externals" || give_up "\"${nm[*]}\" finds no symbols in $made; let NM name one for ${triple:-this machine}"
    if is_windows || is_macos; then
        rename_in_archive
        return
    fi
    roots=()
    while read -r name; do
        if [ -n "$pass" ]; then roots+=("$pass-u,$name"); else roots+=(-u "$name"); fi
    done <"$work/externals"
    link_object "$work/linked.o" || { cat "$work/said" >&2; give_up "\"${ld[*]} -r\" cannot link for ${triple:-this machine}"; }
    # What is left of compiler_builtins is dropped where the linker keeps the unwind information right: lld drops all
    # of .eh_frame then, and GNU ld leaves wrong places where it has sums.
    if ! has_sums_in_frames "$work/linked.o" && link_object "$work/collected.o" "${pass}--gc-sections" &&
        { ! grep -qaF .eh_frame "$work/linked.o" || grep -qaF .eh_frame "$work/collected.o"; }; then
        mv "$work/collected.o" "$work/linked.o"
    fi
    # .debug_frame is unwind information where there is no .eh_frame; .llvmbc is the same code again.
    "${objcopy[@]}" "${strip[@]}" --keep-section=.debug_frame -R .llvmbc -R .llvmcmd \
        "--keep-global-symbols=$work/externals" "$work/linked.o" "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" does not know this object file; let OBJCOPY name one for ${triple:-this machine}"
    # LLVM calls bcmp, which ISO C leaves to the program, for a memcmp of which only zero or not matters.
    ! "${nm[@]}" -u "$work/statictramp.o" | grep -qw bcmp || "${objcopy[@]}" --redefine-sym bcmp=memcmp "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" cannot rename a symbol; let OBJCOPY name one that can"
    promise_landing_pads "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" cannot add a section; let OBJCOPY name one that can"
    "${ar[@]}" rcs "$work/libstatictramp.a" "$work/statictramp.o" || give_up "\"${ar[*]}\" cannot write an archive"
    defined "$work/libstatictramp.a" | cmp -s - "$work/externals" || give_up "BUG: not just the interface is external in the archive"
    # Only names that are there: lld refuses others. What compilers call has no version, so that it also serves programs
    # that ask for the version of libgcc (LD_PRELOAD); what the C compiler itself adds to a library stays in it.
    {
        printf 'STATICTRAMP_0 {\n  global:\n'
        comm -12 "$work/externals" "$work/interface" | sed -n 's/^statictramp_.*/    &;/p'
        printf '  local:\n    _init*; _fini*; _edata*; _end*; __end*; __bss_*; _bss_*;\n};\n'
    } >"$work/map"
}
