# Tests function pointers on OpenMP devices. LLVM's own offload runtime with its host plugin is used, whose devices have their own
# images. Also tests the entries that two versions of clang emit, and tables that are rejected.
# Installs: gcc, clang 19 and 22, flang 22, OpenMP offloading of LLVM 19 and 22.
# Takes: 1 minute.
# shellcheck disable=SC2046,SC2086 # $size and printed words: several words, or none

need gcc=gcc clang-19=clang-19 clang-offload-packager-19=clang-tools-19 ld.lld-19=lld-19 \
    /usr/lib/llvm-19/lib/libomptarget.so=libomp-19-dev clang-22=clang-22 llvm-nm-19=llvm-19 \
    flang-22=flang-22 /usr/lib/llvm-22/bin/clang-linker-wrapper=clang-tools-22 /usr/lib/llvm-22/lib/libomptarget.so=liboffload-22-dev

library=$(build_capi)
out=$PWD/target/openmp
rm -rf "$out"
mkdir -p "$out"
lay_shared_library "$library" "$out"

say "tables, and tables that are rejected"
tables="gcc -O2 -Wall -Wextra -Icapi/include capi/tests/programs/c/functions.c"
$tables "$library/libstatictramp.a" -o "$out/archive"
$tables -DOWN_GLOBALS "$library/libstatictramp.a" -o "$out/own-globals"
$tables -L"$out" -lstatictramp -o "$out/tables-shared"
$tables -DOWN_GLOBALS -L"$out" -lstatictramp -o "$out/own-globals-shared"
for program in archive own-globals tables-shared own-globals-shared; do
    LD_LIBRARY_PATH=$out "$out/$program" || fail "$program: exit status $?, expected 0"
done
echo "linked in both ways, with the program's own variables too"

say "the entries of clang's objects"
gcc -O2 -Wall -Wextra -Icapi/include interop/tests/programs/openmp/entries.c "$library/libstatictramp.a" -o "$out/entries"
for version in 19 22; do
    case $version in 19) size=32 ;; 22) size=56 ;; esac
    compile="clang-$version -O2 -Wall -Wextra -fPIC -fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu -c interop/tests/programs/openmp/functions.c"
    $compile --offload-host-only -o "$out/host.o"
    $compile -DON_DEVICE --offload-device-only -o "$out/device.o"
    for side in host device; do gcc -shared "$out/$side.o" -o "$out/$side.so"; done
    "$out/entries" "$size" "$out/host.so" "$out/device.so"
    echo "clang $version: $size bytes each"
done
for size in 0 4; do
    unknown=()
    [ $size = 0 ] || unknown=(unknown)
    for compiler in gcc clang-22; do
        $compiler -O2 -Wall -Wextra -fPIC -shared -DSIZE=$size interop/tests/programs/openmp/document.c -o "$out/host.so"
        $compiler -O2 -Wall -Wextra -fPIC -shared -DSIZE=$size -DON_DEVICE interop/tests/programs/openmp/document.c -o "$out/device.so"
        "$out/entries" 32 "$out/host.so" "$out/device.so" "${unknown[@]}"
    done
done
echo "entries of size 0, as in LLVM's document, are accepted, too; entries of other sizes are rejected"

# compile VERSION LEVEL SOURCE OPTION...: compiles for the host and its devices, with clang 19 or 22. Only one version of libomp
# can be installed, so the libomptarget of LLVM 22 is used with the libomp of LLVM 19 and its header.
mkdir "$out/include"
cp /usr/lib/llvm-19/lib/clang/19/include/omp.h "$out/include"
compile() {
    local version=$1 level=$2 clang=clang more=()
    shift 2
    case $1 in *.cpp) clang="clang++" ;; esac
    [ "$version" = 19 ] || more=(-I"$out/include" -L/usr/lib/llvm-22/lib -L/usr/lib/llvm-19/lib)
    $clang-"$version" "$level" -Wall -Wextra -fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu -Icapi/include "$@" "${more[@]}"
}
# offload VERSION PROGRAM ARGUMENT...: runs the program with that version's libomptarget.
offload() { LD_LIBRARY_PATH=/usr/lib/llvm-$1/lib:/usr/lib/llvm-19/lib:$out OMP_TARGET_OFFLOAD=MANDATORY timeout 300 "${@:2}"; }
runs=("19 -O0" "19 -O2" "22 -O2") # versions and optimization levels
archive="-Xoffload-linker $PWD/$library/libstatictramp.a" shared="-L$out -lstatictramp"

