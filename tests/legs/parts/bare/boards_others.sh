# RISC-V and AArch64. Sourced by tests/legs/bare.sh.

cause=mcause cores=2
board riscv32imac-unknown-none-elf virt qemu-system-riscv32 -bios none -smp 2
board riscv64gc-unknown-none-elf virt qemu-system-riscv64 -bios none -smp 2
linker="riscv64-unknown-elf-ld -melf32lriscv" board riscv32imac-unknown-none-elf virt qemu-system-riscv32 -bios none -smp 2
linker=riscv64-unknown-elf-ld board riscv64gc-unknown-none-elf virt qemu-system-riscv64 -bios none -smp 2
cause='' cores=''
# Its stubs are those of riscv32imac, and its critical sections those of thumbv6m. The part in_c tests the C library on it.
if [ "$effort" -ge 100 ] || [ -n "$targets" ]; then board riscv32imc-unknown-none-elf virt qemu-system-riscv32 -bios none; fi
board aarch64-unknown-none virt-aarch64 qemu-system-aarch64 -cpu cortex-a53 -nic none
