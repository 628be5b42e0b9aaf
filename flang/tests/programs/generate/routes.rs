//! Hosts from which the address of an internal procedure takes a random route to a place where it outlives the host or
//! does not.

use crate::random::Random;
use std::fmt::Write;

/// Writes this many hosts, each in its own module. They are only compiled, never called.
pub fn generate(mut random: Random, hosts: usize) -> String {
    let mut text = String::from(include_str!("common.f90"));
    for number in 1..=hosts {
        let mut route = Route::new(number, &mut random);
        route.walk();
        route.write(&mut text);
    }
    text
}

struct Route<'a> {
    random: &'a mut Random,
    number: usize,
    late: bool,
    /// The current expression for the address.
    at: String,
    /// The statements, declarations and internal procedures of the host, and further procedures of its module.
    statements: Vec<String>,
    declarations: Vec<String>,
    siblings: Vec<String>,
    helpers: Vec<String>,
    steps: usize,
}

impl<'a> Route<'a> {
    fn new(number: usize, random: &'a mut Random) -> Self {
        let late = random.once_in(2);
        Route {
            random,
            number,
            late,
            at: format!("{}_{number}", if late { "late" } else { "safe" }),
            statements: Vec::new(),
            declarations: Vec::new(),
            siblings: Vec::new(),
            helpers: Vec::new(),
            steps: 0,
        }
    }

    fn walk(&mut self) {
        let steps = 1 + self.random.below(6);
        for _ in 0..steps {
            if self.random.once_in(3) {
                self.distract();
            }
            self.step();
        }
        if self.random.once_in(2) {
            self.distract();
        }
        if self.late { self.end_late() } else { self.end_safely() }
    }

    fn variable(&mut self, ty: &str) -> String {
        self.steps += 1;
        let name = format!("x{}", self.steps);
        self.declarations.push(format!("{ty} :: {name}"));
        name
    }

    /// Returns a variable of the host that can hold an address, and that holds one.
    fn pointer_variable(&mut self) -> String {
        let pointer_variable = match self.random.below(5) {
            0 | 1 => self.variable("procedure(fn), pointer"),
            2 => self.variable("type(holder), target") + "%f",
            3 => self.variable("type(table), target") + &format!("%row({})%f", 1 + self.random.below(3)),
            _ => {
                let (pointer, target) =
                    (self.variable("type(table), pointer"), self.variable("type(table), target"));
                self.statements.push(format!("{pointer} => {target}"));
                format!("{pointer}%row(2)%f")
            }
        };
        self.statements.push(format!("{pointer_variable} => plain"));
        pointer_variable
    }

    /// Writes the same helpers with another kind of variable.
    fn distract(&mut self) {
        let pointer_variable = self.pointer_variable();
        let line = match self.random.below(4) {
            0 => format!("call assign_{}({pointer_variable}, plain)", self.number),
            1 => format!("call pass_on_{}({pointer_variable}, plain)", self.number),
            2 => format!("call register_{}(plain)", self.number),
            _ => format!("r = r + apply({pointer_variable}, 3)"),
        };
        self.statements.push(line);
    }

    fn step(&mut self) {
        let (number, at) = (self.number, self.at.clone());
        let to = self.pointer_variable();
        let set = format!("{to} => {at}");
        self.steps += 1;
        let sibling = format!("sibling_{}", self.steps);
        match self.random.below(11) {
            0 | 1 => self.statements.push(set),
            2 => self.statements.push(format!("call assign_{number}({to}, {at})")),
            3 => self.statements.push(format!("call pass_on_{number}({to}, {at})")),
            4 | 5 => {
                self.siblings.push(format!("subroutine {sibling}()\n  {set}\nend subroutine"));
                let how = self.random.pick(&["call NAME()", "call run(NAME)"]);
                self.statements.push(how.replace("NAME", &sibling));
            }
            6 => {
                let lines = ["!$omp parallel num_threads(1)", &set, "!$omp end parallel"];
                self.statements.extend(lines.map(String::from));
            }
            7 => {
                let lines = [
                    "!$omp parallel num_threads(1)",
                    "!$omp task",
                    &set,
                    "!$omp end task",
                    "!$omp end parallel",
                ];
                self.statements.extend(lines.map(String::from));
            }
            8 => self.statements.push(format!("{to} => choose({at}, plain, n > 0)")),
            9 => {
                let (one, other) = (self.variable("type(table)"), self.variable("type(table)"));
                self.statements.push(format!("{one}%row(2)%f => {at}"));
                self.statements.push(format!("{other} = {one}"));
                self.at = format!("{other}%row(2)%f");
                return;
            }
            _ => {
                let text =
                    "subroutine NAME(x)\n  type(holder), intent(inout) :: x\n  x%f => AT\nend subroutine";
                self.siblings.push(text.replace("NAME", &sibling).replace("AT", &at));
                let holder = self.variable("type(holder)");
                self.statements.push(format!("call {sibling}({holder})"));
                self.at = holder + "%f";
                return;
            }
        }
        self.at = to;
    }

