# Function pointers on OpenMP's devices: LLVM's own offload runtime with its host plugin, whose devices have images of their
# own; the entries that two versions of clang leave; and tables that are refused.

need gcc=gcc clang-19=clang-19 clang-offload-packager-19=clang-tools-19 ld.lld-19=lld-19 \
    /usr/lib/llvm-19/lib/libomptarget.so=libomp-19-dev clang-22=clang-22

library=$(build_capi)
out=$PWD/target/openmp
rm -rf "$out"
mkdir -p "$out"
lay_shared_library "$library" "$out"

say "tables, and what is refused"
tables="gcc -O2 -Wall -Wextra -Icapi/include tests/c/functions.c"
$tables "$library/libstatictramp.a" -o "$out/archive"
$tables -DOWN_GLOBALS "$library/libstatictramp.a" -o "$out/own-globals"
$tables -L"$out" -lstatictramp -o "$out/tables-shared"
$tables -DOWN_GLOBALS -L"$out" -lstatictramp -o "$out/own-globals-shared"
for program in archive own-globals tables-shared own-globals-shared; do
    LD_LIBRARY_PATH=$out "$out/$program" || fail "$program"
done
echo "linked in both ways, with the program's own variables too"

say "the entries of clang's objects"
gcc -O2 -Wall -Wextra -Icapi/include tests/openmp/entries.c "$library/libstatictramp.a" -o "$out/entries"
for version in 19 22; do
    case $version in 19) size=32 ;; 22) size=56 ;; esac
    compile="clang-$version -O2 -Wall -Wextra -fPIC -fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu -c tests/openmp/functions.c"
    $compile --offload-host-only -o "$out/host.o"
    $compile -DON_DEVICE --offload-device-only -o "$out/device.o"
    for side in host device; do gcc -shared "$out/$side.o" -o "$out/$side.so"; done
    "$out/entries" $size "$out/host.so" "$out/device.so"
    echo "clang $version: $size bytes each"
done

say "devices, with the image's own copy of the library and with the shared one"
times=$(share 2000000)
export OMP_TARGET_OFFLOAD=MANDATORY LD_LIBRARY_PATH=/usr/lib/llvm-19/lib:$out
for level in -O0 -O2; do
    compile="clang-19 $level -Wall -Wextra -fopenmp -fopenmp-version=52 -fopenmp-targets=x86_64-pc-linux-gnu -Icapi/include tests/openmp/devices.c"
    $compile -DCOPY_IN_IMAGE=1 -o "$out/copy" -Xoffload-linker "$PWD/$library/libstatictramp.a" "$library/libstatictramp.a"
    $compile -DCOPY_IN_IMAGE=0 -o "$out/shared" -L"$out" -lstatictramp
    for program in copy shared; do
        [ "$(stack_rights "$out/$program")" = RW ] || fail "$program has an executable stack"
        timeout 300 "$out/$program" "$times"
    done
done
