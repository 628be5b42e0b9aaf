fn main() {
    let y = 41;
    let made = closure_ffi::BareFn::new_c(move |x: usize| -> usize { x + y });
    // SAFETY: the closure is alive.
    let result = unsafe { made.bare()(1) };
    println!("called: {result}");
    std::process::exit((result != 42) as i32);
}
