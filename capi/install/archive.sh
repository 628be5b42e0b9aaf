# Converts cargo's archive to the archive that is installed. Sourced by install.sh.
#
# Cargo's archive contains all of Rust's compiler_builtins. The functions there have the same names as functions in libgcc and
# libm, but their results may differ in the last bits, and a linker uses the functions that it finds first. This script links the
# library's own code and the functions that this code needs into one object. In that object, every symbol is local except the
# library's own symbols and the entry points that compiled code calls. The program in capi/parts then divides the object into the
# members of the archive, so that a program links only the functions that it uses, and hides the functions, so that each shared object
# that contains them calls its own copy.

# defined ARCHIVE: the names of its external symbols, read from the index, because nm may mistake a member for LLVM bitcode of a
# version that it cannot read.
defined() { "${nm[@]}" --print-armap "$1" 2>/dev/null | awk '$2 == "in" { print $1 }' | sort -u; }

# interface: the names of the functions and variables that the library exports.
interface() { sed -n 's/^ *\([a-zA-Z_][a-zA-Z_0-9]*\);.*/\1/p' capi/install/statictramp.map; }

# externals: the symbols of $made that may stay external: the interface, the symbols with the C library's prefix
# (statictramp_c_0_1_...), which linker scripts and debuggers use, and the critical section for boards.
externals() {
    defined "$made" >"$work/defined"
    comm -12 "$work/defined" "$work/interface"
    grep -E "^statictramp_(c_${infix}|${infix}single_core_)" "$work/defined" || true
}

# link_object OBJECT WORD...: links the words into a relocatable object.
link_object() {
    local object=$1
    shift
    "${ld[@]}" -r -o "$object" "$@" "${roots[@]}" "$made" 2>"$work/said"
}

# must_stay_whole OBJECT, is_x86_64 OBJECT: test the field e_machine. An object must stay whole on three processors: RISC-V and
# LoongArch relocate .eh_frame with pairs of addends; MIPS needs .MIPS.options, which GNU ld drops.
machine() { od -An -tx1 -j18 -N2 "$1" | tr -d ' '; }
must_stay_whole() { case $(machine "$1") in f300 | 0201 | 0800) ;; *) return 1 ;; esac; }
is_x86_64() { [ "$(machine "$1")" = 3e00 ]; }

# promise_landing_pads OBJECT: adds the note that promises shadow-stack (SHSTK) compatibility and, unless the stubs were built
# without landing pads, IBT compatibility. A linker keeps only the properties that every object in a program promises. rustc's
# objects do not promise these properties, although install.sh has built the objects accordingly. If rustc itself was asked to add
# the note, the note already exists. Boards have no loader that reads the note, and no memory for it.
promise_landing_pads() {
    local features='\3'
    is_x86_64 "$1" && ! grep -qaF .note.gnu.property "$1" && grep -qx _FortranATrampolineInit "$work/externals" || return 0
    [ "${STATICTRAMP_LANDING_PADS:-1}" != 0 ] || features='\2'
    # NT_GNU_PROPERTY_TYPE_0 with the name "GNU": GNU_PROPERTY_X86_FEATURE_1_AND, one word
    # shellcheck disable=SC2059 # octal digits
    printf '\4\0\0\0\20\0\0\0\5\0\0\0GNU\0\2\0\0\300\4\0\0\0'$features'\0\0\0\0\0\0\0' >"$work/property"
    "${objcopy[@]}" --add-section ".note.gnu.property=$work/property" --set-section-flags .note.gnu.property=alloc,readonly,data "$1" &&
        "${objcopy[@]}" --set-section-alignment .note.gnu.property=8 "$1" # GNU objcopy does not align added sections
}

