//! Rules for the dummy arguments that a Fortran procedure may capture. To capture an argument means to keep its address
//! after the call.
//!
//! If a compiler knows that a call does not capture its arguments, it can move stores past the call. In Fortran, an
//! address usually outlives a call only if a pointer is associated with a target (Fortran 2023, 15.5.2.5, paragraphs 8
//! to 12). Therefore the attributes of a dummy argument determine whether a procedure may capture the argument in any
//! call ([`may_capture`]). For one particular call, the attributes of the actual argument also matter
//! ([`call_may_capture`]).
//!
//! ```
//! use statictramp_capture_rules::{Dummy, Procedure, may_capture};
//!
//! let explicit = Procedure { explicit_interface: true, bind_c: false };
//! assert!(!may_capture(explicit, Dummy::DATA));
//! assert!(may_capture(explicit, Dummy { target: true, ..Dummy::DATA }));
//! ```
#![no_std]
#![forbid(unsafe_code)]

/// Facts that a caller knows about a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Procedure {
    /// The procedure has an explicit interface. Without an explicit interface, no dummy argument can have an attribute
    /// that requires one (Fortran 2023, 15.4.2.2): POINTER, TARGET, VOLATILE, ASYNCHRONOUS or VALUE.
    pub explicit_interface: bool,
    /// The procedure has BIND(C). It may be written in C, so the attributes of its dummy arguments do not restrict it.
    /// (VALUE is an exception.)
    pub bind_c: bool,
}

/// The attributes of a dummy argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dummy {
    /// The argument is a dummy procedure, so a procedure pointer that outlives the call may become associated with it.
    pub procedure: bool,
    /// The dummy argument has TARGET.
    pub target: bool,
    /// The dummy argument has POINTER, so a pointer that outlives the call may become associated with the argument's
    /// target.
    pub pointer: bool,
    /// The dummy argument has ASYNCHRONOUS, so data transfers may continue after the call (MPI).
    pub asynchronous: bool,
    /// The dummy argument has VOLATILE, so other code may access it in ways that the compiler cannot see.
    pub volatile: bool,
    /// The dummy argument has VALUE, so it is a copy that is discarded when the call returns.
    pub value: bool,
}

impl Dummy {
    /// A data object without any of these attributes.
    pub const DATA: Dummy = Dummy {
        procedure: false,
        target: false,
        pointer: false,
        asynchronous: false,
        volatile: false,
        value: false,
    };

    /// A dummy procedure.
    pub const PROCEDURE: Dummy = Dummy { procedure: true, ..Dummy::DATA };
}

/// Returns whether a procedure may keep the address of an argument that is passed for the given dummy argument.
///
/// If an argument is passed by descriptor (assumed shape, POINTER, ALLOCATABLE), the result applies to the argument's
/// data. Fortran code never captures the descriptor itself, because the language provides no way to take the
/// descriptor's address.
///
/// Without an explicit interface, the dummy argument is assumed to have none of the attributes, because each of them
/// would make the call invalid.
#[must_use]
pub const fn may_capture(of: Procedure, dummy: Dummy) -> bool {
    if dummy.procedure {
        return true;
    }
    if !of.explicit_interface {
        return of.bind_c;
    }
    if dummy.value {
        return false;
    }
    of.bind_c || dummy.target || dummy.pointer || dummy.asynchronous || dummy.volatile
}

/// An actual argument in a single call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Actual {
    /// The actual argument has TARGET.
    pub target: bool,
    /// The actual argument has POINTER, or is a reference to a function that returns a pointer.
    pub pointer: bool,
    /// The call passes a copy, which is discarded when the call returns. Examples are an expression in parentheses, a
    /// section with a vector subscript, and a non-contiguous section that is passed to an explicit-shape or CONTIGUOUS
    /// dummy argument.
    pub temporary: bool,
}

impl Actual {
    /// A data object without any of these attributes.
    pub const DATA: Actual = Actual { target: false, pointer: false, temporary: false };
}

