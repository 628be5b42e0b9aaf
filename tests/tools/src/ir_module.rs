//! `ir-module SEED`: prints an LLVM IR module with hosts, siblings and callers, in which each address is only used while the
//! function that took it runs, so that stock LLVM gives it the same meaning. The program checks the words before and after each
//! tuple. A comment `; mutate %x` at the end of a line names a pointer that `reroute` may reroute.

use crate::random::Random;
use crate::{Outcome, print, usage};

const DECLARATIONS: &str = r#"declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @printf(ptr, ...)
@format = private constant [22 x i8] c"%d of %d: %d, %d bad\0A\00"
@yes = global i1 true
@keeper = global ptr null
@decoy = global [16 x i64] zeroinitializer

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

define internal i32 @call_both(ptr %f, ptr %g) noinline {
  %one = call i32 %f()
  %two = call i32 %g()
  %sum = add i32 %one, %two
  ret i32 %sum
}

define internal ptr @same(ptr %pointer) noinline {
  ret ptr %pointer
}

define internal void @assign(ptr %variable, ptr %to) noinline {
  store ptr %to, ptr %variable
  ret void
}

define void @assign_from_anywhere(ptr %variable, ptr %to) noinline {
  store ptr %to, ptr %variable
  ret void
}
"#;
const GUARD: &str = "[4 x i64] [i64 11, i64 22, i64 33, i64 44]";

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "SEED";
    let [seed] = arguments else { return Err(usage(USAGE)) };
    let random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let mut module = Module { random, names: 0, ir: DECLARATIONS.to_owned() };
    let hosts = 1 + module.random.below(3);
    for number in 0..hosts {
        module.host(number);
    }
    module.main(hosts);
    print(&module.ir)
}

struct Module {
    random: Random,
    names: usize,
    ir: String,
}

/// A host, as its siblings and callers see it.
#[derive(Clone, Copy)]
struct Host {
    number: usize,
    inners: usize,
    siblings: usize,
}

/// The lines of a function's entry block, and those after it.
struct Function {
    entry: String,
    body: String,
}

impl Module {
    /// Returns a new number, which makes names unique.
    fn next(&mut self) -> usize {
        self.names += 1;
        self.names - 1
    }

    /// Returns new names for registers or labels.
    fn names<const N: usize>(&mut self, begins: [&str; N]) -> [String; N] {
        begins.map(|begin| format!("{begin}{}", self.next()))
    }

    /// Adds a value to the sum.
    fn add(&mut self, value: &str, to: &str, function: &mut Function) {
        let [old, new] = self.names(["old", "new"]);
        function.body += &format!(
            "  %{old} = load i32, ptr %{to}\n  %{new} = add i32 %{old}, %{value}\n  store i32 %{new}, ptr %{to}\n"
        );
    }

    /// Adds the result of an internal procedure, which is called by its address, to the sum.
    fn take(&mut self, function: &mut Function, host: Host, chain: &str) {
        let Host { number, inners, .. } = host;
        let [memory] = self.names(["memory"]);
        let allocate = |memory: &str| format!("  %{memory} = alloca [32 x i8], align 8\n");
        function.entry += &allocate(&memory);
        let [address, value] = self.names(["address", "value"]);
        let init = |memory: &str, inner: usize| {
            format!(
                "  call void @llvm.init.trampoline(ptr %{memory}, ptr @inner_{number}_{inner}, ptr {chain}) ; mutate {chain}\n"
            )
        };
        let adjust = |address: &str, memory: &str| {
            format!("  %{address} = call ptr @llvm.adjust.trampoline(ptr %{memory})\n")
        };
        let both = |memory: &str, inner: usize| init(memory, inner) + &adjust(&address, memory);
        let call = format!("  %{value} = call i32 @call_it(ptr %{address})\n");
        let inner = self.random.below(inners);
        function.body += &match self.random.below(6) {
            0 => {
                let [later] = self.names(["later"]);
                format!(
                    "{}  br label %{later}\n{later}:\n{}{call}",
                    init(&memory, inner),
                    adjust(&address, &memory)
                )
            }
            1 => {
                let [p, loaded] = self.names(["p", "loaded"]);
                function.entry += &format!("  %{p} = alloca ptr\n");
                format!(
                    "{}  store ptr %{address}, ptr %{p}\n  %{loaded} = load ptr, ptr %{p}\n  %{value} = call i32 %{loaded}()\n",
                    both(&memory, inner)
                )
            }
            2 => format!("{}  %{value} = call i32 %{address}()\n", both(&memory, inner)),
            // A second address has separate memory.
            3 => {
                let [other_memory, other] = self.names(["memory", "address"]);
                function.entry += &allocate(&other_memory);
                let other_inner = self.random.below(inners);
                format!(
                    "{}{}{}{}  %{value} = call i32 @call_both(ptr %{address}, ptr %{other})\n",
                    init(&memory, inner),
                    init(&other_memory, other_inner),
                    adjust(&address, &memory),
                    adjust(&other, &other_memory)
                )
            }
            // The memory is one of two variables.
            4 => {
                let [other, which, chosen] = self.names(["memory", "which", "chosen"]);
                function.entry += &allocate(&other);
                format!(
                    "  %{which} = load volatile i1, ptr @yes\n  %{chosen} = select i1 %{which}, ptr %{memory}, ptr %{other}\n{}{call}",
                    both(&chosen, inner)
                )
            }
            _ => both(&memory, inner) + &call,
        };
        self.add(&value, "sum", function);
    }

