//! Programs that compute values through internal procedures whose addresses are taken.

use crate::random::Random;
use std::fmt::Write;

/// Returns a program with this many hosts, each in its own module.
pub fn generate(mut random: Random, hosts: usize) -> String {
    let mut text = String::from(include_str!("common.f90"));
    for number in 1..=hosts {
        Host::new(number, &mut random).write(&mut text);
    }
    let uses: String = (1..=hosts).map(|number| format!("  use case_{number}\n")).collect();
    let calls: String = (1..=hosts).map(|number| format!("  call run_{number}()\n")).collect();
    text + "program main\n" + &uses + "  implicit none\n" + &calls + "end program\n"
}

/// Procedures that take an integer function and an integer, and call the function.
const APPLIERS: [&str; 8] =
    ["apply", "twice", "by_pointer", "by_holder", "by_table", "by_host", "descend", "perhaps"];

/// The kind of procedure that contains a statement.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    /// The host itself.
    Host,
    /// An internal procedure that modifies the host's variables.
    Changing,
}

struct Host<'a> {
    random: &'a mut Random,
    number: usize,
    /// Internal functions without side effects. Each of them calls only those before it.
    quiet: Vec<String>,
    /// Internal functions that modify the host's variables while there is fuel left.
    changing: Vec<String>,
    recursive: bool,
    text: String,
    indent: usize,
    /// The number of loops around a statement.
    loops: usize,
}

impl<'a> Host<'a> {
    fn new(number: usize, random: &'a mut Random) -> Self {
        let names = |kind: &str, count: usize| (0..count).map(|n| format!("{kind}_{n}")).collect::<Vec<_>>();
        let (quiet, changing) = (names("quiet", 2 + random.below(3)), names("changing", 1 + random.below(3)));
        let recursive = random.once_in(2);
        Host { random, number, quiet, changing, recursive, text: String::new(), indent: 4, loops: 0 }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", self.indent, line.as_ref());
    }

    fn write(mut self, text: &mut String) {
        let number = self.number;
        self.header();
        let statements = 4 + self.random.below(6);
        (0..statements).for_each(|_| self.statement(Within::Host, 0));
        if self.recursive {
            let passed = if self.random.once_in(2) { self.any() } else { "outer".into() };
            self.line("if (n > 0) then");
            self.line(format!("  call host_{number}(n - 1, {passed}, t, (v))"));
            self.line("  a = mix(a, t)");
            self.line("end if");
            let statements = self.random.below(4);
            (0..statements).for_each(|_| self.statement(Within::Host, 0));
        }
        self.line("r = mix(mix(a, b), mix(c, v(2)))");
        self.indent = 2;
        self.line("contains");
        self.indent = 4;
        self.quiet_functions();
        self.changing_functions();
        self.others();
        self.indent = 2;
        self.line("end subroutine");
        self.line(format!("subroutine run_{number}()"));
        self.line("  integer :: r");
        for n in 0..3 {
            let first = self.random.below(100);
            self.line(format!("  call host_{number}({n}, plain, r, [{first}, 2, {n}])"));
            self.line(format!("  print '(i0, 1x, i0)', {number}, r"));
        }
        self.line("end subroutine");
        let _ = write!(
            text,
            "module case_{number}\n  use common\n  implicit none\ncontains\n{}end module\n",
            self.text
        );
    }

