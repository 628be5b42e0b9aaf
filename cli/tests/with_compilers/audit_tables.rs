//! This library's own table, assembled from `asm/` for each target, linked by GNU ld and lld, and decoded by `audit`: stub i must read
//! only slot i. Then corrupt tables.

use crate::{start, tool, tool_shell};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use test_tools::{Expect, effort, files_in, machines, root, write};
use xshell::{Shell, cmd};

/// How a table is assembled and linked.
struct Table {
    name: String,
    /// The file in `asm/`.
    source: String,
    stride: u32,
    word: u32,
    pads: u32,
    signed: u32,
    bare: u32,
    assembler: String,
    gnu: String,
    link_options: String,
    lld: String,
}

impl Table {
    /// Assembles and links a table of 3,000 slots, and checks what `audit` prints about it.
    fn check(&self, sh: &Shell, out: &Path) {
        let file = out.join(&self.name);
        let asm =
            |name: &str| std::fs::read_to_string(root().join(format!("asm/{name}.S"))).expect("assembly");
        let before_stubs = if self.bare == 1 { 0 } else { 64 };
        let Table { stride, word, pads, signed, bare, .. } = self;
        let mut text = String::new();
        for set in [
            "SLOTS, 3000",
            &format!("LEAD, {before_stubs}"),
            &format!("SLOT_STRIDE, {stride}"),
            "SLOTS_ROOM, 65536",
            &format!("LANDING_PADS, {pads}"),
            &format!("CHAIN_IN_X18, {pads}"),
            &format!("SIGN, {signed}"),
            &format!("WORD, {word}"),
            &format!("BARE, {bare}"),
            "EXTRAS, 0",
        ] {
            text += &format!(".set {set}\n");
        }
        text += &(asm(&self.source) + &asm("table"));
        let lines =
            text.lines().map(|it| it.split("//").next().expect("a part").replace("VERSION", "0_1") + "\n");
        write(out.join(format!("{}.S", self.name)), lines.collect::<String>());
        let assembler = self.assembler.split_whitespace();
        cmd!(sh, "env {assembler...} -o {file}.o {file}.S").passes();
        let linkers = [format!("{}-ld", self.gnu), self.lld.clone()];
        for linker in linkers.iter().filter(|it| !it.is_empty()) {
            let (linked, options) =
                (format!("{}.{linker}", file.display()), self.link_options.split_whitespace());
            cmd!(sh, "{linker} {options...} -e 0 -z noexecstack {file}.o -o {linked}").passes();
            cmd!(sh, "statictramp audit --json {linked}")
                .passes()
                .has("\"state\": \"whole\"")
                .has("\"slots\": 3000")
                .has(&format!("\"landing_pads\": {}", *pads == 1))
                .has(&format!("\"signed\": {}", *signed == 1));
        }
        cmd!(sh, "statictramp audit --json --all {file}.o").passes().has("\"state\": \"not-linked\"");
    }
}

/// The tables of boards, whose note contains absolute addresses in the last three.
const BOARDS: [(&str, &str, u32, u32, u32, &str, &str); 7] = [
    ("riscv32", "riscv", 16, 4, 0, "riscv64-linux-gnu-as -march=rv32imac -mabi=ilp32", "-melf32lriscv"),
    ("arm", "arm", 16, 4, 0, "arm-linux-gnueabihf-as -march=armv7-a", "-marmelf_linux_eabi"),
    ("thumb2", "thumb2", 16, 4, 0, "arm-linux-gnueabihf-as -march=armv7-m", "-marmelf_linux_eabi"),
    ("thumb1", "thumb1", 16, 4, 0, "arm-linux-gnueabihf-as -march=armv6-m", "-marmelf_linux_eabi"),
    ("riscv32-bare", "riscv", 8, 4, 1, "riscv64-linux-gnu-as -march=rv32imac -mabi=ilp32", "-melf32lriscv"),
    ("riscv64-bare", "riscv", 16, 8, 1, "riscv64-linux-gnu-as -march=rv64gc", "-melf64lriscv"),
    ("thumb2-bare", "thumb2", 8, 4, 1, "arm-linux-gnueabihf-as -march=armv7-m", "-marmelf_linux_eabi"),
];

/// Returns the linked tables of all targets, each of which is intact.
pub fn tables() -> &'static Path {
    static TABLES: OnceLock<PathBuf> = OnceLock::new();
    TABLES.get_or_init(make_tables)
}

fn make_tables() -> PathBuf {
    let (sh, out) = start("audit/tables");
    let mut tables = Vec::new();
    for machine in
        machines().iter().filter(|it| it.get("machine") == "x86_64" || !it.get("triple").is_empty())
    {
        let (name, gnu) = (machine.get("machine"), machine.gnu());
        let word = if machine.get("bits") == "32" { 4 } else { 8 };
        for pads in 0..=machine.or("pads", "0").parse().unwrap() {
            for signed in 0..=u32::from(name == "aarch64") {
                tables.push(Table {
                    name: format!("{name}-{pads}{}", if signed == 1 { "-signed" } else { "" }),
                    source: machine.or("assembly", name),
                    // A slot consists of three pointers and two 4-byte numbers.
                    stride: 3 * word + 8,
                    word,
                    pads,
                    signed,
                    bare: 0,
                    assembler: format!("{gnu}-as {}", machine.get("assembler")),
                    gnu: gnu.clone(),
                    link_options: machine.get("emulation").to_owned(),
                    lld: machine.or("lld", "ld.lld-19"),
                });
            }
        }
    }
    for (name, source, stride, word, bare, assembler, emulation) in BOARDS {
        let provided = "--defsym=statictramp_error_add_INCLUDE_tramp_x_to_memory_x=0";
        tables.push(Table {
            name: name.to_owned(),
            source: source.to_owned(),
            stride,
            word,
            pads: 0,
            signed: 0,
            bare,
            assembler: assembler.to_owned(),
            gnu: assembler.split("-as").next().unwrap().to_owned(),
            link_options: if bare == 1 { format!("{emulation} {provided}") } else { emulation.to_owned() },
            lld: "ld.lld-19".to_owned(),
        });
    }
    for table in &tables {
        table.check(&sh, &out);
    }
    let linked = files_in(&out).iter().filter(|it| is_linked(it)).count();
    assert!(linked > tables.len(), "only {linked} tables");
    out
}

fn is_linked(file: &Path) -> bool {
    file.extension().is_some_and(|it| it != "S" && it != "o")
}

#[test]
fn each_targets_table_is_intact_and_a_flipped_bit_is_detected() {
    let sh = tool_shell();
    // If any bit of a stub in the middle of a table is flipped, the table is corrupt.
    let (tool, step) = (tool(), if effort() < 100 { "23" } else { "5" });
    for file in files_in(tables()).iter().filter(|it| is_linked(it)) {
        cmd!(sh, "python3 cli/tests/programs/audit/flip.py {file} {tool} {step}").passes();
    }
    let own = "intact: 1024 stubs, each of which reads only its own slot";
    cmd!(sh, "statictramp audit {tool}").passes().has(own);
}
