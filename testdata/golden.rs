//! Runs the cases.
#[test]
fn golden() {}
