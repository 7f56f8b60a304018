#![doc = include_str!("../README.md")]

mod boundary;
mod print;
mod read;
mod request;

pub use print::answer;
pub use request::{Answer, Base, Command, Diff, Format, Request};

/// The most bytes of a request. Nobody types more, and the page answers while somebody types.
pub const MAX_BYTES: usize = 2 << 20;
