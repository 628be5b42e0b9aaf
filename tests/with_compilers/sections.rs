//! Critical sections on processors without atomic exchange, provided by the library or by the program. Also checks the
//! instruction counts in docs/boards.md. The `bare` leg has built the archives (`board.rs`).

use crate::board::{Board, MPS2, PROGRAMS, board_archive, board_directory as directory};
use test_tools::{Ended, Expect, line, multi_line, printed, read, write};

const BOARDS: &str = "tests/programs/bare/boards";
const M0: &str =
    "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -Wall -Wextra -Werror -ffreestanding -Icapi/include";
const MICROBIT: Board = Board::Qemu("microbit", "qemu-system-arm");
/// An instruction takes the same time on every machine.
const COUNTED: Board = Board::Qemu("mps2-an385", "qemu-system-arm -icount shift=10");
const LINKERS: [&str; 2] = ["ld.lld-19", "arm-none-eabi-ld"];

fn libgcc() -> String {
    printed("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -print-libgcc-file-name").trim().to_owned()
}

/// Compiles these programs as objects, and returns their files.
fn objects(gcc: &str, programs: &[&str], out: &str) -> String {
    for program in programs {
        line!("{gcc} -c {PROGRAMS}/{program}.c -o {out}/{program}.o").passes();
    }
    programs.iter().map(|it| format!("{out}/{it}.o ")).collect()
}

/// A definition in a later archive is used; without one the library's is used.
#[test]
fn a_program_may_define_its_own_critical_sections() {
    let out = directory("own-sections");
    let riscv = "riscv64-unknown-elf-gcc -mcmodel=medany -march=rv32imc_zicsr -mabi=ilp32";
    let riscv = format!("{riscv} -O2 -Wall -Wextra -Werror -ffreestanding -Icapi/include");
    let virt = Board::Qemu("virt", "qemu-system-riscv32 -bios none");
    let riscv_linkers = ["ld.lld-19", "riscv64-unknown-elf-ld -melf32lriscv"];
    for (triple, board, name, gcc, linkers, libgcc) in [
        ("thumbv6m-none-eabi", &MICROBIT, "microbit", M0, LINKERS, libgcc()),
        ("riscv32imc-unknown-none-elf", &virt, "virt", &riscv, riscv_linkers, String::new()),
    ] {
        let objects = objects(gcc, &["main", "memory"], &out);
        line!("{gcc} -c {PROGRAMS}/own_section.c -o {out}/own_section.o").passes();
        line!("rm -f {out}/own_section.a").passes();
        line!("ar rc {out}/own_section.a {out}/own_section.o").passes();
        let archive = board_archive(triple);
        for linker in linkers {
            for own in ["", "own_section.a"] {
                let last = if own.is_empty() { libgcc.clone() } else { format!("{out}/{own} {libgcc}") };
                line!(
                    "{linker} --gc-sections -z noexecstack --fatal-warnings -Llinker -L{BOARDS} -T {name}.x -T {PROGRAMS}/sections.x \
                     {objects} {archive} {last} -o {out}/sections"
                )
                .passes();
                board.run(&format!("{out}/sections")).has("a call after free is diagnosed");
                let symbols = line!("nm {out}/sections").passes();
                let own_functions = if own.is_empty() { 0 } else { 2 };
                let functions = "own_acquire|own_release|statictramp_0_1_single_core_acquire|statictramp_0_1_single_core_release";
                symbols
                    .matches_times(2, &format!(" [tT] ({functions})$"))
                    .matches_times(own_functions, " [tT] own_");
            }
        }
    }
}

/// One function from the program and the other from the library do not form a critical section.
#[test]
fn a_half_defined_critical_section_is_rejected() {
    let out = directory("half-a-section");
    let objects = objects(M0, &["main", "memory"], &out);
    for (name, text) in [
        ("acquire", "_Bool NAME(void) { return 1; }"),
        ("release", "void NAME(_Bool before) { (void)before; }"),
    ] {
        write(format!("{out}/half.c"), text.replace("NAME", &format!("_critical_section_1_0_{name}")));
        line!("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -ffreestanding -c {out}/half.c -o {out}/half.o")
            .passes();
        for linker in LINKERS {
            for collect in ["--gc-sections", "--no-gc-sections"] {
                let ended = line!(
                    "{linker} {collect} -z noexecstack -Llinker -L{BOARDS} -T microbit.x -T {PROGRAMS}/sections.x {objects} \
                     {out}/half.o {} {} -o {out}/half",
                    board_archive("thumbv6m-none-eabi"),
                    libgcc()
                )
                .ended();
                assert!(ended.status != 0, "{linker} {collect} links a program that defines only {name}");
                ended.has("ERROR(statictramp): the program defines only one of");
            }
        }
    }
}

