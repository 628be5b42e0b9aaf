# Tests programs with the plugin: their output equals that of gfortran, and no trampoline remains. Sourced by
# flang/tests/legs/flang.sh.
# shellcheck disable=SC2046,SC2086 # printed words: several words, or none

say "programs: flang 19, 22 and 23 with the plugin, at four levels (in a short run, each at one of them)"
mapfile -t sources < <(ls tests/programs/fortran/*.f90 flang/tests/programs/compared/*.f90)
for source in "${sources[@]}"; do
    name=$(basename "$source" .f90)
    gfortran -fopenmp -w -J "$work/gfortran.d" "$source" -o "$work/gfortran"
    OMP_NUM_THREADS=4 "$work/gfortran" 2>&1 | squeeze_blanks >"$work/$name.wanted"
done
for version in 19 22 23; do
    built=()
    for source in "${sources[@]}"; do
        if builds $version "$source"; then
            built+=("$(basename "$source")")
        elif (cd "$work" && flang $version -O0 -w -fopenmp "$(basename "$source")" -o stock >/dev/null 2>&1); then
            fail "flang $version builds $source, although the source is marked as not buildable with it"
        fi
    done
    for level in 0 1 2 3; do
        for i in "${!built[@]}"; do
            ! one_of 4 $((i + version % 5 + level)) || echo "$version -O$level $work/${built[i]}"
        done
    done | xargs -P 2 -L 1 bash flang/tests/legs/parts/one.sh
    echo "flang $version: ${#built[@]} programs at -O0 to -O3: same output as gfortran, no trampoline left, no executable stack"
done

for version in 19 22 23; do
    (cd "$work" && flang $version -O0 -w sibling_sets_pointer.f90 -o stock 2>/dev/null)
    guard='' run $version timeout 20 "$(of $version "$work/stock")" >/dev/null 2>&1 && fail "flang $version without the plugin runs sibling_sets_pointer, so this test proves nothing"
    echo "control: flang $version at -O0 without the plugin: a pointer that a sibling sets aborts the program or makes it loop forever"
done
