//! `cpp-classes COUNT SEED`: prints a program with random classes for the C++ wrapper. Their special members are of
//! every kind, so some classes are passed and returned in registers, and some by address. A direct call is the
//! reference. The program prints how many classes the wrapper accepts.

use crate::random::Random;
use crate::{Outcome, print, usage};

/// The beginning of the program.
const HEAD: &str = include_str!("cpp_classes.hpp");

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "COUNT SEED";
    let [count, seed] = arguments else { return Err(usage(USAGE)) };
    let count: u32 = count.parse().map_err(|_| usage(USAGE))?;
    let mut random = Random::new(seed).ok_or_else(|| usage(USAGE))?;
    let (mut program, mut checks) = (HEAD.to_owned(), String::new());
    let mut classes = Vec::new();
    for case in 1..=count {
        let class = class(case, &classes, &mut random);
        program += &class.definition;
        let returned = class.destroy.access == "public";
        checks += &format!("    check<{}, {returned}>({case});\n", class.name);
        // The defaulted copy constructor of a class with such a base or member would also take a reference to a
        // variable.
        if class.copy.definition != "of_variable" {
            classes.push(class);
        }
    }
    print(&format!(
        "{program}int main()\n{{\n{checks}    std::printf(\"%u of {count} classes are taken, %u are given\\n\", taken, given);\n}}\n"
    ))
}

/// A class that later classes may have as a base or as a member.
#[derive(Clone)]
struct Class {
    name: String,
    definition: String,
    copy: Special,
    destroy: Special,
    /// The virtual bases, each direct or indirect.
    virtual_bases: Vec<String>,
    /// Whether `STATICTRAMP_MEMBERS` lists the members.
    listed: bool,
}

/// A special member, which is not declared if `definition` is empty.
#[derive(Clone)]
struct Special {
    definition: &'static str,
    access: &'static str,
}

impl Special {
    /// Declares the member, if the class does.
    fn declaration(&self, head: &str, body: &str) -> Option<String> {
        let Special { definition, access } = self;
        let rest = match *definition {
            "" => return None,
            "default" | "of_variable" => " = default;".to_owned(),
            "delete" => " = delete;".to_owned(),
            "later" => ";".to_owned(),
            _ => format!(" {body}"),
        };
        Some(format!("{access}: {head}{rest}"))
    }
}

/// The use of another class.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Base,
    Member,
    Virtual,
}

fn class(case: u32, classes: &[Class], random: &mut Random) -> Class {
    loop {
        // At most one other class, as a base or as a member.
        let other = (!classes.is_empty() && random.chance(0.4)).then(|| random.pick(classes));
        let how = random.pick(&[How::Base, How::Member, How::Virtual]);
        let other = other.filter(|other| match other.destroy.access {
            "private" => false,
            "protected" => how != How::Member,
            _ => true,
        });
        if let Some(class) = class_with(case, other.as_ref().map(|other| (other, how)), random) {
            return class;
        }
    }
}