/// The kind of address that a call passes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passed {
    /// The address of the data, passed directly or in a descriptor.
    Data,
    /// The address of the descriptor itself.
    Descriptor,
}

/// Returns whether a procedure may keep an address that one call passes to it.
///
/// The result depends on the attributes of both the actual argument and the dummy argument ([`may_capture`]). A pointer
/// that outlives the call can be associated with the argument only if the actual argument also has TARGET or POINTER
/// (Fortran 2023, 15.5.2.5). A pointer never becomes associated with a copy. The rule about TARGET and POINTER does not
/// apply to BIND(C) procedures, to dummy procedures, or to dummy arguments with ASYNCHRONOUS or VOLATILE.
///
/// Fortran code cannot take the address of a descriptor, but a BIND(C) procedure that is written in C could keep it.
#[must_use]
pub const fn call_may_capture(of: Procedure, dummy: Dummy, actual: Actual, passed: Passed) -> bool {
    match passed {
        Passed::Descriptor => of.bind_c,
        Passed::Data if !may_capture(of, dummy) || actual.temporary => false,
        Passed::Data => {
            let by_others = of.bind_c || dummy.procedure || dummy.asynchronous || dummy.volatile;
            by_others || actual.target || actual.pointer
        }
    }
}

/// Returns whether a procedure may keep an argument if several interfaces in one file disagree about that procedure.
/// The result is true if any of the interfaces permits it. A compiler that has warned about the disagreement must not
/// rely on the stricter interfaces.
pub fn any_may_capture(interfaces: impl IntoIterator<Item = (Procedure, Dummy)>) -> bool {
    interfaces.into_iter().any(|(of, dummy)| may_capture(of, dummy))
}

/// The relation between the called procedure and the file that is being compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Whereabouts {
    /// An internal procedure of this file.
    Internal,
    /// The procedure is defined in this file, or is a module procedure. It therefore has a single, correct interface.
    Known,
    /// The procedure is external and not defined in this file. The interface visible at a call may be incorrect, and
    /// another call may see a different interface.
    Elsewhere,
}

/// The part of the compiler output that records that a procedure does not capture an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carrier {
    /// None: later passes of the compiler see the procedure's body, and can determine that the procedure does not
    /// capture the argument.
    Body,
    /// The procedure's declaration.
    Procedure,
    /// Each individual call.
    Call,
}