    fn header(&mut self) {
        self.indent = 2;
        self.line(format!("recursive subroutine host_{}(n, outer, r, w)", self.number));
        self.indent = 4;
        for declaration in [
            "integer, intent(in) :: n, w(:)",
            "procedure(fn) :: outer",
            "integer, intent(inout) :: r",
            "integer :: a, b, c, t, acc, i0, i1, i2, ir, fuel, v(4)",
            "integer, allocatable :: z(:)",
            "character(5) :: s",
            "procedure(fn), pointer :: p, q, quiet_p",
            "type(holder) :: h",
            "type(table) :: rows",
            "fuel = 12",
            "a = n + 3",
            "b = mix(n, w(1))",
            "c = size(w)",
            "v = [1, n, 3, b]",
            "allocate (z(2 + n))",
            "z = n",
            "s = 'abcde'",
            "acc = 0",
        ] {
            self.line(declaration);
        }
        for pointer in ["p", "q", "h%f", "rows%row(1)%f", "rows%row(2)%f", "rows%row(3)%f"] {
            let procedure = self.any();
            self.line(format!("{pointer} => {procedure}"));
        }
        let quiet = self.random.pick_name(&self.quiet);
        self.line(format!("quiet_p => {quiet}"));
    }

    /// Returns a function that is not a procedure pointer.
    fn any(&mut self) -> String {
        match self.random.below(8) {
            0 => "outer".into(),
            1 => "plain".into(),
            2..5 => self.random.pick_name(&self.quiet),
            _ => self.random.pick_name(&self.changing),
        }
    }

    /// Returns a value that no call changes while it is passed.
    ///
    /// A variable that is passed by reference must not be changed by the call under its own name either. So such
    /// variables are put in parentheses.
    fn value(&mut self) -> String {
        let reads = [
            "a",
            "b",
            "c",
            "n",
            "size(w)",
            "w(1)",
            "size(z)",
            "z(1)",
            "iachar(s(2:2))",
            "v(3)",
            "sum(v)",
            "len(s)",
        ];
        let read = self.random.pick(&reads);
        format!("mix({read}, {})", self.random.below(1000))
    }

    /// Returns a call to a function, in a random form.
    fn call(&mut self, function: &str, value: &str) -> String {
        match self.random.below(8) {
            0 | 1 => format!("{function}({value})"),
            2 => format!("fold({function}, [{value}, 1, 2])"),
            3 => format!("ask_either({function}, plain, {value} > 300, {value})"),
            _ => format!("{}({function}, {value})", self.random.pick(&APPLIERS)),
        }
    }

    fn call_of_any(&mut self) -> String {
        let value = self.value();
        match self.random.below(9) {
            0 => format!("p({value})"),
            1 => format!("ask_pointer(quiet_p, {value})"),
            2 => format!("apply(q, {value})"),
            3 => format!("ask_holder((h), {value})"),
            4 => format!("rows%row({})%f({value})", 1 + self.random.below(3)),
            5 => format!("ask_table((rows), 2, {value})"),
            _ => {
                let function = self.any();
                self.call(&function, &value)
            }
        }
    }

    fn statement(&mut self, within: Within, depth: usize) {
        let variable = self.random.pick(&["a", "b", "c", "v(1)", "v(4)"]);
        let kinds = if depth < 2 { 18 } else { 8 };
        match self.random.below(kinds) {
            0 => {
                let value = self.value();
                self.line(format!("{variable} = mix({variable}, {value})"));
            }
            1..=3 => {
                let call = self.call_of_any();
                self.line(format!("t = {call}"));
                self.line(format!("{variable} = mix({variable}, t)"));
            }
            4 | 5 => self.set_pointer(),
            6 => {
                let call = self.random.pick(&["call acts(t)", "call do_act(acts, t)", "call sets()"]);
                self.line(format!("t = {}", self.loops));
                self.line(call);
                self.line(format!("{variable} = mix({variable}, t)"));
            }
            7 => {
                let call =
                    self.random.pick(&["over_all(sums, (v))", "over_all(sums, (w))", "speak(says, 7)"]);
                self.line(format!("t = {call}"));
                self.line(format!("{variable} = mix({variable}, t)"));
            }
            8 | 9 => self.count_loop(within, depth),
            10 => self.choice(within, depth),
            11 | 12 => self.block(),
            13 => self.leave(within),
            14 => {
                self.line("associate (seen => v(2:3), one => rows%row(1))");
                self.indent += 2;
                let call = self.call_of_any();
                self.line(format!("t = {call}"));
                self.line("seen(1) = mix(seen(2), t)");
                self.line("t = one%f(mix(t, 2))");
                self.indent -= 2;
                self.line("end associate");
            }
            _ => self.region(),
        }
    }

