#![doc = include_str!("../README.md")]

mod names;
mod pattern;
mod steps;

pub use names::{base, clean, dir, ext, join};
pub use pattern::matches;
pub use steps::Steps;
