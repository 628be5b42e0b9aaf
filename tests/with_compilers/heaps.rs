//! Programs on boards whose libc has a heap. Each position in which a linker script places the slots either works or is
//! rejected. The `bare` leg has built the archives (`board.rs`).

use crate::board::{Board, board_archive, tramp_scripts};
use std::collections::BTreeSet;
use test_tools::{Ended, Expect, doc_block, line, multi_line, prepared, printed, read, write};

/// A vendor's script with lines inserted at some places.
#[derive(Clone, Copy, Default)]
struct Script<'a> {
    before_sections: &'a str,
    before_data: &'a str,
    after_bss: &'a str,
    last: &'a str,
    /// Texts that are replaced in the script.
    replaced: &'a [(&'a str, &'a str)],
}

impl Script<'_> {
    fn text(&self) -> String {
        let Script { before_sections, before_data, after_bss, last, replaced } = self;
        let text = format!(
            "MEMORY {{ FLASH (rx) : ORIGIN = 0, LENGTH = 256K RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 32K
LOW (xrw) : ORIGIN = 0x01000000, LENGTH = 16K HIGH (xrw) : ORIGIN = 0x20008000, LENGTH = 32K }}
ENTRY(_start) _estack = ORIGIN(RAM) + LENGTH(RAM);
{before_sections}
SECTIONS {{ .text : {{ KEEP(*(.vectors)) *(.text*) *(.rodata*) }} > FLASH .ARM.exidx : {{ *(.ARM.exidx*) }} > FLASH
{before_data}
.data : {{ *(.data*) }} > RAM AT> FLASH
.bss : {{ __bss_start__ = .; *(.bss*) *(COMMON) . = ALIGN(4); __bss_end__ = .; }} > RAM
{after_bss}
}}
{last}
"
        );
        replaced.iter().fold(text, |text, (from, to)| {
            assert!(text.contains(from), "the script lacks {from}");
            text.replace(from, to)
        })
    }
}

