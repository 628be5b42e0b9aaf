//! `higher_ranked!` knows only the aliases that it declared.

type Handler = for<'a> unsafe extern "C" fn(&'a u8);

fn main() {
    let callback = statictramp::bind(&|_: &u8| ()).unwrap();
    let _: Handler = statictramp::higher_ranked!(&callback => Handler);
}
