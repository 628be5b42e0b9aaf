# Programs with which a review broke the library, or might have broken it: each is either rejected by the compiler or
# runs correctly. The tests are in tests/with_compilers and capi/tests/with_compilers, and those of the C++ wrapper in
# capi/tests/legs/parts.
# Installs: GCC, clang 19, lld 19, mold, flang 19, gdb, util-linux, python3.
# Takes: 4 minutes.
# Parts: archive, runtime, core, rust, tools.

need_test_tools
build_capi >/dev/null
if wants archive; then
    need gcc=gcc clang-19=clang-19 ld.lld-19=lld-19 mold=mold flang-new-19=flang-19 prlimit=util-linux
    with_compilers capi archive
fi
if wants runtime; then
    need gcc=gcc clang-19=clang-19 setarch=util-linux unshare=util-linux prlimit=util-linux
    with_compilers capi runtime
fi
if wants core; then
    need gcc=gcc gdb=gdb mount=mount setpriv=util-linux unshare=util-linux
    need_cross_rust
    with_compilers core segments targets
fi
! wants rust || with_compilers core safe
! wants tools || ( say "review: tools" && source capi/tests/legs/parts/review_tools.sh )
