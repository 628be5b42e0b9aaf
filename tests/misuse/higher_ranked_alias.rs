//! `higher_ranked!` accepts only aliases that it declared, and types with named lifetimes and without parameter names.

type Handler = for<'a> unsafe extern "C" fn(&'a u8);

mod ffi {
    pub type Handler = for<'a> unsafe extern "C" fn(&'a u8);
    statictramp::higher_ranked! {
        pub type Elided = unsafe extern "C" fn(&u8);
    }
}

fn main() {
    let callback = statictramp::bind(&|_: &u8| ()).unwrap();
    let _: Handler = statictramp::higher_ranked!(&callback => Handler);
    let _: Handler = statictramp::higher_ranked!(&callback => ffi::Handler);
    let _: Handler = statictramp::higher_ranked!(&callback => unsafe extern "C" fn(&u8));
    let _: Handler = statictramp::higher_ranked!(&callback => for<'a> unsafe extern "C" fn(byte: &'a u8));
}
