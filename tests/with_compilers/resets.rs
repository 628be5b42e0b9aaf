//! Boards that restart, early trampolines, calls after free, slots in read-only memory, and the stack use of each
//! function. The `bare` leg has built the archives (`board.rs`).

use crate::board::{Board, MPS2, PROGRAMS, board_archive, board_directory as directory};
use test_tools::{Ended, Expect, doc_block, line, multi_line, read, write};

const FLAGS: &str = "-O2 -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -Icapi/include";
const ARM: &str = "arm-none-eabi-gcc -mthumb -mcpu";

#[track_caller]
fn run(out: &str, gcc: &str, source: &str, triple: &str, board: &Board) -> Ended {
    board.run_built(out, gcc, &format!("{FLAGS} -I{out} {source}"), triple)
}

fn page() -> String {
    read("docs/boards.md")
}

/// The contents of RAM are preserved. The page shows how to clear the slots.
#[test]
fn pointers_from_the_previous_boot_fault_after_the_slots_are_cleared() {
    let out = directory("reset");
    write(format!("{out}/clear_slots.h"), doc_block("docs/boards.md", "c", 1));
    run(&out, &format!("{ARM}=cortex-m3"), &format!("{PROGRAMS}/reset.c"), "thumbv7m-none-eabi", &MPS2)
        .has("a pointer from the previous boot calls its callee")
        .has("after the slots are cleared, a call through a pointer from the previous boot faults");
}

#[test]
fn trampolines_made_before_bss_is_cleared_are_lost() {
    let out = directory("early");
    let read = |name: &str| read(format!("{PROGRAMS}/{name}"));
    // The reset vector is the second word.
    let board = read("board.h").replace("(vector)stack_top, start,", "(vector)stack_top, start_early,");
    let board = board.replace(
        "\ntypedef void (*vector)(void);",
        "\nvoid start_early(void);\ntypedef void (*vector)(void);",
    );
    assert!(board.contains("start_early,") && board.contains("void start_early(void);"));
    write(format!("{out}/board.h"), board);
    write(format!("{out}/early.c"), read("early.c").replace("\"board.h\"", &format!("\"{out}/board.h\"")));
    run(&out, &format!("{ARM}=cortex-m3"), &format!("{out}/early.c"), "thumbv7m-none-eabi", &MPS2)
        .has("a trampoline from before .bss was cleared is lost");
    let page = page().replace('\n', " ");
    let beginning = page.split("## ").next().unwrap();
    assert!(
        beginning.contains("Use trampolines only after start-up code has cleared `.bss`"),
        "docs/boards.md does not begin with this rule"
    );
}

#[test]
fn a_call_after_free_traps_and_shows_the_caller() {
    let out = directory("dead-call");
    let riscv = "riscv64-unknown-elf-gcc -mcmodel=medany -march";
    for (triple, gcc, board) in [
        ("thumbv7m-none-eabi", format!("{ARM}=cortex-m3"), MPS2),
        ("thumbv6m-none-eabi", format!("{ARM}=cortex-m0"), MPS2),
        (
            "riscv32imc-unknown-none-elf",
            format!("{riscv}=rv32imc_zicsr -mabi=ilp32"),
            Board::Qemu("virt", "qemu-system-riscv32 -bios none"),
        ),
        (
            "riscv64gc-unknown-none-elf",
            format!("{riscv}=rv64gc_zicsr -mabi=lp64d"),
            Board::Qemu("virt", "qemu-system-riscv64 -bios none"),
        ),
    ] {
        run(&out, &gcc, &format!("{PROGRAMS}/dead_call.c"), triple, &board)
            .has("the trap shows the slot and the caller");
    }
}

#[test]
fn no_trampoline_is_made_in_read_only_memory() {
    let out = directory("read-only");
    for (triple, processor, name) in
        [("thumbv7m-none-eabi", "cortex-m3", "lm3s6965evb"), ("thumbv6m-none-eabi", "cortex-m0", "microbit")]
    {
        let read = |file: &str| read(format!("tests/programs/bare/{file}"));
        let board = read(&format!("boards/{name}.x"));
        let board: Vec<&str> = board.lines().filter(|it| !it.contains("INCLUDE")).collect();
        let slots = "  __statictramp_heap_limit = .;\n  .tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > FLASH\n  .data :";
        let sections = read("c/sections.x").replace("  .data :", slots);
        assert!(sections.contains(slots));
        write(format!("{out}/read_only.ld"), board.join("\n") + "\n" + &sections);
        line!(
            "{ARM}={processor} {FLAGS} -nostdlib {PROGRAMS}/read_only.c {PROGRAMS}/memory.c {} -lgcc -Llinker \
             -Wl,-T,{out}/read_only.ld,--gc-sections -z noexecstack -o {out}/read_only",
            board_archive(triple)
        )
        .passes();
        Board::Qemu(name, "qemu-system-arm")
            .run(&format!("{out}/read_only"))
            .has("no trampoline is made in read-only memory");
    }
}

#[test]
fn each_function_uses_the_documented_stack_size() {
    let out = directory("stack");
    for (triple, processor, name, call) in [
        ("thumbv6m-none-eabi", "cortex-m0", "Cortex-M0", "12 bytes on a"),
        ("thumbv7m-none-eabi", "cortex-m3", "Cortex-M3", "no stack on a"),
    ] {
        let ended = run(&out, &format!("{ARM}={processor}"), &format!("{PROGRAMS}/stack.c"), triple, &MPS2);
        let lines = ended.text.lines().filter_map(|it| it.split_once(' '));
        let used: Vec<(&str, usize)> =
            lines.map(|(name, bytes)| (name, bytes.trim().parse().unwrap())).collect();
        let cells: Vec<String> =
            used.iter().filter(|it| it.0 != "call_alloc").map(|it| it.1.to_string()).collect();
        let row = format!("| {name} | {} |", cells.join(" | "));
        // STATICTRAMP_WRITE_SIZES=1 tests/run bare:sizes corrects the row.
        line!("flock docs/boards.md target/test-tools/debug/test-tools stated docs/boards.md")
            .arg(&row)
            .passes();
        let of_call = used.iter().find(|it| it.0 == "call_alloc").expect("a measured call").1;
        let bytes: usize = call.split(' ').next().unwrap().replace("no", "0").parse().unwrap();
        assert_eq!(of_call, bytes, "the stack use of a call on a {name}: {ended}");
        let statement =
            format!("A call through a trampoline made by `statictramp_alloc` takes [^.]*{call} {name}");
        assert!(
            multi_line(&statement).is_match(&page().replace('\n', " ")),
            "docs/boards.md does not state: {statement}"
        );
        println!("{row}");
    }
}
