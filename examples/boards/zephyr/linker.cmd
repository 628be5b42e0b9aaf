/* The structure of the script that Zephyr 3.7 generates for a Cortex-M, in our own words: the same regions, the section names without
   dots, the symbols, and the place of the snippets that zephyr_linker_sources(RAM_SECTIONS ...) inserts. Zephyr was not available, and
   its script was not run. */
MEMORY
{
  FLASH (rx) : ORIGIN = 0x0, LENGTH = 0x40000
  RAM (wx) : ORIGIN = 0x20000000, LENGTH = 0x10000
}
ENTRY(Reset_Handler)
SECTIONS
{
  rom_start : { KEEP(*(.isr_vector)) } > FLASH
  text : { __text_region_start = .; *(.text) *(.text.*) __text_region_end = .; } > FLASH
  .ARM.exidx : { __exidx_start = .; *(.ARM.exidx* .gnu.linkonce.armexidx.*) __exidx_end = .; } > FLASH
  __rodata_region_start = .;
  initlevel : { __init_array_start = .; KEEP(*(SORT(.init_array.*) .init_array)) __init_array_end = .; } > FLASH
  rodata : { *(.rodata) *(.rodata.*) . = ALIGN(4); } > FLASH
  __rodata_region_end = .;
  _image_ram_start = ORIGIN(RAM);
  datas : { __data_region_start = .; __data_start = .; *(.data) *(.data.*) . = ALIGN(4); __data_end = .; __data_region_end = .; } > RAM AT > FLASH
  __data_region_load_start = LOADADDR(datas);
  bss (NOLOAD) : ALIGN(4) { __bss_start = .; __kernel_ram_start = .; *(.bss) *(.bss.*) *(COMMON) . = ALIGN(4); __bss_end = .; } > RAM
  noinit (NOLOAD) : ALIGN(8) { *(.noinit) *(.noinit.*) . += 2048; z_main_stack_end = .; } > RAM
  INCLUDE statictramp.ld
  _image_ram_end = .;
  _end = .;
  z_mapped_end = .;
  __kernel_ram_end = ORIGIN(RAM) + LENGTH(RAM);
}
