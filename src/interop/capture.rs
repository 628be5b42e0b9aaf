//! Which dummy arguments a Fortran procedure may capture: keep their address beyond the call.
//!
//! A compiler that knows it may not can move stores past calls. The only way in which Fortran lets an address outlive
//! a call is the association of a pointer with a target (Fortran 2023, 15.5.2.5, paragraphs 8 to 12), so the
//! attributes of the dummy decide; those of the actual argument do not matter.
//!
//! ```
//! use statictramp::interop::capture::{Dummy, Procedure, may_capture};
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
    /// ASYNCHRONOUS: transfers go on behind the call (MPI).
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
}
