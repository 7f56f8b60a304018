//! `check --fix`: what each fix writes (`table.rs`), and which files are written (`files.rs`). `slow/fixes.rs` tests
//! the laws for every input.

mod files;
mod table;