/// Returns a class that uses another one, or `None` if that class has a virtual base: the class that is derived from
/// it would have to initialize that base.
fn class_with(case: u32, other: Option<(&Class, How)>, random: &mut Random) -> Option<Class> {
    let name = format!("c{case}");
    let virtual_bases = match other {
        Some((other, How::Virtual)) => [std::slice::from_ref(&other.name), &other.virtual_bases].concat(),
        Some((other, How::Base)) => other.virtual_bases.clone(),
        _ => Vec::new(),
    };
    let direct = usize::from(other.is_some_and(|(_, how)| how == How::Virtual));
    if virtual_bases.len() > direct {
        return None;
    }

    let number = random.pick(&[1, 1, 2, 2, 3, 4]);
    let types = ["char", "int", "long", "float", "double"];
    let fields: Vec<(&str, String)> =
        (1..=number).map(|field| (random.pick(&types), format!("f{field}"))).collect();
    let (copy, r#move, destroy) = specials(other.is_some(), random);

    let copied = match copy.definition {
        "of_variable" => format!("{name} &other"),
        "default_argument" => format!("const {name} &other, int = 0"),
        _ => format!("const {name} &other"),
    };
    let part = other.map(|(other, how)| if how == How::Member { "member" } else { &other.name });
    let with = |number: &str| part.map(|part| format!(": {part}({number})")).unwrap_or_default();
    let bytes =
        "{ std::memcpy(static_cast<void *>(this), static_cast<const void *>(&other), sizeof *this); }";
    let body = format!("{} {bytes}", with("number{0}"));
    let mut lines: Vec<String> = Vec::new();
    lines.extend(copy.declaration(&format!("{name}({copied})"), &body));
    lines.extend(r#move.declaration(&format!("{name}({name} &&other)"), &body));
    lines.extend(destroy.declaration(&format!("~{name}()"), "{}"));
    if random.chance(0.3) {
        let access = random.pick(&["public", "private"]);
        let end = random.pick(&["= default;", "= delete;", "{ return *this; }"]);
        lines.push(format!("{access}: {name} &operator=(const {name} &) {end}"));
    }
    if random.chance(0.1) {
        lines.push(format!("public: template <class T, class = decltype(T::of)> {name}(T &&) {{}}"));
    }
    let has_table = random.chance(0.1);
    if has_table {
        lines.push("public: virtual int table() const { return 1; }".to_owned());
    }

    let base = match other {
        Some((other, how)) if how != How::Member => {
            let access = random.pick(&["public", "private"]);
            let kind = if how == How::Virtual { "virtual " } else { "" };
            format!(" : {access} {kind}{}", other.name)
        }
        _ => String::new(),
    };
    let attribute = if random.chance(0.15) { "TRIVIAL_ABI " } else { "" };
    let value = |index: usize, ty: &str| format!("static_cast<{ty}>(from.n * {} % 120)", index + 3);
    let values = || fields.iter().enumerate().map(|(index, (ty, field))| (field, value(index, ty)));
    let sets: String = values().map(|(field, value)| format!(" {field} = {value};")).collect();
    let of_other = part.map(|part| match part {
        "member" => "member.is(n + 1)".to_owned(),
        base => format!("{base}::is(n + 1)"),
    });
    let compares: Vec<String> =
        of_other.into_iter().chain(values().map(|(field, value)| format!("{field} == {value}"))).collect();
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    let member = match other {
        Some((other, How::Member)) => format!("    {} member;\n", other.name),
        _ => String::new(),
    };
    let declared: String = fields.iter().map(|(ty, field)| format!("    {ty} {field};\n")).collect();
    let begin = with("number{from.n + 1}");
    let mut definition = format!(
        "struct {attribute}{name}{base} {{
    friend struct access;
{lines}  public:
    explicit {name}(number from) {begin} {{{sets} }}
    bool is(long n) const {{ number from{{n}}; return {}; }}
{member}{declared}}};
",
        compares.join(" && ")
    );
    for (special, head) in [
        (&copy, format!("{name}({copied})")),
        (&r#move, format!("{name}({name} &&other)")),
        (&destroy, format!("~{name}()")),
    ] {
        if special.definition == "later" {
            definition += &format!("inline {name}::{head} = default;\n");
        }
    }
    let may_be_listed = base.is_empty() && !has_table && other.is_none_or(|(other, _)| other.listed);
    let listed = may_be_listed && random.chance(0.7);
    if listed {
        let members = part.into_iter().chain(fields.iter().map(|(_, field)| field.as_str()));
        let members: Vec<&str> = members.collect();
        definition += &format!("STATICTRAMP_MEMBERS({name}, {});\n", members.join(", "));
    }
    Some(Class { name, definition, copy, destroy, virtual_bases, listed })
}

/// Returns the copy constructor, the move constructor and the destructor.
fn specials(has_other: bool, random: &mut Random) -> (Special, Special, Special) {
    // In half of the classes, these members are trivial or not declared.
    let definitions: &[&str] =
        if random.chance(0.5) { &["", "default"] } else { &["default", "delete", "user", "later", ""] };
    let copies = [definitions, &["delete", "of_variable", "default_argument"]].concat();
    let moves = [definitions, &[""]].concat();
    let [copy, r#move, destroy] = [&copies, &moves, &moves].map(|definitions| {
        let definition = random.pick(definitions);
        // If a class has a base or a member, its special member may be deleted, and must then not be defined later.
        let definition = if definition == "later" && has_other { "default" } else { definition };
        Special { definition, access: random.pick(&["public", "public", "public", "protected", "private"]) }
    });
    let destroy = match destroy.definition {
        "delete" => Special { definition: "default", ..destroy }, // a parameter could not be destroyed
        "" => Special { access: "public", ..destroy },
        _ => destroy,
    };
    (copy, r#move, destroy)
}