# has_parts OBJECT: tests whether the object can be divided. On 32-bit PowerPC, the functions of an object share a table of addresses,
# which must be in the same object. Debugging information describes a whole object.
has_parts() { [ ${#strip[@]} -gt 0 ] && [ "$(machine "$1")" != 0014 ]; }

# divide OBJECT [MAP PREFIX]: writes the members of the archive to $work/members, and prints their names in order. Without a map,
# there is one member. The program runs on this machine, so it is not affected by options for the target. macos.sh calls this
# function in bash 3.2.
divide() {
    local words=() word target=(-u CARGO_BUILD_TARGET)
    [ -z "$(unset CARGO_BUILD_TARGET && configured_target)" ] || target=("CARGO_BUILD_TARGET=$host")
    for word in ${arguments[@]+"${arguments[@]}"}; do
        case $word in --offline | --locked | --frozen) words+=("$word") ;; esac
    done
    mkdir "$work/members"
    env "${target[@]}" -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u CARGO_BUILD_RUSTFLAGS "${CARGO:-cargo}" run --quiet ${words[@]+"${words[@]}"} \
        -p statictramp-parts -- "$1" "$work/members" "${@:2}" 8<&-
}

is_windows() { case $triple in *-windows-*) ;; *) return 1 ;; esac; }
is_android() { case $made_for in *-android*) ;; *) return 1 ;; esac; }
# has_interop: whether the functions of statictramp_interop.h exist.
has_interop() { case $made_for in *-windows-* | *-android* | *-freebsd*) return 1 ;; esac; }

# rename_in_archive: converts $made to $work/libstatictramp.a. The members stay separate. On Windows, GNU ld's relocatable link
# would give all functions in sections of the same name the unwind information of the first function. Each name except those in
# $work/externals gets the C library's prefix, so that it differs from all names in libgcc and libm, and from those in the Rust crate.
rename_in_archive() {
    local name prefix=statictramp_c_${infix}_
    # The tools may print warnings for each member, as from an LLVM plugin of binutils that cannot read it.
    quietly() { "$@" 2>"$work/said" || { cat "$work/said" >&2 && return 1; }; }
    comm -23 "$work/defined" "$work/externals" | sed "s/.*/& $prefix&/" >"$work/names"
    # The compiler_builtins from rustup was built with split debugging information. Its .dwo members have no sections, and GNU
    # objcopy fails when it reaches them.
    cp "$made" "$work/objects.a"
    while read -r name; do
        quietly "${ar[@]}" d "$work/objects.a" "$name" || give_up "\"${ar[*]}\" cannot remove $name from an archive"
    done < <(quietly "${ar[@]}" t "$work/objects.a" | grep '\.dwo$')
    quietly "${objcopy[@]}" "${strip[@]}" -R .llvmbc -R .llvmcmd -R .drectve "--redefine-syms=$work/names" "$work/objects.a" "$work/libstatictramp.a" ||
        give_up "\"${objcopy[*]}\" does not support these object files; set OBJCOPY to one for $triple"
    defined "$work/libstatictramp.a" | grep -v "^$prefix" | cmp -s - "$work/externals" ||
        give_up "BUG: the archive has external symbols besides the interface"
}

