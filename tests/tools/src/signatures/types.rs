//! Random types of arguments and results, and their values.

use super::convention::Convention;
use crate::random::Random;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq)]
pub enum Class {
    Integer,
    Float,
    Complex,
    Vector,
}

#[derive(Clone, Copy)]
pub struct Scalar {
    pub c: &'static str,
    /// The suffix of its kind's name, after `STATICTRAMP_KIND_`.
    pub kind: &'static str,
    pub size: usize,
    pub class: Class,
}

/// A scalar in a type.
#[derive(Clone)]
pub struct Leaf {
    pub offset: usize,
    pub scalar: Scalar,
    /// Its path in C, after the variable's name, such as `.f20`.
    pub path: String,
}

/// A member of a struct, or an element of such a member.
pub struct Member {
    pub offset: usize,
    pub of: Rc<Type>,
    pub is_element: bool,
}

pub struct Type {
    pub c: String,
    /// The scalar, unless the type is a struct.
    pub scalar: Option<Scalar>,
    /// The number of the struct.
    pub id: usize,
    pub size: usize,
    pub align: usize,
    pub leaves: Vec<Leaf>,
    pub members: Vec<Member>,
}

impl Type {
    pub fn is(&self, kind: &str) -> bool {
        self.scalar.is_some_and(|scalar| scalar.kind == kind)
    }

    /// Returns an initializer for a scalar, or for a struct, leaf by leaf, with designators.
    pub fn initial(&self, random: &mut Random) -> String {
        if let Some(scalar) = self.scalar {
            return value(scalar, random);
        }
        let values = self.leaves.iter().map(|leaf| format!("{} = {}", leaf.path, value(leaf.scalar, random)));
        format!("{{{}}}", values.collect::<Vec<_>>().join(", "))
    }

    /// Returns a comparison of two variables.
    pub fn compare(&self, got: &str, wanted: &str) -> String {
        let leaves = self.leaves.iter().map(|Leaf { path, scalar, .. }| match scalar.class {
            Class::Vector => format!("!__builtin_memcmp(&{got}{path}, &{wanted}{path}, {})", scalar.size),
            _ => format!("{got}{path} == {wanted}{path}"),
        });
        leaves.collect::<Vec<_>>().join(" && ")
    }
}

/// The types that a target's signatures choose from, and the definitions of the structs chosen so far.
pub struct Types<'a> {
    convention: &'a Convention,
    pub scalars: Vec<Scalar>,
    /// The scalars, with complex numbers and vectors, but without `__int128`: compilers differ if one register is left
    /// for it.
    pub every: Vec<Scalar>,
    structs: usize,
    pub definitions: String,
}