    fn call_sibling(&mut self, function: &mut Function, host: usize, sibling: usize, chain: &str, x: &str) {
        let [value] = self.names(["value"]);
        function.body += &format!(
            "  %{value} = call i32 @sibling_{host}_{sibling}(i32 {x}, ptr {chain}) ; mutate {chain}\n"
        );
        self.add(&value, "sum", function);
    }

    /// Passes the chain through a record, like the shared variables of an OpenMP region.
    fn call_region(&mut self, function: &mut Function, host: usize, chain: &str) {
        let [record, at, value] = self.names(["record", "at", "value"]);
        function.entry += &format!("  %{record} = alloca {{ i64, ptr, ptr }}, align 8\n");
        function.body += &format!(
            "  %{at} = getelementptr {{ i64, ptr, ptr }}, ptr %{record}, i64 0, i32 1\n  store ptr {chain}, ptr %{at} ; mutate {chain}\n  \
             %{value} = call i32 @region_{host}(ptr %{record}) ; mutate %{record}\n"
        );
        self.add(&value, "sum", function);
    }

    /// Repeats the lines that were added to a function after its first `length` bytes.
    fn repeat(&mut self, function: &mut Function, length: usize) {
        let [i, loaded, next, more] = self.names(["i", "loaded", "next", "more"]);
        let [head, done] = self.names(["round", "done"]);
        function.entry += &format!("  %{i} = alloca i32\n");
        function.body.insert_str(length, &format!("  store i32 0, ptr %{i}\n  br label %{head}\n{head}:\n"));
        function.body += &format!(
            "  %{loaded} = load i32, ptr %{i}\n  %{next} = add i32 %{loaded}, 1\n  store i32 %{next}, ptr %{i}\n  \
             %{more} = icmp slt i32 %{next}, 3\n  br i1 %{more}, label %{head}, label %{done}\n{done}:\n"
        );
    }

    fn define(&mut self, head: &str, function: &Function) {
        self.ir += &format!(
            "\n{head} {{\nentry:\n{}  br label %body\nbody:\n{}  %result = load i32, ptr %sum\n  ret i32 %result\n}}\n",
            function.entry, function.body
        );
    }

    fn inner(&mut self, host: usize, number: usize) {
        let change = if self.random.chance(0.3) {
            "  %more = add i32 %n, 1\n  store i32 %more, ptr %chain\n"
        } else {
            ""
        };
        self.ir += &format!(
            "\ndefine internal i32 @inner_{host}_{number}(ptr nest %chain) {{\n  %n = load i32, ptr %chain\n{change}  \
             %result = mul i32 %n, {}\n  ret i32 %result\n}}\n",
            number + 2
        );
    }

    fn sibling(&mut self, host: Host, number: usize) {
        let mut function = Function::new("  store i32 %x, ptr %sum\n");
        let nest = self.random.pick(&["", "nest ", "nonnull dereferenceable(4) "]);
        if self.random.chance(0.8) {
            self.take(&mut function, host, "%chain");
        }
        if number + 1 < host.siblings && self.random.chance(0.7) {
            self.call_sibling(&mut function, host.number, number + 1, "%chain", "%x");
        }
        if self.random.chance(0.3) {
            self.take(&mut function, host, "%chain");
        }
        // It calls itself.
        if self.random.chance(0.3) {
            let [ends, less, again, done] = self.names(["ends", "less", "again", "done"]);
            function.body += &format!(
                "  %{ends} = icmp slt i32 %x, 1\n  br i1 %{ends}, label %{done}, label %{again}\n{again}:\n  %{less} = sub i32 %x, 1\n"
            );
            self.call_sibling(&mut function, host.number, number, "%chain", &format!("%{less}"));
            function.body += &format!("  br label %{done}\n{done}:\n");
        }
        let inlined = self.random.pick(&["noinline", ""]);
        let head = format!(
            "define internal i32 @sibling_{}_{number}(i32 %x, ptr {nest}%chain) {inlined}",
            host.number
        );
        self.define(&head, &function);
    }

    fn region(&mut self, host: Host) {
        let mut function = Function::new(
            "  store i32 0, ptr %sum\n  %at = getelementptr { i64, ptr, ptr }, ptr %record, i64 0, i32 1\n  %chain = load ptr, ptr %at\n",
        );
        self.take(&mut function, host, "%chain");
        let head = format!("define internal i32 @region_{}(ptr %record) noinline", host.number);
        self.define(&head, &function);
    }

