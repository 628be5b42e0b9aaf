//! The types that Rust and C share, and how the library treats them on each target.

use super::Random;
use std::fmt::Write;

/// A scalar type: its name in Rust and in C, its size in bytes on a 64-bit target, and its permitted bits.
#[derive(Clone, Copy, PartialEq)]
pub struct Leaf(&'static str, &'static str, u32, Bits);

#[derive(Clone, Copy, PartialEq)]
enum Bits {
    All,
    /// 0 or 1.
    Bool,
    /// 0 to 3.
    Enum,
    /// No group of this many bytes has all bits of the exponent set, because a NaN might be changed.
    Float(u32),
    /// An address, or null.
    Pointer,
}
use Bits::*;

const SCALARS: [Leaf; 18] = [
    Leaf("i8", "int8_t", 1, All),
    Leaf("u8", "uint8_t", 1, All),
    Leaf("i16", "int16_t", 2, All),
    Leaf("u16", "uint16_t", 2, All),
    Leaf("i32", "int32_t", 4, All),
    Leaf("u32", "uint32_t", 4, All),
    Leaf("i64", "int64_t", 8, All),
    Leaf("u64", "uint64_t", 8, All),
    Leaf("f32", "float", 4, Float(4)),
    Leaf("f64", "double", 8, Float(8)),
    Leaf("f32", "float", 4, Float(4)),
    Leaf("f64", "double", 8, Float(8)),
    Leaf("*const u8", "const uint8_t *", 8, Pointer),
    Leaf("OptionNonNull", "uint8_t *", 8, Pointer),
    Leaf("OptionFn", "function", 8, Pointer),
    Leaf("bool", "bool", 1, Bool),
    Leaf("Small", "uint8_t", 1, Enum),
    Leaf("Wide", "enum Wide", 4, Enum),
];
const WIDE: [Leaf; 2] = [Leaf("i128", "__int128", 16, All), Leaf("u128", "unsigned __int128", 16, All)];

impl Leaf {
    pub fn value(self, random: &mut Random) -> u128 {
        let bits = random.wide() >> (128 - 8 * self.2.min(16)); // the first 16 bytes of a larger value, see `put`
        match self.3 {
            All => bits,
            Bool => bits & 1,
            Enum => bits & 3,
            Float(size) => {
                let top = 1u128 << (8 * size - 2);
                (0..16 / size).fold(bits, |bits, part| bits & !(top << (8 * size * part)))
            }
            Pointer => [0, bits][usize::from(random.below(4) != 0)],
        }
    }

    /// Returns the last arguments of the C functions `put` and `same`: the two halves of the value, and its size.
    pub fn in_c(self, bits: u128) -> String {
        format!("{:#x}ull, {:#x}ull, {}", bits as u64, (bits >> 64) as u64, self.2)
    }
}

#[derive(Clone)]
pub enum Type {
    Leaf(Leaf),
    Struct(Struct),
    /// The layout of its only field, which the C type uses.
    Transparent(String, Box<Type>),
    Array(Box<Type>, usize),
}

#[derive(Clone)]
pub struct Struct {
    name: String,
    fields: Vec<Type>,
    /// The minimum alignment of the whole struct.
    aligned: usize,
}

impl Type {
    pub fn rust(&self) -> String {
        match self {
            Type::Leaf(leaf) => leaf.0.into(),
            Type::Struct(of) => of.name.clone(),
            Type::Transparent(name, _) => name.clone(),
            Type::Array(of, count) => format!("[{}; {count}]", of.rust()),
        }
    }

    pub fn c(&self) -> String {
        match self {
            Type::Leaf(leaf) => leaf.1.into(),
            Type::Struct(of) => format!("struct {}", of.name),
            Type::Transparent(_, of) | Type::Array(of, _) => of.c(),
        }
    }

    pub fn leaves(&self) -> Vec<Leaf> {
        match self {
            Type::Leaf(leaf) => vec![*leaf],
            Type::Struct(of) => of.fields.iter().flat_map(Type::leaves).collect(),
            Type::Transparent(_, of) => of.leaves(),
            Type::Array(of, count) => (0..*count).flat_map(|_| of.leaves()).collect(),
        }
    }

