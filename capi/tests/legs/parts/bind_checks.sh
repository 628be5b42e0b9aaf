# Functions that check which uses of STATICTRAMP_BIND compile, for the legs native, cross, gcc and bare. COMPILER may be several words.
# shellcheck shell=bash disable=SC2086 # $1: several words

# bind_uses COMPILER: the correct uses compile without a warning. (With -fsyntax-only, gcc does not warn of uninitialized objects.)
bind_uses() {
    $1 -Wall -Wextra -Wshadow -Wcast-qual -Wformat=2 -pedantic -Werror -Icapi/include -c capi/tests/programs/c/bind_uses.c -o /dev/null
}

# bind_misuses COMPILER: each wrong use is rejected even with -w, and the error message names the cause. Use 0 is correct.
bind_misuses() {
    local use expected said count=0
    $1 -DUSE=0 -Wall -Wextra -Werror -Wno-unused-function -Icapi/include -fsyntax-only capi/tests/programs/c/bind_misuse.c
    while IFS='|' read -r use expected; do
        said=$($1 -DUSE="$use" -w -Icapi/include -fsyntax-only capi/tests/programs/c/bind_misuse.c 2>&1) && fail "$1 accepts the wrong use $use of STATICTRAMP_BIND"
        grep -Eq "error:.*$expected" <<<"$said" || fail "$1: the error of the wrong use $use of STATICTRAMP_BIND does not say \"$expected\": $said"
        count=$((count + 1))
    done < <(sed -n 's|^#elif USE == \([0-9]*\) /\* expected: \(.*\) \*/$|\1\|\2|p' capi/tests/programs/c/bind_misuse.c)
    [ $count -ge 50 ] || fail "capi/tests/programs/c/bind_misuse.c has only $count wrong uses"
    echo "$1: $count wrong uses rejected"
}

# bind_needs_c11 COMPILER: in C++ and in older C, the header compiles, and the first error of a use names the remedy.
bind_needs_c11() {
    local said
    printf '#include <statictramp.h>\n' | $1 -Wall -Wextra -pedantic -Werror -Icapi/include -fsyntax-only -
    said=$(printf '#include <statictramp.h>\nint f(int *, int);\nint k;\nstatictramp_fn g(void) { return STATICTRAMP_BIND(f, &k, int, int); }\n' |
        $1 -w -Icapi/include -fsyntax-only - 2>&1) && fail "$1 accepts STATICTRAMP_BIND"
    grep -m1 'error:' <<<"$said" | grep -Eq 'requires C11: compile with -std=c11|in C\+\+, use statictramp::callback' ||
        fail "$1: the first error of STATICTRAMP_BIND does not name the remedy: $said"
}

# bind_calls_no_memcpy COMPILER: code of the macro needs no function except the library's.
bind_calls_no_memcpy() {
    local level
    for level in -O0 -Os -O2; do
        $1 $level -DDOUBLE -ffreestanding -Icapi/include -c tests/programs/bare/c/costs.c -o "$out/costs.o"
        [ "$(${1%%gcc *}nm -u "$out/costs.o" | awk '{ print $2 }' | sort | tr '\n' ' ')" = "statictramp_bind_types statictramp_free " ] ||
            fail "$1 $level: STATICTRAMP_BIND calls other functions than the library's: $(${1%%gcc *}nm -u "$out/costs.o")"
    done
}
