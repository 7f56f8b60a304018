//! How a target ends: an input that breaks a law, or makes the program panic, is a crash. A panic that the program catches is no crash: the YAML
//! parser has some, and each becomes an error with a place.

use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::Mutex;

/// What the last panic said, and where.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Called once, when libFuzzer has begun. The hook that it sets ends the process at every panic, caught or not.
pub fn prepare() {
    panic::set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = info.to_string();
    }));
}

/// Ends the process when a law is broken, as libFuzzer wants it.
pub fn judge(broken: impl FnOnce() -> Option<String>) {
    let complaint = match catch_unwind(AssertUnwindSafe(broken)) {
        Ok(None) => return,
        Ok(Some(complaint)) => complaint,
        Err(_) => LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone(),
    };
    eprintln!("{complaint}");
    process::abort();
}
