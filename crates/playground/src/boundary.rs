//! The names that the page calls. It writes a request as JSON into the memory, calls `run`, and reads the answer as JSON from it.

#![expect(unsafe_code, reason = "an exported name is unsafe, as it could be that of another function")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Answer, MAX_BYTES, answer};

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn locked(buffer: &'static Mutex<Vec<u8>>) -> MutexGuard<'static, Vec<u8>> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of `len` bytes, and returns its address: null if the request is longer than [`MAX_BYTES`].
#[unsafe(no_mangle)]
extern "C" fn request(len: usize) -> *mut u8 {
    if len > MAX_BYTES {
        return std::ptr::null_mut();
    }
    let mut input = locked(&INPUT);
    *input = vec![0; len];
    input.as_mut_ptr()
}

/// Answers the request, and returns how many bytes the answer has.
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    let answered = match serde_json::from_slice(&std::mem::take(&mut *locked(&INPUT))) {
        Ok(request) => answer(&request),
        Err(error) => Answer { text: format!("the request cannot be read: {error}"), is_error: true },
    };
    let mut output = locked(&OUTPUT);
    *output = serde_json::to_vec(&answered).unwrap_or_default();
    output.len()
}

/// Where the answer is.
#[unsafe(no_mangle)]
extern "C" fn response() -> *const u8 {
    locked(&OUTPUT).as_ptr()
}