impl Types<'_> {
    pub fn new(convention: &Convention) -> Types<'_> {
        use Class::{Complex, Float, Integer, Vector};
        let long_double = convention.long_double;
        let mut scalars: Vec<Scalar> = [
            ("int8_t", "INT8", 1, Integer),
            ("uint8_t", "UINT8", 1, Integer),
            ("int16_t", "INT16", 2, Integer),
            ("uint16_t", "UINT16", 2, Integer),
            ("int32_t", "INT32", 4, Integer),
            ("uint32_t", "UINT32", 4, Integer),
            ("int64_t", "INT64", 8, Integer),
            ("uint64_t", "UINT64", 8, Integer),
            ("void *", "POINTER", convention.word, Integer),
            ("bool", "UINT8", 1, Integer),
            ("float", "FLOAT", 4, Float),
            ("double", "DOUBLE", 8, Float),
            ("float", "FLOAT", 4, Float),
            ("double", "DOUBLE", 8, Float),
            ("long double", "LONG_DOUBLE", long_double, Float),
        ]
        .map(|(c, kind, size, class)| Scalar { c, kind, size, class })
        .into();
        let others = [
            ("float _Complex", "COMPLEX_FLOAT", 8, Complex),
            ("double _Complex", "COMPLEX_DOUBLE", 16, Complex),
            ("long double _Complex", "COMPLEX_LONG_DOUBLE", 2 * long_double, Complex),
            ("vector8", "VECTOR64", 8, Vector),
            ("vector16", "VECTOR128", 16, Vector),
        ]
        .map(|(c, kind, size, class)| Scalar { c, kind, size, class })
        .into_iter()
        .filter(|other| convention.has(if other.class == Complex { "COMPLEX" } else { other.kind }));
        let every = scalars.iter().copied().chain(others).collect();
        if convention.has("INT128") {
            scalars.push(Scalar { c: "__int128", kind: "INT128", size: 16, class: Integer });
        }
        Types { convention, scalars, every, structs: 0, definitions: String::new() }
    }

    /// Returns the types that variadic arguments may have.
    pub fn promoted(&self, with_int128: bool) -> Vec<Scalar> {
        let is_promoted = |scalar: &&Scalar| match scalar.c {
            "int32_t" | "uint32_t" | "int64_t" | "void *" | "double" | "long double" => true,
            c => c == "__int128" && with_int128,
        };
        self.scalars.iter().filter(is_promoted).copied().collect()
    }

    pub fn scalar(&self, scalar: Scalar) -> Rc<Type> {
        let natural = if scalar.class == Class::Complex { scalar.size / 2 } else { scalar.size };
        Rc::new(Type {
            c: scalar.c.to_owned(),
            scalar: Some(scalar),
            id: 0,
            size: scalar.size,
            align: natural.min(self.convention.align),
            leaves: vec![Leaf { offset: 0, scalar, path: String::new() }],
            members: Vec::new(),
        })
    }

    /// Chooses a scalar from one list, or a struct whose members are from the other.
    pub fn choose(&mut self, scalars: &[Scalar], members: &[Scalar], random: &mut Random) -> Rc<Type> {
        if random.chance(0.65) {
            self.scalar(random.pick(scalars))
        } else {
            self.structure(2, members, random)
        }
    }

    /// Defines a struct.
    fn structure(&mut self, depth: u32, of: &[Scalar], random: &mut Random) -> Rc<Type> {
        let among = |from: fn(&&Scalar) -> bool| of.iter().filter(from).copied().collect::<Vec<_>>();
        let form = random.below(6);
        let mut members: Vec<(Rc<Type>, usize)> = Vec::new();
        if form == 0 {
            let one = self.scalar(random.pick(&among(|scalar| scalar.class != Class::Integer)));
            members = vec![(one, 1); 1 + random.below(5)];
        } else if form == 1 {
            let small = among(|scalar| scalar.size <= 8);
            members = (0..2).map(|_| (self.scalar(random.pick(&small)), 1)).collect();
        } else {
            for _ in 0..=random.below(if form == 2 { 8 } else { 3 }) {
                let is_struct = depth > 0 && random.chance(0.2);
                let member = if is_struct {
                    self.structure(depth - 1, of, random)
                } else {
                    self.scalar(random.pick(of))
                };
                let times = if random.chance(0.15) { 1 + random.below(3) } else { 1 };
                let is_integer = member.leaves.iter().all(|leaf| leaf.scalar.class == Class::Integer);
                members.push((member, if self.convention.float_arrays || is_integer { times } else { 1 }));
            }
        }
        let id = self.structs;
        self.structs += 1;
        self.define(id, &members)
    }

    fn define(&mut self, id: usize, members: &[(Rc<Type>, usize)]) -> Rc<Type> {
        let (mut end, mut align, mut text) = (0_usize, 1, String::new());
        let (mut leaves, mut described) = (Vec::new(), Vec::new());
        for (number, (of, times)) in members.iter().enumerate() {
            end = end.next_multiple_of(of.align);
            align = align.max(of.align);
            let is_element = *times > 1;
            for element in 0..*times {
                let index = if is_element { format!("[{element}]") } else { String::new() };
                leaves.extend(of.leaves.iter().map(|leaf| Leaf {
                    offset: end + leaf.offset,
                    scalar: leaf.scalar,
                    path: format!(".f{number}{index}{}", leaf.path),
                }));
                described.push(Member { offset: end, of: of.clone(), is_element });
                end += of.size;
            }
            let length = if is_element { format!("[{times}]") } else { String::new() };
            text += &format!("    {} f{number}{length};\n", of.c);
        }
        let c = format!("struct s{id}");
        self.definitions += &format!("{c} {{\n{text}}};\n");
        let size = end.next_multiple_of(align);
        Rc::new(Type { c, scalar: None, id, size, align, leaves, members: described })
    }
}

fn value(scalar: Scalar, random: &mut Random) -> String {
    let mut number = |half: usize| format!("{}/64.0", random.below(2 * half) as i64 - half as i64);
    match scalar.class {
        Class::Float => return number(1_000_000),
        Class::Complex => {
            let part = scalar.c.replace(" _Complex", "");
            return format!(
                "__builtin_complex(({part})({}), ({part})({}))",
                number(100_000),
                number(100_000)
            );
        }
        Class::Vector => {
            let parts = (0..scalar.size / 4).map(|_| format!("{}u", random.below(1 << 32)));
            return format!("{{{}}}", parts.collect::<Vec<_>>().join(", "));
        }
        Class::Integer => {}
    }
    if scalar.c == "bool" {
        return random.below(2).to_string();
    }
    let bits: String = (0..scalar.size.min(8)).map(|_| format!("{:02x}", random.below(256))).collect();
    match scalar.c {
        "__int128" => format!("(__int128)0x{bits}ull * 0x1000000000001ll"),
        "void *" => format!("(void *)(uintptr_t)0x{bits}ull"),
        c => format!("({c})0x{bits}ull"),
    }
}