    fn set_pointer(&mut self) {
        let (one, other) = (self.any(), self.any());
        let row = 1 + self.random.below(3);
        let line = match self.random.below(9) {
            0 => format!("p => {one}"),
            1 => "p => q".into(),
            2 => format!("call put_pointer(q, {one})"),
            3 => format!("h%f => {one}"),
            4 => format!("call put_holder(h, {one})"),
            5 => format!("rows%row({row})%f => {one}"),
            6 => format!("rows%row({row}) = h"),
            7 => format!("call put_holder(rows%row({row}), {one})"),
            _ => format!("q => choose({one}, {other}, modulo(a, 2) == 0)"),
        };
        self.line(line);
    }

    fn count_loop(&mut self, within: Within, depth: usize) {
        let name = format!("loop_{}", self.loops);
        self.loops += 1;
        let turns = 1 + self.random.below(3);
        self.line(format!("{name}: do i{depth} = 1, {turns}"));
        self.indent += 2;
        self.statement(within, depth + 1);
        if self.random.once_in(2) {
            let leave = self.random.pick(&["exit", "cycle"]);
            let often = 2 + self.random.below(3);
            self.line(format!("if (modulo(a, {often}) == 1) {leave} {name}"));
        }
        self.statement(within, depth + 1);
        self.indent -= 2;
        self.line(format!("end do {name}"));
    }

    fn choice(&mut self, within: Within, depth: usize) {
        let value = self.value();
        self.line(format!("select case (modulo({value}, 3))"));
        for case in ["case (0)", "case (1:)"] {
            self.line(case);
            self.indent += 2;
            self.statement(within, depth + 1);
            self.indent -= 2;
        }
        self.line("end select");
    }

    fn block(&mut self) {
        let (one, other) = (self.any(), self.any());
        let (first, second) = (self.value(), self.value());
        self.line("block");
        self.indent += 2;
        self.line("type(holder) :: mine, another");
        self.line("integer :: k");
        self.line(format!("mine%f => {one}"));
        self.line(format!("another%f => {other}"));
        self.line(format!("k = another%f({first})"));
        if self.random.once_in(2) {
            self.line("if (modulo(k, 3) == 0) mine = another");
        }
        self.line(format!("t = apply(mine%f, {second})"));
        self.line("c = mix(t, k)");
        self.indent -= 2;
        self.line("end block");
    }

    /// Leaves the procedure before its end.
    fn leave(&mut self, within: Within) {
        let value = self.value();
        self.line(format!("if (modulo({value}, 4) == 1) then"));
        self.line(if within == Within::Host { "  r = mix(a, c)" } else { "  r = mix(b, x)" });
        self.line("  return");
        self.line("end if");
    }