# clean_archive: converts $made, cargo's archive, to $work/statictramp.o and $work/libstatictramp.a. The entry points
# for compiled code stay strong symbols: if they were weak, mold would prefer those of a compiler's run-time library, whatever the
# order on the link line.
clean_archive() {
    local name members
    interface | sort -u >"$work/interface"
    externals | sort -u >"$work/externals"
    grep -qx statictramp_alloc "$work/externals" || give_up "\"${nm[*]}\" finds no symbols in $made; set NM to one for ${triple:-this machine}"
    if is_windows; then
        rename_in_archive
        return
    fi
    roots=()
    while read -r name; do
        if [ -n "$pass" ]; then roots+=("$pass-u,$name"); else roots+=(-u "$name"); fi
    done <"$work/externals"
    link_object "$work/linked.o" || { cat "$work/said" >&2; give_up "\"${ld[*]} -r\" cannot link for ${triple:-this machine}"; }
    # The unused part of compiler_builtins is dropped if the linker keeps the unwind information correct: lld would drop
    # all of .eh_frame, and GNU ld leaves wrong addresses on the targets above.
    if ! must_stay_whole "$work/linked.o" && link_object "$work/collected.o" "${pass}--gc-sections" &&
        { ! grep -qaF .eh_frame "$work/linked.o" || grep -qaF .eh_frame "$work/collected.o"; }; then
        mv "$work/collected.o" "$work/linked.o"
    fi
    # .debug_frame is the unwind information on targets without .eh_frame; .llvmbc is a second copy of the code.
    "${objcopy[@]}" "${strip[@]}" --keep-section=.debug_frame -R .llvmbc -R .llvmcmd \
        "--keep-global-symbols=$work/externals" "$work/linked.o" "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" does not support this object file; set OBJCOPY to one for ${triple:-this machine}"
    # If the result of a memcmp is only compared with zero, LLVM replaces the call with a call to bcmp, a name that ISO C
    # leaves to the program.
    ! "${nm[@]}" -u "$work/statictramp.o" | grep -qw bcmp || "${objcopy[@]}" --redefine-sym bcmp=memcmp "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" cannot rename a symbol; set OBJCOPY to one that can"
    promise_landing_pads "$work/statictramp.o" ||
        give_up "\"${objcopy[*]}\" cannot add a section; set OBJCOPY to one that can"
    local parts=()
    ! has_parts "$work/statictramp.o" || parts=(capi/install/statictramp.map "statictramp_c_$infix")
    divide "$work/statictramp.o" "${parts[@]}" >"$work/order" || give_up "the object file cannot be divided into the members of the archive"
    mapfile -t members <"$work/order"
    "${ar[@]}" rcs "$work/libstatictramp.a" "${members[@]/#/$work/members/}" || give_up "\"${ar[*]}\" cannot write an archive"
    rm -r "$work/members" "$work/order"
    defined "$work/libstatictramp.a" | grep -v "^statictramp_c_${infix}part_" | cmp -s - "$work/externals" ||
        give_up "BUG: the archive has external symbols besides the interface"
    ! grep -qx _FortranATrampolineInit "$work/externals" || share_object
}

# functions_in LIBRARY: the functions that the map assigns to this shared library. Variables stay in libstatictramp.so.0.
functions_in() {
    awk -v library="$1" '$2 == "in" { here = $3 } here == library && /;$/ { print $1 }' capi/install/statictramp.map | tr -d ';' |
        grep -v '^__omp_offloading_fptr_map_' | sort | comm -12 - "$work/externals"
}

# version_script [PATTERN;]: prints a version script that gives the library's own functions, whose names are read from standard
# input, their version. It lists only existing names, because lld rejects others. Functions that compiled code calls have no
# version, so that they also work in programs that request libgcc's version (LD_PRELOAD). Symbols that match the pattern, or that the C
# compiler itself adds to a library, are not exported.
version_script() {
    printf 'STATICTRAMP_0 {\n  global:\n'
    sed -n 's/^statictramp_.*/    &;/p'
    printf '  local:\n    %s_init*; _fini*; _edata*; _end*; __end*; __bss_*; _bss_*;\n};\n' "${1:+$1 }"
}

# share_object: writes to $work the files from which install.sh links the shared libraries. In shared.o, the functions that more
# than one of them contains have private names: each library exports a function that jumps to the private one (forward.S). If a
# process has loaded two libraries that define it, the loader chooses one definition for all, so they share one table.
share_object() {
    local library
    for library in runtime interop; do functions_in libstatictramp_$library >"$work/in_$library"; done
    sort "$work"/in_{runtime,interop} | sed 's/.*/& statictramp_private_&/' >"$work/renamed"
    "${objcopy[@]}" "--redefine-syms=$work/renamed" "$work/statictramp.o" "$work/shared.o" ||
        give_up "\"${objcopy[*]}\" cannot rename symbols; set OBJCOPY to one that can"
    # Only libraries of the same release call each other.
    printf 'STATICTRAMP_PRIVATE_%s {\n  global:\n    statictramp_private_*;\n};\n' "$version" >"$work/private"
    comm -12 "$work/externals" "$work/interface" >"$work/all"
    { version_script <"$work/all"; cat "$work/private"; } >"$work/map"
    { comm -23 "$work/all" "$work/in_interop" | version_script '__omp_*;'; cat "$work/private"; } >"$work/map_core"
    version_script <"$work/in_interop" >"$work/map_interop"
    printf 'GCC_14.0.0 {\n  global:\n    __gcc_nested_func_ptr_*;\n};\n' >"$work/map_runtime"
}
