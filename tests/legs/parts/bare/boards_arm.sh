# Boards with Cortex-M processors. Sourced by tests/legs/bare.sh.

cause=CFSR
board thumbv7m-none-eabi mps2-an385 qemu-system-arm
board thumbv7m-none-eabi lm3s6965evb qemu-system-arm
floats=1 board thumbv7em-none-eabihf mps2-an386 qemu-system-arm
floats=1 board thumbv7em-none-eabihf mps2-an500 qemu-system-arm
linker=arm-none-eabi-ld board thumbv7m-none-eabi mps2-an385 qemu-system-arm
cause= # these cannot protect their memory, or have a different unit for it
# The stubs and the instructions are those of thumbv7m, so a short run omits this processor unless it is named.
if [ "$effort" -ge 100 ] || [ -n "$targets" ]; then board thumbv8m.main-none-eabi mps2-an505 qemu-system-arm; fi
board thumbv8m.base-none-eabi mps2-an505 qemu-system-arm
board thumbv6m-none-eabi microbit qemu-system-arm