    fn host(&mut self, number: usize) {
        let pad = self.random.pick(&[0, 1, 3, 8, 20]);
        let inners = 1 + self.random.below(3);
        let siblings = self.random.below(4);
        let host = Host { number, inners, siblings };
        for inner in 0..inners {
            self.inner(number, inner);
        }
        for sibling in 0..siblings {
            self.sibling(host, sibling);
        }
        self.region(host);

        let mut function = Function::new(&format!(
            "  store i32 0, ptr %sum\n  store {GUARD}, ptr %before\n  store {GUARD}, ptr %after\n  store i32 %n, ptr %tuple\n"
        ));
        function.entry += &format!(
            "  %before = alloca [4 x i64], align 8\n  %tuple = alloca {{ i32, [{pad} x i8] }}, align 8\n  %after = alloca [4 x i64], align 8\n"
        );
        for _ in 0..=self.random.below(4) {
            let before = function.body.len();
            match self.random.below(6) {
                0 => self.call_region(&mut function, number, "%tuple"),
                1 | 2 if siblings > 0 => {
                    let sibling = self.random.below(siblings);
                    let x = (1 + self.random.below(3)).to_string();
                    self.call_sibling(&mut function, number, sibling, "%tuple", &x);
                }
                3 => {
                    self.take(&mut function, host, "%tuple");
                    self.repeat(&mut function, before);
                }
                4 if siblings > 0 => {
                    let sibling = self.random.below(siblings);
                    self.call_sibling(&mut function, number, sibling, "%tuple", "2");
                    self.repeat(&mut function, before);
                }
                _ => self.take(&mut function, host, "%tuple"),
            }
            if self.random.chance(0.2) {
                self.return_early(&mut function);
            }
            if self.random.chance(0.2) {
                self.call_host(&mut function, number);
            }
        }
        for variable in ["before", "after"] {
            for i in 0..4 {
                self.check_word(&mut function, variable, i);
            }
        }
        let linkage = self.random.pick(&["internal ", ""]);
        let inlined = self.random.pick(&["noinline", ""]);
        self.define(&format!("define {linkage}i32 @host_{number}(i32 %n, ptr %bad) {inlined}"), &function);
    }

    fn return_early(&mut self, function: &mut Function) {
        let [is, sum, early, on] = self.names(["is", "sum", "early", "on"]);
        function.body += &format!(
            "  %{is} = icmp eq i32 %n, 3\n  br i1 %{is}, label %{early}, label %{on}\n{early}:\n  \
             %{sum} = load i32, ptr %sum\n  ret i32 %{sum}\n{on}:\n"
        );
    }

    /// The host calls itself.
    fn call_host(&mut self, function: &mut Function, number: usize) {
        let [ends, less, value] = self.names(["ends", "less", "value"]);
        let [again, done] = self.names(["again", "done"]);
        function.body += &format!(
            "  %{ends} = icmp slt i32 %n, 3\n  br i1 %{ends}, label %{done}, label %{again}\n{again}:\n  %{less} = sub i32 %n, 2\n  \
             %{value} = call i32 @host_{number}(i32 %{less}, ptr %bad)\n"
        );
        self.add(&value, "sum", function);
        function.body += &format!("  br label %{done}\n{done}:\n");
    }

    /// Counts a changed word next to the tuple.
    fn check_word(&mut self, function: &mut Function, variable: &str, index: usize) {
        let [at, word, is, wide] = self.names(["at", "word", "is", "wide"]);
        function.body += &format!(
            "  %{at} = getelementptr i64, ptr %{variable}, i64 {index}\n  %{word} = load i64, ptr %{at}\n  \
             %{is} = icmp ne i64 %{word}, {}\n  %{wide} = zext i1 %{is} to i32\n",
            11 * (index + 1)
        );
        self.add(&wide, "bad", function);
    }

    fn main(&mut self, hosts: usize) {
        self.ir += "\ndefine i32 @main() {\nentry:\n  %bad = alloca i32\n  store i32 0, ptr %bad\n";
        for host in 0..hosts {
            for n in [1, 3, 6] {
                let [value, bad, printed] = self.names(["value", "bad", "printed"]);
                self.ir += &format!(
                    "  %{value} = call i32 @host_{host}(i32 {n}, ptr %bad)\n  %{bad} = load i32, ptr %bad\n  \
                     %{printed} = call i32 (ptr, ...) @printf(ptr @format, i32 {n}, i32 {host}, i32 %{value}, i32 %{bad})\n"
                );
            }
        }
        self.ir += "  ret i32 0\n}\n";
    }
}

impl Function {
    fn new(body: &str) -> Function {
        Function { entry: "  %sum = alloca i32\n".to_owned(), body: body.to_owned() }
    }
}