    fn end_late(&mut self) {
        let (number, at) = (self.number, self.at.clone());
        let end = match self.random.below(10) {
            0 => format!("kept => {at}"),
            1 => format!("kept_row(n)%f => {at}"),
            2 => format!("call register_{number}({at})"),
            3 => format!("out => {at}"),
            4 => format!("out_holder%f => {at}"),
            5 => format!("call assign_{number}(out, {at})"),
            6 => format!("call pass_on_{number}(out_holder%f, {at})"),
            7 => {
                self.siblings.push(format!("subroutine ends()\n  kept => {at}\nend subroutine"));
                "call run(ends)".into()
            }
            8 => {
                let saved = self.variable("type(holder), save");
                format!("{saved}%f => {at}")
            }
            _ => {
                let holder = self.variable("type(table)");
                self.helpers.push(format!(
                    "subroutine by_value_{number}(x)\n  type(table), value :: x\n  kept => x%row(3)%f\nend subroutine"
                ));
                self.statements.push(format!("{holder}%row(3)%f => {at}"));
                format!("call by_value_{number}({holder})")
            }
        };
        self.statements.push(end);
    }

    fn end_safely(&mut self) {
        let call = match self.random.below(4) {
            0 => format!("{}(2)", self.at),
            1 => format!("by_table({}, 2)", self.at),
            2 => format!("by_host({}, 2)", self.at),
            _ => format!("apply({}, 2)", self.at),
        };
        self.statements.push(format!("r = {call}"));
    }

    fn write(&self, text: &mut String) {
        let number = self.number;
        let name = if self.late { "late" } else { "safe" };
        let lines = |lines: &[String], indent: usize| {
            let lines = lines.iter().flat_map(|line| line.lines());
            lines.map(|line| format!("{:indent$}{line}\n", "")).collect::<String>()
        };
        let _ = write!(
            text,
            "module route_{number}
  use common
  implicit none
  procedure(fn), pointer :: kept => null()
  type(holder) :: kept_row(9)
contains
  subroutine assign_{number}(to, f)
    procedure(fn), pointer, intent(out) :: to
    procedure(fn) :: f
    to => f
  end subroutine
  subroutine pass_on_{number}(to, f)
    procedure(fn), pointer, intent(out) :: to
    procedure(fn) :: f
    procedure(fn), pointer :: mine
    call assign_{number}(mine, f)
    call assign_{number}(to, mine)
  end subroutine
  subroutine register_{number}(f)
    procedure(fn) :: f
    call assign_{number}(kept, f)
  end subroutine
  subroutine run(action)
    interface
      subroutine action()
      end subroutine
    end interface
    call action()
  end subroutine
{helpers}  subroutine host_{number}(n, r, out, out_holder)
    integer, intent(in) :: n
    integer, intent(out) :: r
    procedure(fn), pointer, intent(inout) :: out
    type(holder), intent(inout) :: out_holder
{declarations}    r = 0
{statements}  contains
{siblings}    integer function {name}_{number}(x)
      integer, intent(in) :: x
      {name}_{number} = x + n
    end function
  end subroutine
end module
",
            helpers = lines(&self.helpers, 2),
            declarations = lines(&self.declarations, 4),
            statements = lines(&self.statements, 4),
            siblings = lines(&self.siblings, 4),
        );
    }
}
