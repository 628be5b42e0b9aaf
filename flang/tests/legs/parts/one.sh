# one.sh VERSION LEVEL SOURCE: compiles a Fortran program with the plugin and runs it; the output must be the same as gfortran's,
# no trampoline may remain live, and the stack must not be executable. Run by flang/tests/legs/flang.sh, which exports its settings.
# shellcheck disable=SC2046,SC2086 # $level and printed words: several words, or none
set -euo pipefail
source tests/legs/lib.sh
source flang/tests/legs/parts/compilers.sh
trap '[ $? = 0 ] || exit 255' EXIT # so that xargs stops
version=$1 level=$2 source=$3
name=$(basename "${source%.*}")
program=flang-$version$level-$name
modules=$work/modules/$program # one directory each: several programs have modules of the same name
mkdir -p "$modules"

if ! flang "$version" $level -fopenmp -module-dir "$(of "$version" "$modules")" "-fpass-plugin=$(plugin "$version")" "$(of "$version" "$source")" \
    "$(of "$version" "$work/watch.o")" "$(of "$version" "$work/libstatictramp.a")" -o "$(of "$version" "$work/$program")" \
    >"$work/$program.said" 2>&1; then
    cat "$work/$program.said"
    fail "flang $version $level does not compile $source"
fi
[ "$(stack_rights "$work/$program")" = RW ] || fail "$program: the program does not request a non-executable stack"
prints "$work/$name.wanted" run "$version" $(leak_of "$source") "$(of "$version" "$work/$program")"
rm -r "${work:?}/$program" "$work/$program.said" "$modules"
