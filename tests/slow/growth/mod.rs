//! Twice the input takes twice the work: every command over every shape of input, with the work counted instead of timed.
//!
//! A program that `build` has made counts the basic blocks that it runs, the bytes that it copies and the most memory that it has
//! allocated (`counter.rs`). What is counted is the same each time, so that the smallest quadratic part shows at small sizes: the work
//! that n more items take may be compared with that of 2n more. With `LONG=1` the sizes are those that a hostile repository has.

mod bounds;
mod commands;
mod counted;
mod folders;
mod largest;
mod settings;
mod shapes;
mod versions;
