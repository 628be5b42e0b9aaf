//! Tests of the function that finds the stub for an address.

use crate::pool::NotAStub;
use crate::pool::number_called;

/// Tests Thumb stubs of both sizes, and stubs whose address is the address to call.
#[test]
fn a_table_address_that_is_not_a_stub_is_interior() {
    for (stride, bit) in [(16, 1), (20, 1), (32, 0)] {
        let number = |offset| number_called(offset, 3, stride, bit);
        for offset in 0..3 * stride {
            let stub = (offset % stride == bit).then_some((offset / stride) as u32);
            assert_eq!(number(offset), stub.ok_or(NotAStub::Interior), "{offset} of stubs of {stride}");
        }
        for outside in [3 * stride, 3 * stride + bit, usize::MAX, usize::MAX - stride + 1, usize::MAX / 2] {
            assert_eq!(number(outside), Err(NotAStub::Foreign), "{outside} of stubs of {stride}");
        }
    }
}
