//! probe
use std::time::Instant;
use std::hint::black_box;
use core::sync::atomic::*;
#[inline(never)] extern "C" fn callee(x: usize) -> usize { x + 1 }
fn t(name:&str, mut f: impl FnMut()) { let n=20_000_000u32; let mut best=f64::MAX; for _ in 0..5 { let s=Instant::now(); for _ in 0..n { f() } let e=s.elapsed().as_secs_f64()*1e9/n as f64; best=best.min(e);} println!("{name:30} {best:.2} ns"); }
fn main() {
    let a=AtomicU32::new(0); let b=AtomicU32::new(0);




    let c = callee as *const ();
    t("create+free", || { let t = statictramp::Trampoline::new(black_box(c), black_box(core::ptr::null_mut())).unwrap(); black_box(t.as_ptr()); });
    t("create+call+free", || { let t = statictramp::Trampoline::new(black_box(c), black_box(core::ptr::null_mut())).unwrap(); let f: extern "C" fn(usize)->usize = unsafe{core::mem::transmute(black_box(t.as_ptr()))}; black_box(f(1)); });
    // fixed slot
    static mut CH:[AtomicUsize;2]=[AtomicUsize::new(0),AtomicUsize::new(0)];
    let fixed = statictramp::Trampoline::new(c, core::ptr::null_mut()).unwrap(); let p=fixed.as_ptr();
    t("fixed slot call", || { unsafe{ (*(&raw mut CH))[0].store(black_box(1),Ordering::Relaxed); (*(&raw mut CH))[1].store(black_box(c as usize),Ordering::Release);} let f: extern "C" fn(usize)->usize = unsafe{core::mem::transmute(black_box(p))}; black_box(f(1)); });
    t("indirect", || { let f: extern "C" fn(usize)->usize = unsafe{core::mem::transmute(black_box(c))}; black_box(f(1)); });
}
