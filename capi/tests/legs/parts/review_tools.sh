# The C++ wrapper with signatures of every kind.

need gcc=gcc g++=g++ clang++-19=clang-19
need_test_tools

library=$(build_capi)
out=$PWD/target/review/tools
rm -rf "$out"
mkdir -p "$out"
source capi/tests/legs/parts/wrapper.sh
