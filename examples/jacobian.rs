//! A stiff system of differential equations. The routine that solves it takes the right-hand side and its Jacobian in
//! the same form as LSODE: as Fortran procedures without a context, whose parameters are all pointers. The Jacobian has
//! seven parameters.
//!
//! The equations are Robertson's, whose three rates the closures capture.

use core::ffi::c_int;
use std::cell::Cell;

/// `SUBROUTINE F (NEQ, T, Y, YDOT)`
type RightHandSide = unsafe extern "C" fn(*const c_int, *const f64, *const f64, *mut f64);
/// `SUBROUTINE JAC (NEQ, T, Y, ML, MU, PD, NROWPD)`: `PD(I,J)` is the derivative of `YDOT(I)` with respect to `Y(J)`,
/// in column order.
type Jacobian = unsafe extern "C" fn(
    *const c_int,
    *const f64,
    *const f64,
    *const c_int,
    *const c_int,
    *mut f64,
    *const c_int,
);

const N: usize = 3;

/// Solves the system by backward Euler steps, with a Newton iteration in each.
///
/// # Safety
/// Both functions must be callable with arrays of this size until this returns.
unsafe fn solve(f: RightHandSide, jac: Jacobian, y: &mut [f64; N], end: f64, steps: u32) {
    let (n, ml, mu) = (N as c_int, 0, 0);
    let h = end / f64::from(steps);
    for step in 1..=steps {
        let (t, old) = (h * f64::from(step), *y);
        for _ in 0..8 {
            let (mut slope, mut pd) = ([0.0; N], [0.0; N * N]);
            // SAFETY: the caller upholds the safety contract.
            unsafe {
                f(&n, &t, y.as_ptr(), slope.as_mut_ptr());
                jac(&n, &t, y.as_ptr(), &ml, &mu, pd.as_mut_ptr(), &n);
            }
            // (I - h J) d = old + h f(y) - y
            let mut rows = [[0.0; N + 1]; N];
            for (i, row) in rows.iter_mut().enumerate() {
                for j in 0..N {
                    row[j] = f64::from(u8::from(i == j)) - h * pd[j * N + i];
                }
                row[N] = old[i] + h * slope[i] - y[i];
            }
            let change = eliminated(rows);
            y.iter_mut().zip(change).for_each(|(y, change)| *y += change);
            if change.iter().all(|change| change.abs() < 1e-14) {
                break;
            }
        }
    }
}

/// Returns the solution of a system of linear equations. Each row contains an equation and its right-hand side.
fn eliminated(mut rows: [[f64; N + 1]; N]) -> [f64; N] {
    for i in 0..N {
        let pivot = (i..N).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()));
        rows.swap(i, pivot.unwrap_or(i));
        let row = rows[i];
        for other in (0..N).filter(|&other| other != i) {
            let factor = rows[other][i] / row[i];
            rows[other].iter_mut().zip(row).for_each(|(x, of)| *x -= factor * of);
        }
    }
    core::array::from_fn(|i| rows[i][N] / rows[i][i])
}

fn main() -> Result<(), statictramp::AllocError> {
    let [slow, fast, middle] = [0.04, 3e7, 1e4];
    let asked = Cell::new(0);

    let slopes = |_: *const c_int, _: *const f64, y: *const f64, slope: *mut f64| {
        // SAFETY: the solver passes two arrays of `N` numbers, and no other code uses the second.
        let (&[a, b, c], slope) = unsafe { (&*y.cast::<[f64; N]>(), &mut *slope.cast::<[f64; N]>()) };
        let (first, second, third) = (slow * a, middle * b * c, fast * b * b);
        *slope = [second - first, first - second - third, third];
    };
    let derivatives = |n: *const c_int,
                       _: *const f64,
                       y: *const f64,
                       _: *const c_int,
                       _: *const c_int,
                       pd: *mut f64,
                       rows: *const c_int| {
        // SAFETY: as above. The matrix has the number of rows that its argument states.
        let (&[_, b, c], n, rows) = unsafe { (&*y.cast::<[f64; N]>(), *n, *rows) };
        assert_eq!((n, rows), (N as c_int, N as c_int));
        // SAFETY: the matrix has `N` columns of `N` numbers, and no other code uses them.
        let columns = unsafe { &mut *pd.cast::<[[f64; N]; N]>() };
        let (by_b, by_c) = (middle * c, middle * b);
        *columns = [[-slow, slow, 0.0], [by_b, -by_b - 2.0 * fast * b, 2.0 * fast * b], [by_c, -by_c, 0.0]];
        asked.set(asked.get() + 1);
    };
    let f = statictramp::bind(&slopes)?;
    let jac = statictramp::bind(&derivatives)?;

    let mut y = [1.0, 0.0, 0.0];
    // SAFETY: both guards outlive the call, and the functions are called only on this thread.
    unsafe { solve(f.as_fn(), jac.as_fn(), &mut y, 40.0, 20_000) };
    println!("after 40 seconds: {y:.6?}, with {} Jacobians", asked.get());
    // These values are the solution in LSODE's documentation.
    for (y, wanted) in y.into_iter().zip([7.158e-1, 9.186e-6, 2.842e-1]) {
        assert!((y / wanted - 1.0).abs() < 1e-3, "{y} instead of {wanted}");
    }
    assert!((y.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    Ok(())
}