    fn parts(&self, variable: &str, in_c: bool) -> Vec<String> {
        let field = |i: usize| format!("{variable}.f{i}");
        match self {
            Type::Leaf(_) => vec![variable.into()],
            Type::Struct(of) => of.fields.iter().enumerate().flat_map(|(i, of)| of.parts(&field(i), in_c)).collect(),
            Type::Transparent(_, of) if in_c => of.parts(variable, in_c),
            Type::Transparent(_, of) => of.parts(&field(0), in_c),
            Type::Array(of, count) => (0..*count).flat_map(|i| of.parts(&format!("{variable}[{i}]"), in_c)).collect(),
        }
    }

    /// Returns expressions for the values in a variable of this type.
    pub fn parts_in_rust(&self, variable: &str) -> Vec<String> {
        self.parts(variable, false)
    }

    pub fn parts_in_c(&self, variable: &str) -> Vec<String> {
        self.parts(variable, true)
    }

    pub fn value_in_rust<'b>(&self, bits: &mut impl Iterator<Item = &'b u128>) -> String {
        let fields = |name: &str, of: &[Type], bits: &mut dyn Iterator<Item = &'b u128>| {
            let mut bits = bits;
            let fields: Vec<_> = of.iter().enumerate().map(|(i, of)| format!("f{i}: {}", of.value_in_rust(&mut bits))).collect();
            format!("{name} {{ {} }}", fields.join(", "))
        };
        match self {
            Type::Leaf(_) => format!("of({:#x})", bits.next().expect("a value for each leaf")),
            Type::Struct(of) => fields(&of.name, &of.fields, bits),
            Type::Transparent(name, of) => fields(name, core::slice::from_ref(of), bits),
            Type::Array(of, count) => {
                let mut bits: &mut dyn Iterator<Item = &'b u128> = bits;
                let parts: Vec<_> = (0..*count).map(|_| of.value_in_rust(&mut bits)).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }

    /// Returns whether the type may be in a packed struct. Rust does not allow types with an alignment attribute in a
    /// packed struct.
    fn may_be_packed(&self) -> bool {
        match self {
            Type::Leaf(_) => true,
            Type::Struct(of) => of.aligned == 1 && of.fields.iter().all(Type::may_be_packed),
            Type::Transparent(_, of) | Type::Array(of, _) => of.may_be_packed(),
        }
    }
}

/// The targets on which types differ from the types on other targets.
#[derive(Clone, Copy, PartialEq)]
pub enum Target {
    X86,
    /// With AVX.
    X86Avx,
    Aarch64,
    /// C and Rust disagree about the result if it is an empty struct.
    Powerpc,
    /// C and Rust disagree about the result if it is an empty struct, and about an array of one number in a struct.
    S390x,
    /// C and Rust disagree about a struct that contains a vector, and about the result if it is an empty struct.
    I386,
    /// gcc aligns copies to at most 16 bytes, and clang returns an empty struct in memory.
    Windows,
    Other64,
    /// gcc begins a 128-bit integer in an even register, and LLVM in any register.
    WithoutInt128,
    /// Likewise. gcc 12 fails to compile some calls with an array of floating-point numbers in a struct.
    WithoutFloatArrays,
    Other32,
}

impl Target {
    /// Returns the target called NAME, or NAME:BITS if its pointers do not have 64 bits, or NAME:LIMIT if it lacks
    /// some types.
    pub fn named(name: &str) -> Self {
        let (name, bits) = name.split_once(':').unwrap_or((name, "64"));
        match name {
            "x86_64" => Target::X86,
            "x86_64+avx" => Target::X86Avx,
            "aarch64" => Target::Aarch64,
            "ppc" => Target::Powerpc,
            "s390x" => Target::S390x,
            "i386" => Target::I386,
            "windows" => Target::Windows,
            _ if bits == "32" => Target::Other32,
            _ if bits == "without-int128" => Target::WithoutInt128,
            _ if bits == "without-int128-and-float-arrays" => Target::WithoutFloatArrays,
            _ => Target::Other64,
        }
    }