/// The script places the slots and chooses the critical section, as docs/boards.md describes.
#[test]
fn a_custom_linker_script_works_without_the_library_scripts() {
    let out = directory("own-script");
    let page = read("docs/boards.md");
    let board: String = read(format!("{BOARDS}/microbit.x"))
        .lines()
        .filter(|it| !it.contains("INCLUDE"))
        .map(|it| format!("{it}\n"))
        .collect();
    let slots = "  .tramp_data (NOLOAD) : { *(.tramp_data.extra) *(.tramp_data) } > RAM\n  .data :";
    let sections = read(format!("{PROGRAMS}/sections.x")).replace("  .data :", slots);
    let memory = "statictramp_error_add_INCLUDE_tramp_x_to_memory_x = 0;";
    let acquire = "_critical_section_1_0_acquire = statictramp_0_1_single_core_acquire;";
    assert!(page.contains(memory) && page.contains(acquire) && sections.contains(slots));
    write(
        format!("{out}/own.ld"),
        [&board, &sections, memory, acquire, &acquire.replace("acquire", "release")].join("\n"),
    );
    let objects = objects(M0, &["main", "memory"], &out);
    for linker in LINKERS {
        let archive = board_archive("thumbv6m-none-eabi");
        let flags = "--gc-sections -z noexecstack --fatal-warnings";
        line!("{linker} {flags} -T {out}/own.ld {objects} {archive} {} -o {out}/own", libgcc()).passes();
        MICROBIT.run(&format!("{out}/own")).has("a call after free is diagnosed");
    }
}

/// An unprivileged thread; a non-maskable interrupt in a claim's critical section, which takes a lock.
#[test]
fn interrupts_and_unprivileged_threads_on_a_cortex_m0_never_corrupt_trampolines() {
    let out = directory("unprivileged");
    let run =
        |program: &str| MPS2.run_built(&out, M0, &format!("{PROGRAMS}/{program}.c"), "thumbv6m-none-eabi");
    run("unprivileged")
        .has("an unprivileged thread gets no trampoline")
        .has("one region of the MPU is enough for a call");
    run("unmasked")
        .has("a free in the handler is kept, and only a claim takes the section")
        .has("a call after free is diagnosed in the handler");
}

fn instructions(ended: &Ended) -> i64 {
    ended.group("^make and free: ([0-9]+)").parse().unwrap()
}

/// Also counts the instructions of handwritten thunks, for comparison.
#[test]
fn making_and_freeing_takes_the_documented_number_of_instructions() {
    let out = directory("instructions");
    let counts = format!("{PROGRAMS}/counts.c");
    let count = instructions(&COUNTED.run_built(&out, M0, &counts, "thumbv6m-none-eabi"));
    assert!(
        count <= 300,
        "on a Cortex-M0, making and freeing a trampoline takes {count} instructions, expected at most 300"
    );

    let m3 = "-mcpu=cortex-m3 -mthumb -Os -Wall -Wextra -Werror -Wno-unused-function -ffreestanding";
    let cpp = "-std=c++17 -nostdlib -fno-exceptions -fno-rtti -DCOUNT";
    line!("arm-none-eabi-g++ {m3} {cpp} -c {PROGRAMS}/thunks.cpp -o {out}/thunks.o").passes();
    let counts = ["-DTHUNKS -DLIVE=0", "-DTHUNKS -DLIVE=15", "-DLIVE=0", "-DLIVE=15"].map(|more| {
        let words = format!("{more} {counts} {out}/thunks.o");
        let gcc = format!("arm-none-eabi-gcc {m3} -Icapi/include");
        instructions(&COUNTED.run_built(&out, &gcc, &words, "thumbv7m-none-eabi"))
    });
    let page = read("docs/boards.md").replace('\n', " ");
    let statement = "takes ([0-9]*) instructions if no other pointer is live, and ([0-9]*) if 15 others are. With the library, these operations take ([0-9]*) instructions in both cases";
    let stated =
        multi_line(statement).captures(&page).expect("docs/boards.md states no numbers of instructions");
    let stated = [1, 2, 3, 3].map(|group| stated[group].parse::<i64>().unwrap());
    for (count, stated) in counts.iter().zip(stated) {
        assert!(
            (count - stated).abs() <= 8,
            "making and freeing takes {counts:?} instructions; docs/boards.md states {stated}"
        );
    }
    println!("thunks: {} and {}; the library: {} and {}", counts[0], counts[1], counts[2], counts[3]);
}
