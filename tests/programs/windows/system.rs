//! Closures as callbacks of Windows' own functions, with the types of the crate `windows-sys`: a window procedure, a hook,
//! and an enumeration of windows.

use core::cell::{Cell, RefCell};
use statictramp::{AllocError, Guard, bind, by_mut, typed};
use windows_sys::Win32::Foundation::{HANDLE, HWND, LPARAM, LRESULT, WPARAM};
use windows_sys::Win32::System::Threading::GetCurrentThreadId;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CallNextHookEx, CreateWindowExW, DefWindowProcW, DestroyWindow, EnumPropsExW, EnumWindows, HWND_MESSAGE,
    RegisterClassW, SendMessageW, SetPropW, SetWindowsHookExW, UnhookWindowsHookEx, WH_CALLWNDPROC, WM_APP, WM_CREATE, WNDCLASSW,
};
use windows_sys::core::PCWSTR;
use windows_sys::w;

fn main() -> Result<(), AllocError> {
    let seen = RefCell::new(vec![]);
    let procedure = typed(|window: HWND, message: u32, first: WPARAM, second: LPARAM| -> LRESULT {
        seen.borrow_mut().push(message);
        if message == WM_APP {
            return first as LRESULT + second;
        }
        // SAFETY: Windows passed these arguments.
        unsafe { DefWindowProcW(window, message, first, second) }
    });
    let procedure = bind(&procedure)?;
    // SAFETY: the class is used only below, while the callback is alive.
    let window = unsafe {
        let mut class: WNDCLASSW = core::mem::zeroed();
        class.lpfnWndProc = Some(procedure.as_fn());
        class.lpszClassName = w!("statictramp");
        assert_ne!(RegisterClassW(&class), 0);
        let null = core::ptr::null_mut;
        CreateWindowExW(0, w!("statictramp"), w!("title"), 0, 0, 0, 0, 0, HWND_MESSAGE, null(), null(), null())
    };
    assert!(!window.is_null() && seen.borrow().contains(&WM_CREATE));

    let hooked = std::rc::Rc::new(Cell::new(0));
    let count = hooked.clone();
    let hook: Guard<unsafe extern "system" fn(i32, WPARAM, LPARAM) -> LRESULT> =
        Guard::new(typed(move |code: i32, first: WPARAM, second: LPARAM| -> LRESULT {
            count.set(count.get() + 1);
            // SAFETY: Windows passed these arguments.
            unsafe { CallNextHookEx(core::ptr::null_mut(), code, first, second) }
        }))?;
    // SAFETY: the hook ends before its guard is dropped, and all calls are on this thread.
    unsafe {
        let null = core::ptr::null_mut();
        let handle = SetWindowsHookExW(WH_CALLWNDPROC, Some(hook.as_fn()), null, GetCurrentThreadId());
        assert!(!handle.is_null());
        assert_eq!(SendMessageW(window, WM_APP, 40, 2), 42);
        assert_eq!(hooked.get(), 1);
        UnhookWindowsHookEx(handle);
    }

    let mut windows = 0;
    let count = typed(by_mut(|_: HWND, step: LPARAM| -> i32 {
        windows += step;
        1
    }));
    let callback = bind(&count)?;
    // Without a desktop, no window is enumerated, but the window made above has a property.
    let found = Cell::new(0);
    let properties = typed(|of: HWND, _: PCWSTR, data: HANDLE, step: usize| -> i32 {
        assert_eq!(of, window);
        found.set(found.get() + data.addr() + step);
        1
    });
    let enumerate = bind(&properties)?;
    // SAFETY: the callbacks are alive.
    unsafe {
        EnumWindows(Some(callback.as_fn()), 1);
        assert_ne!(SetPropW(window, w!("property"), core::ptr::without_provenance_mut(40)), 0);
        assert_eq!(EnumPropsExW(window, Some(enumerate.as_fn()), 2), 1);
        assert_ne!(DestroyWindow(window), 0);
    }
    assert_eq!(found.get(), 42);
    println!("a window procedure, a hook and an enumeration ran");
    Ok(())
}
