//! Random IR modules, and programs whose chains take other routes, compared with stock LLVM and with gfortran.

use crate::*;
use test_tools::{copy_file, effort, seed, share};

/// A few of LLVM's own passes, which run before the rewriter.
const PASSES: &[&str] = &[
    "",
    "",
    "function-attrs",
    "function(sroa,early-cse),cgscc(function-attrs)",
    "function(mem2reg),argpromotion,deadargelim",
    "inferattrs,attributor",
    "cgscc(inline),function(sroa,simplifycfg,gvn)",
    "default<O1>",
    "default<O2>",
    "default<O3>",
    "function(reg2mem)",
    "function(mergereturn,simplifycfg<sink-common-insts>)",
    "ipsccp,mergefunc,globalopt",
    "function(tailcallelim,jump-threading)",
    "iroutliner",
    "function(loop-simplify,loop-rotate,licm)",
    "function(newgvn,dse,adce,sink)",
];

fn tools(directory: &Path, arguments: &str) -> String {
    let tools = root().join("target/test-tools/debug/test-tools");
    stdout(host(directory, &format!("{} {arguments}", tools.display())))
}

/// LLVM must accept the module that the rewriter or the plugin generates, the program must print the same as with stock
/// LLVM, and no trampoline may remain live unless only the library can find it.
#[test]
fn random_modules_behave_as_with_stock_llvm() {
    // A full run uses a part of the seeds. STATICTRAMP_SEED selects another part.
    let first = seed().map_or(0, |_| first_seed());
    let count = if effort() >= 100 { share(5000) } else { share(5000).div_ceil(3) } as u64;
    let seeds: Vec<u64> = (first..first + count).collect();
    in_parallel(&seeds, |seed| random_module(*seed));
}

fn random_module(seed: u64) {
    let directory = new_directory(&format!("mutate/{seed}"));
    let passes = PASSES[seed as usize % PASSES.len()];
    let (is_plugin, level) = (seed / 17 % 3 == 1, seed / 51 % 3);
    println!(
        "seed {seed}, by the {}, passes \"{passes}\", -O{level}",
        if is_plugin { "plugin" } else { "rewriter" }
    );
    let here = |line: &str| host(&directory, line).within(600).ended();
    test_tools::write(directory.join("made.ll"), tools(&directory, &format!("ir-module {seed}")));
    test_tools::write(directory.join("stock.ll"), tools(&directory, &format!("reroute {seed} made.ll")));
    here("clang-19 -O0 -w -c stock.ll -o stock.o").ends(0);
    here("gcc -z execstack stock.o -o stock").ends(0);
    let wanted = host(&directory, "./stock").within(300).ended().ends(0).text;
    let passed = here(&format!("opt-19 -S -passes={passes} stock.ll -o before.ll")).status == 0;
    if passes.is_empty() || !passed {
        copy_file(directory.join("stock.ll"), directory.join("before.ll"));
    }
    let rewritten = if is_plugin {
        let plugin = plugin(19).replace("-fpass-plugin", "-load-pass-plugin");
        here(&format!("opt-19 -S {plugin} -passes=default<O{level}>,verify before.ll -o after.ll")).ends(0)
    } else {
        rewrite(&directory, "-S before.ll -o after.ll").passes()
    };
    here("opt-19 -S -passes=verify,globaldce after.ll -o alive.ll").ends(0);
    here(&format!("clang-19 -O{level} -w -c after.ll -o after.o")).ends(0);
    let is_left = rewritten.count("^warning: .*left to the compiler") > 0;
    let options = if is_left { "-zexecstack".to_owned() } else { watch() };
    here(&format!("gcc after.o {options} {} -o after", archive())).ends(0);
    let mut command = host(&directory, "./after");
    if multi_line("call.*@statictramp_share").is_match(&read(directory.join("alive.ll"))) {
        // When the table is full, the library itself reclaims these trampolines.
        command.env("MAY_LEAK", "1");
    }
    let ended = command.within(300).ended().ends(0);
    assert_eq!(ended.text, wanted, "seed {seed}: the output differs from that with stock LLVM");
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn chains_on_other_routes_behave_as_with_gfortran() {
    let has_openmp = |source: &Path| read(source).to_lowercase().contains("!$omp");
    let chosen = sources().into_iter().filter(|source| builds(19, source) && !has_openmp(source));
    let part = 100 / effort().min(100);
    let numbered: Vec<(usize, PathBuf)> = chosen
        .enumerate()
        .map(|(index, source)| (index + 1, source))
        .filter(|(it, _)| it % part == 0)
        .collect();
    assert!(!numbered.is_empty());
    for (number, source) in numbered {
        let directory = new_directory(&format!("mutate/{}", stem(&source)));
        flang(19, &directory, &format!("-O0 -S -emit-llvm {} -o before.ll", source.display())).passes();
        let rerouted = tools(&directory, &format!("reroute {number} before.ll"));
        test_tools::write(directory.join("mutated.ll"), rerouted);
        rewrite(&directory, "mutated.ll -o after.bc").passes();
        host(&directory, "clang-19 -O1 -w -c after.bc -o after.o").passes();
        flang(19, &directory, &format!("-fopenmp after.o {} {} -o after", watch(), archive())).passes();
        prints(wanted(&source), run(19, &directory, "./after").var("MAY_LEAK", "1"));
    }
}
