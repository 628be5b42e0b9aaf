//! Layouts of the variables that internal procedures have captured. Tests with real hosts are in
//! `flang/tests/programs/instances` and `interop/tests/programs/instances/frame.c`.
#![cfg(all(target_pointer_width = "64", target_os = "linux"))]

use proptest::prelude::*;
use statictramp::Trampoline;
use statictramp_interop::descriptor::{Category, DescriptorError, Type};
use statictramp_interop::instance::{Captured, FrameLayout, Instance, InstanceError, Storage};

fn offsets(text: &str) -> Vec<(String, usize)> {
    let layout = FrameLayout::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    layout.variables().map(|variable| (variable.name.to_owned(), variable.offset)).collect()
}

#[test]
fn a_layout_error_has_its_position() {
    for (text, at) in [
        ("n", 1),
        ("n:", 2),
        ("n: integer", 10),
        ("n: integer(3)", 3),
        ("n: integer(4", 12),
        ("n: whatever(4)", 3),
        ("n: integer(4) x: integer(4)", 14),
        (", n: integer(4)", 0),
        ("n: descriptor(16)", 3),
        ("n: integer(99999999999999999999)", 11),
        ("{ ptr", 5),
        ("{ ptr, what }", 7),
        ("{ ptr } n, m", 9),
        ("{ double } n: integer(4)", 11),
        ("{ ptr, ptr } n: character", 13),
        ("{ [2 x ] }", 7),
        ("{ [1048576 x [1048576 x i8]] }", 29),
        ("{{{{{{{{{{ptr}}}}}}}}}}", 8),
    ] {
        let why = FrameLayout::parse(text).expect_err(text);
        assert_eq!(why.at, at, "{text}: {why}");
        assert!(why.to_string().contains("expected"));
    }
    assert_eq!(FrameLayout::parse("").unwrap().size(), 0);
    assert_eq!(FrameLayout::parse("{}").unwrap().size(), 0);
}

#[test]
fn values_are_laid_out_as_in_c() {
    #[repr(C)]
    struct Frame {
        a: i8,
        b: f64,
        c: i16,
        d: [f32; 2],
        e: *const (),
        f: u8,
    }
    let text = "a: integer(1) value, b: real(8) value, c: integer(2) value, d: complex(4) value, e: address, f: logical(1) value";
    use std::mem::offset_of;
    let expected = [offset_of!(Frame, a), offset_of!(Frame, b), offset_of!(Frame, c), offset_of!(Frame, d)];
    let expected = expected.into_iter().chain([offset_of!(Frame, e), offset_of!(Frame, f)]);
    assert!(offsets(text).into_iter().map(|(_, offset)| offset).eq(expected.clone()));
    let of_llvm = "{ i8, double, i16, { float, float }, ptr, i8 } a, b, c, d, e, f: logical(1) value";
    assert!(offsets(of_llvm).into_iter().map(|(_, offset)| offset).eq(expected));
}

#[test]
fn llvm_types_are_distinguished() {
    let header = "ptr, i64, i32, i8, i8, i8, i8";
    let text = format!(
        "{{ ptr, {{ ptr, i64 }}, {{ {header} }}, {{ {header}, [3 x [3 x i64]] }}, {{ {header}, ptr, [1 x i64] }}, \
         {{ {header}, [1 x [3 x i64]], ptr, [1 x i64] }}, [2 x i32], {{ ptr, i32 }}, i128 }}"
    );
    let kinds: Vec<_> =
        FrameLayout::parse(&text).unwrap().variables().map(|v| (v.offset, v.storage)).collect();
    assert_eq!(
        kinds,
        [
            (0, Storage::Address),
            (8, Storage::Character),
            (24, Storage::Descriptor { rank: 0, class: false }),
            (48, Storage::Descriptor { rank: 3, class: false }),
            (144, Storage::Descriptor { rank: 0, class: true }),
            (184, Storage::Descriptor { rank: 1, class: true }),
            (248, Storage::Other(8, 4)),
            (256, Storage::Other(16, 8)),
            (272, Storage::Other(16, 16)),
        ]
    );
}

#[test]
fn an_instance_shows_its_variables() {
    #[repr(C)]
    struct Tuple {
        n: *const i32,
        text: (*const u8, usize),
        x: f64,
        invalid: *const [u64; 3],
    }
    let (n, text, invalid) = (42, "a text", [0x1000, 4, 7]);
    let tuple = Tuple { n: &n, text: (text.as_ptr(), text.len()), x: 1.5, invalid: &invalid };
    let layout =
        FrameLayout::parse("n: integer(4), text: character, x: real(8) value, wrong: pointer").unwrap();
    let chain = (&raw const tuple).cast_mut().cast();
    let trampoline = Trampoline::new(values_are_laid_out_as_in_c as *const (), chain).unwrap();
    let instance = Instance::of(trampoline.as_ptr(), layout).unwrap();
    // SAFETY: the tuple has this layout and is alive.
    let captured: Vec<_> = unsafe { instance.captured() }.map(|(_, captured)| captured).collect();
    let integer = Type { category: Category::Integer, kind: 4 };
    let real = Type { category: Category::Real, kind: 8 };
    assert!(matches!(captured[0], Captured::Number(ty, at) if ty == integer && at == (&raw const n).cast()));
    assert!(matches!(captured[1], Captured::Character(at, 6) if at == text.as_ptr()));
    assert!(
        matches!(captured[2], Captured::Number(ty, at) if ty == real && at == (&raw const tuple.x).cast())
    );
    assert!(matches!(captured[3], Captured::Wrong(DescriptorError::Version(7))));
    let address = trampoline.as_ptr();
    drop(trampoline);
    assert_eq!(Instance::of(address, layout).unwrap_err(), InstanceError::Dead);
    assert!(matches!(Instance::of(chain, layout).unwrap_err(), InstanceError::Lookup(_)));
    let chainless = Trampoline::new(values_are_laid_out_as_in_c as *const (), std::ptr::null_mut()).unwrap();
    assert_eq!(Instance::of(chainless.as_ptr(), layout).unwrap_err(), InstanceError::NoChain);
}

proptest! {
    /// Every text is either rejected or accepted. If it is accepted, the variables are in order and within the size.
    #[test]
    fn arbitrary_text_is_parsed_or_rejected(
        text in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "(", ")", ",", ":", " ", "x", "ptr", "i64", "i32", "i8", "i128", "double", "n", "ü",
            "integer(4)", "real", "value", "character", "descriptor(2)", "class(0)", "pointer", "3", "9999999", "0",
            "{ ptr, i64 }", "[2 x [3 x i64]]",
        ]), 0..20)
    ) {
        let text = text.concat();
        match FrameLayout::parse(&text) {
            Err(why) => prop_assert!(why.at <= text.len()),
            Ok(layout) => {
                let mut end = 0;
                for variable in layout.variables() {
                    let (size, align) = variable.storage.size_and_align();
                    prop_assert!(variable.offset >= end && variable.offset.is_multiple_of(align));
                    end = variable.offset + size;
                }
                prop_assert_eq!(layout.size(), end);
            }
        }
    }
}
