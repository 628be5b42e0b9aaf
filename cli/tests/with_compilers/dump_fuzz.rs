//! Arbitrary bytes for the readers of `dump`. The seeds are the readers' inputs on this machine.

use crate::fuzzed::{build, run};
use test_tools::{Expect, new_directory, read, share, shell, write};
use xshell::cmd;

/// The readers, and the maximum length of their inputs, which is the seeds' length.
const READERS: [(&str, u32); 5] =
    [("maps", 2048), ("notes", 32768), ("layouts", 2048), ("descriptors", 2048), ("symbols", 32768)];

#[test]
fn each_reader_in_dump_accepts_arbitrary_bytes() {
    let (sh, out) = (shell(), new_directory("tool/fuzz"));
    let seeds = out.join("seeds");
    let maps = read("/proc/self/maps");
    let maps: String = maps.lines().take(12).map(|it| format!("{it}\n")).collect();
    write(seeds.join("maps/self"), maps);
    for directory in ["notes", "symbols"] {
        std::fs::create_dir(seeds.join(directory)).unwrap();
    }
    let note = "cli/tests/programs/dump/note.S";
    cmd!(sh, "gcc -Os -s -nostdlib -shared {note} -o {seeds}/notes/image").passes();
    cmd!(sh, "gcc -c {note} -o {seeds}/symbols/object").passes();
    write(seeds.join("layouts/list"), "a: descriptor(2), c: character, p: pointer\n");
    let layout =
        "{ ptr, { ptr, i64 }, { ptr, i64, i32, i8, i8, i8, i8, [2 x [3 x i64]] } } n: integer(4), name, a\n";
    write(seeds.join("layouts/type"), layout);
    // A rank-1 descriptor of gfortran: base, 4, version 1, rank 1, neither pointer nor allocatable, integer(4), 1:3, 4.
    let mut descriptor: Vec<u8> = [0x1000_u64, 4].iter().flat_map(|it| it.to_ne_bytes()).collect();
    descriptor.extend(1_i32.to_ne_bytes());
    descriptor.extend([1, 2, 1, 4]);
    descriptor.extend([1_u64, 3, 4].iter().flat_map(|it| it.to_ne_bytes()));
    descriptor.extend([1_u32, 2, 3].iter().flat_map(|it| it.to_le_bytes()));
    write(seeds.join("descriptors/one"), descriptor);

    let fuzzer = build().join("fuzz-dump");
    for (reader, longest) in READERS {
        // A million for all readers.
        let options = format!("-runs={} -max_len={longest} -timeout=100 -seed=1", share(200_000));
        let failed = out.join(reader);
        run(&fuzzer, reader, &options, &failed, &seeds.join(reader)).has("Done ");
    }
}
