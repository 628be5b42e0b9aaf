# Tests the library, the tool and libstatictramp on this machine.
# Installs: gcc, clang 19, lld, mold, binutils.
# Takes: 3 minutes.
# Parts: lints, tests, variants, c, peers.
# shellcheck disable=SC2086 # $workspace: several words, or none

need gcc=gcc clang-19=clang-19 ld.lld-19=lld-19 mold=mold readelf=binutils

# The pass plugin needs LLVM, so the "flang" leg checks it with clippy and by compiling programs.
workspace="--workspace --exclude statictramp-flang"

if wants lints; then
    say "format and lints"
    cargo fmt --all --check
    cargo clippy --quiet $workspace --all-targets -- -D warnings
    cargo clippy --quiet $workspace --test with_compilers -- -D warnings # not default targets
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps $workspace
fi

if wants tests; then
    say "unit, integration and documentation tests"
    cargo test --quiet $workspace
    for example in qsort model nftw signal events in_place gl_debug jacobian; do cargo run --quiet --example "$example" >/dev/null; done
    cargo run --quiet -p statictramp-capture-rules --example capture >/dev/null
    cargo run --quiet -p statictramp-sqlite-example
    say "the tool's main job"
    cargo run --quiet
fi

if wants variants; then
    say "other sizes and build-time choices"
    core=$PWD/target/native/core
    rm -rf "$core"
    copy_core_tests "$core"
    # variant VARIABLE=VALUE...: runs the core's tests with these choices, all in one target directory.
    variant() {
        echo "-- $*"
        (
            for choice in "$@" "PROPTEST_CASES=$(share 32)"; do export "${choice?}"; done
            test_core "$core" --lib --test layout --test closures
        )
    }
    [ "$effort" -lt 100 ] || variant STATICTRAMP_REUSE=strict
    [ "$effort" -lt 100 ] || variant STATICTRAMP_SLOTS=4096
    variant STATICTRAMP_SLOTS=65 STATICTRAMP_LANDING_PADS=0
    variant STATICTRAMP_SLOTS=300 STATICTRAMP_REUSE=strict STATICTRAMP_ASM=rust
    STATICTRAMP_SLOTS=192 test_core "$core" --features grow --test largest
    # refused VARIABLE=VALUE: checks that the build fails with one message that names the variable.
    refused() {
        local said
        said=$(env "$1" cargo check --quiet -p statictramp --target-dir target/variants 2>&1) && fail "the build accepted $1"
        grep -qE "^error: statictramp@.*: ${1%%=*} is .*must be" <<<"$said" || fail "$1: $said"
    }
    # shellcheck disable=SC1083 # the braces expand
    for bad in STATICTRAMP_SLOTS={0,-1,many,$'\377',1048577,99999999999999999999} STATICTRAMP_REUSE=lifo STATICTRAMP_LANDING_PADS=2 \
        STATICTRAMP_ASM=nasm STATICTRAMP_SIGN={1,2}; do
        refused "$bad"
    done
    echo "bad values are rejected with one message each"
fi

if wants c; then
    build_capi >/dev/null
    cargo run --quiet -- flags --prefix target/prefix >/dev/null
    cargo build --quiet --release -p statictramp-cli
    with_compilers capi programs parts shared
fi
! wants peers || source tests/legs/parts/peers.sh
