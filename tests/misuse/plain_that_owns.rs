//! A plain function pointer has no storage, so its closure cannot own any value.

fn main() {
    let text = String::from("owned");
    let _function = statictramp::plain(move || text.len());
    let shared = std::rc::Rc::new(1);
    let _function = statictramp::plain(move || *shared);
}