/// The expected result of linking with a script.
enum Wanted<'a> {
    /// The program links and runs.
    Apart,
    /// The linker reports a heap that begins at this symbol.
    Over(&'a str),
    /// The linker prints a message that matches.
    Rejected(&'a str),
    /// The linker prints a message that matches. It may be one of the linker's own messages.
    OwnError(&'a str),
}
use Wanted::{Apart, Over, OwnError, Rejected};

struct Newlib {
    out: String,
    archive: String,
    libraries: String,
}

impl Newlib {
    fn new(name: &str) -> Newlib {
        let out = test_tools::new_directory(&format!("bare/{name}")).display().to_string();
        let m3 = "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -ffunction-sections -Wall -Wextra -Werror -Icapi/include";
        line!("{m3} -DBY_HAND -c tests/programs/bare/c/heap.c -o {out}/newlib.o").passes();
        let newlib = printed(&format!("{m3} --specs=nano.specs -print-file-name=libc_nano.a"));
        let libgcc = printed(&format!("{m3} -print-libgcc-file-name"));
        let directory = newlib.trim().rsplit_once('/').expect("a path").0;
        let libraries =
            format!("--start-group {} {directory}/libnosys.a {} --end-group", newlib.trim(), libgcc.trim());
        Newlib { out, archive: board_archive("thumbv7m-none-eabi"), libraries }
    }

    #[track_caller]
    fn links(&self, linker: &str, script: Script, scripts: &str) -> Ended {
        let Newlib { out, archive, libraries } = self;
        write(format!("{out}/heap.ld"), script.text());
        let flags = "-z noexecstack --gc-sections --fatal-warnings -Llinker";
        line!("{linker} {flags} {scripts} -T{out}/heap.ld {out}/newlib.o {archive} {libraries} -o {out}/heap")
            .ended()
    }

    #[track_caller]
    fn check(&self, linker: &str, script: Script, scripts: &str, wanted: Wanted) {
        let ended = self.links(linker, script, scripts);
        assert!((ended.status == 0) == matches!(wanted, Apart), "{}: {ended}", script.text());
        match wanted {
            Apart => {
                let board = Board::Qemu("mps2-an385", "qemu-system-arm");
                board.run(&format!("{}/heap", self.out)).has("a heap and the slots are apart");
            }
            Over(symbol) => {
                let heap = format!("heap.* begins at the symbol {symbol} .*INCLUDE tramp_slots.x");
                ended.matches(&format!(r"ERROR\(statictramp\): .*{heap}"));
            }
            Rejected(pattern) => _ = ended.matches(&format!(r"ERROR\(statictramp\): {pattern}")),
            OwnError(pattern) => _ = ended.matches(pattern),
        }
    }
}

const LINKERS: [&str; 2] = ["arm-none-eabi-ld", "ld.lld-19"];
const HEAP: &str = ".heap : { . = ALIGN(8); PROVIDE(end = .); PROVIDE(_end = .); . = . + 0x200; } > RAM";
const HIGH: &str = ".tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > HIGH";
const IN_FLASH: &str = ".tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > FLASH";
const LIMIT_HIGH: &str = "__statictramp_heap_limit = ORIGIN(HIGH);";
const LIMIT_RAM: &str = "__statictramp_heap_limit = ORIGIN(RAM);";
const LIMIT_BANK: &str = r"write __statictramp_heap_limit = ORIGIN\(BANK\);";
const FIRST: &str = "INCLUDE tramp.x";
const IN_REGION: &str = "INCLUDE tramp_in_region.x";
const ALL: &str = "INCLUDE tramp_slots.x must be all of one output section .tramp_data";
const READ_ONLY: &str = "the slots are beside the initial values of .data, in read-only memory";
/// The option that puts this script before the vendor's.
const BEFORE_BSS: &str = "-Ttramp_before_bss.x";

/// Returns the line of a script that places the slots in a region: LOW, RAM or HIGH.
fn region(name: &str) -> String {
    format!("REGION_ALIAS(\"STATICTRAMP_RAM\", {name}); ")
}

#[test]
fn no_heap_grows_into_the_slots() {
    let newlib = Newlib::new("heaps");
    let slots = doc_block("docs/boards.md", "ld", 2);
    let none = Script::default();
    for linker in LINKERS {
        let check = |script: Script, wanted: Wanted| newlib.check(linker, script, "", wanted);
        for end in ["end = .;", HEAP] {
            let with = |before: &str, data: &str, last: &str, wanted: Wanted| {
                check(
                    Script { before_sections: before, before_data: data, after_bss: end, last, ..none },
                    wanted,
                );
            };
            let after = |before: &str, bss: &str, wanted: Wanted| {
                check(Script { before_sections: before, after_bss: bss, ..none }, wanted);
            };
            with("", "", FIRST, Over("end"));
            with(FIRST, "", "", Apart);
            with("", &slots, "", Apart);
            let between = format!("{slots} {end}");
            after(
                "",
                &between,
                Rejected(r"a heap after the section .bss .*INCLUDE tramp_slots.x \} > RAM before .data"),
            );
            after("", &format!("{end} {slots}"), Over("end"));
            after("", &format!("{end} {HIGH}"), Over("end"));
            after(LIMIT_HIGH, &format!("{end} {HIGH}"), Apart);
            for bank in ["LOW", "RAM"] {
                with(&(region(bank) + IN_REGION), "", "", Apart);
            }
            let high = region("HIGH");
            let nearly = format!("a heap after the section .bss .*{LIMIT_BANK}");
            with(&format!("{high}{IN_REGION}"), "", "", Rejected(&nearly));
            with(&format!("{LIMIT_HIGH} {high}{IN_REGION}"), "", "", Apart);
            with(&high, "", IN_REGION, Over("end"));
            with(&format!("{LIMIT_HIGH} {high}"), "", IN_REGION, Apart);
            with("", HIGH, "", Rejected(&nearly));
            with(&region("RAM"), "", IN_REGION, Over("end"));
        }
        check(Script { before_data: IN_FLASH, after_bss: HEAP, ..none }, Rejected(READ_ONLY));
        check(Script { after_bss: &format!("{HEAP} {IN_FLASH}"), ..none }, Rejected(READ_ONLY));
        // RAM follows flash, which is nearly full, so the slots are less than 4 KiB after the initial values of .data.
        let full: &[_] = &[
            ("LENGTH = 256K RAM (xrw) : ORIGIN = 0x20000000", "LENGTH = 64K RAM (xrw) : ORIGIN = 0x10000"),
            ("*(.rodata*) }", "*(.rodata*) . = 0xf400; }"),
        ];
        check(Script { before_data: &slots, after_bss: HEAP, replaced: full, ..none }, Apart);
        for end in ["end = .;", HEAP, "PROVIDE(end = __bss_end__);"] {
            newlib.check(linker, Script { after_bss: end, ..none }, BEFORE_BSS, Apart);
        }
        let in_bss = format!("{slots} PROVIDE(end = __bss_end__);");
        check(Script { after_bss: &in_bss, ..none }, Rejected("a heap after the section .bss"));
        let writable = Script { after_bss: &in_bss, replaced: &[("FLASH (rx)", "FLASH (xrw)")], ..none };
        newlib.check(
            linker,
            writable,
            BEFORE_BSS,
            Rejected("the first region whose attributes match is not that of .bss"),
        );
        for symbol in [
            "_end",
            "__end__",
            "__heap_start",
            "__heap_start__",
            "__heap_base__",
            "_heap_base",
            "_pvHeapStart",
        ] {
            check(Script { after_bss: &format!("{symbol} = .; {HEAP}"), last: FIRST, ..none }, Over(symbol));
        }
        // newlib's _sbrk has no limit, so no symbol marks the end of a heap.
        for last in ["__HeapLimit", "__heap_end", "_heap_end", "__StackTop"] {
            let end = format!("end = .; .heap : {{ . = . + 0x100; {last} = .; }} > RAM {slots}");
            check(Script { after_bss: &end, ..none }, Over("end"));
        }
        // A limit that is not above the start of the heap; a limit between heap and slots.
        check(
            Script { after_bss: &format!("__statictramp_heap_limit = .; end = .; {slots}"), ..none },
            Over("end"),
        );
        let end =
            format!("end = .; .reserved : {{ . = . + 0x1100; __statictramp_heap_limit = .; }} > RAM {slots}");
        check(Script { after_bss: &end, ..none }, Apart);
    }
}

/// There is a lower bank directly below the bank of the slots. Its .bss leaves less space than the slots need.
#[test]
fn a_heap_and_slots_in_different_ram_banks_need_a_heap_limit() {
    let newlib = Newlib::new("banks");
    let slots = doc_block("docs/boards.md", "ld", 2);
    let none = Script::default();
    let low = ".heap : { end = .; . = . + 0x1000; } > LOW";
    let slots_in_low = format!("{low} {slots}");
    let high = region("HIGH") + IN_REGION;
    let over_bank = format!("a heap after the section .bss .*{LIMIT_BANK}");
    for linker in LINKERS {
        let check = |script: Script, wanted: Wanted| newlib.check(linker, script, "", wanted);
        let end = ".heap : { end = .; . = . + 16; } > RAM";
        for (before_sections, before_data) in [("", HIGH), (&*high, "")] {
            let replaced: &[_] = &[("*(COMMON)", "*(COMMON) . = 0x7f00;")];
            let script = Script { before_sections, before_data, after_bss: end, replaced, ..none };
            check(script, Rejected(&over_bank));
        }
        // The symbol for the destination of the start-up code's copy of .data is in a separate section.
        for symbol in ["_data", "_sdata", "__data_start__", "_srelocate"] {
            let before_data = format!(".first : {{ . = ALIGN(4); {symbol} = .; }} > RAM AT> FLASH {slots}");
            let replaced: &[_] =
                &[(".data : { *(.data*) }", ".rest : { *(.data*) } > HIGH AT> FLASH .data : { LONG(7) }")];
            let script = Script { before_data: &before_data, after_bss: "end = .;", replaced, ..none };
            check(script, Rejected("the slots are between the section .data and the symbol before it"));
        }
        let before_data = format!("{slots} .first : {{ . = ALIGN(4); _data = .; }} > RAM AT> FLASH");
        let replaced: &[_] = &[("*(.data*)", "*(.data*) . = . + 4;")];
        check(Script { before_data: &before_data, after_bss: "end = .;", replaced, ..none }, Apart);
        // This script calls its .data section .relocate.
        let relocate = ("\n.data : { *(.data*) }", "\n.relocate : { *(.data*) . = . + 256; }");
        let script = Script { after_bss: "end = .;", replaced: &[relocate], ..none };
        check(Script { before_sections: LIMIT_RAM, before_data: &slots, ..script }, Apart);
        newlib.check(linker, script, BEFORE_BSS, Apart);
        // The limit is also needed for a heap in another bank, and for a script with different section names.
        check(Script { before_data: &slots_in_low, ..none }, Over("end"));
        check(Script { before_data: &slots_in_low, ..none }, OwnError(LIMIT_BANK));
        check(Script { before_sections: LIMIT_RAM, before_data: &slots_in_low, ..none }, Apart);
        let last = "SECTIONS { .tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > RAM } INSERT BEFORE .data;";
        check(Script { after_bss: "end = .;", last, ..none }, Over("end"));
        let zeroed: &[_] = &[("\n.bss :", "\n.zeroed :")];
        let script = Script { before_sections: &high, after_bss: "end = .;", replaced: zeroed, ..none };
        check(script, OwnError(r"undefined section .\.bss.|a heap after the section .data"));
        let limited = format!("{LIMIT_HIGH} {high}");
        check(Script { before_sections: &limited, ..script }, Apart);

        let other = ".tramp_data (NOLOAD) : { . = . + 256; INCLUDE tramp_slots.x } > RAM";
        check(Script { before_data: other, after_bss: "end = .;", ..none }, Rejected(ALL));
        let noinit = ".noinit (NOLOAD) : { INCLUDE tramp_slots.x } > RAM";
        let script = Script { before_data: noinit, after_bss: "end = .;", ..none };
        check(
            script,
            OwnError(r"undefined section .\.tramp_data.|must be all of one output section .tramp_data"),
        );
    }
    // GNU ld itself prints nothing here. lld rejects overlaps and a second INCLUDE.
    let retained = ".retained 0x20000000 (NOLOAD) : { . = . + 0x40; } > RAM";
    let mine = ".mine 0x20000000 : { *(.data*) } > RAM AT> FLASH";
    let large: &[_] = &[("\n.data : { *(.data*)", "\n.data 0x20000000 : { *(.data*) . = . + 0x200;")];
    let first = Script { before_sections: FIRST, after_bss: "end = .;", ..none };
    let check = |script: Script, wanted: Wanted| newlib.check(LINKERS[0], script, "", wanted);
    check(Script { before_data: retained, ..first }, Rejected("the section .bss overlaps the slots"));
    check(Script { before_data: mine, ..first }, Rejected("the section .bss overlaps the slots"));
    check(Script { replaced: large, ..first }, Rejected("the section .data overlaps the slots"));
    let after = format!("{retained} {slots}");
    check(Script { before_data: &after, after_bss: "end = .;", ..none }, Apart);
    check(Script { before_data: &slots, ..first }, Rejected(ALL));
}

/// The page lists exactly the scripts and symbols that the linker scripts support.
#[test]
fn the_boards_page_lists_the_scripts_and_symbols() {
    let page = read("docs/boards.md");
    for script in tramp_scripts() {
        let name = script.file_name().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&format!("| `{name}` |")), "docs/boards.md does not list {name}");
    }
    let slots = read("linker/tramp_slots.x");
    let names = |pattern: &str, text: &str| -> BTreeSet<String> {
        multi_line(pattern).captures_iter(text).map(|it| it[1].to_owned()).collect()
    };
    let mut known = names(r"DEFINED\(([A-Za-z_]*)\)", &slots);
    known.retain(|it| !it.contains("statictramp") && !it.contains("critical"));
    let after = page.split("\nEvery script checks").nth(1).unwrap();
    let rule_and_list: String = after.split_inclusive("\n\n").take(2).collect();
    let mut listed = names("`([_a-zA-Z]*)`", &rule_and_list);
    listed.remove("SECTIONS");
    assert_eq!(known, listed, "docs/boards.md and the scripts list different symbols");
}

