//! Messages about an invalid table of device functions.

use statictramp::for_capi::message::Message;
use statictramp_interop::offload::MapError;

/// Reports that a device's previous table remains in use, because the new one is invalid.
#[cold]
pub(crate) fn unchanged(device: i32, why: MapError) {
    let mut message = Message::new("the function table of device ");
    if device < 0 {
        message.text("-");
    }
    message.decimal(device.unsigned_abs() as usize).text(" is unchanged: ");
    print(&mut message, why);
}

/// Reports that a plugin has stored an invalid table in the variables of an image.
#[cold]
pub(crate) fn not_used(why: MapError) {
    print(&mut Message::new("the functions at __omp_offloading_fptr_map_p are ignored: "), why);
}

/// Appends the error to a message, and prints the message.
fn print(message: &mut Message, why: MapError) {
    message.text(why.reason());
    match why {
        MapError::TooMany(count) => message.text(" ").decimal(count as usize),
        MapError::NullHost(index) | MapError::NullTarget(index) | MapError::Order(index) => {
            message.text(" ").decimal(index)
        }
        MapError::Conflict(host) => message.text(" ").address(core::ptr::without_provenance(host as usize)),
        MapError::Device(_) => message.text("; devices are numbered from 0 to 63"),
        _ => message,
    };
    message.print();
}