    /// Writes an OpenMP region, which calls only functions without side effects.
    fn region(&mut self) {
        let function = self.quiet_or_pointer();
        let other = self.quiet_or_pointer();
        let call = self.call(&function, "ir");
        let another = self.call(&other, "7");
        let lines = match self.random.below(4) {
            0 => vec![
                "!$omp parallel do num_threads(2) private(t) reduction(+:acc)".into(),
                "do ir = 1, 4".into(),
                format!("  t = {call}"),
                "  acc = acc + t".into(),
                "end do".into(),
                "!$omp end parallel do".into(),
            ],
            1 => vec![
                "!$omp parallel num_threads(2) private(t)".into(),
                "!$omp do".into(),
                "do ir = 1, 3".into(),
                format!("  t = {call}"),
                "  !$omp atomic".into(),
                "  acc = acc + t".into(),
                "end do".into(),
                "!$omp end do".into(),
                "!$omp single".into(),
                format!("t = {another}"),
                "!$omp atomic".into(),
                "acc = acc + t".into(),
                "!$omp end single".into(),
                "!$omp end parallel".into(),
            ],
            2 => vec![
                // The code of each task is written out, because flang 19 shares variables that should be private to a
                // task.
                "!$omp parallel num_threads(2)".into(),
                "!$omp single".into(),
                "!$omp task shared(acc)".into(),
                "!$omp atomic".into(),
                format!("acc = acc + {another}"),
                "!$omp end task".into(),
                "!$omp task shared(acc)".into(),
                "!$omp atomic".into(),
                format!("acc = acc + {}", another.replace('7', "9")),
                "!$omp end task".into(),
                "!$omp end single".into(),
                "!$omp end parallel".into(),
            ],
            _ => vec![
                "!$omp parallel sections num_threads(2) private(t)".into(),
                "!$omp section".into(),
                format!("t = {another}"),
                "!$omp atomic".into(),
                "acc = acc + t".into(),
                "!$omp section".into(),
                format!("t = {}", another.replace('7', "8")),
                "!$omp atomic".into(),
                "acc = acc + t".into(),
                "!$omp end parallel sections".into(),
            ],
        };
        lines.iter().for_each(|line| self.line(line));
        self.line("b = mix(b, modulo(acc, 10007))");
    }

    fn quiet_or_pointer(&mut self) -> String {
        if self.random.once_in(4) { "quiet_p".into() } else { self.random.pick_name(&self.quiet) }
    }

    fn quiet_functions(&mut self) {
        for index in 0..self.quiet.len() {
            let name = self.quiet[index].clone();
            self.line(format!("recursive integer function {name}(x) result(r)"));
            self.indent += 2;
            self.line("integer, intent(in) :: x");
            let value = self.value();
            self.line(format!("r = mix(x, {value})"));
            if self.random.once_in(3) {
                let often = 2 + self.random.below(3);
                self.line(format!("if (modulo(r, {often}) == 0) return"));
            }
            if index > 0 {
                let other = self.quiet[self.random.below(index)].clone();
                let call = self.call(&other, "mix(r, x)");
                self.line(format!("r = {call}"));
            }
            self.indent -= 2;
            self.line("end function");
        }
    }

    fn changing_functions(&mut self) {
        for name in self.changing.clone() {
            self.line(format!("recursive integer function {name}(x) result(r)"));
            self.indent += 2;
            self.line("integer, intent(in) :: x");
            self.line("integer :: t, acc, i0, i1, i2, ir");
            self.line("r = modulo(x, 10007)");
            self.line("if (fuel <= 0) return");
            self.line("fuel = fuel - 1");
            self.line("acc = 0");
            let statements = 1 + self.random.below(4);
            (0..statements).for_each(|_| self.statement(Within::Changing, 0));
            self.line("r = mix(r, a)");
            self.indent -= 2;
            self.line("end function");
        }
    }

    /// Writes the internal procedures with other signatures.
    fn others(&mut self) {
        self.line("recursive subroutine acts(x)");
        self.line("  integer, intent(inout) :: x");
        self.line("  x = mix(x, b)");
        self.line("  a = mix(a, x)");
        self.line("end subroutine");
        self.line("recursive subroutine sets()");
        self.indent += 2;
        let lines = 1 + self.random.below(2);
        (0..lines).for_each(|_| self.set_pointer());
        self.indent -= 2;
        self.line("end subroutine");
        self.line("recursive integer function sums(u)");
        self.line("  integer, intent(in) :: u(:)");
        self.line("  sums = mix(sum(u), b)");
        self.line("end function");
        self.line("recursive function says(x) result(said)");
        self.line("  integer, intent(in) :: x");
        self.line("  character(8) :: said");
        self.line("  write (said, '(i0, a)') modulo(x + c, 1000), s");
        self.line("end function");
    }
}