/// picolibc's own script, which lld cannot read.
#[test]
fn picolibc_keeps_its_heap_away_from_the_slots() {
    let out = test_tools::new_directory("bare/picolibc").display().to_string();
    let slots = doc_block("docs/boards.md", "ld", 2).replace("RAM", "ram");
    let riscv =
        "riscv64-unknown-elf-gcc -mcmodel=medany -Wl,--defsym=__flash=0x80000000,--defsym=__ram=0x80100000";
    for (triple, gcc, qemu) in [
        (
            "thumbv7m-none-eabi",
            "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Wl,--defsym=__flash=0".to_owned(),
            "qemu-system-arm",
        ),
        (
            "riscv32imac-unknown-none-elf",
            format!("{riscv} -march=rv32imac -mabi=ilp32"),
            "qemu-system-riscv32 -bios none",
        ),
        (
            "riscv32imc-unknown-none-elf",
            format!("{riscv} -march=rv32imc -mabi=ilp32"),
            "qemu-system-riscv32 -bios none",
        ),
        (
            "riscv64gc-unknown-none-elf",
            format!("{riscv} -march=rv64gc -mabi=lp64d"),
            "qemu-system-riscv64 -bios none",
        ),
    ] {
        let is_arm = triple.starts_with("thumb");
        let name = if is_arm { "arm-none-eabi" } else { "riscv64-unknown-elf" };
        let pico = format!("/usr/lib/picolibc/{name}/lib/picolibc.ld");
        let text = read(&pico);
        let insert = |name: &str, before: &str, line: &str| {
            assert!(text.contains(before), "{pico} lacks {before}");
            write(format!("{out}/{name}"), text.replacen(before, &format!("\n{line}{before}"), 1));
        };
        insert("before-data.ld", "\n\t.data : ", &slots);
        insert("after-bss.ld", "\n\tPROVIDE( __non_tls_bss_start", &slots);
        insert("first.ld", "\nSECTIONS", "REGION_ALIAS(\"RAM\", ram) INCLUDE tramp.x");
        let archive = board_archive(triple);
        let links = |scripts: &str| {
            line!(
                "{gcc} --specs=picolibc.specs -Os -Wall -Wextra -Werror -Icapi/include -Llinker {scripts} -z noexecstack \
                 -Wl,--gc-sections,--fatal-warnings tests/programs/bare/c/heap.c {archive} -o {out}/heap"
            )
            .ended()
        };
        for scripts in [
            format!("-T {out}/before-data.ld"),
            format!("-T {out}/first.ld"),
            format!("-T tramp_before_bss.x -T {pico}"),
        ] {
            links(&scripts).ends(0);
            let board = Board::Qemu(if is_arm { "mps2-an385" } else { "virt" }, qemu);
            board.run(&format!("{out}/heap")).has("a heap and the slots are apart");
        }
        let ended = links(&format!("-T {out}/after-bss.ld"));
        assert!(ended.status != 0, "{triple}: the linker accepts slots at the beginning of picolibc's heap");
        ended.has("ERROR(statictramp): a heap after the section .bss");
    }
}

