# Tests defmt's linker script together with ours. Sourced by tests/legs/bare.sh.

say "with defmt's linker script, and a heap"
for linker in ld.lld-19 arm-none-eabi-ld; do
    LINKER=$linker images thumbv7m-none-eabi tests/programs/bare/firmware firmware
    limit=300 run mps2-an385 "$image" qemu-system-arm
    must_say "bytes were logged by a closure beside a heap"
    echo "$linker: $said"
done
unset linker
