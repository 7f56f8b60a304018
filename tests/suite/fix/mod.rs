//! `check --fix`: what each fix writes (`table.rs`), and what it does with files (`files.rs`). What must hold for every input is in `slow/fixes.rs`.

mod files;
mod table;
