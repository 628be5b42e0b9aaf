# Compares other closure implementations with the library under each restriction. The table is in docs/hardening.md. Sourced by
# the leg hardened.
# shellcheck disable=SC2086 # $place: several words, or none

say "failures of other implementations"
control=tests/programs/hardened/control.c

# libffi is tested with and without its static trampolines, from the sources in the crate libffi-sys. Debian's own libffi is built
# without them.
libffi=$PWD/target/libffi
if [ ! -e "$libffi/.complete" ]; then
    rm -rf "$libffi"
    new_package "$libffi" libffi-sources
    printf 'libffi-sys = "=3.3.3"\n' >>"$libffi/Cargo.toml"
    : >"$libffi/src/lib.rs"
    sources=$(cd "$libffi" && cargo metadata --quiet --format-version 1 | grep -o '"manifest_path":"[^"]*/libffi-sys-[^"]*/Cargo.toml"' | cut -d'"' -f4)
    for way in enable disable; do
        mkdir "$libffi/$way"
        (
            cd "$libffi/$way"
            "${sources%/*}/libffi/configure" -q --$way-exec-static-tramp --disable-shared --disable-docs >made 2>&1 && make -s >>made 2>&1
        ) || fail "libffi could not be built: $(tail -n 5 "$libffi/$way/made")"
    done
    touch "$libffi/.complete"
fi

if [ ! -e target/closure-ffi/Cargo.toml ]; then
    new_package target/closure-ffi control
    printf 'closure-ffi = "4"\n' >>target/closure-ffi/Cargo.toml
    cat >target/closure-ffi/src/main.rs <<'END'
fn main() {
    let y = 41;
    let made = closure_ffi::BareFn::new_c(move |x: usize| -> usize { x + y });
    // SAFETY: the closure is alive.
    let result = unsafe { made.bare()(1) };
    println!("called: {result}");
    std::process::exit((result != 42) as i32);
}
END
fi
cargo build --quiet --release --manifest-path target/closure-ffi/Cargo.toml --target-dir target/closure-ffi/target

gcc -O2 -Wall -Wextra -DOURS -Icapi/include $control "$library/libstatictramp.a" -o "$out/control-ours"
gcc -O2 -w -DNESTED -z execstack $control -o "$out/control-stack"
for way in enable disable; do
    gcc -O2 -Wall -Wextra -DFFI -I"$libffi/$way/include" $control "$libffi/$way/.libs/libffi.a" -o "$out/control-$way"
    ! nm -D --undefined-only "$out/control-$way" | grep -q ffi_ || fail "control-$way is linked with a shared libffi"
done
cp target/closure-ffi/target/release/control "$out/control-closure-ffi"
cp $control tests/programs/hardened/control.f90 "$chroot$place"
in_sid $place gcc-16 -O2 -w -DNESTED -ftrampoline-impl=heap control.c -o control-gcc
in_sid $place flang-23 -O2 -fsafe-trampoline control.f90 -o control-flang

# cell RESTRICTION COMMAND...: prints the command's outcome under the restriction in one word.
cell() {
    local status=0
    under "$@" >"$out/said" 2>&1 || status=$?
    case $status in
    0) grep -q 'called: 42' "$out/said" && echo runs || echo wrong ;;
    159) echo killed ;;
    *) echo fails ;;
    esac
}

# row NAME COMMAND...
row() {
    local name=$1 line restriction
    shift
    [ "$(cell none "$@")" = runs ] || fail "$name does not run without restrictions: $(cat "$out/said")"
    line="| $name |"
    for restriction in mdwe kill eperm no-proc read-only; do
        case " $restrictions " in
        *" $restriction "*) line="$line $(cell $restriction "$@") |" ;;
        *) line="$line runs |" ;; # not available here: the page's entry is not checked
        esac
    done
    echo "$line"
}
{
    row "this library" "$out/control-ours"
    row "a trampoline on the stack (GCC, \`-z execstack\`)" "$out/control-stack"
    row "GCC 16, \`-ftrampoline-impl=heap\`, libgcc's own" in_sid $place ./control-gcc
    row "flang 23, \`-fsafe-trampoline\`, its runtime's pool" in_sid $place ./control-flang
    row "libffi 3.4.7, static trampolines" "$out/control-enable"
    row "libffi 3.4.7, without them" "$out/control-disable"
    row "closure-ffi 4" "$out/control-closure-ffi"
} >"$out/table"
cat "$out/table"
while read -r line; do
    grep -qxF "$line" docs/hardening.md || fail "docs/hardening.md lacks the line: $line"
done <"$out/table"
