//! Arguments that the module's code shows to be data rather than procedures.

use crate::calls::{called, is_memory_copy};
use crate::llvm::{opcode::*, *};
use std::collections::HashMap;

/// Returns whether an argument is certainly the address of data, for example because it is dereferenced or an offset is
/// added to it. Neither operation is ever applied to a procedure's address. Passing a dummy argument on proves nothing,
/// because the IR does not indicate whether it is a procedure.
pub fn is_data(argument: Value) -> bool {
    is_data_or_known(argument, &mut HashMap::new())
}

/// Like `is_data`, but for any value. If values form a cycle, the result depends on the values outside the cycle.
fn is_data_or_known(value: Value, known: &mut HashMap<Value, bool>) -> bool {
    if let Some(known) = known.get(&value) {
        return *known;
    }
    known.insert(value, true);
    let answer = made_as_data(value, known) || is_dereferenced(value);
    known.insert(value, answer);
    answer
}

/// Returns whether a value is the address of data, judging by its defining instruction or constant.
fn made_as_data(value: Value, known: &mut HashMap<Value, bool>) -> bool {
    match value.opcode() {
        None => LLVMIsAGlobalVariable(value).is_some(),
        Some(ALLOCA) => true,
        Some(GET_ELEMENT_PTR) if LLVMIsAInstruction(value).is_some() => true,
        Some(GET_ELEMENT_PTR | BIT_CAST | ADDR_SPACE_CAST | FREEZE) => {
            is_data_or_known(value.operand(0), known)
        }
        Some(PHI) => value.operands().all(|it| it.is_null() || is_data_or_known(it, known)),
        Some(SELECT) => value.operands().skip(1).all(|it| it.is_null() || is_data_or_known(it, known)),
        Some(LOAD) => is_base_address(value.operand(0)),
        Some(EXTRACT_VALUE) => value.indices() == [0] && is_descriptor_type(LLVMTypeOf(value.operand(0))),
        Some(CALL) => called(value).as_deref() == Some("malloc"),
        _ => false,
    }
}

/// Returns whether an instruction of the module uses a value as a memory address.
fn is_dereferenced(value: Value) -> bool {
    let has_users = LLVMIsAInstruction(value).is_some() || LLVMIsAArgument(value).is_some();
    has_users && value.users().into_iter().any(|user| dereferences(user, value))
}

/// Returns whether an instruction reads or writes memory through a pointer, or computes the address of a part of that
/// memory.
fn dereferences(user: Value, pointer: Value) -> bool {
    match user.opcode() {
        Some(LOAD) => true,
        Some(STORE) => user.operand(1) == pointer,
        Some(GET_ELEMENT_PTR) => user.operand(0) == pointer && LLVMIsAInstruction(user).is_some(),
        Some(CALL) => is_memory_copy(user) && (user.operand(0) == pointer || user.operand(1) == pointer),
        _ => false,
    }
}

/// Returns whether a pointer is the address of a descriptor's base-address field.
fn is_base_address(pointer: Value) -> bool {
    pointer.opcode() == Some(GET_ELEMENT_PTR)
        && is_descriptor_type(pointer.source_element_type())
        && pointer.operands().skip(1).all(|index| index.as_integer() == Some(0))
        && pointer.operands().count() == 3
}

/// Returns whether an argument is certainly the address of a descriptor.
pub fn is_descriptor(argument: Value) -> bool {
    match argument.opcode() {
        Some(ALLOCA) => is_descriptor_type(argument.allocated_type()),
        _ => LLVMIsAArgument(argument).is_some_and(|argument| {
            argument.users().into_iter().any(|user| {
                user.opcode() == Some(GET_ELEMENT_PTR)
                    && user.operand(0) == argument
                    && is_descriptor_type(user.source_element_type())
            })
        }),
    }
}

/// Returns whether a type is flang's descriptor type: a literal structure with an address, an element size, a version,
/// a rank, a type, an attribute and an extra byte, followed by optional fields. Derived types are not literal
/// structures.
fn is_descriptor_type(ty: Type) -> bool {
    const BITS: [u32; 6] = [64, 32, 8, 8, 8, 8];
    ty.is_unnamed_struct()
        && ty.element_count() as usize > BITS.len()
        && ty.element_at(0).is_pointer()
        && BITS.iter().zip(1..).all(|(bits, index)| ty.element_at(index).is_integer(*bits))
}
