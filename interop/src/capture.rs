//! Which dummy arguments a Fortran procedure may capture: keep their address beyond the call.
//!
//! A compiler that knows it may not can move stores past calls. The only way in which Fortran lets an address outlive
//! a call is the association of a pointer with a target (Fortran 2023, 15.5.2.5, paragraphs 8 to 12), so what a
//! procedure may do in some call is decided by the attributes of the dummy ([`may_capture`]). What it may do in one call is
//! decided by those of the actual argument, too ([`call_may_capture`]).
//!
//! ```
//! use statictramp_interop::capture::{Dummy, Procedure, may_capture};
//!
//! let explicit = Procedure { explicit_interface: true, bind_c: false };
//! assert!(!may_capture(explicit, Dummy::DATA));
//! assert!(may_capture(explicit, Dummy { target: true, ..Dummy::DATA }));
//! ```

/// What the caller knows of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Procedure {
    /// There is an explicit interface. Without, no dummy can have an attribute that asks for one (Fortran 2023,
    /// 15.4.2.2): neither POINTER, TARGET, VOLATILE, ASYNCHRONOUS nor VALUE.
    pub explicit_interface: bool,
    /// It has BIND(C), so it may be written in C, where no attribute holds anybody back.
    pub bind_c: bool,
}

/// The attributes of a dummy argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dummy {
    /// It is a dummy procedure, which any procedure pointer may be associated with.
    pub procedure: bool,
    /// TARGET.
    pub target: bool,
    /// POINTER: a pointer that outlives the call may be given its target.
    pub pointer: bool,
    /// ASYNCHRONOUS: transfers go on after the call (MPI).
    pub asynchronous: bool,
    /// VOLATILE: others reach it by ways that the compiler does not see.
    pub volatile: bool,
    /// VALUE: the dummy is a copy, which ends with the call.
    pub value: bool,
}

impl Dummy {
    /// A data object without any of the attributes.
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

/// Whether a procedure may keep the address of what is passed to one of its dummy arguments.
///
/// Of an argument that is passed by a descriptor (assumed shape, POINTER, ALLOCATABLE) this is about the data: the
/// descriptor itself is never captured by Fortran, as it has no address in the language.
///
/// Without an explicit interface the attributes are taken for absent: a dummy that had one would make the call wrong.
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

/// An actual argument, where a single call is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Actual {
    /// TARGET.
    pub target: bool,
    /// POINTER, or a function's result that is one.
    pub pointer: bool,
    /// A copy is passed, which ends with the call: an expression in parentheses, a section with gaps for an explicit-shape or
    /// CONTIGUOUS dummy, what has a vector subscript.
    pub temporary: bool,
}

impl Actual {
    /// A data object without any of the attributes.
    pub const DATA: Actual = Actual { target: false, pointer: false, temporary: false };
}

/// Which address is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passed {
    /// That of the data, or the one that the descriptor which is passed leads to.
    Data,
    /// The descriptor's own.
    Descriptor,
}

/// Whether a procedure may keep an address that one call passes to it.
///
/// Besides what the dummy says ([`may_capture`]) the actual argument counts here: a pointer that outlives the call is
/// associated with it only if it, too, has TARGET or POINTER (Fortran 2023, 15.5.2.5), and with a copy never. The exceptions
/// are BIND(C), where the language does not decide, and ASYNCHRONOUS and VOLATILE, which ask for no TARGET.
///
/// The descriptor's own address has none in the language; a BIND(C) procedure may be written in C, which could keep it.
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

/// Whether a procedure may keep what is passed to a dummy argument, of which several interfaces in one file say different
/// things: it may if one of them says so, since a compiler that warns of that must not rely on the others.
pub fn any_may_capture(interfaces: impl IntoIterator<Item = (Procedure, Dummy)>) -> bool {
    interfaces.into_iter().any(|(of, dummy)| may_capture(of, dummy))
}

/// Where the procedure of a call stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Whereabouts {
    /// It is an internal procedure of this file.
    Internal,
    /// It is defined in this file, or a module procedure: there is one interface, which is right.
    Known,
    /// It is external, and not defined in this file: the interface that a call sees may be wrong, and another call may see
    /// another.
    Elsewhere,
}

/// What can carry the promise that an argument is not kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carrier {
    /// Nothing: the compiler's later passes see the procedure's body, and find out by themselves.
    Body,
    /// The procedure.
    Procedure,
    /// The call, each for itself.
    Call,
}

/// What carries the promise for a procedure.
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

    /// Each row: the dummy, and whether it may be captured by a procedure of explicit interface, by one that has
    /// BIND(C) as well, and by one of implicit interface.
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
    fn each_combination_is_as_the_language_has_it() {
        for (name, dummy, [explicit, c, implicit]) in TABLE {
            let of =
                |explicit_interface, bind_c| may_capture(Procedure { explicit_interface, bind_c }, dummy);
            assert_eq!(of(true, false), explicit, "{name}, explicit");
            assert_eq!(of(true, true), c, "{name}, BIND(C)");
            assert_eq!(of(false, false), implicit, "{name}, implicit");
        }
    }

    #[test]
    fn an_attribute_never_makes_a_capture_impossible_but_for_value() {
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
    fn of_a_single_call_the_actual_argument_counts() {
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

    /// A call may do no more than its procedure.
    #[test]
    fn a_call_is_never_looser_than_the_dummy() {
        for (_, dummy, _) in TABLE {
            for bits in 0..16u8 {
                let of = Procedure { explicit_interface: bits & 1 != 0, bind_c: bits & 2 != 0 };
                let actual = Actual { target: bits & 4 != 0, pointer: bits & 8 != 0, temporary: false };
                assert!(may_capture(of, dummy) || !call_may_capture(of, dummy, actual, Passed::Data));
            }
        }
    }

    #[test]
    fn of_two_interfaces_the_wary_one_counts() {
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
