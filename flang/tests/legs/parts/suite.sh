# The files of GCC's gfortran suite that need trampolines: those for which gfortran requests an executable stack. Each
# file that flang compiles must pass with the plugin on a non-executable stack. (The files that are expected to fail test
# the run-time checks of gfortran's option -fcheck=pointer.) A short run takes every fourth file. Sourced by
# flang/tests/legs/flang.sh.

say "GCC's gfortran suite"
suite=target/gcc-suite
unpack_gcc_suite
cat >"$work/probe.sh" <<'END'
if gfortran -cpp -w -O0 -J "$(mktemp -d -p "$(dirname "$0")")" -S "$1" -o - 2>/dev/null | grep -q 'note.GNU-stack,"x"'; then echo "$1"; fi
END
grep -lE 'dg-do +run' -r $suite/gfortran.dg --include='*.[fF]90' | xargs grep -LE 'dg-shouldfail' |
    xargs grep -liE '^ *contains' | sort |
    awk -v part=$((effort < 100 ? 4 : 1)) 'NR % part == 0' |
    xargs -P 2 -n 1 bash "$work/probe.sh" | sort >"$work/needed"

for version in 19 22 23; do
    for level in -O0 -O2; do
        passed=0
        refused=
        while read -r source; do
            file=suite.${source##*.}
            cp "$source" "$work/$file"
            compile() { (cd "$work" && flang "$version" $level -cpp "$@" "$file" libstatictramp.a -o suite >suite.build 2>&1); }
            if ! compile "-fpass-plugin=$(plugin $version)"; then
                compile && fail "flang $version $level compiles $source only without the plugin: $(cat "$work/suite.build")"
                refused+=" $(basename "$source")"
                continue
            fi
            [ "$(stack_rights "$work/suite")" = RW ] || fail "flang $version $level $source: the program does not request a non-executable stack"
            run "$version" timeout 60 "$(of "$version" "$work/suite")" >"$work/suite.log" 2>&1 ||
                fail "flang $version $level $source: exit status $?, expected 0: $(cat "$work/suite.log")"
            passed=$((passed + 1))
        done <"$work/needed"
        echo "flang $version $level: $passed of $(wc -l <"$work/needed") files pass; flang does not compile${refused:- none}"
    done
done