/// Returns the part of the compiler output that records that a procedure does not capture an argument.
#[must_use]
pub const fn carrier(of: Whereabouts) -> Carrier {
    match of {
        Whereabouts::Internal => Carrier::Body,
        Whereabouts::Known => Carrier::Procedure,
        Whereabouts::Elsewhere => Carrier::Call,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Dummy = Dummy { target: true, ..Dummy::DATA };
    const POINTER: Dummy = Dummy { pointer: true, ..Dummy::DATA };
    const ASYNCHRONOUS: Dummy = Dummy { asynchronous: true, ..Dummy::DATA };
    const VOLATILE: Dummy = Dummy { volatile: true, ..Dummy::DATA };
    const VALUE: Dummy = Dummy { value: true, ..Dummy::DATA };

    /// Each row contains a dummy argument and three results. Each result states whether a procedure may capture the
    /// argument. The first applies to an explicit interface, the second to an explicit interface with BIND(C), and the
    /// third to an implicit interface.
    const TABLE: [(&str, Dummy, [bool; 3]); 9] = [
        ("no attribute", Dummy::DATA, [false, true, false]),
        ("TARGET", TARGET, [true, true, false]),
        ("POINTER", POINTER, [true, true, false]),
        ("ASYNCHRONOUS", ASYNCHRONOUS, [true, true, false]),
        ("VOLATILE", VOLATILE, [true, true, false]),
        ("VALUE", VALUE, [false, false, false]),
        ("VALUE, TARGET", Dummy { value: true, ..TARGET }, [false, false, false]),
        ("TARGET, VOLATILE", Dummy { volatile: true, ..TARGET }, [true, true, false]),
        ("procedure", Dummy::PROCEDURE, [true, true, true]),
    ];

    #[test]
    fn each_combination_follows_the_standard() {
        for (name, dummy, [explicit, c, implicit]) in TABLE {
            let of =
                |explicit_interface, bind_c| may_capture(Procedure { explicit_interface, bind_c }, dummy);
            assert_eq!(of(true, false), explicit, "{name}, explicit");
            assert_eq!(of(true, true), c, "{name}, BIND(C)");
            assert_eq!(of(false, false), implicit, "{name}, implicit");
        }
    }

    #[test]
    fn only_the_value_attribute_rules_out_a_capture() {
        for bits in 0..32u8 {
            let dummy = Dummy {
                procedure: false,
                target: bits & 1 != 0,
                pointer: bits & 2 != 0,
                asynchronous: bits & 4 != 0,
                volatile: bits & 8 != 0,
                value: bits & 16 != 0,
            };
            for explicit_interface in [false, true] {
                for bind_c in [false, true] {
                    let of = Procedure { explicit_interface, bind_c };
                    let plain = Dummy { value: dummy.value, ..Dummy::DATA };
                    assert!(may_capture(of, dummy) || !may_capture(of, plain), "{of:?} {dummy:?}");
                    let as_procedure = Dummy { procedure: true, ..dummy };
                    assert!(may_capture(of, as_procedure), "{of:?} {dummy:?}");
                }
            }
        }
    }

    #[test]
    fn a_single_call_depends_on_its_actual_argument() {
        let explicit = Procedure { explicit_interface: true, bind_c: false };
        let c = Procedure { bind_c: true, ..explicit };
        let actuals = [
            Actual::DATA,
            Actual { target: true, ..Actual::DATA },
            Actual { pointer: true, ..Actual::DATA },
            Actual { target: true, pointer: true, temporary: true },
        ];
        for (dummy, of, wanted) in [
            (Dummy::DATA, explicit, [false, false, false, false]),
            (TARGET, explicit, [false, true, true, false]),
            (POINTER, explicit, [false, true, true, false]),
            (ASYNCHRONOUS, explicit, [true, true, true, false]),
            (VOLATILE, explicit, [true, true, true, false]),
            (VALUE, explicit, [false; 4]),
            (Dummy::DATA, c, [true, true, true, false]),
            (VALUE, c, [false; 4]),
        ] {
            let found = actuals.map(|actual| call_may_capture(of, dummy, actual, Passed::Data));
            assert_eq!(found, wanted, "{dummy:?} {of:?}");
            for actual in actuals {
                let descriptor = call_may_capture(of, dummy, actual, Passed::Descriptor);
                assert_eq!(descriptor, of.bind_c, "{dummy:?} {of:?}");
            }
        }
    }

    /// Checks that the result for one call is never more permissive than the result for the procedure.
    #[test]
    fn a_call_never_permits_more_than_its_dummy_argument() {
        for (_, dummy, _) in TABLE {
            for bits in 0..16u8 {
                let of = Procedure { explicit_interface: bits & 1 != 0, bind_c: bits & 2 != 0 };
                let actual = Actual { target: bits & 4 != 0, pointer: bits & 8 != 0, temporary: false };
                assert!(may_capture(of, dummy) || !call_may_capture(of, dummy, actual, Passed::Data));
            }
        }
    }

    #[test]
    fn the_stricter_of_two_interfaces_applies() {
        let implicit = Procedure { explicit_interface: false, bind_c: false };
        let explicit = Procedure { explicit_interface: true, ..implicit };
        assert!(any_may_capture([(implicit, Dummy::DATA), (explicit, TARGET)]));
        assert!(!any_may_capture([(implicit, Dummy::DATA), (explicit, Dummy::DATA)]));
        assert_eq!(
            [Whereabouts::Internal, Whereabouts::Known, Whereabouts::Elsewhere].map(carrier),
            [Carrier::Body, Carrier::Procedure, Carrier::Call]
        );
    }
}
