//! MLIR function types as text: accepted and rejected ones.
#![cfg(memref_closures)]

use statictramp_interop::memref::Signature;

#[test]
fn blanks_are_accepted_where_mlir_allows_them() {
    for (with, without) in [
        ("memref<? x f32>, i64 ->", "memref<?xf32>, i64 ->"),
        ("memref<?x ?xf32> ->", "memref<?x?xf32> ->"),
        ("memref<4x 4xf32> ->", "memref<4x4xf32> ->"),
        ("memref<4 x f32> ->", "memref<4xf32> ->"),
        ("memref<?\txf32> ->", "memref<?xf32> ->"),
        ("memref < * x f32 > ->", "memref<*xf32> ->"),
        ("complex < f32 > ->", "complex<f32> ->"),
        ("memref<0x10xf32> ->", "memref<0 x 10 x f32> ->"),
    ] {
        let read = Signature::parse(with);
        assert!(read.is_ok() && read == Signature::parse(without), "{with}: {read:?}");
    }
    assert!(Signature::parse("memref<?\u{a0}xf32> ->").is_err(), "no blank of MLIR's");
}

#[test]
fn a_function_type_without_an_arrow_has_no_results() {
    for text in ["memref<?xf32>", "(memref<?xf32>, i64)", "()"] {
        let with_arrow = Signature::parse(&format!("{text} -> ()"));
        assert!(with_arrow.is_ok() && Signature::parse(text) == with_arrow, "{text}");
    }
    for text in ["", " ", "i64 i64", "(i64", "i64)", "memref<?xf32>,"] {
        assert!(Signature::parse(text).is_err(), "{text}");
    }
}

#[test]
fn invalid_types_are_rejected() {
    for text in [
        "hello",
        "x",
        "-",
        "?,f32",
        "4x?",
        "?x*xf32",
        "4x",
        "?xhello",
        "?xf33",
        "?xi",
        "?x",
        "?xf32,",
        "f32 f32",
        "-4xf32",
        "?xcomplex<f32",
        "?xvector<?xf32>",
        "?xmemref<?>",
        "* f32",
        "?f32",
        "?x!",
        "?xf32>>",
    ] {
        assert!(Signature::parse(&format!("memref<{text}> ->")).is_err(), "{text}");
    }
    for text in ["", "?x", "*x", "4x?x"] {
        for element in [
            "f32",
            "i7",
            "ui8",
            "index",
            "f8E4M3FN",
            "complex<f64>",
            "vector<4x[4]xf32>",
            "memref<?x4xmemref<*xi1>>",
            "!llvm.ptr",
            "!dialect.type<\"a\\\">\", (i1) -> f32>",
            "f32, \"a<b\"",
            "f32, 1 : i32",
        ] {
            let wanted = Signature::parse(&format!("memref<{text}f32>, i64 ->")).unwrap();
            let text = format!("memref<{text}{element}>, i64 ->");
            assert_eq!(Signature::parse(&text), Ok(wanted), "{text}");
        }
    }
}

#[test]
fn layouts_are_part_of_a_type() {
    let parse = |layout: &str| Signature::parse(&format!("memref<4x?xf32{layout}> ->"));
    let layouts = [
        "",
        ", strided<[2, 1]>",
        ", strided<[?, 1]>",
        ", strided<[2, -1], offset: ?>",
        ", strided<[2, 1], offset: 5>",
        ", affine_map<(d0, d1) -> (d1, d0)>",
    ];
    for (at, layout) in layouts.iter().enumerate() {
        assert!(parse(layout).is_ok(), "{layout}");
        assert!(layouts.iter().skip(at + 1).all(|other| parse(layout) != parse(other)), "{layout}");
    }
    assert_eq!(parse(", strided<[2, 1]>"), parse(", strided < [ 2 , 1 ] , offset : 0 > , 3"));
    for invalid in [
        "strided<[2]>",
        "strided<[2, 1, 1]>",
        "strided<[2 1]>",
        "strided<[2, x]>",
        "strided<[2, 1], 5>",
        "strided",
    ] {
        assert!(parse(&format!(", {invalid}")).is_err(), "{invalid}");
    }
}

#[test]
fn overlong_texts_are_rejected() {
    for part in
        ["complex<", "vector<4x", "memref<", "memref<?x", "memref<*xmemref<?x", "!a<", "(", "1x", " ", "f32,"]
    {
        for before in ["", "memref<", "memref<!a<"] {
            let text = format!("{before}{}f32 ->", part.repeat(200_000));
            assert!(Signature::parse(&text).is_err() || part == " ", "{before} {part}");
        }
    }
}
