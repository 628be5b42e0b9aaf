# Tests function pointers on OpenMP devices. LLVM's own offload runtime with its host plugin is used, whose devices have their own
# images. Also tests the entries that two versions of clang emit, and tables that are rejected.
# Installs: gcc, clang 19 and 22, flang 22, OpenMP offloading of LLVM 19 and 22.
# Takes: 1 minute.

need gcc=gcc clang-19=clang-19 clang-offload-packager-19=clang-tools-19 ld.lld-19=lld-19 \
    /usr/lib/llvm-19/lib/libomptarget.so=libomp-19-dev clang-22=clang-22 llvm-nm-19=llvm-19 \
    flang-22=flang-22 /usr/lib/llvm-22/bin/clang-linker-wrapper=clang-tools-22 /usr/lib/llvm-22/lib/libomptarget.so=liboffload-22-dev

build_capi >/dev/null
with_compilers interop openmp
