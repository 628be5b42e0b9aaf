# Tests programs that define functions under names that the archive imports. Sourced by the leg cross and by the part `archive` of
# the leg review.

# own_names OUT ARCHIVE NM RUNNER WORDS COMPILER WORD...: compiles such a program in OUT with this compiler and the library given
# by the last words, and runs it through RUNNER with WORDS. OUT/own_names.h lists all names that the archive imports, except those
# that ISO C reserves (ISO/IEC 9899:2011, 7.1.3 and 7.31) and those that match the pattern $except.
own_names() {
    local out=$1 archive=$2 nm=$3 runner=$4 words=$5 name word said status
    shift 5
    "$nm" -u "$archive" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u | while read -r name; do
        # shellcheck disable=SC2254 # a pattern, or nothing
        case $name in
        _* | .TOC. | mem* | str* | abort | calloc | free | getenv | malloc | signal) ;;
        ${except-}) ;;
        *) echo "FUNCTION($name)" ;;
        esac
    done >"$out/own_names.h"
    "$1" -std=c11 -O1 -w -fno-builtin -Icapi/include "-DOWN_NAMES=\"$PWD/$out/own_names.h\"" tests/programs/review/archive/own_names.c \
        "${@:2}" -pthread -o "$out/own_names" || fail "own_names.c cannot be linked: $*"
    # shellcheck disable=SC2086 # several words
    said=$(timeout 300 $runner "$out/own_names" $words 2>&1) || fail "own_names.c, $*: $said"
    for word in foreign late; do
        status=0
        # shellcheck disable=SC2086 # as above
        said=$(ulimit -c 0; timeout 300 $runner "$out/own_names" $word 2>&1) || status=$?
        case $status:$said in
        134:"statictramp: "*) ;;
        *) fail "own_names.c $word, $*: unexpected exit status $status: $said" ;;
        esac
    done
    echo "$(wc -l <"$out/own_names.h") of the archive's imported names are functions of the program, and none of them was called"
}
