# Linking the archive changes no result of libgcc or libm. Sourced by the leg cross and by the part `archive` of the leg review,
# after symbols.sh.
# shellcheck disable=SC2086 # $command: several words, or none

# names_of_both DIRECTORY CARGO'S-ARCHIVE PREFIX: reads the archives to find the functions that Rust's own libraries share with
# libgcc and with libm. Writes them to DIRECTORY, together with the program calls.c, which calls all of them.
names_of_both() {
    local libm place nm=$3nm
    place=$(dirname "$("$3gcc" -print-file-name=libc.a)")
    libm=$(ls "$place"/libm-*.a 2>/dev/null || echo "$place/libm.a") # Debian's x86-64 has a linker script of that name
    index "$2" "$nm" >"$1/rust"
    index "$("$3gcc" -print-libgcc-file-name)" "$nm" | comm -12 "$1/rust" - >"$1/libgcc"
    index "$libm" "$nm" | comm -12 "$1/rust" - >"$1/libm"
    [ "$(wc -l <"$1/libgcc")" -ge 30 ] && [ "$(wc -l <"$1/libm")" -ge 30 ] || fail "$2 shares fewer than 30 functions with libgcc or libm, so it does not contain compiler_builtins"
    "$test_tools" library-calls "$1/libgcc" "$1/libm" >"$1/calls.c"
}

# numbers_of DIRECTORY RUNNER WORD...: prints the output of calls.c, linked with these words.
numbers_of() {
    "${@:3}" -o "$1/calls" || fail "cannot link: ${*:3}"
    # shellcheck disable=SC2086 # several words
    $2 "$1/calls" "$rounds"
}

# same_numbers DIRECTORY RUNNER ARCHIVE NAME COMMAND OBJECT WORD...: checks that the results are the same, bit for bit, with and
# without the archive. The archive is first, in the middle and last, linked without being called, and linked as a whole.
same_numbers() {
    local directory=$1 runner=$2 archive=$3 name=$4 command=$5 object=$6 place behind=("${@:7}")
    numbers_of "$directory" "$runner" $command "$object" "${behind[@]}" >"$directory/wanted"
    for place in front drawn-in between behind whole; do
        case $place in
        front) set -- "$archive" "$object" "${behind[@]}" ;;
        drawn-in) set -- -Wl,-u,statictramp_alloc "$archive" "$object" "${behind[@]}" ;;
        between) set -- "$object" "$archive" "${behind[@]}" ;;
        behind) set -- "$object" "${behind[@]}" "$archive" ;;
        whole) set -- -Wl,--whole-archive "$archive" -Wl,--no-whole-archive "$object" "${behind[@]}" ;;
        esac
        # shellcheck disable=SC2086 # several words
        numbers_of "$directory" "$runner" $command "$@" >"$directory/found"
        diff "$directory/wanted" "$directory/found" || fail "$name, $place: the archive changes results of functions in libgcc or libm"
    done
    echo "$name: $(wc -l <"$directory/wanted") functions and operators, bit for bit"
}

# other_numbers DIRECTORY RUNNER ARCHIVE COMMAND OBJECT WORD...: the negative control, which checks that the results differ with
# cargo's archive.
other_numbers() {
    # rustup's compiler_builtins refers to rust_eh_personality, which cargo's archive does not define.
    # shellcheck disable=SC2086 # several words
    numbers_of "$1" "$2" $4 -Wl,--defsym=rust_eh_personality=0 "$5" "$3" "${@:6}" >"$1/found"
    ! cmp -s "$1/wanted" "$1/found" || fail "cargo's archive changes no result, so this test proves nothing"
    echo "control: cargo's own archive changes $(diff "$1/wanted" "$1/found" | grep -c '^>') of them"
}
