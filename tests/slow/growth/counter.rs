//! Counts what a program does, for the tests of how its work grows: `tests/slow/growth/build` links this into the program.
//!
//! LLVM calls the first function below for each basic block that runs (its pass `sancov-module`); the linker sends the functions of C
//! that are wrapped here through this file. At its end the process writes one line to the file descriptor 9 that its parent has opened:
//! the blocks that ran, the bytes that were copied, compared or filled, and the most bytes that were allocated at a time.
//!
//! It belongs to no crate, so that the program itself stays free of unsafe code.
#![no_std]

use core::ffi::c_void;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

static BLOCKS: AtomicI64 = AtomicI64::new(0);
static BYTES: AtomicI64 = AtomicI64::new(0);
static ALLOCATED: AtomicI64 = AtomicI64::new(0);
static MOST: AtomicI64 = AtomicI64::new(0);

unsafe extern "C" {
    fn __real_memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void;
    fn __real_memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void;
    fn __real_memset(to: *mut c_void, byte: i32, count: usize) -> *mut c_void;
    fn __real_memcmp(one: *const c_void, other: *const c_void, count: usize) -> i32;
    fn __real_bcmp(one: *const c_void, other: *const c_void, count: usize) -> i32;
    fn __real_malloc(size: usize) -> *mut c_void;
    fn __real_calloc(count: usize, size: usize) -> *mut c_void;
    fn __real_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __real_posix_memalign(to: *mut *mut c_void, align: usize, size: usize) -> i32;
    fn __real_free(old: *mut c_void);
    fn malloc_usable_size(of: *mut c_void) -> usize;
    fn write(descriptor: i32, bytes: *const u8, count: usize) -> isize;
}

#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard(_: *mut u32) {
    // Not one operation: there is one thread that works, and this takes a tenth of the time.
    BLOCKS.store(BLOCKS.load(Relaxed) + 1, Relaxed);
}

#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard_init(_: *mut u32, _: *mut u32) {}

fn touched(count: usize) {
    BYTES.fetch_add(count as i64, Relaxed);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    touched(count);
    unsafe { __real_memcpy(to, from, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    touched(count);
    unsafe { __real_memmove(to, from, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_memset(to: *mut c_void, byte: i32, count: usize) -> *mut c_void {
    touched(count);
    unsafe { __real_memset(to, byte, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_memcmp(one: *const c_void, other: *const c_void, count: usize) -> i32 {
    touched(count);
    unsafe { __real_memcmp(one, other, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_bcmp(one: *const c_void, other: *const c_void, count: usize) -> i32 {
    touched(count);
    unsafe { __real_bcmp(one, other, count) }
}

/// Takes note of memory that was allocated.
fn allocated(what: *mut c_void) -> *mut c_void {
    let size = unsafe { malloc_usable_size(what) } as i64;
    MOST.fetch_max(ALLOCATED.fetch_add(size, Relaxed) + size, Relaxed);
    what
}

/// Takes note of memory that is about to be freed.
fn freed(what: *mut c_void) {
    ALLOCATED.fetch_sub(unsafe { malloc_usable_size(what) } as i64, Relaxed);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_malloc(size: usize) -> *mut c_void {
    allocated(unsafe { __real_malloc(size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_calloc(count: usize, size: usize) -> *mut c_void {
    allocated(unsafe { __real_calloc(count, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    freed(old);
    allocated(unsafe { __real_realloc(old, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_posix_memalign(to: *mut *mut c_void, align: usize, size: usize) -> i32 {
    let status = unsafe { __real_posix_memalign(to, align, size) };
    if status == 0 {
        allocated(unsafe { *to });
    }
    status
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_free(old: *mut c_void) {
    freed(old);
    unsafe { __real_free(old) }
}

/// One processor: how the work is divided among threads is no part of what is counted, and counting in two at a time is slow.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_sched_getaffinity(_: i32, size: usize, set: *mut u8) -> i32 {
    for index in 0..size {
        unsafe { *set.add(index) = (index == 0).into() };
    }
    0
}

/// How many digits each number has.
const DIGITS: usize = 20;

extern "C" fn end() {
    let mut line = [b'0'; 3 * (DIGITS + 1)];
    for (index, count) in [&BLOCKS, &BYTES, &MOST].into_iter().enumerate() {
        let start = index * (DIGITS + 1);
        let mut rest = count.load(Relaxed);
        for digit in line[start..start + DIGITS].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        line[start + DIGITS] = b' ';
    }
    line[3 * (DIGITS + 1) - 1] = b'\n';
    unsafe { write(9, line.as_ptr(), line.len()) };
}

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;