    pub fn headers(self) -> &'static str {
        match self {
            Target::X86 | Target::X86Avx | Target::I386 | Target::Windows => "#include <immintrin.h>\n",
            Target::Aarch64 => "#include <arm_neon.h>\n",
            _ => "",
        }
    }

    fn has_32_bits(self) -> bool {
        matches!(self, Target::Other32 | Target::I386 | Target::Powerpc)
    }

    /// Returns all types except the scalars.
    fn wide(self) -> Vec<Leaf> {
        let without = self.has_32_bits() || matches!(self, Target::WithoutInt128 | Target::WithoutFloatArrays);
        let mut all = if without { vec![] } else { WIDE.to_vec() };
        match self {
            Target::X86Avx => all.extend([
                Leaf("__m256", "__m256", 32, Float(4)),
                Leaf("__m256i", "__m256i", 32, All),
                Leaf("__m128", "__m128", 16, Float(4)),
            ]),
            Target::X86 | Target::I386 | Target::Windows => all.extend([
                Leaf("__m128", "__m128", 16, Float(4)),
                Leaf("__m128d", "__m128d", 16, Float(8)),
                Leaf("__m128i", "__m128i", 16, All),
            ]),
            Target::Aarch64 => all.extend([
                Leaf("float32x4_t", "float32x4_t", 16, Float(4)),
                Leaf("uint8x16_t", "uint8x16_t", 16, All),
                Leaf("float64x1_t", "float64x1_t", 8, Float(8)),
            ]),
            _ => {}
        }
        all
    }
}

/// All types created so far.
pub struct Types {
    pub target: Target,
    count: usize,
    /// Declarations that have not been requested yet.
    rust: String,
    c: String,
}

impl Types {
    pub fn new(target: Target) -> Self {
        Types { target, count: 0, rust: String::new(), c: String::new() }
    }

    /// Returns the declarations, in Rust and in C, of the types created since the last request.
    pub fn declarations(&mut self) -> (String, String) {
        (std::mem::take(&mut self.rust), std::mem::take(&mut self.c))
    }

    fn scalar(&self, random: &mut Random) -> Type {
        let Leaf(rust, c, size, bits) = SCALARS[random.below(SCALARS.len() as u64) as usize];
        let size = if bits == Pointer && self.target.has_32_bits() { 4 } else { size };
        Type::Leaf(Leaf(rust, c, size, bits))
    }

    /// Returns a type that can be passed.
    pub fn choose(&mut self, random: &mut Random) -> Type {
        match random.below(10) {
            0..=5 => self.scalar(random),
            6 => {
                let wide = self.target.wide();
                if wide.is_empty() { self.scalar(random) } else { Type::Leaf(wide[random.below(wide.len() as u64) as usize]) }
            }
            _ => self.structure(random, 2),
        }
    }

    /// Returns a type that can be returned.
    pub fn result(&mut self, random: &mut Random) -> Type {
        loop {
            let chosen = self.choose(random);
            if !matches!(self.target, Target::Windows | Target::Powerpc) || !chosen.leaves().is_empty() {
                return chosen;
            }
        }
    }

    fn array(&self, of: Type, count: usize) -> Type {
        let has_floats = of.leaves().iter().any(|leaf| matches!(leaf.3, Float(_)));
        if self.target == Target::WithoutFloatArrays && has_floats { of } else { Type::Array(Box::new(of), count) }
    }

    fn field(&mut self, random: &mut Random, depth: u32) -> Type {
        let least = 1 + usize::from(self.target == Target::S390x);
        match random.below(12) {
            0 if depth > 0 => self.structure(random, depth - 1),
            1 => {
                let (of, count) = (self.scalar(random), least + random.below(3) as usize);
                self.array(of, count)
            }
            2 if depth > 0 => {
                let (of, count) = (self.structure(random, 0), least + random.below(2) as usize);
                // clang 19 and 22 divide by zero when they pass an array of empty structs.
                if of.leaves().is_empty() { of } else { self.array(of, count) }
            }
            3 if self.target != Target::I386 => {
                let wide = self.target.wide();
                if wide.is_empty() { self.scalar(random) } else { Type::Leaf(wide[random.below(wide.len() as u64) as usize]) }
            }
            _ => self.scalar(random),
        }
    }