/// The pkg-config file and the CMake package tell the linker where the scripts are.
#[test]
fn pkg_config_and_cmake_let_the_linker_find_the_slots_script() {
    let out = test_tools::new_directory("bare/packages").display().to_string();
    let prefix = prepared("target/prefix-thumbv7m-none-eabi").display().to_string();
    let slots = doc_block("docs/boards.md", "ld", 2);
    let script = Script { before_data: &slots, after_bss: "end = .;", ..Script::default() };
    write(format!("{out}/heap.ld"), script.text());
    let pkg_config = |option: &str| {
        let variables = format!("PKG_CONFIG_PATH={prefix}/lib/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_LIBS=1");
        line!("{variables} pkg-config {option} statictramp").passes().text.trim().to_owned()
    };
    let last = "-Wl,--gc-sections -z noexecstack";
    line!(
        "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -DBY_HAND {} tests/programs/bare/c/heap.c --specs=nano.specs --specs=nosys.specs \
         -nostartfiles -T {out}/heap.ld {} {last} -o {out}/by-pc",
        pkg_config("--cflags"),
        pkg_config("--libs")
    )
    .passes();
    let flags = "-DCMAKE_SYSTEM_NAME=Generic -DCMAKE_C_COMPILER=arm-none-eabi-gcc -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY";
    line!(
        "cmake -S tests/programs/bare/package -B {out}/build {flags} -DPREFIX={prefix} -DSCRIPT={out}/heap.ld"
    )
    .arg("-DCMAKE_C_FLAGS=-mcpu=cortex-m3 -mthumb")
    .passes();
    line!("cmake --build {out}/build").passes();
    for image in ["by-pc", "build/statictramp", "build/static"] {
        let board = Board::Qemu("mps2-an385", "qemu-system-arm");
        board.run(&format!("{out}/{image}")).has("a heap and the slots are apart");
    }
}
