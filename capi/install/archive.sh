# From the archive that cargo has made, the one that is installed. Sourced by install.sh.
#
# Cargo's holds all of Rust's compiler_builtins: functions of libgcc's and libm's names, with other last bits, which a
# linker takes where it finds them first. Here the library's own code and what it needs of those is linked into one
# object, in which every symbol is local but the library's own and the entry points that compilers call.

# defined ARCHIVE: the names of its external symbols, from the index: nm may take a member for LLVM's, of a version that
# it does not read.
defined() { "${nm[@]}" --print-armap "$1" 2>/dev/null | awk '$2 == "in" { print $1 }' | sort -u; }

# externals: those of $made that may stay external: the interface, the version's own (statictramp_0_1_..., for linker scripts
# and debuggers), and Armv6-M's critical sections, which a program may replace.
externals() {
    defined "$made" >"$work/defined"
    comm -12 "$work/defined" "$work/interface"
    grep -E "^${prefix_of_symbols}|^_critical_section_1_0_(acquire|release)\$" "$work/defined" || true
}

# link_object OBJECT WORD...: the relocatable link.
link_object() {
    local object=$1
    shift
    "${ld[@]}" -r -o "$object" "$@" "${roots[@]}" "$made" 2>"$work/said"
}

# is_riscv OBJECT: by the field e_machine.
is_riscv() { [ "$(od -An -tx1 -j18 -N2 "$1" | tr -d ' ')" = f300 ]; }

# clean_archive: $made, cargo's archive, becomes $work/statictramp.o, $work/libstatictramp.a and $work/map. The compilers' entry
# points stay strong: mold would prefer those of a compiler's runtime to weak ones, wherever they come on the link line.
clean_archive() {
    local name
    sed -n 's/^ *\([a-zA-Z_][a-zA-Z_0-9]*\);.*/\1/p' capi/install/statictramp.map | sort -u >"$work/interface"
    externals | sort -u >"$work/externals"
    grep -qx statictramp_alloc "$work/externals" || give_up "\"${nm[*]}\" finds no symbols in $made; let NM name one for ${triple:-this machine}"
    roots=()
    while read -r name; do
        if [ -n "$pass" ]; then roots+=("$pass-u,$name"); else roots+=(-u "$name"); fi
    done <"$work/externals"
    link_object "$work/linked.o" || { cat "$work/said" >&2; give_up "\"${ld[*]} -r\" cannot link for ${triple:-this machine}"; }
    # What is left of compiler_builtins is dropped where the linker keeps the unwind information right: lld drops all
    # of .eh_frame then, and GNU ld leaves wrong places in RISC-V's.
    if ! is_riscv "$work/linked.o" && link_object "$work/collected.o" "${pass}--gc-sections" &&
        { ! grep -qaF .eh_frame "$work/linked.o" || grep -qaF .eh_frame "$work/collected.o"; }; then
        mv "$work/collected.o" "$work/linked.o"
    fi
    # .debug_frame is unwind information where there is no .eh_frame; .llvmbc is the same code again.
    "${objcopy[@]}" --strip-debug --keep-section=.debug_frame -R .llvmbc -R .llvmcmd \
        "--keep-global-symbols=$work/externals" "$work/linked.o" "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" does not know this object file; let OBJCOPY name one for ${triple:-this machine}"
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
