//! SQLite calls its automatic extensions for each new connection. Such an extension is a function that gets the
//! connection but no context, so in C it can access only global variables. In this program, the function is a closure.

use core::ffi::{c_char, c_int};
use libsqlite3_sys as sqlite;
use std::cell::RefCell;
use std::error::Error;
use std::ptr::null_mut;

fn main() -> Result<(), Box<dyn Error>> {
    let pragmas = ["PRAGMA foreign_keys = ON", "PRAGMA cache_size = 77"].map(|text| format!("{text}\0"));
    let opened = RefCell::new(0);
    let prepare = |connection: *mut sqlite::sqlite3,
                   _error: *mut *mut c_char,
                   _api: *const sqlite::sqlite3_api_routines|
     -> c_int {
        *opened.borrow_mut() += 1;
        pragmas
            .iter()
            // SAFETY: SQLite passes the connection that it is opening, and each text is zero-terminated.
            .map(|pragma| unsafe {
                sqlite::sqlite3_exec(connection, pragma.as_ptr().cast(), None, null_mut(), null_mut())
            })
            .find(|&code| code != sqlite::SQLITE_OK)
            .unwrap_or(sqlite::SQLITE_OK)
    };
    let callback = statictramp::bind(&prepare)?;

    // SAFETY: SQLite calls the function with this type, on this thread, while it is registered.
    unsafe {
        assert_eq!(sqlite::sqlite3_auto_extension(Some(callback.as_fn())), sqlite::SQLITE_OK);
        for _ in 0..3 {
            assert_eq!(query(c"PRAGMA cache_size")?, 77);
            assert_eq!(query(c"PRAGMA foreign_keys")?, 1);
        }
        assert_eq!(sqlite::sqlite3_cancel_auto_extension(Some(callback.as_fn())), 1);
    }
    drop(callback);
    // SAFETY: no extension is registered now.
    assert_ne!(unsafe { query(c"PRAGMA cache_size")? }, 77);
    println!("{} connections prepared by a closure", opened.borrow());
    assert_eq!(*opened.borrow(), 6);
    Ok(())
}

/// Returns the result of a query on a new connection.
///
/// # Safety
/// Every automatic extension must be callable.
unsafe fn query(text: &core::ffi::CStr) -> Result<c_int, Box<dyn Error>> {
    let (mut connection, mut statement) = (null_mut(), null_mut());
    // SAFETY: these are the calls that SQLite's manual prescribes for one query. Each call receives the result of the
    // previous call.
    unsafe {
        if sqlite::sqlite3_open(c":memory:".as_ptr(), &raw mut connection) != sqlite::SQLITE_OK {
            return Err("the connection was refused".into());
        }
        sqlite::sqlite3_prepare_v2(connection, text.as_ptr(), -1, &raw mut statement, null_mut());
        sqlite::sqlite3_step(statement);
        let number = sqlite::sqlite3_column_int(statement, 0);
        sqlite::sqlite3_finalize(statement);
        sqlite::sqlite3_close(connection);
        Ok(number)
    }
}
