//! The program's entrance.
fn main() {}