say "devices, with the image's own copy of the library and with the shared one"
times=$(share 2000000)
for run in "${runs[@]}"; do
    compile $run interop/tests/programs/openmp/devices.c -DCOPY_IN_IMAGE=1 $archive "$library/libstatictramp.a" -o "$out/copy"
    compile $run interop/tests/programs/openmp/devices.c -DCOPY_IN_IMAGE=0 $shared -o "$out/shared"
    for program in copy shared; do
        [ "$(stack_rights "$out/$program")" = RW ] || fail "$program does not request a non-executable stack"
        offload ${run% *} "$out/$program" "$times"
    done
    echo "by clang $run"
done

say "the document's sample: a plugin writes the two variables of a device's image"
for run in "19 -O2" "22 -O2"; do
    for link in "-DOWN=1 $archive $library/libstatictramp.a" "-DOWN=0 $shared" \
        "-DOWN=1 -DDEFINED $archive $library/libstatictramp.a" "-DOWN=1 -DDEFINED $shared"; do
        compile $run interop/tests/programs/openmp/sample.c $link -o "$out/sample"
        offload ${run% *} "$out/sample"
    done
done

say "the lookup in C, for GPUs and this machine; a device that cannot read the host's memory"
device=(-O2 -Wall -Wextra -Werror -ffreestanding capi/device/statictramp_device.c)
for version in 19 22; do
    clang-$version --target=nvptx64-nvidia-cuda -march=sm_70 -Xclang -target-feature -Xclang +ptx60 -nogpulib "${device[@]}" -S -o "$out/device.ptx"
    for symbol in '.func .*__kmpc_target_translate_fptr' '.func .*__llvm_omp_indirect_call_lookup' '.global .*__omp_offloading_fptr_map_p' \
        '.global .*__omp_offloading_fptr_map_size'; do
        grep -Eq "^[.](weak|visible) $symbol" "$out/device.ptx" || fail "the PTX code contains no definition that matches \"$symbol\""
    done
    ! grep -q '^[.]extern' "$out/device.ptx" || fail "the PTX code refers to undefined symbols"
    clang-$version --target=amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib "${device[@]}" -c -o "$out/device.amdgcn"
    for symbol in __kmpc_target_translate_fptr __llvm_omp_indirect_call_lookup __omp_offloading_fptr_map_{p,size}; do
        llvm-nm-19 "$out/device.amdgcn" | grep -q " [TWV] $symbol$" || fail "the code for amdgcn does not define $symbol"
    done
    [ -z "$(llvm-nm-19 -u "$out/device.amdgcn")" ] || fail "the code for amdgcn refers to undefined symbols"
done
clang-19 "${device[@]}" -fPIC -c -o "$out/device-lookup.o"
for lookup in "$out/device-lookup.o" "$library/libstatictramp.a"; do
    gcc -Wall -Wextra -Werror interop/tests/programs/openmp/orders.c "$lookup" -o "$out/orders"
    "$out/orders"
done
for run in "${runs[@]}"; do
    compile $run interop/tests/programs/openmp/recipe.c -o "$out/recipe" -Xoffload-linker "$out/device-lookup.o" $shared
    offload ${run% *} "$out/recipe"
done

say "C++: pointers to member functions, with clang 22 also virtual ones"
for run in "${runs[@]}"; do
    compile $run interop/tests/programs/openmp/members.cpp $shared -o "$out/members"
    offload ${run% *} "$out/members"
done

say "Fortran: procedure pointers"
clang-22 -O1 -Wall -Wextra -fPIC -c interop/tests/programs/openmp/generic.c -o "$out/generic.o"
for level in -O0 -O2; do
    flang-22 $level -fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu -module-dir "$out" interop/tests/programs/openmp/procedures.f90 \
        -o "$out/procedures" -Xoffload-linker "$out/generic.o" $shared -L/usr/lib/llvm-22/lib -L/usr/lib/llvm-19/lib 2>&1 | { grep -v 'is still incomplete$' || true; }
    offload 22 "$out/procedures"
done