    fn structure(&mut self, random: &mut Random, depth: u32) -> Type {
        let (mut packed, mut aligned) = (usize::MAX, 1);
        let kind = random.below(16);
        let fields = match kind {
            // Homogeneous.
            0 | 1 => {
                let of = [SCALARS[8], SCALARS[9]][random.below(2) as usize];
                vec![Type::Leaf(of); 1 + random.below(5) as usize]
            }
            // The struct is empty, or has only an alignment.
            2 if self.target != Target::S390x && random.below(2) == 0 => vec![],
            2 | 3 => {
                let inner = self.field(random, depth);
                let name = self.name("T");
                writeln!(self.rust, "#[derive(Clone, Copy)] #[repr(transparent)] struct {name} {{ f0: {} }}", inner.rust()).unwrap();
                // C cannot pass arrays by value.
                return match inner {
                    Type::Array(..) => self.declare(vec![inner], packed, aligned),
                    inner => Type::Transparent(name, Box::new(inner)),
                };
            }
            4 => (0..3 + random.below(8)).map(|_| self.field(random, depth)).collect(),
            _ => (0..1 + random.below(4)).map(|_| self.field(random, depth)).collect::<Vec<_>>(),
        };
        match kind {
            5..=7 if fields.iter().all(Type::may_be_packed) => packed = [1, 1, 2][random.below(3) as usize],
            // The struct is aligned and contains an unaligned field.
            8 if fields.iter().all(Type::may_be_packed) => {
                let inner = self.declare(fields, 1, 1);
                return self.declare(vec![Type::Leaf(SCALARS[1]), inner], usize::MAX, 4 << random.below(3));
            }
            9 => {
                let most = [4, 4, 4, if self.target == Target::Windows { 4 } else { 6 }][random.below(4) as usize];
                aligned = 2 << random.below(most);
            }
            _ => {}
        }
        self.declare(fields, packed, aligned)
    }

    /// Returns a number, then up to eight structs of up to four numbers or vectors of one floating-point type. A struct
    /// that does not fit into the remaining registers leaves them unused, so many words are on the stack although few
    /// are in registers. Any other argument among the structs hides this case. `choose` nearly always chooses one.
    pub fn run(&mut self, random: &mut Random) -> Vec<Type> {
        let mut floats = vec![SCALARS[8], SCALARS[9]];
        if self.target != Target::I386 {
            floats.extend(self.target.wide().into_iter().filter(|leaf| matches!(leaf.3, Float(_))));
        }
        let of = |random: &mut Random| Type::Leaf(floats[random.below(floats.len() as u64) as usize]);
        let mut all = vec![of(random)];
        let (of, count) = (of(random), 1 + random.below(4) as usize);
        for _ in 0..2 + random.below(7) {
            let count = if random.below(4) == 0 { 1 + random.below(4) as usize } else { count };
            all.push(self.declare(vec![of.clone(); count], usize::MAX, 1));
        }
        all
    }

    /// Returns a struct with the size and the alignment of a number, which is passed in memory because of its unaligned
    /// field.
    pub fn unaligned(&mut self, random: &mut Random) -> Type {
        let inner = [SCALARS[3], SCALARS[5], SCALARS[8]][random.below(3) as usize];
        let aligned = 2 * inner.2 as usize;
        let inner = self.declare(vec![Type::Leaf(inner)], 1, 1);
        self.declare(vec![Type::Leaf(SCALARS[1]), inner], usize::MAX, aligned)
    }

    fn name(&mut self, letter: &str) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    fn declare(&mut self, fields: Vec<Type>, packed: usize, aligned: usize) -> Type {
        let name = self.name("S");
        let represented = match (packed, aligned) {
            (usize::MAX, 1) => String::new(),
            (usize::MAX, aligned) => format!(", align({aligned})"),
            (packed, _) => format!(", packed({packed})"),
        };
        let in_rust: String = fields.iter().enumerate().map(|(i, of)| format!("f{i}: {}, ", of.rust())).collect();
        writeln!(self.rust, "#[derive(Clone, Copy)] #[repr(C{represented})] struct {name} {{ {in_rust}}}").unwrap();
        let attribute = if aligned > 1 { format!("__attribute__((aligned({aligned}))) ") } else { String::new() };
        let in_c: String = fields.iter().enumerate().map(|(i, of)| field_in_c(of, &format!("f{i}"))).collect();
        let (push, pop) = match packed {
            usize::MAX => (String::new(), ""),
            packed => (format!("#pragma pack(push, {packed})\n"), "#pragma pack(pop)\n"),
        };
        writeln!(self.c, "{push}struct {attribute}{name} {{ {in_c}}};\n{pop}").unwrap();
        Type::Struct(Struct { name, fields, aligned })
    }
}

fn field_in_c(of: &Type, name: &str) -> String {
    match of {
        Type::Array(of, count) => format!("{} {name}[{count}]; ", of.c()),
        Type::Transparent(_, of) => field_in_c(of, name),
        _ => format!("{} {name}; ", of.c()),
    }
}
