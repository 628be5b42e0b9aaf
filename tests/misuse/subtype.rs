//! A guard has exactly the types for which it was created.

use statictramp::{Boxed, Callback, InPlace};

type General = for<'a> fn(&'a u32) -> u32;
type Special = fn(&'static u32) -> u32;

fn of_closure<'f>(of: Callback<'f, General, (&'static u32,)>) -> Callback<'f, Special, (&'static u32,)> {
    of
}

fn of_box(of: Boxed<General, (&'static u32,)>) -> Boxed<Special, (&'static u32,)> {
    of
}

fn in_place(of: InPlace<General, (&'static u32,)>) -> InPlace<Special, (&'static u32,)> {
    of
}

fn of_arguments<'f, 'a>(of: Callback<'f, General, (&'a u32,)>) -> Callback<'f, General, (&'static u32,)> {
    of
}

fn main() {}
