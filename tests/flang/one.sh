# one.sh VERSION LEVEL SOURCE: compiles a Fortran program with the plugin and runs it; its output must be that of
# gfortran, no trampoline may be left, and the stack must not be executable. Run by tests/legs/flang.sh, which has
# exported what it takes.
set -euo pipefail
source tests/tools.sh
source tests/flang/compilers.sh
trap '[ $? = 0 ] || exit 255' EXIT # so that xargs stops
version=$1 level=$2 source=$3
name=$(basename "${source%.*}")
program=flang-$version$level-$name

if ! flang "$version" $level -fopenmp "-fpass-plugin=$(plugin "$version")" "$(of "$version" "$source")" \
    "$(of "$version" "$work/watch.o")" "$(of "$version" "$work/libstatictramp.a")" -o "$(of "$version" "$work/$program")" \
    >"$work/$program.said" 2>&1; then
    cat "$work/$program.said"
    fail "flang $version $level does not compile $source"
fi
[ "$(stack_rights "$work/$program")" = RW ] || fail "$program: its stack is not RW"
leak=
grep -q 'may end with live trampolines' "$source" && leak=MAY_LEAK=1
got=$(run "$version" $leak "$(of "$version" "$work/$program")" 2>&1) || fail "$program ended with $?: $got"
got=$(sed 's/^ *//; s/  */ /g' <<<"$got")
[ "$got" = "$(cat "$work/$name.wanted")" ] || fail "$program printed:
$got
but gfortran's:
$(cat "$work/$name.wanted")"
rm "$work/$program" "$work/$program.said"
